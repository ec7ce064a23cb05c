"""What a comparison decided of a pair, and where nothing could be decided.

Every sentence, letter and bar about a pair asks here first: a pair that was not tested was
not "not shown to differ".
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evallang.results.records import HypothesisTestResult
from evallang.results.statistics import POSTERIOR, Lacking

if TYPE_CHECKING:
    from evallang.reporting.context import Context


def computed(result: HypothesisTestResult) -> bool:
    """Return whether the test had all that it needs."""
    return result.status != "not_computed"


def bayesian(result: HypothesisTestResult) -> bool:
    """Return whether the result is three posterior probabilities instead of a p."""
    return "p_first" in result.extra


def is_open(pair: HypothesisTestResult) -> bool:
    """Return whether a pair was tested and not decided."""
    return computed(pair) and pair.p is not None and not pair.reject


def untested(pairs: Sequence[HypothesisTestResult]) -> list[HypothesisTestResult]:
    """Return the pairs that have no decision of any kind, because a number is missing."""
    return [
        pair
        for pair in pairs
        if pair.p is None and all(pair.extra.get(key) is None for key in POSTERIOR)
    ]


def favoured(pair: HypothesisTestResult, confidence: float) -> str | None:
    """Return the case whose posterior probability exceeds the confidence; None where none does."""
    return next((key for key in POSTERIOR if (pair.extra.get(key) or 0.0) > confidence), None)


def decided(pair: HypothesisTestResult, confidence: float) -> bool:
    """Return whether a pair was decided: rejected, or one posterior probability is high enough."""
    return favoured(pair, confidence) is not None if bayesian(pair) else bool(pair.reject)


def margin_of(pair: HypothesisTestResult) -> float | None:
    """Return the margin of a test of equivalence or non-inferiority; None for other tests."""
    return pair.extra.get("margin")


def is_about_equivalence(pair: HypothesisTestResult) -> bool:
    """Return whether a test of a margin is about both its ends."""
    return "p_lower" in pair.extra


def is_simultaneous(pair: HypothesisTestResult) -> bool:
    """Return whether the interval of a pair is that of the family, as of self-correcting tests."""
    found, wide = pair.estimate, pair.simultaneous
    if found is None or wide is None or wide.selected:
        return False
    return (found.low, found.high) == (wide.low, wide.high)


def lacking_words(context: "Context", lacking: Lacking) -> str:
    """Return why a test could not be run, the model by its label."""
    model = lacking.model
    if model is None or lacking.kind == "refused":
        return lacking.reason
    if lacking.kind == "scores":
        return f"{context.model(model)} gives no scores"
    failed = [f for f in context.results.failures if f.model == model and f.stage == "outer"]
    return f"{'fits' if len(failed) > 1 else 'a fit'} of {context.model(model)} failed"


def reasons(context: "Context", results: Sequence[HypothesisTestResult]) -> tuple[str, ...]:
    """Return why nothing was computed, each reason once, models by their labels."""
    found = [
        words
        for result in results
        for words in (
            result.notes if result.lacking is None else (lacking_words(context, result.lacking),)
        )
    ]
    return tuple(dict.fromkeys(found))
