"""What plan, results and report print as language is language: it checks again, and means the same.

Every protocol in every form, every metric, test, interval and correction with its options, and
pipelines with names and texts that need quotes.
"""

from functools import cache

import numpy as np
import pytest
from many_cases import for_each
from studies import checked, codes, study, write_rows

from evallang.api.preparing import read_and_plan
from evallang.cli.plan_text import plan_lines
from evallang.diagnostics import Severity
from evallang.metrics.metric import METRICS
from evallang.models.model import written
from evallang.protocols.protocol import PROTOCOLS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

FRAME = """evallang 1
data d from "d.csv"
  target y
  {group}
  features a, b
model m = GaussianNB
stratify by target
protocol {protocol}
measure accuracy
"""
VALUES = {
    "folds": "4", "outer": "4", "inner": "3", "times": "2", "rounds": "60", "p": "1", "gap": "2",
    "test": "1/7", "validation": "12.5%", "seeds": "2", "estimate": "oob",
}  # fmt: skip
# The values that no study here accepts, each with the reason; every other must be accepted.
ROWS = "`test` of `time_series` is a number of rows"
REFUSED_PROTOCOLS = {"time_series test=1/7": ROWS, "time_series folds=4 gap=2 test=1/7": ROWS}
QUERY = "needs `query`"
NUMBER = "is left out where no number is meant"
RANGES = "needs ranges, which no model that is fitted gives"
REFUSED_METRICS = {
    "cost": "needs `matrix`",
    "fbeta": "needs `beta`",
    "fbeta(average=binary)": "needs `beta`",
    "fbeta(average=macro)": "needs `beta`",
    "fbeta(average=micro)": "needs `beta`",
    "fbeta(average=weighted)": "needs `beta`",
    "mase": "needs `scale`",
    "net_benefit": "needs `threshold`",
    "normalized_cost": "needs `share`",
    "pinball": "needs `quantile`",
    "coverage": RANGES,
    "interval_width": RANGES,
    "interval_score": "needs `level`",
    **{f"interval_score(level={value})": RANGES for value in ("1e-05", "5%")},
    "top_k_accuracy": "needs `k`",
    "concordance": "needs `event`",
    "mean_average_precision": QUERY,
    **{f"mean_reciprocal_rank{options}": QUERY for options in ("", "(at=3)", "(at=none)")},
    **{
        f"ndcg{options}": QUERY
        for options in ("", "(at=3)", "(at=none)", "(gain=linear)", "(gain=exponential)")
    },
    "recall(at_specificity=none)": NUMBER,
    "specificity(at_recall=none)": NUMBER,
}
DIFFERENCE = "is for the difference of two proportions, and a measure has one"
REFUSED_INTERVALS = {
    "agresti_min": DIFFERENCE,
    "bonett_price": DIFFERENCE,
    "delong": "needs scores of one fitted model, and each fold has its own",
    "jackknife": "needs a metric with a derivative, and accuracy has counts",
    "newcombe": DIFFERENCE,
    "newcombe_independent": "needs published counts",
    "paired_wald": DIFFERENCE,
    "tango": DIFFERENCE,
}
ONE_MODEL = "is about one model, and each line compares several"
REFUSED_TESTS = {
    "bayes_signed_rank(samples=3)": "needs at least 100 samples",
    "binomial": "needs `threshold`",
    "binomial(alternative=two_sided)": "needs `threshold`",
    "binomial(alternative=greater)": "needs `threshold`",
    "binomial(alternative=less)": "needs `threshold`",
    "noninferiority": "needs `margin`",
    "single_t": "needs `threshold`",
    "single_t(alternative=two_sided)": "needs `threshold`",
    "single_t(alternative=greater)": "needs `threshold`",
    "single_t(alternative=less)": "needs `threshold`",
    "single_t(threshold=1e-05)": ONE_MODEL,
    "single_t(threshold=5%)": ONE_MODEL,
    "tost": "needs `margin`",
}
REFUSED = {
    METRICS.kind: REFUSED_METRICS,
    INTERVALS.kind: REFUSED_INTERVALS,
    HYPOTHESIS_TESTS.kind: REFUSED_TESTS,
}
OF_THE_AUTHOR = ['split by "fold no"', "split by f", 'split from "a folder/folds.csv"']


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    rows = [(i % 2, i % 20, i % 4, i % 4, *rng.normal(size=2).round(3)) for i in range(80)]
    write_rows(tmp_path, "d.csv", "y,g,f,fold no,a,b", rows)
    (tmp_path / "a folder").mkdir()
    write_rows(tmp_path, "a folder/folds.csv", "fold", [(i % 4,) for i in range(80)])
    return tmp_path


