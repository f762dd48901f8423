"""Joins of files that find nearest features, compared with integer arithmetic and with Shapely."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import shapely
from grid import random_points, random_polygons
from test_files import frame, read_pairs
from test_points_as_b import Scene

import sat2d

BOW = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])


def nearest(distances: Any, k: int, within: float, is_self_join: bool = False, *, ties: bool = False) -> list[tuple[int, int]]:
    """Return the rows for a matrix of distances. A distance is NaN if a geometry has no region."""
    rows = []
    for left, of_left in enumerate(distances):
        near = [right for right in np.argsort(of_left, kind="stable") if not (is_self_join and right == left)]
        near = [(left, int(right)) for right in near if of_left[right] <= within]
        rows += near[:k] + [row for row in near[k:] if ties and of_left[row[1]] == of_left[near[k - 1][1]]]
    return rows


def shapely_relations(a: Any, b: Any) -> Any:
    """Return the relations of two arrays of polygons."""
    interiors_meet = shapely.relate_pattern(a, b, "T********")
    return np.where(interiors_meet, 2, shapely.intersects(a, b))


@pytest.mark.parametrize("k", [1, 3, 200])
@pytest.mark.parametrize("within", [None, 0.0, 2.0])
def test_files_of_polygons(tmp_path: Any, k: int, within: float | None) -> None:
    a, b = random_polygons(50, 501), random_polygons(60, 502)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, shapes in zip(paths, (a, b)):
        frame(shapes).to_parquet(path)
    for inputs, other in ((paths, b), (paths[:1], a)):
        distances = shapely.distance(a[:, None], other)
        wanted = nearest(distances, k, np.inf if within is None else within, other is a)
        out = tmp_path / "pairs.csv"
        table = sat2d.join_files(*inputs, out=out, id="parcel", nearest=k, within=within, measure="distance")
        left, right = table["left"], table["right"]
        assert table.columns == ["left", "right", "relation", "distance", "left_x", "left_y", "right_x", "right_y"]
        # Distances that are equal in the real numbers may differ by a rounding error, so pairs are compared by distance.
        np.testing.assert_allclose(table["distance"], [distances[pair] for pair in wanted], rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(left, [pair[0] for pair in wanted])
        np.testing.assert_allclose(table["distance"], distances[left, right], rtol=1e-12, atol=1e-12)
        in_memory = sat2d.nearest(a, None if other is a else b, k, within=within)
        for name in ("left", "right", "distance"):
            np.testing.assert_array_equal(table[name], getattr(in_memory, name))
        np.testing.assert_array_equal(table["relation"], shapely_relations(a[left], other[right]))
        np.testing.assert_array_equal(table["distance"] == 0, table["relation"] > 0)
        apart = table["relation"] == 0
        ends = np.stack([table[name] for name in table.columns[4:]], axis=1)
        assert np.isnan(ends[~apart]).all()
        lines = shapely.linestrings(ends[apart].reshape(-1, 2, 2))
        np.testing.assert_allclose(shapely.length(lines), table["distance"][apart], rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(table.counts(), np.bincount(left, minlength=len(a)))
        written = read_pairs(out)
        assert list(written.columns) == ["a", "b", "relation", "distance", "ax", "ay", "bx", "by"]
        assert written["a"].tolist() == [f"p{index}" for index in left]
        assert written["b"].tolist() == [f"p{index}" for index in right]
        assert written["relation"].tolist() == [sat2d.RELATIONS[code] for code in table["relation"]]
        np.testing.assert_allclose(written["distance"], table["distance"], atol=1e-12)


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("k", [1, 2, 7, 100])
@pytest.mark.parametrize("within", [None, 0.0, 3.0])
@pytest.mark.parametrize("ties", [False, True])
def test_files_of_points_have_the_rows_of_integers(
    tmp_path: Any, most: int, k: int, within: float | None, *, ties: bool
) -> None:
    scene = Scene(20 + most, most)
    paths = [tmp_path / "boxes.parquet", tmp_path / "points.parquet"]
    for path, shapes in zip(paths, (scene.boxes, scene.points)):
        frame(shapes).to_parquet(path)
    limit = np.inf if within is None else within**2
    for inputs, square, code in ((paths, scene.square, scene.code), (paths[::-1], scene.square.T, scene.code.T)):
        # Squares of distances are integers, so equal distances are exactly equal.
        wanted = np.array(nearest(square, k, limit, ties=ties)).T
        options: dict[str, Any] = {"nearest": k, "within": within, "ties": ties}
        table = sat2d.join_files(*inputs, out=tmp_path / "pairs.jsonl", measure="distance", **options)
        np.testing.assert_array_equal(np.stack([table["left"], table["right"]]), wanted)
        np.testing.assert_array_equal(table["relation"], code[tuple(wanted)])
        np.testing.assert_allclose(table["distance"], np.sqrt(square[tuple(wanted)]), rtol=1e-14)
        np.testing.assert_array_equal(table.counts(), np.bincount(wanted[0], minlength=len(square)))
        assert table.relation_names == sat2d.POINT_RELATIONS
        of_points, of_boxes = ("right", "left") if inputs is paths else ("left", "right")
        for row in np.flatnonzero(table["relation"] == 0):
            point = np.array([table[f"{of_points}_{axis}"][row] for axis in "xy"])
            box = table[of_boxes][row]
            assert (scene.at[table[of_points][row]] == point).all(axis=1).any()
            other = [table[f"{of_boxes}_{axis}"][row] for axis in "xy"]
            assert np.clip(point, scene.least[box], scene.greatest[box]).tolist() == other
        lines = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
        assert [(line["a"], line["b"]) for line in lines] == list(zip(*wanted.tolist()))
        np.testing.assert_allclose([line["distance"] for line in lines], table["distance"], rtol=1e-14)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "geojson", "parquet", "arrow", "arrows"])
def test_every_format(tmp_path: Any, ending: str) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet", tmp_path / "points.parquet"]
    for path, shapes in zip(paths, (random_polygons(30, 503), random_polygons(40, 504), random_points(50, 505))):
        frame(shapes).to_parquet(path)
    for number, inputs in enumerate((paths[:2], paths[:1], paths[1:], paths[:0:-1])):
        out = tmp_path / f"pairs{number}.{ending}"
        table = sat2d.join_files(*inputs, out=out, nearest=2, id="parcel")
        assert table.columns == ["left", "right", "relation"] and len(table) > 30
        written = read_pairs(out)
        assert list(written.columns) == ["a", "b", "relation", "distance"]
        assert written["a"].tolist() == [f"p{index}" for index in table["left"]]
        assert written["b"].tolist() == [f"p{index}" for index in table["right"]]
        assert written["relation"].tolist() == [table.relation_names[code] for code in table["relation"]]
        if ending == "geojson":
            check_places(json.loads(out.read_text())["features"], table)
            continue
        out = tmp_path / f"counts{number}.{ending}"
        counted = sat2d.join_files(*inputs, out=out, nearest=2, count=True)
        np.testing.assert_array_equal(read_pairs(out)["count"], counted.counts())
        np.testing.assert_array_equal(counted.counts(), table.counts())


def check_places(features: Any, table: Any) -> None:
    """Check that a map has a line for each pair that is apart, and a point or nothing for each pair that meets."""
    place = "Point" if table.relation_names == sat2d.POINT_RELATIONS else None
    for feature, code in zip(features, table["relation"], strict=True):
        kind = feature["geometry"] and feature["geometry"]["type"]
        assert kind == (place if code else "LineString")


def test_distances_of_decimals_are_short_decimals_in_the_file(tmp_path: Any) -> None:
    path, out = tmp_path / "boxes.parquet", tmp_path / "pairs.csv"
    frame([shapely.box(-0.4, 0.2, 0.1, 0.7), shapely.box(0.3, 0.2, 0.9, 0.7), shapely.box(0.9, 0.6, 1.1, 1.3)]).to_parquet(path)
    table = sat2d.join_files(path, out=out, nearest=1, measure="distance")
    # The program `sat2d join --nearest 1 --with distance` writes the same rows.
    assert out.read_text() == (
        "a,b,relation,distance,ax,ay,bx,by\n0,1,disjoint,0.2,0.1,0.7,0.3,0.7\n1,2,touching,0.0,,,,\n2,1,touching,0.0,,,,\n"
    )
    assert table["distance"].tolist() == [0.3 - 0.1, 0.0, 0.0]


def test_rings_that_cross_meet_by_exact_arithmetic(tmp_path: Any) -> None:
    generator = np.random.default_rng(506)
    stars = [shapely.Polygon(generator.integers(0, 9, (7, 2)) + generator.integers(0, 12, 2)) for _ in range(40)]
    points = random_points(60, 507, multi=False)
    paths = [tmp_path / "stars.parquet", tmp_path / "points.parquet"]
    for path, shapes in zip(paths, (stars, points)):
        frame(shapes).to_parquet(path)
    for inputs, others in ((paths, points), (paths[::-1], stars), (paths[:1], None)):
        options: dict[str, Any] = {"fill": "nonzero", "invalid": "skip"}
        table = sat2d.join_files(*inputs, nearest=5, measure="distance", **options)
        first = points if inputs[0] is paths[1] else stars
        meeting = sat2d.query(first, others, pairs="all" if others is None else None, **options)
        meets = {tuple(pair) for pair in meeting.T.tolist()}
        pairs = list(zip(table["left"].tolist(), table["right"].tolist()))
        assert [pair in meets for pair in pairs] == (table["relation"] > 0).tolist()
        assert (table["distance"][table["relation"] > 0] == 0).all()
        rows = list(zip(table["left"].tolist(), table["distance"].tolist(), table["right"].tolist()))
        assert rows == sorted(rows)
        assert table.counts().max() == 5


def test_invalid_features_and_missing_regions_have_no_rows(tmp_path: Any) -> None:
    path = tmp_path / "parcels.parquet"
    frame([shapely.box(0, 0, 1, 1), BOW, None, shapely.Polygon(), shapely.box(3, 0, 4, 1)]).to_parquet(path)
    with pytest.raises(sat2d.InvalidGeometryError):
        sat2d.join_files(path, nearest=1)
    table = sat2d.join_files(path, nearest=9, invalid="skip")
    assert (table["left"].tolist(), table["right"].tolist(), table["relation"].tolist()) == ([0, 4], [4, 0], [0, 0])
    assert [entry.feature for entry in table.skipped] == [1] and table.counts().tolist() == [1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nearest": 0}, "nearest = 0; give an integer from 1 on"),
        ({"nearest": 1.5}, "nearest = 1.5; give an integer from 1 on"),
        ({"nearest": True}, "nearest = True; give an integer from 1 on"),
        ({"relation": "meeting"}, "leave relation or nearest out"),
        ({"min_area": 1.0}, "leave nearest out"),
        ({"min_iou": 0.5}, "leave nearest out"),
        ({"keep": "largest"}, "leave nearest out"),
        ({"measure": ["distance", "area"]}, "measure = area is not measured with nearest"),
        ({"measure": "penetration"}, "leave it out, or give distance"),
        ({"measure": "depth"}, "measure = depth; give distance"),
        ({"within": -1.0}, "within = -1: must be between 0 and"),
        ({"within": float("nan")}, "within = NaN: must be between 0 and"),
        ({"nearest": None, "ties": True}, "ties = True belongs to nearest; give nearest=K"),
        ({"ties": "yes"}, "ties = 'yes'; give True or False"),
        ({"nearest": None, "measure": "distance"}, "give within=D or nearest=K"),
        ({"count": True}, "give out"),
        ({"count": True, "measure": "distance"}, "give out"),
    ],
)
def test_options_that_exclude_each_other(tmp_path: Any, options: dict[str, Any], message: str) -> None:
    paths = tmp_path / "boxes.parquet", tmp_path / "points.parquet"
    for path, shapes in zip(paths, ([shapely.box(0, 0, 1, 1)], [shapely.Point(0, 0)])):
        frame(shapes).to_parquet(path)
    for inputs in (paths[:1], paths):
        with pytest.raises(sat2d.OptionError, match=message) as caught:
            sat2d.join_files(*inputs, **{"nearest": 1, **options})
        assert caught.value.remedy or "must be" in message


def test_more_neighbours_than_there_are(tmp_path: Any) -> None:
    path = tmp_path / "boxes.parquet"
    frame(shapely.box([0, 2], 0, [1, 3], 1)).to_parquet(path)
    assert sat2d.join_files(path, nearest=2**70)["right"].tolist() == [1, 0]
