"""Power: what the tests of the study could have found, for differences stated beforehand."""

from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Figure,
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
from evallang.reporting.figures.stacks import stacked_bars
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.message_words import message_runs
from evallang.reporting.numbers import NBSP, count, level_of_alpha, percent, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.topics import Topic
from evallang.reporting.wording import amount, number_word, sentence
from evallang.results.provenance import AssumptionWords
from evallang.results.records import Analysis

STATED = (
    "Differences are those that the study file states, and the table lists what is assumed; power "
    "at the observed difference adds nothing to "
)
MOST_PANELS, MOST_DRAWN = 12, 12  # tests, and assumptions of each; the table has all
PERCENT_POWER = 2
DECIMALS = 3  # significant digits of an assumed share or standard deviation


def _methods(context: Context) -> Runs:
    """State what power was computed for, and that it was not the observed difference."""
    found = [item.values for item in _analyses(context)]
    answers = [answer for values in found for answer in values["answers"]]
    if not answers:
        return ()
    target = percent(found[0]["target"])
    stated = any(values["difference"] is not None for values in found)
    what = f"the smallest difference that a test finds with a power of {target}"
    if stated:
        what += ", and the power at a difference stated in the study file"
    corrected = any(values["correction"] for values in found)
    level = " at the level of one comparison after the correction" if corrected else ""
    return runs(
        f"Under the assumptions listed with the results, we computed {what}{level}",
        context.cite("analysis", "power"), ".",
    )  # fmt: skip


@SECTIONS.register(
    SectionDeclaration(order=45, methods=_methods, topics=(Topic.SAMPLE_SIZE,), analyses=True),
    title="Power",
)
def power(context: Context) -> Sequence[Block]:
    """Return what each test can find at its corrected level, under the stated assumptions."""
    found = _analyses(context)
    if not found:
        return []
    target = percent(found[0].values["target"])
    asked = any(map(_has_power, found))
    wide = any(item.values.get("width") is not None for item in found)
    rows = [row for item in found for row in _rows(context, item, asked=asked, wide=wide)]
    columns = [
        Column(runs("Test"), "left", wide=True),
        Column(runs("Size"), sortable=True),
        Column(runs("Level"), sortable=True),
        Column(runs("Assumed"), "left", wide=True, muted=True),
        Column(runs("Detected"), sortable=True),
    ]
    if asked:
        columns.append(Column(runs("Difference"), sortable=True))
        columns.append(Column(runs("Its power"), sortable=True))
        columns.append(Column(runs("Its size"), sortable=True))
    if wide:
        columns.append(Column(runs("Width"), sortable=True))
        columns.append(Column(runs("Its size"), sortable=True))
    caption = (
        f"Smallest differences detected with power {target}, each at the level of one comparison "
        "after the correction"
    )
    if asked:
        caption += f", and for a stated difference its power and the size for power {target}"
    if wide:
        caption += "; the last column is the size for an interval of the wanted width"
    caption = sentence(caption)
    notes = _notes(context, found)
    table = Table("table-power", runs(caption), tuple(columns), tuple(rows), notes=tuple(notes))
    words = runs(STATED, "p", context.cite("analysis", "power"), ".")
    if not rows:
        return [Paragraph(words)]
    return [Paragraph(words), table, *_figures(context, found, target)]


def _figures(context: Context, found: Sequence[Analysis], target: str) -> list[Figure]:
    """Draw the smallest difference that each test detects, under each of its assumptions."""
    known = [item for item in found if any(_drawn(item))]
    if not known:
        return []
    panels = []
    for item in known[:MOST_PANELS]:
        metric = _metric(context, item)
        words = _words_of_assumptions(context, item)
        answers = _drawn(item)[:MOST_DRAWN]
        sizes = [answer["detectable"] for answer in answers]
        in_sd = answers[0]["in_sd"]
        scale = scale_of([], sizes, percent=metric.percent and not in_sd)
        title = f"Difference in {mid_sentence(metric.noun)}"
        title += " (sd)" if in_sd else " (points)" if scale.power == PERCENT_POWER else ""
        rows = [(_assumed(a, words), [size]) for a, size in zip(answers, sizes, strict=True)]
        drawing, alt = stacked_bars(rows, (f"detected with power {target}",), title, scale,
                                _titled(context, item))  # fmt: skip
        panels.append(Panel(drawing, alt, runs(_titled(context, item))))
    caption = runs(
        f"Smallest differences that a test detects with power {target}, by what is assumed."
    )
    where = runs(Ref("table-power", "the table"))
    caption += drawn_words(len(panels), len(known), "tests", where)
    return in_parts("figure-power", caption, panels, "Smallest detected differences")


def _drawn(item: Analysis) -> list[Mapping[str, Any]]:
    return [answer for answer in item.values["answers"] if answer["detectable"] is not None]


