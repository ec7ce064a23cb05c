"""A report shown to whoever works in Python: in the notebook, in a browser, or one figure."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from msgspec import Struct

from evallang.printable import printable, write_lines
from evallang.results.files import write_file
from evallang.results.records import ResultsRecord
from evallang.spelling import closest

FRAME_HEIGHT = 800
NBSP = "\u00a0"


class Drawing(Struct, frozen=True):
    """One figure of a report: its SVG, and its numbers in words.

    `panels` are the drawings that stand side by side in the report.
    """

    name: str
    panels: tuple[str, ...]
    alternative_text: str

    @property
    def svg(self) -> str:
        """The SVG of the figure; panels that stand side by side are below each other."""
        return self.panels[0] if len(self.panels) == 1 else _stacked(self.panels)

    def save(self, path: str | Path) -> None:
        """Write the SVG to a file."""
        write_file(Path(path), self.svg.encode())

    def _repr_svg_(self) -> str:
        return self.svg

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
    return Drawing(
        name, tuple(panel.svg for panel in panels), " ".join(panel.alt for panel in panels)
    )


def show(record: ResultsRecord, template: str | None = None) -> None:
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
