"""Prepared sets give the same answers as the functions for given pairs, in every call."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import shapely
from grid import random_points, random_polygons

import sat2d


def convex(count: int, seed: int) -> Any:
    """Return convex polygons with 3 to 8 vertices."""
    generator = np.random.default_rng(seed)
    clouds = [shapely.MultiPoint(generator.uniform(0, 2, (8, 2)) + generator.uniform(0, 9, 2)) for _ in range(count)]
    return shapely.convex_hull(clouds)


def counties(count: int, seed: int) -> Any:
    """Return polygons with so many vertices that they are compared by their edges."""
    generator = np.random.default_rng(seed)
    turns = np.linspace(0, 2 * np.pi, 201)[:-1]
    rings = generator.uniform(0.6, 1.4, (count, 200)) * np.stack([np.cos(turns), np.sin(turns)])[:, None]
    return shapely.polygons(np.moveaxis(rings, 0, -1) + generator.uniform(0, 9, (count, 1, 2)))


SCENES = {
    "convex": (convex(60, 1), convex(50, 2)),
    "any": (random_polygons(60, 3), random_polygons(50, 4)),
    "large": (counties(30, 5), counties(25, 6)),
    "one": (random_polygons(60, 7), None),
    "mixed": (counties(20, 8), convex(50, 9)),
}


@pytest.mark.parametrize("scene", SCENES)
def test_the_answers_are_those_of_the_functions(scene: str) -> None:
    a, b = SCENES[scene]
    prepared = sat2d.prepare(a, b)
    generator = np.random.default_rng(10)
    shapes = np.asarray(a), np.asarray(a if b is None else b)
    for count in (0, 1, 7, 900, 7):
        pairs = np.stack([generator.integers(0, len(side), count) for side in shapes])
        np.testing.assert_array_equal(prepared.relations(pairs), sat2d.relations(a, b, pairs))
        np.testing.assert_array_equal(prepared.contains(pairs), sat2d.contains(a, b, pairs))
        for found, wanted in zip(prepared.areas(pairs), sat2d.areas(a, b, pairs), strict=True):
            np.testing.assert_array_equal(found, wanted)
        found = prepared.distances(pairs)
        wanted = shapely.distance(shapes[0][pairs[0]], shapes[1][pairs[1]])
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        has_both = np.isfinite(found)
        np.testing.assert_array_equal(found[has_both] == 0, sat2d.relations(a, b, pairs)[has_both] > 0)


def test_threads_share_a_prepared_pair() -> None:
    a, b = SCENES["convex"]
    prepared = sat2d.prepare(a, b, threads=2)
    pairs = np.stack(np.meshgrid(np.arange(60), np.arange(50))).reshape(2, -1)
    wanted = sat2d.relations(a, b, pairs)

    def work(place: int) -> None:
        part = np.roll(pairs, place, axis=1)
        np.testing.assert_array_equal(prepared.relations(part), np.roll(wanted, place))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(40)))


def test_wrong_arguments_are_errors() -> None:
    a, b = SCENES["convex"]
    prepared = sat2d.prepare(a, b)
    for call in (prepared.relations, prepared.contains, prepared.areas, prepared.distances):
        for pairs in ([[0], [50]], [[-1], [0]], [[0.5], [0]], [0, 0]):
            with pytest.raises(sat2d.OptionError, match="pairs"):
                call(pairs)
    with pytest.raises(sat2d.UnsupportedGeometryError, match="points"):
        sat2d.prepare(a, random_points(5, 1))
    with pytest.raises(sat2d.OptionError, match="must be auto, cpu or gpu"):
        sat2d.prepare(a, backend="tpu")


def test_a_device_gives_the_same_answers_or_a_typed_error() -> None:
    a, b = SCENES["convex"]
    pairs = sat2d.query(a, b)
    try:
        prepared = sat2d.prepare(a, b, backend="gpu")
    except sat2d.DeviceError as error:
        assert error.remedy
        return
    np.testing.assert_array_equal(prepared.relations(pairs), sat2d.relations(a, b, pairs))
    np.testing.assert_array_equal(prepared.areas(pairs).area, sat2d.areas(a, b, pairs).area)


def ring(count: int, inner: float, outer: float, gap: float = 0.0) -> Any:
    """Return a ring around the origin that is cut open on its right side, so that it has no hole.

    The cut is `2 * gap` radians wide. If `gap` is 0, the two sides of the cut meet.
    """
    turns = np.linspace(gap, 2 * np.pi - gap, count)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return shapely.Polygon(np.concatenate([outer * circle, inner * circle[::-1]]))


def test_distances_of_polygons_with_many_pieces() -> None:
    # Each box of one object meets the box of the other object, so boxes of objects select no pieces.
    a = [ring(900, 2, 3, 0.1), ring(300, 5, 6), shapely.box(-0.25, -0.25, 0.25, 0.25), None]
    b = [ring(700, 0.5, 1.5, 0.2), ring(800, 3.25, 4.5, 0.01), ring(200, 20, 20.5), shapely.Polygon()]
    prepared = sat2d.prepare(a, b)
    pairs = np.indices((4, 4)).reshape(2, -1)
    found = prepared.distances(pairs)
    wanted = shapely.distance(np.array(a)[pairs[0]], np.array(b)[pairs[1]])
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(prepared.distances(pairs), found)
    np.testing.assert_array_equal(prepared.distances(pairs[:, ::-1]), found[::-1])


def test_distances_of_rings_with_many_pieces() -> None:
    # The two rings have 4 * 10^8 pairs of pieces, of which few are near each other.
    other = shapely.affinity.translate(ring(20_000, 3.5, 3.501, 0.01), 0.2, 0.1)
    prepared = sat2d.prepare([ring(20_000, 2.999, 3, 0.01)], [other])
    [wanted] = prepared.distances([[0], [0]])
    assert abs(wanted - (0.5 - np.hypot(0.2, 0.1))) < 1e-6
    assert prepared.distances([[0], [0]]) == wanted
