"""What a report consists of: a closed set of runs (in a line) and blocks (on a page).

Sections make these from `Results`; back ends lay them out. Prose is structured runs and
never a string with markup, so that every back end writes a statistic, a citation or a
cross-reference in its own way.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting.figures.figure import Canvas
from evallang.reporting.style_sheets import DrawingStyle


class Part(Struct, frozen=True):
    """What runs and blocks have: the name of their kind for templates."""

    @property
    def kind(self) -> str:
        """The name of the class in small letters."""
        return type(self).__name__.lower()


class Text(Part, frozen=True):
    """Plain words."""

    text: str


class Strong(Part, frozen=True):
    """Words that carry the claim."""

    runs: "Runs"


class Emphasis(Part, frozen=True):
    """Words in italics: a statistical letter, the title of a journal."""

    runs: "Runs"


class Subscript(Part, frozen=True):
    """A lowered letter: the z of Cohen's *d*."""

    text: str


class Number(Part, frozen=True):
    """A printed number and the full value behind it."""

    text: str
    exact: float | None = None


class Stat(Part, frozen=True):
    """A statistic: *Q*(3) = 30.61; `upright` for Greek letters."""

    symbol: str
    relation: str
    text: str
    exact: float | None = None
    df: tuple[str, ...] = ()
    upright: bool = False


class Interval(Part, frozen=True):
    """An interval, as printed in its brackets, and its full bounds; `lead` says which."""

    text: str
    low: float | None
    high: float | None
    lead: str = ""


class Cite(Part, frozen=True):
    """Works cited here; comes before the punctuation, back ends move it.

    `spelled` is set where a raised number would read as a power: "R² (ref. 4)".
    """

    keys: tuple[str, ...]
    spelled: bool = False


class Ref(Part, frozen=True):
    """A link to a table, figure, section or warning; without words it is its number.

    One `aside` follows a sentence, which is whole without it.
    """

    target: str
    words: str = ""
    page: bool = False
    aside: bool = False


class Link(Part, frozen=True):
    """A link to the outside; never followed by the page itself."""

    href: str
    words: str


class Code(Part, frozen=True):
    """Text of the language or a command."""

    text: str


class Mark(Part, frozen=True):
    """The mark of a footnote of a table."""

    text: str


class Term(Part, frozen=True):
    """A word explained where it stands, such as a sign of origin (stated, default)."""

    text: str
    title: str


Run: TypeAlias = (
    Text
    | Strong
    | Emphasis
    | Subscript
    | Number
    | Stat
    | Interval
    | Cite
    | Ref
    | Link
    | Code
    | Mark
    | Term
)
Runs: TypeAlias = tuple[Run, ...]


def runs(*parts: "Run | str | Runs") -> Runs:
    """Join words, runs and rows of runs into one row."""
    made: list[Run] = []
    for part in parts:
        if isinstance(part, str):
            if part:
                made.append(Text(part))
        elif isinstance(part, tuple):
            made.extend(part)
        else:
            made.append(part)
    return tuple(made)


def listed(items: Iterable[Runs], *, comma: str = ", ", last: str = " and ") -> Runs:
    """Join rows of runs as a sentence lists them: "a, b and c"."""
    rows = list(items)
    made: Runs = ()
    for i, row in enumerate(rows):
        if i:
            made += runs(last if i == len(rows) - 1 else comma)
        made += row
    return made


def spaced(sentences: Iterable[Runs]) -> Runs:
    """Join sentences with spaces; those that are empty are omitted."""
    return listed((one for one in sentences if one), comma=" ", last=" ")


# --- blocks -----------------------------------------------------------------------------


class BlockBase(Part, frozen=True, kw_only=True):
    """What all blocks have: `further` ones belong to the supplement of the report."""

    further: bool = False


class Fact(Struct, frozen=True):
    """One entry of the title block."""

    name: str
    value: str


class Title(BlockBase, frozen=True):
    """The head of the report."""

    text: str
    subtitle: str
    authors: str
    facts: tuple[Fact, ...]
    question: Runs = ()


class Heading(BlockBase, frozen=True):
    """A heading inside a section, of the level below the section's own."""

    text: str
    id: str


class Paragraph(BlockBase, frozen=True):
    """A paragraph; a `note` is small, `methods` is set to be pasted into a paper.

    A `pointer` is a note that refers to other parts of the report and means nothing outside of it.
    """

    runs: Runs
    role: Literal["plain", "note", "pointer", "methods"] = "plain"


class NumberedFindings(BlockBase, frozen=True):
    """The claims of the report, in order."""

    items: tuple[Runs, ...]

    @property
    def kind(self) -> str:
        """The name in templates."""
        return "findings"


Align: TypeAlias = Literal["left", "right", "center"]


class Column(Struct, frozen=True):
    """One column of a table; the first is the stub, whose cells head their rows."""

    head: Runs
    align: Align = "right"
    muted: bool = False
    sortable: bool = False
    name: str = ""
    wide: bool = False


