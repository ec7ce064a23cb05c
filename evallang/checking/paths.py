"""Where a study may write: below its own folder, and nowhere else."""

import re

from evallang.printable import printable

_DRIVE = re.compile(r"[A-Za-z]:")


def outside_objection(path: str, written: str, inside: str) -> tuple[str, str] | None:
    """Return why nothing may be written to a path, and what to write; None where it may.

    `written` says what would be ("a model is written to a file"), `inside` what to write
    in its place.
    """
    if "://" in path:
        return f"is an address, and {written}", inside
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        return "is outside the study's folder", inside
    if "\\" in path:
        return "has backslashes", "write `/` between folders"
    if ".." in path.split("/"):
        return "is outside the study's folder", inside
    if printable(path) != path:
        return "has a sign that cannot be printed", inside
    return None
