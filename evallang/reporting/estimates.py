"""Estimates: every metric of every model, on one data set or many, and by levels of a column."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import inf
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting.context import Context, MetricWords, Setting
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
    further,
    runs,
)
from evallang.reporting.estimate_figures import (
    figures,
    figures_of_data_sets,
    is_ranked,
    levels_drawn,
)
from evallang.reporting.letter_case import capitalised
from evallang.reporting.narrow_tables import narrow_estimates
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    bounded as within_one,
    count,
    fixed,
    percent,
)
from evallang.reporting.searches import best_of_many
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.sentences import notes, write
from evallang.reporting.tables import (
    Over,
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
    and_,
    clusters_words,
    correct_of,
    lacks_repeats,
    of_cases,
    repeats_of,
)
from evallang.results.records import (
    FEW_EXAMPLES,
    FEWEST,
    FEWEST_OF_A_CLASS,
    NO_WIDTH,
    NOT_COMPUTED,
    Comparison,
    Estimate,
    Ranks,
)

METRICS_PER_TABLE = 4  # of 27 mm each, next to a stub, on a page of 170 mm
MODELS_PER_TABLE, ENDS = 8, 4  # models next to each other; of more, the best and worst so many
MOST_ROWS = 30  # data sets in a table with averages
TOPIC = "estimates"
FLAT, GROUP = "flat", "group"  # the marks of intervals without width, and of compact letters


def estimates_table(
    context: Context, setting: Setting, metrics: Sequence[str], identifier: str
) -> Table:
    """Return the estimates of one setting: a model per row, estimate and interval per metric."""
    every = context.metrics(setting)
    primary = every[0]
    models = context.models_best_first(setting, primary)
    found = {(m, k): context.estimate(setting, m, k) for m in models for k in metrics}
    columns: list[Column | Over | None] = [
        Column(runs(capitalised(context.subject(setting.data))), "left", sortable=True)
    ]
    cells: dict[str, list[Cell]] = {model: [Cell(runs(context.model(model)))] for model in models}
    counts = metrics[0] if context.counts_right(metrics[0]) else ""  # next to its share
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
        alone = len(metrics) == 1  # one row of heads is enough
        of_metric = [
            sortable(_heading(context.metric(name)) if alone else "Est.", name),
            right(second, f"{name} {second}", muted=True) if second else None,
            right("SD, seeds", f"{name} SD over seeds", muted=True) if seeds else None,
        ]
        columns += of_metric if alone else [(_heading(context.metric(name)), of_metric)]
        for model, one in zip(models, rows, strict=True):
            cells[model] += estimate_cells(one, scale, second)
            spread = one.extra.get("sd_over_seeds") if one is not None else None
            cells[model] += [number(spread, scale.more(scale.decimals))] if seeds else []
    comparison = grouping(context, setting) if primary in metrics else None
    if comparison is not None:
        columns.append(Column(runs("Group", Mark(GROUP)), "center", name="group"))
        marks = letters(models, comparison)
        for model in models:
            cells[model].append(Cell(runs(marks.get(model, ""))))
    nouns = [context.metric(name).noun for name in metrics] if len(every) > len(metrics) else []
    size = context.tested_words(setting, metrics)
    caption = write(
        context, TOPIC, "caption", setting=setting, models=len(models), nouns=nouns, size=size
    )
    known = [e for e in found.values() if e is not None]
    made = table(
        identifier,
        caption,
        columns,
        [Row(tuple(cells[model])) for model in models],
        *_notes(context, setting, metrics, known, comparison),
    )
    if primary not in metrics:
        return lettered(made)
    compared = next(filter(_is_two_sided, context.comparisons_of(setting, primary)), None)
    of_primary = [e for e in known if e.metric == primary]
    notes_of_it = tuple(_notes(context, setting, [primary], of_primary, None))
    narrow = narrow_estimates(context, setting, compared, replace(made, notes=notes_of_it))
    return replace(lettered(made), narrow=lettered(narrow))


def _is_two_sided(comparison: Comparison) -> bool:
    """Return whether a comparison was performed, two-sided and for a difference."""
    other = any(margin_of(p) is not None or p.side is not None for p in comparison.pairwise)
    return comparison.performed and not comparison.family.exploratory and not other


def _ranks_across(context: Context, name: str) -> Ranks | None:
    """Find the ranks of the models by a metric over the data sets, where a line compares by it."""
    found = (c.ranks for c in context.results.comparisons if c.data is None and c.metric == name)
    return next((ranks for ranks in found if ranks is not None), None)


def _best_first_across(context: Context, name: str, ranks: Ranks | None) -> list[str]:
    """Return models by their averages, else by their average ranks, else by their means."""
    models = [model.name for model in context.results.models]
    found = [e for e in context.results.estimates if e.metric == name and e.subgroup is None]
    averages = [e for e in found if e.averaged]
    if ranks is not None and not averages:
        return sorted(models, key=lambda model: ranks.average.get(model, inf))
    metric = context.metric(name)
    far: dict[str, list[float]] = {model: [] for model in models}
    for e in averages or found:
        if e.model in far and e.value is not None:
            far[e.model].append(metric.distance_from_best(e.value))
    return sorted(models, key=lambda model: fmean(far[model]) if far[model] else inf)


def grouping(context: Context, setting: Setting) -> Comparison | None:
    """Find the comparison whose decisions group the models of a setting: all pairs, decided."""
    primary = context.metrics(setting)[0]
    ordered = context.models_best_first(setting, primary)
    found = context.comparisons_of(setting, primary)
    return next((comparison for comparison in found if letters(ordered, comparison)), None)


def main_intervals(found: Sequence[Estimate]) -> dict[str, set[str]]:
    """Return the methods of the intervals of each metric that most models of a setting have.

    Where nothing varies, the interval of one model may be of another method than the rest.
    """
    methods: dict[tuple[str, str | None, str | None], list[str]] = {}
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
                title = f"{metric.brief} of {context.model(e.model)}"
                methods.setdefault(key, []).append(title)
            else:
                kinds[key] = None
        for kind in kinds:
            methods.setdefault(kind, []).append(metric.brief)
        none = any(e.no_interval in (NO_WIDTH, NOT_COMPUTED) for e in of_metric)
        if any(e.interval is not None and e.interval.has_bounds for e in of_metric):
            continue
        if metric.no_interval:
            unsound.setdefault(metric.no_interval, []).append(metric.brief)
        elif any(e.value is not None for e in of_metric) and not none:
            methods.setdefault(("", 0.0, False), []).append(metric.brief)
    spread = any(e.sd is not None for e in found if e.interval is None)
    return notes(
        context,
        TOPIC,
        "intervals",
        unsound=unsound,
        methods=methods,
        spread_of=_values_of(context, found[0].data) if spread else "",
    )


KNOWN_VALUES = frozenset({"folds", "splits", "seeds"})
"""The units of a table of scores that say what its values have in common."""


def _values_of(context: Context, data: str | None) -> str:
    """Return what the values behind a mean are of: folds only where they are known to be."""
    record = context.data(data)
    if record is None or record.kind != "scores":
        return "networks" if context.networks(data) else "folds"
    return record.unit if record.unit in KNOWN_VALUES else "scores"


def named_notes(context: Context, found: Sequence[Estimate], level: str = "") -> list[Runs]:
    """Return every note of estimates once, with the level, models and metrics it is about."""
    by_note: dict[str, list[Estimate]] = {}
    for estimate in found:
        own, inner = estimate.notes, () if estimate.interval is None else estimate.interval.notes
        if estimate.interval is not None and not estimate.interval.has_bounds:
            own = tuple(note for note in own if note not in inner)
            inner = tuple(f"no interval, {note}" for note in inner)
        for note in dict.fromkeys((*own, *inner)):
            by_note.setdefault(of_cases(context, note, estimate.data), []).append(estimate)
    ordered = sorted(by_note.items(), key=lambda item: -len(item[1]))
    named = [(_owners(context, owners, found), note) for note, owners in ordered]
    return [
        runs(f"{f'{level}, {names}' if level else capitalised(names)}: {note.rstrip('.')}.")
        for names, note in named
    ]


def _owners(context: Context, owners: Sequence[Estimate], found: Sequence[Estimate]) -> str:
    """List metrics with the models of some estimates, which are omitted where they are all."""
    by_metric: dict[str, dict[str, None]] = {}
    for e in owners:
        by_metric.setdefault(context.metric(e.metric).brief, {})[context.model(e.model)] = None
    parts: dict[tuple[str, ...], list[str]] = {}
    for noun, names in by_metric.items():
        parts.setdefault(tuple(names), []).append(noun)
    every = len({estimate.model for estimate in found})
    return ", and ".join(
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
            whole.add(context.cases(e.data) if plain else context.groups(e.data))
    units = whole.pop() if len(whole) == 1 else "groups"
    return [runs(clusters_words("intervals", units, clusters))] if clusters else []


def _table_across(
    context: Context, name: str, models: Sequence[str], ranks: Ranks | None, identifier: str
) -> Table:
    """Return the estimates of one metric; the last row has the average ranks (Demšar 2006).

    The form for programs has rows of data sets alone.
    """
    metric = context.metric(name)
    settings = [s for s in context.of_data if name in context.metrics(s)]
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
        intervals = interval_notes(context, [name], found)
    caption = write(
        context,
        TOPIC,
        "caption_across",
        heading=metric.heading + metric.sign,
        models=len(models),
        data_sets=len({s.data for s in settings}),
        protocols=protocols,
    )
    made = lettered(
        table(
            identifier,
            caption,
            [
                left("Data set, protocol" if protocols > 1 else context.set_heading),
                None if single else sortable("n", "n"),
                *names,
            ],
            [
                row(
                    context.setting_words(setting),
                    None if single else counted(context.n_tested(setting)),
                    *(cell for e in estimates for cell in estimate_cells(e, scale, "")),
                )
                for setting, estimates in every.items()
            ],
            *notes(
                context,
                TOPIC,
                "notes_across",
                metric=metric,
                intervals=intervals,
                rest=flat_notes(context, found),
                ranked=[model for model in models if ranks and model in ranks.average],
                models=models,
            ),
        )
    )
    if ranks is None:
        return made
    places = [number(ranks.average.get(model), Scale(2)) for model in models]
    last = row("Average rank", None if single else "", *places)
    return replace(made, rows=(*made.rows, last), one_number_a_column=made)


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
    owners = capitalised(_owners(context, flat, found), context.own_names)
    return [write(context, TOPIC, "no_width", owners=owners)] if flat else []


def _heading(metric: MetricWords) -> str:
    """Return the heading of the columns of a metric."""
    return metric.head + (", %" if metric.percent else "")


ERRORS_BY_REPEATS = (
    "standard_error_of_one_repeat",
    "standard_error",
    "standard_error_of_any_repeats",
)


class _Repeats(Struct, frozen=True):
    """How much one example varies in a metric over its repeats or readers, by models.

    `errors` are standard errors with one repeat, with those at hand, and with any number.
    """

    noun: str
    repeats: str
    unequal: bool
    n: int
    spreads: Mapping[str, Runs]
    least: tuple[str, Runs]
    most: tuple[str, Runs, float]
    errors: Mapping[str, Sequence[Runs]]


def _over_repeats(
    context: Context, setting: Setting, name: str, found: Sequence[Estimate]
) -> _Repeats | None:
    metric, scale = context.metric(name), context.scale(setting, name)
    known = [e for e in found if e.metric == name and isinstance(e.extra.get("sd_within"), float)]
    if not known:
        return None
    points = f"{NBSP}points" if metric.percent else ""
    values = {context.model(e.model): e.extra["sd_within"] for e in known}

    def printed(value: float, unit: str = points) -> Runs:
        return runs(Number(fixed(value, scale), value), unit)

    spreads = {model: printed(value) for model, value in values.items()}
    least, most = (pick(values, key=values.__getitem__) for pick in (min, max))
    errors = {
        context.model(e.model): [
            *(printed(e.extra[name], "") for name in ERRORS_BY_REPEATS[:-1]),
            printed(e.extra[ERRORS_BY_REPEATS[-1]]),
        ]
        for e in known
        if e.extra["sd_within"] and ERRORS_BY_REPEATS[0] in e.extra
    }
    return _Repeats(
        metric.brief,
        repeats_of(known[-1]),
        any(map(lacks_repeats, known)),
        max(int(e.extra.get("n_repeats", 1)) for e in known),
        spreads,
        (least, spreads[least]),
        (most, spreads[most], values[most]),
        errors,
    )


def _notes(
    context: Context,
    setting: Setting,
    metrics: Sequence[str],
    found: Sequence[Estimate],
    grouped_by: Comparison | None,
) -> list[Runs]:
    rest = flat_notes(context, found) + over_groups(context, found) + named_notes(context, found)
    rest += [note for name in metrics if (note := first_place(context, setting, name))]
    if grouped_by is not None:
        several = len(context.metrics(setting)) > 1
        noun = context.metric(grouped_by.metric).brief if several else ""
        rest.append(write(context, TOPIC, "letters", comparison=grouped_by, noun=noun))
    over_repeats = (_over_repeats(context, setting, name, found) for name in metrics)
    shown = [context.metric(name) for name in metrics]
    return notes(
        context,
        TOPIC,
        "notes",
        setting=setting,
        data=context.data(setting.data),
        tested=context.tested(setting, metrics),
        fewer=_on_fewer_rows(context, setting, metrics),
        metrics=shown,
        averaged=[one.brief for one in shown if context.averaged(setting.data, one.name)],
        intervals=interval_notes(context, metrics, found),
        abouts=list(dict.fromkeys(e.about for e in found if e.interval is not None and e.about)),
        several_models=len({e.model for e in found}) > 1,
        seeds=list(dict.fromkeys(e.extra["seeds"] for e in found if "seeds" in e.extra)),
        repeats=[one for one in over_repeats if one is not None],
        compared=sum(e.interval is not None for e in found) > 1
        and bool(context.results.comparisons)
        and (setting, metrics[0]) == (context.settings[0], context.metrics(setting)[0]),  # once
        rest=rest,
    )


def _on_fewer_rows(
    context: Context, setting: Setting, metrics: Sequence[str]
) -> list[tuple[int, list[str]]]:
    """Return the metrics that are of fewer rows than another, such as those with a label."""
    sizes = {name: context.n_tested(setting, (name,)) or 0 for name in metrics}
    most = max(sizes.values(), default=0)
    return [
        (n, [context.metric(name).brief for name in metrics if sizes[name] == n])
        for n in sorted({*sizes.values()} - {most, 0})
    ]


def first_place(context: Context, setting: Setting, name: str) -> Runs:
    """State how much the answer that is shown first is favoured, where that was estimated."""
    known = [e for e in context.estimates(setting, name) if "first_place" in e.extra]
    if not known:
        return ()
    ends = ("first_place", "first_place_low", "first_place_high")
    points = [float(str(known[0].extra[end])) for end in ends]
    texts = [Number(fixed(v, Scale(0)), v) for v in points]
    level = context.results.study.confidence
    return write(context, TOPIC, "first_place", texts=texts, level=level)


MOST_FOLDS = 10  # columns next to a stub
METRICS_PER_SUBGROUP_TABLE = 2  # each with estimate, interval and difference to the rest
PARTS = ("resubstitution", "oob", "gamma", "R", "weight", "standard_error")


def fold_values(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Return the value of every fold of metrics that have no interval, where the folds are few."""
    blocks: list[Block] = []
    for name in context.metrics(setting):
        found = context.estimates(setting, name)
        folds = found[0].folds if found else ()
        alike = all(len(e.folds) == len(folds) for e in found)
        if any(e.interval for e in found) or not alike or not 1 < len(folds) <= MOST_FOLDS:
            continue
        metric, scale = context.metric(name), context.scale(setting, name)
        repeated = len({fold.repeat for fold in folds}) > 1
        numbers = [f"{f.repeat + 1}.{f.fold + 1}" if repeated else f"{f.fold + 1}" for f in folds]
        heads = [fold.fold_label or name for fold, name in zip(folds, numbers, strict=True)]
        say = partial(write, context, TOPIC, values_of=_values_of(context, setting.data))
        blocks.append(
            table(
                f"{identifier}-{len(blocks) + 1}",
                say(
                    "caption_of_folds",
                    heading=metric.heading + metric.sign,
                    repeated=repeated and heads == numbers,
                ),
                [left("Model"), *(right(head, f"fold {head}") for head in heads)],
                [
                    row(context.model(e.model), *(number(fold.value, scale) for fold in e.folds))
                    for e in found
                ],
                say("note_of_folds"),
            )
        )
    return blocks


