"""Where the fits of a run are made: in this process, in workers, or on a cluster."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TypeVar

from msgspec import Struct, field

from evallang.engine.backends.backend import (
    AnyTask,
    FitLimits,
    Fitted,
    Made,
    Pool,
    PoolHere,
    Work,
)
from evallang.engine.backends.cluster import Cluster, ClusterPool
from evallang.engine.backends.fork_server import ForkServer
from evallang.engine.backends.local import LocalPool

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Workers(Struct, frozen=True):
    """How many processes fit at once, and what one fit may take.

    A `cluster` has processes of its own, on which `limits` cannot be kept. `own_code` is whether
    the fits may run code of the author, which may change or end its process. `servers` holds the
    process that forks workers, once there is one.
    """

    jobs: int = 1
    limits: FitLimits = FitLimits()
    cluster: "Cluster | None" = None
    own_code: bool = False
    servers: list[ForkServer] = field(default_factory=list)

    @property
    def in_process(self) -> bool:
        """Whether the fits are made in this process: limits and own code need another one."""
        alone = self.jobs == 1 and not self.limits.any
        return self.cluster is None and alone and not self.own_code

    @property
    def unlike(self) -> tuple[str, ...]:
        """How workers of a cluster differ from this process, once they are known."""
        return () if self.cluster is None else self.cluster.unlike

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
        if self.cluster is None and not self.in_process and not self.servers:
            self.servers.append(ForkServer(modules))

    def _server(self) -> ForkServer:
        """Return a server that is alive."""
        modules: Sequence[str] = ()
        while self.servers and self.servers[-1].lost:
            lost = self.servers.pop()
            modules = lost.modules
            lost.close()
        self.prepare(modules)
        return self.servers[-1]

    @contextmanager
    def sharing(
        self,
        folders: Callable[[], Mapping[str, Mapping[str, bytes]]],
        packages: Iterable[str],
        forget: Callable[[], None],
    ) -> Iterator[None]:
        """Send files to the workers of a cluster; `forget` drops what they keep of them."""
        if self.cluster is None:
            yield
            return
        self.cluster.connect(packages)
        with self.cluster.sharing(folders(), forget):
            yield

    def map(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> Iterator[Answer]:
        """Call a function with every item, here or on the cluster; yield answers in order."""
        if self.cluster is None:
            return map(function, items)
        return self.cluster.map(function, items)

    def close(self) -> None:
        """End the processes, or the connection to a cluster."""
        while self.servers:
            self.servers.pop().close()
        if self.cluster is not None:
            self.cluster.close()

    @contextmanager
    def pool(self, work: Work[AnyTask, Made], fitted: Fitted) -> Iterator[Pool[AnyTask, Made]]:
        """Yield where tasks run that are added meanwhile; whatever still runs then ends."""
        if self.in_process:
            yield PoolHere(work, fitted)
            return
        found: ClusterPool[AnyTask, Made] | LocalPool[AnyTask, Made]
        if self.cluster is not None:
            found = self.cluster.pool(work, fitted)
        else:
            found = LocalPool(work, self.jobs, self.limits, fitted, self._server)
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
