"""Tables in files of parts: found, read one after the other, joined to one frame.

A table in parts is the same as one file of all its rows, in the order of the parts.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from msgspec.structs import replace

from evallang.data.codes import FILE_NOT_FOUND, PARTS_DIFFER, UNREADABLE_FILE
from evallang.data.files import matching_files
from evallang.data.findings import Findings, listed, quoted
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.part_patterns import path_pattern
from evallang.limits import OverLimit

MOST_SHOWN = 3  # files in a message
APART = r"^(\+|0[0-9]|-0([^.]|$))"  # 007, +5, -0: more than a number


def part_files(location: str, folder: Path, findings: Findings) -> list[str] | None:
    """Return the files of a pattern with `{part}`, in the order of the parts.

    None after a finding.
    """
    pattern = path_pattern(location)
    try:
        found = matching_files(pattern.glob, folder, findings, written=location)
    except OverLimit as error:
        findings.over_limit(error)
        return None
    except (OSError, ValueError) as error:
        findings.add(UNREADABLE_FILE, f"{location!r} cannot be searched: {error}")
        return None
    if found is None:
        return None
    parts = pattern.parts_of(found)
    if not parts:
        seen = f"there are {listed(found, MOST_SHOWN)}" if found else "no file is there"
        findings.add(
            FILE_NOT_FOUND,
            f"no file matches `{location}`",
            "from",
            help=f"`{{part}}` stands for any name without `/`; {seen}",
        )
        return None
    return [path for _, path in parts]


def join_parts(
    location: str,
    frames: Sequence[Frame],
    again: Callable[[str], Frame | None],
    hashed: tuple[Sequence[str], Sequence[str]],
    findings: Findings,
) -> Frame | None:
    """Join the rows of all parts, one part below the other; None after a finding.

    `again` reads a part whose columns of numbers shall keep their spelling: those that are text in
    another part. `hashed` are the columns of both hashes.
    """
    hashes = hash_of_parts([hashes_of(frame, *hashed) for frame in frames])
    first = frames[0]
    schemas = [frame.cells.schema for frame in frames]
    floats = {name for schema in schemas for name, dtype in schema.items() if dtype == pl.Float64}
    if first.untyped and any(s.get(name) != pl.Float64 for name in floats for s in schemas):
        frames = [again(frame.source) or frame for frame in frames]
    tables = same_types(
        [frame.cells for frame in frames],
        [frame.source for frame in frames],
        findings,
        untyped=first.untyped,
    )
    if tables is None:
        return None
    starts = np.cumsum([0, *(frame.cells.height for frame in frames)]).tolist()
    empty = [replace(frame, cells=frame.cells.clear(), _typed={}) for frame in frames]
    cells = pl.concat(tables)
    return replace(
        first,
        source=location,
        cells=cells,
        rows=range(cells.height),
        lines=None,
        notes=shared_notes(location, [(frame.source, frame.notes) for frame in frames]),
        pieces=tuple(zip(starts, empty, strict=False)),
        parts=len(frames),
        hashes=hashes,
        taken=taken_of_parts([frame.taken for frame in frames]),
        _typed={},
    )


def same_types(
    tables: "Sequence[pl.DataFrame]",
    sources: Sequence[str],
    findings: Findings,
    *,
    untyped: bool,
) -> "list[pl.DataFrame] | None":
    """Return tables with the columns of the first, each of one type; None after a finding.

    Numbers of `untyped` tables are spelled as their text is.
    """
    first = tables[0]
    for table, source in zip(tables[1:], sources[1:], strict=True):
        if set(table.columns) != set(first.columns):
            lacking = [name for name in first.columns if name not in table.columns]
            more = [name for name in table.columns if name not in first.columns]
            words = f"has no column {quoted(lacking)}" if lacking else f"has {quoted(more)} besides"
            findings.add(
                PARTS_DIFFER,
                f"`{source}` {words}, unlike `{sources[0]}`",
                "from",
                help="write all parts with the same columns",
            )
            return None
    types: dict[str, pl.DataType] = {}
    for name in first.columns:
        found = dict.fromkeys(table.schema[name] for table in tables)
        dtype = _one_type(list(found), untyped=untyped)
        if dtype is None:
            kinds = {t.schema[name]: source for t, source in zip(tables, sources, strict=True)}
            shown = [f"{dtype} in `{kinds[dtype]}`" for dtype in list(found)[:2]]
            findings.add(
                PARTS_DIFFER,
                f"the column `{name}` has the type {' and '.join(shown)}",
                "from",
                help="write the column with the same type in all parts",
            )
            return None
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


def shared_notes(location: str, notes: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """Return what is stated of parts, once under the name of their pattern."""
    return tuple(
        dict.fromkeys(note.replace(source, location) for source, some in notes for note in some)
    )


def taken_of_parts(
    taken: Sequence[Mapping[str, Mapping[str, int]]],
) -> dict[str, dict[str, int]]:
    """Return the words that were read as missing in each column of any part, with their rows."""
    words: dict[str, Counter[str]] = {}
    for part in taken:
        for column, some in part.items():
            words.setdefault(column, Counter()).update(some)
    return {column: dict(sorted(some.items())) for column, some in words.items()}


def hashes_of(frame: Frame, named: Sequence[str], tested: Sequence[str]) -> tuple[str, str]:
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
            codes = texts.cast(pl.Enum(levels)).to_physical().cast(pl.Int64).fill_null(-1)
            digest.text(f"{name}.levels", levels.to_list())
            digest.numbers(name, codes.shrink_dtype().to_numpy())
    return digest.hexdigest()


def hash_of_parts(hashes: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Hash a table by both hashes of its parts, in their order."""
    digests = DataHash(), DataHash()
    for digest, found in zip(digests, zip(*hashes, strict=True), strict=True):
        digest.text("parts", list(found))
    return digests[0].hexdigest(), digests[1].hexdigest()
