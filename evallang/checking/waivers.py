"""`# evallang: allow RULE because ...`: warnings that the author accepts, with a reason."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct

from evallang.checking.include import Gathered
from evallang.checking.rules.rule import load_codes
from evallang.checking.scope import refusal
from evallang.diagnostics import (
    CODES,
    Code,
    Diagnostic,
    Phase,
    Severity,
    allowed,
    current_name,
    has_errors,
)
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax.nodes import CommentNode, EvallangNode

PATTERN = re.compile(
    r"#\s*evallang:\s*allow\s+(?P<rule>[\w-]+)(?P<file>\s+in\s+this\s+file)?"
    r"(?:\s+because(?:\s+(?P<reason>.*\S))?)?\s*$"
)
MEANT = re.compile(
    r"#\s*(?P<name>[\w-]{6,12})(?::\s*|\s+(?=allow\s+(?:[EW][0-9]{3}\b|\w+_\w+)))(?P<rest>.*)"
)
"""A comment that may be meant for evallang; the name tells."""
OF_DATA = frozenset({Phase.DATA, Phase.MEANING, Phase.SPLITS, Phase.RESULTS})
"""What nobody knows before the data are read."""


class Waiver(Struct, frozen=True):
    """One waiver: the rule's name, where it holds, and why."""

    rule: str
    reason: str
    span: Span
    lines: tuple[int, int] | None


def apply(
    found: list[Diagnostic], gathered: Gathered, later: Collection[str] = ()
) -> list[Diagnostic]:
    """Mark what waivers silence; report those without reason and those for nothing.

    A waiver of advice that needs the data, or of the rules `later`, may have nothing to
    silence yet. While the study has an error, advice may only be waiting.
    """
    waivers, complaints = _read(gathered)
    waiting = has_errors(found)

    def due(waiver: Waiver) -> bool:
        return not (waiting or waiver.rule in later or _phase(waiver) in OF_DATA)

    marked, idle = _applied(found, waivers, gathered, due)
    return [*marked, *complaints, *idle]


def canonical(comment: str) -> str:
    """Spell a waiver with the name of its rule, where its code is written; others stay."""
    match = PATTERN.match(comment)
    if match is None:
        return comment
    load_codes()
    start, end = match.span("rule")
    return comment[:start] + _rule_name(match["rule"]) + comment[end:]


def mark(found: Iterable[Diagnostic], gathered: Gathered) -> list[Diagnostic]:
    """Mark what waivers silence among findings that came later, when the data were read."""
    return _applied(found, _read(gathered)[0], gathered, lambda waiver: False)[0]


def unused_after_reading(
    found: Iterable[Diagnostic], gathered: Gathered, later: Collection[str] = ()
) -> list[Diagnostic]:
    """Report the waivers of advice on data that had nothing to silence.

    `found` is everything found by the check and in the data, none of which is an error.
    """
    of_data = OF_DATA - {Phase.RESULTS}

    def due(waiver: Waiver) -> bool:
        return waiver.rule in later or _phase(waiver) in of_data

    return _applied(found, _read(gathered)[0], gathered, due)[1]


def mark_after_run(found: Iterable[Diagnostic], gathered: Gathered) -> list[Diagnostic]:
    """Mark what waivers silence among findings in the results, and report those for nothing."""
    waivers = [waiver for waiver in _read(gathered)[0] if _phase(waiver) is Phase.RESULTS]
    marked, idle = _applied(found, waivers, gathered, lambda waiver: True)
    return [*marked, *idle]


def _phase(waiver: Waiver) -> Phase | None:
    code = _code_called(waiver.rule)
    return None if code is None else code.phase


def _code_called(rule: str) -> Code | None:
    load_codes()
    return next((code for code in CODES.values() if code.name == rule), None)


def _read(gathered: Gathered) -> tuple[list[Waiver], list[Diagnostic]]:
    waivers: list[Waiver] = []
    complaints: list[Diagnostic] = []
    for comment in gathered.comments:
        match = PATTERN.match(comment.text)
        if match is None:
            complaints += _misspelt(comment)
            continue
        rule = _rule_name(match["rule"])
        refused = _refusal(rule, bool(match["file"]), comment, gathered)
        if refused is not None:
            complaints.append(refused)
        elif match["reason"] is None:
            complaints.append(
                refusal(
                    "no_reason",
                    comment.span,
                    rule=rule,
                    where=" in this file" if match["file"] else "",
                )
            )
        else:
            lines = None if match["file"] else _lines(comment, gathered)
            waivers.append(Waiver(rule, match["reason"], comment.span, lines))
    return waivers, complaints


