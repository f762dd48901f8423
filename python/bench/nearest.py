#!/usr/bin/env python3
"""Compares `sat2d.sjoin_nearest` with `geopandas.sjoin_nearest`.

    python3 python/bench/nearest.py                  # 100,000 features on each side
    python3 python/bench/nearest.py --count 1000000 --runs 3

The features are random polygons and points. Each time is the median of the runs in seconds, from two GeoDataFrames to the joined
GeoDataFrame with the distances. GeoPandas always uses one thread. The rows of both libraries are compared. The exit code is 1 if
they differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median
from typing import Any

import geopandas
import numpy as np
import shapely

import sat2d

FARTHEST_APART = 1e-9
"""The greatest difference between the distances of a row, in the unit of the coordinates."""


def frame(column: str, shapes: Any) -> Any:
    """Return a GeoDataFrame with the index of each feature in a column."""
    return geopandas.GeoDataFrame({column: np.arange(len(shapes))}, geometry=shapes)


def points(count: int, seed: int) -> Any:
    """Return random points, on average one in each unit square."""
    return shapely.points(np.random.default_rng(seed).uniform(0, count**0.5, (count, 2)))


def polygons(count: int, seed: int) -> Any:
    """Return random octagons with diameters up to 1."""
    radii = np.random.default_rng(seed).uniform(0.1, 0.5, count)
    return shapely.buffer(points(count, seed + 1), radii, quad_segs=2)


def differences(found: Any, wanted: Any) -> int:
    """Return the number of rows that only one of two results has, or whose distances differ."""
    keys = ["a", "b"]
    both = found[[*keys, "away"]].merge(wanted[[*keys, "away"]], on=keys, how="outer", suffixes=("", "_wanted"))
    return int((~((both["away"] - both["away_wanted"]).abs() <= FARTHEST_APART)).sum())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="number of features on each side [default: 100000]")
    parser.add_argument("--runs", type=int, default=5, help="number of runs of each join [default: 5]")
    options = parser.parse_args()
    count, wrong = options.count, 0
    scenes = {
        "polygons nearest to points": (points(count, 1), polygons(count, 2)),
        "polygons nearest to polygons": (polygons(count, 3), polygons(count, 5)),
        "points nearest to polygons": (polygons(count, 7), points(count, 9)),
        "points nearest to points": (points(count, 10), points(count, 11)),
    }
    joins = {
        "1 thread": lambda left, right: sat2d.sjoin_nearest(left, right, distance_col="away", threads=1),
        "2 threads": lambda left, right: sat2d.sjoin_nearest(left, right, distance_col="away", threads=2),
        "GeoPandas": lambda left, right: geopandas.sjoin_nearest(left, right, distance_col="away"),
    }
    print(f"| {count:,} features | sat2d, 1 thread | 2 threads | GeoPandas | ratio, 1 thread |\n|---|---:|---:|---:|---:|")
    for name, (left, right) in scenes.items():
        times: dict[str, list[float]] = {}
        for _ in range(options.runs):
            results = {}
            for join, call in joins.items():
                # A new frame has no spatial index of an earlier run.
                one, other = frame("a", left), frame("b", right)
                start = time.perf_counter()
                results[join] = call(one, other)
                times.setdefault(join, []).append(time.perf_counter() - start)
            wrong += sum(differences(results[join], results["GeoPandas"]) for join in ("1 thread", "2 threads"))
        seconds = {join: median(of_join) for join, of_join in times.items()}
        columns = " | ".join(f"{of_join:.3f}" for of_join in seconds.values())
        print(f"| {name} | {columns} | {seconds['GeoPandas'] / seconds['1 thread']:.1f} |", flush=True)
    if wrong > 0:
        print(f"error: {wrong} rows differ", file=sys.stderr)
    return 1 if wrong > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
