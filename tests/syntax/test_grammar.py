"""The grammar is free of conflicts, and its words are those of the table of the language."""

import sys
from importlib.resources import files

import pytest
from lark import Lark

from evallang.syntax import line_parser
from evallang.syntax.language import RESERVED, STATEMENTS, clause_words
from evallang.syntax.line_parser import connectives, grammar, terminals
from evallang.syntax.logical_lines import DEEPEST
from evallang.syntax.scanner import PUNCTUATION
from evallang.syntax.tree import makes

GRAMMAR = (files("evallang.grammar") / "evallang.lark").read_text(encoding="utf-8")


def test_a_conflict_would_be_noticed() -> None:
    ambiguous = GRAMMAR.replace("?after_test: before_test", "?after_test: before_test | column")
    assert ambiguous != GRAMMAR
    with pytest.raises(Exception, match="collision"):
        Lark(ambiguous, parser="lalr", lexer=line_parser._NoLexer, start="statement", strict=True)


def test_no_rule_is_empty_and_each_has_its_builder() -> None:
    for rule in grammar().rules:
        assert rule.expansion
        name = rule.alias or rule.origin.name
        inlined = rule.origin.name.startswith("_") or (rule.options.expand1 and not rule.alias)
        assert inlined or makes(name)


def test_signs_are_named_alike_by_grammar_and_lexer() -> None:
    signs = {
        word: name for word, name in terminals().items() if not word.replace("_", "").isalpha()
    }
    assert {word: name for word, name in PUNCTUATION.items() if name != "OPERATOR"} == signs


def test_the_words_of_the_grammar_are_known_as_data() -> None:
    keywords = {word for word in terminals() if word.isalpha()}
    first_words = {*STATEMENTS, *clause_words()}
    assert first_words | connectives() >= RESERVED
    assert set(STATEMENTS) <= keywords
    assert keywords - first_words <= connectives()


def test_the_deepest_nesting_is_far_from_the_limit_of_python() -> None:
    assert sys.getrecursionlimit() > 8 * DEEPEST
