"""Tables for one column of a journal: what a claim needs, and nothing else."""

from collections.abc import Sequence

from evallang.reporting.cells import dash, interval_cell
from evallang.reporting.context import Context, Setting, printed_p
from evallang.reporting.contrasts import Contrast, contrast
from evallang.reporting.document import (
    Cell,
    Column,
    Number,
    Row,
    Runs,
    Spanner,
    Table,
    Text,
    runs,
)
from evallang.reporting.numbers import Scale, fixed, percent
from evallang.reporting.orientation import turned
from evallang.reporting.wording import adjusted_words, p_cell, p_letter
from evallang.results.records import Comparison, Effect


def narrow_pairs(
    context: Context, comparison: Comparison, names: Sequence[str], table: Table
) -> Table | None:
    """Return each pair with its difference, the interval that matches the decision, and p.

    None where the pairs have no difference.
    """
    pairs = comparison.pairwise
    if all(pair.estimate is None or len(pair.models) != 2 for pair in pairs):
        return None
    seen = [contrast(pair, pair.models[0]) for pair in pairs]
    columns = [table.columns[0], *_columns(context, comparison, seen, "A − B")]
    rows = [
        Row((Cell(runs(name)), *_cells(context, comparison, one, columns)), whole.strong)
        for name, one, whole in zip(names, seen, table.rows, strict=True)
    ]
    words = context.difference_words(comparison)
    head = runs(f"Difference in {words.noun}" + (", points" if words.percent else ""))
    spanners = (Spanner(head, 1, len(columns) - 1),)
    notes = _notes(context, comparison, seen)
    if any(row.strong for row in rows):
        notes += [note for note in table.notes if _text(note).startswith("Bold rows")]
    return Table(table.id, table.caption, tuple(columns), tuple(rows), spanners, tuple(notes))


def narrow_estimates(
    context: Context, setting: Setting, comparison: Comparison | None, table: Table
) -> Table:
    """Return the first measure of each model, and its difference to the best model."""
    metric_name = context.metrics(setting)[0]
    metric, scale = context.metric(metric_name), context.scale(setting, metric_name)
    models = context.models_best_first(setting, metric_name)
    found = [context.estimate(setting, model, metric_name) for model in models]
    level = next((e.interval.level for e in found if e and e.interval), None)
    columns = [table.columns[0], Column(runs("Est."), name=metric_name)]
    columns += [Column(runs(f"{percent(level)} CI"), name="interval")] if level else []
    head = metric.title + (", %" if metric.percent else "")
    spanners = [Spanner(runs(head), 1, len(columns) - 1)]
    to_best = _to_best(comparison, models[0]) if comparison is not None else {}
    notes: list[Runs] = []
    more: list[Column] = []
    if comparison is not None and to_best:
        seen = list(to_best.values())
        more = _columns(context, comparison, seen, "Diff.")
        points = ", points" if context.difference_words(comparison).percent else ""
        spanners.append(
            Spanner(runs(f"To the best{points}"), len(columns), len(columns) + len(more) - 1)
        )
        notes += [runs("To the best: the first row minus this row."), *_notes(
            context, comparison, seen)]  # fmt: skip
    rows = []
    for model, estimate in zip(models, found, strict=True):
        value = None if estimate is None else estimate.value
        cells = [Cell(runs(context.model(model))), Cell(runs(Number(fixed(value, scale), value)),
                 value)]  # fmt: skip
        if level:
            of_model = None if estimate is None else estimate.interval
            cells.append(interval_cell(of_model, scale))
        if comparison is not None and more:
            one = to_best.get(model)
            cells += [dash()] * len(more) if one is None else _cells(context, comparison, one, more)
        rows.append(Row(tuple(cells)))
    kept = [note for note in table.notes if _text(note).startswith(metric.title + ":")]
    return Table(
        table.id,
        table.caption,
        (*columns, *more),
        tuple(rows),
        tuple(spanners),
        (*kept, *notes),
    )


def _to_best(comparison: Comparison, best: str) -> dict[str, Contrast]:
    """Return the pairs of the best model by the other one, the best minus the other."""
    made = {}
    for pair in comparison.pairwise:
        if len(pair.models) == 2 and best in pair.models and pair.estimate is not None:
            found = contrast(pair if pair.models[0] == best else turned(pair), best)
            made[found.other] = found
    return made


def _columns(
    context: Context, comparison: Comparison, seen: Sequence[Contrast], head: str
) -> list[Column]:
    made = [Column(runs(head), name="difference")]
    levels = dict.fromkeys(percent(c.level) for c in seen if _bounded(c))
    if levels:
        made.append(Column(runs(f"{' / '.join(levels)} CI"), name="interval"))
    if any(c.p is not None for c in seen):
        made.append(Column(runs(p_letter(context)), name="p"))
    return made


def _cells(
    context: Context, comparison: Comparison, one: Contrast, columns: Sequence[Column]
) -> list[Cell]:
    scale: Scale = context.difference_scale(comparison)
    made = [
        Cell(runs(Number(fixed(one.value, scale, signed=True, null=0.0), one.value)), one.value)
    ]
    names = {column.name for column in columns}
    if "interval" in names:
        bounds = Effect("difference", one.value, one.low, one.high)
        made.append(interval_cell(bounds if _bounded(one) else None, scale, null=0.0))
    if "p" in names:
        p = printed_p(one.pair)
        made.append(Cell(p_cell(context, p, comparison.alpha), p))
    return made


def _bounded(one: Contrast) -> bool:
    return (one.low is not None or one.high is not None) and not one.constant


def _notes(context: Context, comparison: Comparison, seen: Sequence[Contrast]) -> list[Runs]:
    """State what p and the intervals are adjusted for."""
    made: list[Runs] = []
    words = adjusted_words(comparison)
    if words and any(c.pair.p_adjusted is not None for c in seen):
        made.append(runs(p_letter(context), f": {words.strip()}."))
    kinds = dict.fromkeys(c.family for c in seen if _bounded(c))
    if kind := next(filter(None, kinds), ""):
        rest = " where one exists, otherwise of the pair alone" if "" in kinds else ""
        made.append(runs(f"Intervals of differences: {kind}{rest}."))
    return made


def _text(note: Runs) -> str:
    return "".join(run.text for run in note if isinstance(run, Text))
