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
    means_of_folds,
)

GRID = 51  # probability costs from 0 to 1

TRIVIAL = Reference("always one class", ((0.0, 0.0), (0.5, 0.5), (1.0, 0.0)))


def _curve(each: Sequence[Predicted]) -> Curve:
    """Return the curve of one class, or the mean of those of several against the rest.

    The areas are the exact ones, which `cost_curve_area` has too.
    """
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.linspace(0.0, 1.0, GRID)
    heights = lowest_cost(grid)
    summaries = means_of_folds(curves, "area", lambda fold: fold.lowest_cost_area, pooled=False)
    if len(each) == 1:
        found, rounds = average_and_rounds(curves, heights)
        bias = float(np.mean(area_under(rounds, grid)) - area_under(found[None], grid)[0])
        summaries.append(Summary("bootstrap estimate of its bias", bias))
    return curve_of(curves, grid, heights, summaries, (TRIVIAL,), bounded=False)


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_curve,
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
    ),
    title="Cost curve",
    references=(cite("drummond2006"), cite("zhou2021")),
)
def cost_curve(predicted: Predicted) -> Curve:
    """The normalized expected cost at the best threshold for each probability cost.

    The area is the mean of the exact areas of the folds, as `cost_curve_area` has it. Raises
    `ValueError` where no fold has both classes.
    """
    return _curve([predicted])
