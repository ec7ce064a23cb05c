"""McNemar's and Cochran's tests where examples come in groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.results.statistics import Clusters, HypothesisTestResult, Statistic, Summary
from evallang.stats.alternatives import Alternative, normal_p
from evallang.stats.clusters import (
    AT_ONCE,
    FEW_GROUPS,
    ROUNDS,
    clustered_difference,
    flip_groups,
    group_codes,
    group_totals,
    refers_to_chi2,
)
from evallang.stats.correctness import as_boolean
from evallang.stats.distributions import chi2_tail
from evallang.stats.hypothesis_tests.datasets import exact_rank_p

FEW_STEPS = 200_000  # sums formed before permutations are drawn; half a second


def clustered_mcnemar(
    plain: HypothesisTestResult,
    correct: ArrayLike,
    groups: ArrayLike,
    level: float,
    seed: int,
    method: str,
    alternative: Alternative,
) -> HypothesisTestResult:
    """Turn the result of McNemar's test into that of its clustered form.

    With d_g the sum of b - c within group g: (Σ d_g)² / Σ d_g², chi-squared with one degree
    of freedom (the modified test of Obuchowski: Yang, Sun & Hardin 2010). With `exact`, or
    fewer than 30 groups that tell the models apart, whole groups swap the models instead.
    """
    matrix = as_boolean(correct)
    if matrix.shape[1] != 2:
        raise ValueError("McNemar's test takes right and wrong of two models")
    first, second = matrix[:, 0], matrix[:, 1]
    difference = first.astype(np.int8) - second  # a byte each: rows may be millions
    codes = group_codes(groups, len(matrix))
    totals = group_totals(difference, codes)
    squares, telling = float((totals**2).sum()), int((totals != 0).sum())
    chi2 = float(totals.sum()) ** 2 / squares if squares else None
    p_chi2 = 1.0
    if squares:
        p_chi2 = normal_p(float(totals.sum()) / math.sqrt(squares), alternative)
    flipped = flip_groups(totals, seed, alternative=alternative)
    by_chi2 = refers_to_chi2(method, telling)
    estimate, clusters = clustered_difference(first, second, codes, level)
    notes: tuple[str, ...] = ()
    if telling == 0:
        notes = ("no group has more examples that one model answers rightly than the other",)
    elif by_chi2 and telling < FEW_GROUPS:
        notes = (f"only {telling} groups tell the models apart, few for the chi-squared form",)
    return replace(
        plain,
        variant="clustered chi2" if by_chi2 else f"group sign-flip, {flipped.variant}",
        statistic=Statistic("chi2", chi2) if by_chi2 else None,
        df=(1.0,) if by_chi2 else None,
        p=p_chi2 if by_chi2 else flipped.p,
        estimate=replace(estimate, name=Summary.OF_ACCURACIES),
        # Their intervals would count examples as independent
        effects=tuple(replace(effect, low=None, high=None) for effect in plain.effects),
        clusters=Clusters(clusters.n, _spread_over_groups(squares, difference)),
        extra={
            "chi2": chi2,
            "p_chi2": p_chi2,
            "p_sign_flip": flipped.p,
            "mc_se": flipped.mc_se,
            "p_smallest": flipped.smallest,
            "telling_groups": telling,
        },
        notes=notes,
    )


def clustered_cochran(
    plain: HypothesisTestResult,
    correct: ArrayLike,
    groups: ArrayLike,
    seed: int,
    method: str,
) -> HypothesisTestResult:
    """Turn the result of Cochran's test into that of its clustered form.

    The models' totals of right answers in each group take the place of examples: Q =
    (M - 1) Σ (T_j - mean)² / Σ (t_gj - mean of g)². `exact`, and fewer than 30 groups
    that tell models apart, permute the models once per group; else Q is chi-squared with
    M - 1 degrees of freedom. With two models it is the clustered form of McNemar's test.
    """
    matrix = as_boolean(correct)
    codes = group_codes(groups, len(matrix))
    models = matrix.shape[1]
    totals = group_totals(matrix.astype(np.float64), codes)
    # Times M, so that deviations from the mean of a group are whole numbers
    centred = np.rint(models * totals - totals.sum(axis=1, keepdims=True)).astype(np.int64)
    centred = centred[(centred != 0).any(axis=1)]
    within = int((centred**2).sum())
    between = int((centred.sum(axis=0) ** 2).sum())
    count = int(codes.max(initial=-1)) + 1
    q = (models - 1) * between / within if within else None
    notes: tuple[str, ...] = ()
    p, variant, error = 1.0, "clustered chi2", None
    if q is None:
        notes = ("no group tells the models apart",)
    elif refers_to_chi2(method, len(centred)):
        p = chi2_tail(q, models - 1)
    else:
        p, variant, error = _permuted(centred, between, seed)
    rows = models * matrix.astype(np.float64) - matrix.sum(axis=1, keepdims=True)
    return replace(
        plain,
        variant=variant,
        statistic=Statistic("Q", q),
        df=(float(models - 1),) if variant == "clustered chi2" else None,
        p=p,
        clusters=Clusters(count, _spread_over_groups(float(within), rows)),
        extra={**plain.extra, "telling_groups": len(centred), "mc_se": error},
        notes=notes,
    )


def _permuted(rows: NDArray[np.int64], observed: int, seed: int) -> tuple[float, str, float | None]:
    """Permute the models once per group: all ways, or `ROUNDS` random ones."""
    exact = exact_rank_p(rows, FEW_STEPS)
    if exact is not None:
        return exact, "group permutation, exact", None
    rng = np.random.default_rng(seed)
    exceeding = 0
    batch = max(1, AT_ONCE // rows.size)
    for start in range(0, ROUNDS, batch):
        size = min(batch, ROUNDS - start)
        shuffled = rng.permuted(np.broadcast_to(rows, (size, *rows.shape)), axis=2)
        exceeding += int(((shuffled.sum(axis=1) ** 2).sum(axis=1) >= observed).sum())
    p = (1 + exceeding) / (1 + ROUNDS)
    return p, "group permutation, Monte Carlo", math.sqrt(p * (1 - p) / ROUNDS)


def _spread_over_groups(over_groups: float, rows: NDArray[Any]) -> float | None:
    """Return the design effect under the null: squares of group totals over those of rows."""
    over_rows = float((rows**2).sum())
    return over_groups / over_rows if over_rows else None
