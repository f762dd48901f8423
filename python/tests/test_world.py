"""Worlds of bodies: the same steps as in the Rust library, arrays as arguments and results, and typed errors."""

from __future__ import annotations

import signal
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import sat2d

DT = 1 / 60


def pile(**options: Any) -> tuple[sat2d.World, Any]:
    """Return a world of boxes, discs and capsules above a floor. `tests/sim/checksums.rs` builds the same world."""
    world = sat2d.World(**options)
    floor = world.add_polygon([[-20, -1], [20, -1], [20, 0], [-20, 0]])
    shapes = [
        world.add_polygon([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]),
        world.add_circle(0.375),
        world.add_capsule([-0.5, 0], [0.5, 0], 0.25),
        world.add_polygon([[-0.25, -0.25], [0.5, -0.25], [0, 0.5]], radius=0.125),
    ]
    world.add_bodies(floor, [0, 0], kind="static")
    k = np.arange(200)
    ids = world.add_bodies(
        np.array(shapes)[k % 4],
        np.stack([1.25 * (k % 16) - 9.375 + 0.0625 * (k // 16 % 3), 1 + 1.25 * (k // 16)], axis=1),
        angle=0.125 * (k % 11),
        velocity=np.stack([0.25 * (k % 5) - 0.5, np.zeros(200)], axis=1),
        restitution=np.where(k % 3 == 0, 0.5, 0.0),
    )
    return world, ids


def test_steps_are_those_of_the_library_on_any_number_of_threads() -> None:
    # The expected checksum is the one in `tests/sim/checksums.rs`.
    for threads in (1, 2, 3):
        world, _ = pile(threads=threads)
        assert world.step(DT, steps=120).steps == 120
        assert f"{world.checksum():016x}" == "71d78a4c51adfd42"
    world, _ = pile()
    for _ in range(120):
        world.step(DT)
    assert f"{world.checksum():016x}" == "71d78a4c51adfd42"


def test_many_worlds_step_as_each_alone() -> None:
    worlds = [pile(gravity=(0, -1 - k))[0] for k in range(20)]
    alone = [pile(gravity=(0, -1 - k))[0] for k in range(20)]
    for threads in (None, 1, 2, 4):
        reports = sat2d.step_worlds(worlds, DT, steps=10, threads=threads)
        assert [report.steps for report in reports] == [10] * 20
    wanted = []
    for world in alone:
        world.step(DT, 40)
        wanted.append(world.checksum())
    assert [world.checksum() for world in worlds] == wanted and len(set(wanted)) == 20


def test_a_world_beside_another_steps_as_a_world_of_its_own() -> None:
    options: dict[str, Any] = {"gravity": (1.0, -3.0), "substeps": 2, "length_unit": 0.5, "events": True}
    try:
        first = sat2d.World(backend="gpu")
    except sat2d.DeviceError as error:
        assert error.remedy
        first = sat2d.World()
    for threads in (None, 2):
        beside, alone = first.beside(threads=threads, **options), sat2d.World(backend=first.backend, **options)
        assert (beside.backend, beside.gravity, len(beside)) == (first.backend, (1.0, -3.0), 0)
        for world in (beside, alone):
            box = world.add_polygon([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            world.add_bodies(box, [[0, 0], [0.5, 2.5], [0, 5]], kind=["static", "dynamic", "dynamic"], angle=[0, 0.25, 0.5])
            world.step(DT, 60)
        assert beside.checksum() == alone.checksum() and len(beside.take_events().a) > 0
    # The first world has its own bodies, its own options and its own steps.
    assert len(first) == 0 and first.gravity == (0.0, -10.0) and first.beside().gravity == (0.0, -10.0)
    reports = sat2d.step_worlds([first, beside, beside.beside()], DT, 3)
    assert [report.steps for report in reports] == [3, 3, 3]
    for wrong in ({"substeps": 0}, {"solver": "soft"}, {"length_unit": -1.0}, {"threads": 0}):
        with pytest.raises(sat2d.OptionError):
            first.beside(**wrong)
    with pytest.raises(TypeError):
        first.beside(backend="cpu")  # type: ignore[call-arg]


def test_several_threads_use_one_world() -> None:
    world, _ = pile()

    def work(_: int) -> None:
        world.step(DT)
        assert np.isfinite(world.poses()).all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(60)))
    alone, _ = pile()
    alone.step(DT, 60)
    assert world.checksum() == alone.checksum()


def test_free_fall_and_setting_poses_and_velocities() -> None:
    world = sat2d.World(gravity=(0, 0), length_unit=0.5)
    ball = world.add_circle(0.25)
    ids = world.add_bodies(ball, [[0, 0], [5, 0], [10, 0]], velocity=[1, 2], angular_velocity=[0, 1, -1])
    assert ids.tolist() == [0, 1, 2] and world.bodies.tolist() == [0, 1, 2] and len(world) == 3
    world.step(0.125, steps=8)
    np.testing.assert_allclose(world.poses()[:, :2], [[1, 2], [6, 2], [11, 2]], atol=1e-5)
    np.testing.assert_allclose(world.poses()[:, 2], [0, 1, -1], atol=1e-5)
    np.testing.assert_allclose(world.velocities([2, 0]), [[1, 2, -1], [1, 2, 0]])
    world.set_poses([[7, 7, np.pi], [0, 1, -0.5]], bodies=[1, 0])
    np.testing.assert_allclose(world.poses([1, 0])[:, :2], [[7, 7], [0, 1]], atol=1e-6)
    np.testing.assert_allclose(np.abs(world.poses([1, 0])[:, 2]), [np.pi, 0.5], atol=1e-6)
    world.set_velocities(np.zeros((3, 3)))
    before = world.poses()
    world.step(0.125, steps=4)
    np.testing.assert_allclose(world.poses(), before, atol=1e-6)
    assert world.gravity == (0, 0)
    world.gravity = (0, -8)
    world.step(0.125)
    np.testing.assert_allclose(world.velocities()[:, 1], -1.0)
    assert world.gravity == (0, -8)


def test_positions_are_those_of_the_origin_of_the_shape() -> None:
    world = sat2d.World(gravity=(0, 0), origin=(1e6, 0))
    corner = world.add_polygon([[0, 0], [3, 0], [0, 3]])
    body = world.add_bodies(corner, [1e6, 2], angle=np.pi / 2)
    np.testing.assert_allclose(world.poses(body), [[1e6, 2, np.pi / 2]], atol=1e-5)
    found, distances = world.near([1e6 - 0.5, 2.5])
    assert found.tolist() == [0] and distances.tolist() == [0]
    assert len(world.near([1e6 + 0.5, 2.5])[0]) == 0
    _, distances = world.near([1e6 + 0.5, 2.5], distance=1)
    np.testing.assert_allclose(distances, [0.5], atol=1e-5)


def test_contacts_say_where_bodies_meet() -> None:
    world = sat2d.World(events=True)
    box = world.add_polygon([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    world.add_bodies(box, [[0, -1], [0, 1.005]], kind=["static", "dynamic"], density=0.25)
    assert len(world.contacts().a) == 0
    world.step(DT, steps=60)
    found = world.contacts()
    assert found.a.tolist() == [0, 0] and found.b.tolist() == [1, 1]
    np.testing.assert_allclose(found.normal, [[0, 1], [0, 1]], atol=1e-4)
    np.testing.assert_allclose(np.sort(found.position[:, 0]), [-1, 1], atol=0.01)
    np.testing.assert_allclose(found.position[:, 1], 0, atol=0.02)
    assert (np.abs(found.separation) < 0.02).all()
    # The impulse of a step balances the weight: mass 1 times gravity 10 times 1/60.
    np.testing.assert_allclose(found.impulse.sum(), 10 * DT, rtol=0.01)
    events = world.take_events()
    assert (events.a.tolist(), events.b.tolist(), events.began.tolist()) == ([0], [1], [True])
    world.set_poses([[0, 9, 0]], bodies=[1])
    world.step(DT)
    assert world.take_events().began.tolist() == [False]
    statistics = world.statistics()
    assert statistics.bodies == 2 and statistics.dynamic_bodies == 1 and statistics.overlapping == 0
    np.testing.assert_allclose(statistics.mean_position, (0, 9), atol=0.1)


def test_layers_flags_and_agents() -> None:
    world = sat2d.World(gravity=(0, 0), solver="push")
    disc = world.add_circle(0.5)
    ids = world.add_bodies(
        disc, [[0, 0], [0.25, 0], [0.5, 0]], member=[1, 2, 1], meets=[1, 2, 1], fixed_rotation=True, fast=[False, True, False]
    )
    world.step(DT, steps=60)
    x = world.poses(ids)[:, 0]
    assert x[1] == 0.25 and x[0] < -0.1 and x[2] > 0.6
    world.remove(ids)
    agent = world.add_bodies(disc, [5, 5], preference=2.0)
    world.set_preferred_velocities([[1.5, 0]], agent)
    world.step(DT, steps=300)
    np.testing.assert_allclose(world.velocities(agent), [[1.5, 0, 0]], atol=0.01)
    point = world.add_circle(0)
    with pytest.raises(sat2d.OptionError, match="body 0: area = 0"):
        world.add_bodies(point, [1, 1])
    assert len(world.add_bodies(point, [1, 1], mass=2.0)) == 1


def test_removed_bodies_are_gone() -> None:
    world, ids = pile()
    world.remove(ids[:10])
    assert len(world) == 191 and world.bodies.tolist() == [0, *ids[10:]]
    for use in (world.poses, world.velocities, world.remove):
        with pytest.raises(sat2d.OptionError, match="not in the world") as caught:
            use(ids[9:11])
        assert caught.value.remedy
    again = world.add_bodies(1, [[0, 50]])
    assert again[0] not in ids and len(world.poses(again)) == 1
    with pytest.raises(sat2d.OptionError, match="twice"):
        world.remove([ids[20], ids[20]])
    assert len(world) == 192


def test_an_invalid_body_adds_none() -> None:
    world, _ = pile()
    before, count = world.checksum(), len(world)
    for change, message in [
        ({"friction": [0.5, -1.0]}, "body 1: friction = -1 is negative; give 0 or more"),
        ({"restitution": [0.5, 2.0]}, "body 1: restitution = 2"),
        ({"density": [1.0, 0.0]}, "body 1: density = 0"),
        ({"mass": [1.0, -5.0]}, "body 1: mass = -5"),
        ({"velocity": [[0, 0], [np.inf, 0]]}, "body 1: velocity = inf"),
        ({"angle": [0.0, np.nan]}, "body 1: angle = NaN"),
        ({"position": [[0, 0], [1e12, 0]]}, "body 1: position = 1000000000000"),
        ({"shape": [1, 5]}, "body 1: names shape 5, but there are 5"),
        ({"shape": [1, -1]}, "body 1: names shape -1"),
    ]:
        with pytest.raises(sat2d.OptionError, match=message) as caught:
            world.add_bodies(**{"shape": 1, "position": [[0, 50], [5, 50]], **change})
        assert caught.value.feature == 1 and caught.value.remedy
    assert (world.checksum(), len(world)) == (before, count)
    assert world.add_bodies(1, [0, 50]).tolist() == [count]


@pytest.mark.parametrize("kind", [np.float64, np.int8])
def test_too_many_bodies_are_an_error_before_memory_is_allocated(kind: Any) -> None:
    world, _ = pile()
    before, limit = len(world), 2**31 - 1
    # The rows of the array are one row in memory.
    positions = np.broadcast_to(np.zeros(2, kind), (limit - before + 1, 2))
    tracemalloc.start()
    with pytest.raises(sat2d.OptionError, match=f"{limit + 1} bodies exceed the limit of {limit}") as caught:
        world.add_bodies(1, positions)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    assert caught.value.remedy and len(world) == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda world: world.add_bodies(1, [1, 2, 3]), "position has the shape"),
        (lambda world: world.add_bodies([1, 1], [[0, 0]]), "shape has the shape"),
        (lambda world: world.add_bodies(0.5, [0, 0]), "shape is of type float64"),
        (lambda world: world.add_bodies(1, [0, 0], velocity=1.0, angle=[1, 2]), "angle has the shape"),
        (lambda world: world.add_bodies(1, [0, 0], fast=1), "fast is of type int64"),
        (lambda world: world.add_bodies(1, [0, 0], member=-1), "member is out of the range"),
        (lambda world: world.add_bodies(1, [0, 0], kind="moving"), "kind = moving"),
        (lambda world: world.step(0), "dt = 0"),
        (lambda world: world.step(float("nan")), "dt = NaN"),
        (lambda world: world.step(DT, -1), "steps = -1"),
        (lambda world: world.step(DT, 1.5), "steps = 1.5"),
        (lambda world: world.poses([0.5]), "bodies are of type float64"),
        (lambda world: world.poses([-1]), "body -1, which is not in the world"),
        (lambda world: world.set_poses([[0, 0]]), "give an array of shape n x 3"),
        (lambda world: world.set_poses([[0, 0, 0]], [1, 2]), "give 2 x 3"),
        (lambda world: world.set_poses([[0, 0, float("nan")]], [1]), "body 0: angle = NaN"),
        (lambda world: world.set_velocities([[1, 0, 0]], [0]), "body 0: velocity = 1 is for a static body"),
        (lambda world: world.take_events(), "create it with events=True"),
        (lambda world: world.near([0, 0], -1), "distance of 0 or more"),
        (lambda world: world.near([0, 0, 0]), "point has the shape"),
        (lambda world: world.__setattr__("gravity", (0, float("inf"))), "gravity = inf"),
        (lambda world: sat2d.step_worlds([world, world], DT), "twice"),
        (lambda world: sat2d.step_worlds([5], DT), "no World"),
    ],
)
def test_wrong_arguments_are_errors(call: Any, message: str) -> None:
    world, _ = pile()
    with pytest.raises(sat2d.OptionError, match=message) as caught:
        call(world)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "soft"}, "solver = soft"),
        ({"substeps": 0}, "substeps = 0"),
        ({"length_unit": 0}, "length_unit = 0"),
        ({"backend": "tpu"}, "must be auto, cpu or gpu"),
        ({"gravity": 10}, "gravity has the shape"),
        ({"origin": (1e300, 0)}, "origin = 1e300"),
        ({"threads": 0}, "threads = 0"),
    ],
)
def test_wrong_options_of_a_world_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(sat2d.OptionError, match=message):
        sat2d.World(**options).step(DT)


