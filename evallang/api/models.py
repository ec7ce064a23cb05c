"""Exported models: where they may be written, and writing them so that none is ever half there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from evallang.api.folder import FolderRefused


def check_places(paths: Iterable[str], folder: Path) -> None:
    """Refuse paths that links lead out of the study's folder, or that are folders.

    The checker has seen their text; this looks at what is there. Raises `FolderRefused`.
    """
    inside = os.path.realpath(folder)
    for path in paths:
        place = folder / path
        if not Path(os.path.realpath(place.parent)).is_relative_to(inside):
            raise FolderRefused(f"`{path}` leads out of the study's folder, through a link")
        if place.is_dir():
            raise FolderRefused(f"`{path}` is a folder, and a model is written to a file")


def write_models(models: Iterable[tuple[str, bytes]], folder: Path) -> None:
    """Write models by their paths below `folder`, each under another name first.

    Raises `FolderRefused` and `OSError`.
    """
    for path, content in models:
        check_places([path], folder)
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(prefix=f".{place.name}-", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(beside).chmod(0o666 & ~_umask())
            Path(beside).replace(place)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise


def _umask() -> int:
    """Give the rights that new files are denied; the system tells only when it is set."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
