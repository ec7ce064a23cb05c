"""The output folder: written under another name, swapped in by two renames, never over ours."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evallang.engine.exporting import plain
from evallang.engine.run import Run
from evallang.registry import lazy
from evallang.results import codec, records

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from evallang.engine.settings import Setting
else:
    np, pl = lazy("numpy"), lazy("polars")

NEW, OLD = ".evallang-new", ".evallang-old"
OURS = frozenset({"results.json", "report.html", "report.pdf", "predictions.parquet", "fits.csv"})


class FolderRefused(Exception):
    """A folder that is neither empty nor one of ours; nothing was written."""


def check_folder(folder: Path) -> None:
    """Mend an interrupted swap; refuse a folder that is not ours or cannot be written.

    Raises `FolderRefused`.
    """
    if folder.name in ("", ".."):
        raise FolderRefused(f"`{folder}` cannot be replaced as a whole; name a folder in it")
    folder = _behind_link(folder)
    new, old = (folder.with_name(folder.name + end) for end in (NEW, OLD))
    try:
        if old.exists() and not folder.exists():
            old.rename(folder)
        if folder.exists() and not folder.is_dir():
            raise FolderRefused(f"`{folder}` is a file, not a folder")
        if folder.exists() and any(folder.iterdir()) and not _is_ours(folder):
            raise FolderRefused(
                f"`{folder}` holds files and no results of evallang; name an empty or new folder "
                "with -o"
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        _empty(new)
        new.rmdir()
    except OSError as error:
        raise FolderRefused(
            f"cannot write `{folder}`: {(error.strerror or str(error)).lower()}"
        ) from error


def _behind_link(folder: Path) -> Path:
    """Give the folder that a link leads to: results are swapped there, and the link stays."""
    return Path(os.path.realpath(folder)) if folder.is_symlink() else folder


def _empty(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()


def _is_ours(folder: Path) -> bool:
    try:
        if not (folder / "results.json").is_file():  # a pipe may never end
            return False
        found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and str(found.get("schema", "")).startswith("evallang/results/")


def write_folder(
    folder: Path,
    record: records.Results,
    run: Run | None,
    formats: tuple[str, ...] | None = None,
) -> tuple[str, ...]:
    """Write results, tables and report; gives messages about what could not be written.

    Everything is written beside the folder and swapped in at the end; files in the old
    folder that we did not write are moved over. Raises `FolderRefused` and `OSError`.
    """
    from evallang.reporting.report import write_report

    check_folder(folder)
    folder = _behind_link(folder)
    new, old = (folder.with_name(folder.name + end) for end in (NEW, OLD))
    try:
        _empty(new)
        (new / "results.json").write_text(codec.dumps(record), encoding="utf-8", newline="\n")
        if run is not None:
            _write_predictions(new / "predictions.parquet", run)
            _write_fits(new / "fits.csv", run)
        _, messages = write_report(record, new, formats or record.report.formats)
        if folder.exists():
            _keep_others(folder, new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if old.exists():
        shutil.rmtree(old)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
    return messages


def _keep_others(folder: Path, new: Path) -> None:
    for item in folder.iterdir():
        if item.name not in OURS and not (new / item.name).exists():
            if item.is_dir():
                shutil.copytree(item, new / item.name, symlinks=True)
            else:
                shutil.copy2(item, new / item.name, follow_symlinks=False)


# --- tables ----------------------------------------------------------------------------------


def _write_predictions(path: Path, run: Run) -> None:
    """Write one row per prediction, sorted by data, protocol, model, repeat, fold, row.

    A column `seed` is there where a protocol repeats fits with several seeds.
    """
    frames = [
        _frame(setting, model, run).with_columns(seed=pl.lit(seed, dtype=pl.Int64))
        for whole in run.settings
        for seed, setting in enumerate(whole.by_seed)
        for model in setting.models
        # a model all of whose fits failed has no rows, and columns without a type
        if setting.protocol is not None and len(setting.models[model].rows)
    ]
    if not frames:
        return
    whole = pl.concat(frames, how="diagonal_relaxed")
    whole = whole.sort("data", "protocol", "model", "repeat", "fold", "row", maintain_order=True)
    lead = ["data", "protocol", "model", "repeat", "fold", "row", "id", "truth", "prediction"]
    scores = [name for name in whole.columns if name not in (*lead, "seed")]
    lead += ["seed"] if _seeds(run) else []
    whole.select([*lead, *scores]).write_parquet(path, compression="zstd", statistics=False)


def _frame(setting: Setting, model: str, run: Run) -> Any:
    found = setting.models[model]
    table = run.tables[setting.source]
    n = len(found.rows)
    columns: dict[str, Any] = {
        "data": [setting.source] * n,
        "protocol": [setting.protocol] * n,
        "model": [model] * n,
        "repeat": found.repeat.astype(np.int64),
        "fold": found.fold.astype(np.int64),
        "row": table.rows[found.rows],
        "id": pl.Series(
            [None if table.ids is None else table.ids[i] for i in found.rows], dtype=pl.String
        ),
    }
    if setting.task == "classification":
        names = np.array([*setting.classes, None], dtype=object)
        columns["truth"] = pl.Series(names[found.truth].tolist(), dtype=pl.String)
        columns["prediction"] = pl.Series(names[found.labels].tolist(), dtype=pl.String)
        if found.scores is not None:
            scores = found.scores if found.scores.ndim == 2 else None
            for code, label in enumerate(setting.classes):
                if scores is not None:
                    columns[f"score_{label}"] = np.ascontiguousarray(scores[:, code])
                elif code == setting.positive:
                    columns[f"score_{label}"] = found.scores
    else:
        columns["truth"] = found.truth.astype(np.float64)
        columns["prediction"] = found.labels.astype(np.float64)
    return pl.DataFrame(columns)


def _write_fits(path: Path, run: Run) -> None:
    seeds = _seeds(run)
    lead = ("data", "protocol", "model", "repeat", "fold", *(["seed"] if seeds else []))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*lead, "params", "seconds", "status", "message"])
        for fitted in run.fits:
            outcome = fitted.outcome
            place = [getattr(fitted, name) for name in lead]
            status, message = "ok", ""
            if outcome.failure is not None:
                status, message = "failed", f"{outcome.failure[0]}: {outcome.failure[1]}"
            elif outcome.warnings:
                category, text, _ = outcome.warnings[0]
                status, message = "warned", f"{category}: {text}"
            params = json.dumps(codec.to_plain(plain(outcome.params)), ensure_ascii=False)
            writer.writerow([*place, params, f"{outcome.seconds:.6f}", status, _safe(message)])


def _seeds(run: Run) -> bool:
    return any(setting.further_seeds for setting in run.settings)


def _safe(cell: str) -> str:
    """Keep a spreadsheet from reading a cell as a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@")) else cell
