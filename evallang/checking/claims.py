"""`measure`, `compare` and `require`: what is reported, tested and demanded."""

from collections.abc import Sequence
from typing import Literal, cast

from evallang.checking import codes, values
from evallang.checking.clauses import Clauses
from evallang.checking.scope import Scope, listed, suggestion
from evallang.compatibility import own_metric
from evallang.data.dataset import DataSpec, Task
from evallang.models.domains import number
from evallang.source import Span
from evallang.stats.corrections import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import (
    ComparisonSpec,
    Measure,
    Method,
    Protocol,
    RequirementSpec,
    SourceSpec,
)
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node


def measures(scope: Scope, task: Task | None, sources: Sequence[SourceSpec]) -> tuple[Measure, ...]:
    """Resolve every `measure` line; the default is accuracy, or mse for regression.

    What a source measured elsewhere is always measured, whatever the lines say.
    """
    found = _measured_here(scope, task, sources)
    own = [metric for source in sources if (metric := own_metric(source)) is not None]
    written = [measure.metric for measure in found]
    more = tuple(Measure(m, None) for m in dict.fromkeys(own) if m not in written)
    return (*more, *found) if len(own) == len(sources) else (*found, *more)


def _measured_here(
    scope: Scope, task: Task | None, sources: Sequence[SourceSpec]
) -> tuple[Measure, ...]:
    nodes = scope.of(n.MeasureNode)
    if not nodes and sources and all(own_metric(source) is not None for source in sources):
        return ()
    if not nodes:
        name = "mse" if task == "regression" else "accuracy"
        scope.default("measure", name)
        return (Measure(Method(name), None),)
    found: list[Measure] = []
    for node in nodes:
        interval, place = _interval(scope, node)
        within = tuple(values.column_name(column) for column in node.within)
        for metric in node.metrics:
            resolved = values.method(scope, metric, "metric")
            if resolved is None:
                continue
            if any(m.metric == resolved for m in found):
                scope.report(
                    codes.PARAMETER_TWICE, f"`{resolved.written}` is measured twice", metric.span
                )
                continue
            found.append(Measure(resolved, interval, within, metric.span, place))
    return tuple(found)


def _interval(scope: Scope, node: n.MeasureNode) -> tuple[Method | None, Span | None]:
    clauses = Clauses(scope, node, "measure", ("interval",))
    lines = clauses.find(n.IntervalNode)
    if not lines:
        return None, None
    return values.method(scope, lines[0].method, "interval"), lines[0].span


# --- compare -----------------------------------------------------------------------------


def comparisons(
    scope: Scope,
    sources: Sequence[SourceSpec],
    protocols: Sequence[Protocol],
    measured: Sequence[Measure],
) -> tuple[ComparisonSpec, ...]:
    """Resolve every `compare` line; faulty ones are left out after their report."""
    found = []
    for index, node in enumerate(scope.of(n.CompareNode)):
        spec = _comparison(scope, index, node, sources, protocols, measured)
        if spec is not None:
            found.append(spec)
    return tuple(found)


def model_names(scope: Scope, sources: Sequence[SourceSpec]) -> tuple[str, ...] | None:
    """List all models that a line may name; None where a file decides at run time."""
    if scope.broken & set(scope.sources):
        return None
    names = [*scope.models]
    for source in sources:
        if not isinstance(source, DataSpec):
            if not source.models:
                return None
            names += [m.name for m in source.models if m.name not in names]
    return tuple(names)


def known_model(scope: Scope, node: n.ColumnNode, names: Sequence[str] | None) -> str | None:
    """Resolve the name of a model; None after a report."""
    name = values.column_name(node)
    if names is None or name in names:
        return name
    if name in scope.broken:
        return None
    if name in scope.lets:
        scope.report(
            codes.UNKNOWN_NAME,
            f"`{name}` is a `let`, not a model",
            node.span,
            help=f"declare it with `model {name} = ...`",
        )
        return None
    text, fixes = suggestion(name, node.span, names)
    scope.report(
        codes.UNKNOWN_NAME,
        f"no model is called `{name}`",
        node.span,
        help=text or (f"the models are {listed(names, 'and')}" if names else None),
        fixes=fixes,
    )
    return None


