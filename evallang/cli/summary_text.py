"""The summary of results as text of 80 columns, and as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from evallang.cli.change_text import markdown_cell
from evallang.printable import terminal_width, wrapped
from evallang.reporting.summary import Summary, SummaryRow, SummaryTable

WIDTH, WIDEST, NARROWEST = 80, 24, 12
"""The width of the text, and of its columns: of words, and where a long head or stub is broken."""

MOST_ROWS = 36
"""Rows of a table of text; a longer one shows its first and last rows."""

BOLD = "Bold rows"  # of a report; a terminal marks them
MARGIN, GAP = "  ", "  "


def text_lines(made: Summary) -> Iterator[str]:
    """Return the lines of a summary; none is wider than 80 columns."""
    return map(_with_plain_spaces, _lines(made))


def _lines(made: Summary) -> Iterator[str]:
    yield from _wrapped(f"Results: {made.title}")
    for finding in made.findings:
        yield ""
        yield from _wrapped(finding, first="  - ", later="    ")
    for table in made.tables:
        yield ""
        yield from _wrapped(f"{table.label}. {table.caption}")
        grid = _Grid(table)
        yield from grid.lines()
        notes = list(table.notes)
        if any(row is not None and row.strong for row in grid.rows):
            notes = [
                note.replace(BOLD, "*", 1) if note.startswith(BOLD) else note for note in notes
            ]
        if None in grid.rows:
            more = f"{len(table.rows) - MOST_ROWS:,} more rows, which are in the tables of"
            notes.insert(0, f"...: {more} `evallang show --format csv`.")
        if notes:
            yield ""
        for note in notes:
            yield from _wrapped(note, first=MARGIN, later=MARGIN)
    if made.references:
        yield ""
        for reference in made.references:
            yield from _wrapped(reference, later="    ")


def _wrapped(text: str, width: int = WIDTH, first: str = "", later: str = MARGIN) -> list[str]:
    return wrapped(text.replace("\n", " "), width, first, later, broken=True)


def _shown_rows(table: SummaryTable) -> list[SummaryRow | None]:
    """Return the rows of a table; None is a gap in one that is too long for a terminal."""
    if len(table.rows) <= MOST_ROWS:
        return list(table.rows)
    start = len(table.rows) - MOST_ROWS // 3
    headings = [row for row in table.rows[: start + 1] if row.heading]
    again = headings[-1:] if not table.rows[start].heading else []
    return [*table.rows[: MOST_ROWS - MOST_ROWS // 3], None, *again, *table.rows[start:]]


class _Grid:
    """A table as columns of lines, divided among blocks that fit; each has the first column."""

    def __init__(self, table: SummaryTable) -> None:
        self.columns = table.columns
        self.rows = _shown_rows(table)
        self.indent = MARGIN if any(row.heading for row in table.rows) else ""
        self.heads: list[list[str]] = []
        self.cells: list[list[list[str]]] = []
        self.widths: list[int] = []
        for i, column in enumerate(table.columns):
            words = max(
                (terminal_width(w) for r in self.rows for w in self._text(r, i).split(" ")),
                default=0,
            )
            room = min(max(NARROWEST, words), WIDTH // 2) if column.numeric else WIDEST
            head, cells, width = self._column(i, room)
            self.heads.append(head)
            self.cells.append(cells)
            self.widths.append(width)
        for span in self._spans(range(1, len(self.columns))):
            shared = self.columns[span[0]].shared
            words = max(terminal_width(word) for word in shared.split(" "))
            least = min(max(words, NARROWEST), terminal_width(shared), WIDTH // 2)
            self.widths[span[0]] += max(0, least - self._wide(span))
        narrower = self.widths[0] + WIDTH - len(MARGIN) - self._wide(range(len(self.columns)))
        if NARROWEST <= narrower < self.widths[0]:  # then the table is one block
            self.heads[0], self.cells[0], self.widths[0] = self._column(0, narrower)

    def _column(self, i: int, room: int) -> tuple[list[str], list[list[str]], int]:
        """Return the lines of a head and of its cells, and the width that they take."""
        indent = self.indent if i == 0 else ""
        head = _wrapped(self.columns[i].head, room, later="")
        cells = [_wrapped(self._text(row, i), room, indent, indent) for row in self.rows]
        return head, cells, max(terminal_width(line) for lines in (head, *cells) for line in lines)

    def _text(self, row: SummaryRow | None, i: int) -> str:
        if row is None:
            return "..." if i == 0 else ""
        if row.heading:
            return ""  # it has a line of its own
        text = row.cells[i].text
        return (
            f"{text}\u00a0*" if i == 0 and row.strong else text
        )  # without bold type, it needs a sign

    def _spans(self, columns: Iterable[int]) -> list[list[int]]:
        """Divide columns into runs of neighbours that share a head, and single ones."""
        spans: list[list[int]] = []
        for i in columns:
            shared = self.columns[i].shared
            if spans and shared and self.columns[spans[-1][-1]].shared == shared:
                spans[-1].append(i)
            else:
                spans.append([i])
        return spans

    def _wide(self, columns: Sequence[int]) -> int:
        return sum(self.widths[i] for i in columns) + len(GAP) * (len(columns) - 1)

    def lines(self) -> Iterator[str]:
        """Return the lines of all blocks, an empty line before each."""
        room = WIDTH - len(MARGIN) - self.widths[0] - len(GAP)
        block: list[int] = []
        for span in self._spans(range(1, len(self.columns))):
            for part in [span] if self._wide(span) <= room else [[i] for i in span]:
                if block and self._wide([*block, *part]) > room:
                    yield from self._block([0, *block])
                    block = []
                block += part
        yield from self._block([0, *block])

    def _block(self, columns: Sequence[int]) -> Iterator[str]:
        yield ""
        spans = [(span, self._wide(span), self.columns[span[0]].shared)
                 for span in self._spans(columns)]  # fmt: skip
        shared = [_wrapped(words, width, later="") if words else [] for _, width, words in spans]
        if any(shared):
            shared = [[*lines, "-" * width] if lines else []
                      for lines, (_, width, _) in zip(shared, spans, strict=True)]  # fmt: skip
            yield from _beside(shared, [width for _, width, _ in spans], "^" * len(spans))
        widths = [self.widths[i] for i in columns]
        sides = "".join(">" if self.columns[i].numeric else "<" for i in columns)
        yield from _beside([self.heads[i] for i in columns], widths, sides)
        yield MARGIN + "-" * self._wide(columns)
        for n, row in enumerate(self.rows):
            if row is not None and row.heading:
                yield from _wrapped(row.cells[0].text, first=MARGIN, later=MARGIN * 2)
            else:
                yield from _beside([self.cells[i][n] for i in columns], widths, sides, top=True)


def _beside(
    cells: Sequence[Sequence[str]], widths: Sequence[int], sides: str, *, top: bool = False
) -> Iterator[str]:
    """Return cells next to each other, the shorter ones at the top or at the bottom."""
    height = max(map(len, cells))
    for n in range(height):
        parts = []
        for lines, width, side in zip(cells, widths, sides, strict=True):
            at = n if top else n - (height - len(lines))
            text = lines[at] if 0 <= at < len(lines) else ""
            space = width - terminal_width(text)
            before = {"<": 0, ">": space, "^": space // 2}[side]
            parts.append(" " * before + text + " " * (space - before))
        yield (MARGIN + GAP.join(parts)).rstrip(" ")


def markdown_lines(made: Summary, level: int = 2) -> Iterator[str]:
    """Return the lines of a summary in Markdown, with all rows, below a heading of a level."""
    return map(_with_plain_spaces, _markdown(made, level))


def _with_plain_spaces(line: str) -> str:
    """Replace the no-break spaces of print, which a terminal may show as an escape."""
    return line.replace("\u00a0", " ")


def _markdown(made: Summary, level: int) -> Iterator[str]:
    yield f"{'#' * level} {markdown_cell(made.title)}"
    yield ""
    for finding in made.findings:
        yield f"- {markdown_cell(finding)}"
    for table in made.tables:
        yield ""
        yield f"**{table.label}.** {markdown_cell(table.caption)}"
        yield ""
        yield _markdown_row([markdown_cell(column.name) for column in table.columns])
        yield "|" + "|".join("--:" if c.numeric else ":--" for c in table.columns) + "|"
        for row in table.rows:
            first, *others = (markdown_cell(cell.text) for cell in row.cells)
            yield _markdown_row([f"**{first}**" if row.strong else first, *others])
        for note in table.notes:
            yield ""
            yield markdown_cell(note)
    for reference in made.references:
        yield ""
        yield markdown_cell(reference)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