def test_wrong_shapes_are_errors() -> None:
    world = sat2d.World()
    with pytest.raises(sat2d.InvalidGeometryError) as caught:
        world.add_polygon([[0, 0], [4, 0], [1, 1], [0, 4]])
    assert caught.value.place == (1.0, 1.0)
    for call in (
        lambda: world.add_polygon([[0, 0], [1, 1]]),
        lambda: world.add_polygon([0, 0]),
        lambda: world.add_circle(-1),
        lambda: world.add_capsule([0, 0], [float("nan"), 0], 1),
        lambda: world.add_circle(1e9),
    ):
        with pytest.raises(sat2d.Sat2dError):
            call()


def test_a_body_that_leaves_the_world_is_named() -> None:
    world = sat2d.World(gravity=(0, 0))
    ball = world.add_circle(0.5)
    ids = world.add_bodies(ball, [[0, 0], [9, 0]], velocity=[[0, 0], [1e6, 0]])
    with pytest.raises(sat2d.LeftWorldError) as caught:
        world.step(1.0, steps=5)
    assert caught.value.feature == ids[1] and caught.value.place is not None and caught.value.place[0] > 1e6
    world.remove(ids[1])
    world.step(1.0)


def test_the_world_that_a_body_left_is_named() -> None:
    worlds = [sat2d.World(gravity=(0, 0)) for _ in range(3)]
    ids = [world.add_bodies(world.add_circle(0.5), [[0, 0]]) for world in worlds]
    worlds[2].set_velocities([[1e6, 0, 0]])
    with pytest.raises(sat2d.LeftWorldError, match="^world 2: ") as caught:
        sat2d.step_worlds(worlds, 1.0, steps=5)
    assert caught.value.feature == ids[2][0]
    assert worlds[0].poses().tolist() == [[0, 0, 0]]
    with pytest.raises(sat2d.OptionError, match="^dt = NaN"):
        sat2d.step_worlds(worlds[:2], float("nan"))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers of processes")
