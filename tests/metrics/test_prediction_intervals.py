"""Prediction intervals: metrics against scikit-learn and by hand, and as a study reads them."""

import numpy as np
import pytest
from many_cases import for_each
from sklearn.metrics import mean_pinball_loss
from statsmodels.stats.proportion import proportion_confint

import evallang as ev
from evallang.metrics.metric import METRICS, evaluate

N = 60


def ours(name, truth, bounds, weights=None, **options):
    return evaluate(METRICS[name], options, truth, bounds, None, 0, weights)


def drawn(seed):
    rng = np.random.default_rng(seed)
    low, width = rng.normal(size=N).round(1), rng.exponential(size=N).round(1)
    return rng.normal(size=N).round(1), np.column_stack([low, low + width]), rng.integers(0, 4, N)


@for_each("level", [0.5, 0.8, 0.95])
@for_each("seed", range(3))
def test_the_interval_score_is_the_scaled_sum_of_the_pinball_losses_of_both_bounds(seed, level):
    truth, bounds, times = drawn(seed)
    rows = np.repeat(np.arange(N), times)
    tail = (1 - level) / 2
    low, high = (
        mean_pinball_loss(truth[rows], bounds[rows, side], alpha=alpha)
        for side, alpha in ((0, tail), (1, 1 - tail))
    )
    found = ours("interval_score", truth, bounds, times.astype(float), level=level)
    assert found == pytest.approx((low + high) / tail, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_coverage_counts_values_on_a_bound_as_inside(seed):
    truth, bounds, _ = drawn(seed)
    truth[:5], truth[5:10] = bounds[:5, 0], bounds[5:10, 1]
    inside = [low <= y <= high for y, (low, high) in zip(truth, bounds, strict=True)]
    assert ours("coverage", truth, bounds) == pytest.approx(sum(inside) / N)
    assert ours("interval_width", truth, bounds) == pytest.approx(np.ptp(bounds, axis=1).mean())


@pytest.mark.parametrize("level", [0, 1, 1.5])
def test_a_level_lies_between_0_and_1(level):
    truth, bounds, _ = drawn(0)
    with pytest.raises(ValueError, match="level"):
        ours("interval_score", truth, bounds, level=level)


# --- in a study --------------------------------------------------------------------------


def study(tmp_path, lines, wider=1):
    truth, bounds, _ = drawn(0)
    rows = [
        f"{i},{i // 3},{y},{low},{high},{low - wider},{high + wider}"
        for i, (y, (low, high)) in enumerate(zip(truth, bounds, strict=True))
    ]
    (tmp_path / "p.csv").write_text("id,site,y,low,high,lower,higher\n" + "\n".join(rows) + "\n")
    head = 'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  id id\n  truth y\n'
    ranges = '  range a = ["low", "high"]\n  range b = ["lower", "higher"]\n'
    (tmp_path / "s.eval").write_text(f"{head}{ranges}{lines}\nreport html\n")
    return ev.run(tmp_path / "s.eval", store="off").record, truth, bounds


def test_a_study_measures_ranges_and_predicts_their_middle(tmp_path):
    record, truth, bounds = study(tmp_path, "measure coverage, interval_width, mae")
    found = {(e.metric, e.model): e for e in record.estimates}
    inside = int(((bounds[:, 0] <= truth) & (truth <= bounds[:, 1])).sum())
    coverage = found["coverage", "a"]
    assert coverage.value == pytest.approx(inside / N)
    low, high = proportion_confint(inside, N, method="wilson")
    assert (coverage.interval.low, coverage.interval.high) == pytest.approx((low, high))
    assert found["interval_width", "b"].value == pytest.approx(np.ptp(bounds, axis=1).mean() + 2)
    middle = bounds.mean(axis=1)
    assert found["mae", "a"].value == pytest.approx(np.abs(truth - middle).mean())
    assert "a: predicts the middle of its range" in record.data[0].notes


def test_ranges_that_cover_every_value_have_an_interval_with_a_width(tmp_path):
    record, _, _ = study(tmp_path, "measure coverage", wider=99)
    b = next(e for e in record.estimates if e.model == "b")
    assert b.value == 1
    low, high = proportion_confint(N, N, method="wilson")
    assert (b.interval.low, b.interval.high) == pytest.approx((low, high))


def test_coverage_of_groups_has_their_effective_number_of_examples(tmp_path):
    record, _, _ = study(tmp_path, "group by site\nmeasure coverage")
    (a, _) = record.estimates
    assert a.interval.method == "wilson"
    assert a.interval.low < a.value < a.interval.high
