"""New files under a temporary name, renamed in: a link or a pipe of that name is never followed."""

import os
import tempfile
from pathlib import Path

TEMPORARY = ".evallang-"
"""How the names of unfinished files begin; a killed process may leave one."""


def write_file(path: Path, content: bytes) -> None:
    """Write a file as a whole: what bears its name is replaced, never written through.

    Raises `OSError`; then what was there is still there.
    """
    handle, beside = tempfile.mkstemp(prefix=TEMPORARY, dir=os.fspath(path.parent))
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(beside).chmod(0o666 & ~_umask())
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the rights that new files are denied; the system tells only when it is set."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
