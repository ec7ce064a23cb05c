"""What parameters take: constraints as stated, and domains of searches."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache

from msgspec import Struct

from evallang.limits import POINTS
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
        above = f" above {low}" if self.open_low else f", {low} or more"
        below = f" below {high}" if self.open_high else f", {high} or less"
        if math.isfinite(self.low) and math.isfinite(self.high):
            words = {
                (False, False): f" from {low} to {high}",
                (True, True): f" between {low} and {high}",
                (True, False): f" above {low}, up to {high}",
                (False, True): f" from {low} to below {high}",
            }[self.open_low, self.open_high]
        else:
            words = above if math.isfinite(self.low) else below if math.isfinite(self.high) else ""
        return noun[self.kind] + words


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
                return bool(value.items) and all(
                    isinstance(item, EstimatorSpec | NamedSpec | PipelineSpec)
                    or item in ("drop", "passthrough")
                    for item in value.items
                )
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
    ranges.sort(key=lambda found: (("int", "real", "float").index(found.kind), found.low))
    return Constraint(frozenset(kinds), words, tuple(ranges))


SIGNIFICANT_DIGITS = 12  # of the inner points of a geometric domain; language.md, section 2

_INTEGER = re.compile(r"[+-]?\d+(?:_\d+)*")
_DIGITS = Context(prec=60)  # enough that 12 digits are right after a million products
_SHORT = Context(prec=SIGNIFICANT_DIGITS)


def number(literal: str) -> int | float | Fraction:
    """Read a number literal: `3`, `1_000`, `.5`, `1e-3`, `-1`, `95%`, `1/3`.

    A percentage is the float next to its exact decimal (`95%` is 0.95), a fraction stays
    exact. Raises `ValueError` for text that is not a number or divides by zero.
    """
    if _INTEGER.fullmatch(literal):
        return int(literal)
    value = _exact(literal)
    return value if "/" in literal else float(value)


def linear(start: str, stop: str, step: str | None) -> tuple[int | float, ...]:
    """Return the values of `start..stop step STEP`, `stop` included when it is reached.

    Integers where all literals are written without point or exponent, else floats.
    Raises `ValueError` for numbers that are not integers without a step, for a step of
    zero or of the wrong sign, and `OverLimit` for too many values.
    """
    domain = f"{start}..{stop}"
    low, high = _exact(start), _exact(stop)
    integers = _written_as_integers(start, stop, *([] if step is None else [step]))
    if step is None and not integers:
        raise ValueError(f"the range `{domain}` needs a step, because its numbers are not integers")
    width = Fraction(1) if step is None else _exact(step)
    if width == 0:
        raise ValueError(f"the range `{domain}` never ends with a step of 0")
    if (high - low) * width < 0:
        way, sign = ("falls", "negative") if high < low else ("rises", "positive")
        raise ValueError(f"the range `{domain}` {way}, so its step must be {sign}")
    points = (high - low) // width + 1
    POINTS.check(f"`{domain} step {step or 1}`", points)
    values = (low + i * width for i in range(points))
    return tuple(int(v) if integers else float(v) for v in values)


@lru_cache(maxsize=1024)  # an editor asks for those of every line again after each edit
def geometric(start: str, stop: str, n: str) -> tuple[int | float, ...]:
    """Return the `n` values of `start..stop log N`, evenly spaced in their logarithm.

    The ends are exact, inner points rounded to 12 significant digits; integers (rounded,
    duplicates dropped) where both ends are written without point or exponent. Raises
    `ValueError` for ends that are not above zero and for fewer than two points, and
    `OverLimit` for too many.
    """
    domain = f"{start}..{stop}"
    first, last = _exact(start), _exact(stop)
    _require_positive(first, last, f"{domain} log {n}")
    points = number(n)
    if not isinstance(points, int) or points < 2:
        raise ValueError(f"`{domain} log` needs a whole number of points, 2 or more, not {n}")
    POINTS.check(f"`{domain} log {n}`", points)
    values: list[Fraction | Decimal] = [first, *_inner_points(first, last, points - 2), last]
    if _written_as_integers(start, stop):
        return tuple(dict.fromkeys(round(v) for v in values))
    return tuple(dict.fromkeys(float(v) for v in values))


def distribution(start: str, stop: str, word: str) -> Candidates:
    """Return the candidates of `start..stop uniform` or `start..stop loguniform`.

    Raises `ValueError` for another word, for a range that does not rise, and for a
    `loguniform` that does not lie above zero.
    """
    written = f"{start}..{stop} {word}"
    if word not in ("uniform", "loguniform"):
        raise ValueError(
            f"`{written}` does not name a distribution: write `uniform` or `loguniform`"
        )
    low, high = _exact(start), _exact(stop)
    if word == "loguniform":
        _require_positive(low, high, written)
    if low >= high:
        raise ValueError(f"`{written}` must rise: the smaller number comes first")
    return Candidates(
        (), written, word, float(low), float(high), integer=_written_as_integers(start, stop)
    )


def draw(candidates: Candidates, share: float) -> int | float:
    """Return the value of a distribution below which the `share` (0 to 1) of it lies.

    With shares drawn uniformly the values follow the distribution; integers are equally
    likely under `uniform`, both ends included. Raises `ValueError` for candidates that
    are listed.
    """
    if candidates.distribution is None or candidates.low is None or candidates.high is None:
        raise ValueError(f"{candidates.written} lists its values and is not a distribution")
    low, high = candidates.low, candidates.high
    if candidates.integer and candidates.distribution == "uniform":
        return min(int(low) + math.floor(share * (int(high) - int(low) + 1)), int(high))
    if candidates.distribution == "uniform":
        return min(low + share * (high - low), high)
    value = min(max(math.exp(math.log(low) + share * math.log(high / low)), low), high)
    return round(value) if candidates.integer else value


def _exact(literal: str) -> Fraction:
    """Read a literal as the exact ratio it writes."""
    text = literal.strip().replace("_", "")
    try:
        if text.endswith("%"):
            return Fraction(text[:-1]) / 100
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError(f"{literal} divides by zero") from None
    except ValueError:
        raise ValueError(f"{literal} is not a number") from None


def _written_as_integers(*literals: str) -> bool:
    return all(_INTEGER.fullmatch(literal) for literal in literals)


def _inner_points(first: Fraction, last: Fraction, inner: int) -> Iterator[Decimal]:
    """Iterate over the points between the ends, each the one before times the same ratio."""
    start, stop = (
        _DIGITS.divide(Decimal(e.numerator), Decimal(e.denominator)) for e in (first, last)
    )
    step = _DIGITS.divide(_DIGITS.ln(_DIGITS.divide(stop, start)), Decimal(inner + 1))
    ratio, point = _DIGITS.exp(step), start
    least, most = min(start, stop), max(start, stop)
    for _ in range(inner):
        point = _DIGITS.multiply(point, ratio)
        yield min(max(_SHORT.plus(point), least), most)  # ends may have more digits


def _require_positive(first: Fraction, last: Fraction, written: str) -> None:
    if first <= 0 or last <= 0:
        raise ValueError(f"`{written}` is spaced in logarithms, so both ends must be above 0")
