"""The head of the report and its key findings: what the first page answers."""

from collections.abc import Sequence

from evallang.reporting import limits
from evallang.reporting.context import Context, Setting, mid_sentence
from evallang.reporting.document import (
    Block,
    Emphasis,
    Fact,
    Number,
    NumberedFindings,
    Paragraph,
    Ref,
    Runs,
    Strong,
    Title,
    listed,
    runs,
)
from evallang.reporting.numbers import Scale, bounded, count, fixed, level_of_alpha, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import (
    Contrast,
    adjusted_words,
    amount,
    compatible_runs,
    contrast,
    contrast_interval,
    contrast_runs,
    estimate_runs,
    number_word,
    p_stat,
    plural,
    sentence,
    test_runs,
    with_code,
)
from evallang.results.records import Comparison, HypothesisTestResult, ProtocolRecord

MOST_FINDINGS = 8  # more do not fit on the first page; what is left out is counted
SHORT = {
    "cv": "{folds}-fold CV",
    "repeated_cv": "{times}×{folds}-fold CV",
    "nested_cv": "nested {outer}×{inner} CV",
    "repeated_holdout": "{times} holdouts",
    "bootstrap": "{rounds} bootstraps",
    "time_series": "{folds} steps forward",
    "5x2cv": "5×2 CV",
}


@SECTIONS.register(SectionDeclaration(order=0, hideable=False), title="")
def title(context: Context) -> Sequence[Block]:
    """Give title, subtitle and the facts that place a study at a glance."""
    results = context.results
    facts: list[Fact] = []
    if len(results.data) > 1:
        facts.append(Fact("Data sets", count(len(results.data))))
    sizes = {data.n for data in results.data}
    if len(sizes) == 1:
        unit = context.cases(results.data[0].name)
        each = " each" if len(results.data) > 1 else ""
        facts.append(Fact(f"{unit[:1].upper()}{unit[1:]}{each}", count(sizes.pop())))
    features = {data.n_features for data in results.data}
    if len(features) == 1 and (number := features.pop()) is not None:
        facts.append(Fact("Features", count(number)))
    facts.append(Fact("Models", count(len(results.models))))
    own = [protocol for protocol in results.protocols if protocol.implied_by is None]
    if own:
        facts.append(Fact("Protocol", short_protocol(own[0])))
    facts += [
        Fact("Alpha", level_of_alpha(results.study.alpha)),
        Fact("Report", context.report_id),
    ]
    question = results.study.question or results.study.about or ""
    return [Title(context.title, _subtitle(context), ", ".join(results.study.authors),
                  tuple(facts), question)]  # fmt: skip


def short_protocol(protocol: ProtocolRecord) -> str:
    """Name a protocol in two or three words."""
    form = SHORT.get(protocol.kind)
    plain = protocol.kind.replace("_", " ")
    if form is None:
        return plain
    try:
        return form.format_map(dict(protocol.options))
    except KeyError:
        return plain


def _subtitle(context: Context) -> str:
    labels = [context.data_label(data.name) for data in context.results.data]
    parts = [", ".join(labels) if len(labels) <= 3 else f"{len(labels)} data sets"]
    own = [p for p in context.results.protocols if p.implied_by is None]
    if own:
        parts.append(mid_sentence(own[0].summary.rstrip(".")) or short_protocol(own[0]))
    return ", ".join(part for part in parts if part)


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


def _where(context: Context, comparison: Comparison) -> str:
    """Name the data set, where there are several."""
    if len(context.results.data) < 2:
        return ""
    if comparison.data is None:
        return "Across the data sets, "
    return f"On {context.data_label(comparison.data)}, "


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
        return items + [_bayesian(context, comparison, pair) for pair in comparison.pairwise]
    if two:
        return [*items, _single(context, comparison, comparison.pairwise[0])]
    centre = comparison.against or _centre(context, setting, comparison)
    if centre is not None:
        return items + _around(context, comparison, centre)
    return items + [_single(context, comparison, pair) for pair in comparison.pairwise]


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
    where = _where(context, comparison)
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


def _around(context: Context, comparison: Comparison, centre: str) -> list[Runs]:
    """Word all pairs with one model, then the other decided pairs."""
    metric = context.metric(comparison.metric)
    own = [contrast(p, centre) for p in comparison.pairwise if centre in p.models]
    others = [p for p in comparison.pairwise if centre not in p.models and p.reject]
    ahead = [c for c in own if c.pair.reject and _leads(context, comparison, c) is True]
    behind = [c for c in own if c.pair.reject and _leads(context, comparison, c) is False]
    open_ = [c for c in own if not c.pair.reject]
    where = _where(context, comparison)
    name = context.model(centre)
    items: list[Runs] = []
    if ahead:
        lead = runs(f"{where}{name} had {metric.better_word} {metric.noun} than ")
        items.append(_decided(context, comparison, lead, ahead, "over"))
    if behind:
        worse = "lower" if metric.higher_is_better else "higher"
        lead = runs(f"{where}{name} had {worse} {metric.noun} than ")
        items.append(_decided(context, comparison, lead, behind, "against"))
    if others and items:
        items[-1] += _among_others(context, comparison, others)
    elif others:
        items += [_single(context, comparison, pair) for pair in others[:2]]
    if open_:
        names = listed([runs(context.model(c.other)) for c in open_], last=" or ")
        lead = runs(f"{where}{name} was not shown to differ in {metric.noun} from ", names)
        items.append(runs(Strong(lead), ". ", compatible_runs(context, comparison, open_)))
    return items


