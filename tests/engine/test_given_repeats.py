"""Predictions made elsewhere in several runs: the example is the unit, not its repeats."""

import itertools

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from studies import codes, study, write_rows

from evallang.api import run

N = 60
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, N)
LABEL = np.where(RNG.random(N) < 0.75, TRUTH, 1 - TRUTH)
EXAMPLES, REPEATS = 8, 3
RIGHT = RNG.integers(0, 2, (2, EXAMPLES, REPEATS))
REPEATED = """evallang 1
predictions r from "r.csv"
  id item
  repeat run
  correct a, b
  unit "questions"
compare a, b with {}
"""


@pytest.fixture
def repeated(tmp_path):
    rows = [(i, r, RIGHT[0, i, r], RIGHT[1, i, r]) for r in range(REPEATS) for i in range(EXAMPLES)]
    write_rows(tmp_path, "r.csv", "item,run,a,b", rows)
    return tmp_path


def test_with_repeats_the_example_is_the_unit_and_its_mean_the_outcome(repeated):
    results = run(study(REPEATED.format("permutation"), repeated))
    a, _ = results.estimates
    means = RIGHT.mean(axis=2)
    assert a.value == pytest.approx(means[0].mean())
    assert (a.aggregation, a.n, results.record.data[0].n) == ("mean_of_repeats", 8, 8)
    assert [f.value for f in a.folds] == pytest.approx(RIGHT[0].mean(axis=0))
    assert a.extra["sd_within"] == pytest.approx(np.sqrt(RIGHT[0].var(axis=1, ddof=1).mean()))
    assert a.about.endswith("on new examples, with new repeats if each was sampled independently")
    # all 2^8 ways to swap the two models within an example, with all its repeats
    d = means[0] - means[1]
    swapped = np.array(list(itertools.product((-1, 1), repeat=EXAMPLES))) @ d
    expected = (np.abs(swapped) >= abs(d.sum()) - 1e-9).mean()
    (pair,) = results.comparisons[0].pairwise
    assert pair.p == pytest.approx(expected)
    assert pair.estimate.value == pytest.approx(d.mean())


def test_an_example_with_fewer_repeats_counts_as_much_as_any_other(repeated):
    kept = [line for line in (repeated / "r.csv").read_text().splitlines() if line[:3] != "2,2"]
    (repeated / "r.csv").write_text("\n".join(kept) + "\n")
    results = run(study(REPEATED.format("bootstrap(rounds=200)"), repeated))
    means = RIGHT.mean(axis=2)
    means[:, 2] = RIGHT[:, 2, :2].mean(axis=1)
    assert [e.value for e in results.estimates] == pytest.approx(means.mean(axis=1))


def test_repeats_of_f1_are_measured_each_and_their_examples_drawn_whole(tmp_path):
    rows = [
        (i, r, TRUTH[i], LABEL[(i + 7 * r) % N], 1 - TRUTH[i] if i % 5 == r else TRUTH[i])
        for r in range(2)
        for i in range(N)
    ]
    write_rows(tmp_path, "r.csv", "id,run,truth,a,b", rows)
    text = """evallang 1
predictions r from "r.csv"
  id id
  repeat run
  truth truth
  positive 1
measure f1
  interval bootstrap(rounds=200)
compare b, a with permutation(rounds=200) by f1
"""
    results = run(study(text, tmp_path))
    table = np.array(rows)
    expected = []
    for r in range(2):
        part = table[table[:, 1] == r]
        hits = ((part[:, 2] == 1) & (part[:, 3] == 1)).sum()
        expected.append(2 * hits / ((part[:, 2] == 1).sum() + (part[:, 3] == 1).sum()))
    (a, _) = results.estimates
    assert a.value == pytest.approx(np.mean(expected))
    assert a.interval.low < a.value < a.interval.high
    assert "examples" in results.comparisons[0].pairwise[0].variant


def test_repeated_cross_validation_is_read_as_such_and_not_as_examples(tmp_path):
    rows = [
        (i, r, (i * (r + 1) + r) % 5, TRUTH[i], LABEL[(i + r) % N], LABEL[i])
        for r in range(3)
        for i in range(N)
    ]
    write_rows(tmp_path, "r.csv", "id,run,fold,truth,a,b", rows)
    text = """evallang 1
predictions r from "r.csv"
  id id
  repeat run
  fold fold
  truth truth
  positive 1
compare a, b with corrected_t
"""
    results = run(study(text, tmp_path))
    table = np.array(rows)
    d = np.array(
        [
            (part[:, 4] == part[:, 3]).mean() - (part[:, 5] == part[:, 3]).mean()
            for r in range(3)
            for k in range(5)
            for part in [table[(table[:, 1] == r) & (table[:, 2] == k)]]
        ]
    )
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 15 + 1 / 4))
    (pair,) = results.comparisons[0].pairwise
    assert pair.statistic.value == pytest.approx(t)
    assert {e.interval.method for e in results.estimates} == {"corrected_t"}
    assert "E201" in codes(text.replace("corrected_t", "permutation"))


def pair_of(text, folder):
    """Run a study and give its one pair."""
    (pair,) = run(study(text, folder)).comparisons[0].pairwise
    return pair


def test_a_paired_t_on_the_means_of_questions_is_that_of_scipy(repeated):
    means = RIGHT.mean(axis=2)
    pair = pair_of(REPEATED.format("t"), repeated)
    expected = stats.ttest_rel(*means)
    assert (pair.variant, pair.df) == ("paired", (EXAMPLES - 1.0,))
    assert pair.statistic.value == pytest.approx(expected.statistic, rel=1e-9)
    assert pair.p == pytest.approx(expected.pvalue, rel=1e-9)
    bounds = expected.confidence_interval()
    assert (pair.estimate.low, pair.estimate.high) == pytest.approx(tuple(bounds), rel=1e-9)
    assert pair.null == "the two models have the same mean accuracy"


@pytest.mark.parametrize("runs", [1, REPEATS])
def test_a_t_on_groups_of_judged_outcomes_is_the_cluster_robust_one_of_statsmodels(tmp_path, runs):
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(12), 5)
    right = rng.integers(0, 2, (2, len(group), runs))
    write_rows(
        tmp_path,
        "r.csv",
        "item,text,run,a,b",
        [
            (i, group[i], r, right[0, i, r], right[1, i, r])
            for r in range(runs)
            for i in range(len(group))
        ],
    )
    text = REPEATED.format("t").replace("  unit", "  group text\n  unit")
    pair = pair_of(text if runs > 1 else text.replace("  repeat run\n", ""), tmp_path)
    difference = right[0].mean(axis=1) - right[1].mean(axis=1)
    fitted = sm.OLS(difference, np.ones(len(difference))).fit(
        cov_type="cluster", cov_kwds={"groups": group}, use_t=True
    )
    # the factor of statsmodels is G/(G - 1) (n - 1)/(n - 1) for one parameter
    assert pair.variant == "clustered"
    assert pair.statistic.value == pytest.approx(float(fitted.tvalues[0]), rel=1e-9)
    assert pair.p == pytest.approx(float(fitted.pvalues[0]), rel=1e-9)
