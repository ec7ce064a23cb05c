"""The cost curve: the lower envelope of the expected cost, by Zhou's construction."""

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
    area_under,
    average_and_rounds,
    curve_of,
    lowest_cost,
    macro_curve,
    points_of,
    pooled_heights,
)

GRID = 51  # probability costs from 0 to 1

TRIVIAL = Reference("always one class", ((0.0, 0.0), (0.5, 0.5), (1.0, 0.0)))


def _macro(each: Sequence[Predicted]) -> Curve:
    """Return the mean over classes of the curves of one class against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.linspace(0.0, 1.0, GRID)
    heights = lowest_cost(grid)
    summary = Summary("area", float(np.mean([_area(one) for one in curves])))
    return macro_curve(curves, grid, heights, (summary,), (TRIVIAL,), bounded=False)


def _area(curves: ScoreCurves) -> float:
    """Return the mean of the exact areas of the folds, which `cost_curve_area` has too."""
    return float(np.mean([fold.lowest_cost_area for fold in curves.exact()]))


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_macro,
        shown=ShownCurve,
        curve=CurveWords("Probability cost of a positive", "Normalized expected cost", "free"),
        when="costs of mistakes, or the share of positives in use, are not known yet",
        when_not="they are known: normalized_cost",
        formula=(
            "each threshold is a line from its false positive rate at 0 to its false negative "
            "rate at 1; in each fold the lowest line at each probability cost, then the mean "
            "over folds; without bounds, since the thresholds are the best ones for the rows "
            "that they are judged on, which makes the costs too low on average. Of three classes "
            "or more, each against the rest, and the mean over the classes"
        ),
        equation=r"\min_t \left(x\, FNR_t + (1 - x)\, FPR_t\right)",
        example="data cancer from sklearn breast_cancer\n  positive malignant\n"
        "model linear = StandardScaler | LogisticRegression\n"
        "model bayes = GaussianNB\n"
        "model baseline = DummyClassifier\n"
        "protocol cv folds=5\n"
        "measure roc_auc\n"
        "analyze cost_curve\n",
    ),
    title="Cost curve",
    references=(cite("drummond2006"), cite("zhou2021")),
)
def cost_curve(predicted: Predicted) -> Curve:
    """The normalized expected cost at the best threshold for each probability cost.

    The area is the mean of the exact areas of the folds, as `cost_curve_area` has it. Raises
    `ValueError` where no fold has both classes.
    """
    curves = ScoreCurves(predicted)
    grid = np.linspace(0.0, 1.0, GRID)
    heights = lowest_cost(grid)
    found, rounds = average_and_rounds(curves, heights)
    points = points_of(grid, found, pooled=pooled_heights(curves, heights))
    low = float(np.mean(area_under(rounds, grid)) - area_under(found[None], grid)[0])
    return curve_of(
        curves,
        points,
        (Summary("area", _area(curves)), Summary("bootstrap estimate of its bias", low)),
        (TRIVIAL,),
    )
