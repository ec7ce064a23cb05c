"""The decision curve: net benefit over the thresholds of action."""

from __future__ import annotations

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
    curve_of,
    net_benefit,
    sup_t_band,
)

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
