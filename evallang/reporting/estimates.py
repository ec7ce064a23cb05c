"""Estimates: every metric of every model, on one data set or many, and by levels of a column."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from evallang.reporting.context import Context, MetricWords, Setting, ordered_union
from evallang.reporting.decisions import letters, margin_of
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Heading,
    Mark,
    Number,
    Paragraph,
    Row,
    Runs,
    Table,
    listed,
    runs,
)
from evallang.reporting.estimate_figures import MOST_DATA_APART, figures, figures_as_files
from evallang.reporting.exports import best_of_many
from evallang.reporting.letter_case import capitalised, mid_sentence
from evallang.reporting.limits import never_predicted_notes
from evallang.reporting.narrow_tables import narrow_estimates
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    bounded as within_one,
    count,
    fixed,
    level_of_alpha,
    percent,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import (
    Over,
    Words,
    counted,
    dash,
    heading,
    interval_cell,
    left,
    lettered,
    number,
    printed,
    right,
    row,
    sortable,
    table,
)
from evallang.reporting.wording import (
    adjusted_words,
    and_,
    clusters_words,
    correct_of,
    count_sets,
    number_word,
    p_letter,
    plural,
    repeats_of,
    scope_words,
)
from evallang.results.records import (
    FEW_EXAMPLES,
    FEWEST,
    FEWEST_OF_A_CLASS,
    NO_WIDTH,
    NOT_COMPUTED,
    Comparison,
    Estimate,
)

WITHOUT = ("", 0.0, False)  # method, level and groups of metrics without an interval
MOST_SMALL = 20  # levels without an estimate that a note lists
METRICS_PER_TABLE = 4  # of 27 mm each, next to a stub, on a page of 170 mm
MODELS_PER_TABLE = 8
FLAT, GROUP = "flat", "group"  # the marks of intervals without width, and of compact letters


def estimates_table(
    context: Context, setting: Setting, metrics: Sequence[str], identifier: str
) -> Table:
    """Return the estimates of one setting: a model per row, estimate and interval per metric."""
    primary, several = context.metrics(setting)[0], len(context.metrics(setting)) > 1
    models = context.models_best_first(setting, primary)
    found = {(m, k): context.estimate(setting, m, k) for m in models for k in metrics}
    columns: list[Column | Over | None] = [Column(runs("Model"), "left", sortable=True)]
    cells: dict[str, list[Cell]] = {model: [Cell(runs(context.model(model)))] for model in models}
    counts = next((name for name in metrics if context.counts_right(name)), "")
    shares = {model: found.get((model, counts)) for model in models}
    right_ = {m: None if e is None else correct_of(context, e) for m, e in shares.items()}
    own = context.samples(setting.data)
    if any(value is not None for value in right_.values()):
        columns.append(sortable("Correct", "correct"))
        for model in models:
            cells[model].append(counted(right_[model]))
    if own:
        columns.append(right(capitalised(context.cases(setting.data)), "examples"))
        for model in models:
            cells[model].append(counted(own.get(model)))
    for name in metrics:
        rows = [found[model, name] for model in models]
        second, scale = second_column(rows), context.scale(setting, name)
        seeds = any(e is not None and "sd_over_seeds" in e.extra for e in rows)
        of_metric = [
            sortable("Est.", name),
            right(second, f"{name} {second}", muted=True) if second else None,
            right("SD, seeds", f"{name} SD over seeds", muted=True) if seeds else None,
        ]
        columns.append((_heading(context.metric(name)), of_metric))
        for model, one in zip(models, rows, strict=True):
            cells[model] += estimate_cells(one, scale, second)
            spread = one.extra.get("sd_over_seeds") if one is not None else None
            cells[model] += [number(spread, scale.more(scale.decimals))] if seeds else []
    notes: list[Words] = _notes(context, setting, metrics, [e for e in found.values() if e])
    comparison = grouping(context, setting) if primary in metrics else None
    if comparison is not None:
        columns.append(Column(runs("Group", Mark(GROUP)), "center", name="group"))
        marks = letters(models, comparison)
        for model in models:
            cells[model].append(Cell(runs(marks.get(model, ""))))
        words = adjusted_words(comparison) or "unadjusted "
        noun = f" in {context.metric(comparison.metric).noun}" if several else ""
        level = level_of_alpha(comparison.alpha, context.style)
        lead = f"Models that share a letter were not shown to differ{noun} at a {words}"
        notes.append(runs(Mark(GROUP), lead, p_letter(context), f" of {level}."))
    size = context.tested_words(setting)
    what = "performance"
    if len(context.metrics(setting)) > len(metrics):
        what = and_([context.metric(name).noun for name in metrics])
    caption = f"{capitalised(what)} of {plural(len(models), 'model')}{size and f' on {size}'}"
    if len(context.settings) > 1:
        caption += f" ({setting_words(context, setting)})"
    rows_ = [Row(tuple(cells[model])) for model in models]
    made = lettered(table(identifier, runs(caption + "."), columns, rows_, *notes))
    if primary not in metrics:
        return made
    compared = next(
        (c for c in context.results.comparisons if _two_sided(context, setting, c)), None
    )
    return replace(made, narrow=narrow_estimates(context, setting, compared, made))


def _two_sided(context: Context, setting: Setting, comparison: Comparison) -> bool:
    """Return whether a comparison is two-sided and for a difference by the first measure."""
    place = Setting(comparison.data or "", comparison.protocol)
    own = comparison.metric == context.metrics(setting)[0] and place == setting
    other = any(margin_of(p) is not None or p.side is not None for p in comparison.pairwise)
    return own and comparison.performed and not comparison.family.exploratory and not other


def tables_across_data(context: Context) -> list[Block]:
    """Return one table per metric, data sets in rows and models in columns."""
    blocks: list[Block] = []
    metrics = ordered_union([context.metrics(setting) for setting in context.settings])
    models = [model.name for model in context.results.models]
    for i, name in enumerate(metrics, start=1):
        parts = -(-len(models) // MODELS_PER_TABLE)
        size = -(-len(models) // parts)
        for k in range(0, len(models), size):
            chosen = models[k : k + size]
            identifier = f"table-estimates-{i}-{k // size + 1}"
            blocks.append(_table_across(context, name, chosen, identifier))
    return blocks


def setting_words(context: Context, setting: Setting) -> str:
    """Format a data set, and its protocol where several are named."""
    label = context.data_label(setting.data)
    if len({s.protocol for s in context.settings}) > 1 and setting.protocol is not None:
        return f"{label}, {context.protocol(setting.protocol)}"
    return label


def grouping(context: Context, setting: Setting) -> Comparison | None:
    """Find the comparison whose decisions group the models of a setting: all pairs, decided."""
    primary = context.metrics(setting)[0]
    ordered = context.models_best_first(setting, primary)
    for comparison in context.results.comparisons:
        place = Setting(comparison.data or "", comparison.protocol)
        if (place, comparison.metric) == (setting, primary) and letters(ordered, comparison):
            return comparison
    return None


def main_intervals(found: Sequence[Estimate]) -> dict[str, set[str]]:
    """Return the methods of the intervals of each metric that most models of a setting have.

    Where nothing varies, the interval of one model may be of another method than the rest.
    """
    methods: dict[tuple[str, str, str | None], list[str]] = {}
    for one in found:
        if one.subgroup is None and one.interval is not None and one.interval.has_bounds:
            of_setting = methods.setdefault((one.metric, one.data, one.protocol), [])
            of_setting.append(one.interval.method)
    made: dict[str, set[str]] = {}
    for (metric, _, _), names in methods.items():
        made.setdefault(metric, set()).update(n for n in names if 2 * names.count(n) > len(names))
    return made


def interval_notes(
    context: Context, metrics: Sequence[str], found: Sequence[Estimate]
) -> list[Runs]:
    """State the method and level of the intervals of each metric."""
    methods: dict[tuple[str, float, bool], list[str]] = {}
    unsound: dict[str, list[str]] = {}
    main = main_intervals(found)
    for name in metrics:
        metric, of_metric = context.metric(name), [e for e in found if e.metric == name]
        kinds: dict[tuple[str, float, bool], None] = {}
        for e in of_metric:
            if (one := e.interval) is None or not one.has_bounds:
                continue
            key = (one.method, one.level, one.clusters is not None)
            if e.subgroup is None and one.method not in main[name]:
                title = f"{metric.title} of {context.model(e.model)}"
                methods.setdefault(key, []).append(title)
            else:
                kinds[key] = None
        for kind in kinds:
            methods.setdefault(kind, []).append(metric.title)
        none = any(e.no_interval in (NO_WIDTH, NOT_COMPUTED) for e in of_metric)
        if kinds:
            continue
        if metric.no_interval:
            unsound.setdefault(metric.no_interval, []).append(metric.title)
        elif any(e.value is not None for e in of_metric) and not none:
            methods.setdefault(WITHOUT, []).append(metric.title)
    notes = [
        runs(_titles(titles), f": no interval, since {reason}.")
        for reason, titles in unsound.items()
    ]
    for (method, level, grouped), titles in methods.items():
        words = f"{percent(level)} "
        words += mid_sentence(context.interval_title(method, over_groups=grouped))
        if not method:
            spread = any(e.sd is not None for e in found if e.interval is None)
            noun = _noun_of_values(context, found[0].data)
            words = "no interval under this protocol"
            words += f"; SD: standard deviation of the {noun}" if spread else ""
        notes.append(runs(_titles(titles), f": {words}."))
    return notes


VALUES = {
    "fold values": ("in each fold (repeat.fold)", "The folds share training examples"),
    "split values": ("in each split (repeat.split)", "The splits share training examples"),
    "seeds": ("with each seed", "All seeds share the data"),
    "scores": ("score by score", "What the scores share is unknown"),
}
"""By what a model has several values of: where each is from, and why they are not a sample."""


def _noun_of_values(context: Context, data: str) -> str:
    """Return what the values behind a mean are called: folds only where they are known to be."""
    record = context.data(data)
    if record is None or record.kind != "scores":
        return "fold values"
    known = {"folds": "fold values", "splits": "split values", "seeds": "seeds"}
    return known.get(record.unit, "scores")


def _titles(titles: Sequence[str]) -> Runs:
    """List titles at the start of a sentence."""
    first, *rest = titles
    return listed([runs(capitalised(first)), *(runs(mid_sentence(title)) for title in rest)])


def named_notes(context: Context, found: Sequence[Estimate]) -> list[Runs]:
    """Return every note of estimates once, with the models and metrics that it is about."""
    by_note: dict[str, list[Estimate]] = {}
    for estimate in found:
        inner = estimate.interval.notes if estimate.interval is not None else ()
        if estimate.interval is not None and not estimate.interval.has_bounds:
            inner = tuple(f"no interval, {note}" for note in inner)
        for note in dict.fromkeys((*estimate.notes, *inner)):
            by_note.setdefault(note, []).append(estimate)
    return over_groups(context, found) + [
        runs(f"{capitalised(_owners(context, owners, found))}: {note.rstrip('.')}.")
        for note, owners in by_note.items()
    ]


def _owners(context: Context, owners: Sequence[Estimate], found: Sequence[Estimate]) -> str:
    """List metrics with the models of some estimates, which are omitted where they are all."""
    by_metric: dict[str, dict[str, None]] = {}
    for e in owners:
        by_metric.setdefault(context.metric(e.metric).noun, {})[context.model(e.model)] = None
    parts: dict[tuple[str, ...], list[str]] = {}
    for noun, names in by_metric.items():
        parts.setdefault(tuple(names), []).append(noun)
    every = len({estimate.model for estimate in found})
    return "; ".join(
        and_(nouns) + ("" if len(names) == every else f" of {and_(names)}")
        for names, nouns in parts.items()
    )


def over_groups(context: Context, found: Iterable[Estimate]) -> list[Runs]:
    """Report once over how many groups intervals were computed, and their design effects.

    Without groups in the data, what several readings or repeats belong to is an example.
    """
    clusters, whole = [], set()
    for e in found:
        if e.interval is not None and e.interval.has_bounds and e.interval.clusters:
            clusters.append(e.interval.clusters)
            record = context.data(e.data)
            plain = record is not None and record.groups is None
            whole.add(context.cases(e.data) if plain else "groups")
    units = whole.pop() if len(whole) == 1 else "groups"
    return [runs(clusters_words("intervals", units, clusters))] if clusters else []


def _table_across(context: Context, name: str, models: Sequence[str], identifier: str) -> Table:
    metric = context.metric(name)
    settings = [s for s in context.settings if name in context.metrics(s)]
    decimals = max(context.scale(setting, name).decimals for setting in settings)
    scale = Scale(decimals, 2 if metric.percent else 0)
    records = [context.data(setting.data) for setting in settings]
    single = all(r is not None and r.kind == "scores" and r.n == 1 for r in records)
    protocols = len({s.protocol for s in settings})
    names: list[Column | None] = [
        Column(runs(context.model(m)), sortable=True, name=m, wide=True) for m in models
    ]
    every = {s: [context.estimate(s, model, name) for model in models] for s in settings}
    found = [e for row in every.values() for e in row if e is not None]
    intervals: list[Runs] = []
    if any(e.interval is not None for e in found):
        intervals = [runs("The interval of each estimate is in results.json.")]
        intervals += interval_notes(context, [name], found)
    best = None if metric.higher_is_better else "Lower is better."
    caption = f"{metric.heading} of {plural(len(models), 'model')} on "
    caption += count_sets(context, len({s.data for s in settings}))
    caption += f" under {plural(protocols, 'protocol')}." if protocols > 1 else "."
    return lettered(
        table(
            identifier,
            runs(caption),
            [
                left("Data set, protocol" if protocols > 1 else context.set_heading),
                None if single else sortable("n", "n"),
                (_heading(metric), names),
            ],
            [
                row(
                    setting_words(context, setting),
                    None if single else counted(context.n_tested(setting)),
                    *(cell for e in estimates for cell in estimate_cells(e, scale, "")),
                )
                for setting, estimates in every.items()
            ],
            *intervals,
            *flat_notes(context, found),
            best if metric.ideal is None else f"{metric.ideal:g} is the best value.",
        )
    )


def second_column(rows: Sequence[Estimate | None]) -> str:
    """State what is next to the estimates: their interval, else the spread of the folds."""
    levels = {e.interval.level for e in rows if e is not None and e.interval is not None}
    if levels:
        return " / ".join(percent(level) for level in sorted(levels)) + " CI"
    if any(e is not None and e.sd is not None for e in rows):
        return "SD"
    return ""


def estimate_cells(estimate: Estimate | None, scale: Scale, second: str) -> list[Cell]:
    """Return the cells of an estimate: its value, and what the second column holds."""
    if estimate is None:
        return [dash()] * (2 if second else 1)
    made = [number(estimate.value, scale)]
    if second == "SD":
        made.append(number(estimate.sd, scale.more(scale.decimals)))
    elif second:
        flat = estimate.no_interval == NO_WIDTH
        made.append(dash(FLAT) if flat else interval_cell(estimate.interval, scale))
    return made


def flat_notes(context: Context, found: Sequence[Estimate]) -> list[Runs]:
    """Explain the dash of an interval whose bounds coincide, with the metrics and models."""
    flat = [e for e in found if e.no_interval == NO_WIDTH]
    words = (
        ": no interval, because its bounds coincide. No resample, fold or example differed, which "
        "does not show that the value is certain."
    )
    named = capitalised(_owners(context, flat, found)) if flat else ""
    return [runs(Mark(FLAT), named + words)] if flat else []


def _named(metrics: Sequence[MetricWords]) -> Runs:
    """List metrics at the start of a sentence."""
    first, *rest = metrics
    return listed([runs(first.heading), *(runs(metric.noun) for metric in rest)])


def _heading(metric: MetricWords) -> str:
    """Return the heading of the columns of a metric."""
    return metric.heading + (", %" if metric.percent else "")


MOST_SPREADS = 4  # models whose spread over repeats is printed; of more the range is


def _repeat_notes(
    context: Context, setting: Setting, metrics: Sequence[str], found: Sequence[Estimate]
) -> list[Runs]:
    """State how much one example varies between its repeats or readers, by metric."""
    notes: list[Runs] = []
    for name in metrics:
        metric, scale = context.metric(name), context.scale(setting, name)
        spreads: dict[str, float] = {}
        words = ""
        for estimate in found:
            spread = estimate.extra.get("sd_within")
            if estimate.metric == name and isinstance(spread, float):
                spreads[context.model(estimate.model)] = spread
                words = repeats_of(estimate)
        if not spreads:
            continue
        unit = f"{NBSP}points" if metric.percent else ""
        printed = {model: Number(fixed(s, scale), s) for model, s in spreads.items()}
        if len(printed) <= MOST_SPREADS:
            listing = [runs(number, unit, f" for {model}") for model, number in printed.items()]
            shown = listed(listing) if len(listing) > 1 else runs(*printed.values(), unit)
        else:
            low, high = (pick(spreads, key=lambda one: spreads[one]) for pick in (min, max))
            shown = runs(printed[low], f" ({low}) to ", printed[high], unit, f" ({high})")
        cases = context.cases(setting.data)
        lead = f"Within {cases}, the standard deviation of {metric.noun} over the {words} was "
        notes.append(runs(lead, shown, "."))
    return notes


def _notes(
    context: Context, setting: Setting, metrics: Sequence[str], found: Sequence[Estimate]
) -> list[Words]:
    notes: list[Words] = []
    data, cases = context.data(setting.data), context.cases(setting.data)
    if data is not None and data.positive is not None and data.class_counts:
        size, tested = data.class_counts.get(data.positive), context.tested(setting)
        counts = f" ({count(size)} of {count(data.n)})" if size is not None else ""
        if tested is not None and tested.positive is not None and tested.n < data.n:
            counts = f" ({count(tested.positive)} of the {count(tested.n)} tested)"
        notes.append(runs(f"Positive class: {data.positive_label or data.positive}{counts}."))
    if data is not None and data.weight is not None:
        notes.append(
            f"Weighted by {data.weight}: the {cases} carry as much information as "
            f"{count(round(data.effective_n or 0))} equally weighted ones."
        )
    notes += interval_notes(context, metrics, found)
    several_models = len({e.model for e in found}) > 1
    for about in dict.fromkeys(e.about for e in found if e.interval is not None and e.about):
        notes.append(f"The intervals apply to {scope_words(about, several=several_models)}.")
    for n in dict.fromkeys(e.extra["seeds"] for e in found if "seeds" in e.extra):
        notes.append(
            f"Every fit was repeated with {number_word(n)} seeds: estimates are means over seeds, "
            "and seeds are not counted as a sample."
        )
    notes += _repeat_notes(context, setting, metrics, found)
    shown = [context.metric(name) for name in metrics]
    averaged = [metric for metric in shown if context.averaged(setting.data, metric.name)]
    if averaged:
        notes.append(runs(_named(averaged), ": unweighted mean over the classes (macro)."))
    if sum(e.interval is not None for e in found) > 1 and context.results.comparisons:
        below = "; models are compared below" if context.shows("comparisons") else ""
        notes.append(f"The intervals are not adjusted for multiplicity{below}.")
    in_units = [metric for metric in shown if metric.unit == "target"]
    if in_units and data is not None and data.target:
        are = "is" if len(in_units) == 1 else "are"
        notes.append(runs(_named(in_units), f" {are} in units of {data.target}."))
    lower = [metric for metric in shown if metric.ideal is None and not metric.higher_is_better]
    if lower:
        notes.append(runs(_named(lower), ": lower is better."))
    for metric in shown:
        if metric.ideal is not None:
            notes.append(runs(f"{metric.heading}: {metric.ideal:g} is the best value."))
        if metric.matrix_of_classes and data is not None and data.classes:
            order = listed([runs(str(label)) for label in data.classes])
            notes.append(
                runs(
                    "The rows of the matrix are the true classes ", order,
                    ", in this order, and its columns the predicted ones.",
                )
            )  # fmt: skip
        if metric.of_sums:
            notes.append(runs(f"{metric.title}: the ratio of two sums over the {cases}."))
    notes += never_predicted_notes(context, setting)
    return [*notes, *flat_notes(context, found), *named_notes(context, found)]


UNBOUNDED = " Levels are not tested against each other, and nothing is adjusted."
BOUNDED = (
    " Its interval combines those of the two values as if from separate samples, and holds for "
    "all levels of one model and metric at once (Bonferroni); a dash marks a side with fewer "
    "than 30 rows or without a valid interval."
)
MOST_FOLDS = 10  # columns next to a stub
METRICS_PER_SUBGROUP_TABLE = 2  # each with estimate, interval and difference to the rest
PARTS = ("resubstitution", "oob", "gamma", "R", "weight", "standard_error")


def fold_values(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Return the value of every fold of metrics that have no interval, where the folds are few."""
    blocks: list[Block] = []
    for name in context.metrics(setting):
        models = context.models_best_first(setting, name)
        found = [e for m in models if (e := context.estimate(setting, m, name)) is not None]
        folds = found[0].folds if found else ()
        alike = all(len(e.folds) == len(folds) for e in found)
        if any(e.interval for e in found) or not alike or not 1 < len(folds) <= MOST_FOLDS:
            continue
        metric, scale = context.metric(name), context.scale(setting, name)
        heads = [fold.fold_label or f"{fold.repeat + 1}.{fold.fold + 1}" for fold in folds]
        where, reason = VALUES[_noun_of_values(context, setting.data)]
        blocks.append(
            table(
                f"{identifier}-{len(blocks) + 1}",
                runs(f"{_heading(metric)}, {where}."),
                [left("Model"), *(right(head, f"fold {head}") for head in heads)],
                [
                    row(context.model(e.model), *(number(fold.value, scale) for fold in e.folds))
                    for e in found
                ],
                f"{reason}: their spread is not a standard error.",
            )
        )
    return blocks


