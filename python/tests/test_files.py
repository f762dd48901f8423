"""Descriptions of files, and joins of files."""

from __future__ import annotations

import gzip
import json
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from grid import expected, random_points, random_polygons

import sat2d

BOW = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
SHAPES = [
    shapely.box(0, 0, 1, 1),
    shapely.MultiPolygon([shapely.box(2, 0, 3, 1), shapely.box(5, 0, 6, 4)]),
    shapely.box(0, 5, 4, 9).difference(shapely.box(1, 6, 2, 7)),
    BOW,
    None,
    shapely.Polygon(),
]


def frame(shapes: Any = SHAPES) -> Any:
    names = [f"p{k}" for k in range(len(shapes))]
    return geopandas.GeoDataFrame({"parcel": names, "geometry": shapes}, crs=2056)


def test_a_parquet_file(tmp_path: Any) -> None:
    path = tmp_path / "parcels.parquet"
    frame().to_parquet(path)
    found = sat2d.info(path, id="parcel")
    assert (found.path, found.features) == (str(path), 6) and "Parquet" in found.format
    assert found.crs is not None and "2056" in found.crs
    assert (found.columns, found.geometry_column, found.id_column) == (["parcel", "geometry"], "geometry", "parcel")
    assert found.types == {"Polygon": 3, "MultiPolygon": 1}
    assert (found.null_geometries, found.empty_geometries, found.invalid) == (1, 1, 1)
    assert found.extent == (0.0, 0.0, 6.0, 9.0)
    assert (found.rings, found.vertices) == (6, 24)
    [entry] = found.first_invalid
    assert (entry.argument, entry.feature, entry.place) == (str(path), 3, (1.0, 1.0))
    text = str(found)
    for line in ["columns         parcel (ids), geometry (geometries)", "  Polygon       3", "  feature 3: "]:
        assert line in text


def test_geojson_with_lines_and_points(tmp_path: Any) -> None:
    line = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
    point = {"type": "Point", "coordinates": [7, -2]}
    features = [{"type": "Feature", "id": 5, "properties": {}, "geometry": shape} for shape in (point, line, point)]
    path = tmp_path / "places.geojson.gz"
    path.write_bytes(gzip.compress(json.dumps({"type": "FeatureCollection", "features": features}).encode()))
    found = sat2d.info(path)
    assert (found.types, found.invalid, found.vertices) == ({"Point": 2, "LineString": 1}, 1, 2)
    assert found.extent == (7.0, -2.0, 7.0, -2.0)
    assert (found.columns, found.geometry_column, found.ids_repeated) == ([], None, 2)


def test_a_file_with_several_srids(tmp_path: Any) -> None:
    path = tmp_path / "mixed.csv"
    rows = [f'{k},"SRID={2000 + k // 2};POLYGON ((0 0, 2 0, 2 2, 0 2))"' for k in range(20)]
    path.write_text("\n".join(["id,wkt", *rows]))
    found = sat2d.info(path)
    assert found.crs is None and found.srids == {2000 + k: 2 for k in range(10)}
    for line in ["crs             several, by the SRIDs of the features", "  SRID 2007     2", "  other SRIDs   4"]:
        assert line in str(found)
    with pytest.raises(sat2d.ReadError, match="SRID"):
        sat2d.read(path)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(sat2d.ReadError, match="nowhere"):
        sat2d.info("nowhere.parquet")


def test_a_file_without_a_known_column_of_geometries(tmp_path: Any) -> None:
    path = tmp_path / "regions.csv"
    path.write_text('id,region\n1,"POLYGON ((0 0, 1 0, 0 1, 0 0))"\n')
    for call in (sat2d.info, sat2d.read, sat2d.join_files):
        with pytest.raises(sat2d.ReadError, match="name one with `geometry=`; the columns are id, region"):
            call(path)
        call(path, geometry="region")


A, B = random_polygons(60, 101), random_polygons(50, 102)
POINTS = random_points(90, 103)


@pytest.fixture
def files(tmp_path: Any) -> tuple[Any, Any]:
    paths = tmp_path / "a.parquet", tmp_path / "b.parquet"
    for path, shapes in zip(paths, (A, B)):
        frame(shapes).to_parquet(path)
    return paths


@pytest.fixture
def points(tmp_path: Any) -> Any:
    path = tmp_path / "points.parquet"
    frame(POINTS).to_parquet(path)
    return path


