"""Every figure of a report as files of its own: SVG and PDF, one and two columns wide."""

from collections.abc import Iterable, Iterator, Sequence

from evallang.reporting import fonts, pdf
from evallang.reporting.document import (
    PANEL_LETTERS,
    Document,
    Emphasis,
    Figure,
    Interval,
    Ref,
    Runs,
    Stat,
    Strong,
)
from evallang.reporting.figures import placing
from evallang.reporting.figures.right_to_left import visual_svg
from evallang.reporting.output_files import OutputFile

FOLDER = "figures"
ALT = f"{FOLDER}/ALT.txt"
WIDTHS = (("single", placing.SINGLE), ("double", placing.DOUBLE))
"""The widths of journals, by the word in the names of files."""


def figures_of(document: Document) -> list[Figure]:
    """Return the figures of a report, also those that are files only."""
    blocks = (block for section in document.sections for block in section.blocks)
    return [block for block in blocks if isinstance(block, Figure) and block.panels]


def figure_files(document: Document) -> tuple[list[OutputFile], list[str]]:
    """Return the files of all figures with their alternative texts, and messages.

    A message states which figures have no PDF, because Pango is missing.
    """
    found = figures_of(document)
    made: list[OutputFile] = []
    without: list[str] = []
    for figure in found:
        name = figure_name(figure)
        alt = alternative_text(figure)
        drawings = [panel.svg for panel in figure.panels]
        for width, points in WIDTHS:
            sheet = placing.sheet(drawings, points, grid=False)
            path = f"{FOLDER}/{name}-{width}"
            styles = _styles(sheet)
            text = placing.svg_file(sheet, alt, styles)
            made.append(OutputFile(f"{path}.svg", text.encode()))
            title = f"{document.title}: {name}"
            try:
                data = pdf.write_drawing(
                    visual_svg(text), sheet.width, sheet.height, title, alt, styles
                )
            except pdf.PangoMissingError:
                without.append(name)
            else:
                made.append(OutputFile(f"{path}.pdf", data))
    if found:
        made.append(OutputFile(ALT, "\n".join(_descriptions(found)).encode()))
    messages = []
    if without:
        names = ", ".join(dict.fromkeys(without))
        messages.append(f"no PDF of the figures {names}: {pdf.PangoMissingError.reason}")
    return made, messages


def figure_name(figure: Figure) -> str:
    """Return the name of a figure in names of files."""
    return figure.id.removeprefix("figure-")


def _referred(target: str) -> str:
    """Return the name of a figure that a caption refers to by its number."""
    return target.removeprefix("figure-") if target.startswith("figure-") else ""


def alternative_text(figure: Figure) -> str:
    """State the numbers of a figure in words."""
    return " ".join(panel.alt for panel in figure.panels)


def _styles(sheet: placing.Sheet) -> str:
    words = {True: "", False: ""}
    for mark in sheet.marks:
        words[("font-weight", "600") in mark.style] += mark.text
    text = placing.characters(sheet)
    rules = fonts.face_rules("".join(sorted(set(words[False]))), "".join(sorted(set(words[True]))))
    return rules + fonts.rule_of_codes(fonts.drawn_as_boxes(text))


def drawn_as_boxes(document: Document) -> tuple[str, ...]:
    """Return the characters that figures show as boxes with their codes."""
    text = "".join(panel.svg for figure in figures_of(document) for panel in figure.panels)
    return tuple(sorted(fonts.drawn_as_boxes(text)))


def _descriptions(found: Sequence[Figure]) -> Iterator[str]:
    yield "Captions and alternative texts of the figures in this folder."
    for figure in found:
        yield ""
        yield figure_name(figure)
        yield f"Caption: {plain(figure.caption)}"
        if len(figure.panels) > 1:
            titles = zip(PANEL_LETTERS, figure.panels, strict=False)
            yield f"Panels: {'; '.join(f'{letter}, {plain(p.title)}' for letter, p in titles)}."
        yield f"Alternative text: {alternative_text(figure)}"
    yield ""


def plain(row: Runs) -> str:
    """Return runs as words without marks; citations and bare numbers of tables are omitted."""
    return "".join(_plain(row)).replace("\u2060", "")


def _plain(row: Iterable[object]) -> Iterator[str]:
    for run in row:
        if isinstance(run, Strong | Emphasis):
            yield from _plain(run.runs)
        elif isinstance(run, Stat):
            df = f"({', '.join(run.df)})" if run.df else ""
            yield f"{run.symbol}{df} {run.relation} {run.text}"
        elif isinstance(run, Interval):
            yield f"{run.lead} {run.text}".strip()
        elif isinstance(run, Ref):
            yield run.words or _referred(run.target)
        else:
            yield getattr(run, "text", "")
