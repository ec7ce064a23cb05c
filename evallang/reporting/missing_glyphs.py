"""Characters that no font has, so that a PDF would print a blank where a name is.

A PDF takes a character that the report's fonts lack from the fonts of the machine.
"""

import ctypes
import functools
from collections.abc import Collection
from typing import Any

LIBRARIES = ("libfontconfig.so.1", "libfontconfig.1.dylib", "libfontconfig-1.dll")
MOST_FONTS = 100_000


def without_system_font(characters: Collection[str]) -> frozenset[str]:
    """Return the characters that no font of the machine has.

    All of them where the fonts cannot be asked.
    """
    left = set(characters)
    for has in _coverages() if left else ():
        left = {c for c in left if not has(ord(c))}
        if not left:
            break
    return frozenset(left)


class _FontSet(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int), ("size", ctypes.c_int),
                ("fonts", ctypes.POINTER(ctypes.c_void_p)))  # fmt: skip


@functools.cache
def _coverages() -> tuple[Any, ...]:
    """Return for each font of the machine a function that knows its characters."""
    library = first_library(LIBRARIES)
    if library is None:
        return ()
    library.FcInitLoadConfigAndFonts.restype = ctypes.c_void_p
    library.FcConfigGetFonts.restype = ctypes.POINTER(_FontSet)
    library.FcConfigGetFonts.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.FcPatternGetCharSet.argtypes = (
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p),
    )  # fmt: skip
    library.FcCharSetHasChar.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    found = library.FcConfigGetFonts(library.FcInitLoadConfigAndFonts(), 0)
    if not found:
        return ()
    made = []
    for i in range(min(found.contents.count, MOST_FONTS)):
        characters = ctypes.c_void_p()
        if library.FcPatternGetCharSet(
            found.contents.fonts[i], b"charset", 0, ctypes.byref(characters)
        ) == 0:  # fmt: skip
            made.append(functools.partial(library.FcCharSetHasChar, characters))
    return tuple(made)


@functools.cache
def first_library(names: tuple[str, ...]) -> Any:
    """Load the first of some C libraries that is installed; None where none is."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
