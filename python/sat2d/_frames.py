"""Reads the geometries, the names and the reference system of objects of GeoPandas, without importing it."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._crs import crs_text
from ._errors import OptionError, ReadError

if TYPE_CHECKING:
    from collections.abc import Callable


class Frame(NamedTuple):
    """The parts of a GeoDataFrame, of a GeoSeries or of an array of GeoPandas."""

    geometries: np.ndarray[Any, Any]
    ids: Callable[[], list[int | str]] | None
    crs: str | None


def opened(data: Any, argument: str, geometry: str | None, id: str | None) -> Frame | None:
    """Return the parts of an object of GeoPandas, or `None` for other data. `geometry` and `id` name columns of a frame."""
    geopandas = sys.modules.get("geopandas")
    if geopandas is None:
        return None
    if isinstance(data, geopandas.GeoDataFrame):
        series = data.geometry if geometry is None else _column(data, geometry, argument)
        if not isinstance(series, geopandas.GeoSeries):
            raise ReadError(f"{argument}: the column {geometry} has no geometries; name a column of geometries")
        if id is not None:
            names = _column(data, id, argument)
        else:
            # A frame may have several columns of one name. Then none of them names the features.
            names = data["id"] if list(data.columns).count("id") == 1 else data.index
        return Frame(np.asarray(series.array), _ids(names), crs_text(series.crs))
    if not isinstance(data, (geopandas.GeoSeries, geopandas.array.GeometryArray)):
        return None
    if geometry is not None or id is not None:
        raise OptionError("geometry= and id= name columns of a table; leave them out")
    if isinstance(data, geopandas.GeoSeries):
        return Frame(np.asarray(data.array), _ids(data.index), crs_text(data.crs))
    return Frame(np.asarray(data), None, crs_text(data.crs))


def _column(frame: Any, name: str, argument: str) -> Any:
    count = list(frame.columns).count(name)
    if count != 1:
        problem = f"there is no column {name}" if count == 0 else f"{count} columns have the name {name}"
        columns = ", ".join(map(str, frame.columns))
        raise ReadError(f"{argument}: {problem}; the columns are {columns}")
    return frame[name]


def _ids(labels: Any) -> Callable[[], list[int | str]] | None:
    """Return a function that makes the names of the features. `labels` is a column or an index.

    Most calls need no names, and making a million names takes as long as reading a million boxes. The result is `None` if the
    labels are 0, 1, 2 and so on.
    """
    import pandas

    if isinstance(labels, pandas.RangeIndex) and (labels.start, labels.step) == (0, 1):
        return None
    # A caller may change a column later. An index cannot change.
    return partial(_names, labels if isinstance(labels, pandas.Index) else labels.copy())


def _names(labels: Any) -> list[int | str]:
    import pandas

    missing = pandas.isna(labels.to_numpy())
    if getattr(labels.dtype, "kind", "O") in "iu" and not missing.any():
        return list(labels.tolist())
    return [_name(index, label, is_missing) for index, (label, is_missing) in enumerate(zip(labels, missing))]


def _name(index: int, label: Any, is_missing: bool) -> int | str:
    """Return the name of a feature: an integer or a text. A missing name is replaced by the index of the feature."""
    if is_missing:
        return index
    is_integer = isinstance(label, (int, np.integer)) and not isinstance(label, bool)
    return int(label) if is_integer else str(label)
