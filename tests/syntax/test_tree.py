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
    clause_of,
    domain_of,
    fixed,
    listed,
    name,
    number,
    pipeline,
    text,
    value_of,
)


@for_each(
    ("written", "value"),
    [
        ("median", name("median")),
        ("gpt-4", name("gpt-4")),
        ("Sepal.Length", name("Sepal.Length")),
        ("größe", name("größe")),
        ("हिन्दी", name("हिन्दी")),
        ("5x2cv_t", name("5x2cv_t")),
        (".632+", name(".632+")),
        (".632", number(".632")),
        ("1_000", number("1_000")),
        ("-1e-3", number("-1e-3")),
        ("95%", number("95%")),
        ("1/3", number("1/3")),
        ('"a, b"', text("a, b")),
        ("[1, 2, 3]", listed(number("1"), number("2"), number("3"))),
        ("[1, 2,]", listed(number("1"), number("2"))),
        ("(1, 2)", listed(number("1"), number("2"))),
        ("(1,)", listed(number("1"))),
        ("[]", listed()),
        ("X()", name("X")),
        ("X | Y", pipeline(name("X"), name("Y"))),
        ("X(1, k=a)", call("X", n.ArgumentNode(None, number("1"), span=AT), fixed("k", name("a")))),
        (
            "X(k=[a | b, c])",
            call("X", fixed("k", listed(pipeline(name("a"), name("b")), name("c")))),
        ),
    ],
)
def test_a_value_becomes_its_node(written: str, value: n.ValueNode) -> None:
    assert value_of(written) == value


def test_a_map_keeps_the_order_and_the_kind_of_its_keys() -> None:
    entries = [
        n.EntryNode(name("no"), number("1"), span=AT),
        n.EntryNode(text("y, es"), number("10"), span=AT),
        n.EntryNode(number("3"), listed(), span=AT),
    ]
    assert value_of('{no: 1, "y, es": 10, 3: []}') == n.MapNode(tuple(entries), span=AT)


def test_escapes_in_a_text_are_undone_and_the_literal_is_kept() -> None:
    value = value_of(r'"tab\t \"q\" \u00e9 \\"')
    assert isinstance(value, n.TextNode)
    assert value.value == 'tab\t "q" é \\'
    assert value.literal == r'"tab\t \"q\" \u00e9 \\"'


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1..15", n.RangeNode(number("1"), number("15"), span=AT)),
        ("15..1 step -2", n.RangeNode(number("15"), number("1"), step=number("-2"), span=AT)),
        ("1e-3..1e3 log 7", n.RangeNode(number("1e-3"), number("1e3"), log=number("7"), span=AT)),
        (
            "0.0..1.0 uniform",
            n.RangeNode(number("0.0"), number("1.0"), distribution=name("uniform"), span=AT),
        ),
        ("[4, none]", listed(number("4"), name("none"))),
        ("grid", name("grid")),
    ],
)
def test_a_domain_becomes_its_node(written: str, value: n.ValueNode) -> None:
    assert domain_of(written) == value


def test_columns_become_branches_each_with_a_pipeline() -> None:
    value = value_of("columns(numeric: A | B, [age, bmi]: passthrough, rest: C(k=1))")
    branches = [
        n.BranchNode(name("numeric"), pipeline(name("A"), name("B")), span=AT),
        n.BranchNode(listed(name("age"), name("bmi")), pipeline(name("passthrough")), span=AT),
        n.BranchNode(name("rest"), pipeline(call("C", fixed("k", number("1")))), span=AT),
    ]
    assert value == n.ColumnsNode(tuple(branches), span=AT)


@for_each(
    ("line", "node"),
    [
        ("target species", n.ClauseNode(name("target"), (name("species"),), span=AT)),
        ('missing "?", "NA"', n.ClauseNode(name("missing"), (text("?"), text("NA")), span=AT)),
        ("target [a]", n.ClauseNode(name("target"), (name("a"),), span=AT)),
        ("categorical [a, b]", n.ClauseNode(name("categorical"), (name("a"), name("b")), span=AT)),
        ("anything 1, x", n.ClauseNode(name("anything"), (number("1"), name("x")), span=AT)),
        ('positive 1 "malignant"', n.PositiveNode(number("1"), text("malignant"), span=AT)),
        ("positive yes", n.PositiveNode(name("yes"), span=AT)),
        ("features a, b", n.FeaturesNode((name("a"), name("b")), span=AT)),
        (
            "features all except a",
            n.FeaturesNode((name("a"),), all_except=True, span=AT),
        ),
        ("where age >= 18", n.WhereNode(name("age"), ">=", number("18"), span=AT)),
        ('where ward = "A"', n.WhereNode(name("ward"), "=", text("A"), span=AT)),
        (
            "where w in [a, 1]",
            n.WhereNode(name("w"), "in", listed(name("a"), number("1")), span=AT),
        ),
        ("where w is missing", n.WhereNode(name("w"), "is missing", span=AT)),
        ("where w is not missing", n.WhereNode(name("w"), "is not missing", span=AT)),
        (
            'models bert "BERT" as yhat in "p.csv", "C4.5+m" as c, svm',
            n.ModelColumnsNode(
                name("models"),
                (
                    n.ModelColumnNode(
                        name("bert"), text("BERT"), name("yhat"), text("p.csv"), span=AT
                    ),
                    n.ModelColumnNode(text("C4.5+m"), None, name("c"), span=AT),
                    n.ModelColumnNode(name("svm"), span=AT),
                ),
                span=AT,
            ),
        ),
        (
            'value "F1" a as f',
            n.ModelColumnsNode(
                name("value"),
                (n.ModelColumnNode(name("a"), None, name("f"), span=AT),),
                text("F1"),
                span=AT,
            ),
        ),
        ('score a = "p"', n.ModelSettingNode(name("score"), name("a"), text("p"), span=AT)),
        ("score auc", n.ClauseNode(name("score"), (name("auc"),), span=AT)),
        (
            "threshold a = 0.3",
            n.ModelSettingNode(name("threshold"), name("a"), number("0.3"), span=AT),
        ),
        ("lower is better", n.DirectionNode(name("lower"), span=AT)),
        ("rows common", n.ClauseNode(name("rows"), (name("common"),), span=AT)),
        (
            "pattern [1, 0]: 12",
            n.PatternNode(listed(number("1"), number("0")), number("12"), span=AT),
        ),
        (
            'right "gpt-4.1" "GPT" = 87 of 100',
            n.RightNode(text("gpt-4.1"), text("GPT"), number("87"), number("100"), span=AT),
        ),
        ("interval wilson", n.IntervalNode(name("wilson"), span=AT)),
    ],
)
def test_a_clause_becomes_its_node(line: str, node: n.AnyClauseNode) -> None:
    assert clause_of(line) == node


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
