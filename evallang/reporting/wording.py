"""The words for numbers and decisions: nothing is called equal, large or a trend.

A decision is worded only from `reject`, which the comparison made; this module never
compares a p-value with a level.
"""

import math
from dataclasses import replace

from evallang.frozen import frozen
from evallang.reporting.context import Context, MetricWords, Setting, base, mid_sentence
from evallang.reporting.document import (
    Code,
    Emphasis,
    Interval,
    Number,
    Run,
    Runs,
    Stat,
    Text,
    runs,
)
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    bounded,
    count,
    degrees,
    fixed,
    interval,
    p_value,
    percent,
    ratio_scale,
    statistic,
)
from evallang.results.records import (
    Comparison,
    Difference,
    Effect,
    Estimate,
    HypothesisTestResult,
    SimultaneousInterval,
)

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
GREEK = {"chi2": "χ²", "chi": "χ", "tau_F": "τF", "eta^2_Q": "η²", "eta2": "η²", "rho": "ρ"}
VARIANTS = {"chi2": "χ²", "midp": "mid-p"}
ADJUSTED = {
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "holm": "Holm",
    "holm_sidak": "Holm–Šidák",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "fdr_bh": "Benjamini–Hochberg",
    "fdr_by": "Benjamini–Yekutieli",
    "finner": "Finner",
    "li": "Li",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann–Hommel",
    "westfall": "Westfall–Troendle",
}
SHARES = frozenset({"eta^2_Q", "chance-corrected R", "Kendall's W", "Cohen's g"})
"""Effect sizes that cannot exceed 1 in size."""
RATIOS = frozenset({"odds ratio"})


def number_word(n: int, *, capital: bool = False) -> str:
    """Give a count as a word up to ten."""
    word = COUNTS[n] if 0 <= n < len(COUNTS) else count(n)
    return word[:1].upper() + word[1:] if capital else word


def plural(n: int, one: str, many: str | None = None) -> str:
    """Give a count with its noun: "one warning", "four warnings"."""
    return f"{number_word(n)} {one if n == 1 else many or one + 's'}"


def sentence(text: str) -> str:
    """Turn the words of a message into a sentence: capital and full stop."""
    text = text.strip()
    if not text:
        return ""
    word = text.split(" ")[0]
    first = text[0].upper() if word.islower() and (word == "a" or len(word) > 1) else text[0]
    end = "" if text[-1] in ".!?…" else "."
    return first + text[1:] + end


