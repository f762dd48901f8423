"""Shapefiles: good files that GDAL writes, and the same files with rings in another order or with damage."""

import struct
import tempfile
from pathlib import Path

import pyogrio
import shapely

from . import good
from .features import Row

GDAL = f"GDAL {'.'.join(map(str, pyogrio.__gdal_version__))} through pyogrio {pyogrio.__version__}"
CLOCKWISE, BACKWARD = "expected-clockwise.geojson", "expected-backward.geojson"
HEADER = 100


def oriented(rows: list[Row], clockwise: bool) -> list[Row]:
    """Returns the features with all shells in one direction and all holes in the other. Each ring keeps its first vertex."""

    def turned(shape):
        return None if shape is None else shapely.orient_polygons(shape, exterior_cw=clockwise)

    return [Row(row.id, row.name, row.value, turned(row.geometry)) for row in rows]


def written(rows: list[Row], path: Path, crs=None, multi: bool = False, **options) -> None:
    """Writes the files of a Shapefile without the index (.shx). The header of the table has a fixed date."""
    data = good.frame(rows, crs)
    pyogrio.write_dataframe(
        data, path, driver="ESRI Shapefile", promote_to_multi=multi, layer_options={"DBF_DATE_LAST_UPDATE": "2026-01-01", **options}
    )
    path.with_suffix(".shx").unlink()


