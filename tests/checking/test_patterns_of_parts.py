"""What a name of files in parts may hold, and which clauses exclude each other."""

import pytest
from studies import checked

HEAD = "evallang 1\nstudy\n  seed 1\npredictions p from {}\n  truth truth\n  models a\n"


def errors(text):
    return [(d.code, d.message) for d in checked(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ('"p-{part.csv"', "`{` has no partner in the name of a file"),
        ('"p-part}.csv"', "`}` has no partner in the name of a file"),
        ('"p-{file}.csv"', "`{file}` has no meaning in the name of a file"),
        ('"{model}/{model}.csv"', "`{model}` is written twice in the name of a file"),
    ],
)
def test_braces_have_one_meaning(name, words):
    ((_, message),) = errors(HEAD.format(name))
    assert message == words
