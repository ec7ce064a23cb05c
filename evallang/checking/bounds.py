"""What the number of an option must keep within: its declared bounds, and the limits of a run."""

from fractions import Fraction

from evallang import limits
from evallang.checking.scope import Scope
from evallang.diagnostics import codes
from evallang.limits import Limit, OverLimit
from evallang.registry import Bounds
from evallang.source import Span
from evallang.study import OptionValue

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
    scope.report(codes.over_limit, str(error), span, help=error.help)
