"""Advice on tests, resampling, tuning and reading: the cases beside those of the docstrings."""

from pathlib import Path

import pytest
from studies import checked

from evallang.checking.rules.rule import RULES, Known, Objection, load_rules

load_rules()
HEAD = "evallang 1\nstudy\n  seed 1\n"
WINE = HEAD + "data wine from sklearn wine\nmodel prior = DummyClassifier\n"
TWO = WINE + "model a = GaussianNB\nmodel b = LinearDiscriminantAnalysis\n"


def names(text):
    return [d.name for d in checked(text + "\n").diagnostics if d.name != "not_in_this_version"]


# --- tests -------------------------------------------------------------------------------


def test_a_t_test_with_an_implied_protocol_is_sent_to_the_study_s_own():
    found = checked(TWO + "protocol repeated cv\ncompare a, b with resampled_t\n").diagnostics
    assert [d.name for d in found] == ["overlapping_splits_as_independent"]
    assert found[0].help == "write `with corrected_t`"
    found = checked(TWO + "protocol holdout\ncompare a, b with resampled_t\n").diagnostics
    assert found[0].help.startswith("write `protocol repeated cv")


def test_a_metric_written_is_no_test_of_another_measure():
    by = TWO + "protocol holdout\nmeasure balanced_accuracy, accuracy\ncompare a, b with mcnemar"
    assert names(by) == ["test_of_another_measure"]
    assert names(by + " by accuracy") == []
    assert names(by.replace("balanced_accuracy, ", "")) == []
    assert names(by.replace("balanced_accuracy", "error_rate")) == []


# --- resampling --------------------------------------------------------------------------


def test_strata_that_are_a_default_are_not_reported():
    loo = WINE + "model a = GaussianNB\nprotocol leave_one_out\n"
    assert names(loo) == []
    assert names(loo + "stratify none") == []
    assert names(loo + "stratify by target") == ["strata_without_effect"]


@pytest.mark.parametrize(
    ("interval", "objected"),
    [
        ("bootstrap(rounds=999)", True),
        ("bootstrap(rounds=1_000)", False),
        ("bootstrap(rounds=999, method=percentile)", True),
        ("bootstrap(rounds=49, method=se)", True),
        ("bootstrap(rounds=50, method=se)", False),
        ("bootstrap", False),
    ],
)
def test_rounds_are_judged_by_what_is_taken_from_them(interval, objected):
    text = TWO + f"protocol holdout\nmeasure balanced_accuracy\n  interval {interval}"
    assert names(text) == (["few_bootstrap_rounds"] if objected else [])


def test_a_protocol_of_few_rounds_is_reported():
    for rounds, objected in ((49, True), (50, False)):
        text = TWO + f"protocol bootstrap rounds={rounds}\nmeasure accuracy"
        assert names(text) == (["few_bootstrap_rounds"] if objected else [])


SERIES = HEAD + (
    'data load from "load.csv"\n  target mw\n  task regression\n'
    "model mean = DummyRegressor\nmodel a = Ridge\nprotocol forward = time_series folds=5\n"
)


def test_a_series_is_neither_shuffled_nor_resampled_by_rows():
    assert names(SERIES + "measure mae") == []
    shuffled = SERIES + "measure mae\nprotocol other = repeated holdout"
    assert names(shuffled) == ["independent_resampling_of_a_series"]
    rows = SERIES + "measure mae\n  interval cv_clt"
    assert "independent_resampling_of_a_series" in names(rows)


@pytest.mark.parametrize(
    ("protocol", "written", "better"),
    [("holdout", "wald", "wilson"), ("repeated cv", "t", "corrected_t")],
)
def test_an_interval_that_covers_too_little_names_the_one_that_does(protocol, written, better):
    text = TWO + f"protocol {protocol}\nmeasure accuracy\n  interval {written}\n"
    (found,) = checked(text).diagnostics
    assert found.name == "interval_that_covers_too_little"
    assert found.help == f"write `interval {better}`"


# --- tuning ------------------------------------------------------------------------------


def variants(*models):
    lines = "".join(f"model m{i} = {model}\n" for i, model in enumerate(models))
    return names(WINE + lines + "protocol repeated cv\nmeasure accuracy")


def test_models_that_differ_otherwise_are_questions_of_their_own():
    assert variants("SVC(C=0.1)", "SVC(C=1)") == []
    assert variants("SVC(kernel=linear)", "SVC(kernel=rbf)", "SVC(kernel=poly)") == []
    assert variants("SVC(C=1)", "SVC(gamma=1)", "SVC") == []
    seeds = [f"DecisionTreeClassifier(max_depth=3, random_state={i})" for i in (1, 2, 3)]
    assert variants(*seeds) == []


@pytest.mark.parametrize(
    ("space", "objected"),
    [
        ("SVC(C in 1e-2..1e2 log 5)", False),
        ("SVC(C in 1e2..1e-2 log 5)", True),
        ("KNeighborsClassifier(n_neighbors in 15..1 step -2)", False),
        ("KNeighborsClassifier(n_neighbors in 1..15 step 2)", True),
        ("DecisionTreeClassifier(max_depth in [2, 4, none])", False),
        ("DecisionTreeClassifier(max_depth in [none, 4, 2])", True),
        ("SVC(kernel in [rbf, linear])", False),  # no direction is known
    ],
)
def test_candidates_go_from_simple_to_complex(space, objected):
    text = WINE + f"model m = {space}\nprotocol nested cv\nmeasure accuracy\n"
    rule = "candidates_from_complex_to_simple"
    assert names(text + "tune grid select one_standard_error") == ([rule] if objected else [])
    assert names(text + "tune grid") == []


