"""A page of memory in which a worker states which fit it is at, readable after its death."""

import mmap
import struct
import time

SIZE = 4096
_FITS = struct.Struct("<q")
_SINCE = struct.Struct("<d")
_PLACE_AT = 16
_LENGTH = struct.Struct("<q")


class Page:
    """Number of fits that ended, and place and start of the one that runs.

    A fit's start is by the monotonic clock, which all processes of a machine share.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, SIZE)

    def begin(self, at: str, seconds: float) -> None:
        """State that a fit runs at a place, and has taken so many seconds before."""
        place = at.encode()
        _LENGTH.pack_into(self._memory, _PLACE_AT, len(place))
        start = _PLACE_AT + _LENGTH.size
        self._memory[start : start + len(place)] = place
        _SINCE.pack_into(self._memory, 8, time.monotonic() - seconds)

    def end(self, fits: int) -> None:
        """State that no fit runs, and how many have ended."""
        _SINCE.pack_into(self._memory, 8, 0.0)
        _FITS.pack_into(self._memory, 0, fits)

    @property
    def fits(self) -> int:
        """How many fits have ended."""
        return int(_FITS.unpack_from(self._memory, 0)[0])

    @property
    def since(self) -> float:
        """When the running fit began, 0 where none runs."""
        return float(_SINCE.unpack_from(self._memory, 8)[0])

    @property
    def place(self) -> str:
        """The place of the running fit, "" where none runs."""
        if not self.since:
            return ""
        length = int(_LENGTH.unpack_from(self._memory, _PLACE_AT)[0])
        start = _PLACE_AT + _LENGTH.size
        return bytes(self._memory[start : start + length]).decode()

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()