def known_protocol(
    scope: Scope, node: n.NameNode | None, protocols: Sequence[Protocol]
) -> tuple[bool, str | None]:
    """Resolve `on PROTOCOL`: (whether it is sound, its name or None without one)."""
    if node is None:
        return True, None
    names = [p.name for p in protocols]
    if node.name in names:
        return True, node.name
    if node.name not in scope.broken:
        text, fixes = suggestion(node.name, node.span, names)
        scope.report(
            codes.UNKNOWN_NAME,
            f"no protocol is called `{node.name}`",
            node.span,
            help=text or (f"the protocols are {listed(names, 'and')}" if names else None),
            fixes=fixes,
        )
    return False, None


def _comparison(
    scope: Scope,
    index: int,
    node: n.CompareNode,
    sources: Sequence[SourceSpec],
    protocols: Sequence[Protocol],
    measured: Sequence[Measure],
) -> ComparisonSpec | None:
    before = len(scope.diagnostics)
    names = model_names(scope, sources)
    pairs, models = _models(scope, node, names)
    against = known_model(scope, node.against, names) if node.against else None
    sound = not (node.against and against is None)
    if models is None:
        sound, models = False, ()
    if against is not None and models == (against,) and node.against is not None:
        scope.report(
            codes.COMPARE_SHAPE,
            f"`{against}` is compared with itself",
            node.against.span,
            help="name another reference, or other models before `against`",
        )
    if against is not None and against in models:
        models = tuple(m for m in models if m != against)
    test = values.method(scope, node.test, "test")
    post_hoc = values.method(scope, node.then, "test") if node.then else None
    if test is not None:
        sound = _shape(scope, node, test, post_hoc) and sound
    metrics = [values.method(scope, metric, "metric") for metric in node.by]
    good, protocol = known_protocol(scope, node.on, protocols)
    correction = _correction(scope, node, test, post_hoc)
    if any(d.severity == "error" for d in scope.diagnostics[before:]) or not (sound and good):
        return None
    if test is None or any(m is None for m in metrics):
        return None
    chosen = tuple(m for m in metrics if m is not None)
    if not chosen:
        chosen = _default_metrics(scope, index, test, measured)
    if not chosen:
        return None
    declared = HYPOTHESIS_TESTS[test.name].declaration
    pair_by_pair = declared.models[0] == 2 and bool(pairs or against)
    omnibus_alone = node.then is None and declared.omnibus and not pair_by_pair
    singly = declared.models == (1, 1)
    meeting = [s for s in sources if _has(s, models, scope)]
    size = 0 if omnibus_alone else _family_size(pairs, models, against, names)
    if singly:
        size = len(models or names or ())
    size *= len(chosen) * (1 if node.across else len(meeting))
    if node.correction is None and correction is not None and size > 1:
        scope.default(f"compare line {index + 1} correction", correction.name)
    spec = ComparisonSpec(
        index=index,
        source=format_node(node).strip(),
        models=models,
        pairs=pairs,
        against=against,
        across=node.across,
        test=test,
        post_hoc=post_hoc,
        correction=correction,
        metrics=chosen,
        protocol=protocol,
        exploratory=node.exploratory,
        singly=singly,
        pair_by_pair=pair_by_pair,
        span=node.span,
    )
    enough = _enough_models(scope, node, spec, names)
    return spec if enough and _named_side(scope, spec, names) else None


def _has(source: SourceSpec, models: tuple[str, ...], scope: Scope) -> bool:
    """Tell whether a source has these models, as far as it is known before it is read."""
    if isinstance(source, DataSpec):
        return set(models) <= set(scope.models)
    names = [model.name for model in source.models]
    return not names or set(models) <= set(names)


def _family_size(
    pairs: tuple[tuple[str, str], ...],
    models: tuple[str, ...],
    against: str | None,
    names: Sequence[str] | None,
) -> int:
    """Count the pairs of a line on one data set, as far as they are known before it is read."""
    if pairs:
        return len(pairs)
    known = len(models or [name for name in names or () if name != against])
    return known if against is not None else known * (known - 1) // 2


