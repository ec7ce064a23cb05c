"""Key findings of tests: what beat what and by how much, and what was not decided."""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from evallang.reporting.context import Context, printed_p
from evallang.reporting.contrasts import (
    Contrast,
    compatible_runs,
    contrast,
    contrast_interval,
    contrast_runs,
    difference_runs,
    disagreements,
)
from evallang.reporting.decisions import (
    bayesian,
    computed,
    favoured,
    is_about_equivalence,
    is_open,
    margin_of,
    untested,
)
from evallang.reporting.document import Interval, Number, Runs, Strong, listed, runs
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    fixed,
    interval,
    percent,
    probability,
    scale_of,
)
from evallang.reporting.orientation import inside
from evallang.reporting.sentences import write
from evallang.reporting.wording import (
    amount,
    number_word,
    numbers_with_adjusted,
    reasons,
    signed_amount,
    value_text,
)
from evallang.results.records import Comparison, HypothesisTestResult
from evallang.results.statistics import POSTERIOR

TOPIC = "findings"
MOST_NAMED = 3  # of many pairs without a test, or models of a finding; more are counted
OR = " or "  # joins the models of a sentence with "not"
MOST_OTHERS = 5  # models that one sentence names; of more it states the extremes


def pairs_around_centre(context: Context, comparison: Comparison, centre: str) -> list[Runs]:
    """Format all pairs with one model, then the other decided pairs."""
    if any(pair.side or margin_of(pair) is not None for pair in comparison.pairwise):
        return _each(context, comparison)
    metric = context.difference_words(comparison)
    own = [contrast(p, centre) for p in comparison.pairwise if centre in p.models]
    others = [p for p in comparison.pairwise if centre not in p.models and p.reject]
    ahead = [c for c in own if c.pair.reject and _leads(context, comparison, c) is True]
    behind = [c for c in own if c.pair.reject and _leads(context, comparison, c) is False]
    open_ = [c for c in own if is_open(c.pair)]
    where = place_words(context, comparison)
    name = context.sized(centre, comparison.data)
    items: list[Runs] = []
    for chosen, word in ((ahead, metric.better_word), (behind, metric.worse_word)):
        if chosen:
            lead = runs(f"{where}{name} had a {word} {metric.noun} than ")
            items.append(_decided(context, comparison, lead, chosen))
    if others and items:
        items[-1] += _other_pairs(context, comparison, others, behind or ahead)
    elif others:
        items += [single(context, comparison, pair) for pair in others[:2]]
    if open_:
        names = _others(context, comparison, own, [c.other for c in open_], OR)
        lead = runs(f"{where}{name} was not shown to differ in {metric.noun} from ", names)
        items.append(runs(Strong(lead), ". ", compatible_runs(context, comparison, open_)))
    return items


def pairs_against_reference(context: Context, comparison: Comparison, reference: str) -> list[Runs]:
    """Format all pairs with a reference, read from the other model of each."""
    if any(pair.side or margin_of(pair) is not None for pair in comparison.pairwise):
        return _each(context, comparison)
    metric = context.difference_words(comparison)
    found = [
        contrast(p, next(name for name in p.models if name != reference))
        for p in comparison.pairwise
    ]
    where, whole = place_words(context, comparison), context.sized(reference, comparison.data)
    items: list[Runs] = []
    for leads, word in ((True, metric.better_word), (False, metric.worse_word)):
        chosen = [c for c in found if c.pair.reject and _leads(context, comparison, c) is leads]
        if not chosen:
            continue
        names = _others(
            context, comparison, found, [c.model for c in chosen], " and ", capital=not where
        )
        claim = f" had a {word} {metric.noun} than {whole}"
        several, many = len(chosen) > 1, len(chosen) > MOST_OTHERS
        parts = []
        for i, c in enumerate(_shown(chosen)):
            if c.value is not None:
                model = context.model(c.model)
                before = f"{model}{',' if many else ''} by " if several else "by "
                after = f" for {model}" if several else ""
                size = difference_runs(context, comparison, c, before, "", after)
                parts.append(runs(size, " ", contrast_runs(context, comparison, c, lead=i == 0)))
        joined = runs("from ", listed(parts, last=", to ")) if many else listed(parts)
        numbers = runs(": " if several else ", ", joined) if parts else ()
        why = disagreements(_shown(chosen))
        items.append(runs(Strong(runs(where, names, claim)), numbers, ".", why))
    open_ = [c for c in found if is_open(c.pair)]
    if open_:
        names = _others(
            context, comparison, found, [c.model for c in open_], " and ", capital=not where
        )
        verb = "was" if len(open_) == 1 else "were"
        claim = f" {verb} not shown to differ in {metric.noun} from {whole}"
        lead = Strong(runs(where, names, claim))
        words = compatible_runs(context, comparison, open_, named=len(open_) > 1)
        items.append(runs(lead, ". ", words))
    return items


