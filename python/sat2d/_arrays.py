"""Turns arguments into arrays. An argument that cannot be converted raises an error of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# The names of the backends, as errors list them.
BACKENDS = "'cpu', 'gpu' or 'auto'"


def coordinate_array(coordinates: ArrayLike, argument: str = "coordinates") -> NDArray[np.float64]:
    """Return the coordinates as a contiguous array of shape n x 2. An array that is already of this form is not copied."""
    try:
        array = np.ascontiguousarray(coordinates, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        raise OptionError(
            f"{argument}: the coordinates are not rows of two numbers each; give an array of shape n x 2"
        ) from None
    if array.ndim != 2 or array.shape[1] != 2:
        raise OptionError(f"{argument}: the coordinates have the shape {array.shape}; give an array of shape n x 2")
    return array


def offset_array(offsets: ArrayLike) -> NDArray[np.int64] | NDArray[np.int32]:
    """Return the offsets as a contiguous array of int32 or int64. An array that is already of this form is not copied."""
    array = _plain_array(offsets, "offsets", "one row of integers")
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size > 0):
        raise OptionError(f"offsets are of type {array.dtype} with shape {array.shape}; give one row of integers")
    if array.dtype.kind == "u" and array.size > 0 and int(array.max()) > np.iinfo(np.int64).max:
        raise OptionError("an offset exceeds the range of int64; give offsets into the coordinates")
    kind = np.int32 if array.dtype == np.int32 else np.int64
    return np.ascontiguousarray(array, dtype=kind)


def pair_array(pairs: ArrayLike) -> NDArray[np.int64]:
    """Return the pairs as a contiguous array of shape 2 x n."""
    given = _plain_array(pairs, "pairs", "integers of shape 2 x n")
    if given.ndim != 2 or given.shape[0] != 2 or (given.size > 0 and given.dtype.kind not in "iu"):
        raise OptionError(f"pairs are of type {given.dtype} with shape {given.shape}; give integers of shape 2 x n")
    return np.ascontiguousarray(given, dtype=np.int64)


def _plain_array(data: ArrayLike, argument: str, wanted: str) -> NDArray[Any]:
    try:
        return np.asarray(data)
    except (TypeError, ValueError):
        # NumPy's message speaks of its own arrays, and not of the argument.
        raise OptionError(f"{argument} have rows of different lengths; give {wanted}") from None


def boolean(name: str, value: Any) -> bool:
    """Return the value of an option that is true or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} = {value!r}; give True or False")
    return bool(value)


def number(name: str, value: Any) -> float | None:
    """Return the value of an option as a float. `None` stays `None`."""
    if value is None:
        return None
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise OptionError(f"{name} = {value!r}; give a number") from None


def real(name: str, value: Any) -> float:
    """Return the value of an argument that must be a number."""
    found = number(name, value)
    if found is None:
        raise OptionError(f"{name} = None; give a number")
    return found


def text(name: str, value: Any, choices: str) -> str:
    """Return the value of an option that is a string. `choices` names the accepted strings in the error."""
    if not isinstance(value, str):
        raise OptionError(f"{name} = {value!r}; give {choices}")
    return value
