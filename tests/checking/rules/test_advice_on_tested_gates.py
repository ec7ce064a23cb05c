"""A `require ... with TEST` hears of its test what a `compare` line hears."""

import pytest
from studies import checked

FITTED = """evallang 1
study
  seed 1
data d from "d.csv"
  target y
  positive 1
model a = {a}
model b = LogisticRegression
model prior = DummyClassifier
protocol {protocol}
measure accuracy
{line}
"""
GIVEN = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b
  positive 1
  {clause}
measure accuracy
require a better than b with {test}
"""
COUNTS = "evallang 1\ncounts t\n  models a, b\n  table [[90, {b}], [{c}, 10]]\n{line}\n"


def names(text):
    return [d.name for d in checked(text).diagnostics]


@pytest.mark.parametrize(
    ("test", "protocol", "rule"),
    [
        ("kfold_t", "cv", "overlapping_splits_as_independent"),
        ("resampled_t", "repeated holdout", "overlapping_splits_as_independent"),
        ("5x2cv_t", "5x2cv", "test_that_depends_on_order"),
        ("mcnemar", "cv", "pooled_predictions_of_several_models"),
        ("mcnemar", "leave_one_out", "pooled_predictions_of_unstable_models"),
    ],
)
def test_a_gate_hears_of_its_test_what_a_comparison_hears(test, protocol, rule):
    for line in ("require a better than b with {}", "compare a, b with {}"):
        text = FITTED.format(a="GaussianNB", protocol=protocol, line=line.format(test))
        assert names(text) == [rule]
    sound = FITTED.format(a="GaussianNB", protocol="repeated cv", line="require a better than b")
    assert names(sound) == []


@pytest.mark.parametrize(
    ("test", "clause", "rule"),
    [
        ("proportions_z", 'unit "patients"', "paired_predictions_as_independent"),
        ("mcnemar(midp)", "group g", "rows_of_groups_as_independent"),
        ("permutation(rounds=99)", 'unit "patients"', "few_bootstrap_rounds"),
    ],
)
def test_a_gate_on_predictions_hears_so_too(test, clause, rule):
    assert names(GIVEN.format(test=test, clause=clause)) == [rule]
    assert names(GIVEN.format(test="mcnemar", clause=clause)) == []


@pytest.mark.parametrize(
    ("line", "b", "c", "objected"),
    [
        # 2 / 2^5 = 0.0625 and 2 / 2^6 = 0.03125, by hand: `require` takes the exact form
        ("require a better than b with mcnemar", 3, 2, True),
        ("require a better than b with mcnemar", 3, 3, False),
        ("require a better than b with mcnemar(midp)", 3, 2, False),
        # one side has half of it: 1 / 2^5, and 1 / 2^4 = 0.0625
        ("compare a vs b with mcnemar(exact, alternative=greater)", 5, 0, False),
        ("compare a vs b with mcnemar(exact, alternative=greater)", 4, 0, True),
    ],
)
def test_a_gate_of_too_few_discordant_pairs_is_named(line, b, c, objected):
    found = names(COUNTS.format(b=b, c=c, line=line))
    assert found == (["too_few_discordant_pairs"] if objected else [])


def test_lines_of_one_family_are_corrected_together():
    # each pair alone: mid-p 1 / 2^5 = 0.031; two under Holm: 0.0625
    line = "compare a vs b with mcnemar\ncompare a, b with mcnemar(midp) {}"
    study = "study\n  families together\n"
    text = COUNTS.format(b=3, c=2, line=study + line)
    assert names(text.format("")) == ["too_few_discordant_pairs"] * 2
    assert names(text.format("exploratory")) == []


def test_levels_that_disagree_are_reported_of_a_gate():
    study = "study\n  alpha 0.01\n  confidence {}\n"
    text = COUNTS.format(b=30, c=9, line=study + "require a better than b with mcnemar")
    assert names(text.format("95%")) == ["alpha_and_confidence_disagree"]
    assert names(text.format("99%")) == []
