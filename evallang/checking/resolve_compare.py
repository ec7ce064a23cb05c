"""`compare`: which models are tested, by what, in which family."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from evallang.checking import clause_values, values
from evallang.checking.resolve_measure import (
    as_measured,
    known_model,
    known_protocol,
    measured_elsewhere,
    model_names,
)
from evallang.checking.scope import Scope
from evallang.compatibility import is_mean_of_rows, metric_entry, own_metric
from evallang.compatibility.hypothesis_tests import test_over_data, tests_of_averages
from evallang.hypotheses import family_of_line, holds_unknown, is_joined
from evallang.metrics.metric import share_metric
from evallang.source import Span
from evallang.spelling import Words, closest
from evallang.stats.corrections.correction import (
    CORRECTIONS,
    default_correction,
    joint_default,
)
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS, default_test
from evallang.study import ComparisonSpec, Measure, Method, Protocol, SourceSpec
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node


def comparisons(
    scope: Scope,
    sources: Sequence[SourceSpec],
    protocols: Sequence[Protocol],
    measured: Sequence[Measure],
    families: Literal["separate", "together"],
) -> tuple[ComparisonSpec, ...]:
    """Resolve every `compare` line; faulty ones are excluded after their report."""
    found = []
    names = model_names(scope, sources)
    for index, node in enumerate(scope.of(n.CompareNode)):
        spec = _comparison(scope, index, node, names, sources, protocols, measured, families)
        if spec is None:
            continue
        joined = is_joined(families, spec)
        if node.correction is None and spec.correction is not None and not joined:
            family = family_of_line(spec, sources, Words(scope.models))
            if family.size > 1 or any(map(holds_unknown, sources)):
                clause = f"compare line {index + 1} correction"
                scope.default(clause, spec.correction.name, "compare", "correction", line=index)
        found.append(spec)
    return tuple(found)


def _comparison(
    scope: Scope,
    index: int,
    node: n.CompareNode,
    names: Words | None,
    sources: Sequence[SourceSpec],
    protocols: Sequence[Protocol],
    measured: Sequence[Measure],
    families: Literal["separate", "together"],
) -> ComparisonSpec | None:
    before = len(scope.diagnostics)
    pairs, models = _models(scope, node, names)
    against = known_model(scope, node.against, names) if node.against else None
    sound = not (node.against and against is None)
    if models is None:
        sound, models = False, ()
    if against is not None and models == (against,) and node.against is not None:
        scope.refuse("reference_alone", node.against.span, against=against)
    if against is not None and against in models:
        models = tuple(m for m in models if m != against)
    metrics = [values.method(scope, metric, "metric") for metric in node.by]
    clause_values.distinct(scope, node.by, metrics, " after `by`")
    named = (*models, against) if against is not None else models
    own = measured_elsewhere(scope, sources, named)
    chosen = tuple(as_measured(m, own) for m in metrics if m is not None)
    if node.test is not None:
        test = values.method(scope, node.test, "test")
    else:
        about = chosen or own or tuple(measure.metric for measure in measured[:1])
        means = all(is_mean_of_rows(metric_entry(metric)) for metric in about)
        test = Method(tests_of_averages()[0] if means else default_test("losses"))
        scope.default(f"compare line {index + 1} with", test.name, "compare", "with", line=index)
    post_hoc = values.method(scope, node.then, "test") if node.then else None
    for key, place, facts in _of_then(node, test, post_hoc) if test is not None else ():
        scope.refuse(key, place, **facts)
    good, protocol = known_protocol(scope, node.on, protocols)
    correction = _correction(scope, node, test, post_hoc)
    alone = families == "separate" or node.exploratory
    one_table = len(metrics) < 2 and len({own_metric(source) for source in sources}) == 1
    if node.test is None and node.correction is None and one_table and alone:
        correction = Method(joint_default())
    if any(d.severity == "error" for d in scope.diagnostics[before:]) or not (sound and good):
        return None
    if test is None or any(m is None for m in metrics):
        return None
    if not chosen and HYPOTHESIS_TESTS[test.name].declaration.tests != "correctness":
        chosen = own
    if not chosen:
        chosen = _default_metrics(scope, index, test, measured)
    if not chosen:
        return None
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
        averaged=clause_values.average(node.averaged),
        omnibus=_takes_all(node, test, names),
        singly=HYPOTHESIS_TESTS[test.name].declaration.models == (1, 1),
        protocol_written=node.on is not None,
        span=node.span,
    )
    for key, place, facts in islice(_of_models(scope, node, spec, names), 1):
        scope.refuse(key, place, **facts)
        return None
    return spec


def _models(
    scope: Scope, node: n.CompareNode, names: Words | None
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...] | None]:
    """Resolve the models of a line: its planned pairs, and all models (empty: every one)."""
    pair_nodes = [item for item in node.models if isinstance(item, n.PairNode)]
    if pair_nodes and (len(pair_nodes) < len(node.models) or node.against is not None):
        return (), None  # the parser has reported it
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
                scope.refuse("compared_with_itself", item.span, name=known[0])
                sound = False
            if (known[0], known[1]) in pairs or (known[1], known[0]) in pairs:
                scope.refuse("pair_twice", item.span)
                sound = False
            pairs.append((known[0], known[1]))
        elif known[0] in models:
            scope.refuse("model_twice", item.span, known=known)
            sound = False
        models += [name for name in known if name not in models]
    return tuple(pairs), tuple(models) if sound else None


def _of_then(
    node: n.CompareNode, test: Method, post_hoc: Method | None
) -> Iterator[tuple[str, Span, Mapping[str, Any]]]:
    """Find what is wrong with `then`, which is between a test of many models and one of two."""
    words = {1: "is about one model", 2: "compares two models"}
    first = HYPOTHESIS_TESTS[test.name].declaration
    if node.then is not None and not first.omnibus:
        subject = words.get(first.models[0], "tests many models at once")
        yield "nothing_after_then", (node.test or node).span, {"test": test, "subject": subject}
    elif node.then is not None and post_hoc is not None:
        least = HYPOTHESIS_TESTS[post_hoc.name].declaration.models[0]
        subject = words.get(least, "tests many models at once")
        fix = f"write a test of two models, such as `{first.followed_by[0]}`"
        facts = {"post_hoc": post_hoc, "subject": subject}
        if least != 2:
            help_ = fix if first.followed_by else None
            yield "cannot_follow_then", node.then.span, {**facts, "help": help_}


def _takes_all(node: n.CompareNode, test: Method, names: Sequence[str] | None) -> bool:
    """Return whether the first test of a line is one of all its models at once.

    A test that can do two models as well tests pairs where the line is about pairs: where it
    plans them, names a reference or a correction, or has two models.
    """
    declared = HYPOTHESIS_TESTS[test.name].declaration
    if not declared.omnibus or node.then is not None or declared.models[0] > 2:
        return declared.omnibus
    about_pairs = node.against is not None or node.correction is not None
    planned = any(isinstance(item, n.PairNode) for item in node.models)
    two = len(node.models or names or ()) == 2
    return not (about_pairs or planned or two)


def _correction(
    scope: Scope, node: n.CompareNode, test: Method | None, post_hoc: Method | None
) -> Method | None:
    """Resolve the correction; Holm where none is written and more than one could be needed."""
    if test is None:
        word = values.name_of(node.correction).name if node.correction else ""
        if node.correction and closest(word, CORRECTIONS.names()):  # else of the test's own name
            values.method(scope, node.correction, "correction")
        return None
    pairwise = HYPOTHESIS_TESTS[(post_hoc or test).name].declaration
    if node.correction is None:
        return (
            None if pairwise.self_correcting or pairwise.bayesian else Method(default_correction())
        )
    resolved = values.method(scope, node.correction, "correction")
    if resolved is None:
        return None
    if pairwise.self_correcting or pairwise.bayesian:
        entry = CORRECTIONS.get(resolved.name)
        if entry is None or entry.declaration.adjusts:
            why = "gives no p-values" if pairwise.bayesian else "already adjusts for all pairs"
            scope.refuse(
                "correction_without_use",
                node.correction.span,
                name=(post_hoc or test).name,
                why=why,
                written=scope.written(node.correction.span),
            )
        return None
    if resolved.name not in CORRECTIONS:
        return None
    return resolved


def _default_metrics(
    scope: Scope, index: int, test: Method, measured: Sequence[Measure]
) -> tuple[Method, ...]:
    """Return the metric of a line without `by`: what the test is about, else the first measure."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    if declared.tests == "correctness":
        counted = Method(share_metric(right=True))
        first = measured[0].metric if measured else counted
        metric = first if metric_entry(first).declaration.proportion == "all" else counted
    elif measured:
        metric = measured[0].metric
    else:
        return ()
    if metric.better is None:  # else there is no other
        scope.default(f"compare line {index + 1} by", metric.written, "compare", "by", line=index)
    return (metric,)


