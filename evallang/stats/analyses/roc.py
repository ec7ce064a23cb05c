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
    Summary,
    average_and_rounds,
    curve_of,
    fixed_width_band,
    macro_curve,
    points_of,
    pointwise,
    pooled_heights,
    true_positive_rate,
)

GRID = 101  # false positive rates from 0 to 1


def _macro(each: Sequence[Predicted]) -> Curve:
    """Return the mean over classes of the curves of one class against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.linspace(0.0, 1.0, GRID)
    areas = [np.mean([fold.area for fold in one.exact()]) for one in curves]
    summaries = [Summary("area", float(np.mean(areas)))]
    if any(len(one.folds) > 1 for one in curves):
        pooled = [ScoreCurves(p, pooled=True).exact()[0].area for p in each]
        summaries.append(Summary("area, folds pooled", float(np.mean(pooled))))
    diagonal = Reference("chance", ((0.0, 0.0), (1.0, 1.0)))
    return macro_curve(curves, grid, true_positive_rate(grid), tuple(summaries), (diagonal,))


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_macro,
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
        example="data cancer from sklearn breast_cancer\n  positive malignant\n"
        "model linear = StandardScaler | LogisticRegression\n"
        "model bayes = GaussianNB\n"
        "model baseline = DummyClassifier\n"
        "protocol cv folds=5\n"
        "measure roc_auc\n"
        "analyze roc\n",
    ),
    title="ROC curve",
    references=(cite("fawcett2006"), cite("zhou2021"), cite("campbell1994")),
)
def roc(predicted: Predicted) -> Curve:
    """The true positive rate at each false positive rate, averaged over folds.

    The area is the mean of the areas of the folds, as `roc_auc` has it; `pooled` mixes the scores
    of models fitted on different folds. Raises `ValueError` where no fold has both classes.
    """
    curves = ScoreCurves(predicted)
    grid = np.linspace(0.0, 1.0, GRID)
    heights = true_positive_rate(grid)
    found, rounds = average_and_rounds(curves, heights)
    band = fixed_width_band(curves, grid, found, rounds)
    bounds = pointwise(rounds, predicted.level)
    points = points_of(grid, found, bounds, band, pooled_heights(curves, heights))
    area = float(np.mean([fold.area for fold in curves.exact()]))
    summaries = [Summary("area", area)]
    if len(curves.folds) > 1:
        pooled = ScoreCurves(predicted, pooled=True).exact()[0].area
        summaries.append(Summary("area, folds pooled", pooled))
    diagonal = Reference("chance", ((0.0, 0.0), (1.0, 1.0)))
    return curve_of(curves, points, tuple(summaries), (diagonal,))
