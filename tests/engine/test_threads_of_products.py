"""Statistics are computed with one thread of BLAS, whatever the process had and has afterwards."""

import numpy as np
import threadpoolctl

import evallang as ev
from evallang.engine.comparisons import run_line
from evallang.engine.walk import FUNCTIONS
from evallang.planning import nodes

STUDY = """evallang 1
predictions p from "p.csv"
  id "id"
  truth "truth"
  models a, b
measure accuracy
compare a, b with mcnemar
"""


def threads():
    return [
        lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"
    ]


def test_one_thread_while_statistics_are_computed_and_as_many_as_before_afterwards(monkeypatch):
    seen = []

    def compare(**given):
        seen.append(threads())
        return run_line(**given)

    monkeypatch.setitem(FUNCTIONS, nodes.TESTS.name, compare)
    truth = np.arange(40) % 2
    frame = {"id": np.arange(40), "truth": truth, "a": truth, "b": np.roll(truth, 1)}
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = threads()
        ev.run(ev.parse(STUDY, data={"p": frame}))
        after = threads()
    assert seen
    assert set(seen[0]) == {1}
    assert after == before
    assert set(before) == {2}
