"""Evidence is made once, however often a test is run on it at other levels."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from studies import codes, study

from evallang.api import run
from evallang.engine import test_inputs
from evallang.engine.test_inputs import CachedSample, CachedSwapper
from evallang.stats.hypothesis_tests.swapping import SignSwapper
from evallang.stats.intervals.f_scores import takahashi
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

    class Counted(CachedSample):
        def __init__(self, sample, each):
            class Inner(type(sample)):
                def replicates(self, rng, rounds):
                    calls.append(rounds)
                    return super().replicates(rng, rounds)

            sample.__class__ = Inner
            super().__init__(sample, each)

    monkeypatch.setattr(test_inputs, "CachedSample", Counted)
    text = HEAD + "measure f1\ncompare a, b with tost(margin=5%)\n"
    (line,) = run(study(text, folder)).record.comparisons
    assert line.pairwise[0].p is not None
    assert len(calls) == 1


def test_what_is_remembered_is_what_was_drawn():
    losses = np.arange(20.0)
    sample, plain = CachedSample(LossSample(losses, None)), LossSample(losses, None)
    first = sample.replicates(np.random.default_rng(1), 50)
    assert np.array_equal(first, plain.replicates(np.random.default_rng(1), 50))
    assert sample.replicates(np.random.default_rng(2), 50) is first
    assert sample.estimate() == plain.estimate()
    assert np.array_equal(sample.jackknife()[0], plain.jackknife()[0])
    parts = np.linspace(-1, 2, 12)
    swapper, own = CachedSwapper(SignSwapper(parts)), SignSwapper(parts)
    assert swapper.estimate() == own.estimate()
    drawn = swapper.replicates(np.random.default_rng(1), 40)
    assert np.array_equal(drawn, own.replicates(np.random.default_rng(1), 40))
    assert swapper.in_blocks(3).estimate() == own.in_blocks(3).estimate()
    repeats = CachedSwapper(SignSwapper(parts, np.arange(12) // 2), "people")
    assert (repeats.unit, swapper.unit, swapper.in_blocks(2).unit) == (
        "people",
        "examples",
        "blocks",
    )


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
