"""The table of all pairs of a comparison, and the notes of their tests."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting.context import Context, Setting, half_width
from evallang.reporting.decisions import (
    bayesian,
    computed,
    decided,
    is_simultaneous,
)
from evallang.reporting.document import Cell, Column, Emphasis, Runs, Table, runs
from evallang.reporting.letter_case import capitalised, mid_sentence
from evallang.reporting.limits import typical_difference
from evallang.reporting.narrow_tables import narrow_pairs
from evallang.reporting.numbers import (
    Scale,
    between,
    count,
    degrees,
    error_of_bounds,
    level_of_alpha,
    percent,
    probability,
    ratio_scale,
    settled_decimals,
    statistic,
)
from evallang.reporting.orientation import order_words
from evallang.reporting.pair_findings import singly
from evallang.reporting.sentences import notes, write
from evallang.reporting.tables import (
    Words,
    counted,
    dash,
    heading,
    interval_cell,
    left,
    number,
    p_of,
    printed,
    right,
    row,
    sortable,
    table,
)
from evallang.reporting.wording import (
    adjusted_words,
    clusters_words,
    count_sets,
    effect_name,
    effect_text,
    lacking_words,
    of_cases,
    p_letter,
    plural,
    sentence,
    simultaneous_words,
    stated_amount,
    symbol,
)
from evallang.results.records import (
    Comparison,
    Difference,
    HypothesisTestResult,
    SimultaneousInterval,
)
from evallang.results.statistics import NOT_RUN, POSTERIOR, shown_effect

Group = Sequence[Comparison]
"""The comparisons of one table: those of one line of the study, by the same test."""
Pairs = Sequence[tuple[Comparison, HypothesisTestResult]]


def pair_table(context: Context, group: Group, identifier: str) -> Table | None:
    """Return the table of the pairs of some comparisons; None where no pair has a number."""
    every = [(comparison, pair) for comparison in group for pair in comparison.pairwise]
    pairs = [pair for _, pair in every]
    if not any(computed(pair) for pair in pairs):
        return None
    parts = [part for builder in BUILDERS if (part := builder(context, every)) is not None]
    if not parts:
        return None
    comparison, confidence = group[0], context.results.study.confidence
    firm = not comparison.family.exploratory
    strong = [firm and decided(pair, confidence) for pair in pairs]
    first = "Model" if singly(comparison) else "Comparison (A − B)"
    level = level_of_alpha(comparison.alpha, context.style)
    bold: list[Words] = [adjusted_words(comparison), p_letter(context), f" at or below {level}"]
    if any(map(bayesian, pairs)):
        bold = [f"a posterior probability above {percent(confidence)}"]
    sizes = list(dict.fromkeys(_size(context, one) for one in group))
    words = {one.metric: context.compared_words(one) for one in group}
    caption = write(
        context,
        TOPIC,
        "caption_of_pairs",
        comparison=comparison,
        pairs=list({frozenset(pair.models): pair for pair in pairs}.values()),
        data=(places := list(dict.fromkeys(one.data for one in group))),
        each=len(group) == len(places) * len(words),
        nouns=[one.brief if len(words) == 1 else one.noun for one in words.values()],
        size=sizes[0] if len(sizes) == 1 else "",
    )
    rows = [
        row(
            pair_name(context, pair),
            *(cell for part in parts for cell in part.cells[k]),
            strong=strong[k],
        )
        for k, pair in enumerate(pairs)
    ]
    if len(group) > 1:
        heads = group_names(context, group, units=True, sizes=len(sizes) > 1)
        shown, rows = iter(rows), []
        for one, head in zip(group, heads, strict=True):
            rows += [heading(head), *islice(shown, len(one.pairwise))]
    whole = table(
        identifier,
        caption,
        [left(first, name="comparison"), *((part.head, part.columns) for part in parts)],
        rows,
        *(note for part in parts for note in part.notes),
        runs("Bold rows: ", *bold, ".") if any(strong) else None,
        *_detectable_notes(context, group),
        *_test_notes(context, group),
    )
    return replace(whole, narrow=narrow_pairs(context, every, whole))


def group_names(
    context: Context, group: Group, *, units: bool = False, sizes: bool = False
) -> list[str]:
    """Return names of comparisons by what differs: the metric, the data set, or both."""
    words = [context.difference_words(comparison) for comparison in group]
    data, made = {comparison.data for comparison in group}, []
    for comparison, one in zip(group, words, strict=True):
        parts = [one.heading] if len({w.name for w in words}) > 1 else []
        parts += [one.units] if parts and units and one.units else []
        parts += [context.data_label(comparison.data or "")] if len(data) > 1 else []
        size = _size(context, comparison) if sizes else ""
        made.append(", ".join(parts) + (f" ({size})" if size else ""))
    return made


def _size(context: Context, comparison: Comparison) -> str:
    """State the rows, or the data sets, of the tests; empty where each model has rows of its own.

    Nothing is stated where it is unknown.
    """
    if comparison.data is None:
        return "" if comparison.ranks is None else count_sets(context, comparison.ranks.n)
    common = {pair.n_common for pair in comparison.pairwise if pair.n_common}
    if common:
        return f"{between(common)} {context.cases(comparison.data)}"
    setting = Setting(comparison.data, comparison.protocol)
    n = context.n_tested(setting, (comparison.metric,))
    counted = {sum(map(sum, pair.table)) for pair in comparison.pairwise if pair.table}
    if not context.estimates(setting, comparison.metric) and len(counted) == 1:
        n = counted.pop()  # judges on the rows with a truth, which other metrics exceed
    known = n is not None and not context.samples(comparison.data)
    units = context.cases(comparison.data)
    return f"{count(n or 0)} {units.removesuffix('s') if n == 1 else units}" if known else ""


def pair_name(context: Context, pair: HypothesisTestResult) -> str:
    """Format a pair as its difference is taken: "Forest − Tree"."""
    return " − ".join(context.model(model) for model in pair.models)


TOPIC = "comparisons"
MOST_NAMED = 8  # pairs that a note names; of more it states how many
MOST_LETTERS = 300  # of their names together: four lines of a page


def pairs_words(pairs: Sequence[object]) -> str:
    """Count pairs: "one pair", "six pairs"."""
    return plural(len(pairs), "pair")


def _detectable_notes(context: Context, group: Group) -> list[Runs]:
    """State the smallest difference that each comparison could have detected."""
    found = [typical_difference(context, one.metric, one.data, one.pairwise) for one in group]
    known = [one for one in found if one is not None]
    joint = group[0].family.resampled
    tests = {"tests": known[:MOST_NAMED], "joint": joint}
    return notes(context, TOPIC, "notes_of_detectable", **tests) if known else []


def _test_notes(context: Context, group: Group) -> list[Runs]:
    """Return every note of the tests once, with its pairs where it is not about all of them."""
    by_note: dict[str, list[str]] = {}
    heads = group_names(context, group) if len(group) > 1 else [""]
    every = [(head, c, p) for head, c in zip(heads, group, strict=True) for p in c.pairwise]
    pairs = [pair for *_, pair in every]
    for head, comparison, pair in every:
        said = tuple(sentence(of_cases(context, note, comparison.data)) for note in pair.notes)
        if pair.lacking is not None:
            said = (f"{NOT_RUN}: {lacking_words(context, pair.lacking)}",)
        for note in said:
            of = head if head == context.data_label(comparison.data or "") else mid_sentence(head)
            name = f"{pair_name(context, pair)}{f' ({of})' if head else ''}"
            by_note.setdefault(note, []).append(name)
    made = []
    for words, found in by_note.items():
        named = ", ".join(found)
        if len(found) > MOST_NAMED or (len(found) > 1 and len(named) > MOST_LETTERS):
            named = pairs_words(found)
        if len(found) < len(pairs):
            words = f"{named}: {words[:1].lower()}{words[1:]}"
        made.append(runs(sentence(words, context.own_names)))
    clusters = [pair.clusters for pair in pairs if pair.clusters is not None]
    whole = {context.groups(c.data) for c in group}
    units = whole.pop() if len(whole) == 1 else "groups"
    return made + ([runs(clusters_words("test", units, clusters))] if clusters else [])


class Part(Struct, frozen=True):
    """Columns that one builder adds: the head over them, the cells of each row, and notes."""

    head: Words
    columns: list[Column | None]
    cells: list[list[Cell]]
    notes: list[Runs] = []


def _counts_columns(context: Context, every: Pairs) -> Part | None:
    """Return the discordant counts, where the tests have a table of two models."""
    tables = [pair.table for _, pair in every]
    if not any(found is not None and len(found) == 2 for found in tables):
        return None
    cells = [
        [dash(), dash()]
        if found is None or len(found) != 2
        else [counted(found[0][1]), counted(found[1][0])]
        for found in tables
    ]
    columns: list[Column | None] = [sortable("A", "only_first_right")]
    columns.append(sortable("B", "only_second_right"))
    said = notes(context, TOPIC, "notes_of_counts", data=every[0][0].data)
    return Part("Only one right", columns, cells, said)


def _statistics_columns(context: Context, every: Pairs) -> Part | None:
    """Return the statistic, with its degrees of freedom in the head where all pairs share them."""
    pairs = [pair for _, pair in every]
    found = [pair for pair in pairs if pair.statistic is not None]
    names = {pair.statistic.name for pair in found if pair.statistic is not None}
    if len(names) != 1:
        return None
    (name,) = names
    dfs = {_df_words(pair) for pair in found}
    shared = dfs.pop() if len(dfs) == 1 else ""
    cells = []
    for pair in pairs:
        s = pair.statistic
        if s is None or s.value is None:
            cells.append([dash()])
            continue
        own = f" {_df_words(pair)}" if pair.df and not shared else ""
        cells.append([printed(statistic(s.value) + own, s.value)])
    return Part("", [sortable(runs(symbol(name), shared), name)], cells)


def _df_words(pair: HypothesisTestResult) -> str:
    return f"({', '.join(map(degrees, pair.df))})" if pair.df else ""


def _differences_columns(context: Context, every: Pairs) -> Part | None:
    """Return the difference with its interval, and the simultaneous one of the family."""
    pairs, comparison = [pair for _, pair in every], every[0][0]
    known = [pair.estimate for pair in pairs if pair.estimate is not None]
    if not known:
        return None
    of_line = {id(one): one for one, _ in every}.values()
    words = {w.name: w for w in map(context.difference_words, of_line)}
    wide = [s for pair in pairs if (s := pair.simultaneous) is not None and _bounded(s)]
    with_bounds = [e for e in known if _bounded(e)]
    own = bool(wide) and all(is_simultaneous(pair) for pair in pairs if pair.estimate is not None)
    wide = [] if own else wide
    alone = singly(comparison)
    columns: list[Column | None] = [sortable("Value" if alone else "A − B", "difference")]
    if with_bounds:
        level = " / ".join(dict.fromkeys(percent(e.level) for e in with_bounds))
        columns.append(right(f"{level} CI", "interval", muted=True))
    if wide:
        short = "FCR" if wide[0].selected else "Simult."
        columns.append(right(f"{short} {percent(wide[0].level)} CI", "simultaneous", muted=True))
    said = notes(
        context,
        TOPIC,
        "notes_of_differences",
        alone=alone,
        metrics=list(words.values()) if len(words) == 1 else [],
        size=comparison.family.size,
        order=order_words(pairs),
        levels=list(dict.fromkeys(e.level for e in with_bounds)),
        methods=list(dict.fromkeys(e.method for e in with_bounds)),
        jointly=own and bool(with_bounds),
        wide=wide[0] if wide else None,
        how_wide=simultaneous_words(context, pairs),
        same=any(not _bounded(value) and value.low == 0 for value in known),
        of_fold_means=not alone and any(is_of_fold_means(context, c) for c in of_line),
    )
    cells = []
    scales = {one.metric: context.difference_scale(one) for one in of_line}
    for one, pair in every:
        scale = scales[one.metric]
        value = pair.estimate.value if pair.estimate is not None else None
        made = [number(value, scale, signed=True, null=0.0)]
        made += [_interval(pair.estimate, scale)] if with_bounds else []
        made += [_interval(pair.simultaneous, scale)] if wide else []
        cells.append(made)
    kinds = {e.name.partition("difference")[0] for e in known}
    kind, units = f"{kinds.pop() if len(kinds) == 1 else ''}difference", ""
    if len(words) == 1:  # else rows are grouped by the metric
        (metric,) = words.values()
        kind = f"{kind} in {metric.brief}"
        units = f", {metric.units}" if metric.units else ""
    head = sentence(known[0].name if alone else kind).rstrip(".")
    return Part(head + units, columns, cells, said)


def _bounded(found: Difference | SimultaneousInterval) -> bool:
    """Return whether an interval has a bound, and a width unless it is all at a difference."""
    if found.low is None and found.high is None:
        return False
    return not found.low == found.high == 0


def _interval(found: Difference | SimultaneousInterval | None, scale: Scale) -> Cell:
    return dash() if found is None or not _bounded(found) else interval_cell(found, scale, 0.0)


def _effects_columns(context: Context, every: Pairs) -> Part | None:
    """Return the columns of the effect size that is shown."""
    by_pair = [{effect.name: effect for effect in pair.effects} for _, pair in every]
    first = shown_effect([effect for _, pair in every for effect in pair.effects])
    if first is None:
        return None
    name, odds = first.name, first.scale == "odds"
    found = [effects.get(name) for effects in by_pair]
    with_value = [effect for effect in found if effect is not None]
    confidence = context.results.study.confidence
    errors = (error_of_bounds(e.low, e.high, confidence, e.draws) for e in with_value)
    error = max((error for error in errors if error is not None), default=None)
    scale, null = Scale(settled_decimals(2, error)), 1.0 if odds else 0.0
    if odds:
        halves = [half_width(effect.low, effect.high) for effect in with_value]
        scale = ratio_scale([effect.value for effect in with_value], halves)
    has_bounds = any(e is not None and e.low is not None for e in found)
    cells = []
    for e in found:
        shown = dash() if e is None else printed(effect_text(e, context.style, scale), e.value)
        cells.append([shown, interval_cell(e, scale, null)] if has_bounds else [shown])
    level = percent(confidence)
    columns: list[Column | None] = [sortable("A : B" if odds else "Est.", name)]
    columns.append(right(f"{level} CI", f"{name} interval", muted=True) if has_bounds else None)
    record = context.method("effect", name)
    summary = record.summary.rstrip(".").replace("d_z", "d") if record is not None else ""
    facts = {"odds": odds, "bounded": has_bounds, "name": effect_name(first), "summary": summary}
    said = notes(context, TOPIC, "notes_of_effects", **facts)
    return Part(effect_name(first), columns, cells, said)


def _posteriors_columns(context: Context, every: Pairs) -> Part | None:
    """Return the three probabilities of a Bayesian test."""
    if not any("p_first" in pair.extra for _, pair in every):
        return None
    cells = [
        [
            printed(probability(value, context.style, pair.mc_se), value)
            for value in map(pair.extra.get, POSTERIOR)
        ]
        for _, pair in every
    ]
    heads = ("A better", "Region", "B better")
    columns: list[Column | None] = [*map(sortable, heads, POSTERIOR)]
    ropes = []
    for name, width in dict.fromkeys((c.metric, pair.extra.get("rope")) for c, pair in every):
        metric = context.metric(name)
        if width is not None:
            ropes.append(stated_amount(metric, width))
    facts = {"exploratory": every[0][0].family.exploratory, "ropes": list(dict.fromkeys(ropes))}
    said = notes(context, TOPIC, "notes_of_posteriors", **facts)
    return Part("Posterior probability", columns, cells, said)


def wins_ties_losses(comparison: Comparison) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Count for each pair on how many of the data sets that its test used each was better."""
    found = comparison.ranks.win_tie_loss if comparison.ranks is not None else ()
    made: dict[tuple[str, ...], tuple[Any, ...]] = {
        (str(r[0]), str(r[1])): tuple(r[2:5]) for r in found
    }
    for pair in comparison.pairwise:
        own = tuple(pair.extra.get(key) for key in ("wins", "ties", "losses"))
        if None not in own and len(pair.models) == 2:
            made[pair.models[0], pair.models[1]] = own
            made.pop((pair.models[1], pair.models[0]), None)
    return {**made, **{(second, first): row[::-1] for (first, second), row in made.items()}}


