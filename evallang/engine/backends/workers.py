"""Where the fits of a run are made: in this process, in workers, or on a cluster."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import Any, Self, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from evallang.engine.backends.backend import (
    AnyTask,
    FitLimits,
    Fitted,
    Made,
    Monitor,
    Pool,
    PoolHere,
    Work,
    WorkersLost,
)
from evallang.engine.backends.cluster import Cluster, ClusterPool
from evallang.engine.backends.local import ForkServer, LocalPool
from evallang.models.foreign_errors import Loss

Item = TypeVar("Item")
Answer = TypeVar("Answer")


LOST = "lost"
WORTH_PROCESSES = 3  # calls; fewer take no longer than processes take to start


class _Call(Struct, frozen=True):
    """The call of a function with one item, by its place among others."""

    place: int
    item: Any
    lost: bool = False
    own_code: bool = False

    def drop_lost(self, at: str, loss: Loss) -> Self:
        """Return the call as one that its process died of."""
        return replace(self, lost=True)


def _call(function: Callable[[Any], Any], call: _Call, _: Monitor) -> tuple[int, Any]:
    return call.place, LOST if call.lost else function(call.item)


class Workers(Struct, frozen=True):
    """How many processes fit at once, and what one fit may take.

    A `cluster` has processes of its own, on which `limits` cannot be kept. `own_code` is whether
    the fits may run code of the author, which may change or end its process.
    """

    jobs: int = 1
    limits: FitLimits = FitLimits()
    cluster: "Cluster | None" = None
    own_code: bool = False
    server: ForkServer = field(default_factory=ForkServer)

    @property
    def in_process(self) -> bool:
        """Whether the fits are made in this process: limits and own code need another one."""
        alone = self.jobs == 1 and not self.limits.any
        return self.cluster is None and alone and not self.own_code

    @property
    def unlike(self) -> tuple[str, ...]:
        """How workers of a cluster differ from this process, once they are known."""
        return () if self.cluster is None else tuple(sorted(self.cluster.unlike))

    @property
    def elsewhere(self) -> bool:
        """Whether workers have neither files nor the store of this machine."""
        return self.cluster is not None

    @property
    def parallel(self) -> int:
        """How many tasks run at once."""
        return self.jobs if self.cluster is None else self.cluster.size

    def prepare(self, modules: Sequence[str]) -> None:
        """Begin to start processes that have imported modules, without waiting for them."""
        if self.cluster is None and not self.in_process:
            self.server.start(modules)

    def connect(self, packages: Iterable[str]) -> None:
        """Connect a cluster, and compare its workers with this process by packages' versions."""
        if self.cluster is not None:
            self.cluster.connect(packages)

    @contextmanager
    def sharing(
        self,
        folders: Callable[[], Mapping[str, Mapping[str, bytes]]],
        forget: Callable[[], None],
    ) -> Iterator[None]:
        """Send files to the workers of a cluster; `forget` drops what they keep of them."""
        if self.cluster is None:
            yield
            return
        with self.cluster.sharing(folders(), forget):
            yield

    def map(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> Iterator[Answer]:
        """Call a function with every item, here or on the cluster; yield answers in order."""
        if self.cluster is None:
            return map(function, items)
        return self.cluster.map(function, items)

    def map_here(
        self, function: Callable[[Item], Answer], items: Sequence[Item]
    ) -> Iterator[Answer]:
        """Call a function with every item in processes of this machine; yield answers in order.

        What a process dies of is called again in this one, and so is all where none can be had.
        """
        if self.jobs == 1 or self.cluster is not None or len(items) < WORTH_PROCESSES:
            yield from map(function, items)
            return
        made: dict[int, Any] = {}
        work = partial(_call, function)
        pool: LocalPool[_Call, tuple[int, Any]]
        pool = LocalPool(work, lambda _: None, self.jobs, FitLimits(), self.server)
        with suppress(WorkersLost, OSError), closing(pool):
            self.server.start([getattr(function, "func", function).__module__])
            for place, item in enumerate(items):
                pool.add(_Call(place, item))
            made.update(pool.outcomes())
        for place, item in enumerate(items):
            found = made.get(place, LOST)
            yield function(item) if found == LOST else found

    def close(self) -> None:
        """End the processes, or the connection to a cluster."""
        self.server.close()
        if self.cluster is not None:
            self.cluster.close()

    @contextmanager
    def pool(self, work: Work[AnyTask, Made], fitted: Fitted) -> Iterator[Pool[AnyTask, Made]]:
        """Yield where tasks run, which can be added meanwhile; end what runs afterwards."""
        found: Pool[AnyTask, Made]
        if self.in_process:
            found = PoolHere(work, fitted)
        elif self.cluster is not None:
            found = ClusterPool(self.cluster, work, fitted)
        else:
            found = LocalPool(work, fitted, self.jobs, self.limits, self.server)
        with closing(found):
            yield found

    def run(
        self, work: Work[AnyTask, Made], tasks: Sequence[AnyTask], fitted: Fitted
    ) -> Generator[Made, None, None]:
        """Run every task; yield outcomes in whatever order they finish."""
        with self.pool(work, fitted) as pool:
            for task in tasks:
                pool.add(task)
            yield from pool.outcomes()
