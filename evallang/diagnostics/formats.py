"""Findings for programs: JSON, workflow commands of GitHub, reports of GitLab, SARIF."""

import hashlib
import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evallang.diagnostics import CODES, Diagnostic, Fix, Severity
from evallang.printable import printable, printable_json
from evallang.source import SourceFile, Span

Sources = Mapping[str, SourceFile]

FORMAT_VERSION = "1.0"
PAGE = "reference/codes/{}.html"
"""The page of a code, from the root of the documentation."""


def to_record(diagnostic: Diagnostic, sources: Sources) -> dict[str, Any]:
    """Return the JSON record of a finding (lines and columns from 1, in code points)."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": str(diagnostic.severity),
        "message": printable(diagnostic.message),
        "path": diagnostic.path,
        "range": _range(diagnostic.span, sources),
        "related": [
            {"path": r.span.path, "range": _range(r.span, sources), "message": printable(r.words)}
            for r in diagnostic.related
        ],
        "notes": [printable(note) for note in diagnostic.notes],
        "help": None if diagnostic.help is None else printable(diagnostic.help),
        "url": PAGE.format(diagnostic.code),
        "fixes": [
            {
                "title": printable(fix.title),
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
    """Format findings as JSON, for `check --format json`."""
    counted = [d for d in diagnostics if d.allowed_because is None]
    errors = sum(d.severity is Severity.ERROR for d in counted)
    document = {
        "format_version": FORMAT_VERSION,
        "valid": errors == 0,
        "error_count": errors,
        "warning_count": sum(d.severity is Severity.WARNING for d in counted),
        "diagnostics": [to_record(d, sources) for d in diagnostics],
    }
    return printable_json(document, indent=2) + "\n"


def to_github(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """Format findings as workflow commands of GitHub Actions, one line each."""
    kinds = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
    lines = []
    for d in diagnostics:
        told = [d.message, *([] if d.help is None else [f"help: {d.help}"])]
        told += [related.words for related in d.related if related.code]
        place = _github_place(d.path, d.span, sources)
        lines.append(_github_command(kinds[d.severity], place, f"{d.code} {d.name}", told))
    return "".join(lines)


def github_error(title: str, words: str, path: str, span: Span | None, sources: Sources) -> str:
    """Format an error that is not a finding as a workflow command of GitHub Actions."""
    return _github_command("error", _github_place(path, span, sources), title, [words])


def _github_command(kind: str, place: str, title: str, told: Sequence[str]) -> str:
    words = _github_data("\n".join(map(printable, told)))
    return f"::{kind} {place},title={_github_property(printable(title))}::{words}\n"


def _github_place(path: str, span: Span | None, sources: Sources) -> str:
    place = f"file={_github_property(printable(path))}"
    if span is not None and span.path in sources:
        start = sources[span.path].position(span.start)
        end = sources[span.path].position(span.end)
        place += f",line={start.line},endLine={end.line},col={start.column}"
        if end.line == start.line:
            place += f",endColumn={end.column}"
    return place


def to_gitlab(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """Format findings as a Code Quality report of GitLab, without the waived ones.

    The format is that of https://docs.gitlab.com/ci/testing/code_quality/. A fingerprint does not
    depend on the line, so that a finding remains the same when lines above it are added.
    """
    severities = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.HINT: "info"}
    seen: Counter[tuple[str, ...]] = Counter()
    issues = []
    for d in diagnostics:
        if d.allowed_because is not None:
            continue
        told = [d.message, *([] if d.help is None else [f"help: {d.help}"])]
        told += [related.words for related in d.related if related.code]
        path = posixpath.normpath(printable(d.path))
        place = _range(d.span, sources)
        same = (path, d.code, d.message)
        seen[same] += 1
        identity = "\0".join((*same, str(seen[same]))).encode("utf-8", "surrogatepass")
        lines = {"begin": 1}
        if place is not None:
            lines = {"begin": place["start"]["line"], "end": place["end"]["line"]}
        issues.append(
            {
                "description": printable("; ".join(told)),
                "check_name": f"{d.code} {d.name}",
                "fingerprint": hashlib.sha256(identity).hexdigest(),
                "severity": severities[d.severity],
                "location": {"path": path, "lines": lines},
            }
        )
    return printable_json(issues, indent=2) + "\n"


def to_sarif(diagnostics: Sequence[Diagnostic], sources: Sources, *, version: str) -> str:
    """Format findings as SARIF 2.1.0, with columns in code points."""
    levels = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
    rules = sorted({d.code: d for d in diagnostics}.items())
    index = {code: i for i, (code, _) in enumerate(rules)}
    results = []
    for d in diagnostics:
        text = d.message if d.help is None else f"{d.message}; {d.help}"
        text += "".join(f". {related.words}" for related in d.related if related.code)
        result: dict[str, Any] = {
            "ruleId": d.code,
            "ruleIndex": index[d.code],
            "level": levels[d.severity],
            "message": {"text": printable(text)},
            "locations": [_sarif_location(d.path, d.span, sources)],
        }
        if d.related:
            result["relatedLocations"] = [
                {
                    **_sarif_location(r.span.path, r.span, sources),
                    "message": {"text": printable(r.words)},
                }
                for r in d.related
            ]
        if d.fixes:
            result["fixes"] = [_sarif_fix(fix, sources) for fix in d.fixes]
        if d.allowed_because is not None:
            result["suppressions"] = [
                {"kind": "inSource", "justification": printable(d.allowed_because)}
            ]
        results.append(result)
    driver = {
        "name": "evallang",
        "version": version,
        "rules": [
            {
                "id": code,
                "name": d.name,
                "shortDescription": {
                    "text": CODES[code].words.summary if code in CODES else d.name
                },
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
    return printable_json(document, indent=2) + "\n"


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
        "description": {"text": printable(fix.title)},
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


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def _uri(path: str) -> str:
    from urllib.parse import quote

    try:
        name = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate without a byte of a file name
        name = path.encode("utf-8", "surrogatepass")
    return ("file://" if path.startswith("/") else "") + quote(name)
