"""The lock file beside a results folder: whose it is, and when it counts."""

import errno
import os
import socket

import pytest

from evallang.api import folder_lock
from evallang.api.folder_lock import Holder, Locked, locked


def test_a_lock_is_held_by_one_and_its_file_is_gone_afterwards(tmp_path):
    path = tmp_path / "x.lock"
    with locked(path) as kept:
        assert kept
        with pytest.raises(Locked) as refused, locked(path):
            pass
        assert refused.value.certain
        assert refused.value.holder.pid == os.getpid()
    assert not path.exists()


def test_a_lock_whose_holder_cannot_be_written_leaves_no_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder_lock.os, "pwrite", full)
    with pytest.raises(OSError, match="No space left"), locked(tmp_path / "x.lock"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_its_last_holder_removed_meanwhile_is_not_the_lock(tmp_path, monkeypatch):
    path, plain, removed = tmp_path / "x.lock", folder_lock._lock, []

    def removed_first(descriptor, place):
        if not removed:
            place.unlink()
            removed.append(os.fstat(descriptor).st_ino)
        return plain(descriptor, place)

    monkeypatch.setattr(folder_lock, "_lock", removed_first)
    with locked(path):
        assert path.exists()
    assert removed


def test_a_file_without_a_holder_locks_nothing_where_there_are_no_locks(tmp_path, monkeypatch):
    (tmp_path / "x.lock").write_bytes(b"")

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(folder_lock.fcntl, "flock", no_locks)
    with locked(tmp_path / "x.lock") as kept:
        assert not kept


def test_another_failure_of_the_file_system_is_not_taken_for_a_lock(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(folder_lock.fcntl, "flock", broken)
    with pytest.raises(OSError, match="input/output"), locked(tmp_path / "x.lock"):
        pass


def test_a_process_of_another_user_is_alive_and_one_of_the_past_is_not(monkeypatch):
    def not_ours(pid, signal):
        raise PermissionError(errno.EPERM, "not permitted")

    here, now = socket.gethostname(), folder_lock._ticks(os.getpid())
    assert folder_lock._is_alive(Holder(os.getpid(), here, "", now))
    assert not folder_lock._is_alive(Holder(os.getpid(), here, "", now - 1))
    monkeypatch.setattr(folder_lock.os, "kill", not_ours)
    assert folder_lock._is_alive(Holder(os.getpid(), here, "", now))
    assert folder_lock._is_alive(Holder(2**30, here, "", now))  # its start cannot be read
