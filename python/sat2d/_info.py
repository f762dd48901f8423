"""Descriptions of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _sat2d
from ._sets import Skipped, named

if TYPE_CHECKING:
    from os import PathLike

_LISTED_SRIDS = 8
"""The number of SRIDs that the table of `FileInfo` lists."""


@dataclass(frozen=True)
class FileInfo:
    """The result of `info`. `print` shows it as a table."""

    path: str
    """The file."""
    format: str
    """The format, such as `GeoJSON`."""
    crs: str | None
    """The coordinate reference system that the file states. `None` if the file states none, or if its features have several
    SRIDs."""
    srids: dict[int, int]
    """Number of features that state each SRID, in EWKB and EWKT."""
    columns: list[str]
    """The names of the columns. Empty if the format has no columns."""
    geometry_column: str | None
    """The column of the geometries."""
    id_column: str | None
    """The column of the ids of the features."""
    features: int
    """Number of features."""
    types: dict[str, int]
    """Number of features of each type of geometry, including types that cannot be joined. A multipolygon with one polygon
    counts as a polygon, and a multipoint with one point counts as a point."""
    null_geometries: int
    """Number of features with a null geometry."""
    empty_geometries: int
    """Number of features with a geometry without any position."""
    extent: tuple[float, float, float, float] | None
    """Least x, least y, greatest x and greatest y of the valid features, in the unit of the file."""
    rings: int
    """Number of rings of all polygons."""
    vertices: int
    """Number of vertices of all rings, without the vertices that close the rings, plus the number of points."""
    ids_repeated: int
    """Number of features whose id equals the id of an earlier feature."""
    invalid: int
    """Number of invalid features."""
    first_invalid: list[Skipped]
    """The first invalid features, at most 100."""

    def __str__(self) -> str:
        of_none = "several, by the SRIDs of the features" if self.srids else "none stated"
        rows: list[tuple[str, object]] = [("format", self.format), ("crs", self.crs or of_none)]
        if self.columns:
            marks = {self.geometry_column: " (geometries)", self.id_column: " (ids)"}
            rows.append(("columns", ", ".join(name + marks.get(name, "") for name in self.columns)))
        rows.append(("features", f"{self.features:,}"))
        counts = {
            **self.types,
            "null": self.null_geometries,
            "empty": self.empty_geometries,
            "repeated ids": self.ids_repeated,
            **{f"SRID {srid}": count for srid, count in list(self.srids.items())[:_LISTED_SRIDS]},
            "other SRIDs": sum(list(self.srids.values())[_LISTED_SRIDS:]),
        }
        rows.extend((f"  {name}", f"{count:,}") for name, count in counts.items() if count > 0)
        if self.extent is not None:
            left, bottom, right, top = self.extent
            rows.append(("extent", f"({left}, {bottom}) to ({right}, {top})"))
        rows.extend([("rings", f"{self.rings:,}"), ("vertices", f"{self.vertices:,}"), ("invalid", f"{self.invalid:,}")])
        lines = [f"{name:<16}{value}" for name, value in rows]
        shown = self.first_invalid[:5]
        lines.extend(f"  feature {entry.feature}: {entry.reason}" for entry in shown)
        if self.invalid > len(shown):
            lines.append(f"  and {self.invalid - len(shown):,} more")
        return "\n".join(lines)


def info(
    path: str | PathLike[str], *, geometry: str | None = None, id: str | None = None, threads: int | None = None
) -> FileInfo:
    """Describe a file: its format, its reference system, its columns, its features by type, and its invalid features.

    Parameters
    ----------
    path, geometry, id
        As for `read`.
    threads
        As for `PolygonSet`.

    Returns
    -------
    FileInfo
        Its `extent` is in the unit of the coordinates. `print` shows all of it as a table.

    Raises
    ------
    ReadError
        The file cannot be read, or its contents do not match its format.

    Examples
    --------
    >>> import json, pathlib, tempfile, sat2d
    >>> ring = [[0, 0], [2, 0], [0, 2], [0, 0]]
    >>> feature = {"type": "Feature", "id": "p7", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "parcels.geojson")
    ...     _ = path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    ...     found = sat2d.info(path)
    >>> found.types, found.vertices, found.extent
    ({'Polygon': 1}, 3, (0.0, 0.0, 2.0, 2.0))
    """
    found = _sat2d.info(path, geometry=geometry, id=id, threads=threads)
    return FileInfo(path=str(path), **{**found, "first_invalid": named(found["first_invalid"], str(path))})
