"""What goes with what, as tables, and the properties of members.

Both come from the declarations that the checker judges by; a test runs the checker on every cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal

from msgspec import Struct

from evallang.analysis import WITHOUT_PREDICTIONS, AnalysisDeclaration
from evallang.compatibility import is_known, own_metric, yields_of
from evallang.compatibility.hypothesis_tests import fits_design, unmet_by_test, unmet_metric
from evallang.compatibility.intervals import (
    default_interval,
    unmet_by_interval,
)
from evallang.data.dataset import BattlesSpec, CountsSpec, PredictionsSpec
from evallang.metrics.aggregation import aggregation_of
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Entry
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
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

    sources: dict[str, PredictionsSpec | CountsSpec | BattlesSpec] = {
        "predictions": predictions(),
        "predictions with folds": predictions(fold="fold"),
        "predictions with repeats": predictions(repeat="repeat"),
        "predictions with folds and repeats": predictions(fold="fold", repeat="repeat"),
        "predictions with groups": predictions(group="group"),
        "predictions with `event`": predictions(event="event"),
        "predictions with `query`": predictions(query="query"),
        "predictions with `judges`": predictions(judged="judges"),
        "predictions judged `correct`": predictions(judged="correct"),
        "predictions judged `correct` with repeats": predictions(judged="correct", repeat="repeat"),
        "predictions judged `correct` with groups": predictions(judged="correct", group="group"),
        "predictions judged by `value`": predictions(judged="value", value_metric="value"),
        "counts": CountsSpec("c", "c", "", (), ()),
        "battles": BattlesSpec("b", "b", "", "b.jsonl"),
        "counts as shares": CountsSpec("c", "c", "", (), (), shares=((87, 100),)),
    }
    for words, source in sources.items():
        yield Setting(words, yields_of(source, None), source)


def test_fit(test: Entry[Any], setting: Setting) -> Fit:
    """Return whether a test runs here by some metric, or plans a protocol of its own."""
    declared = test.declaration
    if declared.rests_only_on("data set"):
        return "no"
    if metrics_here(test, setting):
        return "yes"
    if test.option("block") is not None and metrics_here(test, setting, block=10):
        return "in blocks"
    lacks_groups = declared.rests_on("row") and not declared.clustered
    if fits_design(test, setting.yields) or (setting.yields.grouped and lacks_groups):
        return "no"
    return "implied" if declared.implied is not None and setting.fits_models else "no"


def metrics_here(test: Entry[Any], setting: Setting, **options: int) -> tuple[str, ...]:
    """Return the metrics by which a test runs in a setting, with their default options."""
    method = Method(test.name, tuple(options.items()))
    own = None if setting.source is None else own_metric(setting.source)
    compared = [m for m in METRICS if m.declaration.directed and measurable(m, setting)]
    known = [Method(m.name) for m in compared] if own is None else [own]
    return tuple(
        metric.name
        for metric in known
        if unmet_by_test(method, metric, setting.yields, setting.yields.grouped) is None
    )


def metrics_of(test: Entry[Any]) -> tuple[str, ...]:
    """Return the metrics by which a test runs in some setting."""
    method = Method(test.name)
    compared = (m.name for m in METRICS if m.declaration.directed)
    return tuple(name for name in compared if unmet_metric(method, Method(name)) is None)


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
    return unmet_by_interval(method, by, yields, yields.grouped) is None


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
    if declared.across_data or declared.rests_on("data set"):
        lines.append("`across data`, by any metric")
    fits = {setting.words: test_fit(test, setting) for setting in settings()}
    runs = [words for words, fit in fits.items() if fit == "yes"]
    if runs:
        by = metrics_of(test)
        lines.append(listed(runs))
        shares = [name for name in by if METRICS[name].declaration.form != "losses"]
        named = [name for name in by if name not in shares or declared.tests != "losses"]
        lines.append(f"by {metrics_in_words(named)}")
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
    if declared.averaged:
        lines.append(f"`averaged over data` and `averaged over rows`: {MEANS}")
    lines.append(MANY.get(declared.models) or f"{declared.models[0]} models or more")
    if declared.rests_only_on("fold"):
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


MEANS = "metrics that are means over examples"
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
    if interval.declaration.form == "strata":
        return (f"`averaged over data` and `averaged over rows`: {MEANS}",)
    by_metrics: dict[tuple[str, ...], list[str]] = {}
    for setting in settings():
        fitting = tuple(m.name for m in METRICS if interval_fit(interval, m, setting))
        if fitting:
            alike = setting.yields.neighbours and interval.declaration.form != "series"
            words = f"{setting.words} (warning W322)" if alike else setting.words
            by_metrics.setdefault(fitting, []).append(words)
    return tuple(
        f"{listed(words)}: {metrics_in_words(metrics)}" for metrics, words in by_metrics.items()
    )


FEW = 3  # metrics that are named as exceptions


def metrics_in_words(names: Sequence[str]) -> str:
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
    about = declared.about.replace("{k}", "k").replace("{n_train}", "so many")
    lines = [f"estimates apply to {about}"]
    lines.append(f"tests: {listed(tests)}" if tests else "tests: none, only those across data")
    if not declared.keeps_strata:
        lines.append("strata have no effect")
    return tuple(lines)


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


NEEDS = {
    "labels": "predicted labels",
    "scores": "a score for each class, or for the positive class alone",
    "probabilities": "predicted probabilities",
    "values": "predicted numbers",
    "ranges": "the bounds of prediction intervals: the clause `range` of `predictions`",
    "sums": "a numerator and a denominator for each row",
    "risks": "a risk for each row, and the clause `event` of `predictions`",
    "rankings": "a score for each row, and the clause `query` of `predictions`",
    "repeats": "right or wrong for each row, and the clause `repeat` of `predictions`",
    "ratings": "the ratings of judges: the clause `judges` of `predictions`",
    "verdicts": "labels of judges and, in some rows, of humans: the clauses `judges` and `truth`",
    "games": "pairwise judgements: the statement `battles`",
}
OVER_FOLDS = {
    "counts": (
        "the counts of all folds of a repeat are added and the metric is computed once from them; "
        "the mean over repeats"
    ),
    "losses": "the mean over all test rows of a repeat; the mean over repeats",
    "scores": "the mean of the folds' values; folds in which it is undefined are excluded from it",
}
"""How folds combine, by the form of a metric; see `evallang.metrics.aggregation`."""
ROOT = "the root of the mean over all test rows of a repeat; the mean over repeats"
POOLED = "; with `pool=true` computed once from all rows"


def property_lines(entry: Entry[Any]) -> tuple[str, ...]:
    """State what a member of a catalogue is; empty for kinds without such lines."""
    if isinstance(entry.declaration, MetricDeclaration):
        return _of_metric(entry)
    return _of_analysis(entry) if isinstance(entry.declaration, AnalysisDeclaration) else ()


def _of_metric(metric: Entry[MetricDeclaration]) -> tuple[str, ...]:
    """State direction, range, needs, classes and how folds combine."""
    declared = metric.declaration
    lines = [
        f"direction: {_direction(declared)}",
        f"range: {_range(declared)}",
        f"needs: {NEEDS[declared.needs]}",
    ]
    if declared.task == "classification":
        lines.append(f"classes: {'two' if declared.binary_only else 'two or more'}")
    lines.append(f"over folds: {_over_folds(metric)}")
    lines.append(f"resampled as: {_resampled(declared)}")
    return tuple(lines)


ABOUT = {
    "model": "each model of each data set under a protocol",
    "models": "all models of each data set under a protocol",
    "lines": "the `compare` lines of the study",
    "decisions": "the decisions of the `compare` lines of the study",
    "estimates": "the estimates of each data set under a protocol",
    "pairs": "all pairs of models of each data set under a protocol, or of their average",
}
SEVERAL_SEEDS = "seeds: the protocol repeats every fit with several"
SEARCHES = "models with a search for hyper-parameters"


def _of_analysis(analysis: Entry[AnalysisDeclaration]) -> tuple[str, ...]:
    """State what an analysis is computed for, what it needs and what it fits."""
    declared = analysis.declaration
    lines = [f"computed for: {ABOUT[declared.about]}"]
    if declared.about not in WITHOUT_PREDICTIONS:
        needs = SEARCHES if declared.needs == "searches" else NEEDS[declared.needs]
        lines.append(f"needs: {'predictions' if declared.by_metric else needs}")
    if declared.several_seeds:
        lines.append(SEVERAL_SEEDS)
    elif declared.seeds_of_draws:
        lines.append(f"{SEVERAL_SEEDS} if a model draws at random")
    if declared.task == "classification":
        more = "; of three or more, each against the rest" if declared.by_class else " or more"
        mean = ", and their mean" if declared.macro else ""
        lines.append(f"classes: two{more}{mean}")
    if declared.by_metric:
        mean = " that is a mean over examples" if declared.mean_metric else ""
        lines.append(f"metric: any{mean} after `by`; the first measure where none is written")
    if declared.fits is not None:
        lines.append(f"fits: further ones, {declared.fits.words}")
    elif declared.of_fitted:
        lines.append("fits: those of the protocol; imported predictions will not do")
    return tuple(lines)


def _direction(declared: MetricDeclaration) -> str:
    if declared.better == "nearest":
        return f"{declared.ideal:g} is best; models cannot be compared by it"
    if declared.better == "neither":
        return "neither more nor less is better; models cannot be compared by it"
    return f"{declared.better} is better"


def _range(declared: MetricDeclaration) -> str:
    unit = {"target": ", in the unit of the target", "percent": ", printed in percent"}.get(
        declared.unit, ""
    )
    if declared.squared_unit:
        unit = ", in the squared unit of the target"
    if declared.low is not None and declared.high is not None:
        return f"{declared.low:g} to {declared.high:g}{unit}"
    if declared.low is not None:
        return f"{declared.low:g} or more{unit}"
    if declared.high is not None:
        return f"at most {declared.high:g}{unit}"
    return f"any number{unit}"


def _over_folds(metric: Entry[MetricDeclaration]) -> str:
    declared = metric.declaration
    if declared.transform == "sqrt":
        return ROOT
    pooled = aggregation_of(metric, {"pool": True}, repeats=2, folds=5) != aggregation_of(
        metric, {}, repeats=2, folds=5
    )
    return OVER_FOLDS[str(declared.form)] + (POOLED if pooled and metric.option("pool") else "")


def _resampled(declared: MetricDeclaration) -> str:
    if declared.form == "counts":
        return "joint counts of truth and prediction, which are multinomial"
    if declared.form == "losses":
        unit = {"rankings": "query", "repeats": "example"}.get(declared.needs, "row")
        return f"one value for each {unit}"
    return "whole rows, whose scores are sorted once" if declared.ranks else "whole rows"


class AvailableIntervals(Struct, frozen=True):
    """The intervals of a metric where they are the same: the default, and others to be written.

    `default` is None where no interval is sound unless one is written.
    """

    places: tuple[str, ...]
    default: str | None
    others: tuple[str, ...]


def available_intervals(metric: Entry[MetricDeclaration]) -> Iterator[AvailableIntervals]:
    """Iterate over the intervals under protocols and sources, those with the same joined."""
    found: dict[tuple[str | None, tuple[str, ...]], list[str]] = {}
    for setting in settings():
        if not measurable(metric, setting):
            continue
        default = default_of(metric, setting)
        fitting = _fitting(metric, setting)
        others = tuple(name for name in fitting if name != default)
        found.setdefault((default, others), []).append(setting.words)
    for (default, others), places in sorted(found.items(), key=lambda item: item[0][0] is None):
        yield AvailableIntervals(tuple(places), default, others)


def _fitting(metric: Entry[Any], setting: Any) -> Sequence[str]:
    return [entry.name for entry in INTERVALS if interval_fit(entry, metric, setting)]
