"""Results in, files out: the one door of this room."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path

from msgspec.structs import replace

from evallang.reporting import fonts, pdf
from evallang.reporting.authors_template import AuthorsTemplate, TemplateFault
from evallang.reporting.context import NO_SENTENCES, Context
from evallang.reporting.document import (
    PANEL_LETTERS,
    Block,
    Document,
    Figure,
    Panel,
    Ref,
    Runs,
    Section,
)
from evallang.reporting.figures.figure import (
    CAP_HEIGHT,
    COLUMN,
    LEAST_SHARE,
    POINTS_PER_MM,
    SVG,
    Canvas,
)
from evallang.reporting.formats.csv_tables import csv_file
from evallang.reporting.formats.format import FORMATS, Notes, Writing, format_names
from evallang.reporting.formats.pages import (
    RESULTS_NAME as RESULTS_NAME,
    STUDY_NAME as STUDY_NAME,
    attached_files as attached_files,
)
from evallang.reporting.html import render_inline
from evallang.reporting.output_files import OutputFile, write_files
from evallang.reporting.run_writer import RunWriter
from evallang.reporting.section import EXHIBIT, SECTIONS, build
from evallang.reporting.style_sheets import drawing_style, style_objection
from evallang.reporting.summary import SUMMARISED
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


def figure_files(document: Document, ending: str) -> tuple[list[OutputFile], list[str]]:
    """Return the files of all figures with an ending, `svg` or `pdf`, and messages.

    Their alternative texts are a file too. A message states which figures have no PDF, because
    Pango is missing.
    """
    found, style = figures_of(document), document.drawing_style
    made: list[OutputFile] = []
    without: dict[str, None] = {}
    for name, panels, sheet in (item for figure in found for item in _sheets(document, figure)):
        alt, path = " ".join(panel.alt for panel in panels), f"{FOLDER}/{name}.{ending}"
        if ending == "svg":
            text = "".join(mark.text for mark in sheet.marks) + PANEL_LETTERS
            faces = fonts.embed(text, fonts.DRAWN) + escape(style.faces, quote=False)
            made.append(OutputFile(path, style.applied(svg_file(sheet, alt, faces)).encode()))
            continue
        styles = fonts.print_rules(fonts.DRAWN) + style.faces
        title, svg = f"{document.title}: {name}", svg_file(sheet.printed(), alt)
        try:
            drawn = fonts.spelled(style.applied(svg))
            data = pdf.write_drawing(drawn, sheet.width, sheet.height, title, alt, styles)
            made.append(OutputFile(path, data))
        except pdf.PangoMissingError:
            without[name] = None
    if found:
        made.append(OutputFile(ALT, "\n".join(_descriptions(found)).encode()))
    names, reason = ", ".join(without), pdf.PangoMissingError.reason
    return made, [f"no PDF of the figures {names}: {reason}"] if without else []


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
    return (
        f'<svg xmlns="{SVG}" width="{wide}mm" height="{high}mm" '
        f'viewBox="0 0 {sheet.width:.2f} {sheet.height:.2f}" role="img" '
        f'font-family="{FILE_FAMILY}">'
        f"<title>{escape(alt)}</title><style>{styles}</style>{sheet.body()}</svg>\n"
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
"""The tables at full length of which a page or a LaTeX table shows fewer rows, or none."""


def figures(results: ResultsRecord) -> dict[str, Figure]:
    """Return the figures of the report by name, in its order."""
    drawn = build(Context(results)).every(Figure)
    return {figure_name(figure.id): figure for figure in drawn}


def inline_html(results: ResultsRecord, name: str | None = None) -> str:
    """Return the main part of a report as HTML for a notebook, or one figure of all."""

    def shown(section: Section, block: Block) -> bool:
        if name is not None:
            return isinstance(block, Figure) and figure_name(block.id) == name
        analysis = SECTIONS[section.name].declaration.analyses
        return not section.supplement and (analysis or section.name in SUMMARISED)

    return render_inline(build(Context(results)), shown)


FONTS_TO_INSTALL = (
    "install a font, such as fonts-noto-cjk for Chinese, Japanese and Korean or fonts-noto-core "
    "for other scripts (Debian, Ubuntu)"
)


Part = tuple[Sequence[OutputFile], Notes]
"""The files of a report in one format, or of its figures with one ending, and what was noted."""
Mapped = Callable[[Callable[[str], Part], Sequence[str]], Iterable[Part]]
"""Calls a function with every name, in this process or in others."""


def make_part(writing: Writing, name: str) -> Part:
    """Make the files of a format, or of the `figures` with an ending."""
    notes = writing.notes = Notes()
    if name in FORMATS:
        made = list(FORMATS[name].function(writing))
    else:
        made, notes.messages = figure_files(writing.document, name.removeprefix(f"{FOLDER} "))
        notes.missing += without_glyph(writing.document)
    notes.unsaid += writing.context.objections
    return made, notes


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
    made = {name: files for name, (files, _) in zip(names, parts, strict=True)}
    noted = [notes for _, notes in parts]
    of_tables = {file.path for files in made.values() for file in files}
    shortened = {name: table for notes in noted for name, table in notes.shortened.items()}
    whole = [csv_file(table) for table in (*shortened.values(), *document.files)]
    made[OF_PAGES] = [file for file in whole if file.path not in of_tables]
    written, renamed = write_files(folder, made)
    messages = [*(text for notes in noted for text in notes.messages), *renamed]
    if results.style_sheet and not context.style_sheet:
        messages.append("the style sheet in the results cannot be part of a page and is not used")
    unsaid = dict.fromkeys(objection for notes in noted for objection in notes.unsaid)
    messages += [TemplateFault(f"a sentence of {o}; the report has evallang's") for o in unsaid]
    objections = [objection for notes in noted for objection in notes.objections]
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
    missing = sorted({sign for notes in noted for sign in notes.missing})
    if missing:
        shown = " ".join(f"{c} (U+{ord(c):04X})" for c in missing[:20])
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        messages.append(
            f"no font of this machine has {shown}{more}, which PDFs show as codes: "
            f"{FONTS_TO_INSTALL}, then `evallang report` writes the names"
        )
    return written, tuple(messages)
