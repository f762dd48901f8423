"""Cases of well-known binary (WKB): bytes, and the geometry that a reader must return."""

import struct

import shapely

HEADER = """\
# Well-known binary (WKB). Each line: hexadecimal digits, a tab, the expected geometry, a tab, a comment. The digits of one case are empty.
# `error` means that the bytes are invalid, or that a reader of polygons and points does not support the type.
# Other geometries are in well-known text, in two dimensions, with every vertex as it is stored. `(())` is a ring without vertices.
# Numbers are in the shortest form that reads back as the same bits.
"""
POINT, LINE, POLYGON, MULTIPOINT, MULTILINE, MULTIPOLYGON, COLLECTION = range(1, 8)
Z, M, SRID = 0x80000000, 0x40000000, 0x20000000
NAN = float("nan")

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2), (0, 0)]
HOLE = [(0.5, 0.5), (0.5, 1.5), (1.5, 1.5), (1.5, 0.5), (0.5, 0.5)]
FAR = [(0.1, 1e300), (5e-324, -0.0), (1 / 3, -2.5), (0.1, 1e300)]


def head(kind: int, big: bool = False, srid: int | None = None) -> bytes:
    order = ">" if big else "<"
    flags = SRID if srid is not None else 0
    return bytes([not big]) + struct.pack(f"{order}I", kind | flags) + (b"" if srid is None else struct.pack(f"{order}I", srid))


def count(number: int, big: bool = False) -> bytes:
    return struct.pack(">I" if big else "<I", number)


def numbers(vertices, more=(), big: bool = False) -> bytes:
    """Returns the bytes of vertices. The numbers of `more` (a height or a measure) follow the coordinates of each vertex."""
    flat = [number for vertex in vertices for number in (*vertex, *more)]
    return struct.pack(f"{'>' if big else '<'}{len(flat)}d", *flat)


def polygon(rings, kind: int = POLYGON, more=(), big: bool = False, srid: int | None = None) -> bytes:
    body = b"".join(count(len(ring), big) + numbers(ring, more, big) for ring in rings)
    return head(kind, big, srid) + count(len(rings), big) + body


def several(kind: int, parts: list[bytes], big: bool = False, srid: int | None = None) -> bytes:
    return head(kind, big, srid) + count(len(parts), big) + b"".join(parts)


def point(vertex, kind: int = POINT, more=(), big: bool = False, srid: int | None = None) -> bytes:
    return head(kind, big, srid) + numbers([vertex], more, big)


