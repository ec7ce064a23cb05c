"""A process that imports what fits need and then forks workers within milliseconds.

It is started, never forked, by the main process: polars and OpenBLAS do not survive a fork.
The server itself starts no thread, imports neither polars nor matplotlib, and searches no
module next to a study. `multiprocessing` has a fork server too, which imports the script that
started it again in every worker, leaves its socket's folder behind when it is killed, and is
shared with the author's own code; therefore it is not used here.

Server and workers end with the main process, however that ends: the server sees its socket
closed and kills the workers, and on Linux the system kills a worker whose server is gone.
There the programs that an author's own code has started end with their worker, too.
"""

import atexit
import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from evallang.engine.backends.backend import WorkersLost

FORK, KILL, IMPORT = b"F", b"K", b"I"
NUMBER = struct.Struct("<q")
REPLY = struct.Struct("<cqq")
STARTED, EXITED = b"S", b"X"

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
"""Variables that keep BLAS and OpenMP from starting threads, which a fork would lose."""

START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); "
    "from evallang.engine.backends.fork_server import serve; serve(int(sys.argv[1]))"
)
END_WITHIN = 1.0  # seconds that killed processes are waited for
PAUSE = 0.005  # seconds between two looks at them


# --- in the main process -----------------------------------------------------------------------


class ForkServer:
    """The main process's end of a fork server, used by one run at a time."""

    def __init__(self) -> None:
        self.exits: list[tuple[int, int]] = []
        self.alive: set[int] = set()
        self._asked_for = 0
        self._ended = False
        self._socket, theirs = socket.socketpair()
        path = json.dumps([entry for entry in sys.path if entry])
        flags = ["-P", *(["-E"] if sys.flags.ignore_environment else [])]
        flags += ["-s"] if sys.flags.no_user_site else []
        with theirs, _interrupts_blocked():
            self._process = subprocess.Popen(
                [sys.executable, *flags, "-c", START, str(theirs.fileno()), path],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONSAFEPATH": "1", **dict.fromkeys(ONE_THREAD, "1")},
            )

    def fileno(self) -> int:
        """Return the descriptor that is readable when a worker has died."""
        return self._socket.fileno()

    def import_modules(self, names: Sequence[str]) -> None:
        """Import modules in the server, so that workers have them from their start."""
        content = json.dumps(list(names)).encode()
        self._send(IMPORT + NUMBER.pack(len(content)) + content)

    def fork(self, descriptors: Sequence[int]) -> None:
        """Ask for a worker with these descriptors (see `worker.serve`)."""
        try:
            socket.send_fds(self._socket, [FORK], list(descriptors))
        except OSError as error:
            raise self._lost() from error
        self._asked_for += 1

    def started(self) -> int:
        """Return the number of the next worker that was asked for, once it has started."""
        while True:
            kind, pid, status = self._reply()
            if kind == STARTED:
                self._asked_for -= 1
                if pid < 0:
                    raise WorkersLost(f"the system started no process: {os.strerror(status)}")
                self.alive.add(pid)
                return pid
            self._note_exit(pid, status)

    def kill(self, pid: int) -> None:
        """Kill a worker; its exit is reported later."""
        self._send(KILL + NUMBER.pack(pid))

    def read_exits(self) -> list[tuple[int, int]]:
        """Return workers that have exited, each with its status, negative for a signal."""
        while select.select([self._socket], [], [], 0)[0]:
            kind, pid, status = self._reply()
            if kind == EXITED:
                self._note_exit(pid, status)
        found, self.exits = self.exits, []
        return found

    def kill_all(self) -> bool:
        """Kill all workers; return whether they are gone, and the server can serve another run."""
        try:
            for pid in self.alive:
                self.kill(pid)
            while self.alive:
                if not select.select([self._socket], [], [], END_WITHIN)[0]:
                    return False
                self.read_exits()
        except WorkersLost:
            return False
        self.exits.clear()
        return not self._asked_for and not self._ended

    def close(self) -> None:
        """End the server, which kills its workers."""
        self._socket.close()
        try:
            self._process.wait(END_WITHIN / 5)
        except subprocess.TimeoutExpired:  # in the middle of an import
            self._process.kill()
            self._process.wait()

    def abandon(self) -> None:
        """Forget a server of a parent process, in its forked child."""
        self._socket.close()
        self._process.returncode = 0

    def _lost(self) -> WorkersLost:
        self._ended = True
        return WorkersLost("the process that starts those for fits has ended")

    def _note_exit(self, pid: int, status: int) -> None:
        self.alive.discard(pid)
        self.exits.append((pid, status))

    def _reply(self) -> tuple[bytes, int, int]:
        content = _exactly(self._socket, REPLY.size)
        if content is None:
            raise self._lost()
        kind, pid, status = REPLY.unpack(content)
        return kind, pid, status

    def _send(self, content: bytes) -> None:
        try:
            self._socket.sendall(content)
        except OSError as error:
            raise self._lost() from error


_LOCK = threading.Lock()
_IDLE: list[ForkServer] = []


def prepare(modules: Sequence[str]) -> None:
    """Start a server that imports modules while this process does something else."""
    with _LOCK, contextlib.suppress(WorkersLost):  # a run replaces a server that was killed
        if not _IDLE:
            _IDLE.append(ForkServer())
        _IDLE[0].import_modules(modules)


