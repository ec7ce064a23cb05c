"""Every regular expression of the package takes time in proportion to the length of a text."""

import subprocess
import sys
from pathlib import Path

import pytest

from evallang.printable import printable, without_credentials

MADE_OF_OTHERS = {
    "evallang.checking.check": "names of the catalogue",
    "evallang.data.path_patterns": "the words of a path, of which it has one",
    "evallang.models.regular_expressions": "one character or set of what `re` has compiled",
    "evallang.reporting.formats.works": "one set of characters",
    "evallang.reporting.letter_case": "names of models, escaped",
    "evallang.reporting.wording": "one of two nouns",
    "evallang.results.bibtex_entries": "names of commands",
    "evallang.syntax.slips": "the rows of its table, searched in a few hundred characters",
}
"""Modules with an expression that is made of arguments, and of what."""


@pytest.mark.slow
def test_no_expression_needs_more_than_a_few_looks_at_each_character():
    program = Path(__file__).with_name("expressions.py")
    words = [sys.executable, str(program)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3000, check=True)
    *made, line = done.stdout.splitlines()
    assert line.startswith("control search")
    assert made == [f"made of others {module}" for module in sorted(MADE_OF_OTHERS)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://user:pass@host/x", "s3://*********@host/x"),
        ("s3://id:se/cr@et@host/x", "s3://***********@host/x"),
        ("https://host:80/a@b", "https://host:80/a@b"),
        ("https://a@b://c:d@e", "https://*@b://***@e"),
        ("https://h/x?apikey=a?b=c#d&n=1&Token=z", "https://h/x?apikey=*****#d&n=1&Token=*"),
        ("see https://u:p@h, 'ftp://v:q@h'", "see https://***@h, 'ftp://***@h'"),
        ("https://h/?Token=pw:/@key@2;x", "https://h/?Token=**********;x"),
    ],
)
def test_users_passwords_and_keys_become_stars(text, shown):
    assert without_credentials(text) == shown


@pytest.mark.parametrize("unit", ["://", "://a:", "?key", "&key=", "@", ":1", "\u05d0", "##a"])
def test_long_labels_are_printed(unit):
    printable("://" + unit * 300_000)