def _leads(context: Context, comparison: Comparison, found: Contrast) -> bool | None:
    """Tell whether the model has the better value, or rank; None where that is not known."""
    if found.value:
        return (found.value > 0) == context.metric(comparison.metric).higher_is_better
    average = comparison.ranks.average if comparison.ranks is not None else {}
    if found.model in average and found.other in average:
        return average[found.model] < average[found.other]
    return None


def _ranked(context: Context, comparison: Comparison, found: list[Contrast]) -> Runs:
    """Give the average ranks behind a decision over data sets."""
    average = comparison.ranks.average if comparison.ranks is not None else {}
    scale = Scale(2)
    others = [
        runs(
            Number(fixed(average[c.other], scale), average[c.other]),
            f" for {context.model(c.other)} ",
            contrast_runs(context, comparison, c, lead=i == 0),
        )
        for i, c in enumerate(found)
    ]
    own = average[found[0].model]
    return runs(": average rank ", Number(fixed(own, scale), own), " against ", listed(others), ".")


def _decided(
    context: Context, comparison: Comparison, lead: Runs, found: list[Contrast], towards: str
) -> Runs:
    metric = context.metric(comparison.metric)
    scale = context.difference_scale(comparison)
    names = listed([runs(context.model(c.other)) for c in found])
    made = runs(Strong(runs(lead, names)))
    if any(c.value is None for c in found):
        return made + _ranked(context, comparison, found)
    if len(found) == 1:
        only = found[0].upward()
        size = amount(metric, only.value or 0.0, scale)
        return made + runs(", by ", size, " ", contrast_runs(context, comparison, only), ".")
    parts = []
    for i, item in enumerate(found):
        parts.append(
            runs(
                "by ",
                amount(metric, item.value or 0.0, scale),
                f" {towards} {context.model(item.other)} ",
                contrast_runs(context, comparison, item.upward(), lead=i == 0),
            )
        )
    return made + runs(": ", listed(parts), ".")


def _among_others(
    context: Context, comparison: Comparison, pairs: list[HypothesisTestResult]
) -> Runs:
    """Say which pairs without the centre were decided: one in full, more by their number."""
    metric = context.metric(comparison.metric)
    if len(pairs) > 1:
        total = len(comparison.pairwise)
        rejected = sum(bool(pair.reject) for pair in comparison.pairwise)
        words = f"{number_word(rejected)} of the {number_word(total)} pairs differed"
        return runs(" In all, ", words, ".")
    better = _better_first(context, comparison, pairs[0])
    scale = context.difference_scale(comparison)
    lead = (
        f" {context.model(better.model)} had {metric.better_word} {metric.noun} than "
        f"{context.model(better.other)}"
    )
    if better.value is None:
        return runs(f"{lead} ", contrast_runs(context, comparison, better, lead=False), ".")
    return runs(
        f"{lead}, by ",
        amount(metric, better.value or 0.0, scale),
        " ",
        contrast_runs(context, comparison, better.upward(), lead=False),
        ".",
    )


def _better_first(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Contrast:
    found = contrast(pair, pair.models[0])
    if _leads(context, comparison, found) is False:
        return contrast(pair, pair.models[1])
    return found


def _single(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Word one pair with its test, as a study of two models has it."""
    metric = context.metric(comparison.metric)
    scale = context.difference_scale(comparison)
    found = _better_first(context, comparison, pair)
    where = _where(context, comparison)
    first, second = context.model(found.model), context.model(found.other)
    test = test_runs(context, pair, comparison.alpha)
    words = adjusted_words(comparison)
    if words and pair.p_adjusted is not None:
        test += runs(f", {words}", p_stat(context, pair.p_adjusted, comparison.alpha))
    if pair.reject:
        lead = Strong(runs(f"{where}{first} had {metric.better_word} {metric.noun} than {second}"))
        if not found.value:
            lead = Strong(runs(f"{where}{first} and {second} differed in {metric.noun}"))
            return runs(lead, ": ", test, ".")
        shown = contrast_interval(found.upward(), scale)
        inside = runs(" (", shown, ")") if shown else ()
        return runs(lead, ", by ", amount(metric, found.value, scale), inside, ": ", test, ".")
    lead = Strong(runs(f"{where}{first} was not shown to differ in {metric.noun} from {second}"))
    if pair.p is None:
        return runs(lead, ". ", compatible_runs(context, comparison, [found]))
    return runs(lead, ": ", test, ". ", compatible_runs(context, comparison, [found]))


def _bayesian(context: Context, comparison: Comparison, pair: HypothesisTestResult) -> Runs:
    """Word the three posterior probabilities of a pair, and whether one exceeds confidence."""
    metric = context.metric(comparison.metric)
    first, second = (context.model(name) for name in pair.models)
    shares = [pair.extra.get(key) for key in ("p_first", "p_rope", "p_second")]
    known = [share for share in shares if share is not None]
    confidence = context.results.study.confidence
    names = (first, "neither, within the region of practical equivalence", second)
    decided = next(
        (
            name
            for name, share in zip(names, shares, strict=True)
            if share is not None and share > confidence
        ),
        None,
    )
    where = _where(context, comparison)
    if decided is None:
        lead = (
            f"{where}{first} and {second}: no posterior probability exceeds {percent(confidence)}"
        )
    elif decided == names[1]:
        lead = f"{where}{first} and {second} are practically equivalent in {metric.noun}"
    else:
        other = second if decided == first else first
        lead = f"{where}{decided} has {metric.better_word} {metric.noun} than {other}"
    words = ", ".join(
        f"{name} {bounded(share)}"
        for name, share in zip(names, shares, strict=True)
        if share is not None
    )
    if not known:
        return runs(Strong(runs(lead)), ".")
    title_ = context.method_title("test", pair.test)
    return runs(Strong(runs(lead)), f". {title_}, posterior probabilities: {words}.")


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
