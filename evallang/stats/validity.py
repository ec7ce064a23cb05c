"""From which number of what on an interval or a test holds, and what is stated below it.

Each interval and hypothesis test declares in its registration what decides whether it holds:
`holds` is a tuple of `Holds`, or the reason why no number decides. The registries wrap every
member, so that a result from fewer carries the note, or has no interval and no p, whoever calls
it. What only the metric knows (the rarest class, mistakes, tails, weights) is counted where the
metric is, by the engine.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, TypeVar, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from evallang.results.statistics import HypothesisTestResult, Interval

Function = TypeVar("Function", bound=Callable[..., Any])


class Counted(StrEnum):
    """What is counted, worded as a plural."""

    EXAMPLES = "examples"
    GROUPS = "groups"
    SIZES = "groups, by their sizes"
    SMALLEST = "examples of the smallest data set"
    RAREST = "examples of the rarest class"
    EVENTS = "events"
    OUTSIDE = "examples outside the largest class"
    MISTAKES = "mistakes"
    WEIGHTED = "examples, by their weights"
    TAIL = "examples in the tail"
    MOMENTS = "moments, by their correlation"
    READERS = "readers"
    NETWORKS = "networks"
    UNBOUNDED = "networks, by a metric without a lower or an upper limit"


class Holds(Struct, frozen=True):
    """A number from which on an interval or a test holds.

    Attributes
    ----------
    count : what is counted
    least : the number from which on it holds
    found : what simulations found with fewer, as a clause; of an interval's tail the metric
        states it
    refused : True where there is no interval, and no p, with fewer
    """

    count: Counted
    least: int
    found: str = ""
    refused: bool = False


Validity = tuple[Holds, ...] | str
"""What decides, or the reason why no number does; empty where nothing is declared."""

OF_TRUE = "of true hypotheses at 5% in simulations"
FEW_FOR_LARGE_SAMPLES = 100  # examples; Bowyer, Aitchison & Ivanova 2025
ENOUGH_GROUPS = 50  # few are fewer than 20 to 50, depending on how alike they are
OF_GROUPS = Holds(
    Counted.GROUPS, ENOUGH_GROUPS, "the interval tends to be too narrow (Cameron & Miller 2015)"
)
OF_SIZES = Holds(Counted.SIZES, ENOUGH_GROUPS, "coverage of 95% intervals was 92% in simulations")
OF_RAREST = Holds(
    Counted.RAREST, 30, "coverage of 95% intervals was 57 to 92% in simulations, lowest near 1"
)
OF_RARER_CLASS = Holds(
    Counted.RAREST,
    20,
    "in simulations, coverage of 95% intervals was 80-94%, lowest for AUCs near 1",
)
OF_MISTAKES = Holds(Counted.MISTAKES, 5, "coverage of 95% intervals was 81 to 92% in simulations")
OF_TAIL = Holds(Counted.TAIL, 20)
OF_OUTSIDE = Holds(Counted.OUTSIDE, 10, "coverage of 95% intervals was 54 to 90% in simulations")
OF_SKEWED_LOSSES = (
    Holds(Counted.OUTSIDE, 20, f"the test rejected 7 to 66% {OF_TRUE}"),
    Holds(
        Counted.TAIL,
        20,
        f"the test rejected 7 to 34% {OF_TRUE} where only one model has heavy tails",
    ),
)
"""What several members declare (docs/validation.md)."""


class Tail(Struct, frozen=True):
    """The share of the examples that can carry a mean, and what simulations found with few.

    `found` is a clause about 95 % intervals with fewer than `least` of `Holds` in that share.
    """

    share: float
    found: str


class Number(Struct, frozen=True):
    """A number that was counted; of a tail, with what the metric declares.

    `noun` is the plural of what groups are, where that is known.
    """

    n: float
    tail: Tail | None = None
    noun: str = ""


def shortfalls(
    validity: Validity, counted: Mapping[Counted, Number | None]
) -> tuple[tuple[Holds, str], ...]:
    """Return what an interval or test lacks, each with its note: the first of what is counted."""
    if isinstance(validity, str):
        return ()
    found: list[tuple[Holds, str]] = []
    for holds in validity:
        number = counted.get(holds.count)
        if number is None or not number.n or any(one.count is holds.count for one, _ in found):
            continue
        least, clause = holds.least, holds.found
        if number.tail is not None:
            least, clause = math.ceil(least / number.tail.share), clause or number.tail.found
        if number.n < least:
            count = Counted.EXAMPLES if holds.count is Counted.TAIL else holds.count
            noun, space, rest = count.partition(" ")
            noun = noun.removesuffix("s") if number.n == 1 else noun
            note = f"only {math.floor(number.n):,} {noun}{space}{rest}; with fewer than {least:,}"
            if holds.count is Counted.GROUPS and not holds.refused:  # results state their number
                note = f"with fewer than {least:,} {number.noun or count}"
            found.append((holds, f"{note}, {clause}"))
    return tuple(found)


def judged(function: Function, validity: Validity, inputs: tuple[str, ...]) -> Function:
    """Wrap an interval or test so that its result states what its inputs lack."""
    if isinstance(validity, str):
        return function

    @functools.wraps(function)
    def wrapped(*args: Any, **given: Any) -> Any:
        result = function(*args, **given)
        known = dict(zip(inputs, args, strict=False)) | given
        counts = {h.count: COUNTS[h.count](known) for h in validity if h.count in COUNTS}
        noun = getattr(known.get("strengths"), "each", "")
        numbers = {c: None if n is None else Number(n, None, noun) for c, n in counts.items()}
        return with_shortfalls(result, shortfalls(validity, numbers))

    return cast(Function, wrapped)


def with_shortfalls(
    result: Interval | HypothesisTestResult, found: tuple[tuple[Holds, str], ...]
) -> Any:
    """Add the notes of what is lacking to a result; take away what is refused for it."""
    bounds = result if isinstance(result, Interval) else result.estimate
    defined = bounds is not None and bounds.low is not None
    if not found or not (defined or getattr(result, "p", None) is not None):
        return result
    notes = tuple(note for _, note in found if note not in result.notes)
    if not any(holds.refused for holds, _ in found):
        return replace(result, notes=(*result.notes, *notes))
    refused = tuple(f"undefined: {note}" for holds, note in found if holds.refused)
    if isinstance(result, Interval):
        return replace(result, low=None, high=None, resamples=None, draws=None, notes=refused)
    estimate = result.estimate
    if estimate is not None:
        estimate = replace(estimate, low=None, high=None, resamples=None, draws=None)
    return replace(result, p=None, estimate=estimate, extra={}, notes=refused)


# --- numbers that inputs tell ------------------------------------------------------------------


def _examples(given: Mapping[str, Any]) -> int | None:
    """Count the examples where each is a unit by itself."""
    if _groups(given) is not None:
        return None
    if "sample" in given:
        found = getattr(given["sample"], "n_examples", None)
        return None if found is None else int(found)
    for name in ("first", "losses", "series", "sums", "influences"):
        values = given.get(name)
        if values is not None:
            times = getattr(values, "times", None)
            return int(np.sum(times)) if times is not None else len(np.asarray(values))
    return None


def _groups(given: Mapping[str, Any]) -> int | None:
    """Count the groups; None where there are none, and for one, which has no interval."""
    for name in ("sample", "readers", "strengths"):
        if getattr(given.get(name), "n_groups", None) is not None:
            return int(given[name].n_groups)
    groups = given.get("groups")
    return None if groups is None else len(np.unique(np.asarray(groups)))


def by_size(groups: Any) -> float | None:
    """Return how many groups of equal sizes weigh as much; None where the groups are few."""
    sizes = np.unique(np.asarray(groups), return_counts=True)[1].astype(np.float64)
    if len(sizes) < ENOUGH_GROUPS:
        return None
    return float(sizes.sum()) ** 2 / float((sizes**2).sum())


def _sizes(given: Mapping[str, Any]) -> float | None:
    groups = given.get("groups")
    return None if groups is None else by_size(groups)


def _smallest(given: Mapping[str, Any]) -> int | None:
    """Count the examples of the smallest of the data sets that are averaged; None with groups."""
    if _groups(given) is not None:
        return None
    return int(np.bincount(given["strata"].codes).min())


def _rarest(given: Mapping[str, Any]) -> int | None:
    """Count the examples of the rarest class that has any; None with groups."""
    if _groups(given) is not None:
        return None
    for name in ("scores", "row_scores"):
        counted: Any = given.get(name)
        if hasattr(counted, "smaller"):
            return int(counted.smaller)
        if hasattr(counted, "members"):
            return int(min(counted.members))
    if "terms" in given:
        sizes = np.asarray(given["terms"], dtype=np.float64)[:, 2]
    elif "matrix" in given:
        counts = np.asarray(given["matrix"], dtype=np.float64)
        sizes = np.concatenate([counts.sum(axis=1), counts[:, : len(counts)].sum(axis=0)])
    elif "truth" in given:
        positive = np.asarray(given["truth"], dtype=bool)
        sizes = np.array([positive.sum(), (~positive).sum()], dtype=np.float64)
    elif "classes" in given:
        sizes = np.bincount(np.asarray(given["classes"], dtype=np.intp)).astype(np.float64)
    else:
        return None
    return int(sizes[sizes > 0].min()) if (sizes > 0).any() else None


def _moments(given: Mapping[str, Any]) -> float | None:
    """Return how many independent moments carry as much as those of a series of differences."""
    both = np.array([given["first"], given["second"]], dtype=np.float64)
    if not np.isfinite(both).all() or len(set((both[0] - both[1]).tolist())) < 2:
        return None
    d = both[0] - both[1]
    d = d / np.abs(d).max()
    d -= d.mean()
    r = max(0.0, float(d[1:] @ d[:-1]) / float(d @ d))
    return len(d) * (1 - r) / (1 + r)


def _readers(given: Mapping[str, Any]) -> int:
    return int(np.asarray(given["readers"].scores).shape[1])


def _networks(given: Mapping[str, Any]) -> int | None:
    return _readers(given) if given["readers"].nested else None


COUNTS: Mapping[Counted, Callable[[Mapping[str, Any]], float | None]] = {
    Counted.EXAMPLES: _examples,
    Counted.GROUPS: _groups,
    Counted.SIZES: _sizes,
    Counted.SMALLEST: _smallest,
    Counted.RAREST: _rarest,
    Counted.MOMENTS: _moments,
    Counted.READERS: lambda given: None if given["readers"].nested else _readers(given),
    Counted.NETWORKS: lambda given: None if None in given["limits"] else _networks(given),
    Counted.UNBOUNDED: lambda given: _networks(given) if None in given["limits"] else None,
}
"""The numbers that the inputs of a member tell, each None where they do not."""
