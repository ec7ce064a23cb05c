"""Which nodes are built for which lines; spans take no part in these comparisons."""

import pickle
from copy import deepcopy

import pytest
from many_cases import for_each
from msgspec.structs import replace

from evallang.syntax import nodes as n

from .reading import read, statement
from .written_nodes import (
    AT,
    call,
    fixed,
    name,
    text,
    value_of,
)


def test_escapes_in_a_text_are_undone_and_the_literal_is_kept() -> None:
    value = value_of(r'"tab\t \"q\" \u00e9 \\"')
    assert isinstance(value, n.TextNode)
    assert value.value == 'tab\t "q" é \\'
    assert value.literal == r'"tab\t \"q\" \u00e9 \\"'


def test_the_parts_of_compare_stand_in_any_order() -> None:
    written = "compare a, b by f1 on p across data with t holm exploratory\n"
    ordered = "compare a, b across data with t holm by f1 on p exploratory\n"
    assert statement(written) == statement(ordered)


@pytest.mark.parametrize(
    ("hyphened", "canonical"),
    [
        ("protocol leave-one-out", "protocol leave_one_out"),
        (
            "compare with wilcoxon then bayes-t bergmann-hommel",
            "compare with wilcoxon then bayes_t bergmann_hommel",
        ),
        ("measure balanced-accuracy", "measure balanced_accuracy"),
        ("tune select one-standard-error", "tune select one_standard_error"),
        ("analyze learning-curve(repeats=5)", "analyze learning_curve(repeats=5)"),
    ],
)
def test_terms_of_a_catalogue_take_hyphens_for_underscores(hyphened: str, canonical: str) -> None:
    assert statement(hyphened) == statement(canonical)


def test_hyphens_in_names_of_the_author_are_kept() -> None:
    assert statement("export gpt-4") != statement("export gpt_4")
    assert value_of("X(solver=newton-cg)") == call("X", fixed("solver", name("newton-cg")))


@for_each(
    "word",
    ["data", "report", "model", "from", "in", "as", "step", "then", "vs", "exploratory"],
)
def test_keywords_are_names_where_no_keyword_fits(word: str) -> None:
    model = statement(f"model {word} = {word} | {word}({word}={word})\n")
    assert isinstance(model, n.ModelNode)
    assert model.name == name(word)
    assert statement(f"compare {word}, other with t") == statement(
        f"compare [{word}, other] with t"
    )


def test_labels_stand_behind_bare_names() -> None:
    study = read('model a "Label A" = X\npredictions p "Label P" from "p.csv"\n')
    labels = [s.label for s in study.statements if isinstance(s, n.ModelNode | n.PredictionsNode)]
    assert labels == [text("Label A"), text("Label P")]


def test_clauses_belong_to_the_statement_above_at_any_indentation() -> None:
    node = statement('study "T"\n seed 1\n\n# remark\n        alpha 0.1\n')
    assert [c.keyword.name for c in node.clauses if isinstance(c, n.ClauseNode)] == [
        "seed",
        "alpha",
    ]


def test_a_line_goes_on_inside_brackets_and_before_a_bar() -> None:
    long = "model m = A(\n  k=1,\n\n  # why\n  l in [\n 1, 2\n],\n)\n  # and then\n  | B\n"
    assert statement(long) == statement("model m = A(k=1, l in [1, 2]) | B")


def test_nodes_are_frozen_hashable_and_can_be_copied() -> None:
    node = value_of("X(k=1) | Y")
    with pytest.raises(AttributeError):
        node.steps = ()  # type: ignore[misc, union-attr]  # that is what is tested
    with pytest.raises(AttributeError):
        del node.span
    assert hash(node) == hash(value_of("X(k=1)|Y"))
    assert deepcopy(node) == node == pickle.loads(pickle.dumps(node))
    assert replace(name("a"), name="b") == name("b")
    assert name("a") != text("a")
    assert repr(name("a")) == f"NameNode(name='a', span={AT!r})"
