"""Sums of the cells that occur give what sums of all cells give."""

import numpy as np
import pytest

from evallang.metrics.by_class import LabelledPairs, Margins, margins_of_cells
from evallang.metrics.metric import METRICS
from evallang.stats.hypothesis_tests.swapping import CountSwapper, TableSwapper
from evallang.stats.intervals.resampling import (
    CountSample,
    PairedCountSample,
    PatternSample,
)

K, N = 12, 300
OF_MARGINS = [m for m in METRICS if m.declaration.of_margins and not m.declaration.binary_only]


def labels(seed, *, others=True):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, K - 1, N)  # the last class never occurs
    one, other = (
        np.where(rng.random(N) < 0.7, truth, rng.integers(0, K + others, N)) for _ in range(2)
    )
    return truth, one, other


def table(*codes):
    return np.histogramdd(np.stack(codes, axis=1), [range(K + 2)] * len(codes))[0].astype(int)


def of(metric):
    options = {"beta": 2.0} if metric.name == "fbeta" else {}
    return lambda counts: np.asarray(metric.function(counts, None, **options), dtype=float)


def rows(metric):
    """The metric of matrices with a row for labels that no truth has."""
    return lambda counts: of(metric)(counts[..., :K, :])


def of_cells(metric):
    def of_some(truth, label):
        margins = margins_of_cells(truth, label, K)
        return lambda counts: of(metric)(margins(counts))

    return of_some


def swapper(codes, metric):
    pairs = LabelledPairs.counted(*codes, K)
    return TableSwapper(pairs.truth, pairs.first, pairs.second, pairs.times, of_cells(metric))


@pytest.mark.parametrize("metric", OF_MARGINS, ids=lambda metric: metric.name)
class TestAllMetrics:
    def test_the_value_and_its_resamples_are_those_of_the_whole_matrix(self, metric):
        truth, one, _ = labels(0)
        matrix = table(truth, one)[:K]
        occurring = np.nonzero(matrix)
        cells = PatternSample(matrix[occurring], of_cells(metric)(*occurring))
        whole = CountSample(matrix, of(metric))
        assert cells.estimate() == pytest.approx(whole.estimate(), rel=1e-14)
        drawn = (s.replicates(np.random.default_rng(1), 50) for s in (cells, whole))
        np.testing.assert_allclose(*drawn, rtol=1e-13)
        np.testing.assert_allclose(cells.jackknife()[0], whole.jackknife()[0], rtol=1e-13)

    def test_differences_and_their_resamples_are_those_of_the_whole_table(self, metric):
        codes = labels(2)
        pairs = LabelledPairs.counted(*codes, K)
        one, other = (of_cells(metric)(pairs.truth, x) for x in (pairs.first, pairs.second))
        cells = PatternSample(pairs.times, lambda counts: one(counts) - other(counts))
        whole = PairedCountSample(table(*codes), rows(metric))
        assert cells.estimate() == pytest.approx(whole.estimate(), rel=1e-12)
        drawn = (s.replicates(np.random.default_rng(1), 50) for s in (cells, whole))
        np.testing.assert_allclose(*drawn, rtol=1e-12, atol=1e-14)

    def test_swaps_are_those_of_the_whole_table(self, metric):
        codes = labels(3)
        cells = swapper(codes, metric)
        whole = CountSwapper(table(*codes), rows(metric))
        assert cells.estimate() == pytest.approx(whole.estimate(), rel=1e-12)
        drawn = (s.replicates(np.random.default_rng(1), 50) for s in (cells, whole))
        np.testing.assert_allclose(*drawn, rtol=1e-12, atol=1e-14)


def test_all_arrangements_of_few_swaps_are_the_same():
    codes = [np.concatenate([x[:6], np.arange(K)]) for x in labels(4)]
    metric = METRICS["f1"]
    cells = swapper(codes, metric).arrangements(10_000)
    whole = CountSwapper(table(*codes), rows(metric)).arrangements(10_000)
    np.testing.assert_allclose(cells, whole, rtol=1e-12, atol=1e-14)


def test_margins_of_cells_are_those_of_the_matrix():
    matrix = np.array([[[3, 1, 0], [0, 2, 4]], [[1, 0, 5], [2, 2, 0]]])
    truth, predicted = np.nonzero(np.ones((2, 3)))
    found = margins_of_cells(truth, predicted, 2)(matrix.reshape(2, 6).astype(float))
    expected = Margins.of(matrix)
    for name in ("hits", "labelled", "support", "predicted", "n", "unclassified"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(expected.unclassified, [4, 5])


def test_counted_pairs_are_those_of_single_examples():
    codes = labels(5)
    single = LabelledPairs.counted(*codes, K)
    again = LabelledPairs.counted(single.truth, single.first, single.second, K, single.times)
    for name in ("truth", "first", "second", "times"):
        np.testing.assert_array_equal(getattr(single, name), getattr(again, name))
    assert single.times.sum() == N
