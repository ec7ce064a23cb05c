"""`evallang show`."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

import click

from evallang.cli.change_text import markdown_cell
from evallang.cli.settings import limit_option
from evallang.cli.terminal import read_results, write, write_format, write_json

if TYPE_CHECKING:
    from evallang.reporting.summary import Summary, SummaryCell, SummaryTable

WIDTH, WIDEST = 80, 24
"""The width of the text, and of a column whose cells are wrapped."""


@click.command("show", epilog="Example: evallang show study-results")
@click.argument("place", metavar="DIR|results.json")
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
    """Show findings, estimates, comparisons and requirements of results as tables.

    Nothing is computed. `csv` and `json` have the full precision of results.json.
    """
    from evallang.reporting.summary import summary

    results = read_results(place)
    made = summary(results.record)
    if form == "json":
        write_json(_json(made))
    elif form == "csv":
        write_format(_csv(made))
    else:
        lines = _markdown(made) if form == "markdown" else text_lines(made)
        write(*(line.replace("\u00a0", " ") for line in lines))  # a terminal needs no such space
    return 0


def text_lines(made: "Summary") -> Iterator[str]:
    """Return the lines of a summary; none is wider than 80 columns unless a word is."""
    yield from wrapped(f"Results: {made.title}")
    for finding in made.findings:
        yield ""
        yield from wrapped(finding, first="  - ", later="    ")
    for table in made.tables:
        yield ""
        yield from wrapped(f"{table.label}. {table.caption}")
        for columns in _blocks(table):
            yield ""
            yield from _grid(table, columns)
        if table.notes or any(table.strong):
            yield ""
        if any(table.strong):
            yield from wrapped("*: a row that the report prints in bold.", first="  ", later="  ")
        for note in table.notes:
            yield from wrapped(note, first="  ", later="  ")


def wrapped(text: str, width: int = WIDTH, first: str = "", later: str = "  ") -> list[str]:
    """Return the lines of a text, broken at words; a no-break space does not break."""
    lines, line, empty = [], first, True
    for word in (word for word in text.replace("\n", " ").split(" ") if word):
        if not empty and _width(line) + 1 + _width(word) > width:
            lines.append(line)
            line, empty = later, True
        line += word if empty else f" {word}"
        empty = False
    return [*lines, line]


def _width(text: str) -> int:
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def _columns(table: "SummaryTable") -> list[list[list[str]]]:
    """Return the lines of every cell, column by column, heads first."""
    made = []
    for i, head in enumerate(table.columns):
        cells = [row[i].text for row in table.rows]
        if i == 0:  # bold needs a sign where there is no bold type
            cells = [
                f"{cell} *" if b else cell for cell, b in zip(cells, table.strong, strict=True)
            ]
        words = max((_width(word) for cell in cells for word in cell.split(" ")), default=0)
        room = max(12, words) if table.numeric[i] else WIDEST
        made.append([wrapped(text, room, later="") for text in (head, *cells)])
    return made


def _widths(table: "SummaryTable") -> list[int]:
    return [max(_width(line) for cell in column for line in cell) for column in _columns(table)]


def _blocks(table: "SummaryTable") -> Iterator[list[int]]:
    """Divide the columns among blocks that fit; each begins with the first column."""
    widths = _widths(table)
    block, used = [0], 2 + widths[0]
    for i in range(1, len(widths)):
        if len(block) > 1 and used + 2 + widths[i] > WIDTH:
            yield block
            block, used = [0], 2 + widths[0]
        block.append(i)
        used += 2 + widths[i]
    yield block


def _grid(table: "SummaryTable", columns: Sequence[int]) -> Iterator[str]:
    cells, widths = _columns(table), _widths(table)
    for row in range(len(table.rows) + 1):
        height = max(len(cells[i][row]) for i in columns)
        for n in range(height):
            line = "  "
            for i in columns:
                lines = cells[i][row]
                at = n - (height - len(lines) if row == 0 else 0)  # heads are aligned at the bottom
                text = lines[at] if 0 <= at < len(lines) else ""
                space = " " * (widths[i] - _width(text))
                line += (space + text if table.numeric[i] else text + space) + "  "
            yield line.rstrip(" ")
        if row == 0:
            yield "  " + "-" * (sum(widths[i] for i in columns) + 2 * (len(columns) - 1))


def _markdown(made: "Summary") -> Iterator[str]:
    yield f"## {markdown_cell(made.title)}"
    yield ""
    for finding in made.findings:
        yield f"- {markdown_cell(finding)}"
    for table in made.tables:
        yield ""
        yield f"**{table.label}.** {markdown_cell(table.caption)}"
        yield ""
        yield _markdown_row([markdown_cell(head) for head in table.columns])
        yield "|" + "|".join("--:" if right else ":--" for right in table.numeric) + "|"
        for row, strong in zip(table.rows, table.strong, strict=True):
            first, *others = (markdown_cell(cell.text) for cell in row)
            yield _markdown_row([f"**{first}**" if strong else first, *others])
        for note in table.notes:
            yield ""
            yield markdown_cell(note)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _csv(made: "Summary") -> str:
    """Return one row per cell, because the tables have different columns."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("table", "row", "stub", "column", "text", "value", "low", "high"))
    for table in made.tables:
        for n, row in enumerate(table.rows, start=1):
            for head, cell in zip(table.columns[1:], row[1:], strict=True):
                if cell.text:
                    texts = [_inert(" ".join(t.split())) for t in (row[0].text, head, cell.text)]
                    exact = (cell.value, cell.low, cell.high)
                    numbers = ["" if x is None else repr(x) for x in exact]
                    writer.writerow((table.id, n, *texts, *numbers))
    return stream.getvalue()


def _inert(text: str) -> str:
    """Quote a text that a spreadsheet would run as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def _json(made: "Summary") -> dict[str, Any]:
    return {
        "format_version": "1.0",
        "title": made.title,
        "findings": list(made.findings),
        "tables": [
            {
                "id": table.id,
                "caption": table.caption,
                "columns": list(table.columns),
                "rows": [[_json_cell(cell) for cell in row] for row in table.rows],
                "notes": list(table.notes),
            }
            for table in made.tables
        ],
    }


def _json_cell(cell: "SummaryCell") -> dict[str, Any]:
    return {"text": cell.text, "value": cell.value, "low": cell.low, "high": cell.high}
