"""Requirements judged (E2xx): whether anything could decide a line, and on which protocol."""

from collections.abc import Sequence

from msgspec.structs import replace

from evallang.checking.resolve_protocol import lacking
from evallang.checking.scope import Scope
from evallang.compatibility import (
    is_assigned,
    is_grouped,
    metric_entry,
    own_metric,
    spoken,
    yields_of,
)
from evallang.compatibility.hypothesis_tests import (
    decidable_protocol,
    difference_form,
    nearest_test,
    refusal,
)
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import CountsSpec, DataSpec, ScoresSpec
from evallang.diagnostics import Related, codes
from evallang.metrics.metric import default_metric
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design
from evallang.source import Span
from evallang.spelling import listed
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Method, Protocol, RequirementSpec, SourceSpec, Study, names_of
from evallang.syntax import nodes as n

REFUSALS = {
    "metric": codes.test_of_another_metric,
    "evidence": codes.test_needs_other_evidence,
    "weights": codes.test_without_weights,
    "groups": codes.no_form_for_groups,
}
"""The code of each need of a test that is not met."""
MARGIN_CLAIMS = {
    "equivalent": "equivalent to {} within MARGIN",
    "noninferior": "not worse than {} by MARGIN",
}
"""The claim that a test of a margin is written as in a `require` line."""


def requirements(scope: Scope, study: Study) -> tuple[RequirementSpec, ...]:
    """Return each `require` line its protocol; report what nothing could decide."""
    own = [p for p in study.protocols if p.implied_by is None]
    fitted = any(isinstance(source, DataSpec) for source in study.sources)
    settled = []
    for line in study.requirements:
        if fitted and line.protocol is None and len(own) > 1:
            if any(node.name is None for node in scope.of(n.ProtocolNode)):
                continue  # which is reported there
            report_ambiguous(scope, own, line.span)
            continue
        if fitted and line.protocol is None and own:
            line = replace(line, protocol=own[0].name)
        if _makes_sense(scope, study, line):
            _judge(scope, study, line)
        settled.append(line)
    return tuple(settled)


def report_ambiguous(scope: Scope, protocols: Sequence[Protocol], span: Span | None) -> None:
    """Report a line that is about one of several protocols, and does not say which."""
    ends = listed(f"on {protocol.name}" for protocol in protocols)
    scope.report(
        codes.ambiguous_protocol,
        "the line does not say which protocol it uses",
        span,
        help=f"write {ends} at its end",
    )


def report_apart(scope: Scope, study: Study, names: Sequence[str], span: Span | None) -> None:
    """Report a line whose models are of several data sets, and which of them has which."""
    if scope.lacks_models:
        return
    related = []
    for source in study.sources:
        models = names_of(study.models if isinstance(source, DataSpec) else source.models)
        there = [name for name in dict.fromkeys(names) if name in models]
        place = next(iter(source.places.values()), None)
        if there and place is not None:
            related.append(Related(place, f"`{source.name}` has {listed(there, 'and')}"))
    scope.report(
        codes.models_never_meet,
        "no data set has all models of this line",
        span,
        help="write one line per data set, with models that it contains; models of several sources "
        "are compared in one `predictions` statement if they were tested on the same examples, and "
        "otherwise in `counts`",
        related=related,
    )


def _makes_sense(scope: Scope, study: Study, line: RequirementSpec) -> bool:
    """Return whether a line is about two models that meet, and a column that can be."""
    if len(set(line.models)) < len(line.models):
        scope.report(
            codes.compare_shape,
            f"`{line.models[0]}` is compared with itself",
            line.span,
            help="name another model on one side",
        )
        return False
    if line.within is not None and all(isinstance(s, CountsSpec) for s in study.sources):
        scope.report(
            codes.clause_conflict,
            f"counts have no columns, so there is no `{line.within}` to look within",
            line.span,
            help=f"remove `within {line.within}`, or read the predictions of each example",
        )
        return False
    for source in study.sources:
        names = names_of(study.models if isinstance(source, DataSpec) else source.models)
        in_file = not names and not isinstance(source, DataSpec)
        if in_file or names.known.issuperset(line.models):
            return True
    if scope.broken:
        return False  # the model that is missing may be one that could not be read
    report_apart(scope, study, line.models, line.span)
    return False


