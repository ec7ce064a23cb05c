"""Both sides of the numbers from which on intervals and tests declare that they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.simulation import (
    ALPHA,
    LEVEL,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    at_least,
    below,
    held,
    inflated,
    new_seed,
    tally,
)
from evallang.analyses.calibration import _intercept_and_slope
from evallang.metrics.metric import METRICS, Outcome
from evallang.results.statistics import Difference, Interval
from evallang.stats.hypothesis_tests.contingency import paired_recalls
from evallang.stats.hypothesis_tests.equivalence import noninferiority
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.hypothesis_tests.resampling_tests import (
    bootstrap as bootstrap_test,
    permutation,
)
from evallang.stats.hypothesis_tests.swapping import LossSwapper
from evallang.stats.intervals.cross_validation import cv_clt
from evallang.stats.intervals.few_groups import (
    clustered_wilson,
    effective_n,
    weighted_loss_sample,
    weighted_wilson,
)
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.proportions import wilson
from evallang.stats.intervals.ratio_of_sums import jackknife, ratio, sum_of_shares
from evallang.stats.intervals.resampling import (
    CountSample,
    DifferenceSample,
    LossSample,
    PairedCountSample,
    ResampledBounds,
    ScoreSample,
    WeightSample,
    bootstrap,
)
from evallang.stats.score_curves import Predicted

SECTION = Section(
    "both_sides",
    "Coverage: on both sides of what decides",
    "Each interval declares what number decides whether it holds, and from which number on. "
    "The designs have fewer or more. Where an interval has fewer than it declares, a report "
    "states what this table measured. The bootstrap (bca) has 1,000 rounds.",
    ("interval", "metric and design", "what decides"),
    ("coverage",),
)
SIZE = Section(
    "both_sides_size",
    "Type I error: on both sides of what decides",
    "The same for tests. The models are equal, and at the margin for `noninferiority`, which is "
    "one-sided. The bootstrap (bca) has 1,000 rounds.",
    ("test", "design", "what decides"),
    ("at 5 %",),
)
Rng = np.random.Generator
Floats = NDArray[np.float64]
Named = Mapping[str, Interval]
ROUNDS, REPLICATIONS = 1_000, 4_000
AT_MOST = Claim("at most 7 %", 0.0, 0.07)
STATED = (
    "A claim fails only below the number that the interval or test declares. A report then states "
    "the figures, or there is a default that holds: `sum_of_shares` for means of recalls and net "
    "benefit, `wilson` for F1 and the Jaccard index, and Student's t (`ratio`) for means over "
    "fewer than 20 examples."
)


def _drawn(rng: Rng, sample: Resampler) -> Interval:
    return bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS)


def _coverage(
    design: str,
    decides: str,
    truth: float,
    found: Callable[[Rng], Named],
    claims: Mapping[str, Claim],
) -> Simulation:
    """Make the simulation of a design whose intervals `found` makes, by name."""

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept: dict[str, list[bool]] = {name: [] for name in claims}
        for _ in range(count):
            for name, one in found(rng).items():
                kept[name].append(held(one.low, one.high, truth))
        return {name: tally(values) for name, values in kept.items()}

    lines = tuple(
        Line((f"`{name}`", design, decides), (name,), (claim,), STATED)
        for name, claim in claims.items()
    )
    name = f"{SECTION.key}: {design}, {decides}"
    return Simulation(name, SECTION.key, REPLICATIONS, draw, lines, 500, 200)


# --- counts ------------------------------------------------------------------------------------


def _terms(matrix: NDArray[np.int64]) -> list[tuple[float, int, int, int]]:
    sizes = matrix.sum(axis=1)
    return [(1 / len(sizes), int(matrix[k, k]), int(size), k) for k, size in enumerate(sizes)]


def _recalls(sizes: Sequence[int], recall: float, *claims: Claim) -> Simulation:
    metric = METRICS["balanced_accuracy"].function
    k = len(sizes)

    def found(rng: Rng) -> Named:
        matrix = np.zeros((k, k), dtype=np.int64)
        for row, size in enumerate(sizes):
            hits = rng.binomial(size, recall)
            matrix[row, row], matrix[row, (row + 1) % k] = hits, size - hits
        sample = CountSample(matrix, lambda counts: metric(counts, None), (0.0, 1.0))
        return {
            "sum_of_shares": sum_of_shares(_terms(matrix), (0.0, 1.0), LEVEL),
            "bootstrap": _drawn(rng, sample),
        }

    design = f"mean of recalls of {recall:g}, n = {sum(sizes)}, {k} classes"
    names = dict(zip(("sum_of_shares", "bootstrap"), claims, strict=True))
    return _coverage(design, f"{min(sizes)} of the rarest class", recall, found, names)


def _matrix_of(
    shares: Floats, n: int, name: str, options: Mapping[str, str]
) -> Callable[[Rng], tuple[NDArray[np.int64], CountSample]]:
    function = METRICS[name].function
    limits = (METRICS[name].declaration.low, METRICS[name].declaration.high)

    def sample(rng: Rng) -> tuple[NDArray[np.int64], CountSample]:
        drawn = rng.multinomial(n, shares.ravel()).reshape(shares.shape)
        return drawn, CountSample(drawn, lambda counts: function(counts, 1, **options), limits)

    return sample


def _value_of(shares: Floats, name: str, options: Mapping[str, str]) -> float:
    return float(METRICS[name].function(shares * 1e9, 1, **options))


def _macro_f1(share: float, n: int, recall: float, claim: Claim) -> Simulation:
    sizes = np.array([(1 - share) * 0.6, (1 - share) * 0.4, share])
    rest = (1 - recall) / 2
    shares = sizes[:, None] * (np.full((3, 3), rest) + np.eye(3) * (recall - rest))
    options = {"average": "macro"}
    sample = _matrix_of(shares, n, "f1", options)
    return _coverage(
        f"macro F1, recalls of {recall:g}, three classes, n = {n}",
        f"{round(share * n)} of the rarest class",
        _value_of(shares, "f1", options),
        lambda rng: {"bootstrap": _drawn(rng, sample(rng)[1])},
        {"bootstrap": claim},
    )


def _few_mistakes(name: str, wrong: float, n: int, *claims: Claim) -> Simulation:
    half, miss = (1 - wrong) / 2, wrong / 2
    shares = np.array([[half, miss], [miss, half]])
    sample = _matrix_of(shares, n, name, {})
    truth = _value_of(shares, name, {})

    def found(rng: Rng) -> Named:
        matrix, drawn = sample(rng)
        made = {"bootstrap": _drawn(rng, drawn)}
        if name == "f1":
            (_, false), (missed, hit) = matrix.tolist()
            one = wilson(hit, hit + false + missed, LEVEL)
            assert one.low is not None and one.high is not None, "a positive occurs"
            low, high = (2 * share / (1 + share) for share in (one.low, one.high))
            made["wilson"] = Interval("wilson", LEVEL, low, high)
        return made

    names = dict(zip(("bootstrap", "wilson"), claims, strict=False))
    design = f"{METRICS[name].title} {truth:.2f}, n = {n}"
    return _coverage(design, f"{wrong * n:g} mistakes", truth, found, names)


def _net_benefit(threshold: float, n: int, *claims: Claim) -> Simulation:
    odds = threshold / (1 - threshold)
    # Probabilities are right and have a beta(2, 3) distribution: its tail moments
    alarms = 1 - float(special.betainc(2, 3, threshold))
    right = 0.4 * (1 - float(special.betainc(3, 3, threshold)))
    truth = right - odds * (alarms - right)

    def found(rng: Rng) -> Named:
        p = rng.beta(2, 3, n)
        positive, alarm = rng.random(n) < p, p >= threshold
        true, false = int((positive & alarm).sum()), int((~positive & alarm).sum())
        gains = np.where(alarm, np.where(positive, 1.0, -odds), 0.0)
        terms = ((1.0, true, n, 0), (-odds, false, n, 0))
        return {
            "sum_of_shares": sum_of_shares(terms, (None, 1.0), LEVEL),
            "bootstrap": _drawn(rng, LossSample(gains, None, None, (None, 1.0))),
        }

    names = dict(zip(("sum_of_shares", "bootstrap"), claims, strict=True))
    design = f"net benefit at {threshold:.0%}, n = {n}"
    return _coverage(design, f"{alarms * n:.0f} alarms", truth, found, names)


# --- means -------------------------------------------------------------------------------------

NORMAL_05 = float(special.ndtri(0.05))
DENSITY = exp(-(NORMAL_05**2) / 2) / sqrt(2 * pi)


def _pinball(rng: Rng, n: int) -> Floats:
    error = rng.standard_normal(n) - NORMAL_05
    return np.maximum(0.05 * error, -0.95 * error)


def _interval_scores(rng: Rng, n: int) -> Floats:
    return -2 * NORMAL_05 + 20 * np.maximum(np.abs(rng.standard_normal(n)) + NORMAL_05, 0.0)


def _percent_errors(rng: Rng, n: int) -> Floats:
    """Draw absolute percentage errors of true values that come near 0."""
    return np.abs(rng.standard_normal(n)) / (0.05 + rng.exponential(1.0, n))


def _rare_brier(rng: Rng, n: int) -> Floats:
    """Draw Brier scores of right probabilities that have a beta(1, 49) distribution."""
    p = rng.beta(1, 49, n)
    return (p - (rng.random(n) < p)) ** 2


# E[1/(.05 + X)] of a standard exponential X is e^.05 E1(.05)
PERCENT = sqrt(2 / pi) * exp(0.05) * float(special.exp1(0.05))
MEANS: Mapping[str, tuple[Callable[[Rng, int], Floats], float, float]] = {
    "pinball at 5 %": (_pinball, DENSITY, 0.05),
    "interval score at 90 %": (
        _interval_scores,
        -2 * NORMAL_05 + 40 * (DENSITY + NORMAL_05 * 0.05),
        0.1,
    ),
    "percentage errors, true values near 0": (_percent_errors, PERCENT, 0.05),
    "absolute errors, t with 3 df": (
        lambda rng, n: np.abs(rng.standard_t(3, n)),
        2 * sqrt(3) / pi,
        0.1,
    ),
    "squared errors, t with 3 df": (lambda rng, n: rng.standard_t(3, n) ** 2, 3.0, 0.002),
    "log-normal values": (lambda rng, n: rng.lognormal(0.0, 1.0, n), exp(0.5), 0.1),
    "normal values": (lambda rng, n: rng.standard_normal(n), 0.0, 1.0),
    # E p (1 - p) of beta(1, 49)
    "Brier score, 2 % positive": (_rare_brier, 49 / (50 * 51), 0.02),
}
"""What is averaged, its true mean, and the share of the examples that can carry the mean."""


def _mean(of: str, n: int, *claims: Claim) -> Simulation:
    values, truth, share = MEANS[of]

    def found(rng: Rng) -> Named:
        drawn = values(rng, n)
        made = {"bootstrap": _drawn(rng, LossSample(drawn))}
        if len(claims) > 1:
            made["ratio"] = ratio(np.column_stack([drawn, np.ones(n)]), None, LEVEL)
        return made

    names = dict(zip(("bootstrap", "ratio"), claims, strict=False))
    decides = f"{n} examples" if share == 1 else f"{share * n:g} in the tail"
    return _coverage(f"{of}, n = {n}", decides, truth, found, names)


def _weighted(n: int, *claims: Claim) -> Simulation:
    """Weight Brier scores of right probabilities by log-normal weights."""
    # E (p - y)^2 = E p (1 - p) of beta(2, 3)
    truth = 2 / 5 - (2 * 3 / (5 * 6))

    def found(rng: Rng) -> Named:
        p, weights = rng.beta(2, 3, n), rng.lognormal(0.0, 1.0, n)
        losses = (p - (rng.random(n) < p)) ** 2
        sample = weighted_loss_sample(losses, weights, None, (0.0, 1.0))
        sums = np.column_stack([losses * weights, weights])
        return {"bootstrap": _drawn(rng, sample), "ratio": ratio(sums, None, LEVEL)}

    names = dict(zip(("bootstrap", "ratio"), claims, strict=True))
    decides = f"weights as {n / exp(1):.0f} examples"
    return _coverage(f"Brier score with log-normal weights, n = {n}", decides, truth, found, names)


def _one_weight(weight: float, claim: Claim) -> Simulation:
    """Weight one of 100 examples, of which .85 are right, more than the others."""
    weights = np.array([weight] + [1.0] * 99)
    n = effective_n(weights)

    def found(rng: Rng) -> Named:
        return {"wilson": weighted_wilson(rng.random(100) < 0.85, weights, LEVEL)}

    design = f"accuracy .85, one of 100 weights is {weight:g}"
    return _coverage(design, f"weights as {n:.0f} examples", 0.85, found, {"wilson": claim})


CONCORDANCE = 0.7521
"""Of 2.6 million comparable pairs, drawn apart: with a Monte Carlo error of .0003."""


def _concordance(n: int, claim: Claim) -> Simulation:
    """Draw exponential times of rates e^x, censored early, so that an eighth are events."""
    entry = METRICS["concordance"]

    def drawn(rng: Rng, n: int) -> tuple[Floats, Floats]:
        x = rng.standard_normal(n)
        times, censored = rng.exponential(np.exp(-x)), rng.exponential(0.1, n)
        return np.column_stack([np.minimum(times, censored), times <= censored]), x

    def found(rng: Rng) -> Named:
        times, x = drawn(rng, n)
        moved = entry.declaration.influences
        assert moved is not None, "it has influences"
        value = float(entry.function(times, x, None))
        if np.isnan(value):
            return {"jackknife": Interval("jackknife", LEVEL, None, None)}
        influences = moved(Outcome(times, x))
        return {"jackknife": jackknife(value, influences, None, (0.0, 1.0), LEVEL)}

    design = f"concordance {CONCORDANCE:.2f}, n = {n}"
    return _coverage(design, f"{n / 8:.0f} events", CONCORDANCE, found, {"jackknife": claim})


def _average_precision(positives: int, claim: Claim) -> Simulation:
    """Draw normal scores, those of the positives, one in 50, with a mean of 3."""
    entry, share, n = METRICS["average_precision"], 1 / 50, 50 * positives
    positive = (np.arange(n) < positives).astype(np.int64)
    cut = np.linspace(-7.0, 11.0, 200_001)
    hit, false = special.ndtr(3 - cut), special.ndtr(-cut)
    precision = share * hit / (share * hit + (1 - share) * false)
    truth = float(np.trapezoid(precision[::-1], hit[::-1]))

    def found(rng: Rng) -> Named:
        scores = special.expit(rng.standard_normal(n) + 3 * positive)
        moved = entry.declaration.influences
        assert moved is not None, "it has influences"
        output = np.column_stack([1 - scores, scores])
        value = float(entry.function(positive, output, 1))
        influences = moved(Outcome(positive, output, 2, 1))
        return {"jackknife": jackknife(value, influences, None, (0.0, 1.0), LEVEL)}

    design = f"average precision {truth:.2f}, n = {n}"
    return _coverage(design, f"{positives} of the rarest class", truth, found, {"jackknife": claim})


def _unlike_groups(groups: int, claim: Claim) -> Simulation:
    """Draw shares of right answers whose logits differ by 2 between groups, of unlike sizes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    truth = float(special.expit(3 + 2 * nodes) @ weights / weights.sum())

    def found(rng: Rng) -> Named:
        sizes = np.maximum(1, (10 * rng.lognormal(0.0, 1.0, groups)).astype(int))
        codes = np.repeat(np.arange(groups), sizes)
        shares = special.expit(3 + 2 * rng.standard_normal(groups))
        right = rng.random(len(codes)) < shares[codes]
        return {"wilson": clustered_wilson(right, codes, LEVEL)[0]}

    design = f"accuracy {truth:.2f}, unlike groups of unlike sizes"
    return _coverage(design, f"{groups} groups", truth, found, {"wilson": claim})


