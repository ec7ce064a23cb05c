"""The ROC curve, averaged over folds, with its bands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evallang.bibliography import cite
from evallang.results.provenance import CurveWords
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.predicted import Predicted
from evallang.stats.score_curves import (
    Curve,
    Reference,
    ScoreCurves,
    ShownCurve,
    curve_of,
    fixed_width_band,
    means_of_folds,
    true_positive_rate,
)

GRID = 101  # false positive rates from 0 to 1


def _curve(each: Sequence[Predicted]) -> Curve:
    """Return the curve of one class, or the mean of those of several against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.linspace(0.0, 1.0, GRID)
    return curve_of(
        curves,
        grid,
        true_positive_rate(grid),
        means_of_folds(curves, "area", lambda fold: fold.area),
        (Reference("chance", ((0.0, 0.0), (1.0, 1.0))),),
        band=lambda found, rounds: fixed_width_band(curves[0], grid, found, rounds),
    )


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_curve,
        shown=ShownCurve,
        curve=CurveWords("False positive rate", "True positive rate"),
        when="the trade between hits and false alarms matters at every threshold",
        when_not=(
            "positives are rare and false alarms are judged against the hits: pr; the threshold "
            "is known: recall and specificity"
        ),
        formula=(
            "in each fold the true positive rate at each false positive rate, straight between "
            "thresholds, tied scores in one step; the mean over folds; bounds are percentiles of "
            "1,000 bootstrap rounds, and the band moves the curve up and left, and down and "
            "right, by the level's quantile of the largest distance of a round. Of three "
            "classes or more, each against the rest, and the mean over the classes without a band"
        ),
        equation=r"\left(FPR_t,\ 1 - FNR_t\right)",
    ),
    title="ROC curve",
    references=(cite("fawcett2006"), cite("zhou2021"), cite("campbell1994")),
)
def roc(predicted: Predicted) -> Curve:
    """The true positive rate at each false positive rate, averaged over folds.

    The area is the mean of the areas of the folds, as `roc_auc` has it; `pooled` mixes the scores
    of models fitted on different folds. Raises `ValueError` where no fold has both classes.
    """
    return _curve([predicted])
