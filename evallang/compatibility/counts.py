"""Whether a study needs no more of its examples than how often each kind occurs."""

from dataclasses import dataclass

from evallang.compatibility import metric_entry, most_distinct
from evallang.metrics.metric import METRICS
from evallang.registry import Evidence
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import INPUTS, Subject
from evallang.study import Method, Study


@dataclass(frozen=True)
class CountedNeeds:
    """What a study asks of counted examples besides their labels.

    `ranked` tells that it asks for the order of scores, `compared` that it compares areas, and
    `most` how many scores may be distinct before they are rounded.
    """

    ranked: bool
    compared: bool
    most: int | None


_COUNTED = frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS})


def counted_needs(study: Study) -> CountedNeeds | None:
    """Return what a study asks of counted examples; None where it needs their rows.

    Where it is wrong about a method, the rows are read once that method asks for them.
    """
    metrics = [
        *(measure.metric for measure in study.measures),
        *(metric for line in study.comparisons for metric in line.metrics),
        *(line.metric for line in study.requirements),
    ]
    ranked = [metric for metric in metrics if is_of_order(metric)]
    by_subgroup = [line.metric for line in study.measures if line.within]
    by_subgroup += [line.metric for line in study.requirements if line.within]
    within = any(map(is_of_order, by_subgroup))
    asked = [test for line in study.comparisons for test in (line.test, line.post_hoc)]
    asked += [line.test for line in study.requirements]
    tests = [test for test in asked if test is not None]
    about_plans = INPUTS.of(Subject.ANALYSIS).keys() | INPUTS.of(Subject.DECISIONS).keys()
    suffice = (
        not within
        and all(is_of_order(metric) or _is_of_counts(metric) for metric in metrics)
        and all(_is_counted(test) for test in tests)
        and all(set(ANALYSES[one.method.name].inputs) <= about_plans for one in study.analyses)
    )
    if not suffice:
        return None
    compared = any(_compares_areas(test) for test in tests) or any(
        is_of_order(line.metric) and len(line.models) > 1 for line in study.requirements
    )
    return CountedNeeds(bool(ranked), compared, _most(ranked))


def is_of_order(metric: Method) -> bool:
    """Return whether a metric depends on how often each class has each score, in their order."""
    return metric.name in METRICS and metric_entry(metric).declaration.by_score is not None


def _most(ranked: list[Method]) -> int | None:
    """Return how many distinct scores the metrics keep, None where one keeps them all."""
    known = [most for metric in ranked if (most := most_distinct(metric)) is not None]
    return max(known, default=None) if len(known) == len(ranked) else None


def _is_counted(test: Method) -> bool:
    declared = HYPOTHESIS_TESTS[test.name].declaration
    return bool(declared.evidence & _COUNTED) or _compares_areas(test)


def _compares_areas(test: Method) -> bool:
    return "row_scores" in HYPOTHESIS_TESTS[test.name].inputs


def _is_of_counts(metric: Method) -> bool:
    return metric.name in METRICS and metric_entry(metric).declaration.form == "counts"
