"""The columns of a table of pairs: each builder adds what its tests have, or nothing."""

from collections.abc import Sequence

from evallang.reporting.cells import count_cell, dash, interval_cell, number_cell
from evallang.reporting.context import Context, half_width
from evallang.reporting.decisions import bayesian
from evallang.reporting.document import Cell, Column, Number, Runs, listed, runs
from evallang.reporting.fold_means import NOTE as OF_FOLD_MEANS, of_fold_means
from evallang.reporting.numbers import (
    Scale,
    count,
    degrees,
    fixed,
    percent,
    probability,
    ratio_scale,
    scale_of,
    statistic,
)
from evallang.reporting.one_model import singly
from evallang.reporting.titles import mid_sentence
from evallang.reporting.wording import (
    adjusted_words,
    amount,
    effect_name,
    effect_text,
    family_words,
    p_cell,
    p_letter,
    sentence,
    simultaneous_words,
    symbol,
)
from evallang.results.records import (
    Comparison,
    Difference,
    Effect,
    HypothesisTestResult,
    SimultaneousInterval,
)

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
    dfs = {pair.df for pair in pairs if pair.statistic is not None}
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
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    wide = [s for pair in pairs if (s := pair.simultaneous) is not None and _bounded(s)]
    with_bounds = [e for e in known if _bounded(e)]
    own = bool(wide) and all(_is_simultaneous(pair) for pair in pairs if pair.estimate is not None)
    wide = [] if own else wide
    alone = singly(comparison)
    columns = [Column(runs("Value" if alone else "A − B"), sortable=True, name="difference")]
    notes: list[Runs] = []
    if with_bounds:
        level = " / ".join(dict.fromkeys(percent(e.level) for e in with_bounds))
        columns.append(Column(runs(f"{level} CI"), muted=True, name="interval"))
        title = context.interval_title if alone else context.difference_title
        methods = dict.fromkeys(title(e.method) for e in with_bounds)
        words = ", ".join(mid_sentence(method) for method in methods)
        what = "Value minus the threshold" if alone else "Difference, first minus second"
        notes.append(runs(f"{what}: {level} {words}."))
        if own:
            size = count(comparison.family.size)
            notes.append(
                runs(f"The intervals are simultaneous: they hold for all {size} together.")
            )
    if wide:
        level = percent(wide[0].level)
        short = "FCR" if wide[0].selected else "Simult."
        columns.append(Column(runs(f"{short} {level} CI"), muted=True, name="simultaneous"))
        words = simultaneous_words(context, wide[0].method, known[0].method)
        tests = f"{count(comparison.family.size)} tests"
        if wide[0].selected:
            tests = f"the significant ones among {tests} (false coverage rate)"
        what = sentence(family_words(wide[0])).rstrip(".")
        notes.append(runs(f"{what}: {level} over {tests}, {words}."))
    cells = []
    for pair in pairs:
        value = pair.estimate.value if pair.estimate is not None else None
        text = fixed(value, scale, signed=True, null=0.0)
        row = [Cell(runs(Number(text, value)), value)]
        if with_bounds:
            row.append(_difference_cell(pair.estimate, scale))
        if wide:
            row.append(_difference_cell(pair.simultaneous, scale))
        cells.append(row)
    if any(value is not None and not _bounded(value) and value.low == 0 for value in known):
        notes.append(runs("No interval: the two had the same score wherever they were compared."))
    if not alone and of_fold_means(context, comparison):
        notes.append(runs(OF_FOLD_MEANS))
    head = sentence(known[0].name).rstrip(".") if alone else f"{_kind(known)} in {metric.noun}"
    head += ", points" if metric.percent else ""
    return runs(head), columns, cells, notes


def _kind(found: Sequence[Difference]) -> str:
    """Name the difference: "Difference", or "Pseudo-median difference" where all are one."""
    kinds = {e.name.partition("difference")[0] for e in found}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return sentence(f"{kind}difference").rstrip(".")


def _is_simultaneous(pair: HypothesisTestResult) -> bool:
    """Tell whether the interval of a pair is that of the family, as of self-correcting tests."""
    found, wide = pair.estimate, pair.simultaneous
    if found is None or wide is None or wide.selected:
        return False
    return (found.low, found.high) == (wide.low, wide.high)


def _bounded(found: Difference | SimultaneousInterval) -> bool:
    """Tell whether an interval has a bound, and a width unless it is all at a difference."""
    if found.low is None and found.high is None:
        return False
    return not found.low == found.high == 0


def _difference_cell(found: Difference | SimultaneousInterval | None, scale: Scale) -> Cell:
    return dash() if found is None or not _bounded(found) else interval_cell(found, scale, null=0.0)


