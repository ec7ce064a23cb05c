"""Copies, in a worker of a cluster, of folders of the process that runs the study."""

import os

_COPIES: dict[str, str] = {}


def register_copy(folder: str, copy: str) -> None:
    """Register the copy of a folder in this process."""
    _COPIES[folder] = copy


def forget_copy(folder: str) -> None:
    """Forget the copy of a folder, because its run has ended."""
    _COPIES.pop(folder, None)


def path_here(path: str) -> str:
    """Return the path in this process of a file or folder of the process that runs the study."""
    for folder, copy in _COPIES.items():
        if path == folder or path.startswith(f"{folder}{os.sep}"):
            return copy + path[len(folder) :]
    return path
