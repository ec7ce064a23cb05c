"""The small parts that every draft is written from: titles, comments, names, and what decides."""

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Literal

from msgspec import Struct

from evallang.metrics.metric import METRICS
from evallang.registry import Registry, Situation
from evallang.spelling import RESERVED
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Method

RARE = 0.2  # share of the rarer class below which accuracy says little
WIDTH = 96
Goal = Literal["compare", "select", "gate", "estimate"]
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class DraftRefused(Exception):
    """A study cannot be written from what was given; the message says what to add."""


class Facts(Struct, frozen=True):
    """What decides the protocol, the measures and the test."""

    n: int
    task: str
    binary: bool = False
    least: int = 0
    grouped: bool = False
    ordered: bool = False

    @property
    def found(self) -> Situation:
        """What decides the measures."""
        if self.task == "regression":
            return Situation.NUMBERS
        if not self.binary:
            return Situation.SEVERAL_CLASSES
        return Situation.RARE_CLASS if self.least < RARE * self.n else Situation.TWO_CLASSES

    @property
    def same_rows(self) -> Situation:
        """What decides the test of two models on the same test rows."""
        right = self.found in (Situation.TWO_CLASSES, Situation.SEVERAL_CLASSES)
        return Situation.SAME_ROWS_RIGHT if right else Situation.SAME_ROWS


def first_for(registry: Registry[Any], found: Situation) -> tuple[str, ...]:
    """Return the members that are declared for a situation, in their order."""
    places = {
        entry.name: entry.declaration.first_for[found]
        for entry in registry
        if found in entry.declaration.first_for
    }
    return tuple(sorted(places, key=places.__getitem__))


REASONS: Mapping[Situation, tuple[str, ...]] = {
    Situation.NUMBERS: (
        "the mean error in the unit of the target",
        "one that weighs large errors more",
        "the share of the variance explained",
    ),
    Situation.TWO_CLASSES: ("the share of right predictions", "the order of the scores"),
    Situation.SEVERAL_CLASSES: ("the share of right predictions", "its mean over the classes"),
    Situation.RARE_CLASS: ("the mean over the classes", "the order of the scores"),
}
"""What the measures of each situation state, in their order."""


def measures_for(
    facts: Facts, *, scores: bool = True, most: int | None = None
) -> tuple[tuple[str, ...], str]:
    """Return the measures that are declared for what was found, and why they are.

    `scores` is whether the models have scores; `most` keeps the first ones.
    """
    found = [
        (metric, reason)
        for metric, reason in zip(
            first_for(METRICS, facts.found), REASONS[facts.found], strict=True
        )
        if scores or METRICS[metric].declaration.needs != "scores"
    ][:most]
    words = " and ".join(reason for _, reason in found)
    reason = words[0].upper() + words[1:]
    if facts.found is Situation.RARE_CLASS:
        reason += (
            f"; the rarer class has {facts.least / facts.n:.0%} of the rows, so accuracy would "
            "reward always predicting the other class"
        )
    return tuple(metric for metric, _ in found), reason


def head(title: str) -> Iterator[str]:
    """Iterate over the first lines of a study."""
    yield "evallang 1"
    yield ""
    yield f"study {quoted(title)}"
    yield "  # The same seed gives the same folds and the same results on every machine"
    yield "  seed 1"
    yield ""


def comment(text: str) -> Iterator[str]:
    """Iterate over the lines of a comment."""
    yield from (f"# {line}" for line in wrap(text, WIDTH - 2))


def quoted(text: str) -> str:
    """Return a text in quotes, as a study writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def written(name: str) -> str:
    """Return the name of a column, in quotes where it is not a bare name."""
    return name if NAME.fullmatch(name) and name not in RESERVED else quoted(name)


def bare_name(label: str) -> str:
    """Return a bare name of a study for what a label names."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_").lower()
    return name if re.match(r"[a-z]", name) and written(name) == name else f"m_{name}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """Format names in backquotes: `a`, `b` and 4 more."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def paired(
    models: Sequence[str],
    goal: Goal,
    same_rows: Situation,
    metric: str,
    margin: str,
    *,
    averaged: bool = False,
) -> Iterator[str]:
    """Iterate over the lines that compare models by their predictions of the same rows.

    `averaged` compares their averages over data sets.
    """
    over = " averaged over data" if averaged else ""
    if len(models) < 2:
        return
    if goal == "gate":
        first, second = models[:2]
        yield f"# `{first}` is the candidate, `{second}` what it replaces. Set a margin of your own"
        yield f"require {first} not worse than {second} by {margin} in {metric}{over}"
        yield ""
    elif averaged and goal != "estimate":
        yield from comment(
            "The models answer the same questions, which are paired within each task; the pairs of "
            "models are corrected together"
        )
        yield f"compare{over} by {metric}"
        yield ""
    elif goal != "estimate":
        (test,) = first_for(HYPOTHESIS_TESTS, same_rows)
        correction = ""
        written_test = Method(test, HYPOTHESIS_TESTS[test].declaration.as_default).written
        reason = "The models predict the same rows, which are paired"
        if same_rows is Situation.TIME:
            reason = "The models predict the same moments, and errors near in time may be alike"
        if len(models) > 2:
            correction = " holm"
            reason += "; Holm's method allows for the number of pairs"
        yield from comment(reason)
        yield f"compare with {written_test}{correction} by {metric}"
        yield ""
