"""`interval nested_cv`: the fits that it plans, what it refuses, and what is reported of it."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from studies import study, write_rows

from evallang import stats
from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.api.running import RunFailed
from evallang.cli.plan_text import plan_lines
from evallang.stats.intervals.cross_validation import ALONE, HeldOutLosses

TEXT = """evallang 1
study "Nested"
  seed 3
data d from "d.csv"
  target y
  features a, b
{clauses}model bayes = GaussianNB
model tree = DecisionTreeClassifier(random_state=0)
protocol {protocol}
measure {metric}
  interval nested_cv(repeats=2)
"""
N, K, REPEATS = 30, 3, 2
FITS = REPEATS * K * (K + 1) // 2


def text(protocol=f"cv folds={K}", metric="error_rate", clauses=""):
    return TEXT.format(protocol=protocol, metric=metric, clauses=clauses)


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(4)
    y = np.arange(N) % 2
    x = rng.normal(size=(N, 2)) + y[:, None]
    rows = [(*x[i].round(6), "up" if y[i] else "down", i // 2, i % 3 + 1) for i in range(N)]
    write_rows(tmp_path, "d.csv", "a,b,y,g,w", rows)
    return tmp_path


def by_hand(folder, learner, splits):
    """Fit without each fold and without each pair of folds; gives the losses in any order."""
    rows = [line.split(",") for line in (folder / "d.csv").read_text().splitlines()[1:]]
    x, y = np.array([row[:2] for row in rows], dtype=float), np.array([row[2] for row in rows])
    found = []
    for repeat in range(REPEATS):
        folds = [s.test for s in splits if s.repeat == repeat and s.fold < K]
        assert sorted(np.concatenate(folds)) == list(range(N))
        for i in range(K):
            for j in [ALONE, *(j for j in range(K) if j != i)]:
                out = folds[i] if j == ALONE else np.concatenate([folds[i], folds[j]])
                kept = np.setdiff1d(np.arange(N), out)
                wrong = learner().fit(x[kept], y[kept]).predict(x[folds[i]]) != y[folds[i]]
                found += [(float(loss), repeat, i, j) for loss in wrong]
    return HeldOutLosses(*np.transpose(found))


def test_its_bounds_are_those_of_fits_made_by_hand(folder):
    made = study(text(), folder)
    splits = read_and_plan(made).planned.layout.splits["d", "folds_and_pairs"]
    bayes, tree = run(made).estimates
    for found, learner in (
        (bayes, GaussianNB),
        (tree, lambda: DecisionTreeClassifier(random_state=0)),
    ):
        losses = by_hand(folder, learner, splits)
        expected = stats.intervals.nested_cv(losses, 0.95, repeats=REPEATS)
        bounds = (max(expected.low, 0.0), min(expected.high, 1.0))
        assert (found.interval.low, found.interval.high) == pytest.approx(bounds)
        assert found.interval.low < found.interval.high


def test_it_is_about_the_algorithm_and_says_where_its_centre_is(folder):
    for found in run(study(text(), folder)).estimates:
        assert found.about == f"the algorithm, trained on {N} examples"
        (note,) = [note for note in found.notes if "centred" in note]
        assert "the mean over 2 repeats, corrected for training on 2 of 3 folds" in note
        assert len(found.folds) == K, "the estimate is that of the study's own protocol"


def test_its_fits_are_in_the_plan_and_in_the_results(folder):
    prepared = read_and_plan(study(text(metric="error_rate, brier"), folder))
    plan = prepared.planned.plan
    own, further = plan.protocols
    assert (own.implied_by, own.interval_of) == (None, None)
    assert further.implied_by == "interval nested_cv(repeats=2)"
    assert (further.interval_of, further.n_splits, further.n_fits) == ("cv", FITS, 2 * FITS)
    assert plan.n_fits == plan.n_fits_naive == 2 * (K + FITS), "two metrics share the fits"
    (estimate, _) = [task for task in plan.tasks if task.kind == "estimate"]
    assert len(estimate.needs) == K + FITS
    lines = "\n".join(plan_lines(prepared))
    assert f"{FITS} splits, {2 * FITS} fits\n    implied by: interval nested_cv(repeats=2)" in lines
    results = run(study(text(), folder))
    _, record = results.record.protocols
    assert (record.implied_by, record.n_fits) == ("interval nested_cv(repeats=2)", 2 * FITS)
    assert record.interval_of == "cv"
    assert {e.protocol for e in results.estimates} == {"cv"}


def test_a_requirement_is_decided_on_it(folder):
    lines = "require error_rate of bayes <= 99%\nrequire error_rate of bayes <= 1%\n"
    results = run(study(text() + lines, folder))
    (found, _) = results.estimates
    assert [r.met for r in results.record.requirements] == [True, False]
    bounds = (found.interval.low, found.interval.high)
    assert [tuple(r.interval) for r in results.record.requirements] == [bounds, bounds]


def test_a_fit_that_fails_leaves_the_estimate_without_an_interval(folder):
    # 20 rows train the models of the folds, and 10 those of the pairs: too few for 15 neighbours
    near = text().replace("GaussianNB", "KNeighborsClassifier(n_neighbors=15)")
    with pytest.raises(RunFailed) as raised:
        run(study(near, folder))
    one, other = raised.value.results.estimates
    assert one.value is not None
    assert one.interval is None
    assert any("6 of 12 of its fits failed" in note for note in one.notes)
    assert other.interval is not None
