"""sat2d: which 2D polygons overlap, which only touch, and which lie in which, by exact arithmetic.

- `sjoin` joins GeoDataFrames, with the arguments and the rows of `geopandas.sjoin`.
- `query` returns pairs of indices, as `shapely.STRtree.query` does.
- `nearest` returns the nearest features of each feature.
- `join` returns a table of pairs with relations, distances, depths, contact points and common areas.
- `relations`, `areas` and `contains` answer for given pairs, and `explain` shows why.
- `points_in_polygons` locates points, `read` reads files, `info` describes them, and `join_files` joins them.
- `PolygonSet`, `PointSet` and `Index` keep features packed from call to call.
- `prepare` packs two sets for many short lists of pairs.
- `World` simulates bodies that move and collide.

Inputs are Shapely geometries, GeoSeries, WKB, tables and columns of Arrow, or arrays of NumPy.

>>> import shapely, sat2d
>>> boxes = shapely.box([0, 1, 5], 0, [1, 2, 6], 1)
>>> sat2d.query(boxes, predicate="touches")
array([[0],
       [1]])
"""

from __future__ import annotations

from importlib.metadata import version as _version

from ._bodies import KINDS
from ._errors import (
    BusyError,
    DefectError,
    DeviceError,
    InvalidGeometryError,
    LeftWorldError,
    OptionError,
    OutOfMemoryError,
    ReadError,
    Sat2dError,
    UnsupportedGeometryError,
    UnsupportedPredicateError,
)
from ._explain import Explanation, explain
from ._info import FileInfo, info
from ._join import RELATIONS, PairTable, join, join_files
from ._nearest import Nearest, nearest
from ._pairs import Areas, areas, contains, relations
from ._prepare import Prepared, prepare
from ._query import PREDICATES, Index, PointLocations, points_in_polygons, query
from ._sets import Filled, PointSet, PolygonSet, Skipped, read
from ._sjoin import sjoin
from ._world import World, step_worlds
from ._world_results import ContactEvents, Contacts, StepReport, WorldStatistics

__version__ = _version("sat2d")

__all__ = [
    "KINDS",
    "PREDICATES",
    "RELATIONS",
    "Areas",
    "BusyError",
    "ContactEvents",
    "Contacts",
    "DefectError",
    "DeviceError",
    "Explanation",
    "FileInfo",
    "Filled",
    "Index",
    "InvalidGeometryError",
    "LeftWorldError",
    "Nearest",
    "OptionError",
    "OutOfMemoryError",
    "PairTable",
    "PointLocations",
    "PointSet",
    "PolygonSet",
    "Prepared",
    "ReadError",
    "Sat2dError",
    "Skipped",
    "StepReport",
    "UnsupportedGeometryError",
    "UnsupportedPredicateError",
    "World",
    "WorldStatistics",
    "areas",
    "contains",
    "explain",
    "info",
    "join",
    "join_files",
    "nearest",
    "points_in_polygons",
    "prepare",
    "query",
    "read",
    "relations",
    "sjoin",
    "step_worlds",
]
