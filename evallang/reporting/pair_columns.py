"""The columns of a table of pairs: each builder adds what its tests have, or nothing."""

from evallang.reporting.cells import dash, interval_cell, number_cell
from evallang.reporting.context import Context, mid_sentence
from evallang.reporting.document import (
    Cell,
    Column,
    Number,
    Runs,
    runs,
)
from evallang.reporting.numbers import (
    Scale,
    bounded,
    count,
    degrees,
    fixed,
    percent,
    ratio_scale,
    statistic,
)
from evallang.reporting.wording import (
    ADJUSTED,
    RATIOS,
    adjusted_words,
    effect_name,
    effect_text,
    p_cell,
    p_letter,
    sentence,
    simultaneous_words,
    symbol,
)
from evallang.results.records import Comparison, Effect

Part = tuple[Runs, list[Column], list[list[Cell]], list[Runs]]
"""Columns that one builder adds: their spanner, heads, cells of each row, notes."""


def counts(context: Context, comparison: Comparison) -> Part | None:
    """Give the discordant counts, where the tests have a table of two models."""
    pairs = comparison.pairwise
    if not any(pair.table is not None and len(pair.table) == 2 for pair in pairs):
        return None
    cells = []
    for pair in pairs:
        if pair.table is None or len(pair.table) != 2:
            cells.append([dash(), dash()])
            continue
        b, c = pair.table[0][1], pair.table[1][0]
        cells.append([number_cell(count(b), b), number_cell(count(c), c)])
    columns = [
        Column(runs("A"), sortable=True, name="only_first_right"),
        Column(runs("B"), sortable=True, name="only_second_right"),
    ]
    unit = context.cases(comparison.data)
    note = runs(f"“Only one right” counts the discordant {unit} that the test uses.")
    return runs("Only one right"), columns, cells, [note]


def statistics(context: Context, comparison: Comparison) -> Part | None:
    """Give the statistic, with its degrees of freedom in the head where all pairs share them."""
    pairs = comparison.pairwise
    found = [pair.statistic for pair in pairs if pair.statistic is not None]
    names = {s.name for s in found}
    if len(names) != 1:
        return None
    dfs = {pair.df for pair in pairs}
    head = runs(symbol(found[0].name))
    shared = next(iter(dfs)) if len(dfs) == 1 else None
    if shared:
        head += runs("(" + ", ".join(degrees(value) for value in shared) + ")")
    cells = []
    for pair in pairs:
        s = pair.statistic
        if s is None or s.value is None:
            cells.append([dash()])
            continue
        own = "" if shared or not pair.df else f" ({', '.join(degrees(v) for v in pair.df)})"
        cells.append([number_cell(statistic(s.value) + own, s.value)])
    return (), [Column(head, sortable=True, name=found[0].name)], cells, []


def differences(context: Context, comparison: Comparison) -> Part | None:
    """Give the difference with its interval, and the simultaneous one of the family."""
    pairs = comparison.pairwise
    estimates = [pair.estimate for pair in pairs]
    known = [e for e in estimates if e is not None]
    if not known:
        return None
    metric, scale = context.metric(comparison.metric), context.difference_scale(comparison)
    wide = [pair.simultaneous for pair in pairs if pair.simultaneous is not None]
    with_bounds = [e for e in known if e.low is not None or e.high is not None]
    columns = [Column(runs("A − B"), sortable=True, name="difference")]
    notes: list[Runs] = []
    if with_bounds:
        level = " / ".join(dict.fromkeys(percent(e.level) for e in with_bounds))
        columns.append(Column(runs(f"{level} CI"), muted=True, name="interval"))
        methods = dict.fromkeys(context.method_title("interval", e.method) for e in with_bounds)
        words = ", ".join(mid_sentence(method) for method in methods)
        notes.append(runs(f"Difference, first minus second: {level} {words}."))
    if wide:
        level = percent(wide[0].level)
        columns.append(Column(runs(f"Simult. {level} CI"), muted=True, name="simultaneous"))
        words = simultaneous_words(context, wide[0].method, known[0].method)
        notes.append(
            runs(f"Simultaneous: {level} over {count(comparison.family.size)} tests, {words}.")
        )
    cells = []
    for pair in pairs:
        value = pair.estimate.value if pair.estimate is not None else None
        text = fixed(value, scale, signed=True, null=0.0)
        row = [Cell(runs(Number(text, value)), value)]
        if with_bounds:
            row.append(interval_cell(pair.estimate, scale, null=0.0))
        if wide:
            row.append(interval_cell(pair.simultaneous, scale, null=0.0))
        cells.append(row)
    head = f"Difference in {metric.noun}" + (", points" if metric.percent else "")
    return runs(head), columns, cells, notes


