"""What tasks and the processes that run them know of each other."""

import pickle
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from typing import Any, Generic, Protocol, Self, TypeVar

from msgspec import Struct

from evallang.models.foreign_errors import Loss

WHOLE = ""
"""The place of a loss outside any fit, for example in a metric: the whole task is lost."""

LEAST_MEMORY = 10**8  # bytes; a process that has only imported scikit-learn needs about half
MOST_SECONDS = 1e9  # thirty years; the timers of a process end at 9.2e9


class FitLimits(Struct, frozen=True):
    """What one fit may take: seconds, and bytes of memory of its process; None: any."""

    seconds: float | None = None
    memory: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is a limit, which only a process of its own can keep."""
        return self.seconds is not None or self.memory is not None

    @property
    def objection(self) -> str | None:
        """Why the limits cannot be kept; None if they can."""
        if self.seconds is not None and not 0 < self.seconds <= MOST_SECONDS:
            return (
                f"the time limit of a fit is {self.seconds:g} seconds; write a number above 0 and "
                f"at most {MOST_SECONDS:g}"
            )
        if self.memory is not None and self.memory < LEAST_MEMORY:
            least = f"{LEAST_MEMORY // 10**6}M"
            return f"the memory limit of a process is {self.memory:,} bytes; write {least} or more"
        return None


class Task(Protocol):
    """A unit of work that survives the loss of some of its fits."""

    @property
    def own_code(self) -> bool:
        """Whether code of the author runs in it, which may change its process."""

    def drop_lost(self, at: str, loss: Loss) -> Self:
        """Return the task without the fit at a place, which then fails with a loss."""


Fitted = Callable[[int], None]
"""Called with the number of fits that have ended since the last call."""


class Monitor:
    """What a task tells of its fits while it runs."""

    def __init__(self, fitted: Fitted) -> None:
        self._fitted = fitted

    @contextmanager
    def fitting(self, at: str, *, ends: bool, seconds: float = 0.0) -> Iterator[None]:
        """Guard one step of a fit, `at` a place that is the same whenever the task runs.

        `ends` is whether the fit ends with it, `seconds` what its earlier steps took.
        In a worker with limits, `FitLost` is raised within the step where it reaches one.
        """
        yield
        self._fitted(ends)


AnyTask = TypeVar("AnyTask", bound=Task)
Made = TypeVar("Made")
Work = Callable[[AnyTask, Monitor], Made]
"""Runs one task; a function of a module, because workers import it."""


class WorkersLost(Exception):
    """Processes for fits cannot be started, or die without running any."""


class Answer(Struct, frozen=True):
    """What a task made, or an exception of evallang itself: those of fits are outcomes."""

    made: Any = None
    error: BaseException | None = None
    trace: str = ""

    def outcome(self) -> Any:
        """Return what the task made, or raise the exception."""
        if self.error is not None:
            raise self.error from RuntimeError(f"in a worker\n{self.trace}")
        return self.made


def answer(work: Work[Any, Any], task: Any, monitor: Monitor) -> Answer:
    """Run a task."""
    try:
        return Answer(work(task, monitor))
    except BaseException as error:
        trace = "".join(traceback.format_exception(error))
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # an exception whose class needs more than its arguments
            return Answer(error=RuntimeError(f"{type(error).__name__}: {error}"), trace=trace)
        return Answer(error=error, trace=trace)


class Entry(Struct, frozen=True):
    """A task that waits or runs.

    `again` is the second time, after its process died or lacked what an earlier task had left: it
    runs in a new one. A `lost` task runs nothing and returns its loss.
    """

    task: Any
    again: bool = False
    lost: bool = False


class Pool(ABC, Generic[AnyTask, Made]):
    """Where tasks run. More can be added between outcomes, and after the last one."""

    def __init__(self, work: Work[AnyTask, Made], fitted: Fitted) -> None:
        self._work, self._fitted = work, fitted
        self._waiting: list[tuple[int, int, Entry]] = []
        self._number = count()

    def add(self, task: AnyTask) -> None:
        """Add a task, which runs while `outcomes` is read; own code comes after all others."""
        self._push(Entry(task))

    @abstractmethod
    def outcomes(self) -> Generator[Made, None, None]:
        """Yield outcomes as tasks finish, until none waits or runs."""

    def close(self) -> None:
        """End what runs."""

    def _push(self, entry: Entry) -> None:
        rank = -1 if entry.again else int(entry.task.own_code)
        heappush(self._waiting, (rank, next(self._number), entry))

    def _pop(self) -> Entry:
        return heappop(self._waiting)[2]


class PoolHere(Pool[AnyTask, Made]):
    """Runs tasks in this process."""

    def outcomes(self) -> Generator[Made, None, None]:
        """Run the tasks one after the other."""
        while self._waiting:
            yield self._work(self._pop().task, Monitor(self._fitted))