def forms():
    """Give every protocol as it is by default, with each option, and with all of them."""
    yield from OF_THE_AUTHOR
    yield "split by f seeds=3"
    for entry in PROTOCOLS:
        if entry.declaration.forms:
            continue
        words = " ".join(entry.declaration.words)
        options = [option.name for option in entry.options]
        yield words
        for name in options:
            yield f"{words} {name}={VALUES[name]}"
        if len(options) > 1:
            yield f"{words} " + " ".join(f"{name}={VALUES[name]}" for name in options)
        yield f"{words} seeds=2"
        yield f"mine = {words}"
    yield from ("bootstrap estimate=.632", "bootstrap estimate=.632+", "holdout test=0.125")
    yield from ("holdout test=1e-1", "repeated holdout test=33%", "time_series test=3")


def prints(meant, name):
    """Give the protocol lines of the plan and of its records."""
    text = "\n".join(plan_lines(meant))
    block = text.partition("\nProtocols\n")[2].partition("\n\n")[0]
    lines = [line.strip() for line in block.split("\n") if line.startswith("  protocol ")]
    records = [f"protocol mine = {record.written}" for record in meant.planned.plan.protocols]
    assert len(lines) == len(records)
    return [*lines, *records]


@for_each("form", list(dict.fromkeys(forms())))
def test_every_form_of_a_protocol_is_printed_as_it_may_be_written(folder, form):
    frame = FRAME.replace("{group}", "group g" if "group" in form else 'unit "rows"')
    text = frame.format(protocol=form)
    errors = [d for d in checked(text).diagnostics if d.severity is Severity.ERROR]
    assert bool(errors) == (form in REFUSED_PROTOCOLS), codes(text)
    if errors:
        return
    prepared = read_and_plan(study(text, folder))
    (meant,) = prepared.study.protocols
    for line in prints(prepared, meant.name):
        again = checked(frame.replace("protocol {protocol}", line))
        assert not [d.message for d in again.diagnostics if d.severity is Severity.ERROR], line
        (other,) = again.study.protocols
        assert (other.kind, other.by, other.path, other.seeds) == (
            meant.kind, meant.by, meant.path, meant.seeds
        )  # fmt: skip
        assert {k: float(v) if isinstance(v, int) or hasattr(v, "numerator") else v
                for k, v in other.options.items()} == pytest.approx(
               {k: float(v) if isinstance(v, int) or hasattr(v, "numerator") else v
                for k, v in meant.options.items()}, abs=0)  # fmt: skip


# --- metrics, tests and intervals ------------------------------------------------------------

SOURCES = (
    "data d from \"d.csv\"\n  target y\n  positive 1\n  task classification\n"
    "model m = GaussianNB\nmodel o = LogisticRegression\nprotocol {protocol}\n",
    "data d from \"d.csv\"\n  target y\n  task regression\n"
    "model m = Ridge\nmodel o = Lasso\nprotocol {protocol}\n",
    "scores s from \"s.csv\"\n  dataset name\n  models m, o, q\n  metric \"AUC\"\n",
    "predictions p from \"p.csv\"\n  truth y\n  models m, o, q\n  task classification\n",
    "predictions p from \"p.csv\"\n  value \"AUC\" m\n",
    "predictions p from \"p.csv\"\n  id i\n  reader r random\n  truth y\n  positive 1\n"
    "  score m = s\n  score o = t\n  score q = u\n",
    "predictions p from \"p.csv\"\n  value ratio(\"errors\", \"words\") m as (e, w)\n",
)  # fmt: skip
PLANS = ("cv folds=4", "repeated cv", "time_series", "nested cv", "bootstrap")
NUMBERS = {"int": ("3",), "float": ("1e-05", "5%"), "bool": ("true", "false"),
           "list": ("[1, 2]", "[10%, 1/3]", "[[0, 50], [10, 0]]"), "None": ("none",)}  # fmt: skip


