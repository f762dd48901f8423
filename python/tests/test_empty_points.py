"""Points without a position are points, in every kind of input."""

from __future__ import annotations

from typing import Any

import geopandas
import numpy as np
import pyarrow as pa
import pytest
import shapely

import sat2d

BOX = shapely.box(0, 0, 2, 2)
EMPTIES = {
    "points": [shapely.Point(), shapely.Point()],
    "multipoints": [shapely.MultiPoint(), shapely.MultiPoint()],
    "with null": [None, shapely.Point()],
    "both types": [shapely.MultiPoint(), shapely.Point()],
}


@pytest.mark.parametrize("kind", EMPTIES)
def test_empty_points_are_points(kind: str) -> None:
    shapes = np.array(EMPTIES[kind], dtype=object)
    wkb = [None if shape is None else shapely.to_wkb(shape) for shape in shapes]
    big = [None if shape is None else shapely.to_wkb(shape, byte_order=0, flavor="iso") for shape in shapes]
    text = [None if shape is None else shapely.to_wkt(shape) for shape in shapes]
    given: dict[str, Any] = {
        "array": shapes,
        "GeoSeries": geopandas.GeoSeries(shapes),
        "WKB": wkb,
        "big-endian WKB": big,
        "Arrow": pa.array(wkb, type=pa.binary()),
        "large Arrow": pa.array(wkb, type=pa.large_binary()),
        "view": pa.array(wkb, type=pa.binary_view()),
        "hexadecimal": pa.array([None if item is None else item.hex() for item in wkb]),
        "WKT": pa.array(text),
        "chunks": pa.chunked_array([wkb[:1], [], wkb[1:]], type=pa.binary()),
        "table": pa.table(geopandas.GeoDataFrame(geometry=shapes).to_arrow()),
        "3D": pa.array([None if shape is None else shapely.to_wkb(shapely.force_3d(shape)) for shape in shapes]),
    }
    for name, features in given.items():
        made = sat2d.PointSet(features)
        assert (len(made), made.point_count) == (2, 0), name
        index = sat2d.Index(features)
        assert isinstance(index.geometries, sat2d.PointSet), name
        assert sat2d.query([BOX], features, "contains_properly").shape == (2, 0), name
        with pytest.raises(sat2d.UnsupportedGeometryError, match="points"):
            sat2d.PolygonSet(features)
    assert isinstance(sat2d.Index([shapely.Polygon(), None]).geometries, sat2d.PolygonSet)


def test_a_column_of_points_without_rows_is_points() -> None:
    numbers = pa.FixedSizeListArray.from_arrays(pa.array([], pa.float64()), 2)
    field = pa.field("geometry", numbers.type, metadata={"ARROW:extension:name": "geoarrow.point"})
    table = pa.Table.from_arrays([numbers], schema=pa.schema([field]))
    assert isinstance(sat2d.Index(table).geometries, sat2d.PointSet)


@pytest.mark.parametrize("shapes", [[], [None, None], [shapely.Point(), None], [shapely.Point()]])
@pytest.mark.parametrize("how", ["inner", "left", "right"])
def test_frames_of_empty_points_are_joined_as_in_geopandas(shapes: list[Any], how: str) -> None:
    zones = geopandas.GeoDataFrame({"zone": ["A"]}, geometry=[BOX])
    places = geopandas.GeoDataFrame({"place": list("xy")[: len(shapes)]}, geometry=geopandas.GeoSeries(shapes))
    for predicate in ("intersects", "within", "contains", "contains_properly", "touches"):
        for left, right in ((zones, places), (places, zones)):
            if predicate == "contains_properly" and left is places:
                continue
            found, wanted = (module.sjoin(left, right, how=how, predicate=predicate) for module in (sat2d, geopandas))
            assert found.shape == wanted.shape and list(found.columns) == list(wanted.columns), predicate


POINT = shapely.Point(1, 1)


@pytest.mark.parametrize(
    "other", [None, shapely.Point(), shapely.Point(1, 1, 5), shapely.MultiPoint([(9, 9), (1, 1)]), shapely.Point(9, 9)]
)
def test_points_beside_other_points_keep_their_places(other: Any) -> None:
    for shapes in ([POINT, other, POINT], [other, POINT, POINT]):
        shapes = np.array(shapes, dtype=object)
        expected = shapely.STRtree([BOX]).query(shapes, "intersects")
        assert np.array_equal(sat2d.query(shapes, [BOX]), expected)
        assert len(sat2d.PointSet(shapes)) == 3


@pytest.mark.parametrize(
    ("other", "error", "match"),
    [
        (BOX, sat2d.UnsupportedGeometryError, "1"),
        (shapely.LineString([(0, 0), (1, 1)]), sat2d.UnsupportedGeometryError, "LineString"),
        (shapely.Point(np.nan, 1), sat2d.InvalidGeometryError, "NaN"),
        (shapely.Point(np.inf, 1), sat2d.InvalidGeometryError, "inf"),
        ("text", sat2d.OptionError, "Shapely"),
    ],
)
def test_what_is_no_point_beside_points_is_an_error(other: Any, error: type[Exception], match: str) -> None:
    shapes = np.empty(2, dtype=object)
    shapes[:] = [POINT, other]
    with pytest.raises(error, match=match):
        sat2d.PointSet(shapes)
