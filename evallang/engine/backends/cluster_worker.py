"""What a worker of a Dask cluster runs: batches of tasks, on its own copies of files of a run.

Imported by processes of the cluster, and here only once a cluster is used.
"""

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import cloudpickle
from distributed import WorkerPlugin
from msgspec import Struct

from evallang.engine.backends.backend import Answer, Monitor, Work, answer
from evallang.engine.folder_copies import forget_copy, register_copy
from evallang.planning.keys import versions_here
from evallang.user_code import flush_streams
from evallang.working_folder import safe_path

_ONE = threading.Lock()
"""Held by the batch that runs: threads of a worker would share limits, path and folder."""


class Batch(Struct, frozen=True):
    """The answers to a batch of tasks, the seconds they took and the fits that were made."""

    answers: Sequence[Answer]
    seconds: float
    fits: int
    worker: str
    versions: Mapping[str, str]


class RunFiles(WorkerPlugin):  # type: ignore[misc,unused-ignore]  # dask declares few types
    """Files of a run, which dask sends to each worker once, also to one that joins late.

    `folders` are the contents of folders of the main process, by their paths; `forget` drops what
    the worker keeps of them in memory.
    """

    def __init__(
        self, folders: Mapping[str, Mapping[str, bytes]], forget: Callable[[], None]
    ) -> None:
        self.name = f"evallang-{uuid4().hex}"
        self._folders, self._forget = folders, forget
        self._place = ""

    def setup(self, worker: Any) -> None:
        """Write the files into a new folder of the worker."""
        self._place = tempfile.mkdtemp(prefix="evallang-", dir=worker.local_directory)
        for number, (folder, files) in enumerate(self._folders.items()):
            copy = Path(self._place, str(number))
            copy.mkdir()
            for name, content in files.items():
                file = copy / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            register_copy(folder, str(copy))

    def teardown(self, worker: Any) -> None:
        """Remove the files when the run has ended."""
        for folder in self._folders:
            forget_copy(folder)
        self._forget()
        shutil.rmtree(self._place, ignore_errors=True)


def call(function: Callable[[Any], Any], item: Any) -> Any:
    """Call a function of this package with one item."""
    with _ONE, safe_path():
        return function(item)


def run_batch(work: Work[Any, Any], content: bytes, names: Sequence[str]) -> Batch:
    """Run pickled tasks one after the other; `names` are the packages whose versions matter."""
    from distributed import get_worker

    ended: list[int] = []
    with _ONE, safe_path():
        started = time.perf_counter()
        tasks = cloudpickle.loads(content)
        answers = [answer(work, task, Monitor(ended.append)) for task in tasks]
        flush_streams()
        seconds = time.perf_counter() - started
    return Batch(answers, seconds, sum(ended), get_worker().address, versions_here(names))
