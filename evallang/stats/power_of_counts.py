"""What the bootstrap and permutation tests can show for metrics of a confusion matrix, as F1.

Each sample is the table of truth and both labels of n examples, whose chances follow from what is
assumed. It is rejected where the difference of the metric is large for its standard error: that
of the bootstrap by the delta method, or that of swapped outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.distributions import normal_quantile
from evallang.stats.planned_groups import PlannedGroups, by_groups, with_design_effect
from evallang.stats.planned_power import (
    GROUPS,
    Answer,
    PowerDeclaration,
    Question,
    Stated,
)
from evallang.stats.power import (
    PowerAnalysis,
    check_side,
    checked_target,
    least_size,
    required_size,
    size_for_width,
    smallest_difference,
    stated,
)
from evallang.stats.validation import word

Metric = Callable[[Any], Any]
Resampled = Literal["drawn", "swapped"]
"""How the test resamples two models: examples with both outputs, or outputs within examples."""

WEAKER = (0.5, 0.7, 0.9)  # values of the weaker model that are looked at if none is stated
POSITIVES = 0.5  # the share of positives, where neither the study nor its data tell
CORRELATION = 0.5  # of the scores of two models within a class, if none is stated
ROUNDS = 4_000
STEPS = 16  # of the bisection for a difference; the Monte Carlo error is far above its last
NODES = 80  # of the quadrature of correlated labels
LARGEST = 0.999  # recall that is looked at
FEW = 20
"""Positives below which the normal theory of the difference is rough; see docs/validation.md."""
AS_MANY = "each model predicts as many positives as there are"
ROUGH = f"with fewer than {FEW} positives the power is approximate, by several points"
UNKNOWN_METRIC = (
    "the power of `{}` is computed for proportions, means over examples, areas under ROC curves, "
    "and metrics of the confusion matrix of two classes"
)


def counts_power(
    difference: float | Literal["observed"],
    weaker: float,
    n: int,
    alpha: float = 0.05,
    *,
    measure: Metric,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
    resampled: Resampled = "drawn",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> PowerAnalysis:
    """Return the power of a resampling test of a metric of the confusion matrices of two models.

    `measure` takes counts (..., 2, 2), true by predicted class with the positive one last, and
    gives values (...). `weaker` is its value for the weaker model, and `difference` how much
    better the other one is; each predicts as many positives as there are, a share `positives` of
    the examples. `correlation` is that of normal scores of the two models within a class, from
    which the labels come. `resampled` is `drawn` for the bootstrap and `swapped` for the
    permutation test. Raises `ValueError` where no model has such a value, a share or a correlation
    is out of range, or the observed difference is asked for.
    """
    gap = stated(difference)
    word(resampled, ("drawn", "swapped"), "resampled")
    check_side(alpha, one_sided)
    if not 0 < alpha < 1 or n < 1 or rounds < 1:
        raise ValueError("a sample has an example or more, and a level lies between 0 and 1")
    chances = _chances(measure, weaker, abs(gap), positives, correlation)
    rng = np.random.default_rng(seed)
    tables = rng.multinomial(n, chances.ravel(), size=rounds).reshape(rounds, 2, 2, 2)
    found, error = _difference(measure, tables.astype(np.float64), resampled)
    bound = normal_quantile(1 - (2 * alpha if one_sided else alpha))
    # The better model comes first, whatever direction of the metric is better
    side = float(_sign(measure, positives))
    reach = side * found if one_sided else np.abs(found)
    hits = np.isfinite(found) & (error > 0) & (reach > bound * error)
    power = float(hits.mean())
    return PowerAnalysis(
        "bootstrap" if resampled == "drawn" else "permutation",
        f"simulation of tables, {rounds:,} rounds, seed {seed}",
        n,
        gap,
        power,
        alpha,
        _assumed(weaker, positives, correlation),
        math.sqrt(power * (1 - power) / rounds),
    )


def counts_detectable(
    weaker: float,
    n: int,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    measure: Metric,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
    resampled: Resampled = "drawn",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> PowerAnalysis:
    """Return the smallest difference that the test finds with power `target`.

    None, with a note, where even a model without errors is not found to be better. Raises
    `ValueError` as `counts_power` does.
    """
    checked_target(target)

    def at(gap: float) -> PowerAnalysis:
        return counts_power(
            gap,
            weaker,
            n,
            alpha,
            measure=measure,
            positives=positives,
            correlation=correlation,
            resampled=resampled,
            one_sided=one_sided,
            seed=seed,
            rounds=rounds,
        )

    most = abs(_value(measure, LARGEST, positives) - weaker)
    few = "the better model has few errors"
    return smallest_difference(at, most * (1 - 1e-9), target, few, STEPS)


def counts_size(
    difference: float | Literal["observed"],
    weaker: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    measure: Metric,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
    resampled: Resampled = "drawn",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> PowerAnalysis:
    """Return the number of examples with which the test has power `target`.

    Found by doubling and halving, to within the Monte Carlo error of the power. Raises
    `ValueError` as `counts_power` does, or where too many would be needed.
    """
    checked_target(target)

    def at(n: int) -> PowerAnalysis:
        return counts_power(
            difference,
            weaker,
            n,
            alpha,
            measure=measure,
            positives=positives,
            correlation=correlation,
            resampled=resampled,
            one_sided=one_sided,
            seed=seed,
            rounds=rounds,
        )

    return at(least_size(lambda n: (at(n).power or 0.0) >= target, saw_toothed=False))


def counts_width(
    n: int,
    weaker: float,
    difference: float = 0.0,
    level: float = 0.95,
    *,
    measure: Metric,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
) -> float:
    """Return the width of the interval of the difference that is expected of n examples.

    It is that of the delta method at the assumed chances, to which the bootstrap's comes close.
    """
    chances = _chances(measure, weaker, abs(difference), positives, correlation)
    # The derivatives are those of a table that is large enough for a step of half an example
    large = 1e6
    _, error = _difference(measure, chances[None] * large, "drawn")
    return 2 * normal_quantile(level) * float(error[0]) * math.sqrt(large / n)


def _chances(
    measure: Metric, weaker: float, gap: float, positives: float, correlation: float
) -> NDArray[np.float64]:
    """Return the chances (2, 2, 2) of truth, the label of the better and that of the weaker."""
    if not 0 < positives < 1:
        raise ValueError("the share of positives lies between 0 and 1, both excluded")
    if not 0 <= correlation < 1:
        raise ValueError("the correlation of the scores is at least 0 and below 1")
    side = _sign(measure, positives)
    recalls = [_recall(measure, value, positives) for value in (weaker + side * gap, weaker)]
    made = np.empty((2, 2, 2))
    for truth, share in ((1, positives), (0, 1 - positives)):
        rates = recalls if truth else [positives * (1 - r) / (1 - positives) for r in recalls]
        made[truth] = share * _joint(rates[0], rates[1], correlation)
    return np.asarray(made / made.sum())


def _sign(measure: Metric, positives: float) -> int:
    """Return 1 where the metric grows with the recall, -1 where it falls."""
    chance = max(positives, 0.01)
    low, high = (_value(measure, recall, positives) for recall in (chance, LARGEST))
    return 1 if high >= low else -1


def _value(measure: Metric, recall: float, positives: float) -> float:
    """Return the metric of a model with as many predicted as true positives."""
    missed = positives * (1 - recall)
    matrix = [[1 - positives - missed, missed], [missed, positives - missed]]
    return float(measure(np.array(matrix) * 1e6))


def _recall(measure: Metric, value: float, positives: float) -> float:
    """Return the recall at which the metric has a value, by bisection.

    Raises `ValueError` where no recall gives that value.
    """
    # Below, with most examples positive, there are not enough negatives for as many errors
    low, high = max(0.0, 2 - 1 / positives) + 1e-9, 1.0
    side = _sign(measure, positives)
    ends = [_value(measure, one, positives) for one in (low, high)]
    if not min(ends) - 1e-9 <= value <= max(ends) + 1e-9:
        raise ValueError(
            f"with {100 * positives:.3g}% positives no model that predicts as many has the value "
            f"{value:g}"
        )
    for _ in range(60):
        middle = (low + high) / 2
        if side * _value(measure, middle, positives) >= side * value:
            high = middle
        else:
            low = middle
    return high


def _joint(first: float, second: float, correlation: float) -> NDArray[np.float64]:
    """Return the chances (2, 2) of two labels with these rates, from correlated normal scores."""
    a, b = (
        float(scipy.special.ndtri(min(max(rate, 1e-15), 1 - 1e-15))) for rate in (first, second)
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    # A factor that both scores have in common makes their correlation
    root, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    up, down = (scipy.special.ndtr((cut + root * nodes) / own) for cut in (a, b))
    both = float(weights @ (up * down))
    both = min(max(both, first + second - 1, 0.0), first, second)
    return np.array([[1 - first - second + both, second - both], [first - both, both]])


def _difference(
    measure: Metric, tables: NDArray[np.float64], resampled: Resampled
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the difference of the metric of each table (B, 2, 2, 2), and its standard error."""
    matrices = tables.sum(axis=3), tables.sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = measure(matrices[0]) - measure(matrices[1])
        if resampled == "swapped":
            matrices = ((matrices[0] + matrices[1]) / 2,) * 2
        first, second = (_derivatives(measure, matrix) for matrix in matrices)
        moved = first[:, :, :, None] - second[:, :, None, :]
        moved = np.where(tables > 0, moved, 0.0)
        variance = (tables * moved**2).sum(axis=(1, 2, 3))
        if resampled == "drawn":
            n = tables.sum(axis=(1, 2, 3))
            variance = variance - (tables * moved).sum(axis=(1, 2, 3)) ** 2 / n
        error = np.sqrt(np.maximum(variance, 0.0))
    return np.asarray(found), np.asarray(error)


