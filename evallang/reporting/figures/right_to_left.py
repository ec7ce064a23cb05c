"""Texts that are read from the right as a row of glyphs from left to right.

WeasyPrint sets the text of a drawing letter by letter from the left. FriBidi, which Pango needs
too, orders the letters by Unicode and joins Arabic ones. Browsers set such texts themselves.
"""

import ctypes
import unicodedata
from functools import cache
from typing import Any

from evallang.printable import ISOLATES

LIBRARIES = ("libfribidi.so.0", "libfribidi.0.dylib", "fribidi-0.dll", "libfribidi-0.dll")
FIRST_STRONG = 0x40  # FRIBIDI_PAR_ON: the first letter decides the direction of a line
FILLER = "\ufeff"  # what FriBidi leaves where two letters became one


def visual(text: str) -> str:
    """Return a line in the order and the forms in which it is drawn from the left."""
    library = _fribidi()
    reads_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    if reads_left and library is not None:
        letters = (ctypes.c_uint32 * len(text))(*map(ord, text))
        drawn = (ctypes.c_uint32 * (len(text) + 1))()
        base = ctypes.c_uint32(FIRST_STRONG)
        library.fribidi_log2vis(letters, len(text), ctypes.byref(base), drawn, None, None, None)
        text = "".join(map(chr, drawn[: len(text)]))
    return "".join(c for c in text if c not in ISOLATES and c != FILLER)


@cache
def _fribidi() -> Any:
    """Load FriBidi; None where it is not installed, and Pango is not either."""
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
