"""Nodes written out by hand, and those that single values, clauses and statements become."""

from evallang.source import Span
from evallang.syntax import nodes as n

from .reading import statement

AT = Span("study.eval", 0, 0)


def name(text: str) -> n.NameNode:
    return n.NameNode(text, span=AT)


def number(text: str) -> n.NumberNode:
    return n.NumberNode(text, span=AT)


def text(value: str) -> n.TextNode:
    return n.TextNode(value, f'"{value}"', span=AT)


def listed(*items: n.ValueNode) -> n.ListNode:
    return n.ListNode(items, span=AT)


def fixed(key: str, value: n.ValueNode) -> n.ArgumentNode:
    return n.ArgumentNode(name(key), value, span=AT)


def tuned(key: str, value: n.ValueNode) -> n.ArgumentNode:
    return n.ArgumentNode(name(key), value, tuned=True, span=AT)


def call(word: str, *arguments: n.ArgumentNode) -> n.CallNode:
    return n.CallNode(name(word), arguments, span=AT)


def pipeline(*steps: n.NameNode | n.CallNode | n.ColumnsNode) -> n.PipelineNode:
    return n.PipelineNode(steps, span=AT)


def value_of(written: str) -> n.ValueNode:
    let = statement(f"let x = {written}\n")
    assert isinstance(let, n.LetNode)
    return let.value


def domain_of(written: str) -> n.ValueNode:
    value = value_of(f"X(k in {written})")
    assert isinstance(value, n.CallNode)
    return value.arguments[0].value


def clause_of(line: str, owner: str = "data d from sklearn iris") -> n.AnyClauseNode:
    (only,) = statement(f"{owner}\n  {line}\n").clauses
    return only
