"""The detection error trade-off curve, on the scale of normal deviates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.results.provenance import CurveWords
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.predicted import Predicted
from evallang.stats.score_curves import (
    Band,
    Curve,
    Heights,
    ScoreCurves,
    ShownCurve,
    Summary,
    average_and_rounds,
    curve_of,
    fixed_width_band,
    percentile_bounds,
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


def _curve(each: Sequence[Predicted]) -> Curve:
    """Return the curve of one class, or the mean of those of several against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid, fine = _grid(), np.linspace(0.0, 1.0, FINE)
    rates = [_equal_error(fine, one.average(_missed(fine))[None])[0] for one in curves]
    bounds: tuple[Number, Number] = (None, None)
    if len(each) == 1:
        drawn = _equal_error(fine, average_and_rounds(curves, _missed(fine))[1])
        bounds = percentile_bounds(drawn, each[0].level)

    def band(found: NDArray[np.float64], rounds: NDArray[np.float64]) -> Band:
        low, high = fixed_width_band(curves[0], grid, 1 - found, 1 - rounds)
        return 1 - high, 1 - low

    summary = Summary("equal error rate", float(np.mean(rates)), *bounds)
    return curve_of(curves, grid, _missed(grid), (summary,), band=band)


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_curve,
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
    ),
    title="Detection error trade-off curve",
    references=(cite("martin1997"), cite("campbell1994")),
)
def det(predicted: Predicted) -> Curve:
    """The false negative rate at each false positive rate, averaged over folds.

    Raises `ValueError` where no fold has both classes.
    """
    return _curve([predicted])


def _equal_error(grid: NDArray[np.float64], missed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find where falling curves (B, m) over the grid meet the diagonal (B,)."""
    gap = missed - grid
    after = np.maximum((gap > 0).sum(axis=1), 1)
    rows = np.arange(len(gap))
    before, behind = gap[rows, after - 1], gap[rows, np.minimum(after, len(grid) - 1)]
    share = np.clip(before / np.where(before > behind, before - behind, 1.0), 0.0, 1.0)
    return np.asarray(grid[after - 1] + share * (grid[1] - grid[0]), dtype=np.float64)
