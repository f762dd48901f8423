"""sat2d finds the 2D polygons that overlap, that only touch, or that contain each other, by exact arithmetic.

- `sjoin` and `sjoin_nearest` join GeoDataFrames, with the arguments and the rows of the functions of GeoPandas.
- `query` returns pairs of indices, as `shapely.STRtree.query` does.
- `nearest` returns the nearest features of each feature.
- `join` returns a table of pairs with relations, distances, depths, contact points and common areas.
- `relations`, `areas` and `contains` decide or measure given pairs, and `explain` explains the relation of one pair.
- `points_in_polygons` locates points in polygons.
- `read` reads a file, `info` describes a file, and `join_files` joins files.
- `PolygonSet`, `PointSet` and `Index` pack features once for many calls.
- `prepare` packs two sets once for many short lists of pairs.
- `World` simulates bodies that move and collide.

Inputs are Shapely geometries, GeoSeries, WKB, Arrow tables and columns, or NumPy arrays.

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
from ._index import Index
from ._info import FileInfo, info
from ._join import POINT_RELATIONS, RELATIONS, PairTable, join, join_files
from ._nearest import Nearest, nearest
from ._pairs import Areas, areas, contains, relations
from ._prepare import Prepared, prepare
from ._query import PREDICATES, PointLocations, points_in_polygons, query
from ._sets import Filled, PointSet, PolygonSet, Skipped, read
from ._sjoin import sjoin
from ._sjoin_nearest import sjoin_nearest
from ._world import World, step_worlds
from ._world_results import ContactEvents, Contacts, StepReport, WorldStatistics

__version__ = _version("sat2d")

__all__ = [
    "KINDS",
    "POINT_RELATIONS",
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
    "sjoin_nearest",
    "step_worlds",
]
