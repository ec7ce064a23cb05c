"""The bytes of a file: packed or not, and unchanged while they are read."""

import pytest

from evallang.data import files

PLAIN = b"x,y\n1,no\n2,yes\n3,no\n"


@pytest.mark.parametrize("size", [-2, 9])
def test_a_file_that_is_written_to_while_it_is_read_is_reported(source, monkeypatch, size):
    source.write("p.csv", PLAIN)
    look = files.os.fstat

    def change(descriptor):
        found = look(descriptor)
        with (source.folder / "p.csv").open("r+b") as other:
            other.truncate(len(PLAIN) + size)
        return found

    monkeypatch.setattr(files.os, "fstat", change)
    found = source.error(None, "p.csv")
    assert found.message == "`p.csv` was written to while it was read"
