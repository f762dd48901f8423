"""Sets of features that are packed once for many calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _sat2d
from ._arrays import coordinate_array, offset_array
from ._crs import crs_text
from ._errors import OptionError, UnsupportedGeometryError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike
    from typing_extensions import Self


class Skipped(NamedTuple):
    """An invalid feature that was left out."""

    argument: str
    """The input of the feature: the name of the argument of the call, or a path."""
    feature: int
    """Index of the feature in its input, from 0."""
    reason: str
    """The reason why the feature is invalid, and a remedy."""
    place: tuple[float, float] | None
    """Coordinates x and y near the problem, in the unit of the input. `None` if the problem has no place."""


class Filled(NamedTuple):
    """A feature that is valid only by the rule `fill`, because its rings cross or its hole leaves its shell."""

    argument: str
    """The input of the feature: the name of the argument of the call, or a path."""
    feature: int
    """Index of the feature in its input, from 0."""
    reason: str
    """The reason why the feature is invalid without a rule."""
    place: tuple[float, float] | None
    """Coordinates x and y near the first crossing, in the unit of the input. `None` if there is no such place."""


class Options(NamedTuple):
    """The options with which a set was built."""

    invalid: str = "raise"
    fill: str | None = None
    geometry: str | None = None
    id: str | None = None


_DEFAULT = Options()


def skips(invalid: str | None, fill: str | None = None) -> bool:
    """Return whether invalid features are skipped. Raise an error if one of the options has an unknown value."""
    if invalid not in (None, "raise", "skip"):
        raise OptionError(f"invalid = {invalid!r}; give 'raise' or 'skip'")
    if fill not in (None, "even-odd", "nonzero"):
        raise OptionError(f"fill = {fill!r}; give 'even-odd' or 'nonzero', or None")
    return invalid == "skip"


class FeatureSet:
    """The common base class of `PolygonSet` and `PointSet`."""

    __slots__ = ("_core", "_crs", "_filled", "_ids", "_options", "_skipped")

    _core: Any
    _skipped: list[Skipped]
    _filled: list[Filled]
    _ids: list[int | str] | Callable[[], list[int | str]] | None
    """The names of the features, or a function that makes the names when they are needed."""
    _crs: str | None
    _options: Options

    @classmethod
    def _of(
        cls,
        core: Any,
        skipped: Sequence[Skipped] = (),
        ids: list[int | str] | Callable[[], list[int | str]] | None = None,
        crs: str | None = None,
        filled: Sequence[Filled] = (),
        options: Options = _DEFAULT,
    ) -> Any:
        made = cls.__new__(cls)
        made._core, made._skipped, made._filled, made._ids, made._crs = core, list(skipped), list(filled), ids, crs
        made._options = options
        return made

    def _state(self) -> tuple[Any, ...]:
        """Return the arguments of `_of` after `core`."""
        return self._skipped, self._names(), self._crs, self._filled, self._options

    def _names(self) -> list[int | str] | None:
        """Return the name of each feature."""
        if callable(self._ids):
            self._ids = self._ids()
        return self._ids

    def _take(self, other: FeatureSet) -> None:
        """Take over the contents of the other set."""
        self._core, self._skipped, self._filled = other._core, other._skipped, other._filled
        self._ids, self._crs, self._options = other._ids, other._crs, other._options

    def _check_options(self, argument: str, given: dict[str, str | None]) -> None:
        """Raise an error if a given option differs from the option with which the set was built. `None` is not given."""
        for name, value in given.items():
            # A fill rule has no effect on points. Every set is without invalid features, so it can be used with "skip".
            if value is None or (name, value) == ("invalid", "skip") or (name == "fill" and isinstance(self, PointSet)):
                continue
            own = getattr(self._options, name)
            if value != own:
                raise OptionError(
                    f"{argument} is a {type(self).__name__} that was built with {name}={own!r}, and {name}={value!r} would "
                    f"have no effect; build the set with {name}={value!r}, or leave {name} out"
                )

    def __len__(self) -> int:
        return len(self._core)

    @property
    def skipped(self) -> list[Skipped]:
        """The invalid features that were left out, in the order of the input. They keep their indices, but no pair has them.

        >>> import shapely, sat2d
        >>> bow = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
        >>> made = sat2d.PolygonSet([shapely.box(0, 0, 1, 1), bow], invalid="skip")
        >>> [(entry.feature, entry.place) for entry in made.skipped]
        [(1, (1.0, 1.0))]
        """
        return list(self._skipped)

    @property
    def ids(self) -> list[int | str] | None:
        """The name of each feature. `None` if the input has no names.

        The names in a file or a table are in the column that `id` names, or in the column `id`. If a GeoDataFrame has no such
        column, the labels of its index are the names. A GeoSeries also has the labels of its index as names. An index with the
        labels 0, 1, 2 and so on gives no names.

        >>> import geopandas, shapely, sat2d
        >>> sat2d.PolygonSet(geopandas.GeoSeries([shapely.box(0, 0, 1, 1)], index=["north"])).ids
        ['north']
        """
        names = self._names()
        return None if names is None else list(names)

    @property
    def crs(self) -> str | None:
        """The coordinate reference system that a table, a GeoSeries or a file states, else `None`.

        All computations are planar. A function of two inputs raises an `OptionError` if their systems certainly differ.

        >>> import geopandas, shapely, sat2d
        >>> sat2d.PolygonSet(geopandas.GeoSeries([shapely.box(0, 0, 1, 1)], crs=3857)).crs
        'EPSG:3857 (WGS 84 / Pseudo-Mercator)'
        """
        return self._crs

    def with_crs(self, crs: Any) -> Self:
        """Return the same features with another reference system. The coordinates stay, and nothing is packed again.

        Parameters
        ----------
        crs
            A text such as `"EPSG:2056"`, the `crs` of a GeoDataFrame, or `None`. Features without a reference system can be
            joined with all other features.

        Examples
        --------
        >>> import numpy as np, sat2d
        >>> sat2d.PointSet(np.array([[0.5, 0.5]])).with_crs("EPSG:2056").crs
        'EPSG:2056'
        """
        made: Self = type(self)._of(self._core, self._skipped, self._ids, crs_text(crs), self._filled, self._options)
        return made


class PolygonSet(FeatureSet):
    """Polygons and multipolygons that are checked and packed once for any number of calls.

    The functions that take geometries accept a `PolygonSet` in their place. A set keeps the options with which it was built, so
    another value of one of them is an error, except `invalid="skip"`. A set can be pickled, and threads can share it.

    Parameters
    ----------
    geometries
        An array or a list of Shapely geometries, a GeoSeries, a GeoDataFrame, a list or an array of WKB `bytes`, or any
        object with the Arrow PyCapsule interface: a column of GeoArrow or WKB, or a table with such a column. `None` and
        empty geometries keep their indices, but they are in no pair.
    invalid
        `"raise"`, which is the default, raises an error for the first invalid feature. `"skip"` leaves invalid features out
        and lists them in `skipped`. Points among polygons are invalid.
    fill
        The rule for rings that cross and for holes that leave their shell. Without a rule, such features are invalid. With
        `"even-odd"`, a point is inside if the rings go around it an odd number of times. With `"nonzero"`, a point is
        inside unless the rings go around it as often counter-clockwise as clockwise. `filled` lists the features that need
        the rule. For such features, predicates, relations, containment and points in polygons are exact. Distances, depths
        and areas use convex pieces, whose vertices at crossings are rounded.
    geometry, id
        The names of the columns of a table or a GeoDataFrame that have the geometries and the names of the features.
    threads
        Number of threads, from 1 to 1024. `None` takes the value of the environment variable `RAYON_NUM_THREADS` if it is set,
        else the number of cores.

    Raises
    ------
    InvalidGeometryError
        A feature is invalid.
    UnsupportedGeometryError
        A feature is neither a polygon nor a multipolygon.
    ReadError
        A table has no column of geometries.

    Examples
    --------
    >>> import shapely, sat2d
    >>> parcels = sat2d.PolygonSet([shapely.box(0, 0, 2, 2), None, shapely.box(1, 1, 3, 3)])
    >>> len(parcels)
    3
    >>> sat2d.query(parcels)
    array([[0],
           [2]])
    """

    __slots__ = ()
    _core: _sat2d.Polygons

    def __init__(
        self,
        geometries: Any,
        *,
        invalid: str | None = None,
        fill: str | None = None,
        geometry: str | None = None,
        id: str | None = None,
        threads: int | None = None,
    ) -> None:
        from ._convert import converted

        made = converted(geometries, "geometries", invalid, threads, fill=fill, geometry=geometry, id=id)
        if not isinstance(made, PolygonSet):
            raise UnsupportedGeometryError("geometries are points; give polygons, or use PointSet")
        self._take(made)

    @classmethod
    def from_ragged_array(
        cls,
        coordinates: ArrayLike,
        offsets: Sequence[ArrayLike],
        *,
        invalid: str = "raise",
        fill: str | None = None,
        threads: int | None = None,
    ) -> PolygonSet:
        """Polygons from coordinates and offsets, as `shapely.to_ragged_array` returns them.

        Arrays of contiguous float64 coordinates and of int32 or int64 offsets are read in place.

        Parameters
        ----------
        coordinates
            Array of shape n x 2.
        offsets
            One to three arrays. The first has the index of the first coordinate of each ring, the second the index of the
            first ring of each polygon, and the third the index of the first polygon of each feature. At its end, each array
            has one more entry: the number of coordinates, rings or polygons.
        invalid, fill, threads
            As for `PolygonSet`.

        Raises
        ------
        OptionError
            The offsets of an array decrease, or an offset is out of range.
        InvalidGeometryError
            A feature is invalid.

        Examples
        --------
        >>> import numpy as np, sat2d
        >>> coordinates = np.array([[0.0, 0], [2, 0], [0, 2], [1, 0], [3, 0], [1, 2]])
        >>> triangles = sat2d.PolygonSet.from_ragged_array(coordinates, [[0, 3, 6]])
        >>> sat2d.query(triangles).tolist()
        [[0], [1]]
        """
        levels = [offset_array(level) for level in offsets]
        if not 1 <= len(levels) <= 3:
            raise OptionError(f"offsets has {len(levels)} arrays; give 1 to 3: of rings, polygons and features")
        rings, polygons, objects = [*levels, None, None][:3]
        core, skipped, filled = _sat2d.polygons_from_columns(
            coordinate_array(coordinates),
            rings,  # type: ignore[arg-type]
            polygons,
            objects,
            skip=skips(invalid, fill),
            fill=fill,
            argument="geometries",
            threads=threads,
        )
        made: PolygonSet = cls._of(core, named(skipped, "geometries"), filled=named_filled(filled, "geometries"))
        made._options = Options(invalid or "raise", fill)
        return made

    @property
    def filled(self) -> list[Filled]:
        """The features that are valid only by the rule `fill`, in the order of the input.

        >>> import shapely, sat2d
        >>> bow = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
        >>> [entry.feature for entry in sat2d.PolygonSet([bow], fill="even-odd").filled]
        [0]
        """
        return list(self._filled)

    @property
    def piece_count(self) -> int:
        """Number of convex pieces into which the polygons are split.

        >>> import shapely, sat2d
        >>> sat2d.PolygonSet([shapely.Polygon([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)])]).piece_count
        2
        """
        return self._core.piece_count

    def __repr__(self) -> str:
        return f"<sat2d.PolygonSet of {len(self)} features, {self.piece_count} convex pieces>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        rings = _sat2d.polygon_rings(self._core)
        if rings is not None:
            return _unpickled_rings, (rings, *self._state())
        return _unpickled_polygons, (_sat2d.polygon_parts(self._core), *self._state())


class PointSet(FeatureSet):
    """Points and multipoints that are checked once for any number of calls.

    Parameters
    ----------
    points
        An array of coordinates of shape n x 2, or points and multipoints in any form that `PolygonSet` accepts.
    invalid, geometry, id, threads
        As for `PolygonSet`.

    Raises
    ------
    InvalidGeometryError
        A coordinate is not finite, or out of range.
    UnsupportedGeometryError
        A feature is neither a point nor a multipoint.

    Examples
    --------
    >>> import numpy as np, shapely, sat2d
    >>> places = sat2d.PointSet(np.array([[0.5, 0.5], [3.0, 3.0]]))
    >>> sat2d.query(places, [shapely.box(0, 0, 1, 1)], predicate="within").tolist()
    [[0], [0]]
    """

    __slots__ = ()
    _core: _sat2d.Points

    def __init__(
        self,
        points: Any,
        *,
        invalid: str | None = None,
        geometry: str | None = None,
        id: str | None = None,
        threads: int | None = None,
    ) -> None:
        from ._convert import converted

        made = converted(points, "points", invalid, threads, geometry=geometry, id=id)
        if isinstance(made, PolygonSet):
            if made.piece_count > 0 or made._skipped:
                raise UnsupportedGeometryError("points are polygons; give points, or use PolygonSet")
            # The set has only missing and empty geometries, which suit both types of sets.
            counts = np.zeros(len(made), dtype=np.int64)
            core, _ = _sat2d.points_from_columns(np.empty((0, 2)), counts, skip=False, argument="points", threads=threads)
            made = PointSet._of(core, [], made._ids, made._crs, (), made._options)
        self._take(made)

    @property
    def point_count(self) -> int:
        """Number of points of all features.

        >>> import shapely, sat2d
        >>> sat2d.PointSet([shapely.Point(0, 0), shapely.MultiPoint([(1, 1), (2, 2)])]).point_count
        3
        """
        return self._core.point_count

    def __repr__(self) -> str:
        return f"<sat2d.PointSet of {len(self)} features, {self.point_count} points>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _unpickled_points, (_sat2d.point_parts(self._core), *self._state())


def _unpickled_polygons(parts: Any, *state: Any) -> PolygonSet:
    made: PolygonSet = PolygonSet._of(_sat2d.polygons_from_parts(*parts), *state)
    return made


def _unpickled_rings(rings: Any, *state: Any) -> PolygonSet:
    made: PolygonSet = PolygonSet._of(_sat2d.polygons_from_rings(*rings), *state)
    return made


def _unpickled_points(parts: Any, *state: Any) -> PointSet:
    made: PointSet = PointSet._of(_sat2d.points_from_parts(*parts), *state)
    return made


def named(skipped: Sequence[tuple[int, str, tuple[float, float] | None]], argument: str) -> list[Skipped]:
    """Return a list of the features that were left out, with the name of their input."""
    return [Skipped(argument, *entry) for entry in skipped]


def named_filled(filled: Sequence[tuple[int, str, tuple[float, float] | None]], argument: str) -> list[Filled]:
    """Return a list of the features that are valid only by a rule, with the name of their input."""
    return [Filled(argument, *entry) for entry in filled]


def read(
    path: str | PathLike[str],
    *,
    geometry: str | None = None,
    id: str | None = None,
    invalid: str = "raise",
    fill: str | None = None,
    threads: int | None = None,
) -> PolygonSet | PointSet:
    """Read a file of polygons or points. This does not need GeoPandas.

    The formats are GeoJSON (plain or gzipped, newline-delimited, or a text sequence), GeoParquet, Parquet with WKB, Arrow
    IPC with GeoArrow or WKB, Shapefiles, FlatGeobuf, GeoPackage, CSV or TSV with WKT, and WKT alone.

    Parameters
    ----------
    path
        The file.
    geometry
        The column with the geometries of a table. `None` takes the column that the metadata names, or else a
        column with a usual name, such as `geometry`. For a GeoPackage, the layer.
    id
        The property or the column that names the features. `None` takes the `id`.
    invalid, fill, threads
        As for `PolygonSet`.

    Returns
    -------
    PolygonSet or PointSet
        The features of the file. The attribute `ids` has their names, and `crs` has the coordinate reference system.

    Raises
    ------
    ReadError
        The file cannot be read, or its contents do not match its format.
    InvalidGeometryError
        A feature is invalid.

    Examples
    --------
    >>> import json, pathlib, tempfile, sat2d
    >>> ring = [[0, 0], [2, 0], [0, 2], [0, 0]]
    >>> feature = {"type": "Feature", "id": "p7", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "parcels.geojson")
    ...     _ = path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    ...     parcels = sat2d.read(path)
    >>> parcels.ids
    ['p7']
    """
    skip = skips(invalid, fill)
    table = _sat2d.read(path, geometry=geometry, id=id, skip=skip, fill=fill, threads=threads)
    made = of_table(table, str(path))
    made._options = Options(invalid or "raise", fill, geometry, id)
    return made


def of_table(table: Any, argument: str) -> PolygonSet | PointSet:
    """Return the set of a table that was read."""
    core, skipped, filled, ids, crs = table
    kind = PointSet if isinstance(core, _sat2d.Points) else PolygonSet
    made: PolygonSet | PointSet = kind._of(core, named(skipped, argument), ids, crs, named_filled(filled, argument))
    return made
