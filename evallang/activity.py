"""What a run does at the moment, for whoever shows it: the command line's progress.

Steps report their activity as they report to a log, without knowing whether anyone looks.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Phase = Literal["starting", "reading", "fitting", "computing", "rendering"]


class Activity(Struct, frozen=True):
    """What is done: the phase, its object, and how far it is.

    `cached` and `failed` count among the `done` fits those of the store and those that failed;
    `share` is how much of the object itself is done, from 0 to 1; of fits the share of their
    estimated time. `notice` is a line that stays on the screen.
    """

    phase: Phase
    subject: str = ""
    done: int = 0
    total: int = 0
    cached: int = 0
    failed: int = 0
    share: float = 0.0
    notice: str = ""


class _Watch:
    """A watcher, and the activity that it knows."""

    def __init__(self, watcher: Callable[[Activity], None]) -> None:
        self.watcher = watcher
        self.activity: Activity | None = None


_WATCH: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watcher: Callable[[Activity], None]) -> Iterator[None]:
    """Call a watcher with every activity within the context."""
    token = _WATCH.set(_Watch(watcher))
    try:
        yield
    finally:
        _WATCH.reset(token)


def report_activity(activity: Activity) -> None:
    """Report an activity to the watcher, if there is one."""
    watch = _WATCH.get()
    if watch is not None:
        watch.activity = activity
        watch.watcher(activity)


def report_share(done: int, total: int) -> None:
    """Report how much of the object of the present activity is done, where that is known."""
    watch = _WATCH.get()
    if watch is not None and watch.activity is not None and total:
        report_activity(replace(watch.activity, share=done / total))
