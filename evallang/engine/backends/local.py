"""Local processes, spawned and never forked: polars and OpenBLAS do not survive a fork."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from evallang.registry import lazy

joblib = lazy("joblib")

Given = TypeVar("Given")
Made = TypeVar("Made")


def run(work: Callable[[Given], Made], tasks: Sequence[Given], jobs: int) -> Iterator[Made]:
    """Run every task on `jobs` processes; yields outcomes as they come."""
    pool = joblib.Parallel(
        n_jobs=jobs, backend="loky", return_as="generator_unordered", max_nbytes=None
    )
    yield from pool(joblib.delayed(work)(task) for task in tasks)