def _of_models(
    scope: Scope, node: n.CompareNode, spec: ComparisonSpec, names: Sequence[str] | None
) -> Iterator[tuple[str, Span, Mapping[str, Any]]]:
    """Find what is wrong with the models of a line: their number, their pairs, their order."""
    test, pair_test = spec.test, spec.post_hoc or spec.test
    declared = HYPOTHESIS_TESTS[test.name].declaration
    planned = next((item for item in node.models if isinstance(item, n.PairNode)), None)
    part = node.correction or planned or node.against
    if spec.omnibus and node.then is None and part is not None:
        pairwise = declared.followed_by
        fix = f"write `{test.name} then {pairwise[-1]}`" if pairwise else None
        facts = {"written": scope.written(part.span), "test": test}
        yield "part_for_pairs", part.span, {**facts, "help": fix}
    if spec.singly:
        if spec.pairs or spec.against is not None:
            yield "pair_of_single_models", node.span, {"spec": spec}
        return
    models = spec.models or names
    if models is None:
        return
    total = len([name for name in models if name != spec.against]) + (spec.against is not None)
    if total < 2:
        yield "one_model", node.models[0].span if node.models else node.span, {}
    elif total < declared.models[0]:
        pairwise = () if declared.across_data else declared.followed_by[-1:]
        pairwise = (test_over_data(),) if node.across else pairwise
        fix = f"write `with {pairwise[0]}`, or name a third model" if pairwise else None
        yield "omnibus_of_two_models", (node.test or node).span, {"spec": spec, "help": fix}
    side = pair_test.keywords().get("alternative", "two_sided")
    claim = HYPOTHESIS_TESTS[pair_test.name].declaration.claim
    # a one-sided test needs to know which of two models is the first
    directed = side != "two_sided" or claim == "noninferior"
    if directed and not spec.pairs and spec.against is None and len(models) > 2:
        what = pair_test.name if side == "two_sided" else f"alternative={side}"
        yield "side_of_several", node.span, {"what": what, "models": len(models)}
