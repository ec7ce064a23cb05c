"""A line on a terminal that shows the progress of a run."""

import threading
import time
from types import TracebackType
from typing import Self

from evallang.cli.terminal import tell_state


class Progress:
    """A line with the activity, the fits done, the time taken, the rate and the time left.

    A thread redraws it, so that the clock runs during the first fit. Without a terminal it writes
    nothing.
    """

    WIDTH = 24
    EVERY = 0.2  # seconds between redraws
    KNOWN_FROM = 50  # the time left is shown once one fit of so many is done

    def __init__(self, *, shown: bool) -> None:
        self.shown = shown
        self.started = time.monotonic()
        self.stage = "reading the data"
        self.done, self.total = 0, 0
        self.fitting_since = self.started
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if self.shown:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Clear the line, whatever happened."""
        if self.shown:
            self._ended.set()
            self._thread.join()
            tell_state("")

    def update(self, done: int, total: int) -> None:
        """Set the number of fits done and planned."""
        if not done:
            self.fitting_since = time.monotonic()
        self.done, self.total = done, total
        self.stage = "" if done < total else "computing intervals and tests"

    def say(self, stage: str) -> None:
        """Set the activity shown while no fits run."""
        self.stage = stage

    def line(self, now: float) -> str:
        """Return the text of the line at a time of the monotonic clock."""
        elapsed = duration(now - self.started)
        if self.stage:
            return f"{self.stage}  {elapsed}"
        since = now - self.fitting_since
        known = since > 0 and self.done * self.KNOWN_FROM >= self.total
        rate = self.done / since if known else 0.0
        filled = self.WIDTH * self.done // self.total
        bar = "━" * filled + " " * (self.WIDTH - filled)
        left = ""
        if rate > 0:
            left = f"  {rate:.3g} fits/s  {duration((self.total - self.done) / rate)} left"
        return f"{bar} {self.done:,} of {self.total:,} fits  {elapsed}{left}"

    def _tick(self) -> None:
        while True:
            tell_state(self.line(time.monotonic()))
            if self._ended.wait(self.EVERY):
                return


def duration(seconds: float) -> str:
    """Format seconds for a reader: `40 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
