"""What a refusal says to write instead is itself accepted, for every test and interval."""

import re

import pytest
from studies import checked, codes

from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

FRAME = """evallang 1
study
  seed 1
data d from "d.csv"
  target y
  {task}
  {clause}
model a = {models[0]}
model b = {models[1]}
model c = {models[2]}
protocol {protocol}
measure {metric}
{line}
"""
CLASSIFIERS = ("GaussianNB", "LogisticRegression", "LinearDiscriminantAnalysis")
REGRESSORS = ("Ridge", "Lasso", "LinearRegression")
PROTOCOLS = ("holdout", "cv", "repeated cv", "leave_one_out", "bootstrap", "time_series")
NEEDS = {"tost": "tost(margin=1%)", "noninferiority": "noninferiority(margin=1%)",
         "bayes_t": "bayes_t(rope=1%)"}  # fmt: skip
REFUSED = {"E201", "E202", "E207", "E210", "E221"}
CASES = [("accuracy", "weight w"), ("f1", "group g"), ("mae", "")]


def refusals(metric, clause, protocol, line):
    numbers = metric == "mae"
    text = FRAME.format(
        task="task regression" if numbers else "positive 1",
        clause=clause or 'unit "rows"',
        models=REGRESSORS if numbers else CLASSIFIERS,
        protocol=protocol,
        metric=metric,
        line=line,
    )
    return [d for d in checked(text).diagnostics if d.code in REFUSED]


def taken(protocol, line, suggestion):
    """Do what a message says: the first way that it names."""
    for words in re.findall(r"`([^`]*)`", suggestion):
        if words.startswith("protocol "):
            protocol = words.removeprefix("protocol ")
        elif words.startswith("with "):
            return protocol, re.sub(r"with .*?(?= by |$)", words, line)
        elif words.startswith("interval "):
            return protocol, f"  {words}"
    return protocol, "" if "remove the interval" in suggestion else line


def to_try():
    for name in HYPOTHESIS_TESTS.names():
        declared = HYPOTHESIS_TESTS[name].declaration
        alone = declared.models[1] == 1 or name == "bonferroni_dunn"
        if not alone and not declared.across_data and not declared.bayesian:
            yield name, "a, b, c" if declared.models[0] > 2 else "a vs b"


@pytest.mark.parametrize(("metric", "clause"), CASES)
def test_the_test_proposed_instead_is_accepted(metric, clause):
    tried = 0
    for protocol in PROTOCOLS:
        for name, models in to_try():
            line = f"compare {models} with {NEEDS.get(name, name)} by {metric}"
            for refused in refusals(metric, clause, protocol, line)[:1]:
                assert refused.help
                tried += 1
                other, mended = taken(protocol, line, refused.help)
                kept = "" if "remove the group" in refused.help else clause
                again = refusals(metric, kept, other, mended)
                assert again == [], (protocol, line, refused.help)
    assert tried > 10


@pytest.mark.parametrize(("metric", "clause"), CASES)
def test_the_test_proposed_for_a_gate_is_accepted(metric, clause):
    tried = 0
    for protocol in ("cv", "repeated cv", "bootstrap", "time_series"):
        for name, models in to_try():
            if models != "a vs b" or name in ("tost", "noninferiority"):
                continue
            line = f"require a better than b in {metric} with {name}"
            for refused in refusals(metric, clause, protocol, line)[:1]:
                assert refused.help
                tried += 1
                other, mended = taken(protocol, line, refused.help)
                kept = "" if "remove the group" in refused.help else clause
                again = refusals(metric, kept, other, mended)
                assert again == [], (protocol, line, refused.help)
    assert tried > 10


@pytest.mark.parametrize(("metric", "clause"), CASES)
def test_the_interval_proposed_instead_is_accepted(metric, clause):
    tried = 0
    for protocol in PROTOCOLS:
        for entry in INTERVALS:
            if entry.declaration.form == "paired":
                continue
            line = f"  interval {entry.name}"
            for refused in refusals(metric, clause, protocol, line)[:1]:
                tried += 1
                other, mended = taken(protocol, line, refused.help)
                kept = "" if "remove the group" in refused.help else clause
                again = refusals(metric, kept, other, mended)
                assert again == [], (protocol, line, refused.help)
    assert tried > 10


def test_an_omnibus_over_data_sets_of_two_models_is_sent_to_a_test_of_two():
    text = FRAME.format(
        task="positive 1", clause="unit \"rows\"", models=CLASSIFIERS, protocol="cv",
        metric="accuracy", line='data e from "e.csv"\n  target y\n'
        "compare a, b across data with friedman then nemenyi",
    )  # fmt: skip
    (error,) = [d for d in checked(text).diagnostics if d.severity == "error"]
    assert (error.code, error.help) == ("E205", "write `with wilcoxon`, or name a third model")


@pytest.mark.parametrize(
    "line",
    [
        "compare a vs b with permutation by roc_auc",
        "compare a vs b with delong by roc_auc",
        "require roc_auc of a >= 0.9",
        "require a better than b in roc_auc",
    ],
)
def test_no_line_asks_for_a_ranking_of_one_row(line):
    text = FRAME.format(
        task="positive 1", clause='unit "rows"', models=CLASSIFIERS, protocol="leave_one_out",
        metric="accuracy", line=line,
    )  # fmt: skip
    found = [d.code for d in checked(text).diagnostics if d.severity == "error"]
    assert found == ["E204"]
    assert "E204" not in codes(text.replace("leave_one_out", "cv"))


def test_a_test_of_counts_by_another_metric_is_sent_to_permutation():
    (error,) = refusals("f1", "", "cv", "compare a vs b with mcnemar by f1")
    assert error.help == "write `with permutation`"


@pytest.mark.parametrize("name", ["tost", "noninferiority"])
def test_a_test_of_a_margin_asks_for_a_design_with_a_sound_interval(name):
    line = f"compare a vs b with {NEEDS[name]} by accuracy"
    (error,) = refusals("accuracy", "", "5x2cv", line)
    assert error.message.startswith(f"`{name}` needs a sound interval of the difference")
    protocol, same = taken("5x2cv", line, error.help)
    assert same == line
    assert refusals("accuracy", "", protocol, line) == []
