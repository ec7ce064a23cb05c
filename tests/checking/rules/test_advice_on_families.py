"""Advice on families of hypotheses: what is counted, and what is let pass."""

import numpy as np
import pytest
from msgspec.structs import replace
from studies import checked

from evallang.api.preparing import check_data
from evallang.api.study_file import open_study
from evallang.checking.rules.multiplicity import ranks_that_depend_on_the_pool
from evallang.hypotheses import hypotheses_of
from evallang.study import Method

MODELS = """evallang 1
study
  seed 1
data wine from sklearn wine
model a = GaussianNB
model b = LinearDiscriminantAnalysis
model c = DecisionTreeClassifier(max_depth=2)
model prior = DummyClassifier
protocol main = repeated cv folds=5
protocol once = holdout
measure accuracy, balanced_accuracy
"""


def names(*lines):
    return [d.name for d in checked(MODELS + "\n".join(lines) + "\n").diagnostics]


def test_an_omnibus_alone_is_one_hypothesis():
    assert names("compare a, b, c with cochran on once") == []


def test_a_single_hypothesis_needs_no_correction():
    assert names("compare a, b with mcnemar uncorrected on once") == []


def test_a_pair_tested_twice_shows_both_places():
    (found,) = checked(
        MODELS + "compare a, b with corrected_t by accuracy on main\n"
        "compare b, a with mcnemar on once\n"
    ).diagnostics
    assert found.name == "same_pair_tested_twice"
    assert found.related[0].span.start < found.span.start


@pytest.mark.parametrize(
    "line",
    [
        "compare a, b with mcnemar on once exploratory",
        "compare a, b with corrected_t by balanced_accuracy on main",
        "compare a, c with mcnemar on once",
    ],
)
def test_an_exploratory_line_another_metric_or_pair_is_no_repetition(line):
    assert names("compare a, b with corrected_t by accuracy on main", line) == []


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_by", "sidak"])
def test_corrections_that_hold_for_pairs_are_not(correction):
    assert names(f"compare a, b, c with mcnemar {correction} on once") == []


def test_comparisons_with_one_reference_may_use_hochberg():
    # many-to-one statistics are positively dependent (Sarkar 1998); Demšar 2006, 3.2.2
    assert names("compare against prior with mcnemar hochberg on once") == []


@pytest.mark.parametrize(
    "line",
    [
        "compare against prior with mcnemar on once",
        "compare a, prior with mcnemar on once",
        "compare a vs prior, b vs c with mcnemar on once",
        "compare a, b against c with mcnemar on once",
    ],
)
def test_pairs_with_a_baseline_that_are_meant_are_fine(line):
    assert names(line) == []


def test_nemenyi_is_advised_against_unless_exploratory():
    study = checked(MODELS + "compare a, b, c with cochran then mcnemar on once\n").study
    (line,) = study.comparisons
    ranked = replace(line, test=Method("friedman"), post_hoc=Method("nemenyi"))
    assert list(ranks_that_depend_on_the_pool(replace(study, comparisons=(ranked,))))
    looked_at = replace(ranked, exploratory=True)
    assert not list(ranks_that_depend_on_the_pool(replace(study, comparisons=(looked_at,))))


def test_across_data_sets_are_the_sample_and_no_part_of_the_family():
    text = MODELS + "data iris from sklearn iris\ncompare a, b with mcnemar on once\n"
    (line,) = checked(text).study.comparisons
    study = checked(text).study
    assert len(hypotheses_of(study, line)) == 2
    (across,) = sampled = (replace(line, across=True),)
    assert len(hypotheses_of(replace(study, comparisons=sampled), across)) == 1


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        ("a vs b with mcnemar", "a vs b with tost(margin=2%)", False),
        ("a vs b with noninferiority(margin=2%)", "a vs b with tost(margin=2%)", False),
        ("a vs b with noninferiority(margin=2%)", "b vs a with noninferiority(margin=2%)", False),
        ("a vs b with noninferiority(margin=2%)", "a vs b with noninferiority(margin=2%)", True),
        ("a vs b with tost(margin=2%)", "b vs a with tost(margin=2%)", True),
        ("a with binomial(threshold=10%)", "a with binomial(threshold=20%)", False),
        ("a with binomial(threshold=10%)", "a with binomial(threshold=10%)", True),
    ],
)
def test_a_difference_and_a_margin_are_two_questions(first, second, twice):
    found = names(f"compare {first} by accuracy on once", f"compare {second} by accuracy on once")
    assert found == (["same_pair_tested_twice"] if twice else [])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("mcnemar by accuracy", "mcnemar by error_rate"),
        ("permutation by recall", "mcnemar by recall(average=binary)"),
    ],
)
def test_one_question_in_two_spellings_is_asked_twice(first, second):
    text = (
        MODELS.replace("wine from sklearn wine", "d from sklearn breast_cancer\n  positive benign")
        + f"compare a vs b with {first} on once\ncompare b, a with {second} on once\n"
    )
    assert [d.name for d in checked(text).diagnostics] == ["same_pair_tested_twice"]


