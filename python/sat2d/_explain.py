"""Explanations of single pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _sat2d
from ._convert import converted
from ._crs import check_crs
from ._errors import OptionError, UnsupportedGeometryError
from ._sets import PointSet, PolygonSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, repr=False, eq=False)
class Explanation:
    """The result of `explain`. `print` shows it as a table, and a notebook shows it as a picture."""

    relation: str
    """The exact relation: `disjoint`, `touching` or `overlapping`, or for a point `outside`, `boundary` or `inside`."""
    verdict: str
    """One sentence with the relation and the axis that shows it. If pieces are rounded and therefore have another relation,
    the sentence says so and names no axis. For overlapping polygons, the sentence otherwise also gives a translation that
    separates them, if one was found."""
    text: str
    """The table: one row for each axis, with both projections. Numbers are rounded."""
    vertices: tuple[NDArray[np.float64], NDArray[np.float64]]
    """The vertices of the explained convex pieces of `a` and of `b`, as arrays of shape n x 2. A point has one row."""
    svg: str | None
    """The picture, with both pieces, the axes beside them, and both projections. `None` for a point."""
    translation: tuple[float, float] | None
    """A translation of `b` after which the two polygons do not overlap. The verdict says whether it is the shortest one.
    (0, 0) if the polygons do not overlap. `None` if no translation was found, and for a point."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<sat2d.Explanation: {self.verdict}>"

    def _repr_svg_(self) -> str | None:
        return self.svg


def explain(
    a: Any,
    b: Any = None,
    pair: tuple[int, int] | None = None,
    *,
    invalid: str | None = None,
    fill: str | None = None,
    threads: int | None = None,
) -> Explanation:
    """Explain why two polygons overlap, touch or lie apart, or why a point is in a polygon.

    If a polygon is split into several convex pieces, the explanation is about the pair of pieces that decides the relation. If
    the polygons overlap, the verdict names a translation that separates the whole polygons, if one was found.

    Parameters
    ----------
    a, b
        One Shapely geometry each, or any input of `query`. `a` may have points, and `b` must have polygons. `None` as `b`
        means `a`.
    pair
        The index of a feature in `a` and of one in `b`. `None` means (0, 0), or (0, 1) without `b`.
    invalid, fill, threads
        As for `query`.

    Returns
    -------
    Explanation
        The explanation, with a table of all axes and a picture. Lengths are in the unit of the coordinates.

    Raises
    ------
    OptionError
        An index is out of range.
    InvalidGeometryError
        A feature of the pair has no region, because it is missing, empty or skipped.
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import shapely, sat2d
    >>> found = sat2d.explain(shapely.box(0, 0, 4, 4), shapely.box(3, 1, 6, 2))
    >>> found.relation, found.translation
    ('overlapping', (1.0, 0.0))
    >>> print(sat2d.explain(shapely.Point(1, 1), shapely.box(0, 0, 4, 4)).verdict)
    inside: A is within B's projection on every axis, by 1 at least, on axis 1
    """
    left = converted(a, "a", invalid, threads, fill=fill)
    right = left if b is None else converted(b, "b", invalid, threads, fill=fill)
    if not isinstance(right, PolygonSet):
        raise UnsupportedGeometryError("b has points; give the polygons as b")
    check_crs(left, right)
    i, j = ((0, 1) if b is None else (0, 0)) if pair is None else pair
    for name, index, features in (("a", i, left), ("b", j, right)):
        if not 0 <= index < len(features):
            raise OptionError(f"pair names feature {index} of {name}, which has {len(features)}; features count from 0")
    names = [_name(left, i), _name(right, j)]
    if isinstance(left, PointSet):
        of_point = _sat2d.explain_point(left._core, right._core, (i, j), names, threads=threads)
        if of_point is None:
            raise OptionError(f"feature {i} of a has no point; name another feature")
        found = of_point
    else:
        found = _sat2d.explain(left._core, right._core, (i, j), names, threads=threads)
    relation, verdict, text, of_a, of_b, svg, translation = found
    return Explanation(relation, verdict, text, (of_a, of_b), svg, translation)


def _name(features: PolygonSet | PointSet, index: int) -> str:
    names = features._names()
    return str(index if names is None else names[index])
