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

from evallang.engine.backends.backend import FitLimits, Work, outcome
from evallang.models.foreign_errors import FitLost, memory_loss, time_loss
from evallang.user_code import flush_streams, leave_stdout_to_us

AGAIN = 0.05  # seconds until a fit that reached its limit in an import is ended
IMPORTING = importlib._bootstrap._find_and_load.__code__.co_filename  # type: ignore[attr-defined]


class Setup(Struct, frozen=True):
    """What a worker takes over from the main process before its first task."""

    work: Work[Any, Any]
    limits: FitLimits
    path: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str


class At(Struct, frozen=True):
    """Sent where a fit begins or ends: its place, "" outside of one, and how many have ended.

    `seconds` is what earlier steps of the fit took.
    """

    place: str
    fits: int
    seconds: float = 0.0


class Made(Struct, frozen=True):
    """Sent with an outcome: `lacking` where a fit ran out of memory or of file descriptors."""

    outcome: Any
    lacking: bool


def serve(descriptor: int) -> None:
    """Run tasks from a socket, one after another."""
    connection = Connection(descriptor)
    with suppress(EOFError, ConnectionError):  # the run is over
        setup: Setup = pickle.loads(connection.recv_bytes())
        sys.path[:] = setup.path
        os.environ.clear()
        os.environ.update(setup.environment)
        with suppress(OSError):
            os.chdir(setup.folder)
        leave_stdout_to_us()
        monitor = _Monitor(connection, setup.limits)
        while True:
            task = pickle.loads(connection.recv_bytes())
            try:
                monitor.lacking = False
                made = outcome(setup.work, task, monitor)
                flush_streams()
                monitor.send(Made(made, monitor.lacking))
            except BaseException:
                if task.own_code:  # which has closed the socket or replaced a function
                    os._exit(1)
                raise


class _Monitor:
    """Tells the main process of each fit, and ends those that reach a limit."""

    def __init__(self, connection: "Connection[Any, Any]", limits: FitLimits) -> None:
        self._connection, self._limits = connection, limits
        self._fits = 0
        self._armed = False
        self.lacking = False
        if limits.seconds is not None:
            signal.signal(signal.SIGALRM, self._end_fit)
        if limits.memory is not None:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            most = limits.memory if hard < 0 else min(limits.memory, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

    def send(self, message: At | Made) -> None:
        self._connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    @contextmanager
    def fitting(self, at: str, *, ends: bool, seconds: float = 0.0) -> Iterator[None]:
        limits = self._limits
        self.send(At(at, self._fits, seconds))
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
            self.send(At("", self._fits))

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
