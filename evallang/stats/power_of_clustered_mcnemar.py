"""What McNemar's test can show where examples come in groups: seeded simulation of its tables.

The outcomes of a group (only the first model right, only the second, neither alone) are those of
a Dirichlet-multinomial distribution, in which any two examples of a group have the stated
correlation. The test depends on the groups' sums of b - c alone, whose distribution is computed;
how many groups have which sum is then drawn as a multinomial.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.stats.clusters import FEW_GROUPS, flip_chances
from evallang.stats.distributions import normal_quantile
from evallang.stats.planned_groups import (
    MOST_GROUPS,
    PlannedGroups,
    examples_of,
    group_notes,
    number_of_groups,
)
from evallang.stats.planned_power import Answer, Question, Sizes, Stated
from evallang.stats.power import (
    PowerAnalysis,
    check_side,
    checked_target,
    least_value,
    required_size,
    size_for_width,
    stated,
)
from evallang.stats.power_of_t import t_width

ROUNDS = 4_000
BATCH = 1 << 20  # numbers held at once
PLACES = 1 << 18  # in which the sums of a group have places; their chances are off by 2e-6
MOST_SIZE = 2_000  # examples of a group, whose sums are enumerated
STEP = 1.25  # factor of the steps that bracket a difference or a number of groups
STEPS = 6  # of the bisection of the bracket; the Monte Carlo error is above its last
FINE = 200  # a number of groups is found to within a share of one in so many
MOST_SIZES = 24  # of groups that are told apart
FLIPPED_UP_TO = 200  # groups that tell the models apart; with more, swaps agree with chi-squared
FLIPPED_ONLY = frozenset({"exact"})
CHI2_ONLY = frozenset({"chi2"})
"""Methods of the test that swap whole groups, or refer to chi-squared, however many there are."""


def clustered_mcnemar_power(
    difference: float | Literal["observed"],
    discordant: float,
    groups: Sizes,
    icc: float,
    alpha: float = 0.05,
    *,
    method: str = "midp",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> PowerAnalysis:
    """Return the power of McNemar's test for two accuracies on examples in groups.

    `groups` are sizes with the number of groups of each, `icc` is the correlation of b - c of
    two examples of a group, and `discordant` the share of examples on which just one model is
    right. As the test does, 30 groups or more that tell the models apart are referred to
    chi-squared, fewer swap the models in whole groups; `method` is `exact` or `chi2` for one of
    these however many there are. Raises `ValueError` where the assumptions contradict each other,
    a group is too large, or the observed difference is asked for.
    """
    gap = abs(stated(difference))
    check_side(alpha, one_sided)
    if not 0 < discordant <= 1 or gap > discordant:
        raise ValueError(
            "the difference of two accuracies is at most the share of discordant examples, "
            "which lies between 0 and 1"
        )
    if not 0 <= icc <= 1:
        raise ValueError("an intra-class correlation lies between 0 and 1")
    if not groups or any(not 1 <= size <= MOST_SIZE or count < 1 for size, count in groups):
        raise ValueError(f"a group has 1 to {MOST_SIZE:,} examples in a power analysis")
    if not 0 < alpha < 1 or rounds < 1:
        raise ValueError("a simulation has a round or more, and a level lies between 0 and 1")
    ups, downs = (discordant + gap) / 2, (discordant - gap) / 2
    rng = np.random.default_rng(seed)
    held = sum(min(count, 2 * size + 1) for size, count in groups)
    batch = max(1, BATCH // held)
    hits = 0
    for start in range(0, rounds, batch):
        drawn = _Sums(min(batch, rounds - start))
        for size, count in groups:
            drawn.add(size, count, _sum_chances(size, ups, downs, icc), rng)
        hits += drawn.rejected(alpha, method, one_sided)
    power = hits / rounds
    return PowerAnalysis(
        "mcnemar",
        f"simulation of groups, {rounds:,} rounds, seed {seed}",
        examples_of(groups),
        gap,
        power,
        alpha,
        {"discordant": discordant, "icc": icc},
        math.sqrt(power * (1 - power) / rounds),
    )


def clustered_mcnemar_detectable(
    discordant: float,
    groups: Sizes,
    icc: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    method: str = "midp",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> PowerAnalysis:
    """Return the smallest difference that the test finds with power `target` in these groups.

    None, with a note, where even the largest difference that the share of discordant examples
    allows is not found. Raises `ValueError` as `clustered_mcnemar_power` does.
    """
    checked_target(target)

    def at(gap: float) -> PowerAnalysis:
        return clustered_mcnemar_power(
            gap,
            discordant,
            groups,
            icc,
            alpha,
            method=method,
            one_sided=one_sided,
            seed=seed,
            rounds=rounds,
        )

    found = at(discordant)
    if (found.power or 0.0) < target:
        notes = (
            f"no difference is found with power {target:g}: {discordant:g} of the examples are "
            f"discordant, in {number_of_groups(groups):,} groups",
        )
        return PowerAnalysis(
            "mcnemar", found.method, found.n, None, None, alpha, found.assumptions, None, notes
        )
    # Normal theory with the design effect is near, and each step is a simulation
    effect = PlannedGroups(groups, icc).effect
    guess = _reach(alpha, target, one_sided) * math.sqrt(discordant * effect / examples_of(groups))
    high = min(max(guess * STEP, 1e-9), discordant)
    while high < discordant and (at(high).power or 0.0) < target:
        high = min(high * STEP, discordant)
    low = high / STEP
    while (at(low).power or 0.0) >= target:
        low, high = low / STEP, low
    return at(least_value(lambda gap: (at(gap).power or 0.0) >= target, low, high, STEPS))


def clustered_mcnemar_size(
    difference: float | Literal["observed"],
    discordant: float,
    groups: Sizes,
    icc: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    method: str = "midp",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> PowerAnalysis:
    """Return the number of examples, in groups of these proportions, that has power `target`.

    Found near the number of normal theory, to within half a percent of the groups and the Monte
    Carlo error of the power. Raises `ValueError` as `clustered_mcnemar_power` does, or where too
    many groups would be needed.
    """
    checked_target(target)
    planned = PlannedGroups(groups, icc)

    def at(count: int) -> PowerAnalysis:
        return clustered_mcnemar_power(
            difference,
            discordant,
            planned.sizes(count),
            icc,
            alpha,
            method=method,
            one_sided=one_sided,
            seed=seed,
            rounds=rounds,
        )

    def enough(count: int) -> bool:
        return (at(count).power or 0.0) >= target

    gap = abs(stated(difference))
    if not gap > 0:
        raise ValueError(f"more than {MOST_GROUPS:,} groups would be needed")
    spread = max(discordant - gap**2, 0.0) * planned.effect
    examples = (_reach(alpha, target, one_sided) / gap) ** 2 * spread
    high = max(math.ceil(examples / planned.mean_size), 2)
    while high > MOST_GROUPS or not enough(high):
        high = math.ceil(high * STEP) + 1
        if high > MOST_GROUPS:
            raise ValueError(f"more than {MOST_GROUPS:,} groups would be needed")
    low = math.floor(high / STEP)
    while low >= 2 and enough(low):
        low, high = math.floor(low / STEP), low
    while high - low > max(1, high // FINE):
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return at(high)


def _reach(alpha: float, target: float, one_sided: bool) -> float:
    """Return the standard errors that a difference takes for the power, by normal theory."""
    beyond = normal_quantile(1 - (2 * alpha if one_sided else alpha))
    return beyond + max(float(scipy.special.ndtri(target)), 0.0)


def clustered_mcnemar_width(
    groups: Sizes, icc: float, discordant: float, difference: float = 0.0, level: float = 0.95
) -> float:
    """Return the width of the cluster-robust interval that is expected in these groups."""
    if not 0 <= abs(difference) <= discordant <= 1:
        raise ValueError("two accuracies differ by no more than the share of discordant examples")
    return t_width(
        examples_of(groups),
        math.sqrt(discordant - difference**2),
        level,
        groups=groups,
        icc=icc,
    )


def clustered_answer(
    question: Question, stated: Stated, share: float, groups: PlannedGroups
) -> Answer:
    """Answer for one share of discordant examples and one correlation."""
    assumed, groups = groups.assumed, groups.coarse(MOST_SIZES)
    n, alpha, target, gap = question.n, question.alpha, stated.target, stated.difference
    icc, method, side, seed = (
        groups.icc, str(question.options.get("method", "")), question.one_sided, question.seed,
    )  # fmt: skip
    found = at = None
    notes: tuple[str, ...] = ()
    if n is not None:
        sizes = groups.sizes_of(n)
        found = clustered_mcnemar_detectable(
            share,
            sizes,
            icc,
            alpha,
            target,
            method=method,
            one_sided=side,
            seed=seed,
            rounds=ROUNDS,
        )
        notes = found.notes
        if gap is not None:
            at = clustered_mcnemar_power(
                gap,
                share,
                sizes,
                icc,
                alpha,
                method=method,
                one_sided=side,
                seed=seed,
                rounds=ROUNDS,
            )
    needed, more = required_size(
        gap,
        lambda d: clustered_mcnemar_size(
            d,
            share,
            groups.mix,
            icc,
            alpha,
            target,
            method=method,
            one_sided=side,
            seed=seed,
            rounds=ROUNDS,
        ),
    )
    narrow, too_wide = size_for_width(
        stated.width,
        lambda g: clustered_mcnemar_width(groups.sizes(g), icc, share, gap or 0.0, 1 - alpha),
        MOST_GROUPS,
    )
    return Answer(
        f"simulation of groups, {ROUNDS:,} rounds, seed {seed}",
        {"discordant": share, **assumed},
        None if found is None else found.difference,
        power=None if at is None else at.power,
        mc_se=None if at is None else at.mc_se,
        required_n=needed,
        notes=(*notes, *more, *too_wide, *group_notes(question)),
        n_for_width=None if narrow is None else examples_of(groups.sizes(narrow)),
    )


class _Sums:
    """The groups' sums of b - c in simulated samples, as what the test reads of them."""

    def __init__(self, rounds: int) -> None:
        self._total = np.zeros(rounds)
        self._squares = np.zeros(rounds)
        self._telling = np.zeros(rounds, dtype=np.int64)
        self._drawn: list[tuple[NDArray[np.int64], bool]] = []

    def add(
        self, size: int, count: int, chances: NDArray[np.float64], rng: np.random.Generator
    ) -> None:
        """Draw the sums of some groups of one size."""
        rounds = len(self._total)
        if len(chances) <= count:
            sums = np.arange(-size, size + 1)
            drawn: NDArray[np.int64] = rng.multinomial(count, chances, size=rounds)
            self._total += drawn @ sums
            self._squares += drawn @ sums**2
            self._telling += count - drawn[:, size]
        else:
            # As many places for each sum as it has chance: a draw is one look-up
            ends = np.rint(np.cumsum(chances) * PLACES).astype(np.int64)
            ends[-1] = PLACES
            of_place = np.repeat(np.arange(-size, size + 1), np.diff(ends, prepend=0))
            drawn = of_place[rng.integers(0, PLACES, (rounds, count), dtype=np.uint32)]
            self._total += drawn.sum(axis=1)
            self._squares += (drawn**2).sum(axis=1)
            self._telling += (drawn != 0).sum(axis=1)
        self._drawn.append((drawn, len(chances) <= count))

    def rejected(self, alpha: float, method: str, one_sided: bool) -> int:
        """Count the samples that are rejected."""
        bound = normal_quantile(1 - (2 * alpha if one_sided else alpha))
        reach = self._total if one_sided else np.abs(self._total)
        by_chi2 = (self._squares > 0) & (reach >= bound * np.sqrt(self._squares) * (1 - 1e-12))
        flipped = self._telling < (FLIPPED_UP_TO if method in FLIPPED_ONLY else FEW_GROUPS)
        if method in CHI2_ONLY:
            flipped &= False
        hits = int((by_chi2 & ~flipped).sum())
        for i in np.flatnonzero(flipped & (self._telling > 0)).tolist():
            hits += self._flip_p(i, one_sided) <= alpha * (1 + 1e-12)
        return hits

    def _flip_p(self, which: int, one_sided: bool) -> float:
        """Return p of the swap of whole groups in one sample."""
        parts = []
        for drawn, counted in self._drawn:
            row = drawn[which]
            if counted:
                size = len(row) // 2
                row = np.repeat(np.arange(-size, size + 1), row)
            parts.append(row)
        sums: NDArray[np.int64] = np.concatenate(parts)
        total = int(sums.sum())
        steps = tuple(sorted(np.abs(sums[sums != 0]).tolist()))
        tails = _flip_tails(steps)
        # Σ ± t = 2 (positive part) - Σ t
        if one_sided:
            return float(tails[(sum(steps) + total) // 2])
        if total == 0:
            return 1.0
        return min(2 * float(tails[(sum(steps) + abs(total)) // 2]), 1.0)


@lru_cache(maxsize=1 << 15)
def _flip_tails(steps: tuple[int, ...]) -> NDArray[np.float64]:
    """Return P(positive part >= k) for fair signs of these numbers, k = 0, 1, ..."""
    return np.cumsum(flip_chances(steps)[::-1])[::-1]


@lru_cache(maxsize=256)
def _sum_chances(size: int, ups: float, downs: float, icc: float) -> NDArray[np.float64]:
    """Return the probabilities of the sums -size ... size of b - c in one group."""
    shares = np.array([ups, downs, max(1 - ups - downs, 0.0)])
    if icc == 1 or size == 1:
        together = np.zeros(2 * size + 1)
        together[[-1, 0, size]] += shares
        return together
    counts = np.arange(size + 1)
    logs = [_log_weights(counts, share, icc) for share in shares]
    b, c = counts[:, None], counts[None, :]
    rest = size - b - c
    inside = rest >= 0
    terms = logs[0][b] + logs[1][c] + logs[2][np.maximum(rest, 0)]
    total = scipy.special.gammaln(size + 1.0)
    if icc > 0:
        spread = 1 / icc - 1
        total += scipy.special.gammaln(spread) - scipy.special.gammaln(size + spread)
    weights = np.where(inside, np.exp(terms + total), 0.0)
    chances = np.bincount((b - c + size)[inside], weights[inside], minlength=2 * size + 1)
    return np.asarray(chances / chances.sum())


def _log_weights(counts: NDArray[np.int64], share: float, icc: float) -> NDArray[np.float64]:
    """Return the logarithm of what a count of one outcome adds to the probability of a group."""
    if share <= 0:
        return np.where(counts == 0, 0.0, -np.inf)
    if icc == 0:
        return np.asarray(scipy.special.xlogy(counts, share) - scipy.special.gammaln(counts + 1.0))
    own = share * (1 / icc - 1)
    rising = scipy.special.gammaln(counts + own) - scipy.special.gammaln(own)
    return np.asarray(rising - scipy.special.gammaln(counts + 1.0))
