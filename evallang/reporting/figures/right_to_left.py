"""Texts that are read from the right as a row of glyphs from left to right.

WeasyPrint sets the text of a drawing letter by letter from the left. FriBidi, which Pango needs
too, orders the letters by Unicode and joins Arabic ones. Browsers set such texts themselves.
"""

import ctypes
import unicodedata

from evallang.printable import ISOLATES
from evallang.reporting.missing_glyphs import first_library

LIBRARIES = ("libfribidi.so.0", "libfribidi.0.dylib", "fribidi-0.dll", "libfribidi-0.dll")
FIRST_STRONG = 0x40  # FRIBIDI_PAR_ON: the first letter decides the direction of a line
FILLER = "\ufeff"  # what FriBidi leaves where two letters became one


def visual(text: str) -> str:
    """Return a line in the order and the forms in which it is drawn from the left."""
    library = first_library(LIBRARIES)
    reads_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    if reads_left and library is not None:
        letters = (ctypes.c_uint32 * len(text))(*map(ord, text))
        drawn = (ctypes.c_uint32 * (len(text) + 1))()
        base = ctypes.c_uint32(FIRST_STRONG)
        library.fribidi_log2vis(letters, len(text), ctypes.byref(base), drawn, None, None, None)
        text = "".join(map(chr, drawn[: len(text)]))
    return "".join(c for c in text if c not in ISOLATES and c != FILLER)
