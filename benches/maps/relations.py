#!/usr/bin/env python3
"""Compares relations of maps in memory, one thread against one thread: sat2d, and Shapely's STRtree. README.md explains the rules.

    python3 benches/maps/relations.py --markdown
    python3 benches/maps/relations.py --tasks "counties 2016" --runs 1

Every run is a process of its own, and the runs of the contestants alternate. The table has medians. The pairs of sat2d are compared with
those of Shapely. The exit code is 1 if they differ in a pair of valid geometries.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import maps
import numpy
import shapely

sys.path.append(str(Path(__file__).resolve().parents[1] / "files"))

NO_PAIRS = numpy.empty(0, dtype=numpy.int64)


def codes(left, right):
    """Returns the pairs as sorted numbers a * 2^32 + b."""
    return numpy.sort(left.astype(numpy.int64) << 32 | right.astype(numpy.int64))


def run_shapely(sides: list, predicate: str) -> tuple[dict, float]:
    """Runs Shapely's STRtree. A join of one map yields each pair in both orders, of which one is kept."""
    start = time.perf_counter()
    left, right = shapely.STRtree(sides[-1]).query(sides[0], predicate=predicate)
    if len(sides) == 1:
        left, right = left[left < right], right[left < right]
    seconds = time.perf_counter() - start
    return {predicate: codes(left, right)}, seconds


def relations(sets: list) -> dict:
    """Returns the pairs that meet, and the pairs that only touch."""
    import sat2d

    table = sat2d.join(*sets, threads=1)
    return {"left": table["left"], "right": table["right"], "relation": table["relation"]}


def finished(table: dict, sets: list) -> dict:
    touches = table["relation"] == 1
    skipped = {f"skipped{side}": numpy.array([entry.feature for entry in made.skipped]) for side, made in enumerate(sets)}
    pairs = codes(table["left"], table["right"]), codes(table["left"][touches], table["right"][touches])
    return {"intersects": pairs[0], "touches": pairs[1], **skipped}


def run_sat2d(sides: list, fill: str | None) -> tuple[dict, float]:
    import sat2d

    start = time.perf_counter()
    sets = [sat2d.PolygonSet(side, invalid="skip", fill=fill, threads=1) for side in sides]
    table = relations(sets)
    seconds = time.perf_counter() - start
    return finished(table, sets), seconds


def run_arrays(sides: list, fill: str | None) -> tuple[dict, float]:
    """Runs sat2d on arrays of coordinates and offsets. The time does not include making the arrays."""
    import sat2d

    arrays = [ragged(side) for side in sides]
    sides.clear()
    peak_kib(reset=True)
    run_arrays.before = peak_kib()
    start = time.perf_counter()
    sets = [sat2d.PolygonSet.from_ragged_array(*side, invalid="skip", fill=fill, threads=1) for side in arrays]
    table = relations(sets)
    seconds = time.perf_counter() - start
    return finished(table, sets), seconds


def ragged(shapes):
    """Returns the coordinates of polygons and MultiPolygons, and the offsets of rings, polygons and features."""
    parts, feature = shapely.get_parts(shapes, return_index=True)
    rings, part = shapely.get_rings(parts, return_index=True)
    lengths = [shapely.get_num_coordinates(rings), numpy.bincount(part), numpy.bincount(feature)]
    return shapely.get_coordinates(rings), [numpy.concatenate([[0], numpy.cumsum(length)]) for length in lengths]


CONTESTANTS = {
    "sat2d": lambda sides: run_sat2d(sides, None),
    "sat2d, fill = even-odd": lambda sides: run_sat2d(sides, "even-odd"),
    "sat2d, from arrays": lambda sides: run_arrays(sides, None),
    "Shapely, intersects": lambda sides: run_shapely(sides, "intersects"),
    "Shapely, touches": lambda sides: run_shapely(sides, "touches"),
}


def peak_kib(reset: bool = False) -> int:
    """Return the largest resident set since the last reset, as Linux counts it."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def measure(chosen: argparse.Namespace) -> None:
    """Runs one contestant once. Writes the pairs, and prints the seconds and the growth of memory as JSON."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    run = CONTESTANTS[chosen.contestant]
    run([shapely.box(numpy.arange(9), 0, numpy.arange(9) + 1, 1)])
    sides = [maps.load(chosen.folder, name) for name in maps.TASKS[chosen.task]]
    run_arrays.before = None
    before = peak_kib(reset=True)
    found, seconds = run(sides)
    growth = peak_kib() - (run_arrays.before or before)
    numpy.savez(chosen.output, **found)
    print(json.dumps({"seconds": seconds, "mebibytes": growth / 1024}))


