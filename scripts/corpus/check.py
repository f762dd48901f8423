"""Reads the good files of the corpus again with pyarrow, Shapely or GDAL, and compares them with the expected features."""

import json
import shutil
import struct
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pyogrio
import shapely
from geoarrow.types import type_pyarrow


def rings(coordinates, depth: int):
    """Returns nested coordinates as nested tuples, with each position as bytes. Leaves out empty parts."""
    if depth == 0:
        return struct.pack("<2d", *coordinates[:2])
    parts = [rings(part, depth - 1) for part in coordinates]
    return tuple(part for part in parts if part)


def expected(path: Path) -> dict:
    answers = {}
    for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
        geometry, shape = feature["geometry"], None
        if geometry is not None:
            parts = geometry["coordinates"]
            if not geometry["type"].startswith("Multi"):
                parts = [parts] if parts else []
            shape = rings(parts, 3 if geometry["type"].endswith("Polygon") else 1)
        answers[feature["id"]] = (shape, feature["properties"]["name"], feature["properties"]["value"])
    return answers


def of_wkb(value):
    is_text = isinstance(value, str) and value[0].isalpha()
    geometry = shapely.from_wkt(value) if is_text else shapely.from_wkb(value)
    if geometry.geom_type == "GeometryCollection" and len(geometry.geoms) == 1:
        geometry = geometry.geoms[0]
    parts = shapely.get_parts(geometry)
    if geometry.geom_type.endswith("Point"):
        return rings([part.coords[0] for part in parts], 1)
    return rings([[ring.coords[:] for ring in shapely.get_rings(part)] for part in parts if not part.is_empty], 3)


def of_lists(value):
    """Returns a geometry of a native encoding as nested lists around [x, y]. A position may be a dict with the keys x and y."""
    if isinstance(value, dict):
        return [value["x"], value["y"]]
    return [of_lists(part) for part in value] if isinstance(value, list) else value


def depth_of(value) -> int:
    return 1 + depth_of(value[0]) if isinstance(value, list) and value and isinstance(value[0], list) else 0


def read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return (pa.ipc.open_stream if path.suffix == ".arrows" else pa.ipc.open_file)(path).read_all()


def check_shapefile(path: Path, row_count: int, answers: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".shp", ".dbf"):
            shutil.copy(path.with_suffix(ending), folder)
        pyogrio.set_gdal_config_options({"SHAPE_RESTORE_SHX": True})  # the corpus has no index files (.shx)
        check_by_gdal(Path(folder) / path.name, row_count, answers)


def check_by_gdal(path: Path, row_count: int, answers: Path) -> None:
    """Compares normalized geometries, because GDAL may start a ring of a Shapefile at another vertex."""
    data = pyogrio.read_dataframe(path)
    assert len(data) == row_count, (path, len(data))
    features = {f["id"]: f["geometry"] for f in json.loads(answers.read_text(encoding="utf-8"))["features"]}
    for number, found in zip(data["id"], data.geometry):
        expected, found = features[number], None if found is None or found.is_empty else found
        expected = None if expected is None or not expected["coordinates"] else shapely.geometry.shape(expected)
        assert (found is None) == (expected is None), (path, number)
        if found is not None:
            found, expected = (shapely.normalize(shapely.force_2d(part)) for part in (found, expected))
            if found.geom_type != expected.geom_type:
                expected = type(found)([expected]) if found.geom_type.startswith("Multi") else expected.geoms[0]
            assert found.equals_exact(expected, 0), (path, number, found, expected)


def check(folder: Path, files) -> None:
    type_pyarrow.unregister_extension_types()  # the extension types do not support large lists
    for name, row_count, answers, _, _ in files:
        if answers == "error":
            continue
        if name.endswith(".shp"):
            # GDAL reads a hole with the wrong direction as a shell.
            if name != "shuffled.shp":
                check_shapefile(folder / name, row_count, folder / answers)
            continue
        if name.endswith((".fgb", ".gpkg")):
            check_by_gdal(folder / name, row_count, folder / answers)
            continue
        if ".csv" in name or name.endswith(".tsv"):
            # These files have the same data as the other files. Other readers of text guess the types.
            continue
        data = read(folder / name)
        assert data.num_rows == row_count, name
        answers = expected(folder / answers)
        names = set(data.column_names)
        geometry = data[next(column for column in ("geometry", "wkb_geometry", "shape") if column in names)]
        if isinstance(geometry.type, pa.BaseExtensionType):
            geometry = pa.chunked_array([chunk.storage for chunk in geometry.chunks], geometry.type.storage_type)
        for number, text, value, shape in zip(*(data[key].to_pylist() for key in ("id", "name", "value")), geometry.to_pylist()):
            if isinstance(shape, (bytes, str)):
                shape = of_wkb(shape)
            elif shape is not None:
                shape = of_lists(shape)
                levels = 1 if "points" in name else 3
                for _ in range(levels - depth_of(shape)):
                    shape = [shape] if shape and shape != [[]] else []
                shape = rings(shape, levels)
            assert (shape, text, value) == answers[number], (name, number, shape, answers[number])
