"""What several readers reach with each model, the readers being a sample as well."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import READER_SCORES
from evallang.registry import Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.basics import checked_level, labels, normal_quantile, numbers, t_quantile
from evallang.stats.clusters import group_totals
from evallang.stats.hypothesis_tests.ranking_curves import auc_covariance
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validity import OF_GROUPS


class ReaderScores(Struct, frozen=True, eq=False, dict=True):
    """The scores of readers with models, and their covariance over examples.

    Attributes
    ----------
    scores : (m, j), of m models and j readers
    covariance : (m, j, m, j), over samples of examples; None where it is undefined
    n_groups : how many groups the examples come in, None where each is alone
    notes : why the covariance is undefined
    """

    scores: ArrayLike
    covariance: ArrayLike | None
    n_groups: int | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def of_models(self) -> NDArray[np.float64]:
        """The scores (m, j)."""
        return np.asarray(self.scores, dtype=np.float64)

    @property
    def negligible(self) -> float:
        """A variance that is one of rounding alone."""
        return 1e-24 * float((self.of_models**2).max())

    def degrees(self, error: float, spread: float, df: int) -> float | None:
        """Return Hillis's degrees of freedom of an error; None where readers do not differ.

        `spread` is what readers add to it, with `df` degrees of freedom.
        """
        return error**2 / (spread**2 / df) if spread > self.negligible else None

    def half_width(self, level: float, error: float, df: float | None, means: int) -> float:
        """Return half the width of the interval of a mean over readers, or of a difference.

        `means` is 1, of a difference 2. Normal without `df`: readers do not differ, and the error
        is that of the examples.
        """
        quantile = normal_quantile(level) if df is None else t_quantile(level, df)
        return quantile * math.sqrt(means * error / self.of_models.shape[1])

    def between_readers(self, *, same_model: bool) -> float:
        """Average the covariance of two readers, with the same model or with two (Cov2, Cov3).

        Raises `ValueError` where it is undefined, or there is no such pair.
        """
        if self.covariance is None:
            raise ValueError("the covariance is undefined")
        covariance = np.asarray(self.covariance, dtype=np.float64)
        m, j = self.of_models.shape
        models, readers = np.eye(m, dtype=bool), np.eye(j, dtype=bool)
        pairs = (models if same_model else ~models)[:, None, :, None] & ~readers[None, :, None, :]
        if not pairs.any():
            raise ValueError("there is one reader, or one model")
        found = covariance[np.broadcast_to(pairs, covariance.shape)]
        return math.fsum(found) / len(found)


def score_areas(
    truth: ArrayLike, row_scores: ArrayLike, groups: ArrayLike | None = None
) -> ReaderScores:
    """Compute the areas under the ROC curve of readers with models, by DeLong's covariance.

    `truth` is 1 for positives (n,), `row_scores` (n, m, j), `groups` codes (n,) or None
    (Obuchowski 1997). Raises `ValueError` where shapes differ, a score is missing or there is one
    model with one reader.
    """
    scores = numbers(row_scores, "scores")
    n, m, j = scores.shape
    found = auc_covariance(truth, scores.reshape(n, m * j), None, groups)
    covariance = None if found.covariance is None else found.covariance.reshape(m, j, m, j)
    areas = np.array(found.areas).reshape(m, j)
    return ReaderScores(areas, covariance, found.n_groups, found.notes)


def score_means(values: ArrayLike, groups: ArrayLike | None = None) -> ReaderScores:
    """Compute the means of readers with models over examples, such as their accuracy.

    `values` is (n, m, j); with `groups` (n,) whole groups are the sample. Raises `ValueError`
    where shapes differ or a value is not finite.
    """
    found = numbers(values, "values")
    if found.ndim != 3 or not np.isfinite(found).all():
        raise ValueError("every example needs a finite value of each reader with each model")
    n, m, j = found.shape
    means = found.mean(axis=0)
    parts = (found - means).reshape(n, m * j)
    n_groups = None
    if groups is not None:
        parts = group_totals(parts, labels(groups, n, "group"))
        n_groups = len(parts)
    if len(parts) < 2:
        unit = "examples" if groups is None else "groups"
        return ReaderScores(means, None, n_groups, (f"undefined: it takes two {unit}",))
    covariance = len(parts) / (len(parts) - 1) * (parts.T @ parts) / n**2
    return ReaderScores(means, covariance.reshape(m, j, m, j), n_groups)


T_95_4 = 2.7764451051977987  # t with 4 degrees of freedom


ENOUGH_READERS = 5
"""Readers from which on the interval has no note: of 3, 95 % intervals covered 91 %.

