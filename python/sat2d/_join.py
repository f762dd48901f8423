"""Relations and measurements of all pairs, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sat2d
from ._arrays import BACKENDS, boolean, number, text
from ._convert import converted
from ._crs import check_crs
from ._errors import OptionError
from ._nearest import neighbour_count
from ._progress import progress_bar
from ._sets import Filled, PointSet, PolygonSet, Skipped, named, named_filled, skips

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

RELATIONS = ("disjoint", "touching", "overlapping")
"""The names of the relations of two polygons. The code of a relation is its index here."""

POINT_RELATIONS = ("outside", "boundary", "inside")
"""The names of the relations of a point and a polygon. The code of a relation is its index here."""


class PairTable:
    """The result of `join`: a table with one row for each pair. The columns are NumPy arrays.

    `table["left"]` is a column. The table has the Arrow PyCapsule interface, so `pyarrow.table(table)`,
    `polars.DataFrame(table)` and DuckDB can read it. Through this interface, `relation` has names instead of codes, and NaN is
    null.

    Examples
    --------
    >>> import shapely, sat2d
    >>> table = sat2d.join([shapely.box(0, 0, 2, 2), shapely.box(1, 0, 3, 2)], measure="penetration")
    >>> table.columns
    ['left', 'right', 'relation', 'depth', 'normal_x', 'normal_y']
    >>> table["depth"]
    array([1.])
    """

    __slots__ = ("_columns", "_has_both", "_left_count", "backend", "filled", "reason", "relation_names", "skipped")

    backend: str
    """The backend that decided the pairs: `cpu` or `gpu`."""
    reason: str
    """The reason for the choice of the backend."""
    skipped: list[Skipped]
    """The invalid features of both inputs that were left out. `argument` is the side, `a` or `b`, or the path of a file."""
    filled: list[Filled]
    """The features of both inputs that are valid only by the rule `fill`, in the form of `skipped`."""
    relation_names: tuple[str, str, str]
    """The names of the codes in the column `relation`: `RELATIONS`, or `POINT_RELATIONS` if `a` or `b` has points."""

    def __init__(
        self,
        columns: Mapping[str, NDArray[Any]],
        *,
        backend: str,
        reason: str,
        skipped: Sequence[Skipped],
        filled: Sequence[Filled] = (),
        left_count: int = 0,
        has_both: bool = False,
        has_points: bool = False,
    ) -> None:
        self._columns = dict(columns)
        self.backend = backend
        self.reason = reason
        self.skipped = list(skipped)
        self.filled = list(filled)
        # Whether a row counts for both of its features.
        self._left_count, self._has_both = left_count, has_both
        self.relation_names = POINT_RELATIONS if has_points else RELATIONS

    @property
    def columns(self) -> list[str]:
        """The names of the columns.

        >>> import shapely, sat2d
        >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(7, 0, 9, 2)]
        >>> sat2d.join(boxes, measure="area").columns
        ['left', 'right', 'relation', 'area']
        """
        return list(self._columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(self._columns["left"])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __repr__(self) -> str:
        return f"<sat2d.PairTable of {len(self)} pairs: {', '.join(self._columns)}>"

    def counts(self) -> NDArray[np.int64]:
        """The number of pairs of each feature of `a`.

        In a join without `b`, a pair counts for both of its features. With `keep` or `nearest`, it counts for its left feature
        only.

        >>> import shapely, sat2d
        >>> boxes = shapely.box([0, 1, 5], 0, [1, 2, 6], 1)
        >>> sat2d.join(boxes).counts()
        array([1, 1, 0])
        """
        counts = np.bincount(self._columns["left"], minlength=self._left_count)
        if self._has_both:
            counts += np.bincount(self._columns["right"], minlength=self._left_count)
        return counts.astype(np.int64)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream."""
        return _sat2d.stream(list(self._columns.items()), self.relation_names, requested_schema)

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`. The column `relation` is categorical.

        >>> import shapely, sat2d
        >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(7, 0, 9, 2)]
        >>> sat2d.join(boxes).to_pandas()
           left  right  relation
        0     0      1  touching
        """
        import pandas

        frame = pandas.DataFrame(self._columns)
        codes = self._columns["relation"].astype(np.int8)
        frame["relation"] = pandas.Categorical.from_codes(codes, list(self.relation_names))
        return frame

    def to_arrow(self) -> Any:
        """The table as a `pyarrow.Table`.

        >>> import shapely, sat2d
        >>> boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(7, 0, 9, 2)]
        >>> sat2d.join(boxes).to_arrow()["relation"].to_pylist()
        ['touching']
        """
        import pyarrow

        return pyarrow.table(self)


def join(
    a: Any,
    b: Any = None,
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
    """Find all pairs of polygons that meet, or that are near each other, with their relations and measurements.

    The inputs may have points. If one of two inputs has points, each pair is a pair of a point and a polygon.

    Parameters
    ----------
    a, b
        Any input of `PolygonSet` or `PointSet`. Without `b`, both features of a pair are of `a`, and each pair occurs once,
        with the lower index on the left.
    relation
        `"touching"` or `"overlapping"` keeps only pairs with this relation, and `"meeting"` keeps both kinds. `None` keeps all
        pairs that meet, and with `within` also the disjoint pairs within this distance. If one of two inputs has points,
        `"boundary"` or `"touching"` keeps the points on a boundary, and `"inside"` or `"overlapping"` keeps the points inside a
        polygon. Two points with the same position are `"touching"`.
    within
        The greatest distance between the two features of a pair, 0 or more, in the unit of the coordinates. The comparison is
        exact.
    measure
        The names of measurements: any of `"distance"` (which needs `within`), `"penetration"`, `"manifold"`, `"area"`, `"iou"`,
        `"left_area"` and `"right_area"`. If an input has points, only `"distance"` can be measured.
    min_area
        Keep only pairs with at least this common area, in the square of the unit of the coordinates. The comparison uses the
        rounded area.
    min_iou
        Keep only pairs with at least this intersection over union, from 0 to 1. The comparison uses the rounded value.
    keep
        `"largest"` keeps only the pair with the largest common area for each feature of `a`. If areas are equal, the pair with
        the lowest index of `b` is kept. A feature that overlaps nothing has no pair. Without `b`, each row has a feature on
        the left, and on the right the other feature that shares the largest area with it. Two features that choose each other
        have two rows.
    backend
        `"cpu"`, `"gpu"`, or `"auto"`, which uses a GPU for large joins. The results are the same to the last digit. Only
        `"gpu"` and `"auto"` load the drivers of the GPU.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    PairTable
        A row for each pair, sorted by `left`, then by `right`:

        - `left`, `right`: indices of `a` and `b`, int64.
        - `relation`: 0 for disjoint, 1 for touching, 2 for overlapping, uint8. If one of two inputs has points: 0 for
          outside, 1 for on the boundary, 2 for inside. A multipoint is inside if one of its points is inside. Otherwise, it is
          on the boundary if one of its points is on the boundary.
        - with `"distance"`: `distance`, and the closest points (`left_x`, `left_y`, `right_x`, `right_y`). The points are NaN
          if the features meet.
        - with `"penetration"`: `depth`, 0 or more, and the unit normal from left to right (`normal_x`, `normal_y`) of the
          deepest pair of convex pieces. These columns are NaN for disjoint pairs.
        - with `"manifold"`: `contacts`, the number of contact points, and their unit normal from left to right
          (`contact_normal_x`, `contact_normal_y`). For each of at most two contact points, the position and the gap, which
          is negative if the polygons overlap there (`contact1_x`, `contact1_y`, `contact1_separation`, and `contact2_...`).
        - with `"area"`: `area`, the common area, which is above 0 if and only if the two polygons overlap.
        - with `"iou"`: `iou`, the intersection over union, which is 1 if and only if both polygons are the same region.
        - with `"left_area"` and `"right_area"`: the area of each polygon.

        The columns of measurements come in this order. Lengths are in the unit of the coordinates.

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
    >>> floods = [shapely.box(0.75, 0, 1.5, 1), shapely.box(1.25, 0, 5.25, 1)]
    >>> table = sat2d.join(boxes, floods, measure=["area", "iou"], keep="largest")
    >>> table["right"].tolist(), table["area"].tolist()
    ([0, 1, 1], [0.25, 0.75, 0.25])
    >>> trees = shapely.points([[1.0, 0.5], [5.5, 0.5]])
    >>> table = sat2d.join(boxes, trees)
    >>> table.to_pandas()["relation"].tolist(), table.counts().tolist()
    (['boundary', 'boundary', 'inside'], [1, 1, 1])
    """
    options = join_options(relation, within, measure, min_area, min_iou, keep, backend)
    with progress_bar(progress):
        left = converted(a, "a", invalid, threads, fill=fill)
        right = None if b is None else converted(b, "b", invalid, threads, fill=fill)
        check_crs(left, right)
        return table_of(left, right, options, threads)


def table_of(
    left: PolygonSet | PointSet,
    right: PolygonSet | PointSet | None,
    options: dict[str, Any],
    threads: int | None,
    *,
    indexed: bool = False,
) -> PairTable:
    """Join two sets, or one set if `right` is `None`.

    If `indexed` is true and `left` is small, the call searches an index of `right`. The set keeps the index for the next call.
    """
    columns, used, reason = _joined(left, right, options, threads, indexed)
    # The entries of a set name the input of the set. Here they name the side, which tells the two sets apart.
    sides = {"a": left} if right is None or right is left else {"a": left, "b": right}
    skipped = [entry._replace(argument=name) for name, side in sides.items() for entry in side._skipped]
    filled = [entry._replace(argument=name) for name, side in sides.items() for entry in side._filled]
    return PairTable(
        columns,
        backend=used,
        reason=reason,
        skipped=skipped,
        filled=filled,
        left_count=len(left),
        has_both=right is None and options["keep"] is None,
        has_points=right is not None and isinstance(left, PointSet) != isinstance(right, PointSet),
    )


def _joined(
    left: PolygonSet | PointSet,
    right: PolygonSet | PointSet | None,
    options: dict[str, Any],
    threads: int | None,
    indexed: bool,
) -> tuple[dict[str, NDArray[Any]], str, str]:
    """Return the columns of a join, the backend, and the reason for the choice of the backend."""
    if isinstance(left, PointSet):
        if right is None or isinstance(right, PointSet):
            return _sat2d.join_positions(left._core, None if right is None else right._core, options, threads=threads)
        return _sat2d.join_points(left._core, right._core, options, swapped=False, indexed=indexed, threads=threads)
    if isinstance(right, PointSet):
        return _sat2d.join_points(right._core, left._core, options, swapped=True, indexed=False, threads=threads)
    return _sat2d.join(left._core, None if right is None else right._core, options, indexed=indexed, threads=threads)


def join_options(
    relation: str | None,
    within: float | None,
    measure: str | Sequence[str],
    min_area: float | None,
    min_iou: float | None,
    keep: str | None,
    backend: str,
    nearest: int | None = None,
    ties: bool = False,
) -> dict[str, Any]:
    """Return the options of a join in the form of the extension module."""
    if boolean("ties", ties) and nearest is None:
        raise OptionError("ties = True belongs to nearest; give nearest=K, or leave ties out")
    if isinstance(measure, str):
        measure = [measure]
    if not isinstance(measure, Iterable):
        raise OptionError(f"measure = {measure!r}; give a list of names such as 'distance' and 'area'")
    names = list(measure)
    if not all(isinstance(name, str) for name in names):
        raise OptionError("measure has an item that is no name; give names such as 'distance' and 'area'")
    relations = "'touching', 'overlapping' or 'meeting', or for points 'boundary' or 'inside', or None"
    return {
        "relation": None if relation is None else text("relation", relation, relations),
        "within": number("within", within),
        "measure": names,
        "min_area": number("min_area", min_area),
        "min_iou": number("min_iou", min_iou),
        "keep": None if keep is None else text("keep", keep, "'largest' or None"),
        "nearest": None if nearest is None else neighbour_count("nearest", nearest),
        "ties": bool(ties),
        "backend": text("backend", backend, BACKENDS),
    }


def join_files(
    a: str | PathLike[str],
    b: str | PathLike[str] | None = None,
    *,
    out: str | PathLike[str] | None = None,
    relation: str | None = None,
    within: float | None = None,
    measure: str | Sequence[str] = (),
    min_area: float | None = None,
    min_iou: float | None = None,
    keep: str | None = None,
    nearest: int | None = None,
    ties: bool = False,
    count: bool = False,
    backend: str = "cpu",
    geometry: str | None = None,
    id: str | None = None,
    ignore_crs: bool = False,
    invalid: str = "raise",
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> PairTable:
    """Join the features of two files, or of one file, and write the pairs with the names of their features.

    The files may have points. If one of two files has points, each pair is a pair of a point and a polygon.

    Parameters
    ----------
    a, b
        Files of polygons or of points, in the formats of `read`. Without `b`, both features of a pair are of `a`.
    out
        The file to which the pairs are written, with the ending `.csv`, `.jsonl`, `.geojson`, each also with `.gz`, or with the
        ending `.parquet`, `.arrow`, `.feather` or `.arrows`. The file has the columns and the numbers of the program
        `sat2d join`, where `a` and `b` are the names of the features. A measurement of decimal coordinates is a short decimal
        in the file, such as 0.2, and the computed number in the table, such as 0.19999999999999998. With `within` or `nearest`,
        the file has the column `distance` even if `measure` does not name it. GeoJSON also has the place of each pair: the
        point, the contact points (not with `nearest`), or the line between the closest points. The file is written completely
        or not at all. `None` writes no file.
    relation, within, measure, min_area, min_iou, keep, backend
        As for `join`. `min_area`, `min_iou` and `keep` compare the areas in the form that the file has, even if `out` is
        `None`.
    nearest
        The number of nearest features of `b` to find for each feature of `a`, 1 or more, whether they meet or not. Without
        `b`, the nearest other features of `a` are found. `within` leaves out features farther away. Among features at equal
        distances, those with lower indices come first. The distance of a multipoint is the distance of its nearest point.
        `relation`, `min_area`, `min_iou`, `keep` and measurements other than `"distance"` cannot be combined with it.
    ties
        Whether to find all features at the distance of the last of the `nearest` features, as for `sat2d.nearest`.
    count
        Whether `out` gets the number of pairs of each feature of `a`, in the columns `a` and `count`, instead of the pairs.
        `PairTable.counts` returns the same numbers. GeoJSON and `measure` have no counts.
    geometry, id
        For both files, the column of geometries and the property that names the features, as for `read`.
    ignore_crs
        Whether files with different coordinate reference systems are joined. If `False`, such files raise an error.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    PairTable
        The columns of `join`. `left` and `right` are the indices of the features in their files, from 0. With `nearest`, the
        rows are sorted by `left`, then by the distance, then by `right`.

    Raises
    ------
    ReadError
        A file cannot be read, or `out` cannot be written.
    OptionError
        The ending of `out` is unknown, `out` is an input or would be a part of one, the reference systems differ, or `count`
        or `nearest` cannot be combined with another option.
    Sat2dError
        As `join` raises it.

    Examples
    --------
    >>> import json, pathlib, tempfile, sat2d
    >>> def parcel(name, x):
    ...     ring = [[x, 0], [x + 2, 0], [x + 2, 2], [x, 2], [x, 0]]
    ...     return {"type": "Feature", "id": name, "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    >>> parcels = {"type": "FeatureCollection", "features": [parcel("north", 0), parcel("south", 1)]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, pairs = pathlib.Path(folder, "parcels.geojson"), pathlib.Path(folder, "pairs.csv")
    ...     _ = path.write_text(json.dumps(parcels))
    ...     table = sat2d.join_files(path, out=pairs, measure="area")
    ...     print(pairs.read_text())
    a,b,relation,area
    north,south,overlapping,2.0
    <BLANKLINE>
    >>> parcels["features"] = [parcel("north", 0), parcel("south", 5), parcel("east", 6)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "parcels.geojson")
    ...     _ = path.write_text(json.dumps(parcels))
    ...     table = sat2d.join_files(path, nearest=1, measure="distance")
    >>> table["right"], table["distance"]
    (array([1, 2, 1]), array([3., 0., 0.]))
    """
    options = join_options(relation, within, measure, min_area, min_iou, keep, backend, nearest, ties)
    if count and out is None:
        raise OptionError("count=True writes counts to a file; give out")
    if count and options["measure"]:
        raise OptionError("count=True writes no measurements; leave measure out")
    skip = skips(invalid, fill)
    with progress_bar(progress):
        columns, used, reason, reports, left_count, has_points = _sat2d.join_files(
            a,
            b,
            out,
            options,
            count=bool(count),
            geometry=geometry,
            id=id,
            ignore_crs=ignore_crs,
            skip=skip,
            fill=fill,
            threads=threads,
        )
    paths = [str(path) for path in (a, b) if path is not None]
    return PairTable(
        columns,
        backend=used,
        reason=reason,
        skipped=[entry for path, (skipped, _) in zip(paths, reports) for entry in named(skipped, path)],
        filled=[entry for path, (_, filled) in zip(paths, reports) for entry in named_filled(filled, path)],
        left_count=left_count,
        has_both=b is None and keep is None and nearest is None,
        has_points=has_points,
    )
