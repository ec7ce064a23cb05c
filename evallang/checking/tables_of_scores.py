"""Tables of scores judged (E2xx): what a score of a data set or a fold can be used for."""

from evallang.checking import codes
from evallang.checking.scope import Scope
from evallang.compatibility import Mismatch
from evallang.data.dataset import ScoresSpec
from evallang.registry import Design, Evidence
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Method


def can_be_tested(
    scope: Scope, test: Method, source: ScoresSpec, problem: Mismatch | None, span: Span | None
) -> bool:
    """Return whether a table gives a test what it needs; reports what it lacks, in its words.

    `problem` is what the declarations say.
    """
    declared = HYPOTHESIS_TESTS[test.name].declaration
    folds = source.fold is not None
    if folds and source.repeat is not None and declared.designs == {Design.FIVE_BY_TWO}:
        return True  # five repeats of two folds are seen once the table is read
    if problem is None:
        ratio = "test_train_ratio" in {o.name for o in HYPOTHESIS_TESTS[test.name].options}
        if not folds and ratio and "test_train_ratio" not in test.keywords():
            scope.report(
                codes.TEST_NEEDS_OTHER_EVIDENCE,
                f"`{test.name}` needs to know how large the test parts are, and `{source.name}` "
                "has repeats without folds",
                span,
                help=f"write `{test.name}(test_train_ratio=1/2)` for holdouts of one third, or "
                "name the folds: `fold COLUMN`",
            )
            return False
        return True
    if Evidence.DATASET_SCORES in declared.evidence:
        way_out = "write `across data` in this line"
    elif folds:
        way_out = problem.instead or "write `with corrected_t`"
    elif source.dataset is not None:
        way_out = (
            "write `across data with wilcoxon`, or for more models `across data with friedman "
            "then nemenyi`; within a data set, tests need `fold COLUMN`"
        )
    else:
        way_out = "name the column of the data sets by `dataset COLUMN`, or of the folds by `fold`"
    scope.report(
        codes.TEST_NEEDS_OTHER_EVIDENCE,
        f"{problem.reason}, which `{source.name}` does not give",
        span,
        help=way_out,
    )
    return False
