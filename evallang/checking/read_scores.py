"""What can only be judged once a table of scores is read: its models, folds and data sets."""

from collections.abc import Iterator

from evallang.checking import codes
from evallang.data.dataset import ScoreTable
from evallang.diagnostics import Diagnostic, diagnose
from evallang.registry import Design
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Study, models_of


def judge_scores(study: Study, table: ScoreTable) -> Iterator[Diagnostic]:
    """Ask of a table what each line takes for granted."""
    for comparison in study.comparisons:
        if comparison.across:
            yield from _data_sets(study, table, comparison)
        else:
            yield from _five_by_two(table, comparison)


def _data_sets(study: Study, table: ScoreTable, comparison: ComparisonSpec) -> Iterator[Diagnostic]:
    models = [model.name for model in table.models]
    if not set(models_of(comparison, models)) <= set(models):
        return
    if table.n < 2 and len(study.sources) == 1:
        yield diagnose(
            codes.TEST_NEEDS_OTHER_EVIDENCE,
            f"`{comparison.test.name}` needs scores of several data sets, and `{table.spec.name}` "
            f"has {table.n}",
            comparison.span,
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
