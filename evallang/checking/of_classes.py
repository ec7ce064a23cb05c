"""What the number of classes decides, once it is known: averages, curves, options."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evallang.checking import codes
from evallang.checking.rules.study_facts import tested_lines, tests_of
from evallang.compatibility import is_auc, metric_entry
from evallang.diagnostics import Diagnostic, diagnose
from evallang.registry import lazy
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Method, Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


def judge_classes(study: Study, classes: int, task: str) -> Iterable[Diagnostic]:
    """Refuse what is for two classes: a recall of three is an average, a curve has no area.

    `classes` is the number of classes of one data set.
    """
    if task != "classification" or classes <= 2:
        return
    for line in tested_lines(study):
        for test in tests_of(line):
            problem = _for_two(test, line.metrics, classes)
            if problem is not None:
                yield diagnose(
                    codes.TEST_OF_ANOTHER_METRIC,
                    problem,
                    line.span,
                    help="write `with permutation`",
                )
                break
    for measure in study.measures:
        if measure.interval is None:
            continue
        form = INTERVALS[measure.interval.name].declaration.form
        averaged = form == "proportion" and _is_average(measure.metric)
        if averaged or (form == "auc" and is_auc(measure.metric)):
            what = "is for proportions" if averaged else "is for the curve of two classes"
            yield diagnose(
                codes.INTERVAL_NEEDS_OTHER_EVIDENCE,
                f"`{measure.interval.name}` {what}, and `{measure.metric.written}` of {classes} "
                "classes is an average",
                measure.interval_span or measure.span,
                help="leave the interval out, for the default of such a metric",
            )


def _for_two(test: Method, metrics: Iterable[Method], classes: int) -> str | None:
    declared = HYPOTHESIS_TESTS[test.name].declaration
    for metric in metrics:
        if declared.tests == "correctness" and _is_average(metric):
            return (
                f"`{test.name}` counts right and wrong, and `{metric.written}` of {classes} "
                "classes is an average"
            )
        if declared.tests == "scores" and is_auc(metric):
            return (
                f"`{test.name}` compares the curves of two classes, and `{metric.written}` of "
                f"{classes} classes is an average"
            )
    return None


def _is_average(metric: Method) -> bool:
    return metric.better is None and metric_entry(metric).declaration.proportion not in (
        None,
        "all",
    )


def judge_options(study: Study, classes: int, positive: int | None) -> Iterable[Diagnostic]:
    """Try each metric of counts on as many classes as there are, for options that do not fit."""
    metrics = [(m.metric, m.span) for m in study.measures]
    metrics += [(m, c.span) for c in study.comparisons for m in c.metrics]
    for metric, span in dict.fromkeys(metrics):
        if metric.better is not None:
            continue
        entry = metric_entry(metric)
        if entry.declaration.form != "counts" or not classes:
            continue
        try:
            entry.function(np.eye(classes), positive, **metric.keywords())
        except ValueError as error:
            yield diagnose(
                codes.OPTION_VALUE, f"`{metric.written}` does not fit the classes: {error}", span
            )
