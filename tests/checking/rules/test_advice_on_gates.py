"""Levels, margins and lines that a run must meet."""

import pytest
from many_cases import for_each
from msgspec.structs import replace
from studies import checked

from evallang.checking.rules.equivalence_margins import (
    margin_larger_than_the_lead,
    margin_on_another_scale,
)
from evallang.checking.rules.examples import Examples, counted
from evallang.checking.rules.gates import (
    few_examples_for_a_requirement,
    half_width,
    leads_surely,
    overlapping_intervals_as_a_gate,
)
from evallang.checking.rules.rule import Known
from evallang.diagnostics import codes
from evallang.source import Span
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Method, RequirementSpec

TABLE = """evallang 1
counts t
  models a, b
  table [[800, {b}], [{c}, 100]]
measure accuracy
compare with mcnemar
"""


def line(kind, models, value, *, metric="accuracy", operator=None, source="", level=0.95, index=0):
    return RequirementSpec(
        index=index,
        source=source,
        kind=kind,
        metric=Method(metric),
        models=models,
        operator=operator,
        value=value,
        test=None,
        within=None,
        protocol=None,
        level=level,
        span=Span("study.eval", 0, 5),
    )


def study_of(*lines, b=50, c=50):
    return replace(checked(TABLE.format(b=b, c=c)).study, requirements=lines)


def known(study):
    return Known(study, counted(study))


def test_alpha_and_confidence_agree_or_are_reported():
    text = "evallang 1\nstudy\n  alpha {}\n  confidence {}\n" + TABLE.format(b=50, c=50)[11:]
    for alpha, confidence in ((0.05, "95%"), (0.01, "99%"), (0.1, 0.9), (0.001, "99.9%")):
        assert checked(text.format(alpha, confidence)).diagnostics == ()
    (found,) = checked(text.format(0.05, "99%")).diagnostics
    assert found.name == "alpha_and_confidence_disagree"
    assert "confidence 95%" in found.help


def test_confidence_alone_that_differs_is_reported_and_intervals_alone_are_not():
    text = "evallang 1\nstudy\n  confidence 90%\n" + TABLE.format(b=50, c=50)[11:]
    assert [d.name for d in checked(text).diagnostics] == ["alpha_and_confidence_disagree"]
    assert checked(text.replace("compare with mcnemar\n", "")).diagnostics == ()


@pytest.mark.parametrize(
    ("first", "second", "objected"), [(0.9, 0.9, 1), (0.9, 0.8, 1), (0.8, 0.9, 0)]
)
def test_two_thresholds_that_keep_intervals_apart_are_no_test(first, second, objected):
    lines = (
        line("level", ("a",), first, operator=">="),
        line("level", ("b",), second, operator="<=", index=1),
    )
    found = list(overlapping_intervals_as_a_gate(study_of(*lines)))
    assert len(found) == objected
    if found:
        assert found[0].help == "write `require a better than b`"


@pytest.mark.parametrize(
    ("discordant", "n"), [(0, 50), (0, 2000), (10, 100), (40, 900), (200, 200)]
)
def test_half_width_is_that_of_tango_for_equal_models(discordant, n):
    # the interval itself, which is tested against Tango 1998, at b = c
    b = discordant // 2
    found = INTERVALS["tango"].function([[n - discordant, b], [b, 0]], 0.95)
    assert half_width(discordant, n, 1.9599639845) == pytest.approx(found.high, abs=1e-6)


def test_half_width_without_discordant_pairs_has_a_closed_form():
    z = 1.9599639845
    assert half_width(0, 100, z) == pytest.approx(z * z / (100 + z * z), abs=1e-12)


@pytest.mark.parametrize(("margin", "objected"), [(0.01, 1), (0.03, 0)])
def test_a_margin_inside_the_interval_of_equal_models_cannot_be_met(margin, objected):
    # b = c = 50 of 1000: 1.96 sqrt(100) / 1000 is about 2 points (Wald; Tango is near it)
    for kind in ("noninferior", "equivalent"):
        found = list(
            few_examples_for_a_requirement(known(study_of(line(kind, ("a", "b"), margin))))
        )
        assert len(found) == objected


@pytest.mark.parametrize(
    ("over", "half"),
    # Wald: 1.96 sqrt(100) / 1000 and 1.96 sqrt(20) / 100; weights of one half, or 1000/1100
    [("data", (0.0196**2 + 0.0877**2) ** 0.5 / 2), ("rows", 1.96 * 120**0.5 / 1100)],
)
def test_the_margin_of_an_average_is_judged_on_all_data_sets(over, half):
    pair = ("a", "b")
    examples = (Examples("t/x", 1000, {pair: 100}), Examples("t/y", 100, {pair: 20}))
    for value, objected in ((0.9 * half, 1), (1.1 * half, 0)):
        one = replace(line("noninferior", pair, value), averaged=over)
        found = list(few_examples_for_a_requirement(Known(study_of(one), examples)))
        assert len(found) == objected
        assert all("with 1100 examples, on 120 of which" in one.message for one in found)


def test_a_threshold_above_the_best_interval_cannot_be_met():
    # Wilson's lower bound of 100 of 100 is 100/(100 + 1.96^2) = 0.963
    examples = (Examples("t", 100, {}),)
    for value, objected in ((0.97, 1), (0.96, 0)):
        study = study_of(line("level", ("a",), value, operator=">="))
        found = list(few_examples_for_a_requirement(Known(study, examples)))
        assert len(found) == objected
        if found:
            assert "96.3%" in found[0].help
    for value, objected in ((0.03, 1), (0.04, 0)):
        errors = line("level", ("a",), value, metric="error_rate", operator="<=")
        assert (
            len(list(few_examples_for_a_requirement(Known(study_of(errors), examples)))) == objected
        )


