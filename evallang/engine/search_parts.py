"""A search whose candidates are tried by several workers, where there are fewer tasks than work.

Each part holds some of the candidates with all inner folds, and fits the steps before them once
more. The parts together are what one process would have found, in the same order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from evallang.models import neighbours
from evallang.models.losses import Loss
from evallang.models.model import EstimatorSpec
from evallang.planning.plan import FitTask
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

TASKS_PER_WORKER = 4
"""Fewer tasks than these for each worker leave workers without one at the end."""

Place = tuple[int, int, int]
"""Which search, which inner fold and which candidate."""


@dataclass
class Noted:
    """What happened in fits: how long they took, and their warnings by their places."""

    seconds: float = 0.0
    fits: int = 0
    repeatable: bool = True
    fast_paths: dict[str, int] = field(default_factory=dict)
    warnings: list[tuple[Place, str, str]] = field(default_factory=list)

    def add(self, other: "Noted") -> None:
        """Add what happened in other fits."""
        self.seconds += other.seconds
        self.fits += other.fits
        self.repeatable = self.repeatable and other.repeatable
        for name, n in other.fast_paths.items():
            self.fast_paths[name] = self.fast_paths.get(name, 0) + n
        self.warnings += other.warnings

    def counted(self) -> tuple[tuple[str, str, int], ...]:
        """Return every warning, with the number of fits that gave it, the first one first."""
        counts: dict[tuple[str, str], int] = {}
        for _, category, message in sorted(self.warnings, key=lambda warning: warning[0]):
            counts[category, message] = counts.get((category, message), 0) + 1
        return tuple((category, message, n) for (category, message), n in counts.items())


@dataclass(frozen=True)
class Scored:
    """Scores of candidates in the inner folds (folds, candidates), and why some have no score."""

    scores: "NDArray[np.float64]"
    failures: Mapping[int, tuple[str, str]]


@dataclass(frozen=True)
class SearchPart:
    """What a worker found for the candidates from `first` on; `lost` where it lost all of them."""

    first: int
    scored: Scored | None
    noted: Noted
    lost: Loss | None = None


def cut(task: FitTask, pieces: int) -> list[range]:
    """Divide the candidates of a search into parts of about equal size; empty without a search.

    A search with a seed chooses its candidates on the way, and neighbours are searched once for
    all of them.
    """
    n = len(task.candidates) if task.inner and task.search is None else 0
    last = task.pipeline.steps[-1]
    if isinstance(last, EstimatorSpec) and last.name in neighbours.CLASSES:
        return []
    ends = np.linspace(0, n, min(pieces, n) + 1).astype(int).tolist()
    parts = [range(first, end) for first, end in pairwise(ends)]
    return parts if len(parts) > 1 else []


def joined(parts: Sequence[SearchPart]) -> tuple[Scored, Noted] | Loss:
    """Join all parts of a search, in the order of the candidates; a lost part loses the task."""
    noted, columns = Noted(), []
    failures: dict[int, tuple[str, str]] = {}
    for part in sorted(parts, key=lambda part: part.first):
        noted.add(part.noted)
        if part.lost is not None or part.scored is None:
            assert part.lost is not None, "a part without scores was lost"
            return part.lost
        columns.append(part.scored.scores)
        failures |= {part.first + i: reason for i, reason in part.scored.failures.items()}
    return Scored(np.concatenate(columns, axis=1), failures), noted
