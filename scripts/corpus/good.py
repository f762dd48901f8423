"""Valid files for tests of readers. Most file names begin with the name of the tool that writes the file."""

from pathlib import Path

import duckdb
import duckdb_extension_spatial
import geoarrow.pyarrow as ga
import geopandas
import polars
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import sedonadb
import shapely

from .features import Row

PYARROW, GEOPANDAS = f"pyarrow {pa.__version__}", f"GeoPandas {geopandas.__version__}"
POLARS, DUCKDB, SEDONA = f"Polars {polars.__version__}", f"DuckDB {duckdb.__version__} with spatial", f"SedonaDB {sedonadb.__version__}"
GROUP = 16  # number of rows in a row group or a record batch


class Corpus:
    """A folder, and the list of its files: name, number of rows, file with the answers, tool, and contents."""

    def __init__(self, folder: Path):
        self.folder, self.files = folder, []

    def path(self, name: str, rows: int, expected: str, tool: str, contents: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.files.append((name, rows, expected, tool, contents))
        return path


def wkb(rows: list[Row], **options) -> list[bytes | None]:
    options = {"flavor": "iso"} | options
    return [None if row.geometry is None else shapely.to_wkb(row.geometry, **options) for row in rows]


def columns(rows: list[Row]) -> dict:
    return {
        "id": pa.array([row.id for row in rows], pa.int64()),
        "name": pa.array([row.name for row in rows]),
        "value": pa.array([row.value for row in rows], pa.float64()),
    }


def frame(rows: list[Row], crs=None, flat: bool = False) -> geopandas.GeoDataFrame:
    geometry = [shapely.force_2d(row.geometry) if flat else row.geometry for row in rows]
    data = {name: column.to_pandas() for name, column in columns(rows).items()}
    return geopandas.GeoDataFrame(data, geometry=geometry, crs=crs)


def table(rows: list[Row], geometry, name: str = "geometry") -> pa.Table:
    return pa.table({**columns(rows), name: geometry})


def extension(rows: list[Row], geometry: pa.Array, kind: str, metadata: str = "{}") -> pa.Table:
    """Returns a table whose geometry column has the metadata of an extension type. pyarrow need not know the type."""
    bare = table(rows, geometry)
    field = bare.schema.field("geometry").with_metadata({"ARROW:extension:name": kind, "ARROW:extension:metadata": metadata})
    return pa.Table.from_arrays(bare.columns, schema=bare.schema.set(3, field))


def write_arrow(path: Path, data: pa.Table, compression: str | None = None, batch: int | None = None) -> None:
    """Writes an Arrow file, or a stream if the name ends in `.arrows`."""
    new = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
    with new(path, data.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(data, max_chunksize=batch)


def native(rows: list[Row], kind) -> pa.Array:
    """Returns geometries in a native encoding of GeoArrow, as plain arrays without the extension type."""
    geometry = ga.array([None if row.geometry is None else shapely.to_wkb(shapely.force_2d(row.geometry)) for row in rows])
    return ga.as_geoarrow(geometry, kind).storage


def large(kind: pa.DataType) -> pa.DataType:
    """Returns the type of the same nested lists with 64-bit offsets."""
    return pa.large_list(kind.value_field.with_type(large(kind.value_type))) if pa.types.is_list(kind) else kind


def geopandas_files(corpus: Corpus, rows: list[Row]) -> None:
    def write(name: str, contents: str, data=None, expected: str = "expected.geojson", **options):
        data = frame(rows) if data is None else data
        data.to_parquet(corpus.path(f"geopandas-{name}.parquet", len(data), expected, GEOPANDAS, contents), index=False, **options)

    few = rows[:24]
    write("0.4.0-snappy", "GeoParquet 0.4.0, Snappy", schema_version="0.4.0")
    write("1.0.0-snappy", "GeoParquet 1.0.0, Snappy", schema_version="1.0.0")
    write(
        "1.1.0-bbox-zstd",
        "GeoParquet 1.1.0 with a column of bounding boxes, Zstandard, row groups of 16",
        schema_version="1.1.0",
        write_covering_bbox=True,
        compression="zstd",
        row_group_size=GROUP,
    )
    write("2.0.0-gzip", "GeoParquet 2.0.0, gzip, row groups of 16", schema_version="2.0.0", compression="gzip", row_group_size=GROUP)
    write(
        "geoarrow-none",
        "GeoParquet 1.1.0, encoding `multipolygon`, not compressed; an empty polygon is a polygon of no rings",
        frame(rows, flat=True),
        geometry_encoding="geoarrow",
        compression=None,
    )
    write(
        "geoarrow-zstd",
        "GeoParquet 1.1.0, encoding `multipolygon`, Zstandard, row groups of 16, pages of 5 rows",
        frame(rows, flat=True),
        geometry_encoding="geoarrow",
        compression="zstd",
        row_group_size=GROUP,
        max_rows_per_page=5,
    )
    write(
        "geoarrow-byte-stream-split",
        "GeoParquet 1.1.0, encoding `multipolygon`, coordinates in the encoding BYTE_STREAM_SPLIT",
        frame(rows, flat=True),
        geometry_encoding="geoarrow",
        compression="zstd",
        use_dictionary=False,
        use_byte_stream_split=[f"geometry.list.element.list.element.list.element.{axis}" for axis in "xy"],
    )
    only = [row for row in rows if row.geometry is None or row.geometry.geom_type == "Polygon"]
    write(
        "geoarrow-polygon",
        "GeoParquet 1.1.0, encoding `polygon`: the features that are one polygon",
        frame(only, flat=True),
        geometry_encoding="geoarrow",
    )
    write(
        "geoarrow-z",
        "GeoParquet 1.1.0, encoding `multipolygon` with z; z is NaN for polygons without heights",
        geometry_encoding="geoarrow",
    )
    write("crs-4326", "CRS EPSG:4326 in PROJJSON; 24 features", frame(few, 4326))
    write("crs-2056", "CRS EPSG:2056 in PROJJSON; 24 features", frame(few, 2056))
    write("crs-2056-geoarrow", "CRS EPSG:2056, encoding `multipolygon`; 24 features", frame(few, 2056, True), geometry_encoding="geoarrow")
    write("no-rows", "no rows", frame(rows)[:0])

    both = frame(few, 4326).rename_geometry("shape")
    both.insert(0, "corner", both.geometry.map(lambda shape: shapely.Point(shapely.get_coordinates(shape)[0]) if shape else None))
    write(
        "two-columns",
        "two geometry columns; `corner` has points and comes first, `shape` has the polygons and is the primary one; 24 features",
        both,
    )

    def feather(name: str, contents: str, **options):
        frame(rows).to_feather(corpus.path(name, len(rows), "expected.geojson", GEOPANDAS, contents), index=False, **options)

    feather("geopandas-lz4.feather", "Feather 2, which is an Arrow file; WKB and the metadata `geo` of GeoParquet; LZ4", compression="lz4")
    feather("geopandas-none.feather", "Feather 2, WKB, not compressed", compression="uncompressed")

    def arrow(name: str, contents: str, data: pa.Table, **options):
        path = corpus.path(f"geopandas-{name}", data.num_rows, "expected.geojson", f"{GEOPANDAS}, {PYARROW}", contents)
        write_arrow(path, data, **options)

    binary = pa.table(frame(rows).to_arrow(index=False))
    arrow("wkb.arrow", "file, `geoarrow.wkb`, not compressed", binary)
    arrow("wkb-zstd.arrow", "file, `geoarrow.wkb`, Zstandard, batches of 16", binary, compression="zstd", batch=GROUP)
    arrow("wkb-lz4.arrows", "stream, `geoarrow.wkb`, LZ4, batches of 16", binary, compression="lz4", batch=GROUP)
    arrow("crs-2056.arrow", "file, `geoarrow.wkb`, CRS EPSG:2056; 24 features", pa.table(frame(few, 2056).to_arrow(index=False)))
    for interleaved, layout in [(True, "interleaved"), (False, "separated")]:
        data = pa.table(frame(rows).to_arrow(index=False, geometry_encoding="geoarrow", interleaved=interleaved, include_z=False))
        arrow(f"{layout}.arrow", f"file, `geoarrow.multipolygon`, {layout} coordinates, not compressed", data)
        arrow(
            f"{layout}.arrows",
            f"stream, `geoarrow.multipolygon`, {layout} coordinates, Zstandard, batches of 16",
            data,
            compression="zstd",
            batch=GROUP,
        )
        data = pa.table(frame(only).to_arrow(index=False, geometry_encoding="geoarrow", interleaved=interleaved, include_z=True))
        arrow(
            f"polygon-{layout}-z.arrow",
            f"file, `geoarrow.polygon`, {layout} coordinates with z; the features that are one polygon",
            data,
            compression="lz4",
        )


def pyarrow_files(corpus: Corpus, rows: list[Row], texts: list[str | None]) -> None:
    few = rows[:24]

    def path(name: str, contents: str, tool: str = PYARROW, count: int = len(rows)) -> Path:
        return corpus.path(f"pyarrow-{name}", count, "expected.geojson", tool, contents)

    logical = f"geoarrow-pyarrow {ga.__version__}, {PYARROW}"
    data = table(rows, ga.as_wkb(ga.array(wkb(rows))))
    pq.write_table(
        data, path("geometry-type.parquet", "logical type GEOMETRY, no metadata `geo`, row groups of 16", logical), row_group_size=GROUP
    )
    data = table(few, ga.with_crs(ga.as_wkb(ga.array(wkb(few))), ga.OGC_CRS84))
    pq.write_table(
        data, path("geometry-type-crs84.parquet", "logical type GEOMETRY, CRS OGC:CRS84; 24 features", logical, 24), store_schema=False
    )
    data = table(few, ga.with_edge_type(ga.as_wkb(ga.array(wkb(few))), ga.EdgeType.SPHERICAL))
    pq.write_table(data, path("geography-type.parquet", "logical type GEOGRAPHY: edges are great circles; 24 features", logical, 24))

    plain = table(rows, pa.array(wkb(rows)))
    pq.write_table(
        plain, path("plain-none.parquet", "binary column of WKB without metadata, not compressed"), compression="none", store_schema=False
    )
    pq.write_table(
        plain,
        path("page-v2-lz4.parquet", "data pages of version 2 with 5 rows, LZ4_RAW; WKB without metadata"),
        compression="lz4",
        data_page_version="2.0",
        max_rows_per_page=5,
        write_batch_size=5,
        use_dictionary=False,
    )
    pq.write_table(
        plain,
        path("page-v2-dictionary-zstd.parquet", "data pages of version 2, WKB encoded by a dictionary, Zstandard, row groups of 16"),
        compression="zstd",
        data_page_version="2.0",
        row_group_size=GROUP,
    )
    pq.write_table(
        plain,
        path("dictionary-checksum.parquet", "WKB encoded by a dictionary, page checksums, page index"),
        compression="none",
        write_page_checksum=True,
        write_page_index=True,
    )
    pq.write_table(
        plain,
        path("dictionary-falls-back.parquet", "a dictionary that becomes too large, then plain values"),
        dictionary_pagesize_limit=1024,
        max_rows_per_page=8,
        write_batch_size=8,
    )
    for encoding in ("DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
        pq.write_table(
            plain,
            path(f"{encoding.lower().replace('_', '-')}.parquet", f"WKB in the encoding {encoding}, ids in DELTA_BINARY_PACKED"),
            use_dictionary=False,
            column_encoding={"geometry": encoding, "id": "DELTA_BINARY_PACKED", "name": encoding},
        )
    twice = table(few + few, pa.array(wkb(few + few)))
    pq.write_table(
        twice, path("repeated.parquet", "24 features, each twice, so that the dictionary of WKB has fewer values than rows", count=48)
    )
    pq.write_table(
        table(rows, pa.array(wkb(rows, flavor="extended", include_srid=True)), "wkb_geometry"),
        path("ewkb.parquet", "column `wkb_geometry` of EWKB: flags for z, no SRID"),
    )
    with_srid = [
        None if row.geometry is None else shapely.to_wkb(shapely.set_srid(row.geometry, 2056), flavor="extended", include_srid=True)
        for row in rows
    ]
    pq.write_table(table(rows, pa.array(with_srid)), path("ewkb-srid.parquet", "EWKB with the SRID 2056"))
    pq.write_table(table(rows, pa.array(wkb(rows, byte_order=0))), path("wkb-big-endian.parquet", "big-endian WKB"))
    pq.write_table(
        table(rows, pa.array(wkb(rows), pa.large_binary())), path("wkb-large-binary.parquet", "WKB as large binary in the Arrow schema")
    )
    for name, values in [("hex-wkb", wkb(rows)), ("hex-ewkb-srid", with_srid)]:
        pq.write_table(
            table(rows, pa.array([None if value is None else value.hex().upper() for value in values])),
            path(
                f"{name}.parquet",
                f"string column of upper-case hexadecimal digits, {name[4:].upper().replace('-SRID', ' with the SRID 2056')}",
            ),
        )
    required = [row for row in few if row.geometry is not None and row.name is not None]
    data = table(required, pa.array(wkb(required)))
    schema = pa.schema([pa.field(f.name, f.type, nullable=f.name == "value") for f in data.schema])
    pq.write_table(
        data.cast(schema),
        path("required.parquet", "columns that cannot be null, format version 1.0; 22 features", count=len(required)),
        version="1.0",
    )

    for coord_type, layout in [(ga.CoordType.SEPARATED, "separated"), (ga.CoordType.INTERLEAVED, "interleaved")]:
        storage = native(rows, ga.multipolygon().with_coord_type(coord_type))
        data = extension(rows, storage.cast(large(storage.type)), "geoarrow.multipolygon")
        write_arrow(path(f"large-{layout}.arrow", f"file, `geoarrow.multipolygon` of large lists, {layout} coordinates", logical), data)
    write_arrow(
        path("large-wkb.arrow", "file, `geoarrow.wkb` of large binary, batches of 16"),
        extension(rows, pa.array(wkb(rows), pa.large_binary()), "geoarrow.wkb"),
        batch=GROUP,
    )
    write_arrow(
        path("wkb-view.arrow", "file, `geoarrow.wkb` of binary views"),
        extension(rows, pa.array(wkb(rows), pa.binary_view()), "geoarrow.wkb"),
    )
    write_arrow(path("plain-wkb.arrows", "stream, binary column of WKB without metadata, Zstandard"), plain, compression="zstd")
    write_arrow(
        path("ogc-wkb.arrow", "file, WKB with the older extension name `ogc.wkb`; 24 features", count=24),
        extension(few, pa.array(wkb(few)), "ogc.wkb"),
    )
    data = plain.set_column(1, "name", plain["name"].dictionary_encode())
    write_arrow(
        path("dictionary-names.arrow", "file, WKB without metadata, names encoded by a dictionary, batches of 16"), data, batch=GROUP
    )
    write_arrow(path("wkt.arrow", "file, `geoarrow.wkt`: well-known text"), extension(rows, pa.array(texts), "geoarrow.wkt"))
    pq.write_table(table(rows, pa.array(texts)), path("wkt.parquet", "string column of well-known text"))
    write_arrow(path("no-rows.arrows", "stream of a schema and no batch", count=0), plain[:0])


def point_files(corpus: Corpus, rows: list[Row]) -> None:
    def path(name: str, contents: str, tool: str, count: int = len(rows)) -> Path:
        return corpus.path(f"points-{name}", count, "expected-points.geojson", tool, contents)

    arrow_tool = f"geoarrow-pyarrow {ga.__version__}, {PYARROW}"
    frame(rows).to_parquet(path("wkb.parquet", "points and multipoints, WKB", GEOPANDAS), index=False)
    frame(rows).to_parquet(path("geoarrow.parquet", "encoding `multipoint`", GEOPANDAS), index=False, geometry_encoding="geoarrow")
    single = [row for row in rows if row.geometry is None or row.geometry.geom_type == "Point"]
    frame(single).to_parquet(
        path("geoarrow-point.parquet", "encoding `point`: the features that are one point", GEOPANDAS, len(single)),
        index=False,
        geometry_encoding="geoarrow",
    )
    for coord_type, layout in [(ga.CoordType.INTERLEAVED, "interleaved"), (ga.CoordType.SEPARATED, "separated")]:
        for kind, some in [("point", single), ("multipoint", rows)]:
            data = extension(some, native(some, getattr(ga, kind)().with_coord_type(coord_type)), f"geoarrow.{kind}")
            write_arrow(path(f"{kind}-{layout}.arrow", f"file, `geoarrow.{kind}`, {layout} coordinates", arrow_tool, len(some)), data)
    pq.write_table(table(rows, ga.as_wkb(ga.array(wkb(rows)))), path("geometry-type.parquet", "logical type GEOMETRY", arrow_tool))


def other_files(corpus: Corpus, rows: list[Row]) -> None:
    def path(name: str, contents: str, tool: str) -> Path:
        return corpus.path(name, len(rows), "expected.geojson", tool, contents)

    plain = table(rows, pa.array(wkb(rows)))
    connection = duckdb.connect(config={"threads": 1})
    extension_file = next(Path(duckdb_extension_spatial.__file__).parent.rglob("*.duckdb_extension"))
    connection.execute(f"LOAD '{extension_file}'")
    connection.register("plain", plain)
    connection.execute("CREATE TABLE features AS SELECT id, name, value, ST_GeomFromWKB(geometry) AS geometry FROM plain")
    for name, options, contents in [
        ("default", "", "what COPY writes without options: GeoParquet 1.0.0"),
        ("v1-gzip", ", GEOPARQUET_VERSION 'V1', COMPRESSION gzip", "GeoParquet 1.0.0, gzip"),
        ("v2-zstd", ", GEOPARQUET_VERSION 'V2', COMPRESSION zstd", "GeoParquet 2.0.0 and the logical type GEOMETRY, Zstandard"),
        ("both-lz4", ", GEOPARQUET_VERSION 'BOTH', COMPRESSION lz4_raw", "GeoParquet 1.0.0 and the logical type GEOMETRY, LZ4_RAW"),
        (
            "geometry-type",
            ", GEOPARQUET_VERSION 'NONE', PARQUET_VERSION V2",
            "logical type GEOMETRY without metadata `geo`, pages of version 2",
        ),
    ]:
        connection.execute(f"COPY features TO '{path(f'duckdb-{name}.parquet', contents, DUCKDB)}' (FORMAT parquet{options})")
    connection.close()

    session = sedonadb.connect()
    session.sql("SET datafusion.execution.target_partitions = 1").execute()
    features = session.create_data_frame(frame(rows, "OGC:CRS84"))  # SedonaDB cannot write an unknown CRS
    for version, compression in [("1.0", "snappy"), ("1.1", "zstd(3)"), ("2.0", "lz4_raw"), ("none", "uncompressed")]:
        contents = f"GeoParquet {version}" if version != "none" else "logical type GEOMETRY without metadata `geo`"
        target = path(f"sedonadb-{version}.parquet", f"{contents}, {compression}, row groups of 16", SEDONA)
        features.to_parquet(target, geoparquet_version=version, compression=compression, max_row_group_size=GROUP)

    data = polars.from_arrow(plain)
    data.write_parquet(
        path("polars.parquet", "binary column of WKB without metadata, Zstandard, row groups of 16", POLARS), row_group_size=GROUP
    )
    data.write_ipc(path("polars.arrow", "file, WKB without metadata as binary view, names as string view", POLARS))
    data.write_ipc_stream(
        path("polars-lz4.arrows", "stream, WKB without metadata as large binary, LZ4", POLARS),
        compression="lz4",
        compat_level=polars.CompatLevel.oldest(),
    )


def unsupported(corpus: Corpus, rows: list[Row]) -> None:
    """Writes valid files that a reader may refuse with an error. The error must name the reason."""
    few = rows[:12]

    def path(name: str, contents: str, tool: str = PYARROW) -> Path:
        return corpus.path(f"unsupported/{name}", len(few), "error", tool, contents)

    frame(few).to_parquet(path("brotli.parquet", "compressed by Brotli", GEOPANDAS), index=False, compression="brotli")
    lines = frame(few).set_geometry([shapely.LineString(row.geometry.envelope.exterior) for row in few])
    lines.to_parquet(path("lines.parquet", "lines, WKB", GEOPANDAS), index=False)
    lines.to_parquet(path("lines-geoarrow.parquet", "encoding `linestring`", GEOPANDAS), index=False, geometry_encoding="geoarrow")
    write_arrow(
        path("lines.arrow", "`geoarrow.linestring`", f"{GEOPANDAS}, {PYARROW}"),
        pa.table(lines.to_arrow(index=False, geometry_encoding="geoarrow")),
    )
    collections = frame(few).set_geometry([shapely.GeometryCollection([row.geometry]) for row in few])
    whole = corpus.path("collections.parquet", len(few), "expected.geojson", GEOPANDAS, "geometry collections of one polygon, WKB")
    collections.to_parquet(whole, index=False)
    boxes = pa.array(
        [dict(zip(("xmin", "ymin", "xmax", "ymax"), row.geometry.bounds)) for row in few],
        pa.struct([pa.field(name, pa.float64(), False) for name in ("xmin", "ymin", "xmax", "ymax")]),
    )
    write_arrow(path("boxes.arrow", "`geoarrow.box`: bounding boxes"), extension(few, boxes, "geoarrow.box"))
    mixed = pa.UnionArray.from_dense(
        pa.array([3] * len(few), pa.int8()), pa.array(range(len(few)), pa.int32()), [native(few, ga.multipolygon())], ["MultiPolygon"], [3]
    )
    write_arrow(path("mixed.arrow", "`geoarrow.geometry`: a union of types"), extension(few, mixed, "geoarrow.geometry"))
    pq.write_table(
        table(few, pa.array([row.value for row in few]), "shape"), path("no-geometry.parquet", "no column that could have geometries")
    )
    write_arrow(
        path("no-geometry.arrow", "no column that could have geometries"), table(few, pa.array([row.value for row in few]), "shape")
    )
