"""Regular expressions that are compiled when they are first used.

A command needs few of those of this package, and compiling all of them would take a tenth of a
cold start.
"""

import re
from typing import Any, cast


class _LatePattern:
    def __init__(self, text: str, flags: int) -> None:
        self.__dict__["_compile"] = lambda: re.compile(text, flags)

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self.__dict__["_compile"](), attribute)
        self.__dict__[attribute] = value
        return value


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a proxy with the methods and attributes of the compiled regular expression."""
    return cast("re.Pattern[str]", _LatePattern(text, flags))
