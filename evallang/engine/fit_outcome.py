"""What came of one task: the record that a worker returns and the store keeps."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.models.model import ParameterValue
from evallang.models.thresholds import ChosenThreshold

Choice = Mapping[str, ParameterValue]
FailedCandidate = tuple[Choice, str, str]
"""A candidate that a choice skipped, the error and its message."""


class InnerScores(Struct, frozen=True):
    """The candidates of a search and their scores in the inner folds (folds, candidates).

    A score is NaN where it is undefined, or where a fit of the candidate failed.
    """

    candidates: tuple[Choice, ...]
    scores: "NDArray[np.float64]"


class TrainingOutputs(Struct, frozen=True):
    """Predictions of the rows that a model was fitted on, as those of `FitOutcome`."""

    labels: "NDArray[Any]"
    scores: "NDArray[np.float64] | None"


class FitOutcome(Struct, frozen=True):
    """What came of one task.

    Attributes
    ----------
    labels : predicted class codes or values of the test rows; empty after a failure
    scores : probabilities (n, K), or margins (n, K) or (n,) of the positive class, or None
    params, inner_score : the chosen candidate and its mean score over the inner folds
    search : the scores of all candidates, None without a search and after a failure
    warnings : (category, message, number of fits that gave it)
    failure : (error, message) where the fit failed
    inner_failures : (candidate, error, message) of candidates that the choice skipped
    n_fits : calls of `fit` on a whole pipeline that were made
    repeatable : whether the same fits again would give the same outcome; not after a failure
        for a reason outside the fit, such as a lack of memory
    not_kept : why the store could not keep the outcome, or None
    training : predictions of the training rows where the task asks for them
    thresholds : what the last step chose, or the members of an ensemble whose labels it uses
    training_score : how far the model orders a sample of its training rows, None where unknown
    """

    labels: "NDArray[Any]"
    scores: "NDArray[np.float64] | None"
    probabilities: bool
    params: Choice
    inner_score: float | None
    seconds: float
    warnings: tuple[tuple[str, str, int], ...] = ()
    failure: tuple[str, str] | None = None
    inner_failures: tuple[FailedCandidate, ...] = ()
    n_fits: int = 0
    repeatable: bool = True
    not_kept: str | None = None
    search: InnerScores | None = None
    training: TrainingOutputs | None = None
    thresholds: tuple[ChosenThreshold, ...] = ()
    training_score: float | None = None
