"""Tables as LaTeX with booktabs alone, laid out to a width that they never exceed.

Columns that do not fit are set below each other, each part with the names of the rows; long
names are broken at words, and in words where nothing else helps.
"""

import math
import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting.document import Cell, Row, Runs, Spanner, Table
from evallang.reporting.formats.latex_text import (
    BASELINE,
    FONT_SIZE,
    LONG_WORD,
    LatexWriter,
    escape,
    needs_fallback,
    width_of,
)
from evallang.reporting.run_writer import RunWriter

POINTS_PER_MM = 72.27 / 25.4
GAP = 6.0  # points between columns: twice \tabcolsep
WIDE = 159  # mm: both columns of an article on A4, or its text with margins of 25 mm
BROAD = 139  # mm: the text of NeurIPS, 5.5 in
FULL, NARROW = 121, 77  # mm: the text of an article of one column, and a column of two
MOST_ROWS = 40
TALLEST = 480.0  # points: a page of an article of 10 points has 528 or more
LINE, RULES = 9.7, 26.0  # points: a line of small print, and the rules and gaps of a part
LEAST_ROWS = 3
LEAST_STUB = 72.0  # points
WIDEST_HEAD = 62.0
WIDEST_STUB_HEAD = 110.0
WIDEST_TEXT = 190.0  # of a column of words
SAFETY = 1.03
ROUNDING = 1e-6  # points that a sum of widths may miss its room by


class _Plain(RunWriter):
    """The words alone, to be measured; letters of typewriters are as wide as Courier's."""

    def cite(self, run: object) -> str:
        return " [00]"

    def code(self, text: str) -> str:
        return re.sub(r"\S", "q", text)


PLAIN = _Plain()


class _Measured(Struct, frozen=True):
    """A column: its width, and whether its cells are broken into lines of that width."""

    index: int
    width: float
    paragraph: bool


_Part = tuple[list[_Measured], _Measured]
"""Some columns of a table, and the first one, whose names head the rows of every part."""


def latex_table(
    table: Table, writer: LatexWriter, *, millimetres: int, label: str, pointer: str
) -> str:
    """Return a table as a float that is as wide as stated, or narrower.

    One that is wider than a column spans the columns of a page. `pointer` names the file that has
    the omitted rows of a long table.
    """
    kind = "table" if millimetres <= NARROW else "table*"
    room = millimetres * POINTS_PER_MM / SAFETY
    table, left_out = _shortened(table, room)
    notes = [writer.write(note).strip() for note in table.notes]
    if left_out:
        words = "row is" if left_out == 1 else "rows are"
        notes.insert(0, writer.text(f"{left_out} {words} omitted; {pointer}."))
    floats = _floats(table, room)
    lines: list[str] = []
    for number, parts in enumerate(floats):
        caption = f"{writer.write(table.caption)}"
        lines += [rf"\begin{{{kind}}}", r"  \centering\sloppy"]
        if number:
            lines.append(r"  \addtocounter{table}{-1}%")
            caption += " (continued)"
        lines.append(rf"  \caption{{{caption}}}")
        if not number:
            lines.append(rf"  \label{{{label}}}")
        size = rf"\fontsize{{{FONT_SIZE:g}}}{{{BASELINE:g}}}\selectfont"  # in every document
        lines += [rf"  \par\smallskip{size}", r"  \setlength{\tabcolsep}{3pt}"]
        for i, (columns, stub) in enumerate(parts):
            lines += [r"  \par\medskip"] * bool(i)
            lines += [f"  {line}" for line in _tabular(table, writer, columns, stub)]
        if notes and number == len(floats) - 1:
            lines.append(r"  \par\smallskip")
            lines.append(rf"  \parbox{{\linewidth}}{{\raggedright {' '.join(notes)}}}")
        lines.append(rf"\end{{{kind}}}")
    return "\n".join(lines) + "\n"


def _floats(table: Table, room: float) -> list[list[_Part]]:
    """Divide the parts of a table among floats that a page has room for."""
    made: list[list[_Part]] = [[]]
    below = _lines_of(table.notes, room) * LINE
    left = TALLEST - below - _lines_of([table.caption], room) * 12.0
    for part in _parts(table, room):
        height = _height(table, part)
        if made[-1] and height > left:
            made.append([])
            left = TALLEST - below - 24.0
        made[-1].append(part)
        left -= height
    return made


def _height(table: Table, part: _Part) -> float:
    """Return the height of a part in points."""
    columns, stub = part
    lines = 0
    across = sum(c.width + GAP for c in (stub, *columns))
    for row in table.rows:
        tall = [1.0]
        if row.group:
            lines += math.ceil(1.15 * width_of(PLAIN.write(row.cells[0].runs)) / across)
            continue
        for c in (stub, *columns):
            if c.paragraph and c.index < len(row.cells):
                words = width_of(PLAIN.write(row.cells[c.index].runs), bold=row.strong)
                tall.append(math.ceil(1.15 * words / c.width))
        lines += int(max(tall))
    heads = [_head(table.columns[c.index].head, c.width)[1] for c in columns]
    spanned = [_head(s.head, 0.0)[1] for s in table.spanners]
    return (lines + max(heads, default=1) + max(spanned, default=0)) * LINE + RULES


