"""Requirements judged (E1xx, E2xx): what a `require` line cannot be decided on."""

from collections.abc import Sequence
from dataclasses import replace

from evallang.checking import codes
from evallang.checking.comparable import judge_evidence, judge_meeting, judge_metric
from evallang.checking.scope import Scope
from evallang.compatibility import difference_test, yields_of
from evallang.data.dataset import CountsSpec, DataSpec
from evallang.registry import Evidence
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Method, Protocol, RequirementSpec, Study

MARGIN_TESTS = frozenset({"tost", "noninferiority"})


def settle(scope: Scope, study: Study) -> Study:
    """Give each requirement its protocol, and refuse what cannot decide it."""
    own = [p for p in study.protocols if p.implied_by is None]
    tables = any(isinstance(source, DataSpec) for source in study.sources)
    settled = []
    for line in study.requirements:
        if not _judge_models(scope, study, line):
            continue
        protocol = _protocol(scope, line, own) if tables else None
        if tables and protocol is None:
            continue
        if line.test is not None and _decides(scope, line, line.test, study, protocol):
            judge_evidence(scope, study, line.test, line.metric, protocol, line.span)
        settled.append(replace(line, protocol=None if protocol is None else protocol.name))
    return replace(study, requirements=tuple(settled))


def _judge_models(scope: Scope, study: Study, line: RequirementSpec) -> bool:
    if len(set(line.models)) < len(line.models):
        scope.report(codes.COMPARE_SHAPE, f"`{line.models[0]}` is compared with itself", line.span)
        return False

    if line.within is not None and all(isinstance(s, CountsSpec) for s in study.sources):
        scope.report(
            codes.CLAUSE_CONFLICT,
            f"counts have no columns, so there is no `{line.within}` to look within",
            line.span,
            help=f"leave `within {line.within}` out, or read the predictions of each example",
        )
        return False

    def needed(names: Sequence[str]) -> Sequence[str]:
        return line.models

    return judge_meeting(scope, study, needed, line.span)


def _protocol(scope: Scope, line: RequirementSpec, own: Sequence[Protocol]) -> Protocol | None:
    """Find the protocol of a line; several and none named are reported."""
    if line.protocol is not None:
        return next(p for p in own if p.name == line.protocol)
    if len(own) > 1:
        scope.report(
            codes.AMBIGUOUS_PROTOCOL,
            "the line does not say which of the protocols it is about",
            line.span,
            help=f"write `on {own[0].name}` at its end",
        )
    return own[0] if len(own) == 1 else None


def _decides(
    scope: Scope, line: RequirementSpec, test: Method, study: Study, protocol: Protocol | None
) -> bool:
    """Tell whether a test can decide that one model is better than another by the metric."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    reason = None
    if declared.models[1] == 1:
        reason = "is about one model"
    elif declared.models[0] > 2:
        reason = "tests many models at once"
    elif declared.bayesian:
        reason = "gives probabilities and no p"
    elif declared.evidence == {Evidence.DATASET_SCORES}:
        reason = "is a test over several data sets, and a requirement is decided on each"
    elif test.name in MARGIN_TESTS:
        reason = "shows that a model is not worse, or equivalent, but not that it is better"
    if reason is None:
        return judge_metric(scope, test, line.metric, line.span)
    source = study.sources[0]
    help_text = None
    if (protocol is not None) == isinstance(source, DataSpec):
        fitting = difference_test(line.metric, yields_of(source, protocol))
        help_text = f"write `with {fitting}`, or leave the test out"
    if test.name in MARGIN_TESTS:
        a, b = line.models
        claim = "equivalent to" if test.name == "tost" else "not worse than"
        way = "within" if test.name == "tost" else "by"
        help_text = f"write `require {a} {claim} {b} {way} MARGIN`"
    scope.report(codes.DECIDING_TEST, f"`{test.name}` {reason}", line.span, help=help_text)
    return False
