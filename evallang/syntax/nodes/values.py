"""Names, literals, lists, calls, pipelines: whatever may stand for a value."""

from dataclasses import field

from evallang.frozen import frozen
from evallang.source import Span


@frozen
class Node:
    """Anything written, with its place."""

    span: Span = field(compare=False, kw_only=True)


@frozen
class NameNode(Node):
    """A bare word: an author's name, a word of a catalogue, a keyword value (`5x2cv_t`)."""

    name: str


@frozen
class TextNode(Node):
    """Text in quotes; `value` is unescaped, `literal` as written, quotes included."""

    value: str
    literal: str


@frozen
class NumberNode(Node):
    """A number as written: `3`, `1_000`, `.5`, `1e-3`, `-1`, `95%`, `1/3`."""

    literal: str


@frozen
class ListNode(Node):
    """`[1, 2, 3]`; `(1, 2)` is read as one."""

    items: tuple["ValueNode", ...]


@frozen
class EntryNode(Node):
    """One `key: value` of a map."""

    key: "NameNode | TextNode | NumberNode"
    value: "ValueNode"


@frozen
class MapNode(Node):
    """`{no: 1, yes: 10}`."""

    entries: tuple[EntryNode, ...]


@frozen
class RangeNode(Node):
    """`1..15 step 2`, or with `uniform` / `loguniform` a distribution."""

    start: NumberNode
    stop: NumberNode
    step: NumberNode | None = None
    log: NumberNode | None = None
    distribution: NameNode | None = None


@frozen
class ArgumentNode(Node):
    """One argument of a call: `key=value`, `key in DOMAIN` (tuned) or a value alone."""

    key: NameNode | None
    value: "ValueNode"
    tuned: bool = False


@frozen
class CallNode(Node):
    """`name(arguments)`; `X()` is read as the name alone."""

    name: NameNode
    arguments: tuple[ArgumentNode, ...]


@frozen
class BranchNode(Node):
    """One branch of `columns(...)`: which columns, and the pipeline they go through."""

    key: "NameNode | TextNode | ListNode"
    pipeline: "PipelineNode"


@frozen
class ColumnsNode(Node):
    """`columns(numeric: A | B, [age, bmi]: passthrough)`."""

    branches: tuple[BranchNode, ...]


@frozen
class PipelineNode(Node):
    """`step | step | estimator`; also a single step."""

    steps: tuple["NameNode | CallNode | ColumnsNode", ...]


ValueNode = (
    NameNode
    | TextNode
    | NumberNode
    | ListNode
    | MapNode
    | RangeNode
    | CallNode
    | ColumnsNode
    | PipelineNode
)
"""Anything that may stand for a value; `PipelineNode` only with two steps or more."""

ColumnNode = NameNode | TextNode
MethodNode = NameNode | CallNode
"""A word of a catalogue, with or without options."""