def read_pairs(path: Any) -> Any:
    """Return the pairs of a file as a frame. GeoJSON gives the properties of the features."""
    name = path.name.removesuffix(".gz")
    if name.endswith("geojson"):
        with (gzip.open if path.suffix == ".gz" else open)(path) as file:
            return pd.DataFrame([feature["properties"] for feature in json.load(file)["features"]])
    if name.endswith("csv"):
        return pd.read_csv(path)
    if name.endswith("jsonl"):
        return pd.read_json(path, lines=True)
    return {"parquet": pl.read_parquet, "arrow": pl.read_ipc, "arrows": pl.read_ipc_stream}[path.suffix[1:]](path).to_pandas()


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "geojson", "parquet", "arrow", "arrows"])
def test_joined_files(files: Any, tmp_path: Any, ending: str) -> None:
    options: dict[str, Any] = {"within": 2.0, "measure": ["distance", "penetration", "manifold", "area", "left_area"]}
    out = tmp_path / f"pairs.{ending}"
    table = sat2d.join_files(*files, out=out, id="parcel", **options)
    wanted = sat2d.join(A, B, **options)
    assert table.columns == wanted.columns and len(table) > 100
    for name in wanted.columns:
        np.testing.assert_array_equal(table[name], wanted[name])
    np.testing.assert_array_equal(table.counts(), wanted.counts())
    pairs = read_pairs(out)
    assert pairs["a"].tolist() == [f"p{k}" for k in wanted["left"]]
    assert pairs["b"].tolist() == [f"p{k}" for k in wanted["right"]]
    assert pairs["relation"].tolist() == [sat2d.RELATIONS[code] for code in wanted["relation"]]
    np.testing.assert_allclose(pairs["distance"], wanted["distance"], atol=1e-12)
    np.testing.assert_allclose(pairs["area"], wanted["area"], atol=1e-12)
    if ending not in ("jsonl", "geojson"):
        names = ["a", "b", "relation", "distance", "ax", "ay", "bx", "by", "depth", "normal_x", "normal_y", "contacts"]
        assert list(pairs.columns)[: len(names)] == names and list(pairs.columns)[-2:] == ["area", "area_a"]
        np.testing.assert_allclose(pairs["depth"].to_numpy(dtype=float), wanted["depth"], atol=1e-12)


def test_measurements_of_decimals_are_short_decimals_in_the_file(tmp_path: Any) -> None:
    path, out = tmp_path / "boxes.parquet", tmp_path / "pairs.csv"
    frame([shapely.box(-0.4, 0.2, 0.1, 0.7), shapely.box(0.3, 0.2, 0.9, 0.7), shapely.box(0.5, 0.6, 1.1, 1.3)]).to_parquet(path)
    table = sat2d.join_files(path, out=out, within=0.3, measure=["distance", "penetration", "manifold", "area"])
    # The program writes the same numbers (`crates/cli/tests/decimals.rs`).
    assert out.read_text() == (
        "a,b,relation,distance,ax,ay,bx,by,depth,normal_x,normal_y,contacts,x1,y1,separation1,x2,y2,separation2,area\n"
        "0,1,disjoint,0.2,0.1,0.7,0.3,0.7,,,,2,0.2,0.2,0.2,0.2,0.7,0.2,0.0\n"
        "1,2,overlapping,0.0,,,,,0.1,0.0,1.0,2,0.9,0.65,-0.1,0.5,0.65,-0.1,0.04\n"
    )
    assert table["distance"].tolist() == [0.3 - 0.1, 0.0] != [0.2, 0.0]


def test_one_file_and_its_reports(tmp_path: Any) -> None:
    path, out = tmp_path / "parcels.parquet", tmp_path / "pairs.csv"
    frame().to_parquet(path)
    with pytest.raises(sat2d.InvalidGeometryError) as caught:
        sat2d.join_files(path, out=out)
    assert caught.value.feature == 3 and not out.exists()
    table = sat2d.join_files(path, out=out, invalid="skip", within=1.0)
    assert [(entry.argument, entry.feature) for entry in table.skipped] == [(str(path), 3)]
    assert table.columns == ["left", "right", "relation"]
    assert out.read_text().splitlines()[0] == "a,b,relation,distance" and len(out.read_text().splitlines()) == len(table) + 1
    table = sat2d.join_files(path, fill="even-odd", min_area=0.5)
    assert [(entry.argument, entry.feature, entry.place) for entry in table.filled] == [(str(path), 3, (1.0, 1.0))]
    assert len(table.counts()) == 6


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
def test_counts_of_pairs(files: Any, tmp_path: Any, ending: str) -> None:
    out = tmp_path / f"counts.{ending}"
    for inputs in (files, files[:1]):
        for options in ({}, {"within": 1.5}, {"min_area": 2.0}):
            table = sat2d.join_files(*inputs, out=out, id="parcel", count=True, **options)
            written = read_pairs(out)
            assert list(written.columns) == ["a", "count"] and 0 < written["count"].sum()
            assert written["a"].tolist() == [f"p{k}" for k in range(len(A))]
            np.testing.assert_array_equal(written["count"], table.counts())


