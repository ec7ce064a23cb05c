"""The table of all pairs of a comparison, and the notes of their tests."""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from evallang.reporting.cells import count_cell, dash, interval_cell, number_cell
from evallang.reporting.context import Context, half_width
from evallang.reporting.decisions import (
    bayesian,
    computed,
    decided,
    is_simultaneous,
    lacking_words,
)
from evallang.reporting.document import (
    Cell,
    Column,
    Emphasis,
    Number,
    Row,
    Runs,
    Spanner,
    Table,
    listed,
    runs,
)
from evallang.reporting.letter_case import capitalised, mid_sentence
from evallang.reporting.narrow_tables import narrow_pairs
from evallang.reporting.numbers import (
    Scale,
    count,
    degrees,
    fixed,
    level_of_alpha,
    percent,
    probability,
    ratio_scale,
    scale_of,
    statistic,
)
from evallang.reporting.one_model import singly
from evallang.reporting.orientation import order_words
from evallang.reporting.wording import (
    adjusted_words,
    amount,
    effect_name,
    effect_text,
    family_words,
    further_variants,
    number_word,
    p_cell,
    p_letter,
    plural,
    sentence,
    simultaneous_words,
    symbol,
)
from evallang.results.records import (
    Comparison,
    Difference,
    Effect,
    Estimate,
    HypothesisTestResult,
    SimultaneousInterval,
)
from evallang.results.statistics import NOT_RUN, shown_effect

Ends = TypeVar("Ends", int, float)


def pair_table(context: Context, comparison: Comparison, identifier: str) -> Table | None:
    """Return the table of the pairs; None where no pair has a number."""
    pairs = comparison.pairwise
    if not any(computed(pair) for pair in pairs):
        return None
    first = "Model" if singly(comparison) else "Comparison (A − B)"
    columns = [Column(runs(first), "left", name="comparison")]
    spanners: list[Spanner] = []
    rows: list[list[Cell]] = [[Cell(runs(pair_name(context, pair)))] for pair in pairs]
    notes: list[Runs] = []
    for builder in BUILDERS:
        made = builder(context, comparison)
        if made is None:
            continue
        head, added, cells, words = made
        start = len(columns)
        columns += added
        if head:
            spanners.append(Spanner(head, start, len(columns) - 1))
        for row, more in zip(rows, cells, strict=True):
            row.extend(more)
        notes += words
    if len(columns) == 1:
        return None
    confidence = context.results.study.confidence
    firm = not comparison.family.exploratory
    strong = [firm and decided(pair, confidence) for pair in pairs]
    if any(strong):
        notes.append(_bold(context, comparison))
    notes += _test_notes(context, pairs)
    caption = _caption(context, comparison)
    body = tuple(Row(tuple(row), bold) for row, bold in zip(rows, strong, strict=True))
    whole = Table(
        identifier, runs(caption + "."), tuple(columns), body, tuple(spanners), tuple(notes)
    )
    names = [pair_name(context, pair) for pair in pairs]
    return replace(whole, narrow=narrow_pairs(context, comparison, names, whole))


def pair_name(context: Context, pair: HypothesisTestResult) -> str:
    """Format a pair as its difference is taken: "Forest − Tree"."""
    return " − ".join(context.model(model) for model in pair.models)


MOST_NAMED = 8  # pairs that a note names; of more it states how many
MOST_LETTERS = 300  # of their names together: four lines of a page


def pairs_words(pairs: Sequence[object]) -> str:
    """Count pairs: "one pair", "six pairs"."""
    return plural(len(pairs), "pair")


def _bold(context: Context, comparison: Comparison) -> Runs:
    if any(bayesian(pair) for pair in comparison.pairwise):
        level = percent(context.results.study.confidence)
        return runs(f"Bold rows: a posterior probability above {level}.")
    level = level_of_alpha(comparison.alpha, context.style)
    return runs("Bold rows: ", adjusted_words(comparison), p_letter(context),
                f" at or below {level}.")  # fmt: skip


def _caption(context: Context, comparison: Comparison) -> str:
    pairs = comparison.pairwise
    test = context.method_title("test", pairs[0].test)
    shown = further_variants(context, pairs, test)
    variant = f" ({', '.join(shown)})" if shown else ""
    noun = context.compared_words(comparison).noun
    about = pairs_words(pairs)
    if singly(comparison):
        about = plural(len(pairs), "model")
    caption = f"{test}{variant} of {noun} for {about}"
    if comparison.omnibus is not None and not comparison.performed:
        caption = f"Differences in {noun} for {about}, which were not tested"
    if len(context.results.data) > 1:
        caption += f", {context.data_label(comparison.data)}"
    return caption


