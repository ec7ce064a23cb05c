"""Messages as data: a code, a place, words and a way out; laid out here, made elsewhere.

Every code is declared once with `declare` in the module that raises it; `explain`, the
reference and the golden files of the tests read the declarations from `CODES`.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from evallang.frozen import frozen
from evallang.source import SourceFile, Span


class Severity(StrEnum):
    """How bad it is: errors stop a run, warnings do not, hints are advice on style."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@frozen
class Code:
    """What a diagnostic code stands for; `name` is what an author writes after `allow`."""

    code: str
    name: str
    severity: Severity
    summary: str
    reason: str = ""
    wrong: str = ""
    right: str = ""
    source: str = ""


CODES: dict[str, Code] = {}


def declare(
    code: str,
    name: str,
    summary: str,
    *,
    severity: Severity | None = None,
    reason: str = "",
    wrong: str = "",
    right: str = "",
    source: str = "",
) -> Code:
    """Enter a code into `CODES`; the letter gives the severity unless one is stated.

    Raises `ValueError` when the code or its name is taken.
    """
    if severity is None:
        severity = Severity.ERROR if code.startswith("E") else Severity.WARNING
    made = Code(code, name, severity, summary, reason, wrong, right, source)
    if code in CODES or any(other.name == name for other in CODES.values()):
        raise ValueError(f"diagnostic {code} {name} is declared twice")
    CODES[code] = made
    return made


@frozen
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@frozen
class Fix:
    """A change that mends the cause; `safe` ones are applied by `check --fix`."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@frozen
class Related:
    """Another place that belongs to the story, with its own words."""

    span: Span
    message: str


@frozen
class Diagnostic:
    """One finding. `span` is None where the whole file is meant."""

    code: str
    name: str
    severity: Severity
    message: str
    span: Span | None
    path: str
    notes: tuple[str, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    allowed_because: str | None = None


def diagnose(
    code: Code,
    message: str,
    span: Span | None,
    *,
    path: str = "",
    notes: Sequence[str] = (),
    help: str | None = None,  # noqa: A002 - the word of the contract
    fixes: Sequence[Fix] = (),
    related: Sequence[Related] = (),
) -> Diagnostic:
    """Make a diagnostic of a declared code."""
    return Diagnostic(
        code.code,
        code.name,
        code.severity,
        message,
        span,
        span.path if span is not None else path,
        tuple(notes),
        help,
        tuple(fixes),
        tuple(related),
    )


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by file and place; findings about a whole file come first."""

    def place(item: Diagnostic) -> tuple[str, int, int, str]:
        span = item.span
        return (item.path, span.start, span.end, item.code) if span else (item.path, -1, -1, "")

    return tuple(sorted(diagnostics, key=place))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Tell whether any of them stops a run."""
    return any(item.severity is Severity.ERROR for item in diagnostics)


def allowed(diagnostic: Diagnostic, because: str) -> Diagnostic:
    """Give the same finding, marked as accepted by the author for a reason."""
    return replace(diagnostic, allowed_because=because)


# --- layouts ---------------------------------------------------------------------------

Sources = Mapping[str, SourceFile]

FORMAT_VERSION = "1.0"
COLOURS = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.HINT: "36;1"}
_SURROGATES = re.compile(r"[\ud800-\udfff]")
MAX_SHOWN = 160  # characters of a source line that a message shows around its span


def to_record(diagnostic: Diagnostic, sources: Sources) -> dict[str, Any]:
    """Give the JSON record of the contract (lines and columns from 1, in code points)."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "path": diagnostic.path,
        "range": _range(diagnostic.span, sources),
        "related": [
            {"path": r.span.path, "range": _range(r.span, sources), "message": r.message}
            for r in diagnostic.related
        ],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "url": None,
        "fixes": [
            {
                "title": fix.title,
                "applicability": "safe" if fix.safe else "unsafe",
                "edits": [
                    {"path": e.span.path, "range": _range(e.span, sources), "text": e.text}
                    for e in fix.edits
                ],
            }
            for fix in diagnostic.fixes
        ],
        "allowed_because": diagnostic.allowed_because,
    }


