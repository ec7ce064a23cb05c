"""What a run shows of its progress on stderr: a line that moves, or plain lines."""

import threading
import time
from types import TracebackType
from typing import Self

from evallang.activity import Activity
from evallang.cli.terminal import columns, redraws, tell, tell_state
from evallang.printable import cut, printable


class Progress:
    """The activity of a run, how far it is, the time taken, the rate and the time left.

    On a terminal, a thread redraws a line, so that the clock runs during the first fit. Without a
    terminal, it writes a plain line every ten seconds.
    """

    WIDTH = 24
    NARROWEST = 6  # of the bar; where there is less room, it is omitted
    EVERY = 0.2  # seconds between redraws
    EVERY_PLAIN = 10.0  # seconds between plain lines
    KNOWN_FROM = 50  # the time left is shown once one fit of so many is done

    def __init__(self, *, shown: bool) -> None:
        self.shown = shown
        self.terminal = redraws()
        self.started = self.fitting_since = self.updated = time.monotonic()
        self.activity = Activity("starting")
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
            if self.terminal:
                tell_state("")

    def update(self, activity: Activity) -> None:
        """Show another activity, and a line that it leaves on the screen."""
        if activity.notice and self.shown:
            if self.terminal:
                tell_state("")
            tell(f"note: {activity.notice}")
        self.updated = time.monotonic()
        if activity.phase == "fitting" != self.activity.phase:
            self.fitting_since = self.updated
        self.activity = activity

    def line(self, now: float, width: int) -> str:
        """Return the text of the line at a time of the monotonic clock, at most `width` long."""
        at, elapsed = self.activity, duration(now - self.started)
        if at.phase == "fitting" and at.total:
            text = self._fits(now, elapsed)
            room = min(width - len(text) - 1, self.WIDTH)
            if room >= self.NARROWEST:
                text = f"{'━' * (room * at.done // at.total):{room}} {text}"
            return cut(text, width)
        far = f"{at.done:,} of {at.total:,}" if at.total else ""
        if at.share:
            far += f"{', ' if far else ''}{at.share:.0%} of it"
        far = f" ({far})" if far else ""
        end = f"{far}  {elapsed}"
        begin = printable(f"{at.phase} {at.subject}").strip()
        return cut(begin, width - len(end)) + cut(end, width)

    def _fits(self, now: float, elapsed: str) -> str:
        at = self.activity
        since, made = now - self.fitting_since, at.done - at.cached
        counts = f"{at.done:,} of {at.total:,} fits"
        counts += f", {at.cached:,} cached" if at.cached else ""
        counts += f", {at.failed:,} failed" if at.failed else ""
        if since <= 0 or not made or made * self.KNOWN_FROM < at.total - at.cached:
            return f"{counts}  {elapsed}"
        undone = (1 - at.share) / at.share if at.share else (at.total - at.done) / made
        # It decreases between two fits, and is hidden by a fit that takes longer than expected
        left = (self.updated - self.fitting_since) * undone - (now - self.updated)
        known = f"  {duration(left)} left" if left > 0 else ""
        return f"{counts}  {elapsed}  {made / since:.3g}/s{known}"

    def _tick(self) -> None:
        if not self.terminal:
            while not self._ended.wait(self.EVERY_PLAIN):
                tell(self.line(time.monotonic(), self.WIDTH + columns()).lstrip("━ "))
            return
        while True:
            tell_state(self.line(time.monotonic(), columns(1) - 1))
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
