#!/usr/bin/env python3
"""Measures how the time and the memory of relations grow with the number of vertices, on combs and spirals that go through each other.

    python3 benches/maps/growth.py --markdown
    python3 benches/maps/growth.py --counts 10000,100000

Every run is a process of its own, on one core, with 12 GiB of address space and 120 seconds. The shapes are turned, so that the boxes of
their long edges are wide. The exit code is 1 if a relation is wrong or a run fails.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy

sys.path.append(str(Path(__file__).resolve().parents[1] / "files"))
LIMITS = {"seconds": 120, "bytes": 12 << 30}


def turned(vertices):
    """Returns the vertices turned by an angle of the triangle with sides 3, 4 and 5, and scaled by 5. Integers stay integers."""
    x, y = numpy.asarray(vertices, dtype=float).T
    return numpy.stack([4 * x - 3 * y, 3 * x + 4 * y], axis=1)


def comb(count: int, is_upward: bool):
    """Returns a comb with a tooth every 4 units. The teeth are as long as the comb is wide. The teeth of an upward comb fit between the
    teeth of a downward comb."""
    teeth = count // 4
    x, zero, length = 4.0 * numpy.arange(teeth), numpy.zeros(teeth), 4.0 * teeth
    # The left and right sides of a tooth, and the heights of the gaps between teeth, of the tips and of the back.
    left, right, low, tip, back = (3.5, 4.5, 0.0, length - 1, -1.0) if is_upward else (1.0, 3.0, length, 1.0, length + 2)
    corners = [(x + left, zero + low), (x + left, zero + tip), (x + right, zero + tip), (x + right, zero + low)]
    ring = numpy.stack([numpy.stack(corner, axis=1) for corner in corners], axis=1).reshape(-1, 2)
    return numpy.concatenate([ring, [[4.0 * teeth + 4, back], [-4.0, back]]])


def spiral(count: int, shift: int):
    """Returns a square spiral of width 1 with turns 4 units apart. The spiral of shift 1 touches the one of shift 0. Shift 2 does not."""
    k = numpy.arange(count // 2)
    reach = 4.0 * (k // 4 + 1) + 2.0 * (k % 4 == 3)

    def arm(shift: int):
        r = reach + shift
        x = numpy.choose(k % 4, [r, r, -r, -r])
        y = numpy.choose(k % 4, [-r, r, r, -r - 2])
        return numpy.stack([x, y], axis=1)

    return numpy.concatenate([arm(shift + 1), arm(shift)[::-1]])


def crossed(ring):
    """Returns the spiral with both vertices of its outer end in the wrong order, so that it crosses itself there."""
    ring, end = ring.copy(), len(ring) // 2
    ring[[end - 1, end]] = ring[[end, end - 1]]
    return ring


# The name of each task, with a function from the number of vertices of each polygon to both polygons, the fill rule, and the relation.
TASKS = {
    "combs, disjoint": (lambda n: (comb(n, False), comb(n, True)), None, None),
    "spirals, disjoint": (lambda n: (spiral(n, 0), spiral(n, 2)), None, None),
    "spirals, touching": (lambda n: (spiral(n, 0), spiral(n, 1)), None, 1),
    "spirals, touching, nonzero": (lambda n: (spiral(n, 0), spiral(n, 1)), "nonzero", 1),
    "crossed spirals, touching, even-odd": (lambda n: (crossed(spiral(n, 0)), crossed(spiral(n, 1))), "even-odd", 1),
    "crossed spirals, disjoint, nonzero": (lambda n: (crossed(spiral(n, 0)), crossed(spiral(n, 2))), "nonzero", None),
}


def peak_kib(reset: bool = False) -> int:
    """Return the largest resident set since the last reset, as Linux counts it."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def measure(task: str, count: int) -> None:
    """Runs one task once. Prints the seconds and the growth of memory as JSON."""
    import sat2d

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    make, fill, expected = TASKS[task]
    sides = [turned(ring) for ring in make(count // 2)]
    before = peak_kib(reset=True)
    start = time.perf_counter()
    sets = [sat2d.PolygonSet.from_ragged_array(ring, [[0, len(ring)]], fill=fill, threads=1) for ring in sides]
    built = time.perf_counter()
    table = sat2d.join(*sets, threads=1)
    end = time.perf_counter()
    relations = table["relation"].tolist()
    assert relations == ([] if expected is None else [expected]), relations
    print(json.dumps({"set": built - start, "join": end - built, "bytes": (peak_kib() - before) * 1024 / sum(map(len, sides))}))


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LIMITS["bytes"], LIMITS["bytes"]))


def run(task: str, count: int, runs: int) -> tuple[list[str], bool]:
    """Returns the cells of one row: the nanoseconds per vertex for each part, and the bytes per vertex."""
    results = []
    for _ in range(runs):
        command = [sys.executable, __file__, f"--task={task}", f"--counts={count}"]
        try:
            done = subprocess.run(
                command, preexec_fn=limit, timeout=LIMITS["seconds"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        except subprocess.TimeoutExpired:
            return [task, f"{count:,}", f"over {LIMITS['seconds']} s", "", ""], False
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return [task, f"{count:,}", "failed", "", ""], False
        results.append(json.loads(done.stdout))
    of = {name: median(result[name] for result in results) for name in results[0]}
    return [task, f"{count:,}", f"{of['set'] * 1e9 / count:.0f}", f"{of['join'] * 1e9 / count:.0f}", f"{of['bytes']:.0f}"], True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--counts", default="10000,100000,1000000,10000000", help="vertices of both polygons (default: %(default)s)")
    parser.add_argument("--tasks", help="semicolons between names (default: all)")
    parser.add_argument("--runs", type=int, default=1, help="runs of each row (default: 1)")
    parser.add_argument("--markdown", action="store_true", help="prints the table in Markdown")
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.task:
        measure(chosen.task, int(chosen.counts))
        return 0
    import compare

    rows, is_right = [], True
    for task in chosen.tasks.split(";") if chosen.tasks else TASKS:
        for count in map(int, chosen.counts.split(",")):
            cells, is_done = run(task, count, chosen.runs)
            print(" | ".join(cells), file=sys.stderr, flush=True)
            rows.append(cells)
            is_right &= is_done
    print(f"{compare.machine()}\n")
    compare.print_table(["polygons", "vertices", "set, ns a vertex", "relation, ns a vertex", "bytes a vertex"], 1, rows, chosen.markdown)
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
