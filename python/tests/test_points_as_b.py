"""Joins of polygons with points on the right, compared with integer arithmetic, with Shapely and with the exchanged join."""

from __future__ import annotations

from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely
from grid import expected, random_points, random_polygons
from test_files import frame, read_pairs

import sat2d

SIDES = [("left", "right"), ("left_x", "right_x"), ("left_y", "right_y")]
EXCHANGED = dict([*SIDES, *((right, left) for left, right in SIDES)])
EXCHANGED_IN_FILES = {"a": "b", "b": "a", "ax": "bx", "bx": "ax", "ay": "by", "by": "ay"}


class Scene:
    """Boxes and features of points on a small integer grid. Many distances are equal, and many points are on borders."""

    def __init__(self, seed: int, most: int) -> None:
        generator = np.random.default_rng(seed)
        least = generator.integers(0, 14, (40, 2))
        self.least, self.greatest = least, least + generator.integers(1, 6, (40, 2))
        self.boxes = shapely.box(*self.least.T, *self.greatest.T)
        self.at = [generator.integers(0, 20, (1 + k % most, 2)) for k in range(50)]
        self.points = np.empty(50, dtype=object)
        self.points[:] = [shapely.Point(*at[0]) if len(at) == 1 else shapely.MultiPoint(at) for at in self.at]
        # The square of the distance, and whether a point is inside, for each box and each feature.
        gaps = [np.maximum(np.maximum(least[:, None] - at, at - self.greatest[:, None]), 0) for at in self.at]
        self.square = np.array([(gap**2).sum(axis=2).min(axis=1) for gap in gaps]).T
        inside = [((least[:, None] < at) & (at < self.greatest[:, None])).all(axis=2).any(axis=1) for at in self.at]
        self.code = np.where(np.array(inside).T, 2, self.square == 0)

    def kept(self, relation: str | None = None, within: float = 0.0) -> Any:
        """Return whether each pair of a box and a feature is in the join."""
        codes = {None: (0, 1, 2), "meeting": (1, 2), "inside": (2,), "overlapping": (2,), "boundary": (1,), "touching": (1,)}
        return (self.square <= within**2) & np.isin(self.code, codes[relation])


def pairs(table: Any) -> Any:
    return np.stack([table["left"], table["right"]])


def exchanged(table: Any) -> dict[str, Any]:
    """Return the columns with the two sides exchanged."""
    order = np.lexsort((table["left"], table["right"]))
    return {name: table[EXCHANGED.get(name, name)][order] for name in table.columns}


OPTIONS: list[dict[str, Any]] = [
    {},
    *({"relation": name} for name in ("inside", "boundary", "touching", "overlapping", "meeting")),
    *({"within": distance, "measure": "distance"} for distance in (0.0, 1.0, 2.0, 5.0)),
    {"within": 3.0, "relation": "boundary", "measure": "distance"},
]


@pytest.mark.parametrize("backend", ["cpu", "auto", "gpu"])
@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("options", OPTIONS)
def test_rows_are_those_of_integers(options: dict[str, Any], most: int, backend: str) -> None:
    scene = Scene(7 + most, most)
    try:
        table = sat2d.join(scene.boxes, scene.points, backend=backend, **options)
    except sat2d.DeviceError as error:
        assert backend == "gpu" and error.remedy
        return
    kept = scene.kept(options.get("relation"), options.get("within", 0.0))
    assert kept.sum() > 5
    np.testing.assert_array_equal(pairs(table), np.stack(np.nonzero(kept)))
    np.testing.assert_array_equal(table["relation"], scene.code[kept])
    assert table.relation_names == sat2d.POINT_RELATIONS
    np.testing.assert_array_equal(table.counts(), kept.sum(axis=1))
    if "measure" not in options:
        assert table.columns == ["left", "right", "relation"]
        return
    np.testing.assert_allclose(table["distance"], np.sqrt(scene.square[kept]), atol=1e-12)
    apart = table["relation"] == 0
    assert np.isnan([table[name][~apart] for name in ("left_x", "left_y", "right_x", "right_y")]).all()
    for k in np.flatnonzero(apart):
        point = np.array([table["right_x"][k], table["right_y"][k]])
        assert (scene.at[table["right"][k]] == point).all(axis=1).any()
        nearest = np.clip(point, scene.least[table["left"][k]], scene.greatest[table["left"][k]])
        assert [table["left_x"][k], table["left_y"][k]] == nearest.tolist()


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_the_table_is_that_of_the_exchanged_join(options: dict[str, Any], multi: bool) -> None:
    polygons, points = random_polygons(70, 201), random_points(120, 202, multi)
    table = sat2d.join(polygons, points, **options)
    wanted = exchanged(sat2d.join(points, polygons, **options))
    assert table.columns == list(wanted) and len(table) > 10
    for name, column in wanted.items():
        np.testing.assert_array_equal(table[name], column)
        assert table[name].dtype == column.dtype
    if "relation" not in options:
        found = expected(polygons, points, "dwithin", options.get("within", 0.0))
        np.testing.assert_array_equal(pairs(table), found)
        np.testing.assert_array_equal(table.counts(), np.bincount(found[0], minlength=len(polygons)))
    assert table.to_arrow()["relation"].to_pylist() == [sat2d.POINT_RELATIONS[code] for code in table["relation"]]


