"""How far probabilities are calibrated, and logistic fits of the truth on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import NormalDist
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite
from evallang.registry import Bounds
from evallang.reporting.analyses import states, told
from evallang.reporting.context import Context
from evallang.reporting.curves import label_of_curve, summary_of, summary_runs
from evallang.reporting.document import Runs
from evallang.reporting.numbers import Scale
from evallang.results.provenance import CurveWords
from evallang.results.records import Analysis
from evallang.results.shown import Number
from evallang.stats.draws import draw_together
from evallang.stats.intervals.few_groups import effective_n
from evallang.stats.intervals.proportions import exact_bounds
from evallang.stats.intervals.ratio_of_sums import jackknife
from evallang.stats.intervals.resampling import WeightSample
from evallang.stats.local_lines import FLAT, local_line
from evallang.stats.logistic import (
    logistic_fits,
    logistic_influences,
    logits,
    weighted_intercepts,
    weighted_slopes,
)
from evallang.stats.row_shares import CellShare, SharesOfRows
from evallang.stats.score_curves import (
    Curve,
    CurvePoint,
    Predicted,
    Reference,
    ShownCurve,
    SmoothPoint,
    Summary,
    percentile_bounds,
)

ALL_ROWS = "the curve and its numbers are about all test rows together, except the means of folds"
PARTS = "Brier score = reliability − resolution + uncertainty + within bins"
MEANS = ("intercept", "slope", "expected calibration error")
TWO_DECIMALS = Scale(2)
PLACES = 41  # of the smooth curve
HISTOGRAM = 40  # bars
ROUNDS = 1000  # of truths drawn from the probabilities, and of units


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="probabilities",
        by_class=True,
        shown=ShownCurve,
        curve=CurveWords(
            "Mean predicted probability", "Observed share", "risk", ("intercept", "slope")
        ),
        when="probabilities are used as such, for risks or for decisions",
        when_not="only the order of the scores matters: roc",
        formula=(
            "bins of equal width over all test rows together; in each the mean probability and the "
            "share that happened, with the interval of a share; the band for all bins at once is "
            "Clopper and Pearson's interval at 1 - (1 - level) / bins with predictions, where "
            "repeated, grouped or weighted predictions count as (Σ w)² / Σ w² units. The smooth "
            "curve is of local lines with tricube weights over the nearest three quarters of the "
            "rows, with the interval of the sum of independent units, without its bias. "
            "Intercept and "
            "slope of a logistic regression of the truth on the logit of the probability (the "
            "intercept with the slope at 1), with the intervals of the influence of each example "
            "or group, which hold where the true line is another; Brier score = reliability - "
            "resolution + uncertainty + what varies within bins; the expected calibration error, "
            "and what it would be on "
            "average if the probabilities were right. With several folds also the means of the "
            "folds' intercepts, slopes and errors, which are what the measures of these names "
            "state of two classes. Of three classes or more, each against the rest"
        ),
        equation=(
            r"\mathrm{Brier\ score} = "
            r"\frac{1}{n} \sum_b n_b (\bar{p}_b - \bar{y}_b)^2 - \frac{1}{n} \sum_b n_b "
            r"(\bar{y}_b - \bar{y})^2 + \bar{y} (1 - \bar{y}) + \mathrm{within\ bins}"
        ),
    ),
    title="Calibration",
    references=(
        cite("cox1958"),
        cite("murphy1973"),
        cite("brocker2007"),
        cite("clopper1934"),
        cite("efron1982"),
        cite("kish1965"),
        cite("cleveland1979"),
        cite("austin2014"),
    ),
)
def calibration(predicted: Predicted, *, bins: Annotated[int, Bounds(least=2)] = 10) -> Curve:
    """The observed share at each mean predicted probability, over all test rows.

    Raises `ValueError` for fewer than two bins, probabilities outside 0 to 1, and where the test
    rows have one class.
    """
    assert predicted.scores is not None, "calibration is about probabilities"
    probability, happened = predicted.scores, predicted.is_positive.astype(np.float64)
    if not ((probability >= 0) & (probability <= 1)).all():
        raise ValueError("probabilities must be from 0 to 1")
    if not min(predicted.weights_of_classes()) > 0:
        raise ValueError("the test rows have one class only")
    shares = predicted.shares
    place = np.clip(np.ceil(probability * bins).astype(np.int64) - 1, 0, bins - 1)
    total = np.bincount(place, shares, bins)
    table = SharesOfRows(predicted, place, predicted.is_positive.astype(np.int64), bins, 2)
    points = []
    filled = np.flatnonzero(total > 0)
    for number in filled:
        found = table.cell(int(number), 1)
        here = place == number
        mean = float((shares * probability)[here].sum() / total[number])
        band = _band(predicted, here, found, len(filled))
        points.append(CurvePoint(mean, found.share, found.low, found.high, *band, None))
    of_folds, notes = _means_of_folds(predicted, place, bins)
    summaries = (
        *_intercept_and_slope(predicted),
        *_parts_of_brier(probability, happened, shares, place, bins),
        *_expected_error(predicted, probability, happened, place, bins),
        *of_folds,
    )
    return Curve(
        points=tuple(points),
        summaries=summaries,
        references=(Reference("perfect calibration", ((0.0, 0.0), (1.0, 1.0))),),
        n=predicted.n,
        positives=int(happened.sum()),
        folds=1,
        notes=(PARTS, *notes),
        counts=tuple(total[filled].tolist()),
        smooth=_smooth(predicted, probability, happened),
        histogram=tuple(np.histogram(probability, HISTOGRAM, (0, 1), weights=shares)[0].tolist()),
    )


def _smooth(
    predicted: Predicted, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[SmoothPoint, ...]:
    """Fit local lines with tricube weights; the bounds are those of sums of independent units.

    They do not contain the bias of smoothing, and are None where they coincide. Empty where all
    probabilities are equal.
    """
    shares = predicted.shares
    grid = np.linspace(x.min(), x.max(), PLACES)
    if grid[0] == grid[-1]:
        return ()
    found = np.array([local_line(x, place, shares) @ y for place in grid])
    residuals = y - np.interp(x, grid, found)
    units = np.arange(len(x)) if predicted.units is None else predicted.units
    unit = np.unique(units, return_inverse=True)[1].reshape(-1)
    moved = (np.bincount(unit, weights=local_line(x, place, shares) * residuals) for place in grid)
    errors = np.array([float(np.sqrt((sums**2).sum())) for sums in moved])
    half = NormalDist().inv_cdf((1 + predicted.level) / 2) * errors
    ends = (np.clip(values, 0, 1).tolist() for values in (found, found - half, found + half))
    return tuple(
        SmoothPoint(x, y, low, high) if high - low > FLAT else SmoothPoint(x, y, None, None)
        for x, y, low, high in zip(grid.tolist(), *ends, strict=True)
    )


def _band(
    predicted: Predicted, here: NDArray[np.bool_], found: CellShare, bins: int
) -> tuple[float, float]:
    """Return the bounds of one of some bins, such that all hold together with the level.

    Predictions of the same unit count as one, as if they had the same outcome, so that the bounds
    hold whatever their dependence. They never lie inside those at one point.
    """
    assert found.share is not None, "the bin has predictions"
    unit = np.arange(here.sum())
    if predicted.units is not None:
        unit = np.unique(predicted.units[here], return_inverse=True)[1].reshape(-1)
    n = effective_n(np.bincount(unit, predicted.shares[here]))
    low, high = exact_bounds(found.share * n, n, 1 - (1 - predicted.level) / bins)
    if found.low is None or found.high is None:
        return low, high
    return min(low, found.low), max(high, found.high)


@states("calibration")
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State intercept and slope with their intervals."""
    printed = partial(summary_runs, context, scale=TWO_DECIMALS)
    rows = [
        {
            "model": label_of_curve(context, item),
            "slope": slope["value"],
            "intercept": intercept["value"],
            "numbers": [printed(item, slope), printed(item, intercept)],
        }
        for item in items
        if (slope := summary_of(item, "slope")) and (intercept := summary_of(item, "intercept"))
    ]
    return told(context, "calibration", rows, item=items[0], scale=TWO_DECIMALS)


