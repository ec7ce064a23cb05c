"""A worker, the server that forks it and the pool of workers, without a study."""

import errno
import importlib
import os
import signal
import sys
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from evallang.engine.backends import local
from evallang.engine.backends.backend import WHOLE, FitLimits, WorkersLost
from evallang.engine.backends.workers import Workers
from evallang.models.foreign_errors import FitLost, Loss, time_loss

PATIENCE = 20.0  # seconds
NO_LIMITS = FitLimits()
COUNTS = int


@dataclass(frozen=True)
class Job:
    """A task of two fits; `way` is what the second one does."""

    way: str
    mark: str = ""
    lost: Any = None
    group: Any = None
    own_code: bool = False

    def drop_lost(self, at: str, loss: Loss) -> "Job":
        return replace(self, lost=(at, loss))


class Awkward(Exception):
    """An exception that cannot be read back: its class needs a second argument."""

    def __init__(self, one, two):
        super().__init__(one)


def work(job, monitor):
    if job.lost is not None:
        return job.lost
    with monitor.fitting("first", ends=True):
        pass
    try:
        with monitor.fitting("second", ends=True):
            WAYS[job.way](job)
    except FitLost as lost:
        return lost.loss
    return job.way


def kill_the_server(_):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(PATIENCE)


def kill_the_server_once(job):
    if not Path(job.mark).exists():
        Path(job.mark).touch()
        kill_the_server(job)


def sleep_through(_):
    while True:
        try:
            time.sleep(PATIENCE)
        except FitLost:
            continue


def raise_awkward(_):
    raise Awkward("one", "two")


LEFT = []
"""What tasks leave in their process."""


def take_memory(_):
    LEFT.append(b"1" * (3 * 10**8))


def open_a_file(_):
    if LEFT:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def mind_what_is_left(_):
    if LEFT:
        raise LookupError


def import_slowly(job):
    sys.path.insert(0, str(Path(job.mark).parent))
    importlib.import_module("slow_to_import")
    time.sleep(PATIENCE)


def name_what_was_imported(_):
    assert sys.modules["slow_to_import"].LAST == 1


WAYS = {
    "imports": import_slowly,
    "imported": name_what_was_imported,
    "well": lambda _: None,
    "sleeps": lambda _: time.sleep(PATIENCE),
    "sleeps through": sleep_through,
    "large": lambda _: bytearray(1 << 40),
    "raises": lambda _: [].pop(),
    "awkward": raise_awkward,
    "dies": lambda _: os._exit(9),
    "leaves": lambda _: LEFT.append(None),
    "leaks": take_memory,
    "opens": open_a_file,
    "minds": mind_what_is_left,
    "recalls": lambda _: LEFT[0],
    "kills": kill_the_server,
    "kills once": kill_the_server_once,
}


def chained(job, monitor):
    with monitor.fitting("only", ends=True):
        WAYS[job.way](job)
    return job.group


def outcomes(tmp_path, *ways, limits=NO_LIMITS, jobs=1, own_code=False, workers=None):
    """Return what tasks made, and the fits that were counted."""
    counted = []
    tasks = [
        Job(way, str(tmp_path / f"{number}"), own_code=own_code) for number, way in enumerate(ways)
    ]
    own = workers or Workers(jobs, limits, own_code=True)
    with closing(own):
        made = list(own.run(work, tasks, counted.append))
    return sorted(made, key=str), sum(counted)


def test_an_exception_outside_of_a_fit_is_raised_here_with_its_trace(tmp_path):
    with pytest.raises(IndexError) as raised:
        outcomes(tmp_path, "raises")
    assert "in work" in str(raised.value.__cause__)
    with pytest.raises(RuntimeError, match="Awkward: one"):
        outcomes(tmp_path, "awkward")


def test_a_fit_that_reaches_its_limit_in_an_import_ends_after_it(tmp_path):
    # An exception in the middle would leave a half-made module to the fits after it
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.4)\nLAST = 1\n")
    made, _ = outcomes(tmp_path, "imports", "imported", limits=FitLimits(seconds=0.1))
    assert made == [time_loss(0.1), "imported"]


def test_own_code_comes_last_and_shares_no_process_with_others():
    with closing(Workers(own_code=True)) as workers, workers.pool(chained, COUNTS) as pool:
        for number, own_code in enumerate((True, False, True)):
            pool.add(Job("leaves" if own_code else "minds", group=number, own_code=own_code))
        found = []
        for made in pool.outcomes():
            found.append(made)
            if made == 0:  # its process has run own code
                pool.add(Job("minds", group=3))
    assert found == [1, 0, 2, 3]


def test_a_killed_server_is_replaced_and_its_tasks_run_again(tmp_path):
    assert outcomes(tmp_path, "kills once", "well")[0] == ["kills once", "well"]


def test_servers_that_are_always_killed_end_the_run(tmp_path):
    with pytest.raises(WorkersLost, match=r"has ended \(tried 3 times\); finished fits are"):
        outcomes(tmp_path, "kills")


def end_process():
    os._exit(9)


class Deadly(Job):
    """A task that ends the process that reads it."""

    def __reduce__(self):
        return end_process, ()


def test_a_task_that_no_process_can_read_ends_the_run():
    with closing(Workers(2)) as workers, pytest.raises(WorkersLost, match="exit code 9"):
        list(workers.run(work, [Deadly("well")], COUNTS))


def test_a_fit_that_lacks_what_an_earlier_one_has_left_is_made_again_in_another_process(tmp_path):
    for ways, memory in ((["leaks"] * 4, 7 * 10**8), (["leaves", "minds", "opens"], None)):
        made, _ = outcomes(tmp_path, *ways, limits=FitLimits(memory=memory))
        assert made == ways


def test_an_exception_outside_of_a_fit_costs_a_task_with_own_code_and_is_a_bug_otherwise(tmp_path):
    made, _ = outcomes(tmp_path, "well", "raises", "well", own_code=True)
    place, loss = made[0]
    assert (place, loss.error) == (WHOLE, "IndexError")
    assert loss.message.startswith("pop from empty list (outside of the fit")
    assert made[1:] == ["well", "well"]
    with pytest.raises(IndexError, match="empty list"):
        outcomes(tmp_path, "well", "raises", "well")


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_are_added_between_outcomes_and_after_the_last(jobs):
    with closing(Workers(jobs)) as workers, workers.pool(chained, COUNTS) as pool:
        assert list(pool.outcomes()) == []
        for first in (0, 10):
            pool.add(Job("well", group=first))
            found = []
            for made in pool.outcomes():
                found.append(made)
                if made < first + 3:
                    pool.add(Job("well", group=made + 1))
            assert found == [first, first + 1, first + 2, first + 3]


class Refused(local.ForkServer):
    def start(self, modules=()):
        raise OSError(errno.EAGAIN, "no process")


def test_what_is_mapped_is_called_here_where_no_process_can_be_had():
    assert list(Workers(2, server=Refused()).map_here(abs, [-1, -2, -3])) == [1, 2, 3]
