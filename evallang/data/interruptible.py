"""Work of a foreign library that may never end: it ends at Ctrl-C and at a limit.

A library that computes outside Python hears of no signal. It works in a thread here, and the
main thread waits, looks at the clock and the memory, and tells it to stop.
"""

import contextvars
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from evallang.limits import MEMORY, QUERY_SECONDS

T = TypeVar("T")

LOOK = 0.1  # seconds between two looks at clock and memory
PATIENCE = 1.0  # seconds that the library has for stopping; then it is left alone


def run_interruptibly(work: Callable[[], T], stop: Callable[[], None], what: str) -> T:
    """Return what `work` returns; at Ctrl-C, or beyond a limit, call `stop` and raise.

    `what` names the work in messages. Raises what `work` raises, and `OverLimit` for too many
    seconds or too much memory.
    """
    done = threading.Event()
    results: list[T] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()  # limits in force are in force in the thread too

    def body() -> None:
        try:
            results.append(context.run(work))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    begun, before = time.monotonic(), resident_memory()
    threading.Thread(target=body, daemon=True).start()
    try:
        while not done.wait(LOOK):
            if time.monotonic() - begun > QUERY_SECONDS.most:
                raise QUERY_SECONDS.exceeded(what)
            if resident_memory() - before > MEMORY.most:
                raise MEMORY.exceeded(what)
    except BaseException:
        stop()
        done.wait(PATIENCE)
        raise
    if errors:
        raise errors[0]
    return results[0]


def resident_memory() -> int:
    """Return the bytes of memory that this process holds; the most it ever held on macOS."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
