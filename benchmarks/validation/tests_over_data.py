"""Type I error of the tests over many data sets; wrong decisions of the Bayesian ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.one_design import Draw, designs
from benchmarks.validation.simulation import (
    GUARANTEED,
    LEVEL,
    NOMINAL,
    ROUGHLY,
    Line,
    Section,
    Simulation,
    Tally,
    new_seed,
    tally,
)
from evallang.results.statistics import HypothesisTestResult
from evallang.stats.hypothesis_tests.bayesian import (
    bayes_mcnemar,
    bayes_sign,
    bayes_signed_rank,
    bayes_t,
)
from evallang.stats.hypothesis_tests.datasets import (
    bonferroni_dunn,
    friedman,
    friedman_aligned,
    nemenyi,
    quade,
    sign,
)
from evallang.stats.hypothesis_tests.losses import wilcoxon

SECTION = Section(
    "data_sets",
    "Type I error: tests over data sets",
    "The scores of equally good models are a level of each data set, from .5 to 1, plus noise "
    "with long tails. `nemenyi` and `bonferroni_dunn` are counted once for all of their pairs, "
    "as the probability of at least one false rejection.",
    ("test", "design"),
    ("at 5 %", "at 1 %"),
)
BAYESIAN = Section(
    "bayesian",
    "Wrong decisions of the Bayesian tests",
    "Both models are equal; a decision is wrong if the probability that one of them is better "
    "exceeds 95 %. These tests have no null hypothesis and no level; the figures show what to "
    "expect.",
    ("test", "design"),
    ("wrong decisions",),
)
Rng = np.random.Generator
Floats = NDArray[np.float64]


def _scores(rng: Rng, n: int, models: int, digits: int | None = None) -> Floats:
    levels = rng.uniform(0.5, 1.0, (n, 1))
    scores = levels + 0.03 * rng.standard_t(4, (n, models))
    return scores if digits is None else scores.round(digits)


def _over(
    test: Callable[..., HypothesisTestResult], n: int, models: int, digits: int | None = None
) -> Draw:
    return lambda rng: test(_scores(rng, n, models, digits)).p


def _of_two(test: Callable[..., HypothesisTestResult], n: int, digits: int | None = None) -> Draw:
    def p(rng: Rng) -> float | None:
        return test(*_scores(rng, n, 2, digits).T).p

    return p


def _average_ranks(scores: Floats) -> Floats:
    """Rank without ties, for the pair whose p is the smallest."""
    ranks: Floats = scores.argsort(axis=1).argsort(axis=1).mean(axis=0)
    return ranks


def _nemenyi(rng: Rng) -> float | None:
    scores = _scores(rng, 20, 5)
    ranks = _average_ranks(scores)
    return nemenyi(scores, pair=(int(ranks.argmax()), int(ranks.argmin())), better="higher").p


def _bonferroni_dunn(rng: Rng) -> float | None:
    scores = _scores(rng, 20, 5)
    ranks = _average_ranks(scores)
    return bonferroni_dunn(
        scores, pair=(int(np.abs(ranks - ranks[4]).argmax()), 4), better="higher"
    ).p


TESTS = designs(
    SECTION.key,
    ("friedman", "20 data sets, 5 models, F", _over(friedman, 20, 5), 20_000, NOMINAL),
    ("friedman", "8 data sets, 3 models, exact", _over(friedman, 8, 3), 5_000, GUARANTEED),
    ("friedman", "20 data sets, 5 models, many ties", _over(friedman, 20, 5, 1), 20_000, ROUGHLY),
    ("friedman_aligned", "20 data sets, 5 models", _over(friedman_aligned, 20, 5), 4_000, ROUGHLY),
    ("quade", "20 data sets, 5 models", _over(quade, 20, 5), 20_000, ROUGHLY),
    ("wilcoxon", "30 data sets", _of_two(wilcoxon, 30), 20_000, NOMINAL),
    ("wilcoxon", "30 data sets, many ties", _of_two(wilcoxon, 30, 2), 20_000, ROUGHLY),
    ("sign", "30 data sets", _of_two(sign, 30), 4_000, GUARANTEED),
    ("nemenyi", "20 data sets, 5 models, 10 pairs", _nemenyi, 5_000, ROUGHLY),
    ("bonferroni_dunn", "20 data sets, 5 models, 4 pairs", _bonferroni_dunn, 5_000, ROUGHLY),
)


def _decides(found: HypothesisTestResult) -> bool:
    shares = (found.extra["p_first"], found.extra["p_second"])
    return max(x for x in shares if isinstance(x, float)) > LEVEL


def _bayesian(
    test: str,
    design: str,
    result: Callable[[Rng], HypothesisTestResult],
    replications: int,
) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        return {"wrong": tally([_decides(result(rng)) for _ in range(count)])}

    name = f"{BAYESIAN.key}: {test}, {design}"
    line = Line((f"`{test}`", design), ("wrong",))
    return Simulation(name, BAYESIAN.key, replications, draw, (line,), max(replications // 10, 1))


def _signs(rope: float) -> Callable[[Rng], HypothesisTestResult]:
    return lambda rng: bayes_sign(*_scores(rng, 30, 2).T, better="higher", rope=rope)


def _signed_ranks(rope: float) -> Callable[[Rng], HypothesisTestResult]:
    def result(rng: Rng) -> HypothesisTestResult:
        first, second = _scores(rng, 30, 2).T
        return bayes_signed_rank(
            first, second, seed=new_seed(rng), rope=rope, samples=5_000, better="higher"
        )

    return result


def _folds(rope: float) -> Callable[[Rng], HypothesisTestResult]:
    """Draw fold differences with the correlation that the test assumes, 1/10."""

    def result(rng: Rng) -> HypothesisTestResult:
        d = 0.03 * (np.sqrt(0.9) * rng.standard_normal(10) + np.sqrt(0.1) * rng.standard_normal())
        return bayes_t(d, np.zeros(10), (90,) * 10, (10,) * 10, "higher", True, rope=rope)

    return result


def _tables(n: int, discordant: float, rope: float) -> Callable[[Rng], HypothesisTestResult]:
    """Draw tables of two models that are right equally often."""

    def result(rng: Rng) -> HypothesisTestResult:
        b, c, rest = rng.multinomial(n, (discordant / 2, discordant / 2, 1 - discordant)).tolist()
        return bayes_mcnemar(((rest, b), (c, 0)), rope=rope)

    return result


SIMULATIONS = (
    *TESTS,
    _bayesian("bayes_mcnemar(rope=0)", "n = 100, 20 discordant", _tables(100, 0.2, 0.0), 1_000),
    _bayesian("bayes_mcnemar(rope=0)", "n = 100, 4 discordant", _tables(100, 0.04, 0.0), 1_000),
    _bayesian("bayes_mcnemar(rope=0.01)", "n = 100, 20 discordant", _tables(100, 0.2, 0.01), 500),
    _bayesian("bayes_sign(rope=0)", "30 data sets", _signs(0.0), 2_000),
    _bayesian("bayes_sign(rope=0.01)", "30 data sets", _signs(0.01), 2_000),
    _bayesian("bayes_signed_rank(rope=0)", "30 data sets", _signed_ranks(0.0), 2_000),
    _bayesian("bayes_signed_rank(rope=0.01)", "30 data sets", _signed_ranks(0.01), 2_000),
    _bayesian("bayes_t(rope=0)", "10 folds, correlation 1/10", _folds(0.0), 20_000),
    _bayesian("bayes_t(rope=0.01)", "10 folds, correlation 1/10", _folds(0.01), 20_000),
)
