"""FlatGeobuf files: good files that GDAL writes, and the same files with damage."""

import struct
import tempfile
from pathlib import Path

import pyogrio

from . import good
from .features import Row
from .shapefiles import GDAL


def written(rows: list[Row], path: Path, crs=None, index: bool = True, multi: bool | None = None, flat: bool = False, **options) -> None:
    options["layer_options"] = {"SPATIAL_INDEX": "YES" if index else "NO"}
    # GDAL writes the name of the layer into the file. Without a fixed name, it would be the name of the file.
    pyogrio.write_dataframe(good.frame(rows, crs, flat), path, driver="FlatGeobuf", layer="features", promote_to_multi=multi, **options)


def of(rows: list[Row], **options) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "of.fgb"
        written(rows, path, **options)
        return path.read_bytes()


def of_kind(rows: list[Row], kind: str) -> list[Row]:
    return [row for row in rows if row.geometry is not None and not row.geometry.is_empty and row.geometry.geom_type == kind]


def write(corpus: good.Corpus, rows: list[Row], points: list[Row]) -> None:
    whole = [row for row in rows if row.geometry is not None and not row.geometry.is_empty]
    polygons, single = of_kind(rows, "Polygon"), of_kind(points, "Point")
    several = [row for row in points if row.geometry is not None and not row.geometry.is_empty]

    def path(name: str, contents: str, count: int, expected: str = "expected.geojson") -> Path:
        return corpus.path(name, count, expected, GDAL, contents)

    written(rows, path("gdal-mixed.fgb", "types of their own, null and empty geometries, no index", len(rows)), index=False, flat=True)
    target = path("gdal-index.fgb", "MultiPolygon, with an index, CRS EPSG:2056; the features that have a position", len(whole))
    written(whole, target, crs=2056, multi=True, flat=True)
    written(polygons, path("gdal-polygon.fgb", "Polygon, with an index, CRS EPSG:4326", len(polygons)), crs=4326, flat=True)
    heights = [row for row in polygons if row.geometry.has_z]
    written(heights, path("gdal-z.fgb", "Polygon with heights", len(heights)), index=False)
    written(single, path("points-single.fgb", "Point, with an index", len(single), "expected-points.geojson"))
    target = path("points-multi.fgb", "MultiPoint, without an index", len(several), "expected-points.geojson")
    written(several, target, index=False, multi=True)


def broken(rows: list[Row]):
    """Yields the name, the answer, the contents and the bytes of each broken file."""
    plain, indexed = of(rows, index=False, flat=True), of(rows, flat=True)
    header = 12 + struct.unpack("<I", plain[8:12])[0]
    first = struct.unpack("<I", plain[header : header + 4])[0]

    def patched(place: int, new: bytes) -> bytes:
        return plain[:place] + new + plain[place + len(new) :]

    size = len(plain)
    for name, length in [("0", 0), ("8", 8), ("header", header - 5), ("size", header + 2), ("first", header + 20), ("last-1", size - 1)]:
        yield f"cut-{name}.fgb", "error", f"the first {length} of {size} bytes", plain[:length]
    yield "cut-feature.fgb", "error", "one feature less than the header says", plain[: header + 4 + first]
    yield "cut-index.fgb", "error", "it ends in the index", indexed[: 12 + struct.unpack("<I", indexed[8:12])[0] + 60]
    yield "more.fgb", "error", "one byte too many at the end", plain + b"\0"
    yield "version.fgb", "error", "version 2", patched(3, b"\2")
    for name, number in [("0", 0), ("beyond", size), ("2-31", 2**31), ("2-32", 2**32 - 1)]:
        yield f"header-{name}.fgb", "error", f"the header says that it has {number} bytes", patched(8, struct.pack("<I", number))
        yield f"feature-{name}.fgb", "error", f"the first feature says that it has {number} bytes", patched(header, struct.pack("<I", number))
    for place in (0, 4, 8, 12):
        contents = f"an offset of the first feature, at byte {place}, leads out of the feature"
        yield f"offset-{place}.fgb", "error" if place == 0 else "any", contents, patched(header + 4 + place, b"\xff\xff\xff\x7f")