def test_a_margin_as_large_as_the_lead_over_the_third_model_is_reported():
    lead = line("superior", ("b", "c"), 0.03)
    for margin, objected in ((0.05, 1), (0.01, 0)):
        study = study_of(lead, line("noninferior", ("a", "b"), margin))
        assert len(list(margin_larger_than_the_lead(study))) == objected
    other = study_of(line("superior", ("a", "c"), 0.03), line("noninferior", ("a", "b"), 0.05))
    assert list(margin_larger_than_the_lead(other)) == []


@for_each(
    ("requirement", "objected"),
    [
        (line("noninferior", ("a", "b"), 2.0), 1),
        (line("noninferior", ("a", "b"), 0.02), 0),
        (line("level", ("a",), 80.0, operator=">="), 1),
        (line("level", ("a",), 0.8, operator=">="), 0),
        (line("equivalent", ("a", "b"), 0.02, metric="mcc"), 0),
        (line("equivalent", ("a", "b"), 2.0, metric="mcc"), 1),  # from -1 to 1
        (line("noninferior", ("a", "b"), 0.02, metric="rmse", source="require ... by 2%"), 1),
        (line("noninferior", ("a", "b"), 2.0, metric="rmse", source="require ... by 2"), 0),
        (line("superior", ("a", "b"), None), 0),
    ],
)
def test_margins_and_thresholds_are_on_the_scale_of_their_metric(requirement, objected):
    assert len(list(margin_on_another_scale(known(study_of(requirement))))) == objected


def test_a_rope_as_wide_as_the_metric_is_reported():
    study = study_of()
    (compared,) = study.comparisons
    for rope, objected in ((1, 1), (0.01, 0)):
        tested = replace(compared, test=Method("bayes_t", (("rope", rope),)), post_hoc=None)
        found = list(margin_on_another_scale(known(replace(study, comparisons=(tested,)))))
        assert len(found) == objected


@for_each(("discordant", "n"), [(3, 100), (4, 100), (20, 116), (60, 300)])
@for_each("lead", [0.0, 0.02, 0.1, 0.3])
def test_a_lead_is_sure_where_the_interval_of_tango_lies_above_it(discordant, n, lead):
    # Tango's interval is tested against the tables of Newcombe 1998
    table = [[n - discordant, discordant], [0, 0]]
    low = INTERVALS["tango"].function(table, level=0.95).low
    assert leads_surely(discordant, n, lead, 1.959963985) is (low > lead)


@pytest.mark.parametrize(("b", "line", "objected"), [
    (3, "better than b", True), (4, "better than b", False), (2, "better than b by 5%", True),
    (90, "better than b by 5%", False),
])  # fmt: skip
def test_a_lead_that_no_outcome_shows_cannot_be_required(b, line, objected):
    text = TABLE.format(b=b, c=0).replace("compare with mcnemar", f"require a {line}")
    found = [d.name for d in checked(text).diagnostics]
    assert found == (["few_examples_for_a_requirement"] if objected else [])


def test_a_study_may_name_the_rule_as_earlier_versions_did():
    """The old name claimed that such a gate cannot pass, and some of them do."""
    text = TABLE.format(b=3, c=0).replace("compare with mcnemar", "require a better than b")
    former = "# evallang: allow gate_that_cannot_pass because the pilot is small\nrequire"
    found = checked(text.replace("require", former)).diagnostics
    assert [d.allowed_because for d in found if d.code == "W342"] == ["the pilot is small"]
    assert not [d for d in found if d.code == codes.waiver_of_nothing.code]


REGRESSION = """evallang 1
study
  seed 1
data d from "d.csv"
  target y
  task regression
model a = Ridge
model b = LinearRegression
model mean = DummyRegressor
protocol repeated cv
measure {metric}
{line}
"""


@pytest.mark.parametrize(
    ("metric", "line", "objected"),
    [
        ("mae", "compare a vs b with bayes_t(rope=1%)", True),
        ("mae", "compare a vs b with bayes_t(rope=0.01)", False),
        ("rmse", "compare a vs b with tost(margin=2%)", True),
        ("mse", "require a not worse than b by 2%", True),
        ("mae", "require mae of a <= 5%", True),
        ("mae", "require mae of a <= 5", False),
        ("mape", "require mape of a <= 5%", False),
        ("r2", "require r2 of a >= 70%", False),
        ("mae", "compare a with single_t(threshold=12)", False),
    ],
)
def test_a_percentage_of_the_target_s_unit_is_on_another_scale(metric, line, objected):
    found = [d.name for d in checked(REGRESSION.format(metric=metric, line=line)).diagnostics]
    others = ["overlapping_splits_as_independent"] if "single_t" in line else []
    assert found == (["margin_on_another_scale"] if objected else others)


def test_either_model_of_an_equivalence_may_be_the_one_that_leads():
    text = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b, c
  positive 1
measure accuracy
require {} better than c by 3%
require a equivalent to b within 5%
"""
    for leader in "ab":
        assert [d.name for d in checked(text.format(leader)).diagnostics] == [
            "margin_larger_than_the_lead"
        ]
