"""Every metric on data that break careless code: right or refused, never NaN, no zero width.

One class in a fold, classes in order, constant and tied scores, labels -1 and 1 and text, and
probabilities that do not sum to 1. No number here is our own: a value is checked against the same
predictions under other labels or in another order, which may change nothing.
"""

import json
import math

import numpy as np
import pytest
from studies import errors_of, study

from evallang.api.checked_file import StudyError
from evallang.api.running import run
from evallang.metrics.metric import METRICS

WRITTEN = {
    "fbeta": "fbeta(beta=2)",
    "net_benefit": "net_benefit(threshold=0.3)",
    "normalized_cost": "normalized_cost(share=0.3)",
    "pinball": "pinball(quantile=0.5)",
    "top_k_accuracy": "top_k_accuracy(k=2)",
}
NEED_MORE = {"cost", "mase", "pass_at"}  # a matrix of costs, a scale, runs of one example


def metrics(task, classes=0, needs=("labels", "scores", "probabilities", "values")):
    """Return every metric of a task as a study writes it, on so many classes."""
    found = []
    for entry in METRICS:
        declared = entry.declaration
        odd = declared.orders is not None or declared.needs == "ranges" or entry.name in NEED_MORE
        unfit = (declared.binary_only and classes > 2) or (declared.several_only and classes == 2)
        if declared.task == task and declared.needs in needs and not odd and not unfit:
            found.append(WRITTEN.get(entry.name, entry.name))
    return ", ".join(found)


