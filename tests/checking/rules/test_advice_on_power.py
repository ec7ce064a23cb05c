"""Tests that no outcome could make reject: bounds from counts alone."""

import numpy as np
import pytest
from many_cases import for_each
from studies import checked

from evallang.checking.rules.examples import Examples, count_examples, counted
from evallang.checking.rules.rule import Known, Stage, advise_later
from evallang.data.predictions import read_predictions
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS

HEAD = """evallang 1
counts t
  models a, b
  table [[90, {b}], [{c}, 10]]
measure accuracy
compare with mcnemar({method})
"""


def advice_on_examples(study, examples):
    return advise_later(Stage.DATA, study, Known(study, tuple(examples)))


def least_p(discordant, method):
    entry = HYPOTHESIS_TESTS["mcnemar"]
    return entry.declaration.least_p(discordant, 2, {**entry.defaults(), "method": method})


@for_each("method", ["midp", "exact", "corrected", "chi2", "textbook"])
@for_each("discordant", [0, 1, 4, 6, 24, 25, 60])
def test_the_smallest_p_is_that_of_all_examples_for_one_model(method, discordant):
    # mcnemar itself, which is tested against published tables, on [[0, d], [0, 0]]
    test = HYPOTHESIS_TESTS["mcnemar"].function
    expected = test([[10, discordant], [0, 5]], method=method).p
    assert least_p(discordant, method) == pytest.approx(expected, abs=1e-12)


def test_smallest_p_takes_counts_of_any_size():
    assert least_p(10**400, "exact") == pytest.approx(0.0, abs=1e-300)


@pytest.mark.parametrize(
    ("b", "c", "method", "objected"),
    [
        # 2 / 2^5 = 0.0625 and 2 / 2^6 = 0.03125, by hand; mid-p is half of them
        (5, 0, "exact", True),
        (3, 3, "exact", False),
        (4, 0, "midp", True),
        (2, 3, "midp", False),
    ],
)
def test_a_pair_that_cannot_be_found_different_is_named(b, c, method, objected):
    found = checked(HEAD.format(b=b, c=c, method=method)).diagnostics
    assert [d.name for d in found] == (["too_few_discordant_pairs"] if objected else [])


@pytest.mark.parametrize(
    ("unit", "b", "words"),
    [
        ('  unit "scans"\n', 2, "differ on 3 of 103 scans, and"),
        ("", 2, "differ on 3 of 103 examples, and"),
        ("", 0, "differ on none of 100 examples, and"),
    ],
)
def test_examples_are_called_as_the_study_calls_them(unit, b, words):
    text = HEAD.format(b=b, c=min(b, 1), method="exact")
    [found] = checked(text.replace("]]\n", f"]]\n{unit}", 1)).diagnostics
    assert words in found.message


THREE = """evallang 1
counts t
  models a, b, c
  pattern [1, 1, 1]: 90
  pattern [1, 0, 0]: {one}
  pattern [1, 1, 0]: {two}
compare with mcnemar(exact) {correction}
"""


def test_the_correction_is_part_of_the_bound():
    # a-b differ on 6, a-c on 12, b-c on 6: 2/2^6 = .03125, 2/2^12 = .00049.
    # Bonferroni times 3 is .094; Holm: the second smallest times 2 is .0625, both above .05
    for correction in ("bonferroni", "holm"):
        (found,) = checked(THREE.format(one=6, two=6, correction=correction)).diagnostics
        assert found.name == "too_few_discordant_pairs"
        assert "so it is for 1 more" in found.message
    # fdr_bh: .03125 * 3/3, below .05
    assert checked(THREE.format(one=6, two=6, correction="fdr_bh")).diagnostics == ()
    # 8 and more: 2/2^8 = .0078, times 3 is .023
    assert checked(THREE.format(one=8, two=8, correction="bonferroni")).diagnostics == ()


def test_what_data_show_is_asked_again(tmp_path):
    truth = np.zeros(40, dtype=int)
    rows = "y,a,b\n" + "".join(f"{t},{int(i < 4)},{0}\n" for i, t in enumerate(truth))
    rows += "1,1,1\n"
    (tmp_path / "p.csv").write_text(rows)
    text = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b
  positive 1
compare a, b with mcnemar
"""
    study = checked(text).study
    (given,), _ = read_predictions(study.sources[0], tmp_path)
    examples = count_examples(given)
    assert (examples.n, examples.differ("b", "a")) == (41, 4)
    (found,) = advice_on_examples(study, [examples])
    assert (found.code, found.span) == ("W317", study.comparisons[0].span)
    assert advice_on_examples(study, [Examples("p", 41, {("a", "b"): 5})]) == []


def test_a_test_part_of_a_few_rows_bounds_the_differences_too():
    text = """evallang 1
data wine from sklearn wine
model a = GaussianNB
model b = LinearDiscriminantAnalysis
protocol holdout
compare a, b with mcnemar
"""
    study = checked(text).study
    assert advice_on_examples(study, [Examples("wine", 60, {})]) == []
    (found,) = advice_on_examples(study, [Examples("wine", 4, {})])
    assert "at most 4 examples" in found.message


def test_counts_of_the_study_are_not_counted_twice():
    study = checked(HEAD.format(b=4, c=0, method="exact")).study
    (known,) = counted(study)
    assert (known.n, known.differ("a", "b")) == (104, 4)
    assert advice_on_examples(study, [known]) == []
