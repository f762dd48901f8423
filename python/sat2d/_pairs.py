"""Relations, areas and containment of pairs that the caller gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _sat2d
from ._arrays import pair_array
from ._convert import converted
from ._crs import check_crs
from ._errors import UnsupportedGeometryError
from ._progress import progress_bar
from ._sets import PolygonSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def relations(
    a: Any,
    b: Any,
    pairs: ArrayLike,
    *,
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> NDArray[np.uint8]:
    """Decide the relation of given pairs of polygons, by exact arithmetic.

    Parameters
    ----------
    a, b
        Any input of `PolygonSet`. `None` as `b` means `a`.
    pairs
        Integers of shape 2 x n: indices of `a`, and indices of `b`, as `query` returns them.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    numpy.ndarray
        Array of uint8 of length n: 0 for disjoint, 1 for touching (common points, but no common interior) and 2 for
        overlapping (the interiors meet). `RELATIONS` has the names.

    Raises
    ------
    OptionError
        An index is out of range.
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import shapely, sat2d
    >>> boxes = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(1.5, 0, 3, 1)]
    >>> codes = sat2d.relations(boxes, None, [[0, 1, 0], [1, 2, 2]])
    >>> [sat2d.RELATIONS[code] for code in codes]
    ['touching', 'overlapping', 'disjoint']
    """
    with progress_bar(progress):
        left, right, array = _given(a, b, pairs, "relations are", invalid, fill, threads)
        return _sat2d.relations(left._core, right._core, array, threads=threads)


class Areas(NamedTuple):
    """The result of `areas`: one value for each pair."""

    area: NDArray[np.float64]
    """The area that the two polygons have in common, in the square of the unit of the coordinates."""
    iou: NDArray[np.float64]
    """Intersection over union, from 0 to 1."""
    left_area: NDArray[np.float64]
    """The area of the polygon of `a`."""
    right_area: NDArray[np.float64]
    """The area of the polygon of `b`."""


def areas(
    a: Any,
    b: Any,
    pairs: ArrayLike,
    *,
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Areas:
    """Measure the area that the polygons of each given pair have in common.

    Parameters
    ----------
    a, b
        Any input of `PolygonSet`. `None` as `b` means `a`.
    pairs
        Integers of shape 2 x n: indices of `a`, and indices of `b`, as `query` returns them.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    Areas
        Four arrays of float64 of length n: `area`, `iou`, `left_area` and `right_area`. The common area is above 0 if and
        only if the two polygons overlap. Its error is at most 2^-44 of the area of the smaller bounding box. `iou` is 1 if
        and only if both polygons are the same region. The areas of a missing or empty geometry are 0.

    Raises
    ------
    OptionError
        An index is out of range.
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import shapely, sat2d
    >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(1, 0, 3, 2), shapely.box(5, 0, 6, 1)]
    >>> found = sat2d.areas(boxes, None, [[0, 0, 0], [0, 1, 2]])
    >>> found.area
    array([4., 2., 0.])
    >>> found.area / found.left_area
    array([1. , 0.5, 0. ])
    """
    with progress_bar(progress):
        left, right, array = _given(a, b, pairs, "areas are", invalid, fill, threads)
        return Areas(*_sat2d.areas(left._core, right._core, array, threads=threads))


def contains(
    a: Any,
    b: Any,
    pairs: ArrayLike,
    *,
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> NDArray[np.bool_]:
    """Decide for given pairs of polygons whether the first contains the second, by exact arithmetic.

    A polygon contains another one if every point of the other is inside it or on its boundary. To find all such pairs, use
    `query` with the predicate `"contains"`. For points, use `points_in_polygons`.

    Parameters
    ----------
    a, b
        Any input of `PolygonSet`. `None` as `b` means `a`.
    pairs
        Integers of shape 2 x n: indices of `a`, and indices of `b`, as `query` returns them.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    numpy.ndarray
        Array of bool of length n, with the values of `shapely.contains`. A missing or empty geometry contains nothing, and
        nothing contains it.

    Raises
    ------
    OptionError
        An index is out of range.
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import shapely, sat2d
    >>> zones = [shapely.box(0, 0, 4, 4), shapely.box(1, 1, 2, 2)]
    >>> sat2d.contains(zones, None, [[0, 1], [1, 0]])
    array([ True, False])
    """
    with progress_bar(progress):
        left, right, array = _given(a, b, pairs, "contains is", invalid, fill, threads)
        return _sat2d.contains(left._core, right._core, array, threads=threads)


def _given(
    a: Any, b: Any, pairs: ArrayLike, subject: str, invalid: str | None, fill: str | None, threads: int | None
) -> tuple[PolygonSet, PolygonSet, NDArray[np.int64]]:
    """Return both sets and the array of pairs. `subject` begins the error message for points."""
    left = converted(a, "a", invalid, threads, fill=fill)
    right = left if b is None or b is a else converted(b, "b", invalid, threads, fill=fill)
    if not isinstance(left, PolygonSet) or not isinstance(right, PolygonSet):
        raise UnsupportedGeometryError(f"{subject} of polygons; for points use query or points_in_polygons")
    check_crs(left, right)
    return left, right, pair_array(pairs)