def of(rows: list[Row], **options) -> tuple[bytes, bytes]:
    """Returns the bytes of the .shp file and of the .dbf file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "of.shp"
        written(rows, path, **options)
        return path.read_bytes(), path.with_suffix(".dbf").read_bytes()


def records(data: bytes) -> list[bytes]:
    found, place = [], HEADER
    while place < len(data):
        length = 2 * struct.unpack(">I", data[place + 4 : place + 8])[0]
        found.append(data[place + 8 : place + 8 + length])
        place += 8 + length
    return found


def joined(head: bytes, contents: list[bytes], first: int = 1) -> bytes:
    body = b"".join(struct.pack(">II", first + k, len(content) // 2) + content for k, content in enumerate(contents))
    return head[:24] + struct.pack(">I", (HEADER + len(body)) // 2) + head[28:HEADER] + body


def rings_of(content: bytes) -> list[bytes]:
    parts, count = struct.unpack("<II", content[36:44])
    ends = [*struct.unpack(f"<{parts}I", content[44 : 44 + 4 * parts]), count]
    start = 44 + 4 * parts
    return [content[start + 16 * a : start + 16 * b] for a, b in zip(ends, ends[1:])]


def with_rings(content: bytes, rings: list[bytes]) -> bytes:
    sizes = [len(ring) // 16 for ring in rings]
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    return content[:36] + struct.pack(f"<{2 + len(rings)}I", len(rings), sum(sizes), *starts) + b"".join(rings)


def backward(ring: bytes) -> bytes:
    return b"".join(reversed([ring[k : k + 16] for k in range(0, len(ring), 16)]))


def shuffled(content: bytes) -> bytes:
    """Returns the record of a polygon with its holes first, and with all rings reversed. Returns other records unchanged."""
    if content[:4] != struct.pack("<I", 5):
        return content
    rings = rings_of(content)
    area = lambda ring: sum(a * d - b * c for (a, b), (c, d) in zip(ring, ring[1:]))  # noqa: E731
    is_hole = [area([struct.unpack("<2d", ring[k : k + 16]) for k in range(0, len(ring), 16)]) > 0 for ring in rings]
    holes = [ring for ring, hole in zip(rings, is_hole) if hole]
    return with_rings(content, [backward(ring) for ring in holes + [ring for ring, hole in zip(rings, is_hole) if not hole]])


def write(corpus: good.Corpus, rows: list[Row], points: list[Row]) -> None:
    few = rows[:24]

    def path(name: str, contents: str, count: int, expected: str = CLOCKWISE) -> Path:
        return corpus.path(name, count, expected, GDAL, contents)

    written(rows, path("gdal.shp", "heights are left out", len(rows)), crs=2056, SHPT="POLYGON")
    written(few, path("gdal-z.shp", "PolygonZ; 24 features", 24), crs=4326, SHPT="POLYGONZ")
    written(few, path("gdal-m.shp", "PolygonM; 24 features", 24), SHPT="POLYGONM")
    shapes, table = of(rows, SHPT="POLYGON")
    target = path("shuffled.shp", "rings that run the wrong way, holes before their shells, records that count from 0", len(rows), BACKWARD)
    target.write_bytes(joined(shapes, [shuffled(content) for content in records(shapes)], first=0))
    target.with_suffix(".dbf").write_bytes(table)
    single = [row for row in points if row.geometry is None or row.geometry.geom_type == "Point"]
    written(single, path("points-single.shp", "Point: the features that are one point", len(single), "expected-points.geojson"))
    written(points, path("points-multi.shp", "MultiPoint", len(points), "expected-points.geojson"), SHPT="MULTIPOINT", multi=True)
    written(single, path("points-z.shp", "PointZ", len(single), "expected-points.geojson"), SHPT="POINTZ")


def broken(rows: list[Row]):
    """Yields the name, the answer, the contents, the bytes of the .shp file and the bytes of the .dbf file."""
    shapes, table = of(rows, SHPT="POLYGON")
    head, contents = shapes[:HEADER], records(shapes)
    size = len(shapes)
    first = contents[0]

    def patched(data: bytes, place: int, new: bytes) -> bytes:
        return data[:place] + new + data[place + len(new) :]

    def record(place: int, new: bytes) -> bytes:
        return joined(head, [patched(first, place, new), *contents[1:]])

    for name, length in [("0", 0), ("4", 4), ("header", 99), ("record", HEADER + 5), ("middle", size // 2), ("last-1", size - 1)]:
        yield f"cut-{name}", "error", f"the first {length} of {size} bytes", shapes[:length], table
    yield "more", "error", "one byte too many at the end", shapes + b"\0", table
    yield "magic", "error", "text instead of the magic number", b"text" + shapes[4:], table
    for name, words in [("0", 0), ("49", 49), ("less", size // 2 - 4), ("beyond", size), ("2-32", 2**32 - 1)]:
        yield f"length-{name}", "error", f"the header says {words} words", patched(shapes, 24, struct.pack(">I", words)), table
    for name, words in [("0", 0), ("beyond", size), ("2-31", 2**31), ("2-32", 2**32 - 1)]:
        yield f"record-{name}", "error", f"the first record says {words} words", patched(shapes, HEADER + 4, struct.pack(">I", words)), table
    yield "number", "error", "the first record has the number 7", patched(shapes, HEADER, struct.pack(">I", 7)), table
    for name, place, what in [("parts", 36, "parts"), ("points", 40, "points")]:
        for number in (-1, 1000, 2**31 - 1, -(2**31)):
            text = str(number).replace("-", "minus-")
            yield f"{name}-{text}", "error", f"the first record has {number} {what}", record(place, struct.pack("<i", number)), table
    yield "parts-0", "error", "the first record has points and no part", record(36, struct.pack("<i", 0)), table
    for number in (1, -1, 2**31 - 1):
        yield f"start-{number}".replace("--", "-minus-"), "error", f"the first part begins at {number}", record(44, struct.pack("<i", number)), table
    for kind, name in [(2, "no type"), (99, "no type"), (-1, "no type"), (31, "MultiPatch")]:
        yield f"type-{kind}".replace("--", "-minus-"), "error", f"the first record has the type {kind}: {name}", record(0, struct.pack("<i", kind)), table
    yield "empty-record", "error", "the first record has no bytes", joined(head, [b"", *contents[1:]]), table
    yield "nan", "error", "x of the first vertex is NaN", record(48, struct.pack("<d", float("nan"))), table
    point = struct.pack("<I2d", 1, 0.5, 0.5)
    yield "mixed", "error", "the second record is a point", joined(head, [first, point, *contents[2:]]), table
    for length in (0, 20, 40, 200, len(table) - 30):
        yield f"table-cut-{length}", "error", f"the first {length} of {len(table)} bytes of the table", shapes, table[:length]
    for place, what, new in [
        (4, "rows", struct.pack("<I", 3)),
        (4, "many rows", struct.pack("<I", 2**32 - 1)),
        (8, "bytes in the header", struct.pack("<H", 5)),
        (8, "many bytes in the header", struct.pack("<H", 65535)),
        (10, "bytes in a row", struct.pack("<H", 0)),
        (10, "too few bytes in a row", struct.pack("<H", 9)),
        (48, "width of a column", b"\xff"),
    ]:
        yield f"table-{what.replace(' ', '-')}", "error", f"the table has a wrong number: {what}", shapes, patched(table, place, new)
    yield "table-text", "error", "text instead of a table", shapes, b"id,name\n1,a\n"
    yield "table-kind", "any", "the column `id` has dates, so that it may name nothing", shapes, patched(table, 32 + 11, b"D")
