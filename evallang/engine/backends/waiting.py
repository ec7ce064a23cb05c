"""The tasks that wait for a worker: each worker is given those that share work with its last."""

from collections import deque
from collections.abc import Collection, Hashable, Iterable
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
    """Tasks by the work they share, the largest groups first, and those to be tried again.

    Groups with an author's own code come last: it may change its process for those that follow.

    A group stays with one worker, as long as others have groups of their own to begin. Of a group
    the task that takes longest comes first, as far as that is known of tasks of its kind, so that
    at the end the others do not wait for one worker that has a long one.
    """

    def __init__(self, tasks: Iterable[AnyTask]) -> None:
        groups: dict[Hashable, deque[Entry[AnyTask]]] = {}
        for task in tasks:
            groups.setdefault(task.group, deque()).append(Entry(task))
        order = sorted(groups, key=lambda group: (_own_code(groups[group]), -len(groups[group])))
        self._groups = {group: groups[group] for group in order}
        self._again: deque[Entry[AnyTask]] = deque()
        self._n = sum(map(len, self._groups.values()))
        self._took: dict[Hashable, float] = {}

    def __len__(self) -> int:
        return self._n + len(self._again)

    def note(self, task: AnyTask, seconds: float) -> None:
        """Note how long a task took, as others of its kind will."""
        self._took[task.kind] = seconds

    def take(self, last: Hashable, taken: Collection[Hashable]) -> Entry[AnyTask]:
        """Take a task for a worker whose last was of a group; `taken` are those of the others.

        Tasks that are tried again come first. One must be waiting.
        """
        if self._again:
            return self._again.popleft()
        if last not in self._groups:
            last = next((group for group in self._groups if group not in taken), None)
        if last is not None:
            entries: Iterable[Entry[AnyTask]] = self._groups[last]
        else:  # all have a worker, which goes on at the other end
            last = max(self._groups, key=self._left)
            entries = reversed(self._groups[last])
        entry = max(entries, key=self._seconds)  # the first of several that take as long
        self._groups[last].remove(entry)
        self._n -= 1
        if not self._groups[last]:
            del self._groups[last]
        return entry

    def put_back(self, entries: Iterable[Entry[AnyTask]]) -> None:
        """Return entries that a worker was given to the head of the queue."""
        self._again.extend(entries)

    def _left(self, group: Hashable) -> tuple[float, int]:
        """Return how long the tasks of a group will take, and how many they are."""
        entries = self._groups[group]
        return sum(map(self._seconds, entries)), len(entries)

    def _seconds(self, entry: Entry[AnyTask]) -> float:
        """Return how long a task will take; it may take any time where that is not known."""
        return self._took.get(entry.task.kind, float("inf"))


def _own_code(entries: Collection[Entry[AnyTask]]) -> bool:
    return any(entry.task.own_code for entry in entries)
