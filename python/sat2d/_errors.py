"""The exceptions of sat2d."""

from __future__ import annotations

_OF_MESSAGE = object()


class Sat2dError(ValueError):
    """An error of sat2d. All other exceptions of the package are subclasses.

    >>> import sat2d
    >>> bow = b"\\x01\\x03\\x00\\x00\\x00\\x01\\x00\\x00\\x00"
    >>> try:
    ...     sat2d.query([None, bow])
    ... except sat2d.Sat2dError as error:
    ...     print(error.feature)
    1
    """

    feature: int | None
    """Index of the feature in its input, from 0. In an error of a world, the row or the id of the body. `None` if the error is
    not about one feature or body."""

    place: tuple[float, float] | None
    """Coordinates x and y near the problem, in the unit of the input. `None` if the error is not about a place."""

    remedy: str | None
    """The action that the message advises. `None` if the message advises none."""

    def __init__(
        self,
        message: str,
        feature: int | None = None,
        place: tuple[float, float] | None = None,
        remedy: str | object | None = _OF_MESSAGE,
    ) -> None:
        super().__init__(message)
        self.feature = feature
        self.place = place
        if remedy is _OF_MESSAGE:
            # The messages of this package end with the remedy, after a semicolon.
            _, separator, last = message.rpartition("; ")
            remedy = last if separator else None
        self.remedy = None if remedy is None else str(remedy)

    def __reduce__(self) -> tuple[type[Sat2dError], tuple[object, ...]]:
        return type(self), (str(self), self.feature, self.place, self.remedy)


class InvalidGeometryError(Sat2dError):
    """A feature is invalid: for example, it crosses itself, or a coordinate is not finite."""


class UnsupportedGeometryError(Sat2dError):
    """A feature has a geometry that sat2d does not join, such as a line, or points among polygons."""


class UnsupportedPredicateError(Sat2dError):
    """sat2d does not have the predicate. The message names the library that has it."""


class OptionError(Sat2dError):
    """An argument has an invalid value."""


class LeftWorldError(Sat2dError):
    """A body would leave its world. `feature` is the id of the body, and `place` is the position that it would reach."""


class BusyError(Sat2dError):
    """A signal handler used a world or a prepared set while the interrupted call or another thread was using it."""


class ReadError(Sat2dError):
    """A file or a table cannot be read."""


class DeviceError(Sat2dError):
    """There is no GPU, or the GPU cannot do the work."""


class OutOfMemoryError(Sat2dError, MemoryError):
    """The input or the result does not fit in memory."""


class DefectError(Sat2dError):
    """sat2d failed an internal check. This is a defect of sat2d, not of the input."""
