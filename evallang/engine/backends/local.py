"""A pool of local workers, each with its own socket; a worker that dies costs one task a retry.

Pools of the standard library and of pebble share one queue among the workers, which a worker
killed at the wrong moment leaves locked, and know which task died but not which of its fits.
"""

import os
import pickle
import socket
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Hashable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, Generic

import cloudpickle

from evallang.engine.backends import fork_server
from evallang.engine.backends.backend import (
    WHOLE,
    AnyTask,
    FitLimits,
    Fitted,
    Made,
    Work,
    WorkersLost,
)
from evallang.engine.backends.page import SIZE, Page
from evallang.engine.backends.waiting import Entry, Waiting
from evallang.engine.backends.worker import Lacking, Raised, Setup
from evallang.models.foreign_errors import error_text
from evallang.models.losses import death_loss, process_loss, time_loss

EVERY = 0.2  # seconds between looks at the workers' fits
BATCH = 0.1  # seconds of work in a batch, so that sending it costs little
GRACE = 1.0  # seconds for a fit to end itself at its time limit before its worker is killed
MOST_LOST = 3  # servers that may end, and workers that may die outside any task


def run(
    work: Work[AnyTask, Made],
    tasks: Sequence[AnyTask],
    jobs: int,
    limits: FitLimits,
    fitted: Fitted,
) -> Generator[Made, None, None]:
    """Run every task on `jobs` processes; yield outcomes as they come.

    Closing the iterator, or an interruption, ends the processes before it returns. Raises
    `WorkersLost` where no process can be had.
    """
    setup = Setup(work, limits, tuple(sys.path), dict(os.environ), os.getcwd())  # noqa: PTH109
    content = cloudpickle.dumps(setup)
    queue = Waiting(tasks)
    for lives in reversed(range(MOST_LOST)):
        with fork_server.taken() as server:
            pool: _Pool[AnyTask, Made] = _Pool(server, content, limits, fitted, queue)
            try:
                yield from pool.outcomes(min(jobs, len(queue)))
                return
            except WorkersLost as error:
                if not lives:
                    raise WorkersLost(
                        f"{error} (tried {MOST_LOST} times); finished fits are in the store, "
                        "unless it is off: run again to continue"
                    ) from error
                queue.put_back(entry for worker in pool.workers for entry in worker.batch)
            finally:
                pool.close()


class _Worker(Generic[AnyTask]):
    """One worker: its socket, its page, and the tasks it has and has not answered."""

    def __init__(self, server: fork_server.ForkServer, setup: bytes) -> None:
        self.batch: deque[Entry[AnyTask]] = deque()
        self.counted = self.answered = 0
        self.overdue: str | None = None
        self.open = True
        self.own_code = False
        self.sent = 0.0
        self.group: Hashable = None
        ours, theirs = socket.socketpair()
        with theirs, _page_file() as file:
            self.page = Page(file)
            self.connection: Connection[Any, Any] = Connection(ours.detach())
            server.fork([theirs.fileno(), file, 2])
        self.pid = 0  # until it has started
        self.send_bytes(setup)

    def send_bytes(self, content: bytes) -> None:
        """Send; a worker that has died is found when its exit is reported."""
        try:
            self.connection.send_bytes(content)
        except OSError:
            self.open = False

    def received(self) -> Any:
        """Return what the worker has sent; None where it has closed its socket."""
        try:
            return pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError):
            self.open = False
            return None

    def close(self) -> None:
        """Close its socket and its page."""
        self.open = False
        self.connection.close()
        self.page.close()


@contextmanager
def _page_file() -> Iterator[int]:
    """Open a file for the page of a worker; yield its descriptor.

    Its bytes are written, because on a full disk touching a hole in a file ends the process with
    SIGBUS.
    Raises `OSError`.
    """
    with tempfile.TemporaryFile(buffering=0) as file:
        try:
            file.write(bytes(SIZE))
        except OSError as error:
            error.filename = tempfile.gettempdir()
            raise
        yield file.fileno()


