"""A set keeps the options with which it was built, and its reference system and names. Another value is an error."""

from __future__ import annotations

import pickle
from typing import Any

import geopandas
import pandas as pd
import pyarrow as pa
import pytest
import shapely

import sat2d

BOX = shapely.box(0, 0, 2, 2)
BOW = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
POINT = shapely.Point(0.5, 1)


def calls(given: Any, **options: Any) -> dict[str, Any]:
    """Return calls of all functions that take a set and the options, with the set on each side."""
    boxes, pairs = sat2d.PolygonSet([BOX]), [[0], [0]]
    if options.get("fill") or options.get("invalid"):
        boxes = sat2d.PolygonSet([BOX], **options)
    index = sat2d.Index(boxes)
    return {
        "query a": lambda: sat2d.query(given, boxes, **options),
        "query b": lambda: sat2d.query(boxes, given, **options),
        "query alone": lambda: sat2d.query(given, **options),
        "join a": lambda: sat2d.join(given, boxes, **options),
        "join b": lambda: sat2d.join(boxes, given, **options),
        "nearest": lambda: sat2d.nearest(given, boxes, **options),
        "relations": lambda: sat2d.relations(boxes, given, pairs, **options),
        "areas": lambda: sat2d.areas(given, None, pairs, **options),
        "contains": lambda: sat2d.contains(given, None, pairs, **options),
        "prepare": lambda: sat2d.prepare(given, **options),
        "explain": lambda: sat2d.explain(boxes, given, (0, 0), **options),
        "Index": lambda: sat2d.Index(given, **options),
        "Index.query": lambda: index.query(given, **options),
        "Index.nearest": lambda: index.nearest(given, **options),
        "Index.join": lambda: index.join(given, **options),
        "points": lambda: sat2d.points_in_polygons([POINT], given, **options),
        "PolygonSet": lambda: sat2d.PolygonSet(given, **options),
    }


@pytest.mark.parametrize("name", list(calls(None)))
def test_another_fill_rule_is_an_error(name: str) -> None:
    made = sat2d.PolygonSet([BOW], fill="even-odd")
    for features in (made, pickle.loads(pickle.dumps(made)), made.with_crs("EPSG:2056")):
        with pytest.raises(sat2d.OptionError, match="fill='even-odd'.*fill='nonzero'") as caught:
            calls(features, fill="nonzero")[name]()
        assert caught.value.remedy == "build the set with fill='nonzero', or leave fill out"
    calls(made, fill="even-odd")[name]()
    calls(made)[name]()
    with pytest.raises(sat2d.OptionError, match="built with fill=None"):
        calls(sat2d.PolygonSet([BOX]), fill="nonzero")[name]()


@pytest.mark.parametrize("name", list(calls(None)))
def test_another_treatment_of_invalid_features_is_an_error(name: str) -> None:
    made = sat2d.PolygonSet([BOX, BOW], invalid="skip")
    with pytest.raises(sat2d.OptionError, match="built with invalid='skip'.*invalid='raise'"):
        calls(made, invalid="raise")[name]()
    calls(made, invalid="skip")[name]()
    calls(made)[name]()


@pytest.mark.parametrize("name", list(calls(None)))
def test_a_set_without_invalid_features_goes_with_skip(name: str) -> None:
    made = sat2d.PolygonSet([BOX])
    for features in (made, pickle.loads(pickle.dumps(made)), sat2d.PolygonSet([BOX], fill="even-odd")):
        found, wanted = calls(features, invalid="skip")[name](), calls(features)[name]()
        assert type(found) is type(wanted) and repr(found) == repr(wanted)
        assert features.skipped == []


def test_skip_leaves_out_the_invalid_features_of_the_other_input() -> None:
    made = sat2d.PolygonSet([BOX])
    assert sat2d.query(made, [BOW, BOX], invalid="skip").tolist() == [[0], [1]]
    assert sat2d.query([BOW, BOX], made, invalid="skip").tolist() == [[1], [0]]
    table = sat2d.join(made, [BOW, BOX], invalid="skip")
    assert [(entry.argument, entry.feature) for entry in table.skipped] == [("b", 0)]
    assert [(entry.argument, entry.feature) for entry in sat2d.join([BOW], made, invalid="skip").skipped] == [("a", 0)]
    skipped = sat2d.PolygonSet([BOW, BOX], invalid="skip")
    table = sat2d.join(skipped, made, invalid="skip")
    assert [(entry.argument, entry.feature) for entry in table.skipped] == [("a", 0)]
    # A set that is made of the set is the same set.
    assert sat2d.PolygonSet(made, invalid="skip").skipped == []
    with pytest.raises(sat2d.InvalidGeometryError):
        sat2d.query(made, [BOW])


