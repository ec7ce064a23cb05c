"""What a t test over few splits can detect is computed, and what is proposed detects more."""

import re
from math import sqrt

import pytest
from many_cases import for_each
from scipy import stats
from studies import checked

from evallang.checking.rules.rule import RULES
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.power import corrected_alpha

STUDY = """evallang 1
study
  seed 1
data cancer from sklearn breast_cancer
  positive malignant
model prior = DummyClassifier
model a = GaussianNB
model b = LinearDiscriminantAnalysis
model c = QuadraticDiscriminantAnalysis
protocol {protocol}
measure {metric}
{line}
"""
NAME = "fold_test_with_few_splits"


def advice(protocol, line="compare a, b with corrected_t", metric="accuracy"):
    text = STUDY.format(protocol=protocol, metric=metric, line=line)
    return [d for d in checked(text).diagnostics if d.name == NAME]


def detectable(splits, share, alpha):
    """Find the difference, in standard deviations, that has 80 % power by scipy's noncentral t."""
    error = sqrt(1 / splits + share / (1 - share))
    bound = stats.t.ppf(1 - alpha / 2, splits - 1)
    low, high = 0.0, 100.0
    for _ in range(60):
        shift = (low + high) / 2
        power = stats.nct.sf(bound, splits - 1, shift) + stats.nct.cdf(-bound, splits - 1, shift)
        low, high = (shift, high) if power < 0.8 else (low, shift)
    return high * error


def stated(text):
    """Read the standard deviations that a message states."""
    return float(re.search(r"([\d.]+) standard deviations", text)[1])


CASES = [
    ("cv folds=5", "compare a, b with corrected_t", (5, 1 / 5, 0.05), (50, 1 / 5, 0.05)),
    ("cv folds=10", "compare a, b with corrected_t", (10, 1 / 10, 0.05), (100, 1 / 10, 0.05)),
    ("cv folds=5", "compare a, b, c with corrected_t holm", (5, 1 / 5, 0.05 / 3),
     (50, 1 / 5, 0.05 / 3)),
    ("cv folds=5", "compare a, b with corrected_t(alternative=less)", (5, 1 / 5, 0.1),
     (50, 1 / 5, 0.1)),
    ("cv folds=5", "compare a, b with bayes_t", (5, 1 / 5, 0.1), (50, 1 / 5, 0.1)),
    ("nested cv outer=4 inner=3", "compare a, b with corrected_t", (4, 1 / 4, 0.05),
     (40, 1 / 4, 0.05)),
    ("repeated holdout times=6 test=20%", "compare a, b with corrected_t", (6, 1 / 5, 0.05),
     (50, 1 / 5, 0.05)),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "line", "here", "there"), CASES)
def test_the_detectable_difference_is_that_of_the_noncentral_t(protocol, line, here, there):
    (found,) = advice(protocol, line)
    # printed with two digits; the other tail of a one-sided test is below 1e-4 at 80 % power
    assert stated(found.message) == pytest.approx(detectable(*here), rel=0.05)
    assert stated(found.help) == pytest.approx(detectable(*there), rel=0.05)
    assert f"on {here[0]} splits" in found.message


def test_the_stated_power_is_reached_where_folds_correlate_as_the_test_assumes():
    """Five differences with correlation 1/5 (Nadeau & Bengio's n_test / n): no formula shared."""
    import numpy as np

    (found,) = advice("cv folds=5")
    rng, rounds, rho = np.random.default_rng(20261122), 200_000, 0.2
    common = rng.standard_normal((rounds, 1)) * sqrt(rho)
    d = common + rng.standard_normal((rounds, 5)) * sqrt(1 - rho)
    # the spread inside a study is that of the own parts: the message is in its unit
    d += stated(found.message) * sqrt(1 - rho)
    t = d.mean(axis=1) / np.sqrt(d.var(axis=1, ddof=1) * (1 / 5 + 1 / 4))
    power = np.mean(np.abs(t) > stats.t.ppf(0.975, 4))
    # two printed digits of 2.5 move the power by 0.01; Monte Carlo error 0.001
    assert power == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("protocol", "line"),
    [
        ("repeated cv folds=10 times=10", "compare a, b with corrected_t"),
        ("repeated cv folds=5 times=4", "compare a, b, c with corrected_t holm"),
        ("repeated holdout times=30 test=1/3", "compare a, b with bayes_t"),
        ("cv folds=5", "compare a, b with mcnemar"),
        ("cv folds=5", "compare a, b with 5x2cv_f"),
    ],
)
def test_many_splits_and_other_tests_are_not_advised_on(protocol, line):
    assert advice(protocol, line) == []


@pytest.mark.parametrize("metric", ["accuracy", "f1", "roc_auc", "log_loss"])
@pytest.mark.parametrize("protocol", ["cv folds=5", "nested cv outer=5 inner=3", "cv folds=10"])
def test_what_is_proposed_is_accepted(protocol, metric):
    (found,) = advice(protocol, metric=metric)
    (design,) = re.findall(r"`protocol ([^`]*)`", found.help)
    line = "compare a, b with corrected_t"
    again = checked(STUDY.format(protocol=design, metric=metric, line=line))
    assert again.study is not None
    assert [d.name for d in again.diagnostics if d.name == NAME] == []


def test_no_test_of_examples_is_proposed_where_rankings_of_folds_cannot_be_pooled():
    (found,) = advice("cv folds=5", metric="average_precision")
    repeated = (
        "write `protocol repeated cv folds=5 times=10`, which detects 1.5 standard deviations"
    )
    assert found.help == repeated
    text = STUDY.format(
        protocol="cv folds=5", metric="accuracy", line="compare a, b with corrected_t"
    )
    grown = text.replace("model b = LinearDiscriminantAnalysis", "model b = DecisionTreeClassifier")
    (found,) = [d for d in checked(grown).diagnostics if d.name == NAME]
    assert found.help == repeated


def test_the_tests_that_are_asked_declare_it():
    declared = {entry.name for entry in HYPOTHESIS_TESTS if entry.declaration.t_over_splits}
    assert declared == {"corrected_t", "bayes_t"}
    assert NAME in RULES


@for_each(
    "entry",
    # The threshold of li depends on the largest p, and comes as close to 0 as 1 - p does
    [e for e in CORRECTIONS if e.inputs == ("p",) and e.name not in ("uncorrected", "li")],
    ids=lambda entry: entry.name,
)
def test_a_p_is_rejected_alone_just_below_the_strictest_level(entry):
    level = corrected_alpha(0.05, 6, entry.name)
    others = [0.9999] * 5
    assert entry.function([level - 1e-9, *others])[0] <= 0.05
    assert entry.function([level + 1e-9, *others])[0] > 0.05


def test_the_one_family_of_a_study_sets_the_level():
    line = "compare a, b with corrected_t\ncompare b, c with corrected_t"
    text = STUDY.format(protocol="cv folds=5", metric="accuracy", line=line)
    together = text.replace("  seed 1\n", "  seed 1\n  families together\n")
    found = [d for d in checked(together).diagnostics if d.name == NAME]
    assert [d.notes[0].partition(",")[0] for d in found] == ["at a level of 0.025"] * 2
    apart = [d for d in checked(text).diagnostics if d.name == NAME]
    assert [d.notes[0].partition(",")[0] for d in apart] == ["at a level of 0.05"] * 2
