"""The curves that `analyze` lines ask for: a figure and a table for each data set and protocol."""

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from msgspec.structs import replace

from evallang.reporting.analyses import (
    Part,
    drawn_parts,
    model_of,
    not_drawn,
    notes,
    parts,
    place_after,
    told,
    with_interval,
)
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Block, Cell, Figure, Panel, Runs, Table, listed, runs
from evallang.reporting.figures.curves import (
    MOST_BARS,
    MOST_TOGETHER,
    Drawn,
    curve_with_band,
    curves_together,
)
from evallang.reporting.figures.figure import LOOKS
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    count,
    fixed,
    interval,
    is_number,
    number_word,
    percent,
)
from evallang.reporting.panels import in_parts
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import counted, left, number, right, row, table, wide
from evallang.reporting.wide_tables import Quantities, Quantity, tables_of_quantities
from evallang.reporting.wording import sentence
from evallang.results.provenance import CurveWords
from evallang.results.records import Analysis

MOST_PANELS = 12  # models whose bands are drawn; results.json has the curves of all
MOST_CLASSES = MOST_TOGETHER - 1  # with the mean over classes
DECIMALS = Scale(3)
SAME = 1e-9  # share by which equal numbers differ that were added in another order
MEAN = "mean over classes"
OF_RUN = ("level", "alpha", "family_size", "line")
"""Numbers of a record that are about the run, and no answer."""


def summary_of(item: Analysis, name: str) -> Mapping[str, Any] | None:
    """Return a number of a curve that has a value."""
    known = (one for one in item.values["summaries"] if one["value"] is not None)
    return next((one for one in known if one["name"] == name), None)


def summary_runs(
    context: Context, item: Analysis, summary: Mapping[str, Any], scale: Scale
) -> Runs:
    """Print a number of a curve with its interval."""
    return with_interval(summary["value"], scale, "", *_interval(context, item, summary))


def _interval(
    context: Context, item: Analysis, summary: Mapping[str, Any]
) -> tuple[float | None, float | None, float]:
    """Return bounds and level of a number of a curve, those of its metric if it was measured."""
    words, place = _axes(context, item), Setting(item.data, item.protocol)
    if words.summaries[:1] == (summary["name"],):
        measured = context.estimate(place, item.model or "", words.metric or "")
        if measured is not None and (found := measured.interval) is not None:
            return found.low, found.high, found.level
    return summary["low"], summary["high"], item.values["level"]


def _axes(context: Context, item: Analysis) -> CurveWords:
    method = context.method("analysis", item.kind)
    assert method is not None and method.curve is not None, "curves have axes"
    return method.curve


def label_of_curve(context: Context, item: Analysis) -> str:
    """Return the model of a curve, and its class where that is one of several."""
    one = item.values.get("of_class")
    return model_of(context, item) + ("" if one is None else f" ({one})")


def area_findings(
    context: Context, items: Sequence[Analysis], *, name: str, noun: str, lower: bool = False
) -> list[Runs]:
    """State a number of the curves, the best first, unless a finding on a metric has it.

    Of the curves of classes it is the mean over classes.
    """
    whole = [item for item in items if item.values.get("macro")] or items
    place = Setting(items[0].data, items[0].protocol)
    firm = [c for c in context.results.comparisons if not c.family.exploratory]
    compared = [c.metric for c in firm if context.comparison_setting(c) == place]
    measured = [
        estimate.value
        for metric in (compared if firm else context.metrics(place)[:1])
        for item in whole
        if (estimate := context.estimate(place, item.model or "", metric)) is not None
    ]
    found = [(item, one) for item in whole if (one := summary_of(item, name)) is not None]
    found.sort(key=lambda pair: pair[1]["value"], reverse=not lower)
    if all(any(isclose(one["value"], m, rel_tol=SAME) for m in measured if m) for _, one in found):
        return []
    return told(
        context,
        "curve",
        [
            {
                "model": label_of_curve(context, item),
                "value": one["value"],
                "number": summary_runs(context, item, one, DECIMALS),
            }
            for item, one in found
        ],
        item=items[0],
        noun=noun if whole is items else f"{noun}, {MEAN},",
        best="lowest" if lower else "highest",
        scale=DECIMALS,
    )


def _methods(context: Context) -> Runs:
    """Write the sentence that names the analyses of predictions that no other sentence tells of."""
    every = [i for i in context.results.analyses if "line" not in i.values and not _told(i.kind)]
    every.sort(key=lambda item: not _has_curve(context, item))
    named = [
        runs(mid_sentence(context.method_title("analysis", kind)), context.cite("analysis", kind))
        for kind in dict.fromkeys(item.kind for item in every)
    ]
    if not named:
        return ()
    return runs("We further analysed the held-out predictions (", listed(named), ").")


def _told(kind: str) -> bool:
    declared = (entry.declaration for entry in SECTIONS)
    return any(kind in one.kinds and one.methods is not None for one in declared)


