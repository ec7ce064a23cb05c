"""When Python looks for circular garbage: not while a tree of records grows."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected_later() -> Iterator[None]:
    """Let the cyclic collector rest; it goes on as before afterwards.

    Reading a study makes records that live until the end and hardly a circle (some kilobytes
    in a file of thousands of mistakes), and the collector would walk all of them again and
    again as their number grows: a fifth of the time of a long file, the more the longer.
    """
    resting = not gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not resting:
            gc.enable()
