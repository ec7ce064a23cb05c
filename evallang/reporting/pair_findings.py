"""Key findings of tests: what beat what and by how much, and what was not decided."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from evallang.reporting.context import Context, printed_p
from evallang.reporting.contrasts import Contrast, contrast, contrast_interval, disagreements, reach
from evallang.reporting.decisions import (
    bayesian,
    computed,
    favoured,
    is_about_equivalence,
    is_open,
    margin_of,
    untested,
)
from evallang.reporting.document import Interval, Number, Runs, runs
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
    numbers_with_adjusted,
    reasons,
    signed_amount,
    value_text,
)
from evallang.results.records import Comparison, HypothesisTestResult
from evallang.results.statistics import POSTERIOR

TOPIC = "findings"
MOST_NAMED = 3  # of many pairs without a test, or models of a finding; more are counted
MOST_OTHERS = 5  # models that one sentence names; of more it states the extremes


def pairs_around_centre(context: Context, comparison: Comparison, centre: str) -> list[Runs]:
    """Format all pairs with one model, then the other decided pairs."""
    if any(pair.side or margin_of(pair) is not None for pair in comparison.pairwise):
        return _each(context, comparison)
    own = [contrast(p, centre) for p in comparison.pairwise if centre in p.models]
    others = [p for p in comparison.pairwise if centre not in p.models and p.reject]
    ahead, behind = (_led(context, comparison, own, leads) for leads in (True, False))
    open_ = [c for c in own if is_open(c.pair)]
    say = _sentences(context, comparison, centre, len(own))
    average = comparison.ranks.average if comparison.ranks is not None else {}
    items: list[Runs] = []
    for chosen in filter(None, (ahead, behind)):
        ranked = any(c.value is None for c in chosen)
        shown = _shown(chosen, by=lambda c: average[c.other]) if ranked else _shown(chosen)
        names = [centre, *(c.other for c in shown)] if ranked else []
        last = chosen is (behind or ahead)
        made = say(
            "differed_from_others",
            found=chosen,
            shown=shown,
            better=chosen is ahead,
            average={m: Number(fixed(average[m], Scale(2)), average[m]) for m in names},
            causes=[] if ranked else disagreements(shown),
            further=_further(context, comparison, others, chosen) if others and last else (),
        )
        items.append(made)
    if not items:
        items += [single(context, comparison, pair) for pair in others[:2]]
    if open_:
        words = _compatible(context, comparison, open_)
        items.append(say("not_shown_to_differ_from_others", found=open_, compatible=words))
    return items


def pairs_against_reference(context: Context, comparison: Comparison, reference: str) -> list[Runs]:
    """Format all pairs with a reference, read from the other model of each."""
    if any(pair.side or margin_of(pair) is not None for pair in comparison.pairwise):
        return _each(context, comparison)
    found = [
        contrast(p, next(name for name in p.models if name != reference))
        for p in comparison.pairwise
    ]
    say = _sentences(context, comparison, reference, len(found))
    items: list[Runs] = []
    for better in (True, False):
        if chosen := _led(context, comparison, found, better):
            shown = _shown(chosen)
            facts = {"shown": shown, "better": better, "causes": disagreements(shown)}
            items.append(say("others_differed", found=chosen, **facts))
    if open_ := [c for c in found if is_open(c.pair)]:
        words = _compatible(context, comparison, open_, named=len(open_) > 1)
        items.append(say("others_not_shown_to_differ", found=open_, compatible=words))
    return items


def _sentences(
    context: Context, comparison: Comparison, model: str, size: int
) -> Callable[..., Runs]:
    """Return the sentences about one model and `size` others."""
    words = context.difference_words(comparison)
    of = {"comparison": comparison, "words": words, "model": model, "size": size}
    return partial(write, context, TOPIC, **of)


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
        compatible = _compatible(context, comparison, [found])
        return say("pair_not_shown_to_differ", compatible=compatible)
    return say(
        "pair_differed",
        interval=contrast_interval(found, context.difference_scale(comparison)),
        causes=disagreements([found]) if found.value else [],
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


def _led(
    context: Context, comparison: Comparison, found: Sequence[Contrast], leads: bool
) -> list[Contrast]:
    """Return the decided contrasts whose model has the better value or rank, or the worse."""
    average = comparison.ranks.average if comparison.ranks is not None else {}
    return [
        c
        for c in found
        if c.pair.reject
        and c.leads is leads
        and (c.value or (c.model in average and c.other in average))
    ]


def _shown(
    found: Sequence[Contrast], by: Callable[[Contrast], float] = lambda c: abs(c.value or 0.0)
) -> list[Contrast]:
    """Return the contrasts that a sentence states: of many the smallest and the largest."""
    if len(found) <= MOST_OTHERS:
        return list(found)
    return [min(found, key=by), max(reversed(found), key=by)]


def _further(
    context: Context,
    comparison: Comparison,
    pairs: list[HypothesisTestResult],
    before: list[Contrast],
) -> Runs:
    """State which pairs without the centre were decided: one in full, more by their number."""
    pair = contrast(pairs[0], pairs[0].models[0]) if len(pairs) == 1 else None
    return write(
        context,
        TOPIC,
        "further_pairs",
        comparison=comparison,
        words=context.difference_words(comparison),
        pair=pair,
        pairs=len(comparison.pairwise),
        rejected=sum(bool(one.reject) for one in comparison.pairwise),
        causes=[] if pair is None or pair.value is None else disagreements([pair], before),
    )


def _compatible(
    context: Context, comparison: Comparison, found: list[Contrast], *, named: bool = False
) -> Runs:
    """State the largest difference that the intervals still allow, whichever its direction.

    `named` says whose lead it is, where the contrasts are read from several models.
    """
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    known = [c for c in found if c.low is not None and c.high is not None and not c.constant]
    widest = max(known, key=reach, default=None)
    size = 0.0 if widest is None else reach(widest)
    upward = widest is not None and abs(widest.high or 0.0) == size
    bounded = widest is not None and math.isfinite(size)
    return write(
        context,
        TOPIC,
        "compatible",
        constant=all(c.constant for c in found),
        widest=widest,
        unbounded=not bounded,
        advantage=widest is not None and (upward is metric.higher_is_better) is widest.leads,
        size=amount(metric, size, scale) if bounded else (),
        interval=contrast_interval(widest, scale) if widest is not None else (),
        named=named,
        causes=disagreements([widest] if widest is not None else []),
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
            key: Number(probability(value, context.style, pair.mc_se), value)
            for key in POSTERIOR
            if (value := pair.extra.get(key)) is not None
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
