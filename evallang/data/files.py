"""Files in, bytes out: where a path leads, how large it may be, and what its ending means.

Only regular files below the size limit are opened, an address is read only with consent, and
nothing is unpickled.
"""

import errno
import gzip
import io
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TypeVar

from evallang.data.codes import (
    FILE_NOT_FOUND,
    FILE_TOO_LARGE,
    REMOTE_PATH,
    UNKNOWN_ENDING,
    UNREADABLE_FILE,
)
from evallang.data.file_content import FileContent, WrittenWhileRead
from evallang.data.findings import Findings, quoted
from evallang.data.part_patterns import sheet_of
from evallang.data.path_patterns import GLOB, matching
from evallang.data.remote import is_remote, matching_objects, read_object
from evallang.limits import BYTES, COLUMNS, MEMORY, ROWS, OverLimit
from evallang.source import Span
from evallang.spelling import closest

T = TypeVar("T")
PIECE = 1 << 20  # bytes unpacked at a time, so that nothing beyond the limit is held
MOST_IN_MEMORY = 1 << 25  # bytes of an unpacked file, which else is on the disk
GZIP = b"\x1f\x8b"  # the first bytes of a compressed file
TEXTS = (".csv", ".tsv", ".jsonl", ".arff")
ENDINGS = (*TEXTS, ".parquet", ".xlsx", *(f"{text}.gz" for text in TEXTS))


_TAKEN: ContextVar[list[str] | None] = ContextVar("paths_taken", default=None)


@contextmanager
def paths_taken() -> Iterator[list[str]]:
    """Collect the paths, as written, that lead out of the study's folder while it is read."""
    taken: list[str] = []
    token = _TAKEN.set(taken)
    try:
        yield taken
    finally:
        _TAKEN.reset(token)


def _is_outside(path: Path, folder: Path) -> bool:
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def note_outside(location: str) -> None:
    """Note a path that leads out of the study's folder."""
    taken = _TAKEN.get()
    if taken is not None and location not in taken:
        taken.append(location)


@contextmanager
def parts_of(location: str, paths: Sequence[str], folder: Path) -> Iterator[None]:
    """Note once, under the name of their pattern, that parts lead out of the study's folder."""
    outside = (p for p in paths if is_remote(p) or _is_outside(folder / p, folder))
    if next(outside, None) is not None:
        note_outside(location)
    token = _TAKEN.set(None)
    try:
        yield
    finally:
        _TAKEN.reset(token)


def locate(
    location: str, folder: Path, findings: Findings, *, span: Span | None = None
) -> Path | None:
    """Return the file that a path of the study means; None after a finding."""
    path = regular_file(location, folder, findings, span=span)
    if path is None or not has_known_ending(location, findings, span):
        return None
    try:
        BYTES.check(f"`{location}`", path.stat().st_size)
    except OverLimit as error:
        findings.over_limit(error, span=span)
        return None
    return path


def has_known_ending(location: str, findings: Findings, span: Span | None) -> bool:
    """Return whether the ending of a path says how to read it; else report it."""
    if ending(location) is not None:
        return True
    findings.add(
        UNKNOWN_ENDING,
        f"the ending of `{location}` cannot be read",
        span=span,
        help=f"the endings are {quoted(ENDINGS, len(ENDINGS))}",
    )
    return False


def open_file(
    location: str, folder: Path, findings: Findings, *, span: Span | None = None
) -> Path | bytes | None:
    """Return the file that a path means, or the content of an address; None after a finding."""
    if not is_remote(location):
        return locate(location, folder, findings, span=span)
    if not has_known_ending(location, findings, span):
        return None
    content = read_object(sheet_of(location)[0], findings, span)
    if content is not None:
        note_outside(location)
    return content


def regular_file(
    location: str, folder: Path, findings: Findings, *, span: Span | None = None
) -> Path | None:
    """Return a file that exists and is not a folder, device or pipe; None after a finding."""
    if is_remote(location):
        findings.add(
            REMOTE_PATH,
            f"`{location}` is an address, where a file of this machine is needed",
            span=span,
            help="download the file and name it by its path",
        )
        return None
    path = folder / sheet_of(location)[0]
    try:
        found, regular = path.exists(), path.is_file()
    except (OSError, ValueError) as error:  # names that no file can have; no right to look
        findings.add(
            UNREADABLE_FILE,
            f"{location!r} cannot be opened: {error}",
            span=span,
            help="check the name, and whether you may read the file",
        )
        return None
    if not found:
        words = _suggest_path(location, path, folder)
        findings.add(FILE_NOT_FOUND, f"there is no file `{location}`", span=span, help=words)
        return None
    if not regular:
        what = "a folder" if path.is_dir() else "no regular file"
        held = quoted(_neighbours(path)) if path.is_dir() else ""
        words = f"name one of the files in the folder: {held}" if held else "name a file"
        findings.add(UNREADABLE_FILE, f"`{location}` is {what}", span=span, help=words)
        return None
    if _is_outside(path, folder):
        note_outside(location)
    return path


