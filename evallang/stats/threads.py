"""Work in two threads of one process, where compiled code leaves the interpreter free."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import threadpoolctl

THREADS = 2


def run_in_threads(
    work: Callable[[int], None], numbers: Iterable[int], *, at_once: bool = True
) -> Iterator[int]:
    """Call `work` with each number, and yield the numbers in order as they are done.

    Threads come to the numbers in any order: what `work` writes for one must not depend on
    another. An exception ends the rest; an interruption does not wait for what is being computed.
    One by one unless `at_once`.
    """
    left = list(numbers)
    threads = min(THREADS, processors(), len(left))
    if threads < 2 or not at_once:
        for number in left:
            work(number)
            yield number
        return
    from concurrent.futures import ThreadPoolExecutor  # slow, and no check of a study needs it

    pool, wait = ThreadPoolExecutor(threads), True
    try:
        for number, done in [(number, pool.submit(work, number)) for number in left]:
            done.result()
            yield number
    except KeyboardInterrupt:
        wait = False
        raise
    finally:
        pool.shutdown(wait, cancel_futures=True)


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def numeric_libraries() -> Any:
    """Find the BLAS and OpenMP libraries of this process, whose threads can be limited."""
    return _libraries(len(sys.modules))


@lru_cache(maxsize=1)
def _libraries(_modules: int) -> Any:
    """Find the libraries, which takes milliseconds; again only when more modules are loaded."""
    return threadpoolctl.ThreadpoolController()
