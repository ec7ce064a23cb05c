"""Families over lines, metrics and data sets: who is a member, and what holds for all of it."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from studies import study

from evallang.api import run

HEAD = """evallang 1
study "S"
  seed 1
  families together
"""
CLEAR = """counts a
  models x, y, z
  pattern [1, 1, 1]: 400
  pattern [1, 1, 0]: 60
  pattern [1, 0, 0]: 25
  pattern [0, 1, 0]: 10
  pattern [0, 0, 1]: 5
  pattern [0, 0, 0]: 30
  pattern [1, 0, 1]: 15
  pattern [0, 1, 1]: 8
"""
EQUAL = """counts b
  models x, y, z
  pattern [1, 1, 1]: 90
  pattern [1, 1, 0]: 3
  pattern [1, 0, 1]: 3
  pattern [0, 1, 1]: 3
  pattern [0, 0, 0]: 1
"""


def compared(*lines, head=HEAD, data=CLEAR):
    return run(study(head + data + "\n".join(lines) + "\n")).record.comparisons


def members(comparisons):
    """Give (p, adjusted p) of every member of the one family, an undefined p as 1."""
    found = []
    for line in comparisons:
        tests = [*([line.omnibus] if line.omnibus else []), *line.pairwise]
        found += [(1.0 if t.p is None else t.p, t.p_adjusted) for t in tests]
    return found


def test_all_lines_that_are_not_exploratory_are_one_holm_family():
    *firm, free = compared(
        "compare x, y with mcnemar", "compare y, z with mcnemar(exact)",
        "compare x, z with mcnemar exploratory",
    )  # fmt: skip
    assert [line.family.size for line in firm] == [2, 2]
    assert [line.family.correction for line in firm] == ["holm", "holm"]
    raw, adjusted = zip(*members(firm), strict=True)
    assert list(adjusted) == pytest.approx(list(multipletests(raw, method="holm")[1]), rel=1e-12)
    assert (free.family.size, free.family.correction) == (1, None)


def test_an_omnibus_is_a_member_of_the_one_family():
    lines = compared("compare with cochran then mcnemar", "compare x, y with mcnemar(chi2)")
    assert {line.family.size for line in lines} == {1 + 3 + 1}
    raw, adjusted = zip(*members(lines), strict=True)
    assert list(adjusted) == pytest.approx(list(multipletests(raw, method="holm")[1]), rel=1e-12)


def test_a_gate_can_be_shut_by_the_other_lines_of_the_family():
    data = """counts a
  models x, y, z
  pattern [1, 1, 1]: 50
  pattern [1, 0, 0]: 12
  pattern [0, 1, 0]: 4
  pattern [0, 0, 1]: 3
counts b
  models x, y, z
  pattern [1, 1, 1]: 50
  pattern [1, 1, 0]: 4
  pattern [1, 0, 1]: 3
  pattern [0, 1, 1]: 4
