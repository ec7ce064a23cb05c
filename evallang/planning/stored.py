"""The stored predictions of former results, aligned with the splits of this study.

A model that is not fitted here is compared with models that are, on the same rows of the same
folds. So data, folds and seed must be those of the former run, and each row must be there once.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.data.findings import listed, quoted
from evallang.data.read_sources import ReadSources, StoredPredictions
from evallang.data.stored_results import AGAIN
from evallang.diagnostics import Code, Diagnostic, codes, diagnose
from evallang.planning.expected import measured_on
from evallang.planning.keys import versions_here
from evallang.planning.plan import Layout, StoredOutcome
from evallang.planning.seeds import folds_hash
from evallang.protocols.protocol import Split
from evallang.results.codec import to_plain
from evallang.results.records import DataRecord, ProtocolRecord
from evallang.study import Study
from evallang.version import VERSION

At = tuple[str, str, str]
"""A data set, a protocol, a model."""
DRAW_FOLDS = ("numpy", "scikit-learn")
"""The packages besides evallang whose versions decide which rows a fold has."""
SUM_TOLERANCE = 1e-6  # probabilities of a row add up to 1; sums of floats differ in the last bits


class _Refused(Exception):
    """Why stored predictions cannot be used, and what to do."""

    def __init__(self, code: Code, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.code, self.message, self.suggestion = code, message, suggestion


def stored_outcomes(
    study: Study, read: ReadSources, layout: Layout, protocols: Sequence[ProtocolRecord]
) -> tuple[dict[At, tuple[StoredOutcome, ...]], list[Diagnostic]]:
    """Align the stored predictions of each model with the splits, or report why that fails.

    `protocols` are the records of the study's protocols, in their order.
    """
    found: dict[At, tuple[StoredOutcome, ...]] = {}
    refused: list[Diagnostic] = []
    for model in study.models:
        stored = read.stored.get(model.name)
        if stored is None or model.stored is None:
            continue
        try:
            found |= _aligned(study, model.name, stored, read.tables, layout, protocols)
        except _Refused as error:
            place = model.stored.span
            refused.append(
                diagnose(error.code, error.message, place, path=study.path, help=error.suggestion)
            )
    return found, refused


def _aligned(
    study: Study,
    model: str,
    stored: StoredPredictions,
    tables: Mapping[str, Table],
    layout: Layout,
    records: Sequence[ProtocolRecord],
) -> dict[At, tuple[StoredOutcome, ...]]:
    former = stored.record
    if former.study.seed != study.seed:
        _differ(
            stored,
            f"the seed is {former.study.seed} there and {study.seed} here",
            f"write `seed {former.study.seed}` under `study`",
        )
    data = {name: _same_data(stored, table, tables) for name, table in tables.items()}
    found: dict[At, tuple[StoredOutcome, ...]] = {}
    for protocol, record in zip(study.protocols, records, strict=True):
        if model not in {one.name for one in measured_on(study, protocol)}:
            continue
        own = {name: s for (name, p), s in layout.splits.items() if p == protocol.name}
        if not own:
            continue  # its splits could not be made, which is reported
        same = _same_protocol(stored, record)
        _check_folds(stored, same, {data[name].name: splits for name, splits in own.items()})
        for name, splits in own.items():
            cells = stored.cells.filter(
                (pl.col("data") == data[name].name) & (pl.col("protocol") == same.name)
            )
            found[name, protocol.name, model] = tuple(
                _of_seed(stored, tables[name], splits, part, data[name].name, same)
                for part in _by_seed(cells, protocol.seeds)
            )
    return found


def _differ(stored: StoredPredictions, difference: str, suggestion: str) -> None:
    message = f"the results in `{stored.folder}` are not comparable: {difference}"
    raise _Refused(codes.stored_results_differ, message, suggestion)


# --- data ------------------------------------------------------------------------------------


def _same_data(stored: StoredPredictions, table: Table, tables: Mapping[str, Table]) -> DataRecord:
    """Return the former data set with the content of a table."""
    former = [data for data in stored.record.data if data.kind == "table"]
    same = [data for data in former if data.sha256 == table.sha256]
    named = [data for data in (*same, *former) if data.name == table.spec.name]
    if same:
        return named[0] if named and named[0] in same else same[0]
    if not former:
        _differ(stored, "they are not of a study that fits models", "name another folder")
    if not named and (len(former) > 1 or len(tables) > 1):
        _differ(
            stored,
            f"none of their data sets has the content of `{table.spec.name}`; they have "
            f"{quoted([data.name for data in former])}",
            "run the former study on these data",
        )
    old = named[0] if named else former[0]
    _differ(
        stored,
        f"the data differ in {listed(_differences(old, table), 4)}",
        "run the former study on these data, or name the data of the former run",
    )
    raise AssertionError  # never reached


def _differences(old: DataRecord, table: Table) -> Iterator[str]:
    """Iterate over what differs between former data and a table, in words."""
    if old.task != table.task:
        yield f"the task ({old.task} there, {table.task} here)"
        return
    parts: list[str] = []
    if old.target != table.target:
        parts.append(f"the target (`{old.target}` there, `{table.target}` here)")
    if old.n != table.n:
        parts.append(f"the number of rows ({old.n:,} there, {table.n:,} here)")
    if tuple(old.classes or ()) != tuple(table.classes):
        there, here = quoted(old.classes or ()), quoted(table.classes)
        parts.append(f"the classes ({there} there, {here} here)")
    else:
        positive = None if table.positive is None else table.classes[table.positive]
        if old.positive != positive:
            parts.append(f"the positive class (`{old.positive}` there, `{positive}` here)")
    before = [column.name for column in old.columns if column.role == "feature"]
    after = [column.name for column in table.columns]
    if before and set(before) != set(after):
        lost = [name for name in before if name not in after]
        new = [name for name in after if name not in before]
        words = [f"{quoted(lost)} only there"] if lost else []
        words += [f"{quoted(new)} only here"] if new else []
        parts.append(f"the features ({', '.join(words)})")
    yield from parts or ["the values of a column, or the order of the rows or columns"]


# --- protocols -------------------------------------------------------------------------------


def _same_protocol(stored: StoredPredictions, record: ProtocolRecord) -> ProtocolRecord:
    """Return the former protocol that divides the rows in the same way."""
    former = stored.record.protocols
    same = [one for one in former if _design(one) == _design(record)]
    if same:
        return next((one for one in same if one.name == record.name), same[0])
    shown = record.written or record.summary
    if record.implied_by is not None:
        _differ(
            stored,
            f"they have no predictions under `{record.summary}`, which `{record.implied_by}` "
            "implies",
            f"write the line `{record.implied_by}` in the former study too, and run it again",
        )
    own = [one for one in former if one.implied_by is None]
    near = next((one for one in own if one.name == record.name), own[0] if own else None)
    if near is None:
        _differ(stored, "they have no protocol", "name another folder")
        raise AssertionError  # never reached
    if near.written != record.written:
        _differ(
            stored,
            f"the protocol is `{near.written}` there and `{shown}` here",
            f"write `protocol {near.written}`, or run the former study with `{shown}`",
        )
    for word, there, here in (
        ("stratified by", near.stratify, record.stratify),
        ("grouped by", near.group, record.group),
    ):
        if there != here:
            _differ(
                stored,
                f"the folds of `{shown}` are {word} {there or 'nothing'} there and "
                f"{here or 'nothing'} here",
                "write the same `stratify` and `group` lines in both studies",
            )
    raise AssertionError  # a design has no other parts


def _design(record: ProtocolRecord) -> tuple[Any, ...]:
    return record.kind, to_plain(dict(record.options)), record.stratify, record.group


def _check_folds(
    stored: StoredPredictions, former: ProtocolRecord, splits: Mapping[str, Sequence[Split]]
) -> None:
    """Compare the rows of all folds by their hash, where all data sets of it are here."""
    names = [data.name for data in stored.record.data if data.kind == "table"]
    if former.folds_sha256 is None or set(names) != set(splits):
        return  # the test rows of each fold are compared all the same
    if folds_hash({name: splits[name] for name in names}) != former.folds_sha256:
        shown = former.written or former.summary
        _folds_differ(stored, f"the folds of `{shown}` differ", AGAIN)


def _folds_differ(stored: StoredPredictions, difference: str, suggestion: str) -> None:
    """Refuse other folds, which packages of another version may have drawn."""
    there = {"evallang": stored.record.provenance.evallang, **stored.record.provenance.packages}
    here = {"evallang": VERSION, **versions_here(DRAW_FOLDS)}
    drew = ("evallang", *DRAW_FOLDS)
    changed = [name for name in drew if name in there and there[name] != here[name]]
    if not changed:
        _differ(stored, difference, suggestion)

    def listed_versions(versions: Mapping[str, str]) -> str:
        return listed([f"{name} {versions[name]}" for name in changed])

    _differ(
        stored,
        f"{difference}, which {listed_versions(there)} drew there and {listed_versions(here)} here",
        f"run the former study again with {listed_versions(here)}, or this study with "
        f"{listed_versions(there)}",
    )


# --- rows ------------------------------------------------------------------------------------


def _by_seed(cells: "pl.DataFrame", seeds: int) -> "Iterator[pl.DataFrame]":
    """Iterate over the predictions of each seed; a file without seeds has those of one."""
    for number in range(seeds):
        yield cells.filter(pl.col("seed") == number) if "seed" in cells.columns else cells


def _of_seed(
    stored: StoredPredictions,
    table: Table,
    splits: Sequence[Split],
    cells: "pl.DataFrame",
    data: str,
    protocol: ProtocolRecord,
) -> StoredOutcome:
    """Bring the predictions into the order of the splits and their test rows."""
    at = {
        (repeat, fold): part
        for (repeat, fold), part in cells.with_row_index("position")
        .partition_by("repeat", "fold", as_dict=True)
        .items()
    }
    known = {
        (f.repeat, f.fold)
        for f in stored.record.failures
        if (f.data, f.protocol, f.model) == (data, protocol.name, stored.model.name)
        and f.stage == "outer"
    }
    order: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    rows: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    failed: list[tuple[int, int]] = []
    for split in splits:
        part = at.get((split.repeat, split.fold))
        where = f"fold {split.fold}" + (f" of repeat {split.repeat}" if split.repeat else "")
        if part is None and (split.repeat, split.fold) in known:
            failed.append((split.repeat, split.fold))
            continue
        if part is None:
            raise _Refused(
                codes.stored_results_unusable,
                f"the results in `{stored.folder}` have no predictions of `{stored.model.name}` "
                f"for {where} of `{protocol.written or protocol.summary}`",
                AGAIN,
            )
        meant, there = table.rows[split.test], part["row"].to_numpy()
        sorter, own = np.argsort(there, kind="stable"), np.argsort(meant, kind="stable")
        if not np.array_equal(there[sorter], meant[own]):
            _folds_differ(
                stored,
                f"the test rows of {where} of `{protocol.written or protocol.summary}` differ",
                "read the same rows of the same file in both studies",
            )
        places = np.empty(len(meant), dtype=np.int64)
        places[own] = part["position"].to_numpy()[sorter]
        order.append(places)
        rows.append(split.test)
    ordered = cells[np.concatenate(order)]
    return _outcome(stored, table, np.concatenate(rows), ordered, tuple(failed))


def _outcome(
    stored: StoredPredictions,
    table: Table,
    rows: "NDArray[np.int64]",
    cells: "pl.DataFrame",
    failed: tuple[tuple[int, int], ...],
) -> StoredOutcome:
    """Read labels and scores, after a comparison of the truth with that of the data."""
    labelled = table.task == "classification"
    truth, labels = cells["truth"], cells["prediction"]
    if {truth.dtype, labels.dtype} != {pl.String if labelled else pl.Float64}:
        _contradict(stored)
    if not labelled:
        if not np.array_equal(truth.to_numpy(), table.y[rows]):
            _contradict(stored)
        return StoredOutcome(labels.to_numpy(), None, False, failed)
    code_of = {label: code for code, label in enumerate(table.classes)}

    def coded(column: "pl.Series") -> "NDArray[np.int64]":
        unknown = column.replace_strict(code_of, default=-1, return_dtype=pl.Int64)
        return unknown.fill_null(-1).to_numpy()

    if not np.array_equal(coded(truth), table.y[rows]):
        _contradict(stored)
    names = [f"score_{label}" for label in table.classes]
    given = [
        name for name in names if name in cells.columns and cells[name].null_count() < len(cells)
    ]
    scores = None
    if given == names:
        scores = cells.select(names).to_numpy()
    elif table.positive is not None and given == [names[table.positive]]:
        scores = cells[given[0]].to_numpy()
    return StoredOutcome(coded(labels), scores, _are_probabilities(scores), failed)


def _contradict(stored: StoredPredictions) -> None:
    raise _Refused(
        codes.stored_results_unusable,
        f"the predictions in `{stored.folder}` were altered: their truth is not that of the data",
        AGAIN,
    )


def _are_probabilities(scores: "NDArray[Any] | None") -> bool:
    """Return whether scores are probabilities: those of a row add up to 1."""
    if scores is None or scores.ndim != 2:
        return False
    return bool((scores >= 0).all() and (abs(scores.sum(axis=1) - 1) <= SUM_TOLERANCE).all())
