"""Findings on a terminal break at blanks; in a file or a pipe each sentence is one line."""

import sys
from importlib import import_module

import pytest
from studies import checked

from evallang.cli import terminal
from evallang.diagnostics.text import to_text

STUDY = (
    'evallang 1\nstudy "s"\n  seed 1\ndata iris from sklearn iris\nmodel bayes = GaussianNB\n'
    "model tree = DecisionTreeClassifier\nprotocol repeated cv folds=5 times=2\n"
    "measure accuracy\ncompare with corrected_t\ncompare with mcnemar\nmesure accuracy\n"
)


@pytest.mark.parametrize("width", [30, 60, 80])
def test_sentences_break_at_blanks_and_say_the_same(width):
    found = checked(STUDY)
    whole = to_text(found.diagnostics, found.sources)
    broken = to_text(found.diagnostics, found.sources, width=width)
    assert broken.split() == whole.split()
    assert any(len(line) > width for line in whole.split("\n"))
    study = {f"{n} | {line}" for n, line in enumerate(STUDY.split("\n"), 1)}
    for line in broken.split("\n"):
        kept = line in study or " --> " in line or "^" in line
        assert kept or len(line) <= width or len(line.split()[-1]) > width - 20, line


@pytest.mark.parametrize("on_terminal", [True, False])
def test_the_width_is_that_of_the_terminal(on_terminal, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_terminal)
    found = checked(STUDY)
    import_module("evallang.cli.main")
    terminal.show(found.diagnostics, found.sources)
    width = 50 if on_terminal else None
    assert capsys.readouterr().err == to_text(found.diagnostics, found.sources, width=width) + "\n"
