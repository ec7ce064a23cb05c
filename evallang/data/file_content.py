"""The bytes of a file, read in pieces, so that a long file is never in memory as a whole."""

import io
import os
from collections.abc import Iterator
from typing import IO

from msgspec import Struct


class WrittenWhileRead(Exception):
    """A file was written to after it was opened, so its reader may have met both contents."""


class FileContent:
    """The bytes of an open file from one place to another.

    Parameters
    ----------
    stream : a file whose bytes can be read from any place
    start, end : the bytes that count, by default all
    opened : state of the file when it was opened; every reading raises `WrittenWhileRead` as soon
        as it has another. None where nothing else can write to it
    """

    def __init__(
        self,
        stream: IO[bytes],
        start: int = 0,
        end: int | None = None,
        opened: "_State | None" = None,
    ) -> None:
        self._stream, self._start, self._opened = stream, start, opened
        self._end = stream.seek(0, io.SEEK_END) if end is None else end

    @classmethod
    def of(cls, data: bytes) -> "FileContent":
        """Return bytes in memory as the content of a file."""
        return cls(io.BytesIO(data))

    @classmethod
    def of_file(cls, stream: IO[bytes]) -> "FileContent":
        """Return the content of an open file that another program may write to."""
        opened = _State.of(stream)
        return cls(stream, end=opened.size, opened=opened)

    def __len__(self) -> int:
        return self._end - self._start

    def part(self, start: int, end: int) -> "FileContent":
        """Return the bytes from one place to another as a content of its own."""
        return FileContent(self._stream, self._start + start, self._start + end, self._opened)

    def read(self, place: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes from a place on, by default all; fewer at the end."""
        left = max(len(self) - place, 0)
        expected = left if size is None else min(size, left)
        self._stream.seek(self._start + place)
        found = self._stream.read(expected)
        written = self._opened is not None and _State.of(self._stream) != self._opened
        if written or len(found) < expected:
            raise WrittenWhileRead
        return found

    def beginning(self, least: int, lines: int) -> bytes:
        """Return whole lines from the start: `lines` of them, or `least` bytes if more."""
        size = least
        while size < len(self):
            head = self.read(0, size)
            stop = head.rfind(b"\n", 0, least) + 1
            for _ in range(lines - head.count(b"\n", 0, stop)):
                stop = head.find(b"\n", stop) + 1
                if stop == 0:
                    break
            if stop:
                return head[:stop]
            size *= 2
        return self.read()

    def lines_from(self, place: int, size: int) -> bytes:
        """Return the whole lines that begin after a place, at most `size` bytes of them."""
        text = self.read(max(place, 0), 2 * size)
        start = text.find(b"\n") + 1
        return text[start : text.rfind(b"\n", start, start + size) + 1] if start else b""

    def pieces(self, size: int) -> Iterator[bytes]:
        """Iterate over all bytes in pieces of whole lines, of `size` bytes unless one is longer."""
        place = 0
        while piece := self.read(place, size):
            while (behind := place + len(piece)) < len(self) and b"\n" not in piece:
                piece += self.read(behind, len(piece))
            if behind < len(self):
                piece = piece[: piece.rfind(b"\n") + 1] or piece
            yield piece
            place += len(piece)


class _State(Struct, frozen=True):
    """The size of a file, and when it was last written, in nanoseconds."""

    size: int
    written: int

    @classmethod
    def of(cls, stream: IO[bytes]) -> "_State":
        found = os.fstat(stream.fileno())
        return cls(found.st_size, found.st_mtime_ns)
