"""What a study found, for people: records to read, tables, files, reports."""

from __future__ import annotations

import errno
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from evallang.analysis import ANALYSES
from evallang.api.rows import (
    Comparisons,
    Estimates,
    Folds,
    Pairs,
    Requirements,
    Rows,
    folds_of,
    pairs_of,
)
from evallang.limits import RESULTS_BYTES
from evallang.printable import printable, write_lines
from evallang.reporting.authors_template import AuthorsTemplate
from evallang.results import codec, records
from evallang.results.files import write_file
from evallang.results.printed import Printed, joined_text
from evallang.results.records import ResultsRecord
from evallang.spelling import closest
from evallang.working_folder import safe_path

if TYPE_CHECKING:
    from evallang.api.folder import Reserved
    from evallang.diagnostics import Diagnostic
    from evallang.engine.backends.workers import Workers
    from evallang.engine.run_record import Run


def read_record(text: str) -> records.ResultsRecord:
    """Read the text of a `results.json`, with the values of its analyses as these declare them.

    Raises `ValueError` if it is another file, or a value has another type.
    """
    record = codec.loads(text)
    analyses = []
    for number, found in enumerate(record.analyses):
        entry = ANALYSES.get(found.kind)
        values = found.values
        computed = values.get("problem") is None
        if entry is not None and entry.declaration.shown is not None and computed:
            where = f"$.analyses[{number}].values"
            values = codec.read_shown(entry.declaration.shown, values, where)
        analyses.append(replace(found, values=values))
    return replace(record, analyses=tuple(analyses))


MOST_OF_ALL = 10
"""Rows that the tables of all results have together where they are printed."""


