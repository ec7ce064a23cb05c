"""The files of a report in the output folder, and the list of them that a later run reads."""

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from msgspec import Struct

from evallang.results.files import TEMPORARY, write_file

LIST = f"{TEMPORARY}files"
"""The list of the files that were written, by format, with their SHA-256.

A file is the user's own if it is not in the list, or is no longer as it was written.
"""
ALWAYS_OURS = frozenset({"report.html", "report.pdf"})
"""Files that only evallang writes into a results folder; no list is written for them alone."""
MOST_BYTES = 10_000_000
PATH = re.compile(r"(?:[^/\\\0.][^/\\\0]*/)?[^/\\\0.][^/\\\0]*")


class OutputFile(Struct, frozen=True):
    """A file of the output folder: its path in it, with `/`, and its content."""

    path: str
    content: bytes


def write_files(
    folder: Path, made: Mapping[str, Sequence[OutputFile]]
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Write the files of each format; delete those that the same formats wrote before.

    Whatever else has the name of such a file is renamed. Return the paths, and messages about what
    was renamed. Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before = _read(folder)
    ours = written_files(folder) | ALWAYS_OURS
    listed = before | {
        name: {file.path: hashlib.sha256(file.content).hexdigest() for file in files}
        for name, files in made.items()
    }
    messages = []
    for file in dict.fromkeys(file for files in made.values() for file in files):
        path = folder / file.path
        if path.parent.is_symlink():
            messages.append(kept(path.parent, path.parent.rename(free_name(path.parent))))
        path.parent.mkdir(exist_ok=True)
        if os.path.lexists(path) and file.path not in ours:
            messages.append(kept(path, path.rename(free_name(path))))
        write_file(path, file.content)
    current = {path for paths in listed.values() for path in paths}
    for path_before in {p for name in made for p in before.get(name, ())} - current:
        path = folder / path_before
        if path_before in ours and not path.is_symlink():
            path.unlink(missing_ok=True)
            if path.parent != folder:
                with contextlib.suppress(OSError):  # other files may be there
                    path.parent.rmdir()
    if current - ALWAYS_OURS or before:
        text = json.dumps({name: listed[name] for name in sorted(listed)}, indent=1, sort_keys=True)
        write_file(folder / LIST, f"{text}\n".encode())
    every = dict.fromkeys(folder / file.path for files in made.values() for file in files)
    return tuple(every), tuple(messages)


def listed_files(folder: Path) -> frozenset[str]:
    """Return the paths of the files of a report that a folder's list names."""
    return frozenset(path for paths in _read(folder).values() for path in paths)


def written_files(folder: Path) -> frozenset[str]:
    """Return the paths of the files of a report that are as they were written."""
    return frozenset(
        path
        for paths in _read(folder).values()
        for path, digest in paths.items()
        if not (folder / path).parent.is_symlink() and _digest(folder / path) == digest
    )


def _digest(path: Path) -> str | None:
    """Return the SHA-256 of a regular file; None for anything else, and behind a link."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def free_name(path: Path) -> Path:
    """Return a path, with an ending where something of the user's has its name."""
    numbered = (path.with_name(f"{path.name}.kept-{number}") for number in count(2))
    every = chain((path, path.with_name(f"{path.name}.kept")), numbered)
    return next(one for one in every if not os.path.lexists(one))


def kept(path: Path, other: Path) -> str:
    """Return the message about something of the user's that has another name now."""
    return f"`{path.name}`, which evallang did not write as it is, is kept as `{other.name}`"


def _read(folder: Path) -> dict[str, dict[str, str]]:
    """Read the list; one that is not ours is empty, and one of 0.1 has no hashes."""
    path = folder / LIST
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return {}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    read: dict[str, dict[str, str]] = {}
    for name, paths in found.items():
        if isinstance(paths, list):
            paths = {path: "" for path in paths if isinstance(path, str)}
        if isinstance(paths, dict):
            read[str(name)] = {p: str(of) for p, of in paths.items() if PATH.fullmatch(p)}
    return read
