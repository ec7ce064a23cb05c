"""The precision-recall curve, averaged over folds, with its bands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.results.provenance import CurveWords
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.predicted import Predicted
from evallang.stats.score_curves import (
    SAME,
    Band,
    Curve,
    Reference,
    ScoreCurves,
    ShownCurve,
    average_and_rounds,
    curve_of,
    fixed_width_band,
    means_of_folds,
    precision_at_recall,
    true_positive_rate,
)

GRID = 100  # recalls from 0.01 to 1
RATES = 401  # false positive rates from which the band is turned into precision


def _curve(each: Sequence[Predicted]) -> Curve:
    """Return the curve of one class, or the mean of those of several against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.linspace(1 / GRID, 1.0, GRID)
    share = float(np.mean([(p.shares * p.is_positive).sum() / p.shares.sum() for p in each]))
    name = "share of positives" if len(each) == 1 else "mean share of a class"
    return curve_of(
        curves,
        grid,
        precision_at_recall(grid),
        means_of_folds(curves, "average precision", lambda fold: fold.average_precision),
        (Reference(name, ((0.0, share), (1.0, share))),),
        band=lambda found, rounds: _band(curves[0], grid, share),
    )


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_curve,
        shown=ShownCurve,
        curve=CurveWords("Recall", "Precision"),
        when="positives are rare, and false alarms are judged against the hits",
        when_not="the share of positives in use differs from that of the test rows: roc",
        formula=(
            "in each fold the precision at the highest threshold that reaches each recall, "
            "without interpolation between thresholds; the mean over folds; bounds as for roc, "
            "whose band becomes one of precision at the observed share of positives. Of three "
            "classes or more, each against the rest, and the mean over the classes without a band"
        ),
        equation=r"\left(R_t,\ P_t\right)",
    ),
    title="Precision-recall curve",
    references=(cite("davis2006"), cite("zhou2021"), cite("campbell1994")),
)
def pr(predicted: Predicted) -> Curve:
    """The precision at each recall, averaged over folds.

    The average precision is the mean over folds, as the metric `average_precision` has it.
    Raises `ValueError` where no fold has both classes.
    """
    return _curve([predicted])


def _band(curves: ScoreCurves, grid: NDArray[np.float64], share: float) -> Band:
    """Turn the band of the ROC curve into precision, at the observed share of positives."""
    rates = np.linspace(0.0, 1.0, RATES)
    found, rounds = average_and_rounds(curves, true_positive_rate(rates))
    low, high = fixed_width_band(curves, rates, found, rounds)
    if np.isnan(low).any():
        return low[: len(grid)], high[: len(grid)]
    made = []
    for hits in (low, high):
        first = np.searchsorted(np.maximum.accumulate(hits), grid - SAME, side="left")
        alarms = np.where(first < RATES, rates[np.minimum(first, RATES - 1)], 1.0)
        made.append(share * grid / (share * grid + (1 - share) * alarms))
    return made[0], made[1]
