"""Every metric on data that break careless code: right or refused, never NaN, no zero width.

One class in a fold, classes in order, constant and tied scores, labels -1 and 1 and text, and
probabilities that do not sum to 1. No number here is our own: a value is checked against the same
predictions under other labels or in another order, which may change nothing.
"""

import json
import math
import warnings

import numpy as np
import pytest
from studies import errors_of, study

from evallang.api.checked_file import StudyError
from evallang.api.running import run
from evallang.metrics.metric import METRICS

WRITTEN = {
    "cost": "cost(matrix=[[0, 2], [2, 0]])",
    "mase": "mase(scale=2.5)",
    "fbeta": "fbeta(beta=2)",
    "net_benefit": "net_benefit(threshold=0.3)",
    "normalized_cost": "normalized_cost(share=0.3)",
    "pinball": "pinball(quantile=0.5)",
    "top_k_accuracy": "top_k_accuracy(k=2)",
}
FOR_TWO = {"cost"}  # a matrix of another size is refused
SLOW = {"d2", "medae"}  # computed for one resample after another


def metrics(task, classes=0, needs=("labels", "scores", "probabilities", "values"), rounds=None):
    """Return lines that measure every metric of a task on so many classes.

    The bootstrap intervals of slow metrics have so many rounds.
    """
    found = []
    for entry in METRICS:
        declared = entry.declaration
        odd = declared.orders is not None or declared.needs == "ranges"
        odd = odd or (classes > 2 and entry.name in FOR_TWO)
        unfit = (declared.binary_only and classes > 2) or (declared.several_only and classes == 2)
        if declared.task == task and declared.needs in needs and not odd and not unfit:
            found.append(WRITTEN.get(entry.name, entry.name))
    slow = [] if rounds is None else [name for name in found if name in SLOW]
    lines = [f"measure {', '.join(name for name in found if name not in slow)}"]
    lines += [f"measure {name}\n  interval bootstrap(rounds={rounds})" for name in slow]
    return "\n".join(lines) + "\n"