@pytest.mark.parametrize(
    ("protocol", "tune", "objected"),
    [
        ("nested cv inner=5", "", False),
        ("nested cv inner=4", "", True),
        ("repeated cv", "cv=5", False),
        ("repeated cv", "cv=3", True),
        ("holdout test=20% validation=20%", "", True),
    ],
)
def test_a_standard_error_needs_five_inner_folds(protocol, tune, objected):
    text = WINE + f"model m = SVC(C in [0.1, 1])\nprotocol {protocol}\nmeasure accuracy\n"
    found = names(text + f"tune grid {tune} select one_standard_error")
    assert found == (["one_standard_error_of_few_folds"] if objected else [])


# --- reading -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "objected"),
    [
        ("price < 500_000", True),
        ("price is not missing", False),  # what E423 advises
        ("area < 500", False),
    ],
)
def test_rows_are_not_chosen_by_the_target(where, objected):
    text = HEAD + (
        f'data houses from "houses.csv"\n  target price\n  task regression\n  where {where}\n'
        "model mean = DummyRegressor\nmodel a = Ridge\nprotocol cv\nmeasure mae"
    )
    assert names(text) == (["rows_chosen_by_the_target"] if objected else [])


def test_a_plain_threshold_is_no_choice():
    text = 'evallang 1\npredictions p from "p.csv"\n  truth y\n  models a\n  score a = "s"\n'
    assert names(text + "  threshold a = 0.5") == []
    assert names(text + "  threshold a = 0.37") == ["threshold_beside_the_reported_scores"]


CANCER = HEAD + (
    "data cancer from sklearn breast_cancer\n{positive}model prior = DummyClassifier\n"
    "protocol repeated cv\nmeasure {measure}"
)


@pytest.mark.parametrize("measure", ["f1", "recall", "average_precision", "f1(average=binary)"])
def test_a_measure_of_one_class_needs_the_class(measure):
    found = names(CANCER.format(positive="", measure=measure))
    assert found == ["positive_class_by_default"]
    assert names(CANCER.format(positive="  positive malignant\n", measure=measure)) == []


@pytest.mark.parametrize("measure", ["accuracy", "mcc", "roc_auc", "f1(average=macro)"])
def test_a_measure_of_all_classes_does_not(measure):
    assert names(CANCER.format(positive="", measure=measure)) == []


def test_a_measure_with_a_zero_of_its_own_needs_no_baseline():
    text = HEAD + "data wine from sklearn wine\nmodel a = GaussianNB\nprotocol cv\nmeasure "
    assert names(text + "accuracy") == ["no_baseline"]
    assert names(text + "accuracy, mcc") == []


def test_a_split_of_the_author_s_needs_no_seed():
    text = "evallang 1\n" + TWO[len(HEAD) :] + "measure mcc\nprotocol "
    assert names(text + "holdout") == ["seed_by_default"]
    assert names(text + "split by part") == []
    assert names(text + "leave_one_out") == []


# --- all rules ---------------------------------------------------------------------------

GOLDEN = sorted((Path(__file__).parents[2] / "messages" / "checking").glob("*.eval"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_no_rule_fails_on_a_faulty_study(path):
    """The checker asks the rules about whatever it could resolve: some lines left out once."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for left_out in range(len(path.stem) % 5, len(lines), 5):
        checked("\n".join(lines[:left_out] + lines[left_out + 1 :]) + "\n")


def test_no_rule_fails_on_the_wrong_example_of_another():
    for rule in RULES.values():
        for text in (rule.code.words.wrong, rule.code.words.right):
            found = checked("evallang 1\n" + text + "\n")
            if found.study is not None:
                for other in RULES.values():
                    objections = other.objections(Known(found.study))
                    assert all(isinstance(o, Objection) for o in objections)


def test_hints_wait_until_a_study_says_what_it_means():
    broken = "evallang 1\ndata wine from sklearn wine\nmodel base = DummyClasifier\nprotocol cv\n"
    assert names(broken) == ["unknown_class"] or "no_baseline" not in names(broken)
    assert not {"no_baseline", "seed_by_default"} & set(names(broken))


def test_the_baseline_proposed_is_of_the_models_task():
    text = HEAD + 'data d from "d.csv"\n  target y\nmodel a = Ridge\nprotocol cv\nmeasure mae\n'
    (found,) = checked(text).diagnostics
    assert found.help == "write `model baseline = DummyRegressor`"


def test_a_p_value_needs_rounds_too():
    for rounds, objected in (("99", True), ("1_000", False)):
        line = f"compare a, b with permutation(rounds={rounds})"
        assert ("few_bootstrap_rounds" in names(TWO + "protocol holdout\n" + line)) is objected
    drawn = "model c = SVC\nprotocol holdout\ncompare a, b, c with mcnemar westfall(bootstrap, {})"
    assert "few_bootstrap_rounds" in names(TWO + drawn.format("rounds=200"))
    assert "few_bootstrap_rounds" not in names(TWO + drawn.format("rounds=2_000"))
