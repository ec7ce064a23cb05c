"""Text that may be written as UTF-8."""

import re

_SURROGATES = re.compile(r"[\ud800-\udfff]")


def writable(text: str) -> str:
    """Replace what UTF-8 cannot hold, bytes of a file that was no UTF-8, one for one."""
    return _SURROGATES.sub("\ufffd", text)