def test_other_columns_are_an_error(tmp_path: Any) -> None:
    frame = geopandas.GeoDataFrame({"name": ["x"], "code": ["y"]}, geometry=[BOX])
    frame.to_parquet(tmp_path / "boxes.parquet")
    for made in (sat2d.PolygonSet(frame.to_arrow(), id="name"), sat2d.read(tmp_path / "boxes.parquet", id="name")):
        with pytest.raises(sat2d.OptionError, match="build the set with id='code', or leave id out"):
            sat2d.PolygonSet(made, id="code")
        with pytest.raises(sat2d.OptionError, match="build the set with geometry='geometry'"):
            sat2d.PolygonSet(made, geometry="geometry")
        assert sat2d.PolygonSet(made, id="name").ids == ["x"] == sat2d.PolygonSet(made).ids


def test_a_fill_rule_has_no_effect_on_points() -> None:
    places = sat2d.PointSet([POINT])
    assert sat2d.query(places, [BOW], fill="even-odd").tolist() == [[0], [0]]
    assert sat2d.points_in_polygons(places, [BOW], fill="nonzero").number.tolist() == [1]
    assert sat2d.points_in_polygons(places, [BOW, BOX], invalid="skip").number.tolist() == [0, 1]
    skipped = sat2d.PointSet([POINT], invalid="skip")
    with pytest.raises(sat2d.OptionError, match="points is a PointSet that was built with invalid='skip'"):
        sat2d.points_in_polygons(skipped, [BOX], invalid="raise")


@pytest.mark.parametrize("pairs", ["once", "all"])
def test_the_form_of_pairs_is_for_one_input(pairs: str) -> None:
    for other in ([BOX], sat2d.PolygonSet([BOX])):
        with pytest.raises(sat2d.OptionError, match=f"pairs = '{pairs}' is for one input, and b is given"):
            sat2d.query([BOX], other, pairs=pairs)
    same = [BOX]
    with pytest.raises(sat2d.OptionError, match="leave pairs or b out"):
        sat2d.query(same, same, pairs=pairs)


def frames(crs: Any, tmp_path: Any) -> dict[str, Any]:
    """Return the same box in every input that states a reference system."""
    frame = geopandas.GeoDataFrame({"name": ["x"]}, geometry=[BOX], crs=crs)
    path = tmp_path / f"{crs}.parquet"
    frame.to_parquet(path)
    return {
        "GeoDataFrame": frame,
        "GeoSeries": frame.geometry,
        "GeometryArray": frame.geometry.array,
        "Arrow": pa.table(frame.to_arrow()),
        "file": sat2d.read(path),
        "set": sat2d.PolygonSet(frame),
        "pickled": pickle.loads(pickle.dumps(sat2d.PolygonSet(frame))),
    }


def test_every_input_keeps_its_reference_system(tmp_path: Any) -> None:
    texts = {kind: sat2d.PolygonSet(given).crs for kind, given in frames(2056, tmp_path).items()}
    assert set(texts.values()) == {"EPSG:2056 (CH1903+ / LV95)"}, texts
    points = geopandas.GeoSeries([POINT, None], crs=2056)
    assert sat2d.PointSet(points).crs == sat2d.PointSet(points.iloc[1:]).crs == "EPSG:2056 (CH1903+ / LV95)"
    assert sat2d.PolygonSet(geopandas.GeoSeries([BOX])).crs is None is sat2d.PolygonSet([BOX]).crs


@pytest.mark.parametrize("kind", ["GeoDataFrame", "GeoSeries", "GeometryArray", "Arrow", "file", "set", "pickled"])
def test_reference_systems_that_differ_are_errors(kind: str, tmp_path: Any) -> None:
    a, b = frames(4326, tmp_path)[kind], frames(3857, tmp_path)["GeoSeries"]
    points = geopandas.GeoSeries([POINT], crs=3857)
    pairs = [[0], [0]]
    index = sat2d.Index(b)
    wanted: dict[str, Any] = {
        "query": lambda: sat2d.query(a, b),
        "join": lambda: sat2d.join(a, b),
        "join points": lambda: sat2d.join(points, a),
        "nearest": lambda: sat2d.nearest(a, b),
        "relations": lambda: sat2d.relations(a, b, pairs),
        "areas": lambda: sat2d.areas(a, b, pairs),
        "contains": lambda: sat2d.contains(a, b, pairs),
        "prepare": lambda: sat2d.prepare(a, b),
        "explain": lambda: sat2d.explain(a, b),
        "Index.query": lambda: index.query(a),
        "Index.nearest": lambda: index.nearest(a),
        "Index.join": lambda: index.join(a),
        "points": lambda: sat2d.points_in_polygons(points, a),
    }
    for name, call in wanted.items():
        with pytest.raises(sat2d.OptionError, match="EPSG:4326") as caught:
            call()
        assert "EPSG:3857" in str(caught.value) and "to_crs()" in str(caught.value.remedy), name


