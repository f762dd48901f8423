"""How the package behaves in a process: threads, signals, forks, memory limits and leaks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import shapely
from grid import random_points, random_polygons

import sat2d

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, or needs the limits of Linux")


def run(code: str, **environment: str) -> str:
    """Run a program in its own process, and return its output."""
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_loads_nothing_but_numpy() -> None:
    code = "import sys, sat2d; print([name for name in ('shapely', 'geopandas', 'pandas', 'pyarrow') if name in sys.modules])"
    assert run(code).strip() == "[]"


@needs_linux
def test_importing_and_the_cpu_load_no_driver() -> None:
    code = (
        "import sat2d, numpy as np\n"
        "sat2d.join(sat2d.PolygonSet.from_ragged_array([[0, 0], [1, 0], [0, 1]], [[0, 3]]))\n"
        "print('vulkan' in open('/proc/self/maps').read())"
    )
    assert run(code).strip() == "False"


def test_the_number_of_threads() -> None:
    code = "from sat2d import _sat2d; print(_sat2d.thread_count(), _sat2d.thread_count(2))"
    assert run(code, RAYON_NUM_THREADS="3").split() == ["3", "2"]


def test_eight_threads_at_once() -> None:
    sets = [(random_polygons(300, seed), random_points(300, seed)) for seed in range(8)]
    shared = sat2d.PolygonSet(random_polygons(300, 99))
    wanted = [(sat2d.query(polygons, shared), sat2d.query(points, shared, "within")) for polygons, points in sets]

    def work(place: int) -> None:
        polygons, points = sets[place % 8]
        threads = [None, 1, 2][place % 3]
        np.testing.assert_array_equal(sat2d.query(polygons, shared, threads=threads), wanted[place % 8][0])
        np.testing.assert_array_equal(sat2d.query(points, shared, "within", threads=threads), wanted[place % 8][1])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(200)))


def test_python_runs_while_rust_works() -> None:
    boxes = crowd(3000)
    stop, turns = threading.Event(), 0

    def count() -> None:
        nonlocal turns
        while not stop.wait(0.001):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = turns
    sat2d.query(boxes, threads=1)
    during = turns - before
    stop.set()
    thread.join()
    # If the call held the lock, the thread could run its loop only once at the start of the call and once at its end.
    assert during > 5


def crowd(count: int) -> sat2d.PolygonSet:
    """Return polygons that all meet each other."""
    turns = np.linspace(0, 2 * np.pi, 65)[:-1]
    ring = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    centres = np.random.default_rng(1).uniform(0, 0.1, (count, 1, 2))
    return sat2d.PolygonSet.from_ragged_array((ring + centres).reshape(-1, 2), [np.arange(count + 1) * 64])


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
@pytest.mark.parametrize("call", ["query", "overlaps", "contains", "dwithin", "join", "areas", "relations", "contains pairs"])
def test_ctrl_c_ends_a_call_before_its_last_pair(call: str) -> None:
    # `bench/interrupt.py` measures how soon the call ends.
    boxes = crowd(12_000)
    pairs = np.stack(np.triu_indices(4_000, 1))
    measures = ["distance", "penetration", "manifold"]
    calls: dict[str, Any] = {
        "query": lambda: sat2d.query(boxes, threads=1),
        "overlaps": lambda: sat2d.query(boxes, predicate="overlaps", threads=1),
        "contains": lambda: sat2d.query(boxes, predicate="contains", threads=1),
        "dwithin": lambda: sat2d.query(boxes, predicate="dwithin", distance=1.0, threads=1),
        "join": lambda: sat2d.join(boxes, within=1.0, measure=measures, threads=1),
        "areas": lambda: sat2d.areas(boxes, None, pairs, threads=1),
        "relations": lambda: sat2d.relations(boxes, None, pairs, threads=1),
        "contains pairs": lambda: sat2d.contains(boxes, None, pairs, threads=1),
    }
    total = pairs.shape[1] if call in ("areas", "relations", "contains pairs") else 12_000 * 11_999 // 2
    is_running, last = threading.Event(), 0

    def report(stage: str, decided: int) -> None:
        nonlocal last
        last = decided
        if decided > 0:
            is_running.set()

    def interrupt() -> None:
        is_running.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    # A program that a shell starts in the background ignores SIGINT, so the handler is set here.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    sat2d._sat2d.report_to(report)
    try:
        with pytest.raises(KeyboardInterrupt):
            calls[call]()
            thread.join()
    finally:
        thread.join()
        sat2d._sat2d.report_to(None)
        signal.signal(signal.SIGINT, before)
    assert 0 < last < total
    # The thread pool still works.
    assert sat2d.query([shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)]).tolist() == [[0], [1]]


@needs_linux
def test_a_fork_has_threads_of_its_own() -> None:
    code = (
        "import os, sat2d, warnings\n"
        "from grid import random_polygons\n"
        "warnings.simplefilter('ignore')\n"
        "shapes = random_polygons(50, 1)\n"
        "wanted = sat2d.query(shapes).tolist()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if sat2d.query(shapes).tolist() == wanted else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert run(code).strip() == "0"


@needs_linux
def test_a_limit_on_the_address_space() -> None:
    # The limit leaves 384 MiB in addition to the memory of Python and Shapely. That is enough for the join, but not if every thread
    # had a memory arena of its own.
    code = (
        "import numpy, shapely, resource, sat2d\n"
        "taken = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "limit = taken + (384 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "x, y = (numpy.arange(20_000) % 200, numpy.arange(20_000) // 200)\n"
        "print(sat2d.query(shapely.box(x, y, x + 1, y + 1)).shape[1])"
    )
    pairs = 199 * 100 + 200 * 99 + 2 * 199 * 99
    assert run(code).strip() == str(pairs)


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@needs_linux
def test_many_calls_leak_nothing() -> None:
    shapes, points = random_polygons(40, 71), random_points(40, 72)
    wkb = list(shapely.to_wkb(shapes))
    bow = [shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])]

    def calls(count: int) -> None:
        for _ in range(count):
            sat2d.query(shapes)
            sat2d.query(wkb, points, "contains")
            sat2d.join(shapes, within=1.0, measure="distance").__arrow_c_stream__()
            with pytest.raises(sat2d.InvalidGeometryError):
                sat2d.query(bow)

    calls(300)
    before = resident()
    calls(2500)
    # A leak of one kilobyte per call would add up to 10 MB in 10,000 calls.
    assert resident() - before < 6 << 20


@needs_linux
def test_large_calls_leak_nothing() -> None:
    boxes = shapely.box(np.arange(50_000), 0, np.arange(50_000) + 1, 1)
    for _ in range(5):
        sat2d.query(boxes)
    before = resident()
    for _ in range(30):
        sat2d.query(boxes)
    # One set takes 7 MB.
    assert resident() - before < 40 << 20
