"""Key findings: the claims, in the order in which a reader asks; each can be pasted alone."""

import re
from collections.abc import Iterable, Mapping, Sequence

from evallang.reporting import limits
from evallang.reporting.analyses import analysis_findings, ranks_models
from evallang.reporting.context import Context, Setting
from evallang.reporting.contrasts import contrast, widest_of
from evallang.reporting.decisions import bayesian, computed, untested
from evallang.reporting.document import (
    Block,
    Number,
    NumberedFindings,
    Paragraph,
    Ref,
    Runs,
    spaced,
)
from evallang.reporting.limits import never_predicted_findings
from evallang.reporting.numbers import Scale, fixed
from evallang.reporting.pair_findings import (
    not_tested,
    one_model_findings,
    pairs_around,
    posteriors,
    single,
    singly,
)
from evallang.reporting.requirements import (
    in_findings,
    requirement_findings,
    requirement_notes,
)
from evallang.reporting.searches import export_findings, selection_findings
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.sentences import linked, write
from evallang.reporting.wording import (
    estimate_runs,
    scope_words,
    value_text,
)
from evallang.results.records import Comparison, HypothesisTestResult

TOPIC = "findings"
MOST_FINDINGS = 8  # more do not fit on the first page; the others are counted
AFTER_REQUIREMENTS = 4  # findings after requirements on the first page: what was not shown too


@SECTIONS.register(SectionDeclaration(order=10, comes_last=True), title="Key findings")
def findings(context: Context) -> Sequence[Block]:
    """State the claims: requirements, omnibus, best, which models it was shown to beat or not."""
    required = linked(context, requirement_findings(context), "requirements")
    items = [*(ranked := analysis_findings(context, rankings=True))]
    praised: set[object] = set()
    primary = {context.metrics(setting)[0] for setting in context.settings}
    decided = [c for c in context.results.comparisons if not c.family.exploratory]
    firm = sorted(decided, key=lambda comparison: comparison.metric not in primary)
    for comparison in firm:
        items += _comparison_findings(context, comparison, praised)
    items += _uncompared(context, firm)
    items += not_tested(context, firm)
    items += (analysed := analysis_findings(context, rankings=False))
    if not firm:
        for setting in context.averages or context.settings:
            items += _best(context, setting, context.metrics(setting)[0], praised)
    items = [*required, *export_findings(context), *items]
    items += [] if firm or analysed or ranked else selection_findings(context)
    most = max(MOST_FINDINGS, len(required) + AFTER_REQUIREMENTS)
    most = most if context.limited else len(items)
    left_out = max(0, len(items) - most)
    items = items[: len(items) - left_out]
    blocks: list[Block] = [NumberedFindings(tuple(items))] if items else []
    blocks += _scope(context, firm) if items else []
    if said := requirement_notes(context):
        blocks.append(Paragraph(spaced(said), "note"))
    pointers = [write(context, TOPIC, "further_findings", n=left_out)] if left_out else []
    explored = [c for c in context.results.comparisons if c.family.exploratory]
    if explored:
        lines = len({c.index for c in explored})
        pointers.append(write(context, TOPIC, "exploratory", lines=lines))
    links = [
        Ref(c.id, c.lead[:1].lower() + c.lead[1:].rstrip(".")) for c in limits.cautions(context)
    ]
    if links:
        pointers.append(write(context, TOPIC, "see_warnings", links=links))
    return [*blocks, Paragraph(spaced(pointers), "pointer")] if pointers else blocks


def _scope(context: Context, firm: Sequence[Comparison]) -> list[Block]:
    """State what estimates and comparisons apply to: these fitted models, the algorithms, ..."""
    several = len(context.results.models) > 1
    shown = context.averages or context.settings
    settings = {(setting.data, setting.protocol) for setting in shown}
    scopes: dict[str, dict[str, dict[str, None]]] = {"estimates": {}, "comparisons": {}}

    def add(noun: str, about: str, data: str | None, under: str | None) -> None:
        words = scope_words(context, about, data, several=several)
        scopes[noun].setdefault(words, {})[context.place_words(data, under)] = None

    for e in context.results.estimates:
        if e.interval is not None and e.about and (e.data, e.protocol) in settings:
            add("estimates", e.about, e.data, e.protocol)
    for c in firm if context.results.models else ():
        about = f"further {context.sets} like these" if c.data is None else c.about
        if c.performed and about:
            add("comparisons", about, c.data, c.protocol)
    alike = scopes["estimates"] == scopes["comparisons"]
    known = {noun: _in_one(of) for noun, of in scopes.items() if of}
    if known and (alike or len({words for of in known.values() for words in of}) == 1):
        known = {"findings": next(iter(known.values()))}
    return [Paragraph(write(context, TOPIC, "scope", scopes=known), "note")] if known else []


SIZE = re.compile(r"\d[\d,]*")


def _in_one(scopes: Mapping[str, Iterable[str]]) -> Mapping[str, Sequence[str]]:
    """Return scopes with their places; those that differ in a size alone are one, with a range."""
    apart = {words: list(places) for words, places in scopes.items()}
    sizes = [SIZE.findall(words) for words in scopes]
    if len({SIZE.sub("", words) for words in scopes}) > 1 or any(len(of) != 1 for of in sizes):
        return apart
    ordered = sorted((size for (size,) in sizes), key=lambda size: int(size.replace(",", "")))
    ends = " to ".join(dict.fromkeys((ordered[0], ordered[-1])))
    return {SIZE.sub(ends, next(iter(scopes))): []}


