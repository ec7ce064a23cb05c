"""The words for numbers and decisions: nothing is called equal, large or a trend.

A decision is worded only from `reject`, which the comparison made; this module never
compares a p-value with a level.
"""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from evallang.reporting.context import RANKS, Context, MetricWords, Setting
from evallang.reporting.document import (
    Code,
    Emphasis,
    Interval,
    Number,
    Run,
    Runs,
    Stat,
    Subscript,
    Text,
    listed,
    runs,
)
from evallang.reporting.letter_case import capitalised, mid_sentence
from evallang.reporting.numbers import (
    MINUS,
    NBSP,
    Scale,
    Style,
    between,
    bounded,
    count,
    degrees,
    fixed,
    in_words,
    interval,
    number_word,
    p_value,
    percent,
    ratio_scale,
    statistic,
)
from evallang.results.records import Comparison, Effect, Estimate, Excluded, HypothesisTestResult
from evallang.results.statistics import (
    Clusters,
    Lacking,
    SimultaneousInterval,
    filled,
    variant_without_side,
)
from evallang.results.written import method_of

GREEK = {"chi2": "χ²", "chi": "χ", "tau_F": "τF", "eta2": "η²", "rho": "ρ"}
VARIANTS = {
    "chi2": "χ²",
    "midp": "mid-p",
    "corrected": "continuity-corrected",
    "clustered chi2": "clustered χ²",
    "mean": "mean of the first two differences",
    **dict.fromkeys(("t", "F", "z", "first", "pooled", "correlated t", "not computed"), ""),
}
"""Words for what many tests compute; nothing where the name of the test says it."""


def capitalise(words: Runs, names: Iterable[str] = ()) -> Runs:
    """Capitalise the beginning of a sentence or a title, unless it is a name or more than text."""
    first, *rest = words
    return (Text(capitalised(first.text, names)), *rest) if isinstance(first, Text) else words


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: "one warning", "four warnings"."""
    return f"{number_word(n)} {one if n == 1 else many or one + 's'}"


def and_(words: Sequence[str]) -> str:
    """Join words as a sentence lists them: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def count_sets(context: Context, n: int) -> str:
    """Count data sets with their word: "14 data sets", "18 subjects"."""
    return plural(n, "data set") if n == 1 else f"{number_word(n)} {context.sets}"


def plural_count(n: int, one: str) -> str:
    """Return a count in figures with its noun: "1 feature", "30 features"."""
    return f"{count(n)} {one if n == 1 else one + 's'}"


def sentence(text: str, names: Iterable[str] = ()) -> str:
    """Turn words into a sentence: capital, if they do not begin with a name, and full stop."""
    text = text.strip()
    return capitalised(text, names) + ("" if text[-1:] in ".!?…" else ".") if text else ""


def condition_words(excluded: Excluded) -> str:
    """Return the condition of a `where` line as a reader writes it: "age ≥ 18"."""
    words = excluded.clause.removeprefix("where ")
    return words.replace(">=", "≥").replace("<=", "≤").replace("!=", "≠")


def first_sentence(message: str) -> str:
    """Return a library's message up to its first full stop; advice and addresses follow it.

    What a solver in Fortran adds in capitals, `STOP: TOTAL NO. OF ITERATIONS`, is excluded.
    """
    line = re.split(r"\n|\. |: (?=[A-Z]{4,}\b)", message.strip())[0]
    return line.strip().rstrip(".:")


def symbol(name: str) -> Run:
    """Format the letter of a statistic: Latin in italics, Greek and names upright."""
    if name in GREEK:
        return Text(GREEK[name])
    return Emphasis(runs(name)) if len(name) <= 2 else Text(name)


def stat(name: str, text: str, exact: float | None, df: tuple[str, ...] = ()) -> Stat:
    """Format a statistic with its letter."""
    upright = name in GREEK or len(name) > 2
    return Stat(GREEK.get(name, name), "=", text, exact, df, upright)


