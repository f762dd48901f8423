"""Pairs by predicate, compared with Shapely."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from grid import expected, random_points, random_polygons

import sat2d

POLYGON_PREDICATES = [name for name in sat2d.PREDICATES if name not in ("contains_properly", "dwithin")]
SYMMETRIC = ("intersects", "touches", "overlaps")


@pytest.mark.parametrize("predicate", POLYGON_PREDICATES)
@pytest.mark.parametrize("seed", range(4))
def test_two_sets_have_the_pairs_of_shapely(predicate: str, seed: int) -> None:
    a, b = random_polygons(120, seed), random_polygons(90, seed + 100)
    found = sat2d.query(a, b, predicate)
    wanted = expected(a, b, predicate)
    assert wanted.shape[1] > 0
    np.testing.assert_array_equal(found, wanted)
    assert found.dtype == np.int64


@pytest.mark.parametrize("predicate", POLYGON_PREDICATES)
@pytest.mark.parametrize("seed", range(3))
def test_one_set_has_the_pairs_of_shapely(predicate: str, seed: int) -> None:
    a = random_polygons(130, seed)
    wanted = expected(a, a, predicate)
    np.testing.assert_array_equal(sat2d.query(a, predicate=predicate, pairs="all"), wanted)
    np.testing.assert_array_equal(sat2d.query(a, a, predicate=predicate), wanted)
    once = wanted[:, wanted[0] < wanted[1]] if predicate in SYMMETRIC else wanted[:, wanted[0] != wanted[1]]
    np.testing.assert_array_equal(sat2d.query(a, predicate=predicate), once)


@pytest.mark.parametrize("distance", [0.0, 1.0, 2.5, 5.0])
def test_dwithin_has_the_pairs_of_shapely(distance: float) -> None:
    a, b = random_polygons(60, 1), random_polygons(60, 2)
    points = random_points(80, 3)
    for left, right in [(a, b), (points, b), (a, points)]:
        found = sat2d.query(left, right, "dwithin", distance=distance)
        np.testing.assert_array_equal(found, expected(left, right, "dwithin", distance))
    wanted = expected(a, a, "dwithin", distance)
    np.testing.assert_array_equal(sat2d.query(a, predicate="dwithin", distance=distance, pairs="all"), wanted)


@pytest.mark.parametrize("predicate", [name for name in sat2d.PREDICATES if name != "dwithin"])
@pytest.mark.parametrize("multi", [False, True])
def test_points_have_the_pairs_of_shapely(predicate: str, multi: bool) -> None:
    points, polygons = random_points(200, 7, multi), random_polygons(80, 8)
    np.testing.assert_array_equal(sat2d.query(points, polygons, predicate), expected(points, polygons, predicate))
    np.testing.assert_array_equal(sat2d.query(polygons, points, predicate), expected(polygons, points, predicate))


def test_an_index_answers_like_a_tree() -> None:
    b = random_polygons(100, 21)
    index, tree = sat2d.Index(b), shapely.STRtree(b)
    for predicate in POLYGON_PREDICATES:
        a = random_polygons(30, 22)
        np.testing.assert_array_equal(index.query(a, predicate), expected(a, b, predicate))
        one = shapely.box(2, 2, 7, 7)
        np.testing.assert_array_equal(index.query(one, predicate), np.sort(tree.query(one, predicate=predicate)))
    place = shapely.Point(3, 3)
    np.testing.assert_array_equal(index.query(place), np.sort(tree.query(place, predicate="intersects")))
    assert len(index) == 100


@pytest.mark.parametrize("predicate", sat2d.PREDICATES)
def test_an_index_of_many_features_is_searched_for_few_geometries(predicate: str) -> None:
    blocks = [shapely.transform(random_polygons(100, 50 + k), lambda at, k=k: at + [40.0 * k, 0.0]) for k in range(20)]
    features = np.concatenate([[None, shapely.Polygon()], *blocks])
    index = sat2d.Index(features)
    distance = 1.5 if predicate == "dwithin" else None
    given = [np.array([None, None]), random_points(5, 91), shapely.transform(random_points(3, 92, True), lambda at: at + 80.0)]
    if predicate != "contains_properly":
        given += [random_polygons(4, 90), shapely.box([95, 5, -9, 0], [0, 5, -9, 0], [130, 6, -8, 790], [20, 6, -8, 9])]
    for geometries in given:
        found = index.query(geometries, predicate, distance=distance)
        np.testing.assert_array_equal(found, expected(geometries, features, predicate, distance))


def test_near_touching_pairs_are_exact() -> None:
    # The diagonal edge passes the corner at a distance below a rounding error. Rational arithmetic decides on which side.
    from fractions import Fraction

    generator = np.random.default_rng(5)
    for _ in range(200):
        p, q = generator.uniform(0, 1, 2), generator.uniform(2, 3, 2)
        corner = p + (q - p) * generator.uniform(0.2, 0.8)
        below = shapely.Polygon([p, (3.0, 0.0), q])
        above = shapely.Polygon([corner, (corner[0], corner[1] + 2), (corner[0] - 1, corner[1] + 2)])
        (px, py), (qx, qy), (cx, cy) = ([Fraction(v) for v in point] for point in (p, q, corner))
        side = (qx - px) * (cy - py) - (qy - py) * (cx - px)
        relation = sat2d.RELATIONS[sat2d.relations([below], [above], [[0], [0]])[0]]
        assert relation == ("disjoint" if side > 0 else "touching" if side == 0 else "overlapping")


def test_relations_agree_with_join() -> None:
    a, b = random_polygons(70, 31), random_polygons(60, 32)
    pairs = np.stack(np.meshgrid(np.arange(70), np.arange(60), indexing="ij")).reshape(2, -1)
    codes = sat2d.relations(a, b, pairs)
    assert codes.dtype == np.uint8
    for code, predicate in [(1, "touches")]:
        np.testing.assert_array_equal(pairs[:, codes == code], sat2d.query(a, b, predicate))
    np.testing.assert_array_equal(pairs[:, codes > 0], sat2d.query(a, b))
    assert sat2d.relations(a, b, np.empty((2, 0))).shape == (0,)


def test_points_in_polygons_agree_with_shapely() -> None:
    zones, points = random_polygons(50, 41), np.random.default_rng(42).integers(0, 24, (300, 2)) / 2
    for boundary, predicate in [(True, "intersects"), (False, "within")]:
        pairs = expected(shapely.points(points), zones, predicate)
        first = np.full(len(points), -1)
        np.minimum.at(first_or_many := np.full(len(points), 10**9), pairs[0], pairs[1])
        first[pairs[0]] = first_or_many[pairs[0]]
        located = sat2d.points_in_polygons(points, zones, boundary=boundary)
        np.testing.assert_array_equal(located.polygon, first)
        np.testing.assert_array_equal(located.number, np.bincount(pairs[1], minlength=len(zones)))


def test_nothing_pairs_with_nothing() -> None:
    for nothing in ([], [None, None], [shapely.Polygon()], np.array([], dtype=object)):
        assert sat2d.query(nothing).shape == (2, 0)
        assert sat2d.query(nothing, random_polygons(5, 1)).shape == (2, 0)
        assert sat2d.query(random_points(5, 1), nothing).shape == (2, 0)
        assert sat2d.query(nothing, random_points(5, 1)).shape == (2, 0)
        assert sat2d.points_in_polygons(nothing, random_polygons(3, 1, missing=False)).number.tolist() == [0, 0, 0]
