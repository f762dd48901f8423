"""Broken files for tests of readers: good files of a few features, with damage or with invalid contents."""

import io
import json
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from . import flatgeobuf, good, shapefiles, texts
from .features import Row


def parquet(rows: list[Row], **options) -> bytes:
    file = io.BytesIO()
    good.frame(rows, flat=True).to_parquet(file, index=False, **options)
    return file.getvalue()


def parquet_of(data: pa.Table, geo=None, **options) -> bytes:
    """Returns a Parquet file. `geo` is the text of its metadata `geo`, or an object that becomes JSON. `None`: no metadata."""
    if geo is not None:
        data = data.replace_schema_metadata({"geo": geo if isinstance(geo, (str, bytes)) else json.dumps(geo)})
    file = io.BytesIO()
    pq.write_table(data, file, **options)
    return file.getvalue()


def arrow(data: pa.Table, stream: bool = False, compression: str | None = None) -> bytes:
    file = io.BytesIO()
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(file, data.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(data)
    return file.getvalue()


def patched(data: bytes, place: int, new: bytes) -> bytes:
    assert 0 <= place and place + len(new) <= len(data)
    return data[:place] + new + data[place + len(new) :]


def only_place(data: bytes, pattern: bytes) -> int:
    assert data.count(pattern) == 1, data.count(pattern)
    return data.index(pattern)


def pages(data: bytes, column: str) -> tuple[int, int]:
    """Returns the start and the end of the data pages of a column. The file must have one row group and no dictionaries."""
    group = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0)
    chunk = next(group.column(i) for i in range(group.num_columns) if group.column(i).path_in_schema == column)
    return chunk.data_page_offset, chunk.data_page_offset + chunk.total_compressed_size


