"""Power: what the tests of the study could have found, for differences stated beforehand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evallang.reporting.analyses import not_drawn, shown_in
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import Block, Cell, Code, Figure, Panel, Paragraph, Row, Runs, runs
from evallang.reporting.figures.stacks import stacked_bars
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import NBSP, count, level_of_alpha, percent, scale_of
from evallang.reporting.panels import in_parts
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import Words, counted, dash, printed, row, sortable, table, wide
from evallang.reporting.wording import amount, message_runs, number_word
from evallang.results.provenance import AssumptionWords
from evallang.results.records import Analysis

STATED = (
    "Differences are those that the study file states, and the table lists what is assumed; power "
    "at the observed difference adds nothing to "
)
MOST_PANELS, MOST_DRAWN = 12, 12  # tests, and assumptions of each; the table has all
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
    wanted = any(item.values.get("width") is not None for item in found)
    rows = [r for item in found for r in _rows(context, item, asked=asked, wanted=wanted)]
    words = Paragraph(runs(STATED, "p", context.cite("analysis", "power"), "."))
    if not rows:
        return [words]
    caption = (
        f"Smallest differences detected with power {target}, each at the level of one comparison "
        "after the correction"
    )
    caption += (
        f", and for a stated difference its power and the size for power {target}" if asked else ""
    )
    caption += "; the last column is the size for an interval of the wanted width" if wanted else ""
    made = table(
        "table-power",
        caption,
        [
            wide("Test"),
            sortable("Size"),
            sortable("Level"),
            wide("Assumed", muted=True),
            sortable("Detected"),
            *(map(sortable, ("Difference", "Its power", "Its size")) if asked else ()),
            *(map(sortable, ("Width", "Its size")) if wanted else ()),
        ],
        rows,
        *_notes(context, found),
    )
    return [words, made, *_figures(context, found, target)]


def _figures(context: Context, found: Sequence[Analysis], target: str) -> list[Figure]:
    """Draw the smallest difference that each test detects, under each of its assumptions."""
    known = [item for item in found if any(_drawn(item))]
    panels = []
    for item in known[:MOST_PANELS]:
        metric, name = _metric(context, item), _titled(context, item)
        declared = _words_of_assumptions(context, item)
        answers = _drawn(item)[:MOST_DRAWN]
        sizes = [answer["detectable"] for answer in answers]
        in_sd = answers[0]["in_sd"]
        scale = scale_of([], sizes, percent=metric.percent and not in_sd)
        title = f"Difference in {mid_sentence(metric.noun)}"
        title += " (sd)" if in_sd else metric.points
        rows = [(_assumed(a, declared), [size]) for a, size in zip(answers, sizes, strict=True)]
        drawing = stacked_bars(rows, (f"detected with power {target}",), title, scale, name)
        panels.append(Panel(*drawing, runs(name)))
    if not panels:
        return []
    words = f"Smallest differences that a test detects with power {target}, by what is assumed."
    caption = runs(words) + not_drawn(len(known), MOST_PANELS, "table-power", "tests")
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
    return shown_in(context, "power")


def _rows(context: Context, item: Analysis, *, asked: bool, wanted: bool) -> Iterator[Row]:
    values, metric = item.values, _metric(context, item)
    name = runs(Code(values["source"]), f": {mid_sentence(_titled(context, item))}")
    size = "unknown" if values["n"] is None else f"{count(values['n'])}{NBSP}{values['unit']}"
    words = _words_of_assumptions(context, item)
    level = level_of_alpha(float(_short(values["level"])), context.style)
    gap, width, has_power = values["difference"], values.get("width"), _has_power(item)
    for k, answer in enumerate(values["answers"]):
        p, found = answer["power"], answer["detectable"]
        detected = _size(metric, found)
        if answer["in_sd"] and found is not None:
            detected = printed(f"{_short(found)}{NBSP}sd", found)
        of_power = (
            _size(metric, gap),
            "–" if p is None else printed(percent(round(p, 3)), p),
            counted(answer["required_n"]),
        )
        of_width = (_size(metric, width), counted(answer.get("n_for_width")))
        yield row(
            "" if k else name,
            Cell(runs(size), values["n"]),
            Cell(runs(level), values["level"]),
            _assumed(answer, words),
            detected,
            *((of_power if has_power else ("–",) * 3) if asked else ()),
            *((("–",) * 2 if width is None else of_width) if wanted else ()),
        )


def _size(metric: MetricWords, size: float | None) -> Cell:
    """Return the cell of the size of a difference."""
    if size is None:
        return dash()
    return Cell(amount(metric, size, scale_of([], [size], percent=metric.percent)), size)


def _has_power(item: Analysis) -> bool:
    """Return whether a power was asked for: at a stated difference, or at the margin of a test."""
    answers = item.values["answers"]
    of_margin = any(answer["required_n"] is not None for answer in answers)
    return item.values["difference"] is not None or of_margin


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


def _notes(context: Context, found: Sequence[Analysis]) -> Iterator[Words]:
    sizes = dict.fromkeys(
        (v["correction"], v["family_size"]) for item in found if (v := item.values)["correction"]
    )
    for correction, size in sizes:
        title = mid_sentence(context.method_title("correction", correction))
        yield runs(f"Level: {title} over {number_word(size)} tests, at its strictest step.")
    answers = [answer for item in found for answer in item.values["answers"]]
    yield from dict.fromkeys(f"computed by {answer['method']}" for answer in answers)
    said = (
        note
        for item in found
        for note in (
            *item.values["notes"],
            *(n for a in item.values["answers"] for n in a["notes"]),
        )
    )
    yield from (message_runs(context, note) for note in dict.fromkeys(said))
