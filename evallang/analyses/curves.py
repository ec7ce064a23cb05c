"""Curves over thresholds: ROC, precision and recall, detection errors, costs, net benefit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite
from evallang.registry import Bounds
from evallang.reporting.analyses import states, told
from evallang.reporting.context import Context
from evallang.reporting.curves import area_findings, label_of_curve, summary_of
from evallang.reporting.document import Runs
from evallang.results.provenance import CurveWords
from evallang.results.records import Analysis
from evallang.results.shown import Number
from evallang.stats.score_curves import (
    SAME,
    Band,
    Curve,
    Heights,
    Predicted,
    Reference,
    ScoreCurves,
    ShownCurve,
    Summary,
    area_under,
    average_and_rounds,
    curve_of,
    fixed_width_band,
    lowest_cost,
    means_of_folds,
    net_benefit,
    percentile_bounds,
    precision_at_recall,
    sup_t_band,
    true_positive_rate,
)

RATES_OF_ROC = 101  # false positive rates from 0 to 1


def _roc_curve(each: Sequence[Predicted]) -> Curve:
    """Return the curve of one class, or the mean of those of several against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.linspace(0.0, 1.0, RATES_OF_ROC)
    return curve_of(
        curves,
        grid,
        true_positive_rate(grid),
        means_of_folds(curves, "area", lambda fold: fold.area),
        (Reference("chance", ((0.0, 0.0), (1.0, 1.0))),),
        band=lambda found, rounds: fixed_width_band(curves[0], grid, found, rounds),
        chosen=each[0].rates()[:2] if len(each) == 1 else None,
    )


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_roc_curve,
        shown=ShownCurve,
        curve=CurveWords(
            "False positive rate", "True positive rate", summaries=("area",), metric="roc_auc"
        ),
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
    return _roc_curve([predicted])


states("roc")(partial(area_findings, name="area", noun="area under the ROC curve"))

RECALLS = 100  # recalls from 0.01 to 1
RATES = 401  # false positive rates from which the band is turned into precision


def _pr_curve(each: Sequence[Predicted]) -> Curve:
    """Return the curve of one class, or the mean of those of several against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.linspace(1 / RECALLS, 1.0, RECALLS)
    share = float(np.mean([(p.shares * p.is_positive).sum() / p.shares.sum() for p in each]))
    name = "share of positives" if len(each) == 1 else "mean share of a class"
    return curve_of(
        curves,
        grid,
        precision_at_recall(grid),
        means_of_folds(curves, "average precision", lambda fold: fold.average_precision),
        (Reference(name, ((0.0, share), (1.0, share))),),
        band=lambda found, rounds: _band(curves[0], grid, share),
        chosen=each[0].rates()[1:] if len(each) == 1 else None,
    )


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_pr_curve,
        shown=ShownCurve,
        curve=CurveWords(
            "Recall", "Precision", summaries=("average precision",), metric="average_precision"
        ),
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
    return _pr_curve([predicted])


states("pr")(partial(area_findings, name="average precision", noun="average precision"))


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


FINE = 1001  # false positive rates from 0 to 1 among which both errors are equal
FURTHEST = 3.0  # normal deviates that the grid reaches to: rates of 0.13 % and 99.87 %
DEVIATES = 61


def _missed(grid: NDArray[np.float64]) -> Heights:
    """Return the false negative rates at false positive rates."""
    hits = true_positive_rate(grid)
    return lambda true, false: 1 - hits(true, false)


def _det_curve(each: Sequence[Predicted]) -> Curve:
    """Return the curve of one class, or the mean of those of several against the rest."""
    curves = [ScoreCurves(predicted) for predicted in each]
    grid = np.asarray(scipy.special.ndtr(np.linspace(-FURTHEST, FURTHEST, DEVIATES)))
    fine = np.linspace(0.0, 1.0, FINE)
    rates = [_equal_error(fine, one.average(_missed(fine))[None])[0] for one in curves]
    bounds: tuple[Number, Number] = (None, None)
    if len(each) == 1:
        drawn = _equal_error(fine, average_and_rounds(curves, _missed(fine))[1])
        bounds = percentile_bounds(drawn, each[0].level)

    def band(found: NDArray[np.float64], rounds: NDArray[np.float64]) -> Band:
        low, high = fixed_width_band(curves[0], grid, 1 - found, 1 - rounds)
        return 1 - high, 1 - low

    summary = Summary("equal error rate", float(np.mean(rates)), *bounds)
    chosen = None
    if len(each) == 1:
        alarms, hits, _ = each[0].rates()
        chosen = alarms, 1 - hits
    return curve_of(curves, grid, _missed(grid), (summary,), band=band, chosen=chosen)


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="scores",
        by_class=True,
        macro=_det_curve,
        shown=ShownCurve,
        curve=CurveWords(
            "False positive rate", "False negative rate", "deviate", ("equal error rate",)
        ),
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
    return _det_curve([predicted])


states("det")(partial(area_findings, name="equal error rate", noun="equal error rate", lower=True))


def _equal_error(grid: NDArray[np.float64], missed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find where falling curves (B, m) over the grid meet the diagonal (B,)."""
    gap = missed - grid
    after = np.maximum((gap > 0).sum(axis=1), 1)
    rows = np.arange(len(gap))
    before, behind = gap[rows, after - 1], gap[rows, np.minimum(after, len(grid) - 1)]
    share = np.clip(before / np.where(before > behind, before - behind, 1.0), 0.0, 1.0)
    return np.asarray(grid[after - 1] + share * (grid[1] - grid[0]), dtype=np.float64)


