"""The programs of the design, and what the formatter makes of them."""

from pathlib import Path

from many_cases import for_each

from evallang.source import SourceFile
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_source
from evallang.syntax.parser import parse

from .reading import SAMPLES, children, walk

all_samples = for_each("path", SAMPLES, ids=lambda path: path.stem)


def load(path: Path) -> SourceFile:
    return SourceFile(path.name, path.read_text(encoding="utf-8"))


def test_all_samples_are_here() -> None:
    assert len(SAMPLES) == 13


@all_samples
def test_a_sample_parses_without_a_word(path: Path) -> None:
    assert parse(load(path))[1] == ()


@all_samples
def test_formatting_keeps_the_tree_and_the_comments_and_settles(path: Path) -> None:
    source = load(path)
    study, _ = parse(source)
    once = SourceFile(path.name, format_source(source))
    again, found = parse(once)
    assert found == ()
    assert again == study
    assert [c.text for c in again.comments] == [c.text for c in study.comments]
    assert format_source(once) == once.text


@all_samples
def test_every_node_covers_its_own_text(path: Path) -> None:
    source = load(path)
    for node in walk(parse(source)[0]):
        written = source.text[node.span.start : node.span.end]
        assert node.span.path == path.name
        match node:
            case n.NameNode():
                assert written.removesuffix("()") == node.name
            case n.TextNode() | n.NumberNode():
                assert written == node.literal
            case n.CommentNode():
                assert written == node.text
            case n.ListNode():
                assert (written[0], written[-1]) in (("[", "]"), ("(", ")"))
            case n.StatementNode():
                word = source.text[node.keyword.start : node.keyword.end]
                assert written.startswith(word)
            case n.ClauseNode():
                assert written.startswith(node.keyword.name)


@all_samples
def test_every_node_lies_within_its_parent(path: Path) -> None:
    for node in walk(parse(load(path))[0]):
        for child in children(node):
            assert node.span.start <= child.span.start <= child.span.end <= node.span.end


def test_a_formatted_sample_reads_as_designed() -> None:
    path = next(p for p in SAMPLES if p.stem == "01_nested_cv")
    text = format_source(load(path))
    assert "\ngroup by patient_id  # no patient on both sides of a split;" in text
    assert (
        'model logistic "Logistic regression" = prep\n'
        "  | LogisticRegression(C in 1e-3..1e3 log 7, max_iter=2000)\n" in text
    )
    assert "let prep = columns(\n  numeric: SimpleImputer(strategy=median) |" in text
