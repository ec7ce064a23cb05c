"""What must hold for any text at all: no exception, findings in the text, a format that settles."""

import json

from evallang.checking.check import check
from evallang.diagnostics import CODES, has_errors
from evallang.diagnostics.formats import to_github, to_json, to_sarif
from evallang.diagnostics.text import to_text
from evallang.source import SourceFile
from evallang.syntax.formatter import format_parsed
from evallang.syntax.parser import parse_lines

from .inputs import corpus

MOST_SHOWN = 3_000  # findings; a message each is enough to know that the layouts hold


def judge(text: str) -> None:
    """Check, lay out and format one text; raises `AssertionError`, or what the tool raised."""
    found = check("study.eval", text, _read)
    assert (found.study is None) == has_errors(found.diagnostics)
    for item in found.diagnostics:
        assert item.code in CODES, item.code
        assert item.message and item.message[-1] not in ".!", item.message
        if item.span is not None:
            source = found.sources[item.span.path]
            assert 0 <= item.span.start <= item.span.end <= len(source.text), item
    shown = found.diagnostics[:MOST_SHOWN]
    to_text(shown, found.sources, colour=True).encode("utf-8")
    json.loads(to_json(shown, found.sources).encode("utf-8"))
    json.loads(to_sarif(shown, found.sources, version="0").encode("utf-8"))
    to_github(shown, found.sources).encode("utf-8")
    settles(text)


def settles(text: str) -> None:
    """Formatting keeps the tree and the comments, and changes nothing the second time."""
    source = SourceFile("study.eval", text)
    read = parse_lines(source)
    once = SourceFile("study.eval", format_parsed(source, read))
    again = parse_lines(once)
    assert format_parsed(once, again) == once.text, "formatting twice differs from once"
    before, after = read.study, again.study
    assert after == before, "formatting changed the tree"
    comments = [sorted(c.text for c in tree.comments) for tree in (before, after)]
    assert comments[0] == comments[1], "formatting changed the comments"


def _read(path: str) -> str:
    """Stand in for files that a text includes: studies of the corpus, a circle, nothing."""
    if "missing" in path:
        raise FileNotFoundError(2, "No such file or directory", path)
    return corpus()[sum(map(ord, path)) % len(corpus())]
