"""The contestants. As a program, this file runs one contestant in Python once: it reads Parquet, joins, and writes Parquet.

    python3 contestants.py NAME THREADS OUTPUT FILE [FILE]

The output has the columns `a` and `b`. For one file, these are the pairs of different features that intersect, each once, a < b. For two
files, `a` is of the first and `b` of the second. Each function loads its library, then starts the clock, and stops it when the output file
is complete. The program prints these seconds, then the version of the library.
"""

import sys
import time
from pathlib import Path

# The endings of the input files and of the output of sat2d. The other contestants use the first format.
OURS = {
    "sat2d": (".parquet", ".parquet"),
    "sat2d, GeoJSON": (".geojson", ".csv"),
    "sat2d, CSV": (".csv", ".csv"),
    "sat2d, FlatGeobuf": (".fgb", ".parquet"),
}
# The contestants that are separate programs.
PROGRAMS = {"geo + rstar": Path(__file__).parent / "geo-rstar/target/release/geo-rstar"}
# Names of the contestants that run in this program, in the order of the tables.
IN_PYTHON = ["sedonadb", "duckdb", "shapely", "geopandas"]

SQL = "SELECT a.id AS a, b.id AS b FROM {a} AS a JOIN {b} AS b ON ST_Intersects(a.geometry, b.geometry)"


def shapely_join(threads: int, output: str, files: list[str]):
    """Uses pyarrow to read and write. STRtree starts no threads, but its query releases Python's lock, so each thread queries a part."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy
    import pyarrow
    import pyarrow.dataset  # the first `read_table` would import it
    import pyarrow.parquet
    import shapely

    start = time.perf_counter()
    pyarrow.set_cpu_count(threads)
    shapes = [shapely.from_wkb(pyarrow.parquet.read_table(file, columns=["geometry"])["geometry"].to_numpy()) for file in files]
    tree = shapely.STRtree(shapes[-1])
    begins = numpy.linspace(0, len(shapes[0]), threads + 1).astype(int)

    def part(place: int):
        begin, end = begins[place], begins[place + 1]
        a, b = tree.query(shapes[0][begin:end], predicate="intersects")
        a += begin
        return (a[a < b], b[a < b]) if len(files) == 1 else (a, b)

    with ThreadPoolExecutor(threads) as pool:
        a, b = (numpy.concatenate(column) for column in zip(*pool.map(part, range(threads)), strict=True))
    pyarrow.parquet.write_table(pyarrow.table({"a": a, "b": b}), output)
    return time.perf_counter() - start, f"Shapely {shapely.__version__} (GEOS {shapely.geos_version_string})"


def geopandas_join(threads: int, output: str, files: list[str]):
    """Uses `sjoin` of GeoPandas, which runs on one thread."""
    import geopandas
    import pyarrow
    import pyarrow.dataset

    start = time.perf_counter()
    pyarrow.set_cpu_count(threads)
    frames = [geopandas.read_parquet(file) for file in files]
    pairs = frames[0].sjoin(frames[-1], predicate="intersects", lsuffix="a", rsuffix="b")[["id_a", "id_b"]]
    pairs.columns = ["a", "b"]
    (pairs[pairs.a < pairs.b] if len(files) == 1 else pairs).to_parquet(output, index=False)
    return time.perf_counter() - start, f"GeoPandas {geopandas.__version__}"


def sedonadb_join(threads: int, output: str, files: list[str]):
    """Sets the number of tasks of DataFusion by `target_partitions`. The environment sets the number of threads of its runtime."""
    import sedonadb

    session = sedonadb.connect()
    session.sql(f"SET datafusion.execution.target_partitions = {threads}").execute()
    start = time.perf_counter()
    for name, file in zip("ab", files, strict=False):
        session.read_parquet(file).to_view(f"file_{name}")
    once = " AND a.id < b.id" if len(files) == 1 else ""
    session.sql(SQL.format(a="file_a", b="file_a" if once else "file_b") + once).to_parquet(output)
    return time.perf_counter() - start, f"SedonaDB {sedonadb.__version__}"


def duckdb_join(threads: int, output: str, files: list[str]):
    """Compares the difference of ids with 0. The condition `a.id < b.id` would make DuckDB use a nested loop, not the spatial join."""
    import duckdb
    import duckdb_extension_spatial

    connection = duckdb.connect(config={"threads": threads})
    extension = next(Path(duckdb_extension_spatial.__file__).parent.rglob("*.duckdb_extension"))
    connection.execute(f"LOAD '{extension}'")
    once = " WHERE a.id - b.id < 0" if len(files) == 1 else ""
    query = SQL.format(a=f"'{files[0]}'", b=f"'{files[-1]}'") + once
    start = time.perf_counter()
    connection.execute(f"COPY ({query}) TO '{output}' (FORMAT parquet)")
    seconds = time.perf_counter() - start
    plan = connection.execute(f"EXPLAIN {query}").fetchall()[0][1]
    assert "SPATIAL_JOIN" in plan, plan
    return seconds, f"DuckDB {duckdb.__version__} with spatial"


def command(name: str, sat2d: str, threads: int, output: Path, folder: Path, scenes: list[str]) -> list[str]:
    """Returns the command line of one run."""
    if name in OURS:
        ending = OURS[name][0]
        # The column `id`, or the member `id` of GeoJSON, has the names of the features.
        more = [] if ending == ".geojson" else ["--id", "id"]
        files = [str(folder / (scene + ending)) for scene in scenes]
        return [sat2d, "join", *files, "-o", str(output), "--quiet", "--backend", "cpu", "--threads", str(threads), *more]
    files = [str(folder / f"{scene}.parquet") for scene in scenes]
    if name in PROGRAMS:
        return [str(PROGRAMS[name]), str(threads), str(output), *files]
    return [sys.executable, __file__, name, str(threads), str(output), *files]


if __name__ == "__main__":
    print(*globals()[f"{sys.argv[1]}_join"](int(sys.argv[2]), sys.argv[3], sys.argv[4:]), sep="\n")