def _group_means(groups: int, *claims: Claim) -> Simulation:
    """Average normal values of groups of unlike sizes, whose means differ as much as rows do."""

    def found(rng: Rng) -> Named:
        sizes = np.maximum(1, (10 * rng.lognormal(0.0, 0.7, groups)).astype(int))
        codes = np.repeat(np.arange(groups), sizes)
        values = (rng.standard_normal(groups))[codes] + rng.standard_normal(len(codes))
        sums = np.column_stack([values, np.ones(len(values))])
        return {
            "ratio": ratio(sums, codes, LEVEL),
            "bootstrap": _drawn(rng, LossSample(values, groups=codes)),
        }

    names = dict(zip(("ratio", "bootstrap"), claims, strict=True))
    return _coverage("mean over groups of unlike sizes", f"{groups} groups", 0.0, found, names)


def _grouped_f1(groups: int, claim: Claim) -> Simulation:
    """Take macro F1 of two equal classes over groups of ten, which are right by .9 on average."""
    metric = METRICS["f1"].function

    def found(rng: Rng) -> Named:
        codes = np.repeat(np.arange(groups), 10)
        truth = rng.integers(0, 2, len(codes))
        predicted = np.where(rng.random(len(codes)) < rng.beta(4.5, 0.5, groups)[codes],
                             truth, 1 - truth)  # fmt: skip
        cells = np.eye(4)[2 * truth + predicted]

        def f1(times: Floats) -> Floats:
            return np.asarray(metric((times @ cells).reshape(-1, 2, 2), 1), dtype=np.float64)

        return {"bootstrap": _drawn(rng, WeightSample(len(codes), f1, codes, (0.0, 1.0)))}

    return _coverage("F1 .90, unlike groups of 10", f"{groups} groups", 0.9, found,
                     {"bootstrap": claim})  # fmt: skip


