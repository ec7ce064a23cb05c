"""Writing files under a temporary name and renaming them: links and pipes are never followed."""

import os
from pathlib import Path

RESULTS, PREDICTIONS = STORED_FILES = ("results.json", "predictions.parquet")
"""The files of a results folder from which a later study takes the predictions of a model."""

TEMPORARY = ".evallang-"
"""The beginning of names of unfinished files; a killed process may leave such a file."""


def write_file(path: Path, content: bytes) -> None:
    """Write a file as a whole, replacing any file, link or pipe of its name.

    Raises `OSError`; the previous file then remains.
    """
    import tempfile  # whoever only asks for the names above needs no file

    handle, beside = tempfile.mkstemp(prefix=TEMPORARY, dir=os.fspath(path.parent))
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        mask = os.umask(0)  # which the system reveals only when it is set
        os.umask(mask)
        Path(beside).chmod(0o666 & ~mask)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
