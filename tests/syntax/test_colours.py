"""Pygments colours a study as the parser reads it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Keyword, Literal, Name, Token

from evallang.editor.lexer import StudyLexer
from evallang.source import SourceFile
from evallang.syntax import nodes as n
from evallang.syntax.parser import parse

from .programs import studies
from .test_round_trip import written

EXAMPLES = sorted(Path("examples").glob("*.eval"))


def leaves(value):
    """Iterate over the names, texts and numbers of a tree, keywords of clauses apart."""
    if isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, n.NameNode | n.TextNode | n.NumberNode):
        yield value
    elif isinstance(value, n.Node):
        for field in value.__struct_fields__:
            if field not in ("keyword", "comments"):
                yield from leaves(getattr(value, field))


def agree(text):
    """Colours of a text are those of its tree; raises `AssertionError`."""
    study, found = parse(SourceFile("s.eval", text))
    parts = list(StudyLexer().get_tokens_unprocessed(text))
    assert "".join(part for _, _, part in parts) == text
    assert all(text[place : place + len(part)] == part for place, _, part in parts)
    colours = {place: colour for place, colour, _ in parts}
    for comment in study.comments:
        assert colours[comment.span.start] in Comment
    for node in leaves(study):
        colour = colours[node.span.start]
        if isinstance(node, n.TextNode):
            assert colour in Literal.String
        elif isinstance(node, n.NumberNode):
            assert colour in Literal.Number, text[node.span.start : node.span.end]
        else:
            assert colour in Name or colour in Keyword
    for statement in study.statements:
        assert colours[statement.keyword.start] in Keyword
        name = getattr(statement, "name", None)
        if isinstance(name, n.NameNode):
            assert colours[name.span.start] in Name, name.name
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_the_colours_of_their_trees(path):
    agree(path.read_text(encoding="utf-8"))


@pytest.mark.slow
@settings(
    max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(studies)
def test_generated_studies_have_the_colours_of_their_trees(study):
    agree(written(study))


def test_what_cannot_be_read_keeps_every_character():
    text = 'modle m = SVC(C="x\n\x00 compare ]] with\tmcnemar # so\n'
    parts = StudyLexer().get_tokens_unprocessed(text)
    assert "".join(part for _, _, part in parts) == text


def test_pygments_finds_the_lexer_by_name_and_by_ending():
    assert isinstance(get_lexer_by_name("evallang"), StudyLexer)
    assert isinstance(get_lexer_for_filename("study.evallang"), StudyLexer)
    colours = dict(get_lexer_by_name("evallang").get_tokens("model m = SVC\n"))
    assert colours[Keyword] == "model" and colours[Name.Class] == "SVC"
    assert Token.Error not in colours
