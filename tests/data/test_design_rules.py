"""What is looked for in a table in view of what its study asks."""

import numpy as np
import pytest
from many_cases import for_each
from msgspec.structs import replace
from studies import checked

from evallang.checking.data_validation import questions
from evallang.data.design_rules import Questions, check_design, check_test_sizes
from evallang.metrics.metric import METRICS, evaluate
from evallang.source import Span
from evallang.stats.intervals.interval import INTERVALS

SPAN = Span("study.eval", 700, 710)


def codes(found):
    return [d.code for d in found]


def table(source, rare, common, **clauses):
    lines = ["rare"] * rare + ["usual"] * common
    text = "x,y\n" + "".join(f"{i / 7:.3f},{y}\n" for i, y in enumerate(lines))
    return source.table(text, **clauses)


def asking(measures):
    """Return the questions of a study with these measures."""
    return questions(
        checked(
            'evallang 1\nstudy\n  seed 1\ndata d from "d.csv"\n  target y\n  positive rare\n'
            f"model a = GaussianNB\nprotocol cv folds=5\nmeasure {measures}\n"
        ).study
    )


@pytest.mark.parametrize(("rare", "found"), [(20, ["W430"]), (21, []), (50, [])])
def test_accuracy_alone_on_unbalanced_classes_is_reported(source, rare, found):
    asked = asking("accuracy")
    assert codes(check_design(table(source, rare, 100 - rare), asked)) == found


@pytest.mark.parametrize(
    "asked",
    [
        asking("accuracy, balanced_accuracy"),
        replace(asking("accuracy"), baseline=True),
        asking("f1(average=macro)"),
        Questions(),
    ],
)
def test_another_measure_or_a_baseline_shows_what_accuracy_hides(source, asked):
    assert check_design(table(source, 5, 95), asked) == ()


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        ("f1(average=weighted)", f"a `f1(average=weighted)` of {0.95 * 1.9 / 1.95:.0%}"),
        ("f1(average=micro), accuracy", "a `f1(average=micro)` of 95%"),
        ("recall(average=weighted)", "a `recall(average=weighted)` of 95%"),
        ("log_loss, accuracy", "an accuracy of 95%"),
        ("f1(average=macro)", None),
        ("accuracy, f1", None),
        ("log_loss", None),
    ],
)
def test_averages_that_weigh_classes_by_size_hide_a_rare_class_too(source, measures, told):
    found = check_design(table(source, 5, 95, positive="rare"), asking(measures))
    assert codes(found) == (["W430"] if told else [])
    # 95 of 100 rows: precision .95 and recall 1 of the common class, F1 2 * .95 / 1.95, times .95
    assert not told or found[0].message.endswith(f"has {told}")


def test_the_positive_class_is_stated_where_a_measure_depends_on_it(source):
    asked = Questions(by_positive=("f1",))
    (found,) = check_design(table(source, 50, 50), asked)
    assert found.code == "W431"
    assert "`usual`" in found.message
    assert found.help == "write `positive usual`"
    assert check_design(table(source, 50, 50, positive="rare"), asked) == ()
    assert check_design(table(source, 50, 50), replace(asked, by_positive=())) == ()


def test_three_classes_have_no_positive_one(source):
    text = "x,y\n" + "".join(f"{i / 7:.3f},{'abc'[i % 3]}\n" for i in range(90))
    asked = Questions(by_positive=("f1",))
    assert check_design(source.table(text), asked) == ()


