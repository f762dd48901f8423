"""The state of a world, which methods read and change between two steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _sat2d
from ._arrays import real
from ._bodies import ids, rows, vector
from ._world_results import ContactEvents, Contacts, WorldStatistics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class WorldState:
    """The base class of `World`, with the methods that do not step the world."""

    __slots__ = ("_core",)

    _core: _sat2d.World

    @property
    def gravity(self) -> tuple[float, float]:
        """Acceleration of dynamic bodies. A new value applies to all later steps.

        >>> import sat2d
        >>> world = sat2d.World()
        >>> world.gravity = 0, -1.5
        >>> world.gravity
        (0.0, -1.5)
        """
        return self._core.gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._core.set_gravity(vector(gravity, "gravity"))

    @property
    def bodies(self) -> NDArray[np.int64]:
        """The ids of all bodies, an array of int64 of shape n. In this array, a new body may take the place of a removed body.

        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], velocity=[1, 0])
        >>> world.bodies
        array([0, 1])
        """
        return self._core.bodies()

    def poses(self, bodies: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the poses of bodies, an array of float64 of shape n x 3: x, y and the angle in radians, from -pi to pi.

        x and y are the position of the origin of the shape.

        Raises
        ------
        OptionError
            An id names no body of this world.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], velocity=[1, 0])
        >>> world.poses([1])
        array([[3., 0., 0.]])
        """
        return self._core.poses(None if bodies is None else ids(bodies))

    def set_poses(self, poses: ArrayLike, bodies: ArrayLike | None = None) -> None:
        """Move bodies of any kind to poses, an array of shape n x 3 as `poses` returns it. Clears the contacts of these bodies.

        Raises
        ------
        OptionError
            An id names no body of this world, a value is not finite, or a pose is too far away. If a value is wrong, the
            attribute `feature` is the row, and the rows before it are set.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], velocity=[1, 0])
        >>> world.set_poses([[0, 5, 0]], balls[:1])
        >>> world.poses(balls[:1])
        array([[0., 5., 0.]])
        """
        self._core.set_poses(rows(poses, "poses", 3), None if bodies is None else ids(bodies))

    def velocities(self, bodies: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the velocities of bodies, an array of float64 of shape n x 3: the velocity of the centre of mass in x and y,
        and the angular velocity in radians per unit of time.

        Raises
        ------
        OptionError
            An id names no body of this world.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], velocity=[1, 0])
        >>> world.velocities([0])
        array([[1., 0., 0.]])
        """
        return self._core.velocities(None if bodies is None else ids(bodies))

    def set_velocities(self, velocities: ArrayLike, bodies: ArrayLike | None = None) -> None:
        """Set the velocities of bodies, an array of shape n x 3 as `velocities` returns it.

        Raises
        ------
        OptionError
            An id names no body of this world, a value is not finite, or a body is static. If a row is wrong, the attribute
            `feature` is the row, and the rows before it are set.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], velocity=[1, 0])
        >>> world.set_velocities([[0, 2, 0]], balls[:1])
        >>> world.velocities()
        array([[0., 2., 0.],
               [1., 0., 0.]])
        """
        self._core.set_velocities(rows(velocities, "velocities", 3), None if bodies is None else ids(bodies))

    def set_preferred_velocities(self, velocities: ArrayLike, bodies: ArrayLike | None = None) -> None:
        """Set the velocities that agents steer towards, an array of shape n x 2.

        Raises
        ------
        OptionError
            An id names no body of this world, or a value is not finite. If a value is wrong, the attribute `feature` is the
            row, and the rows before it are set.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0), solver="push")
        >>> agents = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], preference=5.0)
        >>> world.set_preferred_velocities([[0, 1], [0, -1]])
        >>> _ = world.step(1 / 60, steps=120)
        >>> world.velocities()[:, :2].round(1)
        array([[ 0.,  1.],
               [ 0., -1.]])
        """
        self._core.set_preferred_velocities(rows(velocities, "velocities", 2), None if bodies is None else ids(bodies))

    def contacts(self) -> Contacts:
        """Return the contact points of the last step, one row for each point.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> _ = world.add_bodies(world.add_circle(1.0), [[0, 0], [1.5, 0]])
        >>> _ = world.step(1 / 60)
        >>> found = world.contacts()
        >>> found.a, found.b, found.normal, found.separation
        (array([0]), array([1]), array([[1., 0.]]), array([-0.5]))
        """
        return Contacts(*self._core.contacts())

    def take_events(self) -> ContactEvents:
        """Return the contacts that began or ended since the last call. Requires a world with `events=True`.

        Raises
        ------
        OptionError
            The world was made without `events=True`.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0), events=True)
        >>> _ = world.add_bodies(world.add_circle(1.0), [[0, 0], [1.5, 0]])
        >>> _ = world.step(1 / 60)
        >>> events = world.take_events()
        >>> events.a, events.b, events.began
        (array([0]), array([1]), array([ True]))
        """
        return ContactEvents(*self._core.take_events())

    def near(self, point: ArrayLike, distance: float = 0.0) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the bodies within `distance` of a point, and their distances, sorted by distance.

        A body that contains the point has the distance 0. The distances are computed from the float32 poses of the bodies.

        Raises
        ------
        OptionError
            A value is not finite, or the distance is negative.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World()
        >>> _ = world.add_bodies(world.add_circle(1.0), [[0, 0], [5, 0]])
        >>> world.near([3, 0], distance=2.5)
        (array([1, 0]), array([1., 2.]))
        """
        return self._core.near(vector(point, "point"), real("distance", distance))

    def statistics(self) -> WorldStatistics:
        """Return the energy, the momentum and the overlap of the current state, measured at the current poses.

        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], velocity=[1, 0])
        >>> found = world.statistics()
        >>> found.bodies, round(found.momentum[0], 3), found.overlapping
        (2, 1.571, 0)
        """
        return WorldStatistics(**self._core.statistics())

    def checksum(self) -> int:
        """Return a number that identifies the positions, rotations and velocities of all bodies.

        Two worlds on the CPU that were built and stepped by the same calls have the same checksum, on every machine and with
        any number of threads. Two worlds that differ in one bit almost certainly have different checksums.

        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [3, 0]], velocity=[1, 0])
        >>> before = world.checksum()
        >>> _ = world.step(1 / 60)
        >>> world.checksum() == before
        False
        """
        return self._core.checksum()
