"""Columns as read: a file or bundled data set before any clause has been applied to it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
from msgspec import field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_types import Kind, kind_of, type_words, typed_cells
from evallang.data.dataset import Label
from evallang.data.findings import counted, listed, quoted
from evallang.data.joined_parts import JoinedParts
from evallang.data.labels import as_number, label_text
from evallang.records import Placed

MISSING_WORDS = ("NA", "N/A", "NaN", "NULL", "None", "?")
"""What is missing unless a study says otherwise, in any case of letters, besides empty cells."""
_LOWER = tuple(word.lower() for word in MISSING_WORDS)
INFINITY = re.compile(r"\s*[+-]?inf(inity)?\s*", re.IGNORECASE)


class Frame(Placed, frozen=True):
    """The columns of one source and where their rows come from.

    Attributes
    ----------
    source : how the study names it ("visits.csv", "sklearn iris")
    cells : the columns; where `untyped` (CSV and TSV) text as written, or numbers of which the
        spelling holds no more; else typed
    rows : 0-based row of the source for each row kept; a range where all are
    lines : line of the file of each row of the source, None for files without lines
    nested : dotted names of the fields inside JSON objects
    pieces : of files in parts, where each begins and the file as it was read
    parts : of files in parts, how many there are
    times : how often each row occurs in the source, of distinct rows; None where all are kept
    joined : of files in parts whose rows were joined, how and why
    rows_by : of a table with a row for each model, the column by which its rows were joined
    unread : columns of the source that were not fetched, because the study does not use them
    score_sums : of distinct rows, the sum of each column of scores over the rows of the source
    stated : the words that the study says are missing, None for the usual ones
    taken : of each column that holds some, the words that were read as missing, with their rows
    hashes : of a table in parts, that of the columns that its study names, and that of ids, truth
        and groups; of all rows, whatever `where` keeps
    """

    APART: ClassVar[tuple[str, ...]] = ("_typed",)

    source: str
    cells: "pl.DataFrame"
    untyped: bool
    rows: "NDArray[np.int64] | range"
    lines: Sequence[int] | None = None
    notes: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    pieces: tuple[tuple[int, "Frame"], ...] = ()
    parts: int | None = None
    times: "NDArray[np.int64] | None" = None
    hashes: tuple[str, str] | None = None
    score_sums: "Mapping[str, NDArray[np.float64]] | None" = None
    unread: tuple[str, ...] = ()
    joined: JoinedParts | None = None
    rows_by: str | None = None
    stated: tuple[Label, ...] | None = None
    taken: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    _typed: dict[str, "pl.Series"] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order of the source."""
        return self.cells.columns

    @property
    def nameable(self) -> list[str]:
        """The names of the columns, read or not, and of the fields inside them."""
        return [*self.columns, *self.unread, *self.nested]

    @property
    def row_numbers(self) -> "NDArray[np.int64]":
        """The rows of the source as an array."""
        if isinstance(self.rows, range):
            return np.arange(len(self.rows), dtype=np.int64)
        return self.rows

    @property
    def n(self) -> int:
        """The number of rows of the source."""
        return self.cells.height if self.times is None else int(self.times.sum())

    def count(self, kept: "NDArray[np.int64]") -> int:
        """Return how many rows of the source some of these rows are."""
        return len(kept) if self.times is None else int(self.times[kept].sum())

    def values(self, column: str) -> "pl.Series":
        """Return a column with the type that its values have; missing is null."""
        if not self.untyped or self.cells[column].dtype != pl.String:
            return self.cells[column]
        if column not in self._typed:
            self._typed[column] = typed_cells(self.cells[column])
        return self._typed[column]

    def kind(self, column: str) -> Kind:
        """Return the type of the values of a column."""
        return kind_of(self.values(column))

    def content(self, column: str) -> str:
        """Format the type of the values of a column."""
        return type_words(self.values(column))

    def texts(self, column: str) -> "pl.Series":
        """Return a column as text: as written in text files, otherwise in Python's spelling.

        Booleans are `true` and `false` whatever their source.
        """
        values = self.values(column)
        if values.dtype == pl.String or kind_of(values) is Kind.EMPTY:
            return values.cast(pl.String)
        if self.untyped and self.cells[column].dtype == pl.String and values.dtype != pl.Boolean:
            return self.cells[column]
        if values.dtype.is_integer():
            return values.cast(pl.String)
        if values.dtype.is_nested():
            spelled = [None if v is None else label_text(v) for v in values.to_list()]
            return pl.Series(column, spelled, dtype=pl.String)
        distinct = values.unique().drop_nulls()
        words = pl.Series([label_text(value) for value in distinct.to_list()], dtype=pl.String)
        return values.replace_strict(distinct, words, default=None, return_dtype=pl.String)

    def keep(self, kept: "pl.Series") -> "Frame":
        """Return the rows for which a Boolean column is true; types are found again."""
        rows = self.row_numbers[kept.to_numpy()]
        return replace(self, cells=self.cells.filter(kept), rows=rows, _typed={})

    def noted(self, notes: tuple[str, ...]) -> "Frame":
        """Return the same columns with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def mark_missing(
        self, tokens: tuple[Label, ...] | None = None, marks: tuple[str, ...] = ()
    ) -> "Frame":
        """Convert cells that equal one of the tokens, as text or as number, to missing ones.

        Without tokens these are `MISSING_WORDS` and `marks`, which is stated where one is met.
        """
        changed: list[pl.Series] = []
        taken: dict[str, dict[str, int]] = {}
        for cells in self.cells.iter_columns():
            gone = _are_missing(cells, tokens, self.untyped, marks)
            if gone is not None and (gone := gone.fill_null(False)).any():
                words = cells.filter(gone).cast(pl.String).to_list()
                taken[cells.name] = dict(sorted(Counter(words).items()))
                marked = cells.to_frame().select(pl.when(~gone).then(pl.col(cells.name)))
                cells = marked.to_series()
                if not self.untyped and cells.dtype == pl.String:  # numbers, but for the word
                    typed = typed_cells(cells)
                    cells = typed if typed.dtype.is_numeric() else cells
            changed.append(cells)
        if not taken:
            return replace(self, stated=tokens)
        return replace(self, cells=pl.DataFrame(changed), stated=tokens, taken=taken, _typed={})

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What to state of the source, with the words that were read as missing by default."""
        if not self.taken or self.stated is not None:
            return self.notes
        noun = "row"
        words_of = [
            f"{name} ({listed(f'{word} in {counted(n, noun)}' for word, n in words.items())})"
            for name, words in self.taken.items()
        ]
        note = f"words read as missing, by default, in {listed(words_of)}"
        return (*self.notes, f"{self.source}: {note}")

    def keep_words(self, column: str) -> str:
        """Format what to write where words of a column are not meant to be missing."""
        may_be_labels = self.stated is None and self.kind(column) is not Kind.NUMBER
        words = self.taken.get(self.name_in_file(column), {}) if may_be_labels else {}
        return f", or `missing none` if {quoted(words)} is a label" if words else ""

    def name_in_file(self, column: str) -> str:
        """Return the name of a column in its file, such as `pred` for `pred in cnn`."""
        return column if self.rows_by is None else column.partition(" in ")[0]

    def place(self, row: int) -> str:
        """Format the number of a kept row (from 0) as in its source: `row 12 (line 13)`."""
        if self.rows_by is not None:
            return f"`{self.rows_by}` {self.texts(self.rows_by)[row]}"
        source_row = int(self.rows[row])
        if self.pieces:
            start, piece = max((p for p in self.pieces if p[0] <= source_row), key=lambda p: p[0])
            return f"{piece.place(source_row - start)} of `{piece.source}`"
        if self.lines is None:
            return f"row {source_row + 1}"
        return f"row {source_row + 1} (line {self.lines[source_row]})"

    def places(self, rows: Iterable[int], most: int = 5) -> str:
        """Format the numbers of several kept rows, the first few in full."""
        numbers = list(rows)
        shown = ", ".join(self.place(row) for row in numbers[:most])
        return shown if len(numbers) <= most else f"{shown} and {len(numbers) - most:,} more"

    def first_non_number(self, column: str) -> str:
        """Format the first cell of a column that is not a number, or its type."""
        if self.kind(column) is not Kind.TEXT:
            return self.content(column)
        cells = self.texts(column)
        rows = cells.cast(pl.Float64, strict=False).is_null().arg_true()
        if rows.is_empty():  # texts that are spelled as numbers
            return self.content(column)
        return f"{cells[rows[0]]!r} in {self.place(rows[0])}"

    def missing_rows(self, column: str) -> list[int]:
        """Return the rows kept (from 0) in which a column is missing."""
        return self.values(column).is_null().arg_true().to_list()


