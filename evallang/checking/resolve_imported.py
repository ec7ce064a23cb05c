"""`predictions`, `scores`, `counts` and `battles` statements to the specs that are read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from msgspec.structs import replace

from evallang.checking import clause_values, values
from evallang.checking.clauses import (
    Clauses,
    check_path,
    counts_conflict,
    errors,
    missing_words,
    positive_class,
    take_where_lines,
    time_column,
)
from evallang.checking.resolve_logs import OF_TOOLS, log_spec
from evallang.checking.scope import Scope, suggestion
from evallang.data.dataset import (
    BY_ORDER,
    LOG_VALUES,
    BattlesSpec,
    CountsSpec,
    GivenModel,
    PredictionsSpec,
    ScoresSpec,
    Where,
    panel_of,
    value_in,
)
from evallang.data.labels import label_text
from evallang.data.path_patterns import ROLES, WORDS, in_braces, path_pattern
from evallang.data.text_forms import names_group, names_reader, names_run
from evallang.diagnostics import Edit, Fix, Related, codes
from evallang.metrics.named import named_metric
from evallang.models.domains import number
from evallang.protocols.protocol import PROTOCOLS
from evallang.source import Span
from evallang.spelling import Words
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node

# --- predictions -----------------------------------------------------------------------------


COLUMNS_OF_PREDICTIONS = (
    *("truth", "id", "group", "fold", "repeat", "seed", "dataset", "weight", "event", "query"),
)


def predictions(scope: Scope, node: n.PredictionsNode) -> PredictionsSpec | None:
    """Resolve one `predictions` statement; None after a report."""
    before = len(scope.diagnostics)
    clauses = Clauses(scope, node)
    log = log_spec(scope, node, clauses)
    named: dict[str, Any] = {"model": "model", "id": "id", "dataset": "task"}
    if node.tool is None:
        for path in node.paths:
            check_path(scope, path.value, path, WORDS, f"; logs are read by {OF_TOOLS}")
        named = _words_in_names(scope, clauses, node.paths)
    groups: dict[str, list[n.ModelColumnsNode]] = {}
    for columns in clauses.find(n.ModelColumnsNode):
        groups.setdefault(columns.keyword.name, []).append(columns)
    judged = _judged(scope, node, clauses, groups)
    long = clauses.plain("model") is not None or "model" in named
    lines = [
        c
        for word, part in groups.items()
        if judged in (None, word) or (long and word == "models")
        for c in part
    ]
    every: GivenModel | None = None
    values_of_models: tuple[str, ...] = ()
    if not long:
        models = _given_models(scope, clauses, lines)
    else:
        every, models, values_of_models = _long_table(scope, node, clauses, lines, judged)
    if judged == "judges" and clauses.lacks("truth") and not long:
        if len(models) < 2:
            scope.refuse("one_judge", clauses.places["judges"])
        models = (panel_of(models),) if models else ()
    measured = next((_measured(c) for c in groups.get("value", [])), None)
    higher = judged != "value" or better_is_higher(scope, clauses, node, measured)
    _judge_folds(scope, clauses, "repeat", "group", stated=not clauses.lacks("group"))
    reader, drawn = clauses.plain("reader"), False
    if reader is not None:
        drawn = len(reader.values) > 1
        reader = replace(reader, values=reader.values[:1])
    if (drawn or "seed" in {*clauses.places, *named}) and "weight" in clauses.places:
        scope.refuse(
            "weights_of_readers" if drawn else "weights_of_seeds", clauses.places["weight"]
        )
    order = next((word for word in ("event", "query") if word in clauses.places), None)
    positive, positive_label = positive_class(scope, clauses)
    repeats = clauses.plain("repeat")
    if repeats is not None and len(repeats.values) > 1:
        named["repeat"] = BY_ORDER
        if clauses.lacks("id") and node.tool is None:
            scope.refuse(
                "missing_column",
                repeats.span,
                what="predictions",
                name=node.name.name,
                role="the example of each row",
                clause="id",
            )
    spec = PredictionsSpec(
        **clauses.described(node, node.paths[0], "queries" if order == "query" else "examples"),
        **clauses.several(*(word for word in COLUMNS_OF_PREDICTIONS if word not in named)),
        **{word: column for word, column in named.items() if word != "model"},
        paths=tuple(path.value for path in node.paths),
        frame=_frame(node.paths[0]),
        models=models,
        judged=judged,
        value_metric=measured,
        ratio=next((_ratio(c) for c in groups.get("value", [])), None),
        higher_is_better=higher,
        time=time_column(clauses),
        positive=positive,
        positive_label=positive_label,
        task="regression" if order else clauses.take("task"),
        rows_common=clauses.take("rows") is not None,
        where=take_where_lines(scope, clauses),
        reader=None if reader is None else clause_values.column(scope, reader),
        readers="random" if drawn else None,
        missing=missing_words(scope, clauses),
        model=(named["model"],) if "model" in named else clauses.take("model") or (),
        every=every,
        model_values=values_of_models,
        log=log,
    )
    return None if errors(scope, before) else spec


def _frame(node: n.Node | None) -> str | None:
    """Return the name of the data frame that a source states in place of files."""
    return node.name.name if isinstance(node, n.FrameNode) else None


def _words_in_names(
    scope: Scope, clauses: Clauses, paths: Sequence[n.TextNode | n.FrameNode]
) -> dict[str, Any]:
    """Return the columns that names of files hold, by their roles; report those of a clause too."""
    words = {word for path in paths for word in path_pattern(path.value).words if word in ROLES}
    for word in words & {*clauses.places}:
        scope.refuse("role_in_names_too", clauses.places[word], word=word)
    return {word: in_braces(word) for word in ROLES if word in words}


def _judged(
    scope: Scope,
    node: n.PredictionsNode,
    clauses: Clauses,
    groups: Mapping[str, Sequence[n.ModelColumnsNode]],
) -> Literal["correct", "value", "judges"] | None:
    judged = [word for word in ("correct", "value", "judges") if word in groups]
    if judged:
        lines = groups.get("value", ())
        for other in lines[1:]:
            a, b = _measured(lines[0]), _measured(other)
            if a != b or type(other.metric) is not type(lines[0].metric):
                place = other.metric.span if other.metric else other.span
                scope.refuse("two_measures", place, measured=a, other=b)
        return cast(Literal["correct", "value", "judges"], judged[0])
    if node.tool is not None:
        return "correct"
    for word in ("higher", "lower"):
        if word in clauses.places:
            scope.refuse("direction_of_labels", clauses.places[word], word=word)
    if clauses.lacks("truth"):
        scope.refuse(
            "missing_column",
            node.name.span,
            what="predictions",
            name=node.name.name,
            role="the truth",
            clause="truth",
        )
    return None


def _measured(line: n.ModelColumnsNode) -> str | None:
    """Return the name of what a `value` line measures, None for other lines."""
    if isinstance(line.metric, n.TextNode):
        return line.metric.value
    ratio = _ratio(line)
    return None if ratio is None else " / ".join(ratio)


def _ratio(line: n.ModelColumnsNode) -> tuple[str, str] | None:
    """Return the names of the two sums that a `value` line divides, None for other lines."""
    if isinstance(line.metric, n.RatioNode):
        return line.metric.numerator.value, line.metric.denominator.value
    return None


def _given_models(
    scope: Scope, clauses: Clauses, lines: Sequence[n.ModelColumnsNode]
) -> tuple[GivenModel, ...]:
    settings: dict[str, dict[str, Any]] = {}
    places: dict[str, Span] = {}
    for setting in clauses.find(n.ModelSettingNode):
        model, word = clause_values.column_name(setting.model), setting.keyword.name
        places.setdefault(model, setting.model.span)
        own = settings.setdefault(model, {})
        if ("scores" if word == "logits" else word) in own:
            first = clauses.places.get(f"{word} {model}")
            message = f"`{word}` of `{model}` is given twice"
            scope.report_twice(codes.clause_twice, message, setting.span, first)
        own |= _settings(scope, word, setting.value)
        other = next((w for w in own if (w == "range") != (word == "range")), None)
        if other is not None:
            scope.refuse(
                "range_and_score",
                setting.span,
                other=other,
                word=word,
                model=model,
                related=[Related(clauses.places[f"{other} {model}"], "the first is here")],
            )
    found: list[GivenModel] = []
    names: dict[str, Span] = {}
    for line, item in ((one, item) for one in lines for item in one.items):
        if not _is_new(scope, item.name, item.span, names):
            continue
        name = clause_values.column_name(item.name)
        own = settings.pop(name, {})
        column, denominator = _taken(scope, line, item)
        label = item.label.value if item.label else name
        path = item.path.value if item.path else None
        column = column or (None if own else name)
        right = _verdict(scope, item)
        made = GivenModel(name, label, column, path, denominator=denominator, right=right, **own)
        found.append(made)
    known = Words(model.name for model in found)
    for name, own in settings.items():
        if not lines:
            found.append(GivenModel(name, name, None, None, **own))
            continue
        text, fixes = suggestion(name, places[name], known)
        scope.refuse("not_a_model_of_these", places[name], help=text, name=name, fixes=fixes)
    return tuple(found)


def _is_new(scope: Scope, node: n.ColumnNode, span: Span, names: dict[str, Span]) -> bool:
    """Return whether no model before has a name; report one that is reserved or stands twice."""
    name = clause_values.column_name(node)
    if isinstance(node, n.NameNode):
        scope.refuse_reserved(node, "model")
    if names.setdefault(name, span) is span:
        return True
    scope.refuse(
        "two_models_called", span, name=name, related=[Related(names[name], "the first is here")]
    )
    return False


ALL = "all"  # stands for every model of a long table


def _long_table(
    scope: Scope,
    node: n.PredictionsNode,
    clauses: Clauses,
    lines: Sequence[n.ModelColumnsNode],
    judged: Literal["correct", "value", "judges"] | None,
) -> tuple[GivenModel, tuple[GivenModel, ...], tuple[str, ...]]:
    """Take the columns of each row's model in a long table, and the models that are chosen.

    The last part is the name of each chosen model in the file.
    """
    column: str | None = None
    denominator: str | None = None
    right: Where | None = None
    chosen: list[tuple[str, str, str, str | None]] = []
    for line in lines:
        for item in line.items:
            name = clause_values.column_name(item.name)
            taken = _taken(scope, line, item)
            if name == ALL or (judged is not None and line.keyword.name == judged):
                if column is not None or (name != ALL and item.column is not None):
                    scope.refuse("long_column_once", item.span, line=line)
                column, denominator = taken[0] or name, taken[1]
                right = _verdict(scope, item)
            else:
                label = item.label.value if item.label else name
                value, path = taken[0] or name, item.path.value if item.path else None
                if path is not None and node.tool is not None:
                    value = value_in(taken[0], path)
                chosen.append((name, label, value, path))
    if node.tool is not None and column in (None, ALL):
        measured = next((_measured(line) for line in lines if line.metric is not None), None)
        column = measured if measured in LOG_VALUES else "score"
    own: dict[str, Any] = {}
    for setting in clauses.find(n.ModelSettingNode):
        model, word = clause_values.column_name(setting.model), setting.keyword.name
        if model != ALL:
            scope.refuse("long_column_of_one", setting.span, word=word)
        own |= _settings(scope, word, setting.value)
    if clauses.plain("score") is not None:
        own["score"] = clauses.take("score")
    if column is None and not own.keys() & {"score", "scores", "range"}:
        place = clauses.places.get("model") or node.paths[0].span
        scope.refuse("no_column_of_predictions", place, node=node)
    every = GivenModel(ALL, ALL, column, None, denominator=denominator, right=right, **own)
    models = tuple(
        replace(every, name=name, label=label, path=path) for name, label, _, path in chosen
    )
    return every, models, tuple(value for _, _, value, _ in chosen)


def _taken(
    scope: Scope, line: n.ModelColumnsNode, item: n.ModelColumnNode
) -> tuple[str | None, str | None]:
    """Take the columns of a model: one, or of a ratio those of numerator and denominator."""
    if isinstance(item.column, n.ColumnPairNode):
        pair = [
            clause_values.own_column(scope, part)
            for part in (item.column.numerator, item.column.denominator)
        ]
        if not isinstance(line.metric, n.RatioNode):
            scope.refuse("two_columns_of_one", item.column.span, line=line)
        elif pair[0] == pair[1]:
            scope.refuse("ratio_of_itself", item.column.span, pair=pair)
        return pair[0], pair[1]
    if isinstance(item.column, n.JudgedColumnNode):
        if line.keyword.name != "correct":
            scope.refuse("judged_outside_correct", item.column.span, line=line)
        return clause_values.own_column(scope, item.column.column), None
    if isinstance(line.metric, n.RatioNode):
        name = clause_values.column_name(item.name)
        scope.refuse(
            "ratio_of_one",
            item.column.span if item.column else item.name.span,
            name=name,
            item=format_node(item.name),
        )
    return (clause_values.own_column(scope, item.column) if item.column else None), None


def _verdict(scope: Scope, item: n.ModelColumnNode) -> Where | None:
    """Resolve which values of a column count as right: `as answer = "C"`."""
    node = item.column
    if not isinstance(node, n.JudgedColumnNode):
        return None
    value = clause_values.label(scope, node.value, "correct")
    column = clause_values.column_name(node.column)
    return Where(column, node.operator, value, format_node(node), node.span)


def threshold_value(scope: Scope, node: n.ValueNode) -> float | None:
    """Resolve the number of a `threshold` line; None after a report."""
    if isinstance(node, n.NumberNode):
        return float(number(node.literal))
    scope.refuse("threshold_number", node.span)
    return None


def _settings(scope: Scope, word: str, node: n.ValueNode) -> dict[str, Any]:
    """Resolve a line about one model to fields of the model."""
    if word == "logits":
        return {"scores": _setting(scope, "scores", node), "logits": True}
    return {word: _setting(scope, word, node)}


def _setting(scope: Scope, word: str, node: n.ValueNode) -> Any:
    if word == "threshold":
        return threshold_value(scope, node)
    if word == "range":
        columns = _columns(scope, node) if isinstance(node, n.ListNode) else ()
        if len(columns) == 2 and columns[0] != columns[1]:
            return columns
        scope.refuse("range_columns", node.span)
        return None
    if isinstance(node, n.NameNode | n.TextNode):
        return clause_values.own_column(scope, node)
    if word == "scores" and isinstance(node, n.ListNode):
        return _columns(scope, node)
    if word == "scores" and isinstance(node, n.MapNode):
        return {
            str(clause_values.label(scope, entry.key, "scores")): clause_values.own_column(
                scope, entry.value
            )
            for entry in node.entries
            if isinstance(entry.value, n.NameNode | n.TextNode)
        }
    scope.refuse("takes_column_name", node.span, word=word)
    return None


def _columns(scope: Scope, node: n.ListNode) -> tuple[str, ...]:
    return tuple(
        clause_values.own_column(scope, item)
        for item in node.items
        if isinstance(item, n.NameNode | n.TextNode)
    )


# --- scores ----------------------------------------------------------------------------------


def scores(scope: Scope, node: n.ScoresNode) -> ScoresSpec | None:
    """Resolve one `scores` statement; None after a report."""
    before = len(scope.diagnostics)
    clauses = Clauses(scope, node)
    check_path(scope, node.path.value, node.path, WORDS)
    named = _words_in_names(scope, clauses, [node.path])
    models = _given_models(scope, clauses, clauses.find(n.ModelColumnsNode))
    for written, lacking in (("model", "score"), ("score", "model")):
        known = lacking in named or clauses.plain(lacking) is not None
        if clauses.plain(written) is not None and not known:
            scope.refuse(
                "half_a_long_table",
                clauses.places[written],
                node=node,
                written=written,
                lacking=lacking,
            )
    metric, metric_column = _metric(scope, node, clauses)
    shared_training, fold_option = _folds_of(scope, clauses)
    _judge_folds(scope, clauses, "seed", "dataset", stated=shared_training is not None)
    if shared_training is None and not clauses.lacks("fold"):
        _judge_repeats(scope, clauses)
    higher = True
    if metric_column is None:
        higher = better_is_higher(scope, clauses, node, metric)
    spec = ScoresSpec(
        **clauses.described(node, node.path, ""),
        **clauses.several(
            *(w for w in ("score", "dataset", "fold", "repeat", "seed") if w not in named)
        ),
        **{word: column for word, column in named.items() if word != "model"},
        path=node.path.value,
        frame=_frame(node.path),
        models=models,
        model=(named["model"],) if "model" in named else clauses.take("model") or (),
        shared_training=shared_training,
        fold_option=fold_option,
        metric=metric,
        metric_column=metric_column,
        higher_is_better=higher,
        where=take_where_lines(scope, clauses),
        missing=missing_words(scope, clauses),
    )
    return None if errors(scope, before) else spec


def _metric(scope: Scope, node: n.ScoresNode, clauses: Clauses) -> tuple[str | None, str | None]:
    """Take `metric`: the name of the metric in quotes, or of a long table a column of names.

    Text names a column too, where it is not a known metric and `measure` chooses.
    """
    clause = clauses.plain("metric")
    if clause is None:
        return None, None
    if clauses.plain("model") is None:
        return clause_values.text(scope, clause), None
    if isinstance(clause.values[0], n.TextNode):
        text = clause_values.text(scope, clause)
        undirected = clauses.lacks("higher", "lower") and named_metric(text or "") is None
        chosen = undirected and bool(_measured_names(scope))
        return (None, text) if chosen else (text, None)
    if not isinstance(clause.values[0], n.NameNode):
        return clause_values.text(scope, clause), None
    column = clause_values.column(scope, clause)
    if not _measured_names(scope):
        name = clause_values.column_name(clause.values[0])
        scope.refuse("metric_column_unmeasured", clause.span, name=name, node=node)
    return None, column


def _measured_names(scope: Scope) -> dict[str, Span]:
    """Return the names after `measure`, each with its first place."""
    found: dict[str, Span] = {}
    for line in scope.of(n.MeasureNode):
        for metric in line.metrics:
            if isinstance(metric, n.NameNode):
                found.setdefault(metric.name, metric.span)
    return found


def scores_by_metric(scope: Scope, spec: ScoresSpec) -> tuple[ScoresSpec, ...]:
    """Return a table of scores for each metric that a study measures of one with several.

    A table with one metric is returned as it is.
    """
    if spec.metric_column is None:
        return (spec,)
    found = []
    for name, span in _measured_names(scope).items():
        known, higher = named_metric(name), "lower" not in spec.places
        if known is not None:
            higher = known.better == "higher"
            scope.default(f"scores {name} better", known.better, "data", "better", subject=name)
        elif {"higher", "lower"}.isdisjoint(spec.places):
            scope.refuse("direction_of_metric", span, name=name, spec=spec)
        found.append(
            replace(
                spec,
                name=f"{spec.name}.{name}",
                label=f"{spec.label}, {name}",
                metric=name,
                higher_is_better=higher,
                places={**spec.places, "measure": span},
            )
        )
    return tuple(found)


def better_is_higher(
    scope: Scope, clauses: Clauses, node: n.ScoresNode | n.PredictionsNode, metric: str | None
) -> bool:
    """Return the direction of measured numbers: that of the clause, or of a known name."""
    lines = clauses.find(n.DirectionNode)
    if lines:
        return bool(lines[0].keyword.name == "higher")
    ratio = next(filter(None, map(_ratio, clauses.find(n.ModelColumnsNode))), None)
    known = None if metric is None else named_metric(ratio[0] if ratio else metric)
    name, word = node.name.name, clauses.what
    if known is not None:
        scope.default(f"{word} {name} better", known.better, "data", "better", subject=name)
        return known.better == "higher"
    if clauses.lacks("higher", "lower") and (metric is not None or clauses.lacks("metric")):
        scope.report(
            codes.unknown_direction,
            f"nothing says whether a higher or a lower `{metric}` is better"
            if metric is not None
            else f"`{word} {name}` names no metric, and does not say whether a higher or a lower "
            "score is better",
            clauses.places.get("metric") or clauses.places.get("value") or node.name.span,
            help="write `higher is better` or `lower is better` on an indented line below it",
        )
    return True


def _folds_of(
    scope: Scope, clauses: Clauses
) -> tuple[Literal["partition", "drawn"] | None, float | None]:
    """Take `folds of`: how training sets overlap, and the number of folds or the test share."""
    found = clauses.find(n.FoldsNode)
    if not found:
        return None, None
    line = found[0]
    if clauses.lacks("fold", "repeat"):
        scope.refuse("folds_without_column", line.span)
    method = line.method
    arguments = method.arguments if isinstance(method, n.CallNode) else ()
    protocol = PROTOCOLS.get(values.name_of(method).name)
    single = protocol is not None and len(protocol.declaration.words) == 1
    partition = single and protocol is not None and protocol.declaration.folds == "folds"
    given = {a.key.name: a.value for a in arguments if a.key is not None}
    plain = [number(v.literal) for v in given.values() if isinstance(v, n.NumberNode)]
    sound = len(arguments) == len(plain) < 2
    if sound and partition and set(given) <= {"folds"}:
        if not plain:
            return "partition", None
        if isinstance(plain[0], int) and plain[0] >= 2:
            return "partition", plain[0]
    drawn = single and protocol is not None and protocol.option("test") is not None
    if sound and drawn and set(given) == {"test"} and 0 < plain[0] < 1:
        return "drawn", float(plain[0])
    scope.refuse("folds_of", method.span)
    return None, None


def _judge_folds(scope: Scope, clauses: Clauses, runs: str, groups: str, *, stated: bool) -> None:
    """Report a column of seeds, or of sites or readers, that is given as one of folds.

    `runs` and `groups` are the clauses that they belong to.
    """
    clause = clauses.plain("fold")
    node = clause.values[0] if clause is not None and clause.values else None
    if clause is None or stated or not isinstance(node, n.NameNode | n.TextNode):
        return
    name = clause_values.column_name(node)
    if names_run(name):
        instead, what = runs, "numbers runs"
    elif names_group(name):
        instead, what = groups, "names what rows come from"
        if groups == "group" and names_reader(name):
            instead = "reader"
    else:
        return
    scope.refuse(
        "not_folds",
        clause.span,
        name=name,
        what=what,
        instead=instead,
        node=format_node(node),
        fixes=[Fix(f"write `{instead}`", (Edit(clause.keyword.span, instead),))],
    )


def _judge_repeats(scope: Scope, clauses: Clauses) -> None:
    """Report a column of seeds next to folds: it may seed the fits or the folds."""
    clause = clauses.plain("repeat")
    node = clause.values[0] if clause is not None and clause.values else None
    if clause is None or not isinstance(node, n.NameNode | n.TextNode):
        return
    name = clause_values.column_name(node)
    if not names_run(name) or "seed" not in name.casefold():  # Weka's runs draw folds of their own
        return
    scope.refuse("seeds_of_fits", clause.span, name=name, node=format_node(node))


# --- counts ----------------------------------------------------------------------------------


def counts(scope: Scope, node: n.CountsNode) -> CountsSpec | None:
    """Resolve one `counts` statement; None after a report."""
    before = len(scope.diagnostics)
    clauses = Clauses(scope, node)
    models = _given_models(scope, clauses, clauses.find(n.ModelColumnsNode))
    tables, lines = clauses.find(n.TableNode), clauses.find(n.PatternNode)
    shares = _shares(scope, clauses.find(n.RightNode))
    if shares:
        tables, lines = [], []  # written with shares they are a conflict, which is reported
    patterns: dict[tuple[int, ...], int] = {}
    first: dict[tuple[int, ...], Span] = {}
    if node.path is not None:
        check_path(scope, node.path.value, node.path)
        if not counts_conflict(scope, node, clauses) and clauses.lacks("count"):
            scope.refuse(
                "missing_column",
                node.name.span,
                what="counts",
                name=node.name.name,
                role="the counts",
                clause="count",
            )
    elif not counts_conflict(scope, node, clauses) and clauses.lacks("table", "pattern", "right"):
        scope.refuse("no_counts", node.name.span, node=node)
    one_is_enough = "right" in clauses.places or not scope.unread.isdisjoint(("models", "right"))
    if len(models) < 2 and not one_is_enough and not errors(scope, before):
        scope.refuse("fewer_than_two_models", node.name.span, node=node)
    for table in tables:
        patterns = _table(scope, table, len(models))
    for line in lines:
        pattern, count = _pattern(scope, line, len(models))
        if pattern in patterns and not tables:
            message = "this pattern is written twice"
            scope.report_twice(codes.clause_twice, message, line.span, first.get(pattern))
        first.setdefault(pattern, line.span)
        patterns[pattern] = count
    if errors(scope, before):
        return None
    return CountsSpec(
        **clauses.described(node, node.path, "examples"),
        models=models or tuple(model for model, _ in shares),
        patterns=tuple(patterns.items()),
        path=node.path.value if node.path else None,
        frame=_frame(node.path),
        count=clauses.take("count"),
        shares=tuple(share for _, share in shares),
    )


def _shares(
    scope: Scope, lines: Sequence[n.RightNode]
) -> tuple[tuple[GivenModel, tuple[int, int]], ...]:
    """Read each `right A = 87 of 100`: the model, how many it has right, and of how many."""
    found: list[tuple[GivenModel, tuple[int, int]]] = []
    first: dict[str, Span] = {}
    for line in lines:
        name = clause_values.column_name(line.model)
        right, total = _count(line.right), _count(line.total)
        if not _is_new(scope, line.model, line.model.span, first):
            continue
        if right is None or not total or right > total:
            bad = line.right if right is None or total else line.total
            scope.refuse("not_a_share", bad.span, line=line)
        else:
            label = line.label.value if line.label else name
            found.append((GivenModel(name, label), (right, total)))
    return tuple(found)


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
        scope.refuse("table_counts", node.span)
        return {}
    return {(1, 1): cells[0], (1, 0): cells[1], (0, 1): cells[2], (0, 0): cells[3]}


def _pattern(scope: Scope, node: n.PatternNode, models: int) -> tuple[tuple[int, ...], int]:
    marks = [_count(item) for item in node.pattern.items]
    pattern = tuple(mark for mark in marks if mark in (0, 1))
    count = _count(node.count)
    if len(pattern) != len(marks) or len(pattern) != models:
        scope.refuse("pattern_marks", node.pattern.span, models=models)
    if count is None:
        scope.refuse("whole_count", node.count.span)
    return pattern, count or 0


# --- battles ---------------------------------------------------------------------------------


VERDICTS = ("first", "second", "tie")


def battles(scope: Scope, node: n.BattlesNode) -> BattlesSpec | None:
    """Resolve one `battles` statement; None after a report."""
    before = len(scope.diagnostics)
    clauses = Clauses(scope, node)
    check_path(scope, node.path.value, node.path)
    named = [word for word in ("first", "second", "winner") if not clauses.lacks(word)]
    if len(named) in (1, 2):  # else the fields of the file tell
        lacking = next(word for word in ("first", "second", "winner") if word not in named)
        scope.refuse(
            "missing_column",
            node.name.span,
            what="battles",
            name=node.name.name,
            role="the verdict" if lacking == "winner" else f"the {lacking} model",
            clause=lacking,
        )
    winner, words = clauses.plain("winner"), tuple[tuple[str, str], ...]()
    if winner is not None and len(winner.values) > 1 and isinstance(winner.values[1], n.MapNode):
        words = tuple(_verdict_words(scope, winner.values[1]))
        winner = replace(winner, values=winner.values[:1])
    spec = BattlesSpec(
        **clauses.described(node, node.path, "judgements"),
        **clauses.several("first", "second", "id", "group", "judge", "weight", "baseline"),
        winner=None if winner is None else clause_values.column(scope, winner),
        words=words,
        path=node.path.value,
        frame=_frame(node.path),
        where=take_where_lines(scope, clauses),
    )
    return None if errors(scope, before) else spec


def _verdict_words(scope: Scope, node: n.MapNode) -> Iterator[tuple[str, str]]:
    """Iterate over the values that braces explain, each with what it means."""
    for entry in node.entries:
        key = clause_values.label(scope, entry.key, "winner")
        meant = entry.value.name if isinstance(entry.value, n.NameNode) else None
        if meant in VERDICTS and key is not None:
            yield label_text(key), meant
        else:
            scope.refuse("verdict", entry.value.span)
