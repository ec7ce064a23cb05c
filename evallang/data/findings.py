"""What was found wrong in one source, and the places of its clauses."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from evallang.diagnostics import Code, Diagnostic, codes, diagnose, has_errors, sorted_by_place
from evallang.limits import OverLimit
from evallang.results.settings import SOURCES
from evallang.source import Span
from evallang.spelling import closest, written_name

T = TypeVar("T")
STATEMENT = ("from", *SOURCES, "statement", "name")
RENAME = "give each column its own name"
NUMBERED = re.compile(r"column_[0-9]{1,9}")
MOST_NAMED = 5  # rows or values that a message lists before "and N more"


class Refused(Exception):
    """What keeps a source, or a part of it, from being read, as `Findings.add` takes it."""

    def __init__(self, code: Code, message: str, *keywords: str, **further: Any) -> None:
        super().__init__(message)
        self.code = code
        self.keywords = keywords
        self.further = further
        self.others: list[Refused] = []

    def __reduce__(self) -> tuple[Any, ...]:  # from the process that reads
        made = partial(Refused, self.code, str(self), *self.keywords, **self.further)
        return made, (), {"others": self.others}


def refuse_each(faults: "Iterable[Refused]") -> None:
    """Raise the first of some faults, which brings the others with it; nothing without any."""
    known = list(faults)
    if known:
        known[0].others = known[1:]
        raise known[0]


class Stopped(Exception):
    """Reading ends, for what was found before."""


class Findings:
    """Collects diagnostics; a finding is placed at the first of its keywords that is written.

    A keyword is the word of a clause, and for one model of several `models a` or `score a`. With a
    `span` all are placed there.
    """

    def __init__(self, places: Mapping[str, Span], span: Span | None = None) -> None:
        self._places = places
        self._span = span
        self._found: list[Diagnostic] = []
        self._notes: tuple[str, ...] = ()

    def add(
        self,
        code: Code,
        message: str,
        *keywords: str,
        span: Span | None = None,
        help: str | None = None,  # noqa: A002 - the word of the contract
        notes: Sequence[str] = (),
    ) -> None:
        """Add a finding at `span`, or else at the clause of the first keyword written."""
        place = span or self._span or self._place(keywords)
        every = (*notes, *self._notes)
        self._found.append(diagnose(code, message, place, help=help, notes=every))

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Report what is refused, or beyond a limit, within the context, which it ends."""
        try:
            yield
        except Refused as first:
            for one in (first, *first.others):
                self.add(one.code, str(one), *one.keywords, **one.further)
        except OverLimit as error:
            self.add(codes.file_too_large, str(error), help=error.help)
        except Stopped:
            pass

    def tried(self, read: Callable[..., T], *given: Any, **named: Any) -> T | None:
        """Return what a function returns; None where it refuses, which is reported."""
        with self.catching():
            return read(*given, **named)
        return None  # type: ignore[unreachable]  # mypy holds that no context ends an error

    def stop_at_errors(self) -> None:
        """Raise `Stopped` where an error was found."""
        if self.failed:
            raise Stopped

    @contextmanager
    def noting(self, note: str | None) -> Iterator[None]:
        """Add a note to every finding within the context, such as the file of a glob."""
        before = self._notes
        self._notes = before if note is None else (note, *before)
        try:
            yield
        finally:
            self._notes = before

    @property
    def failed(self) -> bool:
        """Whether an error was found."""
        return has_errors(self._found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of their places."""
        return sorted_by_place(self._found)

    def _place(self, keywords: Sequence[str]) -> Span | None:
        for keyword in (*keywords, *STATEMENT):
            for place in (keyword, keyword.partition(" ")[0]):
                if place in self._places:
                    return self._places[place]
        return next(iter(self._places.values()), None)


def unknown_column(
    code: Code, column: str, columns: Iterable[str], source: str, *keywords: str, **further: Any
) -> Refused:
    """Return the refusal of a column that does not exist, with the nearest one that does."""
    known = list(columns)
    inside = [name for name in known if name.endswith(f".{column}")]
    near = closest(column, known) or (inside[0] if len(inside) == 1 else None)
    words = f"its columns are {quoted(known, 12)}"
    if near:
        words = f"did you mean `{written(near)}`?"
    elif (outer := column.partition(".")[0]) in known:
        words = (
            f"`{outer}` has no values inside; write a text such as `{{'acc': 1}}` as an object, "
            "which `ast.literal_eval` makes of it"
        )
    elif len(known) == 1:
        words = f"its one column is {quoted(known)}"
        if column in known[0].split():
            words += "; separate columns by commas, semicolons, tabs or `|`"
    elif sum(bool(NUMBERED.fullmatch(name)) for name in known) > len(known) / 2:
        words += "; remove lines above the names of the columns, such as a title"
    message = f"`{source}` has no column `{column}`"
    return Refused(code, message, *keywords, help=words, **further)


def name_data_set(
    found: Iterable[Diagnostic], name: str, places: Mapping[str, Span], *, several: bool
) -> Iterator[Diagnostic]:
    """Iterate over findings, with the name of their data set where their place leaves it open.

    `name` is that of the data set, `places` are those of its clauses.
    """
    shared = ("stratify", "split", "within")  # words of statements, for all data sets alike
    own = {span for word, span in places.items() if word.partition(" ")[0] not in shared}
    if "/" in name:  # a pattern has several at one place
        own = set()
    for one in found:
        clear = not several or one.span in own
        yield one if clear else replace(one, notes=(*one.notes, f"in `{name}`"))


def listed(items: Iterable[object], most: int = MOST_NAMED) -> str:
    """Format a list of things: `a, b, c and 4 more`."""
    texts = [str(item) for item in items]
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most:,} more"
    return ", ".join(texts)


def quoted(items: Iterable[object], most: int = MOST_NAMED) -> str:
    """Format a list of names in backquotes: `` `a`, `b` and 4 more ``."""
    return listed((f"`{item}`" for item in items), most)


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that appear more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def model_column(column: str, model: str) -> str:
    """Format a column with its model, or alone where both have the same name.

    Of a table with a row for each model, that column is called `pred in cnn`.
    """
    column = column.removesuffix(f" in {model}")
    return f"`{column}`" if column == model else f"`{column}` of `{model}`"


def counted(n: int, one: str, many: str | None = None) -> str:
    """Format a number with its noun: `1 row`, `1,200 rows`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def written(column: str) -> str:
    """Format a column as a study writes it: a name bare, anything else in quotes."""
    return written_name(column)


def label_written(label: str) -> str:
    """Format a label as a clause takes it: a number without quotes."""
    return label if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", label) else written(label)
