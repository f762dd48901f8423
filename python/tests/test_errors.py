"""Invalid input raises typed exceptions and causes no panic."""

from __future__ import annotations

import pickle
from typing import Any

import geopandas
import numpy as np
import pyarrow as pa
import pytest
import shapely

import sat2d
from sat2d import _sat2d

BOX = shapely.box(0, 0, 1, 1)
BOW = shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])
NAN = shapely.Polygon([(0, 0), (1, float("nan")), (1, 1)])
LINE = shapely.LineString([(0, 0), (1, 1)])


@pytest.mark.parametrize("as_wkb", [False, True])
@pytest.mark.parametrize(
    ("bad", "kind", "place"),
    [
        (BOW, sat2d.InvalidGeometryError, (0.5, 0.5)),
        (NAN, sat2d.InvalidGeometryError, None),
        (shapely.Polygon([(0, 0), (1, 1), (2, 2)]), sat2d.InvalidGeometryError, (0.0, 0.0)),
        (LINE, sat2d.UnsupportedGeometryError, None),
        (shapely.Point(0, 0), sat2d.UnsupportedGeometryError, None),
        (shapely.GeometryCollection([BOX, LINE]), sat2d.UnsupportedGeometryError, None),
        (shapely.MultiPolygon([BOX, BOW]), sat2d.InvalidGeometryError, (0.5, 0.5)),
    ],
)
def test_an_invalid_feature_is_named_or_skipped(bad: Any, kind: Any, place: Any, as_wkb: bool) -> None:
    shapes = np.array([BOX, None, bad, BOX, bad], dtype=object)
    given: Any = list(shapely.to_wkb(shapes)) if as_wkb else shapes
    with pytest.raises(sat2d.Sat2dError) as caught:
        sat2d.query([BOX], given)
    error = caught.value
    assert isinstance(error, kind)
    assert error.feature == 2 and str(error).startswith("b, feature 2: ") and error.remedy
    if place is not None:
        assert error.place == place
    assert isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.feature, again.place) == (type(error), str(error), 2, error.place)
    made = sat2d.PolygonSet(given, invalid="skip")
    assert [entry.feature for entry in made.skipped] == [2, 4] and made.skipped[0].argument == "geometries"
    assert sat2d.query([BOX], given, invalid="skip").tolist() == [[0, 0], [0, 3]]
    table = sat2d.join([BOX], given, invalid="skip")
    assert [entry.feature for entry in table.skipped] == [2, 4] and table.skipped[0].argument == "b"


MIXED = np.array([None, BOX, shapely.Point(0.5, 0.5), shapely.MultiPoint([(0, 0), (9, 9)]), BOX], dtype=object)


@pytest.mark.parametrize("kind", ["array", "list of WKB", "pyarrow array", "GeoSeries", "GeoDataFrame"])
@pytest.mark.parametrize(
    ("shapes", "message"), [(MIXED, "a point among polygons"), (MIXED[3::-1], "a polygon among points")]
)
def test_points_among_polygons_are_errors_that_name_the_first(kind: str, shapes: Any, message: str) -> None:
    given: Any = {
        "array": shapes,
        "list of WKB": list(shapely.to_wkb(shapes)),
        "pyarrow array": pa.array(shapely.to_wkb(shapes)),
        "GeoSeries": geopandas.GeoSeries(shapes),
        "GeoDataFrame": geopandas.GeoDataFrame(geometry=shapes, index=range(7, 7 + len(shapes))),
    }[kind]
    calls = {"a": lambda: sat2d.query(given, [BOX]), "b": lambda: sat2d.join([BOX], given)}
    if kind == "GeoDataFrame":
        boxes = geopandas.GeoDataFrame(geometry=[BOX])
        calls |= {"left_df": lambda: sat2d.sjoin(given, boxes), "right_df": lambda: sat2d.sjoin(boxes, given)}
    for argument, call in calls.items():
        with pytest.raises(sat2d.UnsupportedGeometryError, match=f"^{argument}, feature 2: {message}; ") as caught:
            call()
        assert caught.value.feature == 2 and "shapely.get_dimensions(geometries) == 0" in str(caught.value.remedy)