def number_text(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def ring_text(ring) -> str:
    return "(" + ", ".join(" ".join(map(number_text, vertex)) for vertex in ring) + ")"


def polygon_text(rings) -> str:
    return "(" + ", ".join(map(ring_text, rings)) + ")" if rings else "EMPTY"


def text(kind: int, parts) -> str:
    """Returns the WKT of a polygon (a list of rings), of polygons, of a point or of points."""
    if kind == POLYGON:
        return f"POLYGON {polygon_text(parts)}"
    if kind == POINT:
        return f"POINT {ring_text([parts])}" if parts else "POINT EMPTY"
    name, each = ("MULTIPOLYGON", polygon_text) if kind == MULTIPOLYGON else ("MULTIPOINT", lambda p: ring_text([p]))
    return f"{name} ({', '.join(map(each, parts))})" if parts else f"{name} EMPTY"


def good() -> list[tuple[bytes, str, str]]:
    one, two = [SQUARE], [SQUARE, HOLE]
    square, both = text(POLYGON, one), text(MULTIPOLYGON, [two, [FAR]])
    cases = [
        (polygon(one), square, "polygon"),
        (polygon(one, big=True), square, "polygon, big-endian"),
        (polygon(two), text(POLYGON, two), "polygon with a hole"),
        (polygon([FAR]), text(POLYGON, [FAR]), "large, subnormal and negative zero coordinates"),
        (polygon([]), text(POLYGON, []), "polygon without a ring"),
        (polygon([], big=True), text(POLYGON, []), "polygon without a ring, big-endian"),
        (polygon([[]]), "POLYGON (())", "polygon of one ring without vertices"),
        (polygon([SQUARE[:-1]]), text(POLYGON, [SQUARE[:-1]]), "ring whose last vertex is not its first"),
        (polygon([SQUARE[:2]]), text(POLYGON, [SQUARE[:2]]), "ring of two vertices: valid bytes, but not a polygon"),
    ]
    for name, iso, flags, more in [("Z", 1000, Z, [7.5]), ("M", 2000, M, [-1]), ("ZM", 3000, Z | M, [7.5, NAN])]:
        for big in (False, True):
            order = ", big-endian" if big else ""
            for form, kind in [("ISO", lambda k, iso=iso: k + iso), ("EWKB", lambda k, flags=flags: k | flags)]:
                parts = [polygon(two, kind(POLYGON), more, big), polygon([FAR], kind(POLYGON), more, big)]
                cases += [
                    (polygon(two, kind(POLYGON), more, big), text(POLYGON, two), f"polygon {name}, {form}{order}"),
                    (several(kind(MULTIPOLYGON), parts, big), both, f"multipolygon {name}, {form}{order}"),
                    (point((1, 2), kind(POINT), more, big), text(POINT, (1, 2)), f"point {name}, {form}{order}"),
                ]
            cases.append((polygon(two, POLYGON | flags, more, big, 4326), text(POLYGON, two), f"polygon {name}, EWKB with an SRID{order}"))
    parts = [polygon(two), polygon([FAR])]
    ends = [point((1, 2)), point((-0.0, 1e300))]
    cases += [
        (polygon(two, srid=4326), text(POLYGON, two), "polygon, EWKB with an SRID"),
        (polygon(two, srid=2056, big=True), text(POLYGON, two), "polygon, EWKB with an SRID, big-endian"),
        (several(MULTIPOLYGON, parts), both, "multipolygon"),
        (several(MULTIPOLYGON, parts, srid=4326), both, "multipolygon, EWKB with an SRID"),
        (
            several(MULTIPOLYGON, [polygon(two, srid=4326), polygon([FAR], srid=4326)], srid=4326),
            both,
            "multipolygon whose parts have an SRID also",
        ),
        (several(MULTIPOLYGON, [polygon(two, big=True), polygon([FAR], big=True)], True), both, "multipolygon, big-endian"),
        (several(MULTIPOLYGON, [polygon(two), polygon([FAR], big=True)]), both, "multipolygon whose second part is big-endian"),
        (
            several(MULTIPOLYGON, [polygon(two), polygon([FAR], big=True)], True),
            both,
            "big-endian multipolygon whose first part is little-endian",
        ),
        (several(COLLECTION, []), "GEOMETRYCOLLECTION EMPTY", "GeometryCollection without a part"),
        (several(COLLECTION, [polygon([SQUARE])]), f"GEOMETRYCOLLECTION ({text(POLYGON, [SQUARE])})", "GeometryCollection with a polygon"),
        (several(MULTIPOLYGON, []), text(MULTIPOLYGON, []), "multipolygon without a part"),
        (several(MULTIPOLYGON, [polygon([]), polygon(one)]), text(MULTIPOLYGON, [[], one]), "multipolygon whose first part has no ring"),
        (point((1, 2)), text(POINT, (1, 2)), "point"),
        (point((1, 2), big=True), text(POINT, (1, 2)), "point, big-endian"),
        (point((1, 2), srid=4326), text(POINT, (1, 2)), "point, EWKB with an SRID"),
        (point((NAN, NAN)), text(POINT, None), "point without coordinates: two NaNs"),
        (several(MULTIPOINT, ends), text(MULTIPOINT, [(1, 2), (-0.0, 1e300)]), "multipoint"),
        (several(MULTIPOINT, [point((1, 2), big=True)], True), text(MULTIPOINT, [(1, 2)]), "multipoint, big-endian"),
        (
            several(MULTIPOINT, [point((1, 2), POINT + 1000, [3])]),
            text(MULTIPOINT, [(1, 2)]),
            "multipoint in 2 dimensions whose part has 3",
        ),
        (several(MULTIPOINT, []), text(MULTIPOINT, []), "multipoint without a part"),
    ]
    return cases


def broken() -> list[tuple[bytes, str]]:
    square, all_of_it = polygon([SQUARE]), several(MULTIPOLYGON, [polygon([SQUARE, HOLE]), polygon([FAR])])
    most, half = 2**32 - 1, 2**31
    cases = [(square[:length], f"polygon, cut after {length} bytes") for length in (0, 1, 3, 5, 7, 9, 11, 13, 20, 29, len(square) - 1)]
    cases += [(all_of_it[:length], f"multipolygon, cut after {length} bytes") for length in (9, 10, 14, 18, 200, len(all_of_it) - 8)]
    cases += [
        (square[:9] + count(5) + numbers(SQUARE)[:72], "polygon, cut in the last vertex"),
        (polygon([SQUARE], srid=4326)[:7], "polygon, cut in its SRID"),
        (polygon([SQUARE], srid=4326)[:9], "polygon, cut after its SRID"),
        (square + b"\0", "polygon, then one byte"),
        (square + square, "polygon, then a second polygon"),
        (all_of_it + b"\1\2\3", "multipolygon, then three bytes"),
        (point((1, 2)) + numbers([(3, 3)]), "point, then 16 bytes"),
        (b"\2" + square[1:], "byte order 2"),
        (b"\xff" + square[1:], "byte order 255"),
        (b"0" + square[1:], "byte order 48, the digit 0"),
        (head(POLYGON) + count(most), "2^32 - 1 rings and no more bytes"),
        (head(POLYGON) + count(most) + square[9:], "2^32 - 1 rings and the bytes of one"),
        (head(POLYGON, True) + count(most, True), "2^32 - 1 rings and no more bytes, big-endian"),
        (head(POLYGON) + count(2) + square[9:], "2 rings and the bytes of one"),
        (head(POLYGON) + count(0) + square[9:], "no ring and the bytes of one"),
        (head(POLYGON) + count(1) + count(half), "2^31 vertices and no more bytes"),
        (head(POLYGON) + count(1) + count(2**28) + numbers(SQUARE), "2^28 vertices, which are 2^32 bytes, and the bytes of 5"),
        (head(POLYGON) + count(1) + count(2**28 + 5) + numbers(SQUARE), "2^28 + 5 vertices, which 32 bits take for 5, and the bytes of 5"),
        (head(POLYGON) + count(1) + count(most) + numbers(SQUARE), "2^32 - 1 vertices and the bytes of 5"),
        (head(POLYGON) + count(1) + count(6) + numbers(SQUARE), "6 vertices and the bytes of 5"),
        (head(POLYGON) + count(1) + count(4) + numbers(SQUARE), "4 vertices and the bytes of 5"),
        (head(POLYGON + 1000) + count(1) + count(5) + numbers(SQUARE), "Z, but the vertices have 2 coordinates"),
        (head(MULTIPOLYGON) + count(most), "2^32 - 1 polygons and no more bytes"),
        (head(MULTIPOLYGON) + count(most) + square, "2^32 - 1 polygons and the bytes of one"),
        (head(MULTIPOLYGON) + count(2) + square, "2 polygons and the bytes of one"),
        (head(MULTIPOINT) + count(half) + point((1, 2)), "2^31 points and the bytes of one"),
        (several(MULTIPOLYGON, [point((1, 2))]), "multipolygon with a point"),
        (several(MULTIPOLYGON, [several(MULTIPOLYGON, [square])]), "multipolygon in a multipolygon"),
        (several(MULTIPOINT, [square]), "multipoint with a polygon"),
        (polygon([SQUARE], 0), "type 0, any geometry"),
        (head(LINE) + count(5) + numbers(SQUARE), "LineString"),
        (head(LINE, True) + count(5, True) + numbers(SQUARE, big=True), "LineString, big-endian"),
        (several(MULTILINE, [head(LINE) + count(5) + numbers(SQUARE)]), "MultiLineString"),
        (several(COLLECTION, [several(COLLECTION, [square]), point((1, 2))]), "GeometryCollection in a GeometryCollection"),
        ((head(COLLECTION) + count(1)) * 500 + square, "GeometryCollections, 500 deep"),
        (head(COLLECTION) + count(most), "GeometryCollection of 2^32 - 1 parts"),
        (head(8) + count(5) + numbers(SQUARE), "CircularString"),
        (several(9, [head(LINE) + count(5) + numbers(SQUARE)]), "CompoundCurve"),
        (several(10, [head(8) + count(5) + numbers(SQUARE)]), "CurvePolygon"),
        (several(12, [square]), "MultiSurface"),
        (several(1015, [polygon([SQUARE], POLYGON + 1000, [1])]), "PolyhedralSurface Z"),
        (several(1016, [polygon([FAR], 1017, [1])]), "TIN Z"),
        (polygon([FAR], 17), "Triangle"),
        (polygon([SQUARE], 18), "type 18, which no standard defines"),
        (polygon([SQUARE], 4003), "type 4003, which no standard defines"),
        (polygon([SQUARE], 0x10000003), "flag 0x10000000, which no standard defines"),
        (polygon([SQUARE], most), "type 2^32 - 1"),
        (polygon([[(0, 0), (NAN, 0), (2, 2), (0, 0)]]), "NaN in a polygon: readable, but no polygon"),
        (polygon([[(0, 0), (2, float("inf")), (2, 2), (0, 0)]]), "infinity in a polygon: readable, but no polygon"),
        (point((NAN, 1)), "NaN in one coordinate of a point: readable, but no point"),
        (b"POLYGON ((0 0, 1 0, 1 1, 0 0))", "well-known text instead of binary"),
        (square.hex().encode(), "hexadecimal digits instead of binary"),
        (b"GP\0\1" + struct.pack("<i", 4326) + square, "GeoPackage binary"),
    ]
    return cases


def same(found, expected) -> bool:
    return found.geom_type == expected.geom_type and shapely.equals_identical(shapely.force_2d(found), expected)


def write(path) -> None:
    """Writes all cases. Fails if GEOS reads another geometry from a good case. GEOS refuses two of the good cases."""
    refused = 0
    lines = [HEADER]
    for data, expected, comment in good():
        if expected != "POLYGON (())":
            try:
                assert same(shapely.from_wkb(data), shapely.from_wkt(expected)), comment
            except (shapely.GEOSException, ValueError):
                refused += 1
                assert "not its first" in comment or "two vertices" in comment, comment
        lines.append(f"{data.hex()}\t{expected}\t{comment}\n")
    lines += [f"{data.hex()}\terror\t{comment}\n" for data, comment in broken()]
    assert refused == 2, refused
    path.write_text("".join(lines), encoding="utf-8")