def _has_curve(context: Context, item: Analysis) -> bool:
    method = context.method("analysis", item.kind)
    return method is not None and method.curve is not None


def _place(item: Analysis) -> tuple[str | None, ...]:
    return item.kind, item.data, item.protocol


@SECTIONS.register(SectionDeclaration(order=46, methods=_methods, analyses=True), title="Curves")
def curves(context: Context) -> Sequence[Block]:
    """Return a figure and a table for each kind of curve, data set and protocol."""
    found = [item for item in context.results.analyses if _has_curve(context, item)]
    return drawn_parts(context, found, _place, _curve)


@SECTIONS.register(SectionDeclaration(order=49, analyses=True), title="Further analyses")
def further_analyses(context: Context) -> Sequence[Block]:
    """Return tables of the numbers of each analysis that no other section shows."""
    shown = {kind for entry in SECTIONS for kind in entry.declaration.kinds}
    found = [
        item
        for item in context.results.analyses
        if item.kind not in shown and not _has_curve(context, item)
    ]
    blocks: list[Block] = []
    for part in parts(context, found, _place):
        blocks += [*_numbers(context, part), *part.problems]
    return blocks


def _numbers(context: Context, part: Part) -> Iterator[Table]:
    """Iterate over the tables of one analysis: its numbers, and each of its lists of records."""
    subject, said = _subject(context, part.items), notes(context, part.items)
    named = [(_answered(context, item), item.values) for item in part.items]
    rows = [
        row(name, key.replace("_", " "), number(value, DECIMALS))
        for name, values in named
        for key, value in values.items()
        if is_number(value) and key not in OF_RUN
    ]
    identifier = f"table-analysis-{part.number}"
    if rows:
        columns = [left("Of"), left("Quantity"), right("Value")]
        yield table(identifier, subject, columns, rows, *said)
    for key in dict.fromkeys(key for _, values in named for key in values):
        records = [
            (name, record)
            for name, values in named
            if isinstance(values.get(key), tuple | list)
            for record in values[key]
            if isinstance(record, Mapping)
        ]
        heads = [
            head
            for head in dict.fromkeys(head for _, record in records for head in record)
            if any(isinstance(record.get(head), str | int | float) for _, record in records)
        ]
        if heads:
            yield table(
                f"{identifier}-{key}",
                f"{subject}: {key.replace('_', ' ')}",
                [left("Of"), *(wide(head.replace("_", " ")) for head in heads)],
                [
                    row(name, *(_printed(record.get(head)) for head in heads))
                    for name, record in records
                ],
            )


def _printed(value: Any) -> Cell | str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, str):
        return value or "–"
    if isinstance(value, int | float):
        return counted(value) if isinstance(value, int) else number(value, DECIMALS)
    return ", ".join(map(str, value))


def _answered(context: Context, item: Analysis) -> str:
    """Return what an analysis is about: a model, a line, or all models."""
    return model_of(context, item) if item.model else item.values.get("source", "all models")


def _curve(context: Context, part: Part) -> list[Block]:
    """Return the table, the curves of all models, and those of each with bands, or of classes."""
    items, identifier = part.items, f"table-curve-{part.number}"
    words, every = _axes(context, items[0]), [item.values for item in items]
    subject = _subject(context, items)
    by_class = any(map(_is_of_classes, items))
    whole = [item for item in items if item.values.get("macro") or not by_class]
    named = [_drawn(context, words, item) for item in whole]
    dense = bool(named) and len(named[0].known) > MOST_BARS
    figures: list[Figure] = []
    if dense and 1 < len(named) <= MOST_TOGETHER:
        drawing = curves_together(words, named, every)
        panel = Panel(*drawing, runs(MEAN.capitalize()) if by_class else ())
        caption = _caption(context, words, whole, together=True)
        figures.append(Figure(f"figure-curve-{part.number}", caption, (panel,)))
    panels = []
    bounded = any(point["low"] is not None for one in every for point in one["points"])
    if len(named) == 1 or (not by_class and (bounded or not figures)):
        for one in named[:MOST_PANELS]:
            title = f"{one.name}, {MEAN}" if by_class else one.name
            drawing = curve_with_band(words, replace(one, name=title), every)
            panels.append(Panel(*drawing, runs(title)))
    if by_class:
        panels += _panels_of_classes(context, words, items)
    caption = _caption(context, words, whole)
    models = len({item.model for item in items})
    caption += not_drawn(models, MOST_PANELS, identifier, which=part.which)
    classes = len({item.values.get("of_class") for item in items} - {None})
    caption += not_drawn(classes, MOST_CLASSES, identifier, "classes")
    name = f"figure-curve-{part.number}" if not figures else f"figure-band-{part.number}"
    figures += in_parts(name, caption, panels, subject) if panels else []
    return [*_tables(context, items, identifier), *figures]


