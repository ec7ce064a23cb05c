"""`data`, `predictions`, `scores` and `counts` statements to the specs that are read."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from evallang.checking import codes, values
from evallang.checking.scope import Scope, listed, suggestion
from evallang.data.dataset import (
    CountsSpec,
    DataSpec,
    GivenModel,
    Label,
    PredictionsSpec,
    Task,
    Where,
)
from evallang.models.domains import number
from evallang.source import Span
from evallang.study import SourceSpec
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node

BUNDLED: Mapping[str, Task] = {
    "breast_cancer": "classification",
    "diabetes": "regression",
    "digits": "classification",
    "iris": "classification",
    "wine": "classification",
}
TABLE_ENDINGS = (".csv", ".tsv", ".parquet", ".jsonl", ".csv.gz", ".tsv.gz", ".jsonl.gz")
LATER_ENDINGS = (".arff", ".arff.gz")
DATA_CLAUSES = (
    "target", "positive", "features", "categorical", "id", "group", "weight", "missing",
    "task", "where", "about", "unit", "cite",
)  # fmt: skip
PREDICTIONS_CLAUSES = (
    "truth", "models", "correct", "value", "score", "scores", "threshold", "id", "group",
    "fold", "repeat", "dataset", "weight", "positive", "task", "where", "rows", "higher",
    "lower", "about", "unit", "cite",
)  # fmt: skip
SCORES_CLAUSES = (
    "dataset", "models", "model", "score", "fold", "repeat", "metric", "higher", "lower",
    "about", "cite",
)  # fmt: skip
COUNTS_CLAUSES = ("models", "table", "pattern", "count", "about", "unit", "cite")


class Clauses:
    """The clauses of one statement, by their word; unknown and repeated ones are reported."""

    def __init__(
        self, scope: Scope, statement: n.StatementNode, what: str, allowed: Sequence[str]
    ) -> None:
        self.scope = scope
        self.all: list[n.AnyClauseNode] = []
        self.places: dict[str, Span] = {}
        for clause in statement.clauses:
            word = clause_word(clause)
            span = clause.keyword.span if hasattr(clause, "keyword") else clause.span
            if word not in allowed:
                text, fixes = suggestion(word, span, allowed)
                scope.report(
                    codes.UNKNOWN_CLAUSE,
                    f"`{what}` takes no clause `{word}`",
                    span,
                    help=text or f"its clauses are {listed(allowed, 'and')}",
                    fixes=fixes,
                )
                continue
            repeatable = isinstance(clause, n.ModelSettingNode) or word in (
                "where", "models", "correct", "value", "pattern", "author",
            )  # fmt: skip
            if word in self.places and not repeatable:
                scope.report(codes.CLAUSE_TWICE, f"`{word}` stands twice under `{what}`", span)
                continue
            self.places.setdefault(word, clause.span)
            self.all.append(clause)

    def plain(self, word: str) -> n.ClauseNode | None:
        """Find the plain clause of a word."""
        for clause in self.all:
            if isinstance(clause, n.ClauseNode) and clause.keyword.name == word:
                return clause
        return None

    def column(self, word: str) -> str | None:
        """Take the column that a clause names."""
        clause = self.plain(word)
        return values.column(self.scope, clause) if clause else None

    def text(self, word: str) -> str | None:
        """Take the text of a clause."""
        clause = self.plain(word)
        return values.text(self.scope, clause) if clause else None

    def find(self, kind: type[Any]) -> list[Any]:
        """Give the clauses of one node type."""
        return [clause for clause in self.all if isinstance(clause, kind)]


def clause_word(clause: n.AnyClauseNode) -> str:
    """Give the word that a clause begins with."""
    words: dict[type, str] = {
        n.PositiveNode: "positive",
        n.FeaturesNode: "features",
        n.WhereNode: "where",
        n.RowsNode: "rows",
        n.TableNode: "table",
        n.PatternNode: "pattern",
        n.IntervalNode: "interval",
    }
    if isinstance(clause, n.DirectionNode):
        return clause.word.name
    if isinstance(clause, n.ClauseNode | n.ModelColumnsNode | n.ModelSettingNode):
        return clause.keyword.name
    return words[type(clause)]


def resolve_sources(scope: Scope) -> tuple[SourceSpec, ...]:
    """Resolve every source of a study, in order; a faulty one is left out after its report."""
    found: list[SourceSpec] = []
    for statement in scope.statements:
        spec: SourceSpec | None = None
        if isinstance(statement, n.DataNode):
            spec = _data(scope, statement)
        elif isinstance(statement, n.PredictionsNode):
            spec = _predictions(scope, statement)
        elif isinstance(statement, n.CountsNode):
            spec = _counts(scope, statement)
        elif isinstance(statement, n.ScoresNode):
            _scores(scope, statement)
            continue
        else:
            continue
        if spec is None:
            scope.broken.add(statement.name.name)
        else:
            found.append(spec)
    return tuple(found)


def _task(scope: Scope, clauses: Clauses) -> Task | None:
    clause = clauses.plain("task")
    if clause is None:
        return None
    return cast(Task | None, values.word(scope, clause, ("classification", "regression")))


def _data(scope: Scope, node: n.DataNode) -> DataSpec | None:
    before = len(scope.diagnostics)
    location, connection, kind = _source(scope, node.source)
    clauses = Clauses(scope, node, "data", DATA_CLAUSES)
    bundled = kind == "sklearn"
    target = clauses.column("target")
    if target is None and not bundled and clauses.plain("target") is None:
        scope.report(
            codes.MISSING_CLAUSE,
            f"`data {node.name.name}` does not say which column is the target",
            node.name.span,
            help="write `target COLUMN` on an indented line below it",
        )
    features, excepted = _features(clauses)
    positive, positive_label = _positive(scope, clauses)
    if (weight := clauses.plain("weight")) is not None:
        values.not_in_this_version(scope, "weights", weight)
    categorical = clauses.plain("categorical")
    missing = clauses.plain("missing")
    task = _task(scope, clauses)
    spec = DataSpec(
        name=node.name.name,
        label=node.label.value if node.label else node.name.name,
        kind=kind,
        location=location,
        statement=format_node(node).split("\n")[0],
        connection=connection,
        target=target,
        positive=positive,
        positive_label=positive_label,
        features=features,
        features_except=excepted,
        categorical=values.columns(scope, categorical) if categorical else (),
        id=clauses.column("id"),
        group=clauses.column("group"),
        weight=None,
        missing=_labels(scope, missing),
        task=BUNDLED.get(location) if bundled and task is None else task,
        where=_where(scope, clauses),
        unit=clauses.text("unit") or "examples",
        about=clauses.text("about"),
        cite=clauses.text("cite"),
        places={"data": node.keyword, "from": node.source.span} | clauses.places,
    )
    return None if _errors(scope, before) else spec


def _errors(scope: Scope, since: int) -> bool:
    """Tell whether a statement is faulty; what only a later version can run is sound."""
    later = codes.NOT_IN_THIS_VERSION.code
    return any(d.severity == "error" and d.code != later for d in scope.diagnostics[since:])


def _source(
    scope: Scope, source: n.SourceNode
) -> tuple[str, str | None, Literal["sklearn", "path", "glob", "sql"]]:
    first = source.values[0]
    if source.kind == "sklearn":
        name = values.column_name(first)
        if name not in BUNDLED:
            text, fixes = suggestion(name, first.span, BUNDLED)
            scope.report(
                codes.UNKNOWN_SOURCE,
                f"scikit-learn bundles no data set `{name}` that evallang reads",
                first.span,
                help=text or f"there are {listed(BUNDLED, 'and')}",
                fixes=fixes,
            )
        return name, None, "sklearn"
    location = values.column_name(first)
    if source.kind == "sql":
        values.not_in_this_version(scope, "`sql` sources", source)
        return location, values.column_name(source.values[1]), "sql"
    _check_path(scope, location, first)
    if any(c in location for c in "*?["):
        values.not_in_this_version(scope, "a pattern of several files", first)
        return location, None, "glob"
    return location, None, "path"


def _check_path(scope: Scope, location: str, node: n.Node) -> None:
    if "://" in location:
        scope.report(
            codes.UNKNOWN_SOURCE,
            "data are read from files, not from the network",
            node.span,
            help="download the file, commit it or its hash, and name it by its path",
        )
    elif location.lower().endswith(LATER_ENDINGS):
        values.not_in_this_version(scope, "`.arff` files", node)
    elif not location.lower().endswith(TABLE_ENDINGS):
        scope.report(
            codes.UNKNOWN_SOURCE,
            f"files like `{location}` are not read",
            node.span,
            help=f"the endings are {listed(TABLE_ENDINGS, 'and')}",
        )


def _features(clauses: Clauses) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    found = clauses.find(n.FeaturesNode)
    if not found:
        return None, None
    names = tuple(values.column_name(c) for c in found[0].columns)
    return (None, names) if found[0].all_except else (names, None)


def _positive(scope: Scope, clauses: Clauses) -> tuple[Label | None, str | None]:
    found = clauses.find(n.PositiveNode)
    if not found:
        return None, None
    node = found[0]
    return values.label(scope, node.value, "positive"), node.label.value if node.label else None


def _labels(scope: Scope, clause: n.ClauseNode | None) -> tuple[Label, ...]:
    if clause is None:
        return ()
    found = [values.label(scope, value, clause.keyword.name) for value in clause.values]
    return tuple(value for value in found if value is not None)


def _where(scope: Scope, clauses: Clauses) -> tuple[Where, ...]:
    lines = []
    for node in clauses.find(n.WhereNode):
        value: Label | tuple[Label, ...] | None = None
        if node.operator == "in":
            items = node.value.items if isinstance(node.value, n.ListNode) else ()
            found = [values.label(scope, item, "where") for item in items]
            value = tuple(item for item in found if item is not None)
            if not isinstance(node.value, n.ListNode) or not items:
                scope.report(
                    codes.CLAUSE_VALUE,
                    "`in` takes a list of values",
                    node.span,
                    help="write `where COLUMN in [a, b]`",
                )
        elif node.value is not None:
            value = values.label(scope, node.value, "where")
            quoted_text = isinstance(node.value, n.TextNode)
            bare = isinstance(node.value, n.NameNode) and isinstance(value, str)
            if node.operator not in ("=", "!=") and bare and not quoted_text:
                scope.report(
                    codes.CLAUSE_VALUE,
                    f"`{node.operator}` orders numbers and dates, not the word `{value}`",
                    node.value.span,
                    help="write a number, or a date in quotes",
                )
        lines.append(
            Where(
                values.column_name(node.column),
                node.operator,
                value,
                format_node(node).strip(),
                node.span,
            )
        )
    return tuple(lines)


# --- predictions -----------------------------------------------------------------------------


def _predictions(scope: Scope, node: n.PredictionsNode) -> PredictionsSpec | None:
    before = len(scope.diagnostics)
    clauses = Clauses(scope, node, "predictions", PREDICTIONS_CLAUSES)
    for path in node.paths:
        _check_path(scope, path.value, path)
    for word, what in (
        ("weight", "weights"),
        ("dataset", "predictions on several data sets in one file"),
        ("repeat", "predictions with repeats"),
    ):
        if (clause := clauses.plain(word)) is not None:
            values.not_in_this_version(scope, what, clause)
    groups: dict[str, list[n.ModelColumnsNode]] = {}
    for columns in clauses.find(n.ModelColumnsNode):
        groups.setdefault(columns.keyword.name, []).append(columns)
    judged = _judged(scope, node, clauses, groups)
    models = _given_models(scope, clauses, [c for part in groups.values() for c in part])
    direction = clauses.find(n.DirectionNode)
    positive, positive_label = _positive(scope, clauses)
    spec = PredictionsSpec(
        name=node.name.name,
        label=node.label.value if node.label else node.name.name,
        paths=tuple(path.value for path in node.paths),
        statement=format_node(node).split("\n")[0],
        truth=clauses.column("truth"),
        models=models,
        judged=judged,
        value_metric=next(
            (c.metric.value for c in groups.get("value", []) if c.metric is not None), None
        ),
        higher_is_better=not direction or direction[0].word.name == "higher",
        id=clauses.column("id"),
        group=clauses.column("group"),
        fold=clauses.column("fold"),
        positive=positive,
        positive_label=positive_label,
        task=_task(scope, clauses),
        rows_common=bool(clauses.find(n.RowsNode)),
        where=_where(scope, clauses),
        unit=clauses.text("unit") or "examples",
        about=clauses.text("about"),
        cite=clauses.text("cite"),
        places={"predictions": node.keyword, "from": node.paths[0].span} | clauses.places,
    )
    return None if _errors(scope, before) else spec


def _judged(
    scope: Scope,
    node: n.PredictionsNode,
    clauses: Clauses,
    groups: Mapping[str, Sequence[n.ModelColumnsNode]],
) -> Literal["correct", "value"] | None:
    judged = [word for word in ("correct", "value") if word in groups]
    if judged:
        for other in ("truth", "models", "score", "scores", "threshold", *judged[1:]):
            if other in clauses.places:
                scope.report(
                    codes.CLAUSE_CONFLICT,
                    f"`{other}` does not go with `{judged[0]}`, whose outcomes are judged already",
                    clauses.places[other],
                    help=f"keep either `{other}` or `{judged[0]}`",
                )
        if judged[0] == "value":
            values.not_in_this_version(scope, "`value` outcomes", groups["value"][0].keyword)
        return cast(Literal["correct", "value"], judged[0])
    if clauses.plain("truth") is None:
        scope.report(
            codes.MISSING_CLAUSE,
            f"`predictions {node.name.name}` does not say which column holds the truth",
            node.name.span,
            help="write `truth COLUMN` on an indented line below it",
        )
    return None


def _given_models(
    scope: Scope, clauses: Clauses, lines: Sequence[n.ModelColumnsNode]
) -> tuple[GivenModel, ...]:
    settings: dict[str, dict[str, Any]] = {}
    for setting in clauses.find(n.ModelSettingNode):
        model = values.column_name(setting.model)
        word = setting.keyword.name
        if word in settings.setdefault(model, {}):
            scope.report(codes.CLAUSE_TWICE, f"`{word}` of `{model}` is given twice", setting.span)
        settings[model][word] = _setting(scope, word, setting.value)
    found: list[GivenModel] = []
    names: set[str] = set()
    for line in lines:
        for item in line.items:
            name = values.column_name(item.name)
            if name in names:
                scope.report(codes.DUPLICATE_NAME, f"`{name}` is named twice", item.span)
                continue
            names.add(name)
            own = settings.pop(name, {})
            column = values.column_name(item.column) if item.column else None
            found.append(
                GivenModel(
                    name,
                    item.label.value if item.label else name,
                    column or (None if own and lines else name),
                    item.path.value if item.path else None,
                    own.get("score"),
                    own.get("scores"),
                    own.get("threshold"),
                )
            )
    for name, own in settings.items():
        if lines:
            place = next(
                s.model.span
                for s in clauses.find(n.ModelSettingNode)
                if values.column_name(s.model) == name
            )
            text, fixes = suggestion(name, place, names)
            scope.report(
                codes.UNKNOWN_NAME,
                f"`{name}` is none of the models of these predictions",
                place,
                help=text,
                fixes=fixes,
            )
        else:
            found.append(
                GivenModel(
                    name,
                    name,
                    None,
                    None,
                    own.get("score"),
                    own.get("scores"),
                    own.get("threshold"),
                )
            )
    return tuple(found)


def _setting(scope: Scope, word: str, node: n.ValueNode) -> Any:
    if word == "threshold":
        if isinstance(node, n.NumberNode):
            return float(number(node.literal))
        scope.report(codes.CLAUSE_VALUE, "`threshold` takes a number", node.span)
        return None
    if isinstance(node, n.NameNode | n.TextNode):
        return values.column_name(node)
    if word == "scores" and isinstance(node, n.ListNode):
        return tuple(
            values.column_name(item)
            for item in node.items
            if isinstance(item, n.NameNode | n.TextNode)
        )
    if word == "scores" and isinstance(node, n.MapNode):
        return {
            str(values.label(scope, entry.key, "scores")): values.column_name(entry.value)
            for entry in node.entries
            if isinstance(entry.value, n.NameNode | n.TextNode)
        }
    scope.report(codes.CLAUSE_VALUE, f"`{word}` takes the name of a column", node.span)
    return None


def _scores(scope: Scope, node: n.ScoresNode) -> None:
    """Resolve the names of a table of scores, which this version cannot run."""
    values.not_in_this_version(scope, "a table of `scores`", node.name)
    clauses = Clauses(scope, node, "scores", SCORES_CLAUSES)
    _check_path(scope, node.path.value, node.path)
    for given in _given_models(scope, clauses, clauses.find(n.ModelColumnsNode)):
        scope.scored_models.append(given.name)
    for word in ("dataset", "fold", "repeat", "model", "score"):
        clauses.column(word)
    for word in ("metric", "about", "cite"):
        clauses.text(word)


# --- counts ----------------------------------------------------------------------------------


def _counts(scope: Scope, node: n.CountsNode) -> CountsSpec | None:
    before = len(scope.diagnostics)
    clauses = Clauses(scope, node, "counts", COUNTS_CLAUSES)
    models = _given_models(scope, clauses, clauses.find(n.ModelColumnsNode))
    tables, lines = clauses.find(n.TableNode), clauses.find(n.PatternNode)
    patterns: dict[tuple[int, ...], int] = {}
    if node.path is not None:
        _check_path(scope, node.path.value, node.path)
        if clauses.plain("count") is None:
            scope.report(
                codes.MISSING_CLAUSE,
                f"`counts {node.name.name}` does not say which column holds the counts",
                node.name.span,
                help="write `count COLUMN` on an indented line below it",
            )
    elif not tables and not lines:
        scope.report(
            codes.MISSING_CLAUSE,
            f"`counts {node.name.name}` has neither a table nor patterns",
            node.name.span,
            help="write `table [[a, b], [c, d]]` or `pattern [1, 0]: n` below it",
        )
    if len(models) < 2 and not _errors(scope, before):
        scope.report(
            codes.MISSING_CLAUSE,
            f"`counts {node.name.name}` names fewer than two models",
            node.name.span,
            help="write `models A, B` on an indented line below it",
        )
    for table in tables:
        patterns = _table(scope, table, len(models))
    for line in lines:
        pattern, count = _pattern(scope, line, len(models))
        if pattern in patterns:
            scope.report(codes.CLAUSE_TWICE, "this pattern stands twice", line.span)
        patterns[pattern] = count
    if _errors(scope, before):
        return None
    return CountsSpec(
        name=node.name.name,
        label=node.label.value if node.label else node.name.name,
        statement=format_node(node).split("\n")[0],
        models=models,
        patterns=tuple(patterns.items()),
        path=node.path.value if node.path else None,
        count=clauses.column("count"),
        unit=clauses.text("unit") or "examples",
        about=clauses.text("about"),
        cite=clauses.text("cite"),
        places={"counts": node.keyword} | clauses.places,
    )


def _count(node: n.ValueNode) -> int | None:
    if isinstance(node, n.NumberNode):
        plain = number(node.literal)
        if isinstance(plain, int) and plain >= 0:
            return plain
    return None


def _table(scope: Scope, node: n.TableNode, models: int) -> dict[tuple[int, ...], int]:
    rows = [
        [_count(cell) for cell in row.items] if isinstance(row, n.ListNode) else []
        for row in node.value.items
    ]
    cells = [cell for row in rows for cell in row if cell is not None]
    if [len(row) for row in rows] != [2, 2] or len(cells) != 4 or models > 2:
        scope.report(
            codes.CLAUSE_VALUE,
            "`table` takes the four counts of two models",
            node.span,
            help="write `table [[both right, only first], [only second, both wrong]]`, "
            "or for more models `pattern [1, 1, 0]: 12`",
        )
        return {}
    return {(1, 1): cells[0], (1, 0): cells[1], (0, 1): cells[2], (0, 0): cells[3]}


def _pattern(scope: Scope, node: n.PatternNode, models: int) -> tuple[tuple[int, ...], int]:
    marks = [_count(item) for item in node.pattern.items]
    pattern = tuple(mark for mark in marks if mark in (0, 1))
    count = _count(node.count)
    if len(pattern) != len(marks) or len(pattern) != models:
        scope.report(
            codes.CLAUSE_VALUE,
            f"`pattern` takes one 0 or 1 for each of the {models} models",
            node.pattern.span,
        )
    if count is None:
        scope.report(codes.CLAUSE_VALUE, "a count is a whole number", node.count.span)
    return pattern, count or 0
