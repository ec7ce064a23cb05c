"""Strata of several columns and of binned targets, with groups, in outer and inner folds."""

import numpy as np
import pytest
from scipy import stats
from studies import study

from evallang.api import run
from evallang.api.preparing import read_and_plan

HEAD = 'evallang 1\nstudy "s"\n  seed 3\ndata d from "d.csv"\n  features a\n  target '


@pytest.fixture
def wards(tmp_path):
    rng = np.random.default_rng(2)
    n = 240
    a = rng.normal(size=n).round(4)
    price = (2 * a + rng.normal(size=n)).round(4)
    sick = np.where(a + rng.normal(size=n) > 0.8, "yes", "no")
    ward = rng.choice(["A", "B", "C"], n, p=[0.5, 0.3, 0.2])
    patient = np.repeat(np.arange(n // 3), 3)
    lines = [f"{v},{p},{s},{w},{g}" for v, p, s, w, g in zip(a, price, sick, ward, patient)]  # noqa: B905
    (tmp_path / "d.csv").write_text("a,price,sick,ward,patient\n" + "\n".join(lines) + "\n")
    return tmp_path, {"a": a, "price": price, "sick": sick, "ward": ward, "patient": patient}


def planned(text, folder):
    return read_and_plan(study(text, folder)).planned


def spread(codes, splits):
    """The number of rows of each stratum in each test part."""
    levels = np.unique(codes)
    return np.array([[np.sum(codes[s.test] == level) for level in levels] for s in splits])


def test_every_combination_of_two_columns_is_spread_evenly(wards):
    folder, columns = wards
    text = HEAD + (
        "sick\nstratify by target, ward\nmodel m = GaussianNB\nprotocol cv folds=5\n"
        "measure accuracy\n"
    )
    found = planned(text, folder)
    splits = found.layout.splits["d", "cv"]
    both = np.char.add(columns["sick"], columns["ward"])
    counts = spread(both, splits)
    assert (counts.max(axis=0) - counts.min(axis=0)).max() <= 1
    assert sorted(np.concatenate([s.test for s in splits])) == list(range(240))
    assert found.plan.protocols[0].stratify == "target, ward"
    # by target alone the wards fall as they fall, or the test above could not fail
    alone = planned(text.replace("target, ward", "target"), folder).layout.splits["d", "cv"]
    by_target = spread(both, alone)
    assert (by_target.max(axis=0) - by_target.min(axis=0)).max() > 1


def test_a_regression_target_is_spread_by_its_fifths(wards):
    folder, columns = wards
    text = HEAD + (
        "price\nstratify by target bins=5\nmodel m = Ridge\n"
        "protocol repeated cv folds=4 times=2\nmeasure mse\n"
    )
    found = planned(text, folder)
    price = columns["price"]
    fifths = np.searchsorted(np.quantile(price, [0.2, 0.4, 0.6, 0.8]), price, side="left")
    counts = spread(fifths, found.layout.splits["d", "repeated_cv"])
    assert np.abs(counts - 240 / 5 / 4).max() <= 1
    assert found.plan.protocols[0].stratify == "target in 5 bins"
    assert "price in 5 bins, cut after" in found.plan.protocols[0].notes[0]


def test_groups_stay_whole_and_strata_are_kept_as_far_as_they_allow(wards):
    folder, columns = wards
    text = HEAD + (
        "sick\nstratify by target, ward\ngroup by patient\nmodel m = GaussianNB\n"
        "protocol cv folds=5\nmeasure accuracy\n"
    )
    found = planned(text, folder)
    splits = found.layout.splits["d", "cv"]
    patient = columns["patient"]
    for split in splits:
        assert not set(patient[split.train]) & set(patient[split.test])
    both = np.char.add(columns["sick"], columns["ward"])
    shares = np.array([np.mean(both == level) for level in np.unique(both)])
    sizes = np.array([len(s.test) for s in splits])
    worst = np.abs(spread(both, splits) / sizes[:, None] - shares).max()
    assert worst < 0.08
    assert f"by at most {100 * worst:.1f} points" in " ".join(found.plan.protocols[0].notes)


# --- nested cross-validation, repeated ----------------------------------------------------


def test_a_nested_cv_repeated_averages_repeats_and_corrects_for_overlap(wards):
    folder, _ = wards
    text = HEAD + (
        "sick\nmodel a = KNeighborsClassifier(n_neighbors in [1, 9])\nmodel b = GaussianNB\n"
        "protocol nested cv outer=4 inner=3 times=3\nmeasure accuracy\n"
        "compare a, b with corrected_t\n"
    )
    results = run(study(text, folder))
    splits = planned(text, folder).layout.splits["d", "nested_cv"]
    assert len(splits) == 12
    for repeat in range(3):
        tested = np.concatenate([s.test for s in splits if s.repeat == repeat])
        assert sorted(tested) == list(range(240))
    first, second = results.estimates
    values = {e.model: np.array([f.value for f in e.folds]) for e in (first, second)}
    # 60 tested rows in every fold, so that the pooled value of a repeat is the mean of its folds
    assert first.value == pytest.approx(values["a"].reshape(3, 4).mean(axis=1).mean(), abs=1e-12)
    assert first.aggregation == "mean_of_repeats"
    # Nadeau & Bengio 2003, written out: J = 12 splits, n_test / n_train = 60 / 180
    factor = np.sqrt(1 / 12 + 60 / 180)
    half = stats.t.ppf(0.975, 11) * values["a"].std(ddof=1) * factor
    assert first.interval.method == "corrected_t"
    ends = (first.value - half, first.value + half)
    assert (first.interval.low, first.interval.high) == pytest.approx(ends, abs=1e-9)
    d = values["a"] - values["b"]
    t = d.mean() / (d.std(ddof=1) * factor)
    found = results.record.comparisons[0].pairwise[0]
    assert found.statistic.value == pytest.approx(t, rel=1e-9)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), 11), rel=1e-9)
    assert len(results.record.selections) == 12
