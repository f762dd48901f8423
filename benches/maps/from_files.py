#!/usr/bin/env python3
"""Compares a join of the shipped counties from the file to the pairs, one thread against one thread: sat2d, and a program with the
crates geojson, rstar and geo. README.md explains the rules.

    cargo build --release --locked --manifest-path benches/maps/geo-rstar/Cargo.toml
    python3 benches/maps/from_files.py --markdown

Every run is a process of its own, and the runs of the contestants alternate. The table has medians. The exit code is 1 if the pairs of
the features that sat2d accepts differ.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
COUNTIES = HERE.parents[1] / "data/us-counties.geojson.gz"
PEER = HERE / "geo-rstar/target/release/geo-rstar"

sys.path.append(str(HERE.parent / "files"))


def run_sat2d(output: Path, fill: str | None) -> None:
    """Prints the seconds of both parts and the features that were left out. Writes the pairs."""
    import numpy
    import sat2d
    import shapely

    sat2d.join(shapely.box([0, 1], 0, [1, 2], 1), threads=1)
    start = time.perf_counter()
    counties = sat2d.read(COUNTIES, invalid="skip", fill=fill, threads=1)
    middle = time.perf_counter()
    table = sat2d.join(counties, threads=1)
    end = time.perf_counter()
    numpy.savetxt(output, numpy.stack([table["left"], table["right"]], axis=1), fmt="%d")
    print(json.dumps([middle - start, end - middle, [entry.feature for entry in counties.skipped]]))


CONTESTANTS = {"sat2d": None, "sat2d, fill = even-odd": "even-odd", "geojson + rstar + geo": None}


def run(name: str, folder: Path) -> tuple[float, float, set, set]:
    """Runs one contestant once. Returns the seconds from the file to geometries and from geometries to pairs, the pairs, and the features
    that were left out."""
    output = folder / "pairs.txt"
    own = name.startswith("sat2d")
    command = [sys.executable, __file__, f"--contestant={name}", f"--output={output}"] if own else [PEER, COUNTIES, output]
    core = f"{min(os.sched_getaffinity(0))}"
    done = subprocess.run(["taskset", "-c", core, *command], stdout=subprocess.PIPE, text=True, check=True)
    read, join, *rest = json.loads(done.stdout) if own else [float(word) for word in done.stdout.split()]
    pairs = {tuple(map(int, line.split())) for line in output.read_text().splitlines()}
    return read, join, pairs, set(rest[0] if rest else [])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=9, help="runs of each contestant (default: 9)")
    parser.add_argument("--markdown", action="store_true", help="prints the table in Markdown")
    parser.add_argument("--contestant", choices=CONTESTANTS, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.contestant:
        run_sat2d(chosen.output, CONTESTANTS[chosen.contestant])
        return 0
    import compare

    results = {name: [] for name in CONTESTANTS}
    with tempfile.TemporaryDirectory() as temporary:
        for _ in range(chosen.runs):
            for name, of_name in results.items():
                of_name.append(run(name, Path(temporary)))
    reference = results["geojson + rstar + geo"][0][2]
    totals = {name: median(read + join for read, join, *_ in of_name) for name, of_name in results.items()}
    rows, is_right = [], True
    for name, of_name in results.items():
        pairs, skipped = of_name[0][2:]
        kept = {pair for pair in reference if not skipped & set(pair)}
        differ = len(kept ^ pairs)
        is_right &= differ == 0
        parts = [f"{1000 * median(of_run[part] for of_run in of_name):.1f} ms" for part in (0, 1)]
        cells = [name, f"{1000 * totals[name]:.1f} ms", f"{totals[name] / totals['sat2d']:.2f}", *parts]
        rows.append([*cells, f"{len(pairs):,}", str(differ), str(len(skipped))])
    print(f"{compare.machine()}; median of {chosen.runs} runs\n")
    compare.print_table(["contestant", "time", "times", "read", "join", "pairs", "differ", "left out"], 1, rows, chosen.markdown)
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