def _comparison_findings(
    context: Context, comparison: Comparison, praised: set[object]
) -> list[Runs]:
    items: list[Runs] = []
    omnibus, ranks = comparison.omnibus, comparison.ranks
    if omnibus is not None and computed(omnibus) and omnibus.p is not None:
        items += linked(context, [_omnibus(context, comparison, omnibus)], id(comparison))
    setting = context.comparison_setting(comparison)
    if setting is not None:
        items += _best(context, setting, comparison.metric, praised)
    if not comparison.performed:
        return items
    found: list[Runs] = []
    if setting is None and ranks is not None and len(ranks.average) > 2:
        rank = (comparison.metric, *sorted(ranks.average.items()))
        found += [_best_rank(context, comparison)] if rank not in praised else []
        praised.add(rank)  # two lines may state the same
    return items + linked(context, found + _decisions(context, comparison), id(comparison))


def _decisions(context: Context, comparison: Comparison) -> list[Runs]:
    """State what was decided of pairs or of single models."""
    pairs = comparison.pairwise
    if singly(comparison):
        return one_model_findings(context, comparison)
    missing = untested(pairs)
    tested = [pair for pair in pairs if pair not in missing]
    if any(bayesian(pair) for pair in pairs):
        return posteriors(context, comparison, tested)
    if comparison.against is not None and len(tested) > 1:
        return pairs_around(context, comparison, comparison.against, reference=True)
    names = context.best_first(comparison)
    if len(tested) > 1 and len(pairs) == len(names) * (len(names) - 1) // 2:
        return pairs_around(context, comparison, names[0], reference=False)
    return [single(context, comparison, pair) for pair in tested]


def _omnibus(context: Context, comparison: Comparison, omnibus: HypothesisTestResult) -> Runs:
    setting = Setting(comparison.data or "", comparison.protocol)
    n = context.n_tested(setting, (comparison.metric,))
    if comparison.data is None and comparison.ranks is not None:
        n = comparison.ranks.n
    return write(
        context,
        TOPIC,
        "omnibus",
        comparison=comparison,
        omnibus=omnibus,
        models=len(omnibus.models) or len(context.results.models),
        n=n,
        widest=widest_of(contrast(pair, pair.models[0]) for pair in comparison.pairwise),
    )


def _uncompared(context: Context, firm: Sequence[Comparison]) -> list[Runs]:
    """State the primary metric of judges where others are compared, or none is better by it."""
    items = []
    for setting in context.averages or context.settings:
        metric = context.metrics(setting)[0]
        required = _required(context, setting, metric)
        values = context.estimates(setting, metric)
        known = [e for e in values if e.value is not None and e.model not in required]
        ranked = not firm and context.metric(metric).better != "neither"
        compared = ranked or metric in {comparison.metric for comparison in firm}
        if context.subject(setting.data) == "judge" and not compared and known:
            shown = known[:MOST_FINDINGS]
            numbers = {e.model: estimate_runs(context, setting, e) for e in shown}
            more, words = len(known) - len(shown), context.metric(metric)
            facts = {"setting": setting, "metric": words, "numbers": numbers, "more": more}
            items += linked(context, [write(context, TOPIC, "each", **facts)], setting)
    return items


def _best(context: Context, setting: Setting, metric_name: str, praised: set[object]) -> list[Runs]:
    if (setting, metric_name) in praised or ranks_models(context, setting, metric_name):
        return []
    if context.metric(metric_name).better == "neither":
        return []
    praised.add((setting, metric_name))
    known = [e for e in context.estimates(setting, metric_name) if e.value is not None]
    if not known:
        return []
    best = [e for e in known if e.value == known[0].value]
    firm = [c for c in context.results.comparisons if not c.family.exploratory]
    pairs = [pair for c in firm for pair in c.pairwise]
    compared = {model for pair in pairs for model in pair.models}
    idle = {m.name for m in context.results.models if m.baseline} - compared
    others = [e for e in known[len(best) :] if e.model not in idle] if not pairs else []
    scale = context.scale(setting, metric_name)
    baseline = next((e for e in known[len(best) :] if e.model in idle), None)
    shown = others if len(others) < 3 else [others[-1], others[0]]
    words = write(
        context,
        TOPIC,
        "best",
        setting=setting,
        metric=context.metric(metric_name),
        models=[e.model for e in best],
        numbers=[estimate_runs(context, setting, e) for e in best],
        alone=len(known) == 1,
        others=[e.model for e in others],
        ends=[value_text(context.metric(metric_name), e.value, scale) for e in shown],
        baseline=baseline
        and (baseline.model, value_text(context.metric(metric_name), baseline.value, scale)),
    )
    required = _required(context, setting, metric_name).intersection(e.model for e in best)
    said = [] if required else [words]
    return linked(context, [*said, *never_predicted_findings(context, setting)], setting)


def _required(context: Context, setting: Setting, metric_name: str) -> set[str]:
    """Return the models whose value of a metric a finding about a requirement states."""
    return {
        item.models[0]
        for item in context.results.requirements
        if (item.kind, item.subgroup, item.metric) == ("level", None, metric_name)
        and Setting(item.data, item.protocol) == setting
        and in_findings(context)
    }


def _best_rank(context: Context, comparison: Comparison) -> Runs:
    ranks = comparison.ranks
    assert ranks is not None, "asked of comparisons by ranks"
    value = min(ranks.average.values())
    return write(
        context,
        TOPIC,
        "best_rank",
        comparison=comparison,
        models=[name for name, rank in ranks.average.items() if rank == value],
        rank=Number(fixed(value, Scale(2)), value),
    )