def _shortened(tables: list[Printed]) -> list[Printed]:
    """Return the tables with fewer rows; what a short one leaves goes to the longer ones."""
    left, most = MOST_OF_ALL, {}
    by_length = sorted(range(len(tables)), key=lambda i: len(tables[i].rows))
    for place, i in enumerate(by_length):
        most[i] = min(len(tables[i].rows), left // (len(tables) - place))
        left -= most[i]
    return [replace(table, most=most[i]) for i, table in enumerate(tables)]


class Results:
    """What a study found: records to read, to save, and to render."""

    def __init__(
        self,
        record: records.ResultsRecord,
        run: Run | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        study_folder: Path | None = None,
        notes: tuple[str, ...] = (),
        template: AuthorsTemplate | None = None,
    ) -> None:
        self.record = record
        self.diagnostics = diagnostics
        self.notes = notes
        """What a user should know of the run, and no result depends on."""
        self._run = run
        self._study_folder = study_folder or Path()
        self._template = template

    @property
    def estimates(self) -> Estimates:
        """Every estimate: a row for each metric of a model on a data set under a protocol."""
        return Estimates(self.record.estimates)

    @property
    def comparisons(self) -> Comparisons:
        """Every comparison: a row for each `compare` line, data set and metric."""
        return Comparisons(self.record.comparisons)

    @property
    def pairs(self) -> Pairs:
        """Every tested pair: a row for each pair of models, metric and data set."""
        return pairs_of(self.record.comparisons)

    @property
    def folds(self) -> Folds:
        """Every fold: a row for each fold, model and metric."""
        return folds_of(self.record.estimates)

    @property
    def requirements(self) -> Requirements:
        """Every `require` line, on each data set and level, and how it was decided."""
        return Requirements(self.record.requirements)

    def _printed(self) -> list[Printed]:
        study = self.record.study
        heading = Printed(f"Results: {study.title}" if study.title else "Results", (), ())
        of_all = Comparisons([c for c in self.record.comparisons if c.omnibus is not None])
        tables: list[Rows[Any]] = [self.estimates, of_all, self.pairs, self.requirements]
        whole = [rows.printed() for rows in tables if rows]
        return [heading, *_shortened(whole)]

    def __repr__(self) -> str:
        return joined_text(self._printed())

    def _repr_html_(self) -> str:
        from evallang.reporting.report import inline_html

        return inline_html(self.record)

    @classmethod
    @safe_path()
    def load(cls, path: str | Path) -> Results:
        """Read a `results.json`, or the folder that holds one.

        Raises `OSError`, and `ValueError` when it is not such a file, or larger than the limit.
        """
        place = Path(path)
        if place.is_dir():
            place /= "results.json"
        if place.exists() and not place.is_file():  # a pipe may never end
            raise OSError(errno.EINVAL, "not a regular file", str(place))
        with place.open("rb") as file:
            content = file.read(RESULTS_BYTES.most + 1)
        if len(content) > RESULTS_BYTES.most:
            raise RESULTS_BYTES.exceeded(f"`{place.name}`", place.stat().st_size)
        if not content.lstrip().startswith(b"{"):
            raise ValueError("not an evallang results file: it is not a JSON object")
        return cls(read_record(content.decode("utf-8")))

    @safe_path()
    def save(
        self,
        folder: str | Path | Reserved,
        formats: tuple[str, ...] | None = None,
        *,
        jobs: int | Workers = 1,
    ) -> tuple[str, ...]:
        """Write the output folder; gives messages about what could not be written.

        Exported models are written too, below the folder of the study's file. `formats` are
        those of the report, by default the study's, and `()` for none; `jobs` processes draw it, or
        those that `prepare_report` has begun to start.
        Raises `FolderRefused` when the folder holds anything that is not ours, or another process
        is writing it.
        """
        from evallang.api.folder import Reserved, reserved, write_folder
        from evallang.api.models import write_models
        from evallang.engine.backends.workers import Workers

        if isinstance(jobs, int):
            with closing(Workers(jobs)) as workers:
                return self.save(folder, formats, jobs=workers)
        if not isinstance(folder, Reserved):
            with reserved(Path(folder)) as held:
                return (*held.notes, *self.save(held, formats, jobs=jobs))
        prepare_report(jobs, self.record.report.formats if formats is None else formats)
        messages = write_folder(
            folder, self.record, self._run, formats, self._template, jobs.map_here
        )
        if self._run is not None:  # after the folder, in which one may stand
            write_models(self._run.models, self._study_folder, folder.named)
        return messages

    @safe_path()
    def render(self, *formats: str, folder: str | Path = ".") -> tuple[str, ...]:
        """Write the report next to the results; gives messages about what could not be."""
        from evallang.reporting.report import write_report

        wanted = formats or self.record.report.formats
        return write_report(self.record, Path(folder), wanted, template=self._template)[1]

    @safe_path()
    def show(self) -> None:
        """Show the report in a notebook or a browser; without one print where its file is."""

        show(self.record, self._template)

    @safe_path()
    def figure(self, name: str) -> Drawing:
        """Return a figure of the report; raises `ValueError`, which lists the names, for others."""

        return figure(self.record, name)


def prepare_report(workers: Workers, formats: tuple[str, ...]) -> None:
    """Begin to start processes that make a report, where it has several formats."""
    if len(formats) > 1:
        workers.prepare(("evallang.reporting.report", "weasyprint"))


FRAME_HEIGHT = 800
NBSP = "\u00a0"


class Drawing(Struct, frozen=True):
    """One figure of a report: its SVG, and its numbers in words.

    `panels` are the drawings that stand side by side in the report.
    """

    name: str
    panels: tuple[str, ...]
    alternative_text: str
    record: ResultsRecord

    @property
    def svg(self) -> str:
        """The SVG of the figure; panels that stand side by side are below each other."""
        return self.panels[0] if len(self.panels) == 1 else _stacked(self.panels)

    def save(self, path: str | Path) -> None:
        """Write the SVG to a file."""
        write_file(Path(path), self.svg.encode())

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        from evallang.reporting.report import inline_html

        return inline_html(self.record, self.name)

    def __repr__(self) -> str:
        return f"Figure {self.name}: {printable(self.alternative_text.replace(NBSP, ' '))}"


def _stacked(panels: tuple[str, ...]) -> str:
    """Join drawings in one SVG, one below the other."""
    from xml.etree import ElementTree

    parts, height, width = [], 0.0, 0.0
    for panel in panels:
        _, _, wide, high = ElementTree.fromstring(panel).get("viewBox", "0 0 0 0").split()
        inner = panel.partition(">")[2]  # its size is in points, which are larger units inside
        place = f'y="{height:.2f}" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
        parts.append(f"<svg {place}>{inner}")
        height, width = height + float(high), max(width, float(wide))
    size = f'width="{width:.2f}pt" height="{height:.2f}pt" viewBox="0 0 {width:.2f} {height:.2f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'


def figure(record: ResultsRecord, name: str) -> Drawing:
    """Return a figure of the report, by its name or by the word before its only number.

    Raises `ValueError`, which lists the names, for others.
    """
    from evallang.reporting.report import figures

    found = figures(record)
    numbered = [each for each in found if each.rpartition("-")[0] == name]
    if name not in found and len(numbered) == 1:
        name = numbered[0]
    if name not in found:
        names = ", ".join(found)
        nearest = closest(name, found)
        hint = f", perhaps {nearest!r}" if nearest else ""
        have = f"its figures are {names}" if found else "it has no figures"
        raise ValueError(f"the report has no figure {name!r}{hint}; {have}")
    panels = found[name].panels
    alternative_text = " ".join(panel.alt for panel in panels)
    return Drawing(name, tuple(panel.svg for panel in panels), alternative_text, record)


def show(record: ResultsRecord, template: AuthorsTemplate | None = None) -> None:
    """Show the report in the notebook or the browser, or write where its file is."""
    from evallang.reporting.report import write_report

    folder = Path(tempfile.mkdtemp(prefix="evallang-"))
    write_report(record, folder, ("html",), figures=False, template=template)
    path = folder / "report.html"
    display = _notebook_display()
    if display is not None:
        display(_Framed(path.read_text(encoding="utf-8")))
    elif not _opened(path):
        write_lines(sys.stdout, f"the report is in {path}")


class _Framed:
    """A page in a frame of its own, so that its style stays its own."""

    def __init__(self, page: str) -> None:
        self._page = page

    def _repr_html_(self) -> str:
        from html import escape

        return (
            f'<iframe srcdoc="{escape(self._page)}" width="100%" height="{FRAME_HEIGHT}" '
            'sandbox="allow-scripts" style="border: 0"></iframe>'
        )


def _notebook_display() -> Any:
    """Return the function that shows an object in the running notebook, None outside of one."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from importlib import import_module

    return import_module("IPython.display").display


def _opened(path: Path) -> bool:
    """Open a file in a browser with a window; return whether there is one."""
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if type(browser) is webbrowser.GenericBrowser:
        return False  # a browser of the terminal would take the prompt over
    return browser.open(path.as_uri())
