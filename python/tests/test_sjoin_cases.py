"""The cases that the tests of `geopandas.sjoin` and `shapely.STRtree` cover, sorted by subject. Compares sat2d with both libraries."""

from __future__ import annotations

import warnings
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely
from grid import random_points, random_polygons
from test_sjoin import HOWS, PREDICATES, assert_same, frame

import sat2d

POINT_PREDICATES = [*PREDICATES, "contains_properly"]


def left_frame(kind: str = "range") -> Any:
    return frame(random_polygons(40, 11), kind, "b")


def right_frame(kind: str = "range") -> Any:
    return frame(random_polygons(30, 12), kind, "c")


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("predicate", POINT_PREDICATES)
def test_every_predicate_with_points_on_either_side(how: str, predicate: str) -> None:
    points, zones = frame(random_points(60, 13), "range", "b"), right_frame()
    if predicate != "contains_properly":
        assert_same(points, zones, how=how, predicate=predicate)
    assert_same(zones.rename(columns={"c": "b"}), points.rename(columns={"b": "c"}), how=how, predicate=predicate)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("suffixes", [("l", "r"), ("left", ""), ("", "right"), ("x y", "ä"), ("_", "__")])
def test_every_suffix(how: str, suffixes: tuple[str, str]) -> None:
    for kind in ("range", "named", "multi"):
        assert_same(left_frame(kind), right_frame("range"), how=how, lsuffix=suffixes[0], rsuffix=suffixes[1])


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", ["number_right", "number_left"])
def test_suffixes_that_repeat_a_column(how: str, name: str) -> None:
    left = left_frame().assign(**{name: 1})
    outcomes = []
    for module in (sat2d, geopandas):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            columns = list(module.sjoin(left, right_frame(), how=how).columns)
        outcomes.append((columns, [warning.category for warning in caught]))
    assert outcomes[0] == outcomes[1]
    assert bool(outcomes[0][1]) == (name == "number_left")


@pytest.mark.parametrize("how", HOWS)
def test_duplicate_columns_of_one_frame(how: str) -> None:
    left = pd.concat([left_frame(), pd.DataFrame({"twice": range(40)}), pd.DataFrame({"twice": range(40, 80)})], axis=1)
    left = geopandas.GeoDataFrame(left, crs="EPSG:2056")
    assert_same(left, right_frame(), how=how)
    assert_same(left.rename(columns={"b": "c"}).rename(columns={"c": "b"}), right_frame(), how=how, predicate="touches")


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("kinds", [("multi", "multi"), ("named multi", "multi"), ("multi", "named"), ("named multi", "named multi")])
def test_multi_indices_on_both_sides(how: str, kinds: tuple[str, str]) -> None:
    assert_same(left_frame(kinds[0]), right_frame(kinds[1]), how=how)
    assert_same(left_frame(kinds[0]), right_frame(kinds[1]), how=how, predicate="within")


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("names", [("key", "key"), ("key", "other"), ("number", "c"), ("shared", None), (None, "number"), (5, 6)])
def test_names_of_indices_that_are_names_of_columns(how: str, names: tuple[Any, Any]) -> None:
    left, right = left_frame(), right_frame()
    left.index.name, right.index.name = names
    outcomes: list[Any] = []
    for module in (sat2d, geopandas):
        try:
            found = module.sjoin(left, right, how=how)
            outcomes.append((list(found.columns), found.index.names, len(found)))
        except (ValueError, TypeError) as error:
            outcomes.append(type(error) if not isinstance(error, ValueError) else ValueError)
    assert outcomes[0] == outcomes[1]
    if not isinstance(outcomes[1], type):
        assert_same(left, right, how=how)


@pytest.mark.parametrize("how", HOWS)
def test_reserved_names_of_indices_are_errors_in_both(how: str) -> None:
    for change in ({"left": "index_left"}, {"left": "index_right"}, {"right": "index_left"}, {"right": "index_right"}):
        frames = {"left": left_frame(), "right": right_frame()}
        for side, name in change.items():
            frames[side] = frames[side].assign(**{name: 1})
        messages = []
        for module in (sat2d, geopandas):
            try:
                messages.append(len(module.sjoin(frames["left"], frames["right"], how=how)))
            except ValueError:
                messages.append(-1)
        assert messages[0] == messages[1], change


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("predicate", ["intersects", "within", "dwithin"])
def test_missing_and_empty_geometries_on_both_sides(how: str, predicate: str) -> None:
    def holes(table: Any) -> Any:
        shapes = table.geometry.to_numpy().copy()
        shapes[::3], shapes[1::3] = None, shapely.Polygon()
        return table.set_geometry(geopandas.GeoSeries(shapes, index=table.index, crs=table.crs))

    distance = {"distance": 2.0} if predicate == "dwithin" else {}
    assert_same(holes(left_frame()), right_frame(), how=how, predicate=predicate, **distance)
    assert_same(left_frame(), holes(right_frame()), how=how, predicate=predicate, **distance)
    assert_same(holes(left_frame()), holes(right_frame()), how=how, predicate=predicate, **distance)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("kind", ["range", "named", "multi"])