def with_code(text: str) -> Runs:
    """Set the parts of a message that stand in backquotes as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return runs(text)
    return runs(*(Code(part) if i % 2 else part for i, part in enumerate(parts) if part))


def symbol(name: str) -> Run:
    """Set the letter of a statistic: Latin in italics, Greek and names upright."""
    if name in GREEK:
        return Text(GREEK[name])
    return Emphasis(runs(name)) if len(name) <= 2 else Text(name)


def stat(name: str, text: str, exact: float | None, df: tuple[str, ...] = ()) -> Stat:
    """Set a statistic with its letter."""
    upright = name in GREEK or len(name) > 2
    return Stat(GREEK.get(name, name), "=", text, exact, df, upright)


def p_stat(context: Context, p: float, alpha: float) -> Stat:
    """Set a p-value in the style of the report."""
    printed = p_value(p, alpha, context.style)
    return Stat(printed.symbol, printed.relation, printed.text, p)


def p_cell(context: Context, p: float | None, alpha: float) -> Runs:
    """Set a p-value for a table or a drawing."""
    if p is None:
        return runs(Number(fixed(None, Scale(0))))
    return runs(Number(p_value(p, alpha, context.style).cell, p))


def p_letter(context: Context) -> Run:
    """Set the letter of p in the style of the report."""
    return Emphasis(runs(p_value(0.5, context.alpha, context.style).symbol))


def test_runs(context: Context, result: HypothesisTestResult, alpha: float) -> Runs:
    """Word a test: its name, statistic, degrees of freedom, p and first effect size."""
    made = runs(context.method_title("test", result.test))
    statistic_ = result.statistic
    if statistic_ is not None and statistic_.value is not None:
        df = tuple(degrees(value) for value in result.df or ())
        printed = statistic(statistic_.value)
        made += runs(", ", stat(statistic_.name, printed, statistic_.value, df))
    elif result.table is not None:
        b, c = result.table[0][1], result.table[1][0]
        made += runs(", ", stat("b", count(b), b), ", ", stat("c", count(c), c))
    if result.p is not None:
        made += runs(", ", p_stat(context, result.p, alpha))
    for effect in result.effects[:1]:
        if effect.value is not None and effect.name not in RATIOS:
            made += runs(", ", effect_stat(effect))
    return made


def simultaneous_words(context: Context, method: str, pairwise: str) -> str:
    """Name how a simultaneous interval was made, shortly where it is the pairwise method."""
    if base(method) != base(pairwise):
        return mid_sentence(context.method_title("interval", method))
    kind = method.removeprefix(base(method)).strip(", ")
    return f"by the same method at the adjusted level{f', {kind}' if kind else ''}"


def variant_words(result: HypothesisTestResult) -> str:
    """Name what was really computed: "mid-p", "χ²"."""
    return VARIANTS.get(result.variant, result.variant.replace("_", " "))


def effect_stat(effect: Effect) -> Stat:
    """Set an effect size with its name."""
    name = {"chance-corrected R": "R", "Kendall's W": "W", "Cohen's g": "g"}.get(
        effect.name, effect.name
    )
    return stat(name, effect_text(effect), effect.value)


def effect_name(name: str) -> Runs:
    """Set the name of an effect size, its letter in italics."""
    if name == "Cohen's d_z":
        return runs("Cohen’s ", Emphasis(runs("d")), "z")
    return runs((name[:1].upper() + name[1:]).replace("'", "’"))


def effect_text(effect: Effect, scale: Scale | None = None) -> str:
    """Print an effect size by its kind: shares without leading zero, ratios, numbers."""
    if effect.name in SHARES:
        return bounded(effect.value)
    if effect.name in RATIOS:
        return fixed(effect.value, scale or ratio_scale([effect.value]), null=1.0)
    return fixed(effect.value, scale or Scale(2), null=0.0)


def value_text(metric: MetricWords, value: float | None, scale: Scale) -> Number:
    """Print a value with its unit: "98.2%"."""
    text = fixed(value, scale)
    return Number(f"{text}%" if metric.percent and value is not None else text, value)


def amount(metric: MetricWords, value: float, scale: Scale) -> Runs:
    """Word the size of a difference: "4.4 points", "0.012"."""
    number = Number(fixed(abs(value), scale, null=0.0), abs(value))
    return runs(number, f"{NBSP}points") if metric.percent else runs(number)


def estimate_interval(estimate: Estimate, scale: Scale, *, lead: bool = True) -> Runs:
    """Set the interval of an estimate: "95% CI [96.8, 99.0]"; nothing where there is none."""
    found = estimate.interval
    if found is None or (found.low is None and found.high is None):
        return ()
    text = interval(found.low, found.high, scale)
    words = f"{percent(found.level)}{NBSP}CI" if lead else ""
    return (Interval(text, found.low, found.high, words),)


def correct_of(estimate: Estimate) -> int | None:
    """Give how many examples were right, where accuracy is a plain share of examples."""
    if base(estimate.metric) != "accuracy" or estimate.aggregation != "pooled":
        return None
    if estimate.value is None or estimate.metric != "accuracy":
        return None
    right = estimate.value * estimate.n
    return round(right) if math.isclose(right, round(right), abs_tol=1e-6) else None


def estimate_runs(context: Context, setting: Setting, estimate: Estimate) -> Runs:
    """Word an estimate: "98.2% (95% CI [96.8, 99.0]; 559 of 569 correct)"."""
    metric = context.metric(estimate.metric)
    scale = context.scale(setting, estimate.metric)
    made = runs(value_text(metric, estimate.value, scale))
    inside: list[Runs] = []
    if found := estimate_interval(estimate, scale):
        inside.append(found)
    right = correct_of(estimate)
    if right is not None:
        inside.append(runs(f"{count(right)} of {count(estimate.n)} correct"))
    if not inside:
        return made
    made += runs(" (")
    for i, part in enumerate(inside):
        made += runs("; " if i else "", part)
    return made + runs(")")


def adjusted_words(comparison: Comparison) -> str:
    """Name the adjustment that stands before p: "Holm-adjusted "; nothing where there is none."""
    correction = comparison.family.correction
    if correction is None or comparison.family.size < 2 or base(correction) == "uncorrected":
        return ""
    name = ADJUSTED.get(base(correction))
    return f"{name}-adjusted " if name else "adjusted "


@frozen
class Contrast:
    """A pair read from one model: its difference to the other, with the widest interval given.

    The result holds first minus second; here the sign is turned where `model` is second.
    """

    model: str
    other: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    simultaneous: bool
    pair: HypothesisTestResult

    @property
    def p(self) -> float | None:
        """The p that decides."""
        return self.pair.p_adjusted if self.pair.p_adjusted is not None else self.pair.p

    def upward(self) -> "Contrast":
        """Turn the sign where the value is negative: a sentence gives the size of a lead."""
        return self.turned() if self.value is not None and self.value < 0 else self

    def turned(self) -> "Contrast":
        """Read the same pair with the other sign."""
        value, low, high = (
            None if number is None else -number for number in (self.value, self.high, self.low)
        )
        return replace(self, value=value, low=low, high=high)


def contrast(pair: HypothesisTestResult, model: str) -> Contrast:
    """Read a pair from one of its models."""
    first, second = pair.models
    turned = model == second
    other = first if turned else second
    difference = pair.estimate
    shown: Difference | SimultaneousInterval | None = difference
    if pair.simultaneous is not None and pair.simultaneous.low is not None:
        shown = pair.simultaneous
    value = difference.value if difference is not None else None
    low, high = (shown.low, shown.high) if shown is not None else (None, None)
    level = shown.level if shown is not None else math.nan
    simultaneous = shown is not None and shown is pair.simultaneous
    made = Contrast(model, other, value, low, high, level, simultaneous, pair)
    return made.turned() if turned else made


def contrast_interval(found: Contrast, scale: Scale, *, lead: bool = True) -> Runs:
    """Set the interval of a contrast: "simultaneous 95% CI [1.9, 7.4]"."""
    if found.low is None and found.high is None:
        return ()
    text = interval(found.low, found.high, scale, null=0.0)
    words = f"{percent(found.level)}{NBSP}CI"
    if found.simultaneous and found.pair.simultaneous is not None:
        words = f"simultaneous {words}"
    return (Interval(text, found.low, found.high, words if lead else ""),)


def contrast_runs(
    context: Context, comparison: Comparison, found: Contrast, *, lead: bool = True
) -> Runs:
    """Word what stands in brackets after a difference: its interval and its p."""
    scale = context.difference_scale(comparison)
    parts = [part for part in (contrast_interval(found, scale, lead=lead),) if part]
    if found.p is not None:
        words = adjusted_words(comparison) if lead else ""
        parts.append(runs(words, p_stat(context, found.p, comparison.alpha)))
    made: Runs = ()
    for i, part in enumerate(parts):
        made += runs("; " if i else "", part)
    return runs("(", made, ")") if made else ()


def compatible_runs(
    context: Context, comparison: Comparison, found: list[Contrast], *, named: bool = False
) -> Runs:
    """Word the largest difference that the intervals still allow, whichever its direction.

    `named` says whose lead it is, where the contrasts are read from several models.
    """
    metric = context.metric(comparison.metric)
    scale = context.difference_scale(comparison)
    known = [c for c in found if c.low is not None and c.high is not None]
    if not known:
        return runs("That is not evidence of equality; no interval of the difference is available.")

    def reach(item: Contrast) -> float:
        return max(abs(item.low or 0.0), abs(item.high or 0.0))

    widest = max(known, key=reach)
    low, high = widest.low or 0.0, widest.high or 0.0
    upward = abs(high) >= abs(low)
    size = abs(high) if upward else abs(low)
    ahead = upward is metric.higher_is_better
    words = "an advantage" if ahead else "a disadvantage"
    towards = "over" if ahead else "against"
    if named:
        words += f" of {context.model(widest.model)}"
    if math.isinf(size):
        return runs("The interval of the difference is unbounded.")
    return runs(
        f"That is not evidence of equality: the data are compatible with {words} of up to ",
        amount(metric, size, scale),
        f" {towards} {context.model(widest.other)} (",
        contrast_interval(widest if upward else widest.turned(), scale),
        ").",
    )
