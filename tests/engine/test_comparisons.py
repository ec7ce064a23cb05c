"""Families, gates and decisions: what a `compare` line does with its tests."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from studies import study

from evallang.api import run

HEAD = """evallang 1
counts a
  models x, y, z
"""


def patterns(*lines):
    return "".join(f"  pattern {pattern}: {count}\n" for pattern, count in lines)


CLEAR = patterns(
    ([1, 1, 1], 400), ([1, 1, 0], 60), ([1, 0, 0], 25), ([0, 1, 0], 10), ([0, 0, 1], 5),
    ([0, 0, 0], 30), ([1, 0, 1], 15), ([0, 1, 1], 8),
)  # fmt: skip
EQUAL = patterns(([1, 1, 1], 90), ([1, 1, 0], 3), ([1, 0, 1], 3), ([0, 1, 1], 3), ([0, 0, 0], 1))


def compared(text):
    return run(study(text)).record.comparisons


def test_a_shut_gate_still_gives_estimates_tables_and_effects():
    (line,) = compared(HEAD + EQUAL + "compare with cochran then mcnemar holm\n")
    assert not line.omnibus.reject and not line.performed
    assert "did not reject" in line.reason
    for test in line.pairwise:
        assert test.p is None and test.p_adjusted is None and test.reject is False
        assert test.estimate.low < test.estimate.value < test.estimate.high
        assert np.sum(test.table) == 100
        assert test.effects


@pytest.mark.parametrize(
    ("ours", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni")], ids=["holm", "bonferroni"]
)
def test_adjusted_p_values_are_those_of_statsmodels(ours, theirs):
    (line,) = compared(HEAD + CLEAR + f"compare with mcnemar {ours}\n")
    raw = [t.p for t in line.pairwise]
    expected = multipletests(raw, method=theirs)[1]
    assert [t.p_adjusted for t in line.pairwise] == pytest.approx(list(expected), rel=1e-12)


def test_pairs_behind_a_shut_gate_keep_their_place_in_the_family():
    text = (
        HEAD + CLEAR + "counts b\n  models x, y, z\n" + EQUAL
        + "compare with cochran then mcnemar bonferroni\n"
    )  # fmt: skip
    opened, shut = compared(text)
    assert opened.performed and not shut.performed
    for test in opened.pairwise:
        assert test.p_adjusted == pytest.approx(min(1.0, 6 * test.p), rel=1e-12)


def test_the_tables_of_raschkas_figure_20_come_out():
    a, b = compared(
        """evallang 1
counts a
  models model1, model2
  table [[9959, 11], [1, 29]]
counts b
  models model1, model2
  table [[9945, 25], [15, 15]]
compare with mcnemar(chi2) uncorrected
"""
    )
    # statistics.md, public figures: chi2 8.33, p 0.0039 and chi2 2.5, p 0.1138
    assert a.pairwise[0].statistic.value == pytest.approx(8.33, abs=0.005)
    assert a.pairwise[0].p == pytest.approx(0.0039, abs=5e-5)
    assert b.pairwise[0].statistic.value == pytest.approx(2.5, abs=1e-12)
    assert b.pairwise[0].p == pytest.approx(0.1138, abs=5e-5)
    assert a.pairwise[0].table == ((9959, 11), (1, 29))


@pytest.mark.parametrize("grouped", [True, False])
def test_options_that_the_form_for_groups_does_not_use_are_not_stated(tmp_path, grouped):
    rows = "".join(f"{i // 3},{i % 5},{i * 7 % 11},{'ab'[i * 13 % 7 % 2]}\n" for i in range(120))
    (tmp_path / "visits.csv").write_text("patient,u,v,y\n" + rows)
    text = (
        'evallang 1\nstudy\n  seed 1\ndata visits from "visits.csv"\n  target y\n'
        + ("  group patient\n" if grouped else "  features u, v\n")
        + "model bayes = GaussianNB\nmodel tree = DecisionTreeClassifier(max_depth=2)\n"
        "protocol cv folds=4\nmeasure accuracy\ncompare with mcnemar\n"
    )
    record = run(study(text, tmp_path)).record
    stated = {d.clause for d in record.study.defaults} & {"mcnemar method", "mcnemar interval"}
    assert bool(stated) is not grouped
    assert (record.comparisons[0].pairwise[0].clusters is not None) is grouped
