"""One writer of a results folder at a time: a locked file next to it that names its process.

The lock itself is the kernel's (`flock`), so it ends with the process, however that ends. The
text in the file only says who holds it. Where the file system has no locks, the text decides:
a process that is alive on this machine keeps others out, a dead one does not.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

MOST_BYTES = 4096  # of the text in a lock file
NO_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})


class Holder(Struct, frozen=True):
    """Who holds a lock: process, machine, and when the process began to write."""

    pid: int
    host: str
    since: str
    ticks: int | None = None
    """When the process started, by the clock of its machine: tells it from a later one."""


class Locked(Exception):
    """Another process holds the lock; `holder` is None where the file does not tell who."""

    def __init__(self, holder: Holder | None, *, certain: bool) -> None:
        super().__init__(holder)
        self.holder = holder
        self.certain = certain
        """Whether the system says so; False for a process of another machine, unseen from here."""


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold the lock file at `path`; yield whether the file system keeps locks.

    Raises `Locked` and `OSError`.
    """
    descriptor, kept = _acquired(path)
    try:
        yield kept
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)  # before the lock ends: nobody else's file
        os.close(descriptor)


def _acquired(path: Path) -> tuple[int, bool]:
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, flags, 0o666)
        try:
            _check_is_ours(descriptor)
            kept = _lock(descriptor, path)
            if not _is_still(path, descriptor):  # its last holder has removed it meanwhile
                os.close(descriptor)
                continue
            try:
                _write(descriptor)
            except OSError:
                path.unlink(missing_ok=True)
                raise
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor, kept


def _check_is_ours(descriptor: int) -> None:
    """Raise `OSError` for a file that is not a lock: its content would be lost."""
    found = os.fstat(descriptor)
    if found.st_nlink > 1 or (found.st_size and _read(descriptor) is None):
        raise OSError(errno.EEXIST, "the file of its lock holds something else")


def _lock(descriptor: int, path: Path) -> bool:
    """Lock an open file; return False where the file system has no locks and nobody is named."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError as error:
        holder = _read(descriptor)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise Locked(holder, certain=True) from error
        if error.errno not in NO_LOCKS:
            raise
        if holder is None:
            return False
        if holder.host != socket.gethostname():
            raise Locked(holder, certain=False) from error
        if _is_alive(holder):
            raise Locked(holder, certain=True) from error
        return False


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        there, ours = os.lstat(path), os.fstat(descriptor)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _write(descriptor: int) -> None:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    holder = Holder(os.getpid(), socket.gethostname(), now, _ticks(os.getpid()))
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, (json.dumps(msgspec.to_builtins(holder)) + "\n").encode(), 0)


def _read(descriptor: int) -> Holder | None:
    try:
        return msgspec.json.decode(os.pread(descriptor, MOST_BYTES, 0), type=Holder)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def _is_alive(holder: Holder) -> bool:
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # of another user
        pass
    ticks = _ticks(holder.pid)
    return ticks is None or holder.ticks is None or ticks == holder.ticks


def _ticks(pid: int) -> int | None:
    """Return when a process started, in ticks since the machine did; None where unknown."""
    try:
        content = Path(f"/proc/{pid}/stat").read_bytes()
        return int(content.rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