def _test_notes(context: Context, pairs: Sequence[HypothesisTestResult]) -> list[Runs]:
    """Return every note of the tests once, with its pairs where it is not about all of them."""
    by_note: dict[str, list[str]] = {}
    for pair in pairs:
        for note in _notes_of(context, pair):
            by_note.setdefault(note, []).append(pair_name(context, pair))
    notes = []
    for words, found in by_note.items():
        named = ", ".join(found)
        if len(found) > MOST_NAMED or (len(found) > 1 and len(named) > MOST_LETTERS):
            named = pairs_words(found)
        lead = "" if len(found) == len(pairs) else f"{named}: "
        words = lead + (words if not lead else _lower(words))
        notes.append(runs(sentence(words, context.own_names)))
    if clusters := _clusters(pairs):
        notes.append(clusters)
    return notes


def _notes_of(context: Context, pair: HypothesisTestResult) -> tuple[str, ...]:
    """Return the notes of a pair as sentences, or why it was not computed."""
    if pair.lacking is not None:
        return (f"{NOT_RUN}: {lacking_words(context, pair.lacking)}",)
    return tuple(map(sentence, pair.notes))


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _clusters(pairs: Sequence[HypothesisTestResult]) -> Runs:
    """State over how many groups clustered tests were made, and what the groups cost."""
    found = [pair.clusters for pair in pairs if pair.clusters is not None]
    if not found:
        return ()
    sizes = sorted({item.n for item in found})
    noun = "group" if sizes == [1] else "groups"
    words = (
        f"Whole groups are the units of the test: {' to '.join(map(count, _ends(sizes)))} {noun}"
    )
    effects = sorted({item.design_effect for item in found if item.design_effect is not None})
    if effects:
        ends = [fixed(value, Scale(2)) for value in _ends(effects)]
        words += f", design effect {' to '.join(dict.fromkeys(ends))}"
    return runs(words + ".")


def _ends(values: Sequence[Ends]) -> list[Ends]:
    return [values[0]] if len(values) == 1 else [values[0], values[-1]]


Part = tuple[Runs, list[Column], list[list[Cell]], list[Runs]]
"""Columns that one builder adds: their spanner, heads, cells of each row, notes."""


def _counts_columns(context: Context, comparison: Comparison) -> Part | None:
    """Return the discordant counts, where the tests have a table of two models."""
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


def _statistics_columns(context: Context, comparison: Comparison) -> Part | None:
    """Return the statistic, with its degrees of freedom in the head where all pairs share them."""
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


def _differences_columns(context: Context, comparison: Comparison) -> Part | None:
    """Return the difference with its interval, and the simultaneous one of the family."""
    pairs = comparison.pairwise
    estimates = [pair.estimate for pair in pairs]
    known = [e for e in estimates if e is not None]
    if not known:
        return None
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    wide = [s for pair in pairs if (s := pair.simultaneous) is not None and _bounded(s)]
    with_bounds = [e for e in known if _bounded(e)]
    own = bool(wide) and all(is_simultaneous(pair) for pair in pairs if pair.estimate is not None)
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
        what = "Value minus the threshold" if alone else f"Difference, {order_words(pairs)}"
        notes.append(runs(f"{what}: {level} {words}."))
        if own:
            size = number_word(comparison.family.size)
            notes.append(
                runs(
                    f"The intervals are simultaneous: they hold for all {size} comparisons jointly."
                )
            )
    if wide:
        level = percent(wide[0].level)
        short = "FCR" if wide[0].selected else "Simult."
        columns.append(Column(runs(f"{short} {level} CI"), muted=True, name="simultaneous"))
        words = simultaneous_words(context, pairs)
        tests = f"{number_word(comparison.family.size)} tests"
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
    if not alone and is_of_fold_means(context, comparison):
        notes.append(runs(FOLD_MEANS_NOTE))
    head = sentence(known[0].name).rstrip(".") if alone else f"{_kind(known)} in {metric.noun}"
    head += ", points" if metric.percent else ""
    return runs(head), columns, cells, notes


def _kind(found: Sequence[Difference]) -> str:
    """State the difference: "Difference", or "Pseudo-median difference" where all are one."""
    kinds = {e.name.partition("difference")[0] for e in found}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return sentence(f"{kind}difference").rstrip(".")


def _bounded(found: Difference | SimultaneousInterval) -> bool:
    """Return whether an interval has a bound, and a width unless it is all at a difference."""
    if found.low is None and found.high is None:
        return False
    return not found.low == found.high == 0


def _difference_cell(found: Difference | SimultaneousInterval | None, scale: Scale) -> Cell:
    return dash() if found is None or not _bounded(found) else interval_cell(found, scale, null=0.0)


