"""What cannot be computed, or means nothing (E2xx): judged by declarations, before any data."""

from collections.abc import Iterator

from msgspec.structs import replace

from evallang.checking import capabilities, resampler_steps, resolve_protocol, validate_compare
from evallang.checking.metrics_fit import judge_metrics
from evallang.checking.resolve_thresholds import judge_thresholds
from evallang.checking.rules.study_facts import protocol_prefix
from evallang.checking.scope import Scope
from evallang.checking.validate_analyze import judge_analyses
from evallang.compatibility import (
    is_assigned,
    is_grouped,
    is_weighted,
    metric_entry,
    own_metric,
    spoken,
    yields_of,
)
from evallang.compatibility.intervals import (
    default_interval,
    implied_options,
    interval_groups_mismatch,
    interval_mismatch,
)
from evallang.data.dataset import DataSpec
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.protocols.protocol import PROTOCOLS, Yields, written
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import (
    Measure,
    Method,
    Protocol,
    SourceSpec,
    Study,
    Tuning,
    own_metrics_of,
)
from evallang.syntax import nodes as n


def judge(scope: Scope, study: Study) -> Study:
    """Report everything that cannot be computed; give the study with implied protocols."""
    judge_metrics(scope, study)
    judge_thresholds(scope, study)
    judge_analyses(scope, study)
    _own_metrics_of_weighted(scope, study)
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


def _own_metrics_of_weighted(scope: Scope, study: Study) -> None:
    """Report own metrics of examples with weights, which a function of two arrays cannot heed."""
    weighted = [source for source in study.sources if is_weighted(source)]
    if not weighted:
        return
    seen: set[str] = set()
    for metric, span in own_metrics_of(study):
        if metric.name in seen:
            continue
        seen.add(metric.name)
        scope.report(
            codes.own_metric_without_weights,
            f"`{metric.name}` does not receive weights, and the examples of "
            f"`{weighted[0].name}` have them",
            span,
            help="remove the clause `weight`, or measure another metric",
        )


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
                codes.clause_conflict,
                f"`{protocol.kind}` puts rows of one group on both sides of a split",
                protocol.span,
                help=f"write `protocol {protocol_prefix(study, protocol)}leave_one_group_out`",
            )
        if declared.test_rows(protocol.options) != 1:
            continue
        said: set[Method] = set()
        for metric, span in metrics_on(study, protocol):
            ranks = metric_entry(metric).declaration.form == "scores" and not metric.code
            if ranks and metric not in said:
                said.add(metric)
                scope.report(
                    codes.metric_under_protocol,
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
                codes.missing_clause,
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


def _intervals(scope: Scope, study: Study) -> None:
    """Report the intervals that a source or protocol does not give; of a split, once it is read."""
    for source, protocol, yields in settings(study):
        if protocol is None or not is_assigned(protocol):
            scope.diagnostics += interval_misfits(study, source, protocol, yields)


def interval_misfits(
    study: Study, source: SourceSpec, protocol: Protocol | None, yields: Yields
) -> Iterator[Diagnostic]:
    """Find the written intervals that do not go with their metric, the evidence or the groups."""
    grouped, own = is_grouped(source, study.group), own_metric(source)
    for measure in study.measures:
        other = measure.metric != own if own is not None else measure.metric.better is not None
        if other or measure.interval is None:
            continue
        code = codes.interval_needs_other_evidence
        problem = interval_mismatch(measure.interval, measure.metric, yields, grouped)
        if problem is None and grouped:
            code = codes.no_form_for_groups
            problem = interval_groups_mismatch(measure.interval, measure.metric, yields)
        if problem is not None:
            ending = resolve_protocol.lacking(source, protocol) if problem.lacking else ""
            place = measure.interval_span or measure.span
            yield diagnose(code, problem.reason + ending, place, help=problem.instead)


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
                scope.report(codes.interval_cannot_refit, message, place, help=suggestion)
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
    implied = PROTOCOLS[INTERVALS[name].declaration.implied]
    for option, value in implied_options(measure.interval, protocol.options).items():
        declared = implied.option(option)
        least = None if declared is None or declared.bounds is None else declared.bounds.least
        if isinstance(value, int) and least is not None and value < least:
            return (
                f"`{name}` needs {least:g} {option} or more, and the protocol has {value}",
                f"write `protocol {protocol_prefix(study, protocol)}cv {option}=10`",
            )
    return None


# --- tuning ------------------------------------------------------------------------------


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
        if study.protocols and not without and not _tune_is_faulty(scope):
            _report_second_stage(scope, study.protocols[0], tuning)
        without = []  # `cv=` is their stage
    for protocol in without:
        if tuned and not is_assigned(protocol) and not _tune_is_faulty(scope):
            node = scope.models[tuned[0].name]
            pipeline = node.pipeline or node
            place = next((s.span for s in search_nodes(pipeline)), pipeline.span)
            scope.report(
                codes.search_without_validation,
                f"`{tuned[0].name}` has a search space, but `{spoken(protocol)}` "
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
            codes.clause_conflict,
            "`tune` has nothing to search: no model has a parameter with `in`",
            tuning.span,
            help="write for example `C in 1e-3..1e3 log 7`, or remove `tune`",
        )


def _own_stage(protocol: Protocol) -> str | None:
    """Return the option of a protocol that gives it a stage; only data show that of a split."""
    if is_assigned(protocol):
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
        codes.clause_conflict,
        f"`{spoken(protocol)}` has "
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
    neighbours = PROTOCOLS[protocol.kind].declaration.neighbours
    return f"write {inside}" if neighbours else f"{nested}, or {inside}"


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
