"""Arguments that are no arrays, and options that are no numbers, raise errors of the package."""

from __future__ import annotations

from typing import Any

import pytest
import shapely

import sat2d

BOX = shapely.box(0, 0, 1, 1)


@pytest.mark.parametrize("points", [[[0, 0], [1]], [[0, 0], [1, "x"]], [[10**400, 0]], [[[0, 0]], [1, 2]]])
def test_rows_that_are_no_points_are_an_error(points: Any) -> None:
    with pytest.raises(sat2d.OptionError, match="^a: the coordinates are not rows of two numbers each; give an array"):
        sat2d.query(points, [BOX])
    with pytest.raises(sat2d.OptionError, match="coordinates"):
        sat2d.PolygonSet.from_ragged_array(points, [[0, 3]])


def test_ragged_arrays_are_errors() -> None:
    with pytest.raises(sat2d.OptionError, match="pairs have rows of different lengths; give integers of shape 2 x n"):
        sat2d.relations([BOX], None, [[0, 0], [0]])
    with pytest.raises(sat2d.OptionError, match="offsets have rows of different lengths"):
        sat2d.PolygonSet.from_ragged_array([[0, 0], [1, 0], [0, 1]], [[[0, 3], 0]])


def test_options_that_are_no_numbers_are_errors() -> None:
    calls: dict[str, Any] = {
        "distance": lambda: sat2d.query([BOX], predicate="dwithin", distance="far"),
        "within": lambda: sat2d.nearest([BOX], within="far"),
        "min_area": lambda: sat2d.join([BOX], min_area="large"),
        "min_iou": lambda: sat2d.join([BOX], min_iou=[0.5, 0.6]),
    }
    for name, call in calls.items():
        with pytest.raises(sat2d.OptionError, match=f"^{name} = .*; give a number$"):
            call()
