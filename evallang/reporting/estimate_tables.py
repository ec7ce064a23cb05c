"""Tables of estimates: one data set, many data sets, and the levels of a column."""

from collections.abc import Sequence

from evallang.reporting.cells import count_cell, dash, interval_cell, number_cell
from evallang.reporting.context import Context, Setting, mid_sentence, ordered_union
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Mark,
    Number,
    Row,
    Runs,
    Spanner,
    Table,
    listed,
    runs,
)
from evallang.reporting.groups import letters
from evallang.reporting.numbers import (
    Scale,
    count,
    fixed,
    level_of_alpha,
    percent,
)
from evallang.reporting.wording import adjusted_words, correct_of, p_letter, plural, sentence
from evallang.results.records import Comparison, Estimate

METRICS_PER_TABLE = 4  # of 27 mm each, beside a stub, on a page of 170 mm
MODELS_PER_TABLE = 8
MOST_FOLDS = 10  # columns beside a stub


def table(context: Context, setting: Setting, metrics: Sequence[str], identifier: str) -> Table:
    """Give the estimates of one setting: a model per row, estimate and interval per metric."""
    models = context.models_best_first(setting, context.metrics(setting)[0])
    first = context.metrics(setting)[0] in metrics
    columns = [Column(runs("Model"), "left", sortable=True)]
    spanners: list[Spanner] = []
    cells: dict[str, list[Cell]] = {model: [Cell(runs(context.model(model)))] for model in models}
    found = {(m, k): context.estimate(setting, m, k) for m in models for k in metrics}
    accuracy = [found.get((m, "accuracy")) for m in models]
    right = [correct_of(e) if e is not None else None for e in accuracy]
    if any(value is not None for value in right):
        columns.append(Column(runs("Correct"), sortable=True, name="correct"))
        for model, value in zip(models, right, strict=True):
            cells[model].append(count_cell(value))
    for name in metrics:
        metric = context.metric(name)
        rows = [found[model, name] for model in models]
        start = len(columns)
        second = _second_column(rows)
        columns.append(Column(runs("Est."), sortable=True, name=name))
        if second:
            columns.append(Column(runs(second), muted=True, name=f"{name} {second}"))
        head = metric.title + (", %" if metric.percent else "")
        spanners.append(Spanner(runs(head), start, len(columns) - 1))
        scale = context.scale(setting, name)
        for model, row in zip(models, rows, strict=True):
            cells[model] += _estimate_cells(row, scale, second)
    notes = _notes(context, setting, metrics, [e for e in found.values() if e is not None])
    comparison = grouping(context, setting) if first else None
    if comparison is not None:
        columns.append(Column(runs("Group", Mark("a")), "center", name="group"))
        marks = letters(models, comparison)
        for model in models:
            cells[model].append(Cell(runs(marks.get(model, ""))))
        words = adjusted_words(comparison) or "unadjusted "
        notes += (
            runs(
                Mark("a"),
                f"Models that share a letter were not shown to differ at a {words}",
                p_letter(context),
                f" of {level_of_alpha(comparison.alpha)}.",
            ),
        )
    size = context.n(setting.data)
    where = f" on {count(size)} {context.cases(setting.data)}" if size is not None else ""
    caption = f"Performance of {plural(len(models), 'model')}{where}"
    if len(context.settings) > 1:
        caption += f" ({setting_words(context, setting)})"
    rows_ = tuple(Row(tuple(cells[model])) for model in models)
    return Table(identifier, runs(caption + "."), tuple(columns), rows_, tuple(spanners), notes)


def across(context: Context) -> list[Block]:
    """Give one table per metric, data sets in rows and models in columns."""
    blocks: list[Block] = []
    metrics = ordered_union([context.metrics(setting) for setting in context.settings])
    models = [model.name for model in context.results.models]
    for i, name in enumerate(metrics, start=1):
        for k in range(0, len(models), MODELS_PER_TABLE):
            chosen = models[k : k + MODELS_PER_TABLE]
            identifier = f"table-estimates-{i}-{k // MODELS_PER_TABLE + 1}"
            blocks.append(_table_across(context, name, chosen, identifier))
    return blocks


