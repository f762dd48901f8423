"""The features of the corpus, and the answers that a reader must return."""

import gzip
import json
from pathlib import Path

import shapely
from shapely.geometry import shape

# Counties that share borders (Kansas), counties with holes and the cities that fill the holes (Virginia), and counties with several
# parts.
KANSAS = [f"20{code:03}" for code in range(1, 57, 2)]
HOLES = ["51081", "51595", "51089", "51690", "51003", "51540", "51153"]
PARTS = ["39043", "39123", "72053", "78020", "25007", "44009"]

# Id, name and well-known text. A name of None is null.
HAND = [
    (7, "square", "POLYGON ((10 10, 11 10, 11 11, 10 11, 10 10))"),
    (-3, "square that shares an edge with the first", "POLYGON ((11 10, 12 10, 12 11, 11 11, 11 10))"),
    (2, "triangle that overlaps two squares", "POLYGON ((10.5 10.5, 11.5 10.5, 11 11.5, 10.5 10.5))"),
    (9007199254740993, "square that shares a corner with the first", "POLYGON ((11 11, 12 11, 12 12, 11 12, 11 11))"),
    (4, "square with a hole", "POLYGON ((20 20, 26 20, 26 26, 20 26, 20 20), (21 21, 21 25, 25 25, 25 21, 21 21))"),
    (5, "square that fills the hole", "POLYGON ((21 21, 25 21, 25 25, 21 25, 21 21))"),
    (
        6,
        "two holes, one of which touches the border in one point",
        "POLYGON ((30 30, 36 30, 36 36, 30 36, 30 30), (31 31, 31 33, 33 33, 33 31, 31 31), (36 34, 35 33.5, 34 34, 35 34.5, 36 34))",
    ),
    (8, "clockwise shell, counter-clockwise hole", "POLYGON ((40 40, 40 46, 46 46, 46 40, 40 40), (41 41, 43 41, 43 43, 41 43, 41 41))"),
    (
        10,
        "two parts, the first with a hole, the second inside that hole",
        "MULTIPOLYGON (((50 50, 58 50, 58 58, 50 58, 50 50), (51 51, 51 57, 57 57, 57 51, 51 51)), ((53 53, 55 53, 55 55, 53 55, 53 53)))",
    ),
    (11, "several parts, of which there is one", "MULTIPOLYGON (((60 60, 61 60, 61 61, 60 61, 60 60)))"),
    (12, None, "POLYGON ((70 70, 76 70, 76 72, 72 72, 72 76, 70 76, 70 70))"),
    (13, "", "POLYGON ((80 80, 81 80, 82 80, 82 80, 82 82, 80 82, 80 81, 80 80))"),
    (14, "decimals: édes ñandú 多角形 🔺", "POLYGON ((0.1 90.1, 0.3333333333333333 90.1, 0.7 90.30000000000001, 0.2 90.7, 0.1 90.1))"),
    (
        15,
        "one unit in the last place to the right of the next",
        "POLYGON ((1.0000000000000002 95, 2 95, 2 96, 1.0000000000000002 96, 1.0000000000000002 95))",
    ),
    (16, "nearly touches the one before", "POLYGON ((0.5 95, 1 95, 1 96, 0.5 96, 0.5 95))"),
    (17, "negative zero and subnormal numbers", "POLYGON ((-0.0 -0.0, 5e-324 -0.0, 5e-324 1e-310, -0.0 1e-310, -0.0 -0.0))"),
    (18, "large numbers", "POLYGON ((1e300 1e300, 1.7e300 1e300, 1e300 1.7e300, 1e300 1e300))"),
    (19, "far from the origin", "POLYGON ((2600000.25 1200000.5, 2600010.125 1200000.5, 2600005.0625 1200008.1, 2600000.25 1200000.5))"),
    (20, "heights", "POLYGON Z ((100 100 400.5, 104 100 410.25, 104 104 420, 100 104 -3, 100 100 400.5))"),
    (21, "polygon without a ring", "POLYGON EMPTY"),
    (22, "no geometry", None),
    (23, "several parts, of which there are none", "MULTIPOLYGON EMPTY"),
    (
        24,
        "last hand-written one: a part across the first square",
        "MULTIPOLYGON (((110 110, 112 110, 111 112, 110 110)), ((9 10.25, 10.75 10.25, 10.75 10.75, 9 10.75, 9 10.25)))",
    ),
]

