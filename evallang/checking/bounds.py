"""What the number of an option must keep within: its declared bounds, and the limits of a run."""

from fractions import Fraction

from evallang import limits
from evallang.checking import codes
from evallang.checking.scope import Scope
from evallang.limits import Limit, OverLimit
from evallang.models.domains import number
from evallang.registry import Bounds
from evallang.source import Span
from evallang.study import OptionValue
from evallang.syntax import nodes as n

LIMITED: dict[str, Limit] = {
    "rounds": limits.ROUNDS, "samples": limits.SAMPLES, "times": limits.TIMES,
    "folds": limits.FOLDS, "outer": limits.FOLDS, "inner": limits.FOLDS, "cv": limits.FOLDS,
    "seeds": limits.SEEDS, "bins": limits.BINS, "repeats": limits.TIMES,
}  # fmt: skip
"""The limit of what a run can compute, for every option that is called so."""


def objection(bounds: Bounds | None, value: OptionValue) -> str | None:
    """Return why an option of a method cannot have a value, None when it can.

    It reads after the name of the option.
    """
    if isinstance(value, tuple):
        return next((why for item in value if (why := objection(None, item)) is not None), None)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    size = abs(float(value))
    if size > limits.LARGEST_NUMBER or 0 < size < limits.SMALLEST_NUMBER:
        return f"must be 0, or between {limits.SMALLEST_NUMBER:g} and {limits.LARGEST_WORD} in size"
    return None if bounds is None or float(value) in bounds else f"must {bounds.words}"


def check_limit(scope: Scope, name: str, value: OptionValue, method: str, span: Span) -> bool:
    """Return whether an option keeps within its limit; reports where it does not."""
    if name not in LIMITED or isinstance(value, bool) or not isinstance(value, int | float):
        return True
    try:
        LIMITED[name].check(f"`{name}` of `{method}`", value)
    except OverLimit as error:
        report_limit(scope, error, span)
        return False
    return True


def report_limit(scope: Scope, error: OverLimit, span: Span) -> None:
    """Report that something in a study is beyond a limit."""
    scope.report(codes.OVER_LIMIT, str(error), span, help=error.help)


def turned(node: n.RangeNode) -> str | None:
    """State how a range is written that runs against its step, or from its larger end."""
    start, stop = node.start.literal, node.stop.literal
    falls = number(start) > number(stop)
    if node.step is not None:
        step = node.step.literal.lstrip("+-")
        against = number(step) != 0 and falls != node.step.literal.startswith("-")
        return f"write `{start}..{stop} step {'-' if falls else ''}{step}`" if against else None
    if node.distribution is not None and falls and number(stop) > 0:
        return f"write `{stop}..{start} {node.distribution.name}`"
    return None


def as_share(value: OptionValue) -> str | None:
    """State how a percentage that was written as a plain number is written."""
    plain = isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100
    return f"write `{value}%`" if plain else None