def test_sets_frames_and_skipped_points() -> None:
    polygons, points = random_polygons(40, 203), random_points(60, 204, False)
    points[5] = shapely.Point(1e300, 0)
    table = sat2d.join(geopandas.GeoSeries(polygons, crs=2056), geopandas.GeoSeries(points, crs=2056), invalid="skip")
    assert [(entry.argument, entry.feature) for entry in table.skipped] == [("b", 5)]
    again = sat2d.join(sat2d.PolygonSet(polygons), sat2d.PointSet(points, invalid="skip"), threads=2)
    np.testing.assert_array_equal(pairs(table), pairs(again))
    with pytest.raises(sat2d.OptionError, match="reference system"):
        sat2d.join(geopandas.GeoSeries(polygons, crs=2056), geopandas.GeoSeries(points, crs=4326), invalid="skip")
    empty = sat2d.join(polygons, np.empty((0, 2)), within=2.0, measure="distance")
    assert len(empty) == 0 and not empty.counts().any() and len(empty.counts()) == 40


@pytest.mark.parametrize("given", [{"measure": "area"}, {"measure": "manifold"}, {"min_iou": 0.5}, {"keep": "largest"}])
def test_measurements_of_polygons_are_errors(given: dict[str, Any]) -> None:
    scene = Scene(1, 1)
    for first, second, side in ((scene.boxes, scene.points, "b"), (scene.points, scene.boxes, "a")):
        with pytest.raises(sat2d.OptionError, match=f"{side} has points.*leave out these") as caught:
            sat2d.join(first, second, **given)
        assert caught.value.remedy


@pytest.fixture
def files(tmp_path: Any) -> tuple[Scene, Any, Any]:
    scene = Scene(11, 3)
    paths = tmp_path / "boxes.parquet", tmp_path / "points.parquet"
    for path, shapes in zip(paths, (scene.boxes, scene.points)):
        frame(shapes).to_parquet(path)
    return scene, *paths


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "geojson", "parquet", "arrow", "arrows"])
@pytest.mark.parametrize("options", OPTIONS)
def test_files_have_the_rows_of_the_exchanged_join(files: Any, tmp_path: Any, options: dict[str, Any], ending: str) -> None:
    scene, boxes, points = files
    out = tmp_path / f"pairs.{ending}"
    table = sat2d.join_files(boxes, points, out=out, id="parcel", **options)
    in_memory = sat2d.join(scene.boxes, scene.points, **options)
    assert table.columns == in_memory.columns and table.relation_names == sat2d.POINT_RELATIONS
    for name in in_memory.columns:
        np.testing.assert_array_equal(table[name], in_memory[name])
    np.testing.assert_array_equal(table.counts(), in_memory.counts())
    written = read_pairs(out)
    assert written["a"].tolist() == [f"p{k}" for k in table["left"]]
    assert written["b"].tolist() == [f"p{k}" for k in table["right"]]
    assert written["relation"].tolist() == [sat2d.POINT_RELATIONS[code] for code in table["relation"]]
    other = tmp_path / f"others.{ending}"
    others = sat2d.join_files(points, boxes, out=other, id="parcel", **options)
    order = np.lexsort((others["left"], others["right"]))
    wanted = read_pairs(other).iloc[order].reset_index(drop=True)
    if "closest" in wanted:
        wanted["closest"] = [{"a": ends["b"], "b": ends["a"]} if isinstance(ends, dict) else ends for ends in wanted["closest"]]
    wanted = wanted.rename(columns=EXCHANGED_IN_FILES)[list(written.columns)]
    pd.testing.assert_frame_equal(written, wanted, check_categorical=False)
    if ending == "geojson":
        check_places(geopandas.read_file(out).geometry, table, scene)


def check_places(geometries: Any, table: Any, scene: Scene) -> None:
    """Check the point of each row of a map, or the line from the polygon to the point."""
    for k, shape in enumerate(geometries):
        at = scene.at[table["right"][k]].tolist()
        if table["relation"][k] != 0:
            assert [shape.x, shape.y] in at
        elif "distance" in table.columns:
            assert shape.coords[:] == [
                (table["left_x"][k], table["left_y"][k]),
                (table["right_x"][k], table["right_y"][k]),
            ]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrows"])
@pytest.mark.parametrize("options", [{}, {"relation": "inside"}, {"relation": "touching"}, {"within": 2.0}, {"within": 5.0}])
def test_counts_with_points_in_either_file(files: Any, tmp_path: Any, options: dict[str, Any], ending: str) -> None:
    scene, boxes, points = files
    out = tmp_path / f"counts.{ending}"
    kept = scene.kept(**options)
    for inputs, counts in (((boxes, points), kept.sum(axis=1)), ((points, boxes), kept.sum(axis=0))):
        table = sat2d.join_files(*inputs, out=out, id="parcel", count=True, **options)
        written = read_pairs(out)
        assert list(written.columns) == ["a", "count"]
        assert written["a"].tolist() == [f"p{k}" for k in range(len(counts))]
        np.testing.assert_array_equal(written["count"], counts)
        np.testing.assert_array_equal(table.counts(), counts)
