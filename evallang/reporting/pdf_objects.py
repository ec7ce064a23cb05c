"""The objects of a PDF of pydyf: further ones, and all of them in the bytes that are written."""

import zlib
from functools import cache
from typing import Any

import pydyf


class Objects:
    """The objects of a PDF, to which others are added."""

    def __init__(self, pdf: Any) -> None:
        self._pdf = pdf

    def add(self, body: str) -> int:
        """Write an object; gives its number."""
        return self._added(_written(body.encode("latin-1")))

    def add_stream(self, data: bytes, **entries: int) -> int:
        """Write a compressed stream with entries of its dictionary; gives its number."""
        return self._added(pydyf.Stream([data], entries, compress=True))

    def compress_once(self) -> None:
        """Write all objects, which change no more.

        pydyf asks each for its bytes twice, for the file and for the identity of the file, and
        compresses the streams as slowly as zlib can, which saves a fiftieth of their bytes.
        """
        for number, made in enumerate(self._pdf.objects):
            if made.free == "f":
                continue
            if not isinstance(made, pydyf.Stream):
                written = _written(made.data)
                written.number, written.generation = number, made.generation
                self._pdf.objects[number] = written
            elif made.compress:
                made.stream = [zlib.compress(_content(made))]
                made.extra["Filter"] = "/FlateDecode"
                made.compress = False

    def _added(self, made: Any) -> int:
        self._pdf.add_object(made)
        number: int = made.number
        return number


def _content(stream: Any) -> bytes:
    """Return the bytes of a stream before they are compressed."""
    whole: bytes = pydyf.Stream(stream.stream).data
    return whole.partition(b"\nstream\n")[2].removesuffix(b"\nendstream")


def _written(data: bytes) -> Any:
    made = _class_of_written()()
    made.written = data
    return made


@cache
def _class_of_written() -> Any:
    class Written(pydyf.Object):  # type: ignore[misc]
        """An object whose bytes are known."""

        written = b""

        @property
        def data(self) -> bytes:
            """Return its bytes."""
            return self.written

    return Written
