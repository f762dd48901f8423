#!/usr/bin/env python3
"""Compares spatial joins from file to file: sat2d, SedonaDB, DuckDB, geo with rstar, Shapely and GeoPandas. README.md explains the rules.

    python3 benches/files/compare.py --sat2d target/release/sat2d --markdown
    python3 benches/files/compare.py --quick

Every run is a process of its own. The runs of all contestants alternate, and the table has medians. The pairs of each run are compared with
those of Shapely. The exit code is 1 if sat2d finds other pairs or fails. Wrong pairs of other contestants are counted.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import contestants
import numpy
import pyarrow.csv
import pyarrow.parquet
import scenes

OURS = contestants.OURS
HEAD = ["task", "contestant", "threads", "time", "process", "memory", "pairs", "missing", "extra"]
NEEDS = {"duckdb": "duckdb_extension_spatial"}


@dataclass
class Result:
    """The runs of one contestant in one task with one number of threads."""

    seconds: list[float] = field(default_factory=list)
    process_seconds: list[float] = field(default_factory=list)
    mebibytes: float = 0
    pairs: int = 0
    missing: int = 0
    extra: int = 0
    failed: str = ""


def run(command: list[str], threads: int, output: Path) -> tuple[float, float, list[str]]:
    """Runs one process on as many cores as threads. Returns its seconds, its peak memory in MiB and the lines of its output."""
    environment = os.environ | {"TOKIO_WORKER_THREADS": str(threads), "RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    output.unlink(missing_ok=True)
    text = output.with_suffix(".txt")
    measure = [sys.executable, "-I", "-S", str(Path(__file__).with_name("measure.py")), str(threads), str(text)]
    measured = subprocess.run([*measure, *command], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    lines = text.read_text(errors="replace").splitlines()
    if measured[0] != "0":
        raise RuntimeError(f"exit code {measured[0]}: {lines[-1] if lines else 'no message'}")
    return float(measured[1]), int(measured[2]) / 1024, lines


def read_pairs(path: Path, ordered: bool) -> numpy.ndarray:
    """Returns the pairs as sorted numbers a * 2^32 + b. If the order within a pair has no meaning, a is the lesser index."""
    table = pyarrow.csv.read_csv(path) if path.suffix == ".csv" else pyarrow.parquet.read_table(path)
    a, b = (table[name].cast("int64").to_numpy() for name in ("a", "b"))
    if not ordered:
        a, b = numpy.minimum(a, b), numpy.maximum(a, b)
    return numpy.sort((a << 32) | b)


def difference(found: numpy.ndarray, right: numpy.ndarray) -> tuple[int, int]:
    """Returns the number of missing pairs and the number of extra pairs. A pair that occurs twice counts as extra."""
    distinct = numpy.unique(found)
    missing = len(numpy.setdiff1d(right, distinct, assume_unique=True))
    return missing, len(numpy.setdiff1d(distinct, right, assume_unique=True)) + len(found) - len(distinct)


def race(arguments, folder: Path, names: list[str], task: str, makers: dict, versions: dict) -> dict:
    """Runs one task. Returns the result of each contestant and number of threads."""
    for scene, make in makers.items():
        endings = {".parquet"} | {OURS[name][0] for name in names if name in OURS}
        missing = [folder / (scene + ending) for ending in sorted(endings) if not (folder / (scene + ending)).exists()]
        if missing:
            print(f"{task}: writing {scene}", file=sys.stderr)
            scenes.write(missing, make())
    reference = folder / "reference.parquet"
    run(contestants.command("shapely", arguments.sat2d, 1, reference, folder, list(makers)), 1, reference)
    right = read_pairs(reference, len(makers) == 2)
    results = {(name, threads): Result() for threads in arguments.threads for name in names}
    for turn in range(arguments.runs):
        for (name, threads), result in results.items():
            if result.failed:
                continue
            output = folder / f"pairs{OURS[name][1] if name in OURS else '.parquet'}"
            print(f"{task}: run {turn + 1} of {arguments.runs}: {name}, threads: {threads}", file=sys.stderr)
            try:
                seconds, memory, lines = run(
                    contestants.command(name, arguments.sat2d, threads, output, folder, list(makers)), threads, output
                )
                found = read_pairs(output, len(makers) == 2)
            except (OSError, RuntimeError, LookupError, ValueError, subprocess.CalledProcessError) as error:
                result.failed = str(error)
                continue
            result.process_seconds.append(seconds)
            result.seconds.append(float(lines[-2]) if name in contestants.IN_PYTHON else seconds)
            if name in contestants.IN_PYTHON:
                versions[name] = lines[-1]
            result.mebibytes = max(result.mebibytes, memory)
            missing, extra = difference(found, right)
            result.pairs, result.missing, result.extra = len(found), max(result.missing, missing), max(result.extra, extra)
    return results


def machine() -> str:
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cpu}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB of memory, {platform.system()} {platform.release()}"


def cells(task: str, name: str, threads: int, result: Result) -> list[str]:
    if result.failed:
        return [task, name, str(threads), "failed", "", "", "", "", result.failed[:80].replace("|", " ")]
    times = [f"{median(values):.3f} s" for values in (result.seconds, result.process_seconds)]
    return [task, name, str(threads), *times, f"{result.mebibytes:,.0f} MiB", f"{result.pairs:,}", str(result.missing), str(result.extra)]


def print_table(head: list[str], named: int, rows: list[list[str]], markdown: bool) -> None:
    """Prints rows of cells. The first `named` columns have names, the others have numbers."""
    if markdown:
        rows = [head, ["---"] * named + ["---:"] * (len(head) - named), *rows]
        print("\n".join(f"| {' | '.join(row)} |" for row in rows))
        return
    rows = [head, *rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    for row in rows:
        print(
            "  ".join(
                cell.ljust(width) if place < named else cell.rjust(width) for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
        )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sat2d", default="target/release/sat2d", help="the program (default: %(default)s)")
    parser.add_argument(
        "--contestants", type=lambda text: text.split(";"), help="semicolons between names (default: all that are installed)"
    )
    parser.add_argument("--tasks", type=lambda text: text.split(","), help="only tasks whose names begin so, commas between them")
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2], help="default: 1,2")
    parser.add_argument("--runs", type=int, help="runs of each contestant (default: 5, with --quick 1)")
    parser.add_argument("--folder", type=Path, help="keeps the files here; by default they go to a temporary folder")
    parser.add_argument("--quick", action="store_true", help="10,000 polygons and points")
    parser.add_argument("--markdown", action="store_true", help="prints the tables in Markdown")
    chosen = parser.parse_args()
    chosen.runs = chosen.runs or (1 if chosen.quick else 5)
    chosen.sat2d = str(Path(chosen.sat2d).resolve())
    return chosen


def entrants(chosen: argparse.Namespace) -> list[str]:
    """Returns the contestants of this run. Prints the names of the contestants that are left out."""
    known = [*OURS, *contestants.PROGRAMS, *contestants.IN_PYTHON]
    names = chosen.contestants or known
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit(f"compare.py: unknown contestants: {', '.join(sorted(unknown))}")
    programs = contestants.PROGRAMS | dict.fromkeys(OURS, Path(chosen.sat2d))
    out = {name: programs[name] for name in names if name in programs and not programs[name].exists()}
    out |= {name: NEEDS.get(name, name) for name in names if name not in programs and not find_spec(NEEDS.get(name, name))}
    for name, what in out.items():
        print(f"left out: {name}: {what} is not there", file=sys.stderr)
    return [name for name in names if name not in out]


def main() -> int:
    chosen = arguments()
    names = entrants(chosen)
    wrong, rows, versions = False, [], {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = (chosen.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for task, makers in scenes.tasks(chosen.quick).items():
            if chosen.tasks and not task.startswith(tuple(chosen.tasks)):
                continue
            for (name, threads), result in race(chosen, folder, names, task, makers, versions).items():
                rows.append(cells(task, name, threads, result))
                wrong |= name in OURS and bool(result.failed or result.missing or result.extra)
    if any(name in OURS for name in names):
        versions["sat2d"] = subprocess.run([chosen.sat2d, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    print(f"{machine()}. Python {platform.python_version()}; {'; '.join(versions.values())}. Median of {chosen.runs} runs.\n")
    print_table(HEAD, 3, rows, chosen.markdown)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
