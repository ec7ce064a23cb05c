"""Results in, files out: the one door of this room."""

from collections.abc import Sequence
from pathlib import Path

from evallang.reporting.context import Context
from evallang.reporting.document import Figure
from evallang.reporting.figure_files import FOLDER, drawn_as_boxes, figure_files
from evallang.reporting.formats.csv_tables import csv_file
from evallang.reporting.formats.format import FORMATS, Writing, format_names
from evallang.reporting.formats.pages import (
    RESULTS_NAME as RESULTS_NAME,
    STUDY_NAME as STUDY_NAME,
    attached_files as attached_files,
)
from evallang.reporting.output_files import OutputFile, write_files
from evallang.reporting.section import build
from evallang.results.records import ResultsRecord

OF_PAGES = "shortened"
"""The tables at full length of which a page or a LaTeX table shows fewer rows."""


def figures(results: ResultsRecord) -> dict[str, Figure]:
    """Return the figures of the report by name, in its order."""
    drawn = build(Context(results)).every(Figure)
    return {figure.id.removeprefix("figure-"): figure for figure in drawn}


FONTS_TO_INSTALL = (
    "install a font, such as fonts-noto-cjk for Chinese, Japanese and Korean or fonts-noto-core "
    "for other scripts (Debian, Ubuntu)"
)


def write_report(
    results: ResultsRecord,
    folder: Path,
    formats: Sequence[str],
    *,
    figures: bool = True,
    template: str | None = None,
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Write a report in some formats into a folder; gives the paths and messages.

    Its figures are written as files too, SVG where a format is a page for the screen and PDF where
    it is printed, unless `figures` is False.
    `template` is the author's, which is code: only the run that has consent to it gives it.
    A message names what could not be done: no Pango (the HTML is written all the same), or
    characters without a glyph. The same results give the same bytes. Raises `ValueError` on
    a format that is not of `FORMATS`.
    """
    for name in formats:
        if name not in FORMATS:
            known = ", ".join(format_names())
            raise ValueError(f"no report format {name!r}; there are {known}")
    endings = {FORMATS[name].declaration.figures for name in formats} - {""}
    writing = Writing(results, draws=bool(endings), template=template)
    made: dict[str, list[OutputFile]] = {}
    for name in sorted(set(formats), key=lambda name: FORMATS[name].declaration.order):
        made[name] = list(FORMATS[name].function(writing))
    of_tables = {file.path for files in made.values() for file in files}
    whole = [csv_file(table) for table in writing.shortened.values()]
    made[OF_PAGES] = [file for file in whole if file.path not in of_tables]
    messages = writing.messages
    if endings and figures:
        drawn, without = figure_files(writing.document, endings)
        made |= {f"{FOLDER} {ending}": files for ending, files in drawn.items()}
        messages += without
        writing.missing += drawn_as_boxes(writing.document)
    written, renamed = write_files(folder, made)
    messages += renamed
    if results.style_sheet and not writing.context.style_sheet:
        messages.append("the style sheet in the results cannot be part of a page and is not used")
    if writing.objections:
        objection = writing.objections[0]
        messages.append(f"the template is not used, because {objection}")
    elif endings and results.report.template is not None and template is None:
        messages.append(
            f"the template `{results.report.template}` is code and is not used; `evallang run "
            "--trust` renders the report with it"
        )
    if writing.missing:
        missing = sorted(set(writing.missing))
        shown = " ".join(f"{c} (U+{ord(c):04X})" for c in missing[:20])
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        messages.append(
            f"no font of this machine has {shown}{more}, which PDF and figures show as boxes with "
            f"their codes: {FONTS_TO_INSTALL}, then `evallang report` writes the names"
        )
    return written, tuple(messages)
