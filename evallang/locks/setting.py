"""One setting of a study in force."""

from msgspec import Struct

from evallang.effect import Effect
from evallang.source import Span

Plain = None | bool | int | float | str | list["Plain"]


class Setting(Struct, frozen=True):
    """One setting in force: `protocol cv folds` is 10.

    `item` is the name or the number of a statement, empty where there is only one. `stated`
    tells whether the author wrote the value. `span` is where the statement is, None for a
    setting that no statement of the file holds.
    """

    section: str
    item: str
    name: str
    value: Plain
    stated: bool
    effect: Effect
    span: Span | None = None

    @property
    def place(self) -> str:
        """The section, the item and the name as one text."""
        return " ".join(part for part in (self.section, self.item, self.name) if part)

    @property
    def statement(self) -> str:
        """The section and the item as one text."""
        return f"{self.section} {self.item}".strip()


ROWS, SPLITS = "rows", "splits"
"""The sections of what the data are and of which rows every split has."""
DERIVED = frozenset({ROWS, SPLITS, "family", "version"})
"""The sections that follow from the other settings, the data and the software."""
ROW_NUMBER, CONTENT, ANY_ORDER = "number", "content", "content in any order"
COLUMN, EXCLUDED = "column ", "excluded by "
"""The names of settings of a data set as it was read, and how those of several begin."""
