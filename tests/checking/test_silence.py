"""What a sane study hears: nothing, or a hint or two; the tables list every word of it."""

from pathlib import Path

import pytest
from many_cases import for_each

from evallang.api.preparing import read_and_plan
from evallang.api.study_file import open_study
from evallang.checking.data_validation import questions
from evallang.checking.rules.examples import count_examples
from evallang.checking.rules.rule import Known, Stage, advise_later
from evallang.data.design_rules import check_design, check_test_sizes

HERE = Path(__file__).parent
SOUND = sorted((HERE / "sound").glob("*.eval"))
EXAMPLES = sorted((HERE.parents[1] / "examples").glob("*.eval"))
SAMPLES = sorted((HERE.parent / "samples").glob("*.eval"))
SAID_OF_EXAMPLES = {
    # McNemar's test on pooled predictions of nested cv: its null is worded in the report
    "screening": ["pooled_predictions_of_several_models"],
    # silenced in the example, with its reason
    "wards": ["threshold_beside_the_reported_scores"],
    # DeLong's test is about the models of these folds, one of which is exported
    "deploy": ["pooled_predictions_of_several_models"],
    # so is a permutation test of their losses
    "own_code": ["pooled_predictions_of_several_models"],
}
SAID_OF_EXAMPLES |= {
    # a permutation test of means over seeds, on the folds of one cross-validation
    "seeds": ["pooled_predictions_of_several_models"],
    # a baseline among the models of an omnibus is advised against; ranks need none
    "sorting_machines": ["no_baseline"],
}
SAID_OF_SAMPLES = {
    "02_three_way_holdout": ["no_baseline", "seed_by_default"],
    "03_repeated_cv": ["no_baseline"],
    "04_bootstrap": ["no_baseline", "seed_by_default"],
    # three lines by three measures about the same pairs, each with a correction of its own
    "05_predictions": ["families_in_separate_lines"],
    "07_many_data_sets": ["no_baseline", "seed_by_default"],
    # allowed on its line, with a reason
    "09_own_code": ["many_comparisons_without_correction"],
    # `uncorrected` for the two tables of a figure; the sample shows that it is warned of
    "11_counts": ["many_comparisons_without_correction"],
}
"""Findings of each file, except for E9xx: what the version at hand cannot run yet."""
MOST_HINTS = 3  # a sane study sees at most a handful


def said(path):
    return [d for d in open_study(path).diagnostics if not d.code.startswith("E9")]


def name(path):
    return path.stem


@pytest.mark.parametrize("path", SOUND, ids=name)
def test_a_sound_study_hears_nothing(path):
    assert open_study(path).diagnostics == ()


def test_ten_sound_studies_are_as_many_designs():
    assert len(SOUND) >= 10
    designs = {(p.kind, *sorted(p.options)) for f in SOUND for p in open_study(f).meant.protocols}
    assert {kind for kind, *_ in designs} >= {
        "holdout", "nested_cv", "repeated_cv", "repeated_holdout",
    }  # fmt: skip


@pytest.mark.parametrize("path", [*SOUND, *EXAMPLES], ids=name)
def test_a_sound_study_is_not_warned_of_its_data_either(path):
    prepared = read_and_plan(open_study(path))
    study, found = prepared.study, list(prepared.diagnostics)
    for table in prepared.read.tables.values():
        found += check_design(table, questions(study))
    for (_, protocol), splits in prepared.planned.layout.splits.items():
        found += check_test_sizes(
            [len(s.test) for s in splits if s.fold >= 0], protocol, None, "corrected_t"
        )
    examples = tuple(map(count_examples, prepared.read.imported))
    found += advise_later(Stage.DATA, study, Known(study, examples))
    assert [d.name for d in found if d.severity != "hint" and d.allowed_because is None] == []


@for_each("path", EXAMPLES, ids=name)
def test_an_example_hears_what_the_table_lists(path):
    found = said(path)
    assert [d.name for d in found] == SAID_OF_EXAMPLES.get(path.stem, [])
    assert {str(d.severity) for d in found if d.allowed_because is None} <= {"hint"}


@pytest.mark.parametrize("path", SAMPLES, ids=name)
def test_a_sample_hears_what_the_table_lists(path):
    found = [d for d in said(path) if d.name != "waiver_of_nothing"]  # of a line of a later version
    assert sorted(d.name for d in found) == SAID_OF_SAMPLES.get(path.stem, [])


@for_each("path", [*SOUND, *EXAMPLES, *SAMPLES], ids=name)
def test_hints_are_few(path):
    assert sum(d.severity == "hint" for d in said(path)) <= MOST_HINTS
