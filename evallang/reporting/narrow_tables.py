"""Tables for one column of a journal: what a claim needs, and nothing else."""

from collections.abc import Sequence

from msgspec.structs import replace

from evallang.reporting.context import Context, Setting
from evallang.reporting.contrasts import Contrast, contrast
from evallang.reporting.document import Cell, Column, Runs, Table, runs
from evallang.reporting.numbers import Scale, percent
from evallang.reporting.orientation import turned
from evallang.reporting.run_writer import plain
from evallang.reporting.sentences import write
from evallang.reporting.tables import bounds, dash, heading, number, p_of, right, row, table
from evallang.reporting.wording import adjusted_words, p_letter
from evallang.results.records import Comparison, HypothesisTestResult


def narrow_pairs(
    context: Context, every: Sequence[tuple[Comparison, HypothesisTestResult]], whole: Table
) -> Table | None:
    """Return each pair with its difference, the interval that matches the decision, and p.

    None where the pairs have no difference.
    """
    if all(pair.estimate is None or len(pair.models) != 2 for _, pair in every):
        return None
    comparison = every[0][0]
    seen = [contrast(pair, pair.models[0]) for _, pair in every]
    words, head = context.difference_words(comparison), "Difference"
    if len({c.metric for c, _ in every}) == 1:
        head += f" in {words.brief}" + (f", {words.units}" if words.units else "")
    columns = _columns(context, seen, "A − B")
    scales = {c.metric: context.difference_scale(c) for c in {id(c): c for c, _ in every}.values()}
    cells = (
        _cells(context, c.alpha, one, columns, scales[c.metric])
        for (c, _), one in zip(every, seen, strict=True)
    )
    bold = [note for note in whole.notes if plain(note).startswith("Bold rows")]
    return table(
        whole.id,
        whole.caption,
        [whole.columns[0], (head, columns)],
        [
            one if one.group else row(one.cells[0], *next(cells), strong=one.strong)
            for one in whole.rows
        ],
        write(context, "comparisons", "abbreviations", metrics=[words]),
        *_notes(context, comparison, seen),
        *(bold if any(one.strong for one in whole.rows) else ()),
    )


def narrow_estimates(
    context: Context, setting: Setting, comparison: Comparison | None, whole: Table
) -> Table:
    """Return the first measure of each model, and its difference to the best model.

    The notes of the whole table are those of that measure.
    """
    name = context.metrics(setting)[0]
    metric = context.metric(name)
    models = context.models_best_first(setting, name)
    names = [column.name for column in whole.columns]
    first = names.index(name)
    last = next((s.last + 1 for s in whole.spanners if s.first == first), 0)
    above = metric.head + (", %" if metric.percent else "") if last else ""
    last = last or (names.index("group") if "group" in names else len(names))
    to_best: dict[str, Contrast] = {}  # the best minus the other
    for pair in comparison.pairwise if comparison is not None else ():
        if len(pair.models) == 2 and models[0] in pair.models and pair.estimate is not None:
            one = contrast(pair if pair.models[0] == models[0] else turned(pair), models[0])
            to_best[one.other] = one
    seen = list(to_best.values())
    more = _columns(context, seen, "Diff.") if seen else []
    points, notes = "", list[Runs]()
    if comparison is not None and seen:
        units = context.difference_words(comparison).units
        points = f", {units}" if units else ""
        notes = [runs("To the best: the first row minus this row.")]
        notes += _notes(context, comparison, seen)
        scale = context.difference_scale(comparison)
    rows = []
    for model, shown in zip(models, whole.rows, strict=True):
        compared = [dash()] * sum(column is not None for column in more)
        if comparison is not None and model in to_best:
            compared = _cells(context, comparison.alpha, to_best[model], more, scale)
        rows.append(row(shown.cells[0], *shown.cells[first:last], *compared))
    return table(
        whole.id,
        whole.caption,
        [
            whole.columns[0],
            (above, list(whole.columns[first:last])),
            (f"To the best{points}", more),
        ],
        rows,
        *whole.notes,
        *notes,
    )


def with_a_row_for_each_cell(whole: Table) -> Table:
    """Return the cells of each row below its name, each next to the head of its column."""
    rows = []
    for one in whole.rows:
        rows.append(heading(one.cells[0].runs))
        columns = zip(whole.columns[1:], one.cells[1:], strict=True)
        rows += [row(column.head, cell) for column, cell in columns if cell.runs]
    return replace(whole, columns=(whole.columns[0], right("Value")), rows=tuple(rows))


def _columns(context: Context, seen: Sequence[Contrast], head: str) -> list[Column | None]:
    levels = dict.fromkeys(percent(c.level) for c in seen if _bounded(c))
    return [
        right(head, "difference"),
        right(f"{' / '.join(levels)} CI", "interval") if levels else None,
        right(p_letter(context), "p") if any(c.p is not None for c in seen) else None,
    ]


def _cells(
    context: Context, alpha: float, one: Contrast, columns: Sequence[Column | None], scale: Scale
) -> list[Cell]:
    cells = {
        "difference": number(one.value, scale, signed=True, null=0.0),
        "interval": bounds(one.low, one.high, scale, 0.0) if _bounded(one) else dash(),
        "p": p_of(context, one.p, alpha, one.pair.mc_se),
    }
    return [cells[column.name] for column in columns if column is not None]


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
