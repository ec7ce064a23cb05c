"""Whether a study needs no more of its examples than how often each kind occurs."""

from collections.abc import Iterator

from msgspec import Struct

from evallang.compatibility import metric_entry, most_distinct, yields_of
from evallang.compatibility.intervals import default_interval, interval_mismatch
from evallang.data.dataset import PredictionsSpec
from evallang.data.joined_parts import RowsAsked
from evallang.metrics.metric import METRICS
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import INPUTS, Subject
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Method, Study


class CountedNeeds(Struct, frozen=True):
    """What a study asks of counted examples besides their labels.

    `ranked` tells that it asks for the order of scores, `compared` that it compares areas, and
    `most` how many scores may be distinct before they are rounded.
    """

    ranked: bool
    compared: bool
    most: int | None


def counted_needs(study: Study) -> CountedNeeds | None:
    """Return what a study asks of counted examples; None where it needs their rows.

    Where it is wrong about a method, the rows are read once that method asks for them.
    """
    if rows_asked(study):
        return None
    ranked = [metric for metric in _metrics(study) if is_of_order(metric)]
    compared = any(_compares_areas(test) for test in _tests(study)) or any(
        is_of_order(line.metric) and len(line.models) > 1 for line in study.requirements
    )
    return CountedNeeds(bool(ranked), compared, _most(ranked))


def rows_asked(study: Study) -> tuple[RowsAsked, ...]:
    """Return what in a study asks for single examples; empty where counts of them suffice."""
    found = [
        RowsAsked(f"`{metric.written}` is computed from single rows")
        for metric in _metrics(study)
        if not (is_of_order(metric) or _is_of_counts(metric))
    ]
    by_subgroup = [line.metric for line in study.measures if line.within]
    by_subgroup += [line.metric for line in study.requirements if line.within]
    found += [
        RowsAsked(
            f"`{metric.written}` ranks the rows of each subgroup",
            f"write `{metric.written}` without `within`",
        )
        for metric in by_subgroup
        if is_of_order(metric)
    ]
    found += [
        RowsAsked(f"`{test.written}` compares single rows")
        for test in _tests(study)
        if not _is_counted(test)
    ]
    about_plans = INPUTS.of(Subject.ANALYSIS).keys() | INPUTS.of(Subject.DECISIONS).keys()
    found += [
        RowsAsked(f"`analyze {one.method.written}` needs single rows")
        for one in study.analyses
        if not set(ANALYSES[one.method.name].inputs) <= about_plans
    ]
    return tuple(dict.fromkeys((*found, *_intervals_of_rows(study))))


def _metrics(study: Study) -> list[Method]:
    return [
        *(measure.metric for measure in study.measures),
        *(metric for line in study.comparisons for metric in line.metrics),
        *(line.metric for line in study.requirements),
    ]


def _tests(study: Study) -> list[Method]:
    asked = [test for line in study.comparisons for test in (line.test, line.post_hoc)]
    asked += [line.test for line in study.requirements]
    return [test for test in asked if test is not None]


def _intervals_of_rows(study: Study) -> Iterator[RowsAsked]:
    """Iterate over the intervals of estimates that are computed from single examples.

    Where the classes are not known, they are taken to be two, of which scores are counted.
    """
    for source in study.sources:
        if not isinstance(source, PredictionsSpec):
            continue
        yields = yields_of(source, None)
        for measure in study.measures:
            metric = measure.metric
            if not (is_of_order(metric) or _is_of_counts(metric)):
                continue
            name = default_interval(metric, yields)
            method = measure.interval or (None if name is None else Method(name))
            if method is None or _interval_is_counted(method, metric):
                continue
            others = (
                entry.name
                for entry in INTERVALS
                if _interval_is_counted(Method(entry.name), metric)
                and interval_mismatch(Method(entry.name), metric, yields) is None
            )
            instead = next(others, None)
            yield RowsAsked(
                f"the `{method.name}` interval of `{metric.written}` needs single rows",
                None
                if instead is None
                else f"write `interval {instead}` below `measure {metric.written}`",
            )


def _interval_is_counted(interval: Method, metric: Method) -> bool:
    """Return whether an interval of a metric is computed from counts of examples."""
    declared, of_metric = INTERVALS[interval.name].declaration, metric_entry(metric).declaration
    if declared.form in ("proportion", "one_metric", "cells"):
        return True
    if declared.form in ("sample", "shares"):
        return _is_of_counts(metric)
    if declared.form == "auc":
        return is_of_order(metric) and not declared.designs
    return declared.form == "influences" and of_metric.influences_by_score is not None


def is_of_order(metric: Method) -> bool:
    """Return whether a metric depends on how often each class has each score, in their order."""
    return metric.name in METRICS and metric_entry(metric).declaration.by_score is not None


def _most(ranked: list[Method]) -> int | None:
    """Return how many distinct scores the metrics keep, None where one keeps them all."""
    known = [most for metric in ranked if (most := most_distinct(metric)) is not None]
    return max(known, default=None) if len(known) == len(ranked) else None


def _is_counted(test: Method) -> bool:
    declared = HYPOTHESIS_TESTS[test.name].declaration
    return any(one.value == "label" for one in declared.evidence) or _compares_areas(test)


def _compares_areas(test: Method) -> bool:
    return "row_scores" in HYPOTHESIS_TESTS[test.name].inputs


def _is_of_counts(metric: Method) -> bool:
    return metric.name in METRICS and metric_entry(metric).declaration.form == "counts"
