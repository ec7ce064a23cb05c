"""A process that imports what fits need and then forks workers within milliseconds.

It is started, never forked, by the main process: polars and OpenBLAS do not survive a fork. It
starts no thread, and searches no module next to a study. `multiprocessing` has a fork server too,
which imports the script that started it again in every worker and is shared with the author's own
code.

Server and workers end with the main process, however that ends: the server sees its socket closed,
on Linux even during an import, and there the system kills a worker whose server is gone, and the
programs that an author's own code has started end with their worker.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from evallang.engine.backends.backend import WorkersLost
from evallang.own_python import own_environment, own_python

MESSAGE = struct.Struct("<cqq")
"""Its kind, the number of a worker, and an exit code or error. To fork comes with a descriptor."""
FORK, KILL, DIED, REFUSED = b"F", b"K", b"D", b"R"

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
"""Variables that keep BLAS and OpenMP from starting threads, which a fork would lose."""

START = "from evallang.engine.backends.fork_server import serve; serve()"
EVERY = 0.02  # seconds between looks at workers
END_WITHIN = 0.5  # seconds in which killed processes and the server have ended
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class ForkServer:
    """The main process's end of a fork server, which has imported some modules."""

    def __init__(self, modules: Sequence[str] = ()) -> None:
        self.modules, self.lost = modules, False
        self._n = 0
        self._socket, theirs = socket.socketpair()
        words = (str(theirs.fileno()), str(os.getpid()), *modules)
        with theirs, interrupts_blocked():
            self._process = subprocess.Popen(
                own_python(START, *words),
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[theirs.fileno()],
                env=own_environment(**dict.fromkeys(ONE_THREAD, "1")),
            )

    def fileno(self) -> int:
        """Return the descriptor that is readable when a worker has died."""
        return self._socket.fileno()

    def fork(self, descriptor: int) -> int:
        """Start a worker that serves a socket; return its number."""
        self._n += 1
        try:
            socket.send_fds(self._socket, [MESSAGE.pack(FORK, self._n, 0)], [descriptor])
        except OSError as error:
            raise self._ended() from error
        return self._n

    def kill(self, number: int) -> None:
        """Kill a worker; its death is reported later."""
        try:
            self._socket.sendall(MESSAGE.pack(KILL, number, 0))
        except OSError as error:
            raise self._ended() from error

    def deaths(self) -> list[tuple[int, int]]:
        """Return workers that have died, each with its exit code, negative for a signal."""
        found = []
        while select.select([self._socket], [], [], 0)[0]:
            try:
                content = self._socket.recv(MESSAGE.size, socket.MSG_WAITALL)
            except ConnectionError:
                content = b""
            if len(content) < MESSAGE.size:
                raise self._ended()
            kind, number, code = MESSAGE.unpack(content)
            if kind == REFUSED:
                raise WorkersLost(f"the system started no process: {os.strerror(code)}")
            found.append((number, code))
        return found

    def close(self) -> None:
        """End the server, which kills its workers.

        The signal ends it in the middle of an import too, where it would see the closed socket too
        late: a command that Ctrl-C ends has less than two seconds to leave nothing.
        """
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(2 * END_WITHIN)
        except subprocess.TimeoutExpired:  # in C code
            self._process.kill()
            self._process.wait()

    def _ended(self) -> WorkersLost:
        self.lost = True
        return WorkersLost("the process that starts those for fits has ended")


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C, which a terminal sends to all of them at once.

    They inherit the blocked signal; only this process answers, and ends them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in the server -----------------------------------------------------------------------------


def serve() -> None:
    """Answer the main process until it ends or closes its end."""
    descriptor, parent, *modules = sys.argv[1:]
    server = _Server(socket.socket(fileno=int(descriptor)))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: server.end())
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == int(parent):
        for name in modules:
            with contextlib.suppress(Exception):  # the fit that needs it reports its errors
                import_module(name)
        with contextlib.suppress(ConnectionError):
            server.run()
    server.end()


class _Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._workers: dict[int, int] = {}

    def run(self) -> None:
        """Fork and kill workers, and report those that have died."""
        while True:
            wait = EVERY if self._workers else None
            if select.select([self._control], [], [], wait)[0]:
                content, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE.size, 1)
                if len(content) < MESSAGE.size:
                    return
                kind, number, _ = MESSAGE.unpack(content)
                if kind == FORK:
                    self._fork(number, descriptors[0])
                elif number in self._workers:
                    os.kill(self._workers[number], signal.SIGKILL)
            self._report()

    def _fork(self, number: int, descriptor: int) -> None:
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            os.close(descriptor)
            self._control.sendall(MESSAGE.pack(REFUSED, number, error.errno or 0))
            return
        if pid:
            os.close(descriptor)
            self._workers[number] = pid
            return
        try:
            for ending in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(ending, signal.SIG_DFL)
            self._control.close()
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # even in the middle of C code
            if os.getppid() == server:
                from evallang.engine.backends import worker

                worker.serve(descriptor)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)

    def _report(self) -> None:
        for number, pid in tuple(self._workers.items()):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                del self._workers[number]
                for orphan in _children() - set(self._workers.values()):
                    _kill(orphan)
                code = os.waitstatus_to_exitcode(status)
                self._control.sendall(MESSAGE.pack(DIED, number, code))

    def end(self) -> None:
        """Kill the workers, then the programs that they have started, and end."""
        deadline = time.monotonic() + END_WITHIN
        alive = set(self._workers.values()) | _children()
        while alive and time.monotonic() < deadline:
            for pid in alive:
                _kill(pid)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(EVERY / 4)
            alive = _children()
        os._exit(0)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
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
