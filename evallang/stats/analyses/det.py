"""The detection error trade-off curve, on the scale of normal deviates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.results.provenance import CurveWords
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.predicted import Predicted
from evallang.stats.score_curves import (
    Curve,
    Heights,
    ScoreCurves,
    ShownCurve,
    Summary,
    average_and_rounds,
    curve_of,
    fixed_width_band,
    macro_curve,
    percentile_bounds,
    points_of,
    pointwise,
    pooled_heights,
    true_positive_rate,
)

FINE = 1001  # false positive rates from 0 to 1 among which both errors are equal
FURTHEST = 3.0  # normal deviates that the grid reaches to: rates of 0.13 % and 99.87 %
GRID = 61


def _grid() -> NDArray[np.float64]:
    return np.asarray(scipy.special.ndtr(np.linspace(-FURTHEST, FURTHEST, GRID)), dtype=np.float64)


def _missed(grid: NDArray[np.float64]) -> Heights:
    """Return the false negative rates at false positive rates."""
    hits = true_positive_rate(grid)
    return lambda true, false: 1 - hits(true, false)


def _macro(each: Sequence[Predicted]) -> Curve:
    """Return the mean over classes of the curves of one class against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    fine = np.linspace(0.0, 1.0, FINE)
    rates = [_equal_error(fine, one.average(_missed(fine))[None])[0] for one in curves]
    summary = Summary("equal error rate", float(np.mean(rates)))
    grid = _grid()
    return macro_curve(curves, grid, _missed(grid), (summary,), ())


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_macro,
        shown=ShownCurve,
        curve=CurveWords("False positive rate", "False negative rate", "deviate"),
        when="both error rates are small, and models differ at the small end",
        when_not="readers expect hits and not misses: roc",
        formula=(
            "the ROC curve with the false negative rate, both axes on the scale of normal "
            "deviates; the equal error rate is where both rates agree on the average curve. Of "
            "three classes or more, each against the rest, and the mean over the classes without "
            "a band"
        ),
        equation=r"\left(\Phi^{-1}(FPR_t),\ \Phi^{-1}(FNR_t)\right)",
        example="data cancer from sklearn breast_cancer\n  positive malignant\n"
        "model linear = StandardScaler | LogisticRegression\n"
        "model bayes = GaussianNB\n"
        "model baseline = DummyClassifier\n"
        "protocol cv folds=5\n"
        "measure roc_auc\n"
        "analyze det\n",
    ),
    title="Detection error trade-off curve",
    references=(cite("martin1997"), cite("campbell1994")),
)
def det(predicted: Predicted) -> Curve:
    """The false negative rate at each false positive rate, averaged over folds.

    Raises `ValueError` where no fold has both classes.
    """
    curves = ScoreCurves(predicted)
    grid = _grid()
    hits = true_positive_rate(grid)
    found, rounds = average_and_rounds(curves, hits)
    low, high = fixed_width_band(curves, grid, found, rounds)
    fewest, most = pointwise(rounds, predicted.level)
    pooled = pooled_heights(curves, hits)
    points = points_of(
        grid, 1 - found, (1 - most, 1 - fewest), (1 - high, 1 - low),
        None if pooled is None else 1 - pooled,
    )  # fmt: skip
    fine = np.linspace(0.0, 1.0, FINE)
    average, drawn = average_and_rounds(curves, _missed(fine))
    value = float(_equal_error(fine, average[None])[0])
    bounds = percentile_bounds(_equal_error(fine, drawn), predicted.level)
    return curve_of(curves, points, (Summary("equal error rate", value, *bounds),), ())


def _equal_error(grid: NDArray[np.float64], missed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find where falling curves (B, m) over the grid meet the diagonal (B,)."""
    gap = missed - grid
    after = np.maximum((gap > 0).sum(axis=1), 1)
    rows = np.arange(len(gap))
    before, behind = gap[rows, after - 1], gap[rows, np.minimum(after, len(grid) - 1)]
    share = np.clip(before / np.where(before > behind, before - behind, 1.0), 0.0, 1.0)
    return np.asarray(grid[after - 1] + share * (grid[1] - grid[0]), dtype=np.float64)
