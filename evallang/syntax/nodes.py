"""What was written: the syntax tree of a `.eval` file.

Frozen dataclasses that know nothing of catalogues, numbers or reports. Spans and
comments do not affect equality, so `parse(format(tree)) == tree`. Literals keep their
spelling (`1_000`, `.632`).
"""

from dataclasses import field

from evallang.frozen_records import frozen
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
class ColumnPairNode(Node):
    """`("errors_a", "words_a")`: the columns of a numerator and its denominator."""

    numerator: ColumnNode
    denominator: ColumnNode


@frozen
class ModelColumnNode(Node):
    """One item of `models`, `correct` or `value`: `bert "BERT base" as yhat in "preds.csv"`."""

    name: ColumnNode
    label: TextNode | None = None
    column: ColumnNode | ColumnPairNode | None = None
    path: TextNode | None = None


@frozen
class RatioNode(Node):
    """`ratio("errors", "words")`: what is added up over the examples and divided."""

    numerator: TextNode
    denominator: TextNode


@frozen
class ModelColumnsNode(Node):
    """`models A, B`, `correct A as "x"`, `value "F1" A, B`; `metric` only for `value`."""

    keyword: NameNode
    items: tuple[ModelColumnNode, ...]
    metric: TextNode | RatioNode | None = None


@frozen
class ModelSettingNode(Node):
    """`score A = "p"`, `scores A = [..] | {..} | "p_*"`, `threshold A = 0.3`."""

    keyword: NameNode
    model: ColumnNode
    value: ValueNode


@frozen
class DirectionNode(Node):
    """`higher is better` or `lower is better`."""

    keyword: NameNode


@frozen
class RowsNode(Node):
    """`rows common`."""

    word: NameNode


@frozen
class FoldsNode(Node):
    """`folds of cv` or `folds of holdout(test=1/3)`: the design that the folds come from."""

    method: MethodNode


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
    | FoldsNode
    | TableNode
    | PatternNode
    | RightNode
    | IntervalNode
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

    columns: tuple[ColumnNode, ...] = ()
    options: tuple[OptionNode, ...] = ()


@frozen
class GroupNode(StatementNode):
    """`group by COL`."""

    column: ColumnNode


@frozen
class ModelNode(StatementNode):
    """`model NAME ["LABEL"] = PIPELINE`, or `... from results "FOLDER" as MODEL`.

    A model has a pipeline, or the folder of former results and its name there.
    """

    name: NameNode
    label: TextNode | None
    pipeline: PipelineNode | None = None
    folder: TextNode | None = None
    stored: ColumnNode | None = None


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
    """A comment, `#` included; `own_line` when nothing else is on its line."""

    text: str
    own_line: bool


@frozen
class StudyNode(Node):
    """One file: its statements in order, and its comments."""

    statements: tuple[StatementNode, ...]
    comments: tuple[CommentNode, ...] = field(default=(), compare=False)
