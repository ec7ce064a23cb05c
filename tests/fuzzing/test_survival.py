"""A few of the inputs of `make fuzz`, and those that once went wrong, by what they are."""

import pytest
from many_cases import for_each
from studies import checked

from evallang.source import SourceFile
from evallang.syntax.formatter import format_source
from evallang.syntax.logical_lines import lay_out

from .inputs import KINDS, text_of
from .judging import Stopwatch, judge

SOME = 150


def test_inputs_that_nobody_means_give_findings_or_a_study():
    kinds = set()
    for number in range(SOME):
        kind, text = text_of(number)
        if len(text) < 20_000:  # the long ones are for `make fuzz`
            kinds.add(kind)
            judge(text, Stopwatch())
    assert kinds >= set(KINDS) - {"long"}


def test_an_input_is_the_same_each_time():
    assert [text_of(n) for n in range(20)] == [text_of(n) for n in range(20)]


@for_each(
    "text",
    [
        pytest.param("\u0301name", id="a mark that begins a name"),
        pytest.param("measure columns(a: b)", id="a step where a metric stands"),
        pytest.param("compare a, b with columns(a: b) by columns(c: d)", id="steps as tests"),
        pytest.param("analyze columns(a: b)\ntune by columns(a: b)", id="steps as analyses"),
        pytest.param("? x\n\r\r\n\n!y\n\r", id="carriage returns on lines of their own"),
        pytest.param("model a = B(\r\r\n)", id="a line that ends in two carriage returns"),
        pytest.param("model a = B( \r\t \r\n)", id="blanks among carriage returns"),
        pytest.param('include "\ud800.eval"', id="a path that no file can have"),
        pytest.param("\x00dule x", id="a NUL before a word like a statement's"),
        pytest.param("require a better than b at 1/0", id="a division by zero"),
        pytest.param("require a better than b by " + "9" * 400, id="a number beyond floats"),
        pytest.param("model a = SVC(C=1e999999999)", id="an exponent that would fill the memory"),
        pytest.param("protocol holdout test=1e-999999999", id="an exponent next to zero"),
        pytest.param(" \u3000\nmeasure f1", id="a line of a wide blank"),
        pytest.param(" \n\ufeff\ufeffmeasure f1", id="byte order marks further down"),
        pytest.param('include "\udcd7.eval"', id="a path that is not a UTF-8"),
        pytest.param("let p = coumns(numeric: 1)", id="no step behind a misspelled `columns`"),
        pytest.param(
            ' \n include "' + "ab\udced" * 9 + "\n" * 40,
            id="bytes that are many without the blanks",
        ),
        pytest.param("compare [all, b] with mcnemar", id="a word of the language in brackets"),
        pytest.param(
            'predictions p from "p.csv"\n  report (html,)', id="a statement that reads as a clause"
        ),
    ],
)
def test_what_once_went_wrong_gives_findings(text):
    judge(f"evallang 1\n{text}\n", Stopwatch())
    judge(text, Stopwatch())


def test_a_number_that_cannot_be_held_is_said_once_and_never_computed_with():
    for literal, says in [
        ("1e999", "is larger than any number"),
        ("1e-999", "is nearer to zero than any number"),
        ("1/0", "divides by zero"),
        ("3" * 500, "has more than 400 characters"),
    ]:
        (found,) = checked(
            "evallang 1\nstudy\n  seed 1\ndata iris from sklearn iris\nmodel a = GaussianNB\n"
            f"model b = DummyClassifier\nprotocol cv folds={literal}\n"
        ).diagnostics
        assert found.code == "E021"
        assert says in found.message


def test_of_a_line_with_hundreds_of_mistakes_only_the_first_are_listed():
    found = checked("evallang 1\nlet x = [" + "«a» " * 5_000 + "]\n").diagnostics
    assert 1 <= len(found) <= 120


def test_a_line_of_brackets_is_given_up_soon():
    layout = lay_out(SourceFile("study.eval", "let x = " + "[" * 100_000))
    assert len(layout.lines[0].tokens) < 1_000
    assert [d.code for d in layout.lines[0].diagnostics] == ["E032"]


def test_a_mark_within_the_text_never_becomes_the_byte_order_mark():
    once = format_source(SourceFile("study.eval", "\n\ufeff\ufeff? x\n"))
    assert format_source(SourceFile("study.eval", once)) == once