def parquet_files(rows: list[Row]):
    whole = parquet(rows, compression="zstd", use_dictionary=False)
    size, footer = len(whole), struct.unpack("<I", whole[-8:-4])[0]
    begin, end = pages(whole, "geometry")
    for name, length in [
        ("0", 0),
        ("4", 4),
        ("8", 8),
        ("pages", begin + 20),
        ("middle", size // 2),
        ("footer", size - footer // 2),
        ("last-8", size - 8),
        ("last-1", size - 1),
    ]:
        yield f"cut-{name}.parquet", "error", f"the first {length} of {size} bytes", whole[:length]
    yield "more.parquet", "error", "one byte too many at the end", whole + b"\0"
    yield "magic-first.parquet", "any", "first four bytes are PAR2; a reader may read the file from its end alone", b"PAR2" + whole[4:]
    yield "magic-last.parquet", "error", "last four bytes are PAR2", whole[:-4] + b"PAR2"
    yield "magic-both.parquet", "error", "text instead of both magic numbers", b"text" + whole[4:-4] + b"text"
    yield "encrypted.parquet", "error", "magic numbers of a file with an encrypted footer", b"PARE" + whole[4:-4] + b"PARE"
    for name, length in [("0", 0), ("1", 1), ("whole", size), ("beyond", size + 1000), ("2-31", 2**31), ("2-32", 2**32 - 1)]:
        yield (
            f"footer-{name}.parquet",
            "error",
            f"length of the footer is {length}; the file has {size} bytes",
            patched(whole, size - 8, struct.pack("<I", length)),
        )
    yield "footer-zeros.parquet", "error", "a footer of zeros", patched(whole, size - 8 - footer, bytes(footer))
    yield "footer-ones.parquet", "error", "a footer of bytes 0xFF", patched(whole, size - 8 - footer, b"\xff" * footer)
    yield "page-header.parquet", "error", "bytes 0xFF over the header of the page of geometries", patched(whole, begin, b"\xff" * 12)
    place = only_place(whole[begin:end], b"\x28\xb5\x2f\xfd") + begin
    yield "page-zstd.parquet", "error", "zeros over the head of the compressed geometries", patched(whole, place, bytes(8))
    yield (
        "page-zstd-data.parquet",
        "any",
        "bytes 0xFF in the compressed geometries",
        patched(whole, end - 80, b"\xff" * 40),
    )
    yield "page-zeros.parquet", "error", "zeros over all pages of geometries", patched(whole, begin, bytes(end - begin))
    whole = parquet(rows, compression="snappy", use_dictionary=False)
    begin, end = pages(whole, "geometry")
    yield (
        "page-snappy.parquet",
        "error",
        "bytes 0xFF over the second half of the geometries, which Snappy compressed",
        patched(whole, (begin + end) // 2, b"\xff" * ((end - begin) // 2)),
    )
    plain = good.table(rows, pa.array(good.wkb(rows)))
    whole = parquet_of(plain, compression="none", use_dictionary=False, write_page_checksum=True)
    begin, end = pages(whole, "geometry")
    yield (
        "page-checksum.parquet",
        "any",
        "one changed bit in a coordinate; the page has a checksum, which a reader may ignore",
        patched(whole, (begin + end) // 2, bytes([whole[(begin + end) // 2] ^ 1])),
    )
    place = whole.index(good.wkb(rows)[1], begin) - 4
    yield "page-length.parquet", "error", "a length of 2^31 - 1 before one geometry", patched(whole, place, struct.pack("<i", 2**31 - 1))
    yield "page-length-negative.parquet", "error", "a length of -1 before one geometry", patched(whole, place, struct.pack("<i", -1))

    column = {"encoding": "WKB", "geometry_types": []}
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
    values = [
        ("not-json", '{"version": "1.1.0"', "metadata `geo` is cut"),
        ("not-text", b"\xff\xfe\x00", "metadata `geo` is not UTF-8"),
        ("not-an-object", "[]", "metadata `geo` is a list"),
        ("no-columns", {"version": "1.1.0", "primary_column": "geometry"}, "metadata `geo` has no columns"),
        ("no-primary", geo | {"primary_column": "shape"}, "primary column is not in the metadata and not in the file"),
        ("no-such-column", geo | {"primary_column": "shape", "columns": {"shape": column}}, "primary column is not in the file"),
        ("encoding", geo | {"columns": {"geometry": column | {"encoding": "TWKB"}}}, "encoding `TWKB`, which does not exist"),
        (
            "wrong-encoding",
            geo | {"columns": {"geometry": column | {"encoding": "multipolygon"}}},
            "encoding `multipolygon`, but the column has WKB",
        ),
        ("wrong-type", geo | {"primary_column": "value", "columns": {"value": column}}, "primary column is of type double"),
    ]
    for name, text, contents in values:
        yield f"geo-{name}.parquet", "error", contents, parquet_of(plain, text)
    shapes = good.wkb(rows)
    for name, bad, contents in [
        ("cut", shapes[5][:-8], "WKB of row 5 is cut by 8 bytes"),
        ("empty", b"", "WKB of row 5 has no bytes"),
        ("rings", shapes[5][:5] + b"\xff" * 4 + shapes[5][9:], "WKB of row 5 has 2^32 - 1 rings"),
        ("line", bytes([1, 2, 0, 0, 0, 0, 0, 0, 0]), "row 5 is a line without vertices, which a reader may take for an empty geometry"),
        ("nan", shapes[5][:13] + struct.pack("<d", float("nan")) + shapes[5][21:], "first coordinate of row 5 is NaN"),
        ("hexadecimal", shapes[5].hex().encode(), "row 5 has hexadecimal digits in a binary column"),
    ]:
        data = good.table(rows, pa.array([*shapes[:5], bad, *shapes[6:]]))
        yield f"row-{name}.parquet", "any" if name in ("hexadecimal", "line") else "error", contents, parquet_of(data, geo)
    digits = [shape.hex() for shape in shapes]
    for name, bad in [("odd", digits[5][:-1]), ("letter", digits[5][:-1] + "g"), ("sign", "+1" + digits[5][2:]), ("text", "édes")]:
        data = good.table(rows, pa.array([*digits[:5], bad, *digits[6:]]))
        place = "begins with `+1`" if name == "sign" else f"ends with `{bad[-4:]}`"
        yield f"hex-{name}.parquet", "error", f"string column of hexadecimal digits; row 5 {place}", parquet_of(data, geo)


def arrow_files(rows: list[Row]):
    kind = good.ga.multipolygon()
    storage = good.native(rows, kind)
    data = good.extension(rows, storage, "geoarrow.multipolygon")
    whole, stream = arrow(data), arrow(data, stream=True)
    size = len(whole)
    footer = struct.unpack("<i", whole[-10:-6])[0]
    for name, length in [
        ("0", 0),
        ("4", 4),
        ("8", 8),
        ("schema", 100),
        ("middle", size // 2),
        ("footer", size - footer // 2),
        ("last-10", size - 10),
        ("last-1", size - 1),
    ]:
        yield f"cut-{name}.arrow", "error", f"the first {length} of {size} bytes", whole[:length]
    for name, length in [("4", 4), ("schema", 100), ("middle", len(stream) // 2), ("last-40", len(stream) - 40)]:
        yield f"cut-{name}.arrows", "error", f"stream, the first {length} of {len(stream)} bytes", stream[:length]
    yield "no-end.arrows", "any", "stream without its end mark, which a reader may accept", stream[:-8]
    yield "magic-first.arrow", "any", "first six bytes are ARROW2; a reader may read the file from its end alone", b"ARROW2" + whole[6:]
    yield "magic-last.arrow", "error", "last six bytes are ARROW2", whole[:-6] + b"ARROW2"
    yield "feather-1.feather", "error", "magic numbers of Feather 1", b"FEA1" + whole[4:-4] + b"FEA1"
    for name, length in [("0", 0), ("beyond", size + 1000), ("2-31", 2**31 - 1), ("negative", -1)]:
        yield (
            f"footer-{name}.arrow",
            "error",
            f"length of the footer is {length}; the file has {size} bytes",
            patched(whole, size - 10, struct.pack("<i", length)),
        )
    yield "footer-ones.arrow", "error", "a footer of bytes 0xFF", patched(whole, size - 10 - footer, b"\xff" * footer)
    for name, length in [("2-31", 2**31 - 1), ("negative", -2)]:
        yield (
            f"message-{name}.arrows",
            "error",
            f"stream, length of the first message is {length}",
            patched(stream, 4, struct.pack("<i", length)),
        )
    yield (
        "message-ones.arrows",
        "error",
        "stream, bytes 0xFF over the second half of the schema",
        patched(stream, 8 + struct.unpack("<i", stream[4:8])[0] // 2, b"\xff" * 64),
    )
    compressed = arrow(data, compression="zstd")
    place = compressed.rindex(b"\x28\xb5\x2f\xfd")
    yield "buffer-zstd.arrow", "error", "zeros over the head of a compressed buffer", patched(compressed, place, bytes(8))
    yield (
        "buffer-length.arrow",
        "error",
        "a compressed buffer is said to have 2^62 bytes",
        patched(compressed, place - 8, struct.pack("<q", 2**62)),
    )

    # Three levels of offsets: the polygons of a feature, the rings of a polygon, and the vertices of a ring.
    lists, levels = storage, []
    for _ in range(3):
        levels.append(lists.offsets.to_pylist())
        lists = lists.values
    for depth, what in enumerate(("polygons", "rings", "vertices")):
        offsets = levels[depth]
        place = whole.rindex(struct.pack(f"<{len(offsets)}i", *offsets))
        for name, index, value in [
            ("beyond", len(offsets) - 1, offsets[-1] + 1000),
            ("last", len(offsets) - 1, 2**31 - 1),
            ("decrease", 4, offsets[6] + 1),
            ("negative", 0, -1),
        ]:
            yield (
                f"offsets-{what}-{name}.arrow",
                "error",
                f"offsets of {what}: number {index} is {value} instead of {offsets[index]}",
                patched(whole, place + 4 * index, struct.pack("<i", value)),
            )
    x = lists.field("x").to_numpy()
    place = only_place(whole, x.tobytes())
    yield "nan.arrow", "error", "x of the first vertex is NaN", patched(whole, place, struct.pack("<d", float("nan")))
    yield "infinity.arrow", "error", "x of the first vertex is infinite", patched(whole, place, struct.pack("<d", float("-inf")))

    inner = storage.type.value_type
    null_polygon = pa.array([[None]] + storage.to_pylist()[1:], pa.list_(pa.field("polygons", inner)))
    yield (
        "null-polygon.arrow",
        "error",
        "first feature has a polygon that is null",
        arrow(good.extension(rows, null_polygon, "geoarrow.multipolygon")),
    )
    vertices = pa.struct([pa.field("x", pa.float64()), pa.field("y", pa.float64())])
    shells = [[[None, *part[0][0][1:]]] if place == 0 else part[0] for place, part in enumerate(storage.to_pylist())]
    yield (
        "null-vertex.arrow",
        "error",
        "first vertex is null",
        arrow(good.extension(rows, pa.array(shells, pa.list_(pa.list_(vertices))), "geoarrow.polygon")),
    )
    y = [[[{**shells[1][0][0], "y": None}, *shells[1][0][1:]]], *shells[1:]]
    yield (
        "null-y.arrow",
        "error",
        "y of the first vertex is null",
        arrow(good.extension(rows, pa.array(y, pa.list_(pa.list_(vertices))), "geoarrow.polygon")),
    )
    names = pa.array([[[{"lon": v["x"], "lat": v["y"]} for v in ring] for ring in part] for part in shells[1:]])
    yield "no-x-y.arrow", "error", "coordinates are named lon and lat", arrow(good.extension(rows[1:], names, "geoarrow.polygon"))
    yield (
        "wrong-depth.arrow",
        "error",
        "`geoarrow.polygon`, but the lists are those of a multipolygon",
        arrow(good.extension(rows, storage, "geoarrow.polygon")),
    )
    yield (
        "wrong-type.arrow",
        "error",
        "`geoarrow.wkb`, but the column is of type double",
        arrow(good.extension(rows, pa.array([row.value for row in rows]), "geoarrow.wkb")),
    )
    one = pa.array([[[[v["x"]] for v in ring] for ring in part] for part in shells[1:]], pa.list_(pa.list_(pa.list_(pa.float64(), 1))))
    yield "one-coordinate.arrow", "error", "vertices of one coordinate", arrow(good.extension(rows[1:], one, "geoarrow.polygon"))
    yield (
        "crs-not-json.arrow",
        "any",
        "metadata of the extension type is cut",
        arrow(good.extension(rows, storage, "geoarrow.multipolygon", '{"crs": "EPSG:4')),
    )
    spherical = good.extension(rows, storage, "geoarrow.multipolygon", '{"edges": "spherical"}')
    yield "edges-spherical.arrow", "any", "edges are great circles: no polygons of the plane", arrow(spherical)
    yield "text.arrow", "error", "text instead of an Arrow file", b'{"type":"FeatureCollection","features":[]}\n'
    yield "text.parquet", "error", "text instead of a Parquet file", b'{"type":"FeatureCollection","features":[]}\n'


def write(folder: Path, rows: list[Row]) -> list[tuple[str, str, str]]:
    folder.mkdir()
    listed = []
    for name, answer, contents, data in [*parquet_files(rows), *arrow_files(rows), *texts.broken(rows[:5]), *flatgeobuf.broken(rows[:5])]:
        (folder / name).write_bytes(data)
        listed.append((name, answer, contents))
    for stem, answer, contents, shapes, table in shapefiles.broken(rows[:5]):
        (folder / f"{stem}.shp").write_bytes(shapes)
        (folder / f"{stem}.dbf").write_bytes(table)
        listed.append((f"{stem}.shp", answer, contents))
    assert len({name for name, _, _ in listed}) == len(listed)
    return listed
