"""The curves that `analyze` lines ask for: a figure and a table for each data set and protocol."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Number,
    Panel,
    Paragraph,
    Ref,
    Row,
    Runs,
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words, in_parts
from evallang.reporting.figures.curves import (
    MOST_BARS,
    MOST_TOGETHER,
    curve_with_band,
    curves_together,
)
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import NBSP, Scale, count, fixed, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wide_tables import Quantities, Quantity, tables_of_quantities
from evallang.reporting.wording import scope_words, sentence
from evallang.results.provenance import CurveWords
from evallang.results.records import Analysis

MOST_PANELS = 12  # models whose bands are drawn; results.json has the curves of all
MOST_CLASSES = MOST_TOGETHER - 1  # with the mean over classes
DECIMALS = Scale(3)


def asked_for(context: Context, *, curves: bool) -> list[Analysis]:
    """Return the analyses of predictions, those with a curve or the others."""
    found = []
    for item in context.results.analyses:
        method = context.method("analysis", item.kind)
        if method is None or method.section is not None or "about" not in item.values:
            continue
        if (method.curve is not None) == curves:
            found.append(item)
    return found


def shown_in(context: Context, section: str) -> list[Analysis]:
    """Return the analyses that a section shows, as their declarations name it."""
    found = []
    for item in context.results.analyses:
        method = context.method("analysis", item.kind)
        if method is not None and method.section == section:
            found.append(item)
    return found


def computed(item: Analysis) -> bool:
    """Return whether an analysis has values."""
    return item.values.get("problem") is None


def best_first(
    context: Context, items: Sequence[Analysis], most: int
) -> tuple[list[Analysis], str]:
    """Return analyses of one place, of more than `most` models those of the best models first.

    Also returned is which models the first ones are then: "best" or "first".
    """
    models = dict.fromkeys(item.model for item in items)
    if len(models) <= most:
        return list(items), "first"
    place = Setting(items[0].data, items[0].protocol)
    return in_order_of_models(context, items), "best" if context.metrics(place) else "first"


def in_order_of_models(context: Context, items: Sequence[Analysis]) -> list[Analysis]:
    """Return analyses of one place, those of the best models first."""
    metrics = context.metrics(Setting(items[0].data, items[0].protocol)) if items else ()
    if not metrics:
        return list(items)
    order = context.models_best_first(Setting(items[0].data, items[0].protocol), metrics[0])
    places = {model: place for place, model in enumerate(order)}
    return sorted(items, key=lambda item: places.get(item.model or "", len(places)))


def _methods(context: Context) -> Runs:
    """Write the sentence that names the analyses, each with its sources."""
    every = [*asked_for(context, curves=True), *asked_for(context, curves=False)]
    kinds = dict.fromkeys(item.kind for item in every)
    made: Runs = ()
    for number, kind in enumerate(kinds):
        link = "" if number == 0 else " and " if number == len(kinds) - 1 else ", "
        title = mid_sentence(context.method_title("analysis", kind))
        made += runs(link, title, context.cite("analysis", kind))
    return runs("We further analysed the held-out predictions (", made, ").") if made else ()


@SECTIONS.register(SectionDeclaration(order=46, methods=_methods, analyses=True), title="Curves")
def curves(context: Context) -> Sequence[Block]:
    """Return a figure and a table for each kind of curve, data set and protocol."""
    blocks: list[Block] = []
    found = asked_for(context, curves=True)
    for number, (_, part) in enumerate(groupby(found, _place), start=1):
        blocks += _curve(context, list(part), number)
    return blocks


OF_SECTIONS = ("cells", "pairs")
"""What the values of analyses hold that a section knows without being named by them."""


@SECTIONS.register(SectionDeclaration(order=49, analyses=True), title="Further analyses")
def further_analyses(context: Context) -> Sequence[Block]:
    """Return a table of the numbers of each analysis that no other section shows."""
    blocks: list[Block] = []
    found = [
        item
        for item in asked_for(context, curves=False)
        if not any(key in item.values for key in OF_SECTIONS)
    ]
    for number, (_, part) in enumerate(groupby(found, _place), start=1):
        items = [item for item in part if computed(item)]
        rows = [
            Row(
                (
                    Cell(runs(_name(context, item) if item.model else "all models")),
                    Cell(runs(name.replace("_", " "))),
                    Cell(runs(Number(fixed(value, DECIMALS), value)), value),
                )
            )
            for item in items
            for name, value in item.values.items()
            if isinstance(value, int | float) and not isinstance(value, bool) and name != "level"
        ]
        if rows:
            columns = (
                Column(runs("Model"), "left"),
                Column(runs("Quantity"), "left"),
                Column(runs("Value")),
            )
            notes = (about(items), *further_notes(context, items))
            words = runs(sentence(_subject(context, items)))
            blocks.append(
                Table(f"table-analysis-{number}", words, columns, tuple(rows), notes=notes)
            )
    return blocks + problems(context, [item for item in found if item.model is not None])


def _place(item: Analysis) -> tuple[str, str, str | None]:
    return item.kind, item.data, item.protocol


def _curve(context: Context, items: Sequence[Analysis], number: int) -> list[Block]:
    method = context.method("analysis", items[0].kind)
    assert method is not None and method.curve is not None, "curves have axes"
    known, which = best_first(context, [item for item in items if computed(item)], MOST_PANELS)
    blocks: list[Block] = []
    if known:
        named = [(_name(context, item), item.values) for item in known]
        panels = []
        if any(_is_of_classes(item) for item in known):
            panels = _panels_of_classes(context, method.curve, known)
            named = []
        dense = bool(named) and len(named[0][1]["points"]) > MOST_BARS
        if dense and 1 < len(named) <= MOST_TOGETHER:
            drawing, alt = curves_together(method.curve, named)
            panels.append(Panel(drawing, alt, runs("All models")))
        for name, values in named[:MOST_PANELS]:
            drawing, alt = curve_with_band(method.curve, name, values)
            panels.append(Panel(drawing, alt, runs(name)))
        # The table first: it fills the rest of a page on which no row of panels has room
        table = f"table-curve-{number}"
        blocks += _tables(context, known, table)
        models = len({item.model for item in known})
        in_table = runs(Ref(table, "the table"))
        caption = _caption(context, known)
        caption += drawn_words(min(models, MOST_PANELS), models, "models", in_table, which)
        classes = len({item.values.get("of_class") for item in known} - {None})
        caption += drawn_words(min(classes, MOST_CLASSES), classes, "classes", in_table)
        blocks += in_parts(f"figure-curve-{number}", caption, panels, _subject(context, known))
    blocks += problems(context, items)
    return blocks


def _is_of_classes(item: Analysis) -> bool:
    """Return whether a curve is about one class against the rest, or the mean of such curves."""
    return bool(item.values.get("macro")) or item.values.get("of_class") is not None


MEAN = "mean over classes"


def _name(context: Context, item: Analysis) -> str:
    return context.model(item.model or "")


def _panels_of_classes(
    context: Context, words: CurveWords, items: Sequence[Analysis]
) -> list[Panel]:
    """Draw the means of all models together, and for each model its mean and its classes."""
    panels = []
    means = [(_name(context, item), item.values) for item in items if item.values.get("macro")]
    if 1 < len(means) <= MOST_TOGETHER:
        drawing, alt = curves_together(words, means)
        panels.append(Panel(drawing, alt, runs(f"All models, {MEAN}")))
    elif len(means) == 1:
        drawing, alt = curve_with_band(words, f"{means[0][0]}, {MEAN}", means[0][1])
        panels.append(Panel(drawing, alt, runs(f"{means[0][0]}, {MEAN}")))
    for model in list(dict.fromkeys(item.model for item in items))[:MOST_PANELS]:
        own = [item for item in items if item.model == model][:MOST_TOGETHER]
        named = [(item.values.get("of_class") or MEAN, item.values) for item in own]
        drawing, alt = curves_together(words, named)
        name = context.model(model or "")
        panels.append(
            Panel(drawing, f"{name}: {alt}", runs(f"{name}, each class against the rest"))
        )
    return panels


def _subject(context: Context, items: Sequence[Analysis]) -> str:
    """Return the title of an analysis, and what it is about where there is more than one."""
    title = context.method_title("analysis", items[0].kind)
    place = context.place_words(items[0].data, items[0].protocol)
    return f"{title} {place}" if place else title


def _caption(context: Context, items: Sequence[Analysis]) -> Runs:
    """Write what is drawn, what it is about, and what the lines mean."""
    first = items[0]
    method = context.method("analysis", first.kind)
    assert method is not None and method.curve is not None, "curves have axes"
    drawn = [item for item in items if not _is_of_classes(item)]
    macro = [item for item in items if item.values.get("macro")]
    drawn += macro if len(macro) == 1 else []
    points = [point for item in drawn for point in item.values["points"]]
    level = percent(first.values["level"])
    parts = [f"{_subject(context, items)}: {mid_sentence(method.curve.y)} (vertical) by "
             f"{mid_sentence(method.curve.x)}"]  # fmt: skip
    lines = dict.fromkeys(line["name"] for line in first.values["references"])
    if lines:
        parts.append(f"dashed, {' and '.join(lines)}")
    if any(point["low"] is not None for point in points):
        few = all(len(item.values["points"]) <= MOST_BARS for item in drawn)
        parts.append(f"{'bars' if few else 'lines around a curve'}, {level} at each point")
    if any(point["band_low"] is not None for point in points):
        parts.append(f"shaded, {level} for the whole curve")
    return runs(sentence("; ".join(parts)))


def _tables(context: Context, items: Sequence[Analysis], identifier: str) -> list[Table]:
    by_class = any(_is_of_classes(item) for item in items)
    of_class = (Column(runs("Class"), "left"),) if by_class else ()
    columns = (Column(runs("Model"), "left", wide=True), *of_class)
    found = []
    for item in in_order_of_models(context, items):
        name = item.values.get("of_class") or MEAN
        heads = (_name(context, item), *((name,) if by_class else ()))
        values = (
            Quantity(one["name"], one["value"], one["low"], one["high"])
            for one in item.values["summaries"]
        )
        found.append(Quantities(heads, tuple(values)))
    place = context.place_words(items[0].data, items[0].protocol)
    title = context.method_title("analysis", items[0].kind)
    subject = f"{title} in numbers{f' {place}' if place else ''}"
    whole = Table(identifier, (), columns, (), notes=tuple(_notes(context, items)))
    level = percent(items[0].values["level"])
    return tables_of_quantities(whole, subject, found, DECIMALS, f"{level} interval")


def _notes(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    values = items[0].values
    unit = values["unit"]
    words = f"{count(values['n'])}{NBSP}{unit}"
    if any(_is_of_classes(item) for item in items):
        words += ", each class against the rest"
    else:
        words += f", {count(values['positives'])} positive"
    if values["folds"] > 1:
        words += f", in {count(values['folds'])} folds whose curves are averaged"
    made = [runs(sentence(words)), about(items)]
    return [*made, *further_notes(context, items)]


def about(items: Sequence[Analysis]) -> Runs:
    """State what the numbers of some analyses apply to; one without a model is of several."""
    models = {item.model for item in items}
    words = scope_words(items[0].values["about"], several=None in models or len(models) > 1)
    return runs(f"The numbers apply to {words}.")


def further_notes(context: Context, items: Iterable[Analysis]) -> list[Runs]:
    """Return the notes of some analyses, with the models that they are about."""
    models: dict[str, list[str]] = {}
    for item in items:
        for note in item.values["notes"]:
            models.setdefault(note, []).append(context.model(item.model) if item.model else "")
    made = []
    for note, names in models.items():
        known = [name for name in names if name]
        words = f"{', '.join(known)}: {note}" if known else note
        made.append(runs(sentence(words, context.own_names)))
    return made


def problems(context: Context, items: Iterable[Analysis]) -> list[Block]:
    """Write which analyses could not be computed, and why."""
    made: list[Block] = []
    for item in items:
        if computed(item):
            continue
        title = context.method_title("analysis", item.kind)
        of = f" of {context.model(item.model)}" if item.model else ""
        place = context.place_words(item.data, item.protocol)
        on = f" {place}" if place else ""
        text = f"{title}{of}{on} could not be computed: {item.values['problem']}"
        made.append(Paragraph(runs(sentence(text)), "note"))
    return made
