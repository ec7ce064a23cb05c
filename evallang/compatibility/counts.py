"""Whether a study needs no more of its examples than how often each kind occurs."""

from collections.abc import Iterator

from evallang.analysis import ANALYSES
from evallang.compatibility import metric_entry, most_distinct, yields_of
from evallang.compatibility.hypothesis_tests import (
    difference_test,
    has_same_null,
    tests_of,
)
from evallang.compatibility.intervals import default_interval, interval_mismatch
from evallang.data.dataset import PredictionsSpec
from evallang.data.joined_parts import Rankings, RowsAsked
from evallang.metrics.metric import METRICS
from evallang.protocols.protocol import Yields
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import INPUTS, Counts, Subject
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import AnalysisSpec, Measure, Method, Study


def rankings_asked(study: Study) -> Rankings | None:
    """Return what a study asks of the order of counted scores, None where that is nothing."""
    ranked = [metric for metric in _metrics(study) if counts_of(metric) is Counts.SCORES]
    if not ranked:
        return None
    known = [most for metric in ranked if (most := most_distinct(metric)) is not None]
    most = max(known, default=None) if len(known) == len(ranked) else None
    compared = {
        most_distinct(metric): None
        for yields in _yields(study)
        for metric, test in (*_tests(study), *_differences(study, yields))
        if counts_of(metric) is Counts.SCORES and "row_scores" in _inputs(metric, test, yields)
    }
    return Rankings(most, tuple(compared))


def rows_asked(study: Study) -> tuple[RowsAsked, ...]:
    """Return what in a study asks for single examples; empty where counts of them suffice."""
    found = [
        RowsAsked(f"`{metric.written}` is computed from single rows")
        for metric in _metrics(study)
        if counts_of(metric) is None
    ]
    by_subgroup = [line.metric for line in study.measures if line.within]
    by_subgroup += [line.metric for line in study.requirements if line.within]
    found += [
        RowsAsked(
            f"`{metric.written}` ranks the rows of each subgroup",
            f"write `{metric.written}` without `within`",
        )
        for metric in by_subgroup
        if counts_of(metric) is Counts.SCORES
    ]
    found += [
        RowsAsked(f"`{line.correction.written}` adjusts p by single rows")
        for line in study.comparisons
        if line.correction is not None and _takes_rows(line.correction.name)
    ]
    found += [
        RowsAsked(f"`analyze {one.method.written}` needs single rows")
        for one in study.analyses
        if not _analysis_is_counted(study, one)
    ]
    for yields in _yields(study):
        found += [
            RowsAsked(f"`{test.written}` compares single rows")
            for metric, test in _tests(study)
            if not _test_is_counted(metric, test, yields)
        ]
        found += [
            RowsAsked(f"the difference in `{metric.written}` is computed from single rows")
            for metric, test in _differences(study, yields)
            if counts_of(metric) is not None and not _test_is_counted(metric, test, yields)
        ]
        found += _intervals_of_rows(study, yields)
    return tuple(dict.fromkeys(found))


def counts_of(metric: Method) -> Counts | None:
    """Return the counts of examples that a metric is computed from; None where it takes rows."""
    if metric.name not in METRICS:
        return None
    declared = metric_entry(metric).declaration
    if declared.by_score is not None:
        return Counts.SCORES
    return Counts.LABELS if declared.form == "counts" else None


def _yields(study: Study) -> list[Yields]:
    """Return what tests and intervals get from each source of predictions."""
    return [yields_of(one, None) for one in study.sources if isinstance(one, PredictionsSpec)]


def _metrics(study: Study) -> list[Method]:
    return [
        *(measure.metric for measure in study.measures),
        *(metric for line in study.comparisons for metric in line.metrics),
        *(line.metric for line in study.requirements),
    ]


# --- tests ---------------------------------------------------------------------------------