def _derivatives(measure: Metric, matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how one more example in each cell (B, 2, 2) moves the metric."""
    made = np.empty_like(matrices)
    for cell in ((0, 0), (0, 1), (1, 0), (1, 1)):
        step = np.zeros((2, 2))
        step[cell] = 0.5
        made[:, cell[0], cell[1]] = measure(matrices + step) - measure(matrices - step)
    return made


def _assumed(weaker: float, positives: float, correlation: float) -> dict[str, float | int | str]:
    return {"weaker": weaker, "positives": positives, "correlation": correlation}


def _answers(question: Question, stated: Stated, resampled: Resampled) -> tuple[Answer, ...]:
    """Answer for the stated value of the weaker model, or for several values."""
    measure = question.measure
    if measure is None:
        raise ValueError(UNKNOWN_METRIC.format(question.test))
    of_data = POSITIVES if question.positives is None else question.positives
    positives = of_data if stated.positives is None else stated.positives
    gap = abs(stated.difference or 0.0)
    values: tuple[float, ...] = WEAKER if stated.weaker is None else (stated.weaker,)
    possible = tuple(v for v in values if _exists(measure, v, gap, positives))
    if not possible and stated.weaker is None:
        raise ValueError(f"no value of {', '.join(f'{v:g}' for v in values)} can be {gap:g} better")
    groups = by_groups(question, stated, several=stated.weaker is not None)
    return tuple(
        with_design_effect(
            question, one, _answer(question, stated, value, positives, resampled, one)
        )
        for value in possible or values
        for one in groups
    )


def _exists(measure: Metric, value: float, gap: float, positives: float) -> bool:
    try:
        _chances(measure, value, gap, positives, 0.0)
    except ValueError:
        return False
    return True


def _answer(
    question: Question,
    stated: Stated,
    value: float,
    positives: float,
    resampled: Resampled,
    groups: PlannedGroups | None,
) -> Answer:
    """Answer for the effective number of examples where they come in groups."""
    assert question.measure is not None, "its caller has one"
    effect = 1.0 if groups is None else groups.effect
    n = None if question.n is None else max(round(question.n / effect), 1)
    alpha, target, gap = question.alpha, stated.target, stated.difference
    correlation = CORRELATION if stated.correlation is None else stated.correlation
    measure, side, seed = question.measure, question.one_sided, question.seed
    found = at = None
    if n is not None:
        found = counts_detectable(
            value,
            n,
            alpha,
            target,
            measure=measure,
            positives=positives,
            correlation=correlation,
            resampled=resampled,
            one_sided=side,
            seed=seed,
            rounds=ROUNDS,
        )
        if gap is not None:
            at = counts_power(
                gap,
                value,
                n,
                alpha,
                measure=measure,
                positives=positives,
                correlation=correlation,
                resampled=resampled,
                one_sided=side,
                seed=seed,
                rounds=ROUNDS,
            )
    needed, notes = required_size(
        gap,
        lambda d: counts_size(
            d,
            value,
            alpha,
            target,
            measure=measure,
            positives=positives,
            correlation=correlation,
            resampled=resampled,
            one_sided=side,
            seed=seed,
            rounds=ROUNDS,
        ),
    )
    narrow, more = size_for_width(
        stated.width,
        lambda size: counts_width(
            size,
            value,
            gap or 0.0,
            1 - alpha,
            measure=measure,
            positives=positives,
            correlation=correlation,
        ),
    )
    sizes = [size for size in (n, needed) if size is not None]
    rough = (ROUGH,) if any(size * positives < FEW for size in sizes) else ()
    return Answer(
        f"simulation of tables, {ROUNDS:,} rounds, seed {seed}",
        _assumed(value, positives, correlation),
        None if found is None else found.difference,
        power=None if at is None else at.power,
        mc_se=None if at is None else at.mc_se,
        required_n=needed,
        notes=(*notes, *(() if found is None else found.notes), *more, AS_MANY, *rough),
        n_for_width=narrow,
    )


def _power_of(resampled: Resampled) -> PowerDeclaration:
    return PowerDeclaration(
        lambda question, stated: _answers(question, stated, resampled),
        {
            "weaker": AssumptionWords("{} for the weaker model", "weaker"),
            "positives": AssumptionWords("{} positive", "positives", percent=True),
            "correlation": AssumptionWords(
                "correlation {} of scores within a class", "correlation"
            ),
            **GROUPS,
        },
        of_width=True,
    )


POWER_OF_DRAWN_COUNTS = _power_of("drawn")
POWER_OF_SWAPPED_COUNTS = _power_of("swapped")
