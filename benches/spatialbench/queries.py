#!/usr/bin/env python3
"""Compares three queries of SpatialBench from file to file: sat2d, SedonaDB and DuckDB. README.md explains the rules.

    python3 benches/spatialbench/queries.py --sat2d target/release/sat2d --markdown
    python3 benches/spatialbench/queries.py --scale 0.001 --runs 1

Every run is a process of its own. The runs of all contestants alternate, and the table has medians. The rows of each run are compared with
those of Shapely. The exit code is 1 if sat2d finds other rows or fails. Wrong rows of other contestants are counted.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet
import shapely

sys.path.append(str(Path(__file__).resolve().parents[1] / "files"))

WITHIN = 0.0045  # degrees, about 500 m: the published distance of Q8
NEAREST = 5  # the published number of neighbours of Q12
SAMPLE = 500  # the number of trips whose nearest buildings Shapely finds by comparing all distances
GROUP = 50_000  # rows of a row group: DuckDB gives each thread whole row groups
BAR = 1 / 3  # the greatest time of sat2d, relative to DuckDB for Q9, and to the faster of SedonaDB and DuckDB for Q8 and Q12
TOLERANCE = 1e-9  # of intersections over union, of areas relative to the larger polygon, and of distances in degrees

PICKUPS, BUILDINGS = "pickups.parquet", "buildings.parquet"
MEASURES = ["iou", "area", "area_a", "area_b"]  # the columns of Q9 that are compared with Shapely

FILES = {"Q8": [PICKUPS, BUILDINGS], "Q9": [BUILDINGS], "Q12": [PICKUPS, BUILDINGS]}
OPTIONS = {"Q8": ["--within", str(WITHIN)], "Q9": ["--with", "area,iou,area_a,area_b"], "Q12": ["--nearest", str(NEAREST)]}

Q8 = f"SELECT t.id AS a, b.id AS b FROM {{a}} AS t JOIN {{b}} AS b ON ST_DWithin(t.geometry, b.geometry, {WITHIN})"
Q9 = """
WITH pairs AS (
    SELECT a.id AS a, b.id AS b, ST_Area(a.geometry) AS area_a, ST_Area(b.geometry) AS area_b,
        ST_Area(ST_Intersection(a.geometry, b.geometry)) AS area
    FROM {a} AS a JOIN {a} AS b ON ST_Intersects(a.geometry, b.geometry) AND %s
)
SELECT *, CASE WHEN area_a + area_b - area = 0 THEN 1.0 ELSE area / (area_a + area_b - area) END AS iou FROM pairs"""
DISTANCE = "ST_Distance(t.geometry, b.geometry) AS distance"
SQL = {
    "sedonadb": {
        "Q8": Q8,
        "Q9": Q9 % "a.id < b.id",
        "Q12": f"SELECT t.id AS a, b.id AS b, {DISTANCE} FROM {{a}} AS t JOIN {{b}} AS b "
        f"ON ST_KNN(t.geometry, b.geometry, {NEAREST}, FALSE)",
    },
    "duckdb": {
        "Q8": Q8,
        # With the condition `a.id < b.id`, DuckDB would use a nested loop instead of the spatial join.
        "Q9": Q9 % "a.id - b.id < 0",
        # DuckDB has no join of nearest neighbours.
        "Q12": f"SELECT t.id AS a, near.b, near.distance FROM {{a}} AS t CROSS JOIN LATERAL ("
        f"SELECT b.id AS b, {DISTANCE} FROM {{b}} AS b ORDER BY distance LIMIT {NEAREST}) AS near",
    },
}
CONTESTANTS = ["sat2d", *SQL]

# The published answers at scale 1: the first rows of Q8 and Q9, and the trips of Q12 that are farthest from their five nearest buildings.
PUBLISHED = {
    "Q8": [(3779, 42), (19135, 36), (4416, 26)],
    "Q9": [(7562, 18534, 0.8415764980401906), (2285, 15719, 0.7022218100645453), (13658, 15719, 0.7019832720541139)],
    "Q12": [(1397637, 82.40977530183955), (4166482, 82.38756120900636), (2976679, 82.36270091818895)],
}


def make(folder: Path, scale: float) -> None:
    """Writes pickups.parquet and buildings.parquet, unless they exist. Both are GeoParquet with the columns `id` and `geometry`."""
    # The generator makes few buildings or none below scale 1, so buildings have at least scale 1.
    tables = {PICKUPS: ("trip", scale, "t_tripkey", "t_pickuploc"), BUILDINGS: ("building", max(1, scale), "b_buildingkey", "b_boundary")}
    for name, (table, of_table, key, geometry) in tables.items():
        if (folder / name).exists():
            continue
        program = str(Path(sys.executable).with_name("spatialbench-cli"))
        subprocess.run([program, "-s", str(of_table), "-T", table, "-o", str(folder)], stdout=subprocess.DEVNULL, check=True)
        source = folder / f"{table}.parquet"
        rows = pyarrow.parquet.read_table(source, columns=[key, geometry]).rename_columns(["id", "geometry"])
        kind = "Point" if table == "trip" else "Polygon"
        column = {"encoding": "WKB", "geometry_types": [kind]}
        geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
        rows = rows.replace_schema_metadata({"geo": json.dumps(geo)})
        pyarrow.parquet.write_table(rows, folder / name, row_group_size=GROUP, compression="snappy")
        source.unlink()


def run_sedonadb(query: str, threads: int, output: str, files: list[str]):
    import sedonadb

    session = sedonadb.connect()
    session.sql(f"SET datafusion.execution.target_partitions = {threads}").execute()
    start = time.perf_counter()
    for name, file in zip("ab", files, strict=False):
        session.read_parquet(file).to_view(f"file_{name}")
    session.sql(SQL["sedonadb"][query].format(a="file_a", b="file_b")).to_parquet(output)
    return time.perf_counter() - start, f"SedonaDB {sedonadb.__version__}"


def run_duckdb(query: str, threads: int, output: str, files: list[str]):
    import duckdb
    import duckdb_extension_spatial

    connection = duckdb.connect(config={"threads": threads, "memory_limit": "8GB"})
    extension = next(Path(duckdb_extension_spatial.__file__).parent.rglob("*.duckdb_extension"))
    connection.execute(f"LOAD '{extension}'")
    text = SQL["duckdb"][query].format(a=f"'{files[0]}'", b=f"'{files[-1]}'")
    start = time.perf_counter()
    connection.execute(f"COPY ({text}) TO '{output}' (FORMAT parquet)")
    seconds = time.perf_counter() - start
    plan = connection.execute(f"EXPLAIN {text}").fetchall()[0][1]
    assert query == "Q12" or "SPATIAL_JOIN" in plan, plan
    return seconds, f"DuckDB {duckdb.__version__} with spatial"


def command(chosen: argparse.Namespace, name: str, query: str, threads: int, folder: Path, output: Path) -> list[str]:
    """Returns the command line of one run. It ends the run after the time limit."""
    files = [str(folder / file) for file in FILES[query]]
    limit = ["timeout", str(chosen.limit)]
    if name == "sat2d":
        options = ["--id", "id", "--quiet", "--backend", "cpu", "--threads", str(threads), *OPTIONS[query]]
        return [*limit, chosen.sat2d, "join", *files, "-o", str(output), "--stats", str(statistics_of(output)), *options]
    return [*limit, sys.executable, __file__, "--contestant", name, query, str(threads), str(output), *files]


def statistics_of(output: Path) -> Path:
    """Returns the file to which sat2d writes its statistics."""
    return output.with_suffix(".json")


def near(values: numpy.ndarray, others: numpy.ndarray) -> bool:
    """Returns whether two lists of measures of Q9 are equal up to rounding. Areas are compared relative to the larger polygon."""
    scale = numpy.ones(len(values))
    scale[1:] = max(others[2:], default=1)
    return bool((numpy.abs(values - others) <= TOLERANCE * scale).all())


class Truth:
    """The answers of Shapely for the files."""

    def __init__(self, folder: Path):
        tables = [pyarrow.parquet.read_table(folder / name) for name in (PICKUPS, BUILDINGS)]
        self.ids = [table["id"].to_numpy() for table in tables]
        self.pickups, self.buildings = (shapely.from_wkb(table["geometry"].to_numpy(zero_copy_only=False)) for table in tables)
        self.tree = shapely.STRtree(self.buildings)
        self.found = {}

    def pairs(self, query: str) -> dict:
        """Returns the pairs of Q8 or Q9 as (a, b): values. For Q9, the values are those of `MEASURES`. For Q8, there are none."""
        if query not in self.found:
            if query == "Q8":
                a, b = self.tree.query(self.pickups, predicate="dwithin", distance=WITHIN)
                values, of_a = numpy.zeros((len(a), 0)), self.ids[0]
            else:
                a, b = self.tree.query(self.buildings, predicate="intersects")
                a, b, of_a = a[a < b], b[a < b], self.ids[1]
                common = shapely.area(shapely.intersection(self.buildings[a], self.buildings[b]))
                areas = [shapely.area(self.buildings[side]) for side in (a, b)]
                values = numpy.stack([common / (areas[0] + areas[1] - common), common, *areas], axis=1)
            self.found[query] = dict(zip(zip(of_a[a].tolist(), self.ids[1][b].tolist(), strict=True), values, strict=True))
        return self.found[query]

    def nearest(self) -> dict:
        """Returns the distances to all buildings for each trip of a sample."""
        if "Q12" not in self.found:
            sample = numpy.random.default_rng(2024).choice(len(self.pickups), min(SAMPLE, len(self.pickups)), replace=False)
            self.found["Q12"] = {int(self.ids[0][k]): shapely.distance(self.pickups[k], self.buildings) for k in sample}
        return self.found["Q12"]

    def difference(self, query: str, table: pyarrow.Table) -> tuple[int, int]:
        """Returns the number of missing rows and the number of extra rows. A row with a wrong value counts as extra."""
        a, b = (table[name].cast("int64").to_numpy() for name in ("a", "b"))
        if query == "Q12":
            return self.wrong_nearest(a, b, table["distance"].to_numpy())
        right, names = self.pairs(query), MEASURES if query == "Q9" else []
        values = numpy.stack([table[name].to_numpy() for name in names], axis=1) if names else numpy.zeros((len(a), 0))
        found = list(zip(a.tolist(), b.tolist(), strict=True))
        is_right = [pair in right and near(value, right[pair]) for pair, value in zip(found, values, strict=True)]
        extra = is_right.count(False)
        return len(right.keys() - set(found)), extra + len(found) - len(set(found))

    def wrong_nearest(self, a, b, distance) -> tuple[int, int]:
        """Checks that each row has the distance of its pair, and that no building that is left out is nearer."""
        order = numpy.argsort(a, kind="stable")
        sorted_a, place_of = a[order], {int(key): place for place, key in enumerate(self.ids[1])}
        missing = extra = 0
        for trip, distances in self.nearest().items():
            rows = order[numpy.searchsorted(sorted_a, trip) : numpy.searchsorted(sorted_a, trip, side="right")]
            greatest = numpy.partition(distances, NEAREST - 1)[NEAREST - 1]
            places = {place_of[int(key)] for key in b[rows]}
            true = distances[[place_of[int(key)] for key in b[rows]]]
            right = (numpy.abs(true - distance[rows]) <= TOLERANCE) & (true <= greatest + TOLERANCE)
            missing += max(0, NEAREST - len(places))
            extra += int((~right).sum()) + len(rows) - len(places)
        return missing, extra


def check_published(query: str, table: pyarrow.Table) -> None:
    """Compares rows of scale 1 with the published answers. Raises a ValueError if they differ."""
    if query == "Q8":
        keys, counts = numpy.unique(table["b"].to_numpy(), return_counts=True)
        order = numpy.lexsort((keys, -counts))[:3]
        found = list(zip(keys[order].tolist(), counts[order].tolist(), strict=True))
    elif query == "Q9":
        rows = sorted(zip(*(table[name].to_pylist() for name in ("a", "b", "iou")), strict=True), key=lambda row: -row[2])
        found = rows[:3]
    else:
        keys, inverse = numpy.unique(table["a"].to_numpy(), return_inverse=True)
        means = numpy.bincount(inverse, table["distance"].to_numpy()) / NEAREST
        order = numpy.lexsort((keys, -means))[:3]
        found = list(zip(keys[order].tolist(), means[order].tolist(), strict=True))
    if not numpy.allclose(found, PUBLISHED[query], rtol=TOLERANCE, atol=0):
        raise ValueError(f"the published answer is {PUBLISHED[query]}, but the first rows are {found}")


def race(chosen: argparse.Namespace, folder: Path, query: str, truth: Truth, versions: dict) -> dict:
    """Runs one query. Returns the result of each contestant and number of threads."""
    import compare

    results = {(name, threads): compare.Result() for threads in chosen.threads for name in chosen.contestants}
    output = folder / "answer.parquet"
    for turn in range(chosen.runs):
        for (name, threads), result in results.items():
            if result.failed:
                continue
            print(f"{query}: run {turn + 1} of {chosen.runs}: {name}, threads: {threads}", file=sys.stderr)
            try:
                seconds, memory, lines = compare.run(command(chosen, name, query, threads, folder, output), threads, output)
                table = pyarrow.parquet.read_table(output)
                missing, extra = truth.difference(query, table)
                # The buildings, and so the rows of Q9, are those of scale 1 at any lower scale.
                if chosen.scale == 1 or (query == "Q9" and chosen.scale < 1):
                    check_published(query, table)
            except (OSError, RuntimeError, LookupError, ValueError, subprocess.CalledProcessError) as error:
                is_late = str(error).startswith("exit code 124")
                result.failed = f"more than {chosen.limit} s" if is_late else str(error)
                continue
            result.process_seconds.append(seconds)
            if name == "sat2d":
                of_run = json.loads(statistics_of(output).read_text())
                result.seconds.append(of_run["seconds"]["total"])
            else:
                result.seconds.append(float(lines[-2]))
                versions[name] = lines[-1]
            result.mebibytes = max(result.mebibytes, memory)
            result.pairs, result.missing, result.extra = len(table), max(result.missing, missing), max(result.extra, extra)
    return results


def compared_with_bar(query: str, results: dict) -> list[str]:
    """Returns a line for each number of threads: how the time of sat2d compares with its bar. Rivals that failed do not count."""
    rivals = ["duckdb"] if query == "Q9" else list(SQL)
    lines = []
    for threads in sorted({threads for _, threads in results}):
        seconds = {name: result.seconds for (name, count), result in results.items() if count == threads and not result.failed}
        medians = {name: statistics.median(of_runs) for name, of_runs in seconds.items() if of_runs}
        others = {name: medians[name] for name in rivals if name in medians}
        if "sat2d" not in medians:
            lines.append(f"{query}, threads: {threads}: missed, because sat2d failed")
        elif others:
            fastest = min(others, key=others.get)
            share = medians["sat2d"] / others[fastest]
            verdict = "met" if share <= BAR else "missed"
            lines.append(f"{query}, threads: {threads}: sat2d takes {share:.2f} of the time of {fastest}; bar {BAR:.2f}: {verdict}")
    return lines


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sat2d", default="target/release/sat2d", help="the program (default: %(default)s)")
    parser.add_argument("--scale", type=float, default=0.1, help="scale of the trips, 6 million at scale 1 (default: %(default)s)")
    parser.add_argument("--queries", type=lambda text: text.split(","), default=list(FILES), help="commas between them (default: all)")
    parser.add_argument("--contestants", type=lambda text: text.split(","), default=CONTESTANTS, help="default: all")
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=[2], help="default: 2")
    parser.add_argument("--runs", type=int, default=5, help="runs of each contestant (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=300, help="seconds after which a run is ended (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="keeps the files here; by default they go to a temporary folder")
    parser.add_argument("--markdown", action="store_true", help="prints the table in Markdown")
    chosen = parser.parse_args()
    chosen.sat2d = str(Path(chosen.sat2d).resolve())
    for value, known in ((chosen.queries, FILES), (chosen.contestants, CONTESTANTS)):
        unknown = set(value) - set(known)
        if unknown:
            parser.error(f"{', '.join(sorted(unknown))} is not known; give some of {', '.join(known)}")
    return chosen


def main() -> int:
    if sys.argv[1:2] == ["--contestant"]:
        name, query, threads, output, *files = sys.argv[2:]
        print(*globals()[f"run_{name}"](query, int(threads), output, files), sep="\n")
        return 0
    chosen = arguments()
    import compare

    wrong, rows, bars, versions = False, [], [], {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = (chosen.folder or Path(temporary)).resolve() / f"scale-{chosen.scale:g}"
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, chosen.scale)
        truth = Truth(folder)
        for query in chosen.queries:
            results = race(chosen, folder, query, truth, versions)
            bars.extend(compared_with_bar(query, results))
            for (name, threads), result in results.items():
                rows.append(compare.cells(query, name, threads, result))
                wrong |= name == "sat2d" and bool(result.failed or result.missing or result.extra)
    if "sat2d" in chosen.contestants:
        versions["sat2d"] = subprocess.run([chosen.sat2d, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    print(f"{compare.machine()}. Python {platform.python_version()}; {'; '.join(versions.values())}.")
    print(f"Scale {chosen.scale:g}: {len(truth.pickups):,} trips, {len(truth.buildings):,} buildings. Median of {chosen.runs} runs.\n")
    head = ["query", "contestant", "threads", "time", "process", "memory", "rows", "missing", "extra"]
    compare.print_table(head, 3, rows, chosen.markdown)
    for line in bars:
        print(line)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
