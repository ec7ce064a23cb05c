"""The indented lines of a statement."""

from evallang.frozen import frozen
from evallang.syntax.nodes.values import (
    ColumnNode,
    ListNode,
    MethodNode,
    NameNode,
    Node,
    NumberNode,
    TextNode,
    ValueNode,
)


@frozen
class ClauseNode(Node):
    """`keyword value, value`: every clause that has no shape of its own.

    `author`, `question`, `about`, `seed`, `alpha`, `confidence`, `families`, `target`,
    `categorical`, `id`, `group`, `weight`, `missing`, `task`, `unit`, `cite`, `truth`,
    `fold`, `repeat`, `dataset`, `model`, `score` of a `scores` statement, `metric`, `count`,
    `to`, `title`, `numbers`, `page`, `style`, `template`, `show`, `hide`, `bibliography`.
    A clause whose word is unknown parses as one too; the checker names the right ones.
    """

    keyword: NameNode
    values: tuple[ValueNode, ...]


@frozen
class PositiveNode(Node):
    """`positive 1 "malignant"`."""

    value: NameNode | TextNode | NumberNode
    label: TextNode | None = None


@frozen
class FeaturesNode(Node):
    """`features A, B` or `features all except A, B`."""

    columns: tuple[ColumnNode, ...]
    all_except: bool = False


@frozen
class WhereNode(Node):
    """`where COL OP VALUE`; `operator` is one of = != < <= > >= in, `is missing`, `is not missing`.

    `value` is None for the two `is` forms.
    """

    column: ColumnNode
    operator: str
    value: ValueNode | None = None


@frozen
class ModelColumnNode(Node):
    """One item of `models`, `correct` or `value`: `bert "BERT base" as yhat in "preds.csv"`."""

    name: ColumnNode
    label: TextNode | None = None
    column: ColumnNode | None = None
    path: TextNode | None = None


@frozen
class ModelColumnsNode(Node):
    """`models A, B`, `correct A as "x"`, `value "F1" A, B`; `metric` only for `value`."""

    keyword: NameNode
    items: tuple[ModelColumnNode, ...]
    metric: TextNode | None = None


@frozen
class ModelSettingNode(Node):
    """`score A = "p"`, `scores A = [..] | {..} | "p_*"`, `threshold A = 0.3`."""

    keyword: NameNode
    model: ColumnNode
    value: ValueNode


@frozen
class DirectionNode(Node):
    """`higher is better` or `lower is better`."""

    word: NameNode


@frozen
class RowsNode(Node):
    """`rows common`."""

    word: NameNode


@frozen
class TableNode(Node):
    """`table [[a, b], [c, d]]`."""

    value: ListNode


@frozen
class PatternNode(Node):
    """`pattern [1, 1, 0]: 12`."""

    pattern: ListNode
    count: NumberNode


@frozen
class RightNode(Node):
    """`right A "label" = 87 of 100`."""

    model: ColumnNode
    label: TextNode | None
    right: NumberNode
    total: NumberNode


@frozen
class IntervalNode(Node):
    """`interval METHOD[(options)]` under `measure`."""

    method: MethodNode


AnyClauseNode = (
    ClauseNode
    | PositiveNode
    | FeaturesNode
    | WhereNode
    | ModelColumnsNode
    | ModelSettingNode
    | DirectionNode
    | RowsNode
    | TableNode
    | PatternNode
    | RightNode
    | IntervalNode
)
