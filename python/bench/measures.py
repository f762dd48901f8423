#!/usr/bin/env python3
"""Compares nearest polygons and common areas with Shapely, on one thread.

    python3 python/bench/measures.py                  # 100,000 polygons on each side
    python3 python/bench/measures.py --count 10000 --runs 3

The polygons are random octagons in Shapely arrays. Each time is the median of the runs in seconds, from the arrays to the result. The
times of sat2d include the conversion of the polygons. Shapely finds only the nearest polygons. For the ten nearest, it finds all
polygons within a distance, measures them and sorts them. The distance is the least one with which each polygon has ten, which Shapely
could not know. The results of both libraries are compared. The exit code is 1 if they differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import shapely

import sat2d

FARTHEST_APART = 1e-9
"""The greatest difference between two distances or two areas. The areas of the polygons are below 1."""


def polygons(count: int, seed: int) -> Any:
    """Return random octagons with diameters up to 1, on average one in each unit square."""
    random = np.random.default_rng(seed)
    centres = shapely.points(random.uniform(0, count**0.5, (count, 2)))
    return shapely.buffer(centres, random.uniform(0.1, 0.5, count), quad_segs=2)


def nearest_of_shapely(left: Any, right: Any) -> Any:
    """Return the distance of each polygon from its nearest polygon."""
    (features, _), distances = shapely.STRtree(right).query_nearest(left, return_distance=True, all_matches=False)
    return distances[np.argsort(features, kind="stable")]


def nearest_ten_of_shapely(left: Any, right: Any, distance: float) -> Any:
    """Return the distances of each polygon from its ten nearest polygons. All of them are within a distance."""
    features, others = shapely.STRtree(right).query(left, predicate="dwithin", distance=distance)
    distances = shapely.distance(left[features], right[others])
    order = np.lexsort((distances, features))
    starts = np.searchsorted(features[order], np.arange(len(left)))
    return distances[order[(starts[:, None] + np.arange(10)).ravel()]]


def areas_of_shapely(left: Any, right: Any, pairs: Any) -> Any:
    """Return the common area of each pair."""
    return shapely.area(shapely.intersection(left[pairs[0]], right[pairs[1]]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="number of polygons on each side [default: 100000]")
    parser.add_argument("--runs", type=int, default=5, help="number of runs [default: 5]")
    options = parser.parse_args()
    left, right = polygons(options.count, 1), polygons(options.count, 2)
    distance = float(sat2d.nearest(left, right, 10).distance.max()) + FARTHEST_APART
    pairs = shapely.STRtree(right).query(left, predicate="intersects")
    tasks: dict[str, list[Callable[[], Any]]] = {
        "the nearest polygon": [
            lambda: sat2d.nearest(left, right, 1, threads=1).distance,
            lambda: nearest_of_shapely(left, right),
        ],
        "the ten nearest polygons": [
            lambda: sat2d.nearest(left, right, 10, threads=1).distance,
            lambda: nearest_ten_of_shapely(left, right, distance),
        ],
        f"common areas of {pairs.shape[1]:,} pairs": [
            lambda: sat2d.areas(left, right, pairs, threads=1).area,
            lambda: areas_of_shapely(left, right, pairs),
        ],
    }
    print(f"| {options.count:,} polygons | sat2d | Shapely | ratio |\n|---|---:|---:|---:|")
    wrong = 0
    for name, calls in tasks.items():
        times: list[list[float]] = [[], []]
        for _ in range(options.runs):
            results = []
            for of_library, call in zip(times, calls, strict=True):
                start = time.perf_counter()
                results.append(call())
                of_library.append(time.perf_counter() - start)
            wrong += int((~(np.abs(results[0] - results[1]) <= FARTHEST_APART)).sum())
        ours, theirs = (median(of_library) for of_library in times)
        print(f"| {name} | {ours:.3f} s | {theirs:.3f} s | {theirs / ours:.1f} |", flush=True)
    if wrong > 0:
        print(f"error: {wrong} results differ", file=sys.stderr)
    return 1 if wrong > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
