"""Key findings: the claims, in the order in which a reader asks; each can be pasted alone."""

from collections.abc import Sequence

from evallang.reporting import limits
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    Block,
    Emphasis,
    Number,
    NumberedFindings,
    Paragraph,
    Ref,
    Runs,
    Strong,
    listed,
    runs,
)
from evallang.reporting.numbers import Scale, count, fixed
from evallang.reporting.pair_findings import against, around, bayesian, place_words, single
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import (
    amount,
    contrast,
    estimate_runs,
    number_word,
    plural,
    sentence,
    test_runs,
    with_code,
)
from evallang.results.records import Comparison, HypothesisTestResult

MOST_FINDINGS = 8  # more do not fit on the first page; what is left out is counted


@SECTIONS.register(SectionDeclaration(order=10), title="Key findings")
def findings(context: Context) -> Sequence[Block]:
    """Word the claims: omnibus, best, what it beats, what it is not shown to differ from."""
    items: list[Runs] = []
    praised: set[tuple[Setting, str]] = set()
    for comparison in context.results.comparisons:
        if not comparison.family.exploratory:
            items += _of_comparison(context, comparison, praised)
    if not items:
        for setting in context.settings:
            items += _best(context, setting, context.metrics(setting)[0], praised)
    exploratory = sum(c.family.exploratory for c in context.results.comparisons)
    items += _requirements(context)
    left_out = len(items) - MOST_FINDINGS
    if left_out > 0:
        items = items[:MOST_FINDINGS]
    blocks: list[Block] = [NumberedFindings(tuple(items))] if items else []
    if left_out > 0:
        words = f"{plural(left_out, 'further finding')} in the comparisons below."
        blocks.append(Paragraph(runs(sentence(words)), "note"))
    if exploratory:
        verb = " was" if exploratory == 1 else " were"
        words = plural(exploratory, "comparison") + verb + " declared exploratory: "
        words += "estimates and p-values stand in the comparisons, without decisions."
        blocks.append(Paragraph(runs(sentence(words)), "note"))
    return [*blocks, *_read_with(context)]


def _read_with(context: Context) -> list[Block]:
    cautions = limits.cautions(context)
    if not cautions:
        return []
    links = listed([runs(Ref(c.id, mid_name(c.lead))) for c in cautions], comma="; ", last="; ")
    lead = f"Read with {plural(len(cautions), 'warning')} "
    return [Paragraph(runs(lead, Ref("limits", page=True), ": ", links, "."), "note")]


def mid_name(lead: str) -> str:
    """Give the name of a warning as it stands inside a sentence."""
    words = lead.rstrip(".")
    return words[:1].lower() + words[1:]


def _of_comparison(
    context: Context, comparison: Comparison, praised: set[tuple[Setting, str]]
) -> list[Runs]:
    items: list[Runs] = []
    if comparison.omnibus is not None:
        items.append(_omnibus(context, comparison, comparison.omnibus))
    setting = context.comparison_setting(comparison)
    two = comparison.omnibus is None and len(comparison.pairwise) == 1
    if setting is not None and not two:
        items += _best(context, setting, comparison.metric, praised)
    if not comparison.performed:
        return items
    if setting is None and comparison.ranks is not None and comparison.omnibus is not None:
        items.append(_best_rank(context, comparison))
    if any("p_first" in pair.extra for pair in comparison.pairwise):
        return items + [bayesian(context, comparison, pair) for pair in comparison.pairwise]
    if two:
        return [*items, single(context, comparison, comparison.pairwise[0])]
    if comparison.against is not None:
        return items + against(context, comparison, comparison.against)
    centre = _centre(context, setting, comparison)
    if centre is not None:
        return items + around(context, comparison, centre)
    return items + [single(context, comparison, pair) for pair in comparison.pairwise]


def _centre(context: Context, setting: Setting | None, comparison: Comparison) -> str | None:
    """Find the model that the pairs are read from: the best, where it meets all others."""
    names = {name for pair in comparison.pairwise for name in pair.models}
    if len(comparison.pairwise) != len(names) * (len(names) - 1) // 2:
        return None
    if setting is not None:
        return next(
            (m for m in context.models_best_first(setting, comparison.metric) if m in names), None
        )
    if comparison.ranks is not None:
        average = comparison.ranks.average
        return min((name for name in names if name in average), key=average.__getitem__)
    return None


