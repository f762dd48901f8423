"""The nearest features of each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _sat2d
from ._arrays import boolean, number
from ._convert import converted
from ._crs import check_crs
from ._errors import OptionError
from ._progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._sets import PointSet, PolygonSet


class Nearest(NamedTuple):
    """The result of `nearest`: one value for each pair of a feature and one of its nearest features."""

    left: NDArray[np.int64]
    """The feature of `a`."""
    right: NDArray[np.int64]
    """The feature of `b`."""
    distance: NDArray[np.float64]
    """The distance between the two features, in the unit of the coordinates. It is 0 if and only if they have a common point.
    If the rings of a feature cross, the distance is computed from its rounded pieces."""


def nearest(
    a: Any,
    b: Any = None,
    k: int = 1,
    *,
    within: float | None = None,
    ties: bool = False,
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Nearest:
    """Find the k nearest features of each feature.

    Parameters
    ----------
    a, b
        Polygons or points, in any form that `PolygonSet` and `PointSet` accept. Without `b`, the nearest other features of
        `a` are found. The distance of a multipoint is the least distance of its points.
    k
        The number of nearest features of each feature of `a`, 1 or more.
    within
        The greatest distance, 0 or more, in the unit of the coordinates. A feature is left out if its true distance is greater.
        Reported distances are rounded, so a limit that equals the reported distance of a feature may leave the feature out.
    ties
        Whether to find all features at the distance of the `k`th nearest feature. `k=1, ties=True` finds all features at the least
        distance, as `shapely.STRtree.query_nearest` does. Two distances are equal if they are the same float64. For coordinates that are
        integers and differ by at most 4,096, equal distances are always the same float64.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    Nearest
        Three arrays of the same length: `left` and `right` (int64) and `distance` (float64). The pairs are sorted by `left`,
        then by the distance, then by `right`. A feature of `a` has fewer than `k` pairs if fewer features of `b` are within
        the greatest distance. A missing or empty feature has no pairs. Among features at equal distances, those with lower
        indices come first. The error of a distance is at most 2^-44 of the size of the pair.

    Raises
    ------
    OptionError
        `k` is less than 1, `within` is negative or not a number, or `ties` is not a boolean.
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import shapely, sat2d
    >>> houses = [shapely.box(0, 0, 1, 1), shapely.box(20, 0, 21, 1)]
    >>> hydrants = shapely.points([[4.0, 5.0], [0.5, 0.5], [-6.0, 0.0]])
    >>> found = sat2d.nearest(houses, hydrants, k=2, within=10)
    >>> found.left, found.right, found.distance
    (array([0, 0]), array([1, 0]), array([0., 5.]))
    """
    with_ties = boolean("ties", ties)
    with progress_bar(progress):
        left = converted(a, "a", invalid, threads, fill=fill)
        right = None if b is None else converted(b, "b", invalid, threads, fill=fill)
        check_crs(left, right)
        return nearest_of(left, right, k, within, threads, ties=with_ties)


def neighbour_count(name: str, k: Any) -> int:
    """Return a number of neighbours in the form of the extension module. `name` is the name of the option."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise OptionError(f"{name} = {k!r}; give an integer from 1 on")
    return min(int(k), 2**32)


def nearest_of(
    left: PolygonSet | PointSet,
    right: PolygonSet | PointSet | None,
    k: int,
    within: float | None,
    threads: int | None,
    *,
    ties: bool = False,
    indexed: bool = False,
) -> Nearest:
    """Find the nearest features of two sets.

    If `indexed` is true and `left` is small, the call searches an index of `right`. The set keeps the index for the next call.
    """
    count = neighbour_count("k", k)
    core = None if right is None else right._core
    limit = number("within", within)
    found = _sat2d.nearest(left._core, core, count, within=limit, ties=ties, indexed=indexed, threads=threads)
    return Nearest(*found)
