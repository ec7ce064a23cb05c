"""The cyclic garbage collector, paused while a tree of records grows."""

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
