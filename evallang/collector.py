"""The cyclic garbage collector, which costs a program of many modules a sixth of its time."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector; afterwards it runs as before.

    Reading a study creates records that live until the end and hardly any cycles (some kilobytes
    in a file with thousands of mistakes). The collector would visit all records repeatedly as
    their number grows, which takes a fifth of the time of a long file, or more.
    """
    resting = not gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not resting:
            gc.enable()


USUAL = gc.get_threshold()
SELDOM = 500_000  # objects made since the last collection


def collect_seldom() -> None:
    """Collect seldom in a process that evallang started: modules and records live until its end."""
    gc.set_threshold(SELDOM)


def collect_as_usual() -> None:
    """Collect as before `collect_seldom`, for code of others that may make large cycles."""
    if gc.get_threshold()[0] == SELDOM:
        gc.set_threshold(*USUAL)


def keep_from_collection() -> None:
    """Exclude all objects there are from collections, before a process is forked.

    A child then visits its own objects only, and shares the memory of the others.
    """
    gc.freeze()
