"""A mistake costs its own line; no text is too strange to be read."""

import pytest

from evallang.diagnostics import Severity
from evallang.syntax import nodes as n
from evallang.syntax.logical_lines import DEEPEST
from evallang.syntax.parser import parse, read_version
from evallang.version import LANGUAGE

from .reading import SAMPLES, codes_of, errors, fixed, formatted, read, source_of


def diagnostics(text: str) -> list[str]:
    return [d.code for d in parse(source_of(text))[1]]


# --- statements and clauses ------------------------------------------------------------


def test_a_faulty_clause_is_left_out_of_its_statement() -> None:
    text = "evallang 1\ndata d from sklearn iris\n  target a\n  where age >=\n  id b\n"
    study, found = parse(source_of(text))
    assert [d.code for d in found] == ["E045"]
    data = study.statements[1]
    assert [c.keyword.name for c in data.clauses if isinstance(c, n.ClauseNode)] == ["target", "id"]


def test_a_text_over_several_lines_is_one_mistake() -> None:
    text = 'evallang 1\nstudy "T"\n  about "one\n  # two; = three\nfour"\n  seed 1\n'
    study, found = parse(source_of(text))
    assert [d.code for d in found] == ["E012"]
    assert study.comments == ()
    assert formatted(text) == text


def test_a_byte_order_mark_is_no_column() -> None:
    source = source_of("\ufeffevallang 1\n")
    assert source.position(1).column == 1
    assert source.line(1) == "evallang 1"


def test_a_faulty_statement_is_left_out_and_its_clauses_are_still_read() -> None:
    text = "evallang 1\ndata d from\n  where age >=\nmeasure accuracy\n"
    study, found = parse(source_of(text))
    assert [d.code for d in found] == ["E045", "E045"]
    assert [type(s) for s in study.statements] == [n.EvallangNode, n.MeasureNode]


@pytest.mark.parametrize(
    "line",
    [
        "modle a = SVC(C=1)",
        "model a = SVC(C=1",
        "model a = SVC(C=1))",
        "model a = SVC(C=1, D=True)",
        "model a SVC(C=1)",
        'model "a" = SVC(C=1)',
        "model a = SVC(C: 1)",
    ],
)
def test_a_mended_statement_stays_in_the_tree(line: str) -> None:
    study, found = parse(source_of(f"evallang 1\n{line}\n"))
    assert len(found) == 1
    (_, model) = study.statements
    assert isinstance(model, n.ModelNode)
    assert model.name.name == "a"


def test_diagnostics_are_sorted_by_place() -> None:
    text = "".join(path.read_text(encoding="utf-8")[:-9] for path in SAMPLES)
    places = [d.span.start for d in parse(source_of(text))[1] if d.span]
    assert places == sorted(places)


def test_an_unclosed_bracket_does_not_swallow_the_next_statement_or_clause() -> None:
    text = (
        "evallang 1\ndata d from sklearn iris\n  categorical [a, b\n  target y\n"
        "model m = SVC(\nexport m\n"
    )
    study, found = parse(source_of(text))
    assert [d.code for d in found] == ["E030", "E030"]
    assert [type(s).__name__ for s in study.statements][-1] == "ExportNode"
    clauses = study.statements[1].clauses
    assert [c.keyword.name for c in clauses if isinstance(c, n.ClauseNode)] == [
        "categorical",
        "target",
    ]


def test_a_clause_in_column_0_is_read_as_the_clause_it_is() -> None:
    text = 'evallang 1\nstudy "T"\nseed 1\n  alpha 0.1\n'
    study, found = parse(source_of(text))
    assert [d.code for d in found] == ["E041"]
    assert len(study.statements[1].clauses) == 2
    assert parse(source_of(fixed(text)))[1] == ()


def test_clauses_after_an_indented_statement_go_where_they_belong() -> None:
    text = "evallang 1\ndata d from sklearn iris\n  measure f1\n  interval wilson\n  target y\n"
    study, found = parse(source_of(text))
    assert [d.code for d in found] == ["E042"]
    data, measure = study.statements[1:]
    assert [type(c).__name__ for c in data.clauses] == ["ClauseNode"]
    assert [type(c).__name__ for c in measure.clauses] == ["IntervalNode"]


def test_an_unknown_clause_that_parses_is_left_to_the_checker() -> None:
    study = read("study\n  sede 1\n")
    (clause,) = study.statements[0].clauses
    assert isinstance(clause, n.ClauseNode)
    assert clause.keyword.name == "sede"


# --- the file as a whole ---------------------------------------------------------------


def test_a_newer_language_is_the_only_thing_said() -> None:
    text = f"# remark\n\nevallang {LANGUAGE + 1}\nmodle x = \x00 (\n"
    study, found = parse(source_of(text))
    assert [d.code for d in found] == ["E001"]
    assert study.statements == ()
    assert formatted(text) == text


