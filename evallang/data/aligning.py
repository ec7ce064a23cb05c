"""Rows of several files brought together by their keys, and what keeps them apart."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evallang.data.codes import ID_TWICE
from evallang.data.findings import Findings, counted, listed, quoted
from evallang.data.frame import Frame
from evallang.data.kinds import Kind
from evallang.data.labels import EXACT
from evallang.data.outcome_codes import ROWS_DIFFER
from evallang.data.roles import ids
from evallang.registry import lazy

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

SPELLED_APART = r"^[+-]?0[0-9]"  # 007: text that would lose its spelling as a number
MOST_LISTED = 5  # keys that a message lists before it says "and N more"
ROW = "row"  # of the source, beside the keys "0", "1" ...


def align(
    frames: Mapping[str, Frame],
    keys: Sequence[str],
    common_only: bool,
    findings: Findings,
    apart: Collection[str] = (),
) -> tuple[dict[str, Frame], tuple[str, ...]] | None:
    """Bring all files to the rows of the first, in its order; None after a finding.

    `keys` are the columns that name a row, the id first. They are compared as numbers where
    they are numbers in every file (1 and 1.0 are one id), else as text. Rows that are not in
    every file are an error, or with `common_only` left out and counted. `apart` are the columns
    of truth and models.
    """
    for frame in frames.values():
        ids(frame, keys[0], findings, within=keys[1:], apart=apart)
    if findings.failed:
        return None
    names = [str(place) for place in range(len(keys))]
    spelled = [_spelled(frames, key) for key in keys]
    rows = {
        path: pl.DataFrame(
            [one[path].alias(name) for one, name in zip(spelled, names, strict=True)]
        ).with_row_index(ROW)
        for path in frames
    }
    if _same_number_twice(frames, rows, keys, names, findings):
        return None
    every = pl.concat([own.select(names) for own in rows.values()]).unique(maintain_order=True)
    first, *others = rows.values()
    common = first.select(names)
    for own in others:
        common = common.join(own.select(names), on=names, how="semi", maintain_order="left")
    notes: tuple[str, ...] = ()
    if common.height < every.height:
        if not common_only or common.height == 0:
            _report_lacking(rows, every, keys, findings)
            return None
        left = counted(every.height - common.height, "row")
        notes = (f"rows common: {left} of {every.height:,} left out, not in every file",)
    parts = {}
    for path, frame in frames.items():
        order = common.join(rows[path], on=names, how="left", maintain_order="left")[ROW]
        cells, places = frame.cells[order], frame.rows[order.to_numpy()]
        parts[path] = replace(frame, cells=cells, rows=places, _typed={})
    return parts, notes


def _spelled(frames: Mapping[str, Frame], key: str) -> "dict[str, pl.Series]":
    """Spell a key column so that equal keys of all files are equal texts."""
    texts = {path: frame.texts(key) for path, frame in frames.items()}
    if any(frame.kind(key) is not Kind.NUMBER for frame in frames.values()):
        return texts
    if any(column.str.contains(SPELLED_APART).any() for column in texts.values()):
        return texts
    numbers = {path: frame.values(key) for path, frame in frames.items()}
    if all(column.dtype.is_integer() for column in numbers.values()):
        return {path: column.cast(pl.Int128).cast(pl.String) for path, column in numbers.items()}
    floats = {path: column.cast(pl.Float64) for path, column in numbers.items()}
    if any((column.abs() > EXACT).any() for column in floats.values()):
        return texts
    return {path: column.cast(pl.String) for path, column in floats.items()}


def _same_number_twice(
    frames: Mapping[str, Frame],
    rows: "Mapping[str, pl.DataFrame]",
    keys: Sequence[str],
    names: list[str],
    findings: Findings,
) -> bool:
    """Report ids of one file that are one number in two spellings."""
    for path, own in rows.items():
        twice = own.filter(own.select(names).is_duplicated())[ROW].to_list()
        if twice:
            found = quoted(dict.fromkeys(frames[path].texts(keys[0])[twice].to_list()))
            message = f"`{keys[0]}` names more than one row of `{path}`: {found} are one number"
            findings.add(ID_TWICE, message, "id", help="spell each id in one way in all files")
    return findings.failed


def _report_lacking(
    rows: "Mapping[str, pl.DataFrame]",
    every: "pl.DataFrame",
    columns: Sequence[str],
    findings: Findings,
) -> None:
    names, column = every.columns, columns[0]
    keyed = " / ".join(f"`{name}`" for name in columns)
    common = every
    for own in rows.values():
        common = common.join(own, on=names, how="semi")
    for path, own in rows.items():
        lacking = every.join(own, on=names, how="anti", maintain_order="left")
        if lacking.height == 0:
            continue
        others = [other for other in rows if other != path]
        shared = own.join(
            pl.concat([rows[other].select(names) for other in others]), on=names, how="semi"
        )
        notes = []
        if shared.height == 0:
            looks = [f"{part[names[0]][0]} in `{other}`" for other, part in rows.items()]
            notes = [f"no `{column}` of `{path}` is in another file; the first are {listed(looks)}"]
        keys = [" / ".join(key) for key in lacking.head(MOST_LISTED).rows()]
        more = lacking.height - len(keys)
        shown = ", ".join(keys) + (f" and {more:,} more" if more else "")
        findings.add(
            ROWS_DIFFER,
            f"`{path}` lacks {counted(lacking.height, 'row')} that other files have: "
            f"{keyed} {shown}",
            "rows",
            "id",
            help="write `rows common` to keep only what all have"
            if len(common)
            else f"spell `{column}` alike in all files, or name by `id` what they share",
            notes=notes,
        )
