"""What a run does at the moment, for whoever shows it: the command line's progress.

Steps report their activity as they report to a log, without knowing whether anyone looks.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from evallang.frozen_records import frozen

Phase = Literal["starting", "reading", "fitting", "computing", "rendering"]


@frozen
class Activity:
    """What is done: the phase, its object, and how far it is.

    `cached` and `failed` count among the `done` fits those of the store and those that failed.
    """

    phase: Phase
    subject: str = ""
    done: int = 0
    total: int = 0
    cached: int = 0
    failed: int = 0


_WATCHER: ContextVar[Callable[[Activity], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Callable[[Activity], None]) -> Iterator[None]:
    """Call a watcher with every activity within the context."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def report_activity(activity: Activity) -> None:
    """Report an activity to the watcher, if there is one."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(activity)
