"""Files and queries that may exhaust memory or time are read in a process of their own.

Its data are limited (`RLIMIT_DATA`) to what it holds when it starts and the limit `memory`, so that
what a file of three kilobytes does to it costs nobody else anything: its death is an error about
that file. A process reads file after file; one that dies although it had read others before may
have died of them, and the file is read once more in a new one.
"""

import ctypes
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from evallang.data.files import note_outside, paths_taken
from evallang.data.findings import Refused
from evallang.data.remote import network, network_allowed
from evallang.diagnostics import codes
from evallang.limits import MEMORY, READ_SECONDS, Limit, changed_limits, limits
from evallang.own_python import own_environment, own_python

START = "from evallang.data.reading import serve; serve()"
LACKING = 3  # exit code of a process that lacks memory
OF_MEMORY = (LACKING, -signal.SIGABRT, -signal.SIGKILL)  # polars aborts, the system kills
ENDED_WITHIN = 0.5  # seconds after Ctrl-C, in which the client of a server stops its query
LONGEST_WAIT = 2_000_000  # seconds; a system waits for no longer
PR_SET_PDEATHSIG = 1
EVERY = 0.5  # seconds between looks at a process that reads
STUCK = 16  # looks without work after which it waits for what it has not: memory
TEXTS = (".csv", ".tsv", ".arff")
TIMES = 40  # the memory that a text without long lines takes at most, by its bytes
SMALL = 4_000_000  # bytes of a text that is read here whatever the limit
SMALL_JSON = 20_000  # bytes; each of a thousand lines may have a thousand names
BLOCK = 1 << 15  # bytes; a line that is longer may have very many columns

T = TypeVar("T")


