"""Local processes, spawned and never forked: polars and OpenBLAS do not survive a fork."""

import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import TypeVar

from evallang.own_output import leave_stdout_to_us
from evallang.registry import lazy

joblib = lazy("joblib")

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable that keeps Python from putting the current folder on its path."""

Given = TypeVar("Given")
Made = TypeVar("Made")


def run(
    work: Callable[[Given], Made], tasks: Sequence[Given], jobs: int
) -> Generator[Made, None, None]:
    """Run every task on `jobs` processes; yields outcomes as they come.

    Closing the iterator, or an interruption, ends the processes before it returns.
    """
    pool = joblib.Parallel(
        n_jobs=jobs, backend="loky", return_as="generator_unordered", max_nbytes=None
    )
    outcomes, unset = None, SAFE_PATH not in os.environ
    with _children_with_safe_path():
        try:
            with _deaf_to_interrupts():
                outcomes = pool(joblib.delayed(_in_worker)(work, task, unset) for task in tasks)
            yield from outcomes
        finally:
            if outcomes is not None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # joblib's advice on generators that end early
                    outcomes.close()


def _in_worker(work: Callable[[Given], Made], task: Given, unset: bool) -> Made:
    """Run a task in a worker, whose prints go to stderr and whose own children are as ever."""
    leave_stdout_to_us()
    if unset:
        os.environ.pop(SAFE_PATH, None)
    return work(task)


@contextmanager
def _children_with_safe_path() -> Iterator[None]:
    """Start Python without the current folder on its path for modules: workers and trackers.

    `python -m` and `python -c` put it first, before a worker is told its path; a `json.py`
    beside a study would be run. Workers may be started, and started again, at any time.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C, which a terminal sends to all of them at once.

    They inherit the blocked signal; only this process then answers, and ends them. Left
    alone, each would print a traceback of its own. An interruption meanwhile is kept, for
    processes half started are not found again, and answered at the end.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # started later, it would unblock the signal
    kept: list[int] = []
    answer = signal.signal(signal.SIGINT, lambda number, _: kept.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, answer)
        if kept:
            signal.raise_signal(signal.SIGINT)