def effects(context: Context, comparison: Comparison) -> Part | None:
    """Give the first effect size that the pairs share; a ratio of discordant pairs is preferred."""
    by_pair = [{effect.name: effect for effect in pair.effects} for pair in comparison.pairwise]
    names = dict.fromkeys(name for effects in by_pair for name in effects)
    if not names:
        return None
    name = next((name for name in names if name in RATIOS), next(iter(names)))
    found = [effects.get(name) for effects in by_pair]
    scale = Scale(2)
    null = 1.0 if name in RATIOS else 0.0
    if name in RATIOS:
        scale = ratio_scale([effect.value for effect in found if effect is not None])
    bounds = any(e is not None and e.low is not None for e in found)
    cells = [_effect_cells(effect, scale, null, bounds=bounds) for effect in found]
    record = context.method("effect", name)
    title = record.title if record is not None else name[:1].upper() + name[1:]
    head = runs("A : B") if name in RATIOS else runs("Est.")
    level = (
        percent(comparison.pairwise[0].estimate.level) if comparison.pairwise[0].estimate else ""
    )
    columns = [Column(head, sortable=True, name=name)]
    if bounds:
        columns.append(Column(runs(f"{level} CI".strip()), muted=True, name=f"{name} interval"))
    notes = [runs(f"{title}: {sentence(record.summary)}")] if record is not None else []
    return effect_name(name), columns, cells, notes


def _effect_cells(effect: Effect | None, scale: Scale, null: float, *, bounds: bool) -> list[Cell]:
    if effect is None:
        return [dash()] * (2 if bounds else 1)
    cells = [Cell(runs(Number(effect_text(effect, scale), effect.value)), effect.value)]
    if bounds:
        cells.append(interval_cell(effect, scale, null=null))
    return cells


def posteriors(context: Context, comparison: Comparison) -> Part | None:
    """Give the three probabilities of a Bayesian test."""
    pairs = comparison.pairwise
    keys = ("p_first", "p_rope", "p_second")
    if not any("p_first" in pair.extra for pair in pairs):
        return None
    cells = [
        [
            Cell(
                runs(Number(bounded(pair.extra.get(key)), pair.extra.get(key))), pair.extra.get(key)
            )
            for key in keys
        ]
        for pair in pairs
    ]
    columns = [
        Column(runs("A higher"), name="p_first", sortable=True),
        Column(runs("Region"), name="p_rope", sortable=True),
        Column(runs("B higher"), name="p_second", sortable=True),
    ]
    note = runs(
        "Posterior probabilities that A is higher, that the difference lies in the region of "
        "practical equivalence, and that B is higher; no correction applies."
    )
    return runs("Posterior probability"), columns, cells, [note]


def p_values(context: Context, comparison: Comparison) -> Part | None:
    """Give p as tested and, where the family is corrected, as adjusted."""
    pairs = comparison.pairwise
    if all(pair.p is None for pair in pairs):
        return None
    correction = comparison.family.correction
    adjusted = bool(adjusted_words(comparison)) and any(p.p_adjusted is not None for p in pairs)
    letter = p_letter(context)
    cells = []
    for pair in pairs:
        row = [Cell(p_cell(context, pair.p, comparison.alpha), pair.p)]
        if adjusted:
            row.append(Cell(p_cell(context, pair.p_adjusted, comparison.alpha), pair.p_adjusted))
        cells.append(row)
    if not adjusted:
        return (), [Column(runs(letter), sortable=True, name="p")], cells, []
    name = ADJUSTED.get((correction or "").partition("(")[0], "Adjusted")
    columns = [
        Column(runs("Unadj."), sortable=True, name="p"),
        Column(runs(name), sortable=True, name="p_adjusted"),
    ]
    return runs(letter), columns, cells, []
