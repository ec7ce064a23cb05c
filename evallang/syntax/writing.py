"""Nodes in, pieces to lay out: how each value, clause and statement is spelt."""

from collections.abc import Iterable, Sequence

from evallang.syntax import nodes as n
from evallang.syntax.pretty import Chain, Doc, Group, Item, Row


def written(node: n.Node) -> Doc:
    """Spell a node; a statement is spelt without its clauses."""
    if isinstance(node, n.StatementNode):
        return _statement(node)
    if isinstance(node, _CLAUSES):
        return _clause(node)
    return _value(node)


def _value(node: n.Node) -> Doc:
    match node:
        case n.NameNode():
            return node.name
        case n.TextNode() | n.NumberNode():
            return node.literal
        case n.ListNode():
            return _group("[", node.items, "]")
        case n.MapNode():
            return _group("{", node.entries, "}")
        case n.EntryNode():
            return _row(node.key, ": ", node.value)
        case n.RangeNode():
            return _range(node)
        case n.CallNode():
            return _row(node.name, _group("(", node.arguments, ")"))
        case n.ArgumentNode():
            sign = " in " if node.tuned else "="
            return _value(node.value) if node.key is None else _row(node.key, sign, node.value)
        case n.ColumnsNode():
            return _row("columns", _group("(", node.branches, ")"))
        case n.BranchNode():
            return _row(node.key, ": ", node.pipeline)
        case n.PipelineNode():
            return Chain(tuple(Item(_value(step), step.span) for step in node.steps))
        case n.OptionNode():
            return _row(node.key, "=", node.value)
        case n.PairNode():
            return _row(node.first, " vs ", node.second)
        case n.ModelColumnNode():
            return _row(
                node.name,
                *_part(" ", node.label),
                *_part(" as ", node.column),
                *_part(" in ", node.path),
            )
        case n.SourceNode("sql"):
            return _row("sql ", node.values[0], " on ", node.values[1])
        case n.SourceNode("sklearn"):
            return _row("sklearn ", node.values[0])
        case n.SourceNode():
            return _value(node.values[0])
        case n.CommentNode():
            return node.text
    raise TypeError(f"{type(node).__name__} is no value")


def _range(node: n.RangeNode) -> Doc:
    apart = node.stop.literal.startswith(".")  # three points in a row are none
    return _row(
        node.start,
        " .. " if apart else "..",
        node.stop,
        *_part(" step ", node.step),
        *_part(" log ", node.log),
        *_part(" ", node.distribution),
    )


# --- clauses ---------------------------------------------------------------------------

_CLAUSES = (
    n.ClauseNode,
    n.PositiveNode,
    n.FeaturesNode,
    n.WhereNode,
    n.ModelColumnsNode,
    n.ModelSettingNode,
    n.DirectionNode,
    n.RowsNode,
    n.TableNode,
    n.PatternNode,
    n.RightNode,
    n.IntervalNode,
)


def _clause(node: n.AnyClauseNode) -> Doc:
    match node:
        case n.ClauseNode():
            return _row(node.keyword, " ", _words(node.values))
        case n.PositiveNode():
            return _row("positive ", node.value, *_part(" ", node.label))
        case n.FeaturesNode():
            words = "features all except " if node.all_except else "features "
            first = node.columns[0]
            if not node.all_except and isinstance(first, n.NameNode) and first.name == "all":
                # without its brackets it would begin `all except`
                return _row(words, _group("[", node.columns, "]"))
            return _row(words, _listed(node.columns))
        case n.WhereNode():
            return _row("where ", node.column, f" {node.operator}", *_part(" ", node.value))
        case n.ModelColumnsNode():
            return _row(node.keyword, *_part(" ", node.metric), " ", _listed(node.items))
        case n.ModelSettingNode():
            return _row(node.keyword, " ", node.model, " = ", node.value)
        case n.DirectionNode():
            return _row(node.keyword, " is better")
        case n.RowsNode():
            return _row("rows ", node.word)
        case n.TableNode():
            return _row("table ", node.value)
        case n.PatternNode():
            return _row("pattern ", node.pattern, ": ", node.count)
        case n.RightNode():
            named = (node.model, *_part(" ", node.label))
            return _row("right ", *named, " = ", node.right, " of ", node.total)
        case n.IntervalNode():
            return _row("interval ", node.method)


# --- statements ------------------------------------------------------------------------


