"""Curves of what decisions cost or gain: cost curves and decision curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evallang.bibliography import cite
from evallang.results.provenance import CurveWords
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.score_curves import (
    Curve,
    Predicted,
    Reference,
    ScoreCurves,
    ShownCurve,
    Summary,
    area_under,
    average_and_rounds,
    curve_of,
    lowest_cost,
    means_of_folds,
    net_benefit,
    sup_t_band,
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


FEWEST = 10  # false positives at a threshold, from which its benefit is nearly normal
NOISE = 1e-12  # of two sums of one value; one false positive of a million adds 1e-8


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="probabilities",
        by_class=True,
        shown=ShownCurve,
        curve=CurveWords("Threshold probability", "Net benefit", "free"),
        when="a probability leads to an action, and readers differ on when they would act",
        when_not="the threshold is agreed: net_benefit(threshold=)",
        formula=(
            "the share of true positives minus the share of false positives times the odds of "
            "the threshold, over all test rows; bounds are percentiles of 1,000 bootstrap rounds, "
            "and the band is the estimate plus and minus the standard deviation of the rounds "
            "times the level's quantile of their largest deviation, at thresholds with 10 false "
            "positives or more. Of three classes or more, each against the rest, without a mean: "
            "a threshold of action belongs to one class"
        ),
        equation=r"\frac{TP_t}{n} - \frac{FP_t}{n} \frac{t}{1 - t}",
    ),
    title="Decision curve",
    references=(cite("vickers2006"), cite("montielolea2019")),
)
def decision_curve(predicted: Predicted) -> Curve:
    """The net benefit of acting above each threshold from 1 to 99 percent.

    Raises `ValueError` where the test rows have one class.
    """
    thresholds = np.arange(1, 100) / 100
    odds = thresholds / (1 - thresholds)
    curves = ScoreCurves(predicted, pooled=True, thresholds=thresholds)
    found = curves.average(net_benefit(thresholds))
    assert predicted.scores is not None, "a decision curve is drawn from probabilities"
    acted = predicted.scores[:, None] >= thresholds
    alarms = (acted & ~predicted.is_positive[:, None]).sum(axis=0)
    shares = predicted.shares
    share = float((shares * predicted.is_positive).sum() / shares.sum())
    treat_all = share - (1 - share) * odds
    shown = treat_all >= min(0.0, float(found.min()))
    lead = found - np.maximum(treat_all, 0.0)
    best = lead > NOISE * (1 + odds)
    ends = thresholds[best]
    summaries = (
        Summary("lowest threshold above both references", float(ends[0]) if len(ends) else None),
        Summary("highest threshold above both references", float(ends[-1]) if len(ends) else None),
    )
    line = tuple(zip(thresholds[shown].tolist(), treat_all[shown].tolist(), strict=True))
    references = (Reference("act on all", line), Reference("act on none", ((0.0, 0.0), (1.0, 0.0))))
    return curve_of(
        [curves],
        thresholds,
        net_benefit(thresholds),
        summaries,
        references,
        band=lambda found, rounds: sup_t_band(found, rounds, predicted.level, alarms >= FEWEST),
        pooled=False,
    )
