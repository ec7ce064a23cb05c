"""Advice on what several lines say together: families, replicates, the best of many, one number."""

import numpy as np
import pytest
from studies import checked, codes, write_rows

from evallang.api.preparing import check_data
from evallang.api.study_file import check_text
from evallang.metrics.metric import METRICS

GIVEN = """evallang 1
study
  seed 1
  {families}
predictions p from "p.csv"
  truth y
  models a, b, c, d, ours
  {clause}
{lines}
"""
FITTED = """evallang 1
study
  seed 1
data digits from sklearn digits
{models}
model prior = DummyClassifier
protocol {protocol}
measure {measure}
"""


def given(*lines, families="", clause="", code="W449"):
    text = GIVEN.format(lines="\n".join(lines), families=families, clause=clause)
    return [d for d in checked(text).diagnostics if d.code == code]


def fitted(code, models, protocol="holdout", measure="accuracy"):
    lines = "\n".join(f"model m{i} = {model}" for i, model in enumerate(models))
    text = FITTED.format(models=lines, protocol=protocol, measure=measure)
    assert not [d for d in checked(text).diagnostics if d.severity == "error"]
    return [d for d in checked(text).diagnostics if d.code == code]


FOUR = [f"compare ours vs {model} with mcnemar" for model in "abcd"]


@pytest.mark.parametrize("lines", [
    ["compare against ours with mcnemar holm"],
    [f"{line} exploratory" for line in FOUR],
    [FOUR[0], *(f"{line} exploratory" for line in FOUR[1:])],
    # the second line is W302's
    [FOUR[0], FOUR[0]],
    # a primary and a secondary measure
    [FOUR[0], "compare ours vs a with permutation by f1(average=macro)"],
    # another question: a margin
    [FOUR[0], "compare ours vs b with noninferiority(margin=2%)"],
])  # fmt: skip
def test_lines_that_are_not_one_family_are_accepted(lines):
    assert given(*lines) == []


def test_lines_of_one_family_are_accepted_together():
    assert given(*FOUR, families="families together") == []


def test_comparisons_with_a_baseline_are_a_family_of_their_own():
    text = FITTED.format(
        models="model m0 = GaussianNB\nmodel m1 = LinearDiscriminantAnalysis",
        protocol="holdout", measure="accuracy",
    )  # fmt: skip
    lines = "compare m0, m1 with mcnemar\ncompare against prior with mcnemar holm\n"
    assert "W449" not in codes(text + lines)


SCORES = """evallang 1
scores acc from "acc.csv"
  models ours, base
  dataset {column}
  higher is better
compare ours, base across data with wilcoxon
"""


@pytest.mark.parametrize("column", ["seed", "fold", "run_id", "cv_fold", "random_seed"])
def test_repeats_of_one_experiment_are_not_data_sets(column):
    (found,) = [d for d in checked(SCORES.format(column=column)).diagnostics if d.code == "W450"]
    clause = "fold" if "fold" in column else "seed"
    assert f"`{clause} {column}`" in found.help


@pytest.mark.parametrize("column", ["subject", "corpus", "dataset", "site", "name", "brunch"])
def test_subjects_and_corpora_are_data_sets(column):
    assert "W450" not in codes(SCORES.format(column=column))


@pytest.mark.parametrize(("form", "warned"), [("{}", True), ("NCT0{}17", False)])
def test_trials_with_numbers_are_repeats_and_trials_with_names_are_studies(tmp_path, form, warned):
    rows = [(form.format(i), f".{70 + i}", f".{69 + i * i % 7}") for i in range(8)]
    write_rows(tmp_path, "acc.csv", "trial,ours,base", rows)
    text = SCORES.format(column="trial")
    assert "W450" not in codes(text)
    assert ("W450" in found_in_data(tmp_path, text)) is warned


STUDY = """evallang 1
predictions p from "p.csv"
  id id
  truth y
  models a, b
  dataset {column}
compare a vs b across data with wilcoxon by accuracy
"""


def found_in_data(folder, text):
    study = check_text(text, "study.eval", folder)
    return {d.code: d for d in check_data(study)}


def predicted(folder, column, sets, *, same_rows, offset=0):
    """Write predictions of 20 examples for each data set, the same examples in each or not."""
    chance = np.random.default_rng(5)
    truth = chance.integers(0, 2, 20)
    rows = []
    for value in range(sets):
        now = truth if same_rows else chance.integers(0, 2, 20)
        rows += [(i, value + offset, now[i], chance.integers(0, 2), 1) for i in range(20)]
    write_rows(folder, "p.csv", f"id,{column},y,a,b", rows)
    return STUDY.format(column=column)


def test_data_sets_with_the_same_examples_are_refused(tmp_path):
    found = found_in_data(tmp_path, predicted(tmp_path, "model_no", 6, same_rows=True))
    assert "the 6 data sets of `p` are the same 20 examples" in found["E214"].message


