"""A check that takes lines from an earlier one finds what a check from the start finds."""

import random
from pathlib import Path

import pytest

from evallang.checking.check import check
from evallang.editor.parsed_lines import ParsedLines

EXAMPLES = sorted(Path("examples").glob("*.eval"))


def no_file(path):
    raise FileNotFoundError(2, "no such file", path)


@pytest.mark.parametrize("path", EXAMPLES[::3], ids=lambda path: path.stem)
def test_random_edits_are_checked_as_the_whole_text(path):
    text, draw, lines = path.read_text(encoding="utf-8"), random.Random(path.stem), ParsedLines()
    for _ in range(12):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.choice([0, 0, 1, 5, 40]))
        text = (
            text[:start]
            + draw.choice(["", "x", "\n", " ", '"', "model m = SVC\n", "[", "é"])
            + text[end:]
        )
        lines.begin()
        found, whole = (
            check("s.eval", text, no_file, parse_line=lines),
            check("s.eval", text, no_file),
        )
        assert found.diagnostics == whole.diagnostics
        assert repr(found.gathered.statements) == repr(whole.gathered.statements)  # and spans
        assert found.study == whole.study


def test_a_line_that_moves_keeps_its_node_and_its_finding():
    lines = ParsedLines()
    before = check("s.eval", "evallang 1\nmodle m = SVC\n", no_file, parse_line=lines)
    lines.begin()
    after = check(
        "s.eval", "# one line more\nevallang 1\nmodle m = SVC\n", no_file, parse_line=lines
    )
    (first,), (second,) = (
        [d for d in made.diagnostics if "modle" in d.message] for made in (before, after)
    )
    assert second.span.start == first.span.start + len("# one line more\n")
    assert second.fixes[0].edits[0].span == second.span