POINTS = [
    (1, "inside the first square", "POINT (10.25 10.75)"),
    (2, "on the corner of three squares", "POINT (11 11)"),
    (3, "two points", "MULTIPOINT ((10.5 10), (23 23))"),
    (4, "no geometry", None),
    (5, "decimals", "POINT (0.1 -0.30000000000000004)"),
    (6, "several points, of which there is one", "MULTIPOINT ((53.5 54.25))"),
    (7, "negative zero and a subnormal number", "POINT (-0.0 5e-324)"),
    (8, "large numbers", "POINT (-1.7e300 1e300)"),
    (9, "several points, of which there are none", "MULTIPOINT EMPTY"),
    (10, "in Kansas", "POINT (-98.5 38.5)"),
    (11, "far from the origin", "POINT (2600005.0625 1200003.5)"),
]


class Row:
    """A feature with an id, a name, a value and a Shapely geometry. All except the id may be None."""

    def __init__(self, number: int, name: str | None, value: float | None, geometry):
        self.id, self.name, self.value, self.geometry = number, name, value, geometry


def of_texts(table) -> list[Row]:
    rows = []
    for place, (number, name, text) in enumerate(table):
        value = None if place == 2 else (place - 4) / 3
        rows.append(Row(number, name, value, None if text is None else shapely.from_wkt(text)))
    return rows


def polygons(counties: Path) -> list[Row]:
    """Returns the hand-written features, then the counties."""
    rows = of_texts(HAND)
    features = {feature["id"]: feature for feature in json.loads(gzip.open(counties).read())["features"]}
    for code in KANSAS + HOLES + PARTS:
        geometry = shape(features[code]["geometry"])
        assert geometry.is_valid, code
        rows.append(Row(int(code), features[code]["properties"]["name"], geometry.area, geometry))
    assert len({row.id for row in rows}) == len(rows)
    return rows


def plain(coordinates):
    """Returns coordinates of GeoJSON as lists of two numbers. Leaves out a third number."""
    if coordinates and isinstance(coordinates[0], float):
        return list(coordinates[:2])
    return [plain(part) for part in coordinates]


def geojson(rows: list[Row]) -> str:
    """Returns GeoJSON with one feature per line. Each number has the shortest text that reads back as the same bits."""
    lines = []
    for row in rows:
        geometry = row.geometry
        if geometry is not None:
            # Shapely's own `mapping` fails on empty parts in some versions.
            kind = geometry.geom_type
            parts = shapely.get_parts(geometry) if kind.startswith("Multi") else [geometry]
            if kind.endswith("Polygon"):
                parts = [[ring.coords[:] for ring in shapely.get_rings(part)] for part in parts]
            else:
                parts = [part.coords[0] for part in parts]
            geometry = {"type": kind, "coordinates": plain(parts if kind.startswith("Multi") else parts[0])}
        feature = {"type": "Feature", "id": row.id, "properties": {"name": row.name, "value": row.value}, "geometry": geometry}
        lines.append(json.dumps(feature, ensure_ascii=False, separators=(",", ":")))
    return '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"


def pairs(rows: list[Row]) -> str:
    """Returns CSV with the pairs of features that meet according to GEOS, in the order of the features."""
    lines = ["a,b,relation"]
    for place, a in enumerate(rows):
        for b in rows[place + 1 :]:
            if a.geometry is None or b.geometry is None or not shapely.intersects(a.geometry, b.geometry):
                continue
            interiors_meet = shapely.relate(a.geometry, b.geometry)[0] != "F"
            lines.append(f"{a.id},{b.id},{'overlapping' if interiors_meet else 'touching'}")
    return "\n".join(lines) + "\n"
