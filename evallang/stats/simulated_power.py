"""Power of the tests on ranks, by seeded simulation with its Monte Carlo error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, cast, get_args

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.stats.distributions import f_tail, fair_coin_tail, normal_quantile
from evallang.stats.planned_power import (
    DISTRIBUTION,
    SD,
    Answer,
    PowerDeclaration,
    Question,
    Stated,
)
from evallang.stats.power import (
    MOST_N,
    PowerAnalysis,
    check_side,
    checked_target,
    gap_in_unit,
    least_size,
    least_value,
    required_size,
    stated,
)
from evallang.stats.validation import LARGEST, SMALLEST, word

RankTest = Literal["wilcoxon", "sign", "friedman"]
BATCH = 1 << 20  # numbers held at once
MOST_DATA_SETS = 1024  # that are searched for
SIMULATED_UP_TO = 100  # differences of the signed ranks, whose sum is close to normal beyond
OF_NORMAL_RANKS = "the normal distribution of the rank sum of normal differences"
MOST_SIMULATED = 1 << 24  # data sets, models or rounds
STEPS = 30  # of the bisection for a difference; the Monte Carlo error is far above its last


def rank_power(
    test: RankTest,
    difference: float | Literal["observed"],
    sd: float,
    n: int,
    alpha: float = 0.05,
    *,
    models: int = 2,
    seed: int = 0,
    rounds: int = 10_000,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the power of a test on ranks over n data sets, with normal differences.

    The difference of two models over data sets is taken as normal with mean `difference`
    and standard deviation `sd`. `wilcoxon` and `sign` use their exact critical values;
    `friedman` compares `models` models, one of which is better than all others, by the F
    of Iman and Davenport. With `one_sided` the difference has the sign of the alternative.
    `wilcoxon` on more than 100 differences is not simulated: its statistic is taken as normal.
    Raises `ValueError` where `sd` is not positive, n or `rounds` below 1, `friedman` has fewer
    than three models, or the observed difference is asked for.
    """
    gap = stated(difference)
    check_side(alpha, one_sided)
    word(test, get_args(RankTest), "test")
    if not (
        SMALLEST < sd < LARGEST
        and abs(gap) < LARGEST
        and 1 <= n <= MOST_SIMULATED
        and 1 <= rounds <= MOST_SIMULATED
        and 0 < alpha < 1
    ):
        raise ValueError(
            "power takes one data set and one round or more, a standard deviation above 0, and "
            "a level between 0 and 1"
        )
    if test == "friedman" and not 3 <= models <= MOST_SIMULATED:
        raise ValueError("`friedman` is for three models or more")
    if test == "wilcoxon" and n > SIMULATED_UP_TO:
        power = _normal_signed_rank_power(abs(gap) / sd, n, alpha, one_sided)
        return PowerAnalysis(test, OF_NORMAL_RANKS, n, gap, power, alpha, _assumed(sd, 2))
    rejects = _rejection(test, n, alpha, models, one_sided)
    rng = np.random.default_rng(seed)
    columns = models if test == "friedman" else 1
    batch = max(1, BATCH // (n * columns))
    hits = 0
    for start in range(0, rounds, batch):
        size = min(batch, rounds - start)
        if test == "friedman":
            drawn = rng.normal(0.0, sd / math.sqrt(2), (size, n, models))
            drawn[:, :, 0] += gap
        else:
            drawn = rng.normal(abs(gap), sd, (size, n))
        hits += int(rejects(drawn).sum())
    power = hits / rounds
    return PowerAnalysis(
        test,
        f"simulation, {rounds} rounds, seed {seed}",
        n,
        gap,
        power,
        alpha,
        _assumed(sd, models if test == "friedman" else 2),
        math.sqrt(power * (1 - power) / rounds),
    )


def rank_detectable(
    test: RankTest,
    sd: float,
    n: int,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    models: int = 2,
    seed: int = 0,
    rounds: int = 10_000,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the smallest difference that a test on ranks finds with power `target`.

    All differences are tried on the same draws, so that power grows with them. None, with a
    note, where n data sets are too few to reject at all. Raises `ValueError` as `rank_power`.
    """
    checked_target(target)

    def at(gap: float) -> PowerAnalysis:
        return rank_power(
            test,
            gap,
            sd,
            n,
            alpha,
            models=models,
            seed=seed,
            rounds=rounds,
            one_sided=one_sided,
        )

    most = 100 * sd  # every data set then favours the same model
    found = at(most)
    if (found.power or 0.0) < target:
        note = f"{n} are too few: {test} cannot reach p <= {alpha:g} with them"
        return PowerAnalysis(
            test, found.method, n, None, None, alpha, found.assumptions, None, (note,)
        )
    return at(least_value(lambda gap: (at(gap).power or 0.0) >= target, 0.0, most, STEPS))


def rank_size(
    test: RankTest,
    difference: float | Literal["observed"],
    sd: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    models: int = 2,
    seed: int = 0,
    rounds: int = 10_000,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the number of data sets with which a test on ranks has power `target`.

    Found by doubling and halving, to within the Monte Carlo error of the power. Raises
    `ValueError` as `rank_power` does, or where too many would be needed.
    """
    checked_target(target)

    def at(n: int) -> PowerAnalysis:
        return rank_power(
            test,
            difference,
            sd,
            n,
            alpha,
            models=models,
            seed=seed,
            rounds=rounds,
            one_sided=one_sided,
        )

    most = MOST_N if test == "wilcoxon" else MOST_DATA_SETS
    return at(least_size(lambda n: (at(n).power or 0.0) >= target, saw_toothed=False, most=most))


def _answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
    n, alpha, target, sd = question.n, question.alpha, stated.target, stated.sd
    seed, models, side = question.seed, question.models, question.one_sided
    test = cast(RankTest, question.test)
    unit = 1.0 if sd is None else sd
    found = at = None
    asked, notes = gap_in_unit(stated.difference, sd)
    if n is not None:
        found = rank_detectable(
            test, unit, n, alpha, target, models=models, seed=seed, one_sided=side
        )
        notes = (*notes, *found.notes)
        if asked is not None:
            at = rank_power(test, asked, unit, n, alpha, models=models, seed=seed, one_sided=side)
    needed, more = required_size(
        asked,
        lambda d: rank_size(test, d, unit, alpha, target, models=models, seed=seed, one_sided=side),
    )
    assumptions: dict[str, float | int | str] = {} if sd is None else {"sd": sd}
    answer = Answer(
        "simulation of normal differences" if found is None else found.method,
        {**assumptions, "distribution": "normal"},
        None if found is None else found.difference,
        power=None if at is None else at.power,
        mc_se=None if at is None else at.mc_se,
        required_n=needed,
        in_sd=sd is None,
        notes=(*notes, *more),
    )
    return (answer,)


POWER_OVER_DATA_SETS = PowerDeclaration(_answers, {**SD, **DISTRIBUTION})


def _rejection(
    test: RankTest, n: int, alpha: float, models: int, one_sided: bool
) -> Callable[[NDArray[np.float64]], NDArray[np.bool_]]:
    """Return the function that tells which simulated samples are rejected."""
    # On the side of the alternative a one-sided p is half of the two-sided one
    level = 2 * alpha if one_sided else alpha
    if test == "sign":
        wins = _sign_bound(n, level)

        def by_signs(d: NDArray[np.float64]) -> NDArray[np.bool_]:
            above = (d > 0).sum(axis=1)
            return np.asarray((above if one_sided else np.maximum(above, n - above)) >= wins)

        return by_signs
    if test == "wilcoxon":
        bound = _signed_rank_bound(n, level)

        def by_ranks(d: NDArray[np.float64]) -> NDArray[np.bool_]:
            ranks = np.abs(d).argsort(axis=1).argsort(axis=1) + 1
            plus = (ranks * (d > 0)).sum(axis=1)
            minus = n * (n + 1) // 2 - plus
            return np.asarray((minus if one_sided else np.minimum(plus, minus)) <= bound)

        return by_ranks
    least = _friedman_bound(n, alpha, models)

    def by_sums(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        ranks = scores.argsort(axis=2).argsort(axis=2) + 1
        sums = ranks.sum(axis=1) - n * (models + 1) / 2
        return np.asarray((sums**2).sum(axis=1) >= least)

    return by_sums


def _assumed(sd: float, models: int) -> dict[str, float | int | str]:
    return {"sd": sd, "models": models, "distribution": "normal"}


def _normal_signed_rank_power(shift: float, n: int, alpha: float, one_sided: bool) -> float:
    """Return the power for n normal differences of mean `shift` in their standard deviation.

    The sum of the positive ranks counts the pairs i <= j with D_i + D_j > 0, of which its mean and
    variance follow; both are those of a normal statistic.
    """
    up, pair = (float(scipy.special.ndtr(x)) for x in (shift, math.sqrt(2) * shift))
    # Two sums with one difference in common have the correlation 1/2
    both = pair - 2 * float(scipy.special.owens_t(math.sqrt(2) * shift, 1 / math.sqrt(3)))
    pairs = n * (n - 1) / 2
    mean = n * up + pairs * pair
    variance = (
        n * up * (1 - up)
        + pairs * pair * (1 - pair)
        + 2 * pairs * (n - 2) * (both - pair**2)
        + 2 * 2 * pairs * (_with_own(shift) - up * pair)
    )
    centre, spread = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    bound = normal_quantile(1 - (2 * alpha if one_sided else alpha)) * spread
    error = math.sqrt(max(variance, 1e-300))
    power = float(scipy.special.ndtr((mean - centre - bound) / error))
    if not one_sided:
        power += float(scipy.special.ndtr((centre - bound - mean) / error))
    return power


def _with_own(shift: float) -> float:
    """Return the probability that a normal difference and its sum with another are above 0."""
    # Given D_1 = x > 0 the other one is above -x
    nodes, weights = np.polynomial.legendre.leggauss(64)
    reach = max(shift, 0.0) + 10
    x = (nodes + 1) * reach / 2
    density = np.exp(-((x - shift) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float((weights * reach / 2) @ (density * scipy.special.ndtr(x + shift)))


def _sign_bound(n: int, alpha: float) -> int:
    """Return the least number of wins of one model that is rejected; n + 1 where none is."""
    wins = n // 2 + 1
    while wins <= n and 2 * fair_coin_tail(wins, n) > alpha:
        wins += 1
    return wins


def _signed_rank_bound(n: int, alpha: float) -> int:
    """Return the largest smaller rank sum that is rejected; -1 where none is."""
    chances = np.zeros(n * (n + 1) // 2 + 1)
    chances[0] = 1.0
    for step in range(1, n + 1):
        moved = chances[: len(chances) - step].copy()
        chances /= 2
        chances[step:] += moved / 2
    return int((2 * np.cumsum(chances) <= alpha).sum()) - 1


def _friedman_bound(n: int, alpha: float, models: int) -> float:
    """Return the least sum of squares of the centred rank sums whose F is rejected.

    F = (n - 1) chi2 / (n (M - 1) - chi2) grows with chi2 = 12 S / (n M (M + 1)).
    """
    scale = 12 / (n * models * (models + 1))
    most = n * (models - 1)
    low, high = 0.0, most / scale
    df = models - 1, (models - 1) * (n - 1)
    if n < 2:
        return math.inf
    while high - low > 1e-9 * most / scale:
        middle = (low + high) / 2
        chi2 = scale * middle
        if f_tail((n - 1) * chi2 / (most - chi2), *df) <= alpha:
            high = middle
        else:
            low = middle
    return high * (1 - 1e-9)
