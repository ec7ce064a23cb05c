"""What cannot be computed, or means nothing (E2xx): judged by declarations, before any data."""

from collections.abc import Iterator

from msgspec.structs import replace

from evallang.checking import (
    capabilities,
    codes,
    resampler_steps,
    resolve_protocol,
    validate_compare,
)
from evallang.checking.own_functions import judge_weights
from evallang.checking.own_metrics import measured_elsewhere
from evallang.checking.resolve_thresholds import judge_thresholds
from evallang.checking.rules.study_facts import protocol_prefix
from evallang.checking.scope import Scope, letters
from evallang.checking.tasks import judge_directions, judge_scores, judge_tasks
from evallang.checking.tests_instead import whole_groups
from evallang.checking.validate_analyze import judge_analyses
from evallang.compatibility import (
    is_grouped,
    is_judged,
    is_known,
    metric_entry,
    own_metric,
    yields_of,
)
from evallang.compatibility.intervals import (
    default_interval,
    implied_options,
    interval_groups_mismatch,
    interval_mismatch,
)
from evallang.compatibility.mismatches import Alternative, Proposal
from evallang.data.dataset import DataSpec, PredictionsSpec
from evallang.metrics.metric import default_metric
from evallang.protocols.protocol import PROTOCOLS, Yields, written
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import (
    ComparisonSpec,
    Measure,
    Method,
    Protocol,
    SourceSpec,
    Study,
    Tuning,
)
from evallang.syntax import nodes as n


def judge(scope: Scope, study: Study) -> Study:
    """Report everything that cannot be computed; give the study with implied protocols."""
    _of_orders(scope, study)
    judge_tasks(scope, study)
    judge_directions(scope, study)
    _judged(scope, study)
    judge_scores(scope, study)
    judge_thresholds(scope, study)
    judge_analyses(scope, study)
    judge_weights(scope, study)
    resampler_steps.judge_weights(scope, study)
    _folds(scope, study)
    _intervals(scope, study)
    _search(scope, study)
    further = tuple(_implied_by_intervals(scope, study))
    settled = validate_compare.settle(scope, study)
    return replace(settled, protocols=(*settled.protocols, *further))


def settings(study: Study) -> Iterator[tuple[SourceSpec, Protocol | None, Yields]]:
    """Iterate over every source with every protocol of the author's that runs on it."""
    for source in study.sources:
        if isinstance(source, DataSpec):
            for protocol in study.protocols:
                if protocol.implied_by is None:
                    yield source, protocol, yields_of(source, protocol)
        else:
            yield source, None, yields_of(source, None)


def _judged(scope: Scope, study: Study) -> None:
    """Report metrics other than accuracy on outcomes that are only right or wrong."""
    judged = [source for source in study.sources if is_judged(source)]
    _measured_elsewhere(scope, study)
    if not judged:
        return
    metrics = [(m.metric, m.span) for m in study.measures]
    metrics += [(m, c.span) for c in study.comparisons for m in c.metrics]
    metrics += [(r.metric, r.span) for r in study.requirements]
    for metric, span in dict.fromkeys(metrics):
        if metric.better is None and not is_known(judged[0], metric):
            needs = metric_entry(metric).declaration.needs
            scope.report(
                codes.METRIC_NEEDS_SCORES,
                f"`{metric.name}` needs {'predicted labels' if needs == 'labels' else needs}, and "
                f"of `{judged[0].name}` only right and wrong are known",
                span or next(iter(judged[0].places.values()), None),
                help="write `measure accuracy`",
            )


ORDERS = {
    "event": ("survival times", "write `event COLUMN` and `score MODEL = COLUMN` below a "
              "`predictions` statement"),
    "query": ("rankings by query", "write `query COLUMN` below a `predictions` statement"),
}  # fmt: skip