@pytest.mark.parametrize(
    ("rows", "share", "found"),
    [(300, 1 / 3, []), (297, 1 / 3, ["W432"]), (500, 0.2, []), (450, 0.2, ["W432"])],
)
def test_a_test_part_below_a_hundred_rows_is_small(source, rows, share, found):
    asked = Questions(test_share=share, test_span=SPAN)
    result = check_design(table(source, rows // 2, rows - rows // 2), asked)
    assert codes(result) == found
    assert all(d.span == SPAN for d in result)


def test_the_message_shows_the_interval_of_so_few_rows(source):
    (found,) = check_design(table(source, 60, 60), Questions(test_share=1 / 3))
    interval = INTERVALS["wilson"].function(36, 40, 0.95)  # 90% of 40; itself tested against R
    assert f"{interval.low:.0%} to {interval.high:.0%}" in found.message


@pytest.mark.parametrize(
    ("rare", "folds", "found"),
    [(50, 10, []), (49, 10, ["W433"]), (49, 9, []), (10, 10, ["W433"]), (9, 10, [])],
)
def test_few_of_a_class_in_a_fold_are_reported_below_five(source, rare, folds, found):
    # fewer members than folds are E470, and not said twice
    asked = Questions(per_fold=("roc_auc",), folds=folds, fold_span=SPAN)
    assert codes(check_design(table(source, rare, 200), asked)) == found


def test_measures_over_all_examples_do_not_mind_small_folds(source):
    assert check_design(table(source, 12, 200), Questions(folds=10)) == ()


def test_the_advised_number_of_folds_is_enough(source):
    asked = Questions(per_fold=("roc_auc",), folds=10)
    (found,) = check_design(table(source, 23, 200), asked)
    assert found.help == "write 4 folds"
    assert check_design(table(source, 23, 200), replace(asked, folds=4)) == ()


def test_a_regression_has_no_classes(source):
    text = "x,y\n" + "".join(f"{i / 7:.3f},{i / 3}\n" for i in range(60))
    asked = Questions(per_fold=("r2",), folds=10, test_share=0.2)
    (found,) = check_design(source.table(text), asked)
    assert found.code == "W432"
    assert "accuracy" not in found.message


@pytest.mark.parametrize(
    ("sizes", "found"),
    [([20, 20, 19], []), ([40, 20], []), ([41, 20], ["W434"]), ([], []), ([5], [])],
)
def test_test_sets_of_very_different_size_are_reported(sizes, found):
    assert codes(check_test_sizes(sizes, "cv folds=3", SPAN, "corrected_t")) == found


# --- what a study asks -------------------------------------------------------------------

STUDY = """evallang 1
data visits from "visits.csv"
  target y
model a = GaussianNB
model b = LinearDiscriminantAnalysis
{rest}
"""


def asked_by(rest):
    study = checked(STUDY.format(rest=rest)).study
    assert study is not None
    return questions(study)


def test_measures_of_single_folds_are_rankings_and_what_fold_tests_are_about():
    rest = "protocol cv\nmeasure accuracy, f1, roc_auc, brier\n"
    assert asked_by(rest).per_fold == ("roc_auc",)
    tested = rest + "compare a, b with corrected_t by accuracy, f1, brier"
    assert asked_by(tested).per_fold == ("roc_auc", "f1")


OF_ONE_CLASS = {"f1", "fbeta", "jaccard", "recall", "specificity", "precision"}
"""Known for the constant answer drawn here, and another for one that is drawn by shares."""


@for_each("entry", list(METRICS), ids=lambda entry: entry.name)
def test_a_value_without_skill_is_known_just_where_it_is_declared(entry):
    """A model that looks at no feature has one value on two samples of other shares, or not."""
    if any(option.required for option in entry.options) or entry.declaration.orders is not None:
        return
    found = []
    for rare in (10, 30):
        if entry.declaration.task == "classification":
            truth = np.array([1] * rare + [0] * (100 - rare))
            need = entry.declaration.needs
            output = np.zeros(100, int) if need == "labels" else np.full(100, rare / 100)
            found.append(evaluate(entry, {}, truth, output, 1, 2))
        else:
            truth = np.array([1.0] * rare + [3.0] * (100 - rare))
            output = np.full(100, truth.mean())
            if entry.declaration.needs == "ranges":
                output = np.column_stack([output - truth.std(), output + truth.std()])
            found.append(evaluate(entry, {}, truth, output))
    same = bool(np.isclose(found[0], found[1], rtol=0, atol=1e-12))
    assert same or not entry.declaration.known_without_skill
    assert not same or entry.declaration.known_without_skill or entry.name in OF_ONE_CLASS
