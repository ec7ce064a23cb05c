"""Reductions of the grammar in, nodes out.

A builder has one method for each rule (or alias) of `grammar/evallang.lark`; it gets the
children that count and the span they cover. Values are in `values.py`, lines whose parts
stand in any order in `parts.py`, all other statements and the clauses here.
"""

# ruff: noqa: D102 - what a method makes is said by the rule of its name in the grammar

from typing import Any

from evallang.source import Span
from evallang.syntax import nodes as n
from evallang.syntax.parts import PartBuilder, term
from evallang.syntax.values import Kids, ValueBuilder


class TreeBuilder(PartBuilder):
    """Builds the nodes of one logical line."""

    # --- clauses -----------------------------------------------------------------------

    def words(self, kids: Kids, span: Span) -> n.ClauseNode:
        keyword, *values = kids
        for value in values:
            self._no_range(value)
        if len(values) == 1 and isinstance(values[0], n.ListNode) and _plain(values[0]):
            values = [*values[0].items]
        if keyword.name in ("show", "hide", "numbers", "page", "families", "task"):
            values = [term(v) if isinstance(v, n.NameNode) else v for v in values]
        return n.ClauseNode(keyword, tuple(values), span=span)

    setting_word = ValueBuilder.name
    split = ValueBuilder.name

    def setting(self, kids: Kids, span: Span) -> n.ModelSettingNode:
        self._no_range(kids[2])
        return n.ModelSettingNode(kids[0], kids[1], kids[2], span=span)

    def positive(self, kids: Kids, span: Span) -> n.PositiveNode:
        return n.PositiveNode(kids[0], kids[1], span=span)

    def features(self, kids: Kids, span: Span) -> n.FeaturesNode:
        return n.FeaturesNode(kids[0], span=span)

    def features_except(self, kids: Kids, span: Span) -> n.FeaturesNode:
        return n.FeaturesNode(kids[0], all_except=True, span=span)

    def where(self, kids: Kids, span: Span) -> n.WhereNode:
        return n.WhereNode(kids[0], kids[1].text, kids[2], span=span)

    def where_in(self, kids: Kids, span: Span) -> n.WhereNode:
        return n.WhereNode(kids[0], "in", kids[1], span=span)

    def where_missing(self, kids: Kids, span: Span) -> n.WhereNode:
        return n.WhereNode(kids[0], "is missing", span=span)

    def where_not_missing(self, kids: Kids, span: Span) -> n.WhereNode:
        return n.WhereNode(kids[0], "is not missing", span=span)

    def model_column(self, kids: Kids, span: Span) -> n.ModelColumnNode:
        return n.ModelColumnNode(kids[0], kids[1], kids[2], kids[3], span=span)

    def quoted_model_column(self, kids: Kids, span: Span) -> n.ModelColumnNode:
        return n.ModelColumnNode(kids[0], None, kids[1], kids[2], span=span)

    def models(self, kids: Kids, span: Span) -> n.ModelColumnsNode:
        return n.ModelColumnsNode(self._word(), kids[0], span=span)

    def valued_models(self, kids: Kids, span: Span) -> n.ModelColumnsNode:
        return n.ModelColumnsNode(self._word(), kids[1], kids[0], span=span)

    def direction(self, kids: Kids, span: Span) -> n.DirectionNode:
        return n.DirectionNode(self._word(), span=span)

    def rows(self, kids: Kids, span: Span) -> n.RowsNode:
        return n.RowsNode(term(kids[0]), span=span)

    def table(self, kids: Kids, span: Span) -> n.TableNode:
        return n.TableNode(kids[0], span=span)

    def pattern(self, kids: Kids, span: Span) -> n.PatternNode:
        return n.PatternNode(kids[0], kids[1], span=span)

    def right(self, kids: Kids, span: Span) -> n.RightNode:
        return n.RightNode(kids[0], kids[1], kids[2], kids[3], span=span)

    def interval(self, kids: Kids, span: Span) -> n.IntervalNode:
        return n.IntervalNode(self._method(kids[0]), span=span)

    # --- statements --------------------------------------------------------------------

    def evallang(self, kids: Kids, span: Span) -> n.EvallangNode:
        return n.EvallangNode(kids[0], keyword=self.keyword, span=span)

    def include(self, kids: Kids, span: Span) -> n.IncludeNode:
        return n.IncludeNode(kids[0], keyword=self.keyword, span=span)

    def study(self, kids: Kids, span: Span) -> n.HeaderNode:
        return n.HeaderNode(kids[0], keyword=self.keyword, span=span)

    def let(self, kids: Kids, span: Span) -> n.LetNode:
        self._no_range(kids[1], "write a list, or the range itself after `in`")
        return n.LetNode(kids[0], kids[1], keyword=self.keyword, span=span)

    def data(self, kids: Kids, span: Span) -> n.DataNode:
        return n.DataNode(*kids, keyword=self.keyword, span=span)

    def source_sklearn(self, kids: Kids, span: Span) -> n.SourceNode:
        return n.SourceNode("sklearn", (kids[0],), span=span)

    def source_path(self, kids: Kids, span: Span) -> n.SourceNode:
        return n.SourceNode("path", (kids[0],), span=span)

    def source_sql(self, kids: Kids, span: Span) -> n.SourceNode:
        return n.SourceNode("sql", (kids[0], kids[1]), span=span)

    def predictions(self, kids: Kids, span: Span) -> n.PredictionsNode:
        name, label, *paths = kids
        return n.PredictionsNode(name, label, tuple(paths), keyword=self.keyword, span=span)

    def scores(self, kids: Kids, span: Span) -> n.ScoresNode:
        return n.ScoresNode(*kids, keyword=self.keyword, span=span)

    def counts(self, kids: Kids, span: Span) -> n.CountsNode:
        return n.CountsNode(*kids, keyword=self.keyword, span=span)

    def stratify(self, kids: Kids, span: Span) -> n.StratifyNode:
        columns, *options = kids
        return n.StratifyNode(columns, tuple(options), keyword=self.keyword, span=span)

    def stratify_none(self, kids: Kids, span: Span) -> n.StratifyNode:
        return n.StratifyNode((), keyword=self.keyword, span=span)

    def group(self, kids: Kids, span: Span) -> n.GroupNode:
        return n.GroupNode(kids[0], keyword=self.keyword, span=span)

    def model(self, kids: Kids, span: Span) -> n.ModelNode:
        return n.ModelNode(*kids, keyword=self.keyword, span=span)

    def form(self, kids: Kids, span: Span) -> dict[str, Any]:
        words = tuple(term(k) for k in kids if isinstance(k, n.NameNode))
        return {"words": words, "options": tuple(kids[len(words) :])}

    def form_by(self, kids: Kids, span: Span) -> dict[str, Any]:
        split, column, *options = kids
        return {"words": (split,), "options": tuple(options), "by": column}

    def form_from(self, kids: Kids, span: Span) -> dict[str, Any]:
        split, path, *options = kids
        return {"words": (split,), "options": tuple(options), "path": path}

    def protocol(self, kids: Kids, span: Span) -> n.ProtocolNode:
        name, form = kids
        return n.ProtocolNode(name, **form, keyword=self.keyword, span=span)

    def measure(self, kids: Kids, span: Span) -> n.MeasureNode:
        metrics, within = kids
        return n.MeasureNode(
            tuple(self._method(m) for m in metrics), within or (), keyword=self.keyword, span=span
        )

    def export(self, kids: Kids, span: Span) -> n.ExportNode:
        model, path = kids
        best = isinstance(model, n.NameNode) and model.name == "best"
        return n.ExportNode(None if best else model, path, keyword=self.keyword, span=span)

    def use(self, kids: Kids, span: Span) -> n.UseNode:
        return n.UseNode(kids[0], keyword=self.keyword, span=span)

    def report(self, kids: Kids, span: Span) -> n.ReportNode:
        formats = tuple(term(k) for k in kids[0])
        return n.ReportNode(formats, keyword=self.keyword, span=span)


def _plain(values: n.ListNode) -> bool:
    """Whether a list in brackets stands for the words of a clause side by side."""
    kinds = n.NameNode | n.TextNode | n.NumberNode
    return bool(values.items) and all(isinstance(item, kinds) for item in values.items)
