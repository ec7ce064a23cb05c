"""What must hold for any text at all: no exception, findings in the text, a format that settles."""

import json
import time

from evallang.checking.check import check
from evallang.diagnostics import CODES, has_errors
from evallang.diagnostics.formats import to_github, to_json, to_sarif
from evallang.diagnostics.text import to_text
from evallang.source import SourceFile
from evallang.syntax.formatter import format_parsed
from evallang.syntax.parser import parse_lines

from .inputs import corpus

MOST_SHOWN = 3_000  # findings; a message each is enough to know that the layouts hold


class Stopwatch:
    """Seconds of the processor that the longest of the steps took."""

    def __init__(self):
        self.longest = 0.0

    def time(self, step, *args):
        """Take a step, and note how long it took."""
        began = time.process_time()
        result = step(*args)
        self.longest = max(self.longest, time.process_time() - began)
        return result


def judge(text: str, watch: Stopwatch) -> None:
    """Check, lay out and format one text; raises `AssertionError`, or what the tool raised.

    The steps that the watch times are what an author waits for: a check, or a format.
    """
    found = watch.time(check, "study.eval", text, _read)
    assert (found.study is None) == has_errors(found.diagnostics)
    for item in found.diagnostics:
        assert item.code in CODES, item.code
        assert item.message and item.message[-1] not in ".!", item.message
        if item.span is not None:
            source = found.sources[item.span.path]
            assert 0 <= item.span.start <= item.span.end <= len(source.text), item
    watch.time(_lay_out, found.diagnostics[:MOST_SHOWN], found.sources)
    settles(text, watch)


def settles(text: str, watch: Stopwatch) -> None:
    """Formatting keeps the tree and the comments, and changes nothing the second time."""
    once, before = watch.time(_formatted, "study.eval", text)
    twice, after = watch.time(_formatted, "study.eval", once)
    assert twice == once, "formatting twice differs from once"
    assert after == before, "formatting changed the tree"
    comments = [sorted(c.text for c in tree.comments) for tree in (before, after)]
    assert comments[0] == comments[1], "formatting changed the comments"


def _formatted(path, text):
    source = SourceFile(path, text)
    read = parse_lines(source)
    return format_parsed(source, read), read.study


def _lay_out(shown, sources):
    to_text(shown, sources, colour=True).encode("utf-8")
    json.loads(to_json(shown, sources).encode("utf-8"))
    json.loads(to_sarif(shown, sources, version="0").encode("utf-8"))
    to_github(shown, sources).encode("utf-8")


def _read(path: str) -> str:
    """Stand in for files that a text includes: studies of the corpus, a circle, nothing."""
    if "missing" in path:
        raise FileNotFoundError(2, "No such file or directory", path)
    return corpus()[sum(map(ord, path)) % len(corpus())]
