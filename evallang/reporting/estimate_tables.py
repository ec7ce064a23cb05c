"""Tables of estimates: one data set, many data sets, and the levels of a column."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from evallang.reporting.cells import count_cell, dash, interval_cell, number_cell
from evallang.reporting.context import Context, MetricWords, Setting, ordered_union
from evallang.reporting.decisions import margin_of
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Mark,
    Number,
    Paragraph,
    Row,
    Runs,
    Spanner,
    Table,
    listed,
    runs,
)
from evallang.reporting.footnotes import lettered
from evallang.reporting.groups import letters
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
from evallang.reporting.wording import (
    adjusted_words,
    correct_of,
    count_sets,
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

MOST_SMALL = 20  # levels without an estimate that a note lists
METRICS_PER_TABLE = 4  # of 27 mm each, next to a stub, on a page of 170 mm
MODELS_PER_TABLE = 8
FLAT, GROUP = "flat", "group"  # the marks of intervals without width, and of compact letters


def table(context: Context, setting: Setting, metrics: Sequence[str], identifier: str) -> Table:
    """Return the estimates of one setting: a model per row, estimate and interval per metric."""
    models = context.models_best_first(setting, context.metrics(setting)[0])
    first = context.metrics(setting)[0] in metrics
    columns = [Column(runs("Model"), "left", sortable=True)]
    spanners: list[Spanner] = []
    cells: dict[str, list[Cell]] = {model: [Cell(runs(context.model(model)))] for model in models}
    found = {(m, k): context.estimate(setting, m, k) for m in models for k in metrics}
    counted = next((name for name in metrics if context.counts_right(name)), "")
    shares = [found.get((m, counted)) for m in models]
    right = [correct_of(context, e) if e is not None else None for e in shares]
    if any(value is not None for value in right):
        columns.append(Column(runs("Correct"), sortable=True, name="correct"))
        for model, value in zip(models, right, strict=True):
            cells[model].append(count_cell(value))
    own = context.samples(setting.data)
    if own:
        columns.append(Column(runs(capitalised(context.cases(setting.data))), name="examples"))
        for model in models:
            cells[model].append(count_cell(own.get(model)))
    for name in metrics:
        metric = context.metric(name)
        rows = [found[model, name] for model in models]
        start = len(columns)
        second = second_column(rows)
        columns.append(Column(runs("Est."), sortable=True, name=name))
        if second:
            columns.append(Column(runs(second), muted=True, name=f"{name} {second}"))
        seeds = any(e is not None and "sd_over_seeds" in e.extra for e in rows)
        if seeds:
            columns.append(Column(runs("SD, seeds"), muted=True, name=f"{name} SD over seeds"))
        spanners.append(Spanner(runs(_heading(metric)), start, len(columns) - 1))
        scale = context.scale(setting, name)
        for model, row in zip(models, rows, strict=True):
            cells[model] += estimate_cells(row, scale, second)
            cells[model] += [_seed_spread_cell(row, scale)] if seeds else []
    notes = _notes(context, setting, metrics, [e for e in found.values() if e is not None])
    comparison = grouping(context, setting) if first else None
    if comparison is not None:
        columns.append(Column(runs("Group", Mark(GROUP)), "center", name="group"))
        marks = letters(models, comparison)
        for model in models:
            cells[model].append(Cell(runs(marks.get(model, ""))))
        words = adjusted_words(comparison) or "unadjusted "
        several = len(context.metrics(setting)) > 1
        noun = f" in {context.metric(comparison.metric).noun}" if several else ""
        notes += (
            runs(
                Mark(GROUP),
                f"Models that share a letter were not shown to differ{noun} at a {words}",
                p_letter(context),
                f" of {level_of_alpha(comparison.alpha, context.style)}.",
            ),
        )
    size = context.tested_words(setting)
    where = f" on {size}" if size else ""
    what = "performance"
    if len(context.metrics(setting)) > len(metrics):
        what = _and([context.metric(name).noun for name in metrics])
    caption = f"{capitalised(what)} of {plural(len(models), 'model')}{where}"
    if len(context.settings) > 1:
        caption += f" ({setting_words(context, setting)})"
    rows_ = tuple(Row(tuple(cells[model])) for model in models)
    made = lettered(
        Table(identifier, runs(caption + "."), tuple(columns), rows_, tuple(spanners), notes)
    )
    if not first:
        return made
    return replace(
        made, narrow=narrow_estimates(context, setting, _compared(context, setting), made)
    )


def _compared(context: Context, setting: Setting) -> Comparison | None:
    """Find the first two-sided comparison for a difference by the first measure of a setting."""
    for comparison in context.results.comparisons:
        place = Setting(comparison.data or "", comparison.protocol)
        own = comparison.metric == context.metrics(setting)[0] and place == setting
        other = any(margin_of(p) is not None or p.side is not None for p in comparison.pairwise)
        if own and comparison.performed and not comparison.family.exploratory and not other:
            return comparison
    return None


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
    for comparison in context.results.comparisons:
        place = Setting(comparison.data or "", comparison.protocol)
        if place != setting:
            continue
        if comparison.metric != context.metrics(setting)[0] or comparison.family.exploratory:
            continue
        if letters(context.models_best_first(setting, comparison.metric), comparison):
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
        of_metric = [e for e in found if e.metric == name]
        odd = [
            e
            for e in of_metric
            if e.interval is not None
            and e.interval.has_bounds
            and e.subgroup is None
            and e.interval.method not in main[name]
        ]
        for e in odd:
            if (one := e.interval) is not None:
                title = f"{context.metric(name).title} of {context.model(e.model)}"
                key = (one.method, one.level, one.clusters is not None)
                methods.setdefault(key, []).append(title)
        of_metric = [e for e in of_metric if e not in odd]
        kinds = {
            (e.interval.method, e.interval.level, e.interval.clusters is not None): None
            for e in of_metric
            if e.interval is not None and e.interval.has_bounds
        }
        for kind in kinds:
            methods.setdefault(kind, []).append(context.metric(name).title)
        named = context.metric(name)
        if not kinds and named.no_interval:
            unsound.setdefault(named.no_interval, []).append(named.title)
        elif (
            not kinds
            and any(e.value is not None for e in of_metric)
            and not any(e.no_interval in (NO_WIDTH, NOT_COMPUTED) for e in of_metric)
        ):
            methods.setdefault(("", 0.0, False), []).append(named.title)
    notes = [
        runs(_titles(titles), f": no interval, since {reason}.")
        for reason, titles in unsound.items()
    ]
    for (method, level, grouped), titles in methods.items():
        names = _titles(titles)
        if not method:
            spread = any(e.sd is not None for e in found if e.interval is None)
            noun = _noun_of_values(context, found[0].data)
            words = f"; SD: standard deviation of the {noun}" if spread else ""
            notes.append(runs(names, f": no interval under this protocol{words}."))
            continue
        words = context.interval_title(method, over_groups=grouped)
        notes.append(runs(names, f": {percent(level)} {mid_sentence(words)}."))
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
    record = next((d for d in context.results.data if d.name == data), None)
    if record is None or record.kind != "scores" or record.unit == "folds":
        return "fold values"
    if record.unit == "splits":
        return "split values"
    return "seeds" if record.unit == "seeds" else "scores"


def _titles(titles: Sequence[str]) -> Runs:
    """List titles at the start of a sentence."""
    first, *rest = titles
    return listed([runs(capitalised(first)), *(runs(mid_sentence(title)) for title in rest)])


def named_notes(context: Context, found: Sequence[Estimate]) -> list[Runs]:
    """Return every note of estimates once, with the models and metrics that it is about."""
    by_note: dict[str, dict[str, list[str]]] = {}
    for estimate in found:
        inner = estimate.interval.notes if estimate.interval is not None else ()
        if estimate.interval is not None and not estimate.interval.has_bounds:
            inner = tuple(f"no interval, {note}" for note in inner)
        for note in dict.fromkeys((*estimate.notes, *inner)):
            owners = by_note.setdefault(note, {})
            owners.setdefault(context.metric(estimate.metric).noun, []).append(
                context.model(estimate.model)
            )
    models = len({estimate.model for estimate in found})
    notes = over_groups(context, found)
    for note, owners in by_note.items():
        parts: dict[tuple[str, ...], list[str]] = {}
        for noun, names in owners.items():
            parts.setdefault(tuple(dict.fromkeys(names)), []).append(noun)
        words = "; ".join(
            f"{_and(nouns)}{'' if len(names) == models else f' of {_and(names)}'}"
            for names, nouns in parts.items()
        )
        notes.append(runs(f"{capitalised(words)}: {note.rstrip('.')}."))
    return notes


def _and(words: Sequence[str]) -> str:
    """Join words as a sentence lists them: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


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
    if not clusters:
        return []
    sizes = sorted({one.n for one in clusters})
    effects = sorted({one.design_effect for one in clusters if one.design_effect is not None})
    units = whole.pop() if len(whole) == 1 else "groups"
    noun = "group" if sizes == [1] and units == "groups" else units
    words = f"Whole {units} are the units of the intervals: {_span(map(count, sizes))} {noun}"
    if effects:
        words += f", design effect {_span(fixed(value, Scale(2)) for value in effects)}"
    return [runs(words + ".")]