def _effects_columns(context: Context, comparison: Comparison) -> Part | None:
    """Return the columns of the effect size that is shown."""
    by_pair = [{effect.name: effect for effect in pair.effects} for pair in comparison.pairwise]
    first = shown_effect([effect for pair in comparison.pairwise for effect in pair.effects])
    if first is None:
        return None
    name, odds = first.name, first.scale == "odds"
    found = [effects.get(name) for effects in by_pair]
    scale = Scale(2)
    null = 1.0 if odds else 0.0
    if odds:
        with_value = [effect for effect in found if effect is not None]
        halves = [half_width(effect.low, effect.high) for effect in with_value]
        scale = ratio_scale([effect.value for effect in with_value], halves)
    bounds = any(e is not None and e.low is not None for e in found)
    cells = [_effect_cells(context, effect, scale, null, bounds=bounds) for effect in found]
    head = runs("A : B") if odds else runs("Est.")
    level = percent(context.results.study.confidence)
    columns = [Column(head, sortable=True, name=name)]
    if bounds:
        columns.append(Column(runs(f"{level} CI"), muted=True, name=f"{name} interval"))
    return effect_name(first), columns, cells, _effect_notes(context, first, bounds=bounds)


def _effect_notes(context: Context, effect: Effect, *, bounds: bool) -> list[Runs]:
    """State what an effect size is, and by which method it has its interval."""
    if effect.scale == "odds" and not bounds:
        return [runs("Odds ratio: A : B, of the discordant pairs.")]
    if effect.scale == "odds":
        words = (
            "Odds ratio: A : B, of the discordant pairs, with the exact interval implied by the "
        )
        return [runs(words + "Clopper–Pearson interval for A / (A + B).")]
    record = context.method("effect", effect.name)
    if record is None:
        return []
    summary = record.summary[:1].lower() + record.summary[1:]
    return [runs(effect_name(effect), ": ", summary.rstrip(".").replace("d_z", "d"), ".")]


def _effect_cells(
    context: Context, effect: Effect | None, scale: Scale, null: float, *, bounds: bool
) -> list[Cell]:
    if effect is None:
        return [dash()] * (2 if bounds else 1)
    text = effect_text(effect, context.style, scale)
    cells = [Cell(runs(Number(text, effect.value)), effect.value)]
    if bounds:
        cells.append(interval_cell(effect, scale, null=null))
    return cells


def _posteriors_columns(context: Context, comparison: Comparison) -> Part | None:
    """Return the three probabilities of a Bayesian test."""
    pairs = comparison.pairwise
    keys = ("p_first", "p_rope", "p_second")
    if not any("p_first" in pair.extra for pair in pairs):
        return None
    cells = [
        [
            Cell(
                runs(Number(probability(pair.extra.get(key), context.style), pair.extra.get(key))),
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
    level = percent(context.results.study.confidence)
    firm = not comparison.family.exploratory
    decision = f" A pair is decided when one exceeds {level}; there is no p to correct."
    notes = [
        runs(
            "Posterior probabilities that A is better, that the difference lies in the region of "
            "practical equivalence, and that B is better." + (decision if firm else "")
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


def _wins_columns(context: Context, comparison: Comparison) -> Part | None:
    """Return on how many data sets A was better, neither, and B, in a comparison across them."""
    if comparison.ranks is None or not comparison.ranks.win_tie_loss:
        return None
    counts = wins_ties_losses(comparison)
    rows = [counts.get(pair.models, (None, None, None)) for pair in comparison.pairwise]
    sizes = [None if None in row else sum(row) for row in rows]
    cells = [[count_cell(value) for value in row] for row in rows]
    if len({comparison.ranks.n, *sizes} - {None}) > 1:
        note = f"n: {context.sets} with a score of both models, which the test of the pair used."
        cells = [[*row, count_cell(n)] for row, n in zip(cells, sizes, strict=True)]
    else:
        note = ""
    columns = [
        Column(runs("A"), sortable=True, name="wins"),
        Column(runs("Tie"), sortable=True, name="ties"),
        Column(runs("B"), sortable=True, name="losses"),
        *([Column(runs(Emphasis(runs("n"))), sortable=True, name="n")] if note else []),
    ]
    return runs(f"{capitalised(context.sets)} won by"), columns, cells, [runs(note)] if note else []


def _p_values_columns(context: Context, comparison: Comparison) -> Part | None:
    """Return p as tested and, where the family is corrected, as adjusted."""
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


NEARLY = 1e-9  # differences of values closer than this are the same
FOLD_MEANS_NOTE = (
    "Differences are between means over folds, but the estimates pool the rows of a repeat, so "
    "the two can differ slightly."
)


def is_of_fold_means(context: Context, comparison: Comparison) -> bool:
    """Return whether a pair's difference is that of the fold means and not of the estimates."""
    setting = context.comparison_setting(comparison)
    if setting is None or not context.compared_on_estimates(comparison):
        return False
    for pair in comparison.pairwise:
        first, second = (context.estimate(setting, m, comparison.metric) for m in pair.models)
        found = pair.estimate.value if pair.estimate is not None else None
        if first is None or second is None or found is None:
            continue
        pooled, folds = _gap(first.value, second.value), _fold_gap(first, second)
        if pooled is None or folds is None or abs(pooled - found) <= NEARLY:
            continue
        if abs(folds - found) <= NEARLY:
            return True
    return False


def _fold_gap(first: Estimate, second: Estimate) -> float | None:
    return _gap(first.fold_mean, second.fold_mean)


def _gap(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


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
