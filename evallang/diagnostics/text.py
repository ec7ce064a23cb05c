"""Findings for a terminal: the message, the place, and the line with the faulty part marked."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from evallang.diagnostics import Diagnostic, Related, Severity
from evallang.printable import printable, terminal_width, without_credentials, wrapped
from evallang.source import SourceFile, Span

Sources = Mapping[str, SourceFile]
Paint = Callable[[str, str], str]

COLOURS = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.HINT: "36;1"}
MAX_SHOWN = 160  # characters of a source line that a message shows around its span

NOTE, HELP, ALLOWED, AT = "  = note: ", "  = help: ", "  = allowed because ", "  ::: "


def to_text(
    diagnostics: Sequence[Diagnostic],
    sources: Sources,
    *,
    colour: bool = False,
    width: int | None = None,
) -> str:
    """Format findings for a terminal: message, place, the line with the span marked, notes, help.

    Sentences longer than `width` characters are wrapped at spaces; lines of the study are not.
    """
    return "\n".join(_block(d, sources, colour, width) for d in diagnostics)


def _block(d: Diagnostic, sources: Sources, colour: bool, width: int | None) -> str:
    def paint(text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if colour else text

    name = f"{d.severity}[{d.code}]"
    first, *more = _wrapped(f"{name} ", printable(d.message), width)
    lines = [f"{paint(name, COLOURS[d.severity])} {paint(first[len(name) + 1 :], '1')}"]
    lines += [paint(line, "1") for line in more]
    if d.span is not None and d.span.path in sources:
        further = [related.span for related in d.related if related.code]
        lines += _excerpt(d.span, further, sources[d.span.path], paint, COLOURS[d.severity])
    elif d.path:
        lines.append(f"  --> {printable(d.path)}")
    lines += _places((related for related in d.related if not related.code), sources, width)
    for note in d.notes:
        first, *more = _wrapped(NOTE, printable(note), width)
        lines += [NOTE + first[len(NOTE) :], *more]
    if d.help is not None:
        first, *more = _wrapped(HELP, printable(d.help), width)
        lines += [f"  = {paint('help', '36')}: {first[len(HELP) :]}", *more]
    lines += _places((related for related in d.related if related.code), sources, width)
    if d.allowed_because is not None:
        first, *more = _wrapped(ALLOWED, printable(d.allowed_because), width)
        lines += [ALLOWED + first[len(ALLOWED) :], *more]
    return "\n".join(lines) + "\n"


def _wrapped(before: str, text: str, width: int | None) -> list[str]:
    """Wrap a text at spaces; return its lines, each indented by the length of `before`."""
    indent = " " * len(before)
    return [indent + text] if width is None else wrapped(text, width, indent, indent)


def _places(places: Iterable[Related], sources: Sources, width: int | None) -> list[str]:
    lines = []
    for related in places:
        if related.span.path in sources:
            at = sources[related.span.path].position(related.span.start)
            place = f"{printable(related.span.path)}:{at.line}:{at.column}"
            first, *more = _wrapped(AT, f"{place}: {printable(related.words)}", width)
            lines += [AT + first[len(AT) :], *more]
    return lines


def _excerpt(
    span: Span, further: Iterable[Span], source: SourceFile, paint: Paint, style: str
) -> list[str]:
    at = source.position(span.start)
    text = without_credentials(source.line(at.line))  # before an address is cut
    first = span.start - (at.column - 1)  # where the line begins
    cut = max(0, at.column - 1 - MAX_SHOWN // 2)
    shown = text[cut : cut + MAX_SHOWN]
    lead = "…" if cut else ""
    marks = ""
    for marked in (span, *further):
        start, end = marked.start - first - cut, marked.end - first - cut
        if not 0 <= start <= len(shown):
            continue
        before = terminal_width(printable(lead + shown[:start]))
        if before >= len(marks):
            width = max(1, terminal_width(printable(shown[start:end])))
            marks += " " * (before - len(marks)) + "^" * width
    number, plain = str(at.line), marks.lstrip()
    margin = " " * len(number)
    return [
        f"{margin} --> {printable(source.path)}:{at.line}:{at.column}",
        f"{margin} |",
        f"{number} | {printable(lead + shown)}",
        f"{margin} | {' ' * (len(marks) - len(plain))}{paint(plain, style)}",
    ]
