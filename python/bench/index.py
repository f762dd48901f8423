#!/usr/bin/env python3
"""Compares small queries of a large index by sat2d with the same queries of Shapely's STRtree.

    python3 python/bench/index.py                  # 1,000,000 boxes
    python3 python/bench/index.py --count 100000

The index and the tree hold random boxes. Each time is the median of the runs on one thread, in milliseconds. `whole` is the time of
the same query by sat2d without an index, from a packed set. The answers of all three are compared. The exit code is 1 if
they differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median
from typing import Any

import numpy as np
import shapely

import sat2d


def boxes(count: int, side: float, seed: int) -> Any:
    """Return random boxes with sides up to 1.2, in a square of the given side."""
    random = np.random.default_rng(seed)
    corner, size = random.uniform(0, side, (count, 2)), random.uniform(0.2, 1.2, (count, 2))
    return shapely.box(corner[:, 0], corner[:, 1], *(corner + size).T)


def timed(call: Any, runs: int) -> tuple[float, Any]:
    """Return the median time of a call in milliseconds, and its result."""
    times, result = [], call()
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        times.append(1e3 * (time.perf_counter() - start))
    return median(times), result


def pairs_of_tree(pairs: Any) -> Any:
    """Return the result of a query of a tree, sorted."""
    return np.sort(pairs) if pairs.ndim == 1 else pairs[:, np.lexsort((pairs[1], pairs[0]))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000, help="number of boxes in the index [default: 1000000]")
    parser.add_argument("--runs", type=int, default=21, help="number of runs of each query [default: 21]")
    options = parser.parse_args()
    side = options.count**0.5
    features, few = boxes(options.count, side, 1), boxes(100, side, 2)
    index, tree = sat2d.Index(features, threads=1), shapely.STRtree(features)
    packed, point = index.geometries, shapely.Point(side / 2, side / 2)
    is_right = True
    print("| query | index | whole | STRtree |\n|---|---:|---:|---:|")
    for name, given, one in (("pairs of 1 box", few[:1], few[0]), ("pairs of 100 boxes", few, few)):
        in_index, found = timed(lambda one=one: index.query(one), options.runs)
        in_tree, wanted = timed(lambda one=one: tree.query(one, predicate="intersects"), options.runs)
        whole, pairs = timed(lambda given=given: sat2d.query(given, packed, threads=1), 3)
        is_right &= np.array_equal(found, pairs_of_tree(wanted)) and np.array_equal(found, pairs[1] if found.ndim == 1 else pairs)
        print(f"| {name} | {in_index:.2f} | {whole:.2f} | {in_tree:.3f} |")
    in_index, found = timed(lambda: index.nearest(point), options.runs)
    in_tree, wanted = timed(lambda: tree.query_nearest(point), options.runs)
    whole, pairs = timed(lambda: sat2d.nearest([point], packed, threads=1), 3)
    is_right &= found.right[0] in wanted and found.right[0] == pairs.right[0]
    print(f"| nearest box of 1 point | {in_index:.2f} | {whole:.2f} | {in_tree:.3f} |")
    if not is_right:
        print("error: the answers differ", file=sys.stderr)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
