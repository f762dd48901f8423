"""Joins of points with points, compared with Shapely, GeoPandas and the columns of coordinates."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import shapely
from grid import _array, expected
from test_files import frame, read_pairs
from test_sjoin import HOWS, assert_same
from test_sjoin import frame as frame_of

import sat2d

# On a grid of so few positions, most multipoints share positions, and many are equal or contain each other.
SIZE = 4


def clouds(count: int, seed: int, multi: bool = True) -> np.ndarray[Any, Any]:
    """Return points and multipoints, and also `None` and empty geometries. Multipoints may repeat a position."""
    generator = np.random.default_rng(seed)
    shapes: list[Any] = []
    for kind in generator.integers(0, 8, count):
        if kind > 5:
            shapes.append([None, shapely.Point()][kind - 6])
        elif multi and kind > 1:
            shapes.append(shapely.MultiPoint(generator.integers(0, SIZE, (int(generator.integers(1, 6)), 2))))
        else:
            shapes.append(shapely.Point(generator.integers(0, SIZE, 2)))
    return _array(shapes)


@pytest.mark.parametrize("predicate", sat2d.PREDICATES)
@pytest.mark.parametrize("multi", [False, True])
def test_every_predicate_has_the_pairs_of_shapely(predicate: str, multi: bool) -> None:
    a, b = clouds(90, 1, multi), clouds(70, 2, multi)
    for distance in [0.0, 1.0, 1.5] if predicate == "dwithin" else [None]:
        wanted = expected(a, b, predicate, distance)
        np.testing.assert_array_equal(sat2d.query(a, b, predicate, distance=distance), wanted)
        np.testing.assert_array_equal(sat2d.Index(b).query(a, predicate, distance=distance), wanted)
        assert wanted.size or predicate in ("touches", "overlaps")
        every = expected(a, a, predicate, distance)
        np.testing.assert_array_equal(sat2d.query(a, predicate=predicate, distance=distance, pairs="all"), every)
        np.testing.assert_array_equal(sat2d.Index(a).query_pairs(predicate, distance=distance, pairs="all"), every)
        once = every[:, every[0] != every[1]]
        if predicate not in ("contains", "covers", "contains_properly", "within", "covered_by"):
            once = every[:, every[0] < every[1]]
        np.testing.assert_array_equal(sat2d.query(a, predicate=predicate, distance=distance), once)


def test_multipoints_overlap() -> None:
    a, b = clouds(90, 3), clouds(70, 4)
    assert expected(a, b, "overlaps").size
    np.testing.assert_array_equal(sat2d.query(a, b, "overlaps"), expected(a, b, "overlaps"))


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("predicate", ["intersects", "within", "contains", "overlaps", "touches"])
def test_frames_of_points(how: str, predicate: str) -> None:
    left, right = frame_of(clouds(60, 5), "range", "b"), frame_of(clouds(50, 6), "named", "c")
    assert_same(left, right, how=how, predicate=predicate)
    assert_same(left, right, how=how, predicate="dwithin", distance=1.0)


def test_signs_of_zero_and_close_positions() -> None:
    a = shapely.points([[0.0, -0.0], [1.0, 1.0], [1e-40, 0.0]])
    b = shapely.points([[-0.0, 0.0], [np.nextafter(1.0, 2.0), 1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(sat2d.query(a, b), [[0, 0], [0, 2]])
    table = sat2d.join(a, b)
    np.testing.assert_array_equal([table["left"], table["right"]], [[0, 0], [0, 2]])


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("within", [None, 0.0, 1.0, 2.5])
def test_a_join_has_relations_and_distances(multi: bool, within: float | None) -> None:
    a, b = clouds(80, 7, multi), clouds(60, 8, multi)
    options: dict[str, Any] = {} if within is None else {"within": within, "measure": "distance"}
    for other in (b, None):
        table = sat2d.join(a, other, **options)
        right = a if other is None else b
        wanted = expected(a, right, "dwithin", within or 0.0)
        wanted = wanted[:, wanted[0] < wanted[1]] if other is None else wanted
        np.testing.assert_array_equal([table["left"], table["right"]], wanted)
        distances = shapely.distance(a[wanted[0]], right[wanted[1]])
        np.testing.assert_array_equal(table["relation"], distances == 0)
        names = ["touching" if distance == 0 else "disjoint" for distance in distances]
        assert table.to_pandas()["relation"].tolist() == names
        counts = np.bincount(wanted[0], minlength=len(a))
        np.testing.assert_array_equal(
            table.counts(), counts if other is b else counts + np.bincount(wanted[1], minlength=len(a))
        )
        if within is not None:
            np.testing.assert_allclose(table["distance"], distances, rtol=1e-15)
            for side, shapes in (("left", a[wanted[0]]), ("right", right[wanted[1]])):
                ends = shapely.points(table[f"{side}_x"], table[f"{side}_y"])
                assert (shapely.distance(ends, shapes)[distances > 0] == 0).all()
                assert shapely.is_empty(ends[distances == 0]).all() or np.isnan(table[f"{side}_x"][distances == 0]).all()
        if within == 1.0:
            for relation in ("touching", "meeting"):
                kept = sat2d.join(a, other, relation=relation, **options)
                assert len(kept) == (distances == 0).sum() and (kept["relation"] == 1).all()
    index = sat2d.Index(a)
    np.testing.assert_array_equal(index.join_pairs(**options)["right"], sat2d.join(a, **options)["right"])
    np.testing.assert_array_equal(index.join(b, **options)["right"], sat2d.join(b, a, **options)["right"])


def test_what_points_do_not_have() -> None:
    points = shapely.points([[0.0, 0.0], [1.0, 0.0]])
    for options, message in [
        ({"measure": "area"}, "a and b have points"),
        ({"measure": ["manifold"]}, "a and b have points"),
        ({"keep": "largest"}, "a and b have points"),
        ({"relation": "inside"}, "relation = inside is no relation of two points"),
        ({"relation": "overlapping"}, "give touching or meeting"),
        ({"measure": "distance"}, "give within=D"),
    ]:
        with pytest.raises(sat2d.OptionError, match=message):
            sat2d.join(points, points.copy(), **options)
    with pytest.raises(sat2d.OptionError, match="^a has points"):
        sat2d.join(points, min_area=1)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow", "geojson"])
@pytest.mark.parametrize("options", [{}, {"within": 1.0, "measure": "distance"}, {"nearest": 2}, {"nearest": 1, "ties": True}])
def test_files_of_points(tmp_path: Any, ending: str, options: dict[str, Any]) -> None:
    a, b = clouds(50, 9), clouds(40, 10)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, shapes in zip(paths, (a, b)):
        frame(shapes).to_parquet(path)
    for inputs, other in ((paths, b), (paths[:1], None)):
        out = tmp_path / f"pairs.{ending}"
        table = sat2d.join_files(*inputs, out=out, id="parcel", **options)
        if "nearest" in options:
            given = {"k": options["nearest"], "ties": options.get("ties", False)}
            found = sat2d.nearest(a, other, **given)
            wanted = [found.left, found.right]
        else:
            joined = sat2d.join(a, other, **options)
            wanted = [joined["left"], joined["right"]]
        np.testing.assert_array_equal([table["left"], table["right"]], wanted)
        distances = shapely.distance(a[table["left"]], (a if other is None else b)[table["right"]])
        np.testing.assert_array_equal(table["relation"], distances == 0)
        pairs = read_pairs(out)
        names = [frame(shapes)["parcel"].to_numpy() for shapes in (a, a if other is None else b)]
        assert pairs["a"].tolist() == names[0][table["left"]].tolist()
        assert pairs["b"].tolist() == names[1][table["right"]].tolist()
        assert pairs["relation"].tolist() == ["touching" if distance == 0 else "disjoint" for distance in distances]
        if options:
            np.testing.assert_allclose(pairs["distance"], distances, rtol=1e-15)
        if ending == "csv":
            counts = tmp_path / "counts.csv"
            given = {name: value for name, value in options.items() if name != "measure"}
            sat2d.join_files(*inputs, out=counts, id="parcel", count=True, **given)
            assert read_pairs(counts)["count"].tolist() == table.counts().tolist()


def test_a_map_shows_where_points_are(tmp_path: Any) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, places in zip(paths, ([[0.1, 0.2], [5.0, 5.0]], [[0.4, 0.2], [5.0, 5.0]])):
        frame(shapely.points(places)).to_parquet(path)
    for options, first in (({"within": 1.0, "measure": "distance"}, "LineString"), ({"nearest": 1}, "LineString")):
        out = tmp_path / "pairs.geojson"
        sat2d.join_files(*paths, out=out, **options)
        geometries = [feature["geometry"] for feature in json.loads(out.read_text())["features"]]
        assert geometries == [
            {"type": first, "coordinates": [[0.1, 0.2], [0.4, 0.2]]},
            {"type": "Point", "coordinates": [5.0, 5.0]},
        ]