class _Pool(Generic[AnyTask, Made]):
    """The workers of one run, and the tasks that wait for them."""

    def __init__(
        self,
        server: fork_server.ForkServer,
        setup: bytes,
        limits: FitLimits,
        fitted: Fitted,
        queue: Waiting[AnyTask],
    ) -> None:
        self.workers: list[_Worker[AnyTask]] = []
        self._server, self._setup, self._limits = server, setup, limits
        self._fitted, self._queue = fitted, queue
        self._seconds, self._done, self._lost_idle = 0.0, 0, 0

    def outcomes(self, jobs: int) -> Generator[Made, None, None]:
        """Yield the outcome of every task in the queue."""
        while self._queue or any(worker.batch for worker in self.workers):
            for worker in tuple(self.workers):
                self._feed(worker, jobs)
            self._start(jobs)
            ready = self._ready(EVERY)
            for worker in [w for w in self.workers if w.connection in ready]:
                yield from self._take(worker)
            # Some exits came between the request for a worker and its answer
            if self._server.exits or self._server.fileno() in ready:
                for pid, status in self._server.read_exits():
                    yield from self._bury(pid, status)
            self._watch()

    def _start(self, jobs: int) -> None:
        """Start the workers that there is work for; they find it when they have started."""
        first = len(self.workers)
        while self._queue and len(self.workers) < jobs:
            self.workers.append(_Worker(self._server, self._setup))
            self._feed(self.workers[-1], jobs)
        for worker in self.workers[first:]:
            worker.pid = self._server.started()
            worker.sent = time.monotonic()

    def _ready(self, seconds: float) -> list[Any]:
        """Wait for answers of workers, or for the server's news of them."""
        connections = [worker.connection for worker in self.workers if worker.open]
        return list(wait([*connections, self._server.fileno()], seconds))

    def close(self) -> None:
        """Close the sockets; the server kills the workers."""
        for worker in self.workers:
            worker.close()

    def _feed(self, worker: _Worker[AnyTask], jobs: int) -> None:
        """Send an idle worker the next batch.

        A task to be run alone is sent to a new one, and so is one without own code that would
        follow another's own code.
        """
        if worker.batch or not self._queue or not worker.open:
            return
        mean = self._seconds / self._done if self._done else BATCH
        most = min(BATCH / max(mean, 1e-6), len(self._queue) / (2 * jobs))
        others = {other.group for other in self.workers if other is not worker}
        while self._queue and (not worker.batch or len(worker.batch) < most):
            entry = self._queue.take(worker.group, others)
            changed = worker.own_code and not entry.task.own_code
            if changed or (entry.alone and (worker.batch or worker.answered)):
                self._queue.put_back([entry])
                break
            worker.own_code |= entry.task.own_code
            worker.batch.append(entry)
            worker.group = entry.task.group
            if entry.alone:
                break
        if not worker.batch:
            self._end(worker)
            return
        worker.sent = time.monotonic()
        worker.send_bytes(cloudpickle.dumps([entry.task for entry in worker.batch]))

    def _take(self, worker: _Worker[AnyTask]) -> Generator[Made, None, None]:
        made = worker.received()
        if not worker.open:
            return
        if isinstance(made, Lacking):
            if worker.answered:
                self._run_alone(worker)
                return
            made = made.made
        if isinstance(made, Raised):
            entry = worker.batch[0]
            if not worker.answered and (entry.lost or not entry.task.own_code):
                raise made.error from RuntimeError(f"in a worker\n{made.trace}")
            self._run_alone(worker, None if worker.answered else made.error)
            return
        now = time.monotonic()
        took = now - worker.sent
        self._queue.note(worker.batch.popleft().task, took)
        self._seconds, self._done = self._seconds + took, self._done + 1
        worker.sent = now
        worker.answered += 1
        yield made

    def _run_alone(self, worker: _Worker[AnyTask], error: BaseException | None = None) -> None:
        """End a worker and queue its task for a new one: earlier tasks may have changed this one.

        With the `error` of a worker that had run no other task, the task is lost.
        """
        entry = worker.batch.popleft()
        entry.alone = True
        if error is not None:
            loss = process_loss(type(error).__name__, error_text(error))
            entry = Entry(entry.task.drop_lost(WHOLE, loss), alone=True, lost=True)
        self._queue.put_back([entry, *worker.batch])
        self._end(worker)

    def _end(self, worker: _Worker[AnyTask]) -> None:
        """Kill a worker, and close its connection."""
        self.workers.remove(worker)
        self._server.kill(worker.pid)
        worker.close()

    def _bury(self, pid: int, status: int) -> Generator[Made, None, None]:
        """Take what a dead worker had sent, and decide about the task it died of."""
        worker = next((w for w in self.workers if w.pid == pid), None)
        if worker is None:
            return
        while worker.open and worker.connection.poll():
            yield from self._take(worker)
        if worker not in self.workers:  # its last answer has ended it
            return
        self.workers.remove(worker)
        place = worker.page.place
        worker.close()
        if not worker.batch:
            self._lost_idle += 1
            if self._lost_idle > MOST_LOST:
                raise WorkersLost("processes for fits end as soon as they are started")
            return
        died = worker.batch.popleft()
        self._queue.put_back(worker.batch)
        if worker.overdue is not None and self._limits.seconds is not None:
            if worker.overdue == place:  # otherwise the fit ended just before it was killed
                died = Entry(died.task.drop_lost(place, time_loss(self._limits.seconds)))
        elif died.deaths:
            died = Entry(died.task.drop_lost(place, death_loss(status)))
        else:
            died.deaths += 1
            died.alone = True
        self._queue.put_back([died])

    def _watch(self) -> None:
        """Count fits, and kill workers whose fit did not end itself at the time limit."""
        limit, now = self._limits.seconds, time.monotonic()
        for worker in self.workers:
            fits, since = worker.page.fits, worker.page.since
            if fits > worker.counted:
                self._fitted(fits - worker.counted)
                worker.counted = fits
            if limit is None or worker.overdue is not None or not since:
                continue
            place = worker.page.place
            if now - since > limit + GRACE and worker.page.since == since:
                worker.overdue = place
                self._server.kill(worker.pid)
