"""Matrices of pairs: p-values with differences, and wins, ties and losses over data sets."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.context import Context, printed_p
from evallang.reporting.contrasts import contrast
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    INK,
    LEAST_SIZE,
    MUTE,
    PAPER,
    RULE,
    SHADE,
    SIZE,
    SMALL_SIZE,
    Canvas,
    depth_of_names,
    depth_of_row,
    draw_numbered_names,
    numbered_names,
    numbers_of_names,
    whole_names,
)
from evallang.reporting.numbers import NBSP, fixed
from evallang.reporting.run_writer import plain
from evallang.reporting.wording import p_cell
from evallang.results.records import Comparison

CELL = 21.0
SMALL_CELL, DEEPEST_MATRIX = 14.0, 220.0  # points of a cell of many models, and of all
MOST_NAMED_COLUMNS, HEAD_LINES = 5, 3  # more models, and longer names, are numbered
MOST_WITH_LINES = 10  # models whose names at the left have several lines
NAME, SHORT_NAME = 86.0, 62.0  # points for the names of rows, of many
ROOM = 1.6  # left and right of the text in a cell


class _Grid(Struct, frozen=True):
    """The places of a matrix of models, and what an alternative text calls these."""

    canvas: Canvas
    names: Sequence[str]
    left: float
    top: float
    wide: float
    deep: float

    def cell(self, row: int, column: int) -> tuple[float, float]:
        """Return the top left corner of a cell."""
        return self.left + self.wide * column, self.top + self.deep * row

    def words(
        self,
        row: int,
        column: int,
        text: str,
        size: float,
        colour: str = INK,
        *,
        bold: bool = False,
    ) -> None:
        """Write a text in the middle of a cell."""
        x, y = self.cell(row, column)
        self.canvas.words(x + self.wide / 2, y + self.deep / 2, text, "center", size=size,
                          colour=colour, bold=bold)  # fmt: skip

    def box(self, row: int, column: int, fill: str, edge: str | None = None) -> None:
        """Fill a cell."""
        x, y = self.cell(row, column)
        self.canvas.box(x + 1, y + 1, self.wide - 2, self.deep - 2, fill, edge)


class _Texts(Struct, frozen=True):
    """Texts of cells that are printed in one size, all or none."""

    texts: tuple[str, ...]
    bold: bool = False

    def size(self, wide: float) -> float | None:
        """Return the largest size in which the texts fit in a cell; None if it is too small."""
        longest = max((fonts.width(text, 1.0, bold=self.bold) for text in self.texts), default=0.0)
        size = SIZE if longest == 0 else min(SIZE, (wide - 2 - ROOM) / longest)
        return size if size >= LEAST_SIZE else None


class Matrix(Struct, frozen=True):
    """A drawn matrix, its numbers in words, and which of its numbers had room."""

    drawing: Canvas
    alt: str
    numbers: tuple[bool, ...]


def _grid(labels: Sequence[str], *texts: _Texts) -> _Grid:
    """Write the heads of rows and columns around cells that have room for texts, if possible.

    Many models are numbered. Where names at the left would be cut, or more texts can be read
    without them, they are listed in a key below the matrix.
    """
    n = len(labels)
    most = NAME if n <= 8 else SHORT_NAME
    heads = [fonts.wrap(label, SMALL_SIZE, (COLUMN - most) / n - 3, HEAD_LINES) for label in labels]
    numbered = n > MOST_NAMED_COLUMNS or any("…" in line for lines in heads for line in lines)
    numbers = numbers_of_names(labels)
    if numbered:
        several = fonts.MOST_LINES if n <= MOST_WITH_LINES else 1
        written = whole_names(numbered_names(labels), most, several)
        readable = _n_readable(texts, _wide(numbers))
        keyed = written is None or readable > _n_readable(texts, _wide(written))
        rows = numbers if written is None or keyed else written
    else:
        keyed, rows = False, fonts.name_lines(labels, SIZE, most)
    wide = _wide(rows)
    left = COLUMN - wide * n
    deep = CELL if n <= MOST_WITH_LINES else depth_of_row(n, SMALL_CELL, DEEPEST_MATRIX)
    deep = depth_of_names(rows, deep)
    if not numbered:
        numbers = [fonts.wrap(label, SMALL_SIZE, wide - 3, HEAD_LINES) for label in labels]
    top = 5 + 8.2 * max(map(len, numbers))
    foot = top + deep * n + 1
    canvas = Canvas(foot)
    canvas.plot = (left, COLUMN)
    spoken = [str(i + 1) for i in range(n)] if numbered else labels
    made = _Grid(canvas, spoken, left, top, wide, deep)
    for i, (row, lines) in enumerate(zip(rows, numbers, strict=True)):
        for k, line in enumerate(lines):
            y = top - 6 - 8.2 * (len(lines) - 1 - k)
            canvas.words(left + wide * (i + 0.5), y, line, "center", size=SMALL_SIZE)
        canvas.names(left - 5, top + deep * (i + 0.5), row)
    for i in range(n):
        made.box(i, i, SHADE)
    if keyed:
        draw_numbered_names(canvas, labels)
    return made


def _wide(rows: Sequence[Sequence[str]]) -> float:
    """Return the width of a cell next to the names of rows."""
    return (COLUMN - fonts.widest((line for lines in rows for line in lines), SIZE) - 6) / len(rows)


def _n_readable(texts: Sequence[_Texts], wide: float) -> int:
    return sum(each.size(wide) is not None for each in texts)


def decision_matrix(context: Context, comparison: Comparison, ordered: Sequence[str]) -> Matrix:
    """Draw p-values below the diagonal, filled where rejected, and differences above it.

    Numbers that would be too small to be printed are omitted: the filled cells remain. `numbers`
    is whether the p-values and the differences are printed.
    """
    labels = [context.model(model) for model in ordered]
    scale = context.difference_scale(comparison)
    pairs = {frozenset(pair.models): pair for pair in comparison.pairwise}
    below, above = [], []
    for i, row in enumerate(ordered):
        for k, column in enumerate(ordered):
            pair = pairs.get(frozenset((row, column)))
            if i == k or pair is None:
                continue
            if k > i:
                value = contrast(pair, row).value
                above.append((i, k, fixed(value, scale, signed=True, null=0.0)))
            else:
                p = printed_p(pair)
                text = plain(p_cell(context, p, comparison.alpha, pair.mc_se))
                below.append((i, k, text, bool(pair.reject)))
    below.sort(key=lambda cell: cell[-1])
    small = [text.replace(NBSP, "") for _, _, text, _ in below]
    differences, ps = _Texts(tuple(text for _, _, text in above)), _Texts(tuple(small), bold=True)
    grid = _grid(labels, ps, differences)
    size, of_p = differences.size(grid.wide), ps.size(grid.wide)
    for i, k, text in above:
        if size is not None:
            grid.words(i, k, text, size, MUTE)
    for i, k, _, rejected in below:
        grid.box(i, k, BLUE if rejected else PAPER, BLUE if rejected else RULE)
    for (i, k, _, rejected), text in zip(below, small, strict=True):
        if of_p is not None:
            grid.words(i, k, text, of_p, PAPER if rejected else INK, bold=rejected)
    shown = (of_p is not None, size is not None)
    spoken = [
        f"{grid.names[i]} and {grid.names[k]} {text}{' (rejected)' if rejected else ''}"
        for i, k, text, rejected in sorted(below)
    ]
    return Matrix(grid.canvas, _spoken("Adjusted p of each pair", labels, grid, spoken), shown)


def _spoken(subject: str, labels: Sequence[str], grid: _Grid, cells: Sequence[str]) -> str:
    """State the numbers of cells, and before them the models where these are numbered."""
    named = "" if grid.names is labels else f" of {', '.join(numbered_names(labels))}"
    return f"{subject}{named}: {'; '.join(cells)}.".replace("\u2002", " ")


def win_matrix(
    context: Context, counts: Mapping[tuple[str, ...], tuple[int, int, int]], ordered: Sequence[str]
) -> Matrix:
    """Draw on how many data sets the model of a row was better, equal or worse.

    Where three numbers have no room, the first alone is printed. `numbers` is whether all three
    and whether the first is.
    """
    labels = [context.model(model) for model in ordered]
    cells = []
    for i, row in enumerate(ordered):
        for k, column in enumerate(ordered):
            found = counts.get((row, column))
            if i == k or found is None:
                continue
            cells.append((i, k, "/".join(map(str, found)), found[0] > found[2]))
    every = _Texts(tuple(text for _, _, text, _ in cells))
    wins = _Texts(tuple(text.partition("/")[0] for text in every.texts))
    grid = _grid(labels, every, wins)
    whole = every.size(grid.wide) is not None
    size = (every if whole else wins).size(grid.wide)
    for i, k, _, ahead in sorted(cells, key=lambda cell: cell[-1]):
        grid.box(i, k, SHADE if ahead else PAPER, RULE)
    for i, k, text, _ in cells:
        if size is not None:
            grid.words(i, k, text if whole else text.partition("/")[0], size, INK)
    spoken = [
        f"{grid.names[i]} to {grid.names[k]} {text.replace('/', ' / ')}"
        for i, k, text, _ in cells
        if i < k
    ]
    alt = _spoken("Wins, ties and losses", labels, grid, spoken)
    return Matrix(grid.canvas, alt, (whole, size is not None))
