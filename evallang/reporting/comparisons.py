"""Comparisons: the omnibus test, every pair with estimate, intervals and p, and the groups."""

from collections.abc import Sequence

from evallang.reporting.context import Context, mid_sentence
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Figure,
    Heading,
    Number,
    Panel,
    Paragraph,
    Ref,
    Row,
    Runs,
    Spanner,
    Strong,
    Table,
    Text,
    listed,
    runs,
)
from evallang.reporting.estimates import interval_cell
from evallang.reporting.figures.grouping import decision_matrix, grouping_diagram
from evallang.reporting.groups import are_stretches, groups
from evallang.reporting.numbers import (
    Scale,
    bounded,
    count,
    degrees,
    fixed,
    level_of_alpha,
    percent,
    ratio_scale,
    statistic,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import (
    ADJUSTED,
    RATIOS,
    adjusted_words,
    effect_name,
    effect_text,
    number_word,
    p_cell,
    p_letter,
    sentence,
    symbol,
    test_runs,
    variant_words,
)
from evallang.results.records import Comparison, Effect, HypothesisTestResult

MOST_MODELS_IN_MATRIX = 10


@SECTIONS.register(SectionDeclaration(order=30), title="Comparisons")
def comparisons(context: Context) -> Sequence[Block]:
    """Give each comparison in the order of the study file."""
    blocks: list[Block] = []
    found = context.results.comparisons
    for number, comparison in enumerate(found, start=1):
        if len(found) > 1:
            blocks.append(Heading(_heading(context, comparison), f"comparison-{number}"))
        blocks += _comparison(context, comparison, number)
    return blocks


def _heading(context: Context, comparison: Comparison) -> str:
    metric = context.metric(comparison.metric)
    words = f"{metric.title}: {comparison.source.removeprefix('compare ')}"
    if len(context.results.data) > 1:
        words += f", {context.data_label(comparison.data)}"
    return words


def _comparison(context: Context, comparison: Comparison, number: int) -> list[Block]:
    table_id, figure_id = f"table-comparison-{number}", f"figure-comparison-{number}"
    figure = _figure(context, comparison, figure_id)
    refs = runs(Ref(table_id)) if comparison.pairwise else ()
    if figure is not None:
        refs += runs(", ", Ref(figure_id))
    blocks: list[Block] = [Paragraph(_summary(context, comparison, refs))]
    if comparison.ranks is not None:
        blocks.append(_ranks_table(context, comparison, f"table-ranks-{number}"))
    if comparison.pairwise:
        blocks.append(_table(context, comparison, table_id))
    if figure is not None:
        blocks.append(figure)
    return blocks


def _summary(context: Context, comparison: Comparison, refs: Runs) -> Runs:
    metric = context.metric(comparison.metric)
    made: Runs = ()
    where = runs(" (", refs, ")") if refs else ()
    omnibus = comparison.omnibus
    if omnibus is not None:
        test = test_runs(context, omnibus, comparison.alpha)
        null = omnibus.null.rstrip(".")
        if comparison.family.exploratory or omnibus.reject is None:
            made += runs(test, f", for the null hypothesis that {null}. ")
        else:
            verb = "rejected" if omnibus.reject else "did not reject"
            made += runs(test, f", {verb} the hypothesis that {null}. ")
    pairs = comparison.pairwise
    if not comparison.performed:
        made += runs("The pairs were not tested", where)
        if comparison.reason:
            made += runs(f": {comparison.reason.rstrip('.')}")
        return made + runs("; their estimates and intervals are given all the same.")
    if comparison.family.exploratory:
        return made + runs(
            Strong(runs("Exploratory")),
            f": {_pairs_words(pairs)} compared in {metric.noun} without decisions", where, ".",
        )  # fmt: skip
    if not pairs:
        return made
    if all(pair.reject is None for pair in pairs):
        title = mid_sentence(context.method_title("test", pairs[0].test))
        subject = "One pair was" if len(pairs) == 1 else f"{count(len(pairs))} pairs were"
        return made + runs(f"{subject} compared with the {title}", where, ".")
    rejected = sum(bool(pair.reject) for pair in pairs)
    after = ""
    if adjusted_words(comparison):
        words = adjusted_words(comparison).strip().removesuffix("-adjusted")
        after = f" after {words}’s adjustment" if words != "adjusted" else " after adjustment"
        after += f" over {count(comparison.family.size)} tests"
    if len(pairs) == 1:
        test = test_runs(context, pairs[0], comparison.alpha) if omnibus is None else ()
        null = pairs[0].null.rstrip(".")
        verb = "rejected" if pairs[0].reject else "did not reject"
        if test:
            return made + runs(test, f", {verb} the hypothesis that {null}{after}", where, ".")
    verb = "was separated" if rejected == 1 else "were separated"
    total = count(len(pairs))
    return made + runs(f"Of {total} pairs, {number_word(rejected)} {verb}{after}", where, ".")


def _pairs_words(pairs: Sequence[HypothesisTestResult]) -> str:
    return "one pair" if len(pairs) == 1 else f"{count(len(pairs))} pairs"


def _table(context: Context, comparison: Comparison, identifier: str) -> Table:
    pairs = comparison.pairwise
    columns = [Column(runs("Comparison (A − B)"), "left", name="comparison")]
    spanners: list[Spanner] = []
    rows: list[list[Cell]] = [
        [Cell(runs(" − ".join(context.model(model) for model in pair.models)))] for pair in pairs
    ]
    notes: list[Runs] = []
    builders = (_counts, _statistics, _differences, _effects, _posteriors, _p_values)
    for builder in builders:
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
    strong = [bool(pair.reject) and not comparison.family.exploratory for pair in pairs]
    if any(strong):
        notes.append(
            runs("Bold rows: ", adjusted_words(comparison), p_letter(context),
                 f" at or below {level_of_alpha(comparison.alpha)}.")
        )  # fmt: skip
    notes += _test_notes(context, pairs)
    test = context.method_title("test", pairs[0].test)
    variants = dict.fromkeys(variant_words(pair) for pair in pairs if pair.variant)
    variant = f" ({', '.join(variants)})" if variants else ""
    caption = f"{test}{variant} for {_pairs_words(pairs)}"
    if len(context.results.data) > 1:
        caption += f", {context.data_label(comparison.data)}"
    body = tuple(Row(tuple(row), bold) for row, bold in zip(rows, strong, strict=True))
    return Table(
        identifier, runs(caption + "."), tuple(columns), body, tuple(spanners), tuple(notes)
    )


Part = tuple[Runs, list[Column], list[list[Cell]], list[Runs]]
"""Columns that one builder adds: their spanner, heads, cells of each row, notes."""


def _counts(context: Context, comparison: Comparison) -> Part | None:
    """Give the discordant counts, where the tests have a table of two models."""
    pairs = comparison.pairwise
    if not any(pair.table is not None and len(pair.table) == 2 for pair in pairs):
        return None
    cells = []
    for pair in pairs:
        if pair.table is None or len(pair.table) != 2:
            cells.append([_dash(), _dash()])
            continue
        b, c = pair.table[0][1], pair.table[1][0]
        cells.append([_number(count(b), b), _number(count(c), c)])
    columns = [
        Column(runs("A"), sortable=True, name="only_first_right"),
        Column(runs("B"), sortable=True, name="only_second_right"),
    ]
    unit = context.cases(comparison.data)
    note = runs(f"“Only one right” counts the discordant {unit} that the test uses.")
    return runs("Only one right"), columns, cells, [note]


def _statistics(context: Context, comparison: Comparison) -> Part | None:
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
            cells.append([_dash()])
            continue
        own = "" if shared or not pair.df else f" ({', '.join(degrees(v) for v in pair.df)})"
        cells.append([_number(statistic(s.value) + own, s.value)])
    return (), [Column(head, sortable=True, name=found[0].name)], cells, []


def _differences(context: Context, comparison: Comparison) -> Part | None:
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
        words = ", ".join(
            dict.fromkeys(mid_sentence(context.method_title("interval", s.method)) for s in wide)
        )
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


def _effects(context: Context, comparison: Comparison) -> Part | None:
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
        return [_dash()] * (2 if bounds else 1)
    cells = [Cell(runs(Number(effect_text(effect, scale), effect.value)), effect.value)]
    if bounds:
        cells.append(interval_cell(effect, scale, null=null))
    return cells


def _posteriors(context: Context, comparison: Comparison) -> Part | None:
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


def _p_values(context: Context, comparison: Comparison) -> Part | None:
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


def _test_notes(context: Context, pairs: Sequence[HypothesisTestResult]) -> list[Runs]:
    """Give every note of the tests once, with its pairs where it is not about all of them."""
    by_note: dict[str, list[str]] = {}
    for pair in pairs:
        for note in pair.notes:
            names = " − ".join(context.model(model) for model in pair.models)
            by_note.setdefault(note, []).append(names)
    notes = []
    for note, names in by_note.items():
        lead = "" if len(names) == len(pairs) else f"{', '.join(names)}: "
        words = note if lead else sentence(note)
        notes.append(runs(lead + words if not lead else sentence(lead + words)))
    clusters = [pair.clusters for pair in pairs if pair.clusters is not None]
    if clusters:
        effect = clusters[0].design_effect
        words = f"Clustered form over {count(clusters[0].n)} groups"
        if effect is not None:
            words += f", design effect {fixed(effect, Scale(2))}"
        notes.append(runs(words + "."))
    return notes


def _figure(context: Context, comparison: Comparison, identifier: str) -> Figure | None:
    """Draw the groups and the matrix, where every pair was decided."""
    setting = context.comparison_setting(comparison)
    metric = context.metric(comparison.metric)
    if comparison.data is None:
        return _rank_figure(context, comparison, identifier)
    if setting is None:
        return None
    ordered = context.models_best_first(setting, comparison.metric)
    found = groups(ordered, comparison)
    ordered = tuple(name for name in ordered if any(name in members for members in found))
    values = {name: context.estimate(setting, name, comparison.metric) for name in ordered}
    numbers = {n: e.value for n, e in values.items() if e is not None and e.value is not None}
    if not found or len(numbers) < len(ordered):
        return None
    labels = {name: context.model(name) for name in ordered}
    scale = context.scale(setting, comparison.metric)
    unit = f"{metric.title} (%)" if metric.percent else metric.title
    svg, alt = grouping_diagram(labels, numbers, found, scale, unit,
                                reverse=not metric.higher_is_better)  # fmt: skip
    panels = [Panel(svg, alt, runs("Models that were not separated"))]
    caption = runs(
        Strong(runs("a")), f", models on the scale of {metric.noun}, best at the right; a bar "
        "joins models of which no pair was separated (open points mark its members). ",
        _overlap(context, ordered, found),
    )  # fmt: skip
    if len(ordered) <= MOST_MODELS_IN_MATRIX:
        svg, alt = decision_matrix(context, comparison, ordered)
        words = adjusted_words(comparison)
        title = runs(words[:1].upper() + words[1:], p_letter(context), " and differences")
        panels.append(Panel(svg, alt, title))
        points = " in points" if metric.percent else ""
        caption += runs(
            Strong(runs("b")), ", below the diagonal, ", words, p_letter(context),
            f" (filled: at or below {level_of_alpha(comparison.alpha)}); above, difference"
            f"{points} (row minus column).",
        )  # fmt: skip
    return Figure(identifier, caption, tuple(panels))


def _overlap(context: Context, ordered: Sequence[str], found: Sequence[Sequence[str]]) -> Runs:
    shared = [name for name in ordered if sum(name in members for members in found) > 1]
    words: list[str] = []
    if shared:
        names = "".join(
            run.text for run in listed([runs(context.model(name)) for name in shared])
            if isinstance(run, Text)
        )  # fmt: skip
        words.append(f"Groups overlap: {names} {'is' if len(shared) == 1 else 'are'} in several.")
    if not are_stretches(ordered, found):
        words.append("A bar may pass over a model that does not belong to it; the matrix is exact.")
    return runs(" ".join(words) + " " if words else "")


def _rank_figure(context: Context, comparison: Comparison, identifier: str) -> Figure | None:
    ranks = comparison.ranks
    if ranks is None:
        return None
    ordered = sorted(ranks.average, key=ranks.average.__getitem__)
    found = groups(ordered, comparison)
    if not found:
        return None
    labels = {name: context.model(name) for name in ordered}
    svg, alt = grouping_diagram(
        labels, dict(ranks.average), found, Scale(2), "Average rank", reverse=True
    )
    caption = runs(
        f"Average ranks over {count(ranks.n)} data sets, best at the right; a bar joins models "
        "of which no pair was separated (open points mark its members). ",
        _overlap(context, ordered, found),
    )
    if ranks.critical_difference is not None:
        size = fixed(ranks.critical_difference, Scale(2))
        caption += runs(f"Critical difference {size}.")
    return Figure(identifier, caption, (Panel(svg, alt, runs("Average ranks")),))


def _ranks_table(context: Context, comparison: Comparison, identifier: str) -> Table:
    ranks = comparison.ranks
    average = dict(ranks.average) if ranks is not None else {}
    rows = tuple(
        Row((Cell(runs(context.model(name))), _number(fixed(value, Scale(2)), value)))
        for name, value in sorted(average.items(), key=lambda item: item[1])
    )
    columns = (
        Column(runs("Model"), "left"),
        Column(runs("Average rank"), sortable=True, name="rank"),
    )
    notes = [runs("Rank 1 is the best; ties share their mean rank.")]
    if ranks is not None and ranks.critical_difference is not None:
        size = fixed(ranks.critical_difference, Scale(2))
        notes.append(runs(f"Critical difference at {level_of_alpha(comparison.alpha)}: {size}."))
    n = count(ranks.n) if ranks is not None else ""
    return Table(identifier, runs(f"Average ranks over {n} data sets."), columns, rows,
                 notes=tuple(notes))  # fmt: skip


def _number(text: str, value: float | None) -> Cell:
    return Cell(runs(Number(text, value)), None if value is None else float(value))


def _dash() -> Cell:
    return Cell(runs(fixed(None, Scale(0))))
