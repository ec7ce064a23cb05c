"""A process that imports what fits need and then forks workers within milliseconds.

It is started, never forked, by the main process: polars and OpenBLAS do not survive a fork. It
starts no thread, and searches no module next to a study. `multiprocessing` has a fork server too,
which imports the script that started it again in every worker and is shared with the author's own
code.

Server and workers end with the main process, however that ends: the server sees its socket closed,
on Linux even during an import, and there the system kills a worker whose server is gone, and the
programs that an author's own code has started end with their worker.
"""

import ctypes
import errno
import gc
import os
import pickle
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from traceback import walk_stack
from types import FrameType
from typing import Any

from msgspec import Struct

from evallang.engine.backends.backend import WHOLE, Answer, FitLimits, Monitor, answer
from evallang.models.foreign_errors import FitLost, memory_loss, time_loss
from evallang.user_code import flush_streams, leave_stdout_to_us

MESSAGE = struct.Struct("<qq")
"""To the server: the number of a worker to fork, if a descriptor comes with it, or to kill.
From it: the number of a worker that has died and its exit code, negative for a signal; or
`REFUSED` and the error with which the system started none."""

REFUSED = 0
EVERY = 0.02  # seconds between looks at workers
END_WITHIN = 0.5  # seconds in which killed processes and the server have ended
AGAIN = 0.05  # seconds until a fit that reached its limit in an import is ended
IMPORTING = "<frozen importlib._bootstrap>"  # the file of the code that imports modules
ENDINGS = signal.SIGTERM, signal.SIGHUP
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def serve() -> None:
    """Answer the main process until it ends or closes its end."""
    descriptor, *modules = sys.argv[1:]
    server = _Server(socket.socket(fileno=int(descriptor)))
    for number in ENDINGS:
        signal.signal(number, lambda *_: server.end())
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    for name in modules:
        # what needs it reports its errors, of which WeasyPrint prints one too
        with suppress(Exception), redirect_stdout(None):
            import_module(name)
    gc.set_threshold(500_000)  # as in the main process
    gc.freeze()
    with suppress(ConnectionError):
        server.run()
    server.end()


class _Server:
    """The socket of the main process, and the processes of workers by their numbers."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._workers: dict[int, int] = {}

    def run(self) -> None:
        """Fork and kill workers, and report those that have died."""
        while True:
            if select.select([self._control], [], [], EVERY if self._workers else None)[0]:
                content, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE.size, 1)
                if not content:
                    return
                number, _ = MESSAGE.unpack(content)
                if descriptors:
                    self.fork(number, *descriptors)
                elif number in self._workers:
                    _kill(self._workers[number])
            for number, pid in tuple(self._workers.items()):
                found, status = os.waitpid(pid, os.WNOHANG)
                if found:
                    del self._workers[number]
                    for orphan in _children() - set(self._workers.values()):
                        _kill(orphan)
                    self._send(number, os.waitstatus_to_exitcode(status))

    def _send(self, number: int, code: int) -> None:
        self._control.sendall(MESSAGE.pack(number, code))

    def fork(self, number: int, descriptor: int) -> None:
        """Start a worker that serves a socket."""
        try:
            pid = os.fork()
        except OSError as error:
            self._send(REFUSED, error.errno or 0)
            return
        if pid:
            os.close(descriptor)
            self._workers[number] = pid
            return
        try:
            for ending in ENDINGS:
                signal.signal(ending, signal.SIG_DFL)
            self._control.close()
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # even in the middle of C code
            with suppress(EOFError, ConnectionError):  # the run is over
                run_tasks(Connection(descriptor))
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)

    def end(self) -> None:
        """Kill the workers, then the programs that they have started, and end."""
        deadline = time.monotonic() + END_WITHIN
        alive = set(self._workers.values()) | _children()
        while alive and time.monotonic() < deadline:
            for pid in alive:
                _kill(pid)
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(EVERY / 4)
            alive = _children()
        os._exit(0)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _children() -> set[int]:
    """Return the children of this process, the dead among them; none where it is not known."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return set(map(int, file.read().split()))
    except OSError:
        return set()


def _prctl(option: int, value: int) -> None:
    """State to the system what becomes of processes whose parent ends, as Linux allows."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(option, value)


# --- in a worker -------------------------------------------------------------------------------


class News(Struct, frozen=True):
    """Sent where a step of a fit begins and ends, and with the answer to a task.

    `place` is that of the fit that begins, and `seconds` what its earlier steps took. `ended` is
    whether a fit ended, `lacking` whether one ran out of memory or of file descriptors.
    """

    place: str = WHOLE
    seconds: float = 0.0
    ended: bool = False
    answer: Answer | None = None
    lacking: bool = False


def run_tasks(connection: "Connection[Any, Any]") -> None:
    """Run tasks from a socket, one after another."""
    work, limits, sys.path[:], environment = pickle.loads(connection.recv_bytes())
    os.environ.clear()
    os.environ.update(environment)
    leave_stdout_to_us()
    monitor = _LimitedFits(connection, limits)
    while True:
        task = pickle.loads(connection.recv_bytes())
        try:
            monitor.lacking = False
            found = answer(work, task, monitor)
            flush_streams()
            monitor.send(News(answer=found, lacking=monitor.lacking))
        except BaseException:
            if task.own_code:  # which has closed the socket or replaced a function
                os._exit(1)
            raise


class _LimitedFits(Monitor):
    """Tells the main process of each fit, and ends those that reach a limit."""

    def __init__(self, connection: "Connection[Any, Any]", limits: FitLimits) -> None:
        self._connection, self._limits = connection, limits
        self._armed = self.lacking = False
        if limits.seconds is not None:
            signal.signal(signal.SIGALRM, self._end_fit)
        if limits.memory is not None:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            most = limits.memory if hard < 0 else min(limits.memory, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

    def send(self, news: News) -> None:
        self._connection.send_bytes(pickle.dumps(news))

    @contextmanager
    def fitting(self, at: str, *, ends: bool, seconds: float = 0.0) -> Iterator[None]:
        limits = self._limits
        self.send(News(at, seconds))
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
            self.send(News(ended=ends))

    def _end_fit(self, _: int, frame: FrameType | None) -> None:
        if not self._armed or self._limits.seconds is None:
            return
        # an exception in the middle of an import would leave a half-made module to later fits
        if any(found.f_code.co_filename == IMPORTING for found, _ in walk_stack(frame)):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return
        raise FitLost(time_loss(self._limits.seconds))
