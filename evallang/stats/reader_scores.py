"""What several readers reach with each model on the same examples, and how that varies."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.clusters import group_codes, group_totals
from evallang.stats.hypothesis_tests.auc_covariance import auc_covariance
from evallang.stats.validation import numbers


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
        parts = group_totals(parts, group_codes(groups, n))
        n_groups = len(parts)
    if len(parts) < 2:
        unit = "examples" if groups is None else "groups"
        return ReaderScores(means, None, n_groups, (f"undefined: it takes two {unit}",))
    covariance = len(parts) / (len(parts) - 1) * (parts.T @ parts) / n**2
    return ReaderScores(means, covariance.reshape(m, j, m, j), n_groups)