def _lines_of(rows: Sequence[Runs], room: float) -> int:
    words = sum(width_of(PLAIN.write(row) + " ") for row in rows)
    return math.ceil(1.2 * words / room) if rows else 0


def whole_in(table: Table, millimetres: int) -> bool:
    """Return whether a table is set with all its rows."""
    return _shortened(table, millimetres * POINTS_PER_MM / SAFETY)[1] == 0


def _shortened(table: Table, room: float) -> tuple[Table, int]:
    """Keep the first and the last rows of a long table; return the number of omitted rows."""
    if table.whole:
        return table, 0
    below = (_lines_of(table.notes, room) + _lines_of([table.caption], room) + 3) * LINE
    most = min(MOST_ROWS, len(table.rows))
    while True:
        shown, last = table, most // 3
        if most < len(table.rows):
            rows = (*table.rows[: most - last], *table.rows[len(table.rows) - last :])
            out = len(table.rows) - most
            shown = replace(table, rows=rows, left_out=out, gap_after=most - last)
        tallest = max(_height(shown, part) for part in _parts(shown, room))
        if tallest + below <= TALLEST or most <= LEAST_ROWS:
            return shown, len(table.rows) - len(shown.rows)
        most -= 1


# --- measuring -----------------------------------------------------------------------------------


def _parts(table: Table, room: float) -> list[_Part]:
    """Divide the columns after the first into parts that fit, spanned columns together."""
    stub = _natural_stub(table)
    columns = [_measured(table, i) for i in range(1, len(table.columns))]
    columns = _with_lines(table, columns, room - min(stub, LEAST_STUB) - ROUNDING)
    parts: list[list[_Measured]] = [[]]
    for group in _groups(table, columns):
        least = min(stub, LEAST_STUB)
        whole = [group]
        if least + _wide(table, group) > room:
            whole = [[column] for column in group]
        for piece in whole:
            if parts[-1] and least + _wide(table, [*parts[-1], *piece]) > room:
                parts.append([])
            parts[-1] += piece
    made = []
    for part in parts:
        left = room - _wide(table, part)
        fits = stub <= left
        most = room - LEAST_STUB - GAP
        narrow = [
            replace(c, width=most, paragraph=True)
            if table.columns[c.index].align == "left" and c.width > most
            else c
            for c in part
        ]
        width = stub if fits else max(left, LEAST_STUB)
        made.append((narrow, _Measured(0, width, not fits)))
    return made


def _with_lines(table: Table, columns: list[_Measured], room: float) -> list[_Measured]:
    """Break the cells of words into lines, where all columns then fit next to each other."""
    over = _wide(table, columns) - room
    spare = {
        c.index: c.width - least
        for c in columns
        if table.columns[c.index].align == "left" and c.width > (least := _least(table, c.index))
    }
    if not 0 < over <= sum(spare.values()):
        return columns
    share = over / sum(spare.values())
    return [
        replace(c, width=c.width - share * spare[c.index], paragraph=True)
        if c.index in spare
        else c
        for c in columns
    ]


def _least(table: Table, index: int) -> float:
    """Return the least width of a column of words: that of its longest word that is not broken."""
    rows = [row for row in table.rows if index < len(row.cells)]
    words = {(w, row.strong) for row in rows for w in PLAIN.write(row.cells[index].runs).split(" ")}
    widths = [width_of(word, bold=bold) for word, bold in words if len(word) <= LONG_WORD]
    return max(LEAST_STUB, FONT_SIZE / 2 + max(widths, default=0.0))  # where it is indented


def _natural_stub(table: Table) -> float:
    own = [
        width_of(PLAIN.write(row.cells[0].runs), bold=row.strong)
        for row in table.rows
        if not row.group
    ]
    head = width_of(PLAIN.write(table.columns[0].head))
    return max([*own, min(head, WIDEST_STUB_HEAD), _head(table.columns[0].head, 0.0)[0]])


def _measured(table: Table, i: int) -> _Measured:
    column = table.columns[i]
    cells = [(row.cells[i], row.strong) for row in table.rows if i < len(row.cells)]
    body = max((width_of(PLAIN.write(c.runs), bold=bold) for c, bold in cells), default=0.0)
    paragraph = column.align == "left" and body > WIDEST_TEXT
    body = min(body, WIDEST_TEXT) if paragraph else body
    return _Measured(i, max(body, _head(column.head, body)[0]), paragraph)