def to_json(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """Lay out `check --format json`."""
    counted = [d for d in diagnostics if d.allowed_because is None]
    errors = sum(d.severity is Severity.ERROR for d in counted)
    document = {
        "format_version": FORMAT_VERSION,
        "valid": errors == 0,
        "error_count": errors,
        "warning_count": sum(d.severity is Severity.WARNING for d in counted),
        "diagnostics": [to_record(d, sources) for d in diagnostics],
    }
    return _writable(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def to_text(diagnostics: Sequence[Diagnostic], sources: Sources, *, colour: bool = False) -> str:
    """Lay out for a terminal: message, place, the line with the span marked, notes, help."""
    return _writable("\n".join(_block(d, sources, colour) for d in diagnostics))


def to_github(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """Lay out as workflow commands of GitHub Actions, one line each."""
    kinds = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
    lines = []
    for d in diagnostics:
        place = f"file={_github_property(d.path)}"
        if d.span is not None and d.span.path in sources:
            start = sources[d.span.path].position(d.span.start)
            end = sources[d.span.path].position(d.span.end)
            place += f",line={start.line},endLine={end.line},col={start.column}"
            if end.line == start.line:
                place += f",endColumn={end.column}"
        words = d.message if d.help is None else f"{d.message}\nhelp: {d.help}"
        title = _github_property(f"{d.code} {d.name}")
        lines.append(f"::{kinds[d.severity]} {place},title={title}::{_github_data(words)}\n")
    return _writable("".join(lines))


def to_sarif(diagnostics: Sequence[Diagnostic], sources: Sources, *, version: str) -> str:
    """Lay out as SARIF 2.1.0 (columns in code points, as we count them)."""
    levels = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
    rules = sorted({d.code: d for d in diagnostics}.items())
    index = {code: i for i, (code, _) in enumerate(rules)}
    results = []
    for d in diagnostics:
        text = d.message if d.help is None else f"{d.message}; {d.help}"
        result: dict[str, Any] = {
            "ruleId": d.code,
            "ruleIndex": index[d.code],
            "level": levels[d.severity],
            "message": {"text": text},
            "locations": [_sarif_location(d.path, d.span, sources)],
        }
        if d.related:
            result["relatedLocations"] = [
                {
                    **_sarif_location(r.span.path, r.span, sources),
                    "message": {"text": r.message},
                }
                for r in d.related
            ]
        if d.fixes:
            result["fixes"] = [_sarif_fix(fix, sources) for fix in d.fixes]
        if d.allowed_because is not None:
            result["suppressions"] = [{"kind": "inSource", "justification": d.allowed_because}]
        results.append(result)
    driver = {
        "name": "evallang",
        "version": version,
        "rules": [
            {
                "id": code,
                "name": d.name,
                "shortDescription": {"text": CODES[code].summary if code in CODES else d.name},
                "defaultConfiguration": {"level": levels[d.severity]},
            }
            for code, d in rules
        ],
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return _writable(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _sarif_location(path: str, span: Span | None, sources: Sources) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    if (region := _sarif_region(span, sources)) is not None:
        location["region"] = region
    return {"physicalLocation": location}


def _sarif_region(span: Span | None, sources: Sources) -> dict[str, int] | None:
    place = _range(span, sources)
    if place is None:
        return None
    start, end = place["start"], place["end"]
    return {
        "startLine": start["line"],
        "startColumn": start["column"],
        "endLine": end["line"],
        "endColumn": end["column"],
    }


def _sarif_fix(fix: Fix, sources: Sources) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        region = _sarif_region(edit.span, sources)
        replacement = {"deletedRegion": region, "insertedContent": {"text": edit.text}}
        changes.setdefault(edit.span.path, []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": {"uri": _uri(path)}, "replacements": replacements}
            for path, replacements in changes.items()
        ],
    }


def _range(span: Span | None, sources: Sources) -> dict[str, dict[str, int]] | None:
    if span is None or span.path not in sources:
        return None
    source = sources[span.path]

    def place(offset: int) -> dict[str, int]:
        at = source.position(offset)
        return {"line": at.line, "column": at.column, "offset": at.offset}

    return {"start": place(span.start), "end": place(span.end)}


def _block(d: Diagnostic, sources: Sources, colour: bool) -> str:
    def paint(text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if colour else text

    head = paint(f"{d.severity}[{d.code}]", COLOURS[d.severity])
    lines = [f"{head} {paint(_printable(d.message), '1')}"]
    if d.span is not None and d.span.path in sources:
        lines += _excerpt(d.span, sources[d.span.path], paint, COLOURS[d.severity])
    elif d.path:
        lines.append(f"  --> {d.path}")
    for related in d.related:
        if related.span.path in sources:
            at = sources[related.span.path].position(related.span.start)
            place = f"{related.span.path}:{at.line}:{at.column}"
            lines.append(f"  ::: {place}: {_printable(related.message)}")
    lines += [f"  = note: {_printable(note)}" for note in d.notes]
    if d.help is not None:
        lines.append(f"  = {paint('help', '36')}: {_printable(d.help)}")
    if d.allowed_because is not None:
        lines.append(f"  = allowed because {_printable(d.allowed_because)}")
    return "\n".join(lines) + "\n"


def _excerpt(span: Span, source: SourceFile, paint: Any, style: str) -> list[str]:
    start, end = source.position(span.start), source.position(span.end)
    text = source.line(start.line)
    width = end.column - start.column if end.line == start.line else len(text) + 1 - start.column
    offset = start.column - 1
    cut = max(0, offset - MAX_SHOWN // 2)
    shown = text[cut : cut + MAX_SHOWN]
    lead = "…" if cut else ""
    marks = max(1, min(width, len(shown) - (offset - cut)))
    before = _printable(lead + shown[: offset - cut])
    marked = _printable(shown[offset - cut : offset - cut + marks])
    rest = _printable(shown[offset - cut + marks :])
    number = str(start.line)
    margin = " " * len(number)
    return [
        f"{margin} --> {source.path}:{start.line}:{start.column}",
        f"{margin} |",
        f"{number} | {before}{marked}{rest}",
        f"{margin} | {' ' * _cells(before)}{paint('^' * max(1, _cells(marked)), style)}",
    ]


def _cells(text: str) -> int:
    """Count terminal cells: wide characters take two, combining marks none."""
    import unicodedata

    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _writable(text: str) -> str:
    """Replace what UTF-8 cannot hold, bytes of a file that was no UTF-8, one for one."""
    return _SURROGATES.sub("\ufffd", text)


def _printable(text: str) -> str:
    """Keep a terminal safe: tabs become spaces, control characters their visible names."""
    if text.isprintable():
        return text
    return "".join(
        c
        if c.isprintable()
        else " "
        if c == "\t"
        else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path, errors="surrogateescape")
