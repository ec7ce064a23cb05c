"""What readers reach with a model, or its networks of several seeds, both being samples as well."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import NETWORK_SCORES, READER_SCORES
from evallang.registry import Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.basics import checked_level, labels, normal_quantile, numbers, t_quantile
from evallang.stats.clusters import group_totals
from evallang.stats.hypothesis_tests.ranking_curves import auc_covariance
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, within
from evallang.stats.validity import OF_GROUPS, Counted, Holds


class ReaderScores(Struct, frozen=True, eq=False, dict=True):
    """The scores of readers with models, and their covariance over examples.

    With `nested` the j readers of a model are networks that were trained for it with j seeds, and
    no network is that of another model too.

    Attributes
    ----------
    scores : (m, j), of m models and j readers
    covariance : (m, j, m, j), over samples of examples; None where it is undefined
    n_groups : how many groups the examples come in, None where each is alone
    notes : why the covariance is undefined
    nested : whether each model has readers of its own
    """

    scores: ArrayLike
    covariance: ArrayLike | None
    n_groups: int | None = None
    notes: tuple[str, ...] = ()
    nested: bool = False

    @property
    def noun(self) -> str:
        """What a column of scores is of, in the plural."""
        return "networks" if self.nested else "readers"

    @cached_property
    def of_models(self) -> NDArray[np.float64]:
        """The scores (m, j)."""
        return np.asarray(self.scores, dtype=np.float64)

    @property
    def negligible(self) -> float:
        """A variance that is one of rounding alone."""
        return 1e-24 * float((self.of_models**2).max())

    def degrees(self, error: float, spread: float, df: float) -> float | None:
        """Return Hillis's degrees of freedom of an error; None where readers do not differ.

        `spread` is what readers add to it, with `df` degrees of freedom.
        """
        return error**2 / (spread**2 / df) if spread > self.negligible else None

    def spread(self) -> tuple[float, float]:
        """Return the mean square of what readers add to differences of models, and its degrees.

        That of models by readers; of nested ones of readers within models, whose degrees of
        freedom are Satterthwaite's for variances that differ between models (Hillis 2014; Welch).
        """
        scores, (m, j) = self.of_models, self.of_models.shape
        if self.nested:
            own = scores.var(axis=1, ddof=1)
            total = math.fsum(own)
            squares = math.fsum(own**2)
            return total / m, (j - 1) * (total**2 / squares if squares > 0 else m)
        # Sums without rounding, so that the order of the models changes no bit
        of_reader = np.array([math.fsum(column) / m for column in scores.T])
        rest = (
            scores - scores.mean(axis=1)[:, None] - of_reader + math.fsum(scores.ravel()) / (m * j)
        )
        return math.fsum((rest**2).ravel()) / ((m - 1) * (j - 1)), (m - 1) * (j - 1)

    def half_width(self, level: float, error: float, df: float | None, means: int) -> float:
        """Return half the width of the interval of a mean over readers, or of a difference.

        `means` is 1, of a difference 2. Normal without `df`: readers do not differ, and the error
        is that of the examples.
        """
        quantile = normal_quantile(level) if df is None else t_quantile(level, df)
        return quantile * math.sqrt(means * error / self.of_models.shape[1])

    def between_readers(self, *, same_model: bool) -> float:
        """Average the covariance of two readers, with the same model or with two (Cov2, Cov3).

        Nested readers of two models are always two, whatever their numbers. Raises `ValueError`
        where it is undefined, or there is no such pair.
        """
        if self.covariance is None:
            raise ValueError("the covariance is undefined")
        covariance = np.asarray(self.covariance, dtype=np.float64)
        m, j = self.of_models.shape
        models, readers = np.eye(m, dtype=bool), np.eye(j, dtype=bool)
        apart = ~readers | (self.nested and not same_model)
        pairs = (models if same_model else ~models)[:, None, :, None] & apart[None, :, None, :]
        if not pairs.any():
            raise ValueError("there is one reader, or one model")
        found = covariance[np.broadcast_to(pairs, covariance.shape)]
        return math.fsum(found) / len(found)


def score_areas(
    truth: ArrayLike,
    row_scores: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    nested: bool = False,
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
    return ReaderScores(areas, covariance, found.n_groups, found.notes, nested)


def score_means(
    values: ArrayLike, groups: ArrayLike | None = None, *, nested: bool = False
) -> ReaderScores:
    """Compute the means of readers with models over examples, such as their accuracy.

    `values` is (n, m, j), of a metric that is not a mean the jackknife's pseudo-values; with
    `groups` (n,) whole groups are the sample. Without covariance where a value is not finite.
    Raises `ValueError` where shapes differ.
    """
    found = numbers(values, "values")
    if found.ndim != 3:
        raise ValueError("every example needs a value of each reader with each model")
    n, m, j = found.shape
    means = found.mean(axis=0)
    if not np.isfinite(found).all():
        noun = "network" if nested else "reader"
        note = f"undefined for one {noun}, or without one of its examples"
        return ReaderScores(means, None, notes=(note,), nested=nested)
    parts = (found - means).reshape(n, m * j)
    n_groups = None
    if groups is not None:
        parts = group_totals(parts, labels(groups, n, "group"))
        n_groups = len(parts)
    if len(parts) < 2:
        unit = "examples" if groups is None else "groups"
        return ReaderScores(means, None, n_groups, (f"undefined: it takes two {unit}",), nested)
    covariance = len(parts) / (len(parts) - 1) * (parts.T @ parts) / n**2
    return ReaderScores(means, covariance.reshape(m, j, m, j), n_groups, nested=nested)


T_95_4 = 2.7764451051977987  # t with 4 degrees of freedom


ENOUGH_READERS = 10
"""Readers, or networks, from which on the interval has no note (docs/validation.md)."""

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
        frozenset({READER_SCORES, NETWORK_SCORES}),
        "readers",
        clustered=True,
        default_for=frozenset({"readers"}),
        holds=(
            OF_GROUPS,
            Holds(
                Counted.READERS,
                ENOUGH_READERS,
                "coverage of 95% intervals was 91 to 93% in simulations",
            ),
            Holds(
                Counted.NETWORKS,
                ENOUGH_READERS,
                "coverage of 95% intervals was 91 to 95% in simulations of accuracy, F1 and MCC",
            ),
            Holds(
                Counted.UNBOUNDED,
                ENOUGH_READERS,
                "coverage of 95% intervals was 83 to 93% in simulations of R²",
            ),
        ),
        when=(
            "several readers used a model on the same examples, or it was trained with several "
            "seeds, and readers or networks like them are meant"
        ),
        when_not=(
            "these readers or networks alone are meant: `reader COLUMN` without `random`, or "
            "`repeat COLUMN`, and bootstrap"
        ),
        example=f"{READING}  interval obuchowski_rockette\n",
        formula=(
            "mean ± t √((MS(readers) + J max(Cov2, 0))/J) for J readers, Cov2 being the mean "
            "covariance over examples of two readers' scores; t has Hillis's degrees of freedom, "
            "(MS(readers) + J Cov2)² (J - 1)/MS(readers)². Scores are areas, means, or metrics "
            "with jackknife pseudo-values in place of the examples' values"
        ),
    ),
    title="Obuchowski–Rockette interval",
    references=(
        cite("obuchowski1995"),
        cite("hillis2007"),
        cite("efron1982", "pseudo_values"),
    ),
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
        notes = readers.notes or (f"undefined: it takes two {readers.noun}",)
        return Interval("obuchowski_rockette", level, None, None, notes, clusters)
    mean, spread = float(scores.mean()), float(scores.var(ddof=1))
    error = spread + j * max(readers.between_readers(same_model=True), 0.0)
    if not error > readers.negligible:
        note = f"undefined: neither {readers.noun} nor examples vary"
        return Interval("obuchowski_rockette", level, None, None, (note,), clusters)
    half = readers.half_width(level, error, readers.degrees(error, spread, j - 1), 1)
    bounds = within(limits, mean - half, mean + half)
    return Interval("obuchowski_rockette", level, *bounds, clusters=clusters)
