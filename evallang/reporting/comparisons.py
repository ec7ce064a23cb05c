"""Comparisons: the omnibus test, every pair with estimate, intervals and p, and the groups."""

from collections.abc import Sequence

from evallang.reporting import pair_columns
from evallang.reporting.cells import number_cell
from evallang.reporting.context import Context, mid_sentence
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Figure,
    Heading,
    Panel,
    Paragraph,
    Ref,
    Row,
    Runs,
    Spanner,
    Strong,
    Table,
    listed,
    runs,
)
from evallang.reporting.figures.grouping import decision_matrix, grouping_diagram
from evallang.reporting.groups import are_stretches, groups
from evallang.reporting.numbers import (
    Scale,
    count,
    fixed,
    level_of_alpha,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import (
    adjusted_words,
    number_word,
    p_letter,
    sentence,
    test_runs,
    variant_words,
)
from evallang.results.records import Comparison, HypothesisTestResult

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
    builders = (
        pair_columns.counts,
        pair_columns.statistics,
        pair_columns.differences,
        pair_columns.effects,
        pair_columns.posteriors,
        pair_columns.p_values,
    )
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


def _test_notes(context: Context, pairs: Sequence[HypothesisTestResult]) -> list[Runs]:
    """Give every note of the tests once, with its pairs where it is not about all of them."""
    by_note: dict[str, list[str]] = {}
    for pair in pairs:
        for note in pair.notes:
            names = " − ".join(context.model(model) for model in pair.models)
            by_note.setdefault(note, []).append(names)
    notes = []
    for note, found in by_note.items():
        lead = "" if len(found) == len(pairs) else f"{', '.join(found)}: "
        notes.append(runs(sentence(lead + note)))
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
    made: Runs = ()
    if shared:
        names = listed([runs(context.model(name)) for name in shared])
        verb = "is" if len(shared) == 1 else "are"
        made += runs("Groups overlap: ", names, f" {verb} in several. ")
    if not are_stretches(ordered, found):
        made += runs("A bar may pass over a model that does not belong to it. ")
    return made


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
        Row((Cell(runs(context.model(name))), number_cell(fixed(value, Scale(2)), value)))
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