docs/validation.md, several readers: 92 and 93 % with 5 and 10.
"""

READING = (
    'predictions reading "Reading study (synthetic)" from "data/readings.csv"\n'
    "  id image\n"
    "  reader radiologist random\n"
    "  truth lesion\n"
    "  positive 1\n"
    "  score aided = aided\n"
    "  score alone = alone\n"
    '  unit "images"\n'
    "\n"
    "measure roc_auc\n"
)
# One model, two readers: MS(readers) .02, Cov2 .01
BY_HAND = ReaderScores(((0.9, 0.7),), ((((0.02, 0.01),), ((0.01, 0.02),)),))


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({READER_SCORES}),
        "readers",
        clustered=True,
        default_for=frozenset({"readers"}),
        holds=(OF_GROUPS,),
        when="several readers used a model on the same examples, and readers like them are meant",
        when_not=("these readers alone are meant: `reader COLUMN` without `random`, and bootstrap"),
        example=f"{READING}  interval obuchowski_rockette\n",
        formula=(
            "mean ± t √((MS(readers) + J max(Cov2, 0))/J) for J readers, Cov2 being the mean "
            "covariance over examples of two readers' scores; t has Hillis's degrees of freedom, "
            "(MS(readers) + J Cov2)² (J - 1)/MS(readers)²"
        ),
    ),
    title="Obuchowski–Rockette interval",
    references=(cite("obuchowski1995"), cite("hillis2007")),
    examples=(
        Example(
            (BY_HAND, (0.0, 1.0), 0.95),
            {"low": 0.8 - T_95_4 * math.sqrt(0.02), "high": 1.0},
            "own derivation, by hand: (.02 + 2 (.01))/2, and (.04/.02)² degrees of freedom",
            tolerance=1e-9,
        ),
    ),
)
def obuchowski_rockette(
    readers: ReaderScores, limits: tuple[float | None, float | None], level: float
) -> Interval:
    """Interval of the mean score of one model over readers and examples like those sampled.

    Hillis 2007. Bounds are cut at the `limits` of the metric. No interval with fewer than two
    readers, or where neither readers nor examples vary. Raises `ValueError` for several models.
    """
    checked_level(level)
    scores, clusters = readers.of_models, None
    if len(scores) != 1:
        raise ValueError("the interval is of one model")
    j = scores.shape[1]
    if readers.n_groups is not None:
        clusters = Clusters(readers.n_groups, None)
    if readers.covariance is None or j < 2:
        notes = readers.notes or ("undefined: it takes two readers",)
        return Interval("obuchowski_rockette", level, None, None, notes, clusters)
    mean, spread = float(scores.mean()), float(scores.var(ddof=1))
    error = spread + j * max(readers.between_readers(same_model=True), 0.0)
    if not error > readers.negligible:
        note = "undefined: neither readers nor examples vary"
        return Interval("obuchowski_rockette", level, None, None, (note,), clusters)
    half = readers.half_width(level, error, readers.degrees(error, spread, j - 1), 1)
    low, high = limits
    bounds = (
        mean - half if low is None else max(mean - half, low),
        mean + half if high is None else min(mean + half, high),
    )
    few = (f"only {j} readers: the interval tends to be too narrow",) if j < ENOUGH_READERS else ()
    return Interval("obuchowski_rockette", level, *bounds, few, clusters)
