"""The few records that a study holds too, apart from the rest so that a check stays light."""

from typing import Annotated, Any

from evallang.frozen import frozen
from evallang.results.kinds import Among

Value = Any
"""A JSON value: None, bool, int, float, str, or a tuple or mapping of such."""


@frozen
class Default:
    """A value that the author did not write: the clause as it would be written, its value."""

    clause: str
    value: Value


@frozen
class FileRecord:
    """A file that was read, relative to the study with `/`, and its SHA-256."""

    path: str
    sha256: str


@frozen
class ReportSettings:
    """The `report` statement: what to write, and how."""

    formats: tuple[str, ...] = ("html", "pdf")
    title: str | None = None
    numbers: Annotated[str, Among(("apa", "ama", "nejm", "sci"))] = "apa"
    page: Annotated[str, Among(("a4", "letter"))] = "a4"
    show: tuple[str, ...] | None = None
    hide: tuple[str, ...] = ()
