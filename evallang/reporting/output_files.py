"""The files of a report in the output folder, and the list of them that a later run reads."""

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from evallang.frozen_records import frozen
from evallang.results.files import TEMPORARY, write_file

LIST = f"{TEMPORARY}files"
"""The list of the files that were written, by format; a user's own files are not in it."""
ALWAYS_OURS = frozenset({"report.html", "report.pdf"})
"""Files that only evallang writes into a results folder; no list is written for them alone."""
MOST_BYTES = 10_000_000
PATH = re.compile(r"(?:[^/\\\0.][^/\\\0]*/)?[^/\\\0.][^/\\\0]*")


@frozen
class OutputFile:
    """A file of the output folder: its path in it, with `/`, and its content."""

    path: str
    content: bytes


def write_files(folder: Path, made: Mapping[str, Sequence[OutputFile]]) -> tuple[Path, ...]:
    """Write the files of each format; delete those that the same formats wrote before.

    Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before = _read(folder)
    listed = before | {name: [file.path for file in files] for name, files in made.items()}
    current = {path for paths in listed.values() for path in paths}
    for file in dict.fromkeys(file for files in made.values() for file in files):
        path = folder / file.path
        _make_parent(path.parent)
        write_file(path, file.content)
    for path_before in {p for name in made for p in before.get(name, ())} - current:
        path = folder / path_before
        if not path.parent.is_symlink() and path.is_file():
            path.unlink()
            if path.parent != folder:
                with contextlib.suppress(OSError):  # other files may be there
                    path.parent.rmdir()
    if current - ALWAYS_OURS or before:
        text = json.dumps({name: sorted(set(listed[name])) for name in sorted(listed)}, indent=1)
        write_file(folder / LIST, f"{text}\n".encode())
    every = dict.fromkeys(folder / file.path for files in made.values() for file in files)
    return tuple(every)


def listed_files(folder: Path) -> frozenset[str]:
    """Return the paths of the files of a report that a folder's list names."""
    return frozenset(path for paths in _read(folder).values() for path in paths)


def _make_parent(parent: Path) -> None:
    """Make the folder of a file; a link in its place is replaced, its target stays as it is."""
    if parent.is_symlink():
        parent.unlink()
    parent.mkdir(exist_ok=True)


def _read(folder: Path) -> dict[str, list[str]]:
    """Read the list; one that is not ours is empty."""
    path = folder / LIST
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return {}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        str(name): [p for p in paths if isinstance(p, str) and PATH.fullmatch(p)]
        for name, paths in found.items()
        if isinstance(paths, list)
    }
