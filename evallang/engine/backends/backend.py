"""What tasks and the processes that run them know of each other."""

import pickle
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
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
    def kind(self) -> Hashable:
        """Equal for tasks that take about as long."""
        ...

    @property
    def own_code(self) -> bool:
        """Return whether code of the author runs in it, which may change its process."""
        ...

    def drop_lost(self, at: str, loss: Loss) -> Self:
        """Return the task without the fit at a place, which then fails with a loss."""
        ...


class Monitor(Protocol):
    """What a task tells of its fits while it runs."""

    def fitting(self, at: str, *, ends: bool, seconds: float = 0.0) -> AbstractContextManager[None]:
        """Guard one step of a fit, `at` a place that is the same whenever the task runs.

        `ends` is whether the fit ends with it, `seconds` what its earlier steps took.
        Raises `FitLost` within the step where it reaches a limit.
        """
        ...


AnyTask = TypeVar("AnyTask", bound=Task)
Made = TypeVar("Made")
Work = Callable[[AnyTask, Monitor], Made]
"""Runs one task; a function of a module, because workers import it."""

Fitted = Callable[[int], None]
"""Called with the number of fits that have ended since the last call."""


class WorkersLost(Exception):
    """Processes for fits cannot be started, or die without running any."""


class Raised(Struct, frozen=True):
    """An exception that ended a task: one of evallang itself, as those of fits are outcomes."""

    error: BaseException
    trace: str


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


class Counter:
    """A monitor that counts fits."""

    def __init__(self, fitted: Fitted) -> None:
        self._fitted = fitted

    @contextmanager
    def fitting(self, at: str, *, ends: bool, seconds: float = 0.0) -> Iterator[None]:
        """Count a fit that ends."""
        yield
        if ends:
            self._fitted(1)


class Pool(ABC, Generic[AnyTask, Made]):
    """Where tasks run; more can be added between outcomes, and after the last one."""

    @abstractmethod
    def add(self, task: AnyTask) -> None:
        """Add a task, which runs while `outcomes` is read."""

    @abstractmethod
    def outcomes(self) -> Generator[Made, None, None]:
        """Yield outcomes as tasks finish, until none waits or runs."""


class PoolHere(Pool[AnyTask, Made]):
    """Runs tasks in this process, in the order in which they are added."""

    def __init__(self, work: Work[AnyTask, Made], fitted: Fitted) -> None:
        self._work, self._monitor = work, Counter(fitted)
        self._tasks: deque[AnyTask] = deque()

    def add(self, task: AnyTask) -> None:
        """Add a task."""
        self._tasks.append(task)

    def outcomes(self) -> Generator[Made, None, None]:
        """Run the tasks one after the other."""
        while self._tasks:
            yield self._work(self._tasks.popleft(), self._monitor)