def _head(head: Runs, body: float) -> tuple[float, int]:
    """Return the width of a head that is broken at words to that of its column, and its lines.

    What LaTeX breaks anywhere is as narrow as the widest head: long words, and characters that
    pdfTeX has no font for.
    """
    words = PLAIN.write(head).split(" ")
    broken = sum(map(width_of, words)) > WIDEST_HEAD
    limit = max(body, WIDEST_HEAD if broken else math.inf)
    lines = [0.0]
    for word in words:
        wide = width_of(word)
        if lines[-1] and lines[-1] + width_of(" ") + wide > limit:
            lines.append(wide)
        else:
            lines[-1] += wide + (width_of(" ") if lines[-1] else 0.0)
        if wide > limit and (len(word) > LONG_WORD or needs_fallback(escape(word))):
            lines[-1:] = [limit] * math.ceil(wide / limit)
    return max(lines), len(lines)


def _groups(table: Table, columns: Sequence[_Measured]) -> list[list[_Measured]]:
    """Divide columns into those below one spanner, and single ones."""
    made: list[list[_Measured]] = []
    before: Spanner | None = None
    for column in columns:
        spanner = _spanner_of(table, column.index)
        if spanner is not None and spanner is before:
            made[-1].append(column)
        else:
            made.append([column])
        before = spanner
    return made


def _spanner_of(table: Table, index: int) -> Spanner | None:
    return next((s for s in table.spanners if s.first <= index <= s.last), None)


def _wide(table: Table, columns: Sequence[_Measured]) -> float:
    """Return the width of columns with the gaps before each; spanners may widen them."""
    total = 0.0
    for group in _groups(table, columns):
        own = sum(c.width for c in group) + GAP * (len(group) - 1)
        spanner = _spanner_of(table, group[0].index)
        if spanner is not None:
            own = max(own, _head(spanner.head, own)[0])
        total += own + GAP
    return total


# --- writing -------------------------------------------------------------------------------------

RAGGED = {"l": "raggedright", "r": "raggedleft", "c": "centering"}
SIDES = {"left": "l", "right": "r", "center": "c"}


def _stacked(head: Runs, body: float, writer: LatexWriter, side: str) -> str:
    """Return a head as LaTeX, its lines below each other."""
    width, lines = _head(head, body)
    words = writer.write(head).strip()
    if lines < 2:
        return words
    return rf"\parbox[b]{{{width:.1f}pt}}{{\{RAGGED[side]}\hspace{{0pt}}{words}}}"


def _tabular(
    table: Table, writer: LatexWriter, columns: Sequence[_Measured], stub: _Measured
) -> list[str]:
    """Return one part of a table: the first column and some others."""
    every = [stub, *columns]
    kinds = "".join(
        f"p{{{c.width:.1f}pt}}" if c.paragraph else SIDES[table.columns[c.index].align]
        for c in every
    )
    if stub.paragraph is False:
        kinds = "l" + kinds[1:]
    lines = [rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}", r"\toprule"]
    lines += _spanner_rows(table, writer, columns)
    heads = []
    for c in every:
        column = table.columns[c.index]
        side = "l" if c.index == 0 else SIDES[column.align]
        heads.append(_stacked(column.head, c.width, writer, side))
    lines += [_row(heads), r"\midrule"]
    for number, row in enumerate(table.rows):
        if table.left_out and number == table.gap_after:
            lines.append(_row([rf"\multicolumn{{{len(every)}}}{{@{{}}c@{{}}}}{{\ldots}}"]))
        lines.append(_body_row(row, writer, every))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _spanner_rows(table: Table, writer: LatexWriter, columns: Sequence[_Measured]) -> list[str]:
    cells, rules, at, found = [""], [], 2, False
    for group in _groups(table, columns):
        spanner = _spanner_of(table, group[0].index)
        size, last = len(group), at + len(group) - 1
        if spanner is None or not spanner.head:
            cells += [""] * size
        else:
            found = True
            own = sum(c.width for c in group) + GAP * (size - 1)
            words = _stacked(spanner.head, own, writer, "c")
            cells.append(words if size == 1 else rf"\multicolumn{{{size}}}{{c}}{{{words}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{last}}}")
        at = last + 1
    return [_row(cells), "".join(rules)] if found else []


def _body_row(row: Row, writer: LatexWriter, columns: Sequence[_Measured]) -> str:
    if row.group:
        words = writer.write(row.cells[0].runs)
        width = sum(c.width for c in columns) + GAP * (len(columns) - 1)
        text = rf"\parbox[t]{{{width:.1f}pt}}{{\raggedright\textit{{{words}}}}}"
        return _row([rf"\multicolumn{{{len(columns)}}}{{@{{}}l@{{}}}}{{{text}}}"])
    made = []
    for c in columns:
        cell = row.cells[c.index] if c.index < len(row.cells) else Cell(())
        words = writer.write(cell.runs).strip()
        if row.strong and words:
            words = rf"\textbf{{{words}}}"
        if c.paragraph and words:
            words = rf"\raggedright\hangindent=.5em\relax {words}"
        made.append(words)
    return _row(made)


def _row(cells: Sequence[str]) -> str:
    return " & ".join([_guarded(cells[0]), *cells[1:]]) + r" \tabularnewline"


def _guarded(cell: str) -> str:
    """Keep a bracket or a star from being read as the argument of the line break before it."""
    return "{}" + cell if cell.startswith(("[", "*")) else cell