def _statement(node: n.StatementNode) -> Doc:
    match node:
        case n.EvallangNode():
            return _row("evallang ", node.version)
        case n.IncludeNode():
            return _row("include ", node.path)
        case n.HeaderNode():
            return _row("study", *_part(" ", node.title))
        case n.LetNode():
            return _row("let ", node.name, " = ", node.value)
        case n.DataNode():
            return _row("data ", node.name, *_part(" ", node.label), " from ", node.source)
        case n.PredictionsNode():
            paths = _row(*_between(", ", node.paths))
            return _row("predictions ", node.name, *_part(" ", node.label), " from ", paths)
        case n.ScoresNode():
            return _row("scores ", node.name, *_part(" ", node.label), " from ", node.path)
        case n.CountsNode():
            path = _part(" from ", node.path)
            return _row("counts ", node.name, *_part(" ", node.label), *path)
        case n.StratifyNode():
            if not node.columns:
                return "stratify none"
            return _row("stratify by ", _listed(node.columns), *_each(node.options))
        case n.GroupNode():
            return _row("group by ", node.column)
        case n.ModelNode():
            return _row("model ", node.name, *_part(" ", node.label), " = ", node.pipeline)
        case n.ProtocolNode():
            named = () if node.name is None else (node.name, " = ")
            words = _between(" ", node.words)
            given = (*_part(" by ", node.by), *_part(" from ", node.path))
            return _row("protocol ", *named, *words, *given, *_each(node.options))
        case n.TuneNode():
            return _row(
                "tune",
                *_part(" ", node.strategy),
                *_part(" ", node.n),
                *_part(" by ", node.metric),
                *_each(node.options),
                *_part(" select ", node.select),
            )
        case n.MeasureNode():
            within = (" within ", _listed(node.within)) if node.within else ()
            return _row("measure ", _listed(node.metrics), *within)
        case n.CompareNode():
            return _compare(node)
        case n.RequireNode():
            return _require(node)
        case n.AnalyzeNode():
            models = (" of ", _listed(node.models)) if node.models else ()
            parts = (*_part(" by ", node.metric), *_part(" on ", node.on))
            return _row("analyze ", _listed(node.items), *models, *parts)
        case n.ExportNode():
            return _row("export ", node.model or "best", *_part(" to ", node.path))
        case n.UseNode():
            return _row("use ", node.module)
        case n.ReportNode():
            return _row("report ", _listed(node.formats))
    raise TypeError(f"{type(node).__name__} is no statement")


def _compare(node: n.CompareNode) -> Doc:
    models = (" ", _listed(node.models)) if node.models else ()
    by = (" by ", _listed(node.by)) if node.by else ()
    return _row(
        "compare",
        *models,
        *_part(" against ", node.against),
        " across data" * node.across,
        " with ",
        node.test,
        *_part(" then ", node.then),
        *_part(" ", node.correction),
        *by,
        *_part(" on ", node.on),
        " exploratory" * node.exploratory,
    )


def _require(node: n.RequireNode) -> Doc:
    tail = (*_part(" on ", node.on), *_part(" at ", node.at))
    if node.kind == "level":
        level = (node.metric or "", " of ", node.first, f" {node.operator} ", node.value or "")
        return _row("require ", *level, *_part(" within ", node.within), *tail)
    words, margin = _CLAIMS[node.kind]
    return _row(
        "require ",
        node.first,
        words,
        node.second or "",
        *_part(margin, node.value),
        *_part(" with ", node.test),
        *_part(" in ", node.metric),
        *tail,
    )


_CLAIMS = {
    "superior": (" better than ", " by "),
    "noninferior": (" not worse than ", " by "),
    "equivalent": (" equivalent to ", " within "),
}

# --- pieces ----------------------------------------------------------------------------

Piece = n.Node | Doc


def _row(*pieces: Piece) -> Row:
    parts: list[str | Group | Chain] = []
    for piece in pieces:
        doc = _value(piece) if isinstance(piece, n.Node) else piece
        if isinstance(doc, Row):
            parts += doc.parts
        else:
            parts.append(doc)
    return Row(tuple(parts))


def _part(words: str, node: n.Node | None) -> tuple[Piece, ...]:
    return () if node is None else (words, node)


def _each(nodes: Iterable[n.Node]) -> tuple[Piece, ...]:
    return tuple(piece for node in nodes for piece in (" ", node))


def _between(sign: str, nodes: Iterable[n.Node]) -> tuple[Piece, ...]:
    return tuple(piece for node in nodes for piece in (sign, node))[1:]


def _group(opener: str, nodes: Iterable[n.Node], closer: str) -> Group:
    return Group(opener, tuple(Item(_value(node), node.span) for node in nodes), closer)


def _listed(nodes: Sequence[n.Node]) -> Doc:
    """Spell a list that may stand in brackets; they stand only where it is broken."""
    if len(nodes) < 2:
        return _row(*_between(", ", nodes))
    group = _group("[", nodes, "]")
    group.bare = True
    return group


def _words(values: Sequence[n.Node]) -> Doc:
    """Spell the values of a clause; in brackets, only plain ones read the same."""
    plain = n.NameNode | n.TextNode | n.NumberNode
    if all(isinstance(value, plain) for value in values):
        return _listed(values)
    return _row(*_between(", ", values))
