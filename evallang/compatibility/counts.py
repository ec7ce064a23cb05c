"""Whether a study needs no more of its examples than how often each kind occurs."""

from evallang.compatibility import metric_entry
from evallang.metrics.metric import METRICS
from evallang.registry import Evidence
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import INPUTS, Subject
from evallang.study import Method, Study

_COUNTED = frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS})


def counts_suffice(study: Study) -> bool:
    """Return whether everything that a study asks depends on counts of truth and labels alone.

    Where it is wrong about a method, the rows are read once that method asks for them.
    """
    metrics = [
        *(measure.metric for measure in study.measures),
        *(metric for line in study.comparisons for metric in line.metrics),
        *(line.metric for line in study.requirements),
    ]
    asked = (test for line in study.comparisons for test in (line.test, line.post_hoc))
    tests = [test for test in asked if test is not None]
    about_plans = INPUTS.of(Subject.ANALYSIS).keys() | INPUTS.of(Subject.DECISIONS).keys()
    return (
        all(map(_is_of_counts, metrics))
        and all(HYPOTHESIS_TESTS[test.name].declaration.evidence & _COUNTED for test in tests)
        and all(set(ANALYSES[one.method.name].inputs) <= about_plans for one in study.analyses)
    )


def _is_of_counts(metric: Method) -> bool:
    return metric.name in METRICS and metric_entry(metric).declaration.form == "counts"
