"""The records that a study contains too, in a module of their own so that a check starts fast."""

from typing import Annotated, Any

from msgspec import Struct

from evallang.results.ranges import one_of

Value = Any
"""A JSON value: None, bool, int, float, str, or a tuple or mapping of JSON values."""

SOURCES = ("data", "predictions", "scores", "counts", "battles")
"""The statements that name a source."""
DEFAULT_KINDS = (
    *("study", "data", "stratify", "protocol", "tune", "measure", "compare", "export", "report"),
    *("metric", "test", "interval", "correction"),
)
"""Statements that have defaults, and catalogues whose methods have options."""


class DefaultPlace(Struct, frozen=True):
    """The place where an author could state a default; two defaults of one place are the same.

    The fields are those of a `Default`.
    """

    kind: str
    option: str | None = None
    subject: str | None = None
    under: str | None = None
    line: int | None = None


class Default(Struct, frozen=True):
    """A default that was used: the clause as an author would write it, its value and its place.

    `kind` is the statement that could state it, or the catalogue of the method whose option it
    is; files of older versions lack it. `option` is the clause or option, None for the
    statement itself. `subject` names what it is about: a source, a metric, a method, the form of
    a protocol, the column of a stratification. `under` is the protocol or source of an interval
    or a search, and `line` the index of a comparison.
    """

    clause: str
    value: Value
    kind: Annotated[str, one_of(("", *DEFAULT_KINDS))] = ""
    option: str | None = None
    subject: str | None = None
    under: str | None = None
    line: int | None = None

    @property
    def place(self) -> DefaultPlace:
        """The place where an author could state it."""
        return DefaultPlace(self.kind, self.option, self.subject, self.under, self.line)


class Stated(Struct, frozen=True):
    """A statement or clause as the author wrote it, in canonical form on one line.

    `clause` is None for the line of the statement itself. `name` is what the statement declares,
    else None; `number` counts the statements of its keyword from 0. `value` follows the keyword;
    a single text is without quotes.
    """

    statement: str
    number: int
    clause: str | None
    name: str | None
    value: str


class FileRecord(Struct, frozen=True):
    """A file that was read: its path relative to the study, with `/`, and its SHA-256."""

    path: str
    sha256: str


class ReportSettings(Struct, frozen=True):
    """The `report` statement: formats, title, style and sections.

    `style`, `template` and `bibliography` are the paths of the author's style sheet, template and
    references, relative to the study.
    """

    formats: tuple[str, ...] = ("html", "pdf")
    title: str | None = None
    numbers: Annotated[str, one_of(("apa", "ama", "nejm", "sci"))] = "apa"
    page: Annotated[str, one_of(("a4", "letter"))] = "a4"
    show: tuple[str, ...] | None = None
    hide: tuple[str, ...] = ()
    part: Annotated[str, one_of(("main", "supplement", "all"))] = "all"
    figures: Annotated[str, one_of(("nature", "neurips", "jmlr", "ieee"))] = "nature"
    style: str | None = None
    template: str | None = None
    bibliography: str | None = None


class OptionWords(Struct, frozen=True):
    """The title of a protocol option for readers, and what it decides."""

    title: str
    effect: str
