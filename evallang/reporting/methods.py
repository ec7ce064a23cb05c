"""The methods paragraph, to be pasted into a paper, and the works it cites.

It refers to no table or figure of the report, and says nothing that the results do not.
"""

from collections.abc import Sequence

from evallang.reporting.context import Context, base, mid_sentence
from evallang.reporting.document import (
    Block,
    Cite,
    Emphasis,
    Link,
    Paragraph,
    References,
    Run,
    Runs,
    Work,
    listed,
    runs,
)
from evallang.reporting.numbers import count, level_of_alpha, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import (
    ADJUSTED,
    number_word,
    p_letter,
    plural,
    simultaneous_words,
    variant_words,
)
from evallang.results.records import Comparison, DataRecord, HypothesisTestResult, ReferenceRecord

MOST_LISTED = 6  # models named in a sentence; more are counted


@SECTIONS.register(SectionDeclaration(order=80), title="Methods text")
def methods(context: Context) -> Sequence[Block]:
    """Word what was done: design first, then measures, tests and software."""
    design = _joined(_compared(context), _designs(context), _tuning(context))
    tests = [row for c in _distinct(context) for row in _comparison(context, c)]
    analysis = _joined(_measures(context), *dict.fromkeys(tests), _software(context))
    cited: set[str] = set()
    rows = [_cited_once(row, cited) for row in (design, analysis) if row]
    return [Paragraph(row, "methods") for row in rows]


@SECTIONS.register(SectionDeclaration(order=85), title="References")
def references(context: Context) -> Sequence[Block]:
    """List every work that can be cited; the layout prints those that are."""
    works = [Work(record.key, _work(record)) for record in context.results.references]
    works += [
        Work(f"data:{data.name}", _data_work(data)) for data in context.results.data if data.cite
    ]
    return [References(tuple(works))] if works else []


def _joined(*sentences: Runs) -> Runs:
    made: Runs = ()
    for row in sentences:
        if row:
            made += runs(" " if made else "", row)
    return made


def _cited_once(row: Runs, cited: set[str]) -> Runs:
    """Keep the first citation of each work."""
    made: list[Run] = []
    for run in row:
        if isinstance(run, Cite):
            keys = tuple(key for key in run.keys if key not in cited)
            cited.update(keys)
            if keys:
                made.append(Cite(keys))
        else:
            made.append(run)
    return tuple(made)


def _compared(context: Context) -> Runs:
    models = context.results.models
    names = listed([runs(context.model(model.name)) for model in models])
    if len(models) > MOST_LISTED:
        names = runs(plural(len(models), "model"))
    verb = "We compared " if len(models) > 1 else "We evaluated "
    data = context.results.data
    if len(data) > MOST_LISTED:
        return runs(verb, names, f" on {plural(len(data), 'data set')}.")
    places = listed([_data_words(context, record) for record in data])
    return runs(verb, names, " on ", places, ".") if data else runs(verb, names, ".")


def _data_words(context: Context, data: DataRecord) -> Runs:
    unit = context.cases(data.name)
    facts = [f"{count(data.n)} {unit}"]
    if data.n_features is not None:
        facts.append(f"{count(data.n_features)} features")
    if data.positive is not None and data.class_counts and data.positive in data.class_counts:
        name = data.positive_label or data.positive
        facts.append(f"{count(data.class_counts[data.positive])} {name}")
    if data.groups is not None:
        facts.append(f"{count(data.groups)} groups")
    cite: Runs = (Cite((f"data:{data.name}",)),) if data.cite else ()
    return runs(f"{context.data_label(data.name)} ({', '.join(facts)})", cite)


def _designs(context: Context) -> Runs:
    made: Runs = ()
    for protocol in context.results.protocols:
        words = mid_sentence(protocol.summary.rstrip(".")) or protocol.kind.replace("_", " ")
        cite = context.cite("protocol", protocol.kind)
        if protocol.implied_by is None:
            lead = "Performance was estimated by " if not made else " It was also estimated by "
            made += runs(lead, words, cite)
        else:
            made += runs(" " if made else "", "Tests that need other folds used ", words, cite)
        if protocol.group:
            made += runs(f"; rows of one {protocol.group} were never on both sides of a split")
        made += runs(".")
    if made and len(context.results.models) > 1:
        made += runs(" The splits were the same for all models.")
    if made:
        made += runs(f" The seed was {context.results.study.seed}.")
    return made


def _tuning(context: Context) -> Runs:
    estimators = [model for model in context.results.models if model.kind == "estimator"]
    if not estimators:
        return ()
    tuned = [model for model in estimators if model.tuned]
    if not tuned:
        return runs("Hyper-parameters were fixed in advance.")
    names = listed([runs(context.model(model.name)) for model in tuned])
    rules = dict.fromkeys(selection.rule for selection in context.results.selections)
    rule = f" (rule: {', '.join(rules).replace('_', ' ')})" if rules and all(rules) else ""
    return runs("Hyper-parameters of ", names, f" were chosen inside each training part{rule}.")


def _measures(context: Context) -> Runs:
    """Name the metrics with the interval of each, metrics with the same one together."""
    by_interval: dict[tuple[str, float], list[str]] = {}
    for estimate in context.results.estimates:
        found = estimate.interval
        key = (found.method, found.level) if found is not None else ("", 0.0)
        by_interval.setdefault(key, [])
        if estimate.metric not in by_interval[key]:
            by_interval[key].append(estimate.metric)
    with_some = {name for key, names in by_interval.items() if key[0] for name in names}
    parts: list[Runs] = []
    for (method, level), names in by_interval.items():
        rest = [name for name in names if method or name not in with_some]
        if not rest:
            continue
        words = listed([runs(context.metric(n).noun, _metric_cite(context, n)) for n in rest])
        if not method:
            parts.append(runs(words, " without interval"))
            continue
        title = mid_sentence(context.method_title("interval", method))
        cite = context.cite("interval", method)
        parts.append(runs(words, f" with a {percent(level)} interval ({title}", cite, ")"))
    return runs("We report ", listed(parts), ".") if parts else ()


