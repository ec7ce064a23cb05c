"""Comparisons judged (E2xx): tests against what protocols and data sets give them."""

from dataclasses import replace

from evallang.checking import codes
from evallang.checking.designs import refuse_grouped
from evallang.checking.scope import Scope
from evallang.compatibility import (
    NOUNS,
    PER_ROW,
    fits_design,
    is_grouped,
    metric_mismatch,
    test_mismatch,
    weights_mismatch,
    yields_of,
)
from evallang.data.dataset import DataSpec
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Evidence
from evallang.source import Span
from evallang.stats.corrections import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import (
    ComparisonSpec,
    Method,
    Protocol,
    RequirementSpec,
    SourceSpec,
    Study,
    models_of,
)


def settle(scope: Scope, study: Study) -> Study:
    """Give each comparison its protocol, plan implied ones, refuse what cannot be tested."""
    implied: list[Protocol] = []
    settled: list[ComparisonSpec] = []
    tables = any(isinstance(source, DataSpec) for source in study.sources)
    for comparison in study.comparisons:
        if not _metrics_fit(scope, comparison) or not _models_meet(scope, study, comparison):
            continue
        if comparison.across and not _judge_across(scope, study, comparison):
            continue
        _judge_family(scope, study, comparison)
        if not tables:
            _judge_tests(scope, study, comparison, None)
            settled.append(comparison)
            continue
        protocol = _implied(study, comparison, implied)
        if protocol is None:
            protocol = _own_protocol(scope, study, comparison)
        if protocol is None:
            continue
        _judge_tests(scope, study, comparison, protocol)
        settled.append(replace(comparison, protocol=protocol.name))
    return replace(
        study,
        comparisons=tuple(settled),
        requirements=_requirements(scope, study),
        protocols=(*study.protocols, *implied),
    )


def _requirements(scope: Scope, study: Study) -> tuple[RequirementSpec, ...]:
    """Give each `require` line its protocol; several and none named are reported."""
    for requirement in study.requirements:
        _judge_gate(scope, study, requirement)
    if not any(isinstance(source, DataSpec) for source in study.sources):
        return study.requirements
    own = [p for p in study.protocols if p.implied_by is None]
    settled = []
    for requirement in study.requirements:
        if requirement.protocol is None and len(own) > 1:
            scope.report(
                codes.AMBIGUOUS_PROTOCOL,
                "the line does not say which of the protocols it is about",
                requirement.span,
                help=f"write `on {own[0].name}` at its end",
            )
        elif requirement.protocol is None and own:
            settled.append(replace(requirement, protocol=own[0].name))
        else:
            settled.append(requirement)
    return tuple(settled)


def _judge_gate(scope: Scope, study: Study, requirement: RequirementSpec) -> None:
    """A gate that a test decides needs what the test needs."""
    test = requirement.test
    if test is None:
        return
    about = [p for p in study.protocols if requirement.protocol in (None, p.name)]
    for source in study.sources:
        for protocol in about if isinstance(source, DataSpec) else (None,):
            yields = yields_of(source, protocol)
            problem = test_mismatch(test, requirement.metric, yields)
            if problem is None:
                _judge_weights(scope, test, requirement.metric, yields, requirement.span)
                continue
            where = _where(source, protocol)
            scope.report(
                codes.TEST_NEEDS_OTHER_EVIDENCE,
                f"{problem.reason}, which {where} does not give",
                requirement.span,
                help=problem.instead,
            )


def _where(source: SourceSpec, protocol: Protocol | None) -> str:
    if protocol is None:
        return f"`{source.name}`"
    seeds = f" with `seeds={protocol.seeds}`" if protocol.seeds > 1 else ""
    return f"`{protocol.kind.replace('_', ' ')}`{seeds}"


def _tests(comparison: ComparisonSpec) -> tuple[Method, ...]:
    post_hoc = (comparison.post_hoc,) if comparison.post_hoc else ()
    return (comparison.test, *post_hoc)


def _metrics_fit(scope: Scope, comparison: ComparisonSpec) -> bool:
    sound = True
    if comparison.across:
        return sound  # one score of each data set is all that such a test reads
    for test in _tests(comparison):
        for metric in comparison.metrics:
            problem = metric_mismatch(test, metric)
            if problem is not None:
                sound = False
                scope.report(
                    codes.TEST_OF_ANOTHER_METRIC,
                    problem.reason,
                    comparison.span,
                    help=problem.instead,
                )
    return sound


def _models_meet(scope: Scope, study: Study, comparison: ComparisonSpec) -> bool:
    """Some source must have every model of a line; sources that a file decides may."""
    for source in study.sources:
        models = study.models if isinstance(source, DataSpec) else source.models
        names = [model.name for model in models]
        unknown = not names and not isinstance(source, DataSpec)
        if unknown or set(models_of(comparison, names)) <= set(names):
            return True
    if scope.broken or not study.sources:
        return False
    scope.report(
        codes.MODELS_NEVER_MEET,
        "no data set has all models of this line",
        comparison.span,
        help="compare models of one data set, a line for each",
    )
    return False