def subgroups(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Return the estimates within the levels of each column, those of the first metrics apart.

    The tables of its other metrics are in the supplement.
    """
    found = [
        e
        for e in context.results.estimates
        if e.subgroup is not None and Setting(e.data, e.protocol) == setting
    ]
    order = context.models_best_first(setting, context.metrics(setting)[0])
    found.sort(key=lambda e: order.index(e.model))
    blocks: list[Block] = []
    columns = dict.fromkeys(e.subgroup.column for e in found if e.subgroup is not None)
    for name in columns:
        rows = [e for e in found if e.subgroup is not None and e.subgroup.column == name]
        metrics = list(dict.fromkeys(e.metric for e in rows))
        for start in range(0, len(metrics), METRICS_PER_SUBGROUP_TABLE):
            chosen = metrics[start : start + METRICS_PER_SUBGROUP_TABLE]
            part = [e for e in rows if e.metric in chosen]
            if all(is_too_small(e) for e in part):
                words = write(context, TOPIC, "small_levels", setting=setting, small=_small(part))
                blocks.append(Paragraph(runs(f"{name}: ", words)))
                continue
            number = len(blocks) + 1
            made = _subgroup_table(context, setting, name, part, f"{identifier}-{number}")
            blocks.append(replace(made, further=start > 0))
        drawn = identifier.replace("table", "figure")
        blocks += levels_drawn(context, name, rows, f"{drawn}-{list(columns).index(name) + 1}")
    return blocks


def _subgroup_table(
    context: Context, setting: Setting, name: str, found: Sequence[Estimate], identifier: str
) -> Table:
    """Return the estimates within the levels of a column."""
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
        columns.append((f"{metric.head} vs. rest" + (f", {metric.units}" if metric.units else ""), [
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
    small = [e for e in found if is_too_small(e)]
    found = [e for e in found if not is_too_small(e)]
    return lettered(
        table(
            identifier,
            write(
                context,
                TOPIC,
                "caption_of_levels",
                setting=setting,
                column=name,
                titles=[context.metric(one).title for one in metrics],
                models=models,
            ),
            columns,
            rows,
            *notes(
                context,
                TOPIC,
                "notes_of_levels",
                setting=setting,
                metrics=[context.metric(one) for one in metrics],
                small=_small(small) if small else None,
                bounded=any(bounded.values()),
                dashed=any(e.to_rest is None for e in found if bounded[e.metric]),
                intervals=interval_notes(context, metrics, found),
                rest=flat_notes(context, found) + _level_notes(context, found),
            ),
        )
    )


class _Small(Struct, frozen=True):
    """The levels that are not estimated, with their examples."""

    levels: Sequence[str]
    fewest: int = FEWEST
    fewest_of_a_class: int = FEWEST_OF_A_CLASS


def _small(found: Iterable[Estimate]) -> _Small:
    levels = {e.subgroup.level: e for e in found if e.subgroup is not None}
    return _Small([f"{level} ({count(_examples([e]) or 0)})" for level, e in levels.items()])


def is_too_small(estimate: Estimate) -> bool:
    """Return whether a level has too few examples to be estimated."""
    return estimate.value is None and estimate.no_interval == FEW_EXAMPLES


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
    shared: dict[str, list[str]] = {}
    notes = []
    for estimate in found:
        if estimate.subgroup is not None and estimate.notes:
            by_level.setdefault(estimate.subgroup.level, []).append(estimate)
    for level, members in by_level.items():
        said = dict.fromkeys(note for estimate in members for note in estimate.notes)
        if all(set(said) <= set(estimate.notes) for estimate in members):
            words = of_cases(context, "; ".join(said), members[0].data)
            shared.setdefault(words, []).append(level)
        else:
            notes += named_notes(context, members, level)
    alike = [runs(f"{and_(levels)}: {words}.") for words, levels in shared.items()]
    return [*over_groups(context, found), *alike, *notes]


def bootstrap_parts(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Return what bootstrap estimates are made of: apparent and out-of-bag values, their weight."""
    every = (e for name in context.metrics(setting) for e in context.estimates(setting, name))
    found = [estimate for estimate in every if estimate.extra.get("oob") is not None]
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
    columns = [left("Model"), right("Estimate", "estimate"), *map(right, heads, PARTS)]
    say = partial(write, context, TOPIC)
    caption, note = say("caption_of_bootstrap"), say("note_of_bootstrap")
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
    apart = context.shown_apart
    several = len(context.settings) > 1
    for place, setting in enumerate(apart, start=1):
        ranked = is_ranked(context, setting)
        if several and not ranked:
            head = capitalised(context.setting_words(setting), context.own_names)
            blocks.append(Heading(head, f"estimates-{place}"))
        metrics = context.metrics(setting)
        context.shown_in |= {} if ranked else {setting: f"table-estimates-{place}"}
        for start in range(0, 0 if ranked else len(metrics), METRICS_PER_TABLE):
            chosen = metrics[start : start + METRICS_PER_TABLE]
            part = "" if start == 0 else f"-{start // METRICS_PER_TABLE + 1}"
            made = [estimates_table(context, setting, chosen, f"table-estimates-{place}{part}")]
            blocks += made if start == 0 else further(made)
        blocks += best_of_many(context, setting)
        blocks += figures(context, setting, metrics, place)
        blocks += further(bootstrap_parts(context, setting, f"table-parts-{place}"))
        blocks += further(fold_values(context, setting, f"table-folds-{place}"))
        blocks += subgroups(context, setting, f"table-subgroups-{place}")
    if len(apart) < len(context.settings):
        blocks += _estimates_across(context, len(apart))
    return blocks


def _estimates_across(context: Context, before: int) -> list[Block]:
    """Return the estimates of many data sets, each metric in one table.

    Data sets are in rows and models in columns. Of many models the best and the worst are in the
    main part, and all in the supplement. `before` is the number of earlier tables. With averages,
    many models or data sets are in files alone.
    """
    blocks: list[Block] = []
    names = dict.fromkeys(name for s in context.of_data for name in context.metrics(s))
    many = len(context.results.models) > MODELS_PER_TABLE or len(context.of_data) > MOST_ROWS
    if before and many:
        for i, name in enumerate(names, start=before + 1):
            models = _best_first_across(context, name, None)
            whole = _table_across(context, name, models, None, f"table-estimates-{i}")
            context.files.append(whole)
            facts = {"metric": context.metric(name), "n": len(context.of_data), "name": whole.name}
            blocks.append(Paragraph(write(context, TOPIC, "in_a_file", **facts)))
        return blocks
    if before:
        blocks.append(Heading(f"On each of the {context.sets}", "estimates-each"))
    orders: dict[str, Sequence[str]] = {}
    for i, name in enumerate(names, start=before + 1):
        ranks = _ranks_across(context, name)
        models = orders[name] = _best_first_across(context, name, ranks)
        size = -(-len(models) // -(-len(models) // MODELS_PER_TABLE))
        made = [
            _table_across(
                context, name, models[k : k + size], ranks, f"table-estimates-{i}-{k // size + 1}"
            )
            for k in range(0, len(models), size)
        ]
        if len(models) > MODELS_PER_TABLE:
            ends = [*models[:ENDS], *models[-ENDS:]]
            chosen = _table_across(context, name, ends, ranks, f"table-estimates-{i}")
            words = write(context, TOPIC, "ends", ends=ENDS, models=len(models), table=made[0].id)
            whole = _table_across(context, name, models, None, chosen.id)
            blocks.append(replace(chosen, notes=(words, *chosen.notes), one_number_a_column=whole))
        blocks += further(made) if len(models) > MODELS_PER_TABLE else made
    first = next(one.id for one in blocks if isinstance(one, Table))
    context.shown_in |= dict.fromkeys(context.of_data, first)
    blocks += figures_of_data_sets(context, orders)
    for place, setting in enumerate(context.of_data, start=before + 1):
        blocks += subgroups(context, setting, f"table-subgroups-{place}")
    return blocks
