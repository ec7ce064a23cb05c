"""Laying out: a piece of code with places to break in, lines of at most 100 columns out.

A `Group` is what is written in brackets and breaks after its commas, a `Chain` is a pipeline
and breaks before its bars, a `Row` is what stands side by side. Comments belong to the
item they belong to, and a piece that holds one is always broken.
"""

from msgspec import Struct, field

from evallang.source import Span
from evallang.syntax.nodes import CommentNode

WIDTH = 100


class Item(Struct, eq=False):
    """One part of a group or chain, with the comments above it and behind it."""

    doc: "Doc"
    span: Span
    above: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)


class Row(Struct, eq=False):
    """Pieces side by side, with nothing between them; none is a row itself."""

    parts: tuple["str | Group | Chain", ...]


class Group(Struct, eq=False):
    """Items between brackets; with `bare` the brackets are written only where it breaks."""

    opener: str
    items: tuple[Item, ...]
    closer: str
    bare: bool = False
    below: list[str] = field(default_factory=list)
    """Comments below the last item."""


class Chain(Struct, eq=False):
    """Steps joined by bars."""

    steps: tuple[Item, ...]


Doc = str | Row | Group | Chain


def flat(doc: Doc) -> str:
    """Write everything on one line, without comments."""
    if isinstance(doc, str):
        return doc
    if isinstance(doc, Row):
        return "".join(flat(part) for part in doc.parts)
    if isinstance(doc, Chain):
        return " | ".join(flat(step.doc) for step in doc.steps)
    inner = ", ".join(flat(item.doc) for item in doc.items)
    return inner if doc.bare else f"{doc.opener}{inner}{doc.closer}"


def lay(doc: Doc, indent: int, lead: int, tail: int = 0) -> list[str]:
    """Write a piece that begins in column `lead` and is followed by `tail` characters.

    All lines but the first carry their indentation.
    """
    text = flat(doc)
    if isinstance(doc, str) or (lead + len(text) + tail <= WIDTH and not _commented(doc)):
        return [text]
    return _broken(doc, indent, lead, tail)


def place(doc: Doc, comment: CommentNode) -> bool:
    """Attach a comment to its item; False without an item."""
    if isinstance(doc, str):
        return False
    if isinstance(doc, Row):
        return any(place(part, comment) for part in doc.parts)
    items = doc.items if isinstance(doc, Group) else doc.steps
    at = comment.span.start
    if not items or (isinstance(doc, Chain) and not items[0].span.start <= at < items[-1].span.end):
        return False
    before = None
    for item in items:
        if item.span.start <= at < item.span.end:
            if place(item.doc, comment):
                return True
            if isinstance(doc, Chain) and before is not None and item is items[-1]:
                return False  # behind the last step it is read as one behind the whole line
            item.behind.append(comment.text)
            return True
        if at < item.span.start:
            if comment.own_line or before is None:
                item.above.append(comment.text)
            else:
                before.behind.append(comment.text)
            return True
        before = item
    if comment.own_line and isinstance(doc, Group):
        doc.below.append(comment.text)
    elif before is not None:
        before.behind.append(comment.text)
    return True


def _commented(doc: Doc) -> bool:
    if isinstance(doc, str):
        return False
    if isinstance(doc, Row):
        return any(_commented(part) for part in doc.parts)
    items = doc.items if isinstance(doc, Group) else doc.steps
    if isinstance(doc, Group) and doc.below:
        return True
    return any(item.above or item.behind or _commented(item.doc) for item in items)


def _broken(doc: Doc, indent: int, lead: int, tail: int) -> list[str]:
    if isinstance(doc, Chain):
        return _broken_chain(doc, indent, lead, tail)
    if isinstance(doc, Group):
        return _broken_group(doc, indent)
    if isinstance(doc, Row):
        return _broken_row(doc, indent, lead, tail)
    return [doc]


def _broken_chain(doc: Chain, indent: int, lead: int, tail: int) -> list[str]:
    if len(doc.steps) == 1 and not doc.steps[0].behind:
        return lay(doc.steps[0].doc, indent, lead, tail)
    pad = " " * (indent + 2)
    lines: list[str] = []
    for number, step in enumerate(doc.steps):
        last = number == len(doc.steps) - 1
        lines += [pad + comment for comment in step.above]
        if number == 0:
            lines += lay(step.doc, indent, lead)
        else:
            first, *rest = lay(step.doc, indent + 2, indent + 4, tail if last else 0)
            lines += [f"{pad}| {first}", *rest]
        lines += _append_comment(step, lines, pad)
    return lines


def _broken_group(doc: Group, indent: int) -> list[str]:
    if not doc.items:
        return [f"{doc.opener}{doc.closer}"]
    pad = " " * (indent + 2)
    lines = [doc.opener]
    for item in doc.items:
        lines += [pad + comment for comment in item.above]
        first, *rest = lay(item.doc, indent + 2, indent + 2, 1)
        lines += [pad + first, *rest]
        lines[-1] += ","
        lines += _append_comment(item, lines, pad)
    lines += [pad + comment for comment in doc.below]
    return [*lines, " " * indent + doc.closer]


def _append_comment(item: Item, lines: list[str], pad: str) -> list[str]:
    """Write the first comment after the last line; give lines for the others."""
    if not item.behind:
        return []
    lines[-1] += f"  {item.behind[0]}"
    return [pad + comment for comment in item.behind[1:]]


def _broken_row(doc: Row, indent: int, lead: int, tail: int) -> list[str]:
    """Break no more parts than needed: those with comments, then the longest."""
    breakable = [i for i, part in enumerate(doc.parts) if not isinstance(part, str)]
    opened = {i for i in breakable if _commented(doc.parts[i])}
    lengths = [len(flat(part)) for part in doc.parts]
    waiting = sorted((i for i in breakable if i not in opened), key=lambda i: -lengths[i])
    while waiting and _width(doc, opened, lengths, indent, lead, tail) > WIDTH:
        opened.add(waiting.pop(0))
    lines = [""]
    for number, part in enumerate(doc.parts):
        if number in opened:
            column = len(lines[-1]) + (lead if len(lines) == 1 else 0)
            after = tail if number == len(doc.parts) - 1 else 0
            first, *rest = _broken(part, indent, column, after)
        else:
            first, *rest = [flat(part)]
        lines[-1] += first
        lines += rest
    return lines


def _width(
    doc: Row, opened: set[int], lengths: list[int], indent: int, lead: int, tail: int
) -> int:
    """Measure the longest line that a row itself writes; what opened parts hold is theirs."""
    column = widest = lead
    for number, part in enumerate(doc.parts):
        if number not in opened:
            column += lengths[number]
        elif isinstance(part, Group):
            widest = max(widest, column + len(part.opener))
            column = indent + len(part.closer)
        elif isinstance(part, Chain):
            widest = max(widest, column + len(flat(part.steps[0].doc)))
            column = indent + 4 + len(flat(part.steps[-1].doc))
    return max(widest, column + tail)
