"""What was written: the syntax tree of a `.eval` file.

Frozen records that know nothing of catalogues, numbers or reports. Spans and
comments do not affect equality, so `parse(format(tree)) == tree`. Literals keep their
spelling (`1_000`, `.632`).
"""

from typing import ClassVar

from evallang.records import Placed
from evallang.source import Span


class Node(Placed, frozen=True, kw_only=True):
    """Anything written, with its place."""

    APART: ClassVar[tuple[str, ...]] = ("span",)

    span: Span


class NameNode(Node, frozen=True):
    """A bare word: an author's name, a word of a catalogue, a keyword value (`5x2cv_t`)."""

    name: str


class TextNode(Node, frozen=True):
    """Text in quotes; `value` is unescaped, `literal` as written, quotes included."""

    value: str
    literal: str


class NumberNode(Node, frozen=True):
    """A number as written: `3`, `1_000`, `.5`, `1e-3`, `-1`, `95%`, `1/3`."""

    literal: str


class ListNode(Node, frozen=True):
    """`[1, 2, 3]`; `(1, 2)` is read as one."""

    items: tuple["ValueNode", ...]


class EntryNode(Node, frozen=True):
    """One `key: value` of a map."""

    key: "NameNode | TextNode | NumberNode"
    value: "ValueNode"


class MapNode(Node, frozen=True):
    """`{no: 1, yes: 10}`."""

    entries: tuple[EntryNode, ...]


class RangeNode(Node, frozen=True):
    """`1..15 step 2`, or with `uniform` / `loguniform` a distribution."""

    start: NumberNode
    stop: NumberNode
    step: NumberNode | None = None
    log: NumberNode | None = None
    distribution: NameNode | None = None


class ArgumentNode(Node, frozen=True):
    """One argument of a call: `key=value`, `key in DOMAIN` (tuned) or a value alone."""

    key: NameNode | None
    value: "ValueNode"
    tuned: bool = False


class CallNode(Node, frozen=True):
    """`name(arguments)`; `X()` is read as the name alone."""

    name: NameNode
    arguments: tuple[ArgumentNode, ...]


class BranchNode(Node, frozen=True):
    """One branch of `columns(...)`: which columns, and the pipeline they go through."""

    key: "NameNode | TextNode | ListNode"
    pipeline: "PipelineNode"


class ColumnsNode(Node, frozen=True):
    """`columns(numeric: A | B, [age, bmi]: passthrough)`."""

    branches: tuple[BranchNode, ...]


class PipelineNode(Node, frozen=True):
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


class ClauseNode(Node, frozen=True):
    """`keyword value, value`: every clause that has no shape of its own.

    A clause whose word is unknown parses as one too; the checker names the right ones.
    """

    keyword: NameNode
    values: tuple[ValueNode, ...]


class PositiveNode(Node, frozen=True):
    """`positive 1 "malignant"`."""

    value: NameNode | TextNode | NumberNode
    label: TextNode | None = None


class FeaturesNode(Node, frozen=True):
    """`features A, B` or `features all except A, B`."""

    columns: tuple[ColumnNode, ...]
    all_except: bool = False


class WhereNode(Node, frozen=True):
    """`where COL OP VALUE`; `operator` is one of = != < <= > >= in, `is missing`, `is not missing`.

    `value` is None for the two `is` forms.
    """

    column: ColumnNode
    operator: str
    value: ValueNode | None = None


class ColumnPairNode(Node, frozen=True):
    """`("errors_a", "words_a")`: the columns of a numerator and its denominator."""

    numerator: ColumnNode
    denominator: ColumnNode


class ModelColumnNode(Node, frozen=True):
    """One item of `models`, `correct` or `value`: `bert "BERT base" as yhat in "preds.csv"`."""

    name: ColumnNode
    label: TextNode | None = None
    column: "ColumnNode | ColumnPairNode | JudgedColumnNode | None" = None
    path: TextNode | None = None


class JudgedColumnNode(Node, frozen=True):
    """`answer = "C"`: the values of a column that count as right."""

    column: ColumnNode
    operator: str
    value: ValueNode


