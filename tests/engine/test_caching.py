"""Evidence is made once, however often a test is run on it at other levels."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from studies import codes, study

from evallang.api import run
from evallang.stats import draws
from evallang.stats.hypothesis_tests.swapping import SignSwapper
from evallang.stats.intervals.proportions import takahashi
from evallang.stats.intervals.resampling import LossSample

HEAD = """evallang 1
study "S"
  seed 1
predictions p from "p.csv"
  id id
  truth truth
  models a, b
  positive 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("predictions")
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 300)
    flips = rng.random((300, 2)) < (0.15, 0.25)
    rows = np.column_stack(
        [np.arange(300), truth, np.where(flips, 1 - truth[:, None], truth[:, None])]
    )
    lines = ["id,truth,a,b", *(",".join(map(str, row)) for row in rows)]
    (place / "p.csv").write_text("\n".join(lines) + "\n")
    return place


def test_a_test_of_a_margin_draws_its_resamples_once(folder, monkeypatch):
    calls = []
    draw = draws.Resamples.draw
    monkeypatch.setattr(draws.Resamples, "draw", lambda *a: calls.append(a) or draw(*a))
    text = HEAD + "measure f1\n  interval takahashi\ncompare a, b with tost(margin=5%)\n"
    (line,) = run(study(text, folder)).record.comparisons
    assert line.pairwise[0].p is not None
    assert len(calls) == 1


def test_what_is_drawn_again_from_the_same_state_is_remembered():
    sample = LossSample(np.arange(20.0))
    first = sample.replicates(np.random.default_rng(1), 50)
    assert sample.replicates(np.random.default_rng(1), 50) is first
    assert (sample.replicates(np.random.default_rng(2), 50) != first).any()
    swapper = SignSwapper(np.linspace(-1, 2, 12))
    drawn = swapper.replicates(np.random.default_rng(1), 40)
    assert swapper.replicates(np.random.default_rng(1), 40) is drawn


def test_takahashis_interval_of_f1_is_that_of_the_confusion_matrix(folder):
    rows = np.loadtxt(folder / "p.csv", delimiter=",", skiprows=1, dtype=int)
    for words, average, positive in (("f1", "binary", 1), ("f1(average=macro)", "macro", None)):
        text = HEAD + f"measure {words}\n  interval takahashi\n"
        first = run(study(text, folder)).record.estimates[0]
        expected = takahashi(confusion_matrix(rows[:, 1], rows[:, 2]), average, positive, 0.95)
        assert (first.interval.low, first.interval.high) == (expected.low, expected.high)
        assert first.interval.low < first.value < first.interval.high


@pytest.mark.parametrize("metric", ["recall", "accuracy", "fbeta(beta=2)"])
def test_takahashis_interval_is_for_f1(metric):
    assert "E202" in codes(HEAD + f"measure {metric}\n  interval takahashi\n")