def calls(entry):
    """Give a member with each value of each of its options."""
    yield entry.name
    for option in entry.options:
        values = [*option.words, *(v for kind in option.types for v in NUMBERS.get(kind, ()))]
        for value in values:
            # what the data or the metric decide is not `none`, and never printed so
            decided = bool(option.words) or option.name in ("rope", "test_train_ratio")
            if value != "none" or not decided:
                yield f"{entry.name}({option.name}={value})"


FRAMES = [
    "evallang 1\n" + source.format(protocol=protocol)
    for source in SOURCES
    for protocol in (PLANS if "{protocol}" in source else ("",))
]
LINES_OF_METRICS = ("measure ",)
LINES_OF_INTERVALS = tuple(
    f"measure {metric}\n  interval "
    for metric in ("accuracy", "roc_auc", "f1", "mse", "r2", "errors_words", "balanced_accuracy")
)
LINES_OF_TESTS = tuple(
    f"measure {metric}\ncompare {models} with "
    for metric in ("accuracy", "roc_auc", "mse", "AUC", "balanced_accuracy")
    for models in ("m vs o", "m, o, q", "against o", "m vs o across data", "across data",
                   "m, o, q across data", "against o across data")
)  # fmt: skip


def members(registry):
    return [call for entry in registry for call in calls(entry)]


def sound(text):
    """Give the study of a text that is free of errors, or None."""
    found = checked(text)
    return None if any(d.severity is Severity.ERROR for d in found.diagnostics) else found.study


@cache
def texts(lines):
    """Give a list of the texts that may stand before a call, for `place_of` to order."""
    return [frame + line for line in lines for frame in FRAMES]


def place_of(call, lines):
    """Give a text that takes a call behind it, or None; those that took others come first."""
    known = texts(lines)
    for number, text in enumerate(known):
        if sound(f"{text}{call}\n"):
            known.insert(0, known.pop(number))
            return text
    return None


@cache
def home_of(registry, name, lines):
    """Give a text that takes a member with a value that is not refused everywhere."""
    refused, entry = REFUSED[registry.kind], registry[name]
    taken = [call for call in calls(entry) if call not in refused]
    return place_of(taken[0], lines) if taken else None


def refuses_each(text, calls):
    """Tell whether a text refuses each of some calls, which are checked one below the other."""
    above, _, line = text.rpartition("\n")
    written = "".join(f"\n{line}{call}" for call in calls)
    found = checked(f"{above}{written}\n").diagnostics
    wrong = {
        (above + written).count("\n", 0, d.span.start)
        for d in found
        if d.severity is Severity.ERROR and d.span is not None
    }
    return wrong >= {above.count("\n") + 1 + number for number in range(len(calls))}


@cache
def is_homeless(registry, name, lines):
    """Tell whether no text takes a member with any of its values."""
    every = tuple(calls(registry[name]))
    return all(
        refuses_each(text, every) or not any(sound(f"{text}{call}\n") for call in every)
        for text in texts(lines)
    )


def taken(registry, call, lines):
    """Give the text before a call and the study, or None; the call is tried at home first.

    A refused value is tried at home alone, or with all others everywhere if its member has no home.
    """
    refused = REFUSED[registry.kind]
    name = call.partition("(")[0]
    home = home_of(registry, name, lines)
    if home is not None and (meant := sound(f"{home}{call}\n")):
        assert call not in refused
        return home, meant
    nowhere = call in refused and (home or is_homeless(registry, name, lines))
    text = None if nowhere else place_of(call, lines)
    assert (text is None) == (call in refused)
    return text, text and sound(f"{text}{call}\n")


