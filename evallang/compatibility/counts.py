"""Whether a study needs no more of its examples than how often each kind occurs."""

from itertools import product

from evallang.analysis import ANALYSES
from evallang.compatibility import metric_entry, most_distinct, yields_of
from evallang.compatibility.hypothesis_tests import (
    difference_test,
    has_same_null,
    tests_of,
)
from evallang.compatibility.intervals import default_interval, unmet_by_interval
from evallang.data.dataset import PredictionsSpec
from evallang.data.joined_parts import Rankings, RowsAsked
from evallang.metrics.metric import METRICS
from evallang.protocols.protocol import Yields
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import INPUTS, Counts, Subject
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import AnalysisSpec, Method, Study, averaged_lines


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
    needing: dict[str, str | None] = {}
    for metric in _metrics(study):
        if counts_of(metric) is None:
            needing.setdefault(f"`{metric.written}`", None)
    within = [line.metric for line in study.measures if line.within]
    within += [line.metric for line in study.requirements if line.within]
    for metric in within:
        if counts_of(metric) is Counts.SCORES:
            written = metric.written
            needing.setdefault(f"`{written}` of a subgroup", f"write `{written}` without `within`")
    if averaged_lines(study):
        needing.setdefault("an average over data sets", None)
    for comparison in study.comparisons:
        correction = comparison.correction
        if correction is not None and _takes_rows(correction.name):
            needing.setdefault(f"`{correction.written}`", None)
    for one in study.analyses:
        if not _analysis_is_counted(study, one):
            needing.setdefault(f"`analyze {one.method.written}`", None)
    for yields in _yields(study):
        for metric, test in _tests(study):
            if not _test_is_counted(metric, test, yields):
                needing.setdefault(f"`{test.written}`", None)
        for metric, test in _differences(study, yields):
            if counts_of(metric) is not None and not _test_is_counted(metric, test, yields):
                needing.setdefault(f"the difference in `{metric.written}`", None)
        needing |= _intervals_of_rows(study, yields)
    return tuple(RowsAsked(f"{what} needs single rows", fix) for what, fix in needing.items())


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


def _tests(study: Study) -> list[tuple[Method, Method]]:
    """Return the tests that a study names, each with its metric."""
    lines = [(m, test) for c in study.comparisons for m in c.metrics for test in tests_of(c)]
    return [*lines, *((r.metric, r.test) for r in study.requirements if r.test is not None)]


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


def _takes_rows(correction: str) -> bool:
    inputs = CORRECTIONS[correction].inputs
    return not all(INPUTS.are_made(Subject.FAMILY, inputs, counts) for counts in Counts)


def _analysis_is_counted(study: Study, spec: AnalysisSpec) -> bool:
    """Return whether an analysis is made from counts, with the tests and corrections it tries."""
    inputs = ANALYSES[spec.method.name].inputs
    (subject,) = INPUTS.subjects_of("analysis", inputs)
    if not all(INPUTS.are_made(subject, inputs, counts) for counts in Counts):
        return False
    lines = study.comparisons if subject is Subject.DECISIONS else ()
    for yields, line in product(_yields(study), lines):
        own = HYPOTHESIS_TESTS[tests_of(line)[-1].name]
        metrics = [metric for metric in line.metrics if spec.metric in (None, metric)]
        tried = [own, *(other for other in HYPOTHESIS_TESTS if has_same_null(other, own))]
        jointly = any(entry.declaration.jointly for entry in tried)
        corrected = any(
            correction.declaration.of_test == own.name
            if correction.declaration.of_test
            else "resampled" not in correction.inputs or jointly
            for correction in CORRECTIONS
            if _takes_rows(correction.name)
        )
        for metric, entry in product(metrics, tried):
            if corrected or not _test_is_counted(metric, Method(entry.name), yields):
                return False
    return True


def _intervals_of_rows(study: Study, yields: Yields) -> dict[str, str | None]:
    """Return the intervals of estimates that are computed from single examples, what to write.

    Where the classes are not known, they are taken to be two, of which scores are counted.
    """
    stated = {measure.metric: measure.interval for measure in reversed(study.measures)}
    asked = [(measure.metric, measure.interval) for measure in study.measures]
    levels = (line.metric for line in study.requirements if line.kind == "level")
    asked += [(metric, stated.get(metric)) for metric in levels]
    found: dict[str, str | None] = {}
    for metric, interval in asked:
        name = default_interval(metric, yields) if interval is None else interval.name
        if name is None or counts_of(metric) is None or _interval_is_counted(name, metric):
            continue
        others = (
            f"write `interval {entry.name}` below `measure {metric.written}`"
            for entry in INTERVALS
            if _interval_is_counted(entry.name, metric)
            and unmet_by_interval(Method(entry.name), metric, yields) is None
        )
        found[f"the `{name}` interval of `{metric.written}`"] = next(others, None)
    return found


def _interval_is_counted(interval: str, metric: Method) -> bool:
    """Return whether an interval of a metric is computed from counts of examples."""
    entry, counts = INTERVALS[interval], counts_of(metric)
    known = entry.declaration.form != "influences" or (
        metric_entry(metric).declaration.influences_by_score is not None
    )
    return known and counts is not None and INPUTS.are_made(Subject.ESTIMATE, entry.inputs, counts)
