"""The grammar is free of conflicts, and the shipped table is that grammar."""

import json
import pkgutil
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from evallang.syntax import parse_table as tables
from evallang.syntax.language import RESERVED, STATEMENTS, clause_words, connectives
from evallang.syntax.logical_lines import DEEPEST
from evallang.syntax.node_builder import action
from evallang.syntax.parse_table import compiled, parse_table, write
from evallang.syntax.scanner import PUNCTUATION

GRAMMAR = (files("evallang.grammar") / "evallang.lark").read_bytes()


@pytest.fixture(autouse=True)
def fresh_table():
    parse_table.cache_clear()
    yield
    parse_table.cache_clear()


def test_the_grammar_has_no_conflict() -> None:
    compiled(GRAMMAR)  # `strict=True`: any conflict raises


def test_a_conflict_would_be_noticed() -> None:
    ambiguous = GRAMMAR.replace(b"?after_test: before_test", b"?after_test: before_test | column")
    assert ambiguous != GRAMMAR
    with pytest.raises(Exception, match="collision"):
        compiled(ambiguous)


def test_no_rule_is_empty_and_each_has_its_builder() -> None:
    for rule in parse_table().rules:
        assert rule.size > 0
        assert not rule.action or rule.transparent or action(rule.action) is not None


def test_signs_are_named_alike_by_grammar_and_lexer() -> None:
    signs = {word: name for word, name in parse_table().words.items() if not word.isalpha()}
    assert {word: name for word, name in PUNCTUATION.items() if name != "OPERATOR"} == signs


def test_the_words_of_the_grammar_are_known_as_data() -> None:
    keywords = {word for word in parse_table().words if word.isalpha()}
    first_words = {*STATEMENTS, *clause_words()}
    assert first_words | connectives() >= RESERVED
    assert set(STATEMENTS) <= keywords
    assert keywords - first_words <= connectives()


def test_a_saved_table_is_read_back_as_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evallang.lark").write_bytes(GRAMMAR)
    saved = write(tmp_path)
    monkeypatch.setattr(pkgutil, "get_data", lambda _, name: (tmp_path / name).read_bytes())
    monkeypatch.setattr(tables, "compiled", lambda _: pytest.fail("the saved table is fresh"))
    assert parse_table().words["from"] == "FROM"
    assert json.loads(saved.read_text())["grammar"] == tables._fingerprint(GRAMMAR)


@pytest.mark.parametrize("saved", [None, b'{"grammar": "of yesterday"}'])
def test_a_missing_or_stale_table_is_compiled_in_memory(
    saved: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def get_data(_: str, name: str) -> bytes:
        if name.endswith(".lark"):
            return GRAMMAR
        if saved is None:
            raise FileNotFoundError(name)
        return saved

    monkeypatch.setattr(pkgutil, "get_data", get_data)
    assert parse_table().starts.keys() == {"statement", "clause"}


def test_compiling_twice_gives_the_same_table() -> None:
    program = (
        "import hashlib, json; from importlib.resources import files;"
        "from evallang.syntax.parse_table import compiled;"
        "grammar = (files('evallang.grammar') / 'evallang.lark').read_bytes();"
        "print(hashlib.sha256(json.dumps(compiled(grammar)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_reading_a_study_imports_neither_lark_nor_numpy() -> None:
    program = (
        "import sys; from evallang.source import SourceFile;"
        "from evallang.syntax.formatter import format_source;"
        "from evallang.syntax.parser import parse;"
        "source = SourceFile('s', 'measure accuracy');"
        "parse(source), format_source(source);"
        "print(sorted({'lark', 'numpy'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(re.findall(r"'(\w+)'", run.stdout))
    shipped = (files("evallang.grammar") / "evallang.table").is_file()
    assert not loaded & ({"lark", "numpy"} if shipped else {"numpy"})


def test_the_deepest_nesting_is_far_from_the_limit_of_python() -> None:
    assert sys.getrecursionlimit() > 8 * DEEPEST
