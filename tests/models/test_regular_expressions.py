"""Regular expressions that could be matched without end are refused, ordinary ones are taken."""

import pytest

from evallang.models.catalogue import CATALOGUE, accepts
from evallang.models.regular_expressions import NESTED, objection


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$", "(a*)*b", "(a|ab)*c", "(?:a?){40}a{40}", "((ab)*c)+", "(x+x+)+y",
        "(?=(a+)+b)", "(a{1,9}){1,9}$", "(?:(?:a|b+)c)*d", "(?P<w>[a-z]+-?)+",
    ],
)  # fmt: skip
def test_a_repeat_of_a_repeat_or_of_a_choice_is_refused(pattern):
    assert objection(pattern) == NESTED


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?u)\b\w\w+\b", r"\b[a-zA-Z]{3,}\b", r"[A-Za-z]+(?:'[a-z]+)?", r"\d+|\w+", r"\S+",
        "(?:[a-z]++-)*+[a-z]+", "(?:ab)+c", "(?>a+)+", "(?:[ab])*",
    ],
)  # fmt: skip
def test_patterns_of_tokens_are_taken(pattern):
    assert objection(pattern) is None


def test_a_text_that_is_no_expression_is_refused():
    assert objection("(a").startswith("is not a regular expression")
    assert objection("(" * 5_000 + ")" * 5_000).startswith("is not a regular expression")


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
def test_vectorizers_are_asked(name):
    parameter = CATALOGUE[name].parameter("token_pattern")
    assert accepts(parameter, "(a+)+$") == NESTED
    assert accepts(parameter, r"\w+") is None
