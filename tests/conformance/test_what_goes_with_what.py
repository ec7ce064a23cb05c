"""The table what-goes-with-what says what the checker says, cell by cell."""

import pytest
from many_cases import for_each
from studies import checked

from evallang.compatibility import own_metric
from evallang.manual.compatibility_table import (
    UNDEFINED,
    default_of,
    interval_fit,
    measurable,
    metrics_here,
    metrics_of,
    settings,
    test_fit,
)
from evallang.metrics.metric import METRICS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

test_fit.__test__ = False

CLASSES = """\
evallang 1
study
  seed 1
data d from "d.csv"
  target y
  positive 1
model a = LogisticRegression
model b = GaussianNB
model c = LinearDiscriminantAnalysis
"""
NUMBERS = """\
evallang 1
study
  seed 1
data d from "d.csv"
  target y
  task regression
model a = Ridge
model b = LinearRegression
model c = DecisionTreeRegressor
"""
FORMS = {"split": "split by fold", "leave_one_group_out": "leave_one_group_out"}
PROTOCOLS = [s for s in settings() if s.fits_models]
SOURCES = [s for s in settings() if not s.fits_models]
FILES = 'predictions p from "p.csv"\n'
CLAUSES = {
    "predictions": "  truth y\n  models a, b, c\n",
    "predictions judged `correct`": "  correct a, b, c\n",
    "predictions judged by `value`": '  value "value" a, b, c\n  lower is better\n',
}
ORDERS = {
    "predictions with `event`": "  truth months\n  event died\n",
    "predictions with `query`": "  truth relevance\n  query question\n",
}
ROLES = {"folds": "  fold fold\n", "repeats": "  id i\n  repeat run\n", "groups": "  group g\n"}
JUDGES = "  judges a, b, c\n  truth y\n"
SHARES = """counts t
  right a = 87 of 100
  right b = 150 of 200
  right c = 42 of 90
"""
COUNTS = "counts c\n  models a, b, c\n  pattern [1, 1, 1]: 9\n  pattern [1, 0, 0]: 4\n"
ONE_OF_EACH_KIND = (
    "accuracy",
    "recall",
    "f1",
    "brier",
    "roc_auc",
    "mse",
    "rmse",
    "concordance",
    "ndcg",
    "bradley_terry",
    "krippendorff_alpha",
    "corrected_rate",
)
REFUSALS = {"E228", "E201", "E202", "E203", "E204", "E207", "E210"}
OTHER_TASK = "E115"
REQUIRED = {
    "cost": "cost([[0, 1], [1, 0]])",
    "fbeta": "fbeta(beta=2)",
    "tost": "tost(margin=1%)",
    "noninferiority": "noninferiority(margin=1%)",
    "bayes_sign": "bayes_sign(rope=1%)",
    "bayes_signed_rank": "bayes_signed_rank(rope=1%)",
    "bayes_t": "bayes_t(rope=1%)",
    "binomial": "binomial(threshold=10%)",
    "single_t": "single_t(threshold=0.8)",
}
MODELS = {1: "a", 2: "a vs b"}


def refused(metric, protocol, rest=""):
    """Give the refusals of a study with one metric under one protocol."""
    frame = NUMBERS if METRICS[metric].declaration.task == "regression" else CLASSES
    groups = "group by g\n" if protocol == "leave_one_group_out" else ""
    form = FORMS.get(protocol, protocol)
    text = f"{frame}{groups}protocol {form}\nmeasure {REQUIRED.get(metric, metric)}\n{rest}"
    found = [d for d in checked(text).diagnostics if d.severity == "error"]
    assert {d.code for d in found} <= REFUSALS, [d.message for d in found]
    return found


def cells_of_tests():
    for entry in HYPOTHESIS_TESTS:
        if entry.name != "bonferroni_dunn":
            yield pytest.param(entry, id=entry.name)