def _metric(context: Context, item: Analysis) -> MetricWords:
    return context.metric(item.metric or "accuracy")


def _titled(context: Context, item: Analysis) -> str:
    """Return the title of a test with its metric, and its data set where there are several."""
    values = item.values
    metric = _metric(context, item)
    several = len(context.results.data) > 1 and item.data
    place = f" on {context.data_label(item.data)}" if several else ""
    return f"{context.method_title('test', values['test'])} by {metric.noun}{place}"


def _words_of_assumptions(context: Context, item: Analysis) -> Mapping[str, AssumptionWords]:
    method = context.method("test", item.values["test"])
    return {} if method is None else method.assumptions


def _analyses(context: Context) -> list[Analysis]:
    return [item for item in context.results.analyses if item.kind == "power"]


def _rows(context: Context, item: Analysis, *, asked: bool, wide: bool) -> list[Row]:
    values = item.values
    metric = _metric(context, item)
    name = runs(Code(values["source"]), f": {mid_sentence(_titled(context, item))}")
    number = "unknown" if values["n"] is None else f"{count(values['n'])}{NBSP}{values['unit']}"
    words = _words_of_assumptions(context, item)
    level = level_of_alpha(float(_short(values["level"])), context.style)
    made = []
    for answer in values["answers"]:
        cells = [
            Cell(name),
            Cell(runs(number), values["n"]),
            Cell(runs(level), values["level"]),
            Cell(runs(_assumed(answer, words))),
            Cell(_size(metric, answer), answer["detectable"]),
        ]
        if asked and not _has_power(item):
            cells += [Cell(runs("–"))] * 3
        elif asked:
            gap = values["difference"]
            scale = scale_of([], [gap or 0.0], percent=metric.percent)
            cells.append(Cell(runs("–") if gap is None else amount(metric, gap, scale), gap))
            p, n = answer["power"], answer["required_n"]
            cells.append(Cell(runs(Number("–" if p is None else percent(round(p, 3)), p)), p))
            cells.append(Cell(runs(Number("–" if n is None else count(n), n)), n))
        if wide:
            cells += _width_cells(metric, values.get("width"), answer.get("n_for_width"))
        made.append(Row(tuple(cells)))
        name = runs("")
    return made


def _has_power(item: Analysis) -> bool:
    """Return whether a power was asked for: at a stated difference, or at the margin of a test."""
    answers = item.values["answers"]
    of_margin = any(answer["required_n"] is not None for answer in answers)
    return item.values["difference"] is not None or of_margin


def _width_cells(metric: MetricWords, width: float | None, n: int | None) -> list[Cell]:
    """Return the wanted width of an interval, and the number of examples that it takes."""
    if width is None:
        return [Cell(runs("–"))] * 2
    size = runs(Number("–" if n is None else count(n), n))
    wanted = amount(metric, width, scale_of([], [width], percent=metric.percent))
    return [Cell(wanted, width), Cell(size, n)]


def _size(metric: Any, answer: Mapping[str, Any]) -> Runs:
    found = answer["detectable"]
    if found is None:
        return runs("–")
    if answer["in_sd"]:
        return runs(Number(f"{_short(found)}{NBSP}sd", found))
    return amount(metric, found, scale_of([], [found], percent=metric.percent))


def _assumed(answer: Mapping[str, Any], words: Mapping[str, AssumptionWords]) -> str:
    """Format the assumptions of an answer by the words that the test declares for them."""
    made = []
    for name, value in answer["assumptions"].items():
        declared = words.get(name, AssumptionWords(f"{name.replace('_', ' ')} {{}}"))
        printed = value if isinstance(value, str) else _short(value)
        if declared.percent and not isinstance(value, str):
            printed = percent(value)
        made.append(declared.words.replace("{}", printed))
    return ", ".join(made) or "nothing else"


def _short(value: float) -> str:
    return f"{value:.{DECIMALS}g}"


def _notes(context: Context, found: Sequence[Analysis]) -> list[Runs]:
    made: list[Runs] = []
    sizes = dict.fromkeys(
        (v["correction"], v["family_size"]) for item in found if (v := item.values)["correction"]
    )
    for correction, size in sizes:
        title = mid_sentence(context.method_title("correction", correction))
        made.append(runs(f"Level: {title} over {number_word(size)} tests, at its strictest step."))
    methods = dict.fromkeys(a["method"] for item in found for a in item.values["answers"])
    made += [runs(sentence(f"computed by {method}")) for method in methods]
    words = dict.fromkeys(
        note
        for item in found
        for note in (
            *item.values["notes"],
            *(n for a in item.values["answers"] for n in a["notes"]),
        )
    )
    return [*made, *(message_runs(context, note) for note in words)]
