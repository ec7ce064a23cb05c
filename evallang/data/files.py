"""Files in, bytes out: where a path leads, how large it may be, and what its ending means.

Only regular files below the size limit are opened, an address is read only with consent, and
nothing is unpickled.
"""

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from evallang.data.findings import Refused, quoted
from evallang.data.path_patterns import GLOB, matching, sheet_of
from evallang.data.remote import is_remote, matching_objects, read_object
from evallang.diagnostics import codes
from evallang.limits import BYTES, COLUMNS, MEMORY, ROWS, OverLimit
from evallang.spelling import closest

PIECE = 1 << 20  # bytes unpacked at a time, so that nothing beyond the limit is held
HELD = 2  # times that a table is in memory at least, as it is read and as models see it
GZIP = b"\x1f\x8b"  # the first bytes of a compressed file
TEXTS = (".csv", ".tsv", ".jsonl", ".json", ".arff")
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


def open_file(location: str, folder: Path) -> Path | bytes:
    """Return the file that a path of the study means, or the content of an address."""
    if ending(location) is None and not is_remote(location):
        regular_file(location, folder)  # a missing file is reported first
    if ending(location) is None:
        raise Refused(
            codes.unknown_file_ending,
            f"the ending of `{location}` cannot be read",
            help=f"the endings are {quoted(ENDINGS, len(ENDINGS))}",
        )
    if is_remote(location):
        content = read_object(sheet_of(location)[0])
        note_outside(location)
        return content
    path = regular_file(location, folder)
    BYTES.check(f"`{location}`", path.stat().st_size)
    return path


def regular_file(location: str, folder: Path) -> Path:
    """Return a file that exists and is not a folder, device or pipe."""
    if is_remote(location):
        raise Refused(
            codes.remote_path,
            f"`{location}` is an address, where a file of this machine is needed",
            help="download the file and name it by its path",
        )
    path = folder / sheet_of(location)[0]
    try:
        found, regular = path.exists(), path.is_file()
    except (OSError, ValueError) as error:  # names that no file can have; no right to look
        raise Refused(
            codes.unreadable_file,
            f"{location!r} cannot be opened: {error}",
            help="check the name, and whether you may read the file",
        ) from error
    if not found:
        words = _suggest_path(location, path, folder)
        raise Refused(codes.file_not_found, f"there is no file `{location}`", help=words)
    if not regular:
        what = "a folder" if path.is_dir() else "no regular file"
        held = quoted(_neighbours(path)) if path.is_dir() else ""
        words = f"name one of the files in the folder: {held}" if held else "name a file"
        raise Refused(codes.unreadable_file, f"`{location}` is {what}", help=words)
    if _is_outside(path, folder):
        note_outside(location)
    return path


def matching_files(pattern: str, folder: Path, written: str | None = None) -> list[str]:
    """Return the paths that a pattern matches, sorted; `written` is it as the study has it."""
    written = written or pattern
    if is_remote(pattern):
        return matching_objects(pattern, written)
    try:
        return matching(pattern, folder)
    except OverLimit:
        raise
    except (OSError, ValueError) as error:  # a pattern that no path can have
        raise Refused(codes.unreadable_file, f"{written!r} cannot be searched: {error}") from error


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


def read_bytes(path: Path | bytes, location: str) -> bytes:
    """Read a whole file, unpacked where its name ends in .gz.

    `path` is the file, or its content where it was read from an address.
    """
    try:
        content = path if isinstance(path, bytes) else _unchanged(path, location)
        return _unpacked(content, location) if location.lower().endswith(".gz") else content
    except (EOFError, zlib.error, gzip.BadGzipFile):
        fault, words = "is damaged or incomplete", "compress the file again"
    except OSError as error:
        fault, words = f"cannot be read: {error}", "check whether you may read the file"
    raise Refused(codes.unreadable_file, f"`{location}` {fault}", help=words)


def _unchanged(path: Path, location: str) -> bytes:
    """Return the content of a file that nothing wrote to while it was read."""
    with path.open("rb") as stream:
        before = os.fstat(stream.fileno())
        content = stream.read()
        after = os.fstat(stream.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        fix = "run again when no other program writes to it"
        raise Refused(
            codes.unreadable_file, f"`{location}` was written to while it was read", help=fix
        )
    return content


def _unpacked(packed: bytes, location: str) -> bytes:
    """Unpack a file piece by piece; raises `OverLimit` as soon as it is too large."""
    if packed and not packed.startswith(GZIP):
        fix = "remove `.gz` from its name, or compress it"
        raise Refused(codes.unreadable_file, f"`{location}` is not compressed", help=fix)
    content = bytearray()
    with gzip.open(io.BytesIO(packed)) as stream:
        while piece := stream.read(PIECE):
            if len(content) + len(piece) > BYTES.most:
                raise BYTES.exceeded(f"`{location}`")
            content += piece
    return bytes(content)


def check_size(source: str, rows: int, columns: int, bytes_of_a_row: float = 0) -> None:
    """Raise `OverLimit` for a table of too many rows or columns, or too large for the memory.

    `bytes_of_a_row` is what a row takes once it is read, at least eight bytes a cell.
    """
    ROWS.check(f"`{source}`", rows)
    COLUMNS.check(f"`{source}`", columns)
    size = int(rows * max(bytes_of_a_row, 8 * columns))
    MEMORY.check(f"`{source}`, once it is read", HELD * size)


def _neighbours(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
