"""Each study of `ROOMS` is drawn once for all tests here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import drawn_regression
import fixture
import fixture_variants
import pytest
import tinyhtml5

from evallang.reporting.report import write_report
from evallang.results.codec import to_plain
from evallang.results.records import ResultsRecord

ROOMS = (fixture, fixture_variants, drawn_regression)
NAMES = (
    "cancer",
    "holdout",
    "regression",
    "counts",
    "gate_shut",
    "no_intervals",
    "many_data_sets",
    "hostile",
)
IN_PRINT = ("cancer", "regression", "hostile")
"""Those that are laid out as PDF too."""


@dataclass(frozen=True)
class Drawn:
    """A study's results, its page and its PDF."""

    results: ResultsRecord
    html: str
    page: Element
    pdf: Path
    messages: tuple[str, ...]

    @property
    def plain(self) -> Mapping[str, Any]:
        return to_plain(self.results)

    def words(self, path: str = "body") -> str:
        """Give the text of an element, white space folded (no-break spaces too)."""
        found = self.page.find(f".//{path}")
        assert found is not None, path
        return folded(found)


def folded(element: Element) -> str:
    """Return the words of an element without the link beside its sentences, which comes last."""
    words = " ".join("".join(element.itertext()).split())
    for link in element.findall(".//a[@class='aside']"):
        words = words.removesuffix(" ".join("".join(link.itertext()).split())).rstrip()
    return words


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Drawn]:
    @cache
    def draw(name: str) -> Drawn:
        (drawing,) = {getattr(room, name) for room in ROOMS if hasattr(room, name)}
        results = drawing()
        folder = tmp_path_factory.mktemp(name)
        formats = ("html", "pdf") if name in IN_PRINT else ("html",)
        _, messages = write_report(results, folder, formats)
        html = (folder / "report.html").read_text(encoding="utf-8")
        page = tinyhtml5.parse(html, namespace_html_elements=False)
        return Drawn(results, html, page, folder / "report.pdf", messages)

    return draw