def p_stat(context: Context, p: float, alpha: float, error: float | None = None) -> Stat:
    """Format a p-value in the style of the report; `error` is its Monte Carlo error."""
    printed = p_value(p, alpha, context.style, error)
    return Stat(printed.symbol, printed.relation, printed.text, p)


def p_cell(context: Context, p: float | None, alpha: float, error: float | None = None) -> Runs:
    """Format a p-value for a table or a drawing."""
    if p is None:
        return runs(Number(fixed(None, Scale(0))))
    return runs(Number(p_value(p, alpha, context.style, error).cell, p))


def p_letter(context: Context) -> Run:
    """Format the letter of p in the style of the report."""
    return Emphasis(runs(p_value(0.5, context.alpha, context.style).symbol))


def with_article(title: str, *, capital: bool = False) -> str:
    """Format the title of a method inside a sentence, with "the" unless a person owns it."""
    title = mid_sentence(title)
    article = "" if "’s " in title else "the "
    return capitalised(article + title) if capital else article + title


def numbers_with_adjusted(
    context: Context, comparison: Comparison, result: HypothesisTestResult
) -> Runs:
    """Format a test: its name and numbers, with its adjusted p where it has one."""
    title = mid_sentence(context.method_title("test", result.test))
    made = runs(title) + numbers_of(context, result, comparison.alpha)
    words = adjusted_words(comparison)
    if words and result.p_adjusted is not None:
        error = result.mc_se
        made += runs(f", {words}", p_stat(context, result.p_adjusted, comparison.alpha, error))
    return made


def numbers_of(context: Context, result: HypothesisTestResult, alpha: float) -> Runs:
    """Format the statistic of a test, its degrees of freedom, p and first effect size."""
    made: Runs = ()
    statistic_ = result.statistic
    if statistic_ is not None and statistic_.value is not None:
        df = tuple(degrees(value) for value in result.df or ())
        printed = statistic(statistic_.value)
        made += runs(", ", stat(statistic_.name, printed, statistic_.value, df))
    elif result.table is not None:
        b, c = result.table[0][1], result.table[1][0]
        made += runs(f", {count(b)} against {count(c)} discordant {context.unit}")
    if result.p is not None:
        side = "one-sided " if result.side is not None else ""
        made += runs(f", {side}", p_stat(context, result.p, alpha, result.mc_se))
    for effect in result.effects[:1]:
        if effect.value is not None and effect.scale != "odds":
            made += runs(", ", effect_runs(effect, context.style))
    return made


def null_words(context: Context, comparison: Comparison, result: HypothesisTestResult) -> str:
    """Return the null hypothesis, which names the metric."""
    noun = context.metric(comparison.metric).noun
    nouns = dict.fromkeys(("metric", "accuracy", method_of(comparison.metric)), noun)
    nouns["models"] = f"{context.subject(comparison.data)}s"
    null = filled(result.null_form or result.null, nouns)
    return of_cases(context, null.rstrip("."), comparison.data)


def simultaneous_words(context: Context, pairs: Sequence[HypothesisTestResult]) -> str:
    """State how simultaneous intervals were made, shortly where each is the pairwise method."""
    words = []
    for pair in pairs:
        wide, own = pair.simultaneous, pair.estimate
        if wide is None or own is None or wide.low is None:
            continue
        method = method_of(wide.method)
        rest = wide.method.removeprefix(method)  # "conservative" of "(bca), conservative"
        kind = (rest.partition(")")[2] if rest.startswith("(") else rest).strip(", ")
        if method != method_of(own.method):
            words.append(mid_sentence(context.method_title("interval", wide.method)))
        else:
            words.append(f"by the same method at the adjusted level{f', {kind}' if kind else ''}")
    return "; or ".join(dict.fromkeys(words))


def family_words(wide: SimultaneousInterval) -> str:
    """State what an interval of a family holds for: all pairs at once, or those selected."""
    return "FCR-adjusted" if wide.selected else "simultaneous"


