"""`evallang show`."""

import csv
import io
from typing import Any

import click

from evallang.cli.settings import PATH, limit_option
from evallang.cli.summary_text import markdown_lines, text_lines
from evallang.cli.terminal import read_results, write, write_format, write_json
from evallang.printable import ISOLATES, inert
from evallang.reporting.summary import Summary

READ_BY_PEOPLE = frozenset({"text", "markdown"})


@click.command("show", epilog="Example: evallang show study-results")
@click.argument("place", type=PATH, metavar="DIR|results.json")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "csv", "json")),
    default="text",
    show_default=True,
    help="Format of the output.",
)
@limit_option
def command(place: str, form: str) -> int:
    """Show findings, estimates, comparisons, requirements and analyses as tables.

    Nothing is computed. `csv` and `json` have the full precision of results.json.
    """
    from evallang.reporting.summary import summary

    results = read_results(place)
    made = summary(results.record, isolates=form in READ_BY_PEOPLE, analyses=True)
    if form == "json":
        write_json(_json(made))
    elif form == "csv":
        write_format(_csv(made))
    else:
        lines = markdown_lines(made) if form == "markdown" else text_lines(made)
        write(*lines, keep=ISOLATES)
    return 0


def _csv(made: Summary) -> str:
    """Return one row per cell, because the tables have different columns."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("table", "row", "group", "stub", "column", "text", "value", "low", "high"))
    for table in made.tables:
        group = ""
        for n, row in enumerate(table.rows, start=1):
            stub, *cells = row.cells
            if row.heading:
                group = stub.text
            for column, cell in zip(table.columns[1:], cells, strict=True):
                if cell.text:
                    words = (group, stub.text, column.name, cell.text)
                    texts = [inert(" ".join(text.split())) for text in words]
                    exact = (cell.value, cell.low, cell.high)
                    numbers = ["" if x is None else repr(x) for x in exact]
                    writer.writerow((table.id, n, *texts, *numbers))
    return stream.getvalue()


def _json(made: Summary) -> dict[str, Any]:
    return {
        "format_version": "1.0",
        "title": made.title,
        "findings": list(made.findings),
        "tables": [
            {
                "id": table.id,
                "caption": table.caption,
                "columns": [column.name for column in table.columns],
                "rows": [
                    [
                        {"text": cell.text, "value": cell.value, "low": cell.low, "high": cell.high}
                        for cell in row.cells
                    ]
                    for row in table.rows
                ],
                "notes": list(table.notes),
            }
            for table in made.tables
        ],
        "references": list(made.references),
    }