def may_exhaust(path: Path, ending: str) -> bool:
    """Return whether reading a file may take far more memory than it has bytes."""
    with suppress(OSError, ValueError):  # whoever reads it reports that it cannot be opened
        if path.is_file():
            size = path.stat().st_size
            if ending == ".jsonl":
                return size > SMALL_JSON
            if ending not in TEXTS or size > max(SMALL, MEMORY.most // TIMES):
                return True
            with path.open("rb") as file:
                blocks = iter(partial(file.read, BLOCK), b"")
                return any(len(block) == BLOCK and b"\n" not in block for block in blocks)
    return False


class Reader:
    """A process that reads, started when it is first needed, and again where it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, what: str, limit: Limit, request: bytes, *, alone: bool) -> Any:
        """Return what a request reads; `limit` is that of its seconds.

        Where it reads `alone`, without a server or store, it always works: polars may wait for
        ever after one of its threads has got no memory.
        """
        again = self._process is not None
        try:
            if self._process is None:
                self._start()
            self._connection.send_bytes(request)
            if not self._answered(min(limit.most, LONGEST_WAIT), alone=alone):
                raise limit.exceeded(what)
            value, error, taken = pickle.loads(self._connection.recv_bytes())
        except (EOFError, ConnectionError):
            code = self.close()
            if again:
                return self.read(what, limit, request, alone=alone)
            if code in OF_MEMORY:
                raise MEMORY.exceeded(f"{what}, while it is read") from None
            message = f"{what} cannot be read: the process that reads it ended with code {code}"
            raise Refused(codes.unreadable_file, message, help="write the file again") from None
        except BaseException:
            self.close(ENDED_WITHIN)
            raise
        for location in taken:
            note_outside(location)
        if error is not None:
            raise error
        return value

    def _answered(self, seconds: float, *, alone: bool) -> bool:
        """Wait for an answer, or the end of the process; return False where it takes too long."""
        assert self._process is not None, "it was asked"
        ends = time.monotonic() + seconds
        worked, idle = "", 0
        while not self._connection.poll(min(EVERY, max(ends - time.monotonic(), 0))):
            if time.monotonic() >= ends:
                return False
            found = _seconds_of_work(self._process.pid)
            idle = idle + 1 if alone and found and found == worked else 0
            worked = found
            if idle > STUCK:
                self._process.kill()
        return True

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._connection: Connection[Any, Any] = Connection(ours.detach())
        with theirs:
            self._process = subprocess.Popen(
                own_python(START, str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # where polars tells of its last words
                pass_fds=[theirs.fileno()],
                env=own_environment(OPENBLAS_NUM_THREADS="1"),
                start_new_session=True,  # this process hears Ctrl-C, and ends that one
            )

    def close(self, patience: float = 0.0) -> int | None:
        """End the process; return its exit code, negative for a signal."""
        process, self._process = self._process, None
        if process is None:
            return None
        self._connection.close()
        if patience:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):  # it is in C code
                process.wait(patience)
        process.kill()
        return process.wait()


_READER: ContextVar[Reader | None] = ContextVar("reader", default=None)


@contextmanager
def reading(memory: int | None = None) -> Iterator[Reader]:
    """Read with one process within the context, in at most `memory` bytes unless a limit is set."""
    stated = MEMORY.name in changed_limits()
    with limits(**({} if stated or memory is None else {MEMORY.name: memory})):
        known = _READER.get()
        if known is not None:
            yield known
            return
        reader = Reader()
        token = _READER.set(reader)
        try:
            yield reader
        finally:
            _READER.reset(token)
            reader.close()


def _seconds_of_work(pid: int) -> str:
    """Return the time that a waiting process has spent in user and system mode.

    It is empty where that is unknown, and of one that is stopped or waits for a disk or processor.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    state, *fields = text.rpartition(")")[2].split()
    return " ".join(fields[10:12]) if state == "S" else ""


def read_apart(
    what: str,
    read: Callable[..., T],
    *arguments: Any,
    limit: Limit = READ_SECONDS,
    alone: bool = True,
) -> T:
    """Return what a function reads in the process that may die of it.

    `what` names the file or query in messages; it is read `alone` without a server or store.
    Raises what the function raises, and `OverLimit` where it takes more than the limits allow.
    """
    call = partial(read, *arguments)
    settings = dict(changed_limits()), network_allowed(), dict(os.environ)
    with reading() as reader:
        found: T = reader.read(what, limit, pickle.dumps((call, *settings)), alone=alone)
        return found


# --- in the process that reads ---------------------------------------------------------------


def serve() -> None:
    """Read what the main process asks for, until it ends."""
    import polars as pl

    if sys.platform.startswith("linux"):  # end with the main process, even in the middle of C code
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    connection: Connection[Any, Any] = Connection(int(sys.argv[1]))
    pl.LazyFrame({"x": [1]}).select(pl.len()).collect(engine="streaming")  # starts its threads
    held = _held()
    with suppress(EOFError, ConnectionError, KeyboardInterrupt):
        most = MEMORY.most
        while _held() - held <= most / 4:  # what is left of a file is not taken from the next one
            try:
                answer, most = _answer(connection.recv_bytes(), held)
                connection.send_bytes(pickle.dumps(answer))
            except MemoryError:
                os._exit(LACKING)


def _answer(request: bytes, held: int) -> tuple[tuple[Any, Exception | None, list[str]], int]:
    """Return what a request reads or raises, paths out of the study's folder, and its memory."""
    call, changed, allowed, environment = pickle.loads(request)
    os.environ.clear()
    os.environ.update(environment)
    with limits(**changed), network(allowed), paths_taken() as taken:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        soft = held + MEMORY.most
        resource.setrlimit(resource.RLIMIT_DATA, (soft if hard < 0 else min(soft, hard), hard))
        try:
            return (call(), None, taken), MEMORY.most
        except MemoryError:
            raise
        except Exception as error:
            error.__traceback__ = None
            return (None, error, taken), MEMORY.most


def _held() -> int:
    """Return the bytes of data that this process holds, 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[5]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
