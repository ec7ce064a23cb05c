"""Workers that start while their study is still read and checked."""

import re
from pathlib import Path

from evallang.engine.backends.backend import FitLimits
from evallang.engine.backends.workers import Workers
from evallang.engine.store_folder import StoreRefused, is_known, store_folder, study_name
from evallang.limits import STUDY_BYTES
from evallang.working_folder import safe_path

FITS = tuple(re.compile(rb"^%b\b" % word, re.MULTILINE) for word in (b"model", b"protocol"))
"""What the file of a study with fits contains; where an included file declares them, workers
start once it is checked."""

OWN_CODE = re.compile(rb"^use\b", re.MULTILINE)
"""What the file of a study with code of its author contains."""

NEEDED = ("evallang.engine.fits", "sklearn.pipeline", "sklearn.compose")
"""Modules that every fit needs."""


def start_early(
    place: Path,
    jobs: int,
    *,
    fit_timeout: float | None,
    memory: int | None,
    store: str | Path | None,
    fresh: bool,
) -> None:
    """Begin to start workers where the text of a study suggests that it will fit models.

    Where the store knows the study, its fits may all be there. What is wrong with a file or a
    store is reported by whoever reads it.
    """
    content = _content(place)
    own_code = OWN_CODE.search(content) is not None
    workers = Workers(jobs, FitLimits(fit_timeout, memory), own_code=own_code)
    if workers.in_process or not all(word.search(content) for word in FITS):
        return
    if fresh or not _known(place, store):
        with safe_path():
            workers.prepare(NEEDED)


def _content(place: Path) -> bytes:
    try:
        if not place.is_file():  # a pipe may never end
            return b""
        with place.open("rb") as file:
            return file.read(STUDY_BYTES.most)
    except OSError:
        return b""


def _known(place: Path, named: str | Path | None) -> bool:
    try:
        folder = store_folder(named)
    except StoreRefused:
        return False
    return folder is not None and is_known(folder, study_name(place))
