#!/usr/bin/env python3
"""Measures how soon Ctrl-C ends a long call: the time from the signal to `KeyboardInterrupt`.

    python3 python/bench/interrupt.py
    python3 python/bench/interrupt.py --threads 1

Each call runs on polygons that all meet each other, and gets a signal after each of several delays. The exit code is 1 if a call
takes more than a second to end, or ends before every signal, so that nothing is measured.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from typing import Any

import numpy as np

import sat2d

DELAYS = (0.1, 0.2, 0.4, 0.8, 1.6)
BAR = 1.0


def crowd(count: int) -> sat2d.PolygonSet:
    """Return polygons with 64 vertices that all meet each other."""
    turns = np.linspace(0, 2 * np.pi, 65)[:-1]
    ring = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    centres = np.random.default_rng(1).uniform(0, 0.1, (count, 1, 2))
    return sat2d.PolygonSet.from_ragged_array((ring + centres).reshape(-1, 2), [np.arange(count + 1) * 64])


def latency(call: Any, delay: float) -> float | None:
    """Return the seconds from the signal to the end of the call, or `None` if the call ends before the signal."""
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(delay, interrupt)
    timer.start()
    try:
        call()
        ended = time.perf_counter()
        timer.cancel()
        # A signal that is already on its way arrives here.
        timer.join()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0] if sent else None
    return ended - sent[0] if sent else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, help="threads of each call (default: all)")
    options = {"threads": parser.parse_args().threads}
    # A program that a shell starts in the background ignores SIGINT, so the handler is set here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    boxes = crowd(12_000)
    pairs = np.stack(np.triu_indices(4_000, 1))
    measures = ["distance", "penetration", "manifold"]
    calls = {
        "query": lambda: sat2d.query(boxes, **options),
        "query, overlaps": lambda: sat2d.query(boxes, predicate="overlaps", **options),
        "query, dwithin": lambda: sat2d.query(boxes, predicate="dwithin", distance=1.0, **options),
        "join, measured": lambda: sat2d.join(boxes, within=1.0, measure=measures, **options),
        "areas": lambda: sat2d.areas(boxes, None, pairs, **options),
        "relations": lambda: sat2d.relations(boxes, None, pairs, **options),
        "contains": lambda: sat2d.contains(boxes, None, pairs, **options),
    }
    passed = True
    for name, call in calls.items():
        found = [seconds for delay in DELAYS if (seconds := latency(call, delay)) is not None]
        passed &= bool(found) and max(found) <= BAR
        print(f"{name:16} at most {max(found, default=float('nan')):.3f} s in {len(found)} calls (bar {BAR:.0f} s)")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