def _span(texts: Iterable[str]) -> str:
    found = list(dict.fromkeys(texts))
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def _table_across(context: Context, name: str, models: Sequence[str], identifier: str) -> Table:
    metric = context.metric(name)
    settings = [s for s in context.settings if name in context.metrics(s)]
    scale = Scale(
        max(context.scale(setting, name).decimals for setting in settings),
        2 if metric.percent else 0,
    )
    records = [context.data(setting.data) for setting in settings]
    single = all(r is not None and r.kind == "scores" and r.n == 1 for r in records)
    several = len({s.protocol for s in settings}) > 1
    columns = [Column(runs("Data set, protocol" if several else context.set_heading), "left")]
    columns += [] if single else [Column(runs("n"), sortable=True, name="n")]
    before = len(columns)
    columns += [Column(runs(context.model(m)), sortable=True, name=m, wide=True) for m in models]
    rows, found = [], []
    for setting in settings:
        cells = [Cell(runs(setting_words(context, setting)))]
        cells += [] if single else [count_cell(context.n_tested(setting))]
        for model in models:
            estimate = context.estimate(setting, model, name)
            cells += estimate_cells(estimate, scale, "")
            found += [estimate] if estimate is not None else []
        rows.append(Row(tuple(cells)))
    spanners = (Spanner(runs(_heading(metric)), before, len(columns) - 1),)
    notes: list[Runs] = []
    if any(e.interval is not None for e in found):
        notes.append(runs("The interval of each estimate is in results.json."))
        notes += interval_notes(context, [name], found)
    notes += flat_notes(context, found)
    if metric.ideal is not None:
        notes.append(runs(f"{metric.ideal:g} is the best value."))
    elif not metric.higher_is_better:
        notes.append(runs("Lower is better."))
    caption = f"{metric.heading} of {plural(len(models), 'model')} on "
    sets = len({s.data for s in settings})
    caption += count_sets(context, sets)
    protocols = len({s.protocol for s in settings})
    caption += f" under {plural(protocols, 'protocol')}." if protocols > 1 else "."
    made = Table(identifier, runs(caption), tuple(columns), tuple(rows), spanners, tuple(notes))
    return lettered(made)


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
    value = Number(fixed(estimate.value, scale), estimate.value)
    made = [Cell(runs(value), estimate.value)]
    if second == "SD":
        more = scale.more(scale.decimals)
        made.append(Cell(runs(Number(fixed(estimate.sd, more), estimate.sd)), estimate.sd))
    elif second:
        flat = estimate.no_interval == NO_WIDTH
        made.append(dash(FLAT) if flat else interval_cell(estimate.interval, scale))
    return made


