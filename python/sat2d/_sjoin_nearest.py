"""Joins of GeoDataFrames by the least distance."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import boolean
from ._convert import converted
from ._errors import OptionError
from ._nearest import nearest_of
from ._progress import progress_bar
from ._query import pairs_of
from ._sets import PointSet
from ._sjoin import check_frames, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._sets import PolygonSet

    Indices = NDArray[np.int64]
    Distances = NDArray[np.float64]

_GROWTH = 4
"""If all neighbours of a row have its geometry and are excluded, the next search finds at least this many times as many."""
_SLACK = 2.0**-40
"""A bound of the error of a distance, as a part of the size of all features. The error is at most 2^-44 of the size of the pair."""
_GREATEST_LIMIT = 2.0**201
"""The greatest limit of a search. No coordinate is greater."""


def sjoin_nearest(
    left_df: Any,
    right_df: Any,
    how: str = "inner",
    max_distance: float | None = None,
    lsuffix: str = "left",
    rsuffix: str = "right",
    distance_col: str | None = None,
    exclusive: bool = False,
    *,
    invalid: str = "raise",
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Any:
    """Join each row of a GeoDataFrame with the nearest rows of another one, with the arguments and the rows of GeoPandas.

    If several rows are at the least distance, the result has all of them. All rows that meet a geometry are at the distance 0.

    Parameters
    ----------
    left_df, right_df
        GeoDataFrames, each of polygons and multipolygons, or of points and multipoints.
    how
        `"inner"` and `"left"` find the nearest rows of `right_df` for each row of `left_df`. `"left"` also keeps the rows of
        `left_df` without a partner. `"right"` finds the nearest rows of `left_df` for each row of `right_df`, and keeps all rows
        of `right_df`. With `"right"`, the result has the geometries of `right_df`, otherwise those of `left_df`.
    max_distance
        The greatest distance, above 0, in the unit of the coordinates. Rows farther away are no partners. The limit applies to
        the distances as `distance_col` has them, which are rounded. In contrast, `nearest(within=)` decides by true distances.
    lsuffix, rsuffix
        Suffixes for the names of columns that both frames have, and of unnamed indices.
    distance_col
        The name of a column for the distances. By default, the result has no such column.
    exclusive
        If true, rows with an equal geometry are no partners. `shapely.equals` decides whether two geometries are equal.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    geopandas.GeoDataFrame
        The rows of `geopandas.sjoin_nearest`. They are in the order of the kept side, which is `right_df` with `"right"`, else
        `left_df`. The rows of one kept feature are in the order of the other side. A missing or empty geometry has no partner.
        The error of a distance is at most 2^-44 of the size of the pair. Two distances count as equal if they are the same
        float64.

    Raises
    ------
    ValueError
        An argument is invalid.
    Sat2dError
        A feature is invalid, or of a kind that sat2d does not join, such as a line. The message names `left_df` or `right_df` and
        the feature.

    Examples
    --------
    >>> import geopandas, shapely, sat2d
    >>> houses = geopandas.GeoDataFrame({"house": ["A", "B"]}, geometry=[shapely.box(0, 0, 1, 1), shapely.box(8, 0, 9, 1)])
    >>> wells = geopandas.GeoDataFrame({"well": ["x", "y", "z"]}, geometry=shapely.points([[3, 0], [3, 1], [7.5, 0]]))
    >>> sat2d.sjoin_nearest(houses, wells, distance_col="distance")[["house", "well", "distance"]]
      house well  distance
    0     A    x       2.0
    0     A    y       2.0
    1     B    z       0.5
    """
    check_frames(left_df, right_df, how, [])
    limit = _checked(max_distance)
    is_exclusive = boolean("exclusive", exclusive)
    _warn_of_degrees({"left_df": left_df, "right_df": right_df})
    sides = [(left_df, "left_df"), (right_df, "right_df")]
    if how == "right":
        sides.reverse()
    with progress_bar(progress):
        options = {"invalid": invalid, "threads": threads, "fill": fill}
        one, other, distances = _nearest(sides, limit, is_exclusive, options)
    found = np.stack((other, one) if how == "right" else (one, other))
    columns = {} if distance_col is None else {distance_col: distances}
    return joined(left_df, right_df, found, how, (lsuffix, rsuffix), columns)


def _checked(max_distance: Any) -> float:
    """Return the greatest distance, which is infinite if there is no limit."""
    if max_distance is None:
        return np.inf
    try:
        limit = float(max_distance)
    except OverflowError:
        limit = np.inf
    except (TypeError, ValueError):
        limit = np.nan
    if np.ndim(max_distance) != 0 or isinstance(max_distance, (str, bytes)) or not limit > 0:
        raise OptionError(f"max_distance = {max_distance!r}; give one number above 0")
    return limit


def _warn_of_degrees(frames: dict[str, Any]) -> None:
    for name, frame in frames.items():
        if frame.crs is not None and frame.crs.is_geographic:
            warnings.warn(
                f"{name} has longitudes and latitudes, so its distances are in degrees; use to_crs() with a projected CRS",
                UserWarning,
                stacklevel=3,
            )


def _nearest(
    sides: list[tuple[Any, str]], limit: float, exclusive: bool, options: dict[str, Any]
) -> tuple[Indices, Indices, Distances]:
    """Return, for each row of the first frame, the rows of the second frame at the least distance, and this distance.

    The pairs are sorted by the row of the first frame, then by the row of the second frame.
    """
    shapes = [frame.geometry for frame, _ in sides]
    sets = [converted(of_side, name, **options) for of_side, (_, name) in zip(shapes, sides)]
    meeting = _meeting(sets, options["threads"])
    is_equal = _equal(shapes, *meeting) if exclusive else np.zeros(len(meeting[0]), dtype=bool)
    equal = _Pairs(*(of_side[is_equal] for of_side in meeting))
    met, partners = (of_side[~is_equal] for of_side in meeting)
    parts = [(met, partners, np.zeros(len(met)))]
    # The other rows have no partner at the distance 0, or both sides are points.
    rows = np.setdiff1d(np.arange(len(shapes[0])), met)
    count, within = 1, _search_limit(shapes, limit)
    while len(rows) > 0:
        if len(rows) < len(sets[0]):
            sets[0] = converted(shapes[0].iloc[rows], sides[0][1], **options)
        found = nearest_of(sets[0], sets[1], count, within, options["threads"], ties=True, indexed=count > 1)
        pairs = (rows[found.left], found.right)
        is_partner = found.distance <= limit
        if exclusive:
            is_known = equal.have(*pairs)
            is_partner &= ~is_known
            unknown = np.flatnonzero((found.distance == 0) & ~is_known)
            is_partner[unknown] = ~_equal(shapes, pairs[0][unknown], pairs[1][unknown])
        is_answer, open_rows, count = _decided(found.left, found.distance, is_partner, count, limit)
        parts.append((pairs[0][is_answer], pairs[1][is_answer], found.distance[is_answer]))
        rows = rows[open_rows]
    one, other, distances = (np.concatenate(columns) for columns in zip(*parts))
    order = np.lexsort((other, one))
    return one[order], other[order], distances[order]


def _meeting(sets: list[PolygonSet | PointSet], threads: int | None) -> tuple[Indices, Indices]:
    """Return the pairs that meet, but no pairs of points and points.

    A join is faster than a search for nearest features if a row meets many others.
    """
    if all(isinstance(of_side, PointSet) for of_side in sets):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    one, other = pairs_of(sets[0], sets[1], "intersects", None, True, threads)
    return one, other


class _Pairs:
    """A set of pairs of rows."""

    def __init__(self, one: Indices, other: Indices) -> None:
        self._width = int(other.max(initial=0)) + 1
        self._keys = one * self._width + other

    def have(self, one: Indices, other: Indices) -> NDArray[np.bool_]:
        """Return whether the set has each of the given pairs."""
        keys = one * self._width + other
        has: NDArray[np.bool_] = np.isin(keys, self._keys) & (other < self._width)
        return has


def _search_limit(shapes: list[Any], limit: float) -> float | None:
    """Return a limit of the true distance that leaves out no pair whose rounded distance is within `limit`."""
    bounds = np.array([of_side.total_bounds for of_side in shapes])
    size = np.nanmax(bounds, initial=0.0) - np.nanmin(bounds, initial=0.0)
    padded = limit + _SLACK * (limit + size)
    return float(padded) if padded <= _GREATEST_LIMIT else None


def _decided(
    left: Indices, distances: Distances, is_partner: NDArray[np.bool_], count: int, limit: float
) -> tuple[NDArray[np.bool_], Indices, int]:
    """Return which neighbours are partners at the least distance, the rows that need more neighbours, and how many.

    The neighbours of each row are sorted by distance. They are the `count` nearest ones and all others at the distance of the last
    one. A row needs more neighbours if it has at least `count` neighbours within the limit, and none of them is a partner.
    """
    if len(left) == 0:
        return is_partner, left, count
    starts = np.flatnonzero(np.r_[True, left[1:] != left[:-1]])
    sizes = np.diff(np.r_[starts, len(left)])
    least = np.minimum.reduceat(np.where(is_partner, distances, np.inf), starts)
    is_open = (sizes >= count) & np.isinf(least) & (distances[starts + sizes - 1] <= limit)
    is_answer = is_partner & (distances == np.repeat(least, sizes))
    # Rows with many equal geometries do not make the search larger for the other rows.
    fewest = int(np.min(sizes[is_open], initial=len(left)))
    return is_answer, left[starts[is_open]], max(count * _GROWTH, fewest + 1)


def _equal(shapes: list[Any], one: Indices, other: Indices) -> NDArray[np.bool_]:
    import shapely

    is_equal: NDArray[np.bool_] = shapely.equals(shapes[0].to_numpy()[one], shapes[1].to_numpy()[other])
    return is_equal