class RatioNode(Node, frozen=True):
    """`ratio("errors", "words")`: what is added up over the examples and divided."""

    numerator: TextNode
    denominator: TextNode


class ModelColumnsNode(Node, frozen=True):
    """`models A, B`, `value "F1" A, B` with a `metric`, `judges A, B truth COL` with a `truth`."""

    keyword: NameNode
    items: tuple[ModelColumnNode, ...]
    metric: TextNode | RatioNode | None = None
    truth: ColumnNode | None = None


class ModelSettingNode(Node, frozen=True):
    """`score A = "p"`, `scores A = [..] | {..} | "p_*"`, `threshold A = 0.3`."""

    keyword: NameNode
    model: ColumnNode
    value: ValueNode


class StateNode(Node, frozen=True):
    """An item of `samples`: `errored wrong`."""

    state: NameNode
    use: NameNode


class DirectionNode(Node, frozen=True):
    """`higher is better` or `lower is better`."""

    keyword: NameNode


class FoldsNode(Node, frozen=True):
    """`folds of cv` or `folds of holdout(test=1/3)`: the design that the folds come from."""

    method: MethodNode


class TableNode(Node, frozen=True):
    """`table [[a, b], [c, d]]`."""

    value: ListNode


class PatternNode(Node, frozen=True):
    """`pattern [1, 1, 0]: 12`."""

    pattern: ListNode
    count: NumberNode


class RightNode(Node, frozen=True):
    """`right A "label" = 87 of 100`."""

    model: ColumnNode
    label: TextNode | None
    right: NumberNode
    total: NumberNode


class IntervalNode(Node, frozen=True):
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
    | FoldsNode
    | TableNode
    | PatternNode
    | RightNode
    | IntervalNode
)


class StatementNode(Node, frozen=True, kw_only=True):
    """A statement; `keyword` is the span of its first word, `clauses` its indented lines."""

    APART: ClassVar[tuple[str, ...]] = ("keyword",)

    keyword: Span
    clauses: tuple[AnyClauseNode, ...] = ()


class EvallangNode(StatementNode, frozen=True):
    """`evallang 1`."""

    version: NumberNode


class IncludeNode(StatementNode, frozen=True):
    """`include "lab/protocol.eval"`."""

    path: TextNode


class HeaderNode(StatementNode, frozen=True):
    """`study ["TITLE"]`."""

    title: TextNode | None = None


class LetNode(StatementNode, frozen=True):
    """`let NAME = VALUE | PIPELINE`."""

    name: NameNode
    value: ValueNode


class SourceNode(Node, frozen=True):
    """Where data come from; `kind` is `sklearn`, `path` or `sql`.

    `values` are the name of the data set, the path, or the query and its connection.
    """

    kind: str
    values: tuple[NameNode | TextNode, ...]


class FrameNode(Node, frozen=True):
    """`frame NAME`, a data frame of Python in place of a file."""

    name: NameNode

    @property
    def value(self) -> str:
        """What messages call it in place of a path."""
        return f"frame {self.name.name}"


class DataNode(StatementNode, frozen=True):
    """`data NAME ["LABEL"] from SOURCE`."""

    name: NameNode
    label: TextNode | None
    source: SourceNode | FrameNode


class PredictionsNode(StatementNode, frozen=True):
    """`predictions NAME from "a.csv"[, "b.csv"]`, or `from inspect "logs/*.eval"`."""

    name: NameNode
    label: TextNode | None
    tool: NameNode | None
    paths: tuple[TextNode | FrameNode, ...]


class ScoresNode(StatementNode, frozen=True):
    """`scores NAME from "auc.csv"`."""

    name: NameNode
    label: TextNode | None
    path: TextNode | FrameNode


class CountsNode(StatementNode, frozen=True):
    """`counts NAME ["LABEL"] [from "patterns.csv"]`."""

    name: NameNode
    label: TextNode | None
    path: TextNode | FrameNode | None = None


class BattlesNode(StatementNode, frozen=True):
    """`battles NAME ["LABEL"] from "battles.jsonl"`."""

    name: NameNode
    label: TextNode | None
    path: TextNode | FrameNode


