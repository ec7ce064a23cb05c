"""How many fits are done while their tasks still run, counted across processes.

Every fit adds one byte to a file that all processes append to; its size is the number.
"""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

EVERY = 0.2  # seconds between looks at the file


@lru_cache(maxsize=1)
def _opened(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND)


def one_more(path: str) -> None:
    """Count one fit."""
    os.write(_opened(path), b".")


@contextmanager
def counting(total: int, tell: Callable[[int, int], None] | None) -> Iterator["Tally | None"]:
    """Count fits while a block runs, telling them as they are done; nothing without `tell`."""
    if tell is None:
        yield None
        return
    with tempfile.NamedTemporaryFile(prefix="evallang-tally-") as file:
        tally = Tally(Path(file.name), total, tell)
        with tally.watched():
            yield tally


class Tally:
    """Fits done, told to a callback whenever there are more; never fewer than before."""

    def __init__(self, path: Path, total: int, tell: Callable[[int, int], None]) -> None:
        self.path, self.total, self._tell = path, total, tell
        self._finished, self._told, self._before = 0, 0, 0
        self._lock = threading.Lock()

    def start_from(self, n_fits: int) -> None:
        """Count fits that the store has, before any other."""
        self._before = n_fits
        self.finish(n_fits)

    def finish(self, n_fits: int) -> None:
        """Take a task that ended with all its fits, whether each was made or not."""
        self._finished += n_fits
        self.look()

    def look(self) -> None:
        """Return the number of fits done where it has grown."""
        with self._lock:
            made = self._before + self.path.stat().st_size
            done = min(max(self._finished, made), self.total)
            # the last fit is told by the task that ends with it: then all is done indeed
            if self._finished < self.total:
                done = min(done, self.total - 1)
            if done > self._told:
                self._told = done
                self._tell(done, self.total)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at the file from a thread, until the block ends."""
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(EVERY):
                self.look()

        thread = threading.Thread(target=watch, name="tally", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
