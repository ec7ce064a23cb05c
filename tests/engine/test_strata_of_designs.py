"""Strata of several columns and of binned targets, with groups, in outer and inner folds."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge
from studies import checked, study

from evallang.api import run
from evallang.api.checked_file import StudyError
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


def test_the_folds_of_binned_strata_are_scored_as_by_a_plain_loop(wards):
    folder, columns = wards
    text = HEAD + (
        "price\nstratify by target bins=5\nmodel m = Ridge\nprotocol cv folds=4\nmeasure mse\n"
    )
    X, y = columns["a"][:, None], columns["price"]
    expected = []
    for split in planned(text, folder).layout.splits["d", "cv"]:
        model = Ridge().fit(X[split.train], y[split.train])
        expected.append(np.mean((model.predict(X[split.test]) - y[split.test]) ** 2))
    found = run(study(text, folder)).estimates[0]
    assert [f.value for f in found.folds] == pytest.approx(expected, rel=1e-12)


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


def test_inner_folds_keep_the_strata_of_the_outer_design(wards):
    folder, columns = wards
    text = HEAD + (
        "sick\nstratify by target, ward\n"
        "model m = KNeighborsClassifier(n_neighbors in [1, 5])\n"
        "protocol nested cv outer=4 inner=3\nmeasure accuracy\n"
    )
    both = np.char.add(columns["sick"], columns["ward"])
    for task in planned(text, folder).fits.values():
        counts = np.array(
            [[np.sum(both[test] == level) for level in np.unique(both)] for _, test in task.inner]
        )
        assert (counts.max(axis=0) - counts.min(axis=0)).max() <= 1


def test_rare_combinations_are_merged_and_named(wards):
    folder, _ = wards
    path = folder / "d.csv"
    lines = path.read_text().splitlines()
    for place in [i for i, line in enumerate(lines) if ",A," in line][:2]:
        lines[place] = lines[place].replace(",A,", ",Z,")
    path.write_text("\n".join(lines) + "\n")
    text = HEAD + (
        "sick\nstratify by target, ward\nmodel m = GaussianNB\nprotocol cv folds=5\n"
        "measure accuracy\n"
    )
    prepared = read_and_plan(study(text, folder))
    assert "W422" in [d.code for d in prepared.diagnostics]
    assert any("merged" in note for note in prepared.planned.plan.protocols[0].notes)
    assert prepared.planned.plan.n_fits == 5


def test_a_stratum_too_small_for_inner_folds_is_merged_too(wards):
    folder, _ = wards
    lines = (folder / "d.csv").read_text().splitlines()
    places = [i for i, line in enumerate(lines) if ",no,B," in line]
    # 6 members: enough for 5 outer folds, but 6 - 2 = 4 are too few for 5 inner ones
    for i in places[6:]:
        lines[i] = lines[i].replace(",B,", ",A,")
    (folder / "d.csv").write_text("\n".join(lines) + "\n")
    text = HEAD + (
        "sick\nstratify by target, ward\n"
        "model m = KNeighborsClassifier(n_neighbors in [1, 5])\n"
        "protocol nested cv outer=5 inner=5\nmeasure accuracy\n"
    )
    prepared = read_and_plan(study(text, folder))
    (said,) = [d for d in prepared.diagnostics if d.code == "W422"]
    assert "fewer than 7 rows" in said.message  # 7 - 2 = 5


@pytest.mark.parametrize(
    ("line", "target", "code"),
    [
        ("stratify by target", "price", "E115"),
        ("stratify by target bins=5", "sick", "E115"),
        ("stratify by target bins=1", "price", "E131"),
        ("stratify by wardd", "sick", "E420"),
        ("stratify by target bins=200", "price", "E490"),
        ("stratify by target, a", "sick", "E491"),
    ],
)
def test_strata_that_cannot_be_made_are_refused(wards, line, target, code):
    folder, _ = wards
    model = "GaussianNB" if target == "sick" else "Ridge"
    task = "classification" if target == "sick" else "regression"
    text = HEAD + (f"{target}\n  task {task}\n{line}\nmodel m = {model}\nprotocol cv folds=5\n")
    found = [d.code for d in checked(text).diagnostics if d.severity == "error"]
    if not found:
        with pytest.raises(StudyError) as caught:
            read_and_plan(study(text, folder))
        errors = [d for d in caught.value.diagnostics if d.severity == "error"]
        found = [d.code for d in errors]
        assert errors[0].span.start == text.index(line)
    assert found == [code]


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
