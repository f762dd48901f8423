"""Relations and measurements of all pairs, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sat2d
from ._convert import converted
from ._errors import OptionError, UnsupportedGeometryError
from ._sets import PolygonSet, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

RELATIONS = ("disjoint", "touching", "overlapping")
"""The names of the codes of relations."""


class PairTable:
    """The result of `join`: one row for each pair, as columns of NumPy.

    `table["left"]` is a column. The table has the PyCapsule interface of Arrow, so `pyarrow.table(table)`,
    `polars.DataFrame(table)` and DuckDB read it. There, `relation` has names, and NaN is null.

    Examples
    --------
    >>> import shapely, sat2d
    >>> table = sat2d.join([shapely.box(0, 0, 2, 2), shapely.box(1, 0, 3, 2)], measure="penetration")
    >>> table.columns
    ['left', 'right', 'relation', 'depth', 'normal_x', 'normal_y']
    >>> table["depth"]
    array([1.])
    """

    __slots__ = ("_columns", "backend", "reason", "skipped")

    backend: str
    """The backend that decided the pairs: `cpu` or `gpu`."""
    reason: str
    """The reason for the choice of the backend."""
    skipped: list[Skipped]
    """The invalid features of both inputs that were left out."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], *, backend: str, reason: str, skipped: Sequence[Skipped]) -> None:
        self._columns = dict(columns)
        self.backend = backend
        self.reason = reason
        self.skipped = list(skipped)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(self._columns["left"])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __repr__(self) -> str:
        return f"<sat2d.PairTable of {len(self)} pairs: {', '.join(self._columns)}>"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as a stream of Arrow."""
        return _sat2d.stream(list(self._columns.items()), requested_schema)

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`; `relation` is categorical."""
        import pandas

        frame = pandas.DataFrame(self._columns)
        frame["relation"] = pandas.Categorical.from_codes(self._columns["relation"].astype(np.int8), list(RELATIONS))
        return frame

    def to_arrow(self) -> Any:
        """The table as a `pyarrow.Table`."""
        import pyarrow

        return pyarrow.table(self)


def join(
    a: Any,
    b: Any = None,
    *,
    relation: str | None = None,
    within: float | None = None,
    measure: str | Sequence[str] = (),
    backend: str = "cpu",
    invalid: str = "raise",
    threads: int | None = None,
) -> PairTable:
    """Find all pairs of polygons that meet, or that are near each other, with their relations and measurements.

    Parameters
    ----------
    a, b
        Any input of `PolygonSet`. Without `b`, the pairs are of `a`: each once, with the lower index on the left.
    relation
        `"touching"` or `"overlapping"` keeps only pairs of this relation, `"meeting"` keeps both. `None` keeps the pairs
        that meet, or with `within` also disjoint pairs.
    within
        The greatest distance of a pair, in the unit of the coordinates, from 0 on. The comparison is exact.
    measure
        Some of `"distance"` (needs `within`), `"penetration"` and `"manifold"`.
    backend
        `"cpu"`, `"gpu"`, or `"auto"`, which takes a GPU for large joins. The pairs and all digits are the same. Only
        `"gpu"` and `"auto"` load the drivers of the GPU.
    invalid, threads
        As for `query`.

    Returns
    -------
    PairTable
        A row for each pair, sorted by `left`, then by `right`:

        - `left`, `right`: indices of `a` and `b`, int64.
        - `relation`: 0 disjoint, 1 touching, 2 overlapping, uint8.
        - with `"distance"`: `distance`, and the closest points (`left_x`, `left_y`, `right_x`, `right_y`; NaN if the pair
          meets).
        - with `"penetration"`: `depth`, 0 or more, and the unit normal from left to right (`normal_x`, `normal_y`) of the
          deepest pair of convex pieces; NaN for disjoint pairs.
        - with `"manifold"`: `contacts`, the number of contact points, their unit normal from left to right
          (`contact_normal_x`, `contact_normal_y`), and for each of at most two contact points the position and the gap,
          which is negative inside (`contact1_x`, `contact1_y`, `contact1_separation`, and with 2).

        Lengths are in the unit of the coordinates.

    Raises
    ------
    DeviceError
        The backend is `"gpu"`, and there is no usable GPU.
    Sat2dError
        As `query` raises it.

    Examples
    --------
    >>> import shapely, sat2d
    >>> boxes = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(5, 0, 6, 1)]
    >>> table = sat2d.join(boxes, within=3, measure="distance")
    >>> table["left"].tolist(), table["right"].tolist(), table["distance"].tolist()
    ([0, 1], [1, 2], [0.0, 3.0])
    >>> table.to_pandas()["relation"].tolist()
    ['touching', 'disjoint']
    """
    names = [measure] if isinstance(measure, str) else list(measure)
    left = converted(a, "a", invalid, threads)
    right = None if b is None else converted(b, "b", invalid, threads)
    if not isinstance(left, PolygonSet) or not (right is None or isinstance(right, PolygonSet)):
        raise UnsupportedGeometryError("join is for polygons; for points use query or points_in_polygons")
    if not all(isinstance(name, str) for name in names):
        raise OptionError("measure has an item that is no name; give 'distance', 'penetration' and 'manifold'")
    columns, used, reason = _sat2d.join(
        left._core,
        None if right is None else right._core,
        relation=relation,
        within=None if within is None else float(within),
        measure=names,
        backend=backend,
        threads=threads,
    )
    skipped = left.skipped if right is None or right is left else left.skipped + right.skipped
    return PairTable(columns, backend=used, reason=reason, skipped=skipped)
