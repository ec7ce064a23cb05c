"""`compare` and `require` lines judged (E2xx): models, families, protocols, what decides them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from typing import Any

from msgspec.structs import replace

from evallang.checking.rules.study_facts import gate_of, pair_test, settings, test_of
from evallang.checking.scope import Scope
from evallang.checking.validity import holds_several, regions, unmet_averages, unmet_tests
from evallang.compatibility import (
    is_grouped,
    metric_entry,
    own_metric,
    spoken,
)
from evallang.compatibility.hypothesis_tests import (
    decidable_protocol,
    difference_form,
    fits_design,
    nearest_test,
    test_over_data,
    tests_of,
)
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import CountsSpec, DataSpec, ScoresSpec
from evallang.diagnostics import Related, codes
from evallang.evidence import DATASET_SCORES
from evallang.hypotheses import is_joined, planned_of
from evallang.metrics.metric import default_metric
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design
from evallang.source import Span
from evallang.spelling import listed
from evallang.stats.corrections.correction import CORRECTIONS, default_correction
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import (
    ComparisonSpec,
    Method,
    Protocol,
    RequirementSpec,
    Study,
    models_of,
    names_of,
)
from evallang.syntax import nodes as n


def settle(scope: Scope, study: Study) -> Study:
    """Return each line its protocol, plan implied ones, refuse what cannot be decided."""
    implied: list[Protocol] = []
    settled: list[ComparisonSpec] = []
    for comparison in study.comparisons:
        if not _models_meet(scope, study, comparison):
            continue
        if comparison.across and not _judge_across(scope, study, comparison):
            continue
        if comparison.averaged is not None and _refused_average(scope, study, comparison):
            continue
        _judge_family(scope, study, comparison)
        tested = {name for one in planned_of(study, comparison) for name in one.sources}
        if any(isinstance(s, DataSpec) for s in study.sources if not tested or s.name in tested):
            protocol = _protocol(scope, study, comparison, implied)
            if protocol is None:
                continue
            comparison = replace(comparison, protocol=protocol.name)
        here = replace(study, protocols=(*study.protocols, *implied), comparisons=(comparison,))
        unmet = next(chain(unmet_tests(here, comparison), regions(here)), None)
        if unmet is None:
            settled.append(comparison)
        else:
            scope.diagnostics.append(unmet)
    asked = {line.protocol for line in settled}
    return replace(
        study,
        comparisons=tuple(settled),
        requirements=requirements(scope, study),
        protocols=(*study.protocols, *(one for one in implied if one.name in asked)),
    )


def _models_meet(scope: Scope, study: Study, comparison: ComparisonSpec) -> bool:
    """Report lines whose models no source has together; a source that a file decides may."""
    for source in study.sources:
        names = study.model_names if isinstance(source, DataSpec) else names_of(source.models)
        unknown = not names and not isinstance(source, DataSpec)
        if unknown or names.known.issuperset(models_of(comparison, names)):
            return True
    if scope.broken or not study.sources:
        return False
    reference = () if comparison.against is None else (comparison.against,)
    report_apart(scope, study, (*comparison.models, *reference), comparison.span)
    return False


def _protocol(
    scope: Scope, study: Study, comparison: ComparisonSpec, implied: list[Protocol]
) -> Protocol | None:
    """Find the protocol of a line, or plan the resampling that its test brings along."""
    entry, protocols = HYPOTHESIS_TESTS[comparison.test.name], study.protocols
    if comparison.protocol is not None:
        return next(p for p in protocols if p.name == comparison.protocol)
    declared = ((p, PROTOCOLS[p.kind].declaration.yields(p.options)) for p in protocols)
    fitting = [protocol for protocol, yields in declared if fits_design(entry, yields)]
    brought = entry.declaration.implied
    if brought is not None and not fitting:
        kind, given = brought
        options = {**PROTOCOLS[kind].defaults(), **given}
        for protocol in implied:
            if protocol.kind == kind and dict(protocol.options) == options:
                return protocol
        name = kind if kind not in {p.name for p in protocols} else f"{kind}_implied"
        implied.append(Protocol(name, kind, options, implied_by=comparison.source))
        return implied[-1]
    if len(protocols) == 1:
        return protocols[0]
    if brought is not None and len(fitting) == 1:
        return fitting[0]
    if len(protocols) > 1 and all(node.name for node in scope.of(n.ProtocolNode)):
        report_ambiguous(scope, fitting or protocols, comparison.span)
    return None


def _judge_across(scope: Scope, study: Study, comparison: ComparisonSpec) -> bool:
    """Report tests across data sets without one score per model on several data sets."""
    before, span = len(scope.diagnostics), comparison.span
    others = [t for t in tests_of(comparison) if not test_of(t).rests_on("data set")]
    if others and test_of(others[-1]).models == (1, 1):
        scope.refuse("claim_across_data", span, test=others[-1])
    elif others:
        scope.refuse("test_across_data", span, test=others[-1], instead=test_over_data())
    elif len(study.sources) == 1 and not holds_several(study.sources[0]):
        noun, write = DATASET_SCORES.noun, DATASET_SCORES.write
        scope.refuse("one_data_set", span, test=comparison.test, noun=noun, write=write)
    return len(scope.diagnostics) == before


def _judge_family(scope: Scope, study: Study, comparison: ComparisonSpec) -> None:
    """Report corrections whose family of pairs is not that of the line."""
    single, correction, span = pair_test(comparison), comparison.correction, comparison.span
    declared = test_of(single)
    if declared.against_reference and comparison.against is None:
        by_ranks = (
            (e.name, e.declaration) for e in HYPOTHESIS_TESTS if e.declaration.by_mean_ranks
        )
        ranks = next(name for name, other in by_ranks if not other.against_reference)
        scope.refuse("no_reference", span, single=single, ranks=ranks)
    if not is_joined(study.families, comparison):
        if correction is not None:
            for key, facts in islice(_wrong_family(study, comparison, correction), 1):
                scope.refuse(key, span, name=correction.name, single=single, **facts)
    elif declared.self_correcting:
        fix = "end the line in `exploratory`"
        fix = f"write `{declared.instead}` instead, or {fix}" if declared.instead else fix
        scope.refuse("own_family_beside_joint", span, help=fix, single=single)
    elif correction is not None and correction.name != default_correction():
        scope.refuse("correction_beside_joint", span, correction=correction)


def _wrong_family(
    study: Study, comparison: ComparisonSpec, correction: Method
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Iterate over why a correction of more than p-values does not suit the pairs of a line."""
    entry, single = CORRECTIONS[correction.name], pair_test(comparison)
    inputs, declared = entry.inputs, entry.declaration
    planned = planned_of(study, comparison)
    models = max((len(one.models) for one in planned), default=0)
    several = not comparison.over_data and any(map(holds_several, study.sources))
    if inputs == ("p",):
        return
    if "resampled" in inputs:
        if len(comparison.metrics) > 1:
            yield "several_metrics", {}
        if not test_of(single).jointly:
            yield "not_resampled_jointly", {}
        return
    if several or len(planned) > 1:
        makes = "one for each data set" if several else f"{len(planned)} of them"
        yield "several_tables", {"makes": makes}
    if declared.of_test not in ("", single.name):
        yield "correction_of_another_test", {"other": declared.of_test}
    if "correct" in inputs:
        if single.keywords().get("alternative", "two_sided") != "two_sided":
            yield "correction_of_two_sides", {}
        if any(is_grouped(source, study.group) for source in study.sources):
            yield "correction_of_rows", {}
    else:
        pairs = {frozenset(pair) for pair in comparison.pairs}
        every = not pairs or len(pairs) == len(list(combinations(comparison.models, 2)))
        if comparison.singly or comparison.against is not None or not every:
            yield "correction_of_all_pairs", {}
    if declared.most_models is not None and models > declared.most_models:
        yield "too_many_models", {"most": declared.most_models, "models": models}


