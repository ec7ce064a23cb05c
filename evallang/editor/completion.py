"""The words that may follow at a place, without those that the checker would refuse there."""

import re
from collections.abc import Iterable
from functools import partial

from evallang.checking.resolve_models import AT_THE_END, BEFORE_THE_END
from evallang.diagnostics import Diagnostic, Phase, codes
from evallang.editor.columns import columns
from evallang.editor.document import Document
from evallang.manual.glossary import Completion, complete, members
from evallang.models.catalogue import CATALOGUE
from evallang.source import SourceFile, Span
from evallang.syntax import nodes as n
from evallang.syntax.completion import WORD

JUDGED = ("test", "metric", "interval", "correction", "analysis")
"""Kinds of words that have to fit the data, the models and the protocol of a study."""
OTHER_TASK = {"classification": "regressor", "regression": "classifier"}
"""The kind of classes that predict something else."""
SAMPLES = {"int": "1", "float": "0.5", "list": "[[0, 1], [1, 0]]"}
"""A value of a required option, by its type; without it a member is not judged further."""
OPTION_CODES = (codes.missing_option.code, codes.option_value.code)
QUESTIONS = (n.CompareNode, n.RequireNode, n.AnalyzeNode, n.ExportNode, n.ReportNode)
"""Statements that do not decide what another one may ask for."""


def completions(document: Document, path: str, offset: int) -> tuple[Completion, ...]:
    """Return the words that may be at a place of a file of a study, those that begin as typed.

    Where a column may be, the first lines of the data are read. Each test, metric, interval,
    correction and analysis is tried: what the checker refuses there is not offered, unless it
    refuses all of them for another reason.
    """
    source = document.study.checked.sources[path]
    place = source.position(offset)
    statements = document.study.checked.gathered.statements
    known = partial(columns, statements, document.path.parent)
    found = complete(source.text, place.line, place.column, known, statements)
    task = document.study.checked.resolved.task
    goes_on = source.text[offset:].lstrip(" ").startswith("|")
    found = tuple(item for item in found if _fits_pipeline(item, task, goes_on=goes_on))
    judged = [item for item in found if item.kind in JUDGED]
    if not judged:
        return found
    typed = WORD.search(source.text[:offset])
    start = offset - len(typed.group()) if typed else offset
    text = _without_other_questions(statements, source, offset)
    end = text.find("\n", offset)
    rest = "" if end < 0 else text[end:]
    begins = text.rfind("\n", 0, start) + 1
    refused = set()
    for item in judged:
        written = _with_options(item)
        tried = document.check_with(path, text[:start] + written + rest)
        line = Span(path, begins, start + len(written))
        if any(_refuses(d, line) for d in tried.diagnostics):
            refused.add(item)
    if len(refused) == len(judged):
        return found
    return tuple(item for item in found if item not in refused)


def _without_other_questions(
    statements: Iterable[n.StatementNode], source: SourceFile, offset: int
) -> str:
    """Return the text with blanks for the statements that ask for something elsewhere."""
    text, line = source.text, source.whole_line(offset)
    for node in statements:
        span = node.span
        elsewhere = span.end < line.start or line.end < span.start
        if isinstance(node, QUESTIONS) and span.path == source.path and elsewhere:
            blank = re.sub(r"[^\n]", " ", text[span.start : span.end])
            text = text[: span.start] + blank + text[span.end :]
    return text


def _refuses(found: Diagnostic, line: Span) -> bool:
    """Return whether a finding is an error of a line that no further word could correct."""
    at = found.span
    if not found.is_error or at is None or at.path != line.path:
        return False
    inside = line.start <= at.start < line.end
    return inside and found.phase is not Phase.TEXT and found.code not in OPTION_CODES


def _fits_pipeline(item: Completion, task: str | None, *, goes_on: bool) -> bool:
    """Return whether a class may be a step, and the last one unless the pipeline goes on."""
    known = CATALOGUE.get(item.text) if item.kind == "model" else None
    if known is None or known.kinds & BEFORE_THE_END:
        return True
    return not goes_on and bool(known.kinds & AT_THE_END - {OTHER_TASK.get(task or "", "")})


def _with_options(item: Completion) -> str:
    """Return a word as a study has it: with the options that the author must write."""
    options = [
        f"{option.name}={SAMPLES[option.types[0]]}"
        for entry in members(item.text)
        if entry.kind == item.kind
        for option in entry.options
        if option.required and option.types[0] in SAMPLES
    ]
    return f"{item.text}({', '.join(options)})" if options else item.text
