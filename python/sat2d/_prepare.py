"""Two sets that are packed once for many lists of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _sat2d
from ._arrays import BACKENDS, pair_array, text
from ._convert import converted
from ._crs import check_crs
from ._errors import UnsupportedGeometryError
from ._pairs import Areas
from ._sets import PolygonSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class Prepared:
    """The result of `prepare`: two sets of polygons, packed for any number of lists of pairs.

    The methods return the same values as `sat2d.relations`, `sat2d.contains` and `sat2d.areas`. If a set is large and a list is
    short, these functions spend most of their time on packing the set. A `Prepared` keeps the packed polygons and the boxes of
    their pieces. The time of `relations` therefore depends only on the list. For convex polygons, the times of `distances` and
    `areas` also depend only on the list.
    """

    __slots__ = ("_core", "_left", "_right", "_threads")

    _core: _sat2d.Prepared
    _left: PolygonSet
    _right: PolygonSet
    _threads: int | None

    def __repr__(self) -> str:
        return f"<sat2d.Prepared of {len(self._left)} and {len(self._right)} features>"

    def relations(self, pairs: ArrayLike) -> NDArray[np.uint8]:
        """The relation of each pair, as `sat2d.relations` returns it: 0 disjoint, 1 touching, 2 overlapping.

        Parameters
        ----------
        pairs
            Integers of shape 2 x n: indices of `a`, and indices of `b`.

        Raises
        ------
        OptionError
            An index is out of range.

        Examples
        --------
        >>> import shapely, sat2d
        >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(7, 0, 9, 2)]
        >>> prepared = sat2d.prepare(boxes)
        >>> prepared.relations([[0, 0], [1, 2]])
        array([1, 0], dtype=uint8)
        """
        return self._core.relations(pair_array(pairs), self._threads)

    def contains(self, pairs: ArrayLike) -> NDArray[np.bool_]:
        """Whether the first polygon of each pair contains the second, as `sat2d.contains` returns it.

        Parameters
        ----------
        pairs
            Integers of shape 2 x n: indices of `a`, and indices of `b`.

        Raises
        ------
        OptionError
            An index is out of range.

        Examples
        --------
        >>> import shapely, sat2d
        >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(7, 0, 9, 2)]
        >>> prepared = sat2d.prepare(boxes)
        >>> prepared.contains([[0, 0], [0, 1]])
        array([ True, False])
        """
        return _sat2d.contains(self._left._core, self._right._core, pair_array(pairs), threads=self._threads)

    def areas(self, pairs: ArrayLike) -> Areas:
        """The areas of each pair, as `sat2d.areas` returns them, in the square of the unit of the coordinates.

        Parameters
        ----------
        pairs
            Integers of shape 2 x n: indices of `a`, and indices of `b`.

        Raises
        ------
        OptionError
            An index is out of range.

        Examples
        --------
        >>> import shapely, sat2d
        >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(7, 0, 9, 2)]
        >>> prepared = sat2d.prepare(boxes)
        >>> prepared.areas([[0, 0], [0, 1]]).area
        array([4., 0.])
        """
        return Areas(*self._core.areas(pair_array(pairs), self._threads))

    def distances(self, pairs: ArrayLike) -> NDArray[np.float64]:
        """The distance between the polygons of each pair, in the unit of the coordinates.

        Parameters
        ----------
        pairs
            Integers of shape 2 x n: indices of `a`, and indices of `b`.

        Returns
        -------
        numpy.ndarray
            Array of float64 of length n. The distance is 0 if and only if the polygons have a common point. Otherwise, its
            error is at most 2^-44 of the size of the pair. The distance is NaN if a geometry of the pair is missing or empty.

        Raises
        ------
        OptionError
            An index is out of range.

        Examples
        --------
        >>> import shapely, sat2d
        >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(7, 0, 9, 2)]
        >>> prepared = sat2d.prepare(boxes)
        >>> prepared.distances([[0, 0], [1, 2]])
        array([0., 5.])
        """
        return self._core.distances(pair_array(pairs), self._threads)


def prepare(
    a: Any,
    b: Any = None,
    *,
    backend: str = "cpu",
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
) -> Prepared:
    """Pack two sets of polygons for many short lists of pairs. For one list, use `relations`, `areas` or `contains`.

    Parameters
    ----------
    a, b
        Any input of `PolygonSet`. Without `b`, both features of a pair are of `a`.
    backend
        `"cpu"`, `"gpu"` or `"auto"`. On a GPU, the packed sets stay in its memory. The answers are the same on every backend.
        Sets of large concave polygons, such as maps, are not packed. With any backend, the CPU decides their pairs by the
        edges of the polygons.
    invalid, fill, threads
        As for `query`.

    Raises
    ------
    DeviceError
        The backend is `"gpu"`, and there is no usable GPU.
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import shapely, sat2d
    >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(1, 1, 3, 4)]
    >>> prepared = sat2d.prepare(boxes)
    >>> prepared.relations([[0, 1], [1, 2]])
    array([1, 2], dtype=uint8)
    >>> prepared.areas([[0], [2]]).area
    array([1.])
    >>> prepared.distances([[0, 0], [1, 2]])
    array([0., 0.])
    """
    left = converted(a, "a", invalid, threads, fill=fill)
    right = left if b is None or b is a else converted(b, "b", invalid, threads, fill=fill)
    if not isinstance(left, PolygonSet) or not isinstance(right, PolygonSet):
        raise UnsupportedGeometryError("prepare is for polygons; for points use query or points_in_polygons")
    check_crs(left, right)
    made = Prepared.__new__(Prepared)
    made._core = _sat2d.Prepared(left._core, right._core, text("backend", backend, BACKENDS), threads=threads)
    made._left, made._right, made._threads = left, right, threads
    return made