def write(folder, columns):
    lines = [",".join(columns)]
    lines += [",".join(str(v) for v in row) for row in zip(*columns.values(), strict=True)]
    (folder / "p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def refuse(name):
    raise AssertionError(f"{name} in results.json")


def zero_widths(found):
    """Give the intervals without width within values of analyses."""
    if isinstance(found, dict):
        if found.get("low") is not None and found["low"] == found.get("high"):
            yield found
        found = list(found.values())
    if isinstance(found, list):
        for item in found:
            yield from zero_widths(item)


def results(text, folder):
    """Return the results of a study as strict JSON, after what holds for all of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        run(study(f"evallang 1\nstudy\n  seed 1\n{text}report html\n", folder), out=folder / "out")
    written = (folder / "out" / "results.json").read_text(encoding="utf-8")
    record = json.loads(written, parse_constant=refuse)
    assert record["estimates"]
    for estimate in record["estimates"]:
        where = estimate["model"], estimate["metric"]
        value, interval = estimate["value"], estimate["interval"]
        assert value is None or isinstance(value, int | float), where
        assert value is not None or estimate["notes"], where
        if interval is None or interval["low"] is None or interval["high"] is None:
            assert value is None or estimate["no_interval"] or estimate["notes"], where
            continue
        assert interval["low"] < interval["high"], where
        assert interval["low"] - 1e-12 <= value <= interval["high"] + 1e-12, where
        bounds = METRICS[where[1].partition("(")[0]].declaration
        assert bounds.low is None or value >= bounds.low - 1e-12, where
        assert bounds.high is None or value <= bounds.high + 1e-12, where
        assert bounds.low is None or interval["low"] >= bounds.low, where
        assert bounds.high is None or interval["high"] <= bounds.high, where
    assert not list(zero_widths(record["analyses"]))
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert ">nan<" not in page.lower()
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
        f"  positive {labels[1]}\n{fold}{metrics('classification', 2, rounds=1000)}"
    )


@pytest.mark.parametrize("name", [name for name in TWO if name != "tied scores"])  # below
def test_every_metric_of_two_classes(name, tmp_path):
    results(predictions(tmp_path, TWO[name]), tmp_path)


TIED = TWO["tied scores"]


@pytest.fixture(scope="module")
def tied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tied")
    return results(predictions(folder, TIED), folder)


@pytest.mark.parametrize("labels", [("-1", "1"), ("0", "1"), ("zebra", "ant")])
def test_names_of_labels_change_no_metric(labels, tied, tmp_path):
    assert results(predictions(tmp_path, TIED, labels), tmp_path) == pytest.approx(tied)


def test_the_order_of_rows_changes_no_metric(tied, tmp_path):
    mixed = results(predictions(tmp_path, TIED, order=RNG.permutation(N)), tmp_path)
    assert mixed == pytest.approx(tied, rel=1e-12, abs=1e-12)


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
        f"{line}{metrics('classification', 3)}"
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
        f"{line}{metrics('regression', needs=('labels', 'scores', 'values'), rounds=1000)}"
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
        f"{metrics('classification', k)}"
    )


@pytest.mark.parametrize("name", TABLES)
def test_every_metric_of_fitted_models(name, tmp_path):
    results(table(tmp_path, name, TABLES[name][1]), tmp_path)


@pytest.mark.parametrize("name", ["four of one class", "three of a third class"])
def test_more_folds_than_members_of_a_class_are_refused(name, tmp_path):
    with pytest.raises(StudyError) as raised:
        results(table(tmp_path, name, 5), tmp_path)
    assert [error.code for error in errors_of(raised)] == ["E470"]


# --- weights, groups and curves ---------------------------------------------------------------

ORDER = np.arange(N)
CURVES = "".join(
    f"analyze {name}\n"
    for name in ("roc", "pr", "det", "calibration", "confusion", "decision_curve", "cost_curve")
)
OF_ROWS = {
    "every other weight is 0": ("weight", ORDER % 2),
    "one class has no weight": ("weight", SECOND * 1),
    "one group": ("group", ORDER * 0),
    "a group for each row": ("group", ORDER),
    "a group for each class": ("group", SECOND * 1),
    "groups of one class": ("group", ORDER // 5),
    "two groups of both classes": ("group", ORDER % 2),
}
LINEAR = (SECOND, SCORE >= 0.5, SCORE)
FEW_METRICS = "accuracy, recall, f1, balanced_accuracy, mcc, roc_auc, log_loss, brier, ece"


@pytest.mark.parametrize("name", OF_ROWS)
def test_weights_and_groups_of_rows(name, tmp_path):
    keyword, values = OF_ROWS[name]
    text = predictions(tmp_path, (*LINEAR, {"z": values})).partition("  fold fold")[0]
    results(f"{text}  {keyword} z\nmeasure {FEW_METRICS}\n", tmp_path)


def test_a_report_states_no_method_of_an_interval_that_was_not_computed(tmp_path):
    case = (*LINEAR, {"z": ORDER * 0})
    text = predictions(tmp_path, case).partition("  fold fold")[0]
    results(f"{text}  group z\nmeasure accuracy\n", tmp_path)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "the spread over groups takes two groups" in page
    assert "with a 95% interval" not in page
    assert "1 groups" not in page


def test_subgroups_of_one_row_and_of_one_class(tmp_path):
    level = np.where(ORDER == 0, "single", np.where(SECOND, "second", "first"))
    text = predictions(tmp_path, (*LINEAR, {"z": level})).partition("  fold fold")[0]
    results(f"{text}measure accuracy, recall, roc_auc, log_loss within z\n", tmp_path)


@pytest.mark.parametrize(
    "name",
    ["a constant score", "no error", "nothing right", "one positive row", "three rows"],
)
def test_curves_have_no_band_without_width(name, tmp_path):
    text = predictions(tmp_path, TWO[name]).partition("measure")[0]
    results(f"{text}measure roc_auc, average_precision\n{CURVES}", tmp_path)


def test_ordered_scores_may_be_as_large_as_a_double(tmp_path):
    huge = np.where(SCORE > 0.3, 1.7e308, -1.7e308)
    text = predictions(tmp_path, (SECOND, SCORE >= 0.5, huge, {})).partition("measure")[0]
    found = results(f"{text}measure roc_auc, average_precision\n", tmp_path)
    (tmp_path / "plain").mkdir()
    plain = (SECOND, SCORE >= 0.5, (SCORE > 0.3) * 1.0, {})
    text = predictions(tmp_path / "plain", plain).partition("measure")[0]
    assert found == results(f"{text}measure roc_auc, average_precision\n", tmp_path / "plain")


# --- prediction intervals ---------------------------------------------------------------------

RANGES = {
    "every value inside": {},
    "no value inside": {"low": VALUE + 1, "high": VALUE + 2},
    "no width": {"low": VALUE, "high": VALUE},
    "one interval for all": {"low": VALUE * 0 - 9, "high": VALUE * 0 + 9},
    "one group": {"z": ORDER * 0},
    "two groups": {"z": ORDER % 2},
    "folds of one row": {"fold": ORDER},
}


@pytest.mark.parametrize("rows", [N, 2, 1])
@pytest.mark.parametrize("name", RANGES)
def test_prediction_intervals(name, rows, tmp_path):
    columns = {"y": VALUE, "low": VALUE - SCORE, "high": VALUE + 0.5, **RANGES[name]}
    write(tmp_path, {key: np.asarray(values)[:rows] for key, values in columns.items()})
    line = "  group z\n" if "z" in columns else "  fold fold\n" if "fold" in columns else ""
    results(
        'predictions p from "p.csv"\n  truth y\n  models m\n  range m = [low, high]\n'
        f"  task regression\n{line}measure coverage, interval_width, interval_score(level=90%)\n",
        tmp_path,
    )


# --- survival times and rankings ----------------------------------------------------------------

TIME = np.round(1 + 10 * RNG.random(N), 1)
SURVIVAL = {
    "as usual": {},
    "an event in every row": {"e": ORDER * 0 + 1},
    "one event": {"e": (TIME.argmin() == ORDER) * 1},
    "one event, and it is the last": {"e": (TIME.argmax() == ORDER) * 1},
    "one time": {"y": TIME * 0 + 5},
    "one risk": {"s": TIME * 0},
    "risks in the right order": {"s": -TIME},
    "risks in the reverse order": {"s": TIME},
    "times of 0": {"y": np.where(ORDER < 4, 0, TIME)},
    "one group": {"z": ORDER * 0},
    "two groups": {"z": ORDER % 2},
    "folds of two rows": {"fold": ORDER // 2},
}


@pytest.mark.parametrize("rows", [N, 2])
@pytest.mark.parametrize("name", SURVIVAL)
def test_concordance(name, rows, tmp_path):
    columns = {"y": TIME, "e": ORDER % 2, "s": SCORE, **SURVIVAL[name]}
    columns = {key: np.asarray(values)[:rows] for key, values in columns.items()}
    if not columns["e"].any():
        columns["e"][0] = 1  # without any event it is refused
    write(tmp_path, columns)
    line = "  group z\n" if "z" in columns else "  fold fold\n" if "fold" in columns else ""
    results(
        'predictions p from "p.csv"\n  truth y\n  event e\n  models m\n  score m = s\n'
        f"{line}measure concordance\n",
        tmp_path,
    )


QUERY = ORDER // 4
RELEVANCE = np.array([0, 1, 0, 2] * (N // 4))
RANKINGS = {
    "as usual": {},
    "one query": {"q": QUERY * 0},
    "queries of one row": {"q": ORDER, "y": ORDER * 0 + 1},
    "two queries": {"q": ORDER % 2},
    "one relevant row": {"y": (ORDER == 5) * 1},
    "every row relevant": {"y": ORDER * 0 + 1},
    "one score": {"s": SCORE * 0},
    "the best order": {"s": RELEVANCE},
    "the worst order": {"s": -RELEVANCE},
    "powers of two beyond a double": {"y": RELEVANCE * 2000},
    "one group": {"z": ORDER * 0},
}


@pytest.mark.parametrize("name", RANKINGS)
def test_rankings_by_query(name, tmp_path):
    columns = {"y": RELEVANCE, "q": QUERY, "s": SCORE, **RANKINGS[name]}
    write(tmp_path, columns)
    line = "  group z\n" if "z" in columns else ""
    results(
        'predictions p from "p.csv"\n  truth y\n  query q\n  models m\n  score m = s\n'
        f"{line}measure ndcg, ndcg(at=2), ndcg(gain=exponential), mean_average_precision, "
        "mean_reciprocal_rank, mean_reciprocal_rank(at=1)\n",
        tmp_path,
    )


def test_exponential_gains_beyond_a_double_are_shares_of_the_largest():
    # two rows of relevance 2000 and 1999 in reverse order: the gains are as 2 to 1
    rows = np.array([[2000.0, 1.0], [1999.0, 2.0]])
    second = 1 / math.log2(3)
    [found] = METRICS["ndcg"].function(None, [rows], None, gain="exponential")
    assert found == pytest.approx((1 + 2 * second) / (2 + second), rel=1e-12)


# --- sizes -----------------------------------------------------------------------------------

SIZES = {"1e40": 1e40, "1e-40": 1e-40}


@pytest.mark.parametrize("name", SIZES)
def test_metrics_of_huge_and_tiny_numbers_scale(name, tmp_path):
    folders = tmp_path / "plain", tmp_path / "scaled"
    measured = "mae, rmse, mse, r2, medae, max_error, smape, spearman, kendall, d2"
    found = []
    for folder, factor in zip(folders, (1.0, SIZES[name]), strict=True):
        folder.mkdir()
        write(folder, {"y": VALUE * factor, "m": VALUE[::-1] * factor})
        found.append(
            results(
                'predictions p from "p.csv"\n  truth y\n  models m\n  task regression\n'
                f"measure {measured}\n",
                folder,
            )
        )
    power = {"mae": 1, "rmse": 1, "medae": 1, "max_error": 1, "mse": 2}
    for (model, metric), value in found[0].items():
        expected = value * SIZES[name] ** power.get(metric, 0)
        assert found[1][model, metric] == pytest.approx(expected, rel=1e-9), metric


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("cost(matrix=[[0, 1e300], [1, 0]])", "must be 0, or between 1e-45 and 1e45 in size"),
        ("fbeta(beta=1e200)", "must be 0, or between 1e-45 and 1e45 in size"),
        ("net_benefit(threshold=1)", "must be at least 0 and below 1"),
        ("normalized_cost(share=-1)", "must lie between 0 and 1"),
    ],
)
def test_options_that_leave_no_finite_value_are_refused(metric, words, tmp_path):
    text = predictions(tmp_path, TWO["tied scores"]).partition("measure")[0]
    with pytest.raises(StudyError) as raised:
        results(f"{text}measure {metric}\n", tmp_path)
    [error] = errors_of(raised)
    assert (error.code, words in error.message) == ("E131", True)


@pytest.mark.parametrize("scale", ["0", "-1", "1e-300", "1e300"])
def test_a_scale_of_another_sign_or_size_is_refused(scale, tmp_path):
    write(tmp_path, {"y": VALUE, "m": VALUE[::-1]})
    with pytest.raises(StudyError) as raised:
        results(
            'predictions p from "p.csv"\n  truth y\n  models m\n  task regression\n'
            f"measure mase(scale={scale})\n",
            tmp_path,
        )
    assert [error.code for error in errors_of(raised)] == ["E131"]