def _of_orders(scope: Scope, study: Study) -> None:
    """Report metrics of survival times and of rankings on other sources, and others on these."""
    asked = [(m.metric, m.span) for m in study.measures]
    asked += [(m, c.span) for c in study.comparisons for m in c.metrics]
    asked += [(r.metric, r.span) for r in study.requirements]
    if study.tuning is not None and study.tuning.by_written:
        asked.append((study.tuning.metric, study.tuning.span))
    orders = {s.orders if isinstance(s, PredictionsSpec) else None: s for s in study.sources}
    refused: set[Method] = set()
    for metric, span in asked:
        if metric.better is not None or metric in refused:
            continue
        needed = None if metric.code else metric_entry(metric).declaration.orders
        other = next((s for order, s in orders.items() if order != needed), None)
        if other is None or own_metric(other) is not None:
            continue
        refused.add(metric)
        order = other.orders if isinstance(other, PredictionsSpec) else None
        place = span or next(iter(other.places.values()), None)
        if order is not None:
            scope.report(
                codes.METRIC_NEEDS_SCORES,
                f"`{metric.name}` cannot be computed from {ORDERS[order][0]}, which `{other.name}` "
                "holds",
                place,
                help=f"write `measure {default_metric('regression', order)}`, or another metric of "
                f"{ORDERS[order][0]} of `evallang list metrics`",
            )
        elif needed is not None:
            scope.report(
                codes.METRIC_NEEDS_SCORES,
                f"`{metric.name}` needs {ORDERS[needed][0]}, which `{other.name}` does not hold",
                place,
                help=ORDERS[needed][1],
            )


def _measured_elsewhere(scope: Scope, study: Study) -> None:
    """Report metrics other than its own for a source of scores or values."""
    everything = measured_elsewhere(scope, study.sources, ())
    asked = [(m.metric, m.span, everything) for m in study.measures]
    for c in study.comparisons:
        if _written_by(scope, c):
            models = (*c.models, c.against) if c.against is not None else c.models
            own = measured_elsewhere(scope, study.sources, models)
            asked += [(metric, c.span, own) for metric in c.metrics]
    for r in study.requirements:
        asked.append((r.metric, r.span, measured_elsewhere(scope, study.sources, r.models)))
    for metric, span, own in dict.fromkeys(asked):
        if not own or metric.better is not None:
            continue
        source = next(s for s in study.sources if own_metric(s) == own[0])
        scope.report(
            codes.METRIC_NEEDS_SCORES,
            f"`{metric.name}` needs predictions, and of `{source.name}` only `{own[0].name}` is "
            "known",
            span,
            help=f"write `{letters(own[0].name)}`, or remove the metric",
        )


def _written_by(scope: Scope, comparison: ComparisonSpec) -> bool:
    return bool(scope.of(n.CompareNode)[comparison.index].by)


def _folds(scope: Scope, study: Study) -> None:
    """Report rankings on folds of one row, and protocols over groups without groups."""
    for protocol in study.protocols:
        declared = PROTOCOLS[protocol.kind].declaration
        if declared.yields(protocol.options).grouped:
            _groups_left_out(scope, study, protocol)
        tables = (s for s in study.sources if isinstance(s, DataSpec))
        grouped = any(is_grouped(source, study.group) for source in tables)
        if grouped and declared.cuts_groups(protocol.options):
            scope.report(
                codes.CLAUSE_CONFLICT,
                f"`{protocol.kind}` puts rows of one group on both sides of a split",
                protocol.span,
                help=f"write `{whole_groups(study, protocol)}`",
            )
        if declared.test_rows(protocol.options) != 1:
            continue
        said: set[Method] = set()
        for metric, span in metrics_on(study, protocol):
            ranks = metric_entry(metric).declaration.form == "scores" and not metric.code
            if ranks and metric not in said:
                said.add(metric)
                scope.report(
                    codes.METRIC_UNDER_PROTOCOL,
                    f"`{metric.name}` is undefined on the one-row folds of "
                    f"`{written(protocol.kind, protocol.options)}`",
                    span,
                    help=f"write `protocol {protocol_prefix(study, protocol)}cv folds=10`",
                )


def _groups_left_out(scope: Scope, study: Study, protocol: Protocol) -> None:
    """Report a protocol that holds out groups in a study without a column of groups."""
    for source in study.sources:
        if isinstance(source, DataSpec) and not is_grouped(source, study.group):
            scope.report(
                codes.MISSING_CLAUSE,
                f"`{protocol.kind}` holds out one group after another, but the study names no "
                f"column of groups in `{source.name}`",
                protocol.span,
                help="write `group by COLUMN`, or `protocol cv folds=10`",
            )
            return


def metrics_on(study: Study, protocol: Protocol) -> Iterator[tuple[Method, Span | None]]:
    """Iterate over the metrics that a protocol's folds give, with their places."""
    for measure in study.measures:
        yield measure.metric, measure.span
    for line in study.comparisons:
        elsewhere = HYPOTHESIS_TESTS[line.test.name].declaration.implied is not None
        if line.protocol in (None, protocol.name) and not elsewhere:
            for metric in line.metrics:
                yield metric, line.span
    for requirement in study.requirements:
        if requirement.protocol in (None, protocol.name):
            yield requirement.metric, requirement.span


