"""What can only be judged once sources are read: folds of scores, numbers of data sets."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evallang.checking import codes
from evallang.compatibility import own_metric
from evallang.data.dataset import ScoreTable
from evallang.diagnostics import Diagnostic, diagnose
from evallang.registry import Design, lazy
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


def judge_scores(study: Study, table: ScoreTable) -> Iterator[Diagnostic]:
    """Ask of a table what each line takes for granted."""
    for comparison in study.comparisons:
        yield from _region(table, comparison)
        if not comparison.across:
            yield from _five_by_two(table, comparison)


def _region(table: ScoreTable, comparison: ComparisonSpec) -> Iterator[Diagnostic]:
    """A region of equivalence has a default for scores between 0 and 1, and for no others."""
    read = table.values[~np.isnan(table.values)]
    if own_metric(table.spec) not in comparison.metrics or not len(read):
        return
    if read.min() >= 0 and read.max() <= 1:
        return
    for test in filter(None, (comparison.test, comparison.post_hoc)):
        entry = HYPOTHESIS_TESTS[test.name]
        asked = entry.declaration.bayesian and entry.option("rope") is not None
        if asked and test.keywords().get("rope") is None:
            name = table.spec.metric or "score"
            yield diagnose(
                codes.MISSING_OPTION,
                f"`{test.name}` has no region of practical equivalence for `{name}`, which goes "
                f"from {read.min():g} to {read.max():g} in `{table.spec.name}`",
                comparison.span,
                help=f"write `{test.name}(rope=...)` in the unit of `{name}`",
            )


def judge_number_of_data_sets(study: Study, n: int) -> Iterator[Diagnostic]:
    """Refuse comparisons across data where what was read is one data set."""
    for comparison in study.comparisons if n == 1 else ():
        if comparison.across:
            yield diagnose(
                codes.TEST_NEEDS_OTHER_EVIDENCE,
                f"`{comparison.test.name}` needs scores of several data sets, and one was read",
                comparison.span,
                help="leave `across data` out, or add data sets",
            )


def _five_by_two(table: ScoreTable, comparison: ComparisonSpec) -> Iterator[Diagnostic]:
    if table.fold_labels is None or table.repeat_labels is None:
        return
    folds, repeats = len(table.fold_labels), len(table.repeat_labels)
    if (repeats, folds) == (5, 2):
        return
    tests = [comparison.test, *([comparison.post_hoc] if comparison.post_hoc else [])]
    for test in tests:
        if HYPOTHESIS_TESTS[test.name].declaration.designs == {Design.FIVE_BY_TWO}:
            yield diagnose(
                codes.TEST_NEEDS_OTHER_EVIDENCE,
                f"`{test.name}` needs five repeats of two folds, and `{table.spec.name}` has "
                f"{repeats} repeats of {folds}",
                comparison.span,
                help="write `with corrected_t`",
            )
