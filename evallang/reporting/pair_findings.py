"""Key findings of tests: what beat what and by how much, and what was not decided."""

import math
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from evallang.reporting.context import Context
from evallang.reporting.contrasts import Contrast, contrast, reach, widest_of
from evallang.reporting.decisions import (
    bayesian,
    computed,
    favoured,
    is_about_equivalence,
    is_open,
    margin_of,
    untested,
)
from evallang.reporting.document import Number, Runs, runs
from evallang.reporting.numbers import (
    probability,
    scale_of,
)
from evallang.reporting.orientation import inside
from evallang.reporting.sentences import write
from evallang.reporting.wording import (
    reasons,
    stated_amount,
    value_text,
    with_level,
)
from evallang.results.records import Comparison, HypothesisTestResult
from evallang.results.statistics import POSTERIOR

TOPIC = "findings"
MOST_NAMED = 3  # of many pairs without a test, or models of a finding; more are counted
MOST_OTHERS = 5  # models that one sentence names; of more it states the extremes


def pairs_around(
    context: Context, comparison: Comparison, model: str, *, reference: bool
) -> list[Runs]:
    """Format all pairs with one model, then the other decided pairs.

    Those with the best model are read from it, those with a `reference` from the others.
    """
    if any(pair.side or margin_of(pair) is not None for pair in comparison.pairwise):
        tested = [pair for pair in comparison.pairwise if pair.reject or is_open(pair)]
        tested.sort(key=lambda pair: not pair.reject)
        return _one_by_one(context, comparison, tested)
    found, others = list[Contrast](), list[HypothesisTestResult]()
    for pair in comparison.pairwise:
        if model in pair.models:
            about = next(name for name in pair.models if (name == model) is not reference)
            found.append(contrast(pair, about))
        elif pair.reject:
            others.append(pair)
    say = partial(write, context, TOPIC, comparison=comparison, model=model, size=len(found))
    led = [chosen for leads in (True, False) if (chosen := _led(comparison, found, leads))]
    items: list[Runs] = []
    for chosen in led:
        facts = {"found": chosen, "shown": _shown(comparison, chosen), "better": chosen[0].leads}
        if reference:
            items.append(say("others_differed", **facts))
            continue
        further: Runs = ()
        if others and chosen is led[-1]:
            alone = contrast(others[0], others[0].models[0]) if len(others) == 1 else None
            facts_of_rest = {"comparison": comparison, "pair": alone}
            further = write(context, TOPIC, "further_pairs", **facts_of_rest)
        items.append(say("differed_from_others", **facts, further=further))
    directed = [c.pair for chosen in led for c in chosen]
    rest = [c.pair for c in found if c.pair.reject and c.pair not in directed]
    items += _one_by_one(context, comparison, rest if led else [*rest, *others])
    if open_ := [c for c in found if is_open(c.pair)]:
        words = _compatible(context, comparison, open_, named=reference and len(open_) > 1)
        name = "others_not_shown_to_differ" if reference else "not_shown_to_differ_from_others"
        items.append(say(name, found=open_, compatible=words))
    return items


def single(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format one pair with its test, as a study of two models has it."""
    if margin_of(pair) is not None:
        return _within_a_margin(context, comparison, pair)
    found = contrast(pair, pair.models[0])
    say = partial(write, context, TOPIC, comparison=comparison, pair=found)
    if pair.side is not None:
        return say("pair_tested_on_one_side")
    if pair.reject:
        return say("pair_differed")
    return say("pair_not_shown_to_differ", compatible=_compatible(context, comparison, [found]))


def _one_by_one(
    context: Context, comparison: Comparison, tested: Sequence[HypothesisTestResult]
) -> list[Runs]:
    """Format pairs whose test asks about one direction or a margin, or that show none."""
    made = [single(context, comparison, pair) for pair in tested[:MOST_NAMED]]
    if rest := tested[MOST_NAMED:]:
        significant = sum(bool(pair.reject) for pair in rest)
        one_sided = any(pair.side for pair in comparison.pairwise)
        facts = {"n": len(rest), "significant": significant, "one_sided": one_sided}
        made.append(write(context, TOPIC, "more_pairs", **facts))
    return made


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


def _led(comparison: Comparison, found: Sequence[Contrast], leads: bool) -> list[Contrast]:
    """Return the decided contrasts whose model has the better value or rank, or the worse."""
    ranked = comparison.ranks.average if comparison.ranks is not None else {}
    return [
        c
        for c in found
        if c.pair.reject and c.leads is leads and (c.value or {c.model, c.other} <= ranked.keys())
    ]


def _shown(comparison: Comparison, found: Sequence[Contrast]) -> list[Contrast]:
    """Return the contrasts that a sentence states: of many the smallest and the largest.

    Where one has no value they are those with the other models of the best and the worst rank.
    """
    if len(found) <= MOST_OTHERS:
        return list(found)
    average = comparison.ranks.average if comparison.ranks is not None else {}
    ranked = any(c.value is None for c in found)

    def size(c: Contrast) -> float:
        return average[c.other] if ranked else abs(c.value or 0.0)

    return [min(found, key=size), max(reversed(found), key=size)]


def _compatible(
    context: Context, comparison: Comparison, found: list[Contrast], *, named: bool = False
) -> Runs:
    """State the largest difference that the intervals still allow, whichever its direction.

    `named` says whose lead it is, where the contrasts are read from several models.
    """
    higher = context.difference_words(comparison).higher_is_better
    widest = widest_of([c for c in found if not c.constant])
    upward = widest is not None and abs(widest.high or 0.0) == reach(widest)
    return write(
        context,
        TOPIC,
        "compatible",
        comparison=comparison,
        constant=all(c.constant for c in found),
        widest=widest,
        unbounded=widest is not None and not math.isfinite(reach(widest)),
        advantage=widest is not None and (upward is higher) is widest.leads,
        named=named,
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
    say = partial(write, context, TOPIC, comparison=comparison, size=len(pairs))
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
        pair=pair,
        decided=favoured(pair, context.results.study.confidence),
        probabilities={
            key: Number(probability(value, context.style, pair.mc_se), value)
            for key in POSTERIOR
            if (value := pair.extra.get(key)) is not None
        },
        rope=() if rope is None else stated_amount(metric, rope),
    )


def _within_a_margin(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Format a test of equivalence or non-inferiority: what it shows lies within its margin."""
    metric, margin = context.difference_words(comparison), margin_of(pair)
    return write(
        context,
        TOPIC,
        "within_a_margin",
        comparison=comparison,
        pair=contrast(pair, pair.models[0]),
        size=stated_amount(metric, margin or 0.0),
        equivalence=is_about_equivalence(pair),
    )


# --- one model against a stated value ----------------------------------------------------------


def singly(comparison: Comparison) -> bool:
    """Return whether the tests of a comparison are about one model each."""
    return any(len(test.models) == 1 for test in comparison.pairwise)


def one_model_findings(context: Context, comparison: Comparison) -> list[Runs]:
    """Format a key finding for each model: what it was shown to be, or not shown."""
    say = partial(write, context, TOPIC, "model_against_a_value", comparison=comparison)
    noun = quantity_noun(context, comparison)
    return [
        say(
            test=test,
            noun=noun,
            value=stated_value(context, comparison, test),
            shown=_interval(context, comparison, test),
        )
        for test in comparison.pairwise
    ]


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
    return made + runs(", ", with_level(low, high, scale, found.level))


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