# --- what the measures state -------------------------------------------------------------------


def _means_of_folds(
    predicted: Predicted, place: NDArray[np.int64], bins: int
) -> tuple[tuple[Summary, ...], tuple[str, ...]]:
    """Average intercept, slope and calibration error over folds, where there are several."""
    codes = predicted.folds
    folds = [] if codes is None else [codes == fold for fold in np.unique(codes)]
    if len(folds) < 2:
        return (), ()
    assert predicted.scores is not None, "calibration is about probabilities"
    logit, y = logits(predicted.scores), predicted.is_positive.astype(np.float64)
    gap = predicted.shares * (predicted.scores - y)
    found: list[tuple[float, ...]] = []
    for rows in folds:
        w = predicted.shares[rows]
        intercept = weighted_intercepts(logit[rows], y[rows], w[None])[0]
        slope = weighted_slopes(logit[rows], y[rows], w[None])[0]
        error = np.abs(np.bincount(place[rows], gap[rows], bins)).sum()
        weight = float(w.sum()) or np.nan
        found.append((float(intercept), float(slope), float(error) / weight))
    summaries, notes = [], [ALL_ROWS]
    for name, values in zip(MEANS, zip(*found, strict=True), strict=True):
        known = [value for value in values if np.isfinite(value)]
        mean = float(np.mean(known)) if known else None
        summaries.append(Summary(f"{name}, mean of folds", mean))
        if known and len(known) < len(folds):
            notes.append(
                f"the mean {name} of the folds is about the {len(known)} of {len(folds)} folds in "
                "which it is defined"
            )
    return tuple(summaries), tuple(notes)


