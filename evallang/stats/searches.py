"""The searches of a model for hyper-parameters, as the analyses of searches read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.settings import Value

Rule = Literal["best", "one_standard_error"]
DIGITS = 12  # significant digits to which equal scores tie


class SearchedParameter(Struct, frozen=True):
    """One searched parameter and its candidates in the order written.

    `values` is empty where candidates are drawn from a distribution; `written` is the domain as
    the author wrote it.
    """

    name: str
    values: tuple[Value, ...]
    written: str


class FoldSearch(Struct, frozen=True):
    """The search inside one training part, and the score of the chosen candidate on its test part.

    All scores are by the metric of the search. `inner_score` and `test_score` are None where they
    are undefined; `scores` are those of all `candidates` in the inner folds (folds, candidates),
    NaN where undefined, and `steps` count how far each candidate is from the simplest.
    """

    repeat: int
    fold: int
    chosen: Mapping[str, Value]
    inner_score: float | None
    test_score: float | None
    candidates: tuple[Mapping[str, Value], ...]
    scores: NDArray[np.float64]
    steps: tuple[int, ...]


class Searches(Struct, frozen=True):
    """All searches of one model: one inside each training part of a protocol.

    `better` is the better direction of the metric, and `rule` what chose among the candidates.
    """

    parameters: tuple[SearchedParameter, ...]
    n_candidates: int
    metric: str
    better: Literal["higher", "lower"]
    rule: Rule
    folds: tuple[FoldSearch, ...]


def identity(value: Value) -> str:
    """Return a text that differs for values that differ, as 1, 1.0 and True do."""
    return f"{type(value).__name__} {value!r}"


def is_number(value: Value) -> bool:
    """Return whether a value is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def choose(
    scores: NDArray[np.float64],
    usable: Sequence[int],
    rule: Rule,
    better: Literal["higher", "lower"],
    steps: Sequence[int],
) -> int:
    """Choose a candidate from its scores in the inner folds (folds, candidates).

    `best`: the best mean, ties to the first written. `one_standard_error`: the simplest
    whose mean is within one standard error (sd over folds / sqrt(k)) of the best (Breiman
    et al. 1984; Raschka 2018, 3.10); `steps` counts how far each is from the simplest, and
    ties go to the better mean, then to the first written.
    """
    means = scores.mean(axis=0)
    sign = -1.0 if better == "higher" else 1.0
    losses = {i: _rounded(sign * float(means[i])) for i in usable}
    best = min(usable, key=lambda i: (losses[i], i))
    if rule == "best" or len(scores) < 2:
        return best
    error = float(np.std(scores[:, best], ddof=1)) / len(scores) ** 0.5
    within = [i for i in usable if losses[i] <= _rounded(losses[best] + error)]
    return min(within, key=lambda i: (steps[i], losses[i], i))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
