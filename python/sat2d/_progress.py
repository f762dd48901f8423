"""Progress bars of tqdm."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _sat2d

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Report:
    """Receives the stage and the number of decided pairs during a call, and passes them on to the bar."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar
        self.stage = ""
        self.last = 0

    def __call__(self, stage: str, decided: int) -> None:
        if stage != self.stage:
            self.stage = stage
            self.bar.set_description(stage)
        # A call may run several queries, and each query counts from 0.
        self.bar.update(decided - self.last if decided >= self.last else decided)
        self.last = decided


@contextmanager
def progress_bar(wanted: bool) -> Iterator[None]:
    """Show a progress bar for all calls within the block, if `wanted` is true and tqdm is installed."""
    if not wanted:
        yield
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield
        return
    with tqdm(unit=" pairs", unit_scale=True, desc="reading") as bar:
        _sat2d.report_to(_Report(bar))
        try:
            yield
        finally:
            _sat2d.report_to(None)