def test_empty_frames_on_either_side_and_on_both(how: str, kind: str) -> None:
    left, right = left_frame(kind), right_frame(kind)
    for one, other in [(left.iloc[:0], right), (left, right.iloc[:0]), (left.iloc[:0], right.iloc[:0])]:
        assert_same(one, other, how=how)
        assert_same(one, other, how=how, on_attribute="shared")


@pytest.mark.parametrize("how", HOWS)
def test_attributes_of_every_type(how: str) -> None:
    rows = np.arange(40)
    left, right = left_frame(), right_frame()
    for name, values in [
        ("text", np.array(["u", "v", "w"])[rows % 3]),
        ("day", pd.date_range("2024-01-01", periods=3)[rows % 3]),
        ("float", np.where(rows % 4 == 0, np.nan, rows % 3)),
        ("kind", pd.Categorical.from_codes(rows % 3, ["u", "v", "w"])),
        ("flag", rows % 2 == 0),
    ]:
        assert_same(left.assign(**{name: values}), right.assign(**{name: values[:30]}), how=how, on_attribute=name)
        both = [name, "shared"]
        assert_same(left.assign(**{name: values}), right.assign(**{name: values[:30]}), how=how, on_attribute=both)
    for wrong in (["shared", "nowhere"], ["b"], ["c"]):
        for module in (sat2d, geopandas):
            with pytest.raises(ValueError):
                module.sjoin(left, right, how=how, on_attribute=wrong)


@pytest.mark.parametrize("crs", [(None, None), (None, "EPSG:2056"), ("EPSG:2056", None), ("EPSG:4326", "EPSG:2056")])
def test_reference_systems_warn_alike(crs: tuple[Any, Any]) -> None:
    left, right = frame(random_polygons(9, 1), "range", "b", crs[0]), frame(random_polygons(9, 2), "range", "c", crs[1])
    seen = []
    for module in (sat2d, geopandas):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = module.sjoin(left, right)
        seen.append((found.crs, [warning.category for warning in caught if "CRS mismatch" in str(warning.message)]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("how", HOWS)
def test_further_columns_of_geometries_and_types(how: str) -> None:
    left = left_frame().assign(
        place=geopandas.GeoSeries(random_points(40, 3, multi=False), crs="EPSG:3857"),
        day=pd.date_range("2024-01-01", periods=40, tz="UTC"),
        kind=pd.Categorical(["u", "v"] * 20),
        whole=pd.array(range(40), dtype="Int64"),
    )
    right = right_frame().rename_geometry("zone").assign(centre=lambda table: table.geometry.centroid, flag=True)
    assert_same(left, right, how=how)
    assert_same(left, right, how=how, predicate="within")


def test_the_arguments_are_left_alone() -> None:
    left, right = left_frame("named"), right_frame("multi")
    copies = left.copy(), right.copy()
    for how in HOWS:
        sat2d.sjoin(left, right, how=how)
    pd.testing.assert_frame_equal(pd.DataFrame(left), pd.DataFrame(copies[0]))
    pd.testing.assert_frame_equal(pd.DataFrame(right), pd.DataFrame(copies[1]))


TREES = {
    "polygons": random_polygons(60, 31),
    "points": random_points(60, 32),
    "equal": np.array([shapely.box(0, 0, 1, 1)] * 12),
    "missing": np.array([None, shapely.Polygon(), None], dtype=object),
    "none": np.array([], dtype=object),
}
"""The features of each tree and index in the tests below."""


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_an_index_gives_what_a_tree_gives(tree: str, predicate: str) -> None:
    features = TREES[tree]
    index, wanted = sat2d.Index(features), shapely.STRtree(features)
    boxes = [shapely.box(0, 0, 12, 12), shapely.box(2, 2, 3, 3), shapely.box(0, 0, 1, 1), shapely.box(50, 50, 51, 51), shapely.Polygon()]
    for one in boxes:
        found = index.query(one, predicate)
        np.testing.assert_array_equal(found, np.sort(wanted.query(one, predicate=predicate)))
        assert found.dtype == wanted.query(one, predicate=predicate).dtype
    for many in (boxes, np.array([*boxes, None], dtype=object), np.array([None], dtype=object), boxes[:0]):
        if len(many) == 0:
            assert index.query(many, predicate).shape == (2, 0)
            continue
        pairs = wanted.query(many, predicate=predicate)
        np.testing.assert_array_equal(index.query(many, predicate), pairs[:, np.lexsort((pairs[1], pairs[0]))])


@pytest.mark.parametrize("distance", [0.0, 0.5, 1.0, 3.0])
def test_an_index_gives_what_a_tree_gives_within_a_distance(distance: float) -> None:
    for features in (TREES["polygons"], TREES["points"], TREES["equal"]):
        index, wanted = sat2d.Index(features), shapely.STRtree(features)
        for one in (shapely.box(3, 3, 4, 5), shapely.Polygon()):
            found = index.query(one, "dwithin", distance=distance)
            np.testing.assert_array_equal(found, np.sort(wanted.query(one, predicate="dwithin", distance=distance)))
