"""Regular expressions that could be matched without end are refused, ordinary ones are taken."""

import re

import pytest
from many_cases import for_each

from evallang.models.catalogue import CATALOGUE, accepts
from evallang.models.regular_expressions import ADJACENT, NESTED, objection


@for_each(
    "pattern",
    [
        "(a+)+$", "(a*)*b", "(a|ab)*c", "(?:a?){40}a{40}", "((ab)*c)+", "(x+x+)+y",
        "(?=(a+)+b)", "(a{1,9}){1,9}$", "(?:(?:a|b+)c)*d", "(?P<w>[a-z]+-?)+",
        r"(\w+\s*)+:", "(?>(a+)+b)", "(?:(a+)+b)*+", "(?:é|.)*:", "(?:a|[^b])+:",
    ],
)  # fmt: skip
def test_a_repeat_of_a_repeat_or_of_a_choice_is_refused(pattern):
    assert objection(pattern) == NESTED


@for_each(
    "pattern",
    [
        r"\w*\w*:", r"\w+\s*\w+\s*:", ".*.*a", r"\w+\d\w+:", "[a-z]+[k-p]{1,50}:", "x+x+y",
        r"(?:\w+|\d)[^-]+:", "(?i)[a-z]+[A-Z]+:", "(?i:[a-z]+[A-Z]+):", r"(?=\w+\w+:)",
        r"(?>\w+\w+:)",
        "漢+[^b]*漢+c", "[α-ω]+[α-δ]+:", "a?" * 30 + "a" * 30, r"\w{0,9}\w{0,9}:",
    ],
)  # fmt: skip
def test_repeats_that_share_their_characters_are_refused(pattern):
    assert objection(pattern) == ADJACENT


@pytest.mark.parametrize("size", [30, 100_000])
@pytest.mark.parametrize("pattern", [r"\w*+\w*+:", r"[a-z]++[0-9]+:", "(?>a+)+b"])
def test_what_the_refusals_propose_ends_on_long_texts(pattern, size):
    assert objection(pattern) is None
    assert re.match(pattern, "a" * size) is None  # from one place; a search tries each


@for_each(
    "pattern",
    [
        r"\w+-\w+", r"\w+@\w+\.[a-z]+", "[A-Z]+[a-z]+", r"\d+(?:[.,]\d+)?", r"#\w+|@\w+|\w+",
        "[^,;]+", r"[^\W\d_]+", r"\w+(?:-\w+)?",
        r"(?u)\b\w\w+\b", r"\b[a-zA-Z]{3,}\b", r"[A-Za-z]+(?:'[a-z]+)?", r"\d+|\w+", r"\S+",
        "(?:[a-z]++-)*+[a-z]+", "(?:ab)+c", "(?>a+)+", "(?:[ab])*",
    ],
)  # fmt: skip
def test_patterns_of_tokens_are_taken(pattern):
    assert objection(pattern) is None


def test_white_space_in_an_expression_is_refused():
    assert objection("(?x) a+ # letters").startswith("has the flag `x`")
    assert objection(r"(?P<x>\(\?x\))") is None


def test_a_text_that_is_no_expression_is_refused():
    assert objection("(a").startswith("is not a regular expression")
    assert objection("(?<=a+)b").startswith("is not a regular expression")
    assert objection("(" * 5_000 + ")" * 5_000).startswith("is not a regular expression")


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
def test_vectorizers_are_asked(name):
    parameter = CATALOGUE[name].parameter("token_pattern")
    assert accepts(parameter, "(a+)+$") == NESTED
    assert accepts(parameter, r"\w+") is None
