"""A pool of local workers, each with its own socket; a worker that dies costs one task a retry."""

import os
import pickle
import socket
import sys
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic

import cloudpickle

from evallang.engine.backends.backend import (
    WHOLE,
    AnyTask,
    FitLimits,
    Fitted,
    Made,
    Pool,
    Raised,
    Work,
    WorkersLost,
)
from evallang.engine.backends.fork_server import ForkServer
from evallang.engine.backends.waiting import Entry, Waiting
from evallang.engine.backends.worker import At, Setup
from evallang.models.foreign_errors import death_loss, error_text, process_loss, time_loss

EVERY = 0.2  # seconds between looks at the workers' fits
GRACE = 1.0  # seconds for a fit to end itself at its time limit before its worker is killed
MOST_LOST = 3  # servers that may end, and workers that may die outside any task


class LocalPool(Pool[AnyTask, Made]):
    """Runs tasks on `jobs` processes of a server that is alive."""

    def __init__(
        self,
        work: Work[AnyTask, Made],
        jobs: int,
        limits: FitLimits,
        fitted: Fitted,
        server: Callable[[], ForkServer],
    ) -> None:
        setup = Setup(work, limits, tuple(sys.path), dict(os.environ), os.getcwd())  # noqa: PTH109
        self._setup, self._server = cloudpickle.dumps(setup), server
        self._jobs, self._limits, self._fitted = jobs, limits, fitted
        self._queue: Waiting[AnyTask] = Waiting()
        self._lost = 0
        self._pool: _Pool[AnyTask, Made] | None = None

    def add(self, task: AnyTask) -> None:
        """Add a task, which runs while outcomes are read."""
        self._queue.add(task)

    def outcomes(self) -> Generator[Made, None, None]:
        """Yield outcomes as they come; raise `WorkersLost` where no process can be had."""
        while self._queue:
            try:
                if self._pool is None:
                    self._pool = _Pool(
                        self._server(), self._setup, self._limits, self._fitted, self._queue
                    )
                yield from self._pool.outcomes(self._jobs)
            except WorkersLost as error:
                self._lost += 1
                if self._lost == MOST_LOST:
                    raise WorkersLost(
                        f"{error} (tried {MOST_LOST} times); finished fits are in the store, "
                        "unless it is off: run again to continue"
                    ) from error
                lost = () if self._pool is None else self._pool.workers.values()
                self._queue.put_back(worker.entry for worker in lost if worker.entry)
                self.close()

    def close(self) -> None:
        """End the workers."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


class _Worker(Generic[AnyTask]):
    """One worker: its socket, the task it has, and the fit that it is at."""

    def __init__(self, server: ForkServer, setup: bytes) -> None:
        self.entry: Entry[AnyTask] | None = None
        self.answered, self.own_code, self.open = False, False, True
        self.at, self.since, self.sent = At("", 0), 0.0, 0.0
        self.overdue: str | None = None
        ours, theirs = socket.socketpair()
        with theirs:
            self.connection: Connection[Any, Any] = Connection(ours.detach())
            self.number = server.fork(theirs.fileno())
        self._send(setup)

    def give(self, entry: Entry[AnyTask]) -> None:
        """Send a task."""
        self.entry = entry
        self.own_code |= entry.task.own_code
        self.sent = time.monotonic()
        self._send(cloudpickle.dumps(entry.task))

    def _send(self, content: bytes) -> None:
        """Send; a worker that has died is found when its death is reported."""
        try:
            self.connection.send_bytes(content)
        except OSError:
            self.open = False

    def received(self) -> Any:
        """Return what the worker has sent, None where there is nothing more now."""
        try:
            if self.open and self.connection.poll():
                return pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError):
            self.open = False
        return None


class _Pool(Generic[AnyTask, Made]):
    """The workers of one run by their numbers, and the tasks that wait for them."""

    def __init__(
        self,
        server: ForkServer,
        setup: bytes,
        limits: FitLimits,
        fitted: Fitted,
        queue: Waiting[AnyTask],
    ) -> None:
        self.workers: dict[int, _Worker[AnyTask]] = {}
        self._server, self._setup, self._limits = server, setup, limits
        self._fitted, self._queue = fitted, queue
        self._lost_idle = 0

    def outcomes(self, jobs: int) -> Generator[Made, None, None]:
        """Yield the outcome of every task in the queue."""
        while self._queue or any(worker.entry for worker in self.workers.values()):
            for worker in tuple(self.workers.values()):
                self._feed(worker)
            while self._queue and len(self.workers) < jobs:
                self._feed(self._started())
            talking = {w.connection.fileno(): w for w in self.workers.values() if w.open}
            ready = wait([*talking, self._server.fileno()], EVERY)
            for worker in [worker for number, worker in talking.items() if number in ready]:
                yield from self._take(worker)
            for number, code in self._server.deaths():
                yield from self._bury(number, code)
            self._end_overdue()

    def close(self) -> None:
        """End the workers."""
        for worker in self.workers.values():
            worker.connection.close()
            with suppress(WorkersLost):
                self._server.kill(worker.number)

    def _started(self) -> _Worker[AnyTask]:
        worker: _Worker[AnyTask] = _Worker(self._server, self._setup)
        self.workers[worker.number] = worker
        return worker

    def _end(self, worker: _Worker[AnyTask]) -> None:
        del self.workers[worker.number]
        self._server.kill(worker.number)
        worker.connection.close()

    def _feed(self, worker: _Worker[AnyTask]) -> None:
        """Send an idle worker a task.

        A task to be run alone is given to a new one, and so is one without own code that would
        follow another's own code, which may have changed the process.
        """
        if worker.entry or not worker.open or not self._queue:
            return
        entry = self._queue.take()
        if worker.answered and (entry.alone or (worker.own_code and not entry.task.own_code)):
            self._end(worker)
            worker = self._started()
        worker.give(entry)

    def _take(self, worker: _Worker[AnyTask]) -> Generator[Made, None, None]:
        """Take what a worker has sent: news of its fits, and the outcome of its task."""
        while (found := worker.received()) is not None:
            if isinstance(found, At):
                self._fitted(found.fits - worker.at.fits)
                worker.at, worker.since = found, time.monotonic() - found.seconds
                continue
            entry, made = worker.entry, found.outcome
            assert entry is not None, "an outcome is that of a task"
            error = made.error if isinstance(made, Raised) else None
            if worker.answered and (found.lacking or error is not None):
                self._end(worker)  # what earlier tasks have left may be why
                self._queue.put_back([Entry(entry.task, alone=True)])
                return
            if isinstance(made, Raised):
                if entry.lost or not entry.task.own_code:
                    raise made.error from RuntimeError(f"in a worker\n{made.trace}")
                self._end(worker)
                loss = process_loss(type(made.error).__name__, error_text(made.error))
                lost = Entry(entry.task.drop_lost(WHOLE, loss), alone=True, lost=True)
                self._queue.put_back([lost])
                return
            self._queue.note(entry.task, time.monotonic() - worker.sent)
            worker.entry, worker.answered = None, True
            self._feed(worker)
            yield made

    def _bury(self, number: int, code: int) -> Generator[Made, None, None]:
        """Take what a dead worker had sent, and decide about the task it died of."""
        worker = self.workers.get(number)
        if worker is None:
            return
        yield from self._take(worker)
        if self.workers.pop(number, None) is None:  # its last answer has ended it
            return
        worker.connection.close()
        died, place, seconds = worker.entry, worker.at.place, self._limits.seconds
        if died is None:
            self._lost_idle += 1
            if self._lost_idle > MOST_LOST:
                raise WorkersLost("processes for fits end as soon as they are started")
            return
        if worker.overdue is not None and seconds is not None:
            if worker.overdue == place:  # otherwise the fit ended just before it was killed
                died = Entry(died.task.drop_lost(place, time_loss(seconds)))
        elif died.deaths:
            died = Entry(died.task.drop_lost(place, death_loss(code)))
        else:
            died = Entry(died.task, deaths=1, alone=True, lost=died.lost)
        self._queue.put_back([died])

    def _end_overdue(self) -> None:
        """Kill workers whose fit did not end itself at the time limit."""
        limit, now = self._limits.seconds, time.monotonic()
        for worker in self.workers.values():
            late = limit is not None and worker.at.place and now - worker.since > limit + GRACE
            if late and worker.overdue is None:
                worker.overdue = worker.at.place
                self._server.kill(worker.number)
