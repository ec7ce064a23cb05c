"""Statements, and the file that holds them."""

from dataclasses import field

from evallang.frozen import frozen
from evallang.source import Span
from evallang.syntax.nodes.clauses import AnyClauseNode
from evallang.syntax.nodes.values import (
    ColumnNode,
    MethodNode,
    NameNode,
    Node,
    NumberNode,
    PipelineNode,
    TextNode,
    ValueNode,
)


@frozen
class StatementNode(Node):
    """A statement; `keyword` is the span of its first word, `clauses` its indented lines."""

    keyword: Span = field(compare=False, kw_only=True)
    clauses: tuple[AnyClauseNode, ...] = field(default=(), kw_only=True)


@frozen
class EvallangNode(StatementNode):
    """`evallang 1`."""

    version: NumberNode


@frozen
class IncludeNode(StatementNode):
    """`include "lab/protocol.eval"`."""

    path: TextNode


@frozen
class HeaderNode(StatementNode):
    """`study ["TITLE"]`."""

    title: TextNode | None = None


@frozen
class LetNode(StatementNode):
    """`let NAME = VALUE | PIPELINE`."""

    name: NameNode
    value: ValueNode


@frozen
class SourceNode(Node):
    """Where data come from; `kind` is `sklearn`, `path` or `sql`.

    `values` are the name of the data set, the path, or the query and its connection.
    """

    kind: str
    values: tuple[NameNode | TextNode, ...]


@frozen
class DataNode(StatementNode):
    """`data NAME ["LABEL"] from SOURCE`."""

    name: NameNode
    label: TextNode | None
    source: SourceNode


@frozen
class PredictionsNode(StatementNode):
    """`predictions NAME from "a.csv"[, "b.csv"]`."""

    name: NameNode
    label: TextNode | None
    paths: tuple[TextNode, ...]


@frozen
class ScoresNode(StatementNode):
    """`scores NAME from "auc.csv"`."""

    name: NameNode
    label: TextNode | None
    path: TextNode


@frozen
class CountsNode(StatementNode):
    """`counts NAME ["LABEL"] [from "patterns.csv"]`."""

    name: NameNode
    label: TextNode | None
    path: TextNode | None = None


@frozen
class OptionNode(Node):
    """`key=value` after the words of a protocol, `bins=5`, `cv=K`."""

    key: NameNode
    value: ValueNode


@frozen
class StratifyNode(StatementNode):
    """`stratify by target, COL bins=5`, or `stratify none` (no columns)."""

    columns: tuple[ColumnNode, ...]
    options: tuple[OptionNode, ...] = ()


@frozen
class GroupNode(StatementNode):
    """`group by COL`."""

    column: ColumnNode


@frozen
class ModelNode(StatementNode):
    """`model NAME ["LABEL"] = PIPELINE`."""

    name: NameNode
    label: TextNode | None
    pipeline: PipelineNode


@frozen
class ProtocolNode(StatementNode):
    """`protocol [NAME =] words key=value ...`, `... split by COL`, `... split from "folds.csv"`.

    `words` are the words of the form, in the order written (`nested`, `cv`); `by` and
    `path` belong to `split`.
    """

    name: NameNode | None
    words: tuple[NameNode, ...]
    options: tuple[OptionNode, ...] = ()
    by: ColumnNode | None = None
    path: TextNode | None = None


@frozen
class TuneNode(StatementNode):
    """`tune [grid|random N|bayes N] [by METRIC] [cv=K] [select RULE]`."""

    strategy: NameNode | None = None
    n: NumberNode | None = None
    metric: MethodNode | None = None
    options: tuple[OptionNode, ...] = ()
    select: NameNode | None = None


@frozen
class MeasureNode(StatementNode):
    """`measure METRIC, ... [within COL, ...]`."""

    metrics: tuple[MethodNode, ...]
    within: tuple[ColumnNode, ...] = ()


@frozen
class PairNode(Node):
    """`a vs b`."""

    first: ColumnNode
    second: ColumnNode


@frozen
class CompareNode(StatementNode):
    """`compare MODELS [against MODEL] [across data] with TEST [then TEST] [CORRECTION] ...`."""

    models: tuple[ColumnNode | PairNode, ...]
    test: MethodNode
    then: MethodNode | None = None
    correction: MethodNode | None = None
    against: ColumnNode | None = None
    across: bool = False
    by: tuple[MethodNode, ...] = ()
    on: NameNode | None = None
    exploratory: bool = False


@frozen
class RequireNode(StatementNode):
    """`require ...`; `kind` is level, superior, noninferior or equivalent.

    level: `metric`, `first` (of), `operator`, `value`, `within`. The others: `first`,
    `second`, `value` (the margin, or None), `test` (superior only), `metric` (after `in`).
    """

    kind: str
    first: ColumnNode
    second: ColumnNode | None = None
    metric: MethodNode | None = None
    operator: str | None = None
    value: NumberNode | None = None
    test: MethodNode | None = None
    within: ColumnNode | None = None
    on: NameNode | None = None
    at: NumberNode | None = None


@frozen
class AnalyzeNode(StatementNode):
    """`analyze WHAT, ... [of MODELS] [by METRIC] [on PROTOCOL]`."""

    items: tuple[MethodNode, ...]
    models: tuple[ColumnNode, ...] = ()
    metric: MethodNode | None = None
    on: NameNode | None = None


@frozen
class ExportNode(StatementNode):
    """`export MODEL|best [to "model.skops"]`; `model` is None for `best`."""

    model: ColumnNode | None
    path: TextNode | None = None


@frozen
class UseNode(StatementNode):
    """`use PACKAGE.MODULE`."""

    module: NameNode


@frozen
class ReportNode(StatementNode):
    """`report FORMAT, ...`."""

    formats: tuple[NameNode, ...]


@frozen
class CommentNode(Node):
    """A comment, `#` included; `own_line` when nothing else stands on its line."""

    text: str
    own_line: bool


@frozen
class StudyNode(Node):
    """One file: its statements in order, its comments beside them."""

    statements: tuple[StatementNode, ...]
    comments: tuple[CommentNode, ...] = field(default=(), compare=False)