"""
    together = compared("compare with cochran then mcnemar", data=data)
    apart = compared("compare with cochran then mcnemar", head="evallang 1\n", data=data)
    assert together[0].omnibus.p == apart[0].omnibus.p
    assert apart[0].performed and apart[0].omnibus.p < 0.05 < together[0].omnibus.p_adjusted
    assert not together[0].performed and "did not reject" in together[0].reason


def test_intervals_of_the_one_family_are_those_of_bonferroni_over_all_its_members():
    first, second = compared("compare x, y with mcnemar", "compare y, z with mcnemar")
    (alone,) = compared(
        "compare x vs y, y vs z with mcnemar bonferroni", head="evallang 1\n", data=CLEAR
    )
    for line, other in zip((first, second), alone.pairwise, strict=True):
        found = line.pairwise[0].simultaneous
        assert (found.low, found.high) == (other.simultaneous.low, other.simultaneous.high)
        assert found.method == "tango, conservative"


# --- false discovery, margins, self-correcting tests ----------------------------------------


def test_only_selected_pairs_have_intervals_of_the_false_coverage_rate():
    # Benjamini & Yekutieli 2005: R selected of m, each at 1 - R q/m
    (line,) = compared("compare with mcnemar fdr_bh", head="evallang 1\n", data=CLEAR + EQUAL)[:1]
    both = compared("compare with mcnemar fdr_bh", head="evallang 1\n", data=CLEAR + EQUAL)
    selected = [t for item in both for t in item.pairwise if t.reject]
    rest = [t for item in both for t in item.pairwise if not t.reject]
    assert selected and rest
    assert all(t.simultaneous is None for t in rest)
    level = 1 - len(selected) * 0.05 / 6
    wide = run(
        study(
            f'evallang 1\nstudy "S"\n  confidence {level:.10f}\n'
            + CLEAR + "compare x, y with mcnemar\n"
        )
    ).record.comparisons[0].pairwise[0]  # fmt: skip
    found = line.pairwise[0].simultaneous
    assert (found.low, found.high) == pytest.approx((wide.estimate.low, wide.estimate.high))


def test_the_interval_of_an_equivalence_test_is_held_against_its_margin_not_against_zero():
    (line,) = compared(
        "compare x vs y, y vs z with tost(margin=50%) bonferroni", head="evallang 1\n"
    )
    for test in line.pairwise:
        assert test.reject
        assert not any("holds 0" in note for note in test.notes)
        assert test.estimate.level == test.simultaneous.level == 0.9
        assert test.simultaneous.low < test.estimate.low


def scores(words):
    names = ("wine", "iris", "breast_cancer", "digits")
    return (
        'evallang 1\nstudy "S"\n  seed 1\n'
        + "".join(f"data {name} from sklearn {name}\n" for name in names)
        + "model a = GaussianNB\nmodel b = DummyClassifier\n"
        "model c = DecisionTreeClassifier(max_depth=2)\nprotocol holdout\n" + words + "\n"
    )


@pytest.fixture(scope="module")
def over_data():
    lines = [
        "compare across data with friedman then nemenyi",
        "compare against b across data with friedman then bonferroni_dunn exploratory",
    ]
    return run(study(scores("\n".join(lines)))).record.comparisons


def test_the_critical_difference_is_that_of_the_test_that_decided(over_data):
    # Demsar 2006, table 5: q(.05) for three models is 2.343 (Nemenyi), 2.241 (Bonferroni-Dunn)
    nemenyi, dunn = (line.ranks.critical_difference for line in over_data)
    scale = np.sqrt(3 * 4 / (6 * 4))
    assert nemenyi == pytest.approx(2.343 * scale, abs=5e-4)
    assert dunn == pytest.approx(2.241 * scale, abs=5e-4)


# --- one test of many models, or of pairs ----------------------------------------------------

SCORED = """evallang 1
study "S"
  seed 1
data d from sklearn breast_cancer
  positive malignant
model a = GaussianNB
model b = LinearDiscriminantAnalysis
model c = DecisionTreeClassifier(max_depth=3)
protocol holdout
measure roc_auc
"""


def test_delong_tests_pairs_where_the_line_is_about_pairs():
    text = SCORED + "\n".join(
        [
            "compare with delong",
            "compare with delong bonferroni exploratory",
            "compare a vs b, b vs c with delong exploratory",
            "compare against a with delong exploratory",
            "compare with delong then delong exploratory",
        ]
    )
    alone, corrected, planned, against, gated = run(study(text + "\n")).record.comparisons
    assert alone.omnibus is not None and alone.pairwise == ()
    assert corrected.omnibus is None and len(corrected.pairwise) == 3
    assert [t.models for t in planned.pairwise] == [("a", "b"), ("b", "c")]
    assert [t.models for t in against.pairwise] == [("b", "a"), ("c", "a")]
    assert gated.omnibus is not None and len(gated.pairwise) == 3


def test_what_was_not_performed_tells_neither_p_nor_statistic():
    (line,) = compared("compare with cochran then mcnemar holm", head="evallang 1\n", data=EQUAL)
    for test in line.pairwise:
        assert (test.p, test.p_adjusted, test.statistic, test.reject) == (None, None, None, False)
        assert not any(name.startswith("p_") for name in test.extra)
        assert test.table is not None and test.estimate is not None and test.effects