def line_alternative(
    instead: Alternative, measure: Measure, study: Study, yields: Yields, grouped: bool
) -> Alternative:
    """Return what to write instead of an interval that some metrics of its line do not take."""
    proposed = default_interval(measure.metric, yields, None, grouped)
    if proposed is None:
        return instead
    for other in study.measures:
        beside = other.interval_span == measure.interval_span and other.metric != measure.metric
        if beside and interval_mismatch(Method(proposed), other.metric, yields, grouped):
            return Alternative(Proposal.OWN_LINE, metric=measure.metric.written)
    return instead


def _intervals(scope: Scope, study: Study) -> None:
    for source, protocol, yields in settings(study):
        grouped = is_grouped(source, study.group)
        own = own_metric(source)
        for measure in study.measures:
            if (measure.metric != own) if own is not None else (measure.metric.better is not None):
                continue
            place = measure.interval_span or measure.span
            if measure.interval is None:
                name = default_interval(measure.metric, yields, None, grouped)
            elif protocol is not None and resolve_protocol.is_assigned(protocol):
                continue  # judged once the split is read
            else:
                name = measure.interval.name
                problem = interval_mismatch(measure.interval, measure.metric, yields, grouped)
                if problem is not None:
                    scope.report(
                        codes.INTERVAL_NEEDS_OTHER_EVIDENCE,
                        problem.reason
                        + (
                            resolve_protocol.lacking(source, protocol)
                            if problem.kind.lacking
                            else ""
                        ),
                        place,
                        help=line_alternative(
                            problem.instead, measure, study, yields, grouped
                        ).words,
                    )
                    continue
            if name is None or not grouped:
                continue
            chosen = measure.interval or Method(name)
            problem = interval_groups_mismatch(chosen, measure.metric, yields)
            if problem is not None:
                scope.report(
                    codes.NO_FORM_FOR_GROUPS,
                    problem.reason,
                    place or source_span(source),
                    help=problem.instead.words,
                )


def _implied_by_intervals(scope: Scope, study: Study) -> Iterator[Protocol]:
    """Plan the fits that intervals need in addition to those of the study's own protocols."""
    made: dict[tuple[str, str, str], Protocol] = {}
    for source, protocol, yields in settings(study):
        for measure in study.measures if protocol is not None and yields.redrawn else ():
            interval = measure.interval
            if protocol is None or interval is None:
                continue
            kind = INTERVALS[interval.name].declaration.implied
            grouped = is_grouped(source, study.group)
            if not kind or interval_mismatch(interval, measure.metric, yields, grouped):
                continue
            refused = _cannot_refit(study, measure, protocol, yields)
            if refused is not None:
                message, suggestion = refused
                place = measure.interval_span or measure.span
                scope.report(codes.INTERVAL_CANNOT_REFIT, message, place, help=suggestion)
                continue
            options = implied_options(interval, protocol.options)
            at = protocol.name, kind, str(sorted(options.items()))
            if at not in made:
                number = f"_{len(made) + 1}" if made else ""
                made[at] = Protocol(
                    f"{kind}{number}",
                    kind,
                    options,
                    implied_by=f"interval {interval.written}",
                    interval_of=protocol.name,
                )
    yield from made.values()


def _cannot_refit(
    study: Study, measure: Measure, protocol: Protocol, yields: Yields
) -> tuple[str, str] | None:
    """Return why an interval cannot fit the models of a study again, and what to write."""
    assert measure.interval is not None, "the interval is written"
    name = measure.interval.name
    tuned = next((model for model in study.models if capabilities.is_tuned(model)), None)
    if tuned is not None:
        return (
            f"`{name}` fits models without a search, and `{tuned.name}` is searched",
            f"write `interval {default_interval(measure.metric, yields)}`",
        )
    if measure.within:
        return (
            f"`{name}` is an interval for all rows, and the line measures levels of "
            f"`{measure.within[0]}`",
            f"measure `{measure.metric.written} within {measure.within[0]}` in a line of its own",
        )
    least = PROTOCOLS[INTERVALS[name].declaration.implied].declaration.least
    for option, value in implied_options(measure.interval, protocol.options).items():
        if isinstance(value, int) and value < least.get(option, value):
            return (
                f"`{name}` needs {least[option]} {option} or more, and the protocol has {value}",
                f"write `protocol {protocol_prefix(study, protocol)}cv {option}=10`",
            )
    return None


def source_span(source: SourceSpec) -> Span | None:
    """Return the place of a source's group clause, or of the source."""
    return source.places.get("group") or next(iter(source.places.values()), None)


