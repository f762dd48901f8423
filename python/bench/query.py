#!/usr/bin/env python3
"""Compares joins in memory by sat2d, Shapely's STRtree and SedonaDB, from Shapely geometries to indices of pairs.

    python3 python/bench/query.py                      # 100,000 polygons
    python3 python/bench/query.py --counts 1000000 --markdown

Each contestant runs in a process of its own, on as many cores as threads, and gets the number of threads as an option. The time is the
median of the runs. `convert` is the part of the time in which geometries of Shapely become the input of the contestant. `memory`
is the growth of the largest resident set. The pairs of each contestant are compared with those of exact arithmetic where sat2d
and Shapely differ. The exit code is 1 if sat2d has a wrong pair.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import shapely

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches/files"))
CONTESTANTS = ("sat2d", "shapely", "sedonadb")


def geometries(scene: str, count: int) -> tuple[Any, Any]:
    """Return the geometries of a scene: one array for a self-join, else two arrays."""
    import scenes

    if scene == "points":
        return scenes.points(count), scenes.counties()
    if scene == "near":
        return near_touching(count), None
    return scenes.ngons(count, clustered=scene == "clustered"), None


def near_touching(count: int) -> Any:
    """Return pairs of triangles on two sides of a line at any angle. Rounding may move a corner of the second triangle across the line."""
    generator = np.random.default_rng([2024, count])
    pairs = count // 2
    p, q = generator.uniform(0, 1, (pairs, 2)), generator.uniform(2, 3, (pairs, 2))
    corner = p + (q - p) * generator.uniform(0.2, 0.8, (pairs, 1))
    below = np.stack([p, np.broadcast_to([3.0, 0.0], p.shape), q], axis=1)
    above = np.stack([corner, corner + [0.0, 2.0], corner + [-1.0, 2.0]], axis=1)
    side = int(np.ceil(np.sqrt(pairs)))
    # Shifts by powers of two are exact for most coordinates, and the same for both triangles in any case.
    shift = 8.0 * np.stack([np.arange(pairs) % side, np.arange(pairs) // side], axis=1)[:, None, :]
    return shapely.polygons(np.concatenate([below + shift, above + shift]))


def run_sat2d(a: Any, b: Any, threads: int) -> tuple[float, Any]:
    import sat2d

    start = time.perf_counter()
    left = sat2d._convert.converted(a, "a", "raise", threads)
    right = None if b is None else sat2d.PolygonSet(b, threads=threads)
    convert = time.perf_counter() - start
    return convert, sat2d.query(left, right, threads=threads)


def run_shapely(a: Any, b: Any, threads: int) -> tuple[float, Any]:
    """Run Shapely's STRtree. Its query releases Python's lock, so each thread queries a part of the geometries."""
    from concurrent.futures import ThreadPoolExecutor

    tree = shapely.STRtree(a if b is None else b)
    begins = np.linspace(0, len(a), threads + 1).astype(int)

    def part(place: int) -> Any:
        found = tree.query(a[begins[place] : begins[place + 1]], predicate="intersects")
        found[0] += begins[place]
        return found[:, found[0] < found[1]] if b is None else found

    with ThreadPoolExecutor(threads) as pool:
        return 0.0, np.concatenate(list(pool.map(part, range(threads))), axis=1)


def run_sedonadb(a: Any, b: Any, threads: int) -> tuple[float, Any]:
    import pyarrow as pa
    import sedonadb

    session = sedonadb.connect()
    session.sql(f"SET datafusion.execution.target_partitions = {threads}").execute()
    start = time.perf_counter()
    for name, shapes in (("a", a), ("b", b)):
        if shapes is not None:
            geometry = pa.array(shapely.to_wkb(shapes), type=pa.binary())
            field = pa.field("geometry", pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"})
            schema = pa.schema([pa.field("id", pa.int64()), field])
            session.create_data_frame(pa.table([pa.array(np.arange(len(shapes))), geometry], schema=schema)).to_view(
                f"side_{name}", overwrite=True
            )
    convert = time.perf_counter() - start
    other, once = ("side_a", " AND a.id < b.id") if b is None else ("side_b", "")
    sql = f"SELECT a.id AS a, b.id AS b FROM side_a AS a JOIN {other} AS b ON ST_Intersects(a.geometry, b.geometry){once}"
    table = pa.table(session.sql(sql))
    return convert, np.stack([table["a"].to_numpy(), table["b"].to_numpy()])


def peak_kib(reset: bool = False) -> int:
    """Return the largest resident set since the last reset, as Linux counts it."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def measure(arguments: argparse.Namespace) -> None:
    """Run one contestant on one scene with one number of threads. Print JSON, and write the sorted pairs."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    run = globals()[f"run_{arguments.contestant}"]
    warm = shapely.box(np.arange(10), 0, np.arange(10) + 1, 1)
    run(warm, None, arguments.threads)
    a, b = geometries(arguments.scene, arguments.count)
    before = peak_kib(reset=True)
    seconds, converts = [], []
    pairs = np.empty((2, 0))
    for _ in range(arguments.runs):
        start = time.perf_counter()
        convert, pairs = run(a, b, arguments.threads)
        seconds.append(time.perf_counter() - start)
        converts.append(convert)
    peak = peak_kib() - before
    np.save(arguments.output, pairs[:, np.lexsort((pairs[1], pairs[0]))].astype(np.int64))
    print(json.dumps({"seconds": median(seconds), "convert": median(converts), "mebibytes": peak / 1024}))


def wrong_pairs(pairs: dict[str, Any], scene: str, count: int) -> dict[str, int]:
    """Return the number of wrong pairs of each contestant. Rational arithmetic decides the pairs on which the contestants differ."""
    codes = {name: found[0] << 32 | found[1] for name, found in pairs.items()}
    everything = np.unique(np.concatenate(list(codes.values())))
    agreed = [np.isin(everything, of_one) for of_one in codes.values()]
    disputed = everything[np.any(agreed, axis=0) & ~np.all(agreed, axis=0)]
    if scene == "near":
        # All pairs of this scene are decided again, because the contestants may agree on a wrong answer.
        disputed = np.arange(count // 2) << 32 | (np.arange(count // 2) + count // 2)
    if len(disputed) == 0:
        return dict.fromkeys(pairs, 0)
    a, b = geometries(scene, count)
    other = a if b is None else b
    truth = np.array([meets(a[code >> 32], other[code & 0xFFFFFFFF]) for code in disputed])
    return {name: int((np.isin(disputed, of_one) != truth).sum()) for name, of_one in codes.items()}


def meets(a: Any, b: Any) -> bool:
    """Return whether two convex polygons, or a point and a polygon, have a common point, by rational arithmetic."""
    from fractions import Fraction

    if a.geom_type == "Point":
        return contains([Fraction(a.x), Fraction(a.y)], b)
    # The polygons meet if no edge of one polygon has all vertices of the other polygon on its outer side.

    rings = [
        [[Fraction(v) for v in row] for row in shapely.get_coordinates(shapely.orient_polygons(shape))] for shape in (a, b)
    ]
    for ring, others in (rings, rings[::-1]):
        for (px, py), (qx, qy) in itertools.pairwise(ring):
            if all((qx - px) * (y - py) - (qy - py) * (x - px) < 0 for x, y in others):
                return False
    return True


def contains(point: Any, polygon: Any) -> bool:
    """Return whether a point is on an edge, or a ray from the point crosses an odd number of edges."""
    from fractions import Fraction

    x, y = point
    is_inside = False
    for ring in shapely.get_rings(shapely.get_parts(polygon)):
        vertices = [[Fraction(v) for v in row] for row in shapely.get_coordinates(ring)]
        for (px, py), (qx, qy) in itertools.pairwise(vertices):
            side = (qx - px) * (y - py) - (qy - py) * (x - px)
            if side == 0 and min(px, qx) <= x <= max(px, qx) and min(py, qy) <= y <= max(py, qy):
                return True
            if (py > y) != (qy > y) and (side > 0) == (qy > py):
                is_inside = not is_inside
    return is_inside


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", default="ngons,clustered,points,near")
    parser.add_argument("--counts", default="100000")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--contestant", choices=CONTESTANTS, help=argparse.SUPPRESS)
    parser.add_argument("--scene", help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contestant:
        arguments.threads = int(arguments.threads)
        measure(arguments)
        return 0
    line = "| {:26} | {:>7} | {:9} | {:>8} | {:>8} | {:>10} | {:>8} | {:>6} |".format
    print(line("scene", "threads", "contestant", "seconds", "convert", "memory MiB", "times", "wrong"))
    if arguments.markdown:
        print("|---|---:|---|---:|---:|---:|---:|---:|")
    status = 0
    for scene in arguments.scenes.split(","):
        for count in map(int, arguments.counts.split(",")):
            for threads in arguments.threads.split(","):
                status |= compare(arguments, scene, count, threads, line)
    return status


def compare(arguments: argparse.Namespace, scene: str, count: int, threads: str, line: Any) -> int:
    results, pairs = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name in CONTESTANTS:
            output = f"{folder}/{name}.npy"
            options = [f"--contestant={name}", f"--scene={scene}", f"--count={count}", f"--threads={threads}"]
            command = [sys.executable, __file__, *options, f"--output={output}", f"--runs={arguments.runs}"]
            environment = os.environ | dict.fromkeys(("RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS"), threads)
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            results[name], pairs[name] = json.loads(done.stdout), np.load(output)
    wrong = wrong_pairs(pairs, scene, count)
    ours = results["sat2d"]["seconds"]
    for name, result in results.items():
        label = f"{scene}, {count:,}: {pairs['sat2d'].shape[1]:,} pairs" if name == "sat2d" else ""
        numbers = f"{result['seconds']:.3f}", f"{result['convert']:.3f}", f"{result['mebibytes']:.0f}"
        print(line(label, threads, name, *numbers, f"{result['seconds'] / ours:.1f}", wrong[name]), flush=True)
    return int(wrong["sat2d"] > 0)


if __name__ == "__main__":
    sys.exit(main())
