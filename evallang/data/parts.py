"""Tables in files of parts: found, read one after the other, joined to one frame.

A table in parts is the same as one file of all its rows, in the order of the parts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from msgspec.structs import replace

from evallang.data.files import matching_files
from evallang.data.findings import Refused, listed, quoted
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.path_patterns import PART, in_braces, path_pattern, sheet_of
from evallang.diagnostics import codes

Hashes = tuple[str, str]
MOST_SHOWN = 3  # files in a message
APART = r"^(\+|0[0-9]|-0([^.]|$))"  # 007, +5, -0: more than a number


def pattern_files(location: str, folder: Path) -> list[tuple[dict[str, str], str]]:
    """Return the files of a pattern with braces and the values of its words, in their order."""
    file, inside = sheet_of(location)
    pattern = path_pattern(file)
    found = matching_files(pattern.glob, folder, location)
    try:
        files = pattern.matches(found)
    except ValueError as error:
        raise Refused(
            codes.file_names_unclear,
            str(error),
            "from",
            help="separate the words in braces by characters that no value contains",
        ) from error
    if not files:
        seen = f"there are {listed(found, MOST_SHOWN)}" if found else "no file is there"
        raise Refused(
            codes.file_not_found,
            f"no file matches `{location}`",
            "from",
            help=f"a word in braces stands for any text without `/`; {seen}",
        )
    return [(values, path if inside is None else f"{path}#{inside}") for values, path in files]


def with_words(frame: Frame, values: Mapping[str, str]) -> Frame:
    """Return a frame with a column for each word that the name of its file has, but `{part}`."""
    columns = [pl.lit(v).alias(in_braces(word)) for word, v in values.items() if word != PART]
    return replace(frame, cells=frame.cells.with_columns(columns))


def spelled_otherwise(frame: Frame, parts: Sequence[Frame]) -> bool:
    """Return whether numbers of a part are text in another, so that their spelling is needed."""
    floats = [name for name, dtype in frame.cells.schema.items() if dtype == pl.Float64]
    schemas = [part.cells.schema for part in parts]
    return frame.untyped and any(s.get(name) != pl.Float64 for name in floats for s in schemas)


def join_parts(location: str, frames: Sequence[Frame], hashes: Sequence[Hashes]) -> Frame:
    """Join the rows of all parts, one part below the other; `hashes` are those of the parts."""
    tables = same_types(frames)
    starts = np.cumsum([0, *(frame.cells.height for frame in frames)]).tolist()
    empty = [replace(frame, cells=frame.cells.clear(), _typed={}) for frame in frames]
    cells = pl.concat(tables)
    return replace(
        frames[0],
        source=location,
        cells=cells,
        rows=range(cells.height),
        lines=None,
        notes=tuple(
            dict.fromkeys(
                note.replace(frame.source, location) for frame in frames for note in frame.notes
            )
        ),
        pieces=tuple(zip(starts, empty, strict=False)),
        parts=len(frames),
        hashes=hash_of_parts(hashes) if hashes else None,
        taken=_taken_of_parts([frame.taken for frame in frames]),
        _typed={},
    )


def same_types(frames: Sequence[Frame]) -> "list[pl.DataFrame]":
    """Return the cells of parts with the columns of the first, each of one type.

    Numbers of text files are spelled as their text is.
    """
    tables = [frame.cells for frame in frames]
    first = tables[0]
    for table, frame in zip(tables[1:], frames[1:], strict=True):
        if set(table.columns) != set(first.columns):
            lacking = [name for name in first.columns if name not in table.columns]
            more = [name for name in table.columns if name not in first.columns]
            words = f"has no column {quoted(lacking)}" if lacking else f"has {quoted(more)} besides"
            raise Refused(
                codes.parts_differ,
                f"`{frame.source}` {words}, unlike `{frames[0].source}`",
                "from",
                help="write all parts with the same columns",
            )
    types: dict[str, pl.DataType] = {}
    for name in first.columns:
        found = dict.fromkeys(table.schema[name] for table in tables)
        dtype = _one_type(list(found), untyped=frames[0].untyped)
        if dtype is None:
            kinds = {frame.cells.schema[name]: frame.source for frame in frames}
            shown = [f"{dtype} in `{kinds[dtype]}`" for dtype in list(found)[:2]]
            raise Refused(
                codes.parts_differ,
                f"the column `{name}` has the type {' and '.join(shown)}",
                "from",
                help="write the column with the same type in all parts",
            )
        types[name] = dtype
    wanted = [pl.col(name).cast(dtype) for name, dtype in types.items()]
    return [table.select(wanted) for table in tables]


def _one_type(types: "list[pl.DataType]", *, untyped: bool) -> "pl.DataType | None":
    """Return the type that holds all values of several, None where there is none."""
    known = [dtype for dtype in types if dtype != pl.Null]
    if len(known) < 2:
        return known[0] if known else types[0]
    if all(dtype.is_integer() for dtype in known):
        return pl.Int64()
    if all(dtype.is_numeric() for dtype in known):
        return pl.Float64()
    if untyped and all(dtype.is_integer() or dtype == pl.String for dtype in known):
        return pl.String()
    return None


def _taken_of_parts(
    taken: Sequence[Mapping[str, Mapping[str, int]]],
) -> dict[str, dict[str, int]]:
    """Return the words that were read as missing in each column of any part, with their rows."""
    words: dict[str, Counter[str]] = {}
    for part in taken:
        for column, some in part.items():
            words.setdefault(column, Counter()).update(some)
    return {column: dict(sorted(some.items())) for column, some in words.items()}


def hashes_of(frame: Frame, named: Sequence[str], tested: Sequence[str]) -> Hashes:
    """Hash the columns of one part that its study names, and those that say what its rows are.

    Columns that the part lacks have no say.
    """
    present = frame.columns
    return (
        rows_hash(frame, [name for name in named if name in present]),
        rows_hash(frame, [name for name in tested if name in present]),
    )


def rows_hash(frame: Frame, columns: Sequence[str]) -> str:
    """Hash the cells of some columns of one part, in their order.

    Whole numbers count as their spelling where any cell of the text has more than its number.
    """
    digest = DataHash()
    digest.text("columns", list(columns))
    apart = frame.untyped and any(
        one.item() for one in frame.cells.select(pl.col(pl.String).str.contains(APART).any())
    )
    for name in columns:
        cells = frame.cells[name]
        if cells.dtype.is_integer() and not apart:
            digest.numbers(name, cells.shrink_dtype().fill_null(-1).to_numpy())
            digest.numbers(f"{name}.missing", cells.is_null().arg_true().to_numpy())
        elif cells.dtype.is_float():
            digest.numbers(name, cells.cast(pl.Float64).fill_null(float("nan")).to_numpy())
        else:
            texts = frame.texts(name)
            levels = texts.unique(maintain_order=True).drop_nulls()
            coded = texts.cast(pl.Enum(levels)).to_physical().cast(pl.Int64).fill_null(-1)
            digest.text(f"{name}.levels", levels.to_list())
            digest.numbers(name, coded.shrink_dtype().to_numpy())
    return digest.hexdigest()


def hash_of_parts(hashes: Sequence[Hashes]) -> Hashes:
    """Hash a table by both hashes of its parts, in their order."""
    digests = DataHash(), DataHash()
    for digest, found in zip(digests, zip(*hashes, strict=True), strict=True):
        digest.text("parts", list(found))
    return digests[0].hexdigest(), digests[1].hexdigest()
