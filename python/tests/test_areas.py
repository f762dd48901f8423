"""Common areas, compared with Shapely."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from grid import expected, random_polygons

import sat2d

A, B = random_polygons(90, 61), random_polygons(80, 62)
MEASURES = ["area", "iou", "left_area", "right_area"]


def shapely_areas(pairs: Any) -> tuple[Any, Any, Any, Any]:
    """Return the areas that Shapely computes. Coordinates are small integers, so rounding errors are far below 1e-9."""
    left, right = A[pairs[0]], B[pairs[1]]
    common = shapely.area(shapely.intersection(left, right))
    areas = np.nan_to_num([common, shapely.area(left), shapely.area(right)])
    union = areas[1] + areas[2] - areas[0]
    return areas[0], np.divide(areas[0], union, out=np.zeros_like(union), where=union > 0), areas[1], areas[2]


def test_areas_of_a_join_are_those_of_shapely() -> None:
    table = sat2d.join(A, B, measure=MEASURES)
    assert table.columns == ["left", "right", "relation", *MEASURES]
    pairs = np.stack([table["left"], table["right"]])
    np.testing.assert_array_equal(pairs, expected(A, B, "intersects"))
    for name, wanted in zip(MEASURES, shapely_areas(pairs)):
        np.testing.assert_allclose(table[name], wanted, atol=1e-9)
    np.testing.assert_array_equal(table["area"] > 0, table["relation"] == 2)
    np.testing.assert_array_equal(table["iou"] == 1, shapely.equals(A[pairs[0]], B[pairs[1]]))
    assert list(sat2d.join(A, B, measure="iou")) == ["left", "right", "relation", "iou"]


def test_areas_of_given_pairs_are_those_of_shapely_and_of_joins() -> None:
    pairs = np.indices((len(A), len(B))).reshape(2, -1)
    pairs = pairs[:, np.random.default_rng(0).permutation(pairs.shape[1])]
    found = sat2d.areas(A, B, pairs)
    for values, wanted in zip(found, shapely_areas(pairs)):
        assert values.dtype == np.float64
        np.testing.assert_allclose(values, wanted, atol=1e-9)
    table = sat2d.join(A, B, measure=MEASURES)
    again = sat2d.areas(A, B, [table["left"], table["right"]])
    for name, values in zip(MEASURES, again):
        np.testing.assert_array_equal(values, table[name])
    with_itself = sat2d.areas(A, None, [range(len(A))] * 2)
    has_region = np.nan_to_num(shapely.area(A)) > 0
    np.testing.assert_array_equal(with_itself.iou, has_region)
    np.testing.assert_array_equal(with_itself.area, with_itself.left_area)
    assert [len(values) for values in sat2d.areas(A, B, np.empty((2, 0), dtype=int))] == [0] * 4


def test_rows_within_a_distance_have_areas() -> None:
    table = sat2d.join(A, B, within=2.0, measure=[*MEASURES, "distance"])
    assert (table["relation"] == 0).any()
    pairs = np.stack([table["left"], table["right"]])
    for name, wanted in zip(MEASURES, shapely_areas(pairs)):
        np.testing.assert_allclose(table[name], wanted, atol=1e-9)


@pytest.mark.parametrize("options", [{"min_area": 2.0}, {"min_iou": 0.25}, {"min_area": 1.0, "min_iou": 0.1}])
def test_thresholds(options: dict[str, float]) -> None:
    every = sat2d.join(A, B, measure=[*MEASURES, "penetration"])
    kept = (every["area"] >= options.get("min_area", 0)) & (every["iou"] >= options.get("min_iou", 0))
    table = sat2d.join(A, B, measure=[*MEASURES, "penetration"], **options)
    assert 0 < len(table) < len(every)
    for name in table.columns:
        np.testing.assert_array_equal(table[name], every[name][kept])
    assert sat2d.join(A, B, **options).columns == ["left", "right", "relation"]
    np.testing.assert_array_equal(sat2d.join(A, B, **options)["left"], table["left"])


def test_a_threshold_keeps_the_area_that_equals_it() -> None:
    boxes = [shapely.box(0, 0, 2, 2), shapely.box(1, 0, 3, 2)]
    assert len(sat2d.join(boxes, min_area=2.0)) == 1 and len(sat2d.join(boxes, min_area=np.nextafter(2, 3))) == 0
    iou = 2 / 6
    assert len(sat2d.join(boxes, min_iou=iou)) == 1 and len(sat2d.join(boxes, min_iou=np.nextafter(iou, 1))) == 0
    # A touching pair has the common area 0, which is enough for this limit.
    assert len(sat2d.join([boxes[0], shapely.box(2, 0, 3, 2)], min_area=0)) == 1


def test_the_largest_of_each_feature() -> None:
    every = sat2d.join(A, B, measure=MEASURES)
    for options in ({}, {"min_area": 1.5}):
        best: dict[int, int] = {}
        for k in range(len(every)):
            left, area = every["left"][k], every["area"][k]
            is_enough = area >= options["min_area"] if options else area > 0
            if is_enough and (left not in best or area > every["area"][best[left]]):
                best[left] = k
        table = sat2d.join(A, B, keep="largest", measure="area", **options)
        np.testing.assert_array_equal(table["left"], sorted(best))
        np.testing.assert_array_equal(table["right"], every["right"][[best[left] for left in sorted(best)]])
    tie = sat2d.join(
        [shapely.box(0, 0, 4, 4)], [shapely.box(9, 9, 10, 10), shapely.box(0, 0, 1, 1), shapely.box(2, 2, 3, 3)], keep="largest"
    )
    assert tie["right"].tolist() == [1]


def test_counts() -> None:
    table = sat2d.join(A, B)
    np.testing.assert_array_equal(table.counts(), np.bincount(expected(A, B, "intersects")[0], minlength=len(A)))
    every = expected(A, A, "intersects")
    others = every[:, every[0] != every[1]]
    np.testing.assert_array_equal(sat2d.join(A).counts(), np.bincount(others[0], minlength=len(A)))
    large = sat2d.join(A, B, min_area=3.0)
    assert large.counts().sum() == len(large) and len(large.counts()) == len(A)


def test_contains_is_that_of_shapely() -> None:
    pairs = np.indices((len(A), len(B))).reshape(2, -1)
    found = sat2d.contains(A, B, pairs)
    assert found.dtype == np.bool_ and found.any()
    np.testing.assert_array_equal(found, shapely.contains(A[pairs[0]], B[pairs[1]]))


def test_any_number_of_threads_gives_the_same_digits() -> None:
    pairs = expected(A, B, "intersects")
    one = sat2d.areas(A, B, pairs, threads=1)
    for values, wanted in zip(sat2d.areas(A, B, pairs, threads=3), one):
        np.testing.assert_array_equal(values, wanted)


def test_polygons_of_one_feature_that_overlap_count_once() -> None:
    parts = [shapely.affinity.rotate(shapely.box(k % 4, k // 4, k % 4 + 1.5, k // 4 + 1.25), 11 * k) for k in range(16)]
    double = shapely.MultiPolygon(parts)
    union = shapely.union_all(parts)
    near = shapely.box(1, -1, 3, 2)
    wanted = [shapely.area(shapely.intersection(near, union)), near.area, union.area]
    table = sat2d.join([near], [None, double], measure=["area", "left_area", "right_area"])
    np.testing.assert_allclose([table[name][0] for name in table.columns[3:]], wanted, atol=1e-12)
    area, iou, left, right = sat2d.areas([near], [None, double], [[0], [1]])
    np.testing.assert_allclose([area[0], left[0], right[0]], wanted, atol=1e-12)
    np.testing.assert_allclose(iou[0], area[0] / (left[0] + right[0] - area[0]), rtol=1e-14)
    assert sat2d.areas([double], [union], [[0], [0]])[1][0] > 1 - 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_area": -1.0}, "min_area = -1 is not an area"),
        ({"min_area": float("nan")}, "is not an area"),
        ({"min_area": float("inf")}, "is not an area"),
        ({"min_iou": 1.5}, "give a number from 0 to 1"),
        ({"keep": "smallest"}, "keep = smallest; give largest"),
        ({"min_area": 1.0, "within": 2.0}, "leave within out"),
        ({"min_iou": 0.5, "relation": "touching"}, "touching has no common area"),
        ({"measure": "areas"}, "give distance, penetration, manifold, area, iou, left_area and right_area"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(sat2d.OptionError, match=message):
        sat2d.join(A, options.pop("b", B), **options)


@pytest.mark.parametrize("function", [sat2d.areas, sat2d.contains])
@pytest.mark.parametrize("pairs", [[[0], [1]], [[-1], [0]], [[0.5], [0]], [[0], [0], [0]]])
def test_wrong_pairs_are_errors(function: Any, pairs: Any) -> None:
    with pytest.raises(sat2d.OptionError, match="pairs"):
        function([shapely.box(0, 0, 1, 1)], None, pairs)
    with pytest.raises(sat2d.UnsupportedGeometryError, match="of polygons"):
        function([shapely.Point(0, 0)], None, [[0], [0]])
