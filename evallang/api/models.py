"""Exported models: where they may be written, and writing them so that none is ever half there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from evallang.api.folder import NAME_BYTES, FolderRefused
from evallang.models.saving import is_saved_model
from evallang.results.files import TEMPORARY, write_file


class ModelNotWritten(FolderRefused):
    """A model that could not be written after the results."""

    def __init__(self, reason: str, results: Path) -> None:
        super().__init__(f"{reason}; the results are in `{results}`")


def check_places(paths: Iterable[str], folder: Path) -> None:
    """Refuse paths that links lead out of the study's folder, or where other things are.

    The checker has seen their text; this looks at what is there. Raises `FolderRefused`.
    """
    inside = os.path.realpath(folder)
    for path in paths:
        place = folder / path
        refuse_leading_out(path, place.parent, folder)
        try:
            if place.is_dir():
                raise FolderRefused(f"`{path}` is a folder, and a model is written to a file")
            if os.path.lexists(place) and not is_saved_model(place):
                raise FolderRefused(
                    f"`{path}` exists and is not a model that evallang exported; move it, or "
                    "name another file in `export`"
                )
            _try_writing(place, Path(inside))
        except OSError as error:
            raise FolderRefused(_cannot_write(path, error)) from error


def _cannot_write(path: str, error: OSError) -> str:
    said = error.strerror or str(error)
    return f"cannot write the model `{path}`: {said[:1].lower()}{said[1:]}"


def refuse_leading_out(path: str, place: Path, folder: Path) -> None:
    """Raise `FolderRefused` where links lead a place that a study names out of its folder."""
    if not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(folder)):
        raise FolderRefused(f"`{path}` is outside the study's folder, through a link")


def _try_writing(place: Path, inside: Path) -> None:
    """Write and rename a file where a model will be, in the nearest folder that exists.

    Raises `OSError`.
    """
    if len(os.fsencode(place.name)) > NAME_BYTES:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    folder = place.parent
    while not folder.exists() and folder != inside:
        folder = folder.parent
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"`{folder.name}` is not a folder")
    tried = folder / f"{TEMPORARY}{os.getpid()}"
    write_file(tried, b"\0")
    tried.unlink()


def write_models(models: Iterable[tuple[str, bytes]], folder: Path, results: Path) -> None:
    """Write models by their paths below `folder`, each under another name first.

    Raises `ModelNotWritten`, which says that the `results` are written.
    """
    for path, content in models:
        place = folder / path
        try:
            check_places([path], folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            write_file(place, content)
        except FolderRefused as error:
            raise ModelNotWritten(str(error), results) from error
        except OSError as error:
            raise ModelNotWritten(_cannot_write(path, error), results) from error
