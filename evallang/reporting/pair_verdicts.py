"""Key findings about pairs that have no plain p: posterior probabilities and margins."""

from evallang.reporting.context import Context
from evallang.reporting.contrasts import contrast, contrast_interval
from evallang.reporting.decisions import about_equivalence, favoured, margin_of
from evallang.reporting.document import Number, Runs, Strong, listed, runs
from evallang.reporting.numbers import percent, probability, scale_of
from evallang.reporting.titles import mid_sentence
from evallang.reporting.wording import adjusted_words, amount, p_stat
from evallang.results.records import Comparison, HypothesisTestResult
from evallang.results.statistics import POSTERIOR


def posterior(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format the three posterior probabilities of a pair, and whether one exceeds confidence."""
    metric = context.metric(comparison.metric)
    first, second = (context.model(name) for name in pair.models)
    confidence = context.results.study.confidence
    cases = (f"{first} better", "practically equivalent", f"{second} better")
    decided = favoured(pair, confidence)
    where = place_words(context, comparison)
    if decided is None:
        lead = f"{where}{first} and {second} were not separated in {metric.noun}"
        tail = f": no posterior probability exceeds {percent(confidence)}"
    elif decided == "p_rope":
        lead = f"{where}{first} and {second} are practically equivalent in {metric.noun}"
        tail = ""
    else:
        best, other = (first, second) if decided == "p_first" else (second, first)
        lead = f"{where}{best} has {metric.better_word} {metric.noun} than {other}"
        tail = ""
    shares = [
        runs(f"{words} ", Number(probability(pair.extra.get(key)), pair.extra.get(key)))
        for key, words in zip(POSTERIOR, cases, strict=True)
        if pair.extra.get(key) is not None
    ]
    title = context.method_title("test", pair.test)
    made = runs(Strong(runs(lead)), f"{tail}. {title}, posterior probabilities: ", listed(shares))
    rope = pair.extra.get("rope")
    if rope is not None:
        scale = scale_of([], [rope], percent=metric.percent)
        made += runs("; region of practical equivalence ±", amount(metric, rope, scale))
    return made + runs(".")


def within_margin(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format a test of equivalence or non-inferiority: what it shows lies within its margin."""
    metric = context.difference_words(comparison)
    scale = context.difference_scale(comparison)
    first, second = (context.sized(name, comparison.data) for name in pair.models)
    margin = margin_of(pair)
    size = amount(metric, margin or 0.0, scale_of([], [margin], percent=metric.percent))
    where = place_words(context, comparison)
    both = about_equivalence(pair)
    verb = "were" if both else "was"
    shown = f"{verb} shown" if pair.reject else f"{verb} not shown"
    noun = metric.noun
    if both:
        lead = runs(f"{where}{first} and {second} {shown} to be equivalent in {noun} within ±")
    else:
        lead = runs(f"{where}{first} {shown} to be non-inferior to {second} in {noun}, margin ")
    found = contrast(pair, pair.models[0])
    inside = contrast_interval(found, scale)
    if pair.p is not None:
        inside += runs("; " if inside else "", p_stat(context, pair.p, comparison.alpha))
    if pair.p_adjusted is not None:
        inside += runs(
            ", ", adjusted_words(comparison), p_stat(context, pair.p_adjusted, comparison.alpha)
        )
    title = mid_sentence(context.method_title("test", pair.test))
    return runs(Strong(runs(lead, size)), f" ({title}; " if inside else "", inside,
                ")." if inside else ".")  # fmt: skip


def place_words(context: Context, comparison: Comparison) -> str:
    """State the data set and the protocol, where there are several."""
    return context.place(comparison.data, comparison.protocol)