def write(folder, columns):
    lines = [",".join(columns)]
    lines += [",".join(str(v) for v in row) for row in zip(*columns.values(), strict=True)]
    (folder / "p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def refuse(name):
    raise AssertionError(f"{name} in results.json")


def results(text, folder):
    """Return the results of a study as strict JSON, after what holds for all of them."""
    run(study("evallang 1\nstudy\n  seed 1\n" + text, folder), out=folder / "out")
    written = (folder / "out" / "results.json").read_text(encoding="utf-8")
    record = json.loads(written, parse_constant=refuse)
    assert record["estimates"]
    for estimate in record["estimates"]:
        where = estimate["model"], estimate["metric"]
        value, interval = estimate["value"], estimate["interval"]
        assert value is None or isinstance(value, int | float), where
        assert value is not None or estimate["notes"], where
        if interval is None or interval["low"] is None or interval["high"] is None:
            continue
        assert interval["low"] < interval["high"], where
        assert interval["low"] - 1e-12 <= value <= interval["high"] + 1e-12, where
        bounds = next(m.declaration for m in METRICS if m.name == where[1].partition("(")[0])
        assert bounds.low is None or interval["low"] >= bounds.low, where
        assert bounds.high is None or interval["high"] <= bounds.high, where
    report = folder / "out" / "report.html"
    if report.exists():
        assert ">nan<" not in report.read_text(encoding="utf-8").lower()
    return {(e["model"], e["metric"]): e["value"] for e in record["estimates"]}


RNG = np.random.default_rng(11)
N = 40
SECOND = np.arange(N) >= N // 2  # sorted by class
SCORE = np.round(RNG.random(N), 3)
ONE_OF = np.array([False] * (N - 1) + [True])

TWO = {
    "sorted by class": (SECOND, SCORE >= 0.5, SCORE, {}),
    "a constant score": (SECOND, SECOND | True, np.full(N, 0.5), {}),
    "a score of 0": (SECOND, SECOND & False, np.zeros(N), {}),
    "tied scores": (SECOND, SCORE >= 0.5, np.round(SCORE, 1), {}),
    "no error": (SECOND, SECOND, SECOND * 1.0, {}),
    "nothing right": (SECOND, ~SECOND, 1.0 - SECOND, {}),
    "folds of one class": (SECOND, SCORE >= 0.5, SCORE, {"fold": np.arange(N) // 10}),
    "folds of both": (SECOND, SCORE >= 0.5, SCORE, {"fold": np.arange(N) % 4}),
    "one positive row": (ONE_OF, SCORE >= 0.5, SCORE, {}),
    "three rows": (SECOND[18:21], (SCORE >= 0.5)[18:21], SCORE[18:21], {}),
}


def predictions(folder, case, labels=("neg", "pos"), order=slice(None)):
    truth, predicted, score, more = case
    names = np.array(labels)
    columns = {"y": names[truth * 1], "m": names[predicted * 1], "s": score, **more}
    write(folder, {name: np.asarray(values)[order] for name, values in columns.items()})
    fold = "  fold fold\n" if more else ""
    return (
        'predictions p from "p.csv"\n  truth y\n  models m\n  score m = s\n'
        f"  positive {labels[1]}\n{fold}measure {metrics('classification', 2)}\n"
    )


@pytest.mark.parametrize("name", TWO)
def test_every_metric_of_two_classes(name, tmp_path):
    results(predictions(tmp_path, TWO[name]), tmp_path)


@pytest.mark.parametrize("labels", [("-1", "1"), ("0", "1"), ("zebra", "ant")])
def test_names_of_labels_change_no_metric(labels, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    case = TWO["tied scores"]
    plain = results(predictions(tmp_path / "a", case), tmp_path / "a")
    assert results(predictions(tmp_path / "b", case, labels), tmp_path / "b") == pytest.approx(
        plain
    )


def test_the_order_of_rows_changes_no_metric(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    case, order = TWO["tied scores"], RNG.permutation(N)
    plain = results(predictions(tmp_path / "a", case), tmp_path / "a")
    mixed = results(predictions(tmp_path / "b", case, order=order), tmp_path / "b")
    assert mixed == pytest.approx(plain, rel=1e-12, abs=1e-12)


THIRD = np.array(["a", "b", "c"])
PROBABILITIES = np.round(RNG.dirichlet([1, 1, 1], 60), 3)
PROBABILITIES[:, 2] = np.round(1 - PROBABILITIES[:, 0] - PROBABILITIES[:, 1], 3)


def of_three(folder, truth, table, predicted=None, fold=None):
    found = THIRD[table.argmax(axis=1)] if predicted is None else predicted
    columns = {"y": truth, "m": found, **{f"p_{c}": table[:, i] for i, c in enumerate("abc")}}
    if fold is not None:
        columns["fold"] = fold
    write(folder, columns)
    line = "" if fold is None else "  fold fold\n"
    return (
        'predictions p from "p.csv"\n  truth y\n  models m\n  scores m = "p_*"\n'
        f"{line}measure {metrics('classification', 3)}\n"
    )


RANDOM = THIRD[RNG.integers(0, 3, 60)]
THREE = {
    "three classes": (RANDOM, PROBABILITIES, None, None),
    "one class predicted": (RANDOM, np.full((60, 3), 1 / 3).round(6), np.full(60, "a"), None),
    "a class missing in each fold": (np.sort(RANDOM), PROBABILITIES, None, np.arange(60) // 10),
    "sums within rounding": (RANDOM, PROBABILITIES * 0.9995, None, None),
}


@pytest.mark.parametrize("name", THREE)
def test_every_metric_of_three_classes(name, tmp_path):
    results(of_three(tmp_path, *THREE[name]), tmp_path)


def test_probabilities_that_do_not_sum_to_one_are_refused(tmp_path):
    text = of_three(tmp_path, RANDOM, PROBABILITIES * 1.1)
    with pytest.raises(StudyError) as raised:
        results(text, tmp_path)
    assert "E203" in {error.code for error in errors_of(raised)}


def test_a_truth_of_one_class_is_refused(tmp_path):
    case = (SECOND | True, SCORE >= 0.5, SCORE, {})
    with pytest.raises(StudyError) as raised:
        results(predictions(tmp_path, case), tmp_path)
    assert "E425" in {error.code for error in errors_of(raised)}


def test_top_k_accuracy_of_two_classes_is_refused(tmp_path):
    text = predictions(tmp_path, TWO["tied scores"]) + "measure top_k_accuracy(k=1)\n"
    with pytest.raises(StudyError) as raised:
        results(text, tmp_path)
    [error] = errors_of(raised)
    assert error.message == "`top_k_accuracy(k=1)` is for three classes or more, and there are two"


VALUE = np.round(RNG.normal(size=N), 3)
NUMBERS = {
    "a constant prediction": (VALUE, np.full(N, 0.5), None),
    "a constant truth": (np.full(N, 1.5), VALUE, None),
    "both constant": (np.full(N, 1.5), np.full(N, 1.5), None),
    "no error": (VALUE, VALUE, None),
    "the same error everywhere": (VALUE, VALUE + 1, None),
    "half of the truth is 0": (np.where(SECOND, VALUE, 0), VALUE[::-1], None),
    "ties": (np.round(VALUE), np.round(VALUE[::-1]), None),
    "a constant truth in each fold": (np.arange(N) // 10 + 0.5, VALUE, np.arange(N) // 10),
    "two rows": (VALUE[:2], VALUE[2:4], None),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_every_metric_of_numbers(name, tmp_path):
    truth, predicted, fold = NUMBERS[name]
    columns = {"y": truth, "m": predicted}
    write(tmp_path, columns if fold is None else {**columns, "fold": fold})
    line = "" if fold is None else "  fold fold\n"
    text = (
        'predictions p from "p.csv"\n  truth y\n  models m\n  task regression\n'
        f"{line}measure {metrics('regression', needs=('labels', 'scores', 'values'))}\n"
    )
    found = results(text, tmp_path)
    assert all(value is None or math.isfinite(value) for value in found.values())


TABLES = {
    "sorted by class": (np.repeat(["a", "b"], 30), 5),
    "minus one and one": (np.where(RNG.random(60) < 0.5, -1, 1), 5),
    "four of one class": (np.repeat(["a", "b"], [56, 4]), 4),
    "three of a third class": (np.repeat(["a", "b", "c"], [28, 29, 3]), 3),
}


def table(folder, name, folds):
    y = TABLES[name][0]
    code = np.unique(y, return_inverse=True)[1]
    write(folder, {"x": np.round(RNG.normal(size=60) + code, 3), "y": y})
    k = int(code.max()) + 1
    positive = f"  positive {np.unique(y)[-1]}\n" if k == 2 else ""
    return (
        f'data d from "p.csv"\n  target y\n{positive}'
        "model linear = LogisticRegression\nmodel stump = DecisionTreeClassifier(max_depth=1)\n"
        f"model prior = DummyClassifier\nprotocol cv folds={folds}\n"
        f"measure {metrics('classification', k)}\n"
    )


@pytest.mark.parametrize("name", TABLES)
def test_every_metric_of_fitted_models(name, tmp_path):
    results(table(tmp_path, name, TABLES[name][1]), tmp_path)


@pytest.mark.parametrize("name", ["four of one class", "three of a third class"])
def test_more_folds_than_members_of_a_class_are_refused(name, tmp_path):
    with pytest.raises(StudyError) as raised:
        results(table(tmp_path, name, 5), tmp_path)
    assert [error.code for error in errors_of(raised)] == ["E470"]
