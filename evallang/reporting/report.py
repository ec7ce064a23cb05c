"""Results in, files out: the one door of this room."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting import fonts, pdf
from evallang.reporting.authors_template import AuthorsTemplate, TemplateFault
from evallang.reporting.context import NO_SENTENCES, Context
from evallang.reporting.document import PANEL_LETTERS, Document, Figure, Panel, Ref, Runs, Table
from evallang.reporting.figures.figure import (
    CAP_HEIGHT,
    COLUMN,
    LEAST_SHARE,
    POINTS_PER_MM,
    SVG,
    Canvas,
)
from evallang.reporting.formats.csv_tables import csv_file
from evallang.reporting.formats.format import FORMATS, Writing, format_names
from evallang.reporting.formats.pages import (
    RESULTS_NAME as RESULTS_NAME,
    STUDY_NAME as STUDY_NAME,
    attached_files as attached_files,
)
from evallang.reporting.output_files import OutputFile, write_files
from evallang.reporting.run_writer import RunWriter
from evallang.reporting.section import EXHIBIT, build
from evallang.reporting.style_sheets import drawing_style, style_objection
from evallang.results.records import ResultsRecord

FOLDER = "figures"
ALT = f"{FOLDER}/ALT.txt"
WIDTHS = {
    "nature": {"single": 89.0, "double": 183.0},
    "ieee": {"single": 88.9, "double": 181.9},
    "neurips": {"text": 139.7},
    "jmlr": {"text": 152.4},
}
"""The widths of the columns of journals in millimetres, by the word in the names of files."""
PANEL, TALLEST = 89.0, 240.0  # millimetres: the width of the file of a panel, and any height
GUTTER = 5 * POINTS_PER_MM
LETTER, LETTER_SIZE = 12.0, 8.0  # points above a panel for its letter, and of the letter
BELOW = 6.0  # points between two rows of panels
FILE_FAMILY = f"{fonts.SANS},'Source Sans 3',Source Sans Pro,{fonts.FALLBACK},Arial,sans-serif"


def figures_of(document: Document) -> list[Figure]:
    """Return the figures of a report, also those that are files only."""
    return [figure for figure in document.every(Figure) if figure.panels]


def figure_files(
    document: Document, endings: Collection[str]
) -> tuple[dict[str, list[OutputFile]], list[str]]:
    """Return the files of all figures by their endings, `svg` or `pdf`, and messages.

    Their alternative texts are a file of either. A message states which figures have no PDF,
    because Pango is missing.
    """
    found = figures_of(document)
    made: dict[str, list[OutputFile]] = {ending: [] for ending in sorted(endings)}
    without: dict[str, None] = {}
    style = document.drawing_style
    for name, panels, sheet in (item for figure in found for item in _sheets(document, figure)):
        alt, path = " ".join(panel.alt for panel in panels), f"{FOLDER}/{name}"
        text = "".join(mark.text for mark in sheet.marks) + PANEL_LETTERS
        if "svg" in made:
            faces = fonts.embed(text, fonts.DRAWN) + escape(style.faces, quote=False)
            svg = style.applied(svg_file(sheet, alt, faces))
            made["svg"].append(OutputFile(f"{path}.svg", svg.encode()))
        if "pdf" in made:
            styles = fonts.print_rules(fonts.DRAWN) + style.faces
            title, svg = f"{document.title}: {name}", svg_file(sheet.printed(), alt)
            try:
                drawn = fonts.spelled(style.applied(svg))
                data = pdf.write_drawing(drawn, sheet.width, sheet.height, title, alt, styles)
            except pdf.PangoMissingError:
                without[name] = None
            else:
                made["pdf"].append(OutputFile(f"{path}.pdf", data))
    for files in made.values() if found else ():
        files.append(OutputFile(ALT, "\n".join(_descriptions(found)).encode()))
    if not without:
        return made, []
    names = ", ".join(without)
    return made, [f"no PDF of the figures {names}: {pdf.PangoMissingError.reason}"]


def _sheets(document: Document, figure: Figure) -> Iterator[tuple[str, Sequence[Panel], Canvas]]:
    """Iterate over the files of a figure: their names, panels and drawings.

    There is one for each width, in as many parts as keep it below the tallest, and one for each
    panel of several.
    """
    name, panels = figure_name(figure.id), figure.panels
    for word, width in WIDTHS[document.widths].items():
        parts: list[list[int]] = [[]]
        for i in range(len(panels)):
            drawings = [panels[k].drawing for k in (*parts[-1], i)]
            sheet = arrange(drawings, width * POINTS_PER_MM)
            if parts[-1] and sheet.height > TALLEST * POINTS_PER_MM:
                parts.append([])
            parts[-1].append(i)
        for part, places in enumerate(parts, start=1):
            some = [panels[i] for i in places]
            letters = [PANEL_LETTERS[i] for i in places] if len(panels) > 1 else []
            drawings = [panel.drawing for panel in some]
            sheet = arrange(drawings, width * POINTS_PER_MM, letters)
            yield f"{name}-{word}" + (f"-{part}" if part > 1 else ""), some, sheet
    if len(panels) > 1:
        for letter, panel in zip(PANEL_LETTERS, panels, strict=False):
            yield f"{name}-{letter}", [panel], arrange([panel.drawing], PANEL * POINTS_PER_MM)


def figure_name(identifier: str) -> str:
    """Return the name of a figure in names of files."""
    return identifier.removeprefix("figure-")


def alternative_text(figure: Figure) -> str:
    """State the numbers of a figure in words."""
    return " ".join(panel.alt for panel in figure.panels)


def arrange(
    drawings: Sequence[Canvas], width: float, letters: Sequence[str] = PANEL_LETTERS
) -> Canvas:
    """Place drawings, of several each with its letter, in one or two columns."""
    two = (width - GUTTER) / 2 >= LEAST_SHARE * COLUMN and len(drawings) > 1
    columns = 2 if two else 1
    wide = (width - GUTTER * (columns - 1)) / columns
    above = LETTER if len(drawings) > 1 else 0.0
    sheet = Canvas(0, width)
    top = 0.0
    for start in range(0, len(drawings), columns):
        row = drawings[start : start + columns]
        for k, drawing in enumerate(row):
            left = k * (wide + GUTTER)
            if above:
                letter, middle = letters[start + k], top + 1 + CAP_HEIGHT * LETTER_SIZE / 2
                sheet.words(left, middle, letter, size=LETTER_SIZE, bold=True)
            sheet.place(drawing, left, top + above, wide, grid=False)
        deep = max(drawing.height * min(1.0, wide / drawing.width) for drawing in row)
        top += above + deep + BELOW
    sheet.height = top - BELOW
    return sheet


def svg_file(sheet: Canvas, alt: str, styles: str = "") -> str:
    """Write a sheet as a file of its own, with its fonts and its numbers in words."""
    wide, high = (
        f"{n / POINTS_PER_MM:.2f}".rstrip("0").rstrip(".") for n in (sheet.width, sheet.height)
    )
    body = "".join(mark.svg() for mark in sheet.marks)
    return (
        f'<svg xmlns="{SVG}" width="{wide}mm" height="{high}mm" '
        f'viewBox="0 0 {sheet.width:.2f} {sheet.height:.2f}" role="img" '
        f'font-family="{FILE_FAMILY}">'
        f"<title>{escape(alt)}</title><style>{styles}</style>{body}</svg>\n"
    )


def without_glyph(document: Document) -> tuple[str, ...]:
    """Return the characters of figures that no font draws."""
    text = "".join(panel.svg for figure in figures_of(document) for panel in figure.panels)
    return tuple(sorted(fonts.without_glyph(text)))


def _descriptions(found: Sequence[Figure]) -> Iterator[str]:
    yield "Captions and alternative texts of the figures in this folder."
    for figure in found:
        yield ""
        yield figure_name(figure.id)
        yield f"Caption: {plain(figure.caption)}"
        if len(figure.panels) > 1:
            made = []
            for letter, panel in zip(PANEL_LETTERS, figure.panels, strict=False):
                ratio = PANEL * POINTS_PER_MM / panel.drawing.height
                made.append(f"{letter}, {plain(panel.title)} (width to height {ratio:.2f})")
            yield f"Panels: {'; '.join(made)}."
        yield f"Alternative text: {alternative_text(figure)}"
    yield ""


class _Captions(RunWriter):
    """Captions in a file, which calls figures by the names of their files."""

    def ref(self, run: Ref) -> str:
        return run.words or (figure_name(run.target) if run.target.startswith("figure-") else "")


def plain(row: Runs) -> str:
    """Return runs as words without marks; citations and bare numbers of tables are omitted."""
    return _Captions().write(row).replace("\u2060", "")


OF_PAGES = "shortened"
"""The tables at full length of which a page or a LaTeX table shows fewer rows."""


def figures(results: ResultsRecord) -> dict[str, Figure]:
    """Return the figures of the report by name, in its order."""
    drawn = build(Context(results)).every(Figure)
    return {figure_name(figure.id): figure for figure in drawn}


FONTS_TO_INSTALL = (
    "install a font, such as fonts-noto-cjk for Chinese, Japanese and Korean or fonts-noto-core "
    "for other scripts (Debian, Ubuntu)"
)


class ReportPart(Struct, frozen=True):
    """Some files of a report: those of one format, or of its figures with one ending.

    `missing`, `messages`, `objections` and `shortened` are as in `Writing`, `unsaid` are the
    author's sentences that are not used, and `styled` is whether the style sheet is.
    """

    files: tuple[tuple[str, tuple[OutputFile, ...]], ...]
    missing: tuple[str, ...]
    messages: tuple[str, ...]
    objections: tuple[str, ...]
    unsaid: tuple[str, ...]
    shortened: Mapping[str, Table]
    styled: bool


Mapped = Callable[[Callable[[str], ReportPart], Sequence[str]], Iterable[ReportPart]]
"""Calls a function with every name, in this process or in others."""


def make_part(writing: Writing, name: str) -> ReportPart:
    """Make the files of a format, or of the `figures` with an ending."""
    made: dict[str, list[OutputFile]] = {}
    messages: list[str] = []
    if name in FORMATS:
        made[name] = list(FORMATS[name].function(writing))
    else:
        drawn, messages = figure_files(writing.document, [name.removeprefix(f"{FOLDER} ")])
        made = {f"{FOLDER} {ending}": files for ending, files in drawn.items()}
        writing.missing += without_glyph(writing.document)
    told = (
        tuple(writing.missing),
        (*writing.messages, *messages),
        tuple(writing.objections),
        tuple(writing.context.objections),
    )
    files = tuple((of, tuple(some)) for of, some in made.items())
    found = ReportPart(files, *told, dict(writing.shortened), bool(writing.context.style_sheet))
    for noted in (writing.missing, writing.messages, writing.objections, writing.shortened):
        noted.clear()
    return found


def write_report(
    results: ResultsRecord,
    folder: Path,
    formats: Sequence[str],
    *,
    figures: bool = True,
    template: AuthorsTemplate | None = None,
    mapped: Mapped = map,
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Write a report in some formats into a folder; gives the paths and messages.

    Its figures are written as files too, SVG where a format is a page for the screen and PDF where
    it is printed, unless `figures` is False.
    `template` is the author's, which is code: only the run that has consent to it gives it, and
    `mapped` calls what makes the files of one format with each.
    A message names what could not be done: no Pango (the HTML is written all the same), or
    characters without a glyph. The same results give the same bytes. Raises `ValueError` on
    a format that is not of `FORMATS`.
    """
    for name in formats:
        if name not in FORMATS:
            known = ", ".join(format_names())
            raise ValueError(f"no report format {name!r}; there are {known}")
    endings = {FORMATS[name].declaration.figures for name in formats} - {""}
    theirs = NO_SENTENCES if template is None else template.sentences
    context = Context(results, draws=bool(endings), sentences=theirs)
    css = context.style_sheet
    if template is not None and style_objection(template.styles) is None:
        css += template.styles
    document = replace(build(context), drawing_style=drawing_style(css))
    writing = Writing(results, context, document, template)
    names = sorted(set(formats), key=lambda name: FORMATS[name].declaration.order)
    names += [f"{FOLDER} {ending}" for ending in sorted(endings)] if figures else []
    parts = list(mapped(partial(make_part, writing), names))
    made = {name: list(files) for part in parts for name, files in part.files}
    of_tables = {file.path for files in made.values() for file in files}
    shortened = {name: table for part in parts for name, table in part.shortened.items()}
    whole = [csv_file(table) for table in shortened.values()]
    made[OF_PAGES] = [file for file in whole if file.path not in of_tables]
    written, renamed = write_files(folder, made)
    messages = [*(text for part in parts for text in part.messages), *renamed]
    if results.style_sheet and not all(part.styled for part in parts):
        messages.append("the style sheet in the results cannot be part of a page and is not used")
    unsaid = dict.fromkeys(objection for part in parts for objection in part.unsaid)
    messages += [TemplateFault(f"a sentence of {o}; the report has evallang's") for o in unsaid]
    objections = [objection for part in parts for objection in part.objections]
    settings = results.report
    for name in filter(EXHIBIT.fullmatch, (*(settings.show or ()), *settings.hide)):
        if name not in context.exhibits:
            messages.append(
                f"the report has no figure or table `{name}` that `show` and `hide` can name; it "
                f"has {', '.join(f'`{one}`' for one in context.exhibits)}"
            )
    if objections:
        named = f"the template `{results.report.template}` is not used"
        messages.append(TemplateFault(f"{named}: {objections[0]}"))
    elif endings and results.report.template is not None and template is None:
        messages.append(
            f"the template `{results.report.template}` is code and is not used; `evallang run "
            "--trust` renders the report with it"
        )
    missing = sorted({sign for part in parts for sign in part.missing})
    if missing:
        shown = " ".join(f"{c} (U+{ord(c):04X})" for c in missing[:20])
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        messages.append(
            f"no font of this machine has {shown}{more}, which PDFs show as codes: "
            f"{FONTS_TO_INSTALL}, then `evallang report` writes the names"
        )
    return written, tuple(messages)