def _models(
    scope: Scope, node: n.CompareNode, names: Sequence[str] | None
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...] | None]:
    """Resolve the models of a line: its planned pairs, and all models (empty: every one)."""
    pair_nodes = [item for item in node.models if isinstance(item, n.PairNode)]
    if pair_nodes and (len(pair_nodes) < len(node.models) or node.against is not None):
        return (), None  # the parser has said so
    pairs: list[tuple[str, str]] = []
    models: list[str] = []
    sound = True
    for item in node.models:
        ends = (item.first, item.second) if isinstance(item, n.PairNode) else (item,)
        resolved = [known_model(scope, end, names) for end in ends]
        if any(name is None for name in resolved):
            sound = False
            continue
        known = [name for name in resolved if name is not None]
        if isinstance(item, n.PairNode):
            if known[0] == known[1]:
                scope.report(
                    codes.COMPARE_SHAPE,
                    f"`{known[0]}` is compared with itself",
                    item.span,
                    help="name another model on one side of `vs`",
                )
                sound = False
            if (known[0], known[1]) in pairs or (known[1], known[0]) in pairs:
                scope.report(
                    codes.COMPARE_SHAPE,
                    "this pair is planned twice",
                    item.span,
                    help="keep one of the two",
                )
                sound = False
            pairs.append((known[0], known[1]))
        elif known[0] in models:
            scope.report(
                codes.COMPARE_SHAPE,
                f"`{known[0]}` is named twice",
                item.span,
                help="keep one of the two",
            )
            sound = False
        models += [name for name in known if name not in models]
    return tuple(pairs), tuple(models) if sound else None


def _shape(scope: Scope, node: n.CompareNode, test: Method, post_hoc: Method | None) -> bool:
    first = HYPOTHESIS_TESTS[test.name].declaration
    if node.then is None:
        return True
    if not first.omnibus:
        scope.report(
            codes.MODELS_OF_ONE_TEST,
            f"`{test.name}` compares two models, so nothing can follow it after `then`",
            node.test.span,
            help=f"write `with {test.name} CORRECTION`, or an omnibus such as `cochran` before "
            "`then`",
        )
        return False
    if post_hoc is not None and HYPOTHESIS_TESTS[post_hoc.name].declaration.models[0] > 2:
        scope.report(
            codes.MODELS_OF_ONE_TEST,
            f"`{post_hoc.name}` tests many models at once and cannot follow `then`",
            node.then.span,
            help="write a test of two models, such as `mcnemar`",
        )
        return False
    return True


def _correction(
    scope: Scope, node: n.CompareNode, test: Method | None, post_hoc: Method | None
) -> Method | None:
    """Resolve the correction; Holm where none is written and more than one could be needed."""
    if test is None:
        return None
    pairwise = HYPOTHESIS_TESTS[(post_hoc or test).name].declaration
    if node.correction is None:
        return None if pairwise.self_correcting or pairwise.bayesian else Method("holm")
    resolved = values.method(scope, node.correction, "correction")
    if resolved is None:
        return None
    if pairwise.self_correcting or pairwise.bayesian:
        if resolved.name != "uncorrected":
            scope.report(
                codes.NEEDS_CORRECTION_ELSEWHERE,
                f"`{(post_hoc or test).name}` needs no correction",
                node.correction.span,
                help="leave the correction out",
            )
        return None
    if resolved.name not in CORRECTIONS:
        return None
    return resolved


