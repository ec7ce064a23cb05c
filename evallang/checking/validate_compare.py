"""Comparisons judged (E2xx): tests against what protocols and data sets give them."""

from collections.abc import Sequence
from itertools import combinations

from msgspec.structs import replace

from evallang.checking.resolve_protocol import lacking
from evallang.checking.rules.study_facts import tests_of
from evallang.checking.scope import Scope
from evallang.checking.validate_require import (
    REFUSALS,
    report_ambiguous,
    report_apart,
    requirements,
)
from evallang.compatibility import is_grouped, own_metric, yields_of
from evallang.compatibility.hypothesis_tests import (
    fits_design,
    refusal,
    region_mismatch,
    test_over_data,
)
from evallang.data.dataset import DataSpec, PredictionsSpec, ScoresSpec
from evallang.diagnostics import Code, codes
from evallang.evidence import DATASET_SCORES
from evallang.hypotheses import is_joined, planned_of
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Design
from evallang.source import Span
from evallang.stats.corrections.correction import CORRECTIONS, default_correction
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import (
    ComparisonSpec,
    Method,
    Protocol,
    SourceSpec,
    Study,
    models_of,
    names_of,
)
from evallang.syntax import nodes as n

NO_TEST_OF_SEEDS = (
    "remove this line: means and the spread over seeds are reported; a test needs scores of folds "
    "(`fold COLUMN`) or data sets (`dataset COLUMN`)"
)


def settle(scope: Scope, study: Study) -> Study:
    """Return each comparison its protocol, plan implied ones, refuse what cannot be tested."""
    implied: list[Protocol] = []
    settled: list[ComparisonSpec] = []
    for comparison in study.comparisons:
        if not _models_meet(scope, study, comparison):
            continue
        if comparison.across and not _judge_across(scope, study, comparison):
            continue
        _judge_family(scope, study, comparison)
        if not any(isinstance(source, DataSpec) for source in _sources(study, comparison)):
            if _judge_tests(scope, study, comparison, None):
                settled.append(comparison)
            continue
        protocol = _implied(study, comparison, implied)
        if protocol is None:
            protocol = _own_protocol(scope, study, comparison)
        if protocol is None:
            continue
        if _judge_tests(scope, study, comparison, protocol):
            settled.append(replace(comparison, protocol=protocol.name))
    return replace(
        study,
        comparisons=tuple(settled),
        requirements=requirements(scope, study),
        protocols=(*study.protocols, *implied),
    )


def _sources(study: Study, comparison: ComparisonSpec) -> Sequence[SourceSpec]:
    """Return the sources that a line is tested on; all where none has its models."""
    tested = {source for planned in planned_of(study, comparison) for source in planned.sources}
    return [source for source in study.sources if source.name in tested] or study.sources


def _models_meet(scope: Scope, study: Study, comparison: ComparisonSpec) -> bool:
    """Report lines whose models no source has together; a source that a file decides may."""
    for source in study.sources:
        models = study.models if isinstance(source, DataSpec) else source.models
        names = names_of(models)
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
    if message is None and len(study.sources) == 1 and not _holds_several(study.sources[0]):
        message = f"`{comparison.test.name}` needs {DATASET_SCORES.noun}, and the study "
        message += "has one"
        help_ = f"remove `across data`, or {DATASET_SCORES.write}"
    if message is not None:
        scope.report(codes.test_needs_other_evidence, message, comparison.span, help=help_)
    return message is None


def _holds_several(source: SourceSpec) -> bool:
    """Return whether one statement may give several data sets."""
    if isinstance(source, DataSpec):
        return source.kind == "glob"
    return isinstance(source, PredictionsSpec | ScoresSpec) and source.dataset is not None


