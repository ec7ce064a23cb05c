"""The searches of a model for hyper-parameters, as the analyses of searches read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evallang.results.settings import Value


@dataclass(frozen=True)
class SearchedParameter:
    """One searched parameter and its candidates in the order written.

    `values` is empty where candidates are drawn from a distribution; `written` is the domain as
    the author wrote it.
    """

    name: str
    values: tuple[Value, ...]
    written: str


@dataclass(frozen=True)
class FoldSearch:
    """The search inside one training part, and the score of the chosen candidate on its test part.

    Both scores are by the metric of the search; either is None where it is undefined.
    """

    repeat: int
    fold: int
    chosen: Mapping[str, Value]
    inner_score: float | None
    test_score: float | None


@dataclass(frozen=True)
class Searches:
    """All searches of one model: one inside each training part of a protocol."""

    parameters: tuple[SearchedParameter, ...]
    n_candidates: int
    metric: str
    folds: tuple[FoldSearch, ...]


def identity(value: Value) -> str:
    """Return a text that differs for values that differ, as 1, 1.0 and True do."""
    return f"{type(value).__name__} {value!r}"


def is_number(value: Value) -> bool:
    """Return whether a value is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
