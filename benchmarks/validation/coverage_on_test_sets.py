"""Coverage of the default intervals of one fitted model on one test set, and with groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.drawn_examples import FALL, SHARES, autoregression, f1, three_classes
from benchmarks.validation.simulation import (
    COVERS,
    LEVEL,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    below,
    held,
    new_seed,
    tally,
)
from benchmarks.validation.tests_on_groups import effects
from evallang.metrics.metric import METRICS, Outcome, evaluate
from evallang.metrics.named import imported_ratio
from evallang.results.statistics import Interval
from evallang.stats.hypothesis_tests.resampling_tests import permutation
from evallang.stats.hypothesis_tests.swapping import LossSwapper, ScoreSwapper, Swapper
from evallang.stats.intervals.few_groups import clustered_wilson
from evallang.stats.intervals.proportions import delta, takahashi, wilson
from evallang.stats.intervals.ranking import delong, multiclass_auc
from evallang.stats.intervals.ratio_of_sums import jackknife, ratio
from evallang.stats.intervals.resampling import (
    CountSample,
    LossSample,
    ScoreSample,
    SumSample,
    WeightSample,
    bootstrap,
)
from evallang.stats.intervals.series import newey_west

SECTION = Section(
    "test_set",
    "Coverage: one fitted model on one test set",
    "The true value is that of the model in the population. The bootstrap has 2,000 rounds.",
    ("interval", "metric and design"),
    ("coverage",),
)
GROUPS = Section(
    "groups_coverage",
    "Coverage: rows in groups",
    "The metric is the accuracy of one model on groups of ten similar rows; the true value is "
    "its accuracy over all groups.",
    ("groups", "effect of groups"),
    ("wilson over groups", "bootstrap of groups", "wilson as if independent"),
)
ROUNDS = 2_000
POSITIVE = 0.3  # share of the positive class
HIT, FALSE = 0.75, 0.15  # true and false positive rate
GAP = 1.3  # between the scores of the classes, in standard deviations
Rng = np.random.Generator
Found = tuple[Interval, float]  # an interval and the truth


def _matrix(rng: Rng, n: int) -> NDArray[np.int64]:
    """Draw a confusion matrix, true by predicted class."""
    p = POSITIVE
    chances = ((1 - p) * (1 - FALSE), (1 - p) * FALSE, p * (1 - HIT), p * HIT)
    return rng.multinomial(n, chances).reshape(2, 2)


def _mcc(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Matthews' correlation, NaN where a class is missing."""
    (tn, fp), (fn, tp) = np.moveaxis(matrix, (-2, -1), (0, 1))
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    value: NDArray[np.float64] = np.where(
        product > 0, (tp * tn - fp * fn) / np.sqrt(np.where(product > 0, product, 1)), np.nan
    )
    return value


POPULATION = np.array(
    [
        [(1 - POSITIVE) * (1 - FALSE), (1 - POSITIVE) * FALSE],
        [POSITIVE * (1 - HIT), POSITIVE * HIT],
    ]
)


def _scores(rng: Rng, n: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    truth = rng.random(n) < POSITIVE
    return truth, rng.standard_normal(n) + GAP * truth


AREA = float(special.ndtr(GAP / sqrt(2)))


def _wilson_accuracy(rng: Rng) -> Found:
    return wilson(int(rng.binomial(100, 0.9)), 100, LEVEL), 0.9


def _wilson_recall(rng: Rng) -> Found:
    (_, (missed, hit)) = _matrix(rng, 200).tolist()
    return wilson(hit, hit + missed, LEVEL), HIT


def _wilson_precision(rng: Rng) -> Found:
    ((_, false), (_, hit)) = _matrix(rng, 200).tolist()
    right, wrong = POSITIVE * HIT, (1 - POSITIVE) * FALSE
    return wilson(hit, hit + false, LEVEL), right / (right + wrong)


def _resampled(metric: Callable[..., NDArray[np.float64]], n: int) -> Callable[[Rng], Found]:
    limits = (0.0, 1.0) if metric is f1 else (-1.0, 1.0)

    def found(rng: Rng) -> Found:
        sample = CountSample(_matrix(rng, n), metric, limits)
        return bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS), float(metric(POPULATION))

    return found


def _takahashi(rng: Rng) -> Found:
    return takahashi(_matrix(rng, 200), "binary", 1, LEVEL), float(f1(POPULATION))


