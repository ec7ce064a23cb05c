"""What was written: the syntax tree of a `.eval` file.

Frozen dataclasses that know nothing of catalogues, numbers or reports. Spans and
comments take no part in equality, so `parse(format(tree)) == tree`. Literals keep their
spelling (`1_000`, `.632`).
"""

from evallang.syntax.nodes.clauses import (
    AnyClauseNode as AnyClauseNode,
    ClauseNode as ClauseNode,
    DirectionNode as DirectionNode,
    FeaturesNode as FeaturesNode,
    IntervalNode as IntervalNode,
    ModelColumnNode as ModelColumnNode,
    ModelColumnsNode as ModelColumnsNode,
    ModelSettingNode as ModelSettingNode,
    PatternNode as PatternNode,
    PositiveNode as PositiveNode,
    RightNode as RightNode,
    RowsNode as RowsNode,
    TableNode as TableNode,
    WhereNode as WhereNode,
)
from evallang.syntax.nodes.statements import (
    AnalyzeNode as AnalyzeNode,
    CommentNode as CommentNode,
    CompareNode as CompareNode,
    CountsNode as CountsNode,
    DataNode as DataNode,
    EvallangNode as EvallangNode,
    ExportNode as ExportNode,
    GroupNode as GroupNode,
    HeaderNode as HeaderNode,
    IncludeNode as IncludeNode,
    LetNode as LetNode,
    MeasureNode as MeasureNode,
    ModelNode as ModelNode,
    OptionNode as OptionNode,
    PairNode as PairNode,
    PredictionsNode as PredictionsNode,
    ProtocolNode as ProtocolNode,
    ReportNode as ReportNode,
    RequireNode as RequireNode,
    ScoresNode as ScoresNode,
    SourceNode as SourceNode,
    StatementNode as StatementNode,
    StratifyNode as StratifyNode,
    StudyNode as StudyNode,
    TuneNode as TuneNode,
    UseNode as UseNode,
)
from evallang.syntax.nodes.values import (
    ArgumentNode as ArgumentNode,
    BranchNode as BranchNode,
    CallNode as CallNode,
    ColumnNode as ColumnNode,
    ColumnsNode as ColumnsNode,
    EntryNode as EntryNode,
    ListNode as ListNode,
    MapNode as MapNode,
    MethodNode as MethodNode,
    NameNode as NameNode,
    Node as Node,
    NumberNode as NumberNode,
    PipelineNode as PipelineNode,
    RangeNode as RangeNode,
    TextNode as TextNode,
    ValueNode as ValueNode,
)