def _judge_family(scope: Scope, study: Study, comparison: ComparisonSpec) -> None:
    """Report corrections whose family of pairs is not that of the line."""
    single = comparison.post_hoc or comparison.test
    if HYPOTHESIS_TESTS[single.name].declaration.against_reference and comparison.against is None:
        scope.report(
            codes.family_of_another_shape,
            f"`{single.name}` compares every model with one reference, and none is named",
            comparison.span,
            help=f"write `against MODEL`, or `{_test_of_all_ranks()}` for all pairs",
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
    several = not comparison.across and any(_holds_several(source) for source in study.sources)
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


def _test_of_all_ranks() -> str:
    """Return the test of mean ranks that compares all pairs."""
    return next(
        entry.name
        for entry in HYPOTHESIS_TESTS
        if entry.declaration.by_mean_ranks and not entry.declaration.against_reference
    )


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
        scope.report(
            codes.family_of_another_shape,
            f"`{single.name}` controls the family of its own line alone, and {together}",
            comparison.span,
            help=f"write `{instead}` instead, or end the line in `exploratory`"
            if instead
            else "end the line in `exploratory`",
        )
    elif comparison.correction is not None and comparison.correction.name != default_correction():
        scope.report(
            codes.family_of_another_shape,
            f"`{comparison.correction.written}` is for this line alone, and {together}",
            comparison.span,
            help=f"remove `{comparison.correction.written}`, or end the line in `exploratory`",
        )


def _judge_tests(
    scope: Scope, study: Study, comparison: ComparisonSpec, protocol: Protocol | None
) -> bool:
    """Judge the tests of a line on each source; the first that cannot be run is reported."""
    for source in () if comparison.across else _sources(study, comparison):
        if isinstance(source, DataSpec) is not (protocol is not None):
            continue
        for test in tests_of(comparison):
            own = own_metric(source)
            for metric in comparison.metrics if own is None else (own,):
                if not _can_run(scope, study, test, metric, source, protocol, comparison.span):
                    return False
    for test in tests_of(comparison):
        for metric in comparison.metrics:
            if (problem := region_mismatch(test, metric)) is not None:
                scope.report(
                    codes.missing_option,
                    problem.reason,
                    comparison.span,
                    help=problem.instead,
                )
                return False
    return True


def _can_run(
    scope: Scope,
    study: Study,
    test: Method,
    metric: Method,
    source: SourceSpec,
    protocol: Protocol | None,
    span: Span | None,
) -> bool:
    """Return whether a source gives a test what it needs; reports the first thing it lacks."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    yields = yields_of(source, protocol)
    found = refusal(test, metric, yields, is_grouped(source, study.group))
    of_scores = isinstance(source, ScoresSpec)
    if isinstance(source, ScoresSpec):
        if source.fold and source.repeat and declared.designs == {Design.FIVE_BY_TWO}:
            return True  # five repeats of two folds are seen once the table is read
        if found is None:
            return _size_is_known(scope, test, source, span)
    if found is None:
        return True
    reason, suggestion = found.mismatch.reason, found.mismatch.instead
    if found.need == "evidence":
        if found.mismatch.lacking or of_scores:
            reason += lacking(source, protocol)
        if isinstance(source, ScoresSpec):
            suggestion = _other_scores(source) or suggestion
        over_data = declared.rests_only_on("data set") or (
            of_scores and declared.rests_on("data set")
        )
        if over_data and (len(study.sources) > 1 or _holds_several(source)):
            suggestion = "write `across data` in this line"
    code = codes.test_needs_other_evidence if of_scores else REFUSALS[found.need]
    scope.report(code, reason, span, help=suggestion)
    return False


def _size_is_known(scope: Scope, test: Method, source: ScoresSpec, span: Span | None) -> bool:
    """Return whether a test that needs the share of tested rows finds it; report where not."""
    ratio = any(option.name == "test_train_ratio" for option in HYPOTHESIS_TESTS[test.name].options)
    stated = source.shared_training is not None or "test_train_ratio" in test.keywords()
    if source.fold is not None or not ratio or stated:
        return True
    scope.report(
        codes.test_needs_other_evidence,
        f"`{test.name}` needs to know how large the test parts are, and `{source.name}` has "
        "repeats without folds",
        span,
        help=f"write `folds of holdout(test=1/3)` for random splits of one third under `scores "
        f"{source.name}`, or name the folds: `fold COLUMN`; runs with other seeds are named by "
        "`seed COLUMN`",
    )
    return False


def _other_scores(source: ScoresSpec) -> str | None:
    """Return which columns of scores a test needs, None where the folds are named."""
    if source.over_seeds:
        return NO_TEST_OF_SEEDS
    if source.fold is None and source.dataset is not None:
        return (
            "write `across data` in this line and a test over data sets, or name the column of the "
            "folds: `fold COLUMN`"
        )
    if source.fold is None:
        return (
            "name the column of the folds by `fold COLUMN`, or of the data sets by `dataset "
            "COLUMN`; for seeds, whose mean and spread are reported without a test, write `seed "
            "COLUMN`"
        )
    if source.shared_training is None:
        return (
            f"write `folds of cv` under `scores {source.name}` if `{source.fold}` numbers the "
            "folds of one cross-validation"
        )
    return None
