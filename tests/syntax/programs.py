"""Hypothesis strategies for trees that cover the whole grammar."""

from typing import Any

from hypothesis import strategies as st

from evallang.source import Span
from evallang.syntax import nodes as n
from evallang.syntax.language import STATEMENTS
from evallang.syntax.literals import quoted, unescaped

AT = Span("study.eval", 0, 0)
_AUTHORS = ["x", "forest", "gpt-4", "Sepal.Length", "größe", "data_2", "_a", "mypkg.Net", "model"]
_CATALOGUES = ["cv", "mcnemar", "5x2cv_t", ".632+", "roc_auc", "leave_one_out", "e1", "report"]


def _names(words: list[str]) -> st.SearchStrategy[n.NameNode]:
    return st.sampled_from(words).map(lambda word: n.NameNode(word, span=AT))


def _literals(literals: list[str]) -> st.SearchStrategy[n.NumberNode]:
    return st.sampled_from(literals).map(lambda literal: n.NumberNode(literal, span=AT))


names = _names(_AUTHORS)
terms = _names(_CATALOGUES)
keys = _names(["folds", "test", "k", "data"])
numbers = _literals(["0", "-1", "1_000", "0.05", ".5", "1e-3", "-2E+4", "95%", "1/3", "0.10_1"])
integers = _literals(["1", "40", "10_000"])


@st.composite
def texts(draw: st.DrawFn) -> n.TextNode:
    characters = st.characters(codec="utf-8", exclude_categories=("Cs",))
    literal = quoted(draw(st.text(characters, max_size=6)))
    return n.TextNode(unescaped(literal), literal, span=AT)


columns = names | texts()


