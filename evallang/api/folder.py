"""The results folder: written under another name, swapped in by two renames, never over ours.

One process at a time holds a folder, from before the first fit until it is written: `reserved`
refuses at once what could not be written at the end.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import shutil
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from evallang.api.run_tables import write_fits, write_predictions
from evallang.engine.run_record import Run
from evallang.reporting.authors_template import AuthorsTemplate
from evallang.reporting.output_files import free_name, kept, written_files
from evallang.reporting.report import Mapped
from evallang.results import codec, records
from evallang.results.files import PREDICTIONS, RESULTS, TEMPORARY, write_file

NEW, OLD, LOCK = ".evallang-new", ".evallang-old", ".evallang-lock"
OURS = frozenset({"results.json", "report.html", "report.pdf", "predictions.parquet", "fits.csv"})
NAME_BYTES = 255  # the longest name of a file on Linux
LEAST_FREE = 8 * 1024**2  # bytes: a report with its fonts, and the results of a small study
TRIED_BYTES = 1024**2  # written before anything is fitted, and deleted
SHOWN_NAMES = 5
BEGINS_RESULTS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"evallang/results/')


class FolderRefused(Exception):
    """A folder that is not ours, is being written, or cannot be written; nothing was changed."""


class Holder(Struct, frozen=True):
    """Who holds a lock: process, machine, and when the process began to write."""

    pid: int
    host: str
    since: str


class Locked(Exception):
    """Another process holds the lock; `holder` is None where the file does not tell who."""

    def __init__(self, holder: Holder | None) -> None:
        super().__init__(holder)
        self.holder = holder


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
            raise FolderRefused(_held(error, folder)) from error
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
            raise FolderRefused(_held(error, folder)) from error
        except OSError:
            pass  # a run could not write next to this folder either
        yield tuple(_replaced(place, folder, {"report.html", "report.pdf"}))


def _held(error: Locked, folder: Path) -> str:
    holder = error.holder
    who = f"process {holder.pid} on {holder.host}, since {holder.since}" if holder else "unknown"
    return (
        f"another run ({who}) is writing `{folder}`; wait until it ends, or name another "
        "folder with -o"
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


# --- the lock --------------------------------------------------------------------------------

MOST_BYTES = 4096  # of the text in a lock file
NO_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold the lock file at `path`; yield whether the file system keeps locks.

    The lock itself is the kernel's (`flock`), so it ends with the process, however that ends. The
    text in the file only says who holds it. Raises `Locked` and `OSError`.
    """
    descriptor, kept = _acquired(path)
    try:
        yield kept
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)  # before the lock ends: nobody else's file
        os.close(descriptor)


def _acquired(path: Path) -> tuple[int, bool]:
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, flags, 0o666)
        try:
            found = os.fstat(descriptor)
            if found.st_nlink > 1 or (found.st_size and _holder(descriptor) is None):
                raise OSError(errno.EEXIST, "the file of its lock holds something else")
            kept = _lock(descriptor)
            if not _is_still(path, found):  # its last holder has removed it meanwhile
                os.close(descriptor)
                continue
            try:
                _write_holder(descriptor)
            except OSError:
                path.unlink(missing_ok=True)
                raise
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor, kept


def _is_still(path: Path, opened: os.stat_result) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(path.lstat(), opened)
    return False


def _lock(descriptor: int) -> bool:
    """Lock an open file; return False where the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise Locked(_holder(descriptor)) from error
        if error.errno not in NO_LOCKS:
            raise
        return False
    return True


def _write_holder(descriptor: int) -> None:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    holder = Holder(os.getpid(), socket.gethostname(), now)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, msgspec.json.encode(holder) + b"\n", 0)


def _holder(descriptor: int) -> Holder | None:
    try:
        return msgspec.json.decode(os.pread(descriptor, MOST_BYTES, 0), type=Holder)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


# --- writing ---------------------------------------------------------------------------------


def write_folder(
    reserved: Reserved,
    record: records.ResultsRecord,
    run: Run | None,
    formats: tuple[str, ...] | None = None,
    template: AuthorsTemplate | None = None,
    mapped: Mapped = map,
) -> tuple[str, ...]:
    """Write results, tables and report; return messages about what could not be written.

    Everything is written next to the folder and swapped in at the end; then what else was in the
    old folder is moved over. `mapped` calls what makes the files of a format. Raises `OSError`,
    or `FolderRefused` where a file has taken its place meanwhile; all is then as it was.
    """
    place, new, old = reserved.place, reserved.neighbour(NEW), reserved.neighbour(OLD)
    try:
        new.mkdir()
        if run is not None:
            write_predictions(new / PREDICTIONS, run)
            write_fits(new / "fits.csv", run)
            if (new / PREDICTIONS).exists():  # a later study that reads it compares its hash
                with (new / PREDICTIONS).open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                of_run = replace(record.provenance, predictions_sha256=digest)
                record = replace(record, provenance=of_run)
        write_file(new / RESULTS, codec.dumps(record).encode())
        wanted = record.report.formats if formats is None else formats
        messages: tuple[str, ...] = ()
        if wanted:
            from evallang.reporting.report import write_report

            _, messages = write_report(record, new, wanted, template=template, mapped=mapped)
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


def _move_others(old: Path, place: Path) -> tuple[list[str], tuple[str, ...]]:
    """Move what is not ours by renaming, whatever it is.

    Return the names that did not move, and messages about those that have another name now.
    """
    left: list[str] = []
    messages: list[str] = []

    # those first whose names are free
    taken = {
        item: os.path.lexists(place / item.relative_to(old)) for item in _moved_alone(old, place)
    }
    for item in sorted(taken, key=taken.__getitem__):
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
