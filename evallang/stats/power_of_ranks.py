"""What tests of signs and ranks over data sets can show, for normal differences.

The sign test is binomial. Wilcoxon's and Friedman's are run on drawn differences; of many
differences the sum of signed ranks is normal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.distributions import normal_quantile
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.power import (
    ROUNDS,
    SD,
    Answer,
    PowerAnalysis,
    PowerDeclaration,
    Question,
    Relation,
    Stated,
    analysed,
    answered,
    check_level,
    in_unit,
    simulated,
)
from evallang.stats.power_of_pairs import binomial_power
from evallang.stats.validation import LARGEST, SMALLEST, word

MOST_DATA_SETS = 1024  # that are searched for by simulation
SIMULATED_UP_TO = 100  # differences of the signed ranks, whose sum is close to normal beyond
MOST = 1 << 24  # data sets or models

TestOfDraws = Callable[[NDArray[np.float64], Literal["two_sided", "greater"]], NDArray[np.float64]]
"""From samples without ties, (rounds, n) or (rounds, n, models), to the test's p of each."""


class OverData(Struct, frozen=True):
    """What is assumed of the differences over n data sets: normal, with this standard deviation."""

    test: str
    sd: float
    alpha: float
    n: int | None = None
    models: int = 2
    one_sided: bool = False
    seed: int = 0
    rounds: int = ROUNDS

    def relation(self, chance: Callable[[float, int], float], method: str, **more: Any) -> Relation:
        """Return the relation of a test: where no data set is against a model, it rejects."""
        check_level(self.alpha, self.one_sided)
        if not SMALLEST < self.sd < LARGEST:
            raise ValueError("power takes a standard deviation above 0")

        def checked(gap: float, n: int) -> float:
            if not gap < LARGEST or not 1 <= n <= MOST:
                raise ValueError("power takes one data set or more")
            return chance(gap, n)

        return Relation(
            checked,
            method,
            {"sd": self.sd, "models": self.models, "distribution": "normal"},
            largest=100 * self.sd,
            none_found=lambda n, target: (
                f"{n} are too few: {self.test} cannot reach p <= {self.alpha:g} with them"
            ),
            fewest=1,
            **more,
        )

    def drawn(
        self,
        draw: Callable[[np.random.Generator, float, int, int], NDArray[np.float64]],
        p_of: TestOfDraws,
    ) -> Callable[[float, int], float]:
        """Return the chance that the test rejects samples that are drawn."""
        side: Literal["two_sided", "greater"] = "greater" if self.one_sided else "two_sided"

        def rejected(rng: np.random.Generator, gap: float, n: int, times: int) -> NDArray[np.bool_]:
            return p_of(draw(rng, gap, n, times), side) <= self.alpha * (1 + 1e-12)

        return simulated(rejected, self.seed, self.rounds, lambda n: n * self.models)

    @property
    def simulation(self) -> str:
        """How power is computed by `drawn`."""
        return f"simulation, {self.rounds} rounds, seed {self.seed}"


def rank_power(
    test: str,
    difference: float | Literal["observed"] | None,
    sd: float,
    n: int | None,
    alpha: float = 0.05,
    target: float | None = None,
    *,
    models: int = 2,
    seed: int = 0,
    rounds: int = ROUNDS,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the power of a test on ranks over n data sets, with normal differences.

    One of the difference, n and the power aimed at (`target`) is None, and is found; None with a
    note where n data sets are too few to reject at all. The difference of two models over data
    sets is taken as normal with mean `difference` and standard deviation `sd`. The power of `sign`
    is binomial; `wilcoxon` up to 100 differences, and `friedman`, are run on drawn ones, and of
    more differences the statistic of `wilcoxon` is taken as normal. `friedman` compares `models`
    models, one of which is better than all others. All differences are tried on the same draws, so
    that power grows with them. With `one_sided` the difference has the sign of the alternative.
    Raises `ValueError` where `sd` is not positive, n or `rounds` below 1, `friedman` has fewer than
    three models, the observed difference is asked for, or too many data sets would be needed.
    """
    tests = {e.name: p.over_data for e in HYPOTHESIS_TESTS if (p := e.declaration.power)}
    known = {name: relation for name, relation in tests.items() if relation is not None}
    word(test, tuple(known), "test")
    several = HYPOTHESIS_TESTS[test].declaration.models != (2, 2)
    stated = OverData(test, sd, alpha, n, models if several else 2, one_sided, seed, rounds)
    return analysed(test, known[test](stated), alpha, difference, n, target)


def signs(stated: OverData) -> Relation:
    """Relate difference, data sets and power of the sign test, which is binomial."""

    def chance(gap: float, n: int) -> float:
        wins = float(scipy.special.ndtr(gap / stated.sd))
        side: Literal["two_sided", "greater"] = "greater" if stated.one_sided else "two_sided"
        return binomial_power(n, 0.5, wins, stated.alpha, side)

    return stated.relation(chance, "exact binomial, of normal differences", saw_toothed=True)


def signed_ranks(p_of: TestOfDraws) -> Callable[[OverData], Relation]:
    """Return the relation of a test of the ranks of differences, run on up to 100 of them."""

    def relation(stated: OverData) -> Relation:
        drawn = stated.drawn(
            lambda rng, gap, n, times: rng.normal(gap, stated.sd, (times, n)), p_of
        )

        def chance(gap: float, n: int) -> float:
            if n <= SIMULATED_UP_TO:
                return drawn(gap, n)
            return _normal_signed_ranks(gap / stated.sd, n, stated.alpha, stated.one_sided)

        many = stated.n is not None and stated.n > SIMULATED_UP_TO
        method = "the normal distribution of the rank sum of normal differences"
        return stated.relation(
            chance,
            method if many else stated.simulation,
            rounds=stated.rounds,
            computed_from=SIMULATED_UP_TO + 1,
        )

    return relation


def ranked_models(p_of: TestOfDraws) -> Callable[[OverData], Relation]:
    """Return the relation of a test that ranks all models, one of which is better than the rest."""

    def relation(stated: OverData) -> Relation:
        if not 3 <= stated.models <= MOST:
            raise ValueError(f"`{stated.test}` is for three models or more")

        def draw(rng: np.random.Generator, gap: float, n: int, times: int) -> NDArray[np.float64]:
            scores = rng.normal(0.0, stated.sd / math.sqrt(2), (times, n, stated.models))
            scores[:, :, 0] += gap
            return scores

        return stated.relation(
            stated.drawn(draw, p_of), stated.simulation, rounds=stated.rounds, most=MOST_DATA_SETS
        )

    return relation


def over_data(relation: Callable[[OverData], Relation]) -> PowerDeclaration:
    """Return the power of a test over data sets, or over losses, from its relation."""

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        asked, notes = in_unit(stated)
        made = relation(
            OverData(
                question.test,
                1.0 if stated.sd is None else stated.sd,
                question.alpha,
                question.n,
                question.models,
                question.one_sided,
                question.seed,
            )
        )
        assumed = {**({} if stated.sd is None else {"sd": stated.sd}), "distribution": "normal"}
        in_sd = stated.sd is None
        made = replace(made, assumed=assumed)
        return (answered(question, stated, made, asked=asked, in_sd=in_sd, before=notes),)

    words = {**SD, "distribution": AssumptionWords("{} differences")}
    return PowerDeclaration(answers, words, over_data=relation)


def _normal_signed_ranks(shift: float, n: int, alpha: float, one_sided: bool) -> float:
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
