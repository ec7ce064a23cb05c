"""What a study asks of its tables: a study in, the questions of the data rules out."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from evallang.checking.rules.study_facts import (
    depends_on_positive,
    metrics_of,
    own_protocols,
    repeated_design,
    test_of,
    tests_of,
)
from evallang.compatibility import metric_entry
from evallang.data.design_rules import BySize, Questions
from evallang.metrics.metric import MetricEntry, weighs_by_size
from evallang.models.model import is_baseline
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Evidence
from evallang.source import Span
from evallang.study import Method, OptionValue, Protocol, Study


def questions(study: Study) -> Questions:
    """Gather what the data rules must know of a study."""
    protocols = own_protocols(study)
    folded = [(folds, p.span) for p in protocols if (folds := _folds(p)) is not None]
    most, span = max(folded, key=lambda found: found[0], default=(None, None))
    held = [(share, p.span) for p in protocols if (share := _held_out(p)) is not None]
    share, share_span = held[0] if held else (None, None)
    return Questions(
        by_size=_by_size(study),
        by_positive=tuple(m.written for m in metrics_of(study) if depends_on_positive(m)),
        per_fold=tuple(metric.written for metric in _per_fold(study)),
        folds=most,
        test_share=share,
        test_span=share_span,
        fold_span=span,
        instead=repeated_design(study),
        margins=tuple(_margins(study)),
        baseline=any(is_baseline(model) for model in study.models),
        squared=tuple(
            (m.metric.written, m.span)
            for m in study.measures
            if metric_entry(m.metric).declaration.squares
        ),
    )


def _by_size(study: Study) -> tuple[BySize, ...]:
    """List the metrics that weigh classes by their size; none where another sees each class.

    A mean of losses is of neither kind: a model that looks at no feature has a value of its own.
    """
    found: list[BySize] = []
    for metric in metrics_of(study):
        entry = metric_entry(metric)
        if metric.code or metric.better is not None:
            return ()
        if weighs_by_size(entry, metric.keywords()):
            value = partial(_of_counts, entry, metric)
            found.append(BySize(metric.written, value, entry.declaration.proportion == "all"))
        elif entry.declaration.form != "losses":
            return ()
    return tuple(found)


def _of_counts(entry: MetricEntry, metric: Method, counts: Any, positive: int | None) -> float:
    """Compute a metric of counts of true by predicted classes."""
    return float(entry.function(counts, positive, **metric.keywords()))


def _margins(study: Study) -> Iterator[tuple[float, Span | None]]:
    """Iterate over the margins on accuracy, of `require` lines and of tests, with their places."""
    for line in study.requirements:
        margin = line.value if line.kind in ("noninferior", "equivalent") else None
        if margin is not None and _of_all(line.metric):
            yield margin, line.span
    for comparison in study.comparisons:
        for test in tests_of(comparison):
            margin = _number(test.keywords().get("margin"))
            if margin is not None and _of_all(comparison.metrics[0]):
                yield margin, comparison.span


def _of_all(metric: Method) -> bool:
    """Return whether a metric is a proportion of all examples, such as accuracy."""
    return metric.better is None and metric_entry(metric).declaration.proportion == "all"


def _per_fold(study: Study) -> tuple[Method, ...]:
    """List the metrics by class whose values in single folds are used."""
    found: list[Method] = []
    for measure in study.measures:
        if metric_entry(measure.metric).declaration.form == "scores":
            found.append(measure.metric)
    for comparison in study.comparisons:
        over_folds = any(
            test_of(t).evidence == {Evidence.FOLD_SCORES} for t in tests_of(comparison)
        )
        found += [m for m in comparison.metrics if over_folds and _by_class(m)]
    return tuple(dict.fromkeys(m for m in found if _by_class(m)))


def _by_class(metric: Method) -> bool:
    """Return whether a metric needs members of each class: not so where every row counts alike."""
    declared = metric_entry(metric).declaration
    return (
        declared.task == "classification"
        and not metric.code
        and declared.form != "losses"
        and declared.proportion != "all"
        and not declared.mean_over_rows
    )


def _folds(protocol: Protocol) -> int | None:
    """Return the number of folds that the author can change and strata are spread over."""
    declared = PROTOCOLS[protocol.kind].declaration
    chosen = declared.keeps_strata and isinstance(declared.folds, str)
    return declared.number_of_folds(protocol.options) if chosen else None


def _held_out(protocol: Protocol) -> float | None:
    """Return the share of rows that a single split tests, None of other protocols."""
    declared = PROTOCOLS[protocol.kind].declaration
    single = declared.n_splits(protocol.options) == 1
    return declared.test_share(protocol.options) if single else None


def _number(value: OptionValue) -> float | None:
    if value is None or isinstance(value, bool | str | tuple):
        return None
    return float(value)
