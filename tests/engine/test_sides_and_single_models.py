"""One-sided tests, tests of one model, and pairs of tests that could take all models at once."""

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from studies import codes, study

from evallang.api import run
from evallang.stats import westfall

TABLE = """evallang 1
counts t
  models x, y
  table [[60, 32], [12, 16]]
"""
THREE = """evallang 1
counts t
  models x, y, z
  pattern [1, 1, 1]: 60
  pattern [1, 0, 0]: 20
  pattern [0, 1, 0]: 8
  pattern [0, 0, 1]: 3
  pattern [0, 0, 0]: 9
"""


def compared(text, folder="."):
    return run(study(text, folder)).record.comparisons


def test_a_named_side_counts_one_tail_of_the_same_difference():
    (line,) = compared(TABLE + "compare with mcnemar(exact, alternative=greater)\n")
    (test,) = line.pairwise
    # The upper tail of 32 heads of 44, by scipy.stats.binomtest
    expected = stats.binomtest(32, 44, alternative="greater").pvalue
    assert test.p == pytest.approx(expected, rel=1e-12)
    assert test.variant == "exact, one-sided: greater"
    assert "larger value of the first model" in test.null
    assert "p is one-sided, the interval two-sided" in test.notes


def test_a_smaller_error_is_a_larger_accuracy():
    (more,) = compared(TABLE + "compare with mcnemar(alternative=greater)\n")
    (less,) = compared(TABLE + "compare with mcnemar(alternative=less) by error_rate\n")
    assert less.pairwise[0].p == more.pairwise[0].p
    assert less.pairwise[0].variant == "midp, one-sided: less"
    assert "smaller value" in less.pairwise[0].null
    assert less.pairwise[0].estimate.value == -more.pairwise[0].estimate.value


@for_each(
    ("line", "code"),
    [
        ("compare with mcnemar(alternative=greater)", "E150"),
        ("compare with cochran then mcnemar(less)", "E150"),
        ("compare against z with mcnemar(alternative=greater)", None),
        ("compare x vs y, y vs z with mcnemar(alternative=greater)", None),
        ("compare x vs y with binomial(threshold=10%)", "E150"),
        ("compare against x with binomial(threshold=10%)", "E150"),
        ("compare with binomial(threshold=10%)", None),
        ("compare x with binomial(threshold=10%)", None),
        ("compare x with mcnemar", "E151"),
        ("require x better than y with mcnemar(alternative=greater)", "E131"),
        ("compare against z with mcnemar(alternative=less) westfall", "E209"),
    ],
)
def test_a_side_needs_a_first_model_and_a_single_test_needs_no_second(line, code):
    found = [c for c in codes(f"{THREE}{line}\n") if c.startswith("E")]
    assert found == ([code] if code else [])


def test_each_model_is_tested_against_the_threshold_in_one_family():
    (line,) = compared(THREE + "compare with binomial(threshold=10%) holm\n")
    assert [test.models for test in line.pairwise] == [("x",), ("y",), ("z",)]
    assert (line.family.size, line.family.correction) == (3, "holm")
    # Errors 20, 32 and 37 of 100, by scipy.stats.binomtest
    for test, errors in zip(line.pairwise, (20, 32, 37), strict=True):
        expected = stats.binomtest(errors, 100, 0.1, alternative="greater").pvalue
        assert test.p == pytest.approx(expected, rel=1e-10)
        assert test.estimate.value == pytest.approx(errors / 100 - 0.1, rel=1e-12)


@pytest.mark.parametrize("interval", ["newcombe", "bonett_price", "agresti_min", "wald"])
def test_the_interval_of_a_difference_is_the_one_named(interval):
    (line,) = compared(TABLE + f"compare with mcnemar({interval})\n")
    method = {"wald": "paired_wald"}.get(interval, interval)
    assert line.pairwise[0].estimate.method == method


@pytest.fixture
def scored(tmp_path):
    """Predictions of three models with scores, and a study's head that reads them."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 80)
    rows = ["truth,a,b,c,sa,sb,sc"]
    for t in truth:
        s = [t + random.normal(0, spread) for spread in (0.6, 0.9, 1.5)]
        rows.append(",".join([str(t), *(str(int(x > 0.5)) for x in s), *(f"{x:.3f}" for x in s)]))
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path, (
        'evallang 1\npredictions p from "p.csv"\n  truth truth\n  models a, b, c\n'
        '  score a = "sa"\n  score b = "sb"\n  score c = "sc"\nmeasure roc_auc\n'
    )


GROUPED = """evallang 1
predictions p from "p.csv"
  truth truth
  models a, b, c
{clause}measure accuracy
compare with mcnemar westfall{by}
"""


def test_the_discrete_correction_by_recall_is_about_the_positives(scored):
    folder, _ = scored
    (line,) = compared(GROUPED.format(clause="", by=" by recall"), folder)
    table = np.genfromtxt(folder / "p.csv", delimiter=",", names=True)
    right = np.column_stack([table[m] == table["truth"] for m in "abc"])[table["truth"] == 1]
    expected = westfall([t.p for t in line.pairwise], right, [(0, 1), (0, 2), (1, 2)])
    assert [t.p_adjusted for t in line.pairwise] == pytest.approx(expected, rel=1e-12)


def test_a_gate_by_mcnemar_is_exact_whatever_interval_is_named():
    text = TABLE + "require x better than y with mcnemar(newcombe)\n"
    (required,) = run(study(text)).record.requirements
    assert required.test.variant == "exact"