def test_reference_systems_that_may_be_the_same_are_joined(tmp_path: Any) -> None:
    a = sat2d.PolygonSet(frames(4326, tmp_path)["GeoDataFrame"])
    others = ["OGC:CRS84", "EPSG:4326", "EPSG:4979", None, "a local grid", "projjson:key"]
    for crs in others:
        assert sat2d.query(a, a.with_crs(crs)).tolist() == [[0], [0]], crs
    web = a.with_crs("EPSG:3857 (WGS 84 / Pseudo-Mercator)")
    assert sat2d.query(web, a.with_crs("ESRI:102100")).tolist() == [[0], [0]]
    local = geopandas.GeoSeries([BOX], crs="+proj=tmerc +lat_0=1 +lon_0=2 +ellps=GRS80")
    assert sat2d.PolygonSet(local).crs is not None
    assert len(sat2d.join(a, local)) == 1
    with pytest.raises(sat2d.OptionError, match="states the reference system EPSG:2056"):
        sat2d.join(a.with_crs("EPSG:2056"), a)
    with pytest.raises(sat2d.OptionError, match="crs is of type int"):
        a.with_crs(4326)
    assert a.with_crs(local.crs).crs == sat2d.PolygonSet(local).crs


def test_names_of_frames() -> None:
    shapes = [BOX, None, BOX]
    plain = geopandas.GeoDataFrame({"code": ["x", None, "z"], "value": [7, 8, 9]}, geometry=shapes)
    assert sat2d.PolygonSet(plain).ids is None is sat2d.PolygonSet(plain.geometry).ids
    assert sat2d.PolygonSet(plain, id="code").ids == ["x", 1, "z"]
    assert sat2d.PolygonSet(plain, id="value").ids == [7, 8, 9]
    assert sat2d.PolygonSet(plain.rename(columns={"code": "id"})).ids == ["x", 1, "z"]
    assert (
        sat2d.PolygonSet(plain.set_index("value")).ids == [7, 8, 9] == sat2d.PolygonSet(plain.set_index("value").geometry).ids
    )
    assert sat2d.PolygonSet(plain.iloc[1:]).ids == [1, 2]
    assert sat2d.PolygonSet(plain.set_index(["code", "value"]).iloc[::2]).ids == ["('x', 7)", "('z', 9)"]
    nullable = plain.assign(id=pd.array([4, None, 6], dtype="Int64"))
    assert pickle.loads(pickle.dumps(sat2d.PolygonSet(nullable))).ids == [4, 1, 6]
    made = sat2d.PolygonSet(nullable)
    nullable.loc[0, "id"] = 5
    assert made.ids == [4, 1, 6], "a later change of the column has no effect"
    assert sat2d.PointSet(geopandas.GeoSeries([POINT], index=["p"])).ids == ["p"]
    table = sat2d.PolygonSet(pa.table(plain.to_arrow()), id="code")
    assert table.ids == sat2d.PolygonSet(plain, id="code").ids


def test_columns_of_frames() -> None:
    frame = geopandas.GeoDataFrame({"a": geopandas.GeoSeries([shapely.box(5, 5, 6, 6)], crs=2056)}, geometry=[BOX], crs=4326)
    assert sat2d.query(sat2d.PolygonSet(frame, geometry="a"), [BOX]).size == 0
    assert sat2d.PolygonSet(frame, geometry="a").crs == "EPSG:2056 (CH1903+ / LV95)"
    with pytest.raises(sat2d.ReadError, match="geometries: there is no column b; the columns are a, geometry"):
        sat2d.PolygonSet(frame, geometry="b")
    with pytest.raises(sat2d.ReadError, match="the column n has no geometries"):
        sat2d.PolygonSet(frame.assign(n=1), geometry="n")
    with pytest.raises(sat2d.OptionError, match="name columns of a table"):
        sat2d.PolygonSet(frame.geometry, id="a")


def test_the_table_of_a_join_names_the_sides() -> None:
    a, b = sat2d.PolygonSet([BOX, BOW], invalid="skip"), sat2d.PolygonSet([BOW, BOX], invalid="skip")
    table = sat2d.join(a, b)
    assert [(entry.argument, entry.feature) for entry in table.skipped] == [("a", 1), ("b", 0)]
    a, b = (sat2d.PolygonSet([BOX, BOW], fill="even-odd") for _ in range(2))
    assert [(entry.argument, entry.feature) for entry in sat2d.join(a, b).filled] == [("a", 1), ("b", 1)]
    assert [entry.argument for entry in sat2d.join(a).filled] == ["a"]
    assert a.filled[0].argument == "geometries"