def flat_notes(context: Context, found: Sequence[Estimate]) -> list[Runs]:
    """Explain the dash of an interval whose bounds coincide, with the metrics and models."""
    flat = [e for e in found if e.no_interval == NO_WIDTH]
    if not flat:
        return []
    models = {e.model for e in found}
    owners: dict[str, list[str]] = {}
    for e in flat:
        owners.setdefault(context.metric(e.metric).noun, []).append(context.model(e.model))
    named = "; ".join(
        noun + ("" if len(set(names)) == len(models) else f" of {_and(list(dict.fromkeys(names)))}")
        for noun, names in owners.items()
    )
    return [
        runs(
            Mark(FLAT),
            f"{capitalised(named)}: no interval, because its bounds coincide. No resample, fold or "
            "example differed, which does not show that the value is certain.",
        )
    ]


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


def _seed_spread_cell(estimate: Estimate | None, scale: Scale) -> Cell:
    """Return the spread of an estimate over the seeds of its fits."""
    spread = estimate.extra.get("sd_over_seeds") if estimate is not None else None
    if not isinstance(spread, float):
        return dash()
    return Cell(runs(Number(fixed(spread, scale.more(scale.decimals)), spread)), spread)


def _notes(
    context: Context, setting: Setting, metrics: Sequence[str], found: Sequence[Estimate]
) -> tuple[Runs, ...]:
    notes: list[Runs] = []
    data = context.data(setting.data)
    if data is not None and data.positive is not None and data.class_counts:
        name = data.positive_label or data.positive
        size = data.class_counts.get(data.positive)
        counted = f" ({count(size)} of {count(data.n)})" if size is not None else ""
        tested = context.tested(setting)
        if tested is not None and tested.positive is not None and tested.n < data.n:
            counted = f" ({count(tested.positive)} of the {count(tested.n)} tested)"
        notes.append(runs(f"Positive class: {name}{counted}."))
    if data is not None and data.weight is not None:
        worth = count(round(data.effective_n or 0))
        notes.append(
            runs(
                f"Weighted by {data.weight}: the {context.cases(setting.data)} carry as much "
                f"information as {worth} equally weighted ones."
            )
        )
    notes += interval_notes(context, metrics, found)
    abouts = dict.fromkeys(e.about for e in found if e.interval is not None and e.about)
    several_models = len({e.model for e in found}) > 1
    for about in abouts:
        words = scope_words(about, several=several_models)
        notes.append(runs(f"The intervals apply to {words}."))
    several = dict.fromkeys(e.extra["seeds"] for e in found if "seeds" in e.extra)
    for number in several:
        notes.append(
            runs(
                f"Every fit was repeated with {number} seeds: estimates are means over seeds, and "
                "seeds are not counted as a sample."
            )
        )
    notes += _repeat_notes(context, setting, metrics, found)
    averaged = [name for name in metrics if context.averaged(setting.data, name)]
    if averaged:
        names = _named([context.metric(name) for name in averaged])
        notes.append(runs(names, ": unweighted mean over the classes (macro)."))
    if sum(e.interval is not None for e in found) > 1 and context.results.comparisons:
        below = "; models are compared below" if context.shows("comparisons") else ""
        notes.append(runs(f"The intervals are not adjusted for multiplicity{below}."))
    shown = [context.metric(name) for name in metrics]
    in_units = [metric for metric in shown if metric.unit == "target"]
    target = data.target if data is not None else None
    if in_units and target:
        are = "is" if len(in_units) == 1 else "are"
        notes.append(runs(_named(in_units), f" {are} in units of {target}."))
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
            cases = context.cases(setting.data)
            notes.append(runs(f"{metric.title}: the ratio of two sums over the {cases}."))
    notes += never_predicted_notes(context, setting)
    notes += flat_notes(context, found)
    notes += named_notes(context, found)
    return tuple(notes)


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
        columns = [Column(runs("Model"), "left")]
        columns += [Column(runs(head), name=f"fold {head}") for head in heads]
        rows = [
            Row(
                (
                    Cell(runs(context.model(e.model))),
                    *(number_cell(fixed(fold.value, scale), fold.value) for fold in e.folds),
                )
            )
            for e in found
        ]
        unit = ", %" if metric.percent else ""
        noun = _noun_of_values(context, setting.data)
        where, reason = VALUES[noun]
        caption = runs(f"{metric.heading}{unit}, {where}.")
        note = runs(f"{reason}: their spread is not a standard error.")
        blocks.append(
            Table(f"{identifier}-{len(blocks) + 1}", caption, tuple(columns), tuple(rows),
                  notes=(note,))
        )  # fmt: skip
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
    columns = [
        Column(runs(name), "left", name="level"),
        Column(runs(capitalised(unit)), sortable=True, name="n"),
    ]
    spanners = []
    seconds = {}
    bounded: dict[str, str] = {}
    for metric_name in metrics:
        metric = context.metric(metric_name)
        start = len(columns)
        seconds[metric_name] = second_column([e for e in found if e.metric == metric_name])
        columns.append(Column(runs("Est."), sortable=True, name=metric_name))
        if seconds[metric_name]:
            head = runs(seconds[metric_name])
            columns.append(Column(head, muted=True, name=f"{metric_name} interval"))
        spanners.append(Spanner(runs(_heading(metric)), start, len(columns) - 1))
        start = len(columns)
        columns.append(Column(runs("Diff."), sortable=True, name=f"{metric_name} difference"))
        bounded[metric_name] = _bounded(found, metric_name)
        if bounded[metric_name]:
            columns.append(
                Column(
                    runs(bounded[metric_name]),
                    muted=True,
                    name=f"{metric_name} difference interval",
                )
            )
        head_ = f"{metric.heading} vs. rest" + (", points" if metric.percent else "")
        spanners.append(Spanner(runs(head_), start, len(columns) - 1))
    rows = []
    for model in models:
        if len(models) > 1:
            rows.append(Row((Cell(runs(context.model(model))),), group=True))
        for level in levels:
            row = [place.get((model, level, metric_name)) for metric_name in metrics]
            if all(estimate is None or is_too_small(estimate) for estimate in row):
                continue
            cells = [Cell(runs(level)), count_cell(_examples(row))]
            for metric_name, estimate in zip(metrics, row, strict=True):
                scale = context.scale(setting, metric_name)
                cells += estimate_cells(estimate, scale, seconds[metric_name])
                cells.append(_difference(estimate, scale))
                if bounded[metric_name]:
                    to_rest = estimate.to_rest if estimate is not None else None
                    cells.append(interval_cell(to_rest, scale, null=0.0))
            rows.append(Row(tuple(cells)))
    small = {e.subgroup.level: e for e in found if e.subgroup is not None and is_too_small(e)}
    found = [e for e in found if not is_too_small(e)]
    notes = [
        *interval_notes(context, metrics, found),
        *_small_levels(small, unit),
        runs(f"vs. rest: this level minus all other {unit}."
             + (BOUNDED if any(bounded.values()) else UNBOUNDED)),
        *flat_notes(context, found),
        *_level_notes(context, found),
    ]  # fmt: skip
    where = f" on {setting_words(context, setting)}" if len(context.settings) > 1 else ""
    one = f", {context.model(models[0])}" if len(models) == 1 else ""
    what = runs("Performance") if whole else _named([context.metric(m) for m in metrics])
    caption = runs(what, f" by {name}{where}{one}.")
    return lettered(
        Table(identifier, caption, tuple(columns), tuple(rows), tuple(spanners), tuple(notes))
    )


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


