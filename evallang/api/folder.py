"""The results folder: written under another name, swapped in by two renames, never over ours.

One process at a time holds a folder, from before the first fit until it is written: `reserved`
refuses at once what could not be written at the end.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from polars.io.plugins import register_io_source

from evallang.api.folder_lock import Locked, locked
from evallang.printable import inert
from evallang.reporting.output_files import free_name, kept, written_files
from evallang.results import codec, records
from evallang.results.files import PREDICTIONS, RESULTS, TEMPORARY, write_file

if TYPE_CHECKING:
    from evallang.engine.after_fits import Run
    from evallang.engine.evaluation import Evaluation
    from evallang.models.thresholds import ChosenThreshold

NEW, OLD, LOCK = ".evallang-new", ".evallang-old", ".evallang-lock"
OURS = frozenset({"results.json", "report.html", "report.pdf", "predictions.parquet", "fits.csv"})
NAME_BYTES = 255  # the longest name of a file on Linux
LEAST_FREE = 8 * 1024**2  # bytes: a report with its fonts, and the results of a small study
TRIED_BYTES = 1024**2  # written before anything is fitted, and deleted
SHOWN_NAMES = 5
BEGINS_RESULTS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"evallang/results/')


class FolderRefused(Exception):
    """A folder that is not ours, is being written, or cannot be written; nothing was changed."""


class Reserved(Struct, frozen=True):
    """A folder that this process alone may write, and what its user should know of it."""

    named: Path
    """As the user wrote it."""
    place: Path
    """The folder itself, behind a link, as an absolute path."""
    notes: tuple[str, ...] = ()

    def neighbour(self, end: str) -> Path:
        """Return the path of a folder or file of ours next to the folder."""
        return _neighbour_path(self.place, end)


@contextmanager
def reserved(folder: Path) -> Iterator[Reserved]:
    """Hold a results folder that can be written; repair what a killed run left of it.

    Nothing is written through a link, and a file, pipe or folder of the user's in it stays as it
    is. Raises `FolderRefused` where the folder belongs to somebody else, is held by another
    process, or cannot be written.
    """
    if folder.name in ("", ".."):
        raise FolderRefused(f"`{folder}` cannot be replaced as a whole; name a folder in it")
    with contextlib.ExitStack() as held:
        try:
            place = _link_target(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            keeps_locks = held.enter_context(locked(_neighbour_path(place, LOCK)))
            _finish_swap(place)
            _check_is_ours(place, folder)
            notes = _notes(place, folder)
            _try_writing(place)
        except Locked as error:
            raise FolderRefused(_held(error, folder, _neighbour_path(place, LOCK))) from error
        except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
            said = getattr(error, "strerror", None) or str(error)
            said = f"{said[:1].lower()}{said[1:]}; name another folder (-o on the command line)"
            raise FolderRefused(f"cannot write `{folder}`: {said}") from error
        if not keeps_locks:
            notes += (
                f"the file system of `{folder}` has no locks; do not start another run into it "
                "before this one ends",
            )
        yield Reserved(folder, place, notes)


@contextmanager
def held_for_report(folder: Path) -> Iterator[tuple[str, ...]]:
    """Keep runs out of a folder while its report is replaced; yield what its user should know.

    Raises `FolderRefused` while a run writes the folder.
    """
    with contextlib.ExitStack() as held:
        place = Path(os.path.realpath(folder))
        lock = _neighbour_path(place, LOCK) if place.name else None
        try:
            if lock is not None:
                held.enter_context(locked(lock))
        except Locked as error:
            raise FolderRefused(_held(error, folder, _neighbour_path(place, LOCK))) from error
        except OSError:
            pass  # a run could not write next to this folder either
        yield tuple(_replaced(place, folder, {"report.html", "report.pdf"}))


def _held(error: Locked, folder: Path, lock: Path) -> str:
    holder = error.holder
    who = f"process {holder.pid} on {holder.host}, since {holder.since}" if holder else "unknown"
    if error.certain:
        return (
            f"another run ({who}) is writing `{folder}`; wait until it ends, or name another "
            "folder with -o"
        )
    return (
        f"another run ({who}) may be writing `{folder}`, which cannot be seen from here; if that "
        f"run has ended, delete `{lock}`"
    )


def _link_target(folder: Path) -> Path:
    """Return the folder that a link leads to: results are swapped there, and the link stays.

    Raises `OSError` where links form a circle, or a file is named as a folder.
    """
    with contextlib.suppress(FileNotFoundError):
        folder.stat()
    return Path(os.path.realpath(folder)) if folder.is_symlink() else folder.absolute()


def _neighbour_path(place: Path, end: str) -> Path:
    """Return the path next to a folder; a name that would be too long is cut and numbered."""
    name = place.name + end
    if len(os.fsencode(name)) > NAME_BYTES:
        whole = os.fsencode(place.name)
        stem = whole[: NAME_BYTES // 2].decode("utf-8", "ignore")
        name = f"{stem}-{sha256(whole).hexdigest()[:16]}{end}"
    return place.with_name(name)


def _finish_swap(place: Path) -> None:
    """Finish, or take back, what a killed run left; raise `FolderRefused` where it cannot."""
    new, old = _neighbour_path(place, NEW), _neighbour_path(place, OLD)
    for found in (new, old):
        if found.is_symlink():
            raise FolderRefused(f"`{found}` is a link, which is not followed; remove it")
        if found.exists() and _others(found) and not _is_ours(found):
            raise FolderRefused(
                f"`{found}` holds files and no results of evallang; move it to another place"
            )
    if old.exists():
        if not place.exists():
            (new if _is_ours(new) else old).rename(place)
        if old.exists():
            left, _ = _move_others(old, place)
            if left:
                raise FolderRefused(
                    f"an interrupted run left {_listed(left)} in `{old}`; move them to another "
                    "place"
                )
            shutil.rmtree(old)
    if new.exists():
        shutil.rmtree(new)


def _check_is_ours(place: Path, folder: Path) -> None:
    if not place.exists():
        return
    _check_is_a_folder(place, folder)
    if any(place.iterdir()) and not _is_ours(place):
        raise FolderRefused(
            f"`{folder}` holds files and no results of evallang; name an empty or new folder "
            "with -o"
        )
    for name in sorted(OURS):
        if (place / name).is_dir() and not (place / name).is_symlink():
            raise FolderRefused(f"`{name}` in `{folder}` is a folder; move it to another place")


def _check_is_a_folder(place: Path, folder: Path) -> None:
    if not place.is_dir():
        raise FolderRefused(f"`{folder}` is a file, not a folder")


def _is_ours(folder: Path) -> bool:
    try:
        if not (folder / RESULTS).is_file():  # a pipe may never end
            return False
        with (folder / RESULTS).open("rb") as file:
            return BEGINS_RESULTS.match(file.read(1000)) is not None
    except OSError:
        return False


def _others(folder: Path) -> list[Path]:
    """Return what is in a folder and was not written by a run, in the order of names.

    Of a folder of ours, such as `tables`, these are the files that are not as the list of the
    report's files has them.
    """
    written = written_files(folder)
    inner = {path.partition("/")[0] for path in written if "/" in path}
    found: list[Path] = []
    for item in sorted(folder.iterdir()):
        unfinished = item.name.startswith(TEMPORARY) and item.is_file() and not item.is_symlink()
        if item.name in OURS or item.name in written or unfinished:
            continue
        if item.name in inner and item.is_dir() and not item.is_symlink():
            found += [f for f in sorted(item.iterdir()) if f"{item.name}/{f.name}" not in written]
        else:
            found.append(item)
    return found


def _notes(place: Path, folder: Path) -> tuple[str, ...]:
    """List the links and special files in a folder, and say what becomes of them."""
    if not place.exists():
        return ()
    notes = []
    kept = [f"`{item.name}` ({kind})" for item in _others(place) if (kind := _special(item))]
    if kept:
        notes.append(
            f"{_listed(kept)} in `{folder}` will be kept unchanged, neither read nor followed"
        )
    return (*notes, *_replaced(place, folder, OURS))


def _replaced(place: Path, folder: Path, names: frozenset[str] | set[str]) -> Iterator[str]:
    found = {name: kind for name in sorted(names) if (kind := _special(place / name))}
    for name, kind in found.items():
        rest = "; the target of the link stays as it is" if kind == "link" else ""
        yield f"`{name}` ({kind}) in `{folder}` will be replaced by a file{rest}"


SPECIAL = {
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def _special(item: Path) -> str | None:
    try:
        return SPECIAL.get(stat.S_IFMT(item.lstat().st_mode))
    except FileNotFoundError:
        return None


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN_NAMES
    return ", ".join(names[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")


def _try_writing(place: Path) -> None:
    """Do everything that writing needs, before hours of fits: write, rename, swap.

    Raises `FolderRefused` and `OSError`.
    """
    new, old = _neighbour_path(place, NEW), _neighbour_path(place, OLD)
    try:
        new.mkdir()
        (new / max(OURS, key=len)).write_bytes(bytes(TRIED_BYTES))
        free = shutil.disk_usage(new).free
        if free < LEAST_FREE:
            raise OSError(errno.ENOSPC, f"only {free / 1e6:.1f} MB of the disk are free")
        new.rename(old)
    finally:
        for tried in (new, old):
            shutil.rmtree(tried, ignore_errors=True)
    if not place.exists():
        return
    for item in (place, *(item for item in _others(place) if not _special(item))):
        if os.path.ismount(item):
            raise FolderRefused(f"`{item}` is a mount point, which cannot be moved")
        if item.is_dir() and not os.access(item, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, f"permission denied for `{item}`")
    place.rename(old)
    old.rename(place)


def write_folder(
    reserved: Reserved,
    record: records.ResultsRecord,
    run: Run | None,
    formats: tuple[str, ...] | None = None,
    template: str | None = None,
) -> tuple[str, ...]:
    """Write results, tables and report; return messages about what could not be written.

    Everything is written next to the folder and swapped in at the end; then what else was in the
    old folder is moved over. Raises `OSError`, or `FolderRefused` where a file has taken its place
    meanwhile; all is then as it was.
    """
    from evallang.reporting.report import write_report

    place, new, old = reserved.place, reserved.neighbour(NEW), reserved.neighbour(OLD)
    try:
        new.mkdir()
        if run is not None:
            _write_predictions(new / PREDICTIONS, run)
            _write_fits(new / "fits.csv", run)
            record = _with_hash(record, new / PREDICTIONS)
        write_file(new / RESULTS, codec.dumps(record).encode())
        wanted = record.report.formats if formats is None else formats
        _, messages = write_report(record, new, wanted, template=template)
        if place.exists():
            _check_is_a_folder(place, reserved.named)  # a file may have taken its place since
            place.rename(old)
        try:
            new.rename(place)
        except BaseException:
            if old.exists():
                old.rename(place)
            raise
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if old.exists():
        left, renamed = _move_others(old, place)
        messages += renamed
        if left:
            messages += (f"{_listed(left)} could not be moved and stays in `{old}`",)
        else:
            shutil.rmtree(old, ignore_errors=True)
    return messages


def _with_hash(record: records.ResultsRecord, path: Path) -> records.ResultsRecord:
    """Record the hash of the file of predictions; a later study that reads it compares it."""
    if not path.exists():
        return record
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return replace(record, provenance=replace(record.provenance, predictions_sha256=digest))


def _move_others(old: Path, place: Path) -> tuple[list[str], tuple[str, ...]]:
    """Move what is not ours by renaming, whatever it is.

    Return the names that did not move, and messages about those that have another name now.
    """
    left: list[str] = []
    messages: list[str] = []

    def has_room(item: Path) -> bool:
        return not os.path.lexists(place / item.relative_to(old))

    for item in sorted(_moved_alone(old, place), key=has_room, reverse=True):
        name = item.relative_to(old)
        try:
            target = free_name(place / name)
            target.parent.mkdir(exist_ok=True)
            item.rename(target)
            messages += [kept(item, target)] if target.name != item.name else []
        except OSError:
            left.append(f"`{name.as_posix()}`")
    return left, tuple(messages)


def _moved_alone(old: Path, place: Path) -> Iterator[Path]:
    """Iterate over what is not ours; a folder that the new results have too is its items."""
    for item in _others(old):
        both = (item, place / item.relative_to(old))
        if all(path.is_dir() and not path.is_symlink() for path in both):
            yield from sorted(item.iterdir())
        else:
            yield item


# --- tables ----------------------------------------------------------------------------------


ROWS_IN_A_GROUP = 1 << 18  # of the Parquet file, whose bytes depend on it


def _write_predictions(path: Path, run: Run) -> None:
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
        if found.scores is not None:
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


def _write_fits(path: Path, run: Run) -> None:
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
