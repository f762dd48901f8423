"""Turns any input into a set. Recognises the objects of other libraries without importing these libraries."""

from __future__ import annotations

import sys
from os import PathLike
from typing import Any

import numpy as np

from . import _frames, _sat2d, _shapely
from ._arrays import coordinate_array
from ._errors import OptionError
from ._sets import Options, PointSet, PolygonSet, named, named_filled, of_table, skips

_REMEDY = (
    "give Shapely geometries, a GeoSeries, WKB bytes, an object with the Arrow PyCapsule interface, a PolygonSet, or for "
    "points an array of shape n x 2"
)


def converted(
    data: Any,
    argument: str,
    invalid: str | None,
    threads: int | None,
    *,
    fill: str | None = None,
    geometry: str | None = None,
    id: str | None = None,
) -> PolygonSet | PointSet:
    """Return the set of any input. `argument` names the input in messages."""
    options = Options("skip" if skips(invalid, fill) else "raise", fill, geometry, id)
    if isinstance(data, (PolygonSet, PointSet)):
        data._check_options(argument, {**options._asdict(), "invalid": invalid})
        return data
    if isinstance(data, (str, PathLike)):
        raise OptionError(f"{argument} is a path; read it with sat2d.read(path)")
    frame = _frames.opened(data, argument, geometry, id)
    if frame is None:
        made = _made(data, argument, options, threads)
    else:
        made = _of_items(frame.geometries, argument, options, threads)
        made._crs, made._ids = frame.crs, frame.ids
    made._options = options
    return made


def _made(data: Any, argument: str, options: Options, threads: int | None) -> PolygonSet | PointSet:
    """Return the set of an input that is neither a set nor an object of GeoPandas."""
    items = _items(data, argument)
    if items is None:
        if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__"):
            skip = options.invalid == "skip"
            names = {"geometry": options.geometry, "id": options.id}
            table = _sat2d.from_arrow(data, **names, skip=skip, fill=options.fill, argument=argument, threads=threads)
            return of_table(table, argument)
        raise OptionError(f"{argument} is of type {type(data).__name__}; {_REMEDY}")
    if options.geometry is not None or options.id is not None:
        raise OptionError("geometry= and id= name columns of a table; leave them out")
    return _of_items(items, argument, options, threads)


def _of_items(items: np.ndarray[Any, Any], argument: str, options: Options, threads: int | None) -> PolygonSet | PointSet:
    """Return the set of an array that `_items` returned."""
    skip, fill = options.invalid == "skip", options.fill
    if items.dtype != np.object_:
        return _of_coordinates(items, None, skip, argument, threads)
    first = next((item for item in items if item is not None), None)
    if isinstance(first, bytes):
        return _of_wkb(items, skip, fill, argument, threads)
    if first is None:
        rings = np.zeros(len(items) + 1, dtype=np.int64)
        core, _, _ = _sat2d.polygons_from_columns(
            np.empty((0, 2)), rings, None, None, skip=skip, fill=None, argument=argument, threads=threads
        )
        nothing: PolygonSet = PolygonSet._of(core)
        return nothing
    if not hasattr(first, "geom_type"):
        raise OptionError(f"{argument} has an item of type {type(first).__name__}; {_REMEDY}")
    if first.geom_type == "Point":
        coordinates = _shapely.single_points(items)
        if coordinates is not None:
            return _of_coordinates(coordinates, None, skip, argument, threads)
    return _of_shapely(items, skip, fill, argument, threads)


def _items(data: Any, argument: str) -> np.ndarray[Any, Any] | None:
    """Return the data as an array of objects (Shapely geometries, WKB or `None`) or of coordinates.

    Returns `None` if the data is of another kind.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.Series) and data.dtype == np.object_:
        items = data.to_numpy()
        missing = pandas.isna(items)
        if missing.any():
            items = items.copy()
            items[missing] = None
        return np.asarray(items)
    if isinstance(data, np.ndarray):
        if data.dtype == np.object_ and data.ndim != 1:
            raise OptionError(f"the geometries have the shape {data.shape}; give an array of one dimension")
        return data if data.dtype == np.object_ or data.ndim == 2 and data.dtype.kind in "fiu" else None
    if isinstance(data, (list, tuple)):
        if data and all(isinstance(item, (list, tuple)) for item in data):
            return coordinate_array(data, argument)
        items = np.empty(len(data), dtype=object)
        items[:] = data
        return items
    if hasattr(data, "geom_type") or isinstance(data, bytes):
        items = np.empty(1, dtype=object)
        items[0] = data
        return items
    return None


def _of_shapely(
    shapes: np.ndarray[Any, Any], skip: bool, fill: str | None, argument: str, threads: int | None
) -> PolygonSet | PointSet:
    import shapely

    try:
        types = shapely.get_type_id(shapes)
    except TypeError as error:
        raise OptionError(f"{argument} has items that are no Shapely geometries ({error}); {_REMEDY}") from None
    kind = _shapely.kind(shapes, types)
    if kind == "points":
        coordinates, counts = _shapely.points(shapes)
        return _of_coordinates(coordinates, counts, skip, argument, threads)
    if kind == "other":
        # WKB supports every type of geometry. Its decoder reports the first geometry that cannot be joined.
        return _of_wkb(shapely.to_wkb(shapes), skip, fill, argument, threads)
    columns = _shapely.polygons(shapes, types)
    if columns is None:
        return _of_wkb(shapely.to_wkb(shapes, output_dimension=2), skip, fill, argument, threads)
    coordinates, rings, polygons, features = columns
    core, skipped, filled = _sat2d.polygons_from_columns(
        coordinates, rings, polygons, features, skip=skip, fill=fill, argument=argument, threads=threads
    )
    made: PolygonSet = PolygonSet._of(core, named(skipped, argument), filled=named_filled(filled, argument))
    return made


def _of_coordinates(coordinates: Any, counts: Any, skip: bool, argument: str, threads: int | None) -> PointSet:
    core, skipped = _sat2d.points_from_columns(
        coordinate_array(coordinates, argument), counts, skip=skip, argument=argument, threads=threads
    )
    made: PointSet = PointSet._of(core, named(skipped, argument))
    return made


def _of_wkb(
    items: np.ndarray[Any, Any], skip: bool, fill: str | None, argument: str, threads: int | None
) -> PolygonSet | PointSet:
    table = _sat2d.from_wkb(items.tolist(), skip=skip, fill=fill, argument=argument, threads=threads)
    return of_table(table, argument)
