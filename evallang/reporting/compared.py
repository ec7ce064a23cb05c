"""How models were compared: the sentences of the methods paragraph about one `compare` line."""

from collections.abc import Sequence

from evallang.reporting.context import Context, base
from evallang.reporting.decisions import bayesian, computed, reasons
from evallang.reporting.document import Runs, listed, runs
from evallang.reporting.numbers import level_of_alpha, percent, scale_of
from evallang.reporting.one_model import methods_words, singly
from evallang.reporting.titles import mid_sentence
from evallang.reporting.wording import (
    adjusts,
    amount,
    effect_name,
    family_words,
    number_word,
    p_letter,
    simultaneous_words,
    variant_words,
)
from evallang.results.records import Comparison, HypothesisTestResult

MOST_PAIRS_NAMED = 2


def one_per_line(context: Context) -> list[Comparison]:
    """Give one comparison for each line of the study file: its data sets share the words."""
    found: dict[int, Comparison] = {}
    for comparison in context.results.comparisons:
        found.setdefault(comparison.index, comparison)
    return list(found.values())


def comparison_words(context: Context, comparison: Comparison) -> list[Runs]:
    """Word one line of the study file: omnibus, pairs, intervals, each a sentence."""
    lines = [c for c in context.results.comparisons if c.index == comparison.index]
    names = dict.fromkeys(context.metric(c.metric).noun for c in lines)
    noun = listed([runs(name) for name in names])
    made: list[Runs] = []
    omnibus = comparison.omnibus
    if omnibus is not None:
        test = _test_words(context, [c.omnibus for c in lines if c.omnibus is not None])
        models = "all models" if len(omnibus.models) == len(context.results.models) else (
            ", ".join(context.model(name) for name in omnibus.models))  # fmt: skip
        effects = _effects(context, [omnibus])
        tail = runs(", with ", effects, " as effect size") if effects else ()
        all_omnibus = [c.omnibus for c in lines if c.omnibus is not None]
        lost = _not_computed(context, all_omnibus)
        were = "were to be" if lost and not any(map(computed, all_omnibus)) else "were"
        made.append(runs("Differences in ", noun, f" among {models} {were} tested by ", test,
                         tail, lost, "."))  # fmt: skip
    names = dict.fromkeys(context.compared_words(c).noun for c in lines)
    noun = listed([runs(name) for name in names])
    every = [pair for c in lines for pair in c.pairwise]
    pairs = [pair for pair in every if computed(pair)]
    if not every:
        return made
    test = _test_words(context, pairs or every)
    subject = _subject(context, comparison)
    if not pairs:
        if omnibus is None or computed(omnibus):
            lost = _not_computed(context, every)
            made.append(runs(subject, " to be compared in ", noun, " by ", test, lost, "."))
        return made
    untested = omnibus is not None and not any(c.performed for c in lines)
    if singly(comparison):
        words = methods_words(context, comparison, test)
    elif comparison.against is not None:
        reference = context.model(comparison.against)
        words = runs(f"Each model was compared with {reference} in ", noun, " by ", test)
    elif omnibus is not None:
        words = runs("Where it rejected, pairs of models were compared in ", noun, " by ", test)
    else:
        words = runs(subject, " compared in ", noun, " by ", test)
    if untested:
        made.append(runs("It was not significant, so pairs of models were not tested."))
    else:
        made.append(words + _family(context, comparison))
    made.append(_intervals(context, pairs))
    if len(pairs) < len(every):
        lost_pairs = [pair for pair in every if not computed(pair)]
        made.append(runs(f"{_named(context, lost_pairs)} could not be compared: "
                         f"{' and '.join(reasons(context, lost_pairs))}."))  # fmt: skip
    if any(pair.clusters is not None for pair in pairs) and not untested:
        made.append(runs("Whole groups were the units of these tests."))
    effects = _effects(context, pairs)
    if effects:
        made.append(runs("Effect sizes of pairs are ", effects, "."))
    return [row for row in made if row]


def _not_computed(context: Context, tests: Sequence[HypothesisTestResult]) -> str:
    """Say that tests were not computed, and why; nothing where all were."""
    lost = [test for test in tests if not computed(test)]
    if not lost:
        return ""
    some = "" if len(lost) == len(tests) else f"{number_word(len(lost))} of {len(tests)} times "
    return f", which was {some}not computed: {' and '.join(reasons(context, lost))}"


