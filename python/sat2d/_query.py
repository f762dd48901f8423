"""Finds pairs of features by a predicate, and locates points in polygons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _sat2d
from ._arrays import number
from ._convert import converted
from ._crs import check_crs
from ._errors import OptionError, UnsupportedGeometryError, UnsupportedPredicateError
from ._progress import progress_bar
from ._sets import PointSet, PolygonSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREDICATES = (
    "intersects",
    "touches",
    "overlaps",
    "contains",
    "covers",
    "within",
    "covered_by",
    "contains_properly",
    "dwithin",
)
"""The predicates of `query` and `sjoin`. `contains_properly` is not for two polygons."""


def query(
    a: Any,
    b: Any = None,
    predicate: str = "intersects",
    *,
    distance: float | None = None,
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
    pairs: str | None = None,
) -> NDArray[np.int64]:
    """Find the pairs of features for which a predicate holds, by exact arithmetic.

    Parameters
    ----------
    a, b
        Polygons or points, in any form that `PolygonSet` and `PointSet` accept. Without `b`, both features of a pair are of
        `a`.
    predicate
        A predicate of Shapely: `intersects`, `touches`, `overlaps`, `contains`, `covers`, `within`, `covered_by`, `dwithin`,
        or, if one input has points, `contains_properly`. `overlaps` has the meaning of the OGC standard: the interiors meet, and
        neither polygon contains the other. Two points meet if they have the same position. They never touch, because points
        have no boundary.
    distance
        The greatest distance for the predicate `dwithin`, 0 or more, in the unit of the coordinates.
    invalid
        `"raise"`, which is the default, raises an error for the first invalid feature. `"skip"` leaves invalid features out.
        To list them, make a `PolygonSet` first. A set that was built with `"skip"` stays without these features, so `"raise"`
        is an error for it.
    fill
        The rule for rings that cross, as for `PolygonSet`: `"even-odd"` or `"nonzero"`. With `None`, such rings are invalid.
    threads
        Number of threads, from 1 to 1024. `None` takes the value of the environment variable `RAYON_NUM_THREADS` if it is set,
        else the number of cores.
    progress
        Whether to show a bar with the number of decided candidate pairs. Has no effect if `tqdm` is not installed.
    pairs
        The form of the result without `b`. `"once"`, which is the default, returns each pair of different features once, with
        the lower index first. If the predicate has a direction, such as `contains`, each pair has the direction that holds.
        Two equal features contain each other, so this pair has both directions.
        `"all"` returns the pairs of `shapely.STRtree(a).query(a, predicate)`: both directions, and each feature with itself.
        With `b`, it must be left out.

    Returns
    -------
    numpy.ndarray
        Array of int64 of shape 2 x n, like the result of `shapely.STRtree(b).query(a, predicate)`. The first row has indices
        of `a`, and the second row has indices of `b`. The pairs are sorted by the first row, then by the second row.

    Raises
    ------
    InvalidGeometryError, UnsupportedGeometryError
        A feature cannot be joined. The attribute `feature` of the error is its index.
    UnsupportedPredicateError
        sat2d does not have the predicate.
    OptionError
        An argument has an invalid value.

    Examples
    --------
    >>> import shapely, sat2d
    >>> parcels = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(5, 5, 6, 6)]
    >>> floods = [shapely.box(0.5, 0.5, 1.0, 2.0)]
    >>> sat2d.query(parcels, floods)
    array([[0, 1],
           [0, 0]])
    >>> sat2d.query(parcels, floods, predicate="overlaps")
    array([[0],
           [0]])
    >>> sat2d.query(parcels, predicate="dwithin", distance=5)
    array([[0, 1],
           [1, 2]])
    """
    if pairs is not None:
        check_pairs(pairs)
    if pairs is not None and b is not None:
        raise OptionError(f"pairs = {pairs!r} is for one input, and b is given; leave pairs or b out")
    check_predicate(predicate, distance)
    with progress_bar(progress):
        left = converted(a, "a", invalid, threads, fill=fill)
        if b is None or b is a:
            return pairs_of(left, None, predicate, distance, b is a or pairs == "all", threads)
        right = converted(b, "b", invalid, threads, fill=fill)
        check_crs(left, right)
        return pairs_of(left, right, predicate, distance, True, threads)


def check_pairs(pairs: str) -> None:
    """Raise an error if the form of the pairs of one input is unknown."""
    if pairs not in ("once", "all"):
        raise OptionError(f"pairs = {pairs!r}; give 'once' or 'all'")


def check_predicate(predicate: str, distance: Any) -> None:
    """Raise an error if the predicate is unknown, or if a distance is missing or not allowed."""
    if predicate not in PREDICATES:
        names = ", ".join(PREDICATES)
        raise UnsupportedPredicateError(
            f"predicate = {predicate!r}: sat2d has {names}; for other predicates use geopandas.sjoin or shapely.STRtree.query"
        )
    if (predicate == "dwithin") != (distance is not None):
        remedy = "give distance= with it" if distance is None else "leave distance= out, or use 'dwithin'"
        raise OptionError(f"predicate = {predicate!r} with distance = {distance}; {remedy}")
    if distance is not None and np.ndim(distance) != 0:
        raise OptionError(
            "distance has a value for each feature, and sat2d takes one value; for several distances use geopandas.sjoin"
        )


def pairs_of(
    left: PolygonSet | PointSet,
    right: PolygonSet | PointSet | None,
    predicate: str,
    distance: float | None,
    all: bool,
    threads: int | None,
    *,
    indexed: bool = False,
) -> NDArray[np.int64]:
    """Return the pairs of two sets, or of one set if `right` is `None`.

    If `indexed` is true and `left` is small, the call searches an index of `right`. The set keeps the index for the next call.
    """
    limit = number("distance", distance)
    if isinstance(left, PointSet):
        if isinstance(right, PolygonSet):
            return _sat2d.query_points(
                left._core, right._core, predicate, swapped=False, distance=limit, indexed=indexed, threads=threads
            )
        points = None if right is None else right._core
        return _sat2d.query_positions(left._core, points, predicate, distance=limit, all=all, threads=threads)
    if isinstance(right, PointSet):
        return _sat2d.query_points(
            right._core, left._core, predicate, swapped=True, distance=limit, indexed=False, threads=threads
        )
    if predicate == "contains_properly":
        if right is not None and any(side._core.is_empty and not side._skipped for side in (left, right)):
            # All geometries are missing or empty, as in a frame of points without rows.
            return np.empty((2, 0), dtype=np.int64)
        raise UnsupportedPredicateError(
            "predicate = 'contains_properly': sat2d has it for polygons and points; for two polygons use "
            "geopandas.sjoin or shapely.STRtree.query"
        )
    other = None if right is None else right._core
    return _sat2d.query(left._core, other, predicate, distance=limit, all=all, indexed=indexed, threads=threads)


class PointLocations(NamedTuple):
    """The result of `points_in_polygons`."""

    polygon: NDArray[np.int64]
    """For each point, the lowest index of a polygon that contains the point, or -1 if no polygon contains it."""
    number: NDArray[np.int64]
    """For each polygon, the number of points that it contains."""


def points_in_polygons(
    points: Any,
    polygons: Any,
    *,
    boundary: bool = True,
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> PointLocations:
    """Locate points in polygons, without making a list of pairs.

    Parameters
    ----------
    points
        Array of coordinates of shape n x 2, or any input of `PointSet`.
    polygons
        Any input of `PolygonSet`.
    boundary
        Whether a point on the boundary of a polygon counts as contained.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    PointLocations
        `polygon`, an array of int64 with the lowest index of a polygon that contains each point, or -1, and `number`, an
        array of int64 with the number of points in each polygon.

    Raises
    ------
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import numpy as np, shapely, sat2d
    >>> zones = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2)]
    >>> polygon, number = sat2d.points_in_polygons(np.array([[1.0, 1.0], [2.0, 1.0], [9.0, 9.0]]), zones)
    >>> polygon
    array([ 0,  0, -1])
    >>> number
    array([2, 1])
    """
    with progress_bar(progress):
        given = converted(points, "points", invalid, threads, fill=fill)
        if not isinstance(given, PointSet):
            given = PointSet(given)
        zones = converted(polygons, "polygons", invalid, threads, fill=fill)
        if not isinstance(zones, PolygonSet):
            raise UnsupportedGeometryError("polygons are points; give polygons")
        check_crs(given, zones, ("points", "polygons"))
        return PointLocations(*_sat2d.points_in_polygons(given._core, zones._core, boundary=boundary, threads=threads))
