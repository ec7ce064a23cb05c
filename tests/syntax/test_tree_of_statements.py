"""Which nodes statements become; spans take no part in these comparisons."""

from many_cases import for_each

from evallang.syntax import nodes as n

from .reading import statement
from .written_nodes import AT, call, fixed, name, number, text


@for_each(
    ("line", "node"),
    [
        ("evallang 1", n.EvallangNode(number("1"), keyword=AT, span=AT)),
        ("study", n.HeaderNode(keyword=AT, span=AT)),
        (
            'data c "Cancer" from sql "select 1" on "sqlite:///x"',
            n.DataNode(
                name("c"),
                text("Cancer"),
                n.SourceNode("sql", (text("select 1"), text("sqlite:///x")), span=AT),
                keyword=AT,
                span=AT,
            ),
        ),
        ("stratify none", n.StratifyNode((), keyword=AT, span=AT)),
        (
            "stratify by target, ward bins=5",
            n.StratifyNode(
                (name("target"), name("ward")),
                (n.OptionNode(name("bins"), number("5"), span=AT),),
                keyword=AT,
                span=AT,
            ),
        ),
        (
            "protocol quick = repeated cv folds=10",
            n.ProtocolNode(
                name("quick"),
                (name("repeated"), name("cv")),
                (n.OptionNode(name("folds"), number("10"), span=AT),),
                keyword=AT,
                span=AT,
            ),
        ),
        (
            'protocol split from "folds.csv" seeds=5',
            n.ProtocolNode(
                None,
                (name("split"),),
                (n.OptionNode(name("seeds"), number("5"), span=AT),),
                path=text("folds.csv"),
                keyword=AT,
                span=AT,
            ),
        ),
        (
            "tune cv=5 select best by f1 random 40",
            n.TuneNode(
                name("random"),
                number("40"),
                name("f1"),
                (n.OptionNode(name("cv"), number("5"), span=AT),),
                name("best"),
                keyword=AT,
                span=AT,
            ),
        ),
        ("tune", n.TuneNode(keyword=AT, span=AT)),
        (
            "compare all with a then b holm by f1, f2 on p exploratory",
            n.CompareNode(
                (),
                name("a"),
                name("b"),
                name("holm"),
                by=(name("f1"), name("f2")),
                on=name("p"),
                exploratory=True,
                keyword=AT,
                span=AT,
            ),
        ),
        (
            "compare a vs b, c vs d with t",
            n.CompareNode(
                (
                    n.PairNode(name("a"), name("b"), span=AT),
                    n.PairNode(name("c"), name("d"), span=AT),
                ),
                name("t"),
                keyword=AT,
                span=AT,
            ),
        ),
        (
            "require recall(at_specificity=90%) of a >= 75% within site on p at 99%",
            n.RequireNode(
                "level",
                name("a"),
                metric=call("recall", fixed("at_specificity", number("90%"))),
                operator=">=",
                value=number("75%"),
                within=name("site"),
                on=name("p"),
                at=number("99%"),
                keyword=AT,
                span=AT,
            ),
        ),
        (
            "require a better than b with mcnemar",
            n.RequireNode(
                "superior", name("a"), name("b"), test=name("mcnemar"), keyword=AT, span=AT
            ),
        ),
        (
            "require a not worse than b by 2%",
            n.RequireNode(
                "noninferior", name("a"), name("b"), value=number("2%"), keyword=AT, span=AT
            ),
        ),
        (
            "require a equivalent to b within 3% in f1 at 90%",
            n.RequireNode(
                "equivalent",
                name("a"),
                name("b"),
                metric=name("f1"),
                value=number("3%"),
                at=number("90%"),
                keyword=AT,
                span=AT,
            ),
        ),
        ("export best", n.ExportNode(None, keyword=AT, span=AT)),
        ('export a to "a.skops"', n.ExportNode(name("a"), text("a.skops"), keyword=AT, span=AT)),
        ("report html, pdf", n.ReportNode((name("html"), name("pdf")), keyword=AT, span=AT)),
    ],
)
def test_a_statement_becomes_its_node(line: str, node: n.StatementNode) -> None:
    assert statement(line + "\n") == node