def _difference(estimate: Estimate | None, scale: Scale) -> Cell:
    value = estimate.extra.get("difference_to_rest") if estimate is not None else None
    if value is None:
        return dash()
    return number_cell(fixed(value, scale, signed=True), value)


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
        rows.append(Row((Cell(runs(f"{metric.title}{unit} ({', '.join(kinds)})")),), group=True))
        rows += [_parts_row(context, e, scale) for e in members]
    columns = (
        Column(runs("Model"), "left"),
        Column(runs("Estimate"), name="estimate"),
        Column(runs("Apparent"), name="resubstitution"),
        Column(runs("Out of bag"), name="oob"),
        Column(runs("γ"), name="gamma"),
        Column(runs("R"), name="R"),
        Column(runs("Weight"), name="weight"),
        Column(runs("SE"), name="standard_error"),
    )
    notes = (
        runs(
            "Apparent: the model fitted on, and tested on, all rows. Out of bag: the mean over the "
            "rounds in which a row was not drawn. γ: error without information; R: relative "
            "overfitting; weight: of the out-of-bag error in the estimate. SE: standard error "
            "after Efron and Tibshirani (1997, section 5), less the noise of finitely many rounds "
            "and at least the standard error of the mean out-of-bag error over rows."
        ),
    )
    caption = runs("Parts of the bootstrap estimates.")
    return [Table(f"{identifier}-1", caption, columns, tuple(rows), notes=notes)]


def _parts_row(context: Context, estimate: Estimate, scale: Scale) -> Row:
    shown = [number_cell(fixed(estimate.value, scale), estimate.value)]
    for key in PARTS:
        value = estimate.extra.get(key)
        if value is None:
            shown.append(dash())
        elif key in ("R", "weight") or (key == "gamma" and 0 <= value <= 1):
            shown.append(number_cell(within_one(value), value))
        elif key == "gamma":
            shown.append(number_cell(fixed(value, Scale(3)), value))
        else:
            shown.append(number_cell(fixed(value, scale.more(scale.decimals)), value))
    return Row((Cell(runs(context.model(estimate.model))), *shown))
