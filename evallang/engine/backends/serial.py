"""In this process, one task after the other (`-j 1` without limits)."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from evallang.engine.backends.backend import AnyTask, Fitted, Made, Work


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


def run(
    work: Work[AnyTask, Made], tasks: Sequence[AnyTask], fitted: Fitted
) -> Generator[Made, None, None]:
    """Run every task; yield outcomes in order."""
    monitor = Counter(fitted)
    for task in tasks:
        yield work(task, monitor)
