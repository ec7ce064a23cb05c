"""Where the fits of a run are made: in this process or in workers."""

from collections.abc import Generator, Sequence

from evallang.engine.backends import fork_server, local, serial
from evallang.engine.backends.backend import AnyTask, FitLimits, Fitted, Made, Work
from evallang.frozen_records import frozen


@frozen
class Workers:
    """How many processes fit at once, and what one fit may take."""

    jobs: int = 1
    limits: FitLimits = FitLimits()

    @property
    def in_process(self) -> bool:
        """Whether the fits are made in this process: a limit needs another one."""
        return self.jobs == 1 and not self.limits.any

    def prepare(self, modules: Sequence[str]) -> None:
        """Begin to start processes that have imported modules, without waiting for them."""
        if not self.in_process:
            fork_server.prepare(modules)

    def run(
        self, work: Work[AnyTask, Made], tasks: Sequence[AnyTask], fitted: Fitted
    ) -> Generator[Made, None, None]:
        """Run every task; yield outcomes in whatever order they finish."""
        if self.in_process:
            return serial.run(work, tasks, fitted)
        return local.run(work, tasks, self.jobs, self.limits, fitted)
