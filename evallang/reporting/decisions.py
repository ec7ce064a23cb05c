"""What a comparison decided of a pair, and where nothing could be decided.

Every sentence, letter and bar about a pair asks here first: a pair that was not tested was
not "not shown to differ".
"""

import re
from collections.abc import Sequence

from evallang.reporting.context import Context
from evallang.results.records import HypothesisTestResult

NOT_COMPUTED = "not computed"
POSTERIOR = ("p_first", "p_rope", "p_second")
LACKING = re.compile(r"^(?:not computed: )?(?:a fit of (?P<fit>.+) failed|(?P<scores>.+) gives )")


def computed(result: HypothesisTestResult) -> bool:
    """Tell whether the test had all that it needs."""
    return result.variant != NOT_COMPUTED


def bayesian(result: HypothesisTestResult) -> bool:
    """Tell whether the result is three posterior probabilities instead of a p."""
    return "p_first" in result.extra


def is_open(pair: HypothesisTestResult) -> bool:
    """Tell whether a pair was tested and not decided."""
    return computed(pair) and pair.p is not None and not pair.reject


def untested(pairs: Sequence[HypothesisTestResult]) -> list[HypothesisTestResult]:
    """Give the pairs that have no decision of any kind, because a number is missing."""
    return [pair for pair in pairs if pair.p is None and not _has_posterior(pair)]


def _has_posterior(pair: HypothesisTestResult) -> bool:
    return any(pair.extra.get(key) is not None for key in POSTERIOR)


def favoured(pair: HypothesisTestResult, confidence: float) -> str | None:
    """Give the case whose posterior probability exceeds the confidence; None where none does."""
    return next((key for key in POSTERIOR if (pair.extra.get(key) or 0.0) > confidence), None)


def decided(pair: HypothesisTestResult, confidence: float) -> bool:
    """Tell whether a pair was decided: rejected, or one posterior probability is high enough."""
    return favoured(pair, confidence) is not None if bayesian(pair) else bool(pair.reject)


def margin_of(pair: HypothesisTestResult) -> float | None:
    """Give the margin of a test of equivalence or non-inferiority; None for other tests."""
    return pair.extra.get("margin")


def about_equivalence(pair: HypothesisTestResult) -> bool:
    """Tell whether a test of a margin is about both its ends."""
    return "p_lower" in pair.extra


def labelled(context: Context, text: str) -> str:
    """Put the labels of models into a reason that names them: "a fit of bad failed"."""
    found = LACKING.match(text)
    if found is None:
        return text
    name = found["fit"] or found["scores"]
    return text.replace(f" {name} ", f" {context.model(name)} ", 1)


def reasons(context: Context, results: Sequence[HypothesisTestResult]) -> tuple[str, ...]:
    """Say why nothing was computed, each reason once, models by their labels."""
    found = [labelled(context, note) for result in results for note in result.notes]
    return tuple(dict.fromkeys(text.removeprefix(f"{NOT_COMPUTED}: ") for text in found))
