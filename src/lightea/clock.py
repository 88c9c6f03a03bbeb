"""Where the time goes: wall time of each stage, and progress on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lightea.errors import MemoryLimitError
from lightea.machine import peak_rss_mb

Progress = Callable[[str, int, int], None]
"""Called with the name of a stage, how much of it is done, and how much there is."""


def nobody(stage: str, done: int, total: int) -> None:
    """Progress where nobody looks."""


@dataclass(eq=False)
class Clock:
    """Wall time of each stage, without that of stages inside it, and memory; tells progress on the way."""

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    peak_mb: dict[str, float] = field(default_factory=dict)
    """The most memory that the process had held by the end of each stage, where the system counts it."""
    most_mb: float | None = None
    """The memory that the process may hold; a stage that ends with more ends the run."""
    round: str = ""
    _running: list[str] = field(default_factory=list)
    _since: float = 0.0

    @contextmanager
    def stage(self, name: str, done: int = 0, total: int = 1) -> Iterator[None]:
        """Charge the time inside to a stage; `done` and `total` count its parts."""
        self.progress(name + self.round, done, total)
        self._charge()
        self._running.append(name)
        try:
            yield
        finally:
            self._charge()
            self._running.pop()
            self._weigh(name)
        self.refuse_excess()
        self.progress(name + self.round, done + 1, total)

    def begin_round(self, number: int, n_rounds: int) -> None:
        """Name the round in what is told from now on, where there are several; counted from 1."""
        self.round = f" {number}/{n_rounds}" if n_rounds > 1 else ""

    def begin_part(self, name: str) -> None:
        """Name a part of the work in what is told from now on."""
        self.round = f" {name}" if name else ""

    def report_of(self, name: str) -> Callable[[int, int], None]:
        """Progress inside a stage."""
        return lambda done, total: self.progress(name + self.round, done, total)

    def _charge(self) -> None:
        now = time.perf_counter()
        if self._running:
            name = self._running[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now

    def _weigh(self, name: str) -> None:
        peak = peak_rss_mb()
        if peak is not None:
            self.peak_mb[name] = peak

    def refuse_excess(self) -> None:
        """Raise `MemoryLimitError` if a stage has held more than is allowed."""
        most, held = self.most_mb, max(self.peak_mb.values(), default=0.0)
        if most is not None and held > most:
            raise MemoryLimitError(
                f"the run has held {held / 1e3:,.2f} GB of memory, but may hold {most / 1e3:,.2f} GB",
                hint="nothing was written; allow more with --memory, or take fewer dimensions: label_width",
            )