def test_counts_that_cannot_be_written(files: Any, tmp_path: Any) -> None:
    out = tmp_path / "counts.csv"
    for inputs, options, message in [
        (files, {"out": None}, "give out"),
        (files, {"measure": "area"}, "leave measure out"),
        (files, {"out": tmp_path / "counts.geojson"}, "end it in .csv"),
    ]:
        with pytest.raises(sat2d.OptionError, match=message) as caught:
            sat2d.join_files(*inputs, **{"out": out, "count": True, **options})
        assert caught.value.remedy
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".parquet"] * 2


def test_files_that_cannot_be_joined(files: Any, tmp_path: Any) -> None:
    for name in ("pairs.xlsx", "pairs", "pairs.parquet.gz", "pairs.geo"):
        with pytest.raises(sat2d.OptionError, match="has no known ending"):
            sat2d.join_files(*files, out=tmp_path / name)
    before = files[1].read_bytes()
    with pytest.raises(sat2d.OptionError, match="is an input"):
        sat2d.join_files(*files, out=files[1])
    assert files[1].read_bytes() == before
    with pytest.raises(sat2d.Sat2dError, match="nowhere"):
        sat2d.join_files(*files, out=tmp_path / "nowhere" / "pairs.csv")
    with pytest.raises(sat2d.OptionError, match="give within=D"):
        sat2d.join_files("nowhere.parquet", measure="distance")
    with pytest.raises(sat2d.ReadError, match="nowhere"):
        sat2d.join_files(files[0], "nowhere.parquet")
    other = tmp_path / "other.parquet"
    frame(B).to_crs(4326).to_parquet(other)
    with pytest.raises(sat2d.OptionError, match="reference system .*ignore_crs=True"):
        sat2d.join_files(files[0], other)
    assert len(sat2d.join_files(files[0], other, ignore_crs=True)) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet", "other.parquet"]


def test_no_output_is_a_part_of_an_input(files: Any, tmp_path: Any) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    for path in files:
        path.rename(parts / path.name)
    other, pattern = parts / "b.parquet", str(parts / "*.parquet")
    for inputs, name in [
        ((parts,), "pairs.csv"),
        ((other, parts), "pairs.csv"),
        ((parts,), "a.parquet"),
        ((pattern,), "a.parquet"),
        ((pattern,), "pairs.parquet"),
        ((other, str(tmp_path / "**" / "?*.parquet")), "pairs.parquet"),
        ((str(tmp_path / "par[st]s"),), "pairs.csv"),
    ]:
        before = sorted(path.name for path in parts.iterdir())
        with pytest.raises(sat2d.OptionError, match="lies in a folder or matches a pattern that is an input; name another file"):
            sat2d.join_files(*inputs, out=parts / name)
        assert sorted(path.name for path in parts.iterdir()) == before
    table = sat2d.join_files(pattern, out=parts / "pairs.csv")
    assert len(read_pairs(parts / "pairs.csv")) == len(table) > 0


@pytest.mark.parametrize("relation", [None, "boundary", "touching", "inside", "meeting"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "geojson", "geojson.gz", "parquet", "arrow"])
def test_a_file_of_points(points: Any, files: Any, tmp_path: Any, ending: str, relation: str | None) -> None:
    out = tmp_path / f"pairs.{ending}"
    table = sat2d.join_files(points, files[1], out=out, id="parcel", relation=relation)
    pairs = np.stack([table["left"], table["right"]])
    wanted = {"boundary": sat2d.query(POINTS, B, "touches"), "meeting": expected(POINTS, B, "intersects")}
    wanted |= {"touching": wanted["boundary"], None: wanted["meeting"]}
    if relation != "inside":
        np.testing.assert_array_equal(pairs, wanted[relation])
    assert set(table["relation"]) == {None: {1, 2}, "meeting": {1, 2}, "inside": {2}}.get(relation, {1})
    written = read_pairs(out)
    assert list(written.columns) == ["a", "b", "relation"] and len(table) > 20
    assert written["a"].tolist() == [f"p{k}" for k in table["left"]]
    assert written["b"].tolist() == [f"p{k}" for k in table["right"]]
    assert written["relation"].tolist() == [sat2d.POINT_RELATIONS[code] for code in table["relation"]]
    in_memory = sat2d.join(POINTS, B, relation=relation)
    for name in in_memory.columns:
        np.testing.assert_array_equal(table[name], in_memory[name])


