"""Every column of a source as records: what it holds, its role, what becomes of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evallang.data.dataset import GivenOutcomes, ScoreTable, Table
from evallang.models.column_treatments import column_treatments
from evallang.models.model import ModelSpec, is_baseline
from evallang.registry import lazy
from evallang.results.records import ColumnRecord

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


def column_records(
    source: Table | GivenOutcomes | ScoreTable, models: Sequence[ModelSpec] = ()
) -> tuple[ColumnRecord, ...]:
    """Return every column of a source, in its order, with what each model makes of it."""
    words = _words(source, models) if isinstance(source, Table) else {}
    return tuple(
        ColumnRecord(
            column.name,
            column.kind,
            column.role,
            column.levels,
            column.missing,
            column.range,
            words.get(column.name),
        )
        for column in source.source_columns
    )


def _words(table: Table, models: Sequence[ModelSpec]) -> dict[str, str]:
    """Return what becomes of each feature, alike models together: `scaled (a, b); ... (c)`.

    A baseline reads no feature and is named only where there is no other model.
    """
    known = {column.name: column.levels for column in table.source_columns}
    blocks = {column.name: column for column in table.columns}

    def levels(name: str) -> int | None:
        if known.get(name) is None and name in blocks and blocks[name].numeric:
            values = table.numeric[:, blocks[name].index]
            known[name] = len(np.unique(values[~np.isnan(values)]))
        return known.get(name)

    reading = [model for model in models if not is_baseline(model)] or models
    each = [
        (model.name, column_treatments(model.pipeline, table.columns, levels)) for model in reading
    ]
    joined: dict[tuple[str, ...], str] = {}
    found = {}
    for column in table.columns:
        ways = tuple(made[column.name] for _, made in each)
        if ways not in joined:
            joined[ways] = _joined([name for name, _ in each], ways)
        found[column.name] = joined[ways]
    return {name: words for name, words in found.items() if words}


def _joined(names: Sequence[str], ways: Sequence[str]) -> str:
    """Put what several models make of a column into one text."""
    groups: dict[str, list[str]] = {}
    for name, way in zip(names, ways, strict=True):
        groups.setdefault(way, []).append(name)
    if len(groups) < 2:
        return "".join(groups)
    return "; ".join(f"{way} ({', '.join(members)})" for way, members in groups.items())
