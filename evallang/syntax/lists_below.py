"""Lists that go on below their line: `measure` with a metric on each line, a comma at the end."""

from collections.abc import Sequence
from dataclasses import replace

from evallang.diagnostics import Diagnostic, diagnose
from evallang.source import Span
from evallang.spelling import MOST_LISTED
from evallang.syntax import codes
from evallang.syntax.language import STATEMENTS
from evallang.syntax.scanner import Token

RECENT = 50  # diagnostics, among which those of the line above are


class ListBelow:
    """A statement of nothing but its word, and the lines below it that hold its items."""

    def __init__(self, head: Token, items: str) -> None:
        self.head, self._items = head, items
        self._names: list[str] | None = []
        self.said_at: int | None = None  # where its diagnostic stands, once there is a line

    def take(self, path: str, tokens: Sequence[Token]) -> Diagnostic:
        """Take one more line; give what is said of all of them."""
        names = [token for token in tokens if token.kind != "COMMA"]
        if self._names is not None and all(token.kind == "NAME" for token in names):
            self._names += [token.text for token in names]
        else:
            self._names = None  # with options: they are not written anew here
        if self._names and len(self._names) > MOST_LISTED:
            self._names = None  # each line would write all of them again
        word = self.head.text
        form = f"{word} {', '.join(self._names)}" if self._names else STATEMENTS[word].form
        return diagnose(
            codes.INCOMPLETE_LINE,
            f"the {self._items} stand on the line of `{word}`, parted by commas",
            Span(path, self.head.start, self.head.end),
            help=f"write `{form}`" if self._names else f"the form is `{form}`",
        )


def list_below(tokens: Sequence[Token]) -> ListBelow | None:
    """Tell whether a statement is `measure` or `measure:` alone, which is no statement yet."""
    head, *rest = tokens
    known = STATEMENTS.get(head.text)
    if known is None or not known.lists or any(token.kind != "COLON" for token in rest):
        return None
    return ListBelow(head, known.lists)


def keep_comma(diagnostics: list[Diagnostic], place: Span) -> None:
    """Do not propose to remove a comma behind which the list goes on."""
    for index in range(max(len(diagnostics) - RECENT, 0), len(diagnostics)):
        found = diagnostics[index]
        if found.code == codes.SUPERFLUOUS.code and found.span == place:
            way_out = "write the list on one line, or in `[ ]`"
            diagnostics[index] = replace(found, help=way_out, fixes=())
