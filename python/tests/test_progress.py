"""Progress bars."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import numpy as np
import pytest
import shapely
import tqdm.auto
from grid import random_polygons

import sat2d

A, B = random_polygons(60, 81), random_polygons(60, 82)


class Bar:
    """A bar that records what it shows."""

    made: ClassVar[list[Bar]] = []

    def __init__(self, **options: Any) -> None:
        self.total, self.stages, self.is_open, self.options = 0, [], True, options
        Bar.made.append(self)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.is_open = False

    def set_description(self, text: str) -> None:
        self.stages.append(text)

    def update(self, count: int) -> None:
        assert self.is_open and count >= 0
        self.total += count


@pytest.fixture
def bars(monkeypatch: Any) -> list[Bar]:
    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    Bar.made.clear()
    return Bar.made


def test_a_bar_counts_the_pairs(bars: list[Bar]) -> None:
    boxes = shapely.box(np.arange(100), 0, np.arange(100) + 1, 1)
    wanted = sat2d.query(boxes)
    assert bars == []
    np.testing.assert_array_equal(sat2d.query(boxes, progress=True), wanted)
    [bar] = bars
    assert bar.total == 99 and bar.stages[-1] == "sorting" and not bar.is_open


def test_every_function_has_a_bar(bars: list[Bar]) -> None:
    import geopandas

    frames = [geopandas.GeoDataFrame(geometry=shapes) for shapes in (A, B)]
    pairs = sat2d.query(A, B)
    points = np.argwhere(np.ones((9, 9)))
    calls = [
        lambda: sat2d.query(A, B, "overlaps", progress=True),
        lambda: sat2d.join(A, B, within=1.0, measure=["distance", "area"], progress=True),
        lambda: sat2d.sjoin(*frames, progress=True),
        lambda: sat2d.points_in_polygons(points, A, progress=True),
        lambda: sat2d.relations(A, B, pairs, progress=True),
        lambda: sat2d.areas(A, B, pairs, progress=True),
        lambda: sat2d.contains(A, B, pairs, progress=True),
    ]
    for k, call in enumerate(calls):
        call()
        assert len(bars) == k + 1 and bars[k].total > 0 and not bars[k].is_open, k


def test_the_bar_moves_during_a_long_call(bars: list[Bar]) -> None:
    # The query takes about one second on one thread.
    x, y = np.arange(250_000) % 500, np.arange(250_000) // 500
    boxes = sat2d.PolygonSet(shapely.box(x, y, x + 2.5, y + 2.5))
    counts: list[int] = []
    update = Bar.update
    Bar.update = lambda self, count: (counts.append(count), update(self, count))[1]  # type: ignore[method-assign]
    try:
        sat2d.join(boxes, measure="penetration", threads=1, progress=True)
    finally:
        Bar.update = update  # type: ignore[method-assign]
    assert len([count for count in counts if count > 0]) > 2


def test_an_error_closes_the_bar_and_a_failing_bar_ends_the_call(bars: list[Bar], monkeypatch: Any) -> None:
    with pytest.raises(sat2d.InvalidGeometryError):
        sat2d.query([shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])], progress=True)
    assert not bars[0].is_open

    def fail(self: Bar, text: str) -> None:
        raise RuntimeError("no terminal")

    monkeypatch.setattr(Bar, "set_description", fail)
    with pytest.raises(RuntimeError, match="no terminal"):
        sat2d.query(A, progress=True)
    assert not bars[1].is_open
    # Later calls must not use the closed bar.
    sat2d.query(A)
    assert len(bars) == 2


def test_without_tqdm_there_is_no_bar(bars: list[Bar], monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    np.testing.assert_array_equal(sat2d.query(A, progress=True), sat2d.query(A))
    assert bars == []
