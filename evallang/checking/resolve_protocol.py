"""`stratify`, `group`, `protocol`, `tune`: how rows are split, where candidates are chosen."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, cast

from evallang.checking import clause_values, values
from evallang.checking.scope import Scope, suggestion
from evallang.checking.synonyms import meant_by
from evallang.checking.values import report_limit
from evallang.data.dataset import DataSpec, PredictionsSpec, Task
from evallang.diagnostics import Edit, Fix, Related, codes
from evallang.limits import CANDIDATES, SPLITS, OverLimit
from evallang.models.domains import number
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Bounds, Option
from evallang.spelling import listed
from evallang.study import Method, OptionValue, Protocol, SourceSpec, Stratification, Tuning
from evallang.syntax import nodes as n
from evallang.syntax.language import STATEMENTS

TUNE = STATEMENTS["tune"]
SEARCHES, SELECTIONS = TUNE.words["strategy"], TUNE.words["select"]


def stratification(
    scope: Scope, sources: Sequence[SourceSpec], task: Task | None
) -> Stratification | None:
    """Resolve `stratify`; the default is by target for classification, none for regression."""
    node = scope.single(n.StratifyNode)
    if not any(isinstance(source, DataSpec) for source in sources):
        return None
    if node is None:
        columns: tuple[str, ...] = () if task == "regression" else ("target",)
        words = "by target" if columns else "none"
        scope.default("stratify", words, "stratify", subject="target" if columns else None)
        return Stratification(columns)
    written = [clause_values.own_column(scope, column, or_target=True) for column in node.columns]
    columns = clause_values.distinct(scope, node.columns, written, " in `stratify`")
    bins = cast(int | None, _options(scope, "stratify", (BINS,), node.options)[1].get("bins"))
    by_target = "target" in columns or any(
        source.target in columns for source in sources if isinstance(source, DataSpec)
    )
    if by_target and task == "regression" and not node.options:
        scope.refuse("strata_of_numbers", node.span)
    if bins is not None and task == "classification":
        scope.refuse("bins_of_classes", node.span)
    return Stratification(columns, bins)


def group_column(scope: Scope, sources: Sequence[SourceSpec]) -> str | None:
    """Resolve `group by`, the statement or the clause of a data set."""
    node = scope.single(n.GroupNode)
    clauses = [s for s in sources if isinstance(s, DataSpec | PredictionsSpec) and s.group]
    if node is None:
        return next((s.group for s in clauses if isinstance(s, DataSpec)), None)
    for source in clauses:
        scope.refuse(
            "groups_twice",
            source.places.get("group"),
            source=source,
            related=[Related(node.span, "the statement is here")],
        )
    return clause_values.own_column(scope, node.column)


def protocols(scope: Scope, task: Task | None) -> tuple[Protocol, ...]:
    """Resolve every protocol; several need names."""
    nodes = scope.of(n.ProtocolNode)
    unnamed = [node for node in nodes if node.name is None]
    if len(nodes) > 1 and unnamed:
        last = unnamed[-1]
        scope.refuse(
            "unnamed_protocol",
            last.keyword,
            related=[Related(nodes[nodes[0] is last].keyword, "another is here")],
        )
    found = [_protocol(scope, node) for node in nodes]
    return tuple(protocol for protocol in found if protocol is not None)


def _protocol(scope: Scope, node: n.ProtocolNode) -> Protocol | None:
    words = tuple(word.name.replace("-", "_") for word in node.words)
    entry = next((entry for entry in PROTOCOLS if entry.declaration.words == words), None)
    if entry is None:
        _unknown_form(scope, node, words)
        if node.name is not None:
            scope.broken.add(node.name.name)
        return None
    owner = " ".join(words)
    known = [*entry.options, SEEDS]
    sound, given = _options(scope, owner, known, node.options)
    seeds = given.pop("seeds", 1)
    if node.by is not None and not (
        entry.declaration.of_assignment or entry.declaration.neighbours
    ):
        scope.refuse("protocol_by", node.by.span, owner=owner)
        sound = False
    parts = {o.name for o in entry.options if not {"float", "Fraction"}.isdisjoint(o.types)}
    shares = [v for k, v in given.items() if k in parts and isinstance(v, int | float | Fraction)]
    if sound and len(shares) > 1 and sum(shares) >= 1:
        place = next(o.value.span for o in reversed(node.options) if o.key.name in parts)
        scope.refuse("no_rows_to_train", place)
        sound = False
    if not sound:
        if node.name is not None:
            scope.broken.add(node.name.name)
        return None
    for option in entry.options:
        if option.name not in given and not option.required and option.default is not None:
            clause = f"protocol {owner} {option.name}"
            scope.default(clause, option.default, "protocol", option.name, subject=entry.name)
    options = {o.name: given.get(o.name, o.default) for o in entry.options}
    try:
        SPLITS.check(f"`{owner}`", entry.declaration.n_splits(options) or 0)
    except OverLimit as error:
        report_limit(scope, error, node.span)
    return Protocol(
        name=node.name.name if node.name else entry.name,
        kind=entry.name,
        options=options,
        path=node.path.value if node.path else None,
        by=clause_values.own_column(scope, node.by) if node.by else None,
        seeds=cast(int, seeds),
        span=node.span,
    )


def _unknown_form(scope: Scope, node: n.ProtocolNode, words: tuple[str, ...]) -> None:
    place = node.words[0].span.to(node.words[-1].span) if node.words else node.span
    forms = [" ".join(entry.declaration.words) for entry in PROTOCOLS]
    text, fixes = suggestion(" ".join(words), place, forms)
    meant = meant_by("protocol", " ".join(words))
    if meant is not None:
        text, fixes = f"did you mean `{meant}`?", []
        if "=" in meant:  # `10-fold cv` can mean nothing else
            fixes = [Fix(f"write `{meant}`", (Edit(place, meant),))]
    scope.refuse("unknown_protocol", place, help=text, written=scope.written(place), fixes=fixes)


SEEDS = Option("seeds", default=1, types=("int",), bounds=Bounds(least=1))
"""An option of every protocol: how often each model is fitted, with other seeds."""
BINS = Option("bins", default=None, types=("int",), bounds=Bounds(least=2))
INNER_FOLDS = Option("cv", default=None, types=("int",), bounds=Bounds(least=2))


def _options(
    scope: Scope, owner: str, known: Sequence[Option], written: Iterable[n.OptionNode]
) -> tuple[bool, dict[str, OptionValue]]:
    """Resolve the options of a statement: whether all are sound, and their values."""
    arguments = (n.ArgumentNode(o.key, o.value, span=o.span) for o in written)
    return values.options(scope, owner, known, arguments)[:2]


# --- tuning ----------------------------------------------------------------------------------


def tuning(scope: Scope, first_metric: Method | None) -> Tuning | None:
    """Resolve `tune`; without one, the grid is searched by the first measure."""
    node = scope.single(n.TuneNode)
    if node is None:
        if first_metric is None:
            return None
        return Tuning("grid", None, first_metric, None, "best")
    strategy = _word(scope, node.strategy, SEARCHES, "grid", "search")
    select = _word(scope, node.select, SELECTIONS, "best", "rule of selection")
    metric = values.method(scope, node.metric, "metric") if node.metric else first_metric
    if metric is None:
        return None
    return Tuning(
        cast(Literal["grid", "random", "bayes"], strategy),
        _sample_size(scope, node, strategy),
        metric,
        cast(int | None, _options(scope, "tune", (INNER_FOLDS,), node.options)[1].get("cv")),
        cast(Any, select),
        node.span,
        by_written=node.metric is not None,
        select_written=node.select is not None,
    )


def _word(
    scope: Scope, node: n.NameNode | None, known: Sequence[str], default: str, what: str
) -> str:
    """Take one of some words; the default where none is written, and after a report."""
    word = default if node is None else node.name.replace("-", "_")
    if node is None or word in known:
        return word
    text, fixes = suggestion(node.name, node.span, known)
    message, help_ = f"there is no {what} `{node.name}`", text or f"write {listed(known)}"
    scope.report(codes.unknown_word, message, node.span, help=help_, fixes=fixes)
    return default


def _sample_size(scope: Scope, node: n.TuneNode, strategy: str) -> int | None:
    if strategy == "grid":
        return None
    plain = number(node.n.literal) if node.n is not None else None
    if isinstance(plain, int) and plain >= 1 and node.n is not None:
        try:
            CANDIDATES.check(f"`tune {strategy}`", plain)
        except OverLimit as error:
            report_limit(scope, error, node.n.span)
        return min(plain, CANDIDATES.most)
    scope.refuse("number_of_candidates", (node.n or node.strategy or node).span, strategy=strategy)
    return None