SourceStatement = DataNode | PredictionsNode | ScoresNode | CountsNode | BattlesNode
"""A statement that names where outcomes or data come from."""


class OptionNode(Node, frozen=True):
    """`key=value` after the words of a protocol, `bins=5`, `cv=K`."""

    key: NameNode
    value: ValueNode


class StratifyNode(StatementNode, frozen=True):
    """`stratify by target, COL bins=5`, or `stratify none` (no columns)."""

    columns: tuple[ColumnNode, ...] = ()
    options: tuple[OptionNode, ...] = ()


class GroupNode(StatementNode, frozen=True):
    """`group by COL`."""

    column: ColumnNode


class ModelNode(StatementNode, frozen=True):
    """`model NAME ["LABEL"] = PIPELINE`, or `... from results "FOLDER" as MODEL`.

    A model has a pipeline, or the folder of former results and its name there.
    """

    name: NameNode
    label: TextNode | None
    pipeline: PipelineNode | None = None
    folder: TextNode | None = None
    stored: ColumnNode | None = None


class ProtocolNode(StatementNode, frozen=True):
    """`protocol [NAME =] words key=value ...`, `... split by COL`, `... split from "folds.csv"`.

    `words` are the words of the form, in the order written (`nested`, `cv`); `by` and
    `path` belong to `split`.
    """

    name: NameNode | None
    words: tuple[NameNode, ...]
    options: tuple[OptionNode, ...] = ()
    by: ColumnNode | None = None
    path: TextNode | None = None


class TuneNode(StatementNode, frozen=True):
    """`tune [grid|random N|bayes N] [by METRIC] [cv=K] [select RULE]`."""

    strategy: NameNode | None = None
    n: NumberNode | None = None
    metric: MethodNode | None = None
    options: tuple[OptionNode, ...] = ()
    select: NameNode | None = None


class MeasureNode(StatementNode, frozen=True):
    """`measure METRIC, ... [within COL, ...] [averaged over data|rows]`."""

    metrics: tuple[MethodNode, ...]
    within: tuple[ColumnNode, ...] = ()
    averaged: NameNode | None = None


class PairNode(Node, frozen=True):
    """`a vs b`."""

    first: ColumnNode
    second: ColumnNode


class CompareNode(StatementNode, frozen=True):
    """`compare MODELS [against MODEL] [across data] with TEST [then TEST] [CORRECTION] ...`.

    `test` is None where a line that averages over data sets leaves it to its default.
    """

    models: tuple[ColumnNode | PairNode, ...]
    test: MethodNode | None
    then: MethodNode | None = None
    correction: MethodNode | None = None
    against: ColumnNode | None = None
    across: bool = False
    averaged: NameNode | None = None
    by: tuple[MethodNode, ...] = ()
    on: NameNode | None = None
    exploratory: bool = False


class RequireNode(StatementNode, frozen=True):
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
    averaged: NameNode | None = None
    on: NameNode | None = None
    at: NumberNode | None = None


class AnalyzeNode(StatementNode, frozen=True):
    """`analyze WHAT, ... [of MODELS] [by METRIC] [on PROTOCOL]`."""

    items: tuple[MethodNode, ...]
    models: tuple[ColumnNode, ...] = ()
    metric: MethodNode | None = None
    on: NameNode | None = None


class ExportNode(StatementNode, frozen=True):
    """`export MODEL|best [to "model.skops"]`; `model` is None for `best`."""

    model: ColumnNode | None
    path: TextNode | None = None


class UseNode(StatementNode, frozen=True):
    """`use PACKAGE.MODULE`."""

    module: NameNode


class ReportNode(StatementNode, frozen=True):
    """`report FORMAT, ...`."""

    formats: tuple[NameNode, ...]


class CommentNode(Node, frozen=True):
    """A comment, `#` included; `own_line` when nothing else is on its line."""

    text: str
    own_line: bool


class StudyNode(Node, frozen=True):
    """One file: its statements in order, and its comments."""

    APART: ClassVar[tuple[str, ...]] = ("comments",)

    statements: tuple[StatementNode, ...]
    comments: tuple[CommentNode, ...] = ()
