"""The tasks that wait for a worker, those that take longest first."""

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Generic

from msgspec import Struct

from evallang.engine.backends.backend import AnyTask


class Entry(Struct, Generic[AnyTask], eq=False):
    """A task, and how many processes have died of it at places not yet lost.

    With `alone` it runs in a process that has run no other task, as the code of another may have
    changed the process. A `lost` task runs nothing and returns its loss.
    """

    task: AnyTask
    deaths: int = 0
    alone: bool = False
    lost: bool = False


class Waiting(Generic[AnyTask]):
    """Tasks by their kind, and those to be tried again.

    The kind that takes longest comes first, as far as that is known, so that at the end the others
    do not wait for one worker. An author's own code comes last: it may change its process for those
    that follow.
    """

    def __init__(self, tasks: Iterable[AnyTask] = ()) -> None:
        self._kinds: dict[tuple[bool, Hashable], deque[Entry[AnyTask]]] = {}
        for task in tasks:
            self.add(task)
        self._again: deque[Entry[AnyTask]] = deque()
        self._took: dict[Hashable, float] = {}

    def __len__(self) -> int:
        return len(self._again) + sum(map(len, self._kinds.values()))

    def add(self, task: AnyTask) -> None:
        """Add a task at the end of its kind."""
        self._kinds.setdefault((task.own_code, task.kind), deque()).append(Entry(task))

    def note(self, task: AnyTask, seconds: float) -> None:
        """Note how long a task took, as others of its kind will."""
        self._took[task.kind] = seconds

    def take(self) -> Entry[AnyTask]:
        """Take a task, of which one must be waiting; those that are tried again come first."""
        if self._again:
            return self._again.popleft()
        # the first of several kinds that may take any time
        found = min(self._kinds, key=lambda kind: (kind[0], -self._took.get(kind[1], float("inf"))))
        entry = self._kinds[found].popleft()
        if not self._kinds[found]:
            del self._kinds[found]
        return entry

    def put_back(self, entries: Iterable[Entry[AnyTask]]) -> None:
        """Return entries that a worker was given to the head of the queue."""
        self._again.extend(entries)