def test_a_missing_version_is_a_hint_with_a_fix() -> None:
    (hint,) = parse(source_of("measure accuracy\n"))[1]
    assert (hint.code, hint.severity) == ("W001", Severity.HINT)
    assert fixed("measure accuracy\n") == "evallang 1\nmeasure accuracy\n"
    assert diagnostics("") == ["W001"]


@pytest.mark.parametrize("word", ["0", "one", "1.5", "-1", "9" * 5000])
def test_a_version_that_never_was_is_an_error(word: str) -> None:
    assert codes_of(f"evallang {word}\n") == ["E004"]


def test_the_version_stands_first_and_once() -> None:
    assert codes_of("measure accuracy\nevallang 1\n") == ["E005"]
    assert codes_of("evallang 1\nevallang 1\n") == ["E005"]
    assert read_version(source_of("\ufeff# a\n\r\n  # b\nevallang 1 # c")) == (1, None)


def test_a_log_of_inspect_ai_is_recognised() -> None:
    archive = "PK\x03\x04\x14\x00\udc80\x08(\n" * 9
    (found,) = parse(source_of(archive))[1]
    assert found.code == "E002"
    assert "Inspect AI" in found.message
    assert formatted(archive) == archive


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("measure a\x00ccuracy\n", "NUL"),
        ("\x00\x00\x00", "NUL"),
        ('study "caf\udce9"\n', "byte 0xE9 is not UTF-8"),
        ('study "\ud800"\n', "surrogate"),
    ],
)
def test_what_is_no_text_is_reported_once_and_kept(text: str, words: str) -> None:
    found = [d for d in errors(text) if d.code == "E003"]
    assert len(found) == 1
    assert words in found[0].message
    assert formatted(text).strip() == text.strip()


def test_byte_order_mark_and_crlf_are_accepted_and_formatted_away() -> None:
    text = "\ufeffevallang 1\r\nstudy\r\n  seed 1\r\n"
    assert diagnostics(text) == []
    assert formatted(text) == "evallang 1\nstudy\n  seed 1\n"
    assert read(text).statements[0].span.start == 1


def test_line_ends_of_other_worlds_do_not_shift_the_lines() -> None:
    text = 'evallang 1\nstudy "a\u2028b\u0085c\x0cd"  # e\u2028f\nmodle x = SVC\n'
    (found,) = errors(text)
    assert found.span is not None
    assert source_of(text).position(found.span.start).line == 3


def test_tabs_are_reported_once_and_mended() -> None:
    text = 'evallang 1\nstudy\t"a\tb"\n\tseed\t1\t\n'
    (hint,) = parse(source_of(text))[1]
    assert (hint.code, hint.severity) == ("W002", Severity.HINT)
    assert fixed(text) == 'evallang 1\nstudy "a\tb"\n  seed 1\n'


# --- size ------------------------------------------------------------------------------


@pytest.mark.parametrize("opener", ["[", "{a: ", "X(", "columns(rest: ", "X([{b: "])
def test_nesting_is_limited_long_before_the_stack_is(opener: str) -> None:
    closers = {"[": "]", "{": "}", "(": ")"}
    closer = "".join(closers[c] for c in reversed(opener) if c in closers)
    for depth, found in [
        (DEEPEST // len(closer), []),
        (DEEPEST // len(closer) + 1, ["E032"]),
        (5_000, ["E032"]),
    ]:
        text = f"let x = {opener * depth}y{closer * depth}\n"
        assert codes_of(text) == found
        once = formatted(text)
        assert parse(source_of(once))[0] == parse(source_of(text))[0]
        assert formatted(once) == once


def test_a_line_of_a_megabyte_is_read() -> None:
    items = ", ".join(f"X{i}(k={i})" for i in range(70_000))
    text = f"evallang 1\nlet x = [{items}]\n"
    assert len(text) > 1_000_000
    let = read(text).statements[1]
    assert isinstance(let, n.LetNode)
    assert isinstance(let.value, n.ListNode)
    assert len(let.value.items) == 70_000


@pytest.mark.parametrize(
    "piece",
    ["(", "[a ", '"', "x ", "1 ", ", ", "\\", "a..", "-", "\t", "a | ", "%", "5x2", "\ufeff"],
)
def test_a_long_line_of_nothing_is_reported_in_a_few_words(piece: str) -> None:
    assert len(errors(f"evallang 1\nlet x = {piece * 20_000}\n")) <= 2


@pytest.mark.parametrize("piece", ["''", "“”", ",000", " 007", "1 %"])
def test_a_long_line_of_misspelt_literals_is_read_to_its_end(piece: str) -> None:
    assert errors(f"evallang 1\nlet x = [1{piece * 5_000}]\n")


def test_many_faulty_lines_cost_an_error_each() -> None:
    assert len(errors("evallang 1\n" + "modle x = (\n" * 2_000)) <= 4_000
