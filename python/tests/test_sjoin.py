"""`sjoin` compared with `geopandas.sjoin`: both give the same rows, columns, types and index."""

from __future__ import annotations

import warnings
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely
from grid import random_points, random_polygons
from pandas.testing import assert_frame_equal

import sat2d

PREDICATES = ["intersects", "touches", "overlaps", "contains", "covers", "within", "covered_by"]
HOWS = ["inner", "left", "right"]


def index_of(kind: str, count: int) -> Any:
    if kind == "range":
        return pd.RangeIndex(count)
    if kind == "named":
        return pd.Index([f"row {k % 7}" for k in range(count)], name="key")
    if kind == "multi":
        return pd.MultiIndex.from_arrays([np.arange(count) // 3, np.arange(count) % 3])
    if kind == "named multi":
        return pd.MultiIndex.from_arrays([np.arange(count) // 3, np.arange(count) % 3], names=["one", None])
    return pd.date_range("2020-01-01", periods=count)


def frame(shapes: Any, kind: str, name: str, crs: Any = "EPSG:2056") -> Any:
    count = len(shapes)
    columns = {"shared": np.arange(count) % 4, name: [f"{name}{k}" for k in range(count)], "number": np.arange(count) / 2}
    return geopandas.GeoDataFrame(columns, geometry=shapes, crs=crs, index=index_of(kind, count))


def assert_same(left: Any, right: Any, **options: Any) -> None:
    found, wanted = sat2d.sjoin(left, right, **options), geopandas.sjoin(left, right, **options)
    assert type(found) is type(wanted)
    assert found.crs == wanted.crs and found.geometry.name == wanted.geometry.name
    # GeoPandas does not specify the order of the rows of one kept feature. Its pairs are in the order of a tree.
    how = options.get("how", "inner")
    kept, other = ("c", "b") if how == "right" else ("b", "c")
    keys = [list(table[key].fillna("")) for table in (found, wanted) for key in (kept, other)]
    assert keys[0] == keys[2], "the kept side is in its order"
    places = [np.lexsort((np.asarray(keys[k + 1]), pd.factorize(np.asarray(keys[k]))[0])) for k in (0, 2)]
    # Only the rows of features with several partners may be in another order.
    assert_frame_equal(pd.DataFrame(found.iloc[places[0]]), pd.DataFrame(wanted.iloc[places[1]]))


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate(how: str, predicate: str) -> None:
    left, right = frame(random_polygons(60, 1), "range", "b"), frame(random_polygons(50, 2), "range", "c")
    assert_same(left, right, how=how, predicate=predicate)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("left_kind", ["range", "named", "multi", "named multi", "dates"])
@pytest.mark.parametrize("right_kind", ["range", "named", "multi"])
def test_every_kind_of_index(how: str, left_kind: str, right_kind: str) -> None:
    left, right = frame(random_polygons(40, 3), left_kind, "b"), frame(random_polygons(30, 4), right_kind, "c")
    assert_same(left, right, how=how)


@pytest.mark.parametrize("how", HOWS)
def test_points_suffixes_attributes_and_distance(how: str) -> None:
    points, zones = frame(random_points(80, 5), "range", "b"), frame(random_polygons(30, 6), "named", "c")
    assert_same(points, zones, how=how, predicate="within")
    assert_same(zones.rename(columns={"c": "b"}), points.rename(columns={"b": "c"}), how=how, predicate="contains")
    assert_same(points, zones, how=how, lsuffix="l", rsuffix="r")
    assert_same(points, zones, how=how, on_attribute="shared")
    assert_same(points, zones, how=how, on_attribute=["shared", "number"])
    assert_same(points, zones, how=how, predicate="dwithin", distance=1.5)
    assert_same(points.rename_geometry("place"), zones.rename_geometry("zone"), how=how)


@pytest.mark.parametrize("how", HOWS)
def test_empty_frames_and_frames_without_partners(how: str) -> None:
    zones, nothing = frame(random_polygons(20, 6), "range", "b"), frame(random_polygons(20, 7), "range", "c").iloc[:0]
    far = frame([shapely.box(100, 100, 101, 101)], "range", "c")
    for right in (far, nothing):
        assert_same(zones, right, how=how)
        assert_same(right.rename(columns={"c": "b"}), zones.rename(columns={"b": "c"}), how=how)


def test_a_frame_joins_itself() -> None:
    zones = frame(random_polygons(50, 9), "range", "b")
    for predicate in PREDICATES:
        found, wanted = (module.sjoin(zones, zones, predicate=predicate) for module in (sat2d, geopandas))
        keys = ["b_left", "b_right"]
        found, wanted = (table.sort_values(keys, kind="stable") for table in (found, wanted))
        assert_frame_equal(pd.DataFrame(found), pd.DataFrame(wanted))


def test_another_crs_is_a_warning() -> None:
    left, right = frame(random_polygons(5, 1), "range", "b"), frame(random_polygons(5, 2), "range", "c", "EPSG:3857")
    with pytest.warns(UserWarning, match="CRS mismatch") as caught:
        sat2d.sjoin(left, right)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sat2d.sjoin(left, right.set_crs("EPSG:2056", allow_override=True))


@pytest.mark.parametrize(
    "change",
    [
        {"how": "outer"},
        {"on_attribute": "nowhere"},
        {"on_attribute": "geometry"},
        {"lsuffix": "", "rsuffix": ""},
        {"predicate": "nonsense"},
        {"predicate": "dwithin"},
    ],
)
def test_wrong_arguments_are_errors_in_both(change: dict[str, Any]) -> None:
    left, right = frame(random_polygons(5, 1), "range", "b"), frame(random_polygons(5, 2), "range", "c")
    for module in (geopandas, sat2d):
        with pytest.raises(ValueError):
            module.sjoin(left, right, **change)


def test_wrong_frames_are_errors() -> None:
    left = frame(random_polygons(5, 1), "range", "b")
    for wrong in (left.geometry, pd.DataFrame({"a": [1]})):
        with pytest.raises(ValueError, match="give a GeoDataFrame"):
            sat2d.sjoin(left, wrong)
    clash = left.rename(columns={"b": "index_left"})
    for module in (geopandas, sat2d):
        with pytest.raises(ValueError, match="index_left"):
            module.sjoin(left, clash)
    with pytest.raises(sat2d.UnsupportedPredicateError, match="geopandas.sjoin"):
        sat2d.sjoin(left, left, predicate="crosses")
    bow = frame([shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])], "range", "b")
    with pytest.raises(sat2d.InvalidGeometryError, match="right_df, feature 0") as caught:
        sat2d.sjoin(left, bow)
    assert caught.value.feature == 0 and caught.value.place == (0.5, 0.5)
    assert len(sat2d.sjoin(left, bow, invalid="skip")) == 0
