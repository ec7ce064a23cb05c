"""Where a difference of fold means stands beside estimates that pool the counts of a repeat."""

from evallang.reporting.context import Context
from evallang.results.records import Comparison, Estimate

NEARLY = 1e-9  # differences of values closer than this are the same
NOTE = (
    "Differences are those of the means over folds; the estimates pool the counts of a repeat, so "
    "that the two differ a little."
)


def of_fold_means(context: Context, comparison: Comparison) -> bool:
    """Tell whether a pair's difference is that of the fold means and not of the estimates."""
    setting = context.comparison_setting(comparison)
    if setting is None or not context.compared_on_estimates(comparison):
        return False
    for pair in comparison.pairwise:
        first, second = (context.estimate(setting, m, comparison.metric) for m in pair.models)
        found = pair.estimate.value if pair.estimate is not None else None
        if first is None or second is None or found is None:
            continue
        pooled, folds = _gap(first.value, second.value), _fold_gap(first, second)
        if pooled is None or folds is None or abs(pooled - found) <= NEARLY:
            continue
        if abs(folds - found) <= NEARLY:
            return True
    return False


def _fold_gap(first: Estimate, second: Estimate) -> float | None:
    return _gap(first.fold_mean, second.fold_mean)


def _gap(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second