@contextmanager
def taken() -> Iterator[ForkServer]:
    """Yield a server for one run, whose workers end with it; keep it for the next one."""
    with _LOCK:
        server = _IDLE.pop() if _IDLE else ForkServer()
    try:
        yield server
    except BaseException:
        server.kill_all()
        server.close()
        raise
    gone = server.kill_all()
    with _LOCK:
        if gone and not _IDLE:
            _IDLE.append(server)
            return
    server.close()


def _end_idle() -> None:
    while _IDLE:
        _IDLE.pop().close()


def _forget_idle() -> None:
    while _IDLE:
        _IDLE.pop().abandon()


atexit.register(_end_idle)
os.register_at_fork(after_in_child=_forget_idle)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start a process that does not hear Ctrl-C, which a terminal sends to all of them at once.

    It inherits the blocked signal, and so do its workers; only this process answers, and
    ends them.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _exactly(stream: socket.socket, size: int) -> bytes | None:
    """Read so many bytes; None at the end of the stream."""
    content = b""
    while len(content) < size:
        try:
            piece = stream.recv(size - len(content))
        except ConnectionError:
            return None
        if not piece:
            return None
        content += piece
    return content


# --- in the server -----------------------------------------------------------------------------


def serve(descriptor: int) -> None:
    """Answer the main process until it closes its end."""
    server = _Server(socket.socket(fileno=descriptor))
    try:
        server.end_in_imports()
        server.run()
    except (BrokenPipeError, ConnectionError):  # it has ended
        pass
    finally:
        server.end_all()
    os._exit(0)


class _Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._workers: set[int] = set()
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._woken, False)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # a handler, so that the pipe is written
        _adopt_orphans()

    def run(self) -> None:
        while True:
            control = self._control.fileno()
            ready = select.select([control, self._woken], [], [])[0]
            if self._woken in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._woken, 4096)
                self._report_exits()
            if control in ready and not self._answer():
                return

    def end_all(self) -> None:
        """Kill the workers, and then the programs that they have started."""
        deadline = time.monotonic() + END_WITHIN
        while (alive := self._workers | _children()) and time.monotonic() < deadline:
            for pid in alive:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    if os.waitpid(pid, os.WNOHANG)[0]:
                        self._workers.discard(pid)
            time.sleep(PAUSE)

    def end_in_imports(self) -> None:
        """End with the main process also during an import, which takes seconds on a busy machine.

        The system sends a signal when the socket is closed.
        """
        import fcntl

        signal.signal(signal.SIGIO, lambda *_: self._end_if_alone())
        signal.siginterrupt(signal.SIGIO, False)
        control = self._control.fileno()
        fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(control, fcntl.F_GETFL)
        fcntl.fcntl(control, fcntl.F_SETFL, flags | os.O_ASYNC)
        self._end_if_alone()

    def _end_if_alone(self) -> None:
        poll = select.poll()
        poll.register(self._control, 0)  # which reports a closed socket alone
        if poll.poll(0):
            self.end_all()
            os._exit(0)

    def _answer(self) -> bool:
        """Answer one request; return False once there will be no more."""
        kind, descriptors, _, _ = socket.recv_fds(self._control, 1, 4)
        if kind == FORK:
            self._fork(descriptors)
        elif kind == KILL:
            pid = self._number()
            if pid in self._workers:
                os.kill(pid, signal.SIGKILL)
        elif kind == IMPORT:
            content = _exactly(self._control, self._number()) or b"[]"
            for name in json.loads(content):
                _import(name)
        return bool(kind)

    def _number(self) -> int:
        content = _exactly(self._control, NUMBER.size)
        return 0 if content is None else int(NUMBER.unpack(content)[0])

    def _fork(self, descriptors: list[int]) -> None:
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            for number in descriptors:
                os.close(number)
            self._control.sendall(REPLY.pack(STARTED, -1, error.errno or 0))
            return
        if pid:
            self._workers.add(pid)
            for number in descriptors:
                os.close(number)
            self._control.sendall(REPLY.pack(STARTED, pid, 0))
            return
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGIO):
                signal.signal(number, signal.SIG_DFL)
            self._control.close()
            os.close(self._woken)
            os.close(self._wake)
            _end_with(server)
            from evallang.engine.backends import worker

            worker.serve(*descriptors)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)

    def _report_exits(self) -> None:
        for pid in sorted(self._workers):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                self._workers.discard(pid)
                self._end_orphans()
                code = os.waitstatus_to_exitcode(status)
                self._control.sendall(REPLY.pack(EXITED, pid, code))
        for orphan in _children() - self._workers:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(orphan, os.WNOHANG)

    def _end_orphans(self) -> None:
        """Kill the programs that an author's own code started in a worker that has ended."""
        for orphan in _children() - self._workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)


def _import(name: str) -> None:
    """Import a module for all workers; the fit that needs it reports its errors."""
    with contextlib.suppress(Exception):
        import_module(name)


PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def _adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends, as Linux allows."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def _children() -> set[int]:
    """Return the children of this process, the dead among them; none where it is not known."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return set(map(int, file.read().split()))
    except OSError:
        return set()


def _end_with(server: int) -> None:
    """Tie this worker to its server, whose end then kills it even in the middle of C code."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)