def _delta(metric: Callable[..., NDArray[np.float64]], n: int) -> Callable[[Rng], Found]:
    limits = (0.0, 1.0) if metric is _balanced else (-1.0, 1.0)

    def found(rng: Rng) -> Found:
        return delta(_matrix(rng, n), metric, limits, LEVEL), float(metric(POPULATION))

    return found


def _kappa(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = matrix / matrix.sum((-2, -1), keepdims=True)
    agreed = np.trace(shares, axis1=-2, axis2=-1)
    chance = (shares.sum(-1) * shares.sum(-2)).sum(-1)
    value: NDArray[np.float64] = (agreed - chance) / (1 - chance)
    return value


def _balanced(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of both recalls, NaN where a class is missing."""
    of_class = matrix.sum(-1)
    hits = np.diagonal(matrix, axis1=-2, axis2=-1)
    share = np.divide(hits, of_class, out=np.full(hits.shape, np.nan), where=of_class > 0)
    mean: NDArray[np.float64] = share.mean(-1)
    return mean


def _resampled_loss(rng: Rng) -> Found:
    """Absolute errors with a long tail: log-normal."""
    sample = LossSample(rng.lognormal(0.0, 0.7, 100), None, None, (0.0, None))
    return bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS), exp(0.7**2 / 2)


def _resampled_area(rng: Rng) -> Found:
    sample = ScoreSample(*_scores(rng, 100))
    return bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS), AREA


def _delong(n: int) -> Callable[[Rng], Found]:
    return lambda rng: (delong(*_scores(rng, n), LEVEL), AREA)


def _mean_area(*, pairs: bool, spread: float = 0.0) -> float:
    """Return the area of the population, of classes against the rest or of pairs.

    `spread` is the standard deviation of what the scores of a group share; the two examples of a
    pair come from different groups.
    """
    distance = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    of_pair = special.ndtr(FALL * distance / sqrt(2 * (1 + spread**2)))
    apart = 1 - np.eye(3)
    if pairs:
        return float((of_pair * apart).sum() / 6)
    rest = SHARES * apart
    return float(((of_pair * rest).sum(axis=1) / rest.sum(axis=1)).mean())


def _class_areas(n: int, *, pairs: bool = False, folds: int = 1) -> Callable[[Rng], Found]:
    def found(rng: Rng) -> Found:
        codes, scores = three_classes(rng, n)
        order = np.argsort(codes, kind="stable")
        fold = np.empty(n, dtype=np.int64)
        fold[order] = np.arange(n) % folds
        return multiclass_auc(codes, scores, pairs, fold, None, LEVEL), _mean_area(pairs=pairs)

    return found


def _class_areas_of_groups(
    groups: int, *, pairs: bool = False, one_class: bool = False, folds: int = 1
) -> Callable[[Rng], Found]:
    """Draw groups of five, which share half the variance of each score.

    `one_class` gives all rows of a group one class, as rows of one patient have. Folds keep groups
    whole.
    """

    def found(rng: Rng) -> Found:
        group = np.repeat(np.arange(groups), 5)
        codes, scores = three_classes(rng, groups if one_class else len(group))
        if one_class:
            codes, scores = codes[group], scores[group]
            scores = scores + rng.standard_normal(scores.shape)
            fold = np.argsort(np.argsort(codes[::5], kind="stable"))[group] % folds
        else:
            scores = scores + rng.standard_normal((groups, 3))[group]
            fold = group % folds
        # both variances are 1, so the distances between classes are those of the plain design
        real = _mean_area(pairs=pairs, spread=1.0)
        return multiclass_auc(codes, scores, pairs, fold, group, LEVEL), real

    return found


def _resampled_class_areas(n: int) -> Callable[[Rng], Found]:
    prepare = METRICS["roc_auc"].declaration.under_weights

    def found(rng: Rng) -> Found:
        assert prepare is not None, "the areas have a form for many weightings"
        statistic = prepare(Outcome(*three_classes(rng, n), 3, None), {})
        assert statistic is not None, "the scores are complete"
        sample = WeightSample(n, statistic, None, (0.0, 1.0))
        return bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS), _mean_area(pairs=False)

    return found


def _errors_and_words(
    rng: Rng, n: int, tail: float, groups: int | None
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Draw errors and words of utterances, which differ in their rate of errors about .1.

    `tail` is the spread of the words, on the scale of logarithms; with groups speakers differ too.
    The rate does not depend on the words, so that .1 is the ratio.
    """
    words = 1 + np.floor(rng.lognormal(2.0, tail, n))
    codes = np.arange(n) % groups if groups else None
    effect = 0.3 * rng.standard_normal(groups)[codes] - 0.045 if groups else 0.0
    rate = 0.1 * np.exp(effect + 0.4 * rng.standard_normal(n) - 0.08)
    return np.column_stack((rng.poisson(words * rate), words)), codes


def _ratio(n: int, tail: float, groups: int | None = None) -> Callable[[Rng], Found]:
    return lambda rng: (ratio(*_errors_and_words(rng, n, tail, groups), LEVEL), 0.1)


def _resampled_ratio(n: int, tail: float, groups: int | None = None) -> Callable[[Rng], Found]:
    def found(rng: Rng) -> Found:
        sums, codes = _errors_and_words(rng, n, tail, groups)
        outcome = Outcome(np.zeros(n), sums)
        moments = imported_ratio("errors / words", "lower").declaration.moments
        assert moments is not None, "a ratio is a function of two sums"
        parts = moments(outcome)
        sample = SumSample(parts.columns, parts.function, codes, (None, None))
        return bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS), 0.1

    return found


def _slope(n: int) -> Callable[[Rng], Found]:
    """Draw probabilities that are too extreme: the slope is .7."""

    def found(rng: Rng) -> Found:
        logit = rng.standard_normal(n) * 1.2
        happened = rng.random(n) < special.expit(0.7 * logit - 0.2)
        outcome = Outcome(happened.astype(np.int64), special.expit(logit), 2, 1)
        return _by_influences("calibration_slope", outcome), 0.7

    return found


def _concordance(n: int) -> Callable[[Rng], Found]:
    """Draw exponential times whose hazard is the risk: of two, the share is known by quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(101)
    far = np.abs(points) * sqrt(2)
    value = float((weights * special.expit(far)).sum() / weights.sum())

    def found(rng: Rng) -> Found:
        risk = rng.standard_normal(n)
        time = rng.exponential(size=n) * np.exp(-risk)
        outcome = Outcome(np.column_stack((time, np.ones(n))), risk)
        return _by_influences("concordance", outcome), value

    return found


def _average_precision(n: int, share: float) -> Callable[[Rng], Found]:
    """Draw normal scores, of positives 1.5 higher: the precision is known by quadrature."""
    cuts = np.linspace(-8, 10, 200_001)
    found_share, missed_share = special.ndtr(1.5 - cuts), special.ndtr(-cuts)
    precision = share * found_share / (share * found_share + (1 - share) * missed_share)
    steps = found_share[:-1] - found_share[1:]
    value = float((steps * (precision[:-1] + precision[1:]) / 2).sum())

    def found(rng: Rng) -> Found:
        up = rng.random(n) < share
        outcome = Outcome(up.astype(np.int64), rng.standard_normal(n) + 1.5 * up, 2, 1)
        return _by_influences("average_precision", outcome), value

    return found


def _by_influences(name: str, outcome: Outcome) -> Interval:
    entry = METRICS[name]
    declared = entry.declaration
    assert declared.influences is not None, "a metric with known influences"
    value = evaluate(entry, {}, outcome.truth, outcome.output, outcome.positive, outcome.k)
    limits = declared.low, declared.high
    return jackknife(value, declared.influences(outcome), None, limits, LEVEL)


def _series(n: int, r: float, power: int) -> Callable[[Rng], Found]:
    """Draw errors of a series whose neighbours correlate; their absolute values, or squares."""
    value = sqrt(2 / pi) if power == 1 else 1.0

    def found(rng: Rng) -> Found:
        return newey_west(np.abs(autoregression(rng, n, r)) ** power, LEVEL), value

    return found


def _swapped_losses(n: int) -> Callable[[Rng], Found]:
    """Draw differences of squared errors, whose mean is 1, with a long tail."""

    def found(rng: Rng) -> Found:
        first, second = 2 * rng.standard_normal(n) ** 2, rng.standard_normal(n) ** 2
        return _difference(LossSwapper(first, second), rng), 1.0

    return found


def _swapped_areas(n: int) -> Callable[[Rng], Found]:
    """Draw correlated normal scores, half positive, with areas of .86 and .69."""
    gaps = (1.5, 0.7)
    value = float(special.ndtr(gaps[0] / sqrt(2)) - special.ndtr(gaps[1] / sqrt(2)))

    def found(rng: Rng) -> Found:
        truth, shared = np.arange(n) < n // 2, rng.standard_normal(n)
        first, second = (
            gap * truth + sqrt(0.5) * (shared + rng.standard_normal(n)) for gap in gaps
        )
        return _difference(ScoreSwapper(truth, first, second), rng), value

    return found


def _difference(swapper: Swapper, rng: Rng) -> Interval:
    found = permutation(swapper, LEVEL, new_seed(rng), rounds=ROUNDS).estimate
    assert found is not None, "a test of two models"
    return Interval(found.method, LEVEL, found.low, found.high)


def _simulation(
    interval: str, design: str, found: Callable[[Rng], Found], replications: int, *claims: Claim
) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        drawn = [found(rng) for _ in range(count)]
        return {"held": tally([held(i.low, i.high, truth) for i, truth in drawn])}

    name = f"{SECTION.key}: {interval}, {design}"
    line = Line((f"`{interval}`", design), ("held",), claims)
    return Simulation(name, SECTION.key, replications, draw, (line,), max(replications // 10, 1))


def _groups(groups: int, spread: float, *claims: Claim) -> Simulation:
    # right where a standard normal is below .8 plus normal effects of variance .25 + spread²
    accuracy = float(special.ndtr(0.8 / sqrt(1 + 0.25 + spread**2)))

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        counts: dict[str, list[bool]] = {"clustered": [], "bootstrap": [], "plain": []}
        for _ in range(count):
            codes, added = effects(rng, groups, 1, spread)
            right = (rng.standard_normal(added.shape) < 0.8 + added)[:, 0]
            sample = LossSample(right, None, codes, (0.0, 1.0))
            intervals = (
                clustered_wilson(right, codes, LEVEL)[0],
                bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS),
                wilson(int(right.sum()), len(right), LEVEL),
            )
            for key, found in zip(counts, intervals, strict=True):
                counts[key].append(held(found.low, found.high, accuracy))
        return {key: tally(values) for key, values in counts.items()}

    line = Line((str(groups), f"{spread:g}"), ("clustered", "bootstrap", "plain"), claims)
    name = f"{GROUPS.key}: {groups}, {spread}"
    return Simulation(name, GROUPS.key, 4_000, draw, (line,), 400)


SIMULATIONS = (
    _simulation("wilson", "accuracy .9, n = 100", _wilson_accuracy, 40_000, COVERS),
    _simulation("wilson", "recall .75, n = 200, 30 % positive", _wilson_recall, 40_000, COVERS),
    _simulation("wilson", "precision .68, n = 200", _wilson_precision, 40_000, COVERS),
    _simulation("takahashi", "F1 .71, n = 200", _takahashi, 20_000, COVERS),
    *(
        _simulation(
            "newey_west",
            f"{words} of a series, errors correlate by {r:g}, n = {n}",
            _series(n, r, power),
            4_000,
            *claims,
        )
        for power, words in ((1, "mean absolute error"), (2, "mean squared error"))
        for n, r, claims in (
            (50, 0.5, ()),
            (104, 0.0, (ROUGHLY_COVERS,)),
            (104, 0.5, (ROUGHLY_COVERS,)),
            (104, 0.77, ()),
            (300, 0.77, (ROUGHLY_COVERS,)),
            (300, 0.9, ()),
        )
    ),
    *(
        _simulation("inverted_swaps", f"mean squared errors, n = {n}", _swapped_losses(n), 4_000)
        for n in (25, 40, 100)
    ),
    *(
        _simulation("shifted_swaps", f"AUC .86 less .69, n = {n}", _swapped_areas(n), 2_000)
        for n in (40, 100)
    ),
    *(
        _simulation(
            "multiclass_auc",
            f"area {_mean_area(pairs=pairs):.2f} of three classes, {words}",
            _class_areas(n, pairs=pairs, folds=folds),
            10_000,
            claim,
        )
        for n, pairs, folds, words, claim in (
            (60, False, 1, "n = 60", ROUGHLY_COVERS),
            (200, False, 1, "n = 200", COVERS),
            (200, True, 1, "pairs, n = 200", COVERS),
            (200, False, 5, "n = 200 in 5 folds", COVERS),
        )
    ),
    *(
        _simulation(
            "multiclass_auc",
            f"area {_mean_area(pairs=pairs, spread=1.0):.2f} of three classes, {groups} groups of "
            f"5{words}",
            _class_areas_of_groups(groups, pairs=pairs, one_class=one_class, folds=folds),
            4_000,
            ROUGHLY_COVERS,
        )
        for groups, pairs, one_class, folds, words in (
            (20, False, False, 1, ""),
            (60, False, False, 1, ""),
            (60, True, False, 1, ", pairs"),
            (60, False, False, 5, ", in 5 folds"),
            (30, False, True, 1, " with one class each"),
            (60, False, True, 1, " with one class each"),
            (60, False, True, 5, " with one class each, in 5 folds"),
        )
    ),
    *(
        _simulation(
            "bootstrap",
            f"area {_mean_area(pairs=False):.2f} of three classes, n = {n}, bca",
            _resampled_class_areas(n),
            1_000,
            ROUGHLY_COVERS,
        )
        for n in (60, 200)
    ),
    _simulation("delta", "MCC .57, n = 100", _delta(_mcc, 100), 20_000, ROUGHLY_COVERS),
    _simulation("delta", "MCC .57, n = 400", _delta(_mcc, 400), 20_000, COVERS),
    _simulation(
        "delta", "balanced accuracy .81, n = 100", _delta(_balanced, 100), 20_000, ROUGHLY_COVERS
    ),
    _simulation("delta", "balanced accuracy .81, n = 400", _delta(_balanced, 400), 20_000, COVERS),
    _simulation("delta", "kappa .58, n = 100", _delta(_kappa, 100), 10_000, ROUGHLY_COVERS),
    _simulation("delta", "kappa .58, n = 400", _delta(_kappa, 400), 10_000, COVERS),
    _simulation("bootstrap", "F1 .71, n = 100, bca", _resampled(f1, 100), 5_000, ROUGHLY_COVERS),
    _simulation("bootstrap", "MCC .57, n = 100, bca", _resampled(_mcc, 100), 5_000, ROUGHLY_COVERS),
    _simulation("bootstrap", "mean of long-tailed losses, n = 100, bca", _resampled_loss, 4_000),
    _simulation("bootstrap", "AUC .82, n = 100, bca", _resampled_area, 4_000, ROUGHLY_COVERS),
    _simulation("delong", "AUC .82, n = 50", _delong(50), 40_000, ROUGHLY_COVERS),
    _simulation("delong", "AUC .82, n = 200", _delong(200), 20_000, COVERS),
    _simulation("ratio", "errors by words, n = 30", _ratio(30, 0.6), 20_000, ROUGHLY_COVERS),
    _simulation("ratio", "errors by words, n = 100", _ratio(100, 0.6), 20_000, COVERS),
    _simulation(
        "ratio", "errors by words of a long tail, n = 100", _ratio(100, 1.5), 20_000, ROUGHLY_COVERS
    ),
    _simulation(
        "ratio", "10 speakers of 10 utterances", _ratio(100, 0.6, 10), 20_000, ROUGHLY_COVERS
    ),
    _simulation("ratio", "40 speakers of 10 utterances", _ratio(400, 0.6, 40), 20_000, COVERS),
    _simulation("jackknife", "calibration slope .7, n = 100", _slope(100), 4_000, ROUGHLY_COVERS),
    _simulation("jackknife", "calibration slope .7, n = 400", _slope(400), 4_000, COVERS),
    _simulation("jackknife", "concordance .70, n = 50", _concordance(50), 4_000, ROUGHLY_COVERS),
    _simulation("jackknife", "concordance .70, n = 200", _concordance(200), 4_000, COVERS),
    _simulation(
        "jackknife",
        "average precision, a fifth positive, n = 200",
        _average_precision(200, 0.2),
        4_000,
        ROUGHLY_COVERS,
    ),
    _simulation(
        "jackknife",
        "average precision, a fifth positive, n = 2,000",
        _average_precision(2_000, 0.2),
        4_000,
        COVERS,
    ),
    _simulation(
        "jackknife",
        "average precision, a twentieth positive, n = 20,000",
        _average_precision(20_000, 0.05),
        2_000,
        COVERS,
    ),
    _simulation(
        "bootstrap",
        "errors by words of a long tail, n = 100, bca",
        _resampled_ratio(100, 1.5),
        4_000,
    ),
    _simulation(
        "bootstrap", "10 speakers of 10 utterances, bca", _resampled_ratio(100, 0.6, 10), 4_000
    ),
    _groups(10, 0.5),
    _groups(20, 0.5, ROUGHLY_COVERS),
    _groups(50, 0.5, COVERS),
    _groups(100, 0.5, COVERS),
    _groups(20, 1.0),
    _groups(100, 1.0, COVERS, ROUGHLY_COVERS, below(0.9)),
)