def _misspelt(comment: CommentNode) -> list[Diagnostic]:
    """Report a comment that is meant as a waiver but is not one."""
    meant = MEANT.match(comment.text)
    if meant is None or closest(meant["name"], ["evallang"]) is None:
        return []
    asks = (meant["rest"].split(maxsplit=1) or [""])[0]
    if meant["name"] != "evallang" and closest(asks, ["allow"]) is None:
        return []
    return [refusal("misspelt_waiver", comment.span)]


def _refusal(
    rule: str, of_file: bool, comment: CommentNode, gathered: Gathered
) -> Diagnostic | None:
    """Explain why nothing can be allowed so: no such rule, an error, a waiver too late."""
    code = _code_called(rule)
    statements = gathered.parsed[comment.span.path].study.statements
    first = next((s for s in statements if not isinstance(s, EvallangNode)), None)
    if code is None:
        near = closest(rule, [known.name for known in CODES.values() if known.waivable])
        meant = f"did you mean `{near}`?" if near else None
        return refusal("waiver_of_no_rule", comment.span, help=meant, rule=rule)
    if code.severity is Severity.ERROR:
        return refusal("waiver_of_error", comment.span, rule=rule)
    if not code.waivable:
        return refusal("waiver_of_results", comment.span, rule=rule)
    if of_file and first is not None and first.span.start < comment.span.start:
        return refusal("late_waiver", comment.span)
    return None


def _rule_name(written: str) -> str:
    code = CODES.get(written.upper())
    return code.name if code else current_name(written.replace("-", "_"))


def _lines(comment: CommentNode, gathered: Gathered) -> tuple[int, int]:
    """Return the lines a waiver holds for: its own, or the next one with text below it."""
    source = gathered.sources[comment.span.path]
    line = source.position(comment.span.start).line
    if not comment.own_line:
        return line, line
    below = line + 1
    while below < len(source.line_starts):
        text = source.line(below).strip()
        if text and not text.startswith("#"):
            break
        below += 1
    return line, below


def _extent(span: Span, gathered: Gathered) -> tuple[int, int]:
    """Return the first and last line of what a finding is about: of its whole clause at least."""
    source = gathered.sources[span.path]
    start, last = span.start, max(span.start, span.end - 1)
    clauses = gathered.parsed[span.path].lines
    i = bisect_right(clauses, start, key=lambda clause: clause.start) - 1
    if i >= 0 and start <= clauses[i].end:
        start, last = min(start, clauses[i].start), max(last, clauses[i].end - 1)
    return source.position(start).line, source.position(last).line


def _applied(
    found: Iterable[Diagnostic],
    waivers: Sequence[Waiver],
    gathered: Gathered,
    due: Callable[[Waiver], bool],
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Mark what is allowed, for the whole file first; report what was `due` and idle."""
    used: set[Span] = set()
    by_rule: dict[tuple[str, str], list[Waiver]] = {}
    for waiver in sorted(waivers, key=lambda waiver: waiver.lines is not None):
        by_rule.setdefault((waiver.span.path, waiver.rule), []).append(waiver)
    marked: list[Diagnostic] = []
    for item in found:
        mine = by_rule.get((item.path, item.name), ())
        first, last = _extent(item.span, gathered) if mine and item.span else (0, -1)
        fits = next(
            (w for w in mine if w.lines is None or w.lines[0] <= last >= first <= w.lines[1]), None
        )
        if fits is not None and item.severity is not Severity.ERROR:
            used.add(fits.span)
            item = allowed(item, fits.reason)
        marked.append(item)
    elsewhere = {item.name for item in marked if item.allowed_because is None}
    idle = (waiver for waiver in waivers if waiver.span not in used and due(waiver))
    return marked, [
        refusal(
            "waiver_elsewhere" if waiver.rule in elsewhere else "idle_waiver",
            waiver.span,
            rule=waiver.rule,
        )
        for waiver in idle
    ]
