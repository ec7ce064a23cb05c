"""The words that may follow at a place, without those that the checker would refuse there."""

import re
from functools import partial

from evallang.diagnostics import Diagnostic, Phase, codes
from evallang.editor.columns import columns
from evallang.editor.document import Document
from evallang.manual.glossary import Completion, complete
from evallang.syntax import nodes as n
from evallang.syntax.completion import WORD

JUDGED = ("test", "metric", "interval", "correction", "analysis")
"""Kinds of words that have to fit the data, the models and the protocol of a study."""
QUESTIONS = (n.CompareNode, n.RequireNode, n.AnalyzeNode, n.ExportNode, n.ReportNode)
"""Statements that do not decide what another one may ask for."""


def completions(document: Document, offset: int) -> tuple[Completion, ...]:
    """Return the words that may be at a place of a study, those that begin as typed.

    Where a column may be, the first lines of the data are read. Each test, metric, interval,
    correction and analysis is tried: what the checker refuses there is not offered, unless it
    refuses all of them for another reason.
    """
    place = document.source.position(offset)
    statements = document.study.checked.gathered.statements
    known = partial(columns, statements, document.path.parent)
    found = complete(document.text, place.line, place.column, known)
    judged = [item for item in found if item.kind in JUDGED]
    if not judged:
        return found
    typed = WORD.search(document.text[:offset])
    start = offset - len(typed.group()) if typed else offset
    text = _without_other_questions(document, offset)
    end = text.find("\n", offset)
    rest = "" if end < 0 else text[end:]
    begins = text.rfind("\n", 0, start) + 1
    refused = set()
    for item in judged:
        tried = document.check(text[:start] + item.text + rest)
        if any(_refuses(d, begins, start + len(item.text)) for d in tried.diagnostics):
            refused.add(item)
    if len(refused) == len(judged):
        return found
    return tuple(item for item in found if item not in refused)


def _without_other_questions(document: Document, offset: int) -> str:
    """Return the text with blanks for the statements that ask for something elsewhere."""
    text, path = document.text, document.study.path
    line = document.source.whole_line(offset)
    for node in document.study.checked.gathered.statements:
        span = node.span
        elsewhere = span.end < line.start or line.end < span.start
        if isinstance(node, QUESTIONS) and span.path == path and elsewhere:
            blank = re.sub(r"[^\n]", " ", text[span.start : span.end])
            text = text[: span.start] + blank + text[span.end :]
    return text


def _refuses(found: Diagnostic, start: int, end: int) -> bool:
    """Return whether a finding is an error of a line that no further word could correct."""
    if not found.is_error or found.span is None or not start <= found.span.start < end:
        return False
    return found.phase is not Phase.TEXT and found.code != codes.missing_option.code