def _reciprocal_ranks(n: int, *claims: Claim) -> Simulation:
    """Average reciprocals of ranks that are geometric: first in .6 of the queries."""
    ranks = np.arange(1, 400)
    truth = float((0.6 * 0.4 ** (ranks - 1) / ranks).sum())

    def found(rng: Rng) -> Named:
        values = 1 / rng.geometric(0.6, n)
        sums = np.column_stack([values, np.ones(n)])
        made = {"ratio": ratio(sums, None, LEVEL)}
        return made | {"bootstrap": _drawn(rng, LossSample(values, None, None, (0.0, 1.0)))}

    names = dict(zip(("ratio", "bootstrap"), claims, strict=True))
    return _coverage(f"mean reciprocal rank {truth:.2f}", f"{n} examples", truth, found, names)


def _over_folds(of: str, n: int, claim: Claim) -> Simulation:
    values, truth, share = MEANS[of]

    def found(rng: Rng) -> Named:
        return {"cv_clt": cv_clt(values(rng, n), np.arange(n) % 5, LEVEL)}

    decides = f"{n} examples" if share == 1 else f"{share * n:g} in the tail"
    return _coverage(f"{of}, n = {n}, 5 folds", decides, truth, found, {"cv_clt": claim})


def _slope(n: int, claim: Claim) -> Simulation:
    """Bound the slope of right probabilities, of which 3.5 % are of events on average."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    events = float(special.expit(-4 + 1.2 * nodes) @ weights / weights.sum())

    def found(rng: Rng) -> Named:
        logit = -4 + 1.2 * rng.standard_normal(n)
        positive = rng.random(n) < special.expit(logit)
        scores = special.expit(logit)
        if not positive.sum() >= 2:
            return {"calibration": Interval("jackknife", LEVEL, None, None)}
        predicted = Predicted(
            positive.astype(int), (scores >= 0.5).astype(int), scores, True, ("no", "yes"), 1,
            None, None, None, LEVEL, new_seed(rng),
        )  # fmt: skip
        one = _intercept_and_slope(predicted)[1]
        return {"calibration": Interval("jackknife", LEVEL, one.low, one.high)}

    names = {"calibration": claim}
    return _coverage(f"calibration slope 1, n = {n}", f"{events * n:.0f} events", 1.0, found, names)


def _five_classes(n: int, claim: Claim) -> Simulation:
    """Take macro F1 of classes of .4, .3, .15, .1 and .05, each with a recall of .8."""
    sizes = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    shares = sizes[:, None] * (np.full((5, 5), 0.05) + np.eye(5) * 0.75)
    sample = _matrix_of(shares, n, "f1", {"average": "macro"})
    truth = _value_of(shares, "f1", {"average": "macro"})
    return _coverage(
        f"macro F1 {truth:.2f}, five classes, n = {n}",
        f"{0.05 * n:g} of the rarest class",
        truth,
        lambda rng: {"bootstrap": _drawn(rng, sample(rng)[1])},
        {"bootstrap": claim},
    )


def _r2(n: int, claim: Claim, heavy: bool = False) -> Simulation:
    def found(rng: Rng) -> Named:
        signal, error = rng.standard_normal(n), rng.standard_normal(n) / 3
        if heavy:
            error = rng.standard_t(3, n) / sqrt(27)
        target = signal + error

        def r2(weights: Floats) -> Floats:
            total = weights.sum(axis=1)
            mean = weights @ target / total
            spread = weights @ target**2 - total * mean**2
            value: Floats = 1 - weights @ error**2 / spread
            return value

        return {"bootstrap": _drawn(rng, WeightSample(n, r2, None, (None, 1.0)))}

    of, decides = (
        ("r2 .9, errors t with 3 df", f"{0.002 * n:g} in the tail")
        if heavy
        else ("r2 .9", f"{n} examples")
    )
    return _coverage(f"{of}, n = {n}", decides, 0.9, found, {"bootstrap": claim})


def _intercept(slope: float, n: int, claim: Claim) -> Simulation:
    """Bound the intercept with the slope at 1, where the true slope is another."""
    grid = np.linspace(-8, 8, 4001)
    density = np.exp(-(grid**2) / 2)
    happens = special.expit(0.2 + slope * 1.5 * grid)
    low, high = -5.0, 5.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        gap = float((density * (happens - special.expit(middle + 1.5 * grid))).sum())
        low, high = (middle, high) if gap > 0 else (low, middle)

    def found(rng: Rng) -> Named:
        logit = 1.5 * rng.standard_normal(n)
        positive = rng.random(n) < special.expit(0.2 + slope * logit)
        scores = special.expit(logit)
        predicted = Predicted(
            positive.astype(int), (scores >= 0.5).astype(int), scores, True, ("no", "yes"), 1,
            None, None, None, LEVEL, new_seed(rng),
        )  # fmt: skip
        one = _intercept_and_slope(predicted)[0]
        return {"calibration": Interval("jackknife", LEVEL, one.low, one.high)}

    names = {"calibration": claim}
    return _coverage(f"intercept, true slope {slope:g}", f"{n} examples", low, found, names)


# --- tests -------------------------------------------------------------------------------------


def _size(
    design: str,
    decides: str,
    p: Callable[[Rng], Mapping[str, float | None]],
    claims: Mapping[str, Claim],
) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept: dict[str, list[bool]] = {name: [] for name in claims}
        for _ in range(count):
            for name, one in p(rng).items():
                kept[name].append(one is not None and one <= ALPHA * (1 + 1e-12))
        return {name: tally(values) for name, values in kept.items()}

    lines = tuple(
        Line((f"`{name}`", design, decides), (name,), (claim,), STATED)
        for name, claim in claims.items()
    )
    return Simulation(
        f"{SIZE.key}: {design}, {decides}", SIZE.key, REPLICATIONS, draw, lines, 500, 200
    )


def _paired(rng: Rng, sizes: Sequence[int], differ: float, worse: float) -> NDArray[np.int64]:
    """Draw truth by both predictions (2, 2, 2); `worse` is what the first loses of each recall."""
    joint = np.zeros((2, 2, 2), dtype=np.int64)
    for k, size in enumerate(sizes):
        only = (differ - worse) / 2, (differ + worse) / 2
        both = 0.9 - only[1]
        cells = rng.multinomial(size, (both, *only, 1 - both - differ))
        joint[k, k, k], joint[k, k, 1 - k], joint[k, 1 - k, k], joint[k, 1 - k, 1 - k] = cells
    return joint


def _of_recalls(positives: int, n: int, margin: float, *claims: Claim) -> Simulation:
    metric = METRICS["balanced_accuracy"].function
    sizes = (n - positives, positives)

    def p(rng: Rng) -> Mapping[str, float | None]:
        joint = _paired(rng, sizes, 0.16, margin)
        terms = [(0.5, joint[k, k, 1 - k], joint[k, 1 - k, k], sizes[k]) for k in (0, 1)]
        if margin:
            found = noninferiority(_at(terms), margin=margin, better="higher")
            return {"noninferiority": found.p}
        sample = PairedCountSample(joint, lambda counts: metric(counts, None), (-1.0, 1.0))
        drawn = bootstrap_test(sample, LEVEL, new_seed(rng), rounds=ROUNDS)
        return {"paired_recalls": paired_recalls(terms).p, "bootstrap": drawn.p}

    names = ("noninferiority",) if margin else ("paired_recalls", "bootstrap")
    design = f"balanced accuracies of .9, n = {n}" + (f", {margin:.0%} worse" if margin else "")
    decides = f"{positives} of the rarest class"
    return _size(design, decides, p, dict(zip(names, claims, strict=True)))


def _at(terms: Sequence[Sequence[float]]) -> Callable[[float], Difference]:
    def at(level: float) -> Difference:
        found = paired_recalls(terms, level).estimate
        assert found is not None, "the test estimates a difference"
        return found

    return at


def _of_means(n: int, *claims: Claim) -> Simulation:
    def p(rng: Rng) -> Mapping[str, float | None]:
        one, other = rng.exponential(1.0, (2, n))
        if n < 20:
            swapped = permutation(LossSwapper(one, other), rounds=ROUNDS, seed=new_seed(rng))
            return {"t": t(one, other).p, "permutation": swapped.p}
        sample = DifferenceSample(LossSample(one), LossSample(other))
        drawn = bootstrap_test(sample, LEVEL, new_seed(rng), rounds=ROUNDS)
        return {"t": t(one, other).p, "bootstrap": drawn.p}

    names = ("t", "permutation" if n < 20 else "bootstrap")
    claimed = dict(zip(names, claims, strict=True))
    return _size(f"exponential losses, n = {n}", f"{n} examples", p, claimed)


def _of_skewed(of: str, n: int, claim: Claim) -> Simulation:
    """Compare losses of `MEANS` with constant ones of the same mean."""
    values, truth, share = MEANS[of]

    def p(rng: Rng) -> Mapping[str, float | None]:
        one, other = values(rng, n), np.full(n, truth)
        swapped = permutation(LossSwapper(one, other), rounds=ROUNDS, seed=new_seed(rng))
        return {"t": t(one, other).p, "permutation": swapped.p}

    design, decides = f"{of} and a constant, n = {n}", f"{share * n:g} in the tail"
    return _size(design, decides, p, {"t": claim, "permutation": claim})


def _of_areas(positives: int, n: int, claim: Claim) -> Simulation:
    """Compare two scores with equal areas of about .9."""
    positive = (np.arange(n) < positives).astype(np.int64)

    def p(rng: Rng) -> Mapping[str, float | None]:
        shared = 0.7 * rng.standard_normal(n) + 2 * positive
        one, other = shared + 0.7 * rng.standard_normal((2, n))
        sample = DifferenceSample(ScoreSample(positive, one), ScoreSample(positive, other))
        return {"bootstrap": bootstrap_test(sample, LEVEL, new_seed(rng), rounds=ROUNDS).p}

    decides = f"{positives} of the rarest class"
    return _size(f"areas under the ROC curve, n = {n}", decides, p, {"bootstrap": claim})


def _refused(n: int, claim: Claim) -> Simulation:
    """Take the bootstrap test of so few examples that it gives no p."""

    def p(rng: Rng) -> Mapping[str, float | None]:
        drawn = LossSample(rng.standard_normal(n) - rng.standard_normal(n))
        bounds = ResampledBounds(drawn, new_seed(rng), "bca", ROUNDS)
        low, high = bounds.bounds(LEVEL).low, bounds.bounds(LEVEL).high
        within = low is None or high is None or low <= 0 <= high
        return {"bootstrap, if it gave p": 1.0 if within else 0.0}

    names = {"bootstrap, if it gave p": claim}
    return _size(f"normal losses, n = {n}", f"{n} examples", p, names)


def _of_groups(groups: int, *claims: Claim) -> Simulation:
    """Compare means over groups of ten rows at the margin."""
    codes = np.repeat(np.arange(groups), 10)
    margin = 0.2

    def p(rng: Rng) -> Mapping[str, float | None]:
        effect = rng.standard_normal((groups, 2))[codes]
        one, other = (effect + rng.standard_normal(effect.shape)).T
        one = one - margin
        sample = DifferenceSample(LossSample(one, groups=codes), LossSample(other, groups=codes))
        drawn = ResampledBounds(sample, new_seed(rng), "bca", ROUNDS)

        def by_t(level: float) -> Difference:
            found = t(one, other, codes, level).estimate
            assert found is not None, "the test estimates a difference"
            return found

        def by_bootstrap(level: float) -> Difference:
            found = drawn.bounds(level)
            return Difference("", drawn.estimate, found.low, found.high, level, "bootstrap")

        return {
            "noninferiority, by t": noninferiority(by_t, margin=margin, better="higher").p,
            "noninferiority, by bootstrap": noninferiority(
                by_bootstrap, margin=margin, better="higher"
            ).p,
        }

    names = ("noninferiority, by t", "noninferiority, by bootstrap")
    return _size("means over groups", f"{groups} groups", p, dict(zip(names, claims, strict=True)))


HOLDS, SHORT = ROUGHLY_COVERS, below(0.93)
COVERED = at_least(0.93)
INFLATED = inflated(0.07)
SIMULATIONS = (
    _recalls((95, 5), 0.9, COVERED, SHORT),
    _recalls((190, 10), 0.9, COVERED, SHORT),
    _recalls((380, 20), 0.9, COVERED, SHORT),
    _recalls((450, 50), 0.9, COVERED, HOLDS),
    _recalls((100, 15, 5), 0.9, at_least(0.91), SHORT),
    _macro_f1(0.04, 120, 0.9, HOLDS),
    _macro_f1(0.04, 120, 0.97, SHORT),
    _macro_f1(0.1, 300, 0.9, HOLDS),
    _few_mistakes("cohen_kappa", 0.03, 60, SHORT),
    _few_mistakes("cohen_kappa", 0.03, 200, HOLDS),
    _few_mistakes("f1", 0.03, 60, SHORT, COVERED),
    _few_mistakes("f1", 0.03, 200, HOLDS, COVERED),
    _net_benefit(0.8, 100, COVERED, SHORT),
    _net_benefit(0.8, 300, COVERED, SHORT),
    _net_benefit(0.8, 1000, COVERED, SHORT),
    *(_mean("pinball at 5 %", n, HOLDS if n >= 400 else SHORT) for n in (60, 400)),
    *(_mean("interval score at 90 %", n, HOLDS if n >= 200 else SHORT) for n in (60, 200)),
    *(_mean("percentage errors, true values near 0", n, HOLDS if n >= 400 else SHORT)
      for n in (60, 400)),
    _mean("absolute errors, t with 3 df", 60, SHORT),
    *(_mean("squared errors, t with 3 df", n, SHORT) for n in (40, 100)),
    *(_mean("log-normal values", n, HOLDS if n >= 200 else SHORT, HOLDS if n >= 200 else SHORT)
      for n in (15, 25, 200)),
    *(_mean("normal values", n, HOLDS if n >= 20 else SHORT, HOLDS)
      for n in (3, 5, 9, 10, 15, 20, 30)),
    *(_mean("Brier score, 2 % positive", n, HOLDS if n >= 500 else SHORT) for n in (100, 600)),
    _weighted(100, SHORT, HOLDS),
    _weighted(400, HOLDS, HOLDS),
    _one_weight(100.0, SHORT),
    _one_weight(20.0, SHORT),
    _one_weight(5.0, HOLDS),
    _concordance(100, SHORT),
    _concordance(300, HOLDS),
    *(_r2(n, HOLDS if n > 30 else SHORT) for n in (30, 60)),
    *(_r2(n, SHORT, heavy=True) for n in (60, 200, 1000)),
    *(_average_precision(positives, at_least(0.88) if positives < 20 else HOLDS)
      for positives in (5, 10, 40)),
    *(_slope(n, HOLDS if n > 400 else at_least(0.8)) for n in (120, 200, 600)),
    *(_unlike_groups(groups, HOLDS if groups > 140 else at_least(0.9))
      for groups in (8, 20, 60, 150)),
    *(_group_means(groups, HOLDS, HOLDS if groups > 140 else at_least(0.82))
      for groups in (6, 12, 60, 150)),
    *(_grouped_f1(groups, HOLDS if groups > 50 else at_least(0.82)) for groups in (10, 20, 60)),
    *(_reciprocal_ranks(n, HOLDS, at_least(0.9)) for n in (10, 20, 50)),
    *(_over_folds("normal values", n, HOLDS if n >= 30 else at_least(0.9)) for n in (10, 20, 40)),
    *(_over_folds("Brier score, 2 % positive", n, HOLDS if n >= 500 else SHORT)
      for n in (100, 600)),
    *(_five_classes(n, HOLDS) for n in (100, 300, 800)),
    *(_intercept(slope, 200, COVERED) for slope in (0.3, 0.5, 1.0)),
    _of_recalls(5, 100, 0.0, AT_MOST, INFLATED),
    _of_recalls(10, 200, 0.0, AT_MOST, INFLATED),
    _of_recalls(50, 500, 0.0, AT_MOST, AT_MOST),
    *(_of_recalls(positives, n, 0.05, AT_MOST)
      for positives, n in ((5, 100), (10, 200), (20, 400))),
    *(_of_means(n, AT_MOST, AT_MOST) for n in (3, 5, 8)),
    _of_means(20, AT_MOST, AT_MOST),
    *(_of_skewed("log-normal values", n, AT_MOST if n >= 200 else INFLATED) for n in (30, 400)),
    *(_of_skewed("Brier score, 2 % positive", n, AT_MOST if n > 1000 else INFLATED)
      for n in (150, 2000)),
    _of_areas(20, 200, INFLATED),
    _of_areas(100, 400, AT_MOST),
    *(_refused(n, INFLATED) for n in (3, 5, 8)),
    _of_groups(9, AT_MOST, INFLATED),
    _of_groups(13, AT_MOST, INFLATED),
)  # fmt: skip
