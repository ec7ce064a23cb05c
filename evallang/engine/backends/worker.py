"""A worker: a process forked from the fork server that runs tasks until its socket closes."""

import errno
import importlib
import os
import pickle
import resource
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from msgspec import Struct

from evallang.engine.backends.backend import FitLimits, Monitor, Work
from evallang.engine.backends.page import Page
from evallang.models.losses import FitLost, memory_loss, time_loss
from evallang.own_output import flush_streams, leave_stdout_to_us

AGAIN = 0.05  # seconds until a fit that reached its limit in an import is ended
IMPORTING = importlib._bootstrap._find_and_load.__code__.co_filename  # type: ignore[attr-defined]


class Setup(Struct, frozen=True):
    """What a worker takes over from the main process before its first task."""

    work: Work[Any, Any]
    limits: FitLimits
    path: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str


class Raised(Struct, frozen=True):
    """An exception that ended a task: one of evallang itself, as those of fits are outcomes."""

    error: BaseException
    trace: str


class Lacking(Struct, frozen=True):
    """The outcome of a task in which a fit ran out of memory or of file descriptors."""

    made: Any


def serve(tasks: int, page: int, errors: int) -> None:
    """Run batches of tasks from a socket; all output goes to the descriptor `errors`."""
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    os.close(errors)
    connection = Connection(tasks)
    try:
        setup: Setup = pickle.loads(connection.recv_bytes())
        sys.path[:] = setup.path
        os.environ.clear()
        os.environ.update(setup.environment)
        with suppress(OSError):
            os.chdir(setup.folder)
        leave_stdout_to_us()
        monitor = _Monitor(Page(page), setup.limits)
        while True:
            batch = pickle.loads(connection.recv_bytes())
            for task in batch:
                monitor.lacking = False
                with _broken_by_own_code(task):
                    made = outcome(setup.work, task, monitor)
                    if monitor.lacking:
                        made = Lacking(made)
                    flush_streams()
                    connection.send_bytes(pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
            del batch
    except (EOFError, ConnectionError):  # the run is over
        return


@contextmanager
def _broken_by_own_code(task: Any) -> Iterator[None]:
    """End the process silently where own code has broken what sends its outcome.

    It may close the socket or replace a function; the main process reports the process that died.
    """
    try:
        yield
    except BaseException:
        if task.own_code:
            os._exit(1)
        raise


def outcome(work: Work[Any, Any], task: Any, monitor: Monitor) -> Any:
    """Run a task; return what it made, or what it raised."""
    try:
        return work(task, monitor)
    except BaseException as error:
        import traceback

        trace = "".join(traceback.format_exception(error))
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # an exception whose class needs more than its arguments
            return Raised(RuntimeError(f"{type(error).__name__}: {error}"), trace)
        return Raised(error, trace)


class _Monitor:
    """States each fit on the page, and ends those that reach a limit."""

    def __init__(self, page: Page, limits: FitLimits) -> None:
        self._page, self._limits = page, limits
        self._fits = 0
        self._armed = False
        self.lacking = False
        if limits.seconds is not None:
            signal.signal(signal.SIGALRM, self._end_fit)
        if limits.memory is not None:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            most = limits.memory if hard < 0 else min(limits.memory, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

    @contextmanager
    def fitting(self, at: str, *, ends: bool, seconds: float = 0.0) -> Iterator[None]:
        limits = self._limits
        self._page.begin(at, seconds)
        try:
            if limits.seconds is not None:
                self._armed = True
                signal.setitimer(signal.ITIMER_REAL, max(limits.seconds - seconds, 1e-3))
            yield
        except OSError as error:
            self.lacking |= error.errno == errno.EMFILE
            raise
        except MemoryError as error:
            self.lacking = True
            if limits.memory is None:
                raise
            raise FitLost(memory_loss(limits.memory)) from error
        finally:
            self._armed = False
            if limits.seconds is not None:
                signal.setitimer(signal.ITIMER_REAL, 0)
            self._fits += ends
            self._page.end(self._fits)

    def _end_fit(self, _: int, frame: FrameType | None) -> None:
        if self._armed and threading.current_thread() is threading.main_thread():
            assert self._limits.seconds is not None
            if _imports(frame):
                signal.setitimer(signal.ITIMER_REAL, AGAIN)
                return
            raise FitLost(time_loss(self._limits.seconds))


def _imports(frame: FrameType | None) -> bool:
    """Return whether a module is being imported, which an exception would leave half made."""
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            return True
        frame = frame.f_back
    return False