def subgroups(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Return the estimates within the levels of each column, one table per column."""
    found = [
        e
        for e in context.results.estimates
        if e.subgroup is not None and Setting(e.data, e.protocol) == setting
    ]
    blocks: list[Block] = []
    columns = dict.fromkeys(e.subgroup.column for e in found if e.subgroup is not None)
    for name in columns:
        rows = [e for e in found if e.subgroup is not None and e.subgroup.column == name]
        metrics = list(dict.fromkeys(e.metric for e in rows))
        for start in range(0, len(metrics), METRICS_PER_SUBGROUP_TABLE):
            chosen = metrics[start : start + METRICS_PER_SUBGROUP_TABLE]
            part = [e for e in rows if e.metric in chosen]
            if all(is_too_small(e) for e in part):
                small = {e.subgroup.level: e for e in part if e.subgroup is not None}
                words = runs(f"{name}: ", *_small_levels(small, context.cases(setting.data)))
                blocks.append(Paragraph(words))
                continue
            number = len(blocks) + 1
            whole = len(chosen) == len(metrics)
            blocks.append(
                _subgroup_table(context, setting, name, part, f"{identifier}-{number}", whole=whole)
            )
    return blocks


def _subgroup_table(
    context: Context,
    setting: Setting,
    name: str,
    found: Sequence[Estimate],
    identifier: str,
    *,
    whole: bool,
) -> Table:
    """Return the estimates within the levels of a column; `whole` has all of its metrics."""
    metrics = tuple(dict.fromkeys(e.metric for e in found))
    levels = tuple(dict.fromkeys(e.subgroup.level for e in found if e.subgroup is not None))
    models = tuple(dict.fromkeys(e.model for e in found))
    place = {(e.model, e.subgroup.level, e.metric): e for e in found if e.subgroup is not None}
    unit = context.cases(setting.data)
    columns: list[Column | Over | None] = [
        left(name, name="level"),
        sortable(capitalised(unit), "n"),
    ]
    seconds, bounded = {}, {}
    for one in metrics:
        metric = context.metric(one)
        second = seconds[one] = second_column([e for e in found if e.metric == one])
        to_rest = bounded[one] = _bounded(found, one)
        columns.append((_heading(metric), [
            sortable("Est.", one),
            right(second, f"{one} interval", muted=True) if second else None,
        ]))  # fmt: skip
        columns.append((f"{metric.heading} vs. rest" + (", points" if metric.percent else ""), [
            sortable("Diff.", f"{one} difference"),
            right(to_rest, f"{one} difference interval", muted=True) if to_rest else None,
        ]))  # fmt: skip
    rows = []
    for model in models:
        if len(models) > 1:
            rows.append(heading(context.model(model)))
        for level in levels:
            shown = [place.get((model, level, one)) for one in metrics]
            if all(estimate is None or is_too_small(estimate) for estimate in shown):
                continue
            cells = [Cell(runs(level)), counted(_examples(shown))]
            for one, e in zip(metrics, shown, strict=True):
                scale = context.scale(setting, one)
                cells += estimate_cells(e, scale, seconds[one])
                value = e.extra.get("difference_to_rest") if e is not None else None
                cells.append(number(value, scale, signed=True))
                if bounded[one]:
                    cells.append(interval_cell(None if e is None else e.to_rest, scale, 0.0))
            rows.append(row(*cells))
    small = {e.subgroup.level: e for e in found if e.subgroup is not None and is_too_small(e)}
    found = [e for e in found if not is_too_small(e)]
    where = f" on {setting_words(context, setting)}" if len(context.settings) > 1 else ""
    one_model = f", {context.model(models[0])}" if len(models) == 1 else ""
    what = runs("Performance") if whole else _named([context.metric(m) for m in metrics])
    return lettered(
        table(
            identifier,
            runs(what, f" by {name}{where}{one_model}."),
            columns,
            rows,
            *interval_notes(context, metrics, found),
            *_small_levels(small, unit),
            runs(f"vs. rest: this level minus all other {unit}."
                 + (BOUNDED if any(bounded.values()) else UNBOUNDED)),
            *flat_notes(context, found),
            *_level_notes(context, found),
        )
    )  # fmt: skip


def is_too_small(estimate: Estimate) -> bool:
    """Return whether a level has too few examples to be estimated."""
    return estimate.value is None and estimate.no_interval == FEW_EXAMPLES


def _small_levels(small: Mapping[str, Estimate], unit: str) -> list[Runs]:
    """List the levels that are not estimated, with their examples; of many the first ones."""
    if not small:
        return []
    sizes = [f"{level} ({count(_examples([e]) or 0)})" for level, e in small.items()]
    more = f" and {count(len(sizes) - MOST_SMALL)} more" if len(sizes) > MOST_SMALL else ""
    named = ", ".join(sizes[:MOST_SMALL]) + more
    return [
        runs(
            f"Levels with fewer than {FEWEST} {unit}, or fewer than {FEWEST_OF_A_CLASS} of a class "
            f"that a measure is about, were not estimated ({unit}): {named}."
        )
    ]


def _bounded(found: Sequence[Estimate], metric: str) -> str:
    """State the interval of the differences of a metric to the rest; empty where there is none."""
    levels = {
        e.to_rest.level
        for e in found
        if e.metric == metric and e.to_rest is not None and e.to_rest.low is not None
    }
    return f"{' / '.join(percent(level) for level in sorted(levels))} CI" if levels else ""


def _examples(row: Sequence[Estimate | None]) -> int | None:
    """Return the examples of a level: as stated, else what the first estimate counts."""
    for estimate in row:
        if estimate is not None:
            stated = estimate.extra.get("n_examples")
            return int(stated) if stated is not None else estimate.n
    return None


def _level_notes(context: Context, found: Sequence[Estimate]) -> list[Runs]:
    """Return the notes of each level under its name."""
    by_level: dict[str, list[Estimate]] = {}
    notes = over_groups(context, found)
    for estimate in found:
        if estimate.subgroup is not None and estimate.notes:
            by_level.setdefault(estimate.subgroup.level, []).append(estimate)
    for level, members in by_level.items():
        said = dict.fromkeys(note for estimate in members for note in estimate.notes)
        if all(set(said) <= set(estimate.notes) for estimate in members):
            notes.append(runs(f"{level}: {'; '.join(said)}."))
        else:
            notes += [runs(f"{level}, ", note) for note in named_notes(context, members)]
    return notes


def bootstrap_parts(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Return what bootstrap estimates are made of: apparent and out-of-bag values, their weight."""
    found = [
        estimate
        for name in context.metrics(setting)
        for model in context.models_best_first(setting, name)
        if (estimate := context.estimate(setting, model, name)) is not None
        and estimate.extra.get("oob") is not None
    ]
    if not found:
        return []
    rows: list[Row] = []
    for name in dict.fromkeys(e.metric for e in found):
        metric, scale = context.metric(name), context.scale(setting, name)
        members = [e for e in found if e.metric == name]
        kinds = dict.fromkeys(e.aggregation for e in members)
        unit = ", %" if metric.percent else ""
        rows.append(heading(f"{metric.title}{unit} ({', '.join(kinds)})"))
        for e in members:
            parts = [_part(key, e.extra.get(key), scale) for key in PARTS]
            rows.append(row(context.model(e.model), number(e.value, scale), *parts))
    heads = ("Apparent", "Out of bag", "γ", "R", "Weight", "SE")
    note = (
        "Apparent: the model fitted on, and tested on, all rows. Out of bag: the mean over the "
        "rounds in which a row was not drawn. γ: error without information; R: relative "
        "overfitting; weight: of the out-of-bag error in the estimate. SE: standard error "
        "after Efron and Tibshirani (1997, section 5), less the noise of finitely many rounds "
        "and at least the standard error of the mean out-of-bag error over rows."
    )
    columns = [left("Model"), right("Estimate", "estimate"), *map(right, heads, PARTS)]
    caption = "Parts of the bootstrap estimates."
    return [table(f"{identifier}-1", caption, columns, rows, note)]


def _part(key: str, value: float | None, scale: Scale) -> Cell:
    """Return the cell of a part of a bootstrap estimate."""
    if value is None:
        return dash()
    if key in ("R", "weight") or (key == "gamma" and 0 <= value <= 1):
        return printed(within_one(value), value)
    return number(value, Scale(3) if key == "gamma" else scale.more(scale.decimals))


def _topics(context: Context) -> list[Topic]:
    made = [Topic.METRICS]
    if any(estimate.interval is not None for estimate in context.results.estimates):
        made.append(Topic.INTERVALS)
    return made


@SECTIONS.register(SectionDeclaration(order=20, topics=_topics), title="Estimates")
def estimates(context: Context) -> Sequence[Block]:
    """Return one table, or more for many metrics, and one figure per data set and protocol."""
    blocks: list[Block] = []
    if len({setting.data for setting in context.settings}) > MOST_DATA_APART:
        blocks += tables_across_data(context)
        blocks += figures_as_files(context)
        for number, setting in enumerate(context.settings, start=1):
            blocks += subgroups(context, setting, f"table-subgroups-{number}")
        return blocks
    several = len(context.settings) > 1
    for number, setting in enumerate(context.settings, start=1):
        if several:
            blocks.append(Heading(setting_words(context, setting), f"estimates-{number}"))
        metrics = context.metrics(setting)
        for start in range(0, len(metrics), METRICS_PER_TABLE):
            chosen = metrics[start : start + METRICS_PER_TABLE]
            part = "" if start == 0 else f"-{start // METRICS_PER_TABLE + 1}"
            blocks.append(
                estimates_table(context, setting, chosen, f"table-estimates-{number}{part}")
            )
        blocks += best_of_many(context, setting)
        blocks += figures(context, setting, metrics, number)
        blocks += bootstrap_parts(context, setting, f"table-parts-{number}")
        blocks += fold_values(context, setting, f"table-folds-{number}")
        blocks += subgroups(context, setting, f"table-subgroups-{number}")
    return blocks
