"""The author's style sheet: what it may contain, since a page loads nothing and runs nothing.

Its variables are the colours and the font of drawings too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

import tinycss2
from msgspec import Struct
from tinycss2.color3 import parse_color

from evallang.reporting.figures.figure import COLOURS

MOST_BYTES = 200_000
"""A page is meant to be smaller than 500 kB; a font of one alphabet has about 50 kB."""

LOADING = ("url", "src", "image", "image-set", "-webkit-image-set", "cross-fade")
COMPUTED = ("var(", "attr(", "env(")  # an address that stands elsewhere
END_OF_STYLE = re.compile("</style", re.IGNORECASE)


def style_objection(css: str) -> tuple[str, str] | None:
    """Return why a style sheet cannot be part of a page, and what to do; None where it can."""
    try:
        return _objection(css)
    except RecursionError:
        return "is nested too deeply", "write rules as `SELECTOR { PROPERTY: VALUE }`"


def _objection(css: str) -> tuple[str, str] | None:
    if END_OF_STYLE.search(css):
        return "contains `</style`, which would end it on a page", "remove it"
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword == "import":
            return (
                f"imports another style sheet in line {rule.source_line}",
                "copy the rules of the other file into this one",
            )
        parts = [rule]
        if rule.type == "qualified-rule":
            parts = tinycss2.parse_blocks_contents(rule.content)
        faulty = next((part for part in parts if part.type == "error"), None)
        if faulty is not None:
            return (
                f"is not CSS in line {faulty.source_line}",
                "write rules as `SELECTOR { PROPERTY: VALUE }`",
            )
    for token in _tokens(rules):
        address = _address(token)
        if address is not None and not address.strip().lower().startswith("data:"):
            return (
                f"loads `{address}` in line {token.source_line}",
                "a report is one file: embed what it needs as `url(data:...)`",
            )
    return None


def _tokens(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        for inner in ("prelude", "content", "arguments"):
            yield from _tokens(getattr(node, inner, None) or ())


def _address(token: Any) -> str | None:
    """Return the address that a token loads, None for one that loads nothing."""
    if token.type == "url":
        return str(token.value)
    if token.type == "function" and token.lower_name in LOADING:
        computed = [f"{p.name}(...)" for p in token.arguments if p.type == "function"]
        texts = [str(part.value) for part in token.arguments if part.type == "string"]
        texts += [name for name in computed if name.lower().startswith(COMPUTED)]
        return next((t for t in texts if not t.strip().lower().startswith("data:")), None)
    return None


COLOUR = re.compile(r"(?<=:)#[0-9a-f]{6}\b")
UNQUOTED = str.maketrans("", "", "\"'")
FAMILY = re.compile(r'(?<= font-family=")[^"]*')


class DrawingStyle(Struct, frozen=True):
    """What an author changes of drawings: colours by ours, fonts, and their `@font-face` rules.

    `family` ends with a comma: our fonts have the characters that the author's lack.
    """

    colours: Mapping[str, str] = {}
    family: str = ""
    faces: str = ""

    def applied(self, svg: str) -> str:
        """Return a drawing in the author's colours and font."""
        svg = COLOUR.sub(lambda found: self.colours.get(found[0], found[0]), svg)
        family = escape(self.family)
        return FAMILY.sub(lambda found: f"{family}{found[0]}", svg, count=1)


def drawing_style(css: str) -> DrawingStyle:
    """Return what the variables of `:root` in a sound style sheet make of drawings.

    Files and PDFs have no variables: a colour that is computed is left as it is.
    """
    variables: dict[str, Any] = {}
    faces = []
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "at-rule" and rule.lower_at_keyword == "font-face":
            faces.append(rule.serialize())
        elif rule.type == "qualified-rule" and tinycss2.serialize(rule.prelude).strip() == ":root":
            parts = tinycss2.parse_blocks_contents(rule.content)
            variables |= {part.name: part.value for part in parts if part.type == "declaration"}
    colours = {}
    for ours, variable in COLOURS.items():
        value = variables.get(variable.removeprefix("var(").removesuffix(")"), ())
        parsed = parse_color(tinycss2.serialize(value).strip())
        if parsed is not None and not isinstance(parsed, str) and parsed.alpha == 1:
            colours[ours] = "#" + "".join(f"{round(part * 255):02x}" for part in parsed[:3])
    names = tinycss2.serialize(variables.get("--sans", ())).translate(UNQUOTED).split(",")
    family = "".join(f"{name.strip()}," for name in names if name.strip())
    return DrawingStyle(colours, family, "".join(faces))