@for_each("call", members(METRICS))
def test_a_metric_is_printed_as_it_may_be_written(call):
    text, meant = taken(METRICS, call, LINES_OF_METRICS)
    if text is not None:
        metric = meant.measures[0].metric
        again = sound(f"{text}{metric.written}\n")
        assert again is not None
        assert again.measures[0].metric == metric


@for_each("call", members(INTERVALS))
def test_an_interval_is_printed_as_it_may_be_written(call):
    text, meant = taken(INTERVALS, call, LINES_OF_INTERVALS)
    if text is not None:
        interval = meant.measures[0].interval
        again = sound(f"{text}{interval.written}\n")
        assert again is not None
        assert again.measures[0].interval == interval


@for_each("call", members(HYPOTHESIS_TESTS))
def test_a_hypothesis_test_is_printed_as_it_may_be_written(call):
    text, meant = taken(HYPOTHESIS_TESTS, call, LINES_OF_TESTS)
    if text is not None:
        test = meant.comparisons[0].test
        again = sound(f"{text}{test.written}\n")
        assert again is not None
        assert again.comparisons[0].test == test


def test_calls_below_each_other_are_refused_each_for_itself():
    home = home_of(HYPOTHESIS_TESTS, "mcnemar", LINES_OF_TESTS)
    good = [call for call in calls(HYPOTHESIS_TESTS["mcnemar"]) if sound(f"{home}{call}\n")]
    assert len(good) > 2
    for wrong in ("single_t", "mcnemarr"):
        assert refuses_each(home, [wrong, wrong])
        assert not any(refuses_each(home, [wrong, call, wrong]) for call in good)


def test_every_refused_value_is_tried():
    assert set(forms()) >= REFUSED_PROTOCOLS.keys()
    assert set(members(METRICS)) >= REFUSED_METRICS.keys()
    assert set(members(INTERVALS)) >= REFUSED_INTERVALS.keys()
    assert set(members(HYPOTHESIS_TESTS)) >= REFUSED_TESTS.keys()


# --- pipelines ---------------------------------------------------------------------------------

PIPELINES = [
    "DecisionTreeClassifier(splitter=best)",
    'SimpleImputer(strategy=constant, fill_value="1") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="true") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="not known") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="a--b") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="a-") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="x²") | GaussianNB',
    "SimpleImputer(strategy=constant, fill_value=-1) | GaussianNB",
    'columns([a, "mean radius", "all", "true", "CRP (mg/l)", "Sepal.Length"]: passthrough, '
    "rest: StandardScaler) | GaussianNB",
    'columns(["numeric"]: passthrough, numeric: StandardScaler) | GaussianNB',
    "LogisticRegression(solver=newton-cg, C in 1e-3..1e3 log 7)",
    "LogisticRegression(class_weight={0: 1, 1: 10.5}, tol=1e-05)",
    "SVC(kernel in [rbf, linear], gamma in [scale, 0.1])",
    "MLPClassifier(hidden_layer_sizes in [[10], [10, 5]])",
    "BaggingClassifier(estimator=DecisionTreeClassifier(max_depth=none))",
]


@for_each("pipeline", PIPELINES)
def test_a_pipeline_is_printed_as_it_may_be_written(pipeline):
    def meant(text):
        found = checked(
            'evallang 1\ndata d from "d.csv"\n  target y\n  task classification\n'
            f"model m = {text}\nprotocol cv folds=5\nmeasure accuracy\n"
            + ("tune grid cv=3\n" if " in " in text else "")
        )
        assert found.study is not None, [d.message for d in found.diagnostics]
        return found.study.models[0].pipeline

    first = meant(pipeline)
    assert repr(meant(written(first))) == repr(first)
