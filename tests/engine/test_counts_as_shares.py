"""`right A = 87 of 100`: one model alone, or several on examples of their own."""

import pytest
from scipy import stats
from statsmodels.stats import multitest, proportion
from studies import study

from evallang.api import run

ALONE = "evallang 1\ncounts t\n  right a = 87 of 100\nmeasure accuracy\n"
THREE = """evallang 1
counts t "Published"
  right a "Model A" = 87 of 100
  right "gpt-4.1" = 150 of 200
  right c = 42 of 90
  unit "questions"
measure accuracy
"""
NAMES = {
    "wilson": "wilson",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
    "agresti_coull": "agresti_coull",
    "wald": "normal",
}


def recorded(text):
    return run(study(text)).record


@pytest.mark.parametrize(("name", "theirs"), NAMES.items())
def test_one_share_has_the_intervals_of_a_proportion(name, theirs):
    (found,) = recorded(f"{ALONE}  interval {name}\n").estimates
    low, high = proportion.proportion_confint(87, 100, method=theirs)
    assert (found.value, found.n, found.interval.method) == (0.87, 100, name)
    assert found.interval.low == pytest.approx(low, abs=1e-9)
    assert found.interval.high == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize("side", ["greater", "less"])
def test_one_share_is_tested_against_a_bound_of_the_error(side):
    line = f"compare a with binomial(threshold=20%, alternative={side})\n"
    (test,) = recorded(ALONE + line).comparisons[0].pairwise
    expected = stats.binomtest(13, 100, 0.2, alternative=side)
    assert test.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_a_requirement_is_decided_on_the_interval_of_one_share():
    low, _ = proportion.proportion_confint(87, 100, method="wilson")
    lines = (
        f"require accuracy of a >= {low - 0.001:.6f}\nrequire accuracy of a >= {low + 0.001:.6f}\n"
    )
    met = [item.met for item in recorded(ALONE + lines).requirements]
    assert met == [True, False]


def test_all_pairs_of_shares_are_tested_with_the_n_of_each():
    found = recorded(THREE + "compare with proportions_z holm\n")
    given = {"a": (87, 100), "gpt-4.1": (150, 200), "c": (42, 90)}
    tests = found.comparisons[0].pairwise
    p = []
    for test in tests:
        (x, n), (y, m) = (given[model] for model in test.models)
        z, each = proportion.proportions_ztest([x, y], [n, m])
        low, high = proportion.confint_proportions_2indep(x, n, y, m, method="newcomb")
        assert test.statistic.value == pytest.approx(z, rel=1e-12)
        assert (test.estimate.low, test.estimate.high) == pytest.approx((low, high), abs=1e-9)
        p.append(each)
    adjusted = multitest.multipletests(p, method="holm")[1]
    assert [test.p_adjusted for test in tests] == pytest.approx(list(adjusted), rel=1e-9)
    assert {e.model: (e.n, e.tested.n) for e in found.estimates} == {
        model: (n, n) for model, (_, n) in given.items()
    }
    (data,) = found.data
    assert (data.kind, data.n) == ("counts", 390)
    assert data.samples == {"a": 100, "gpt-4.1": 200, "c": 90}


def test_claims_about_two_shares_are_decided_on_newcombes_interval():
    lines = (
        "require a better than c\nrequire a not worse than c by 5%\n"
        "require a equivalent to c within 5%\nrequire c better than a with proportions_z\n"
    )
    found = recorded(THREE + lines).requirements
    assert [item.met for item in found] == [True, True, False, False]
    assert {item.method for item in found} == {"newcombe_independent"}
