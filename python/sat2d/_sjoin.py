"""Joins of GeoDataFrames."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ._convert import converted
from ._progress import progress_bar
from ._query import check_predicate, pairs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Indices = NDArray[np.int64]


def sjoin(
    left_df: Any,
    right_df: Any,
    how: str = "inner",
    predicate: str = "intersects",
    lsuffix: str = "left",
    rsuffix: str = "right",
    distance: float | None = None,
    on_attribute: str | Sequence[str] | None = None,
    *,
    invalid: str = "raise",
    fill: str | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Any:
    """Join two GeoDataFrames by a predicate on their geometries, with the arguments and the rows of `geopandas.sjoin`.

    Parameters
    ----------
    left_df, right_df
        GeoDataFrames of polygons or points.
    how
        `"inner"` keeps only pairs. `"left"` also keeps the rows of `left_df` without a partner, and `"right"` also keeps the
        rows of `right_df` without a partner. With `"right"`, the result has the geometries of `right_df`, otherwise the
        geometries of `left_df`.
    predicate
        A predicate of `query`.
    lsuffix, rsuffix
        Suffixes for the names of columns that both frames have, and of unnamed indices.
    distance
        The greatest distance for the predicate `dwithin`, in the unit of the coordinates.
    on_attribute
        The names of columns that both frames have. The rows of a pair must have equal values in these columns.
    invalid, fill, threads, progress
        As for `query`.

    Returns
    -------
    geopandas.GeoDataFrame
        The rows of `geopandas.sjoin`. Rows are in the order of the kept side, which is `right_df` with `"right"`, else
        `left_df`. The rows of one kept feature are in the order of the other side. GeoPandas does not specify this order.

    Raises
    ------
    ValueError
        An argument is invalid. `geopandas.sjoin` raises the same type of error.
    Sat2dError
        As `query` raises it. The message names the inputs `left_df` and `right_df`.

    Examples
    --------
    >>> import geopandas, shapely, sat2d
    >>> zones = geopandas.GeoDataFrame({"zone": ["A", "B"]}, geometry=[shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2)])
    >>> shops = geopandas.GeoDataFrame({"shop": ["x", "y"]}, geometry=[shapely.Point(1, 1), shapely.Point(3, 1)])
    >>> sat2d.sjoin(shops, zones, predicate="within")[["shop", "zone"]]
      shop zone
    0    x    A
    1    y    B
    """
    given: Any = [] if on_attribute is None else on_attribute
    attributes = list(given) if isinstance(given, (list, tuple)) else [given]
    check_frames(left_df, right_df, how, attributes)
    check_predicate(predicate, distance)
    is_same = left_df is right_df or left_df.geometry.array is right_df.geometry.array
    with progress_bar(progress):
        left = converted(left_df, "left_df", invalid, threads, fill=fill)
        right = None if is_same else converted(right_df, "right_df", invalid, threads, fill=fill)
        found = pairs_of(left, right, predicate, distance, True, threads)
    for attribute in attributes:
        is_equal = left_df[attribute].iloc[found[0]].to_numpy() == right_df[attribute].iloc[found[1]].to_numpy()
        found = found[:, np.asarray(is_equal, dtype=bool)]
    return joined(left_df, right_df.drop(columns=attributes), found, how, (lsuffix, rsuffix), {})


def check_frames(left_df: Any, right_df: Any, how: str, attributes: list[Any]) -> None:
    """Raise an error if an argument of a join is invalid. Warn if the reference systems differ."""
    import geopandas

    for name, frame in (("left_df", left_df), ("right_df", right_df)):
        if not isinstance(frame, geopandas.GeoDataFrame):
            raise ValueError(f"{name} is of type {type(frame).__name__}; give a GeoDataFrame")  # noqa: TRY004, as GeoPandas
    if how not in ("left", "right", "inner"):
        raise ValueError(f"how = {how!r}; give 'left', 'right' or 'inner'")
    if left_df.crs != right_df.crs:
        warnings.warn(
            f"CRS mismatch: the CRS of left_df is {_name(left_df.crs)}, and the CRS of right_df is {_name(right_df.crs)}; "
            "use to_crs() to bring both into one CRS",
            UserWarning,
            stacklevel=3,
        )
    for attribute in attributes:
        missing = [name for name, frame in (("left_df", left_df), ("right_df", right_df)) if attribute not in frame]
        if missing:
            raise ValueError(f"on_attribute: column {attribute} is missing in {' and in '.join(missing)}")
        if attribute in (left_df.geometry.name, right_df.geometry.name):
            raise ValueError(f"on_attribute: {attribute} is an active geometry column; give another column")


def _name(crs: Any) -> str:
    return "unknown" if crs is None else str(crs.to_string())


def joined(
    left_df: Any,
    right_df: Any,
    found: Indices,
    how: str,
    suffixes: tuple[str, str],
    columns: dict[str, NDArray[np.float64]],
) -> Any:
    """Return a frame with one row for each pair, and the columns of both frames side by side.

    `columns` are added at the end. They have a value for each pair, which is missing in rows without a pair.
    """
    import pandas

    if how == "right":
        left_df = left_df.drop(columns=left_df.geometry.name)
    else:
        right_df = right_df.drop(columns=right_df.geometry.name)
    names = [list(left_df.index.names), list(right_df.index.names)]
    left, left_columns = _with_index_as_columns(left_df, suffixes[0], right_df.columns)
    right, right_columns = _with_index_as_columns(right_df, suffixes[1], left.columns)
    counts = [len(names[0]), len(names[1])]
    geometries = [getattr(frame, "_geometry_column_name", None) for frame in (left, right)]
    left.columns, right.columns = _suffixed([left_columns, right_columns], suffixes, geometries)
    kept = 1 if how == "right" else 0
    index_columns = [left, right][kept].columns[: counts[kept]]
    *rows, pairs = _rows(found, len(left), len(right), how)
    parts = [_taken(frame, taken) for frame, taken in zip((left, right), rows)]
    table = pandas.concat(parts, axis=1)
    if how == "right":
        table = table.set_geometry(right_df.geometry.name)
    table = table.set_index(list(index_columns))
    table.index.names = [None if name is None else label for name, label in zip(names[kept], table.index.names)]
    for name, values in columns.items():
        table[name] = np.append(values, np.nan)[pairs]
    return table


def _with_index_as_columns(frame: Any, suffix: str, others: Any) -> tuple[Any, list[Any]]:
    """Return the frame with its index as the first columns and with a plain index, and the labels of all columns."""
    plain = frame.reset_index()
    labels = list(plain.columns)
    for level, name in enumerate(frame.index.names):
        if name is not None:
            continue
        # As in GeoPandas, the label has a number only if pandas numbers the levels.
        number = labels[level].split("_")[1] if "level" in labels[level] else ""
        label = f"index_{suffix}{number}"
        if label in frame.columns or label in others:
            raise ValueError(f"'{label}' cannot be a column name in the frames being joined; rename the column")
        labels[level] = label
    return plain, labels


def _suffixed(sides: list[list[Any]], suffixes: tuple[str, str], geometries: list[Any]) -> list[Any]:
    """Return the labels of both frames. Labels that both frames have get a suffix."""
    import pandas

    indices = [pandas.Index(labels) for labels in sides]
    shared = set(indices[0].intersection(indices[1]))
    if not shared:
        return indices
    if not suffixes[0] and not suffixes[1]:
        raise ValueError(f"columns {sorted(map(str, shared))} are in both frames; give lsuffix or rsuffix")
    renamed = []
    repeated: list[Any] = []
    for index, suffix, geometry in zip(indices, suffixes, geometries):
        labels = [
            f"{label}_{suffix}" if label in shared and label != geometry and suffix is not None else label for label in index
        ]
        made = pandas.Index(labels)
        repeated.extend(made[made.duplicated() & ~index.duplicated()])
        renamed.append(made)
    if repeated:
        warnings.warn(
            f"the suffixes repeat the columns {sorted(set(map(str, repeated)))}; choose other suffixes",
            FutureWarning,
            stacklevel=4,
        )
    return renamed


def _rows(found: Indices, left_count: int, right_count: int, how: str) -> tuple[Indices, Indices, Indices]:
    """Return, for each row of the result, its row in the left frame, its row in the right frame, and its pair.

    -1 means that there is none.
    """
    left, right = found
    pairs = np.arange(len(left))
    if how == "inner":
        return left, right, pairs
    if how == "right":
        pairs = np.lexsort((left, right))
        other, kept, count = left[pairs], right[pairs], right_count
    else:
        other, kept, count = right, left, left_count
    has_partner = np.zeros(count, dtype=bool)
    has_partner[kept] = True
    alone = np.flatnonzero(~has_partner)
    places = np.searchsorted(kept, alone)
    kept, other, pairs = (np.insert(of_row, places, new) for of_row, new in ((kept, alone), (other, -1), (pairs, -1)))
    return (other, kept, pairs) if how == "right" else (kept, other, pairs)


def _taken(frame: Any, rows: Indices) -> Any:
    """Return the given rows of a frame with a plain index. The values of a row of -1 are missing."""
    import pandas

    taken = frame.reindex(rows) if (rows < 0).any() else frame.take(rows)
    taken.index = pandas.RangeIndex(len(rows))
    return taken