def _metric_cite(context: Context, name: str) -> Runs:
    """Cite the source of a metric; plain shares need none."""
    return () if context.metric(name).percent else context.cite("metric", name)


def _distinct(context: Context) -> list[Comparison]:
    """Give one comparison for each line of the study file: its data sets share the words."""
    found: dict[int, Comparison] = {}
    for comparison in context.results.comparisons:
        found.setdefault(comparison.index, comparison)
    return list(found.values())


def _comparison(context: Context, comparison: Comparison) -> list[Runs]:
    """Word one line of the study file: omnibus, pairs, intervals, each a sentence."""
    lines = [c for c in context.results.comparisons if c.index == comparison.index]
    names = dict.fromkeys(context.metric(c.metric).noun for c in lines)
    noun = listed([runs(name) for name in names])
    made: list[Runs] = []
    if comparison.omnibus is not None:
        test = _test_words(context, comparison.omnibus)
        made.append(runs("Differences in ", noun, " among all models were tested by ", test, "."))
    pairs = comparison.pairwise
    if not pairs:
        return made
    subject = "The two models were" if len(context.results.models) == 2 else "Pairs of models were"
    test = _test_words(context, pairs[0])
    if comparison.against is not None:
        reference = context.model(comparison.against)
        words = runs(f"Each model was compared with {reference} in ", noun, " by ", test)
    elif comparison.omnibus is not None:
        words = runs("Where it rejected, pairs of models were compared in ", noun, " by ", test)
    else:
        words = runs(subject, " compared in ", noun, " by ", test)
    made.append(words + _family(context, comparison))
    made.append(_intervals(context, pairs))
    return [row for row in made if row]


def _intervals(context: Context, pairs: Sequence[HypothesisTestResult]) -> Runs:
    """Name the interval of the differences, and the simultaneous one."""
    estimate = next((p.estimate for p in pairs if p.estimate and p.estimate.low is not None), None)
    if estimate is None:
        return ()
    title = mid_sentence(context.method_title("interval", estimate.method))
    level = percent(estimate.level)
    cite = context.cite("interval", estimate.method)
    made = runs(f"Differences are given with {level} intervals ({title}", cite, ")")
    wide = next((p.simultaneous for p in pairs if p.simultaneous is not None), None)
    if wide is not None:
        words = simultaneous_words(context, wide.method, estimate.method)
        made += runs(f" and with simultaneous {percent(wide.level)} intervals ({words})")
    return made + runs(".")


def _test_words(context: Context, test: HypothesisTestResult) -> Runs:
    title = mid_sentence(context.method_title("test", test.test))
    words = variant_words(test)
    variant = f" ({words})" if words and words not in title else ""
    return runs(title, variant, context.cite("test", test.test))


def _family(context: Context, comparison: Comparison) -> Runs:
    """Say at which level, and how many tests were adjusted for."""
    if all(pair.p is None for pair in comparison.pairwise):
        return runs(".") if comparison.performed else _level(context, comparison)
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
    if name == "uncorrected":
        return runs(
            f" at a level of {level} each, without correction for {number_word(family.size)} tests."
        )
    if context.method("correction", name) is None:
        title = ADJUSTED.get(name, title)
    return runs(
        "; ", p_letter(context), f"-values were adjusted for {number_word(family.size)} tests by "
        f"{title}", context.cite("correction", name), f" (level {level}).",
    )  # fmt: skip


def _software(context: Context) -> Runs:
    provenance = context.results.provenance
    parts = [runs(f"evallang {provenance.evallang}", context.cite("software", "evallang"))]
    for method in context.results.methods:
        if method.kind == "software" and method.name in provenance.packages:
            version = provenance.packages[method.name]
            cite = context.cite("software", method.name)
            parts.append(runs(f"{method.title} {version}", cite))
    return runs("Analyses were run with ", listed(parts), ".")


def _work(record: ReferenceRecord) -> Runs:
    authors = _authors(record.authors)
    made = runs(f"{authors} ({record.year}). {record.title.rstrip('.')}. ")
    made += runs(Emphasis(runs(record.venue)))
    if record.volume:
        number, _, issue = record.volume.partition("(")
        made += runs(", ", Emphasis(runs(number)), f"({issue}" if issue else "")
    if record.pages:
        made += runs(", " + record.pages.replace("--", "–").replace("-", "–"))
    made += runs(".")
    if record.doi:
        made += runs(" ", Link(f"https://doi.org/{record.doi}", f"doi:{record.doi}"))
    return made


def _authors(names: Sequence[str]) -> str:
    if len(names) > MOST_LISTED:
        return f"{names[0]} et al."
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} & {names[-1]}"


def _data_work(data: DataRecord) -> Runs:
    label = data.label or data.name
    cite = (data.cite or "").strip()
    doi = cite.removeprefix("https://doi.org/").removeprefix("doi:")
    if doi.startswith("10.") and " " not in doi:
        return runs(f"{label}. ", Link(f"https://doi.org/{doi}", f"doi:{doi}"))
    return runs(f"{label}. {cite}")