@pytest.mark.parametrize("entry", list(cells_of_tests()))
def test_the_table_refuses_a_test_where_the_checker_does(entry):
    models = MODELS.get(entry.declaration.models[0], "a, b, c")
    for setting in PROTOCOLS:
        metric = (metrics_here(entry, setting) or metrics_of(entry) or ("accuracy",))[0]
        line = f"compare {models} with {REQUIRED.get(entry.name, entry.name)}"
        found = refused(metric, setting.words, f"{line} by {REQUIRED.get(metric, metric)}\n")
        found = [d for d in found if d.code != "E204"]
        refuses = test_fit(entry, setting) in ("no", "in blocks")
        assert refuses == bool(found), setting.words


def statement(setting, task):
    """Write the statement that a source of the table stands for, with scores where it has any."""
    if setting.words == "counts":
        return COUNTS
    if setting.words == "battles":
        return 'battles votes from "votes.jsonl"\n'
    if setting.words == "counts as shares":
        return SHARES
    if setting.words == "predictions with `judges`":
        return FILES + JUDGES
    scores = "".join(f'  score {model} = "p{model}"\n' for model in "abc")
    if setting.words in ORDERS:
        return FILES + ORDERS[setting.words] + scores
    kind, _, roles = setting.words.partition(" with ")
    text = FILES + CLAUSES[kind] + "".join(ROLES[role] for role in roles.split(" and ") if role)
    if setting.source.judged is not None:
        return text
    if task == "regression":
        return text + "  task regression\n"
    return f"{text}  positive 1\n{scores}"


@for_each("setting", SOURCES, ids=lambda setting: setting.words)
@for_each("entry", list(cells_of_tests()))
def test_the_table_refuses_a_test_of_outcomes_by_a_metric_where_the_checker_does(entry, setting):
    own = own_metric(setting.source)
    fitting = metrics_here(entry, setting)
    assert (test_fit(entry, setting) == "no") == (not fitting)
    models = MODELS.get(entry.declaration.models[0], "a, b, c")
    line = f"compare {models} with {REQUIRED.get(entry.name, entry.name)}"
    if own is not None:
        found = refused_of(f"{statement(setting, None)}{line}\n")
        assert (own.name in fitting) == (not found), found
        return
    for name in ONE_OF_EACH_KIND:
        if measurable(METRICS[name], setting):
            source = statement(setting, METRICS[name].declaration.task)
            found = refused_of(f"{source}{line} by {name}\n")
            assert (name in fitting) == (not found), (name, found)


def refused_of(text):
    """Give the messages of the refusals of a study of outcomes."""
    told = checked(f"evallang 1\nstudy\n  seed 1\n{text}").diagnostics
    found = [d for d in told if d.severity == "error"]
    assert {d.code for d in found} <= {*REFUSALS, OTHER_TASK}, [d.message for d in found]
    return [d.message for d in found if d.code != "E204"]


def test_a_series_is_permuted_in_blocks_only():
    line = "compare a vs b with permutation(block=5) by mae\n"
    assert refused("mae", "time_series", line) == []
    line = "compare a vs b with permutation by mae\n"
    assert [d.code for d in refused("mae", "time_series", line)] == ["E201"]


@pytest.mark.parametrize("entry", [pytest.param(e, id=e.name) for e in INTERVALS])
def test_the_table_refuses_an_interval_where_the_checker_does(entry):
    if entry.declaration.form == "paired" or "matrix" in entry.inputs:
        return  # differences and tables have no place on a `measure` line
    for setting in PROTOCOLS:
        if setting.words == "split":
            continue  # judged once the split is read
        for metric in ("accuracy", "f1", "brier", "roc_auc", "mse", "r2"):
            found = refused(metric, setting.words, f"  interval {entry.name}\n")
            fits = interval_fit(entry, METRICS[metric], setting)
            assert fits == (not found), (setting.words, metric)


@for_each("metric", METRICS.names())
def test_a_default_interval_is_one_that_could_be_written(metric):
    entry = METRICS[metric]
    for setting in settings():
        name = default_of(entry, setting)
        if name in (None, UNDEFINED):
            continue
        assert interval_fit(INTERVALS[name], entry, setting), (setting.words, name)