def _implied(study: Study, comparison: ComparisonSpec, implied: list[Protocol]) -> Protocol | None:
    """Find or plan the resampling that a test brings along; None where it needs none."""
    entry = HYPOTHESIS_TESTS[comparison.test.name]
    if entry.declaration.implied is None:
        return None
    for protocol in study.protocols:
        named = comparison.protocol in (None, protocol.name)
        yields = PROTOCOLS[protocol.kind].declaration.yields(protocol.options)
        if named and fits_design(entry, yields):
            return None
    if comparison.protocol is not None:
        return None
    kind, given = entry.declaration.implied
    options = {**PROTOCOLS[kind].defaults(), **given}
    for protocol in implied:
        if protocol.kind == kind and dict(protocol.options) == options:
            return protocol
    taken = {p.name for p in study.protocols}
    name = kind if kind not in taken else f"{kind}_implied"
    made = Protocol(name, kind, options, implied_by=comparison.source)
    implied.append(made)
    return made


def _own_protocol(scope: Scope, study: Study, comparison: ComparisonSpec) -> Protocol | None:
    protocols = study.protocols
    if comparison.protocol is not None:
        return next(p for p in protocols if p.name == comparison.protocol)
    if len(protocols) == 1:
        return protocols[0]
    fitting = [
        p
        for p in protocols
        if fits_design(
            HYPOTHESIS_TESTS[comparison.test.name],
            PROTOCOLS[p.kind].declaration.yields(p.options),
        )
    ]
    implies = HYPOTHESIS_TESTS[comparison.test.name].declaration.implied is not None
    if implies and len(fitting) == 1:
        return fitting[0]
    if len(protocols) > 1:
        scope.report(
            codes.AMBIGUOUS_PROTOCOL,
            "the line does not say which of the protocols it is about",
            comparison.span,
            help=f"write `on {(fitting or list(protocols))[0].name}` at its end",
        )
    return None


def _judge_across(scope: Scope, study: Study, comparison: ComparisonSpec) -> bool:
    """Tests across data sets take one score of each model on each of several data sets."""
    sound = True
    for test in _tests(comparison):
        declared = HYPOTHESIS_TESTS[test.name].declaration
        if Evidence.DATASET_SCORES not in declared.evidence:
            sound = False
            scope.report(
                codes.TEST_NEEDS_OTHER_EVIDENCE,
                f"`{test.name}` compares models on one data set, not across data sets",
                comparison.span,
                help="write `with wilcoxon` for two models, `with friedman then nemenyi` for more, "
                "or leave `across data` out",
            )
    tables = [source for source in study.sources if isinstance(source, DataSpec)]
    one = len(tables) == len(study.sources) == 1 and tables[0].kind != "glob"
    if sound and one:
        sound = False
        scope.report(
            codes.TEST_NEEDS_OTHER_EVIDENCE,
            f"`{comparison.test.name}` needs {NOUNS[Evidence.DATASET_SCORES]}, and the study has "
            "one",
            comparison.span,
            help="add a `data` statement for each further data set, or leave `across data` out",
        )
    return sound


def _judge_family(scope: Scope, study: Study, comparison: ComparisonSpec) -> None:
    """Corrections that use which pairs are tested need their family to be those pairs."""
    single = comparison.post_hoc or comparison.test
    if single.name == "bonferroni_dunn" and comparison.against is None:
        scope.report(
            codes.FAMILY,
            "`bonferroni_dunn` compares every model with one reference, and none is named",
            comparison.span,
            help="write `against MODEL`, or `nemenyi` for all pairs",
        )
    if comparison.correction is None:
        return
    name = comparison.correction.name
    inputs = CORRECTIONS[name].inputs
    if "pairs" not in inputs:
        return
    places = 1 if comparison.across else len(study.sources)
    if places * len(comparison.metrics) > 1:
        scope.report(
            codes.FAMILY,
            f"`{name}` corrects the pairs of one table of scores, and this line makes "
            f"{places * len(comparison.metrics)} of them",
            comparison.span,
            help="write `holm`, or a line for each metric and data set",
        )
    elif "correct" in inputs and single.name != "mcnemar":
        scope.report(
            codes.FAMILY,
            f"`{name}` permutes which models are right, which is for `mcnemar`",
            comparison.span,
            help="write `holm`",
        )
    elif "correct" not in inputs and (comparison.against is not None or comparison.pairs):
        scope.report(
            codes.FAMILY,
            f"`{name}` uses that all pairs are compared, and here they are not",
            comparison.span,
            help="write `holm`, which is the same here",
        )


def _judge_tests(
    scope: Scope, study: Study, comparison: ComparisonSpec, protocol: Protocol | None
) -> None:
    if comparison.across:
        return
    for source in study.sources:
        if isinstance(source, DataSpec) is not (protocol is not None):
            continue
        yields = yields_of(source, protocol)
        for test in _tests(comparison):
            problem = test_mismatch(test, comparison.metrics[0], yields)
            if problem is not None:
                where = _where(source, protocol)
                scope.report(
                    codes.TEST_NEEDS_OTHER_EVIDENCE,
                    f"{problem.reason}, which {where} does not give",
                    comparison.span,
                    help=problem.instead,
                )
                continue
            _judge_weights(scope, test, comparison.metrics[0], yields, comparison.span)
            declared = HYPOTHESIS_TESTS[test.name].declaration
            per_row = declared.evidence <= PER_ROW | {Evidence.COUNTS}
            if is_grouped(source, study.group) and per_row and not declared.clustered:
                refuse_grouped(scope, f"the test `{test.name}`", comparison.span)


def _judge_weights(
    scope: Scope, test: Method, metric: Method, yields: Yields, span: Span | None
) -> None:
    problem = weights_mismatch(test, metric, yields)
    if problem is not None:
        scope.report(codes.TEST_WITHOUT_WEIGHTS, problem.reason, span, help=problem.instead)