GRID = 51  # probability costs from 0 to 1

TRIVIAL = Reference("always one class", ((0.0, 0.0), (0.5, 0.5), (1.0, 0.0)))


def _cost_curve(each: Sequence[Predicted]) -> Curve:
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
        macro=_cost_curve,
        shown=ShownCurve,
        curve=CurveWords(
            "Probability cost of a positive",
            "Normalized expected cost",
            "free",
            ("area",),
            "cost_curve_area",
        ),
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
    return _cost_curve([predicted])


states("cost_curve")(
    partial(area_findings, name="area", noun="area under the cost curve", lower=True)
)

LOWEST, HIGHEST = (f"{which} threshold above both references" for which in ("lowest", "highest"))
ABOVE = "share of thresholds above both references"
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
def decision_curve(
    predicted: Predicted,
    *,
    lowest: Annotated[float, Bounds(above=0, below=1)] = 0.01,
    highest: Annotated[float, Bounds(above=0, below=1)] = 0.99,
) -> Curve:
    """The net benefit of treating above each whole percent from `lowest` to `highest`.

    Raises `ValueError` where the test rows have one class, and for fewer than two thresholds.
    """
    every = np.arange(1, 100) / 100
    thresholds = every[(every >= lowest - SAME) & (every <= highest + SAME)]
    if len(thresholds) < 2:
        raise ValueError("`lowest` must be below `highest` by a percent or more")
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
        Summary(LOWEST, float(ends[0]) if len(ends) else None),
        Summary(HIGHEST, float(ends[-1]) if len(ends) else None),
        Summary(ABOVE, float(best.mean())),
    )
    line = tuple(zip(thresholds[shown].tolist(), treat_all[shown].tolist(), strict=True))
    none = ((float(thresholds[0]), 0.0), (float(thresholds[-1]), 0.0))
    references = (Reference("treat all", line), Reference("treat none", none))
    return curve_of(
        [curves],
        thresholds,
        net_benefit(thresholds),
        summaries,
        references,
        band=lambda found, rounds: sup_t_band(found, rounds, predicted.level, alarms >= FEWEST),
        pooled=False,
    )


@states("decision_curve")
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State between which thresholds the net benefit is above both references, and at how many."""
    found = []
    for item in items:
        low, high = (summary_of(item, name) for name in (LOWEST, HIGHEST))
        made = {"model": label_of_curve(context, item), "above": 0}
        if low is not None and high is not None:
            ends = low["value"], high["value"]
            every = [p for p in item.values["points"] if ends[0] <= p["x"] <= ends[1]]
            above = sum(_is_above(item, point) for point in every)
            made |= {"low": ends[0], "high": ends[1], "between": len(every), "above": above}
        found.append(made)
    return told(context, "decision_curve", found, item=items[0])


def _is_above(item: Analysis, point: Mapping[str, Any]) -> bool:
    """Return whether the net benefit at a threshold is above both references."""
    treat_all = dict(item.values["references"][0]["points"])
    best = max(treat_all.get(point["x"], 0.0), 0.0)
    return bool(point["y"] - best > NOISE / (1 - point["x"]))
