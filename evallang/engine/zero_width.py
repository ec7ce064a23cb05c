"""Intervals whose bounds coincide: they state that nothing varied, and are no intervals."""

from dataclasses import replace

from evallang.results.records import Difference, Effect, HypothesisTestResult

NO_VARIATION = (
    "no interval: its bounds coincide, because the difference was the same in every resample, "
    "fold or example"
)


def has_no_width(low: float | None, high: float | None) -> bool:
    """Return whether two bounds coincide."""
    return low is not None and low == high


def without_zero_width(test: HypothesisTestResult) -> HypothesisTestResult:
    """Take the bounds that coincide out of a test's difference and effects, with a note."""
    effects = tuple(map(_effect, test.effects))
    found = test.estimate
    if found is None or not has_no_width(found.low, found.high):
        return replace(test, effects=effects) if effects != test.effects else test
    return replace(
        test, estimate=unbounded(found), effects=effects, notes=(*test.notes, NO_VARIATION)
    )


def unbounded(difference: Difference) -> Difference:
    """Return the difference without bounds."""
    return replace(difference, low=None, high=None)


def _effect(effect: Effect) -> Effect:
    flat = has_no_width(effect.low, effect.high)
    return replace(effect, low=None, high=None) if flat else effect
