"""What a class, a test or a metric takes, while its arguments are written."""

from collections.abc import Iterator

from msgspec import Struct

from evallang.manual.explanations import option_default
from evallang.manual.glossary import members
from evallang.models.catalogue import CATALOGUE
from evallang.source import SourceFile
from evallang.syntax.logical_lines import lay_out
from evallang.syntax.scanner import Token


class Parameter(Struct, frozen=True):
    """A parameter and its default, as a reader sees them."""

    name: str
    default: str


class Signature(Struct, frozen=True):
    """What may be written in the brackets around a place; `active` is the number of the one there.

    `active` is None where no parameter is named yet.
    """

    name: str
    parameters: tuple[Parameter, ...]
    active: int | None


def signature(text: str, offset: int) -> Signature | None:
    """Return the parameters of the call around a place; None outside of one."""
    lines = lay_out(SourceFile("", text[:offset])).lines
    written = [t for t in (lines[-1].tokens if lines else ()) if t.start < t.end]
    call = _open_call(written)
    if call is None:
        return None
    name, inside = call
    parameters = tuple(_parameters(name))
    keys = [token.text for token in inside if token.kind == "NAME"]
    named = [i for i, known in enumerate(parameters) if keys and known.name == keys[0]]
    return Signature(name, parameters, named[0] if named else None) if parameters else None


def _open_call(tokens: list[Token]) -> tuple[str, list[Token]] | None:
    """Return the name before the last open bracket, and what follows its last comma."""
    opened: list[int] = []
    commas: list[int] = []
    for i, token in enumerate(tokens):
        if token.kind in ("LPAR", "LSQB", "LBRACE"):
            opened.append(i)
            commas.append(i)
        elif token.kind in ("RPAR", "RSQB", "RBRACE") and opened:
            opened.pop()
            commas.pop()
        elif token.kind == "COMMA" and opened:
            commas[-1] = i
    for place, comma in zip(reversed(opened), reversed(commas), strict=True):
        if tokens[place].kind == "LPAR" and place and tokens[place - 1].kind == "NAME":
            return tokens[place - 1].text, tokens[comma + 1 :]
    return None


def _parameters(name: str) -> Iterator[Parameter]:
    """Iterate over what a member of a catalogue takes."""
    known = CATALOGUE.get(name)
    if known is not None and known.refused is None:
        for parameter in known.parameters.values():
            if parameter.refused is None:
                yield Parameter(parameter.name, parameter.default_text)
        return
    for entry in members(name)[:1]:
        for option in entry.options:
            yield Parameter(option.name, option_default(option))