class Spanner(Struct, frozen=True):
    """A head over the columns `first` to `last` (from 0, both included)."""

    head: Runs
    first: int
    last: int


class Cell(Struct, frozen=True):
    """One cell; `exact` is the full value for sorting and copying."""

    runs: Runs
    exact: float | None = None
    low: float | None = None
    high: float | None = None


class Row(Struct, frozen=True):
    """One row; a `group` has a single cell and heads the rows that follow."""

    cells: tuple[Cell, ...]
    strong: bool = False
    group: bool = False


class Table(BlockBase, frozen=True):
    """A table in the anatomy of printers: stub, spanners, columns, rows, notes, caption.

    `left_out` rows are missing after row `gap_after` where a back end shows fewer; `whole`
    tables are never cut. `narrow` is a form with fewer columns, for a column of a journal, and
    `one_number_a_column` one for programs, where the cells of the table have several numbers or
    rows are omitted.
    """

    id: str
    caption: Runs
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    spanners: tuple[Spanner, ...] = ()
    notes: tuple[Runs, ...] = ()
    left_out: int = 0
    gap_after: int = 0
    whole: bool = False
    narrow: "Table | None" = None
    one_number_a_column: "Table | None" = None

    @property
    def name(self) -> str:
        """The name of its files."""
        return self.id.removeprefix("table-")

    @property
    def above(self) -> list[Runs]:
        """The heads over the columns, empty where a column has its own alone."""
        heads: list[Runs] = [()] * len(self.columns)
        for spanner in self.spanners:
            size = spanner.last + 1 - spanner.first
            heads[spanner.first : spanner.last + 1] = [spanner.head] * size
        return heads


class Panel(Struct, frozen=True):
    """One drawing of a figure, of one-column width, and its numbers in words.

    `subject` is what the caption calls it where words that several share do not name it.
    """

    drawing: Canvas
    alt: str
    title: Runs
    subject: str = ""

    @property
    def svg(self) -> str:
        """Write the drawing."""
        return self.drawing.svg()


PANEL_LETTERS = "abcdef"
"""The letters of the panels of a figure; more panels are another figure."""


class Figure(BlockBase, frozen=True):
    """Drawings side by side under one caption.

    A figure has at most as many panels as there are `PANEL_LETTERS`.
    """

    id: str
    caption: Runs
    panels: tuple[Panel, ...]


class Caution(BlockBase, frozen=True):
    """A warning: what it is, why it matters, its stable code, and why it was accepted."""

    id: str
    lead: str
    body: Runs
    code: str
    name: str
    severity: str
    accepted: str | None = None


class Listing(BlockBase, frozen=True):
    """Text to be read or copied as it is."""

    text: str
    label: str


class Work(Struct, frozen=True):
    """One entry of the list of references."""

    key: str
    runs: Runs


class References(BlockBase, frozen=True):
    """The works that can be cited; only those that are cited are printed, in that order."""

    works: tuple[Work, ...]


Block: TypeAlias = (
    Title | Heading | Paragraph | NumberedFindings | Table | Figure | Caution | Listing | References
)


def further(blocks: Iterable[Block]) -> list[Block]:
    """Return blocks as those of the supplement."""
    return [replace(block, further=True) for block in blocks]


Kind = TypeVar("Kind")
WHOLE = "-all"
"""The ending of the identifier of a whole table of which the main part has some rows."""
CONTINUED = "-supplement"
"""The ending of identifiers in the supplement that the main part has without it."""


class Section(Struct, frozen=True):
    """Blocks under one heading; the title block has an empty heading.

    Its `id` is its registered name, in the supplement with an ending where the main part has the
    section too.
    """

    id: str
    heading: str
    blocks: tuple[Block, ...]
    supplement: bool = False

    @property
    def name(self) -> str:
        """The registered name."""
        return self.id.removesuffix(CONTINUED)


class Document(Struct, frozen=True):
    """A whole report, before it is numbered and laid out.

    `style_sheet` is the author's, checked when it was read, and `drawing_style` what it and the
    author's template make of drawings; `widths` is the journal of the files of figures. The tables
    in `files` are on no page.
    """

    title: str
    report_id: str
    created: str | None
    footer: str
    page: str
    sections: tuple[Section, ...] = ()
    style_sheet: str = ""
    part: str = "all"
    drawing_style: DrawingStyle = DrawingStyle()
    widths: str = "nature"
    files: tuple[Table, ...] = ()

    def shown(self) -> "Document":
        """Return the document with its `part` alone; the supplement has the same title."""
        if self.part == "all":
            return self
        wanted = self.part == "supplement"
        kept = (s for s in self.sections if not s.heading or s.supplement == wanted)
        return replace(self, sections=tuple(kept))

    def every(self, kind: type[Kind]) -> Iterator[Kind]:
        """Iterate over the blocks of one kind, in the order of the page."""
        for section in self.sections:
            yield from (block for block in section.blocks if isinstance(block, kind))
