"""In this process, one task after the other (`-j 1`)."""

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def run(
    work: Callable[[Given], Made], tasks: Sequence[Given], jobs: int
) -> Generator[Made, None, None]:
    """Run every task; yields outcomes in order. `jobs` is 1 here."""
    del jobs
    for task in tasks:
        yield work(task)
