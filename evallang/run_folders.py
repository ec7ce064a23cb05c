"""Temporary folders of a run, which the next run removes if a killed one left them.

Each has a file that its process locks (`flock`): the kernel ends the lock with the process,
however that ends, so a folder without a lock belongs to no run.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "evallang-run-"
LOCK = "lock"


@contextmanager
def run_folder() -> Iterator[Path]:
    """Create a folder for temporary files of this run."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        unlocked = folder / f"{LOCK}-new"  # nobody may take it for that of a killed run
        descriptor = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            unlocked.rename(folder / LOCK)
            yield folder
        finally:
            os.close(descriptor)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_left() -> None:
    """Remove the folders of runs that were killed."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            if _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Return whether a folder is ours and its run has ended; a new one has no lock file yet."""
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return False
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
