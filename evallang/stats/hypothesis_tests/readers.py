"""Models that several readers used, or that were trained several times, on the same examples."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from evallang.bibliography import cite
from evallang.evidence import NETWORK_SCORES, READER_SCORES
from evallang.registry import Example, Situation
from evallang.results.statistics import (
    Clusters,
    Difference,
    HypothesisTestResult,
    Statistic,
    Summary,
)
from evallang.stats.basics import (
    Alternative,
    checked_level,
    chi2_tail,
    f_tail,
    normal_p,
    one_sided,
    t_p,
)
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.readers import READING, ReaderScores
from evallang.stats.validity import ENOUGH_GROUPS, Counted, Holds

NULL = "the {models} have the same expected score over {readers} and examples like those sampled"
VARIANTS = {
    "random_readers": "",
    "random_readers, clustered": "clustered",
    "random_networks": "",
    "random_networks, clustered": "clustered",
}
"""Printed words of its forms."""
NO_ERROR = "the differences between the models are the same for all {noun} and examples"

ONE_NETWORK = "undefined: one network of a model shows no variance between trainings"


# Two models, two readers: MS(models) .04, MS(models x readers) .01, Cov2 .03, Cov3 .01
SAME, OTHER = ((0.05, 0.03), (0.03, 0.05)), ((0.01, 0.01), (0.01, 0.01))
BY_HAND = ReaderScores(
    ((0.9, 0.8), (0.6, 0.7)),
    tuple(
        tuple(tuple(block[reader] for block in row) for reader in range(2))
        for row in ((SAME, OTHER), (OTHER, SAME))
    ),
)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({READER_SCORES, NETWORK_SCORES}),
        NULL,
        variants=VARIANTS,
        models=(2, None),
        tests="readers",
        omnibus=True,
        clustered=True,
        followed_by=("obuchowski_rockette",),
        proposed=1,
        first_for={Situation.NETWORKS: 1},
        default_for=frozenset({"readers"}),
        without_power="it depends on how much readers or networks differ",
        power_as="delong",
        holds=(
            Holds(
                Counted.GROUPS,
                ENOUGH_GROUPS,
                "the interval tends to be too narrow and p too small (Cameron & Miller 2015)",
            ),
        ),
        when=(
            "several readers used each model on the same examples (multi-reader multi-case "
            "studies), or each model was trained with several seeds, and the conclusion is about "
            "readers or networks like them"
        ),
        when_not=(
            "the conclusion is about these readers or networks alone: `reader COLUMN` without "
            "`random`, or `repeat COLUMN`, and permutation or bootstrap"
        ),
        example=f"{READING}compare aided vs alone with obuchowski_rockette by roc_auc\n",
        formula=(
            "an analysis of variance of the scores of models by readers: F = MS(models) / "
            "(MS(models x readers) + J max(Cov2 - Cov3, 0)) for J readers, Cov2 and Cov3 being the "
            "mean covariance over examples of two readers with the same model and with two; its "
            "second degrees of freedom are Hillis's, the square of the denominator over "
            "MS(models x readers)²/((I - 1)(J - 1)) for I models. The covariances are DeLong's "
            "for areas of two classes, those of the examples' values for means, and those of "
            "jackknife pseudo-values for other metrics. Networks (`seed COLUMN`) are "
            "nested in their models: MS(networks in models) replaces MS(models x readers), Cov3 "
            "is that of all networks of two models, and the degrees of freedom are "
            "Satterthwaite's for variances that differ between models"
        ),
        differs={
            "MRMCaov": (
                "tests of pairs among three or more models pool their error over all models; here "
                "each rests on its two models"
            ),
        },
    ),
    title="Obuchowski–Rockette test",
    references=(cite("obuchowski1995"), cite("hillis2007"), cite("hillis2014")),
    examples=(
        Example(
            (BY_HAND, 0.95),
            {"statistic.value": 2 / math.sqrt(5), "df": (25.0,), "estimate.value": 0.2},
            "own derivation, by hand: .2 / sqrt(.01 + 2 (.02)); (.01 + .04)² / .01²",
            tolerance=1e-9,
        ),
        Example(
            (replace(BY_HAND, nested=True), 0.95),
            {"statistic.value": 0.2 / math.sqrt(0.045), "df": (162.0,), "estimate.value": 0.2},
            "own derivation, by hand: MS(networks in models) .005, .2 / sqrt(.005 + 2 (.02)); "
            "(.005 + .04)² / (.005² / 2)",
            tolerance=1e-9,
        ),
    ),
)
def obuchowski_rockette(
    readers: ReaderScores, level: float, *, alternative: Alternative = "two_sided"
) -> HypothesisTestResult:
    """Compare models that the same readers used on the same examples, or that were trained often.

    Readers and examples are both samples (Obuchowski & Rockette 1995, with the degrees of freedom
    of Hillis 2007); the networks of a model are its own (Hillis 2014). Two models: t, the
    difference of their mean scores over its standard error, signed, first minus second. More: F.
    Where the readers do not differ at all in how they rank the models the error is that of the
    examples alone, and normal. `alternative=greater` asks only whether the first of two is better.
    One network shows no variance of training: there is no p. Raises `ValueError` with fewer than
    two models or readers, or where a side is named for more than two models.
    """
    checked_level(level)
    scores = readers.of_models
    m, j = scores.shape
    if m < 2 or (j < 2 and not readers.nested):
        raise ValueError("it takes two models, each used by the same two or more readers")
    if m > 2 and alternative != "two_sided":
        raise ValueError("a one-sided test compares two models")
    clusters = None if readers.n_groups is None else Clusters(readers.n_groups, None)
    form = f"random_{readers.noun}" + ("" if readers.n_groups is None else ", clustered")
    result = HypothesisTestResult(
        "obuchowski_rockette", form, NULL.replace("{readers}", readers.noun),
        Statistic("t" if m == 2 else "F", None),
        clusters=clusters, notes=readers.notes or ((ONE_NETWORK,) if j < 2 else ()),
    )  # fmt: skip
    if readers.covariance is None or not np.isfinite(scores).all() or j < 2:
        return result
    means = scores.mean(axis=1)
    # Sums without rounding, so that the order of the models changes no bit
    grand = math.fsum(scores.ravel()) / (m * j)
    between = j * math.fsum((means - grand) ** 2) / (m - 1)
    spread, df_of_spread = readers.spread()
    same, other = (readers.between_readers(same_model=same) for same in (True, False))
    error = spread + j * max(same - other, 0.0)
    name = "ms_networks_in_models" if readers.nested else "ms_models_by_readers"
    extra = {
        "ms_models": between, name: spread, "cov2": same, "cov3": other,
        **{f"score_{k + 1}": float(mean) for k, mean in enumerate(means)},
    }  # fmt: skip
    df = readers.degrees(error, spread, df_of_spread)
    varies = error > readers.negligible
    alike = 1.0 if between <= readers.negligible else None
    result = replace(
        result, extra=extra, notes=() if varies else (NO_ERROR.format(noun=readers.noun),), p=alike
    )
    if m > 2:
        result = replace(result, df=None if df is None else (float(m - 1), df))
        if not varies:
            return result
        value = between / error
        p = chi2_tail(value * (m - 1), m - 1) if df is None else f_tail(value, m - 1, df)
        return replace(result, statistic=Statistic("F", value), p=p)
    gap = float(means[0] - means[1])
    if not varies:
        estimate = Difference(Summary.DIFFERENCE, gap, None, None, level, "none")
        return replace(result, estimate=estimate)
    half, scale = readers.half_width(level, error, df, 2), math.sqrt(2 * error / j)
    t = gap / scale
    result = replace(
        result,
        statistic=Statistic("z" if df is None else "t", t),
        df=None if df is None else (df,),
        p=normal_p(t, alternative) if df is None else t_p(t, df, alternative),
        estimate=Difference(
            Summary.DIFFERENCE, gap, gap - half, gap + half, level, "obuchowski_rockette", df=df
        ),
        extra={**extra, "standard_error": scale},
    )
    return one_sided(result, alternative)