def _drawn(context: Context, words: CurveWords, item: Analysis) -> Drawn:
    """Return a curve with the look of its model, and the numbers that sum it up."""
    name, look = model_of(context, item), context.look(item.model or "")
    said = []
    for key in words.summaries:
        if (one := summary_of(item, key)) is not None:
            low, high, _ = _interval(context, item, one)
            text = f"{key} {fixed(one['value'], DECIMALS)}"
            if (low, high) != (None, None):
                text += f" {interval(low, high, DECIMALS)}"
            said.append(text)
    return Drawn(name, item.values, look, ", ".join(said))


def _is_of_classes(item: Analysis) -> bool:
    """Return whether a curve is about one class against the rest, or the mean of such curves."""
    return bool(item.values.get("macro")) or item.values.get("of_class") is not None


def _panels_of_classes(
    context: Context, words: CurveWords, items: Sequence[Analysis]
) -> list[Panel]:
    """Draw for each model the mean and the classes."""
    panels = []
    for model in list(dict.fromkeys(item.model for item in items))[:MOST_PANELS]:
        own = [item for item in items if item.model == model][:MOST_TOGETHER]
        named = [
            Drawn(item.values.get("of_class") or MEAN, item.values, look)
            for item, look in zip(own, LOOKS, strict=False)
        ]
        drawing, alt = curves_together(words, named, [item.values for item in items])
        name = context.model(model or "")
        title = f"{name}, each class against the rest"
        panels.append(Panel(drawing, f"{name}: {alt}", runs(title)))
    return panels


def _subject(context: Context, items: Sequence[Analysis]) -> str:
    """Return the title of an analysis, and what it is about where there is more than one."""
    return context.method_title("analysis", items[0].kind) + place_after(context, items[0])


def _caption(
    context: Context, axes: CurveWords, items: Sequence[Analysis], *, together: bool = False
) -> Runs:
    """Write what is drawn, what it is about, and what the lines mean."""
    if not items:
        return runs(sentence("each class against the rest"))
    points = [point for item in items for point in item.values["points"]]
    level = percent(items[0].values["level"])
    said = f"{_subject(context, items)}: {mid_sentence(axes.y)} (vertical) by "
    said += mid_sentence(axes.x)
    ends = min(point["x"] for point in points), max(point["x"] for point in points)
    if axes.scale == "free" and ends != (0, 1):
        said += f" from {ends[0]:g} to {ends[1]:g}"
    if any(item.values.get("chosen") is not None for item in items):
        said += "; marker, the point of the predicted classes"
    first = items[0]
    place, model = Setting(first.data, first.protocol), first.model or ""
    measured = context.estimate(place, model, axes.metric or "")
    if measured is not None and (found := measured.interval) is not None:
        over = context.interval_title(found.method, over_groups=found.clusters is not None)
        said += f"; in the key, {axes.summaries[0]} with its {percent(found.level)} interval "
        said += f"({mid_sentence(over)})"
    elif named := [one for key in axes.summaries for i in items if (one := summary_of(i, key))]:
        said += f"; in the key, {' and '.join(axes.summaries)}"
        if any(one["low"] is not None or one["high"] is not None for one in named):
            said += f" with {level} intervals"
    if not together and any(point["low"] is not None for point in points):
        few = all(len(item.values["points"]) <= MOST_BARS for item in items)
        said += f"; {'bars' if few else 'lines around a curve'}, {level} at each point"
    if not together and any(item.values.get("smooth") for item in items):
        said += f"; line, smoothed, with {level} at each point; below, the number of"
        said += " examples in each bin and a histogram of the probabilities"
    elif not together and any(point["band_low"] is not None for point in points):
        said += f"; shaded, {level} for the whole curve"
    return runs(sentence(said))


def _tables(context: Context, items: Sequence[Analysis], identifier: str) -> list[Table]:
    by_class = any(map(_is_of_classes, items))
    found = [
        Quantities(
            (
                model_of(context, item),
                *([item.values.get("of_class") or MEAN] if by_class else []),
            ),
            tuple(
                Quantity(one["name"], one["value"], one["low"], one["high"])
                for one in item.values["summaries"]
            ),
        )
        for item in items
    ]
    values = items[0].values
    size = f"{count(values['n'])}{NBSP}{values['unit']}, "
    size += "each class against the rest" if by_class else f"{count(values['positives'])} positive"
    if values["folds"] > 1:
        size += f", in {number_word(values['folds'])} folds whose curves are averaged"
    columns = [wide("Model"), left("Class") if by_class else None]
    whole = table(identifier, (), columns, (), size, *notes(context, items))
    title = context.method_title("analysis", items[0].kind)
    subject = f"{title} in numbers{place_after(context, items[0])}"
    level = percent(values["level"])
    return tables_of_quantities(whole, subject, found, DECIMALS, f"{level} CI")
