"""Lines that gate a run: each is decided on the interval that the report prints."""

import math

import pytest
from scipy.optimize import brentq, minimize_scalar
from studies import study

from evallang.api import StudyError, run
from evallang.cli.verdicts import requirement_lines

HEAD = """evallang 1
counts published
  models old, new
  table [[90, 2], [8, 20]]
measure accuracy
compare new, old with mcnemar
"""  # new is right on 8 examples on which old is wrong, old on 2


def decided(*lines):
    return run(study(HEAD + "\n".join(lines) + "\n"))


def test_not_worse_is_decided_on_the_bound_of_the_interval_that_the_comparison_prints():
    results = decided(
        "require new not worse than old by 2%", "require old not worse than new by 2%"
    )
    printed = results.comparisons[0].pairwise[0].estimate
    better, worse = results.requirements
    assert better.value == pytest.approx(6 / 120)
    assert better.interval == pytest.approx((printed.low, printed.high))
    assert worse.interval == pytest.approx((-printed.high, -printed.low))
    assert (better.met, worse.met) == (True, False)


def score_of_difference(delta, b=8, c=2, n=120):
    """Give Tango's score for a difference, its nuisance maximised by a general minimiser."""

    def loss(p):
        return -(
            b * math.log(p + delta) + c * math.log(p) + (n - b - c) * math.log(1 - 2 * p - delta)
        )

    p = minimize_scalar(loss, bounds=(1e-12, (1 - delta) / 2 - 1e-12), options={"xatol": 1e-12}).x
    return (b - c - n * delta) / math.sqrt(n * (2 * p + delta * (1 - delta)))


@pytest.mark.parametrize(("margin", "met"), [("11%", False), ("12%", True)])
def test_equivalence_needs_the_whole_interval_inside_the_margin(margin, met):
    (line,) = decided(f"require new equivalent to old within {margin}").requirements
    bound = brentq(lambda delta: score_of_difference(delta) + 1.959964, 0.06, 0.3)
    assert line.interval[1] == pytest.approx(bound, abs=1e-5)
    assert line.met is met


def test_at_90_percent_the_interval_is_narrower():
    wide, narrow = decided(
        "require new better than old", "require new better than old at 90%"
    ).requirements
    assert narrow.level == 0.9
    assert wide.interval[0] < narrow.interval[0] < narrow.interval[1] < wide.interval[1]


def test_with_a_test_the_sign_counts_as_well_as_p():
    # two-sided mid-p of 2 against 8: 2 P(X <= 1) + P(X = 2), X ~ B(10, 1/2) = (22 + 45) / 1024
    p = 67 / 1024
    better, worse = decided(
        "require new better than old with mcnemar(method=midp)",
        "require old better than new with mcnemar(method=midp)",
    ).requirements
    assert better.test.p == pytest.approx(p)
    assert (better.met, worse.met) == (False, False)


def test_a_level_is_held_only_if_the_lower_bound_of_its_interval_holds_it():
    # Wilson for 98 of 120: by statsmodels 0.14, proportion_confint
    holds, fails = decided(
        "require accuracy of new >= .73", "require accuracy of new >= .74"
    ).requirements
    assert holds.interval == pytest.approx((0.7379909, 0.8756970), abs=1e-6)
    assert (holds.met, fails.met) == (True, False)


def test_the_exact_test_decides_where_mcnemar_is_written_alone():
    (line,) = decided("require new better than old with mcnemar").requirements
    # exact two-sided p of 2 against 8: 2 P(X <= 2), X ~ B(10, 1/2) = 2 (1 + 10 + 45) / 1024
    assert line.test.variant == "exact"
    assert line.test.p == pytest.approx(112 / 1024)
    assert not line.met and line.reason == "p = .109 is above .05"


def test_at_a_level_of_its_own_a_line_with_a_test_has_that_alpha():
    # mid-p 67/1024 = .065 (above): not below .05, below .1
    strict, lax = decided(
        "require new better than old with mcnemar(midp)",
        "require new better than old with mcnemar(midp) at 90%",
    ).requirements
    assert (strict.met, lax.met) == (False, True)
    assert lax.test.reject is True and lax.level == 0.9


def test_a_line_with_a_test_prints_the_interval_of_that_test():
    text = """evallang 1
study "S"
  seed 1
data iris from sklearn breast_cancer
model a = LinearDiscriminantAnalysis
model b = DummyClassifier
protocol cv folds=5
measure accuracy
require a better than b with corrected_t
require a better than b
"""
    tested, plain = run(study(text)).record.requirements
    assert tested.method == "corrected_t" and plain.method == "tango"
    assert tested.interval == (tested.test.estimate.low, tested.test.estimate.high)


def test_a_line_about_a_model_that_the_file_has_not_is_refused(tmp_path):
    (tmp_path / "p.csv").write_text("id,truth,a\n" + "".join(f"{i},{i % 2},1\n" for i in range(40)))
    text = """evallang 1
predictions p from "p.csv"
  id id
  truth truth
measure accuracy
require accuracy of nowhere >= 10%
require nowhere better than a
"""
    with pytest.raises(StudyError, match="E493") as refused:
        run(study(text, tmp_path))
    assert str(refused.value).count("no model of the data is called `nowhere`") == 2


def test_each_line_prints_what_was_decided_with_interval_level_and_method():
    results = decided(
        "require new not worse than old by 2%",
        "require error_rate of new <= 10%",
        "require new better than old with mcnemar at 80%",
    )
    first, second, third = requirement_lines(results.record)
    low = -brentq(lambda delta: score_of_difference(delta, b=2, c=8) + 1.959964, 1e-6, 0.2)
    high = brentq(lambda delta: score_of_difference(delta) + 1.959964, 0.06, 0.3)
    shown = f"[{low * 100:.1f}, {high * 100:.1f}]"
    assert first == f"PASS new not worse than old by 2%: 5.0 points {shown} (95% tango)"
    # Wilson for 22 of 120: by statsmodels 0.14, proportion_confint
    assert second == "FAIL error_rate of new <= 10%: 18.3% [12.4, 26.2] (95% wilson)"
    assert third.startswith("PASS new better than old with mcnemar at 80%: 5.0 points [")
    assert third.endswith("(80% tango; mcnemar exact, p = .109)")


def test_no_bound_is_printed_on_the_other_side_of_the_line_than_it_is():
    low = requirement_lines(decided("require accuracy of new >= 73.8%").record)[0]
    # the bound is .7379909 (statsmodels, above): 73.8 would look as if it were met
    assert low.startswith("FAIL accuracy of new >= 73.8%: 81.667% [73.799, ")
