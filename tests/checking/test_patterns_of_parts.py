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
        ('"p-{file}.csv"', "`{file}` is unknown in the name of a file"),
        ('"{part}/{part}.csv"', "`{part}` is written twice in the name of a file"),
    ],
)
def test_braces_have_one_meaning(name, words):
    ((_, message),) = errors(HEAD.format(name))
    assert message == words


@pytest.mark.parametrize(
    ("clauses", "words"),
    [
        ("  reader r\n  repeat k\n", "`reader` and `repeat` do not go together"),
        ("  reader r\n  fold k\n", "`reader` and `fold` do not go together"),
        ("  reader r random\n  weight w\n", "`reader COLUMN random` counts every example once"),
        ("  event e\n  positive yes\n", "`event` and `positive` do not go together"),
        ("  event e\n  query q\n", "`event` and `query` do not go together"),
        ("  query q\n  weight w\n", "`query` and `weight` do not go together"),
        ("  query q\n  threshold a = 0.5\n", "`query` and `threshold` do not go together"),
        ("  rows all\n", "`rows` takes `common`"),
    ],
)
def test_clauses_that_exclude_each_other(clauses, words):
    found = errors(HEAD.format('"p.csv"') + clauses)
    assert any(message.startswith(words) for _, message in found), found
