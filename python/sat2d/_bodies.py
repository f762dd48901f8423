"""Checks the arguments of worlds, and turns them into arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

KINDS = ("static", "kinematic", "dynamic")
"""The kinds of bodies: a static body never moves, a kinematic body moves at its own velocity, and gravity and contacts change
the velocity of a dynamic body."""


def step_count(steps: int) -> int:
    if not isinstance(steps, (int, np.integer)) or not 0 <= steps < 2**63:
        raise OptionError(f"steps = {steps!r}; give an integer of 0 or more")
    return int(steps)


def vector(value: ArrayLike, name: str) -> tuple[float, float]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name} = {value!r}; give two numbers: x and y") from None
    if array.shape != (2,):
        raise OptionError(f"{name} has the shape {array.shape}; give two numbers: x and y")
    return float(array[0]), float(array[1])


def rows(values: ArrayLike, name: str, columns: int) -> NDArray[np.float64]:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != columns:
        raise OptionError(f"{name} have the shape {array.shape}; give an array of shape n x {columns}")
    return array


def ids(bodies: ArrayLike) -> NDArray[np.int64]:
    array = np.atleast_1d(np.asarray(bodies))
    if array.ndim != 1 or (array.size > 0 and array.dtype.kind not in "iu"):
        raise OptionError(f"bodies are of type {array.dtype} with shape {array.shape}; give ids that add_bodies returned")
    return np.ascontiguousarray(array, dtype=np.int64)


def kinds(kind: str | Sequence[str]) -> Any:
    names = np.atleast_1d(np.asarray(kind))
    codes = np.full(names.shape, 255, dtype=np.uint8)
    for code, name in enumerate(KINDS):
        codes[names == name] = code
    if (codes == 255).any():
        raise OptionError(f"kind = {names[codes == 255][0]}; give {', '.join(KINDS[:2])} or {KINDS[2]}")
    return codes[0] if np.ndim(kind) == 0 else codes


def column(value: Any, name: str, kind: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a contiguous array of the values of all bodies. `value` is one value for all bodies, or one row for each body."""
    array = np.asarray(value)
    wanted = np.dtype(kind)
    allowed = {"f": "fiu", "i": "iu", "u": "iu", "b": "b"}[wanted.kind]
    if array.size > 0 and array.dtype.kind not in allowed:
        raise OptionError(f"{name} is of type {array.dtype}; give values of {wanted}")
    if wanted.kind in "iu" and array.size > 0:
        limits = np.iinfo(wanted)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise OptionError(f"{name} is out of the range of {wanted}; give values from {limits.min} to {limits.max}")
    try:
        return np.ascontiguousarray(np.broadcast_to(array.astype(wanted), shape))
    except ValueError:
        remedy = "one value, or one for each body" if len(shape) == 1 else "x and y, or one row for each body"
        raise OptionError(f"{name} has the shape {array.shape} for {shape[0]} bodies; give {remedy}") from None