def test_data_sets_with_numbers_from_zero_and_equal_sizes_are_warned_of(tmp_path):
    found = found_in_data(tmp_path, predicted(tmp_path, "k", 6, same_rows=False))
    assert "E214" not in found
    assert "`k` has the values 0 to 5, each in 20 rows" in found["W450"].message


@pytest.mark.parametrize(("column", "offset"), [("subject", 0), ("k", 3)])
def test_numbered_subjects_with_examples_of_their_own_are_sound(tmp_path, column, offset):
    found = found_in_data(tmp_path, predicted(tmp_path, column, 6, same_rows=False, offset=offset))
    assert not {"E214", "W450"} & set(found)


KINDS = ["GaussianNB", "SVC", "LinearDiscriminantAnalysis", "DecisionTreeClassifier(max_depth=3)",
         "ExtraTreesClassifier"]  # fmt: skip


def test_the_best_of_five_on_one_holdout_gets_a_hint_with_its_bias():
    (found,) = fitted("W451", KINDS)
    assert found.severity == "hint"
    assert found.message.startswith("5 models are scored on one test set")
    assert "1.2 standard errors" in found.message  # the expected largest of five is 1.163


def test_variants_of_one_class_are_reported_as_tuning_alone():
    variants = [f"KNeighborsClassifier(n_neighbors={k})" for k in range(1, 12, 2)]
    assert fitted("W451", variants) == []
    assert len(fitted("W330", variants)) == 1


def test_a_model_with_another_number_that_is_its_own_is_not_one_of_the_variants():
    two = ["KNeighborsClassifier(n_neighbors=2)", "KNeighborsClassifier(n_neighbors=3)"]
    other, third = "KNeighborsClassifier(n_neighbors=4, p=3)", "KNeighborsClassifier(n_neighbors=9)"
    assert fitted("W330", [*two, other]) == []
    (found,) = fitted("W330", [*two, other, third])
    assert "`m0`, `m1` and `m3` differ in `n_neighbors` alone" in found.message


def test_four_models_or_five_kinds_under_folds_get_no_hint():
    assert fitted("W451", KINDS[:4]) == []
    assert fitted("W451", KINDS, protocol="cv") == []


def test_five_models_of_one_file_of_predictions_get_a_hint():
    assert len(given(code="W451")) == 1
    assert given(code="W451", clause="fold fold") == []


@pytest.mark.parametrize(("measure", "expected"), [
    ("accuracy, f1(average=micro)", 1),
    ("f1(average=micro), precision(average=micro), recall(average=micro)", 1),
    ("accuracy, recall(average=weighted)", 1),
    ("accuracy, f1(average=weighted)", 0),
    ("accuracy, f1(average=macro), recall(average=macro)", 0),
    ("f1(average=micro)", 0),
])  # fmt: skip
def test_micro_averages_are_the_accuracy(measure, expected):
    assert len(fitted("W453", KINDS[:2], measure=measure)) == expected


def test_exactly_the_declared_averages_are_the_accuracy():
    """The declaration is compared with the share of the diagonal of random tables of counts."""
    tables = np.random.default_rng(7).integers(1, 30, (3, 4, 4)).astype(float)
    seen = 0
    for entry in METRICS:
        average = entry.option("average") if entry.declaration.form == "counts" else None
        if average is None:
            assert entry.declaration.accuracy_as == (), entry.name
            continue
        more = {"beta": 2.0} if entry.option("beta") is not None else {}
        for kind in ("micro", "macro", "weighted"):
            same = all(
                abs(entry.function(t, None, average=kind, **more) - np.trace(t) / t.sum()) < 1e-9
                for t in tables
            )
            assert same == (kind in entry.declaration.accuracy_as), (entry.name, kind)
            seen += same
    assert seen >= 4


UNNAMED = """evallang 1
predictions p from "p.csv"
  id id
  truth y
  models a, b
  {clause}
compare a vs b with mcnemar
"""


@pytest.mark.parametrize(("column", "value", "clause", "expected"), [
    ("fold", lambda i: i % 5, "", True),
    ("cv_fold", lambda i: f"f{i % 5}", "", True),
    ("fold", lambda i: i % 5, "fold fold", False),
    ("fold", lambda i: 3, "", False),  # the rows of one fold
    ("split", lambda i: ("train", "test")[i % 2], "", False),  # parts, not folds
    ("manifold", lambda i: i % 5, "", False),
])  # fmt: skip
def test_folds_that_no_clause_names(tmp_path, column, value, clause, expected):
    rows = [(i, i % 2, (i // 3) % 2, (i // 2) % 2, value(i)) for i in range(60)]
    write_rows(tmp_path, "p.csv", f"id,y,a,b,{column}", rows)
    found = found_in_data(tmp_path, UNNAMED.format(clause=clause))
    assert ("W452" in found) == expected
    if expected:
        assert found["W452"].help == f"write `fold {column}`"
