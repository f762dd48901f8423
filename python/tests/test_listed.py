"""The bytes that `join_files` writes, which are those of the program `sat2d join`."""

from __future__ import annotations

import csv
import json
import os
import zlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sat2d

FILES = Path(os.environ.get("SAT2D_FILES", Path(__file__).parents[2]))
COUNTIES = FILES / "data" / "us-counties.geojson.gz"
# A test of the program expects the same bytes (`crates/cli/tests/listed.rs`).
with open(FILES / "tests" / "data" / "pairs.csv", newline="") as file:
    ROWS = list(csv.DictReader(file))


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a point at each whole degree near the counties, and the corner of four counties."""
    path = tmp_path_factory.mktemp("listed") / "points.geojson"
    places: list[list[float]] = [[x, y] for x in range(-125, -65) for y in range(24, 50)]
    places.append([-109.04483902389023, 36.998763973029725])
    features = [{"type": "Feature", "id": f"{x} {y}", "geometry": {"type": "Point", "coordinates": [x, y]}} for x, y in places]
    path.write_text("".join(f"{json.dumps(feature)}\n" for feature in features))
    return path


def joined(points: Path, row: dict[str, str], out: Path) -> Any:
    inputs = [points, COUNTIES] if row["input"] == "points" else [COUNTIES]
    within = float(row["within"]) if row["within"] else None
    # The program calls the sides a and b.
    names = {"area_a": "left_area", "area_b": "right_area"}
    measure = [names.get(name, name) for name in row["with"].split("+") if name]
    return sat2d.join_files(*inputs, out=out, within=within, measure=measure, invalid="skip")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(filter(None, list(row.values())[:4])))
def test_the_bytes_are_those_of_the_program(points: Path, tmp_path: Path, row: dict[str, str]) -> None:
    out = tmp_path / f"pairs.{row['format']}"
    joined(points, row, out)
    written = out.read_bytes()
    assert (len(written), zlib.crc32(written)) == (int(row["bytes"]), int(row["crc32"]))


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["format"] == "csv"], ids=lambda row: " ".join(list(row.values())[:3])
)
def test_parquet_and_arrow_have_the_rows_of_the_text(points: Path, tmp_path: Path, row: dict[str, str]) -> None:
    text, parquet, arrow = (tmp_path / f"pairs.{ending}" for ending in ("csv", "parquet", "arrow"))
    table = joined(points, row, text)
    for path in (parquet, arrow):
        joined(points, row, path)
    wanted = pl.read_csv(text, schema_overrides={"a": pl.String, "b": pl.String})
    assert len(wanted) == len(table) > 500
    for found in (pl.read_parquet(parquet), pl.read_ipc(arrow)):
        assert found.with_columns(pl.col("relation").cast(pl.String)).rows() == wanted.rows()
