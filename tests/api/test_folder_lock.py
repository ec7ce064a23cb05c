"""The lock file beside a results folder: whose it is, and when it counts."""

import errno
import os

import pytest

from evallang.api import folder
from evallang.api.folder import Locked, locked


def test_a_lock_is_held_by_one_and_its_file_is_gone_afterwards(tmp_path):
    path = tmp_path / "x.lock"
    with locked(path) as kept:
        assert kept
        with pytest.raises(Locked) as refused, locked(path):
            pass
        assert refused.value.holder.pid == os.getpid()
    assert not path.exists()


def test_a_lock_whose_holder_cannot_be_written_leaves_no_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder.os, "pwrite", full)
    with pytest.raises(OSError, match="No space left"), locked(tmp_path / "x.lock"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_its_last_holder_removed_meanwhile_is_not_the_lock(tmp_path, monkeypatch):
    path, plain, removed = tmp_path / "x.lock", folder._lock, []

    def removed_first(descriptor):
        if not removed:
            path.unlink()
            removed.append(os.fstat(descriptor).st_ino)
        return plain(descriptor)

    monkeypatch.setattr(folder, "_lock", removed_first)
    with locked(path):
        assert path.exists()
    assert removed


def test_a_file_without_a_holder_locks_nothing_where_there_are_no_locks(tmp_path, monkeypatch):
    (tmp_path / "x.lock").write_bytes(b"")

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(folder.fcntl, "flock", no_locks)
    with locked(tmp_path / "x.lock") as kept:
        assert not kept


def test_another_failure_of_the_file_system_is_not_taken_for_a_lock(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(folder.fcntl, "flock", broken)
    with pytest.raises(OSError, match="input/output"), locked(tmp_path / "x.lock"):
        pass
