"""Random geometries on a small integer grid. On it, polygons often touch, coincide or nest, and GEOS has no rounding errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

SIZE = 12


def random_polygons(count: int, seed: int, missing: bool = True) -> np.ndarray[Any, Any]:
    """Return valid boxes, triangles, stars, polygons with holes and multipolygons, and also `None` and empty geometries."""
    generator = np.random.default_rng(seed)
    shapes: list[Any] = []
    while len(shapes) < count:
        shape = _polygon(generator, int(generator.integers(0, 8 if missing else 6)))
        if shape is None or shape.is_empty or (shape.is_valid and shape.geom_type in ("Polygon", "MultiPolygon")):
            shapes.append(shape)
    return _array(shapes)


def _polygon(generator: np.random.Generator, kind: int) -> Any:
    x, y = generator.integers(0, SIZE, 2)
    width, height = generator.integers(1, 6, 2)
    box = shapely.box(x, y, x + width, y + height)
    if kind == 0:
        return box
    if kind == 1:
        return shapely.convex_hull(shapely.MultiPoint(generator.integers(0, SIZE, (3, 2))))
    if kind == 2:
        corners = generator.integers(0, SIZE, (6, 2))
        centre = corners.mean(axis=0)
        order = np.argsort(np.arctan2(*(corners - centre).T))
        return shapely.Polygon(corners[order])
    if kind == 3:
        outer = shapely.box(x, y, x + 4, y + 4)
        hole = shapely.box(x + 1, y + 1, x + 1 + generator.integers(1, 3), y + 2)
        return outer.difference(hole)
    if kind == 4:
        apart = shapely.box(x + width + 1, y, x + width + 3, y + 2)
        return shapely.MultiPolygon([box, apart])
    if kind == 5:
        return box.union(shapely.box(x, y, x + 1, y + 5))
    if kind == 6:
        return [shapely.Polygon(), shapely.MultiPolygon()][int(generator.integers(2))]
    return None


def random_points(count: int, seed: int, multi: bool = True) -> np.ndarray[Any, Any]:
    """Return points and multipoints, and also `None` and empty geometries."""
    generator = np.random.default_rng(seed)
    shapes: list[Any] = []
    for kind in generator.integers(0, 6 if multi else 1, count):
        if kind < 3:
            shapes.append(shapely.Point(generator.integers(0, 2 * SIZE, 2) / 2))
        elif kind == 3:
            shapes.append(shapely.MultiPoint(generator.integers(0, SIZE, (int(generator.integers(1, 4)), 2))))
        else:
            shapes.append(None if kind == 4 else shapely.Point())
    return _array(shapes)


def _array(shapes: list[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    return array


def expected(a: Any, b: Any, predicate: str, distance: float | None = None) -> np.ndarray[Any, Any]:
    """Return the pairs that Shapely finds, sorted."""
    tree = shapely.STRtree(b)
    pairs = tree.query(a, predicate=predicate) if distance is None else tree.query(a, predicate="dwithin", distance=distance)
    return pairs[:, np.lexsort((pairs[1], pairs[0]))]
