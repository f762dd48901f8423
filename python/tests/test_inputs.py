"""Every kind of input gives the same set, and sets survive pickling."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import duckdb
import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from grid import random_points, random_polygons

import sat2d
from sat2d import _shapely

POLYGONS = random_polygons(80, 11)
POINTS = random_points(90, 12)


def geoarrow(array: Any, name: str, nulls: Any = None) -> Any:
    """Return a GeoArrow column made from the ragged arrays of Shapely."""
    kind, coordinates, offsets = shapely.to_ragged_array(array)
    numbers = pa.FixedSizeListArray.from_arrays(pa.array(coordinates.ravel()), 2)
    column: Any = numbers
    for level, offset in enumerate(offsets):
        last = level == len(offsets) - 1
        mask = pa.array(nulls) if last and nulls is not None else None
        column = pa.ListArray.from_arrays(pa.array(offset.astype(np.int32)), column, mask=mask)
    field = pa.field(name, column.type, metadata={"ARROW:extension:name": f"geoarrow.{kind.name.lower()}"})
    return pa.Table.from_arrays([column], schema=pa.schema([field]))


def inputs(shapes: Any) -> dict[str, Any]:
    wkb = list(shapely.to_wkb(shapes))
    series = geopandas.GeoSeries(shapes)
    return {
        "list": list(shapes),
        "tuple": tuple(shapes),
        "array": shapes,
        "GeoSeries": series,
        "GeometryArray": series.array,
        "GeoDataFrame": geopandas.GeoDataFrame({"x": range(len(shapes))}, geometry=series),
        "Series of WKB": pd.Series(wkb, dtype=object),
        "list of WKB": wkb,
        "array of WKB": np.array(wkb, dtype=object),
        "big-endian WKB": list(shapely.to_wkb(shapes, byte_order=0)),
        "pyarrow array": pa.array(wkb),
        "pyarrow large array": pa.array(wkb, type=pa.large_binary()),
        "pyarrow chunked array": pa.chunked_array([wkb[:30], wkb[30:31], wkb[31:]], type=pa.binary()),
        "pyarrow table": pa.table({"id": range(len(shapes)), "geometry": wkb}),
        "pyarrow batch": pa.RecordBatch.from_pydict({"geom": wkb}),
        "pyarrow reader": pa.table({"geometry": wkb}).to_reader(max_chunksize=7),
        "geopandas arrow": geopandas.GeoDataFrame(geometry=series).to_arrow(),
        "polars frame": pl.DataFrame({"geometry": wkb}),
        "polars series": pl.Series(wkb, dtype=pl.Binary),
        "hexadecimal": pa.array(list(shapely.to_wkb(shapes, hex=True))),
    }


@pytest.mark.parametrize("kind", list(inputs(POLYGONS)))
def test_polygons_of_every_kind(kind: str) -> None:
    wanted = sat2d.query(POLYGONS)
    made = sat2d.PolygonSet(inputs(POLYGONS)[kind])
    assert len(made) == len(POLYGONS) and made.skipped == []
    np.testing.assert_array_equal(sat2d.query(made), wanted)
    np.testing.assert_array_equal(sat2d.query(inputs(POLYGONS)[kind]), wanted)


def test_rings_of_shapely_are_read_the_same_with_and_without_wkb(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = np.array([*POLYGONS, None, shapely.from_wkt("MULTIPOLYGON EMPTY")], dtype=object)
    types = shapely.get_type_id(shapes)
    wanted = sat2d.query(shapes)
    assert _shapely.polygons(shapes, types) is None
    monkeypatch.setattr(_shapely, "_LEAST_RING", 0)
    assert _shapely.polygons(shapes, types) is not None
    np.testing.assert_array_equal(sat2d.query(shapes), wanted)


@pytest.mark.parametrize("kind", list(inputs(POINTS)))
def test_points_of_every_kind(kind: str) -> None:
    wanted = sat2d.query(POINTS, POLYGONS, "within")
    made = sat2d.PointSet(inputs(POINTS)[kind])
    assert len(made) == len(POINTS)
    np.testing.assert_array_equal(sat2d.query(made, POLYGONS, "within"), wanted)


def test_a_stream_of_duckdb() -> None:
    frame = pd.DataFrame({"wkb": list(shapely.to_wkb(POLYGONS))}, dtype=object)  # noqa: F841, which DuckDB reads
    relation = duckdb.sql("SELECT wkb AS geometry FROM frame")
    if not hasattr(relation, "__arrow_c_stream__"):
        relation = relation.to_arrow_table()
    np.testing.assert_array_equal(sat2d.query(relation), sat2d.query(POLYGONS))


def test_geoarrow_of_every_depth() -> None:
    full = np.array([shape for shape in POLYGONS if shape is not None and not shape.is_empty], dtype=object)
    simple = np.array([shape for shape in full if shape.geom_type == "Polygon"], dtype=object)
    for shapes in (full, simple):
        np.testing.assert_array_equal(sat2d.query(geoarrow(shapes, "shape")), sat2d.query(shapes))
    nulls = [k % 5 == 0 for k in range(len(simple))]
    without = np.where(nulls, None, simple)
    np.testing.assert_array_equal(sat2d.query(geoarrow(simple, "g", nulls)), sat2d.query(without))
    points = random_points(50, 3, multi=False)
    np.testing.assert_array_equal(sat2d.query(geoarrow(points, "p"), simple), sat2d.query(points, simple))
    by_geopandas = geopandas.GeoSeries(simple).to_arrow(geometry_encoding="geoarrow")
    np.testing.assert_array_equal(sat2d.query(by_geopandas), sat2d.query(simple))
    separate = geopandas.GeoSeries(points).to_arrow(geometry_encoding="geoarrow", interleaved=False)
    np.testing.assert_array_equal(sat2d.query(separate, simple), sat2d.query(points, simple))


def test_ragged_arrays() -> None:
    full = np.array([shape for shape in POLYGONS if shape is not None and not shape.is_empty], dtype=object)
    simple = np.array([shape for shape in full if shape.geom_type == "Polygon"], dtype=object)
    for shapes in (full, simple):
        _, coordinates, offsets = shapely.to_ragged_array(shapes)
        wanted = sat2d.query(shapes)
        for kind in (np.int32, np.int64, np.uint32, np.int16):
            levels = [offset.astype(kind) for offset in offsets]
            np.testing.assert_array_equal(sat2d.query(sat2d.PolygonSet.from_ragged_array(coordinates, levels)), wanted)
        strided = np.repeat(coordinates, 2, axis=0)[::2]
        np.testing.assert_array_equal(sat2d.query(sat2d.PolygonSet.from_ragged_array(strided, offsets)), wanted)


def test_heights_are_ignored() -> None:
    flat = random_polygons(30, 4, missing=False)
    high = shapely.force_3d(flat, 7.0)
    np.testing.assert_array_equal(sat2d.query(high), sat2d.query(flat))
    np.testing.assert_array_equal(sat2d.query(list(shapely.to_wkb(high, output_dimension=3))), sat2d.query(flat))


def test_collections_of_one_geometry_are_that_geometry() -> None:
    boxes = [shapely.box(0, 0, 1, 1), shapely.GeometryCollection([shapely.box(1, 0, 2, 1)])]
    assert sat2d.query(boxes, predicate="touches").tolist() == [[0], [1]]


def test_arrays_of_coordinates_are_points() -> None:
    zones = [shapely.box(0, 0, 2, 2)]
    for points in (np.array([[1.0, 1], [5, 5]]), np.array([[1, 1], [5, 5]]), [(1, 1), (5, 5)], [[1.0, 1.0], [5.0, 5.0]]):
        assert sat2d.query(points, zones).tolist() == [[0], [0]]


def test_tables_have_names_and_a_reference_system(tmp_path: Path) -> None:
    frame = geopandas.GeoDataFrame({"parcel": ["x", "y"], "id": [7, 8]}, geometry=[shapely.box(0, 0, 1, 1), None], crs=2056)
    made = sat2d.PolygonSet(frame.to_arrow())
    assert made.ids == [7, 8] and made.crs is not None and "2056" in made.crs
    named = sat2d.PolygonSet(frame.to_arrow(), id="parcel", geometry="geometry")
    assert named.ids == ["x", "y"]
    frame.to_parquet(tmp_path / "a.parquet")
    read = sat2d.read(tmp_path / "a.parquet", id="parcel")
    assert read.ids == ["x", "y"] and len(read) == 2 and "2056" in str(read.crs)
    frame.to_crs(4326).to_file(tmp_path / "a.geojson", driver="GeoJSON")
    assert len(sat2d.read(str(tmp_path / "a.geojson"))) == 2
    points = frame.assign(geometry=[shapely.Point(0.5, 0.5), None])
    points.to_parquet(tmp_path / "p.parquet")
    places = sat2d.read(tmp_path / "p.parquet")
    assert isinstance(places, sat2d.PointSet)
    assert sat2d.query(places, read, "within").tolist() == [[0], [0]]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_sets_survive_pickling(protocol: int) -> None:
    bow = shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])
    shapes = [*POLYGONS, bow]
    made = sat2d.PolygonSet(shapes, invalid="skip")
    again = pickle.loads(pickle.dumps(made, protocol))
    assert (len(again), again.piece_count, again.skipped) == (len(made), made.piece_count, made.skipped)
    measures = ["penetration", "manifold", "distance"]
    # Measurements depend on the edges along which polygons are cut into pieces, so pickling must keep these edges.
    one, two = (sat2d.join(item, within=2.0, measure=measures) for item in (made, again))
    for name in one.columns:
        np.testing.assert_array_equal(one[name], two[name])
    np.testing.assert_array_equal(sat2d.query(again, predicate="covers"), sat2d.query(made, predicate="covers"))
    points = pickle.loads(pickle.dumps(sat2d.PointSet(POINTS), protocol))
    np.testing.assert_array_equal(sat2d.query(points, again), sat2d.query(POINTS, made))
    index = pickle.loads(pickle.dumps(sat2d.Index(made), protocol))
    np.testing.assert_array_equal(index.query(POINTS), sat2d.query(POINTS, made))
    assert len(copy.deepcopy(made)) == len(made)


def test_inputs_are_left_alone() -> None:
    shapes = POLYGONS.copy()
    _, coordinates, offsets = shapely.to_ragged_array([shapely.box(0, 0, 1, 1), shapely.box(2, 0, 1, 1)])
    before = coordinates.copy()
    sat2d.query(shapes)
    sat2d.PolygonSet.from_ragged_array(coordinates, offsets)
    np.testing.assert_array_equal(coordinates, before)
    assert all(shape is same for shape, same in zip(shapes, POLYGONS))
