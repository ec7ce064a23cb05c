"""A search that several workers share, where there are fewer tasks than work.

Each part holds some of the inner folds, and where these are too few some of the candidates, for
which the steps before them are fitted once more. The parts together are what one process would
have found, in the same order.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from evallang.models.foreign_errors import Loss
from evallang.planning.plan import FitTask

TASKS_PER_WORKER = 4
"""Fewer tasks than these for each worker leave workers without one at the end."""

Place = tuple[int, int, int]
"""Which search, which inner fold and which candidate."""


class Noted(Struct):
    """What happened in fits: how long they took, and their warnings by their places."""

    seconds: float = 0.0
    fits: int = 0
    repeatable: bool = True
    warnings: list[tuple[Place, str, str]] = field(default_factory=list)

    def add(self, other: "Noted") -> None:
        """Add what happened in other fits."""
        self.seconds += other.seconds
        self.fits += other.fits
        self.repeatable = self.repeatable and other.repeatable
        self.warnings += other.warnings

    def counted(self) -> tuple[tuple[str, str, int], ...]:
        """Return every warning, with the number of fits that gave it, the first one first."""
        counts: dict[tuple[str, str], int] = {}
        for _, category, message in sorted(self.warnings, key=lambda warning: warning[0]):
            counts[category, message] = counts.get((category, message), 0) + 1
        return tuple((category, message, n) for (category, message), n in counts.items())


class Scored(Struct, frozen=True):
    """Scores of candidates in the inner folds (folds, candidates), and why some have no score."""

    scores: "NDArray[np.float64]"
    failures: Mapping[int, tuple[str, str]]


class Part(Struct, frozen=True):
    """The inner folds and the candidates of a part, by their places among all of the search."""

    folds: range
    candidates: range


class SearchPart(Struct, frozen=True):
    """What a worker found for a part of a search; `lost` where it lost all of it."""

    part: Part
    scored: Scored | None
    noted: Noted
    lost: Loss | None = None


def cut(task: FitTask, pieces: int) -> list[Part]:
    """Divide a search into at least so many parts, if it has them; empty without a search.

    A search with a seed chooses its candidates on the way.
    """
    n = len(task.candidates) if task.search is None else 0
    if pieces < 2 or not n or not task.inner:
        return []
    folds = _ranges(len(task.inner), pieces)
    candidates = _ranges(n, -(-pieces // len(folds)))
    parts = [Part(some, tried) for some in folds for tried in candidates]
    return parts if len(parts) > 1 else []


def _ranges(n: int, pieces: int) -> list[range]:
    """Divide n places into ranges of about equal length."""
    ends = np.linspace(0, n, min(pieces, n) + 1).astype(int).tolist()
    return [range(first, end) for first, end in pairwise(ends)]


def joined(parts: Sequence[SearchPart]) -> tuple[Scored, Noted] | Loss:
    """Join all parts of a search, in their order; a lost part loses the task."""
    noted = Noted()
    n_folds = max(made.part.folds.stop for made in parts)
    n_candidates = max(made.part.candidates.stop for made in parts)
    scores = np.full((n_folds, n_candidates), np.nan)
    failures: dict[int, tuple[str, str]] = {}
    for made in sorted(parts, key=lambda made: (made.part.folds.start, made.part.candidates.start)):
        folds, candidates = made.part.folds, made.part.candidates
        noted.add(made.noted)
        if made.lost is not None or made.scored is None:
            assert made.lost is not None, "a part without scores was lost"
            return made.lost
        scores[folds.start : folds.stop, candidates.start : candidates.stop] = made.scored.scores
        for i, reason in made.scored.failures.items():
            failures.setdefault(candidates.start + i, reason)  # that of the first fold
    return Scored(scores, failures), noted
