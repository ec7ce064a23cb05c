"""A worker, the server that forks it and the pool of workers, without a study."""

import errno
import importlib
import os
import pickle
import signal
import socket
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from evallang.engine.backends import fork_server, local
from evallang.engine.backends.backend import WHOLE, FitLimits, Raised, WorkersLost
from evallang.engine.backends.fork_server import ForkServer
from evallang.engine.backends.waiting import Entry
from evallang.engine.backends.worker import At, Setup
from evallang.engine.backends.workers import Workers
from evallang.models.foreign_errors import FitLost, Loss, death_loss, memory_loss, time_loss

PATIENCE = 20.0  # seconds
NO_LIMITS = FitLimits()


@dataclass(frozen=True)
class Job:
    """A task of two fits; `way` is what the second one does."""

    way: str
    mark: str = ""
    lost: Any = None
    group: Any = None
    kind: Any = None
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
    "kills": kill_the_server,
    "kills once": kill_the_server_once,
}


@contextmanager
def server():
    made = ForkServer()
    try:
        yield made
    finally:
        made.close()


def answers(*ways, limits=NO_LIMITS, mark=""):
    """Return what one worker answers to some tasks, the fits it counted, and its exit."""
    setup = Setup(work, limits, tuple(sys.path), dict(os.environ), str(Path.cwd()))
    with server() as forks:
        worker = local._Worker(forks, cloudpickle.dumps(setup))
        found, fits = [], 0
        for way in ways:
            worker.give(Entry(Job(way, mark)))
            while isinstance(made := pickle.loads(worker.connection.recv_bytes()), At):
                fits = made.fits
            found.append(made)
        worker.connection.close()
        return [made.outcome for made in found], fits, exit_of(forks, worker.number), found


def exit_of(forks, number):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for found, code in forks.deaths():
            if found == number:
                return code
        time.sleep(0.01)
    return None


def test_a_worker_answers_in_order_counts_its_fits_and_ends_with_its_socket():
    assert answers("well", "well")[:3] == (["well", "well"], 4, 0)


def test_an_exception_outside_of_a_fit_is_returned_with_its_trace():
    (raised, awkward, well), fits, status, _ = answers("raises", "awkward", "well")
    assert isinstance(raised, Raised)
    assert isinstance(raised.error, IndexError)
    assert "in work" in raised.trace
    assert isinstance(awkward.error, RuntimeError)
    assert str(awkward.error) == "Awkward: one"
    assert (well, fits, status) == ("well", 6, 0)


def test_a_fit_ends_at_a_limit_and_the_worker_goes_on():
    (late, well), _, status, _ = answers("sleeps", "well", limits=FitLimits(seconds=0.1))
    assert (late, well, status) == (time_loss(0.1), "well", 0)


def test_a_fit_that_reaches_its_limit_in_an_import_ends_after_it(tmp_path):
    # An exception in the middle would leave a half-made module to the fits after it
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.4)\nLAST = 1\n")
    made, _, status, _ = answers(
        "imports", "imported", limits=FitLimits(seconds=0.1), mark=str(tmp_path / "mark")
    )
    assert (made, status) == ([time_loss(0.1), "imported"], 0)


def test_memory_that_the_system_refuses_is_a_loss_only_under_a_limit():
    most = 1 << 33
    (large, well), *_, found = answers("large", "well", limits=FitLimits(memory=most))
    assert (large, well) == (memory_loss(most), "well")
    assert [made.lacking for made in found] == [True, False]
    (large,), *_ = answers("large")
    assert isinstance(large.error, MemoryError)


def outcomes(tmp_path, *ways, limits=NO_LIMITS, jobs=1, own_code=False, workers=None):
    counted = []
    tasks = [
        Job(way, str(tmp_path / f"{number}"), own_code=own_code) for number, way in enumerate(ways)
    ]
    own = workers or Workers(jobs, limits, own_code=True)
    with closing(own):
        made = list(own.run(work, tasks, counted.append))
    return sorted(made, key=str), sum(counted)


def test_a_killed_server_is_replaced_and_its_tasks_run_again(tmp_path):
    assert outcomes(tmp_path, "kills once", "well")[0] == ["kills once", "well"]


def test_servers_that_are_always_killed_end_the_run(tmp_path):
    with pytest.raises(WorkersLost, match=r"has ended \(tried 3 times\); finished fits are"):
        outcomes(tmp_path, "kills")


def test_a_task_that_always_kills_its_worker_is_lost_alone(tmp_path):
    made, _ = outcomes(tmp_path, "dies", "well", jobs=2)
    assert made == sorted([("second", death_loss(9)), "well"], key=str)


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


def test_a_worker_whose_fit_does_not_end_at_its_limit_is_killed(tmp_path):
    made, fits = outcomes(tmp_path, "sleeps through", limits=FitLimits(seconds=0.1))
    assert made == [("second", time_loss(0.1))]
    assert fits == 1  # the first fit of the task


def test_a_process_that_the_system_does_not_start_is_reported(monkeypatch):
    def refuse():
        raise OSError(errno.EAGAIN, "busy")

    ours, theirs = socket.socketpair()
    monkeypatch.setattr(os, "fork", refuse)
    fork_server._Server(theirs)._fork(1, os.open(os.devnull, os.O_RDONLY))
    monkeypatch.undo()
    with server() as forks, ours, theirs, monkeypatch.context() as patched:
        patched.setattr(forks, "_socket", ours)
        with pytest.raises(WorkersLost, match=os.strerror(errno.EAGAIN)):
            forks.deaths()


def test_a_server_that_has_ended_is_noticed_by_every_request():
    with server() as forks:
        forks._process.kill()
        forks._process.wait()
        for ask in (lambda: forks.fork(2), lambda: forks.kill(1), forks.deaths):
            with pytest.raises(WorkersLost, match="has ended"):
                ask()
        assert forks.lost


def test_a_server_that_is_killed_before_a_run_needs_it_is_replaced(tmp_path):
    workers = Workers(jobs=2)
    workers.prepare(["json"])
    (killed,) = workers.servers
    killed._process.kill()
    killed._process.wait()
    assert outcomes(tmp_path, "well", "kills once", workers=workers)[0] == ["kills once", "well"]
    assert workers.servers == []


def test_one_server_serves_all_runs_of_a_study(tmp_path):
    with closing(Workers(jobs=2)) as workers:
        for _ in range(2):
            tasks = [Job("well"), Job("dies"), Job("well")]
            assert len(list(workers.run(work, tasks, lambda n: None))) == 3
            assert len(workers.servers) == 1


def chained(job, monitor):
    with monitor.fitting("only", ends=True):
        WAYS[job.way](job)
    return job.group


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_are_added_between_outcomes_and_after_the_last(jobs):
    with closing(Workers(jobs)) as workers, workers.pool(chained, lambda n: None) as pool:
        assert list(pool.outcomes()) == []
        for first in (0, 10):
            pool.add(Job("well", group=first))
            found = []
            for made in pool.outcomes():
                found.append(made)
                if made < first + 3:
                    pool.add(Job("well", group=made + 1))
            assert found == [first, first + 1, first + 2, first + 3]