def clusters_words(of: str, units: str, found: Sequence[Clusters]) -> str:
    """State how many whole groups are the units of tests or intervals, and their design effects."""
    sizes = between([one.n for one in found])
    noun = "group" if sizes == "1" and units == "groups" else units
    whole = "Whole groups" if units == "groups" else units.capitalize()
    words = f"{whole} are the units of the {of}: {sizes} {noun}"
    effects = sorted({one.design_effect for one in found if one.design_effect is not None})
    if effects:
        ends = dict.fromkeys(fixed(value, Scale(2)) for value in (effects[0], effects[-1]))
        words += f", design effect {' to '.join(ends)}"
    return words + "."


SIDES = {"greater": "larger", "less": "smaller"}


def variant_words(context: Context, result: HypothesisTestResult) -> str:
    """State what was really computed: "mid-p", "χ²"."""
    kind = variant_without_side(result)
    test = context.method("test", result.test)
    known = VARIANTS if test is None else {**VARIANTS, **test.variants}
    words = "" if kind == result.test else known.get(kind)
    if words is None and result.estimate is not None and kind == result.estimate.method:
        words = mid_sentence(context.interval_title(kind))
    words = kind.replace("_", " ") if words is None else words
    words = of_cases(context, re.sub(r"\b(zeros|ties)=(\w+)", r"\1: \2", words))
    side = "" if result.side is None else f"one-sided, first {SIDES[result.side]}"
    return ", ".join(part for part in (words, side) if part)


def of_cases(context: Context, text: str, data: str | None = None) -> str:
    """Call the examples and groups of a text as the study does, or as a data set does."""
    record = context.data(data)
    if record is not None and record.kind == "scores":
        return text
    for noun in (noun for noun in ("example", "group") if noun in text):
        units = context.unit if data is None else context.cases(data)
        word = context.groups(data) if noun == "group" else units
        if word != f"{noun}s":
            text = re.sub(rf"\beach {noun}\b", f"each of the {noun}s", text)
            text = word.join(re.split(rf"\b{noun}s\b", text))
    return text


def further_variants(
    context: Context, tests: Iterable[HypothesisTestResult], title: str
) -> list[str]:
    """Return what was computed, each once, where the title of the test does not state it."""
    words = dict.fromkeys(variant_words(context, test) for test in tests)
    shown = [word for word in words if word and word not in mid_sentence(title)]
    return ["; ".join(shown)] if len(shown) > 1 and any(", " in word for word in shown) else shown


OF_SEVERAL = {
    "this fitted model": "these fitted models",
    "this model": "these models",
    "the algorithm, ": "the algorithms, ",
    "the score as it was given": "the scores as they were given",
}
"""What numbers apply to where they are those of one model, and where of several."""


def scope_words(context: Context, about: str, data: str | None, *, several: bool) -> str:
    """Return what numbers of one or of several models apply to, in the nouns of their data."""
    about = re.sub("^this fitted model$", "this fitted model on new examples", about)
    record = context.data(data)
    if all(one.kind != "table" for one in (context.results.data if record is None else [record])):
        about = about.replace("this fitted model", "this model")  # nothing was fitted here
    about = of_cases(context, about, data)
    about = in_words(about.rstrip("."))
    words = re.sub(r"\b\d{4,}\b", lambda number: count(int(number[0])), about)
    for one, many in OF_SEVERAL.items() if several else ():
        words = words.replace(one, many)
    return words


def effect_runs(effect: Effect, style: Style) -> Runs:
    """Format an effect size with its letter: "Cohen’s *d*z = 0.63"."""
    text = effect_text(effect, style)
    if effect.symbol is not None:
        return runs(Stat(effect.symbol, "=", text, effect.value, (), True))
    return runs(effect_name(effect, inside=True), f"{NBSP}={NBSP}", Number(text, effect.value))


def effect_name(effect: Effect, *, inside: bool = False) -> Runs:
    """Format the name of an effect size, its letter in italics; `inside` a sentence or a head."""
    words = effect.name.replace("'", "’")
    owner, _, letter = words.rpartition(" ")
    if letter == "d_z":
        return runs(f"{owner} ", Emphasis(runs("d")), Subscript("z"))
    if len(letter) == 1:
        owner = mid_sentence(owner) if inside else owner[:1].upper() + owner[1:]
        return runs(f"{owner} ", Emphasis(runs(letter)))
    if effect.symbol is not None:
        return runs(effect.symbol)
    return runs(mid_sentence(words) if inside else words[:1].upper() + words[1:])


