"""Studies in colours, for Pygments: its entry point `evallang` is here."""

from collections.abc import Iterator
from typing import Any

from pygments.lexer import Lexer
from pygments.token import Token as Colour

from evallang.checking.values import CATALOGUES
from evallang.models.catalogue import CATALOGUE
from evallang.source import SourceFile
from evallang.syntax.language import STATEMENTS, clause
from evallang.syntax.line_parser import read_as
from evallang.syntax.logical_lines import lay_out
from evallang.syntax.scanner import Token

COLOURS = {
    "TEXT": Colour.Literal.String.Double,
    "NUMBER": Colour.Literal.Number,
    "OPERATOR": Colour.Operator,
    "EQUAL": Colour.Operator,
    "VBAR": Colour.Operator,
    "RANGE": Colour.Operator,
    **dict.fromkeys(
        ("LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "COMMA", "COLON"), Colour.Punctuation
    ),
}
"""The colours of terminals other than words."""


class StudyLexer(Lexer):  # type: ignore[misc]  # pygments has no types
    """Colours a study as the parser reads it: a keyword that is a name has a name's colour."""

    name = "evallang"
    aliases = ("evallang",)
    filenames = ("*.eval", "*.evallang")
    mimetypes = ("text/x-evallang",)

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Iterate over the places, colours and texts that make up a study."""
        layout = lay_out(SourceFile("", text))
        found = [(c.span.start, c.span.end, Colour.Comment.Single) for c in layout.comments]
        for line in layout.lines:
            tokens = [token for token in line.tokens if token.start < token.end]
            read = read_as("statement" if line.at_margin else "clause", line.tokens)
            found += [
                (token.start, token.end, _colour(token, i, read)) for i, token in enumerate(tokens)
            ]
        place = 0
        for begin, end, colour in sorted(found, key=lambda part: part[0]):
            if begin > place:
                yield place, Colour.Text.Whitespace, text[place:begin]
            yield begin, colour, text[begin:end]
            place = end
        if place < len(text):
            yield place, Colour.Text.Whitespace, text[place:]


def _colour(token: Token, number: int, read: list[str]) -> Any:
    """Return the colour of a token; one behind a mistake has that of its kind."""
    kind = read[number] if number < len(read) else token.kind
    if kind != "NAME":
        return COLOURS.get(kind, Colour.Keyword)
    if number == 0:
        known = token.text in STATEMENTS or clause(token.text) is not None
        return Colour.Keyword if known else Colour.Name
    if token.text in CATALOGUE:
        return Colour.Name.Class
    if any(token.text in registry for _, registry, _ in CATALOGUES):
        return Colour.Name.Function
    return Colour.Name