def effects(context: Context, comparison: Comparison) -> Part | None:
    """Return the first effect size that the pairs share; odds of discordant pairs go first."""
    by_pair = [{effect.name: effect for effect in pair.effects} for pair in comparison.pairwise]
    every = [effect for effects in by_pair for effect in effects.values()]
    if not every:
        return None
    first = next((effect for effect in every if effect.scale == "odds"), every[0])
    name, odds = first.name, first.scale == "odds"
    found = [effects.get(name) for effects in by_pair]
    scale = Scale(2)
    null = 1.0 if odds else 0.0
    if odds:
        with_value = [effect for effect in found if effect is not None]
        halves = [half_width(effect.low, effect.high) for effect in with_value]
        scale = ratio_scale([effect.value for effect in with_value], halves)
    bounds = any(e is not None and e.low is not None for e in found)
    cells = [_effect_cells(effect, scale, null, bounds=bounds) for effect in found]
    head = runs("A : B") if odds else runs("Est.")
    level = percent(context.results.study.confidence)
    columns = [Column(head, sortable=True, name=name)]
    if bounds:
        columns.append(Column(runs(f"{level} CI"), muted=True, name=f"{name} interval"))
    return effect_name(first), columns, cells, _effect_notes(context, first, bounds=bounds)


def _effect_notes(context: Context, effect: Effect, *, bounds: bool) -> list[Runs]:
    """Say what an effect size is, and by which method it has its interval."""
    if effect.scale == "odds" and not bounds:
        return [runs("Odds ratio: A : B, of the discordant pairs.")]
    if effect.scale == "odds":
        words = "Odds ratio: A : B, of the discordant pairs, with the exact interval that Clopper "
        return [runs(words + "and Pearson’s for A / (A + B) implies.")]
    record = context.method("effect", effect.name)
    if record is None:
        return []
    summary = record.summary[:1].lower() + record.summary[1:]
    return [runs(effect_name(effect), ": ", sentence(summary).replace("d_z", "d"))]


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
                runs(Number(probability(pair.extra.get(key)), pair.extra.get(key))),
                pair.extra.get(key),
            )
            for key in keys
        ]
        for pair in pairs
    ]
    columns = [
        Column(runs("A better"), name="p_first", sortable=True),
        Column(runs("Region"), name="p_rope", sortable=True),
        Column(runs("B better"), name="p_second", sortable=True),
    ]
    metric = context.metric(comparison.metric)
    confidence = context.results.study.confidence
    notes = [
        runs(
            "Posterior probabilities that A is better, that the difference lies in the region of "
            "practical equivalence, and that B is better. "
            f"Decided when one exceeds the confidence, {percent(confidence)}; there is no p to "
            "correct."
        )
    ]
    widths = dict.fromkeys(pair.extra.get("rope") for pair in pairs)
    known = [width for width in widths if width is not None]
    if known:
        scale = scale_of([], known, percent=metric.percent)
        texts = [runs(amount(metric, width, scale)) for width in known]
        notes.append(runs("Region of practical equivalence: differences within ±",
                          listed(texts), "."))  # fmt: skip
    return runs("Posterior probability"), columns, cells, notes


def wins(context: Context, comparison: Comparison) -> Part | None:
    """Give on how many data sets A was better, neither, and B, in a comparison across them."""
    if comparison.ranks is None or not comparison.ranks.win_tie_loss:
        return None
    place = {(str(r[0]), str(r[1])): tuple(r[2:5]) for r in comparison.ranks.win_tie_loss}
    place |= {(second, first): row[::-1] for (first, second), row in place.items()}
    cells = []
    for pair in comparison.pairwise:
        row = place.get((pair.models[0], pair.models[1]), (None, None, None))
        cells.append([count_cell(value) for value in row])
    columns = [
        Column(runs("A"), sortable=True, name="wins"),
        Column(runs("Tie"), sortable=True, name="ties"),
        Column(runs("B"), sortable=True, name="losses"),
    ]
    return runs("Data sets won by"), columns, cells, []


def p_values(context: Context, comparison: Comparison) -> Part | None:
    """Give p as tested and, where the family is corrected, as adjusted."""
    pairs = comparison.pairwise
    if all(pair.p is None for pair in pairs) or any(bayesian(pair) for pair in pairs):
        return None
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
    name = comparison.family.adjective or "Adjusted"
    columns = [
        Column(runs("Unadj."), sortable=True, name="p"),
        Column(runs(name), sortable=True, name="p_adjusted"),
    ]
    return runs(letter), columns, cells, []