def owned(effect: Effect) -> bool:
    """Return whether an effect size is called after a person or by a sign, without an article."""
    return effect.symbol is not None or "'s " in effect.name or "’s " in effect.name


def effect_text(effect: Effect, style: Style, scale: Scale | None = None) -> str:
    """Print an effect size by its scale: shares without leading zero, odds, numbers."""
    if effect.scale == "share":
        return bounded(effect.value, style=style)
    if effect.scale == "odds":
        return fixed(effect.value, scale or ratio_scale([effect.value]), null=1.0)
    return fixed(effect.value, scale or Scale(2), null=0.0)


def value_text(metric: MetricWords, value: float | None, scale: Scale) -> Number:
    """Print a value with its unit: "98.2%"."""
    text = fixed(value, scale)
    return Number(f"{text}%" if metric.percent and value is not None else text, value)


def amount(metric: MetricWords, value: float, scale: Scale) -> Runs:
    """Format the size of a difference: "4.4 points", "1.2 ranks", "0.012"."""
    return signed_amount(metric, abs(value), scale, signed=False)


def stated_amount(metric: MetricWords, value: float, *, of_difference: bool = True) -> Runs:
    """Print a threshold or margin with every digit that the author wrote."""
    exact = Decimal(repr(float(value))).scaleb(2 if metric.percent else 0)
    text = format(exact.normalize(), ",f").replace("-", MINUS)
    unit = "%" if metric.percent else ""
    if metric.units and (of_difference or not metric.percent):
        unit = NBSP + (metric.units.removesuffix("s") if text == "1" else metric.units)
    return runs(Number(f"{text}{unit}", value))


def signed_amount(metric: MetricWords, value: float, scale: Scale, *, signed: bool = True) -> Runs:
    """Format a difference with its sign: "+4.4 points", "−22.0 price units", "−0.012"."""
    number = Number(fixed(value, scale, signed=signed, null=0.0), value)
    units = RANKS if metric.unit == RANKS else metric.units
    return runs(number, f"{NBSP}{units}" if units else "")


def estimate_interval(estimate: Estimate, scale: Scale) -> Runs:
    """Format the interval of an estimate: "95% CI [96.8, 99.0]"; nothing where there is none."""
    found = estimate.interval
    if found is None or (found.low is None and found.high is None):
        return ()
    return (with_level(found.low, found.high, scale, found.level),)


def with_level(low: float | None, high: float | None, scale: Scale, level: float) -> Interval:
    """Format an interval with its level: "95% CI [96.8, 99.0]"."""
    return Interval(interval(low, high, scale), low, high, f"{percent(level)}{NBSP}CI")


def correct_of(context: Context, estimate: Estimate) -> int | None:
    """Return how many examples were right, where that is a share of examples without weights."""
    data = context.data(estimate.data)
    if data is not None and data.weight is not None:
        return None
    if not context.counts_right(estimate.metric) or estimate.aggregation != "pooled":
        return None
    if estimate.value is None or "seeds" in estimate.extra:  # a mean over the fits of several seeds
        return None
    right = estimate.value * estimate.n
    if not math.isfinite(right):
        return None
    return round(right) if math.isclose(right, round(right), abs_tol=1e-6) else None


def estimate_runs(context: Context, setting: Setting, estimate: Estimate) -> Runs:
    """Format an estimate: "98.2% (95% CI [96.8, 99.0]; 559 of 569 correct)"."""
    metric = context.metric(estimate.metric)
    scale = context.scale(setting, estimate.metric)
    made = runs(value_text(metric, estimate.value, scale))
    if metric.unit == "target" and metric.units:
        made += runs(f"{NBSP}{metric.units}")
    right = correct_of(context, estimate)
    correct = runs(f"{count(right)} of {count(estimate.n)} correct") if right is not None else ()
    inside = [part for part in (estimate_interval(estimate, scale), correct) if part]
    return made + (runs(" (", listed(inside, comma="; ", last="; "), ")") if inside else ())