def test_the_remedy_for_points_among_polygons_splits_them() -> None:
    is_point = shapely.get_dimensions(MIXED) == 0
    points, polygons = np.where(is_point, MIXED, None), np.where(is_point, None, MIXED)
    found = [sat2d.query(points, [BOX]), sat2d.query(polygons, [BOX])]
    assert sorted(np.concatenate(found, axis=1)[0].tolist()) == [1, 2, 3, 4]


def test_invalid_points_are_named_or_skipped() -> None:
    points = np.array([[0.5, 0.5], [np.nan, 1.0], [0.25, 0.5], [1e300, 0.0]])
    with pytest.raises(sat2d.InvalidGeometryError, match="a, feature 1") as caught:
        sat2d.query(points, [BOX])
    assert caught.value.feature == 1
    assert sat2d.query(points, [BOX], invalid="skip").tolist() == [[0, 2], [0, 0]]
    assert [entry.feature for entry in sat2d.PointSet(points, invalid="skip").skipped] == [1, 3]
    many = [shapely.MultiPoint([(0.5, 0.5), (1e300, 0)]), shapely.MultiPoint([(0.5, 0.5), (0.25, 0.25)])]
    assert sat2d.query(many, [BOX], invalid="skip").tolist() == [[1], [0]]


@pytest.mark.parametrize("bad", [b"", b"\x01", b"\x07" * 40, shapely.to_wkb(BOX)[:-3], shapely.to_wkb(BOX) + b"\0"])
def test_damaged_wkb_is_an_error_of_its_feature(bad: bytes) -> None:
    for given in ([None, bad], pa.array([None, bad])):
        with pytest.raises(sat2d.InvalidGeometryError) as caught:
            sat2d.query(given)
        assert caught.value.feature == 1
        assert len(sat2d.PolygonSet(given, invalid="skip").skipped) == 1


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([], "offsets has 0 arrays"),
        ([[0, 3]] * 4, "offsets has 4 arrays"),
        ([[]], "has no entry"),
        ([[0, 9]], "exceeds the number of items"),
        ([[-1, 3]], "is negative"),
        ([[0, 3, 2]], "is less than the offset before it"),
        ([[0, 3], [0, 5]], "exceeds the number of items"),
        ([[0.0, 3.0]], "give one row of integers"),
        ([[[0, 3]]], "give one row of integers"),
        ([np.array([0, 2**64 - 1], dtype=np.uint64)], "exceeds the range of int64"),
    ],
)
def test_wrong_offsets_are_errors(offsets: Any, message: str) -> None:
    with pytest.raises(sat2d.OptionError, match=message):
        sat2d.PolygonSet.from_ragged_array([[0, 0], [1, 0], [0, 1]], offsets)


