"""What a parameter takes: kinds of values, words and ranges, and their wording."""

import math
import re
import shlex
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from evallang.models.model import (
    Candidates,
    EstimatorSpec,
    ListSpec,
    MapSpec,
    NamedSpec,
    ParameterValue,
    PipelineSpec,
)

SHOWN_WORDS = 12  # of a longer list the first ones are shown, and its length

_RANGE = re.compile(r"(int|real|float) ([\[(])(\S+), (\S+)([\])])")


class Range(Struct, frozen=True):
    """An interval of numbers; `kind` is `int`, `real` (any number) or `float` (no integers)."""

    kind: str
    low: float
    high: float
    open_low: bool
    open_high: bool

    def holds(self, value: int | float) -> bool:
        """Return whether a number of the right kind lies in the interval."""
        if self.kind == "int" and not isinstance(value, int):
            return False
        if self.kind == "float" and isinstance(value, int):
            return False
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        noun = {"int": "a whole number", "real": "a number", "float": "a number with a point"}
        low, high = f"{self.low:g}", f"{self.high:.12g}"
        bounded = (math.isfinite(self.low), math.isfinite(self.high))
        if bounded == (True, True):
            if not self.open_low and not self.open_high:
                return f"{noun[self.kind]} from {low} to {high}"
            if self.open_low and self.open_high:
                return f"{noun[self.kind]} between {low} and {high}"
            if self.open_low:
                return f"{noun[self.kind]} above {low}, up to {high}"
            return f"{noun[self.kind]} from {low} to below {high}"
        if bounded == (True, False):
            return (
                f"{noun[self.kind]} above {low}"
                if self.open_low
                else (f"{noun[self.kind]}, {low} or more")
            )
        if bounded == (False, True):
            return (
                f"{noun[self.kind]} below {high}"
                if self.open_high
                else (f"{noun[self.kind]}, {high} or less")
            )
        return noun[self.kind]


class Constraint(Struct, frozen=True):
    """What a parameter takes.

    `kinds` is a subset of any, array, bool, callable, false, kernel, list, map, model,
    models, nan, none, text, true, tuple.
    """

    kinds: frozenset[str]
    words: tuple[str, ...] = ()
    ranges: tuple[Range, ...] = ()

    @property
    def counts_or_shares(self) -> bool:
        """Whether a whole number counts and a number with a point is a share."""
        kinds = {found.kind for found in self.ranges}
        return "int" in kinds and bool(kinds & {"real", "float"})

    def bounds(self, numbers: Sequence[int | float]) -> tuple[float | None, float | None]:
        """Return the smallest and the largest value of the range that holds these numbers.

        None is an end that has no limit, or that the range comes near and never reaches.
        """
        for found in self.ranges:
            if all(map(found.holds, numbers)):
                low = None if found.open_low or math.isinf(found.low) else found.low
                return low, None if found.open_high or math.isinf(found.high) else found.high
        return None, None

    def objection(self, value: ParameterValue) -> str | None:
        """Return why a value does not suit, None when it does."""
        if isinstance(value, Candidates):
            ends = [
                int(e) if value.integer else e for e in (value.low, value.high) if e is not None
            ]
            objections = (self.objection(item) for item in (*value.values, *ends))
            return next((objection for objection in objections if objection), None)
        return None if self._suits(value) else f"takes {self}"

    def _suits(self, value: ParameterValue) -> bool:
        if "any" in self.kinds:
            return True
        if value is None:
            return "none" in self.kinds
        if isinstance(value, bool):
            return "bool" in self.kinds or ("true" if value else "false") in self.kinds
        if isinstance(value, int | float):
            return any(found.holds(value) for found in self.ranges)
        if isinstance(value, str):
            known = value in self.words or (value == "nan" and "nan" in self.kinds)
            return known or "text" in self.kinds
        if isinstance(value, ListSpec):
            if "models" in self.kinds:
                return bool(value.items) and all(map(_is_part, value.items))
            return bool({"list", "tuple", "array"} & self.kinds)
        if isinstance(value, MapSpec):
            return "map" in self.kinds
        if isinstance(value, EstimatorSpec | NamedSpec | PipelineSpec):
            return "model" in self.kinds
        return False

    def __str__(self) -> str:
        parts = [str(found) for found in self.ranges]
        if self.words:
            shown = ", ".join(f"`{as_written(word)}`" for word in self.words[:SHOWN_WORDS])
            more = len(self.words) - SHOWN_WORDS
            rest = f" and {more} more" if more > 0 else ""
            parts.append(f"one of {shown}{rest}" if len(self.words) > 1 else shown)
        parts += [phrase for kind, phrase in _PHRASES.items() if kind in self.kinds]
        return ", or ".join(parts) if parts else "nothing that a study can write"


_PHRASES = {
    "any": "any value",
    "text": "a text",
    "list": "a list",
    "tuple": "a list",
    "array": "a list",
    "map": "a map",
    "model": "a model",
    "models": "a list of models",
    "bool": "`true` or `false`",
    "true": "`true`",
    "false": "`false`",
    "nan": "`nan`",
    "none": "`none`",
}


def _is_part(item: ParameterValue) -> bool:
    """Return whether an item of a list of models is a model, or a word for none."""
    return isinstance(item, EstimatorSpec | NamedSpec | PipelineSpec) or item in _NO_MODEL


_NO_MODEL = ("drop", "passthrough")


def as_written(word: str) -> str:
    """Return a word as a study writes it: in quotes where it has a blank."""
    return f'"{word}"' if " " in word else word


@cache
def read_constraint(text: str) -> Constraint:
    """Read a constraint of the table: `none; bool; int [1, inf); words a b`."""
    kinds: set[str] = set()
    words: tuple[str, ...] = ()
    ranges: list[Range] = []
    for part in text.split("; "):
        if part.startswith("words "):
            words = tuple(shlex.split(part)[1:] if "'" in part else part.split()[1:])
            continue
        found = _RANGE.fullmatch(part)
        if found is None:
            kinds.add(part)
            continue
        kind, opening, low, high, closing = found.groups()
        ranges.append(Range(kind, float(low), float(high), opening == "(", closing == ")"))
    return Constraint(frozenset(kinds), words, tuple(sorted(ranges, key=_order)))


def _order(found: Range) -> tuple[int, float]:
    return ("int", "real", "float").index(found.kind), found.low
