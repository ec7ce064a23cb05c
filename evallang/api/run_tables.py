"""The tables of a run in its folder: a row for each prediction, and one for each fit."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from evallang.engine.evaluation import Evaluation
from evallang.engine.run_record import Run
from evallang.models.thresholds import ChosenThreshold
from evallang.printable import inert
from evallang.results import codec

ROWS_IN_A_GROUP = 1 << 18  # of the Parquet file, whose bytes depend on it


def write_predictions(path: Path, run: Run) -> None:
    """Write one row per prediction, sorted by data, protocol, model, repeat, fold, row.

    A column `seed` is there where a protocol repeats fits with several seeds. One model is laid
    out at a time: all of them together take several times the room of the predictions.
    """
    parts: dict[tuple[str, str, str], list[tuple[int, Evaluation]]] = {}
    for whole in run.evaluations:
        for seed, evaluation in enumerate(whole.by_seed):
            for model, found in evaluation.models.items():
                # a model all of whose fits failed has no rows, and columns without a type
                if evaluation.protocol is not None and len(found.rows):
                    at = (evaluation.source, evaluation.protocol, model)
                    parts.setdefault(at, []).append((seed, evaluation))
    if not parts:
        return

    def frame(at: tuple[str, str, str], most: int | None = None) -> pl.DataFrame:
        frames = [
            _frame(evaluation, at[2], run, most).with_columns(seed=pl.lit(seed, dtype=pl.Int64))
            for seed, evaluation in parts[at]
        ]
        found = pl.concat(frames, how="diagonal_relaxed")
        return found.sort("repeat", "fold", "row", maintain_order=True)

    types = pl.concat([frame(at, most=0) for at in parts], how="diagonal_relaxed").schema
    lead = ["data", "protocol", "model", "repeat", "fold", "row", "id", "truth", "prediction"]
    scores = [name for name in types if name not in (*lead, "seed")]
    lead += ["seed"] if _seeds(run) else []
    schema = {name: types[name] for name in (*lead, *scores)}

    def frames(*_: Any) -> Iterator[pl.DataFrame]:
        for at in sorted(parts):
            found = frame(at)
            yield found.select(
                (pl.col(name) if name in found.columns else pl.lit(None).alias(name)).cast(dtype)
                for name, dtype in schema.items()
            )

    with _errors_of_the_system(path), path.open("wb") as stream:  # polars opens UTF-8 paths alone
        register_io_source(frames, schema=schema).sink_parquet(
            stream, compression="zstd", statistics=False, row_group_size=ROWS_IN_A_GROUP
        )


@contextmanager
def _errors_of_the_system(path: Path) -> Iterator[None]:
    """Raise `OSError` where the system refused polars a file, which is an error of polars' own."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        found = re.search(r"\(os error (\d+)\)", str(error))
        if found is None:
            raise
        raise OSError(int(found[1]), os.strerror(int(found[1])), str(path)) from error


def _frame(evaluation: Evaluation, model: str, run: Run, most: int | None) -> pl.DataFrame:
    """Lay out the predictions of one model, the first `most` of them."""
    found = evaluation.models[model]
    table = run.tables[evaluation.source]
    rows = found.rows[:most]
    columns: dict[str, Any] = {
        "data": pl.repeat(evaluation.source, len(rows), dtype=pl.String, eager=True),
        "protocol": pl.repeat(evaluation.protocol, len(rows), dtype=pl.String, eager=True),
        "model": pl.repeat(model, len(rows), dtype=pl.String, eager=True),
        "repeat": found.repeat[:most].astype(np.int64),
        "fold": found.fold[:most].astype(np.int64),
        "row": table.rows[rows],
        "id": pl.repeat(None, len(rows), dtype=pl.String, eager=True)
        if table.ids is None
        else pl.Series([table.ids[i] for i in rows.tolist()], dtype=pl.String),
    }
    if evaluation.task == "classification":
        names = pl.Series([*evaluation.classes, None], dtype=pl.String)
        for name, codes in (("truth", found.truth[:most]), ("prediction", found.labels[:most])):
            columns[name] = names.gather(np.where(codes < 0, len(evaluation.classes), codes))
        if found.scores is not None and not evaluation.rated:
            scores = found.scores[:most] if found.scores.ndim == 2 else None
            for code, label in enumerate(evaluation.classes):
                if scores is not None:
                    columns[f"score_{label}"] = np.ascontiguousarray(scores[:, code])
                elif code == evaluation.positive:
                    columns[f"score_{label}"] = found.scores[:most]
    else:
        columns["truth"] = found.truth[:most].astype(np.float64)
        columns["prediction"] = found.labels[:most].astype(np.float64)
    return pl.DataFrame(columns)


def _threshold_cell(chosen: tuple[ChosenThreshold, ...]) -> str | float:
    """Return the number that a fit chose, or those of members of an ensemble after their names."""
    if len(chosen) == 1 and not chosen[0].member:
        return chosen[0].value  # as text, a spreadsheet could take its sign for a formula
    return "; ".join(f"{one.member}: {one.value}" for one in chosen)


def write_fits(path: Path, run: Run) -> None:
    """Write one row per fit: where it is used, its parameters, seconds, and how it ended."""
    from evallang.engine.exporting import plain

    seeds = _seeds(run)
    lead = ("data", "protocol", "model", "repeat", "fold", *(["seed"] if seeds else []))
    if run.further_fits:
        lead += ("analysis", "draw", "training_rows")
    every = (*run.fits, *run.further_fits)
    chosen = any(fitted.outcome.thresholds for fitted in every)
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        last = ["threshold"] if chosen else []
        writer.writerow([*lead, "params", "seconds", "status", "message", *last])
        for fitted in every:
            outcome = fitted.outcome
            place = [getattr(fitted, name) for name in lead]  # None is an empty cell
            status, message = "ok", ""
            if outcome.failure is not None:
                status, message = "failed", f"{outcome.failure[0]}: {outcome.failure[1]}"
            elif outcome.warnings:
                category, text, _ = outcome.warnings[0]
                status, message = "warned", f"{category}: {text}"
            params = json.dumps(codec.to_plain(plain(outcome.params)), ensure_ascii=False)
            row = [*place, params, f"{outcome.seconds:.6f}", status, message]
            if chosen:
                row.append(_threshold_cell(outcome.thresholds))
            writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])


def _seeds(run: Run) -> bool:
    return any(evaluation.further_seeds for evaluation in run.evaluations)