def frame_of(
    source: str,
    cells: "pl.DataFrame",
    *,
    untyped: bool,
    lines: Sequence[int] | None = None,
    notes: tuple[str, ...] = (),
    nested: tuple[str, ...] = (),
) -> Frame:
    """Make a frame of all rows of a source."""
    return Frame(source, cells, untyped, range(cells.height), lines, notes, nested)


def _are_missing(
    series: "pl.Series",
    tokens: Sequence[Label] | None,
    untyped: bool,
    marks: tuple[str, ...],
) -> "pl.Series | None":
    """Return which cells equal a token, None where none can."""
    words = tokens or ()
    numbers = [number for token in words if (number := as_number(token)) is not None]
    if series.dtype == pl.String:
        if tokens is None:
            short = series.str.len_bytes() <= max(map(len, _LOWER))
            return short & series.str.to_lowercase().is_in((*_LOWER, *marks))
        gone = series.is_in([label_text(token).strip() for token in tokens])
        if untyped and numbers:
            gone = gone | series.cast(pl.Float64, strict=False).is_in(numbers)
    elif series.dtype.is_numeric() and words:
        infinite = [float(word) for word in map(label_text, words) if INFINITY.fullmatch(word)]
        gone = series.cast(pl.Float64).is_in([*numbers, *infinite])
    else:
        return None
    return gone


def as_objects(series: "pl.Series") -> "NDArray[Any]":
    """Return a text column as an object array of str, missing = `np.nan` (never None)."""
    array = np.empty(len(series), dtype=object)
    array[:] = series.to_list()
    array[series.is_null().to_numpy()] = np.nan
    return array