def subgroups(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Give the estimates within the levels of each column, one table per column."""
    found = [
        e
        for e in context.results.estimates
        if e.subgroup is not None and Setting(e.data, e.protocol) == setting
    ]
    blocks: list[Block] = []
    columns = dict.fromkeys(e.subgroup.column for e in found if e.subgroup is not None)
    for number, name in enumerate(columns, start=1):
        rows = [e for e in found if e.subgroup is not None and e.subgroup.column == name]
        blocks.append(_subgroup_table(context, setting, name, rows, f"{identifier}-{number}"))
    return blocks


def fold_values(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Give the value of every fold of metrics that have no interval, where the folds are few."""
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
        caption = runs(f"{metric.title}{unit}, in each fold (repeat.fold).")
        note = runs("The folds share training examples: their spread is no standard error.")
        blocks.append(
            Table(f"{identifier}-{len(blocks) + 1}", caption, tuple(columns), tuple(rows),
                  notes=(note,))
        )  # fmt: skip
    return blocks


def setting_words(context: Context, setting: Setting) -> str:
    """Name a data set, and its protocol where several are named."""
    label = context.data_label(setting.data)
    if len({s.protocol for s in context.settings}) > 1 and setting.protocol is not None:
        return f"{label}, {setting.protocol}"
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


def interval_notes(
    context: Context, metrics: Sequence[str], found: Sequence[Estimate]
) -> list[Runs]:
    """Name the method and level of the intervals of each metric."""
    methods: dict[tuple[str, float], list[str]] = {}
    for name in metrics:
        of_metric = [e for e in found if e.metric == name]
        kinds = {
            (e.interval.method, e.interval.level): None for e in of_metric if e.interval is not None
        }
        for kind in kinds:
            methods.setdefault(kind, []).append(context.metric(name).title)
        if not kinds:
            methods.setdefault(("", 0.0), []).append(context.metric(name).title)
    notes = []
    for (method, level), titles in methods.items():
        names = listed([runs(title) for title in titles])
        if not method:
            spread = any(e.sd is not None for e in found if e.interval is None)
            words = "; SD: standard deviation of the fold values" if spread else ""
            notes.append(runs(names, f": no interval under this protocol{words}."))
            continue
        words = context.method_title("interval", method)
        notes.append(runs(names, f": {percent(level)} {mid_sentence(words)}."))
    return notes


def _table_across(context: Context, name: str, models: Sequence[str], identifier: str) -> Table:
    metric = context.metric(name)
    settings = [s for s in context.settings if name in context.metrics(s)]
    scale = Scale(
        max(context.scale(setting, name).decimals for setting in settings),
        2 if metric.percent else 0,
    )
    columns = [Column(runs("Data set"), "left"), Column(runs("n"), sortable=True, name="n")]
    columns += [Column(runs(context.model(m)), sortable=True, name=m) for m in models]
    rows, found = [], []
    for setting in settings:
        cells = [Cell(runs(setting_words(context, setting))), count_cell(context.n(setting.data))]
        for model in models:
            estimate = context.estimate(setting, model, name)
            cells += _estimate_cells(estimate, scale, "")
            found += [estimate] if estimate is not None else []
        rows.append(Row(tuple(cells)))
    spanners = (
        Spanner(runs(metric.title + (", %" if metric.percent else "")), 2, len(columns) - 1),
    )
    notes: list[Runs] = []
    if any(e.interval is not None for e in found):
        notes.append(runs("The interval of each estimate stands in results.json."))
        notes += interval_notes(context, [name], found)
    if not metric.higher_is_better:
        notes.append(runs("Lower is better."))
    caption = (
        f"{metric.title} of {plural(len(models), 'model')} on {plural(len(settings), 'data set')}."
    )
    return Table(identifier, runs(caption), tuple(columns), tuple(rows), spanners, tuple(notes))


def _second_column(rows: Sequence[Estimate | None]) -> str:
    """Name what stands beside the estimates: their interval, else the spread of the folds."""
    levels = {e.interval.level for e in rows if e is not None and e.interval is not None}
    if levels:
        return " / ".join(percent(level) for level in sorted(levels)) + " CI"
    if any(e is not None and e.sd is not None for e in rows):
        return "SD"
    return ""


def _estimate_cells(estimate: Estimate | None, scale: Scale, second: str) -> list[Cell]:
    if estimate is None:
        return [dash()] * (2 if second else 1)
    value = Number(fixed(estimate.value, scale), estimate.value)
    made = [Cell(runs(value), estimate.value)]
    if second == "SD":
        more = scale.more(scale.decimals)
        made.append(Cell(runs(Number(fixed(estimate.sd, more), estimate.sd)), estimate.sd))
    elif second:
        made.append(interval_cell(estimate.interval, scale))
    return made


def _notes(
    context: Context, setting: Setting, metrics: Sequence[str], found: Sequence[Estimate]
) -> tuple[Runs, ...]:
    notes: list[Runs] = []
    data = context.data(setting.data)
    if data is not None and data.positive is not None and data.class_counts:
        name = data.positive_label or data.positive
        size = data.class_counts.get(data.positive)
        counted = f" ({count(size)} of {count(data.n)})" if size is not None else ""
        notes.append(runs(f"Positive class: {name}{counted}."))
    notes += interval_notes(context, metrics, found)
    abouts = dict.fromkeys(e.about for e in found if e.interval is not None and e.about)
    for about in abouts:
        notes.append(runs(f"Intervals are about {about.rstrip('.')}."))
    if sum(e.interval is not None for e in found) > 1 and context.results.comparisons:
        notes.append(
            runs("They are per model and not adjusted for multiplicity; models are compared below.")
        )
    for name in metrics:
        metric = context.metric(name)
        if metric.unit == "target" and data is not None and data.target:
            notes.append(
                runs(f"{metric.title} in the unit of {data.target}; {metric.better} is better.")
            )
        elif not metric.higher_is_better:
            notes.append(runs(f"{metric.title}: lower is better."))
    for note in dict.fromkeys(note for e in found for note in e.notes):
        notes.append(runs(sentence(note)))
    return tuple(notes)


def _subgroup_table(
    context: Context, setting: Setting, name: str, found: Sequence[Estimate], identifier: str
) -> Table:
    metrics = tuple(dict.fromkeys(e.metric for e in found))[:METRICS_PER_TABLE]
    levels = tuple(dict.fromkeys(e.subgroup.level for e in found if e.subgroup is not None))
    models = tuple(dict.fromkeys(e.model for e in found))
    place = {(e.model, e.subgroup.level, e.metric): e for e in found if e.subgroup is not None}
    columns = [Column(runs("Model"), "left"), Column(runs("Cases"), sortable=True, name="n")]
    spanners = []
    seconds = {}
    for metric_name in metrics:
        metric = context.metric(metric_name)
        start = len(columns)
        seconds[metric_name] = _second_column([e for e in found if e.metric == metric_name])
        columns.append(Column(runs("Est."), sortable=True, name=metric_name))
        if seconds[metric_name]:
            head = runs(seconds[metric_name])
            columns.append(Column(head, muted=True, name=f"{metric_name} interval"))
        head_ = metric.title + (", %" if metric.percent else "")
        spanners.append(Spanner(runs(head_), start, len(columns) - 1))
    rows = []
    for level in levels:
        rows.append(Row((Cell(runs(f"{name} = {level}")),), group=True))
        for model in models:
            row = [place.get((model, level, metric_name)) for metric_name in metrics]
            sizes = [e.n for e in row if e is not None]
            cells = [Cell(runs(context.model(model))), count_cell(sizes[0] if sizes else None)]
            for metric_name, estimate in zip(metrics, row, strict=True):
                scale = context.scale(setting, metric_name)
                cells += _estimate_cells(estimate, scale, seconds[metric_name])
            rows.append(Row(tuple(cells)))
    notes = (
        *interval_notes(context, metrics, found),
        runs("Levels are not compared with each other, and nothing is adjusted."),
    )
    caption = runs(f"Performance within {name}.")
    return Table(identifier, caption, tuple(columns), tuple(rows), tuple(spanners), notes)
