"""Converts geometries of Shapely into coordinates and offsets.

No function in this module loops over features in Python. `shapely.get_coordinates` with counts takes less than half the time of
`shapely.to_wkb`, and a fifth of the time of `shapely.to_ragged_array`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Offsets = NDArray[np.int64]

_POINT, _POLYGON, _MULTI_POINT, _MULTI_POLYGON = 0, 3, 4, 6
# Shapely copies each ring, and makes a Python object for it. If the rings have fewer than this number of vertices on average,
# `shapely.to_wkb` is faster.
_LEAST_RING = 40


def offsets(lengths: NDArray[Any]) -> Offsets:
    """Return the offsets of consecutive items: 0, and then the sum of the lengths up to each item."""
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def kind(shapes: NDArray[np.object_], types: NDArray[Any]) -> str:
    """Return the kind of all geometries that are not missing: `polygons`, `points`, or `other` for other and mixed types."""
    numbers = np.bincount(types + 1, minlength=_MULTI_POLYGON + 2)
    missing = numbers[0]
    if missing + numbers[_POLYGON + 1] + numbers[_MULTI_POLYGON + 1] == len(shapes):
        return "polygons"
    if missing + numbers[_POINT + 1] + numbers[_MULTI_POINT + 1] == len(shapes):
        return "points"
    return "other"


def polygons(
    shapes: NDArray[np.object_], types: NDArray[Any]
) -> tuple[NDArray[np.float64], Offsets, Offsets | None, Offsets | None] | None:
    """Return the coordinates, and the offsets of rings, polygons and features. `shapes` are polygons, multipolygons and `None`.

    The offsets of polygons and of features are `None` if every item has only one entry. Return `None` instead of the columns if
    `shapely.to_wkb` is faster.
    """
    import shapely

    lengths = shapely.get_num_coordinates(shapes)
    has_parts = (types == _MULTI_POLYGON) | (shapely.get_num_interior_rings(shapes) > 0)
    if not has_parts.any():
        # A missing or empty polygon becomes a ring without coordinates.
        return shapely.get_coordinates(shapes), offsets(lengths), None, None
    parts, feature_of_part = shapely.get_parts(shapes[has_parts], return_index=True)
    ring_count = len(parts) + shapely.get_num_interior_rings(parts).sum()
    if _LEAST_RING * ring_count > lengths.sum():
        return None
    coordinates = shapely.get_coordinates(shapes)
    rings, part_of_ring = shapely.get_rings(parts, return_index=True)
    parts_of_feature = np.bincount(feature_of_part, minlength=np.count_nonzero(has_parts))
    rings_of_part = np.bincount(part_of_ring, minlength=len(parts))
    rings_of_feature = np.bincount(feature_of_part[part_of_ring], minlength=len(parts_of_feature))
    all_parts = _merged(has_parts, np.ones(len(shapes), dtype=np.int64), parts_of_feature)
    all_rings = _merged(has_parts, np.ones(len(shapes), dtype=np.int64), rings_of_feature)
    is_of_parts = np.repeat(has_parts, all_parts)
    ring_counts = np.ones(len(is_of_parts), dtype=np.int64)
    ring_counts[is_of_parts] = rings_of_part
    is_of_rings = np.repeat(has_parts, all_rings)
    ring_lengths = np.empty(len(is_of_rings), dtype=np.int64)
    ring_lengths[is_of_rings] = shapely.get_num_coordinates(rings)
    ring_lengths[~is_of_rings] = lengths[~has_parts]
    has_multi = bool((types == _MULTI_POLYGON).any())
    return coordinates, offsets(ring_lengths), offsets(ring_counts), offsets(all_parts) if has_multi else None


def _merged(mask: NDArray[np.bool_], simple: NDArray[np.int64], special: NDArray[Any]) -> NDArray[np.int64]:
    """Write the values of `special` into `simple` where the mask is true, and return `simple`."""
    simple[mask] = special
    return simple


def single_points(shapes: NDArray[np.object_]) -> NDArray[np.float64] | None:
    """Return the coordinates if all geometries are points with coordinates, and `None` otherwise.

    This function takes about half the time of finding the types of the geometries and calling `points`.
    """
    import shapely

    coordinates = np.empty((len(shapes), 2))
    try:
        shapely.get_x(shapes, out=coordinates[:, 0])
        shapely.get_y(shapes, out=coordinates[:, 1])
    except (TypeError, shapely.errors.GEOSException):
        # An item is no geometry, or a point is empty.
        return None
    # For other geometries, both functions return NaN.
    return None if np.isnan(coordinates).any() else coordinates


def points(shapes: NDArray[np.object_]) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the coordinates, and the number of points of each feature. The number is `None` if each feature is one point."""
    import shapely

    counts = shapely.get_num_coordinates(shapes).astype(np.int64)
    return shapely.get_coordinates(shapes), None if (counts == 1).all() else counts
