"""Every guess of error recovery reads its example as meant, and is needed for it."""

import pytest
from many_cases import for_each

from evallang.source import SourceFile
from evallang.syntax import assembly, repair, unexpected_characters
from evallang.syntax.parser import parse

from .reading import fixed

GUESSES = [
    pytest.param(guesses, known, id=known.guess.__name__)
    for guesses in ("OF_LINES", "OF_TOKENS")
    for known in getattr(repair, guesses)
]
ONLY_NAMED = {
    *("compared_outcomes", "level_of_a_test", "name_missing", "number_alone", "pairs_of_all"),
    "reserved_word",
}
"""Guesses that tell what is wrong: what to write is the author's decision."""
NOT_FIXED = {"brackets_around_one_value", "step_or_log_missing"}
"""Guesses that read a line in one of two ways."""


def parsed(text):
    return parse(SourceFile("study.eval", f"evallang 1\n{text}\n"))


@for_each(("guesses", "known"), GUESSES)
def test_the_right_line_is_sound_and_the_wrong_one_has_one_error(guesses, known):
    assert parsed(known.right)[1] == ()
    assert len(parsed(known.wrong)[1]) == 1


@for_each(("guesses", "known"), GUESSES)
def test_a_guess_reads_the_wrong_line_as_the_right_one(guesses, known):
    name = known.guess.__name__
    (found,) = parsed(known.wrong)[1]
    if name in ONLY_NAMED:
        assert not found.fixes
        assert found.help
        return
    if name in NOT_FIXED:
        assert not found.fixes
    else:
        assert fixed(f"evallang 1\n{known.wrong}\n") == f"evallang 1\n{known.right}\n"
    if name != "clause_beside":
        assert parsed(known.wrong)[0] == parsed(known.right)[0]


@for_each(("guesses", "known"), GUESSES)
def test_without_the_guess_something_else_would_be_said(guesses, known, monkeypatch):
    before = parsed(known.wrong)
    others = tuple(other for other in getattr(repair, guesses) if other is not known)
    monkeypatch.setattr(repair, guesses, others)
    after = parsed(known.wrong)
    assert (after[0], after[1]) != (before[0], before[1])


CHARACTERS = [pytest.param(k, id=k.guess.__name__) for k in unexpected_characters.GUESSES]


@for_each("known", CHARACTERS)
def test_a_character_that_does_not_fit_is_taken_for_what_it_was_meant_for(known, monkeypatch):
    assert parsed(known.right)[1] == ()
    (found,) = (d for d in parsed(known.wrong)[1] if d.name == "unexpected_character")
    others = tuple(other for other in unexpected_characters.GUESSES if other is not known)
    monkeypatch.setattr(unexpected_characters, "GUESSES", others)
    (after,) = (d for d in parsed(known.wrong)[1] if d.name == "unexpected_character")
    assert found.help
    assert after.help != found.help


HABITS = [pytest.param(habit, id=habit.advice.__name__) for habit in repair.HABITS]


@for_each("habit", HABITS)
def test_a_habit_of_another_language_has_advice_of_its_own(habit, monkeypatch):
    assert parsed(habit.right)[1] == ()
    (found,) = parsed(habit.wrong)[1]
    monkeypatch.setattr(repair, "HABITS", tuple(h for h in repair.HABITS if h is not habit))
    (after,) = parsed(habit.wrong)[1]
    assert found.help
    assert after.help != found.help


JOINS = [pytest.param(join, id=join.guess.__name__) for join in assembly.JOINS]


@pytest.mark.parametrize("join", JOINS)
def test_a_line_is_read_with_the_one_above(join, monkeypatch):
    assert parsed(join.right)[1] == ()
    (found,) = parsed(join.wrong)[1]
    monkeypatch.setattr(assembly, "JOINS", tuple(j for j in assembly.JOINS if j is not join))
    assert parsed(join.wrong)[1] != (found,)
