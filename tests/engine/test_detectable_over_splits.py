"""What t tests over splits could have found, from the standard error found: against scipy."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from evallang.api.running import run
from evallang.api.study_file import parse

STUDY = """evallang 1
study
  seed 1
{families}data wine from sklearn wine
model a = GaussianNB
model b = KNeighborsClassifier(n_neighbors=5)
model c = KNeighborsClassifier(n_neighbors=6)
protocol {protocol}
measure accuracy
{lines}
"""


def pairs_of(lines, protocol="cv folds=5", families=""):
    results = run(parse(STUDY.format(lines=lines, protocol=protocol, families=families)))
    return results, [pair for found in results.comparisons for pair in found.pairwise]


def error_of(results, pair):
    """Compute the corrected standard error from the values of the folds (Nadeau & Bengio)."""
    first, second = (
        next(e for e in results.estimates if e.model == model).folds for model in pair.models
    )
    d = np.array([x.value - y.value for x, y in zip(first, second, strict=True)])
    ratio = sum(x.n_test for x in first) / sum(x.n_train for x in first)
    return d.std(ddof=1) * sqrt(1 / len(d) + ratio), len(d) - 1


def power(difference, error, df, alpha, sides=2):
    bound = stats.t.ppf(1 - alpha / sides, df)
    upper = stats.nct.sf(bound, df, difference / error)
    return upper + (stats.nct.cdf(-bound, df, difference / error) if sides == 2 else 0.0)


@pytest.mark.parametrize(
    ("lines", "alpha"),
    [
        ("compare a, b with corrected_t", 0.05),
        ("compare a, b, c with corrected_t holm", 0.05 / 3),
        ("compare a, b, c with corrected_t fdr_bh", 0.05 / 3),
        ("compare a, b, c with corrected_t uncorrected", 0.05),
    ],
)
def test_it_has_the_stated_power_at_the_level_of_the_strictest_step(lines, alpha):
    results, pairs = pairs_of(lines)
    for pair in pairs:
        error, df = error_of(results, pair)
        assert pair.extra["standard_error"] == pytest.approx(error, rel=1e-9)
        assert pair.extra["detectable_alpha"] == pytest.approx(alpha, abs=1e-12)
        assert power(pair.extra["detectable"], error, df, alpha) == pytest.approx(0.8, abs=1e-6)


def test_a_posterior_and_one_side_have_it_beyond_their_bound():
    results, (one_sided, posterior) = pairs_of(
        "compare a, b with corrected_t(alternative=greater)\ncompare a, b with bayes_t exploratory",
        "repeated cv folds=5 times=3",
    )
    for pair in (one_sided, posterior):
        error, df = error_of(results, pair)
        assert df == 14
        assert pair.extra["detectable_alpha"] == pytest.approx(0.05, abs=1e-12)
        # the engine takes both tails at twice the level; the far one is below 1e-4 here
        found = power(pair.extra["detectable"], error, df, 0.05, sides=1)
        assert found == pytest.approx(0.8, abs=1e-3)
    # a posterior is decided where its mean lies so many scales beyond the region
    scale, rope = posterior.extra["scale"], posterior.extra["rope"]
    draws = np.random.default_rng(7)
    mean = rope + posterior.extra["detectable"] + draws.standard_normal(100_000) * scale
    spread = scale * np.sqrt(draws.chisquare(14, 100_000) / 14)
    decided = stats.t.cdf((mean - rope) / spread, 14) > 0.95
    assert decided.mean() == pytest.approx(0.8, abs=0.01)  # Monte Carlo error 0.0013


def test_the_one_family_of_a_study_sets_the_level():
    lines = "compare a, b with corrected_t\ncompare b, c with corrected_t"
    _, pairs = pairs_of(lines, families="  families together\n")
    assert [p.extra["detectable_alpha"] for p in pairs] == pytest.approx([0.025] * 2, abs=1e-12)


def test_other_tests_and_pairs_without_a_spread_state_none():
    _, (pair,) = pairs_of("compare a, b with kfold_t")
    assert "detectable" not in pair.extra
