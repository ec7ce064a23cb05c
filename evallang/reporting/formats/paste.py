"""What the buttons of the page copy: its sentences and tables in the forms of a paper."""

from collections.abc import Mapping
from typing import Any

from evallang.printable import without_isolates
from evallang.reporting.document import Cite, NumberedFindings, Runs, Table
from evallang.reporting.formats.bibtex import bibliography
from evallang.reporting.formats.csv_tables import csv_text
from evallang.reporting.formats.format import Writing
from evallang.reporting.formats.latex import methods_rows, prose_source, table_source
from evallang.reporting.formats.latex_tables import FULL
from evallang.reporting.formats.works import CitedWork
from evallang.reporting.run_writer import RunWriter

MOST_ROWS = 500
"""Rows of a table that is copied from the page; a longer one is a file."""


CITED = "\0"  # before and after a citation, which no text has


class _Sentence(RunWriter):
    """Words with citations by author and year."""

    def __init__(self, works: Mapping[str, CitedWork]) -> None:
        self.works = works

    def line(self, row: Runs) -> str:
        """Return runs as one line; inside parentheses a citation has none of its own."""
        text = ""
        for i, part in enumerate(self.write(row).split(CITED)):
            inside = text.count("(") > text.count(")")
            text += part if i % 2 == 0 else f"; {part}" if inside else f" ({part})"
        return " ".join(text.replace("\u2060", "").split())

    def cite(self, run: Cite) -> str:
        """Cite works by authors and year."""
        shorts = dict.fromkeys(self.works[key].short for key in run.keys if key in self.works)
        return f"{CITED}{'; '.join(shorts)}{CITED}" if shorts else ""


def copied_forms(writing: Writing) -> dict[str, Any]:
    """Return sentences, tables and bibliography as a JSON object for the script of the page."""
    findings = [
        item
        for block in writing.blocks("findings")
        if isinstance(block, NumberedFindings)
        for item in block.items
    ]
    words, own = _Sentence(writing.works), writing.tables()

    def both(row: Runs) -> dict[str, str]:
        return {"text": without_isolates(words.line(row)), "latex": prose_source(writing, row)}

    return {
        "findings": [both(row) for row in findings],
        "methods": [both(row) for row in methods_rows(writing)],
        "tables": {
            table.id: {
                "csv": csv_text(table),
                **({"latex": table_source(writing, table, FULL)} if table in own else {}),
            }
            for table in writing.document.every(Table)
            if len(table.rows) <= MOST_ROWS
        },
        "bibtex": bibliography(writing.works, writing.cited()),
    }