def tuples(items: st.SearchStrategy[Any], least: int = 1, most: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


def maybe(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | items


def build(kind: type[n.Node], *parts: st.SearchStrategy[Any], **named: Any) -> Any:
    return st.builds(lambda *a, **k: kind(*a, **k, span=AT), *parts, **named)


ranges = st.one_of(
    build(n.RangeNode, numbers, numbers),
    build(n.RangeNode, numbers, numbers, step=numbers),
    build(n.RangeNode, numbers, numbers, log=integers),
    build(
        n.RangeNode,
        numbers,
        numbers,
        distribution=_names(["uniform", "loguniform"]),
    ),
)


def _calls(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    domains = st.one_of(ranges, build(n.ListNode, tuples(values, 0)), names)
    arguments = st.one_of(
        build(n.ArgumentNode, st.none(), values),
        build(n.ArgumentNode, names, values),
        build(n.ArgumentNode, names, domains, tuned=st.just(True)),
    )
    return build(n.CallNode, names.filter(lambda w: w.name != "columns"), tuples(arguments))


def _columns(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    steps = st.one_of(names, _calls(values))
    lists = build(n.ListNode, tuples(columns, 0))
    branches = build(n.BranchNode, columns | lists, build(n.PipelineNode, tuples(steps)))
    return build(n.ColumnsNode, tuples(branches))


def _deeper(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    steps = st.one_of(names, _calls(values), _columns(values))
    scalars = st.one_of(names, numbers, texts())
    return st.one_of(
        build(n.ListNode, tuples(values, 0)),
        build(n.MapNode, tuples(build(n.EntryNode, scalars, values), 0)),
        _calls(values),
        _columns(values),
        build(n.PipelineNode, tuples(steps, 2)),
    )


values = st.recursive(st.one_of(names, numbers, texts()), _deeper, max_leaves=6)
pipelines = build(n.PipelineNode, tuples(st.one_of(names, _calls(values), _columns(values))))
methods = st.one_of(
    terms, build(n.CallNode, terms, tuples(build(n.ArgumentNode, maybe(keys), values)))
)
options = build(n.OptionNode, keys, values)
scalars = st.one_of(names, numbers, texts())

# --- clauses ---------------------------------------------------------------------------

_shaped = {"positive", "features", "where", "models", "correct", "value", "higher", "lower"}
_shaped |= {
    "rows",
    "table",
    "pattern",
    "right",
    "interval",
    "score",
    "scores",
    "threshold",
    "show",
    "hide",
}
_shaped |= {"numbers", "page", "families", "task", "target", "reader", "folds", "range", "logits"}
_shaped |= {"repeat", "winner"}


def _flat(values: tuple[Any, ...]) -> bool:
    """Whether the values read the same: a single plain list stands for its items."""
    plain = n.NameNode | n.TextNode | n.NumberNode
    only = values[0]
    single = len(values) == 1 and isinstance(only, n.ListNode) and bool(only.items)
    return not (single and all(isinstance(item, plain) for item in only.items))


_model_columns = st.one_of(
    build(n.ModelColumnNode, names, maybe(texts()), maybe(columns), maybe(texts())),
    build(n.ModelColumnNode, texts(), st.none(), maybe(columns), maybe(texts())),
)

_pairs_of_columns = st.builds(
    lambda name, label, pair, path: n.ModelColumnNode(name, label, pair, path, span=AT),
    names,
    maybe(texts()),
    build(n.ColumnPairNode, columns, columns),
    maybe(texts()),
)


def clauses(owner: str) -> st.SearchStrategy[Any]:
    taken = [w for w in STATEMENTS[owner].clauses if w not in _shaped and w not in STATEMENTS]
    words = [*taken, "unheard_of"]
    keyword = _names(words)
    operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    lists = build(n.ListNode, tuples(scalars, 0))
    verdicts = build(n.MapNode, tuples(build(n.EntryNode, scalars, values), 0))
    shapes = [
        build(n.ClauseNode, keyword, tuples(values).filter(_flat)),
        build(n.PositiveNode, scalars, maybe(texts())),
        build(n.FeaturesNode, tuples(columns), st.booleans()),
        build(n.WhereNode, columns, operators, scalars),
        build(n.WhereNode, columns, st.just("in"), lists),
        build(n.WhereNode, columns, st.sampled_from(["is missing", "is not missing"])),
        build(
            n.ModelColumnsNode,
            _names(["models", "correct"]),
            tuples(_model_columns),
        ),
        build(n.ModelColumnsNode, _names(["value"]), tuples(_model_columns), texts()),
        build(
            n.ModelColumnsNode,
            _names(["value"]),
            tuples(_pairs_of_columns),
            build(n.RatioNode, texts(), texts()),
        ),
        build(n.ClauseNode, _names(["target"]), st.tuples(columns)),
        build(n.ClauseNode, _names(["target"]), st.tuples(_names(["log", "sqrt"]), columns)),
        build(n.ClauseNode, _names(["reader", "repeat"]), st.tuples(columns)),
        build(n.ClauseNode, _names(["reader"]), st.tuples(columns, _names(["random"]))),
        build(n.ClauseNode, _names(["winner"]), st.tuples(columns) | st.tuples(columns, verdicts)),
        build(
            n.ModelSettingNode,
            _names(["score", "scores", "threshold", "logits"]),
            columns,
            values,
        ),
        build(n.DirectionNode, _names(["higher", "lower"])),
        build(n.TableNode, lists),
        build(n.PatternNode, lists, integers),
        build(n.RightNode, columns, maybe(texts()), numbers, numbers),
        build(n.IntervalNode, methods),
    ]
    return st.one_of(shapes)


# --- statements ------------------------------------------------------------------------


def _say(kind: type[n.StatementNode], *parts: Any, owner: str = "", **named: Any) -> Any:
    if owner:
        named["clauses"] = tuples(clauses(owner), 0)
    return build(kind, *parts, keyword=st.just(AT), **named)


_frames = build(n.FrameNode, names)
_paths = texts() | _frames
_sources = st.one_of(
    build(n.SourceNode, st.just("sklearn"), st.tuples(names)),
    _frames,
    build(n.SourceNode, st.just("path"), st.tuples(texts())),
    build(n.SourceNode, st.just("sql"), st.tuples(texts(), texts())),
)
_split = st.just((n.NameNode("split", span=AT),))
_pairs = build(n.PairNode, columns, columns)
_sets = _names(["data", "rows"])
_not_best = columns.filter(lambda c: c != n.NameNode("best", span=AT))

statements = st.one_of(
    _say(n.IncludeNode, texts()),
    _say(n.HeaderNode, maybe(texts()), owner="study"),
    _say(n.LetNode, names, values),
    _say(n.DataNode, names, maybe(texts()), _sources, owner="data"),
    _say(
        n.PredictionsNode,
        names,
        maybe(texts()),
        maybe(st.just(n.NameNode("lm_eval", span=AT))),
        tuples(texts()) | st.tuples(_frames),
        owner="predictions",
    ),
    _say(n.ScoresNode, names, maybe(texts()), _paths, owner="scores"),
    _say(n.CountsNode, names, maybe(texts()), maybe(_paths), owner="counts"),
    _say(n.BattlesNode, names, maybe(texts()), _paths, owner="battles"),
    _say(n.StratifyNode, tuples(columns), tuples(options, 0)),
    _say(n.StratifyNode, st.just(())),
    _say(n.GroupNode, columns),
    _say(n.ModelNode, names, maybe(texts()), pipelines),
    _say(n.ProtocolNode, maybe(names), tuples(terms), tuples(options, 0)),
    _say(n.ProtocolNode, maybe(names), _split, tuples(options, 0), by=columns),
    _say(n.ProtocolNode, maybe(names), _split, tuples(options, 0), path=texts()),
    _say(
        n.TuneNode, terms, maybe(integers), maybe(methods), tuples(options, 0), select=maybe(terms)
    ),
    _say(n.TuneNode, metric=maybe(methods), options=tuples(options, 0), select=maybe(terms)),
    _say(n.MeasureNode, tuples(methods), tuples(columns, 0), maybe(_sets), owner="measure"),
    *(
        _say(
            n.CompareNode,
            tuples(columns, 0),
            methods,
            maybe(methods),
            maybe(methods),
            maybe(columns),
            by=tuples(methods, 0),
            on=maybe(names),
            exploratory=st.booleans(),
            **sets,
        )
        for sets in ({"across": st.booleans()}, {"averaged": _sets})
    ),
    _say(n.CompareNode, tuples(columns, 0), st.none(), averaged=_sets),
    _say(n.CompareNode, tuples(_pairs), methods, correction=maybe(methods)),
    _say(
        n.RequireNode,
        st.just("level"),
        columns,
        metric=methods,
        operator=st.sampled_from([">=", "<="]),
        value=numbers,
        within=maybe(columns),
        averaged=maybe(_sets),
        on=maybe(names),
        at=maybe(numbers),
    ),
    _say(
        n.RequireNode,
        st.just("superior"),
        columns,
        columns,
        value=maybe(numbers),
        metric=maybe(methods),
        averaged=maybe(_sets),
        on=maybe(names),
        at=maybe(numbers),
    ),
    _say(n.RequireNode, st.just("superior"), columns, columns, test=methods),
    _say(
        n.RequireNode,
        st.sampled_from(["noninferior", "equivalent"]),
        columns,
        columns,
        value=numbers,
        metric=maybe(methods),
        averaged=maybe(_sets),
        on=maybe(names),
        at=maybe(numbers),
    ),
    _say(n.AnalyzeNode, tuples(methods), tuples(columns, 0), maybe(methods), maybe(names)),
    _say(n.ExportNode, maybe(_not_best), maybe(texts())),
    _say(n.UseNode, names),
    _say(n.ReportNode, tuples(terms), owner="report"),
)

studies = tuples(statements, 0, 5).map(
    lambda items: n.StudyNode(
        (n.EvallangNode(n.NumberNode("1", span=AT), keyword=AT, span=AT), *items), span=AT
    )
)
