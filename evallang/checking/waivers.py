"""`# evallang: allow RULE because ...`: warnings that the author accepts, with a reason."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evallang.checking.codes import WAIVER_OF_NOTHING, WAIVER_WITHOUT_REASON
from evallang.checking.codes_loaded import load_codes
from evallang.checking.include import Gathered
from evallang.diagnostics import CODES, Diagnostic, Severity, allowed, diagnose
from evallang.source import Span
from evallang.syntax.nodes import CommentNode

AFTER_READING = frozenset({"too_few_discordant_pairs", "gate_that_cannot_pass"})
"""Advice of the check that is asked again once the data are read."""
PATTERN = re.compile(
    r"#\s*evallang:\s*allow\s+(?P<rule>[\w-]+)(?P<file>\s+in\s+this\s+file)?"
    r"(?:\s+because\s+(?P<reason>.*\S))?\s*$"
)


@dataclass(frozen=True)
class Waiver:
    """One waiver: the rule's name, where it holds, and why."""

    rule: str
    reason: str
    span: Span
    lines: tuple[int, int] | None


def apply(found: list[Diagnostic], gathered: Gathered) -> list[Diagnostic]:
    """Mark what waivers silence; report those without reason and those for nothing.

    A waiver of advice that needs the data may have nothing to silence yet.
    """
    waivers, complaints = _read(gathered)
    used: set[Span] = set()
    marked = [_mark(item, waivers, gathered, used) for item in found]
    for waiver in waivers:
        if waiver.span not in used and not _needs_data(waiver.rule):
            complaints.append(
                diagnose(
                    WAIVER_OF_NOTHING, f"there is no `{waiver.rule}` to allow here", waiver.span
                )
            )
    return marked + complaints


def mark(found: Iterable[Diagnostic], gathered: Gathered) -> list[Diagnostic]:
    """Mark what waivers silence among findings that came later, when the data were read."""
    waivers, _ = _read(gathered)
    return [_mark(item, waivers, gathered, set()) for item in found]


def _needs_data(rule: str) -> bool:
    load_codes()
    code = next((code for code in CODES.values() if code.name == rule), None)
    return code is not None and (code.code >= "W4" or code.name in AFTER_READING)


def _read(gathered: Gathered) -> tuple[list[Waiver], list[Diagnostic]]:
    waivers: list[Waiver] = []
    complaints: list[Diagnostic] = []
    for comment in gathered.comments:
        match = PATTERN.match(comment.text)
        if match is None:
            continue
        rule = _rule_name(match["rule"])
        if match["reason"] is None:
            complaints.append(
                diagnose(
                    WAIVER_WITHOUT_REASON,
                    f"the waiver of `{rule}` gives no reason",
                    comment.span,
                    help=f"write `# evallang: allow {rule} because ...`",
                )
            )
            continue
        waivers.append(
            Waiver(
                rule,
                match["reason"],
                comment.span,
                None if match["file"] else _lines(comment, gathered),
            )
        )
    return waivers, complaints


def _rule_name(written: str) -> str:
    code = CODES.get(written.upper())
    return code.name if code else written.replace("-", "_")


def _lines(comment: CommentNode, gathered: Gathered) -> tuple[int, int]:
    """Give the lines a waiver holds for: its own, or the next one with text below it."""
    source = gathered.sources[comment.span.path]
    line = source.position(comment.span.start).line
    if not comment.own_line:
        return line, line
    below = line + 1
    while below < len(source.line_starts) and _is_comment(source.line(below)):
        below += 1
    return line, below


def _is_comment(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith("#")


def _mark(
    item: Diagnostic, waivers: Iterable[Waiver], gathered: Gathered, used: set[Span]
) -> Diagnostic:
    if item.severity is Severity.ERROR:
        return item
    for waiver in waivers:
        if waiver.rule != item.name or waiver.span.path != item.path:
            continue
        if waiver.lines is not None:
            if item.span is None:
                continue
            line = gathered.sources[item.path].position(item.span.start).line
            if not waiver.lines[0] <= line <= waiver.lines[1]:
                continue
        used.add(waiver.span)
        return allowed(item, waiver.reason)
    return item