def _judge(scope: Scope, study: Study, line: RequirementSpec) -> None:
    """Report the first thing that keeps a line from being decided on any source."""
    for source in study.sources:
        own = own_metric(source)
        if (line.metric != own) if own is not None else (line.metric.better is not None):
            continue
        if not isinstance(source, DataSpec):
            if not _decidable(scope, study, line, source, None):
                return
            continue
        for protocol in study.protocols:
            named = protocol.name == line.protocol
            if named and not _decidable(scope, study, line, source, protocol):
                return


def _two_model_test_fits(scope: Scope, line: RequirementSpec, test: Method) -> bool:
    """Return whether a test can decide that one of two models is better; report where not."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    if declared.models[0] != 2 or declared.bayesian or declared.across_data:
        what = "is not a test of two models on one data set"
        if declared.bayesian:
            what = "gives no p-value"
        message, help_ = f"{what}, so it decides no line", "remove the test: the interval decides"
    elif declared.claim in MARGIN_CLAIMS:
        a, b = line.models
        message = "does not show that a model is better, so it decides no line"
        help_ = f"write `require {a} {MARGIN_CLAIMS[declared.claim].format(b)}`"
    else:
        return True
    code = codes.requirement_cannot_be_decided
    scope.report(code, f"`{test.name}` {message}", line.span, help=help_)
    return False


def _decidable(
    scope: Scope,
    study: Study,
    line: RequirementSpec,
    source: SourceSpec,
    protocol: Protocol | None,
) -> bool:
    yields = yields_of(source, protocol)
    where = spoken(protocol) if protocol else source.name
    grouped = is_grouped(source, study.group)
    test = line.test
    if test is not None and not _two_model_test_fits(scope, line, test):
        return False
    later = protocol is not None and is_assigned(protocol)  # what it yields is read later
    if test is not None:
        found = refusal(test, line.metric, yields, grouped)
        if found is None or (later and found.need != "metric"):
            return True
        problem = found.mismatch
        reason = problem.reason + (lacking(source, protocol) if problem.lacking else "")
        scope.report(REFUSALS[found.need], reason, line.span, help=problem.instead)
        return False
    if later:
        return True
    unknown_splits = isinstance(source, ScoresSpec) and source.fold is None
    if not unknown_splits and _has_interval(study, line, yields, protocol, grouped):
        return True
    what = f"`{line.metric.written}`" if line.kind == "level" else "the difference"
    scope.report(
        codes.requirement_cannot_be_decided,
        f"`{where}` gives no sound interval of {what}, so the requirement cannot be decided",
        line.span,
        help="remove this line: all seeds share their data, and their spread is not an interval"
        if isinstance(source, ScoresSpec) and source.over_seeds
        else "name the column of the folds: `fold COLUMN`"
        if unknown_splits
        else _suggestion(line, yields, protocol, grouped),
    )
    return False


def _has_interval(
    study: Study, line: RequirementSpec, yields: Yields, protocol: Protocol | None, grouped: bool
) -> bool:
    if line.kind != "level":
        series = difference_form(line.metric, yields, None) == "series" and not grouped
        usable = bool(yields.evidence) and (series or not yields.neighbours)
        return usable and yields.design is not Design.FIVE_BY_TWO
    stated = next((m.interval for m in study.measures if m.metric == line.metric), None)
    own_error = protocol is not None and PROTOCOLS[protocol.kind].declaration.full_sample
    return (
        stated is not None
        or own_error
        or default_interval(line.metric, yields, None, grouped) is not None
    )


def _suggestion(
    line: RequirementSpec, yields: Yields, protocol: Protocol | None, grouped: bool
) -> str:
    """State what decides a line: a test for a series, else another metric or protocol."""
    if yields.neighbours:
        words = nearest_test(line.metric, yields, clustered=grouped)
        plain = line.kind == "superior" and not line.value
        return words if plain else f"remove it, and compare the models in a line: {words}"
    if protocol is None:
        return f"require `{default_metric(metric_entry(line.metric).declaration.task)}` instead"
    of_level = line.kind == "level"
    wanted = decidable_protocol(line.metric, grouped) if of_level else "cv folds=10"
    return f"write `protocol {wanted}`"