def _omnibus(context: Context, comparison: Comparison, omnibus: HypothesisTestResult) -> Runs:
    metric = context.metric(comparison.metric)
    models = plural(len(omnibus.models) or len(context.results.models), "model")
    where = place_words(context, comparison)
    the = "the " if where else "The "
    test = test_runs(context, omnibus, comparison.alpha)
    n = context.n(comparison.data)
    if comparison.data is None and comparison.ranks is not None:
        n = comparison.ranks.n
    if n is not None:
        test += runs(", ", Emphasis(runs("n")), f"\u00a0=\u00a0{count(n)}")
    if omnibus.reject:
        lead = f"{where}{the}{models} did not all have the same {metric.noun}"
        return runs(Strong(runs(lead)), ": ", test, ".")
    lead = f"{where}{the}{models} were not shown to differ in {metric.noun}"
    found = [contrast(pair, pair.models[0]) for pair in comparison.pairwise]
    widest = max(
        (c for c in found if c.low is not None and c.high is not None),
        key=lambda c: max(abs(c.low or 0.0), abs(c.high or 0.0)),
        default=None,
    )
    made = runs(Strong(runs(lead)), ": ", test, ". ")
    if widest is None:
        return made + runs("That is not evidence of equality.")
    size = max(abs(widest.low or 0.0), abs(widest.high or 0.0))
    return made + runs(
        "That is not evidence of equality: the data are compatible with a difference of up to ",
        amount(metric, size, context.difference_scale(comparison)),
        f" between {context.model(widest.model)} and {context.model(widest.other)}.",
    )


def _best(
    context: Context, setting: Setting, metric_name: str, praised: set[tuple[Setting, str]]
) -> list[Runs]:
    if (setting, metric_name) in praised:
        return []
    praised.add((setting, metric_name))
    metric = context.metric(metric_name)
    ordered = context.models_best_first(setting, metric_name)
    found = [context.estimate(setting, model, metric_name) for model in ordered]
    known = [e for e in found if e is not None and e.value is not None]
    if not known:
        return []
    best = [e for e in known if e.value == known[0].value]
    names = listed([runs(context.model(e.model)) for e in best])
    where = ""
    if len(context.results.data) > 1:
        where = f"On {context.data_label(setting.data)}, "
    numbers = estimate_runs(context, setting, best[0])
    if len(known) == 1:
        return [runs(Strong(runs(where, names, f" had {metric.noun}")), " ", numbers, ".")]
    verb = " had the " if len(best) == 1 else " shared the "
    lead = Strong(runs(where, names, verb, f"{metric.best_word} {metric.noun}"))
    return [runs(lead, ", ", numbers, ".")]


def _best_rank(context: Context, comparison: Comparison) -> Runs:
    average = dict(comparison.ranks.average) if comparison.ranks is not None else {}
    best = [name for name in average if average[name] == min(average.values())]
    names = listed([runs(context.model(name)) for name in best])
    verb = " had the " if len(best) == 1 else " shared the "
    noun = context.metric(comparison.metric).noun
    value = average[best[0]]
    n = comparison.ranks.n if comparison.ranks is not None else 0
    return runs(
        Strong(runs(names, verb, f"best average rank in {noun}")),
        ", ", Number(fixed(value, Scale(2)), value),
        f" among {number_word(len(average))} models over {number_word(n)} data sets.",
    )  # fmt: skip


def _requirements(context: Context) -> list[Runs]:
    required = context.results.requirements
    if not required:
        return []
    met = sum(item.met for item in required)
    if met == len(required):
        words = "The requirement was met" if met == 1 else f"All {number_word(met)} requirements "
        return [runs(Strong(runs(words if met == 1 else words + "were met")), ".")]
    words = f"{number_word(met, capital=True)} of {plural(len(required), 'requirement')} "
    words += "was met" if met == 1 else "were met"
    failed = dict.fromkeys(item.source for item in required if not item.met)
    sources = listed([with_code(f"`{source.removeprefix('require ')}`") for source in failed])
    return [runs(Strong(runs(words)), "; not met: ", sources, ".")]
