"""The methods paragraph, to be pasted into a paper, and the works it cites.

It refers to no table or figure of the report, and says nothing that the results do not.
"""

from collections.abc import Mapping, Sequence

from evallang.reporting.context import Context
from evallang.reporting.decisions import bayesian, computed, is_simultaneous, reasons
from evallang.reporting.document import Block, Cite, Paragraph, Run, Runs, listed, runs, spaced
from evallang.reporting.estimates import main_intervals
from evallang.reporting.exports import fitted_on_all
from evallang.reporting.letter_case import capitalised, mid_sentence
from evallang.reporting.numbers import count, level_of_alpha, percent, scale_of
from evallang.reporting.pair_findings import methods_words, singly
from evallang.reporting.references import data_key
from evallang.reporting.requirements import deciding_intervals
from evallang.reporting.searches import (
    RULES,
    RULES_OF_ONE_PART,
    candidates,
    inner_words,
    thresholds,
    uses_validation_part,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic, methods_sentences
from evallang.reporting.wording import (
    adjusts,
    amount,
    and_,
    capitalise,
    count_sets,
    effect_name,
    family_words,
    further_variants,
    number_word,
    owned,
    p_letter,
    plural,
    plural_count,
    simultaneous_words,
    with_article,
)
from evallang.results.records import (
    Comparison,
    DataRecord,
    Effect,
    HypothesisTestResult,
    TargetScaleRecord,
)
from evallang.results.statistics import shown_effect
from evallang.results.written import method_of

IMBALANCED_LEARN = "imbalanced-learn"
MOST_NAMED = 12  # models whose names the text gives
MOST_LISTED = 6  # models that need no count before their names, data sets that are named
SEARCHES = {"bayes": "Bayesian"}


def _topics(context: Context) -> list[Topic]:
    made = [Topic.SAMPLES] if any(data.kind != "scores" for data in context.results.data) else []
    if _training_rows(context):
        made.append(Topic.TRAINING_ONLY)
    if any(model.resamplers for model in context.results.models):
        made.append(Topic.CLASS_BALANCE)
    return made


@SECTIONS.register(SectionDeclaration(order=80, topics=_topics), title="Methods text")
def methods(context: Context) -> Sequence[Block]:
    """Format what was done: design first, then measures, tests and software."""
    lines: dict[int, Comparison] = {}
    for c in context.results.comparisons:
        lines.setdefault(c.index, c)  # the data sets of a line share the words
    of_tests = [row for c in lines.values() for row in comparison_words(context, c)]
    design = spaced(
        said(context)
        for said in (
            _compared,
            _designs,
            _stored,
            _training_rows,
            _target_scales,
            _resampling,
            _tuning,
            thresholds,
        )
    )
    analysis = spaced(
        [
            _measures(context),
            _within(context),
            *dict.fromkeys(of_tests),
            _together(context),
            _required(context),
            *methods_sentences(context),
            fitted_on_all(context),
            _software(context),
        ]
    )
    cited: set[str] = set()
    rows = [_cited_once(row, cited) for row in (design, analysis) if row]
    return [Paragraph(row, "methods") for row in rows]


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
    names = and_([context.model(model.name) for model in models])
    if len(models) > MOST_NAMED:
        names = plural(len(models), "model")
    elif len(models) > MOST_LISTED:
        names = f"{plural(len(models), 'model')} ({names})"
    verb = "We compared " if len(models) > 1 else "We evaluated "
    data = context.data_sets
    if not data:
        return runs(verb, names, ".")
    if len(data) > MOST_LISTED:
        size, whole = count_sets(context, len(data)), context.collection
        made = runs(verb, names, f" on {whole} ({size})." if whole else f" on {size}.")
    else:
        made = runs(verb, names, " on ", listed([_data_words(context, d) for d in data]), ".")
    return made + made_elsewhere(context) + _weights(context)


def _weights(context: Context) -> Runs:
    """State what carries weights, and how many equally weighted examples tell as much."""
    weighted = [d for d in context.results.data if d.weight is not None]
    if not weighted:
        return ()
    sizes = [
        f"{count(round(d.effective_n or 0))} equally weighted ones"
        + (f" on {context.data_label(d.name)}" if len(weighted) > 1 else "")
        for d in weighted
    ]
    fitted = any(model.kind == "estimator" for model in context.results.models)
    fits = "in the fits of models that take weights and " if fitted else ""
    made = runs(
        f" The {context.cases(weighted[0].name)} were weighted by the column {weighted[0].weight} "
        f"{fits}in all measures; they carry as much information as ",
        and_(sizes), context.cite("interval", "effective_n"), ".",
    )  # fmt: skip
    models = context.results.models
    unweighted = [context.model(m.name) for m in models if fitted and not m.takes_weights]
    if unweighted:
        made += runs(f" The fits of {and_(unweighted)} do not use weights.")
    steps = list(dict.fromkeys(step for model in models for step in model.unweighted_steps))
    if steps:
        verb = "was" if len(steps) == 1 else "were"
        made += runs(f" {and_(steps)} {verb} fitted without weights.")
    return made


def _data_words(context: Context, data: DataRecord) -> Runs:
    if data.kind == "scores":
        return runs(context.data_label(data.name))
    facts = [context.size_words(data.name)]
    if data.n_features is not None:
        facts.append(plural_count(data.n_features, "feature"))
    if data.positive is not None and data.class_counts and data.positive in data.class_counts:
        name = data.positive_label or data.positive
        size = count(data.class_counts[data.positive])
        facts.append(f"{size} positive" if name == "positive" else f"{size} of class {name}")
    elif data.classes is not None and len(data.classes) > 2:
        facts.append(f"{count(len(data.classes))} classes")
    if data.groups is not None:
        facts.append(plural_count(data.groups, "group"))
    cite = _data_cite(context, data)
    return runs(f"{context.data_label(data.name)} ({'; '.join(facts)})", cite)


def _data_cite(context: Context, data: DataRecord) -> Runs:
    key = data_key(data, {work.key for work in context.results.references})
    return (Cite((key,)),) if key is not None else ()


def _designs(context: Context) -> Runs:
    made: Runs = ()
    for protocol in context.results.protocols:
        words = mid_sentence(protocol.summary.rstrip(".")) or protocol.kind.replace("_", " ")
        seeds = protocol.options.get("seeds")
        per_fit = f"{number_word(seeds)} seeds per fit" if isinstance(seeds, int) else ""
        words = words.removesuffix(f", with {seeds} seeds per fit")
        shuffled = "shuffled rows" if protocol.shuffled and "shuffl" not in words else ""
        with_ = " and ".join(filter(None, (shuffled, per_fit)))
        words += f", with {with_}" if with_ else ""
        cite = context.cite("protocol", protocol.kind)
        if protocol.implied_by is None:
            lead = "Performance was estimated by " if not made else " It was also estimated by "
            made += runs(lead, words, cite)
        else:
            further = "Intervals that need further fits used "
            lead = "Tests that need other splits used " if protocol.interval_of is None else further
            made += runs(" " if made else "", lead, words, cite)
        if protocol.group:
            column = protocol.group.removeprefix("by ")
            made += runs(f"; rows with the same {column} were never on both sides of a split")
        made += runs(".")
    if made and len(context.results.models) > 1:
        one = {p.n_splits for p in context.results.protocols} == {1}
        splits = "The split was" if one else "The splits were"
        made += runs(f" {splits} the same for all models.")
    if made:
        made += runs(f" The seed was {context.results.study.seed}.")
    return made


def _training_rows(context: Context) -> Runs:
    """State that no step of a model was fitted on the rows that it was evaluated on."""
    fitted = any(model.kind == "estimator" for model in context.results.models)
    if not fitted or all(p.tests_on_training_rows for p in context.results.protocols):
        return ()
    return runs("All steps of a model, including preprocessing, were fitted on training rows only.")


def _target_scales(context: Context) -> Runs:
    """State which targets were learned on another scale, and on which scale they are measured."""
    found: dict[TargetScaleRecord, list[DataRecord]] = {}
    for data in context.results.data:
        if data.target_scale is not None:
            found.setdefault(data.target_scale, []).append(data)
    if not found:
        return ()
    several = len(context.results.data) > 1
    fitted = []
    for scale, sets in found.items():
        targets = [
            f"{d.target} ({context.data_label(d.name)})" if several else f"{d.target}" for d in sets
        ]
        fitted.append(f"the {scale.noun} of {and_(targets)}")
    backs = and_(list(dict.fromkeys(scale.back for scale in found)))
    same = {d.target for sets in found.values() for d in sets}
    own = f"of {same.pop()} itself" if len(same) == 1 else "of the targets themselves"
    return runs(
        f"Models were fitted to {and_(fitted)}, and their predictions were transformed back by "
        f"{backs} without a correction for bias; all measures are on the scale {own}."
    )


def _stored(context: Context) -> Runs:
    """State which models were not fitted, and which former results have their predictions."""
    return spaced(
        runs(
            f"{context.model(model.name)} was not fitted: its predictions are those of the model "
            f"{source.model} in the results of “{source.study}” (evallang {source.evallang}), "
            "whose data, folds and seed are the same."
        )
        for model in context.results.models
        if (source := model.stored) is not None
    )


def _resampling(context: Context) -> Runs:
    """State which resamplers changed the training rows of which models."""
    found: dict[tuple[str, ...], list[str]] = {}
    for model in context.results.models:
        if model.resamplers:
            found.setdefault(model.resamplers, []).append(context.model(model.name))
    if not found:
        return ()
    ways = [f"{and_(names)} ({and_(models)})" for names, models in found.items()]
    return runs(
        f"The training rows of each fit were resampled by {and_(ways)}",
        context.cite("software", IMBALANCED_LEARN),
        "; the rows on which models were evaluated were not.",
    )  # fmt: skip


def _tuning(context: Context) -> Runs:
    """State what was searched, in how many inner folds, by which metric and by which rule."""
    estimators = [model for model in context.results.models if model.kind == "estimator"]
    if not estimators:
        return ()
    tuned = [model for model in estimators if model.tuned]
    if not tuned:
        return runs("Hyper-parameters were not tuned in this study.")
    sized = ((context.model(m.name), plural_count(candidates(m), "candidate")) for m in tuned)
    names = and_([f"{name} ({size})" for name, size in sized])
    if len(tuned) > MOST_LISTED:
        sizes = sorted({candidates(m) for m in tuned})
        of = "" if len(tuned) == len(estimators) else f" of the {count(len(estimators))}"
        each = plural_count(sizes[0], "candidate")
        each = each if len(sizes) == 1 else f"{count(sizes[0])} to {count(sizes[-1])} candidates"
        every = "all " if not of else ""
        names = f"{every}{count(len(tuned))}{of} models ({each} each)"
    search = context.results.search
    how, inner = "", inner_words(context) if search is not None else ()
    if search is not None:
        how = f" by {SEARCHES.get(search.strategy, search.strategy)} search"
        if search.strategy == "bayes":
            how += " with tree-structured Parzen estimators"
    validated = uses_validation_part(context)
    place = "on a validation part" if validated else "inside each training part"
    made = runs(
        f"Hyper-parameters of {names} were chosen {place}{how}",
        context.cite("software", "optuna"), *((" ", *inner) if inner else ()),
    )  # fmt: skip
    if search is not None:
        made += runs(f", by {context.metric(search.metric).noun}")
    rules = dict.fromkeys(s.rule for s in context.results.selections if s.rule)
    said = RULES_OF_ONE_PART if validated else RULES
    words = [said.get(rule, rule.replace("_", " ")) for rule in rules]
    return made + runs(f"; {' or '.join(words)} was taken." if words else ".")


def _measures(context: Context) -> Runs:
    """State the metrics with the interval of each, metrics with the same one together."""
    by_interval: dict[tuple[str, float], dict[str, dict[str, None]]] = {}  # metrics: protocols
    apart: dict[tuple[str, float], dict[tuple[str, str], None]] = {}
    averaged: dict[str, None] = {}
    main = main_intervals(context.results.estimates)
    for estimate in context.results.estimates:
        if estimate.subgroup is not None:
            continue
        found = estimate.interval
        if found is not None and not found.has_bounds:
            found = None
        key = (found.method, found.level) if found is not None else ("", 0.0)
        if found is not None and found.method not in main[estimate.metric]:
            apart.setdefault(key, {})[estimate.metric, estimate.model] = None
            continue
        protocols = by_interval.setdefault(key, {}).setdefault(estimate.metric, {})
        if estimate.protocol is not None:
            protocols[estimate.protocol] = None
        if context.averaged(estimate.data, estimate.metric):
            averaged[estimate.metric] = None
    with_some = {name for key, names in by_interval.items() if key[0] for name in names}
    parts: list[Runs] = []
    bare: list[str] = []
    cited: Runs = ()
    for (method, level), names in by_interval.items():
        rest = [name for name in names if method or name not in with_some]
        words = listed(
            runs(
                context.metric(n).noun,
                _metric_cite(context, n),
                _under(context, n, (method, level), by_interval),
            )
            for n in rest
        )
        if method:
            each = f" with {percent(level)} intervals" if len(rest) > 1 else (
                f" with a {percent(level)} interval")  # fmt: skip
            parts.append(words + runs(each, _interval_words(context, method)))
        elif rest:
            bare, cited = rest, words
    for (method, level), owners in apart.items():
        words = listed(runs(f"{context.metric(n).noun} of {context.model(m)}") for n, m in owners)
        of = f" with a {percent(level)} interval"
        parts.append(words + runs(of, _interval_words(context, method)))
    if not parts and not bare:
        return ()
    made: list[Runs] = []
    if parts:
        last = " and " if len(parts) == 2 else "; and "
        made.append(runs("We report ", listed(parts, comma="; ", last=last), "."))
    if bare:
        verb = "are" if len(bare) > 1 else "is"
        made.append(runs(capitalise(cited), f" {verb} reported without intervals."))
    if averaged:
        nouns = capitalised(and_([context.metric(name).noun for name in averaged]))
        verb = "is" if len(averaged) == 1 else "are"
        made.append(runs(f"{nouns} {verb} unweighted over the classes (macro average)."))
    for metric in map(context.metric, dict.fromkeys(e.metric for e in context.results.estimates)):
        if metric.of_sums:
            words_ = f"Both sums of the {metric.noun} are taken over all test examples."
            made.append(runs(words_))
    for found_ in context.results.methods:
        if found_.kind == "metric" and found_.own_code:
            noun = capitalised(context.metric(found_.name).noun)
            better = f"({found_.better} is better)"
            made.append(runs(f"{noun} was computed with custom code {better}."))
    return spaced(made)


def _interval_words(context: Context, method: str) -> Runs:
    """Return the title of an interval with its source, in brackets."""
    made = (e.interval for e in context.results.estimates if e.interval is not None)
    grouped = {one.clusters is not None for one in made if one.method == method}
    title = mid_sentence(context.interval_title(method))
    if True in grouped:
        title += " for data in groups" if False in grouped else " for grouped data"
    return runs(f" ({title}", context.cite("interval", method), ")")


def _under(
    context: Context,
    metric: str,
    key: tuple[str, float],
    by_interval: Mapping[tuple[str, float], Mapping[str, Mapping[str, None]]],
) -> Runs:
    """State the protocols of a metric whose interval is another one under other protocols."""
    own = by_interval[key][metric]
    others = [
        protocols[metric]
        for other, protocols in by_interval.items()
        if other[0] and other != key and metric in protocols
    ]
    if not own or not others or any(own.keys() & other.keys() for other in others):
        return ()
    return runs(f" under {and_([context.protocol(name) for name in own])}")


def _within(context: Context) -> Runs:
    """State by which columns estimates are given within levels."""
    found = [e for e in context.results.estimates if e.subgroup is not None]
    columns = dict.fromkeys(e.subgroup.column for e in found if e.subgroup is not None)
    if not columns:
        return ()
    by_columns: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(e.metric for e in found):
        own = {e.subgroup.column for e in found if e.metric == name and e.subgroup is not None}
        shown = tuple(column for column in columns if column in own)
        by_columns.setdefault(shown, []).append(context.metric(name).noun)
    parts = [f"{and_(nouns)} within the levels of {and_(c)}" for c, nouns in by_columns.items()]
    return runs(f"We also report {and_(parts)}.")


def _metric_cite(context: Context, name: str) -> Runs:
    """Cite the source of a metric; plain shares of examples need none."""
    found = context.method("metric", name)
    mean = found is not None and found.of_examples is not None
    return () if context.metric(name).percent and not mean else context.cite("metric", name)


def _together(context: Context) -> Runs:
    """State that all comparisons are one family, where the study makes them one."""
    found = context.results.comparisons
    with_p = [c for c in found if not any(map(bayesian, c.pairwise))]
    firm = [c for c in with_p if not c.family.exploratory]
    if context.results.study.families != "together" or len(firm) < 2:
        return ()
    which = " with p-values" if len(with_p) < len(found) else ""
    which += " that were not exploratory" if len(firm) < len(with_p) else ""
    return runs(f"All comparisons{which} formed one family for this correction.")


def _required(context: Context) -> Runs:
    """State how requirements were decided."""
    found = context.results.requirements
    if not found:
        return ()
    by_interval = [item for item in found if item.test is None]
    tests = {item.test.test: item for item in found if item.test is not None}
    titles: list[Runs] = []
    for name, item in tests.items():
        title = with_article(context.method_title("test", name))
        assert item.test is not None, "one of the lines with a test"
        forms = further_variants(context, [item.test], title)
        titles.append(runs(title, *(f" ({form})" for form in forms), context.cite("test", name)))
    ways: list[Runs] = []
    if by_interval:
        levels = " or ".join(dict.fromkeys(percent(item.level) for item in by_interval))
        intervals = deciding_intervals(context, by_interval)
        titles_ = [runs(title) for title in intervals]
        named = runs(" (", listed(titles_, comma="; ", last="; "), ")") if intervals else ()
        bounds = f"the bounds of two-sided {levels} intervals"
        bounds = f"the bounds of a two-sided {levels} interval" if len(found) == 1 else bounds
        ways.append(runs(bounds, named))
    if titles:
        ways.append(runs("the ", p_letter(context), " of ", listed(titles), " with the sign of "
                         "the difference"))  # fmt: skip
    lead = "One requirement was stated in the study file and" if len(found) == 1 else (
        f"{capitalised(number_word(len(found)))} requirements were stated in the study file; each"
    )  # fmt: skip
    made = runs(f"{lead} was decided on ", listed(ways, last=" or "), ", without correction")
    made += runs(" for the number of requirements." if context.results.study.looks else ".")
    made += _looks(context)
    if len(found) == 1:
        return made
    return made + runs(" The study passes only when all are met (an intersection–union test).")


def _looks(context: Context) -> Runs:
    """State how the error was divided among the decisions on the same test data."""
    study = context.results.study
    if study.looks is None:
        return ()
    words = plural(study.looks, "decision")
    return runs(
        f" The study file states {words} on the same test data. Each has an equal share of the "
        f"error of one decision at {percent(study.confidence)}",
        context.cite("level", "looks"),
        ", which bounds the error of all of them if only verdicts, and no estimates, guide later "
        "candidates.",
    )


def _software(context: Context) -> Runs:
    provenance = context.results.provenance
    parts = [runs(f"evallang {provenance.evallang}", context.cite("software", "evallang"))]
    for method in context.results.methods:
        if method.kind == "software" and method.name in provenance.packages:
            version = provenance.packages[method.name]
            cite = context.cite("software", method.name)
            parts.append(runs(f"{method.title} {version}", cite))
    return runs("Analyses were run with ", listed(parts), ".")


MOST_PAIRS_NAMED = 2


def comparison_words(context: Context, comparison: Comparison) -> list[Runs]:
    """Format one line of the study file: omnibus, pairs, intervals, each a sentence."""
    lines = [c for c in context.results.comparisons if c.index == comparison.index]
    made: list[Runs] = []
    omnibus, all_omnibus = comparison.omnibus, [c.omnibus for c in lines if c.omnibus is not None]
    if omnibus is not None:
        noun = and_(list(dict.fromkeys(context.metric(c.metric).noun for c in lines)))
        models = "all models"
        if len(omnibus.models) < len(context.results.models):
            models = and_([context.model(name) for name in omnibus.models])
        effects = _effects(context, [omnibus])
        several = len({effect.name for effect in omnibus.effects}) > 1
        tail = runs(", with ", effects, " as effect size", "s" if several else "")
        lost = _not_computed(context, all_omnibus)
        were = "were to be" if lost and not any(map(computed, all_omnibus)) else "were"
        made.append(runs(
            f"Differences in {noun} among {models} {were} tested by ",
            _test_words(context, all_omnibus), tail if effects else (), lost, ".",
        ))  # fmt: skip
    noun = and_(list(dict.fromkeys(context.compared_words(c).noun for c in lines)))
    every = [pair for c in lines for pair in c.pairwise]
    pairs = [pair for pair in every if computed(pair)]
    if not every:
        return made
    test = _test_words(context, pairs or every)
    own = [pair for pair in comparison.pairwise if computed(pair)]
    subject = f"{_named(context, own or comparison.pairwise)} were"
    using = runs(f" compared on {noun} using ", test)
    if not pairs:
        if omnibus is None or computed(omnibus):
            made.append(runs(subject, " to be", using, _not_computed(context, every), "."))
        return made
    tested = omnibus is None or any(c.performed for c in lines)
    if not tested:
        skipped = "Because the omnibus test was not significant, no pairwise tests were run."
        if omnibus is not None and not computed(omnibus):
            skipped = "Pairs of models were therefore not tested."
        made.append(runs(skipped))
    else:
        words = runs(subject, using)
        if singly(comparison):
            words = methods_words(context, comparison, test)
        elif comparison.against is not None:
            reference = context.model(comparison.against)
            words = runs(f"Each model was compared with {reference} on {noun} using ", test)
        elif omnibus is not None:
            words = runs("When this test was significant, pairs of models were", using)
        made.append(words + _family(context, comparison))
    made.append(_intervals(context, pairs))
    lost_pairs = [pair for pair in every if not computed(pair)]
    if lost_pairs:
        why = " and ".join(reasons(context, lost_pairs))
        made.append(runs(f"{_named(context, lost_pairs)} could not be compared: {why}."))
    if any(pair.clusters is not None for pair in pairs) and tested:
        tests = "this test" if len(pairs) == 1 else "these tests"
        made.append(runs(f"Whole groups were the units of {tests}."))
    shown = shown_effect([effect for pair in pairs for effect in pair.effects])
    effects = _effects(context, pairs, shown)
    if effects:
        made.append(runs("The effect size of a pair is ", effects, "."))
    return [row for row in made if row]


def _not_computed(context: Context, tests: Sequence[HypothesisTestResult]) -> str:
    """State that tests were not computed, and why; nothing where all were."""
    lost = [test for test in tests if not computed(test)]
    if not lost:
        return ""
    some = "" if len(lost) == len(tests) else f"{number_word(len(lost))} of {len(tests)} times "
    return f", which was {some}not computed: {' and '.join(reasons(context, lost))}"


def _named(context: Context, pairs: Sequence[HypothesisTestResult]) -> str:
    if len(pairs) > MOST_PAIRS_NAMED:
        return "Pairs of models"
    names = [" and ".join(context.model(name) for name in pair.models) for pair in pairs]
    return ", and ".join(dict.fromkeys(names))


def _effects(
    context: Context, found: Sequence[HypothesisTestResult], shown: Effect | None = None
) -> Runs:
    """State the effect sizes that the report prints, with the method of their interval."""
    named = {effect.name: effect for test in found for effect in test.effects}
    named = named if shown is None else {shown.name: named[shown.name]}
    items = []
    for name, effect in named.items():
        if effect.scale == "odds":
            exact = any(e.low is not None for t in found for e in t.effects if e.name == name)
            how = " (exact interval)" if exact else ""
            words = runs(f"the odds ratio of discordant pairs{how}")
            if not exact:  # what is cited is the interval
                items.append(words)
                continue
        else:
            the = "the " if shown is not None and not owned(effect) else ""
            words = runs(the) + effect_name(effect, inside=True)
        items.append(words + context.cite("effect", name))
    return listed(items)


def _intervals(context: Context, pairs: Sequence[HypothesisTestResult]) -> Runs:
    """State the interval of the differences, and the simultaneous one."""
    estimates = [p.estimate for p in pairs if p.estimate and p.estimate.low is not None]
    if not estimates:
        return ()
    titles = listed([
        runs(mid_sentence(context.difference_title(method)), context.cite("interval", method))
        for method in dict.fromkeys(one.method for one in estimates)
    ])  # fmt: skip
    level = " / ".join(dict.fromkeys(percent(one.level) for one in estimates))
    own = all(is_simultaneous(p) for p in pairs if p.estimate is not None)
    which = "simultaneous " if own else ""
    made = runs(f"Differences are given with {which}{level} intervals (", titles, ")")
    if own:
        return made + runs(".")
    wide = next(
        (p.simultaneous for p in pairs if p.simultaneous and p.simultaneous.low is not None), None
    )
    if wide is not None:
        words = simultaneous_words(context, pairs)
        made += runs(f" and with {family_words(wide)} {percent(wide.level)} intervals ({words}")
        made += runs("; the false coverage rate holds over the pairs that differed)"
                     if wide.selected else ")")  # fmt: skip
    return made + runs(".")


def _test_words(context: Context, tests: Sequence[HypothesisTestResult]) -> Runs:
    """Format a test with its article and the variants that were computed."""
    title = context.method_title("test", tests[0].test)
    shown = further_variants(context, tests, title)
    variant = f" ({', '.join(shown)})" if shown else ""
    return runs(with_article(title), variant, context.cite("test", tests[0].test))


def _family(context: Context, comparison: Comparison) -> Runs:
    """State at which level, and how many tests were adjusted for."""
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
    level = level_of_alpha(comparison.alpha, context.style)
    family = comparison.family
    if family.correction is None or family.size < 2:
        return runs(f" at a level of {level}.")
    name = method_of(family.correction)
    title = mid_sentence(context.method_title("correction", family.correction))
    if not adjusts(comparison):
        return runs(
            f" at a level of {level} each, without correction for {number_word(family.size)} tests."
        )
    if context.method("correction", name) is None and family.adjective:
        title = f"{family.adjective} correction"
    return runs(
        "; ", p_letter(context), f"-values were adjusted for {number_word(family.size)} tests by "
        f"{with_article(title)}", context.cite("correction", name), f" (level {level}).",
    )  # fmt: skip


def made_elsewhere(context: Context) -> Runs:
    """State where scores come from, how shares are treated, and how repeats of an example count."""
    made: Runs = ()
    tables: dict[tuple[str, str], list[DataRecord]] = {}
    for data in context.results.data:
        if data.kind == "scores":
            tables.setdefault((data.source, data.statement), []).append(data)
    for (source, _), parts in tables.items():
        first = parts[0]
        cite = _data_cite(context, first)
        least, most = min(part.n for part in parts), max(part.n for part in parts)
        sizes = number_word(most) if least == most else f"{count(least)} to {count(most)}"
        of_each = f"{sizes} {context.cases(first.name)} of each model"
        folds = f", {of_each} on a data set" if most > 1 else ""
        names = listed([runs(noun) for noun in _metrics(context, parts)])
        made += runs(" The scores (", names, f"{folds}) were taken from {source}", cite, ".")
    for data in context.results.data:
        if context.samples(data.name):
            whose = f" of {context.data_label(data.name)}" if len(context.results.data) > 1 else ""
            made += runs(
                f" The shares{whose} are treated as independent samples, because it is not known "
                f"which {context.cases(data.name)} each model got right."
            )
    for data in context.results.data:
        made += _readers(context, data)
        times = {
            int(str(e.extra["n_repeats"]))
            for e in context.results.estimates
            if e.data == data.name and "n_repeats" in e.extra
        }
        if times:
            where = f" of {context.data_label(data.name)}" if len(context.results.data) > 1 else ""
            made += runs(
                f" Each of the {context.cases(data.name)}{where} has {number_word(max(times))} "
                "repeats. Measures are means over the repeats, and each of the "
                f"{context.cases(data.name)} with all its repeats is one unit of intervals and "
                "tests."
            )
    return made


def _readers(context: Context, data: DataRecord) -> Runs:
    """State how many readers read the examples, and for whom they stand."""
    readers, sampled = context.readers(data.name)
    if not readers:
        return ()
    where = f" of {context.data_label(data.name)}" if len(context.results.data) > 1 else ""
    cases = context.cases(data.name)
    meant = (
        f"and readers and {cases} are both treated as random samples"
        if sampled
        else f"each of the {cases} with all its readings is one unit of intervals and tests, and "
        "conclusions are about these readers"
    )
    return runs(
        f" The {cases}{where} were read by {number_word(readers)} readers with each model; "
        f"measures are means over the readers, {meant}."
    )


def _metrics(context: Context, parts: list[DataRecord]) -> list[str]:
    names = {part.name for part in parts}
    found = [e.metric for e in context.results.estimates if e.data in names]
    return [context.metric(name).noun for name in dict.fromkeys(found)]
