"""Ratios of two sums over the examples: estimates, intervals and tests of numbers from a file."""

import itertools

import numpy as np
import pytest
from scipy import stats
from studies import study, write_rows

from evallang.api import run

N = 12
RNG = np.random.default_rng(17)
WORDS = RNG.integers(1, 25, N)
ERRORS = [RNG.binomial(WORDS, share) for share in (0.3, 0.15)]
RATIO = """evallang 1
predictions speech from "p.csv"
  id i
  {clauses}
  value ratio("errors", "words") a as (a, w), b as (b, w)
  lower is better
{rest}
"""


@pytest.fixture
def table(tmp_path):
    speakers = [f"s{i % 6}" for i in range(N)]
    weights = RNG.integers(1, 4, N)
    rows = zip(range(N), WORDS, *ERRORS, speakers, weights, strict=True)
    write_rows(tmp_path, "p.csv", "i,w,a,b,speaker,weight", rows)
    return tmp_path


def made(folder, rest="", clauses='unit "utterances"'):
    return run(study(RATIO.format(rest=rest, clauses=clauses), folder))


def test_the_estimate_is_one_sum_over_the_other_and_no_mean_of_ratios(table):
    a, b = made(table).estimates
    for found, errors in zip((a, b), ERRORS, strict=True):
        assert found.metric == "errors / words"
        assert found.value == pytest.approx(errors.sum() / WORDS.sum(), rel=1e-12)
        assert found.value != pytest.approx((errors / WORDS).mean(), rel=1e-3)
    assert (a.n, a.aggregation, a.about) == (N, "pooled", "this fitted model")


def test_weights_multiply_both_sums(table):
    weights = np.loadtxt(table / "p.csv", delimiter=",", skiprows=1, usecols=5)
    for interval in ("", "measure errors_words\n  interval ratio"):
        a, _ = made(table, interval, "weight weight").estimates
        assert a.value == pytest.approx((ERRORS[0] * weights).sum() / (WORDS * weights).sum())
        assert a.interval.low < a.value < a.interval.high


def test_the_bootstrap_is_that_of_scipy_within_its_monte_carlo_error(table):
    a, _ = made(table, "measure errors_words\n  interval bootstrap(bca, rounds=20000)").estimates
    known = stats.bootstrap(
        (ERRORS[0], WORDS),
        lambda e, w, axis: e.sum(axis) / w.sum(axis),
        paired=True,
        n_resamples=20000,
        random_state=3,
        method="BCa",
    ).confidence_interval
    assert (a.interval.low, a.interval.high) == pytest.approx((known.low, known.high), abs=0.006)


def test_the_bootstrap_of_groups_draws_whole_groups(table):
    a, _ = made(
        table, "measure errors_words\n  interval bootstrap(percentile, rounds=20000)",
        "group speaker",
    ).estimates  # fmt: skip
    sums = np.array(
        [[x[np.arange(N) % 6 == g].sum() for x in (ERRORS[0], WORDS)] for g in range(6)]
    )
    drawn = sums[np.random.default_rng(2).integers(0, 6, (20000, 6))].sum(axis=1)
    known = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    assert (a.interval.low, a.interval.high) == pytest.approx(known, abs=0.006)
    assert a.interval.clusters.n == 6


def test_the_permutation_test_swaps_numerators_and_denominators_of_an_example(tmp_path):
    words = [WORDS[:8], RNG.integers(1, 25, 8)]  # each model counts words of its own
    errors = [ERRORS[0][:8], ERRORS[1][:8]]
    rows = zip(range(8), words[0], words[1], *errors, strict=True)
    write_rows(tmp_path, "p.csv", "i,w,v,a,b", rows)
    text = RATIO.format(clauses="where i >= 0", rest="compare a vs b with permutation")
    results = run(study(text.replace("b as (b, w)", "b as (b, v)"), tmp_path))
    (pair,) = results.comparisons[0].pairwise
    differences = []
    for swap in itertools.product((False, True), repeat=8):
        e = [np.where(swap, errors[1 - m], errors[m]).sum() for m in (0, 1)]
        w = [np.where(swap, words[1 - m], words[m]).sum() for m in (0, 1)]
        differences.append(e[0] / w[0] - e[1] / w[1])
    seen = abs(differences[0])
    expected = np.mean(np.abs(differences) >= seen - 1e-12)
    assert pair.estimate.value == pytest.approx(differences[0])
    assert pair.p == pytest.approx(expected, abs=1e-12 if "exact" in (pair.variant or "") else 0.02)


def test_with_repeats_the_example_is_drawn_with_all_its_runs(tmp_path):
    rows = [(i, r, WORDS[i], RNG.binomial(WORDS[i], 0.2)) for r in range(3) for i in range(N)]
    write_rows(tmp_path, "p.csv", "i,run,w,a", rows)
    text = RATIO.format(clauses="repeat run", rest="").replace(", b as (b, w)", "")
    (a,) = run(study(text, tmp_path)).estimates
    by_run = [sum(row[3] for row in rows if row[1] == r) / WORDS.sum() for r in range(3)]
    assert a.value == pytest.approx(np.mean(by_run))
    assert [f.value for f in a.folds] == pytest.approx(by_run)
    assert a.interval.low < a.value < a.interval.high


def test_a_requirement_is_about_the_ratio(tmp_path):
    rows = np.tile([WORDS, *ERRORS], 2).T  # of fewer than 20 the bootstrap gives no interval
    write_rows(tmp_path, "p.csv", "i,w,a,b", ((i, *row) for i, row in enumerate(rows)))
    rest = "require errors_words of b <= 0.9\nrequire a not worse than b by 0.5"
    results = made(tmp_path, rest)
    assert [r.met for r in results.requirements] == [True, True]
    assert [r.metric for r in results.requirements] == ["errors / words"] * 2
