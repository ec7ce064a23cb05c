"""Where the store of fits is, and whether it knows a study, told without reading the store."""

import os
from hashlib import sha256
from pathlib import Path

VARIABLE = "EVALLANG_STORE"
OFF = "off"
STUDIES = "studies"
"""The folder of a store with what it knows of past runs, a file for each study."""
STUDY_NAME = 32  # hexadecimal digits


class StoreRefused(Exception):
    """A folder that cannot be a store, or that others could have written."""


def store_folder(given: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder of the store, None where it is turned off.

    A folder that is given comes before the variable EVALLANG_STORE, and that before the user's
    cache folder. Raises `StoreRefused`.
    """
    if given is not None:
        text = os.fspath(given)
        if text == OFF:
            return None
        if not text or "://" in text or "\0" in text:
            raise StoreRefused(f"`{text}` is not a folder of this machine")
        return Path(text).absolute()
    named = os.environ.get(VARIABLE, "")
    if named == OFF:
        return None
    if named:
        if not Path(named).is_absolute() or "://" in named:
            raise StoreRefused(f"{VARIABLE} is `{named}`, and must be an absolute path or `{OFF}`")
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if cache and Path(cache).is_absolute():  # a relative one is ignored, as its standard says
        return Path(cache) / "evallang" / "store"
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - `Path.home` raises without a home
    if not home.is_absolute():
        raise StoreRefused(f"there is no home folder; name a folder with --store or {VARIABLE}")
    return home / ".cache" / "evallang" / "store"


def study_name(path: Path) -> str:
    """Return the name under which a store knows a study file."""
    return sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:STUDY_NAME]


def file_of_study(folder: Path, name: str) -> Path:
    """Return the file of a study in the store in a folder."""
    return folder / STUDIES / f"{name}.json"
