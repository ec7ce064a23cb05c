"""`compare` and `require` lines judged (E2xx): models, families, protocols, what decides them."""

from collections.abc import Sequence
from itertools import chain, combinations

from msgspec.structs import replace

from evallang.checking.rules.study_facts import gate_of
from evallang.checking.scope import Scope
from evallang.checking.validity import holds_several, regions, settings, unmet_tests
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
from evallang.diagnostics import Code, Related, codes
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
        _judge_family(scope, study, comparison)
        tested = {name for one in planned_of(study, comparison) for name in one.sources}
        if any(isinstance(s, DataSpec) for s in study.sources if not tested or s.name in tested):
            protocol = _implied(study, comparison, implied)
            if protocol is None:
                protocol = _own_protocol(scope, study, comparison)
            if protocol is None:
                continue
            comparison = replace(comparison, protocol=protocol.name)
        here = replace(study, protocols=(*study.protocols, *implied), comparisons=(comparison,))
        unmet = next(chain(unmet_tests(here, comparison), regions(here)), None)
        if unmet is None:
            settled.append(comparison)
        else:
            scope.diagnostics.append(unmet)
    return replace(
        study,
        comparisons=tuple(settled),
        requirements=requirements(scope, study),
        protocols=(*study.protocols, *implied),
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
    if len(protocols) > 1 and all(node.name for node in scope.of(n.ProtocolNode)):
        report_ambiguous(scope, fitting or protocols, comparison.span)
    return None


def _judge_across(scope: Scope, study: Study, comparison: ComparisonSpec) -> bool:
    """Report tests across data sets without one score per model on several data sets."""
    message = None
    for test in tests_of(comparison):
        declared = HYPOTHESIS_TESTS[test.name].declaration
        if not declared.rests_on("data set"):
            what = "is about one model" if declared.models == (1, 1) else "compares models"
            message = f"`{test.name}` {what} on one data set, not across data sets"
            help_ = f"write `with {test_over_data()}`, or remove `across data`"
            if declared.models == (1, 1):
                help_ = "remove `across data`: the model is tested on each data set"
    if message is None and len(study.sources) == 1 and not holds_several(study.sources[0]):
        message = f"`{comparison.test.name}` needs {DATASET_SCORES.noun}, and the study "
        message += "has one"
        help_ = f"remove `across data`, or {DATASET_SCORES.write}"
    if message is not None:
        scope.report(codes.test_needs_other_evidence, message, comparison.span, help=help_)
    return message is None


def _judge_family(scope: Scope, study: Study, comparison: ComparisonSpec) -> None:
    """Report corrections whose family of pairs is not that of the line."""
    single = comparison.post_hoc or comparison.test
    if HYPOTHESIS_TESTS[single.name].declaration.against_reference and comparison.against is None:
        scope.refuse(
            "no_reference",
            comparison.span,
            single=single,
            ranks=(
                next(
                    entry.name
                    for entry in HYPOTHESIS_TESTS
                    if entry.declaration.by_mean_ranks and (not entry.declaration.against_reference)
                )
            ),
        )
    if is_joined(study.families, comparison):
        _judge_joined(scope, comparison)
    elif comparison.correction is not None:
        name = comparison.correction.name
        found = _wrong_family(study, comparison, name, single)
        if found is not None:
            code, message = found
            scope.report(code, f"`{name}` {message}", comparison.span, help="write `holm`")


def _wrong_family(
    study: Study, comparison: ComparisonSpec, name: str, single: Method
) -> tuple[Code, str] | None:
    """Return why a correction of more than p-values does not suit the pairs of a line."""
    code, entry = codes.family_of_another_shape, CORRECTIONS[name]
    inputs, declared = entry.inputs, entry.declaration
    planned = planned_of(study, comparison)
    models = max((len(one.models) for one in planned), default=0)
    several = not comparison.across and any(holds_several(source) for source in study.sources)
    if inputs == ("p",):
        return None
    if several or len(planned) > 1:
        makes = "one for each data set" if several else f"{len(planned)} of them"
        return code, f"corrects the pairs of one table of scores, and this line makes {makes}"
    if "resampled" in inputs:
        if HYPOTHESIS_TESTS[single.name].declaration.jointly:
            return None
        return code, f"resamples all pairs together, which is not done for `{single.name}`"
    if declared.of_test not in ("", single.name):
        return code, f"permutes which models are right, which is for `{declared.of_test}`"
    if "correct" in inputs:
        if dict(single.options).get("alternative", "two_sided") != "two_sided":
            return code, "corrects two-sided tests, and this one has a side"
        if any(is_grouped(source, study.group) for source in study.sources):
            return codes.no_form_for_groups, "counts rows, and here groups of rows are the unit"
    elif not _tests_all_pairs(comparison):
        return code, "uses that all pairs are compared, and here they are not"
    if declared.most_models is not None and models > declared.most_models:
        return code, f"takes the pairs of at most {declared.most_models} models, here are {models}"
    return None


def _tests_all_pairs(comparison: ComparisonSpec) -> bool:
    if comparison.singly:
        return False
    if comparison.against is not None or not comparison.pairs:
        return comparison.against is None
    planned = {frozenset(pair) for pair in comparison.pairs}
    return len(planned) == len(list(combinations(comparison.models, 2)))


def _judge_joined(scope: Scope, comparison: ComparisonSpec) -> None:
    """A line of the one family of a study has neither a correction nor a family of its own."""
    single = comparison.post_hoc or comparison.test
    together = "`families together` makes all lines one family under Holm's correction"
    declared = HYPOTHESIS_TESTS[single.name].declaration
    if declared.self_correcting:
        instead = declared.instead
        scope.refuse(
            "own_family_beside_joint",
            comparison.span,
            help=f"write `{instead}` instead, or end the line in `exploratory`"
            if instead
            else None,
            single=single,
            together=together,
        )
    elif comparison.correction is not None and comparison.correction.name != default_correction():
        scope.refuse(
            "correction_beside_joint", comparison.span, comparison=comparison, together=together
        )


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


def _judge(scope: Scope, study: Study, line: RequirementSpec) -> None:
    """Report the first thing that keeps a line from being decided on any source."""
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
