"""The methods paragraph, to be pasted into a paper, and the works it cites.

It refers to no table or figure of the report, and says nothing that the results do not. Its words
are in `templates/sentences/methods.sentences.j2`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from evallang.reporting.context import AVERAGES, Context
from evallang.reporting.decisions import bayesian, computed, is_simultaneous, margin_of
from evallang.reporting.document import Block, Cite, Paragraph, Run, Runs, listed, runs, spaced
from evallang.reporting.estimates import main_intervals
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.limits import typical_difference
from evallang.reporting.numbers import percent
from evallang.reporting.pair_findings import quantity_noun, singly, stated_value
from evallang.reporting.requirements import deciding_intervals, words_of
from evallang.reporting.searches import (
    candidates,
    fitted_on_all,
    inner_words,
    thresholds,
    uses_validation_part,
)
from evallang.reporting.section import (
    SECTIONS,
    SectionDeclaration,
    Topic,
    compares,
    methods_sentences,
)
from evallang.reporting.sentences import write
from evallang.reporting.wording import (
    adjusts,
    effect_name,
    lacks_repeats,
    owned,
    simultaneous_words,
    stated_amount,
)
from evallang.results.records import (
    ColumnRecord,
    Comparison,
    DataRecord,
    Effect,
    HypothesisTestResult,
    StepRecord,
    TargetScaleRecord,
)
from evallang.results.statistics import Interval, shown_effect
from evallang.results.written import method_of

TOPIC = "methods"
GROUPS = "groups"
MOST_DATA_SETS = 3  # whose missing values are stated
MOST_MODELS = 6  # whose parameters are stated


def _topics(context: Context) -> list[Topic]:
    made = [Topic.SAMPLES] if any(data.kind != "scores" for data in context.results.data) else []
    if _features(context):
        made.append(Topic.MISSING)
    if _fitted_on_training_rows_only(context):
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
    of_tests = [row for c in lines.values() for row in _comparison(context, c)]
    analysed, apart = methods_sentences(context, analyses=True), compares(context)
    design = spaced([*_compared(context), *_designed(context), thresholds(context)])
    analysis = spaced(
        [
            _measures(context),
            _within(context),
            *dict.fromkeys(of_tests),
            _together(context),
            _detectable(context),
            _required(context),
            *methods_sentences(context, analyses=False),
            *methods_sentences(context, analyses=True, ranking=True),
            *([] if apart else analysed),
            fitted_on_all(context),
            _software(context),
        ]
    )
    cited: set[str] = set()
    rows = (design, analysis, spaced(analysed) if apart else ())
    cited_once = [_cited_once(row, cited) for row in rows]
    return [Paragraph(row, "methods", further=i > 1) for i, row in enumerate(cited_once) if row]


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


# --- what was compared, and on what --------------------------------------------------------------


def _compared(context: Context) -> Iterator[Runs]:
    """Iterate over sentences on models and data, on scores from elsewhere, repeats and weights."""
    results, say = context.results, partial(write, context, TOPIC)
    risks = {one.data: one.groups for one in results.risk_groups}
    sizes = {name: sum(one.n for one in groups) for name, groups in risks.items()}
    events = {name: sum(sum(one.events) for one in groups) for name, groups in risks.items()}
    whole = {d.name: events[d.name] for d in results.data if sizes.get(d.name) == d.n}
    yield say("compared", models=results.models, data=context.data_sets, events=whole)
    tables: dict[tuple[str, str], list[DataRecord]] = {}
    for data in results.data if context.data_sets else ():
        if data.kind == "scores":
            tables.setdefault((data.source, data.statement), []).append(data)
    for (source, _), parts in tables.items():
        names = {part.name for part in parts}
        metrics = dict.fromkeys(e.metric for e in results.estimates if e.data in names)
        yield say(
            "scores_from_elsewhere",
            source=source,
            data=parts[0],
            nouns=[context.metric(name).noun for name in metrics],
            least=min(part.n for part in parts),
            most=max(part.n for part in parts),
        )
    for data in results.data:
        if data.kind in ("table", "predictions") and any(one.n for one in data.excluded):
            yield say("excluded", data=data)
    for data, columns in _features(context):
        yield say("missing", data=data, columns=[one for one in columns if one.missing])
    for data in results.data:
        if context.samples(data.name):
            yield say("shares", data=data)
    for data in results.data:
        readers, sampled = context.readers(data.name)
        if readers:
            yield say("readers", data=data, number=readers, sampled=sampled)
        if networks := context.networks(data.name):
            yield say("networks", data=data, number=networks)
        jackknifed = dict.fromkeys(
            e.metric
            for e in results.estimates
            if e.data == data.name and "pseudo_values" in e.extra and e.interval is not None
        )
        if jackknifed:
            yield say("jackknifed", data=data, metrics=list(jackknifed))
        repeated = [e for e in results.estimates if e.data == data.name and "n_repeats" in e.extra]
        if repeated:
            times = max(int(str(e.extra["n_repeats"])) for e in repeated)
            yield say("repeats", data=data, times=times, unequal=any(map(lacks_repeats, repeated)))
    weighted = [d for d in results.data if d.weight is not None]
    if weighted:
        fitted = any(model.kind == "estimator" for model in results.models)
        yield say(
            "weights",
            data=weighted,
            fitted=fitted,
            unweighted=[m.name for m in results.models if fitted and not m.takes_weights],
            steps=list(
                dict.fromkeys(s for model in results.models for s in model.unweighted_steps)
            ),
        )


def _features(context: Context) -> list[tuple[DataRecord, list[ColumnRecord]]]:
    """Return the features of each data set, where few have some."""
    found = [
        (data, columns)
        for data in context.results.data
        if (columns := [column for column in data.columns if column.becomes is not None])
    ]
    return found if len(found) <= MOST_DATA_SETS else []


def _fitted_on_training_rows_only(context: Context) -> bool:
    """Return whether no step of a model was fitted on the rows that it was evaluated on."""
    fitted = any(model.kind == "estimator" for model in context.results.models)
    return fitted and not all(p.tests_on_training_rows for p in context.results.protocols)


def _designed(context: Context) -> Iterator[Runs]:
    """Iterate over sentences on splits, fits, scales of targets, resampling and tuning."""
    results, say = context.results, partial(write, context, TOPIC)
    if results.protocols:
        yield say(
            "designs",
            protocols=results.protocols,
            models=len(results.models),
            seed=results.study.seed,
            one_split={p.n_splits for p in results.protocols} == {1},
        )
    yield say("stored", models=[model for model in results.models if model.stored is not None])
    yield from _pipelines(context)
    if _fitted_on_training_rows_only(context):
        yield say("fitted_on_training_rows_only")
    scales: dict[TargetScaleRecord, list[DataRecord]] = {}
    for data in results.data:
        if data.target_scale is not None:
            scales.setdefault(data.target_scale, []).append(data)
    if scales:
        targets = list(dict.fromkeys(d.target for sets in scales.values() for d in sets))
        yield say("target_scales", scales=scales, targets=targets)
    ways: dict[tuple[str, ...], list[str]] = {}
    for model in results.models:
        if model.resamplers:
            own = [_step_words(step) for step in model.steps if step.name in model.resamplers]
            ways.setdefault(tuple(own) or model.resamplers, []).append(model.name)
    if ways:
        yield say("resampling", ways=ways)
    estimators = [model for model in results.models if model.kind == "estimator"]
    if estimators:
        validated = uses_validation_part(context)
        used = dict.fromkeys(s.rule for s in results.selections if s.rule)
        yield say(
            "tuning",
            candidates={model.name: candidates(model) for model in estimators if model.tuned},
            estimators=len(estimators),
            search=results.search,
            validated=validated,
            one_split={p.n_splits for p in results.protocols} == {1},
            inner=inner_words(context) if results.search is not None else (),
            rules=write(context, "searches", "rules", names=list(used), validated=validated),
        )


def _pipelines(context: Context) -> Iterator[Runs]:
    """Iterate over the sentences on the steps of models: preprocessing, and fixed parameters."""
    reading = [m for m in context.results.models if m.steps and not m.baseline]
    ways: dict[tuple[tuple[str, tuple[str, ...]], ...], list[str]] = {}
    raw = []
    for model in reading:
        parts: dict[str, list[str]] = {}
        for step in model.steps[:-1]:
            if step.name in model.resamplers:  # `resampling` states them
                continue
            parts.setdefault(step.columns, []).append(_step_words(step))
        if parts:
            key = tuple((columns, tuple(steps)) for columns, steps in parts.items())
            ways.setdefault(key, []).append(model.name)
        else:
            raw.append(model.name)
    if reading:
        yield write(context, TOPIC, "preprocessing", ways=ways, raw=raw if ways else ())
    if 0 < len(reading) <= MOST_MODELS:
        last: dict[str, list[str]] = {}
        for model in context.results.models:
            if model.steps:
                last.setdefault(_step_words(model.steps[-1]), []).append(model.name)
        tuned = any(model.tuned for model in context.results.models)
        yield write(context, TOPIC, "fitted_with", steps=last, tuned=tuned)


def _step_words(step: StepRecord) -> str:
    """Write a step with its fixed parameters: "SimpleImputer (strategy = median)"."""
    settings = ", ".join(f"{name} = {value}" for name, value in step.fixed.items())
    return f"{step.name} ({settings})" if settings else step.name


# --- what was measured ---------------------------------------------------------------------------


class _Measured(Struct, frozen=True):
    """A metric that is reported; of one model or under some protocols where others differ."""

    metric: str
    model: str | None = None
    protocols: Sequence[str] = ()


class _Reported(Struct, frozen=True):
    """Metrics with the same interval, and how many intervals that is in words."""

    metrics: Sequence[_Measured]
    intervals: int
    method: str
    title: str
    level: float
    resamples: int | None = None


class _Average(Struct, frozen=True):
    """The metrics that are averaged over the data sets, and the interval of such an average.

    `of_rows` tells that each row counts the same, and not each data set; `jackknifed` are the
    metrics whose variances in the data sets are those of the jackknife.
    """

    of_rows: bool
    metrics: dict[str, None]
    interval: Interval | None
    jackknifed: dict[str, None]


def _measures(context: Context) -> Runs:
    """State the metrics with the interval of each, metrics with the same one together."""
    by_interval: dict[tuple[str, float], dict[str, dict[str, None]]] = {}  # metrics: protocols
    apart: dict[tuple[str, float], dict[tuple[str, str], None]] = {}
    averaged: dict[str, None] = {}
    averages: dict[str, _Average] = {}
    main = main_intervals(context.results.estimates)
    for estimate in context.results.estimates:
        if estimate.subgroup is not None:
            continue
        found = estimate.interval
        if found is not None and not found.has_bounds:
            found = None
        if context.is_average(estimate.data):
            of_rows = estimate.data == AVERAGES["rows"]
            label = context.data_label(estimate.data)
            known = averages.setdefault(label, _Average(of_rows, {}, found, {}))
            known.metrics[estimate.metric] = None
            if "pseudo_values" in estimate.extra:
                known.jackknifed[estimate.metric] = None
            continue
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
    reported: list[_Reported] = []
    bare: list[_Measured] = []
    for (method, level), names in by_interval.items():
        rest = [
            _Measured(name, None, _protocols(name, (method, level), by_interval))
            for name in names
            if method or name not in with_some
        ]
        if method:
            title = _interval_title(context, method)
            resamples = _resamples(context, method)
            reported.append(_Reported(rest, len(rest), method, title, level, resamples))
        elif rest:
            bare = rest
    for (method, level), owners in apart.items():
        own = [_Measured(name, model) for name, model in owners]
        facts = (method, _interval_title(context, method), level, _resamples(context, method))
        reported.append(_Reported(own, 1, *facts))
    if not reported and not bare:
        return ()
    strengths = {e.metric: e for e in context.results.estimates if "ties" in e.extra}
    clusters = dict[str, int]()
    for data in context.results.data:
        clusters |= data.clusters
    names_ = dict.fromkeys(e.metric for e in context.results.estimates)
    found_ = context.results.methods
    return write(
        context,
        TOPIC,
        "measures",
        reported=reported,
        bare=bare,
        averaged=list(averaged),
        averages=averages,
        of_sums=[name for name in names_ if context.metric(name).of_sums],
        own=[method for method in found_ if method.kind == "metric" and method.own_code],
        strengths=strengths,
        clusters=clusters,
    )


def _resamples(context: Context, method: str) -> int | None:
    """Return how many resamples intervals of a method are made from, at most."""
    made = (e.interval for e in context.results.estimates if e.interval is not None)
    sizes = [one.draws for one in made if one.method == method and one.draws is not None]
    return max(sizes, default=None)


def _interval_title(context: Context, method: str) -> str:
    made = (e.interval for e in context.results.estimates if e.interval is not None)
    grouped = {one.clusters is not None for one in made if one.method == method}
    title = mid_sentence(context.interval_title(method))
    if True in grouped:
        title += " for data in groups" if False in grouped else " for grouped data"
    return title


def _protocols(
    metric: str,
    key: tuple[str, float],
    by_interval: Mapping[tuple[str, float], Mapping[str, Mapping[str, None]]],
) -> Sequence[str]:
    """Return the protocols of a metric whose interval is another one under other protocols."""
    own = by_interval[key][metric]
    others = [
        protocols[metric]
        for other, protocols in by_interval.items()
        if other[0] and other != key and metric in protocols
    ]
    return () if not others or any(own.keys() & other.keys() for other in others) else list(own)


def _within(context: Context) -> Runs:
    """State by which columns estimates are given within levels."""
    found = [(e.metric, e.subgroup.column) for e in context.results.estimates if e.subgroup]
    columns = dict.fromkeys(column for _, column in found)
    by_columns: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(metric for metric, _ in found):
        shown = tuple(column for column in columns if (name, column) in found)
        by_columns.setdefault(shown, []).append(name)
    return write(context, TOPIC, "within_levels", by_columns=by_columns) if by_columns else ()


# --- what was tested -----------------------------------------------------------------------------


def _together(context: Context) -> Runs:
    """State that all comparisons are one family, where the study makes them one."""
    found = context.results.comparisons
    with_p = [c for c in found if not any(map(bayesian, c.pairwise))]
    firm = [c for c in with_p if not c.family.exploratory]
    if context.results.study.families != "together" or len(firm) < 2:
        return ()
    facts = {
        "some_without_p": len(with_p) < len(found),
        "some_exploratory": len(firm) < len(with_p),
    }
    return write(context, TOPIC, "one_family", **facts)


def _detectable(context: Context) -> Runs:
    """State how the smallest differences below the tables of pairs were computed."""
    every = context.results.comparisons
    found = [typical_difference(context, c.metric, c.data, c.pairwise) for c in every]
    known = [one for one in found if one is not None]
    return write(context, TOPIC, "detectable_differences", tests=known) if known else ()


def _required(context: Context) -> Runs:
    """State how requirements were decided."""
    found = context.results.requirements
    if not found:
        return ()
    by_interval = [item for item in found if item.test is None]
    tests = {item.test.test: item.test for item in found if item.test is not None}
    return write(
        context,
        TOPIC,
        "requirements",
        required=[words_of(context, item) for item in found],
        by_interval=bool(by_interval),
        levels=" or ".join(dict.fromkeys(percent(item.level) for item in by_interval)),
        intervals=deciding_intervals(context, by_interval),
        tests=list(tests.values()),
        looks=context.results.study.looks,
    )


def _software(context: Context) -> Runs:
    provenance = context.results.provenance
    known = [m for m in context.results.methods if m.kind == "software"]
    packages = [(m, provenance.packages[m.name]) for m in known if m.name in provenance.packages]
    facts = {"packages": packages, "machine": provenance}
    return write(context, TOPIC, "software", version=provenance.evallang, **facts)


class _Decision(Struct, frozen=True):
    """How pairs of a line were decided: by a posterior or at a level, for `size` tests.

    `level` is that of the posterior probability where it is one, `rope` the region of practical
    equivalence.
    """

    by_posterior: bool
    exploratory: bool
    level: float
    size: int
    adjusted: bool = False
    correction: str = ""
    title: str = ""
    rope: Runs = ()
    sided: str = ""


def _comparison(context: Context, comparison: Comparison) -> Iterator[Runs]:
    """Iterate over the sentences on one line of the study file: omnibus, pairs, intervals."""
    say = partial(write, context, TOPIC)
    lines = [c for c in context.results.comparisons if c.index == comparison.index]
    omnibus, all_omnibus = comparison.omnibus, [c.omnibus for c in lines if c.omnibus is not None]
    if omnibus is not None:
        effects = _effects(context, [omnibus])
        some = len(omnibus.models) < len(context.results.models)
        yield say(
            "omnibus",
            nouns=list(dict.fromkeys(context.metric(c.metric).noun for c in lines)),
            models=omnibus.models if some else (),
            tests=all_omnibus,
            effects=effects,
            several_effects=len({effect.name for effect in omnibus.effects}) > 1,
            to_be=not any(map(computed, all_omnibus)),
        )
    nouns = dict.fromkeys(context.compared_words(c).noun for c in lines)
    noun = listed(runs(one) for one in nouns)
    data_of_lines = [one.data for one in context.results.comparisons]
    if context.is_average(comparison.data):
        noun = runs(noun, " ", context.data_label(comparison.data))
    elif comparison.data is None and any(map(context.is_average, data_of_lines)):
        noun = runs(noun, f" across the {context.sets}")
    every = [pair for c in lines for pair in c.pairwise]
    pairs = [pair for pair in every if computed(pair)]
    if not every:
        return
    own = [pair for pair in comparison.pairwise if computed(pair)] or comparison.pairwise
    if not pairs:
        if omnibus is None or computed(omnibus):
            yield say("pairs_not_computed", pairs=own, noun=noun, tests=every)
        return
    tested = omnibus is None or any(c.performed for c in lines)
    if omnibus is not None and not tested:
        yield say("pairs_not_tested", omnibus_computed=computed(omnibus))
    elif singly(comparison):
        tests = comparison.pairwise
        yield say(
            "models_tested",
            models=[test.models[0] for test in tests],
            noun=quantity_noun(context, comparison),
            value=stated_value(context, comparison, tests[0]),
            tests=pairs,
            decision=_decision(context, comparison),
        )
    else:
        yield say(
            "pairs_compared",
            pairs=own,
            noun=noun,
            tests=pairs,
            against=comparison.against,
            after_omnibus=omnibus is not None,
            decision=_decision(context, comparison),
        )
    yield _intervals(context, pairs)
    if lost := [pair for pair in every if not computed(pair)]:
        yield say("pairs_could_not_be_compared", pairs=lost)
    if tested and any(pair.clusters is not None for pair in pairs):
        units = {context.groups(c.data) for c in lines if c.data is not None}
        word = units.pop() if len(units) == 1 else GROUPS
        whole = f"whole {GROUPS}" if word == GROUPS else word
        yield say("groups_were_units", groups=whole, pairs=len(pairs))
    shown = shown_effect([effect for pair in pairs for effect in pair.effects])
    if effects := _effects(context, pairs, shown):
        yield say("effect_size_of_pairs", effects=effects)


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
    own = all(is_simultaneous(p) for p in pairs if p.estimate is not None)
    wide = (p.simultaneous for p in pairs if p.simultaneous and p.simultaneous.low is not None)
    return write(
        context,
        TOPIC,
        "intervals_of_differences",
        n=len(estimates),
        methods=list(dict.fromkeys(one.method for one in estimates)),
        levels=list(dict.fromkeys(one.level for one in estimates)),
        family=own,
        wide=None if own else next(wide, None),
        how_wide=simultaneous_words(context, pairs),
    )


def _decision(context: Context, comparison: Comparison) -> _Decision:
    """Return at which level, and for how many tests, the pairs of a line were decided."""
    family, exploratory = comparison.family, comparison.family.exploratory
    if any(map(bayesian, comparison.pairwise)):
        rope: Any = next((pair.extra.get("rope") for pair in comparison.pairwise), None)
        metric = context.metric(comparison.metric)
        size = () if rope is None else stated_amount(metric, rope)
        confidence = context.results.study.confidence
        return _Decision(True, exploratory, confidence, len(comparison.pairwise), rope=size)
    if family.correction is None:
        return _Decision(False, exploratory, comparison.alpha, 1, sided=_sided(comparison))
    name = method_of(family.correction)
    title = context.method_title("correction", family.correction)
    if context.method("correction", name) is None and family.adjective:
        title = f"{family.adjective} correction"
    adjusted = adjusts(comparison)
    rest = (family.size, adjusted, name, title)
    return _Decision(False, exploratory, comparison.alpha, *rest, sided=_sided(comparison))


def _sided(comparison: Comparison) -> str:
    """Return whether the pairs of a line were tested on one side or on two; empty of margins."""
    pairs = [pair for pair in comparison.pairwise if pair.p is not None]
    one = {
        pair.side is not None or pair.extra.get("alternative") in ("greater", "less")
        for pair in pairs
    }
    if len(one) != 1 or any(margin_of(pair) is not None for pair in pairs):
        return ""
    return "one-sided" if one.pop() else "two-sided"
