#!/usr/bin/env python3
"""Two crowds change places through a doorway with a pillar. Needs matplotlib.

    python3 python/examples/crowd.py                     # in a window
    python3 python/examples/crowd.py --output crowd.gif  # or crowd.png: the last frame
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import sat2d

DT, STEPS_PER_FRAME = 1 / 60, 4
ROOM, DOOR, RADIUS, SPEED = np.array([12.0, 6.0]), 1.75, 0.25, 1.4
PILLAR = 0.4
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])


def rectangles() -> list[Any]:
    """The walls of the room, and the wall with the doorway: half sizes and centres."""
    wide, high = ROOM
    around = [([wide + 2, 1], [0, side * (high + 1)]) for side in (-1, 1)]
    around += [([1, high + 2], [side * (wide + 1), 0]) for side in (-1, 1)]
    half = (high - DOOR) / 2
    return around + [([0.25, half], [0, side * (DOOR + half)]) for side in (-1, 1)]


def make_world(count: int, seed: int) -> tuple[sat2d.World, Any]:
    """The world, and the ids of the agents: the first half comes from the left."""
    world = sat2d.World(gravity=(0, 0), solver="push", length_unit=2 * RADIUS)
    for half, centre in rectangles():
        world.add_bodies(world.add_polygon(CORNERS * half), centre, kind="static")
    world.add_bodies(world.add_circle(PILLAR), [0, 0], kind="static")
    places = np.arange(count // 2)
    columns, rows = places // 18, places % 18
    half = np.stack([-3 - 0.6 * columns, 0.6 * rows - 5.1], axis=1)
    half += np.random.default_rng(seed).uniform(-0.04, 0.04, half.shape)
    positions = np.concatenate([half, half * [-1, 1]])
    agents = world.add_bodies(
        world.add_circle(RADIUS), positions, fixed_rotation=True, friction=0, preference=2.0
    )
    return world, agents


def wishes(positions: Any, headings: Any) -> Any:
    """The velocity that each agent wants: through its half of the doorway on the right-hand side, then straight on."""
    x, y = positions[:, 0] * headings, positions[:, 1]
    lane = -headings * np.clip(-headings * y, PILLAR + RADIUS, DOOR - RADIUS)
    is_before = x < -0.25 - RADIUS
    target_x = np.where(is_before, -0.25 - RADIUS, x + 1)
    way = np.stack([headings * (target_x - x), np.where(is_before, lane - y, 0)], axis=1)
    in_lane = is_before & (np.abs(lane - y) < 0.05)
    way[in_lane] = np.stack([headings[in_lane], np.zeros(in_lane.sum())], axis=1)
    wanted = SPEED * way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    wanted[x > 10] = 0
    return wanted


def frames(world: sat2d.World, agents: Any, count: int) -> Any:
    """The positions of the agents, of shape n x 2, frame by frame."""
    headings = np.where(np.arange(len(agents)) < len(agents) // 2, 1.0, -1.0)
    for _ in range(count):
        positions = world.poses(agents)[:, :2]
        yield positions
        world.set_preferred_velocities(wishes(positions, headings), agents)
        world.step(DT, STEPS_PER_FRAME)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--frames", type=int, default=360)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", help="a .gif of all frames, or a .png of the last one; without it, a window opens")
    arguments = parser.parse_args()

    import matplotlib

    if arguments.output:
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation
    from matplotlib.collections import EllipseCollection
    from matplotlib.patches import Circle, Rectangle

    world, agents = make_world(arguments.agents, arguments.seed)
    figure, axes = plt.subplots(figsize=(8, 4.2), dpi=80, layout="tight")
    axes.set(xlim=(-ROOM[0] - 0.5, ROOM[0] + 0.5), ylim=(-ROOM[1] - 0.5, ROOM[1] + 0.5), aspect="equal")
    axes.set_axis_off()
    for half, centre in rectangles():
        axes.add_patch(Rectangle(np.subtract(centre, half), 2 * half[0], 2 * half[1], color="0.4"))
    axes.add_patch(Circle((0, 0), PILLAR, color="0.4"))
    colours = np.repeat(["tab:blue", "tab:orange"], len(agents) // 2)
    size = np.full(len(agents), 2 * RADIUS)
    discs = EllipseCollection(
        size, size, np.zeros(len(agents)), units="xy", offsets=world.poses(agents)[:, :2],
        offset_transform=axes.transData, facecolors=colours,
    )  # fmt: skip
    axes.add_collection(discs)
    moving = frames(world, agents, arguments.frames)
    if arguments.output and not arguments.output.endswith(".gif"):
        for positions in moving:
            discs.set_offsets(positions)
        figure.savefig(arguments.output)
    else:
        animation = FuncAnimation(
            figure, discs.set_offsets, moving, interval=1000 * DT * STEPS_PER_FRAME, repeat=False, cache_frame_data=False
        )
        if arguments.output:
            animation.save(arguments.output, writer="pillow", fps=15)
        else:
            plt.show()
    x = world.poses(agents)[:, 0]
    half = len(agents) // 2
    print(f"{int((x[:half] > 0).sum() + (x[half:] < 0).sum())} of {len(agents)} agents are on the other side")


if __name__ == "__main__":
    main()