def _wins_columns(context: Context, every: Pairs) -> Part | None:
    """Return on how many data sets A was better, neither, and B, in a comparison across them."""
    comparison = every[0][0]
    if comparison.ranks is None or not comparison.ranks.win_tie_loss:
        return None
    counts = wins_ties_losses(comparison)
    rows = [counts.get(pair.models, (None, None, None)) for pair in comparison.pairwise]
    sizes = [None if None in row else sum(row) for row in rows]
    differ = len({comparison.ranks.n, *sizes} - {None}) > 1
    cells = [
        [*map(counted, row), *([counted(n)] if differ else [])]
        for row, n in zip(rows, sizes, strict=True)
    ]
    columns: list[Column | None] = [
        *map(sortable, ("A", "Tie", "B"), ("wins", "ties", "losses")),
        sortable(Emphasis(runs("n")), "n") if differ else None,
    ]
    head = f"{capitalised(context.sets)} won by"
    return Part(head, columns, cells, notes(context, TOPIC, "notes_of_wins") if differ else [])


def _p_values_columns(context: Context, every: Pairs) -> Part | None:
    """Return p as tested and, where the family is corrected, as adjusted."""
    pairs, comparison = [pair for _, pair in every], every[0][0]
    alpha = comparison.alpha
    if all(pair.p is None for pair in pairs) or any(bayesian(pair) for pair in pairs):
        return None
    letter = p_letter(context)
    if not adjusted_words(comparison) or all(pair.p_adjusted is None for pair in pairs):
        cells = [[p_of(context, p.p, alpha, p.mc_se)] for p in pairs]
        return Part("", [sortable(letter, "p")], cells)
    cells = [
        [p_of(context, p, alpha, pair.mc_se) for p in (pair.p, pair.p_adjusted)] for pair in pairs
    ]
    name = comparison.family.adjective or "Adjusted"
    return Part(letter, [sortable("Unadj.", "p"), sortable(name, "p_adjusted")], cells)


NEARLY = 1e-9  # differences of values closer than this are the same


def is_of_fold_means(context: Context, comparison: Comparison) -> bool:
    """Return whether a pair's difference is that of the fold means and not of the estimates."""
    setting = context.comparison_setting(comparison)
    if setting is None or not context.compared_on_estimates(comparison):
        return False
    for pair in comparison.pairwise:
        if len(pair.models) != 2:  # a model against a number
            continue
        first, second = (context.estimate(setting, m, comparison.metric) for m in pair.models)
        found = pair.estimate.value if pair.estimate is not None else None
        if first is None or second is None or found is None:
            continue
        if None in (first.value, second.value, first.fold_mean, second.fold_mean):
            continue
        pooled = (first.value or 0.0) - (second.value or 0.0)
        folds = (first.fold_mean or 0.0) - (second.fold_mean or 0.0)
        if abs(pooled - found) > NEARLY and abs(folds - found) <= NEARLY:
            return True
    return False


BUILDERS = (
    _counts_columns,
    _wins_columns,
    _statistics_columns,
    _differences_columns,
    _effects_columns,
    _posteriors_columns,
    _p_values_columns,
)
"""The builders of columns, in the order of the page."""
