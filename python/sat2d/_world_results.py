"""The results of worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class StepReport(NamedTuple):
    """The result of `World.step`."""

    steps: int
    """Number of steps taken."""
    candidates: int
    """Number of pairs of bodies whose bounding boxes met in the last step."""
    contacts: int
    """Number of pairs of bodies with a contact in the last step."""
    broad_phase: float
    """Time to find candidate pairs, in seconds, over all steps."""
    narrow_phase: float
    """Time to compute contacts, in seconds, over all steps."""
    prepare: float
    """Time to prepare the contacts for the solver, in seconds, over all steps."""
    solve: float
    """Time to resolve the contacts, in seconds, over all steps."""
    finish: float
    """Time to move fast bodies and to complete the steps, in seconds, over all steps."""


class Contacts(NamedTuple):
    """The contact points of the last step of a world, one row for each point, in the same order in every run.

    As long as no body is removed, the rows are sorted by `a`, then by `b`. A contact of two bodies has one or two points. If it
    has two, both rows have the same bodies and the same normal.
    """

    a: NDArray[np.int64]
    """The id of body A of each point, of shape n. As long as no body is removed, A has the lower id."""
    b: NDArray[np.int64]
    """The id of body B of each point, of shape n."""
    normal: NDArray[np.float64]
    """Unit normal in the frame of the world, from A to B, of shape n x 2."""
    position: NDArray[np.float64]
    """Position of each point in the world, of shape n x 2. At the start of the step, the point was halfway between the two
    bodies. During the step, it moved with the centre of mass of A."""
    separation: NDArray[np.float64]
    """The gap between the two bodies along the normal at the start of the step, in the unit of length, of shape n. The gap is
    negative if the bodies overlapped. If the bodies first meet during the step, the gap is the distance that they approach each
    other along the normal until they meet. Bodies that are near each other without touching have contacts with a positive gap."""
    impulse: NDArray[np.float64]
    """The impulse along the normal during the step, in units of mass times speed, 0 or more, of shape n."""


class ContactEvents(NamedTuple):
    """Contacts that began or ended, in the order of the steps."""

    a: NDArray[np.int64]
    """The id of the first body of each event, of shape n."""
    b: NDArray[np.int64]
    """The id of the second body of each event, of shape n. One of the two bodies may have been removed since."""
    began: NDArray[np.bool_]
    """True if the two bodies began to touch, False if they stopped touching, of shape n."""


class WorldStatistics(NamedTuple):
    """A summary of the state of a world, in the units of the caller."""

    bodies: int
    """Number of bodies of all kinds."""
    dynamic_bodies: int
    """Number of dynamic bodies."""
    momentum: tuple[float, float]
    """Sum over the dynamic bodies of mass times velocity, in x and y."""
    kinetic_energy: float
    """Kinetic energy of the dynamic bodies, translational and rotational."""
    potential_energy: float
    """Sum over the dynamic bodies of mass times gravity times height above the origin of the world."""
    mean_position: tuple[float, float]
    """Mean of the centres of mass of the dynamic bodies."""
    rms_velocity: float
    """Root mean square speed of the dynamic bodies."""
    overlapping: int
    """Number of pairs of bodies that overlap."""
    mean_penetration: float
    """Mean penetration depth of the pairs that overlap, in the unit of length."""
    greatest_penetration: float
    """Greatest penetration depth of the pairs that overlap, in the unit of length."""
