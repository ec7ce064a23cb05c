"""Pairs of models by their average ranks over data sets: Nemenyi, Bonferroni-Dunn."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.registry import Example
from evallang.results.statistics import Difference, Effect, HypothesisTestResult, Statistic
from evallang.stats.alternatives import normal_p
from evallang.stats.distributions import checked_level, normal_quantile
from evallang.stats.effect_sizes.over_data_sets import effects_over_data
from evallang.stats.hypothesis_tests.datasets import DEMSAR_RANKS, FROM_DATA_SETS, ZHOU_RANKS
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.rank_scores import (
    Better,
    Missing,
    checked_direction,
    rank_error,
    read_scores,
    row_ranks,
)
from evallang.stats.studentized_range import range_quantile, range_tail
from evallang.stats.validation import numbers

RANK_NULL = "the two models have the same expected rank among all models compared"


class _Compared(Struct, frozen=True, eq=False):
    """Two models among `models` on `n` data sets: their average ranks and their effects."""

    models: int
    n: int
    ranks: tuple[float, float] | None
    effects: tuple[Effect, ...]
    notes: tuple[str, ...]

    @property
    def error(self) -> float:
        """The standard error of the difference in average rank; 0 without data sets."""
        return rank_error(self.models, self.n) if self.n else 0.0

    @property
    def z(self) -> float:
        """The difference in average rank over its standard error; 0 without data sets."""
        return (self.ranks[0] - self.ranks[1]) / self.error if self.ranks else 0.0


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        RANK_NULL,
        by_mean_ranks=True,
        instead="wilcoxon",
        self_correcting=True,
        across_data=True,
        without_power="it depends on how all models rank on every data set",
        power_as="wilcoxon",
        holds="it follows an omnibus test, and is conservative over few data sets",
        when="you draw a critical-difference diagram after friedman",
        when_not=(
            "in all other cases, because the decision about two models depends on the other "
            "models (Benavoli, Corani & Mangili 2016): wilcoxon with holm"
        ),
        differs={
            "aeon": "its table of critical values is read one place too far, as if there were "
            "M + 1 models, so that differences are missed",
        },
        formula=(
            "the difference of the two average ranks, divided by the root of M (M + 1) / (6 "
            "N); p is the chance that M normal variables span as much (studentized range "
            "with infinite degrees of freedom)"
        ),
    ),
    title="Nemenyi's test",
    references=(cite("nemenyi1963"), cite("demsar2006"), cite("zhou2021"), cite("benavoli2016")),
    examples=(
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.95),
            {"extra.critical_difference": 1.25},
            "Demšar 2006, 3.2.2, 2.569 sqrt(4 * 5 / (6 * 14))",
            5e-3,
        ),
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.90),
            {"extra.critical_difference": 1.12, "estimate.value": 1.179},
            "Demšar 2006, 3.2.2",
            5e-3,
        ),
        Example(
            (ZHOU_RANKS, "lower", (0, 2), 0.95),
            {"extra.critical_difference": 1.657},
            "Zhou 2021, section 2.4.4",
            5e-4,
        ),
    ),
)
def nemenyi(
    scores: ArrayLike,
    better: Better,
    pair: Sequence[int] = (0, 1),
    level: float = 0.95,
    seed: int = 0,
    *,
    missing: Literal["leave_out", "worst"] = "leave_out",
) -> HypothesisTestResult:
    """Compare all pairs of models by their average ranks.

    Two average ranks that lie CD = q sqrt(M (M + 1) / (6 N)) apart or more differ; q is the
    quantile of the studentized range of M variables over the square root of 2. p is the
    tail of that range, and holds for all pairs together. The estimate is the difference in
    average rank, first minus second, ± CD: below 0 the first is better. `scores` is (N, M),
    `pair` names two of its columns. Raises `ValueError` otherwise.
    """
    found = _compared(scores, better, pair, missing, level, seed)
    quantile = range_quantile(level, found.models) / math.sqrt(2)
    p = range_tail(math.sqrt(2) * abs(found.z), found.models)
    return _rank_result("nemenyi", found, p, quantile, level)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        RANK_NULL,
        by_mean_ranks=True,
        instead="wilcoxon",
        against_reference=True,
        self_correcting=True,
        across_data=True,
        without_power="it depends on how all models rank on every data set",
        power_as="wilcoxon",
        holds="it follows an omnibus test, and is conservative over few data sets",
        when=("all models are compared with one after friedman, and you draw a figure of ranks"),
        when_not="in all other cases: wilcoxon with holm, which is more powerful",
        formula=(
            "the difference of the two average ranks, divided by the root of M (M + 1) / (6 "
            "N), as a normal deviate; its two-sided p times the number of comparisons with "
            "the reference"
        ),
    ),
    title="Bonferroni-Dunn test",
    references=(cite("dunn1961"), cite("demsar2006")),
    examples=(
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.95),
            {"extra.critical_difference": 1.16},
            "Demšar 2006, 3.2.2, 2.394 sqrt(4 * 5 / (6 * 14)) = 1.168, printed as 1.16",
            1e-2,
        ),
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.95),
            {"statistic.value": 2.416, "p": 3 * 0.016},
            "Demšar 2006, 3.2.2, z = 1.179/.488 and p = .016 before the correction for three",
            2e-3,
        ),
    ),
)
def bonferroni_dunn(
    scores: ArrayLike,
    better: Better,
    pair: Sequence[int] = (0, 1),
    level: float = 0.95,
    seed: int = 0,
    *,
    missing: Literal["leave_out", "worst"] = "leave_out",
) -> HypothesisTestResult:
    """Compare each model with a control by average ranks.

    z = (R_i - R_j) / sqrt(M (M + 1) / (6 N)), two-sided p times the M - 1 comparisons with
    the reference, at most 1 (Demšar 2006, 3.2.2). The estimate is the difference in average
    rank with its simultaneous interval. `scores` is (N, M) with the reference among the
    columns, `pair` a model and the reference. Raises `ValueError` otherwise.
    """
    found = _compared(scores, better, pair, missing, level, seed)
    comparisons = found.models - 1
    quantile = normal_quantile(1 - (1 - checked_level(level)) / comparisons)
    p = min(comparisons * normal_p(found.z), 1.0)
    return _rank_result("bonferroni_dunn", found, p, quantile, level)


def _compared(
    scores: ArrayLike,
    better: Better,
    pair: Sequence[int],
    missing: Missing,
    level: float,
    seed: int,
) -> _Compared:
    """Rank all models and pick two; raises `ValueError` where `pair` names no two columns."""
    checked_direction(better)
    given = numbers(scores, "scores")
    table = read_scores(given, better, missing)
    n, models = table.values.shape
    try:
        first, second = (operator.index(column) for column in pair)
    except (TypeError, ValueError):
        first = second = -1
    if first == second or not {first, second} <= set(range(models)):
        raise ValueError(f"a pair names two of the {models} columns of scores, not {pair!r}")
    x, y = given[table.kept][:, [first, second]].T
    ranks = None
    if n:
        average = row_ranks(table.values).mean(axis=0)
        ranks = float(average[first]), float(average[second])
    return _Compared(models, n, ranks, effects_over_data(x, y, level, seed), table.notes)


def _rank_result(
    test: str, found: _Compared, p: float, quantile: float, level: float
) -> HypothesisTestResult:
    """Build the result of a test of the difference in average rank over its error."""
    reach = quantile * found.error
    name = "difference in average rank"
    if found.ranks is None:
        return HypothesisTestResult(
            test=test,
            variant="z",
            null=RANK_NULL,
            statistic=Statistic("z", None),
            estimate=Difference(name, None, None, None, level, test),
            effects=found.effects,
            notes=(*found.notes, "undefined: no data set has a score of every model"),
        )
    value = found.ranks[0] - found.ranks[1]
    return HypothesisTestResult(
        test=test,
        variant="z",
        null=RANK_NULL,
        statistic=Statistic("z", found.z),
        p=p,
        estimate=Difference(name, value, value - reach, value + reach, level, test),
        effects=found.effects,
        extra={
            "n": found.n,
            "critical_difference": reach,
            "rank_first": found.ranks[0],
            "rank_second": found.ranks[1],
        },
        notes=found.notes,
    )
