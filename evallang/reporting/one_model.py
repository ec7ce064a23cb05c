"""Tests of one model against a stated value: their findings, their summary, their methods."""

from collections.abc import Mapping

from evallang.reporting.context import Context
from evallang.reporting.document import Interval, Runs, Strong, listed, runs
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import NBSP, interval, level_of_alpha, percent, scale_of
from evallang.reporting.orientation import inside
from evallang.reporting.pair_findings import place_words
from evallang.reporting.wording import adjusted_words, p_letter, p_stat, value_text
from evallang.results.records import Comparison, HypothesisTestResult

SIDES: Mapping[str, tuple[str, str]] = {
    "greater": ("is above", "be above"),
    "less": ("is below", "be below"),
    "two_sided": ("differs from", "differ from"),
}
"""What a rejected and a retained hypothesis say, by the side that was tested."""


def singly(comparison: Comparison) -> bool:
    """Return whether the tests of a comparison are about one model each."""
    return any(len(test.models) == 1 for test in comparison.pairwise)


def one_model_findings(context: Context, comparison: Comparison) -> list[Runs]:
    """Format a key finding for each model: what it was shown to be, or not shown."""
    return [_finding(context, comparison, test) for test in comparison.pairwise]


def summary(context: Context, comparison: Comparison, where: Runs) -> Runs:
    """State what was tested against which value, and for how many models it was rejected."""
    tests = comparison.pairwise
    names = listed([runs(context.model(test.models[0])) for test in tests])
    title = mid_sentence(context.method_title("test", tests[0].test))
    made = runs(
        f"{_noun(context, comparison, tests[0], capital=True)} of ", names, " was tested against ",
        _threshold(context, comparison, tests[0]), f" by the {title}", where,
    )  # fmt: skip
    if comparison.family.exploratory:
        return made + runs(", without decisions.")
    rejected = [runs(context.model(test.models[0])) for test in tests if test.reject]
    level = level_of_alpha(comparison.alpha, context.style)
    about = runs(adjusted_words(comparison), p_letter(context), f" at or below {level}: ")
    return made + runs("; ", about, listed(rejected) if rejected else "none", ".")


def methods_words(context: Context, comparison: Comparison, test_words: Runs) -> Runs:
    """Format the sentence of the methods paragraph, without its end."""
    tests = comparison.pairwise
    names = listed([runs(context.model(test.models[0])) for test in tests])
    return runs(
        f"{_noun(context, comparison, tests[0], capital=True)} of ", names, " was tested against ",
        _threshold(context, comparison, tests[0]), " by ", test_words,
    )  # fmt: skip


def _finding(context: Context, comparison: Comparison, test: HypothesisTestResult) -> Runs:
    model = context.model(test.models[0])
    noun = _noun(context, comparison, test)
    value = _threshold(context, comparison, test)
    where = place_words(context, comparison)
    the = "the" if where else "The"
    shown_, claimed = SIDES.get(str(test.extra.get("alternative")), SIDES["two_sided"])
    verb = shown_ if test.reject else f"was not shown to {claimed}"
    lead = runs(f"{where}{the} {noun} of {model} {verb} ", value)
    inside = runs(mid_sentence(context.method_title("test", test.test)))
    shown = _interval(context, comparison, test)
    inside += runs("; ", shown) if shown else ()
    p = test.p_adjusted if test.p_adjusted is not None else test.p
    if p is not None:
        inside += runs("; ", adjusted_words(comparison), p_stat(context, p, comparison.alpha))
    made = runs(Strong(lead), " (", inside, ").")
    if not test.reject:
        made += runs(" That is not evidence of the contrary.")
    return made


def _interval(context: Context, comparison: Comparison, test: HypothesisTestResult) -> Runs:
    """Format the value of the model with the interval that the test comes with."""
    found, threshold = test.estimate, test.extra.get("threshold")
    if found is None or found.value is None or not isinstance(threshold, int | float):
        return ()
    metric, scale = context.metric(comparison.metric), context.difference_scale(comparison)
    value = found.value + threshold
    made = runs(value_text(metric, value, scale))
    if found.low is None or found.high is None:
        return made
    low, high = inside(metric.range, found.low + threshold, found.high + threshold)
    text = interval(low, high, scale)
    words = f"{percent(found.level)}{NBSP}CI"
    return made + runs(", ", Interval(text, low, high, words))


def _threshold(context: Context, comparison: Comparison, test: HypothesisTestResult) -> Runs:
    value = test.extra.get("threshold")
    if not isinstance(value, int | float):
        return runs("the stated value")
    metric = context.metric(comparison.metric)
    scale = scale_of([], [value], percent=metric.percent)
    return runs(value_text(metric, value, scale))


def _noun(
    context: Context, comparison: Comparison, test: HypothesisTestResult, *, capital: bool = False
) -> str:
    noun = context.quantity(test.test) or context.metric(comparison.metric).noun
    return f"The {noun}" if capital else noun