def race(chosen: argparse.Namespace, folder: Path, task: str) -> tuple[list[list[str]], bool]:
    """Runs one task. Returns the rows of the table, and whether the pairs of valid geometries are those of Shapely."""
    sides = [maps.load(folder, name) for name in maps.TASKS[task]]
    valid = [shapely.is_valid(side) for side in sides]
    vertices = sum(int(shapely.get_num_coordinates(side).sum()) for side in sides)
    invalid = sum(int((~of_side).sum()) for of_side in valid)
    print(f"{task}: {sum(map(len, sides)):,} geometries, of which GEOS calls {invalid} invalid; {vertices:,} vertices", flush=True)
    names = [name for name in CONTESTANTS if not chosen.contestants or name in chosen.contestants.split(";")]
    results, found = {name: [] for name in names}, {}
    for turn in range(chosen.runs):
        for name in names:
            print(f"{task}: run {turn + 1} of {chosen.runs}: {name}", file=sys.stderr)
            output = folder / "pairs.npz"
            options = [f"--contestant={name}", f"--task={task}", f"--folder={folder}", f"--output={output}"]
            environment = os.environ | {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            done = subprocess.run(
                [sys.executable, __file__, *options], env=environment, stdout=subprocess.PIPE, text=True, check=True
            )
            results[name].append(json.loads(done.stdout))
            found[name] = dict(numpy.load(output))
    rows, is_right = [], True
    reference = {predicate: found.get(f"Shapely, {predicate}", {}).get(predicate) for predicate in ("intersects", "touches")}
    first = median(run["seconds"] for run in results[names[0]])
    for name in names:
        seconds = [run["seconds"] for run in results[name]]
        memory, answer = max(run["mebibytes"] for run in results[name]), found[name]
        pairs = answer.get("intersects", answer.get("touches"))
        size = (16 * vertices + 24 * len(pairs)) / 2**20
        cells = [task, name, f"{median(seconds):.3f} s", f"{min(seconds):.3f} to {max(seconds):.3f}", f"{median(seconds) / first:.1f}"]
        cells += [f"{memory:.0f} MiB", f"{memory / size:.2f}", f"{len(pairs):,}"]
        wrong = [different(answer, reference, valid) if name.startswith("sat2d") else ["", "", ""]]
        rows.append([*cells, *wrong[0]])
        is_right &= wrong[0][0] in ("", "0")
    return rows, is_right


def different(answer: dict, reference: dict, valid: list) -> list[str]:
    """Returns the number of wrong pairs of valid geometries, the number of wrong pairs of other geometries, and the number of
    geometries that were left out. A pair is wrong if it differs from the pairs of Shapely."""
    among_valid = others = 0
    for predicate, right in reference.items():
        if right is None:
            continue
        pairs = numpy.setxor1d(answer[predicate], right, assume_unique=True)
        is_valid = valid[0][pairs >> 32] & valid[-1][pairs & 0xFFFFFFFF]
        among_valid, others = among_valid + int(is_valid.sum()), others + int((~is_valid).sum())
    skipped = sum(len(entries) for name, entries in answer.items() if name.startswith("skipped"))
    return [str(among_valid), str(others), str(skipped)]


HEAD = ["task", "contestant", "time", "least to most", "times", "memory", "of the data", "pairs", "differ", "differ, invalid", "left out"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tasks", help="semicolons between names (default: all)")
    parser.add_argument("--contestants", help="semicolons between names (default: all)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each contestant (default: 5)")
    parser.add_argument("--folder", type=Path, help="keeps the maps here; by default they go to a temporary folder")
    parser.add_argument("--markdown", action="store_true", help="prints the table in Markdown")
    parser.add_argument("--contestant", choices=CONTESTANTS, help=argparse.SUPPRESS)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.contestant:
        measure(chosen)
        return 0
    import compare
    import sat2d

    rows, is_right = [], True
    with tempfile.TemporaryDirectory() as temporary:
        folder = (chosen.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for task in chosen.tasks.split(";") if chosen.tasks else maps.TASKS:
            of_task, is_right_task = race(chosen, folder, task)
            rows += of_task
            is_right &= is_right_task
    versions = f"sat2d {sat2d.__version__}; Shapely {shapely.__version__} (GEOS {shapely.geos_version_string})"
    print(f"\n{compare.machine()}. Python {platform.python_version()}; {versions}. Median of {chosen.runs} runs.\n")
    compare.print_table(HEAD, 2, rows, chosen.markdown)
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