# --- intercept and slope ----------------------------------------------------------------------


def _intercept_and_slope(predicted: Predicted) -> tuple[Summary, Summary]:
    """Fit Cox's logistic regression, with the intervals of the metrics of these names.

    They come from the influence of each example, or unit; with weights from a bootstrap.
    """
    assert predicted.scores is not None, "calibration is about probabilities"
    logit = logits(predicted.scores)
    y, w = predicted.is_positive.astype(np.float64), predicted.shares
    ones = np.ones((predicted.n, 1))
    both = np.column_stack([ones, logit])
    alone, fitted = logistic_fits(ones, y, w[None], logit)[0], logistic_fits(both, y, w[None])[0]
    if np.isnan(alone[0]) or np.isnan(fitted[0]):
        return Summary("intercept", None), Summary("slope", None)
    values = float(alone[0]), float(fitted[1])
    bounds: list[tuple[Number, Number]]
    if predicted.weights is None:
        influences = (
            logistic_influences(ones, y, alone, logit)[:, 0],
            logistic_influences(both, y, fitted)[:, 1],
        )
        intervals = [
            jackknife(value, moved, predicted.units, (None, None), predicted.level)
            for value, moved in zip(values, influences, strict=True)
        ]
        bounds = [(found.low, found.high) for found in intervals]
    else:
        units, rng, level = predicted.units, np.random.default_rng, predicted.level
        fits = (lambda drawn: weighted_intercepts(logit, y, drawn * w),
                lambda drawn: weighted_slopes(logit, y, drawn * w))  # fmt: skip
        samples = [WeightSample(predicted.n, fit, units) for fit in fits]
        draw_together(samples)
        drawn = [sample.replicates(rng(predicted.seed), ROUNDS) for sample in samples]
        both_known = ~np.isnan(drawn).any(axis=0)
        bounds = [percentile_bounds(values[both_known], level) for values in drawn]
    return (
        Summary("intercept", values[0], *bounds[0]),
        Summary("slope", values[1], *bounds[1]),
    )


# --- parts of the Brier score, and the expected calibration error ------------------------------


def _parts_of_brier(
    probability: NDArray[np.float64],
    happened: NDArray[np.float64],
    shares: NDArray[np.float64],
    place: NDArray[np.int64],
    bins: int,
) -> tuple[Summary, ...]:
    """Divide the Brier score by bins; the parts add up to it exactly."""
    total = np.bincount(place, shares, bins)
    filled = total > 0
    n = total.sum()
    mean = np.bincount(place, shares * probability, bins)[filled] / total[filled]
    share = np.bincount(place, shares * happened, bins)[filled] / total[filled]
    size, overall = total[filled] / n, float((shares * happened).sum() / n)
    score = float((shares * (probability - happened) ** 2).sum() / n)
    reliability = float((size * (mean - share) ** 2).sum())
    resolution = float((size * (share - overall) ** 2).sum())
    uncertainty = overall * (1 - overall)
    within = score - reliability + resolution - uncertainty
    return (
        Summary("Brier score", score),
        Summary("reliability", reliability),
        Summary("resolution", resolution),
        Summary("uncertainty", uncertainty),
        Summary("within bins", within),
    )


def _expected_error(
    predicted: Predicted,
    probability: NDArray[np.float64],
    happened: NDArray[np.float64],
    place: NDArray[np.int64],
    bins: int,
) -> tuple[Summary, Summary]:
    """Return the calibration error, and its mean if each probability were right."""
    shares = predicted.shares
    n = shares.sum()

    def error(truth: NDArray[np.float64]) -> float:
        gaps = np.bincount(place, shares * (probability - truth), bins)
        return float(np.abs(gaps).sum() / n)

    rng = np.random.default_rng(predicted.seed)
    drawn = [
        error((rng.random(predicted.n) < probability).astype(np.float64)) for _ in range(ROUNDS)
    ]
    return (
        Summary("expected calibration error", error(happened)),
        Summary(
            "expected calibration error if the probabilities were right", float(np.mean(drawn))
        ),
    )
