from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Skipped: TypeAlias = list[tuple[int, str, tuple[float, float] | None]]
_Offsets: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
_Table: TypeAlias = tuple[Polygons | Points, _Skipped, _Skipped, list[int | str] | None, str | None]

_Explanation: TypeAlias = tuple[str, str, str, NDArray[np.float64], NDArray[np.float64], str | None, tuple[float, float] | None]

class Polygons:
    def __len__(self) -> int: ...
    @property
    def piece_count(self) -> int: ...
    @property
    def vertex_count(self) -> int: ...

class Points:
    def __len__(self) -> int: ...
    @property
    def point_count(self) -> int: ...

def polygons_from_columns(
    coordinates: NDArray[np.float64],
    rings: _Offsets,
    polygons: _Offsets | None,
    objects: _Offsets | None,
    *,
    skip: bool,
    fill: str | None,
    argument: str,
    threads: int | None,
) -> tuple[Polygons, _Skipped, _Skipped]: ...
def points_from_columns(
    coordinates: NDArray[np.float64],
    counts: NDArray[np.int64] | None,
    *,
    skip: bool,
    argument: str,
    threads: int | None,
) -> tuple[Points, _Skipped]: ...
def from_arrow(
    data: Any,
    *,
    geometry: str | None,
    id: str | None,
    skip: bool,
    fill: str | None,
    argument: str,
    threads: int | None,
) -> _Table: ...
def from_wkb(items: list[bytes | None], *, skip: bool, fill: str | None, argument: str, threads: int | None) -> _Table: ...
def read(
    path: str | PathLike[str],
    *,
    geometry: str | None,
    id: str | None,
    skip: bool,
    fill: str | None,
    threads: int | None,
) -> _Table: ...
def polygon_rings(
    polygons: Polygons,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], str | None] | None: ...
def polygons_from_rings(
    coordinates: NDArray[np.float64],
    rings: NDArray[np.int64],
    polygons: NDArray[np.int64],
    objects: NDArray[np.int64],
    fill: str | None,
) -> Polygons: ...
def polygon_parts(
    polygons: Polygons,
) -> tuple[NDArray[np.float64], NDArray[np.uint32], NDArray[np.uint32] | None, NDArray[np.bool_] | None, int]: ...
def polygons_from_parts(
    vertices: NDArray[np.float64],
    piece_offsets: NDArray[np.uint32],
    piece_objects: NDArray[np.uint32] | None,
    internal_edges: NDArray[np.bool_] | None,
    object_count: int,
) -> Polygons: ...
def point_parts(points: Points) -> tuple[NDArray[np.float64], NDArray[np.uint32] | None, int]: ...
def points_from_parts(positions: NDArray[np.float64], features: NDArray[np.uint32] | None, count: int) -> Points: ...
def query(
    a: Polygons, b: Polygons | None, predicate: str, *, distance: float | None, all: bool, threads: int | None
) -> NDArray[np.int64]: ...
def query_points(
    points: Points,
    polygons: Polygons,
    predicate: str,
    *,
    swapped: bool,
    distance: float | None,
    threads: int | None,
) -> NDArray[np.int64]: ...
def points_in_polygons(
    points: Points, polygons: Polygons, *, boundary: bool, threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def join(
    a: Polygons, b: Polygons | None, options: dict[str, Any], *, threads: int | None
) -> tuple[dict[str, NDArray[Any]], str, str]: ...
def join_files(
    a: str | PathLike[str],
    b: str | PathLike[str] | None,
    out: str | PathLike[str] | None,
    options: dict[str, Any],
    *,
    geometry: str | None,
    id: str | None,
    ignore_crs: bool,
    skip: bool,
    fill: str | None,
    threads: int | None,
) -> tuple[dict[str, NDArray[Any]], str, str, list[tuple[_Skipped, _Skipped]], int]: ...
def nearest(
    a: Polygons | Points, b: Polygons | Points | None, k: int, *, within: float | None, threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def relations(a: Polygons, b: Polygons, pairs: NDArray[np.int64], *, threads: int | None) -> NDArray[np.uint8]: ...
def areas(
    a: Polygons, b: Polygons, pairs: NDArray[np.int64], *, threads: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def contains(a: Polygons, b: Polygons, pairs: NDArray[np.int64], *, threads: int | None) -> NDArray[np.bool_]: ...
def explain(a: Polygons, b: Polygons, pair: tuple[int, int], names: Sequence[str], *, threads: int | None) -> _Explanation: ...
def explain_point(
    points: Points, polygons: Polygons, pair: tuple[int, int], names: Sequence[str], *, threads: int | None
) -> _Explanation | None: ...
def stream(columns: Sequence[tuple[str, NDArray[Any]]], requested_schema: object | None = None) -> object: ...
def report_to(report: Callable[[str, int], object] | None) -> None: ...
def info(path: str | PathLike[str], *, geometry: str | None, id: str | None, threads: int | None) -> dict[str, Any]: ...
def thread_count(threads: int | None = None) -> int: ...
