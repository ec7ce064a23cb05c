"""The table what-goes-with-what, computed from the same declarations that the checker judges by.

Rows are tests, intervals and metrics; columns are the protocols and sources, with their
default options; a test runs the checker on every cell.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal

from msgspec import Struct

from evallang.compatibility import ON_EXAMPLES, is_known, own_metric, yields_of
from evallang.compatibility.hypothesis_tests import fits_design, metric_mismatch, refusal
from evallang.compatibility.intervals import (
    default_interval,
    interval_groups_mismatch,
    interval_mismatch,
)
from evallang.data.dataset import CountsSpec, PredictionsSpec
from evallang.metrics.metric import METRICS
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Entry, Evidence
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Method, SourceSpec

Fit = Literal["yes", "in blocks", "implied", "no"]
UNDEFINED = "undefined"


class Setting(Struct, frozen=True):
    """Where evidence comes from: a protocol or a source, as written, and what it yields.

    `source` holds the outcomes that were computed elsewhere, None where models are fitted;
    `test_rows` is the number of rows of a test part, where it is fixed.
    """

    words: str
    yields: Yields
    source: SourceSpec | None = None
    test_rows: int | None = None

    @property
    def fits_models(self) -> bool:
        """Whether models are fitted here."""
        return self.source is None


@cache
def settings() -> tuple[Setting, ...]:
    """Return every protocol with its default options, then every source of outcomes."""
    found = [
        Setting(
            " ".join(entry.declaration.words),
            entry.declaration.yields(entry.defaults()),
            test_rows=entry.declaration.test_rows(entry.defaults()),
        )
        for entry in PROTOCOLS
    ]
    return (*found, *_sources())


def _sources() -> Iterator[Setting]:
    def predictions(**given: Any) -> PredictionsSpec:
        return PredictionsSpec("p", "p", ("p.csv",), "", "y", (), **given)

    sources: dict[str, PredictionsSpec | CountsSpec] = {
        "predictions": predictions(),
        "predictions with folds": predictions(fold="fold"),
        "predictions with repeats": predictions(repeat="repeat"),
        "predictions with folds and repeats": predictions(fold="fold", repeat="repeat"),
        "predictions with groups": predictions(group="group"),
        "predictions with `event`": predictions(event="event"),
        "predictions with `query`": predictions(query="query"),
        "predictions judged `correct`": predictions(judged="correct"),
        "predictions judged `correct` with repeats": predictions(judged="correct", repeat="repeat"),
        "predictions judged `correct` with groups": predictions(judged="correct", group="group"),
        "predictions judged by `value`": predictions(judged="value", value_metric="value"),
        "counts": CountsSpec("c", "c", "", (), ()),
        "counts as shares": CountsSpec("c", "c", "", (), (), shares=((87, 100),)),
    }
    for words, source in sources.items():
        yield Setting(words, yields_of(source, None), source)


def test_fit(test: Entry[Any], setting: Setting) -> Fit:
    """Return whether a test runs here by some metric, or plans a protocol of its own."""
    declared = test.declaration
    if declared.evidence == {Evidence.DATASET_SCORES}:
        return "no"
    if metrics_here(test, setting):
        return "yes"
    if test.option("block") is not None and metrics_here(test, setting, block=10):
        return "in blocks"
    if fits_design(test, setting.yields) or (setting.yields.grouped and _lacks_groups(declared)):
        return "no"
    return "implied" if declared.implied is not None and setting.fits_models else "no"


def metrics_here(test: Entry[Any], setting: Setting, **options: int) -> tuple[str, ...]:
    """Return the metrics by which a test runs in a setting, with their default options."""
    method = Method(test.name, tuple(options.items()))
    own = None if setting.source is None else own_metric(setting.source)
    known = [Method(m.name) for m in METRICS if measurable(m, setting)] if own is None else [own]
    return tuple(
        metric.name
        for metric in known
        if refusal(method, metric, setting.yields, setting.yields.grouped) is None
    )


def metrics_of(test: Entry[Any]) -> tuple[str, ...]:
    """Return the metrics by which a test runs in some setting."""
    method = Method(test.name)
    return tuple(m.name for m in METRICS if metric_mismatch(method, Method(m.name)) is None)


def measurable(metric: Entry[Any], setting: Setting) -> bool:
    """Return whether a metric has a value here at all."""
    declared = metric.declaration
    if setting.test_rows == 1 and declared.form == "scores":
        return False
    if setting.source is None and (declared.needs == "ranges" or declared.orders is not None):
        return False  # no model that is fitted gives them
    return setting.source is None or is_known(setting.source, Method(metric.name))


def interval_fit(interval: Entry[Any], metric: Entry[Any], setting: Setting) -> bool:
    """Return whether an interval can be written for a metric here."""
    if not measurable(metric, setting) or interval.declaration.form == "paired":
        return False
    method, by, yields = Method(interval.name), Method(metric.name), setting.yields
    if yields.grouped and interval_groups_mismatch(method, by, yields) is not None:
        return False
    return interval_mismatch(method, by, yields, yields.grouped) is None


def _lacks_groups(declared: Any) -> bool:
    """Return whether a method on examples has no form for groups."""
    on_examples = declared.evidence & ON_EXAMPLES
    return bool(on_examples) and not declared.clustered


def default_of(metric: Entry[Any], setting: Setting) -> str | None:
    """Return the default interval of a metric here, None for none, `undefined` without a value."""
    if not measurable(metric, setting):
        return UNDEFINED
    return default_interval(Method(metric.name), setting.yields, None, setting.yields.grouped)


# --- in words, for one member ------------------------------------------------------------


def test_lines(test: Entry[Any]) -> tuple[str, ...]:
    """State where a test runs, by which metrics, and what it does with groups."""
    lines = []
    declared = test.declaration
    if declared.across_data or Evidence.DATASET_SCORES in declared.evidence:
        lines.append("`across data`, by any metric")
    fits = {setting.words: test_fit(test, setting) for setting in settings()}
    runs = [words for words, fit in fits.items() if fit == "yes"]
    if runs:
        by = metrics_of(test)
        every = len(by) == len(METRICS.names())
        lines.append(listed(runs))
        shares = [name for name in by if METRICS[name].declaration.form != "losses"]
        words = listed(name for name in by if name not in shares or declared.tests != "losses")
        lines.append("by any metric" if every else f"by {words}")
        if declared.tests == "losses":
            means = "the means of several runs of an example"
            means += " or of groups" if declared.clustered else ""
            lines.append(
                f"by {listed(shares)} of {means}, where they have `repeat`"
                + (" or `group`" if declared.clustered else "")
            )
    in_blocks = [words for words, fit in fits.items() if fit == "in blocks"]
    if in_blocks:
        lines.append(f"{listed(in_blocks)}, with the option `block`")
    if declared.implied is not None:
        kind, options = declared.implied
        form = " ".join(PROTOCOLS[kind].declaration.words)
        form += "".join(f" {name}={value}" for name, value in options.items())
        lines.append(f"elsewhere, where models are fitted, it plans `{form}` of its own")
    lines.append(MANY.get(declared.models) or f"{declared.models[0]} models or more")
    if declared.evidence == {Evidence.FOLD_SCORES}:
        lines.append("grouped and weighted rows too: it takes the scores of the folds")
    elif not declared.across_data:
        lines.append(
            "grouped rows: in its clustered form" if declared.clustered else "no grouped rows"
        )
        lines.append("weighted rows too" if declared.weights else "no weighted rows")
    if declared.omnibus:
        lines.append("before `then`, as an omnibus")
    if declared.self_correcting:
        lines.append("no correction: it adjusts for all pairs itself")
    if declared.bayesian:
        lines.append("no correction: it gives probabilities, not p")
    return tuple(lines)


MANY = {(1, 1): "one model; of several each is tested on its own", (2, 2): "two models"}
"""How many models one test takes, in words."""


def test_with(interval: Entry[Any]) -> str | None:
    """Return the test that takes an interval for its difference by its option `interval`."""
    for test in HYPOTHESIS_TESTS:
        option = test.option("interval")
        if option is not None and interval.name in option.words:
            return test.name
    return None


def interval_lines(interval: Entry[Any]) -> tuple[str, ...]:
    """State under what an interval can be written, and for which metrics."""
    if interval.declaration.form == "paired":
        test = test_with(interval)
        if test is not None:
            return (f"differences of two accuracies: `with {test}(interval={interval.name})`",)
        return ("differences of two accuracies, from Python",)
    by_metrics: dict[tuple[str, ...], list[str]] = {}
    for setting in settings():
        fitting = tuple(m.name for m in METRICS if interval_fit(interval, m, setting))
        if fitting:
            ordered = setting.yields.ordered and interval.declaration.form != "series"
            words = f"{setting.words} (warning W322)" if ordered else setting.words
            by_metrics.setdefault(fitting, []).append(words)
    return tuple(
        f"{listed(words)}: {_metrics_in_words(metrics)}" for metrics, words in by_metrics.items()
    )


FEW = 3  # metrics that are named as exceptions


def _metrics_in_words(names: Sequence[str]) -> str:
    """Return the names of metrics, or of the few that are not among them."""
    others = [name for name in METRICS.names() if name not in names]
    if not others:
        return "any metric"
    return f"any metric except {listed(others)}" if len(others) <= FEW else listed(names)


def metric_lines(metric: Entry[Any]) -> tuple[str, ...]:
    """State what the default interval of a metric is under each protocol and source."""
    by_interval: dict[str, list[str]] = {}
    for setting in settings():
        by_interval.setdefault(default_of(metric, setting) or "none", []).append(setting.words)
    order = sorted(by_interval, key=lambda name: (name in ("none", UNDEFINED), name))
    return tuple(f"{name}: {listed(by_interval[name])}" for name in order)


def correction_lines(correction: Entry[Any]) -> tuple[str, ...]:
    """State what a correction controls, under what dependence, and what intervals it has."""
    declared = correction.declaration
    controls = {
        "fwer": "controls the family-wise error rate",
        "fdr": "controls the false discovery rate",
        None: "controls nothing",
    }[declared.controls]
    assumes = {
        "any": "under any dependence",
        "independence": "of independent hypotheses",
        "positive": "of independent or positively dependent hypotheses",
    }[declared.assumes]
    simultaneous = {
        "matching": "simultaneous intervals match its decisions",
        "conservative": "simultaneous intervals are Bonferroni's, and may include 0 if it rejects",
        "fcr": "intervals of those rejected have the matching false coverage rate",
        "resampled": "simultaneous intervals match its decisions: both rest on the same resamples",
        None: "no simultaneous intervals",
    }[declared.simultaneous]
    lines = [controls if declared.controls is None else f"{controls} {assumes}", simultaneous]
    inputs = CORRECTIONS[correction.name].inputs
    if "correct" in inputs:
        lines.append("pairs by mcnemar on one data set by one metric")
    elif "resampled" in inputs:
        tests = listed([t.name for t in HYPOTHESIS_TESTS if t.declaration.jointly])
        lines.append(f"pairs by {tests} on one data set by one metric")
    elif "pairs" in inputs:
        lines.append("all pairs of one line, on one data set (or across data) by one metric")
    return tuple(lines)


def protocol_lines(protocol: Entry[Any]) -> tuple[str, ...]:
    """State what a protocol's estimates are about, which tests run on it, what it fits."""
    declared = protocol.declaration
    words = " ".join(declared.words)
    setting = next(s for s in settings() if s.words == words)
    tests = [t.name for t in HYPOTHESIS_TESTS if test_fit(t, setting) == "yes"]
    lines = [f"estimates are about {_cell_subject(declared.about)}"]
    lines.append(f"tests: {listed(tests)}" if tests else "tests: none, only those across data")
    if not declared.keeps_strata:
        lines.append("strata have no effect")
    return tuple(lines)


def _cell_subject(text: str) -> str:
    return text.replace("{k}", "k").replace("{n_train}", "so many")


def listed(words: Iterable[str]) -> str:
    """Join words by commas."""
    return ", ".join(words)


FITTING: dict[str, tuple[str, Callable[[Entry[Any]], tuple[str, ...]]]] = {
    "metric": ("default interval", metric_lines),
    "hypothesis test": ("goes with", test_lines),
    "interval": ("goes with", interval_lines),
    "correction": ("what it promises", correction_lines),
    "protocol": ("what it is good for", protocol_lines),
}
"""What is stated of a member of each kind, under which heading."""
