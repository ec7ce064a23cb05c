"""What is found in faulty programs, in short form, kept as golden files beside them.

`UPDATE_MESSAGES=1 pytest tests/syntax/test_messages.py` writes them anew; read the diff.
"""

import os
from pathlib import Path

from many_cases import for_each
from short_form import short

from evallang.diagnostics import codes
from evallang.source import SourceFile
from evallang.syntax.formatter import format_source
from evallang.syntax.parser import parse

from .reading import TESTS, fixed

PROGRAMS = sorted((TESTS / "messages" / "syntax").glob("*.eval"))
all_programs = for_each("path", PROGRAMS, ids=lambda path: path.stem)


def load(path: Path) -> SourceFile:
    return SourceFile(path.name, path.read_bytes().decode())


@all_programs
def test_what_is_found_is_as_agreed(path: Path) -> None:
    source = load(path)
    shown = "".join(short(d, {source.path: source}) for d in parse(source)[1])
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_MESSAGES"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@all_programs
def test_a_safe_fix_mends_what_it_was_offered_for(path: Path) -> None:
    source = load(path)
    found = parse(source)[1]
    mended = [d for d in found if any(fix.safe for fix in d.fixes)]
    rest = parse(SourceFile(source.path, fixed(source.text)))[1]
    assert len(rest) <= len(found) - len(mended)


@all_programs
def test_faulty_programs_are_formatted_without_loss(path: Path) -> None:
    source = load(path)
    once = SourceFile(source.path, format_source(source))
    assert format_source(once) == once.text
    tabs = codes.tabs.code  # they go, but for those on faulty lines
    before = [d.code for d in parse(source)[1] if d.code != tabs]
    assert [d.code for d in parse(once)[1] if d.code != tabs] == before
    assert parse(once)[0] == parse(source)[0]


def test_messages_are_lower_case_sentences_without_a_stop() -> None:
    for path in PROGRAMS:
        for d in parse(load(path))[1]:
            assert not d.message.endswith((".", "!")), d.message
            assert d.message[0] == "`" or d.message[0].islower() or d.message[:2] == "U+"
            assert "invalid" not in d.message
            assert "please" not in d.message
