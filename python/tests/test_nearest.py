"""Nearest features, compared with Shapely's distances between all features."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from grid import random_points

import sat2d


def squares(count: int, seed: int, grid: float | None = None) -> np.ndarray:
    random = np.random.default_rng(seed)
    corners = random.uniform(0, 40, (count, 2))
    sizes = random.uniform(0.2, 2, (count, 2))
    if grid is not None:
        corners, sizes = np.round(corners / grid) * grid, np.ceil(sizes / grid) * grid
    return shapely.box(corners[:, 0], corners[:, 1], corners[:, 0] + sizes[:, 0], corners[:, 1] + sizes[:, 1])


def expected(a: np.ndarray, b: np.ndarray | None, k: int, within: float, *, ties: bool = False) -> list[tuple[int, int, float]]:
    rows: list[tuple[int, int, float]] = []
    for i, geometry in enumerate(a):
        distances = shapely.distance(geometry, a if b is None else b)
        order = [j for j in np.lexsort((np.arange(len(distances)), distances)) if b is not None or j != i]
        near = [(i, int(j), float(distances[j])) for j in order if distances[j] <= within]
        rows += near[:k] + [row for row in near[k:] if ties and row[2] == near[k - 1][2]]
    return rows


def compare(found: sat2d.Nearest, rows: list[tuple[int, int, float]]) -> None:
    assert found.left.tolist() == [row[0] for row in rows]
    assert found.distance == pytest.approx([row[2] for row in rows], rel=1e-12, abs=1e-12)
    assert found.right.tolist() == [row[1] for row in rows]


@pytest.mark.parametrize("k", [1, 3, 50])
def test_polygons_and_points_in_all_combinations(k: int) -> None:
    # On a grid of halves, distances are exact and often equal.
    polygons, others = squares(30, 1, 0.5), squares(40, 2, 0.5)
    points = shapely.points(np.random.default_rng(3).integers(0, 80, (35, 2)) / 2)
    for a in (polygons, points):
        for b in (others, points):
            rows = expected(a, b, k, np.inf)
            assert len(rows) == len(a) * min(k, len(b))
            compare(sat2d.nearest(a, b, k), rows)
        compare(sat2d.nearest(a, k=k), expected(a, None, k, np.inf))


@pytest.mark.parametrize("k", [1, 2, 7, 60])
@pytest.mark.parametrize("within", [None, 0.0, 1.5])
def test_ties_are_all_features_at_the_distance_of_the_last(k: int, within: float | None) -> None:
    # On a grid, the squares of distances between points are integers, so equal distances are equal floats.
    limit = np.inf if within is None else within
    points = shapely.points(np.random.default_rng(3).integers(0, 9, (50, 2)).astype(float))
    others = shapely.multipoints(np.random.default_rng(4).integers(0, 9, (40, 2)).astype(float), indices=np.arange(40) // 2)
    for a, b in ((points, points), (points, others), (others, points)):
        rows = expected(a, b, k, limit, ties=True)
        assert k > 2 or within == 0 or len(rows) > len(expected(a, b, k, limit))
        compare(sat2d.nearest(a, b, k, within=within, ties=True), rows)
        compare(sat2d.Index(b).nearest(a, k, within=within, ties=True), rows)
    compare(sat2d.nearest(points, k=k, within=within, ties=True), expected(points, None, k, limit, ties=True))


def test_ties_of_few_geometries_and_many_features() -> None:
    points = shapely.points(np.random.default_rng(10).integers(0, 20, (5000, 2)).astype(float))
    few = shapely.points([[3.0, 4.0], [7.5, 7.5], [-90.0, 3.0]])
    for k in (1, 30):
        wanted = expected(few, points, k, np.inf, ties=True)
        assert len(wanted) > 3 * k
        compare(sat2d.Index(points).nearest(few, k, ties=True), wanted)


def test_ties_find_what_query_nearest_finds() -> None:
    a, b = shapely.points([[0, 0], [5, 5]]), shapely.points([[1, 0], [0, 1], [1, 0], [9, 9], [4, 5], [4, 5]])
    found = sat2d.nearest(a, b, ties=True)
    pairs = shapely.STRtree(b).query_nearest(a)
    np.testing.assert_array_equal([found.left, found.right], pairs[:, np.lexsort(pairs[::-1])])


def test_ties_are_true_or_false() -> None:
    with pytest.raises(sat2d.OptionError, match="ties = 1; give True or False"):
        sat2d.nearest([shapely.box(0, 0, 1, 1)], ties=1)  # type: ignore[arg-type]


def test_a_limit_leaves_out_what_is_farther() -> None:
    a, b = squares(60, 4), squares(60, 5)
    for within in (0.0, 0.7, 5.0):
        rows = expected(a, b, 4, within)
        compare(sat2d.nearest(a, b, 4, within=within), rows)
        assert len(rows) < 4 * len(a)


def test_concave_polygons_with_holes() -> None:
    ring = shapely.box(0, 0, 10, 10).difference(shapely.box(2, 2, 8, 8))
    inside, outside, crossing = shapely.box(4, 4, 5, 5), shapely.box(11, 0, 12, 1), shapely.box(7, 7, 9, 9)
    found = sat2d.nearest([ring], [outside, inside, crossing], k=3)
    assert (found.right.tolist(), found.distance.tolist()) == ([2, 0, 1], [0.0, 1.0, 2.0])


def test_missing_features_are_nobodys_neighbours() -> None:
    box = shapely.box(0, 0, 1, 1)
    found = sat2d.nearest([None, box, shapely.Polygon()], [None, box], k=5)
    assert (found.left.tolist(), found.right.tolist()) == ([1], [1])
    found = sat2d.nearest([box, None], shapely.points([[3.0, 0.0], [2.0, 0.0]]))
    assert (found.left.tolist(), found.right.tolist(), found.distance.tolist()) == ([0], [1], [1.0])


@pytest.mark.parametrize("k", [1, 3, 100])
@pytest.mark.parametrize("within", [None, 0.0, 1.5])
def test_features_with_several_points(k: int, within: float | None) -> None:
    points, others = random_points(40, 11), random_points(30, 12)
    limit = np.inf if within is None else within
    for a, b in ((points, others), (points, squares(30, 13)), (squares(30, 13), points)):
        compare(sat2d.nearest(a, b, k, within=within), expected(a, b, k, limit))
        compare(sat2d.Index(b).nearest(a, k, within=within), expected(a, b, k, limit))
    compare(sat2d.nearest(points, k=k, within=within), expected(points, None, k, limit))


def test_an_index_finds_the_nearest_features() -> None:
    a, b = squares(20, 6), squares(50, 7)
    index = sat2d.Index(b)
    compare(index.nearest(a, 2), expected(a, b, 2, np.inf))
    rows = expected(a[:1], b, 3, np.inf)
    found = index.nearest(a[0], 3, within=1e9, threads=2)
    assert found.left.tolist() == [0, 0, 0]
    assert found.right.tolist() == [row[1] for row in rows]


@pytest.mark.parametrize("k", [1, 3, 40])
@pytest.mark.parametrize("within", [None, 0.0, 2.0, 1e6])
def test_an_index_of_many_features_is_searched_for_few_geometries(k: int, within: float | None) -> None:
    many, few = squares(4000, 8), [*squares(5, 9), None, shapely.Polygon()]
    # A feature far from all others, and equal features, whose distances are equal.
    many = [*many, *many[:50], None, shapely.box(1e5, 0, 1e5 + 1, 1), shapely.Polygon()]
    points = shapely.points(np.random.default_rng(10).integers(0, 400, (3000, 2)) / 4)
    far = [shapely.box(-9e6, 0, -8e6, 1), shapely.Point(1e5, 9)]
    for features in (many, points):
        index = sat2d.Index(features)
        several = [
            shapely.MultiPoint([[3, 4], [50.25, 60.5]]),
            None,
            shapely.MultiPoint([[9, 9], [-5, 1], [7, 8]]),
            shapely.Point(1, 2),
        ]
        for geometries in (few, several, shapely.points([[3.0, 4.0], [50.25, 60.5]]), far[:1], far[1:]):
            found, wanted = index.nearest(geometries, k, within=within), sat2d.nearest(geometries, features, k, within=within)
            for column, expected_column in zip(found, wanted, strict=True):
                np.testing.assert_array_equal(column, expected_column)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2"])
def test_a_number_of_neighbours_that_is_none(k: object) -> None:
    with pytest.raises(sat2d.OptionError, match=r"k = .*; give an integer from 1 on"):
        sat2d.nearest([shapely.box(0, 0, 1, 1)], k=k)


def test_more_neighbours_than_there_are() -> None:
    boxes = shapely.box([0, 2], 0, [1, 3], 1)
    assert sat2d.nearest(boxes, k=2**70).right.tolist() == [1, 0]


def test_limits_that_are_refused() -> None:
    box = [shapely.box(0, 0, 1, 1)]
    for within in (-1.0, float("nan")):
        with pytest.raises(sat2d.OptionError, match="within"):
            sat2d.nearest(box, within=within)