# --- require ------------------------------------------------------------------------------


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
    scope.refuse("which_protocol", span, ends=ends)


def report_apart(scope: Scope, study: Study, names: Sequence[str], span: Span | None) -> None:
    """Report a line whose models are of several data sets, and which of them has which."""
    if scope.lacks_models:
        return
    related = []
    for source in study.sources:
        models = study.model_names if isinstance(source, DataSpec) else names_of(source.models)
        there = [name for name in dict.fromkeys(names) if name in models]
        place = next(iter(source.places.values()), None)
        if there and place is not None:
            related.append(Related(place, f"`{source.name}` has {listed(there, 'and')}"))
    scope.refuse("models_apart", span, related=related)


def _makes_sense(scope: Scope, study: Study, line: RequirementSpec) -> bool:
    """Return whether a line is about two models that meet, and a column that can be."""
    if len(set(line.models)) < len(line.models):
        scope.refuse("compared_with_itself", line.span, name=line.models[0])
        return False
    if line.within is not None and all(isinstance(s, CountsSpec) for s in study.sources):
        scope.refuse("within_of_counts", line.span, line=line)
        return False
    for source in study.sources:
        names = study.model_names if isinstance(source, DataSpec) else names_of(source.models)
        in_file = not names and not isinstance(source, DataSpec)
        if in_file or names.known.issuperset(line.models):
            return True
    if scope.broken:
        return False  # the model that is missing may be one that could not be read
    report_apart(scope, study, line.models, line.span)
    return False


def _refused_average(scope: Scope, study: Study, line: ComparisonSpec | RequirementSpec) -> bool:
    """Report the first thing that keeps a line from averaging over data sets."""
    unmet = list(islice(unmet_averages(study, line), 1))
    scope.diagnostics += unmet
    return bool(unmet)


def _judge(scope: Scope, study: Study, line: RequirementSpec) -> None:
    """Report the first thing that keeps a line from being decided on any source."""
    if line.averaged is not None:
        if line.test is None or _two_model_test_fits(scope, line, line.test):
            _refused_average(scope, study, line)
        return
    if line.test is not None:
        if _two_model_test_fits(scope, line, line.test):
            scope.diagnostics += list(unmet_tests(study, gate_of(line, line.test)))[:1]
        return
    for source, protocol, yields in settings(study):
        own, grouped = own_metric(source), is_grouped(source, study.group)
        about = line.metric == own if own is not None else line.metric.better is None
        if not about or (protocol is not None and protocol.name != line.protocol):
            continue
        unknown_splits = isinstance(source, ScoresSpec) and source.fold is None
        if not unknown_splits and _has_interval(study, line, yields, protocol, grouped):
            continue
        where = spoken(protocol) if protocol else source.name
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
