"""Local workers, each with its own socket; one that dies costs its task a second try."""

import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import Any

import cloudpickle

from evallang.engine.backends.backend import (
    WHOLE,
    AnyTask,
    Entry,
    FitLimits,
    Fitted,
    Made,
    Pool,
    Work,
    WorkersLost,
)
from evallang.engine.backends.fork_server import END_WITHIN, MESSAGE, REFUSED, News
from evallang.models.foreign_errors import death_loss, error_text, process_loss, time_loss
from evallang.own_python import own_environment, own_python

START = "from evallang.engine.backends.fork_server import serve; serve()"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
"""Variables that keep BLAS and OpenMP from starting threads, which a fork would lose."""

EVERY = 0.2  # seconds between looks at the workers' fits
GRACE = 1.0  # seconds for a fit to end itself at its time limit before its worker is killed
MOST_LOST = 3  # servers that may end


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


class ForkServer:
    """This end of the process that forks workers; it runs from `start` to `close`, then again."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._modules: Sequence[str] = ()
        self.numbers = count(1)

    def start(self, modules: Sequence[str] = ()) -> None:
        """Begin to start a process that imports modules, unless it runs."""
        if self._process is not None:
            return
        self._modules = modules or self._modules
        self.socket, theirs = socket.socketpair()
        with theirs, interrupts_blocked():
            self._process = subprocess.Popen(
                own_python(START, str(theirs.fileno()), *self._modules),
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[theirs.fileno()],
                env=own_environment(**dict.fromkeys(ONE_THREAD, "1")),
            )

    def fork(self, number: int, descriptor: int) -> None:
        """Start a worker that serves a socket."""
        socket.send_fds(self.socket, [MESSAGE.pack(number, 0)], [descriptor])

    def kill(self, number: int) -> None:
        """Kill a worker; its death is reported later."""
        self.socket.sendall(MESSAGE.pack(number, 0))

    def deaths(self) -> Iterator[tuple[int, int]]:
        """Yield workers that have died, each with its exit code, negative for a signal."""
        while select.select([self.socket], [], [], 0)[0]:
            content = self.socket.recv(MESSAGE.size, socket.MSG_WAITALL)
            if not content:
                raise EOFError
            number, code = MESSAGE.unpack(content)
            if number == REFUSED:
                raise WorkersLost(f"the system started no process: {os.strerror(code)}")
            yield number, code

    def close(self) -> None:
        """End the server, which kills its workers.

        The signal ends it in the middle of an import too, where it would see the closed socket too
        late: a command that Ctrl-C ends has less than two seconds to leave nothing.
        """
        process, self._process = self._process, None
        if process is None:
            return
        self.socket.close()
        process.terminate()
        try:
            process.wait(2 * END_WITHIN)
        except subprocess.TimeoutExpired:  # in C code
            process.kill()
            process.wait()


class _Worker:
    """One worker: its socket, the task it has, and the fit that it is at."""

    def __init__(self, server: ForkServer, setup: bytes) -> None:
        self.entry: Entry | None = None
        self.used = self.own_code = False
        self.place, self.since = WHOLE, 0.0
        self.number = next(server.numbers)
        ours, theirs = socket.socketpair()
        self.connection: Connection[Any, Any] = Connection(ours.detach())
        with theirs:
            server.fork(self.number, theirs.fileno())
        self._send(setup)

    def give(self, entry: Entry) -> None:
        """Send a task."""
        self.entry = entry
        self.own_code |= entry.task.own_code
        self._send(cloudpickle.dumps(entry.task))

    def _send(self, content: bytes) -> None:
        with suppress(OSError):  # it has died, which will be reported
            self.connection.send_bytes(content)

    def received(self) -> Iterator[News]:
        """Yield what the worker has sent."""
        try:
            while self.connection.poll():
                yield pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError):
            self.connection.close()


class LocalPool(Pool[AnyTask, Made]):
    """Runs tasks on `jobs` processes that a server forks."""

    def __init__(
        self,
        work: Work[AnyTask, Made],
        fitted: Fitted,
        jobs: int,
        limits: FitLimits,
        server: ForkServer,
    ) -> None:
        super().__init__(work, fitted)
        self._jobs, self._limits, self._server = jobs, limits, server
        self._setup = cloudpickle.dumps((work, limits, sys.path, dict(os.environ)))
        self._workers: dict[int, _Worker] = {}

    def outcomes(self) -> Generator[Made, None, None]:
        """Yield outcomes as tasks finish; raise `WorkersLost` where no process can be had."""
        lost = 0
        while self._waiting or any(worker.entry for worker in self._workers.values()):
            self._server.start()
            try:
                yield from self._turn()
            except (WorkersLost, ConnectionError, EOFError) as error:
                lost += 1
                if lost == MOST_LOST:
                    known = isinstance(error, WorkersLost)
                    why = error if known else "the process that starts those for fits has ended"
                    raise WorkersLost(
                        f"{why} (tried {MOST_LOST} times); finished fits are in the store, "
                        "unless it is off: run again to continue"
                    ) from error
                for worker in self._workers.values():
                    if worker.entry:
                        self._push(worker.entry)
                self.close()
                self._server.close()

    def close(self) -> None:
        """End the workers."""
        for worker in tuple(self._workers.values()):
            with suppress(ConnectionError):  # the server has ended
                self._end(worker)

    def _end(self, worker: _Worker) -> None:
        del self._workers[worker.number]
        worker.connection.close()
        self._server.kill(worker.number)

    def _turn(self) -> Generator[Made, None, None]:
        """Wait for news of workers or server, and act on them."""
        self._feed()
        talking = [w.connection for w in self._workers.values() if not w.connection.closed]
        wait([*talking, self._server.socket], EVERY)
        for worker in tuple(self._workers.values()):
            yield from self._take(worker)
            limit, spent = self._limits.seconds, time.monotonic() - worker.since
            if limit is not None and worker.entry and worker.place and spent > limit + GRACE:
                self._push(Entry(worker.entry.task.drop_lost(worker.place, time_loss(limit))))
                self._end(worker)
        for number, code in self._server.deaths():
            if number in self._workers:  # otherwise it was ended by us
                yield from self._bury(self._workers[number], code)

    def _feed(self) -> None:
        """Send waiting tasks to idle workers.

        A task that runs again is given to a new one, and so is one without own code that would
        follow another's own code, which may have changed the process.
        """
        idle = [w for w in self._workers.values() if not w.entry and not w.connection.closed]
        while self._waiting and (idle or len(self._workers) < self._jobs):
            _, _, entry = self._waiting[0]
            worker = idle.pop() if idle else None
            if worker and (entry.again or worker.own_code > entry.task.own_code):
                self._end(worker)
                worker = None
            if worker is None:
                worker = _Worker(self._server, self._setup)
                self._workers[worker.number] = worker
            worker.give(self._pop())

    def _take(self, worker: _Worker) -> Generator[Made, None, None]:
        """Take what a worker has sent: news of its fits, and the outcome of its task."""
        for news in worker.received():
            self._fitted(news.ended)
            worker.place, worker.since = news.place, time.monotonic() - news.seconds
            entry, answer = worker.entry, news.answer
            if answer is None or entry is None:
                continue
            task, lost, error = entry.task, entry.lost, answer.error
            if worker.used and (news.lacking or error is not None):
                pass  # what earlier tasks have left may be why
            elif error is not None and task.own_code and not lost:
                loss = process_loss(type(error).__name__, error_text(error))
                task, lost = task.drop_lost(WHOLE, loss), True
            else:
                made = answer.outcome()
                worker.entry, worker.used = None, True
                try:
                    self._feed()  # what becomes of the outcome may take long
                finally:
                    yield made
                continue
            self._push(Entry(task, again=True, lost=lost))
            self._end(worker)
            return

    def _bury(self, worker: _Worker, code: int) -> Generator[Made, None, None]:
        """Take what a dead worker had sent, and decide about the task it died of."""
        yield from self._take(worker)
        if self._workers.pop(worker.number, None) is None:  # its last answer has ended it
            return
        worker.connection.close()
        entry, loss = worker.entry, death_loss(code)
        if entry is None:
            return
        if entry.lost:  # not even its loss can be returned
            self._push(entry)
            raise WorkersLost(loss.message)
        if entry.again:
            task = entry.task.drop_lost(worker.place, loss)
            self._push(Entry(task, lost=worker.place == WHOLE))
        else:
            self._push(Entry(entry.task, again=True))
