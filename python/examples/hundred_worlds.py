#!/usr/bin/env python3
"""A vectorised environment for reinforcement learning: a hundred worlds that step in one call.

    python3 python/examples/hundred_worlds.py

In each world, a puck pushes crates aside to reach a goal. `reset` and `step` take and give arrays with one row for each world,
as the vector environments of Gymnasium do.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import sat2d

DT, STEPS_PER_ACTION, LIMIT = 1 / 60, 4, 100
HALF, CRATES, RADIUS, THRUST = 5.0, 12, 0.3, 1.0


class PuckEnvironment:
    """`count` worlds. An observation has 6 numbers: the vector to the goal, the velocity, and the vector to the nearest crate.
    An action is a change of the velocity, each number from -1 to 1."""

    def __init__(self, count: int, threads: int | None = None) -> None:
        self.count, self.threads = count, threads
        self.worlds = [self._world() for _ in range(count)]
        self.goals = np.zeros((count, 2))
        self.ages = np.zeros(count, dtype=int)

    @staticmethod
    def _world() -> sat2d.World:
        world = sat2d.World(gravity=(0, 0))
        for half, centre in (((HALF + 1, 0.5), (0, 1)), ((0.5, HALF + 1), (1, 0))):
            wall = world.add_polygon(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half)
            place = np.multiply(centre, HALF + 0.5)
            world.add_bodies(wall, [place, -place], kind="static")
        crate = world.add_polygon([[-0.4, -0.4], [0.4, -0.4], [0.4, 0.4], [-0.4, 0.4]])
        start = np.zeros((CRATES, 2))
        start[:, 0] = np.arange(CRATES) - CRATES / 2
        world.add_bodies(crate, start, linear_damping=3.0, angular_damping=3.0)
        world.add_bodies(world.add_circle(RADIUS), [0, -4], density=4.0, linear_damping=0.5, friction=0.2)
        return world

    def reset(self, seed: int) -> Any:
        """Starts all worlds again, and returns the observations, of shape count x 6."""
        self.random = np.random.default_rng(seed)
        for place in range(self.count):
            self._restart(place)
        return self._observe()

    def _restart(self, place: int) -> None:
        # A crate in each cell of a grid, so that none overlaps another. The bodies after the 4 walls are the crates and the puck.
        cells = self.random.permutation(16)[:CRATES]
        crates = np.stack([cells % 4, cells // 4], axis=1) * 2.0 - 3.0 + self.random.uniform(-0.3, 0.3, (CRATES, 2))
        poses = np.zeros((CRATES + 1, 3))
        poses[:CRATES] = np.column_stack([crates, self.random.uniform(0, np.pi, CRATES)])
        poses[CRATES, :2] = self.random.uniform(-4, 4), -4.6
        world = self.worlds[place]
        ids = world.bodies[4:]
        world.set_poses(poses, ids)
        world.set_velocities(np.zeros((CRATES + 1, 3)), ids)
        self.goals[place] = self.random.uniform(-4, 4), 4.5
        self.ages[place] = 0

    def _observe(self) -> Any:
        poses = np.stack([world.poses()[4:, :2] for world in self.worlds])
        pucks = poses[:, -1]
        self.speeds = np.stack([world.velocities([4 + CRATES])[0] for world in self.worlds])
        arms = poses[:, :-1] - pucks[:, None]
        nearest = arms[np.arange(self.count), np.linalg.norm(arms, axis=2).argmin(axis=1)]
        return np.concatenate([self.goals - pucks, self.speeds[:, :2], nearest], axis=1)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any]:
        """Observations, rewards, and whether each world reached its goal or its limit. Such worlds start again."""
        changes = np.zeros((self.count, 3))
        changes[:, :2] = THRUST * np.clip(actions, -1, 1)
        for world, speed in zip(self.worlds, self.speeds + changes):
            world.set_velocities(speed[None], [4 + CRATES])
        sat2d.step_worlds(self.worlds, DT, STEPS_PER_ACTION, threads=self.threads)
        self.ages += 1
        distances = np.linalg.norm(self._observe()[:, :2], axis=1)
        terminated, truncated = distances < 0.5, self.ages >= LIMIT
        for place in np.flatnonzero(terminated | truncated):
            self._restart(place)
        return self._observe(), -distances + 10.0 * terminated, terminated, truncated


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    environment = PuckEnvironment(arguments.worlds, arguments.threads)
    observations = environment.reset(seed=1)
    reached, start = 0, time.perf_counter()
    for _ in range(arguments.actions):
        # A policy that steers to the goal, and away from the nearest crate.
        goal, speed, crate = observations[:, :2], observations[:, 2:4], observations[:, 4:]
        away = crate / np.maximum((crate**2).sum(axis=1, keepdims=True), 0.1)
        observations, _, terminated, _ = environment.step(0.5 * (goal - away - 0.5 * speed))
        reached += int(terminated.sum())
    seconds = time.perf_counter() - start
    rate = arguments.worlds * arguments.actions / seconds
    print(f"{reached} goals in {arguments.worlds} worlds with {arguments.actions} actions each: {rate:,.0f} actions per second")


if __name__ == "__main__":
    main()