def single(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format one pair with its test, as a study of two models has it."""
    if margin_of(pair) is not None:
        return margin_words(context, comparison, pair)
    if pair.side is not None:
        return _one_sided(context, comparison, pair)
    found = contrast(pair, pair.models[0])
    say = partial(
        write,
        context,
        TOPIC,
        comparison=comparison,
        words=context.difference_words(comparison),
        pair=found,
        test=numbers_with_adjusted(context, comparison, pair),
    )
    if not pair.reject:
        compatible = compatible_runs(context, comparison, [found])
        return say("pair_not_shown_to_differ", compatible=compatible)
    return say(
        "pair_differed",
        size=difference_runs(context, comparison, found, "by ", "") if found.value else (),
        interval=contrast_interval(found, context.difference_scale(comparison)),
        disagreement=disagreements([found]) if found.value else "",
    )


def _each(context: Context, comparison: Comparison) -> list[Runs]:
    """Format pairs one by one, where a test asks about one direction or about a margin."""
    tested = [pair for pair in comparison.pairwise if pair.reject or is_open(pair)]
    tested.sort(key=lambda pair: not pair.reject)
    made = [single(context, comparison, pair) for pair in tested[:MOST_NAMED]]
    if rest := tested[MOST_NAMED:]:
        significant = sum(bool(pair.reject) for pair in rest)
        one_sided = any(pair.side for pair in comparison.pairwise)
        facts = {"n": len(rest), "significant": significant, "one_sided": one_sided}
        made.append(write(context, TOPIC, "more_pairs", **facts))
    return made


def _one_sided(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format a pair of which the test asked about one direction only."""
    words, scale = context.difference_words(comparison), context.difference_scale(comparison)
    found = contrast(pair, pair.models[0])
    interval_ = contrast_interval(found, scale)
    low, high = found.low, found.high
    known = bool(interval_) and found.value is not None and low is not None and high is not None
    observed = signed_amount(words, found.value, scale) if known and found.value is not None else ()
    other_side = includes_zero = False
    if low is not None and high is not None:
        other_side = high < 0 if pair.side == "greater" else low > 0
        includes_zero = low <= 0 <= high
    return write(
        context,
        TOPIC,
        "pair_tested_on_one_side",
        comparison=comparison,
        words=words,
        pair=pair,
        test=numbers_with_adjusted(context, comparison, pair),
        observed=observed,
        interval=interval_,
        other_side=other_side,
        includes_zero=includes_zero,
    )


class _Lost(Struct, frozen=True):
    """What was not compared: models, or one that was not tested, at a place."""

    data: str | None
    protocol: str | None
    models: tuple[str, ...]


def not_tested(context: Context, comparisons: Sequence[Comparison]) -> list[Runs]:
    """State what was not tested, and why: one sentence for each reason."""
    found: dict[str, dict[_Lost, None]] = {}
    nouns: dict[str, dict[str, None]] = {}
    for comparison in comparisons:
        tested = comparison.performed or not any(map(computed, comparison.pairwise))
        tests = untested(comparison.pairwise) if tested else []
        omnibus = comparison.omnibus
        if omnibus is not None and omnibus.p is None and not bayesian(omnibus):
            tests = [omnibus]
        for test in tests:
            why = "; ".join(reasons(context, [test])) or "the test is undefined here"
            lost = _Lost(comparison.data, comparison.protocol, test.models)
            found.setdefault(why, {})[lost] = None
            nouns.setdefault(why, {})[context.compared_words(comparison).noun] = None
    say = partial(write, context, TOPIC, "not_tested")
    return [say(lost=list(lost), nouns=list(nouns[why]), why=why) for why, lost in found.items()]


def _leads(context: Context, comparison: Comparison, found: Contrast) -> bool | None:
    """Return whether the model has the better value, or rank; None where that is not known."""
    average = comparison.ranks.average if comparison.ranks is not None else {}
    ranked = found.model in average and found.other in average
    return found.leads if found.value or ranked else None


def _ranked(context: Context, comparison: Comparison, found: list[Contrast]) -> Runs:
    """Return the average ranks behind a decision over data sets."""
    average = comparison.ranks.average if comparison.ranks is not None else {}
    scale = Scale(2)
    others = [
        runs(
            Number(fixed(average[c.other], scale), average[c.other]),
            f" for {context.model(c.other)} ",
            contrast_runs(context, comparison, c, lead=i == 0),
        )
        for i, c in enumerate(_shown(found, by=lambda c: average[c.other]))
    ]
    own = average[found[0].model]
    return runs(
        ": average rank ", Number(fixed(own, scale), own), " against ",
        _joined(found, others), ".",
    )  # fmt: skip


def _decided(context: Context, comparison: Comparison, lead: Runs, found: list[Contrast]) -> Runs:
    metric = context.difference_words(comparison)
    own = [contrast(p, found[0].model) for p in comparison.pairwise if found[0].model in p.models]
    names = _others(context, comparison, own, [c.other for c in found], " and ")
    made = runs(Strong(runs(lead, names)))
    if any(c.value is None for c in found):
        return made + _ranked(context, comparison, found)
    if len(found) == 1:
        size = difference_runs(context, comparison, found[0], "by ", "")
        made += runs(", ", size, " ", contrast_runs(context, comparison, found[0]), ".")
        return made + runs(disagreements(found))
    parts = []
    for i, item in enumerate(_shown(found)):
        other = context.model(item.other)
        towards = metric.better_word if item.leads else metric.worse_word
        after = f" {towards} than {other}"
        size = difference_runs(context, comparison, item, "", after, f" from {other}")
        parts.append(runs(size, " ", contrast_runs(context, comparison, item, lead=i == 0)))
    return made + runs(": ", _joined(found, parts), ".", disagreements(_shown(found)))


def _others(
    context: Context,
    comparison: Comparison,
    all_: Sequence[Contrast],
    models: Sequence[str],
    last: str,
    *,
    capital: bool = False,
) -> Runs:
    """List models, or count them among all that were compared if they are many."""
    if len(models) <= MOST_OTHERS:
        return listed([runs(context.sized(name, comparison.data)) for name in models], last=last)
    if len(models) == len(all_):
        words = f"{'any of the' if last == OR else 'all'} {number_word(len(all_))} other models"
        return runs(capitalised(words) if capital else words)
    named = [runs(context.model(name)) for name in models[:MOST_NAMED]]
    rest = runs(f"{number_word(len(models) - MOST_NAMED)} others")
    lead = f"{number_word(len(models))} of the {number_word(len(all_))} other models ("
    return runs(capitalised(lead) if capital else lead, listed([*named, rest]), ")")


def _shown(
    found: Sequence[Contrast], by: Callable[[Contrast], float] = lambda c: abs(c.value or 0.0)
) -> list[Contrast]:
    """Return the contrasts that a sentence states: of many the smallest and the largest."""
    if len(found) <= MOST_OTHERS:
        return list(found)
    return [min(found, key=by), max(reversed(found), key=by)]


def _joined(found: Sequence[Contrast], parts: Sequence[Runs]) -> Runs:
    """Join what is stated of contrasts: a list, or of many a range."""
    if len(found) <= MOST_OTHERS:
        return listed(parts)
    return runs("from ", parts[0], " to ", parts[1])


def _other_pairs(
    context: Context,
    comparison: Comparison,
    pairs: list[HypothesisTestResult],
    before: list[Contrast],
) -> Runs:
    """State which pairs without the centre were decided: one in full, more by their number."""
    metric = context.difference_words(comparison)
    if len(pairs) > 1:
        total = len(comparison.pairwise)
        rejected = sum(bool(pair.reject) for pair in comparison.pairwise)
        words = f"{number_word(rejected)} of the {number_word(total)} pairs differed"
        return runs(" In all, ", words, ".")
    better = contrast(pairs[0], pairs[0].models[0])
    lead = (
        f" {context.model(better.model)} had a {metric.better_word} {metric.noun} than "
        f"{context.model(better.other)}"
    )
    if better.value is None:
        return runs(f"{lead} ", contrast_runs(context, comparison, better, lead=False), ".")
    return runs(
        f"{lead}, ",
        difference_runs(context, comparison, better, "by ", ""),
        " ",
        contrast_runs(context, comparison, better),
        ".",
        disagreements([better], before),
    )


# --- pairs without a p-value: posterior probabilities and margins ------------------------


def posteriors(
    context: Context, comparison: Comparison, pairs: Sequence[HypothesisTestResult]
) -> list[Runs]:
    """Format Bayesian pairs one by one; of many, those that were decided, the others counted."""
    if len(pairs) <= MOST_OTHERS:
        return [posterior(context, comparison, pair) for pair in pairs]
    confidence = context.results.study.confidence
    decided = [pair for pair in pairs if favoured(pair, confidence) is not None]
    made = [posterior(context, comparison, pair) for pair in decided[:MOST_NAMED]]
    words = context.metric(comparison.metric)
    say = partial(write, context, TOPIC, comparison=comparison, words=words, size=len(pairs))
    if more := len(decided[MOST_NAMED:]):
        made.append(say("more_posteriors_decided", test=pairs[0].test, n=more))
    if open_ := len(pairs) - len(decided):
        made.append(say("posteriors_not_decided", n=open_))
    return made


def posterior(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format the three posterior probabilities of a pair, and whether one exceeds confidence."""
    metric, rope = context.metric(comparison.metric), pair.extra.get("rope")
    return write(
        context,
        TOPIC,
        "posterior",
        comparison=comparison,
        words=metric,
        pair=pair,
        decided=favoured(pair, context.results.study.confidence),
        probabilities={
            key: Number(probability(pair.extra.get(key), context.style), pair.extra.get(key))
            for key in POSTERIOR
            if pair.extra.get(key) is not None
        },
        rope=()
        if rope is None
        else amount(metric, rope, scale_of([], [rope], percent=metric.percent)),
    )


def margin_words(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format a test of equivalence or non-inferiority: what it shows lies within its margin."""
    metric, margin = context.difference_words(comparison), margin_of(pair)
    found = contrast(pair, pair.models[0])
    return write(
        context,
        TOPIC,
        "within_a_margin",
        comparison=comparison,
        words=metric,
        pair=pair,
        size=amount(metric, margin or 0.0, scale_of([], [margin], percent=metric.percent)),
        interval=contrast_interval(found, context.difference_scale(comparison)),
        equivalence=is_about_equivalence(pair),
    )


def place_words(context: Context, comparison: Comparison) -> str:
    """State the data set and the protocol, where there are several."""
    return context.place(comparison.data, comparison.protocol)


# --- one model against a stated value ----------------------------------------------------------


def singly(comparison: Comparison) -> bool:
    """Return whether the tests of a comparison are about one model each."""
    return any(len(test.models) == 1 for test in comparison.pairwise)


def one_model_findings(context: Context, comparison: Comparison) -> list[Runs]:
    """Format a key finding for each model: what it was shown to be, or not shown."""
    return [_finding(context, comparison, test) for test in comparison.pairwise]


def summary(context: Context, comparison: Comparison, where: Runs) -> Runs:
    """State what was tested against which value, and for how many models it was rejected."""
    tests = comparison.pairwise
    return write(
        context,
        TOPIC,
        "models_against_a_value",
        comparison=comparison,
        tests=tests,
        noun=quantity_noun(context, comparison),
        value=stated_value(context, comparison, tests[0]),
        where=where,
    )


def _finding(context: Context, comparison: Comparison, test: HypothesisTestResult) -> Runs:
    return write(
        context,
        TOPIC,
        "model_against_a_value",
        comparison=comparison,
        test=test,
        noun=context.quantity(test.test) or context.metric(comparison.metric).noun,
        value=stated_value(context, comparison, test),
        shown=_interval(context, comparison, test),
        p=printed_p(test),
    )


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


def stated_value(context: Context, comparison: Comparison, test: HypothesisTestResult) -> Runs:
    """Format the value that a model was tested against."""
    value = test.extra.get("threshold")
    if not isinstance(value, int | float):
        return runs("the stated value")
    metric = context.metric(comparison.metric)
    scale = scale_of([], [value], percent=metric.percent)
    return runs(value_text(metric, value, scale))


def quantity_noun(context: Context, comparison: Comparison) -> str:
    """Return what the tests of single models are about."""
    tested = context.quantity(comparison.pairwise[0].test)
    return tested or context.metric(comparison.metric).noun
