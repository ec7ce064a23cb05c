"""What stands beside the table of estimates: levels of a column, fold values, bootstrap parts."""

from collections.abc import Sequence
from dataclasses import replace

from evallang.reporting.cells import count_cell, dash, interval_cell, number_cell
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Row,
    Runs,
    Spanner,
    Table,
    runs,
)
from evallang.reporting.estimate_tables import (
    estimate_cells,
    flat_notes,
    interval_notes,
    named_notes,
    over_groups,
    second_column,
    setting_words,
)
from evallang.reporting.numbers import Scale, bounded as within_one, fixed, percent
from evallang.results.records import BOUNDS_COINCIDE, Estimate

UNBOUNDED = " Levels are not tested against each other, and nothing is adjusted."
BOUNDED = (
    " Its interval combines those of the two values as if from separate samples, and holds for "
    "all levels of one model and metric at once (Bonferroni); a dash marks a side with fewer "
    "than 30 rows or without a valid interval."
)
MOST_FOLDS = 10  # columns beside a stub
METRICS_PER_TABLE = 2  # each with estimate, interval and difference to the rest
PARTS = ("resubstitution", "oob", "gamma", "R", "weight", "standard_error")


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


def subgroups(context: Context, setting: Setting, identifier: str) -> list[Block]:
    """Give the estimates within the levels of each column, one table per column."""
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
        for start in range(0, len(metrics), METRICS_PER_TABLE):
            chosen = metrics[start : start + METRICS_PER_TABLE]
            part = [e for e in rows if e.metric in chosen]
            number = len(blocks) + 1
            blocks.append(_subgroup_table(context, setting, name, part, f"{identifier}-{number}"))
    return blocks


def _subgroup_table(
    context: Context, setting: Setting, name: str, found: Sequence[Estimate], identifier: str
) -> Table:
    metrics = tuple(dict.fromkeys(e.metric for e in found))
    levels = tuple(dict.fromkeys(e.subgroup.level for e in found if e.subgroup is not None))
    models = tuple(dict.fromkeys(e.model for e in found))
    place = {(e.model, e.subgroup.level, e.metric): e for e in found if e.subgroup is not None}
    unit = context.cases(setting.data)
    columns = [
        Column(runs(name), "left", name="level"),
        Column(runs(unit[:1].upper() + unit[1:]), sortable=True, name="n"),
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
        columns.append(Column(runs("vs. rest"), sortable=True, name=f"{metric_name} difference"))
        bounded[metric_name] = _bounded(found, metric_name)
        if bounded[metric_name]:
            columns.append(
                Column(
                    runs(bounded[metric_name]),
                    muted=True,
                    name=f"{metric_name} difference interval",
                )
            )
        head_ = metric.title + (", %" if metric.percent else "")
        spanners.append(Spanner(runs(head_), start, len(columns) - 1))
    rows = []
    for model in models:
        if len(models) > 1:
            rows.append(Row((Cell(runs(context.model(model))),), group=True))
        for level in levels:
            row = [place.get((model, level, metric_name)) for metric_name in metrics]
            cells = [Cell(runs(level)), count_cell(_examples(row))]
            for metric_name, estimate in zip(metrics, row, strict=True):
                scale = context.scale(setting, metric_name)
                cells += estimate_cells(estimate, scale, seconds[metric_name])
                cells.append(_difference(estimate, scale))
                if bounded[metric_name]:
                    to_rest = estimate.to_rest if estimate is not None else None
                    cells.append(interval_cell(to_rest, scale, null=0.0))
            rows.append(Row(tuple(cells)))
    points = any(context.metric(metric_name).percent for metric_name in metrics)
    notes = [
        *interval_notes(context, metrics, found),
        runs(f"vs. rest: the level minus all other {unit}{', points' if points else ''}."
             + (BOUNDED if any(bounded.values()) else UNBOUNDED)),
        *flat_notes(context, found),
        *_level_notes(context, found),
    ]  # fmt: skip
    where = f" on {setting_words(context, setting)}" if len(context.settings) > 1 else ""
    one = f", {context.model(models[0])}" if len(models) == 1 else ""
    caption = runs(f"Performance by {name}{where}{one}.")
    return Table(identifier, caption, tuple(columns), tuple(rows), tuple(spanners), tuple(notes))


def _bounded(found: Sequence[Estimate], metric: str) -> str:
    """Name the interval of the differences of a metric to the rest; empty where there is none."""
    levels = {
        e.to_rest.level
        for e in found
        if e.metric == metric and e.to_rest is not None and e.to_rest.low is not None
    }
    return f"{' / '.join(percent(level) for level in sorted(levels))} CI" if levels else ""


def _examples(row: Sequence[Estimate | None]) -> int | None:
    """Give the examples of a level: as stated, else what the first estimate counts."""
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
    """Give the notes of each level under its name."""
    by_level: dict[str, list[Estimate]] = {}
    notes = over_groups(found)
    found = [
        replace(e, notes=tuple(note for note in e.notes if note != BOUNDS_COINCIDE)) for e in found
    ]
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
    """Give what bootstrap estimates are made of: apparent and out-of-bag values, their weight."""
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
            "rounds that left a row out. γ: error without information; R: relative overfitting; "
            "weight: of the out-of-bag error in the estimate. SE: standard error "
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
