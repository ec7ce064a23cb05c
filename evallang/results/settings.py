"""The records that a study contains too, in a module of their own so that a check starts fast."""

from typing import Annotated, Any

from evallang.frozen_records import frozen
from evallang.results.kinds import Among

Value = Any
"""A JSON value: None, bool, int, float, str, or a tuple or mapping of JSON values."""


@frozen
class Default:
    """A default that was used: the clause as an author would write it, and its value."""

    clause: str
    value: Value


@frozen
class FileRecord:
    """A file that was read: its path relative to the study, with `/`, and its SHA-256."""

    path: str
    sha256: str


@frozen
class ReportSettings:
    """The `report` statement: formats, title and style."""

    formats: tuple[str, ...] = ("html", "pdf")
    title: str | None = None
    numbers: Annotated[str, Among(("apa", "ama", "nejm", "sci"))] = "apa"
    page: Annotated[str, Among(("a4", "letter"))] = "a4"
    show: tuple[str, ...] | None = None
    hide: tuple[str, ...] = ()