def test_a_signal_handler_cannot_use_the_world_that_it_interrupts() -> None:
    world, _ = pile()
    other, _ = pile()
    caught: list[BaseException] = []

    def handle(*_: object) -> None:
        other.poses()
        try:
            world.poses()
        except sat2d.BusyError as error:
            caught.append(error)
            raise KeyboardInterrupt from None

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            world.step(DT, steps=100_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert caught and "after" in str(caught[0])
    world.poses()


def test_python_runs_while_a_world_steps() -> None:
    world, _ = pile(threads=1)
    stop, turns = threading.Event(), 0

    def count() -> None:
        nonlocal turns
        while not stop.wait(0.001):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    while turns < 20:
        world.step(DT, 50)
    stop.set()
    thread.join()


def test_a_device_goes_on_alike_or_is_a_typed_error() -> None:
    try:
        world, _ = pile(backend="gpu")
    except sat2d.DeviceError as error:
        assert error.remedy
        return
    assert world.backend == "gpu" and world.reason
    again, _ = pile(backend="gpu")
    for one in (world, again):
        one.step(DT, steps=40)
    assert again.checksum() == world.checksum() and len(world.contacts().a) > 0
    # `sat2d::sim` states how closely a device and the CPU agree on a ball that falls on a plank.
    poses = []
    for backend in ("gpu", "cpu"):
        one = sat2d.World(backend=backend)
        one.add_bodies(one.add_polygon([[-10, -1], [10, -1], [10, 0], [-10, 0]]), [0, 0], kind="static")
        one.add_bodies(one.add_circle(0.5), [0, 3])
        one.step(DT, steps=100)
        poses.append(one.poses())
    np.testing.assert_allclose(poses[0], poses[1], atol=0.001)


def test_threads_that_step_the_same_worlds_in_other_orders_do_not_wait_for_each_other() -> None:
    worlds = [pile()[0] for _ in range(3)]

    def work(order: list[sat2d.World]) -> None:
        for _ in range(40):
            sat2d.step_worlds(order, DT)

    threads = [threading.Thread(target=work, args=(order,), daemon=True) for order in (worlds, worlds[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads)