@pytest.mark.parametrize(
    ("pairs", "objected"),
    [("a vs c, b vs c", False), ("c vs a, c vs b", False), ("a vs b, b vs c, a vs c", True)],
)
def test_planned_pairs_with_one_model_in_common_may_use_hochberg(pairs, objected):
    # as comparisons with one reference, which they are: Demšar 2006, 3.2.2
    found = names(f"compare {pairs} with mcnemar hochberg on once")
    assert found == (["step_up_correction_of_dependent_pairs"] if objected else [])


def test_what_is_proposed_for_a_baseline_can_be_written():
    several = MODELS + "data iris from sklearn iris\n"
    line = "compare a, b, prior across data with friedman then nemenyi on main\n"
    found = {d.name: d.help for d in checked(several + line).diagnostics}
    proposed = "compare a, b against prior across data with wilcoxon holm on main"
    assert f"`{proposed}`" in found["baseline_among_the_compared"]
    assert checked(several + proposed + "\n").study is not None


SUITE = """evallang 1
study
  seed 1
data s from "s*.csv"
  target y
  positive 1
model a = GaussianNB
model b = LogisticRegression
model prior = DummyClassifier
protocol repeated cv folds=3 times=10
measure accuracy
{}
compare a, b with corrected_t {}
"""


@pytest.fixture
def suite(tmp_path):
    draw = np.random.default_rng(7)
    for name in ("s1", "s2"):
        rows = "".join(
            f"{v:.4f},{w:.4f},{i % 2}\n" for i, (v, w) in enumerate(draw.random((60, 2)))
        )
        (tmp_path / f"{name}.csv").write_text("v,w,y\n" + rows)
    (tmp_path / "p.csv").write_text("y,a,b,c\n" + "1,1,0,1\n0,0,0,1\n1,0,1,1\n0,1,1,0\n" * 30)
    return tmp_path


def said(folder, text):
    (folder / "study.eval").write_text(text)
    study = open_study(folder / "study.eval")
    static = [(d.name, d.message) for d in study.diagnostics]
    return static, [(d.name, d.message) for d in check_data(study)]


def test_how_many_data_sets_a_family_has_is_known_once_they_are_read(suite):
    static, found = said(suite, SUITE.format("", "uncorrected"))
    assert static == []
    assert found == [
        ("many_comparisons_without_correction", "2 hypotheses are tested without a correction")
    ]
    assert said(suite, SUITE.format("", "holm")) == ([], [])


def test_a_waiver_of_what_the_data_will_show_is_not_called_needless(suite):
    waiver = "# evallang: allow many_comparisons_without_correction because they are planned"
    static, found = said(suite, SUITE.format(waiver, "uncorrected"))
    assert static == []
    assert [name for name, _ in found] == ["many_comparisons_without_correction"]
    _, found = said(suite, SUITE.format(waiver, "holm"))
    assert [name for name, _ in found] == ["waiver_of_nothing"]
    static, _ = said(suite, SUITE.replace("s*", "s1").format(waiver, "holm"))
    assert [name for name, _ in static] == ["waiver_of_nothing"]


def test_models_that_the_file_names_are_a_family_too(suite):
    text = 'evallang 1\npredictions p from "p.csv"\n  truth y\n  positive 1\nmeasure accuracy\n{}\n'
    static, found = said(suite, text.format("compare with mcnemar uncorrected"))
    assert static == []
    assert found[0][1] == "3 hypotheses are tested without a correction"
    _, found = said(suite, text.format("compare with mcnemar hommel"))
    assert [name for name, _ in found] == ["step_up_correction_of_dependent_pairs"]
    both = "compare with mcnemar\ncompare a, b with permutation"
    _, found = said(suite, text.format(both))
    assert [name for name, _ in found] == ["same_pair_tested_twice"]


def test_a_baseline_among_models_that_are_tested_one_by_one_is_in_nobody_s_way():
    assert names("compare with binomial(threshold=5%) by accuracy on once") == []