# --- tuning ------------------------------------------------------------------------------


def _says_cv(scope: Scope, folds: int) -> bool:
    """Return whether `cv=` is written with that number; a faulty option stands for one too."""
    options = (option for node in scope.of(n.TuneNode) for option in node.options)
    return any(
        option.key.name == "cv"
        and isinstance(option.value, n.NumberNode)
        and option.value.literal.replace("_", "") == str(folds)
        for option in options
    )


def _tune_is_faulty(scope: Scope) -> bool:
    """Return whether an error in `tune` leaves open what stage its author meant."""
    spans = [node.span for node in scope.of(n.TuneNode)]
    return "tune" in scope.unread or any(
        found.is_error and found.span is not None and span.start <= found.span.start <= span.end
        for found in (*scope.diagnostics, *scope.syntax)
        for span in spans
        if found.path == span.path
    )


def _search(scope: Scope, study: Study) -> None:
    """A search space needs a stage to choose in, and a stage a search space."""
    tuned = [model for model in study.models if capabilities.is_tuned(model)]
    tuning = study.tuning
    without = [protocol for protocol in study.protocols if not _own_stage(protocol)]
    if tuning is not None and tuning.cv is not None:
        if study.protocols and not without and _says_cv(scope, tuning.cv):
            _report_second_stage(scope, study.protocols[0], tuning)
        without = []  # `cv=` is their stage
    for protocol in without:
        if tuned and not resolve_protocol.is_assigned(protocol) and not _tune_is_faulty(scope):
            node = scope.models[tuned[0].name]
            pipeline = node.pipeline or node
            place = next((s.span for s in search_nodes(pipeline)), pipeline.span)
            scope.report(
                codes.SEARCH_WITHOUT_VALIDATION,
                f"`{tuned[0].name}` has a search space, but `{resolve_protocol.spoken(protocol)}` "
                "has no inner folds or validation part to choose in",
                place,
                help=_stage(study, protocol),
            )
    if (
        tuning is not None
        and tuning.span is not None
        and not tuned
        and scope.models  # where none is fitted, W102 says so
        and not (scope.broken & set(scope.models))
    ):
        scope.report(
            codes.CLAUSE_CONFLICT,
            "`tune` has nothing to search: no model has a parameter with `in`",
            tuning.span,
            help="write for example `C in 1e-3..1e3 log 7`, or remove `tune`",
        )


def _own_stage(protocol: Protocol) -> str | None:
    """Return the option of a protocol that gives it a stage; only data show that of a split."""
    if resolve_protocol.is_assigned(protocol):
        return None
    declared = PROTOCOLS[protocol.kind].declaration
    if declared.inner_option is not None:
        return declared.inner_option
    return "validation" if declared.yields(protocol.options).validation else None


def _report_second_stage(scope: Scope, protocol: Protocol, tuning: Tuning) -> None:
    """Report `cv=` in a study whose protocols all have a stage of their own."""
    option = _own_stage(protocol)
    inner = option == PROTOCOLS[protocol.kind].declaration.inner_option
    scope.report(
        codes.CLAUSE_CONFLICT,
        f"`{resolve_protocol.spoken(protocol)}` has "
        f"{'inner folds' if inner else 'a validation part'} of its own, so `cv=` has no effect",
        tuning.span,
        help=f"remove `cv={tuning.cv}`"
        + (f", or write `{option}={tuning.cv}`" if inner else f" or `{option}=`"),
    )


def _stage(study: Study, protocol: Protocol) -> str:
    """State what gives a protocol a stage to choose in."""
    nested = f"write `protocol {protocol_prefix(study, protocol)}nested cv outer=5 inner=5`"
    tuned = study.tuning is not None and study.tuning.span is not None
    inside = "`cv=5` in the line `tune`" if tuned else "`tune grid cv=5`"
    inside += ", to choose inside each training part"
    ordered = PROTOCOLS[protocol.kind].declaration.yields(protocol.options).ordered
    return f"write {inside}" if ordered else f"{nested}, or {inside}"


def search_nodes(node: n.Node) -> Iterator[n.ArgumentNode]:
    """Iterate over the searched parameters of a pipeline as written."""
    if isinstance(node, n.PipelineNode):
        for step in node.steps:
            yield from search_nodes(step)
    elif isinstance(node, n.ColumnsNode):
        for branch in node.branches:
            yield from search_nodes(branch.pipeline)
    elif isinstance(node, n.CallNode):
        for argument in node.arguments:
            if argument.tuned:
                yield argument
            else:
                yield from search_nodes(argument.value)
