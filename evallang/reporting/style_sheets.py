"""The author's style sheet: what it may contain, since a page loads nothing and runs nothing."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import tinycss2

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