def repeats_of(estimate: Estimate) -> str:
    """Return what the values of an estimate of repeated examples are of, such as readers."""
    return next((w for w in ("readers", "seeds") if f"n_{w}" in estimate.extra), "repeats")


def lacks_repeats(estimate: Estimate) -> bool:
    """Return whether some examples of an estimate lack a repeat that others have."""
    return any(fold.n_test is not None and fold.n_test < estimate.n for fold in estimate.folds)


def adjusted_words(comparison: Comparison) -> str:
    """State the adjustment that comes before p: "Holm-adjusted "; nothing where there is none."""
    family = comparison.family
    if family.correction is None or family.size < 2 or not adjusts(comparison):
        return ""
    return f"{family.adjective}-adjusted " if family.adjective else "adjusted "


def adjusts(comparison: Comparison) -> bool:
    """Return whether the correction changes p-values; older files tell by those they hold."""
    if comparison.family.adjective is not None:
        return bool(comparison.family.adjective)
    return any(pair.p_adjusted is not None for pair in comparison.pairwise)


def lacking_words(context: Context, lacking: Lacking) -> str:
    """Return why a test could not be run, the model by its label."""
    model = lacking.model
    if model is None or lacking.kind == "refused":
        return lacking.reason
    if lacking.kind == "scores":
        return f"{context.model(model)} gives no scores"
    failed = [f for f in context.results.failures if f.model == model and f.stage == "outer"]
    return f"{'fits' if len(failed) > 1 else 'a fit'} of {context.model(model)} failed"


def reasons(context: Context, results: Sequence[HypothesisTestResult]) -> tuple[str, ...]:
    """Return why nothing was computed, each reason once, models by their labels."""
    found = [
        words
        for result in results
        for words in (
            result.notes if result.lacking is None else (lacking_words(context, result.lacking),)
        )
    ]
    return tuple(dict.fromkeys(found))


TITLED = frozenset({"test", "correction", "interval"})
"""Kinds of methods whose titles are part of a sentence."""


def code_runs(text: str) -> Runs:
    """Format the parts in backquotes as code; a text with a single one stays as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return runs(text)
    return runs(*(Code(part) if i % 2 else part for i, part in enumerate(parts) if part))


def message_runs(context: Context, text: str) -> Runs:
    """Format a message as a sentence: names of the study and of methods as labels and titles.

    Other parts in backquotes stay code.
    """
    made = code_runs(sentence(text))
    words: list[Run] = []
    for i, run in enumerate(made):
        if not isinstance(run, Code):
            words.append(run)
            continue
        after = made[i + 1] if i + 1 < len(made) else None
        following = after.text if isinstance(after, Text) else ""
        label, title = _label(context, run.text), _title(context, run.text, following)
        if label is not None:
            words.append(Text(label))
        elif title is not None:
            before = words[-1] if words else None
            if isinstance(before, Text) and before.text.endswith((" the ", " a ")):
                title = title.removeprefix("the ")
            for kind in ("test", "interval"):
                if following.startswith(f" {kind}"):
                    title = title.removesuffix(f" {kind}")
            words.append(Text(title if words else capitalised(title)))
        else:
            words.append(run)
    return runs(*words)


def _label(context: Context, name: str) -> str | None:
    """Return the label of a model or data set."""
    if any(model.name == name for model in context.results.models):
        return context.model(name)
    if any(data.name == name for data in context.results.data):
        return context.data_label(name)
    return None


def _title(context: Context, name: str, following: str) -> str | None:
    """Return the title of a method; None for other code.

    A name of a test and of an interval is that of the test, except before the word "interval".
    """
    kinds = {method.kind for method in context.results.methods if method.name == name}
    order = ("interval", "test") if following.startswith(" interval") else ("test", "interval")
    kind = next((k for k in (*order, "metric", "correction") if k in kinds), None)
    if kind == "metric":
        return context.metric(name).noun
    if kind in TITLED:
        return with_article(context.method_title(kind, name))
    return None