def _tests(study: Study) -> list[tuple[Method, Method]]:
    """Return the tests that a study names, each with its metric."""
    asked = [
        (metric, test)
        for line in study.comparisons
        for metric in line.metrics
        for test in (line.test, line.post_hoc)
    ]
    asked += [(line.metric, line.test) for line in study.requirements]
    return [(metric, test) for metric, test in asked if test is not None]


def _differences(study: Study, yields: Yields) -> list[tuple[Method, Method]]:
    """Return the tests whose intervals decide `require` lines about differences."""
    lines = (line for line in study.requirements if line.kind != "level")
    return [(line.metric, difference_test(line.metric, yields)) for line in lines]


def _inputs(metric: Method, test: Method, yields: Yields) -> tuple[str, ...]:
    """Return the inputs of a test, with those of the difference that it reads."""
    own = HYPOTHESIS_TESTS[test.name].inputs
    if "difference" not in own:
        return own
    return (*own, *HYPOTHESIS_TESTS[difference_test(metric, yields).name].inputs)


def _test_is_counted(metric: Method, test: Method, yields: Yields) -> bool:
    counts = counts_of(metric)
    asked = _inputs(metric, test, yields)
    return counts is not None and INPUTS.are_made(Subject.COMPARISON, asked, counts)


# --- corrections and analyses ----------------------------------------------------------------


def _takes_rows(correction: str) -> bool:
    inputs = CORRECTIONS[correction].inputs
    return not all(INPUTS.are_made(Subject.FAMILY, inputs, counts) for counts in Counts)


def _analysis_is_counted(study: Study, spec: AnalysisSpec) -> bool:
    """Return whether an analysis is made from counts, with the tests and corrections it tries."""
    inputs = ANALYSES[spec.method.name].inputs
    (subject,) = INPUTS.subjects_of("analysis", inputs)
    if not all(INPUTS.are_made(subject, inputs, counts) for counts in Counts):
        return False
    if subject is not Subject.DECISIONS:
        return True
    tests = [
        (metric, tests_of(line)[-1])
        for line in study.comparisons
        for metric in line.metrics
        if tests_of(line) and spec.metric in (None, metric)
    ]
    return not any(
        _is_tried_on_rows(metric, test, yields)
        for yields in _yields(study)
        for metric, test in tests
    )


def _is_tried_on_rows(metric: Method, test: Method, yields: Yields) -> bool:
    """Return whether a test, or one of the same null hypothesis, or a correction reads rows."""
    own = HYPOTHESIS_TESTS[test.name]
    tried = [own, *(other for other in HYPOTHESIS_TESTS if has_same_null(other, own))]
    jointly = any(entry.declaration.jointly for entry in tried)
    corrected = any(
        correction.declaration.of_test == test.name
        if correction.declaration.of_test
        else "resampled" not in correction.inputs or jointly
        for correction in CORRECTIONS
        if _takes_rows(correction.name)
    )
    return corrected or not all(
        _test_is_counted(metric, Method(entry.name), yields) for entry in tried
    )


# --- intervals -----------------------------------------------------------------------------


def _intervals_of_rows(study: Study, yields: Yields) -> Iterator[RowsAsked]:
    """Iterate over the intervals of estimates that are computed from single examples.

    Where the classes are not known, they are taken to be two, of which scores are counted.
    """
    stated = {measure.metric: measure.interval for measure in reversed(study.measures)}
    levels = (line.metric for line in study.requirements if line.kind == "level")
    required = (Measure(metric, stated.get(metric)) for metric in levels)
    for measure in (*study.measures, *required):
        metric = measure.metric
        name = default_interval(metric, yields)
        method = measure.interval or (None if name is None else Method(name))
        if method is None or counts_of(metric) is None or _interval_is_counted(method, metric):
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
    entry, counts = INTERVALS[interval.name], counts_of(metric)
    known = entry.declaration.form != "influences" or (
        metric_entry(metric).declaration.influences_by_score is not None
    )
    return known and counts is not None and INPUTS.are_made(Subject.ESTIMATE, entry.inputs, counts)