def matching_files(
    pattern: str, folder: Path, findings: Findings, *, written: str | None = None
) -> list[str] | None:
    """Return the paths that a pattern matches, sorted; None after a finding.

    `written` is the pattern as the study has it. Raises `OverLimit` for too many, and `ValueError`
    for a pattern that no path can have.
    """
    return (
        matching_objects(pattern, written or pattern, findings)
        if is_remote(pattern)
        else matching(pattern, folder)
    )


def _suggest_path(location: str, path: Path, folder: Path) -> str:
    """Return a suggestion where a missing file may be."""
    if GLOB.search(location):
        return "only a `data` statement takes a pattern; name each file here"
    if near := closest(path.name, (n for n in _neighbours(path.parent) if n != path.name)):
        return f"did you mean `{near}`?"
    if path.parent != folder and (folder / path.name).is_file():
        return f"`{path.name}` is in the folder of the study"
    if not path.parent.is_dir():
        return f"there is no folder `{Path(location).parent}` next to the study's own file"
    return "paths are relative to the study's own file"


def ending(location: str) -> str | None:
    """Return the ending that decides how a file is read, or None for another."""
    name = sheet_of(location)[0].lower()
    return next((e for e in sorted(ENDINGS, key=len, reverse=True) if name.endswith(e)), None)


def stem(path: str) -> str:
    """Return a file's name without folder and ending."""
    name = Path(path).name
    return name[: -len(ending(name) or "")] or name


def read_content(
    path: Path | bytes,
    location: str,
    findings: Findings,
    read: Callable[[FileContent], T],
    *,
    span: Span | None = None,
) -> T | None:
    """Return what `read` makes of a file, unpacked if its name ends in .gz; None after a finding.

    `path` is the file, or its content where it was read from an address.
    """
    try:
        with io.BytesIO(path) if isinstance(path, bytes) else path.open("rb") as stream:
            if location.lower().endswith(".gz"):
                with _unpacked(stream, location) as unpacked:
                    return read(FileContent(unpacked))
            in_memory = isinstance(path, bytes)
            return read(FileContent(stream) if in_memory else FileContent.of_file(stream))
    except OverLimit as error:
        findings.over_limit(error, span=span)
        return None
    except WrittenWhileRead:
        message = f"`{location}` was written to while it was read"
        words = "run again when no other program writes to it"
        findings.add(UNREADABLE_FILE, message, span=span, help=words)
        return None
    except _NotCompressed:
        words = "remove `.gz` from its name, or compress it"
        findings.add(UNREADABLE_FILE, f"`{location}` is not compressed", span=span, help=words)
        return None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        message = f"`{location}` is damaged or incomplete"
        findings.add(UNREADABLE_FILE, message, span=span, help="compress the file again")
        return None
    except OSError as error:
        message = f"`{location}` cannot be read: {error}"
        words = "check whether you may read the file"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):  # where it is unpacked
            words = (
                f"free some space in `{tempfile.gettempdir()}`, or set `TMPDIR` to another folder"
            )
        findings.add(UNREADABLE_FILE, message, span=span, help=words)
        return None
    except MemoryError:
        message = f"`{location}` does not fit into the memory that this process may use"
        words = "remove the columns and rows that the study does not use"
        findings.add(FILE_TOO_LARGE, message, span=span, help=words)
        return None


def read_bytes(
    path: Path | bytes, location: str, findings: Findings, *, span: Span | None = None
) -> bytes | None:
    """Read a whole file, unpacked where its name ends in .gz; None after a finding."""
    return read_content(path, location, findings, FileContent.read, span=span)


class _NotCompressed(Exception):
    """A file whose name ends in .gz is not compressed."""


@contextmanager
def _unpacked(packed: IO[bytes], location: str) -> Iterator[IO[bytes]]:
    """Unpack a file piece by piece; raises `OverLimit` as soon as it is too large.

    A long file is unpacked to a temporary file, because it is read more than once.
    """
    if packed.read(len(GZIP)) not in (GZIP, b""):
        raise _NotCompressed
    packed.seek(0)
    with gzip.open(packed) as stream, tempfile.SpooledTemporaryFile(MOST_IN_MEMORY) as data:
        while piece := stream.read(PIECE):
            if data.tell() + len(piece) > BYTES.most:
                raise BYTES.exceeded(f"`{location}`")
            data.write(piece)
        yield data


def check_size(source: str, rows: int, columns: int, bytes_of_a_row: float = 0) -> None:
    """Raise `OverLimit` for a table of too many rows or columns, or too large for the memory.

    `bytes_of_a_row` is what a row takes once it is read, at least eight bytes a cell.
    """
    ROWS.check(f"`{source}`", rows)
    COLUMNS.check(f"`{source}`", columns)
    MEMORY.check(f"`{source}`, once it is read", int(rows * max(bytes_of_a_row, 8 * columns)))


def _neighbours(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
