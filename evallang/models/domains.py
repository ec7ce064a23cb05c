"""Domains: what is written after `in` becomes candidate values, in exact arithmetic.

Literals arrive as text, because `0..0.2 step 0.05` is exactly five values only while its
numbers are the decimals the author wrote. Pure Python, so that a check needs no numpy.
"""

import math
import re
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction

from evallang.limits import POINTS
from evallang.models.model import Candidates

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
