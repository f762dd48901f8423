"""Good and broken CSV and TSV files with WKT or WKB."""

import gzip
import io

import duckdb
import pandas
import polars
import shapely

from . import good
from .features import Row

PANDAS = f"pandas {pandas.__version__}, Shapely {shapely.__version__}"


def text_of(shape) -> str:
    """Returns WKT. Each number has the shortest text that reads back as the same bits. GEOS does not do this for -0."""

    def chain(coordinates) -> str:
        return "(" + ", ".join(" ".join(repr(float(number)) for number in vertex) for vertex in coordinates) + ")"

    def polygon(part) -> str:
        return "(" + ", ".join(chain(ring.coords) for ring in shapely.get_rings(part)) + ")"

    kind, tag = shape.geom_type.upper(), " Z" if shape.has_z else ""
    if shape.is_empty:
        return f"{kind} EMPTY"
    each = polygon if kind.endswith("POLYGON") else lambda part: chain(part.coords)
    parts = [each(part) for part in shapely.get_parts(shape)]
    return f"{kind}{tag} ({', '.join(parts)})" if kind.startswith("MULTI") else f"{kind}{tag} {parts[0]}"


def wkt(rows: list[Row], srid: str = "", flat: bool = False) -> list[str | None]:
    shapes = [shapely.force_2d(row.geometry) if flat else row.geometry for row in rows]
    return [None if shape is None else srid + text_of(shape) for shape in shapes]


def frame(rows: list[Row], geometry: list[str | None], name: str) -> pandas.DataFrame:
    ids, names, values = [row.id for row in rows], [row.name for row in rows], [row.value for row in rows]
    return pandas.DataFrame({"id": ids, "name": names, name: geometry, "value": values})


def text(rows: list[Row], geometry: list[str | None], name: str = "WKT", **options) -> str:
    file = io.StringIO()
    frame(rows, geometry, name).to_csv(file, index=False, **{"lineterminator": "\n"} | options)
    return file.getvalue()


def write(corpus: good.Corpus, rows: list[Row], points: list[Row]) -> None:
    def path(name: str, contents: str, tool: str = PANDAS, count: int = len(rows), expected: str = "expected.geojson"):
        return corpus.path(name, count, expected, tool, contents)

    hexadecimal = [None if value is None else value.hex().upper() for value in good.wkb(rows)]
    path("pandas-wkt.csv", "WKT with heights").write_text(text(rows, wkt(rows)))
    path("pandas-ewkt.csv", "EWKT with the SRID 2056, semicolons, CR LF, a byte order mark").write_text(
        "\ufeff" + text(rows, wkt(rows, "SRID=2056;"), "geom", sep=";", lineterminator="\r\n"), newline=""
    )
    path("pandas-hex.tsv", "WKB in hexadecimal digits").write_text(text(rows, hexadecimal, "wkb_geometry", sep="\t"))
    data = gzip.compress(text(rows, wkt(rows), "geometry", quoting=1).encode(), mtime=0)
    path("pandas-quoted.csv.gz", "all values in quotes, gzip").write_bytes(data)
    path("points.csv", "points and multipoints, WKT", count=len(points), expected="expected-points.geojson").write_text(
        text(points, wkt(points))
    )
    plain = polars.from_pandas(frame(rows, wkt(rows), "geometry"))
    plain.write_csv(path("polars.tsv", "WKT", good.POLARS), separator="\t")
    connection = duckdb.connect(config={"threads": 1})
    connection.register("plain", plain.to_arrow())
    target = path("duckdb.csv", "WKT, what COPY writes without options", good.DUCKDB.removesuffix(" with spatial"))
    connection.execute(f"COPY (SELECT * FROM plain) TO '{target}' (HEADER)")
    connection.close()


def broken(rows: list[Row]):
    """Yields the name, the answer, the contents and the bytes of each broken file."""
    whole = text(rows, wkt(rows))
    shapes = wkt(rows)

    def row(bad: str) -> bytes:
        return text(rows, [shapes[0], bad, *shapes[2:]]).encode()

    yield "empty.csv", "error", "no bytes", b""
    yield "lines.csv", "error", "line ends alone", b"\n\r\n\n"
    yield "no-geometry.csv", "error", "no column that could have geometries", b"id,value\n1,2\n"
    yield "quote.csv", "error", "a quote that does not end", whole.encode() + b'9,"nine\n10,ten\n'
    yield "columns-less.csv", "error", "the last row has two columns of four", whole.encode() + b"9,nine\n"
    yield "columns-more.csv", "error", "the last row has five columns", whole.encode() + b"9,nine,POINT EMPTY,1,2\n"
    yield "cut.csv", "error", "the first 300 bytes", whole.encode()[:300]
    yield "latin1.csv", "error", "a name in ISO 8859-1", b"id,wkt\nZ\xfcrich,POLYGON EMPTY\n"
    yield "utf-16.csv", "error", "UTF-16", whole.encode("utf-16")
    yield "gzip.csv.gz", "error", "gzip that is cut", gzip.compress(whole.encode(), mtime=0)[:-30]
    yield "zip.csv", "error", "the first bytes of a zip archive", b"PK\3\4" + bytes(26)
    for name, bad in [
        ("word", "POLIGON ((0 0, 1 0, 1 1, 0 0))"),
        ("open", "POLYGON ((0 0, 1 0, 1 1, 0 0)"),
        ("more", "POLYGON ((0 0, 1 0, 1 1, 0 0)))"),
        ("one-number", "POLYGON ((0 0, 1, 1 1, 0 0))"),
        ("five-numbers", "POLYGON ((0 0 1 2 3, 1 0, 1 1, 0 0))"),
        ("comma", "POLYGON ((0 0, 1 0,, 1 1, 0 0))"),
        ("letter", "POLYGON ((0 0, 1 0x, 1 1, 0 0))"),
        ("nan", "POLYGON ((0 0, nan 0, 1 1, 0 0))"),
        ("infinity", "POLYGON ((0 0, 1e999 0, 1 1, 0 0))"),
        ("too-small", "POLYGON ((0 0, 1e-999 0, 1 1, 0 0))"),
        ("line", "LINESTRING (0 0, 1 0)"),
        ("curve", "CURVEPOLYGON (CIRCULARSTRING (0 0, 1 0, 1 1, 0 0))"),
        ("two", "GEOMETRYCOLLECTION (POLYGON ((0 0, 1 0, 1 1, 0 0)), POLYGON ((5 0, 6 0, 6 1, 5 0)))"),
        ("mixed", "POINT (1 2)"),
        ("deep", "GEOMETRYCOLLECTION (" * 5000 + "POINT EMPTY" + ")" * 5000),
        ("json", '{"type":"Point","coordinates":[1,2]}'),
        ("odd", "0103000000010000000"),
        ("srid", "SRID=4326"),
    ]:
        yield f"wkt-{name}.csv", "error", f"the second row has `{bad[:60]}`", row(bad)
