"""Features that are packed once and queried many times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sat2d
from ._arrays import boolean, pair_array
from ._convert import converted
from ._crs import check_crs
from ._errors import UnsupportedGeometryError
from ._join import PairTable, join_options, table_of
from ._nearest import Nearest, nearest_of
from ._pairs import Areas
from ._progress import progress_bar
from ._query import check_pairs, check_predicate, pairs_of
from ._sets import PointSet, PolygonSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# The names of the two sides of a query of an index, in messages.
_NAMES = ("geometries", "the index")


class Index:
    """Features that are checked and packed once and can be queried many times, like `shapely.STRtree`.

    The first query of few geometries builds a search tree. Later queries of few geometries take a time that depends on the
    number of features that they find.

    Parameters
    ----------
    geometries, invalid, fill, threads
        As for `PolygonSet`. Points are accepted as well. `query` and `join` look at all points of an index of points.

    Examples
    --------
    >>> import shapely, sat2d
    >>> index = sat2d.Index([shapely.box(0, 0, 1, 1), shapely.box(2, 0, 3, 1)])
    >>> index.query(shapely.box(0.5, 0.5, 2.5, 0.75))
    array([0, 1])
    >>> index.query([shapely.box(0, 0, 9, 9), None, shapely.box(2, 0, 3, 1)], predicate="covers")
    array([[0, 0, 2],
           [0, 1, 1]])
    """

    __slots__ = ("_prepared", "_set", "_threads")

    def __init__(
        self, geometries: Any, *, invalid: str | None = None, fill: str | None = None, threads: int | None = None
    ) -> None:
        self._set = converted(geometries, "geometries", invalid, threads, fill=fill)
        self._threads = threads
        # The packed features, which the first call of `areas` makes.
        self._prepared: _sat2d.Prepared | None = None

    def __len__(self) -> int:
        return len(self._set)

    def __repr__(self) -> str:
        return f"<sat2d.Index of {self._set!r}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _unpickled_index, (self._set, self._threads)

    @property
    def geometries(self) -> PolygonSet | PointSet:
        """The set of the features, which also lists the features that were left out.

        >>> import shapely, sat2d
        >>> sat2d.Index([shapely.box(0, 0, 1, 1)]).geometries
        <sat2d.PolygonSet of 1 features, 1 convex pieces>
        """
        return self._set

    def query(
        self,
        geometries: Any,
        predicate: str = "intersects",
        *,
        distance: float | None = None,
        invalid: str | None = None,
        fill: str | None = None,
        threads: int | None = None,
    ) -> NDArray[np.int64]:
        """Find the features of the index for which `predicate(geometry, feature)` holds.

        Parameters
        ----------
        geometries
            One Shapely geometry, or any input of `query`.
        predicate, distance, invalid, fill, threads
            As for `query`.

        Returns
        -------
        numpy.ndarray
            For one geometry, the indices of the features, in ascending order. Otherwise, an array of int64 of shape 2 x n, like
            the result of `shapely.STRtree.query`: indices of `geometries`, and indices of the features.

        Raises
        ------
        Sat2dError
            As `query` raises it.

        Examples
        --------
        >>> import shapely, sat2d
        >>> index = sat2d.Index([shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2)])
        >>> index.query(shapely.Point(2, 1), predicate="touches")
        array([0, 1])
        """
        check_predicate(predicate, distance)
        used = self._used(threads)
        is_one = hasattr(geometries, "geom_type") and np.ndim(geometries) == 0
        given = converted(geometries, "geometries", invalid, used, fill=fill)
        check_crs(given, self._set, _NAMES)
        found = pairs_of(given, self._set, predicate, distance, True, used, indexed=True)
        return found[1] if is_one else found

    def query_pairs(
        self,
        predicate: str = "intersects",
        *,
        distance: float | None = None,
        pairs: str = "once",
        threads: int | None = None,
        progress: bool = False,
    ) -> NDArray[np.int64]:
        """Find the pairs of features of the index for which `predicate(feature, other)` holds. Nothing is checked again.

        Parameters
        ----------
        predicate, distance, threads, progress
            As for `query`.
        pairs
            `"once"` returns each pair of different features once, with the lower index first. If the predicate has a
            direction, such as `contains`, each pair has the direction that holds. Two equal features contain each other, so
            this pair has both directions. `"all"` returns the pairs of `shapely.STRtree.query` with the features of the tree:
            both directions, and each feature with itself.

        Returns
        -------
        numpy.ndarray
            Array of int64 of shape 2 x n with indices of the features. The pairs are sorted by the first row, then by the
            second row.

        Raises
        ------
        OptionError
            An argument has an invalid value.
        UnsupportedPredicateError
            sat2d does not have the predicate for two polygons.

        Examples
        --------
        >>> import shapely, sat2d
        >>> index = sat2d.Index(shapely.box([0, 1, 5], 0, [1, 2, 6], 1))
        >>> index.query_pairs("touches")
        array([[0],
               [1]])
        >>> index.query_pairs("dwithin", distance=3, pairs="all")
        array([[0, 0, 1, 1, 1, 2, 2],
               [0, 1, 0, 1, 2, 1, 2]])
        """
        check_pairs(pairs)
        check_predicate(predicate, distance)
        with progress_bar(progress):
            return pairs_of(self._set, None, predicate, distance, pairs == "all", self._used(threads))

    def nearest(
        self,
        geometries: Any,
        k: int = 1,
        *,
        within: float | None = None,
        ties: bool = False,
        invalid: str | None = None,
        fill: str | None = None,
        threads: int | None = None,
    ) -> Nearest:
        """Find the k nearest features of the index for each geometry.

        Parameters
        ----------
        geometries
            One Shapely geometry, or any input of `nearest`.
        k, within, ties, invalid, fill, threads
            As for `nearest`.

        Returns
        -------
        Nearest
            The result of `nearest`. `left` has indices of `geometries`, and `right` has indices of the features.

        Raises
        ------
        Sat2dError
            As `nearest` raises it.

        Examples
        --------
        >>> import shapely, sat2d
        >>> index = sat2d.Index([shapely.box(0, 0, 1, 1), shapely.box(5, 0, 6, 1)])
        >>> index.nearest(shapely.Point(4, 0.5)).right
        array([1])
        """
        used = self._used(threads)
        given = converted(geometries, "geometries", invalid, used, fill=fill)
        check_crs(given, self._set, _NAMES)
        return nearest_of(given, self._set, k, within, used, ties=boolean("ties", ties), indexed=True)

    def join(
        self,
        geometries: Any,
        *,
        relation: str | None = None,
        within: float | None = None,
        measure: str | Sequence[str] = (),
        min_area: float | None = None,
        min_iou: float | None = None,
        keep: str | None = None,
        backend: str = "cpu",
        invalid: str | None = None,
        fill: str | None = None,
        threads: int | None = None,
        progress: bool = False,
    ) -> PairTable:
        """Find the pairs of a geometry and a feature of the index, with their relations and measurements.

        A join of few geometries takes a time that depends on the number of features near them.

        Parameters
        ----------
        geometries
            One Shapely geometry, or any input of `join`.
        relation, within, measure, min_area, min_iou, keep, backend, invalid, fill, threads, progress
            As for `join`. `keep="largest"` keeps one pair of each geometry.

        Returns
        -------
        PairTable
            The table of `join(geometries, features)`. `left` has indices of `geometries`, and `right` has indices of the
            features. In `skipped` and `filled`, the geometries are `a`, and the features are `b`.

        Raises
        ------
        Sat2dError
            As `join` raises it.

        Examples
        --------
        >>> import shapely, sat2d
        >>> index = sat2d.Index(shapely.box([0, 2, 7], 0, [2, 4, 9], 2))
        >>> table = index.join(shapely.box(1, 0, 3.5, 2), measure=["area", "iou"], min_area=2.5)
        >>> table["right"], table["area"]
        (array([1]), array([3.]))
        """
        options = join_options(relation, within, measure, min_area, min_iou, keep, backend)
        used = self._used(threads)
        with progress_bar(progress):
            given = converted(geometries, "geometries", invalid, used, fill=fill)
            check_crs(given, self._set, _NAMES)
            return table_of(given, self._set, options, used, indexed=True)

    def join_pairs(
        self,
        *,
        relation: str | None = None,
        within: float | None = None,
        measure: str | Sequence[str] = (),
        min_area: float | None = None,
        min_iou: float | None = None,
        keep: str | None = None,
        backend: str = "cpu",
        threads: int | None = None,
        progress: bool = False,
    ) -> PairTable:
        """Find the pairs of features of the index, with their relations and measurements. Nothing is checked again.

        Parameters
        ----------
        relation, within, measure, min_area, min_iou, keep, backend, threads, progress
            As for `join`. `keep="largest"` keeps one pair of each feature.

        Returns
        -------
        PairTable
            The table of `join(features)`. `left` and `right` have indices of the features. Each pair occurs once, with the
            lower index on the left.

        Raises
        ------
        OptionError
            An argument has an invalid value.

        Examples
        --------
        >>> import shapely, sat2d
        >>> index = sat2d.Index(shapely.box([0, 2, 7], 0, [2, 4, 9], 2))
        >>> index.join_pairs(within=3, measure="distance")["distance"]
        array([0., 3.])
        """
        options = join_options(relation, within, measure, min_area, min_iou, keep, backend)
        with progress_bar(progress):
            return table_of(self._set, None, options, self._used(threads))

    def areas(self, pairs: ArrayLike, *, threads: int | None = None) -> Areas:
        """Measure the area that the two features of each given pair have in common.

        The first call packs the features for this measurement. The index keeps the packed features, so if the features are
        convex, later calls take a time that depends only on the number of pairs.

        Parameters
        ----------
        pairs
            Integers of shape 2 x n: indices of features of the index, as `query_pairs` returns them.
        threads
            As for `query`.

        Returns
        -------
        Areas
            Four arrays of float64 of length n, as `sat2d.areas` returns them, in the square of the unit of the coordinates.

        Raises
        ------
        OptionError
            An index is out of range.
        UnsupportedGeometryError
            The index has points.

        Examples
        --------
        >>> import shapely, sat2d
        >>> index = sat2d.Index(shapely.box([0, 1, 7], 0, [2, 3, 9], 2))
        >>> found = index.areas(index.query_pairs("overlaps"))
        >>> found.area, found.left_area
        (array([2.]), array([4.]))
        """
        used, given = self._used(threads), pair_array(pairs)
        core = self._polygons()._core
        if self._prepared is None:
            self._prepared = _sat2d.Prepared(core, core, "cpu", threads=used)
        return Areas(*self._prepared.areas(given, used))

    def _polygons(self) -> PolygonSet:
        """Return the features of the index, or raise an error if they are points."""
        if not isinstance(self._set, PolygonSet):
            raise UnsupportedGeometryError("the index has points; make it from polygons")
        return self._set

    def _used(self, threads: int | None) -> int | None:
        """Return the number of threads of a call."""
        return self._threads if threads is None else threads


def _unpickled_index(features: PolygonSet | PointSet, threads: int | None) -> Index:
    return Index(features, threads=threads)
