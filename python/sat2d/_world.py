"""Worlds of bodies that move and collide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sat2d
from ._arrays import BACKENDS, real, text
from ._bodies import column, ids, kinds, step_count, vector
from ._errors import OptionError
from ._world_results import StepReport
from ._world_state import WorldState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_ALL_LAYERS = 0xFFFF_FFFF


class World(WorldState):
    """A world of bodies that move and collide in steps of time. Bodies are convex polygons, circles and capsules.

    Lengths, times and masses are in the units of the caller. The y axis points up. Angles are in radians, counter-clockwise. A
    world computes in float32, so its contacts are not exact, unlike the pairs of `query`. On the CPU, the same calls give the
    same bits on every machine and with any number of threads. To compare two worlds, use `checksum`.

    The methods take arrays of the ids that `add_bodies` returned. Until a body is removed, the ids are 0, 1, 2 and so on, in
    the order of adding. If a method is called without its argument `bodies`, it applies to all bodies, in the order of
    the property `bodies`. Several threads may use one world. Each call waits until the call before it has ended.

    Parameters
    ----------
    gravity
        Acceleration of dynamic bodies, in units of length per squared unit of time.
    solver
        `"rigid"` resolves contacts by impulses, with friction, restitution and rotation. `"push"` moves bodies apart without
        rotation, for crowds and particles.
    substeps
        Number of sub-steps in each step, from 1 to 1024. More sub-steps make tall stacks stiffer.
    length_unit
        Length of a typical body. A body may be a thousand times smaller or larger.
    origin
        A point near the bodies. A body may be a million length units away from the origin.
    push_out_speed
        The greatest speed at which a contact resolves its overlap, in length units per unit of time. A body that overlaps many
        bodies may move faster.
    restitution_threshold
        The least speed of approach at which bodies bounce, in length units per unit of time.
    events
        Whether `take_events` returns the contacts that begin and end.
    backend
        `"cpu"`, `"gpu"`, or `"auto"`, which uses a GPU if there is one. On a GPU, the bodies stay in its memory. The result is
        then the same in every run on the same adapter, but it differs slightly from the result on the CPU.
    threads
        Number of threads for a step, from 1 to 1024. `None` takes the value of the environment variable `RAYON_NUM_THREADS` if
        it is set, else the number of cores.

    Raises
    ------
    OptionError
        An option is out of range.
    DeviceError
        The backend is `"gpu"`, and there is no usable GPU.

    Examples
    --------
    >>> import sat2d
    >>> world = sat2d.World()
    >>> floor, ball = world.add_polygon([[-9, -1], [9, -1], [9, 0], [-9, 0]]), world.add_circle(0.5)
    >>> _ = world.add_bodies(floor, [[0, 0]], kind="static")
    >>> balls = world.add_bodies(ball, [[-2, 3], [0, 4], [2, 5]])
    >>> world.step(1 / 60, steps=120).steps
    120
    >>> world.poses(balls)[:, :2].round(1)
    array([[-2. ,  0.5],
           [ 0. ,  0.5],
           [ 2. ,  0.5]])
    """

    __slots__ = ("_choice",)

    def __init__(
        self,
        *,
        gravity: ArrayLike = (0.0, -10.0),
        solver: str = "rigid",
        substeps: int = 4,
        length_unit: float = 1.0,
        origin: ArrayLike = (0.0, 0.0),
        push_out_speed: float = 3.0,
        restitution_threshold: float = 1.0,
        events: bool = False,
        backend: str = "cpu",
        threads: int | None = None,
    ) -> None:
        options = _options(gravity, solver, substeps, length_unit, origin, push_out_speed, restitution_threshold, events)
        self._core = _sat2d.World(options, text("backend", backend, BACKENDS), threads=threads)
        self._choice = self._core.choice()

    def beside(
        self,
        *,
        gravity: ArrayLike = (0.0, -10.0),
        solver: str = "rigid",
        substeps: int = 4,
        length_unit: float = 1.0,
        origin: ArrayLike = (0.0, 0.0),
        push_out_speed: float = 3.0,
        restitution_threshold: float = 1.0,
        events: bool = False,
        threads: int | None = None,
    ) -> World:
        """Return a new world without bodies, on the backend of this world.

        On a GPU, the two worlds share the device and the compiled kernels. Use this method for the second and all further
        worlds on a GPU, because the first step of each world that `World` makes compiles all kernels again.

        Parameters
        ----------
        gravity, solver, substeps, length_unit, origin, push_out_speed, restitution_threshold, events, threads
            As for `World`, with the same defaults. The new world does not take over the options of this world.

        Raises
        ------
        OptionError
            An option is out of range.
        DeviceError
            The GPU of this world is lost.

        Examples
        --------
        >>> import sat2d
        >>> first = sat2d.World()
        >>> second = first.beside(gravity=(0, -1.5))
        >>> first.backend == second.backend, len(second), second.gravity
        (True, 0, (0.0, -1.5))
        """
        options = _options(gravity, solver, substeps, length_unit, origin, push_out_speed, restitution_threshold, events)
        made = type(self).__new__(type(self))
        made._core = self._core.beside(options, threads=threads)
        made._choice = made._core.choice()
        return made

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<sat2d.World of {len(self)} bodies on the {self.backend}>"

    @property
    def backend(self) -> str:
        """The backend that steps the world: `cpu` or `gpu`.

        >>> import sat2d
        >>> sat2d.World().backend
        'cpu'
        """
        return self._choice[0]

    @property
    def reason(self) -> str:
        """The reason for the choice of the backend.

        >>> import sat2d
        >>> sat2d.World().reason
        'requested'
        """
        return self._choice[1]

    def add_circle(self, radius: float, centre: ArrayLike = (0.0, 0.0)) -> int:
        """Add a circle to the shapes of the world, and return its index.

        Parameters
        ----------
        radius
            The radius, in the unit of length. The radius 0 gives a point, which has no area: its bodies need a `mass`.
        centre
            The centre, relative to the origin of the shape.

        Raises
        ------
        Sat2dError
            A value is not finite or out of range.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World()
        >>> world.add_circle(0.5), world.add_circle(0.25)
        (0, 1)
        """
        return self._core.add_circle(vector(centre, "centre"), real("radius", radius))

    def add_capsule(self, start: ArrayLike, end: ArrayLike, radius: float) -> int:
        """Add a capsule to the shapes of the world, and return its index. It consists of the points near a segment.

        Parameters
        ----------
        start, end
            The ends of the segment, relative to the origin of the shape.
        radius
            The greatest distance from the segment, in the unit of length. The radius 0 gives a segment.

        Raises
        ------
        Sat2dError
            A value is not finite or out of range.

        Examples
        --------
        >>> import sat2d
        >>> sat2d.World().add_capsule([0, -1], [0, 1], 0.5)
        0
        """
        return self._core.add_capsule(vector(start, "start"), vector(end, "end"), real("radius", radius))

    def add_polygon(self, vertices: ArrayLike, radius: float = 0.0) -> int:
        """Add a convex polygon to the shapes of the world, and return its index.

        Parameters
        ----------
        vertices
            Array of shape n x 2, relative to the origin of the shape. The order may be clockwise or counter-clockwise.
        radius
            The distance by which the polygon is enlarged outwards, with rounded corners, in the unit of length.

        Raises
        ------
        InvalidGeometryError
            The polygon is not convex, or has no area.

        Examples
        --------
        >>> import sat2d
        >>> sat2d.World().add_polygon([[0, 0], [2, 0], [0, 1]])
        0
        """
        array = np.ascontiguousarray(vertices, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != 2:
            raise OptionError(f"vertices have the shape {array.shape}; give an array of shape n x 2")
        return self._core.add_polygon(array, real("radius", radius))

    def add_bodies(
        self,
        shape: ArrayLike,
        position: ArrayLike,
        angle: ArrayLike = 0.0,
        *,
        kind: str | Sequence[str] = "dynamic",
        velocity: ArrayLike = (0.0, 0.0),
        angular_velocity: ArrayLike = 0.0,
        density: ArrayLike = 1.0,
        mass: ArrayLike | None = None,
        friction: ArrayLike = 0.6,
        restitution: ArrayLike = 0.0,
        linear_damping: ArrayLike = 0.0,
        angular_damping: ArrayLike = 0.0,
        preferred_velocity: ArrayLike = (0.0, 0.0),
        preference: ArrayLike = 0.0,
        member: ArrayLike = _ALL_LAYERS,
        meets: ArrayLike = _ALL_LAYERS,
        fixed_rotation: ArrayLike = False,
        fast: ArrayLike = False,
    ) -> NDArray[np.int64]:
        """Add bodies. If one of them is invalid, none is added.

        Every parameter but `position` takes one value for all bodies, or an array with one row for each body.

        Parameters
        ----------
        shape
            Index of a shape of this world.
        position
            Positions of the origins of the shapes, an array of shape n x 2, or x and y for one body.
        angle
            Rotation of the shape about its origin, in radians.
        kind
            `"static"`, `"kinematic"` or `"dynamic"`. A static body never moves, a kinematic body moves at its own velocity, and
            gravity and contacts change the velocity of a dynamic body.
        velocity, angular_velocity
            Velocity of the centre of mass, and angular velocity in radians per unit of time. A static body ignores both.
        density
            Mass per unit of area.
        mass
            Mass of a dynamic body. `None` or NaN gives density times area.
        friction
            Coefficient of friction. A contact takes the geometric mean of the values of its two bodies.
        restitution
            Coefficient of restitution, from 0 to 1. A contact takes the greater of the values of its two bodies.
        linear_damping, angular_damping
            Rates of exponential decay of the velocity and of the angular velocity, per unit of time.
        preferred_velocity, preference
            The velocity that an agent of a crowd steers towards, and the rate of its approach per unit of time.
        member, meets
            Sets of layers, as the bits of uint32: the layers of which a body is a member, and the layers that it meets.
            Two bodies collide if each is a member of a layer that the other meets.
        fixed_rotation
            Whether contacts leave the rotation unchanged, as for particles and agents.
        fast
            Whether each step tests the whole path of the body, so that the body does not pass through thin static bodies.

        Returns
        -------
        numpy.ndarray
            The ids of the bodies, an array of int64 of shape n.

        Raises
        ------
        OptionError
            A value is not finite or out of range, or the world would have more than 2^31 - 1 bodies. If a value is wrong, the
            attribute `feature` is the row of the body.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World()
        >>> disc = world.add_circle(0.5)
        >>> world.add_bodies(disc, [[0, 0], [5, 0]], kind=["static", "dynamic"], friction=0.3)
        array([0, 1])
        """
        given = np.atleast_2d(np.asarray(position))
        if given.ndim != 2 or given.shape[1] != 2:
            raise OptionError(f"position has the shape {np.shape(position)}; give an array of shape n x 2")
        count = len(given)
        # The columns of too many bodies must not be allocated.
        self._core.check_count(count)
        positions = np.ascontiguousarray(given, dtype=np.float64)
        columns = {
            "kind": column(kinds(kind), "kind", np.uint8, (count,)),
            "shape": column(shape, "shape", np.int64, (count,)),
            "position": positions,
            "velocity": column(velocity, "velocity", np.float64, (count, 2)),
            "mass": column(np.nan if mass is None else mass, "mass", np.float64, (count,)),
            "preferred_velocity": column(preferred_velocity, "preferred_velocity", np.float64, (count, 2)),
            "member": column(member, "member", np.uint32, (count,)),
            "meets": column(meets, "meets", np.uint32, (count,)),
            "fixed_rotation": column(fixed_rotation, "fixed_rotation", np.bool_, (count,)),
            "fast": column(fast, "fast", np.bool_, (count,)),
        }
        numbers = {
            "angle": angle,
            "angular_velocity": angular_velocity,
            "density": density,
            "friction": friction,
            "restitution": restitution,
            "linear_damping": linear_damping,
            "angular_damping": angular_damping,
            "preference": preference,
        }
        columns |= {name: column(value, name, np.float64, (count,)) for name, value in numbers.items()}
        return self._core.add_bodies(columns)

    def remove(self, bodies: ArrayLike) -> None:
        """Remove bodies. If one of them is not in the world, none is removed. Their contacts end in the next step.

        Raises
        ------
        OptionError
            An id is not the id of a body of this world, or occurs twice.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World()
        >>> balls = world.add_bodies(world.add_circle(0.5), [[0, 0], [5, 0]])
        >>> world.remove(balls[0])
        >>> world.bodies
        array([1])
        """
        self._core.remove(ids(bodies))

    def step(self, dt: float, steps: int = 1) -> StepReport:
        """Advance the world by steps. The call releases the global interpreter lock.

        Ctrl-C ends the call after the current step, or on a GPU after at most 32 steps. The world keeps the state after these
        steps.

        Parameters
        ----------
        dt
            The duration of a step, in the unit of time, from 1e-9 to 1e9.
        steps
            Number of steps.

        Raises
        ------
        OptionError
            `dt` or `steps` is out of range.
        LeftWorldError
            A body would move farther than a million length units from the origin. The world is in the state before this step.

        Examples
        --------
        >>> import sat2d
        >>> world = sat2d.World(gravity=(0, 0))
        >>> _ = world.add_bodies(world.add_circle(0.5), [0, 0], velocity=[1, 0])
        >>> world.step(0.1, steps=5).steps, world.poses().round(3)
        (5, array([[0.5, 0. , 0. ]]))
        """
        return _report(self._core.step(real("dt", dt), step_count(steps)))


def step_worlds(worlds: Sequence[World], dt: float, steps: int = 1, *, threads: int | None = None) -> list[StepReport]:
    """Advance many worlds by the same number of steps in one call. The worlds are divided among the threads.

    Each world takes exactly the steps of `World.step`, with the same bits. The option `threads` of each world has no effect.

    Parameters
    ----------
    worlds
        The worlds. No world may occur twice.
    dt, steps
        As for `World.step`.
    threads
        Number of threads, as for `World`.

    Returns
    -------
    list of StepReport
        One report for each world.

    Raises
    ------
    OptionError
        `dt` or `steps` is out of range, or a world occurs twice.
    LeftWorldError
        A body would leave its world. The message names the index of the world. The other worlds have taken their steps.

    Examples
    --------
    >>> import sat2d
    >>> worlds = [sat2d.World() for _ in range(3)]
    >>> [report.steps for report in sat2d.step_worlds(worlds, 1 / 60, steps=2)]
    [2, 2, 2]
    """
    if not all(isinstance(world, World) for world in worlds):
        raise OptionError("worlds have an item that is no World; give a list of worlds")
    reports = _sat2d.step_worlds([world._core for world in worlds], real("dt", dt), step_count(steps), threads=threads)
    return [_report(report) for report in reports]


def _options(
    gravity: ArrayLike,
    solver: str,
    substeps: int,
    length_unit: float,
    origin: ArrayLike,
    push_out_speed: float,
    restitution_threshold: float,
    events: bool,
) -> dict[str, Any]:
    """Return the options of a world in the form of the extension module."""
    if not isinstance(substeps, (int, np.integer)) or not 1 <= substeps <= 1024:
        raise OptionError(f"substeps = {substeps!r}; give an integer from 1 to 1024")
    return {
        "gravity": vector(gravity, "gravity"),
        "solver": text("solver", solver, "'rigid' or 'push'"),
        "substeps": substeps,
        "length_unit": real("length_unit", length_unit),
        "origin": vector(origin, "origin"),
        "push_out_speed": real("push_out_speed", push_out_speed),
        "restitution_threshold": real("restitution_threshold", restitution_threshold),
        "events": bool(events),
    }


def _report(report: tuple[int, int, int, Sequence[float]]) -> StepReport:
    *counts, times = report
    return StepReport(*counts, *times)
