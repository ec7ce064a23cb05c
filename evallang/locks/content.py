"""The content of data sets as settings: rows, columns, and hashes that tell what changed.

One hash of everything tells only that something changed. A hash for each column, and one that
does not depend on the order of the rows, tell a changed value from a new order, a new row and a
new column.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evallang.data.dataset import GivenOutcomes, Table
from evallang.data.hashing import DataHash
from evallang.data.read_sources import ReadSources
from evallang.effect import Effect
from evallang.locks.setting import (
    ANY_ORDER,
    COLUMN,
    CONTENT,
    EXCLUDED,
    ROW_NUMBER,
    ROWS,
    Plain,
    Setting,
)
from evallang.results.records import DataRecord

SHORT = 16
"""Hexadecimal digits of the hash of one column: enough to tell two versions of it apart."""


def content_settings(read: "ReadSources", data: Sequence[DataRecord]) -> Iterator[Setting]:
    """List rows, columns and content of every data set that was read."""
    columns = {
        **{name: table_columns(table) for name, table in read.tables.items()},
        **{one.spec.name: outcome_columns(one) for one in read.imported},
    }
    for record in data:
        facts: dict[str, Plain] = {ROW_NUMBER: record.n, CONTENT: record.sha256}
        own = columns.get(record.name)
        if own:
            facts[ANY_ORDER] = unordered(own)
            facts |= {COLUMN + name: _short(values) for name, values in own.items()}
        for clause in record.excluded:
            facts[EXCLUDED + clause.clause] = clause.n
        for name, value in facts.items():
            yield Setting(ROWS, record.name, name, value, False, Effect.NUMBERS)


def table_columns(table: Table) -> dict[str, Any]:
    """Return the columns of a table that a result depends on, by their names (n values each)."""
    found: dict[str, Any] = {}
    for column in table.columns:
        block = table.numeric if column.numeric else table.objects
        found[column.name] = block[:, column.index]
    found[table.target] = table.y if table.task == "regression" else _labels(table.y, table.classes)
    spec = table.spec
    roles = (
        (spec.id, table.ids),
        (spec.group, table.groups),
        (spec.weight, table.weights),
        (spec.split, table.split),
        *table.subgroups.items(),
        *table.strata.items(),
    )
    return found | {name: v for name, v in roles if name is not None and v is not None}


def outcome_columns(source: GivenOutcomes) -> dict[str, Any]:
    """Return what is known of each example, by truth, models and columns (n values each)."""
    found: dict[str, Any] = {}
    spec = source.spec
    if source.truth is not None:
        regression = source.task == "regression"
        found["truth"] = source.truth if regression else _labels(source.truth, source.classes)
    for name, predicted in source.predictions.items():
        floats = np.asarray(predicted).dtype.kind == "f"
        found[f"{name}"] = predicted if floats else _labels(predicted, source.classes)
    for kind, values in (("correct", source.correct), ("value", source.values)):
        found |= {f"{name} ({kind})": of_model for name, of_model in (values or {}).items()}
    for name, scores in source.scores.items():
        block = np.asarray(scores)
        block = block.reshape(len(block), -1)
        found |= {f"{name} (score {i + 1})": block[:, i] for i in range(block.shape[1])}
    rows = {
        "id": source.ids,
        "group": source.groups,
        "weight": source.weights,
        "event": source.events,
    }
    found |= {name: values for name, values in rows.items() if values is not None}
    if source.samples is not None or not found:
        return {}
    known = {name: v for name, v in found.items() if len(v) == source.n}
    return known | {
        name: values
        for name, values in source.subgroups.items()
        if len(values) == source.n and name in getattr(spec, "subgroups", ())
    }


def _labels(codes: Any, classes: Sequence[str]) -> Any:
    """Return the labels of codes as text; -1 is a label that never occurs in the truth."""
    names = np.asarray([*classes, "(another label)"], dtype=object)
    return names[np.asarray(codes)]


def _short(values: Any) -> str:
    digest = DataHash()
    _enter(digest, "column", values)
    return digest.hexdigest()[:SHORT]


def _enter(digest: DataHash, name: str, values: Any) -> None:
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.dtype.kind in "fiub":
        digest.numbers(name, array)
    else:
        digest.texts(name, array.tolist())


def unordered(columns: Mapping[str, Any]) -> str:
    """Hash the rows of some columns so that their order does not matter.

    The rows are numbered by their values, column by column, so that equal rows have equal
    numbers in any order; what is hashed are the sorted columns and the counts of these rows.
    """
    codes: Any = None
    digest = hashlib.sha256()
    for name in sorted(columns):
        levels, own = _levels(columns[name])
        digest.update(f"{name}\n{levels}\n".encode())
        joint = own if codes is None else codes * (int(own.max(initial=0)) + 1) + own
        _, codes = np.unique(joint, return_inverse=True)
        counts = np.bincount(codes)
        digest.update(_numbers_of(joint, codes, counts))
    return digest.hexdigest()


def _numbers_of(joint: Any, codes: Any, counts: Any) -> bytes:
    """Return the distinct combinations and how often each occurs, in sorted order."""
    distinct = np.unique(joint)
    return bytes(np.ascontiguousarray(distinct, dtype="<i8").data) + bytes(
        np.ascontiguousarray(counts, dtype="<i8").data
    )


def _levels(values: Any) -> tuple[str, Any]:
    """Return a hash of the sorted distinct values, and the number of each row's value."""
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.dtype.kind == "O":
        texts = [value if isinstance(value, str) else "" for value in array.tolist()]
        present = [isinstance(value, str) for value in array.tolist()]
        array = np.asarray([f"={t}" if p else "" for t, p in zip(texts, present, strict=True)])
    distinct, codes = np.unique(array, return_inverse=True)
    digest = DataHash()
    if distinct.dtype.kind in "fiub":
        digest.numbers("levels", distinct)
    else:
        digest.texts("levels", distinct.tolist(), distinct=True)
    return digest.hexdigest(), codes