def _subject(context: Context, comparison: Comparison) -> str:
    """Name the pairs that were tested where they are few, else say that there were pairs."""
    pairs = comparison.pairwise
    return _named(context, [pair for pair in pairs if computed(pair)] or pairs) + " were"


def _named(context: Context, pairs: Sequence[HypothesisTestResult]) -> str:
    if len(pairs) > MOST_PAIRS_NAMED:
        return "Pairs of models"
    names = [" and ".join(context.model(name) for name in pair.models) for pair in pairs]
    return "; ".join(dict.fromkeys(names))


def _effects(context: Context, found: Sequence[HypothesisTestResult]) -> Runs:
    """Name the effect sizes that were given, with the method of their interval."""
    named = {effect.name: effect for test in found for effect in test.effects}
    items = []
    for name, effect in named.items():
        if effect.scale == "odds":
            exact = any(e.low is not None for t in found for e in t.effects if e.name == name)
            how = " (exact interval)" if exact else ""
            words = runs(f"odds ratios of discordant pairs{how}")
        else:
            words = effect_name(effect, inside=True)
        items.append(words + context.cite("effect", name))
    return listed(items)


def _intervals(context: Context, pairs: Sequence[HypothesisTestResult]) -> Runs:
    """Name the interval of the differences, and the simultaneous one."""
    estimate = next((p.estimate for p in pairs if p.estimate and p.estimate.low is not None), None)
    if estimate is None:
        return ()
    title = mid_sentence(context.difference_title(estimate.method))
    level = percent(estimate.level)
    cite = context.cite("interval", estimate.method)
    made = runs(f"Differences are given with {level} intervals ({title}", cite, ")")
    wide = next(
        (p.simultaneous for p in pairs if p.simultaneous and p.simultaneous.low is not None), None
    )
    if wide is not None:
        words = simultaneous_words(context, wide.method, estimate.method)
        made += runs(f" and with {family_words(wide)} {percent(wide.level)} intervals ({words}")
        made += runs("; the false coverage rate holds over the pairs that differed)"
                     if wide.selected else ")")  # fmt: skip
    return made + runs(".")


def _test_words(context: Context, tests: Sequence[HypothesisTestResult]) -> Runs:
    """Name a test with its article and the variants that were computed."""
    title = mid_sentence(context.method_title("test", tests[0].test))
    variants = dict.fromkeys(words for test in tests if (words := variant_words(context, test)))
    shown = [words for words in variants if words not in title]
    variant = f" ({', '.join(shown)})" if shown else ""
    article = "" if "’s " in title else "the "
    return runs(article, title, variant, context.cite("test", tests[0].test))


def _family(context: Context, comparison: Comparison) -> Runs:
    """Say at which level, and how many tests were adjusted for."""
    if any(bayesian(pair) for pair in comparison.pairwise):
        level = percent(context.results.study.confidence)
        made = runs(".") if comparison.family.exploratory else runs(
            f"; a pair was decided when a posterior probability exceeded {level}, without "
            "a correction."
        )  # fmt: skip
        rope = next((pair.extra.get("rope") for pair in comparison.pairwise), None)
        if rope is not None:
            metric = context.metric(comparison.metric)
            size = amount(metric, rope, scale_of([], [rope], percent=metric.percent))
            made += runs(" The region of practical equivalence was ±", size, ".")
    else:
        made = _level(context, comparison)
    if comparison.family.exploratory:
        made += runs(" This comparison was exploratory: no decisions are drawn from it.")
    return made


def _level(context: Context, comparison: Comparison) -> Runs:
    level = level_of_alpha(comparison.alpha)
    family = comparison.family
    if family.correction is None or family.size < 2:
        return runs(f" at a level of {level}.")
    name = base(family.correction)
    title = mid_sentence(context.method_title("correction", family.correction))
    if not adjusts(comparison):
        return runs(
            f" at a level of {level} each, without correction for {number_word(family.size)} tests."
        )
    if context.method("correction", name) is None:
        title = family.adjective or title
    return runs(
        "; ", p_letter(context), f"-values were adjusted for {number_word(family.size)} tests by "
        f"{title}", context.cite("correction", name), f" (level {level}).",
    )  # fmt: skip
