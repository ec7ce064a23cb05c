"""Results in, files out: the one door of this room."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from evallang.printable import printable_json
from evallang.reporting import html, pdf
from evallang.reporting.context import Context
from evallang.reporting.document import Figure
from evallang.reporting.section import SECTIONS, build
from evallang.results.codec import to_plain
from evallang.results.files import write_file
from evallang.results.records import ResultsRecord

FORMATS = ("html", "pdf")
"""The formats that can be written."""


def figures(results: ResultsRecord) -> dict[str, Figure]:
    """Return the figures of the report by name, in its order."""
    sections = build(Context(results)).sections
    blocks = [block for section in sections for block in section.blocks]
    return {b.id.removeprefix("figure-"): b for b in blocks if isinstance(b, Figure)}


def get_ready(formats: Sequence[str]) -> Iterator[None]:
    """Import and read what reports in these formats need, piece by piece."""
    if formats:
        SECTIONS.names()
        yield
        html.get_ready()
        yield
    if "pdf" in formats:
        yield from pdf.get_ready()


def attached_files(results: ResultsRecord) -> tuple[pdf.AttachedFile, ...]:
    """Return the results and the study as the PDF carries them, for readers and `verify`.

    When, how long and with which command a study ran, what came from the store, and the shortcuts
    of the other fits are omitted: two runs of one study give the same bytes.
    """
    plain = to_plain(results)
    made = dict(plain["provenance"])
    for name in ("started", "seconds", "command", "fast_paths"):
        made.pop(name)
    made["fits"] = {name: made["fits"][name] for name in ("planned", "failed")}
    text = printable_json({**plain, "provenance": made}, indent=1) + "\n"
    study = results.spec.canonical.encode("utf-8", "backslashreplace")
    return (
        pdf.AttachedFile(RESULTS_NAME, "The results that this report shows", text.encode()),
        pdf.AttachedFile(STUDY_NAME, "The study in its canonical format", study),
    )


RESULTS_NAME, STUDY_NAME = "results.json", "study.eval"


def write_report(
    results: ResultsRecord, folder: Path, formats: Sequence[str]
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Write `report.html` and `report.pdf` into a folder; gives the paths and messages.

    A message names what could not be done: no Pango (the HTML is written all the same), or
    characters without a glyph. The same results give the same bytes. Raises `ValueError` on
    a format that is not of `FORMATS`.
    """
    for name in formats:
        if name not in FORMATS:
            raise ValueError(f"no report format {name!r}; there are {', '.join(FORMATS)}")
    context = Context(results)
    document = build(context)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    messages: list[str] = []
    missing: tuple[str, ...] = ()
    if "html" in formats:
        page = html.render(document, "screen")
        missing += page.missing
        written.append(folder / "report.html")
        write_file(written[-1], page.html.encode())
    if "pdf" in formats:
        page = html.render(document, "print")
        missing += page.missing
        try:
            data = pdf.write(page.html, context.report_id, attached_files(results))
        except pdf.PangoMissingError as error:
            messages.append(str(error))
        else:
            written.append(folder / "report.pdf")
            write_file(written[-1], data)
    if results.style_sheet and not context.style_sheet:
        messages.append("the style sheet in the results cannot be part of a page and is not used")
    if missing:
        shown = " ".join(f"{c} (U+{ord(c):04X})" for c in sorted(set(missing))[:20])
        messages.append(f"the report's fonts have no glyph for {shown}; the system's are used")
    return tuple(written), tuple(messages)