def _default_metrics(
    scope: Scope, index: int, test: Method, measured: Sequence[Measure]
) -> tuple[Method, ...]:
    """Give the metric of a line without `by`: what the test is about, else the first measure."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    if declared.tests == "accuracy":
        first = measured[0].metric if measured else Method("accuracy")
        metric = first if first.name in ("accuracy", "error_rate") else Method("accuracy")
    elif measured:
        metric = measured[0].metric
    else:
        return ()
    if metric.better is None:  # else there is no other
        scope.default(f"compare line {index + 1} by", metric.written)
    return (metric,)


def _enough_models(
    scope: Scope,
    node: n.CompareNode,
    spec: ComparisonSpec,
    names: Sequence[str] | None,
) -> bool:
    models = list(spec.models)
    if spec.singly:
        if spec.pairs or spec.against is not None:
            scope.report(
                codes.COMPARE_SHAPE,
                f"`{spec.test.name}` is about one model, and here it would compare two",
                node.span,
                help="name the models with commas, or write a test of two models",
            )
            return False
        return True
    if not models:
        if names is None:
            return True
        models = [name for name in names if name != spec.against]
    total = len(models) + (spec.against is not None)
    declared = HYPOTHESIS_TESTS[spec.test.name].declaration
    if total < 2:
        scope.report(
            codes.TOO_FEW_MODELS,
            "a comparison needs two models or more",
            node.models[0].span if node.models else node.span,
            help="name another model, or declare one",
        )
        return False
    if total < declared.models[0]:
        pairwise = spec.post_hoc.name if spec.post_hoc else "mcnemar"
        scope.report(
            codes.TOO_FEW_FOR_OMNIBUS,
            f"`{spec.test.name}` is for three models or more, and here are two",
            node.test.span,
            help=f"write `with {pairwise}`",
        )
        return False
    return True


def _named_side(scope: Scope, spec: ComparisonSpec, names: Sequence[str] | None) -> bool:
    """A one-sided test needs to know which of two models is the first."""
    test = spec.post_hoc or spec.test
    side = dict(test.options).get("alternative", "two_sided")
    if side == "two_sided" or spec.singly or spec.pairs or spec.against is not None:
        return True
    models = spec.models or names
    if models is None or len(models) <= 2:
        return True
    scope.report(
        codes.COMPARE_SHAPE,
        f"`alternative={side}` is about the first of two models, and here are {len(models)}",
        spec.span,
        help="write `against MODEL`, or the pairs as `A vs B`",
    )
    return False


# --- require -----------------------------------------------------------------------------


def requirements(
    scope: Scope,
    sources: Sequence[SourceSpec],
    protocols: Sequence[Protocol],
    measured: Sequence[Measure],
    confidence: float,
) -> tuple[RequirementSpec, ...]:
    """Resolve every `require` line."""
    found = []
    names = model_names(scope, sources)
    for index, node in enumerate(scope.of(n.RequireNode)):
        before = len(scope.diagnostics)
        first = known_model(scope, node.first, names)
        second = known_model(scope, node.second, names) if node.second else None
        metric = values.method(scope, node.metric, "metric") if node.metric else None
        test = values.method(scope, node.test, "test") if node.test else None
        if test is not None and dict(test.options).get("alternative", "two_sided") != "two_sided":
            scope.report(
                codes.OPTION_VALUE,
                "a test in `require` is two-sided, and the sign decides besides",
                node.test.span if node.test else node.span,
                help=f"write `with {test.name}`",
            )
        _, protocol = known_protocol(scope, node.on, protocols)
        value = float(number(node.value.literal)) if node.value else None
        level = float(number(node.at.literal)) if node.at else confidence
        _margin(scope, node, value, level)
        if metric is None and not node.metric and measured:
            metric = measured[0].metric
        if any(d.severity == "error" for d in scope.diagnostics[before:]):
            continue
        if metric is None or first is None:
            continue
        found.append(
            RequirementSpec(
                index=index,
                source=format_node(node).strip(),
                kind=cast(Literal["level", "superior", "noninferior", "equivalent"], node.kind),
                metric=metric,
                models=tuple(name for name in (first, second) if name is not None),
                operator=node.operator,
                value=value,
                test=test,
                within=values.column_name(node.within) if node.within else None,
                protocol=protocol,
                level=level,
                span=node.span,
            )
        )
    return tuple(found)


def _margin(scope: Scope, node: n.RequireNode, value: float | None, level: float) -> None:
    if node.kind != "level" and node.value is not None and value is not None and value <= 0:
        scope.report(
            codes.MARGIN,
            "a margin is a number above zero",
            node.value.span,
            help="write `by 2%`",
        )
    if node.at is not None and not 0 < level < 1:
        scope.report(
            codes.MARGIN, "a level lies between 0 and 1", node.at.span, help="write `at 95%`"
        )


def uses_training(sources: Sequence[SourceSpec]) -> bool:
    """Tell whether any source is a table on which models are fitted."""
    return any(isinstance(source, DataSpec) for source in sources)