@pytest.mark.parametrize("coordinates", [np.zeros(6), np.zeros((3, 3)), np.zeros((2, 3, 2))])
def test_wrong_coordinates_are_errors(coordinates: Any) -> None:
    with pytest.raises(sat2d.OptionError, match="shape n x 2"):
        sat2d.PolygonSet.from_ragged_array(coordinates, [[0, 3]])


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"a": 5}, sat2d.OptionError, "a is of type int"),
        ({"a": "file.geojson"}, sat2d.OptionError, r"sat2d.read\(path\)"),
        ({"a": [5]}, sat2d.OptionError, "item of type int"),
        ({"a": [BOX, 5]}, sat2d.OptionError, "a has items"),
        ({"a": [b"", 5]}, sat2d.OptionError, "feature 1: its type is int"),
        ({"a": np.array([[BOX]], dtype=object)}, sat2d.OptionError, "one dimension"),
        ({"a": np.zeros(4)}, sat2d.OptionError, "of type ndarray"),
        ({"a": pa.table({"x": [1]})}, sat2d.ReadError, "no column is known to have geometries"),
        ({"a": pa.array([1, 2])}, sat2d.Sat2dError, "geometries"),
        ({"predicate": "crosses"}, sat2d.UnsupportedPredicateError, "geopandas.sjoin"),
        ({"predicate": "contains_properly"}, sat2d.UnsupportedPredicateError, "shapely.STRtree.query"),
        ({"predicate": "dwithin"}, sat2d.OptionError, "give distance="),
        ({"distance": 1.0}, sat2d.OptionError, "dwithin"),
        ({"predicate": "dwithin", "distance": [1.0]}, sat2d.OptionError, "geopandas.sjoin"),
        ({"predicate": "dwithin", "distance": -1.0}, sat2d.OptionError, "must be between 0"),
        ({"predicate": "dwithin", "distance": float("nan")}, sat2d.OptionError, "must be between 0"),
        ({"pairs": "some"}, sat2d.OptionError, "pairs = 'some'"),
        ({"invalid": "ignore"}, sat2d.OptionError, "give 'raise' or 'skip'"),
        ({"threads": 0}, sat2d.OptionError, "threads = 0"),
        ({"threads": 10**6}, sat2d.OptionError, "from 1 to 1024"),
        ({"a": [shapely.Point(0, 0)], "b": [BOX], "predicate": "crosses"}, sat2d.UnsupportedPredicateError, "crosses"),
    ],
)
def test_wrong_arguments_are_errors(arguments: dict[str, Any], kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        sat2d.query(**{"a": [BOX], **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"relation": "near"}, "relation = near"),
        ({"measure": "volume"}, "measure = volume"),
        ({"measure": [3]}, "no name"),
        ({"measure": "distance"}, "give within=D"),
        ({"within": -2}, "must be between 0"),
        ({"backend": "tpu"}, "must be auto, cpu or gpu"),
    ],
)
def test_wrong_arguments_of_a_join_are_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sat2d.OptionError, match=message):
        sat2d.join([BOX, BOX], **arguments)


@pytest.mark.parametrize("pairs", [[[0], [1]], [[-1], [0]], [[0], [2**40]], [[0.5], [0]], [0, 0], [[0, 0]], [[0], [0], [0]]])
def test_wrong_pairs_are_errors(pairs: Any) -> None:
    with pytest.raises(sat2d.OptionError, match="pairs"):
        sat2d.relations([BOX], None, pairs)


def test_files_that_cannot_be_read_are_errors(tmp_path: Any) -> None:
    with pytest.raises(sat2d.ReadError, match="nowhere"):
        sat2d.read(tmp_path / "nowhere.geojson")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + b"\xff" * 50)
    with pytest.raises(sat2d.ReadError):
        sat2d.read(tmp_path / "bad.parquet")


def test_damaged_pickles_are_errors() -> None:
    vertices, offsets, objects, internal, count = _sat2d.polygon_parts(sat2d.PolygonSet([BOX, None])._core)
    for parts in [
        (vertices[:2], offsets, objects, internal, count),
        (vertices[::-1].copy(), offsets, objects, internal, count),
        (vertices, offsets, None, internal, count),
        (vertices, offsets, objects, internal, 0),
        (vertices, offsets, objects, np.array([True]), count),
        (np.full_like(vertices, np.inf), offsets, objects, internal, count),
    ]:
        with pytest.raises(sat2d.Sat2dError):
            _sat2d.polygons_from_parts(*parts)
    for points in [(vertices, None, 9), (vertices, np.array([3, 2, 1, 0], dtype=np.uint32), 4), (vertices * np.nan, None, 4)]:
        with pytest.raises(sat2d.Sat2dError):
            _sat2d.points_from_parts(*points)


def test_random_bytes_never_panic() -> None:
    generator = np.random.default_rng(6)
    good = shapely.to_wkb([BOX, shapely.MultiPolygon([BOX, shapely.box(3, 3, 4, 4)])])
    for _ in range(3000):
        wkb = bytearray(good[int(generator.integers(2))])
        for place in generator.integers(0, len(wkb), 3):
            wkb[place] = generator.integers(256)
        try:
            sat2d.query([bytes(wkb), good[0]])
        except sat2d.Sat2dError as error:
            assert not isinstance(error, sat2d.DefectError), (error, bytes(wkb))
