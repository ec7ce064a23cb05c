"""Advice on families of hypotheses: what is counted, and what is let pass."""

from dataclasses import replace

import pytest
from studies import checked

from evallang.checking.rules.lines import hypotheses
from evallang.checking.rules.multiplicity import ranks_that_depend_on_the_pool
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


def messages(*lines):
    return [d.message for d in checked(MODELS + "\n".join(lines) + "\n").diagnostics]


def test_a_family_is_pairs_by_metrics_by_data_sets():
    found = messages(
        "compare a, b, c with corrected_t uncorrected by accuracy, balanced_accuracy on main"
    )
    assert found == ["6 hypotheses are tested without a correction"]  # 3 pairs, 2 metrics


def test_an_omnibus_alone_is_one_hypothesis():
    assert names("compare a, b, c with cochran on once") == []


def test_uncorrected_pairs_behind_an_omnibus_are_a_family_all_the_same():
    found = names("compare a, b, c with cochran then mcnemar uncorrected on once")
    assert found == ["many_comparisons_without_correction"]


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


@pytest.mark.parametrize("correction", ["hochberg", "hommel"])
def test_step_up_corrections_of_all_pairs_are_advised_against(correction):
    found = names(f"compare a, b, c with mcnemar {correction} on once")
    assert found == ["step_up_correction_of_dependent_pairs"]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_by", "sidak"])
def test_corrections_that_hold_for_pairs_are_not(correction):
    assert names(f"compare a, b, c with mcnemar {correction} on once") == []


def test_comparisons_with_one_reference_may_use_hochberg():
    # many-to-one statistics are positively dependent (Sarkar 1998); Demšar 2006, 3.2.2
    assert names("compare against prior with mcnemar hochberg on once") == []


def test_a_baseline_among_all_pairs_is_found_and_the_line_against_it_is_written():
    (found,) = checked(MODELS + "compare with mcnemar on once\n").diagnostics
    assert found.name == "baseline_among_the_compared"
    assert "compare a, b, c ..." in found.help
    assert "compare against prior with mcnemar" in found.help


def test_a_baseline_behind_an_omnibus_is_found():
    found = names("compare against prior with cochran then mcnemar on once")
    assert found == ["baseline_among_the_compared"]


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
    assert len(hypotheses(study, line)) == 2
    assert len(hypotheses(study, replace(line, across=True))) == 1