def test_a_file_of_points_near_polygons(points: Any, files: Any, tmp_path: Any) -> None:
    out = tmp_path / "pairs.geojson"
    table = sat2d.join_files(points, files[1], out=out, within=1.5, measure="distance")
    in_memory = sat2d.join(POINTS, B, within=1.5, measure="distance")
    assert table.columns == in_memory.columns and len(table.counts()) == len(POINTS)
    for name in in_memory.columns:
        np.testing.assert_array_equal(table[name], in_memory[name])
    apart = table["relation"] == 0
    assert 0 < apart.sum() < len(table)
    geometries = geopandas.read_file(out).geometry
    assert set(geometries[apart].geom_type) == {"LineString"} and set(geometries[~apart].geom_type) == {"Point"}
    np.testing.assert_allclose(shapely.length(geometries[apart]), table["distance"][apart], atol=1e-12)
    assert (shapely.distance(geometries[~apart], POINTS[table["left"][~apart]]) == 0).all()
    assert (shapely.distance(geometries[~apart], B[table["right"][~apart]]) == 0).all()
    # Without the measure, the file has distances and no closest points.
    sat2d.join_files(points, files[1], out=tmp_path / "pairs.csv", within=1.5)
    written = read_pairs(tmp_path / "pairs.csv")
    assert list(written.columns) == ["a", "b", "relation", "distance"]
    np.testing.assert_array_equal(written["distance"], table["distance"])


def test_a_map_shows_where_polygons_meet(tmp_path: Any) -> None:
    path, out = tmp_path / "boxes.parquet", tmp_path / "pairs.geojson"
    frame([shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(2, 1, 3, 2), shapely.box(5, 1, 6, 2)]).to_parquet(path)
    table = sat2d.join_files(path, out=out, within=2)
    assert table.columns == ["left", "right", "relation"]
    assert [shape.wkt for shape in geopandas.read_file(out).geometry] == [
        "LINESTRING (1 0, 1 1)",
        "LINESTRING (1 1, 2 1)",
        "POINT (2 1)",
        "LINESTRING (3 2, 5 2)",
    ]


def test_files_of_points_that_cannot_be_joined(points: Any, files: Any, tmp_path: Any) -> None:
    options: list[dict[str, Any]] = [{"measure": "area"}, {"measure": ["manifold"]}, {"measure": "penetration"}, {"min_area": 1}]
    for given in options:
        for b, message in ((files[0], "a has points"), (points, "a and b have points"), (None, "a has points")):
            with pytest.raises(sat2d.OptionError, match=message):
                sat2d.join_files(points, b, out=tmp_path / "pairs.csv", **given)
    for relation in ("inside", "boundary"):
        with pytest.raises(sat2d.OptionError, match="is a relation of points"):
            sat2d.join_files(*files, relation=relation)
    assert not (tmp_path / "pairs.csv").exists()


@pytest.mark.parametrize("first", [0, 3])
def test_an_input_with_polygons_is_an_input_of_polygons(tmp_path: Any, first: int) -> None:
    shapes = [shapely.box(0, 0, 2, 2), shapely.LineString([(0, 0), (1, 1)]), shapely.box(1, 1, 3, 3)]
    shapes.insert(first, shapely.Point(1.5, 1.5))
    mixed, points = tmp_path / "mixed.parquet", tmp_path / "points.parquet"
    frame(np.array(shapes)).to_parquet(mixed)
    frame(shapely.points([[1.5, 1.5], [9.0, 9.0]])).to_parquet(points)
    boxes = [k for k, shape in enumerate(shapes) if shape.geom_type == "Polygon"]
    for made in (
        sat2d.read(mixed, invalid="skip"),
        sat2d.PolygonSet(shapes, invalid="skip"),
        sat2d.PolygonSet(pa.array(shapely.to_wkb(shapes).tolist()), invalid="skip"),
    ):
        assert isinstance(made, sat2d.PolygonSet)
        assert sorted(skipped.feature for skipped in made.skipped) == sorted(set(range(4)) - set(boxes))
        assert any("a point among polygons; join points and polygons" in skipped.reason for skipped in made.skipped)
        np.testing.assert_array_equal(sat2d.query(made), [[boxes[0]], [boxes[1]]])
    table = sat2d.join_files(mixed, invalid="skip")
    np.testing.assert_array_equal([table["left"], table["right"]], [[boxes[0]], [boxes[1]]])
    table = sat2d.join_files(points, mixed, invalid="skip")
    np.testing.assert_array_equal([table["left"], table["right"], table["relation"]], [[0, 0], boxes, [2, 2]])
    table = sat2d.join_files(mixed, points, invalid="skip", nearest=1)
    np.testing.assert_array_equal([table["left"], table["right"]], [boxes, [0, 0]])
    for given in (lambda: sat2d.read(mixed), lambda: sat2d.PolygonSet(shapes)):
        with pytest.raises(sat2d.UnsupportedGeometryError, match="among" if first == 0 else "LineString"):
            given()
