"""Pairs, joins and areas of an index, compared with Shapely and with the functions that take sets."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import shapely
from grid import expected, random_points, random_polygons

import sat2d

PREDICATES = [name for name in sat2d.PREDICATES if name != "contains_properly"]
A = random_polygons(90, 401)


def boxes(count: int, seed: int, grid: float = 0.25) -> Any:
    """Return boxes on a grid, so that many of them touch, in a square of the side 100."""
    generator = np.random.default_rng(seed)
    least = generator.integers(0, int(100 / grid), (count, 2)) * grid
    greatest = least + generator.integers(1, int(2 / grid), (count, 2)) * grid
    return shapely.box(*least.T, *greatest.T)


MANY = np.concatenate([boxes(4000, 402), boxes(40, 402), np.array([None, shapely.Polygon()])])
FEW = np.array([*boxes(30, 403), None, shapely.Polygon(), shapely.box(-9, -9, -8, -8)])


@pytest.mark.parametrize("predicate", PREDICATES)
def test_all_pairs_of_an_index_are_those_of_shapely(predicate: str) -> None:
    distance = 1.5 if predicate == "dwithin" else None
    index = sat2d.Index(A)
    wanted = expected(A, A, predicate, distance)
    for threads in (None, 1, 3):
        found = index.query_pairs(predicate, distance=distance, pairs="all", threads=threads)
        np.testing.assert_array_equal(found, wanted)
    once = index.query_pairs(predicate, distance=distance, progress=True)
    assert once.dtype == np.int64 and 0 < once.shape[1] < wanted.shape[1]
    np.testing.assert_array_equal(once, sat2d.query(A, predicate=predicate, distance=distance))
    # Each pair of different features occurs once, and every such pair of Shapely occurs.
    one = {frozenset(pair) for pair in once.T.tolist()}
    other = {frozenset(pair) for pair in wanted.T.tolist() if pair[0] != pair[1]}
    assert one == other
    if predicate not in ("contains", "covers", "within", "covered_by"):
        assert (once[0] < once[1]).all() and len(one) == once.shape[1]


def test_pairs_of_an_index_without_features_or_with_skipped_features() -> None:
    for features in ([], [None], [shapely.Polygon()]):
        for pairs in ("once", "all"):
            assert sat2d.Index(features).query_pairs(pairs=pairs).shape == (2, 0)
    bow = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    index = sat2d.Index([shapely.box(0, 0, 1, 1), bow, shapely.box(1, 0, 2, 1)], invalid="skip")
    for same in (index, pickle.loads(pickle.dumps(index))):
        assert same.query_pairs("touches").tolist() == [[0], [2]]
        assert same.areas([[0, 0, 1], [0, 2, 1]]).area.tolist() == [1.0, 0.0, 0.0]
        assert [(entry.argument, entry.feature) for entry in same.join_pairs().skipped] == [("a", 1)]
        table = same.join([bow, shapely.box(0, 0, 2, 1)], invalid="skip")
        assert [(entry.argument, entry.feature) for entry in table.skipped] == [("a", 0), ("b", 1)]
        assert table["right"].tolist() == [0, 2]


def test_equal_features_contain_each_other() -> None:
    index = sat2d.Index([shapely.box(0, 0, 1, 1)] * 2)
    for predicate in ("contains", "within", "covers"):
        assert index.query_pairs(predicate).tolist() == [[0, 1], [1, 0]]
    assert index.query_pairs("intersects").tolist() == [[0], [1]]


def test_wrong_arguments_are_errors() -> None:
    index, points = sat2d.Index(A), sat2d.Index(random_points(20, 404))
    calls: list[tuple[Any, Any, str]] = [
        (sat2d.OptionError, lambda: index.query_pairs(pairs="both"), "pairs = 'both'; give 'once' or 'all'"),
        (sat2d.OptionError, lambda: index.query_pairs("dwithin"), "give distance= with it"),
        (sat2d.OptionError, lambda: index.query_pairs(distance=1), "leave distance= out"),
        (sat2d.OptionError, lambda: index.query_pairs("dwithin", distance=-1), "within = -1"),
        (sat2d.OptionError, lambda: index.query_pairs(threads=0), "threads = 0"),
        (sat2d.UnsupportedPredicateError, lambda: index.query_pairs("crosses"), "crosses"),
        (sat2d.UnsupportedPredicateError, lambda: index.query_pairs("contains_properly"), "for polygons and points"),
        (sat2d.UnsupportedGeometryError, lambda: points.areas([[0], [0]]), "the index has points"),
        (sat2d.OptionError, lambda: index.join_pairs(measure="distance"), "give within=D"),
        (sat2d.OptionError, lambda: index.join(A[:2], min_area=-1), "min_area = -1 is not an area"),
        (sat2d.OptionError, lambda: index.join(A[:2], keep="smallest"), "keep = smallest; give largest"),
        (sat2d.OptionError, lambda: index.join(A[:2], within=-1), "within"),
        (sat2d.OptionError, lambda: index.join(shapely.Point(0, 0), measure="area"), "a has points.*leave out these"),
        *((sat2d.OptionError, lambda pairs=pairs: index.areas(pairs), "pairs") for pairs in ([[0], [90]], [[-1], [0]], [0])),
    ]
    for error, call, message in calls:
        with pytest.raises(error, match=message):
            call()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"relation": "touching"},
    {"relation": "overlapping", "measure": ["penetration", "manifold"]},
    {"within": 0.0, "measure": "distance"},
    {"within": 2.5, "measure": ["distance", "area", "manifold"]},
    {"measure": ["area", "iou", "left_area", "right_area"]},
    {"min_area": 0.5, "measure": "area"},
    {"min_iou": 0.125, "min_area": 0.25},
    {"keep": "largest", "measure": ["area", "iou"]},
    {"keep": "largest", "min_area": 1.0},
]


def compare(table: sat2d.PairTable, wanted: sat2d.PairTable) -> None:
    assert table.columns == wanted.columns and table.relation_names == wanted.relation_names
    for name in wanted.columns:
        np.testing.assert_array_equal(table[name], wanted[name])
    np.testing.assert_array_equal(table.counts(), wanted.counts())
    assert table.skipped == wanted.skipped and table.filled == wanted.filled


@pytest.mark.parametrize("options", OPTIONS)
def test_joins_of_an_index_are_those_of_the_function(options: dict[str, Any]) -> None:
    # The first index has so many features that few geometries are joined only with those near them.
    for features, geometries in ((MANY, FEW), (MANY, boxes(500, 405)), (A, random_polygons(50, 406))):
        index = sat2d.Index(features)
        for _ in range(2):
            table = index.join(geometries, **options)
            compare(table, sat2d.join(geometries, features, **options))
            assert len(table) > 0
        compare(index.join_pairs(**options), sat2d.join(features, **options))
    one = index.join(shapely.box(2, 2, 6, 6), **options)
    compare(one, sat2d.join([shapely.box(2, 2, 6, 6)], features, **options))


@pytest.mark.parametrize("options", [{}, {"relation": "boundary"}, {"within": 2.0, "measure": "distance"}])
def test_joins_of_an_index_with_points(options: dict[str, Any]) -> None:
    points = np.array([*shapely.points(np.random.default_rng(407).integers(0, 400, (40, 2)) / 4), None])
    clouds = [shapely.MultiPoint([[3, 4], [50, 60]]), shapely.MultiPoint([[7.25, 8], [7.5, 8.25], [80, 1]])]
    for geometries in (points, clouds, random_points(60, 408)):
        for features in (MANY, A):
            compare(sat2d.Index(features).join(geometries, **options), sat2d.join(geometries, features, **options))
    for geometries in (FEW, MANY):
        compare(sat2d.Index(points).join(geometries, **options), sat2d.join(geometries, points, **options))


def test_areas_of_pairs_of_an_index() -> None:
    for features in (MANY, A):
        index = sat2d.Index(features)
        for pairs in (index.query_pairs(), index.query_pairs("overlaps", pairs="all"), [[0, 5], [5, 5]], np.empty((2, 0), int)):
            found = index.areas(pairs)
            for column, wanted in zip(found, sat2d.areas(features, None, pairs), strict=True):
                assert column.dtype == np.float64
                np.testing.assert_array_equal(column, wanted)
            left, right = features[np.asarray(pairs)[0]], features[np.asarray(pairs)[1]]
            common = np.nan_to_num(shapely.area(shapely.intersection(left, right)))
            np.testing.assert_allclose(found.area, common, atol=1e-9)


def test_threads_share_an_index() -> None:
    index = sat2d.Index(MANY, threads=2)
    pairs = index.query_pairs("overlaps")
    wanted = sat2d.areas(MANY, None, pairs).iou
    table = sat2d.join(FEW, MANY, measure="area")

    def work(place: int) -> None:
        np.testing.assert_array_equal(index.areas(np.roll(pairs, place, axis=1)).iou, np.roll(wanted, place))
        np.testing.assert_array_equal(index.join(FEW, measure="area")["area"], table["area"])
        np.testing.assert_array_equal(index.query_pairs("overlaps"), pairs)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(12)))
