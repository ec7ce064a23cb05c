"""Comparisons judged (E2xx): tests against what protocols and data sets give them."""

import math
from collections.abc import Sequence
from itertools import combinations

from msgspec.structs import replace

from evallang.checking import codes
from evallang.checking.pair_tests import test_over_data
from evallang.checking.resolve_protocol import lacking
from evallang.checking.scope import Scope
from evallang.checking.validate_require import (
    REFUSALS,
    report_ambiguous,
    report_apart,
    requirements,
)
from evallang.compatibility import is_grouped, own_metric, yields_of, yields_under
from evallang.compatibility.hypothesis_tests import (
    fits_design,
    metric_mismatch,
    nearest_test,
    refusal,
    region_mismatch,
)
from evallang.compatibility.mismatches import NOUNS, Mismatch
from evallang.data.dataset import DataSpec, PredictionsSpec, ScoresSpec
from evallang.hypotheses import is_joined, planned_of
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Design, Evidence
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
    "(`fold COLUMN`) or data sets (`dataset COLUMN`), or a `predictions` statement with the "
    "answers to each example"
)


def settle(scope: Scope, study: Study) -> Study:
    """Return each comparison its protocol, plan implied ones, refuse what cannot be tested."""
    implied: list[Protocol] = []
    settled: list[ComparisonSpec] = []
    for comparison in study.comparisons:
        if not _metrics_fit(scope, study, comparison) or not _models_meet(scope, study, comparison):
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


def _tests(comparison: ComparisonSpec) -> tuple[Method, ...]:
    post_hoc = (comparison.post_hoc,) if comparison.post_hoc else ()
    return (comparison.test, *post_hoc)


def _metrics_fit(scope: Scope, study: Study, comparison: ComparisonSpec) -> bool:
    first = HYPOTHESIS_TESTS[comparison.test.name].declaration
    if comparison.across or first.evidence == {Evidence.DATASET_SCORES}:
        return True  # one score of each data set is all that such a test reads
    yields = yields_under(study, comparison)
    grouped = any(is_grouped(source, study.group) for source in study.sources)
    for test in _tests(comparison):
        for metric in comparison.metrics:
            problem = metric_mismatch(test, metric, yields, grouped)
            if problem is not None:
                scope.report(
                    codes.TEST_OF_ANOTHER_METRIC,
                    problem.reason,
                    comparison.span,
                    help=problem.instead.words,
                )
                return False
    return True


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
    for test in _tests(comparison):
        declared = HYPOTHESIS_TESTS[test.name].declaration
        if Evidence.DATASET_SCORES not in declared.evidence:
            of_one = declared.models == (1, 1)
            what = "is about one model" if of_one else "compares models"
            scope.report(
                codes.TEST_NEEDS_OTHER_EVIDENCE,
                f"`{test.name}` {what} on one data set, not across data sets",
                comparison.span,
                help=f"write `compare MODEL with {test.written}`, which tests it on each data set"
                if of_one
                else f"write `with {_test_over_data(study, comparison)}`, or remove `across data`",
            )
            return False
    one = len(study.sources) == 1 and not _holds_several(study.sources[0])
    if one:
        scope.report(
            codes.TEST_NEEDS_OTHER_EVIDENCE,
            f"`{comparison.test.name}` needs {NOUNS[Evidence.DATASET_SCORES]}, and the study has "
            "one",
            comparison.span,
            help=_further_data(study, comparison)
            if isinstance(study.sources[0], DataSpec)
            else _form_on_one_table(study.sources[0]),
        )
    return not one


def _test_over_data(study: Study, comparison: ComparisonSpec) -> str:
    """Return how the models of a line are tested over data sets: a pair, or several at once."""
    fitted = any(isinstance(source, DataSpec) for source in study.sources)
    given = {m.name: m for s in study.sources if not isinstance(s, DataSpec) for m in s.models}
    several = len(models_of(comparison, names_of(study.models) if fitted else [*given])) > 2
    for entry in HYPOTHESIS_TESTS if several else ():
        declared = entry.declaration
        if declared.across_data and declared.followed_by:
            return f"{entry.name} then {declared.followed_by[0]}"
    return test_over_data()


def _form_on_one_table(source: SourceSpec) -> str:
    """State what compares models on one table, whose folds and seeds are not data sets."""
    if isinstance(source, ScoresSpec) and (source.fold or source.repeat):
        return (
            "remove `across data` and write `with corrected_t`, which takes these folds"
            if source.shared_training or (source.fold and source.repeat)
            else "remove `across data` and write `with corrected_t`, and below `scores "
            f"{source.name}` what these folds are: `folds of cv` or `folds of holdout(test=1/3)`"
        )
    return (
        "remove `across data`; write `dataset COLUMN` only for a column of data sets, not of "
        "seeds or folds"
    )


def _further_data(study: Study, comparison: ComparisonSpec) -> str:
    """State how a line across data sets is kept, and what compares models on the one there is."""
    yields = yields_under(study, comparison)
    grouped = any(is_grouped(source, study.group) for source in study.sources)
    without = "remove `across data`"
    if yields is not None:
        test, metric = comparison.test, comparison.metrics[0]
        without += f" and {nearest_test(metric, yields, test, clustered=grouped).words}"
    return f"add a `data` statement for each further data set, or {without}"


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
            codes.FAMILY,
            f"`{single.name}` compares every model with one reference, and none is named",
            comparison.span,
            help=f"write `against MODEL`, or `{_test_of_all_ranks()}` for all pairs",
        )
    if is_joined(study.families, comparison):
        _judge_joined(scope, comparison)
        return
    if comparison.correction is None:
        return
    name = comparison.correction.name
    inputs = CORRECTIONS[name].inputs
    if inputs == ("p",):
        return
    several = not comparison.across and any(_holds_several(source) for source in study.sources)
    planned = planned_of(study, comparison)
    tables, models = len(planned), max((len(one.models) for one in planned), default=0)
    if several:
        scope.report(
            codes.FAMILY,
            f"`{name}` corrects the pairs of one table of scores, and this line makes one for "
            "each data set",
            comparison.span,
            help="write `holm`, or `across data`"
            if Evidence.DATASET_SCORES in HYPOTHESIS_TESTS[single.name].declaration.evidence
            else "write `holm`",
        )
    elif tables > 1:
        scope.report(
            codes.FAMILY,
            f"`{name}` corrects the pairs of one table of scores, and this line makes "
            f"{tables} of them",
            comparison.span,
            help="write `holm`, or a line for each metric and data set",
        )
    elif "resampled" in inputs:
        _judge_joint_resamples(scope, comparison, name, single)
    elif (of_test := CORRECTIONS[name].declaration.of_test) not in ("", single.name):
        scope.report(
            codes.FAMILY,
            f"`{name}` permutes which models are right, which is for `{of_test}`",
            comparison.span,
            help="write `holm`",
        )
    elif (
        "correct" in inputs and dict(single.options).get("alternative", "two_sided") != "two_sided"
    ):
        scope.report(
            codes.FAMILY,
            f"`{name}` corrects two-sided tests, and this one has a side",
            comparison.span,
            help="write `holm`",
        )
    elif "correct" in inputs and any(is_grouped(s, study.group) for s in study.sources):
        scope.report(
            codes.NO_FORM_FOR_GROUPS,
            f"`{name}` counts rows, and here groups of rows are the unit",
            comparison.span,
            help="write `holm`",
        )
    elif "correct" not in inputs and not _tests_all_pairs(comparison):
        suggestion = "write `holm`, or name the models with commas to compare all pairs"
        if comparison.singly:
            suggestion = "write `holm`"
        elif comparison.against is not None:
            suggestion = "write `holm`, which is the same here"
        scope.report(
            codes.FAMILY,
            f"`{name}` uses that all pairs are compared, and here they are not",
            comparison.span,
            help=suggestion,
        )
    elif models > (CORRECTIONS[name].declaration.most_models or math.inf):
        declared = CORRECTIONS[name]
        others = (e.name for e in CORRECTIONS if e.inputs == inputs and e.name != name)
        scope.report(
            codes.FAMILY,
            f"`{name}` takes the pairs of at most {declared.declaration.most_models} models, and "
            f"here are {models}",
            comparison.span,
            help=f"write `{next(others, default_correction())}`",
        )


def _judge_joint_resamples(
    scope: Scope, comparison: ComparisonSpec, name: str, single: Method
) -> None:
    """Report a correction from joint resamples of a test that is not resampled."""
    if HYPOTHESIS_TESTS[single.name].declaration.jointly:
        return
    resampled = [entry.name for entry in HYPOTHESIS_TESTS if entry.declaration.jointly]
    scope.report(
        codes.FAMILY,
        f"`{name}` resamples all pairs together, which is not done for `{single.name}`",
        comparison.span,
        help=f"write `holm`, or another test: {', '.join(resampled)}",
    )


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
            codes.FAMILY,
            f"`{single.name}` controls the family of its own line alone, and {together}",
            comparison.span,
            help=f"write `{instead}` instead, or end the line in `exploratory`"
            if instead
            else "end the line in `exploratory`",
        )
    elif comparison.correction is not None and comparison.correction.name != default_correction():
        scope.report(
            codes.FAMILY,
            f"`{comparison.correction.written}` is for this line alone, and {together}",
            comparison.span,
            help=f"remove `{comparison.correction.written}`, or end the line in `exploratory`",
        )


def _judge_tests(
    scope: Scope, study: Study, comparison: ComparisonSpec, protocol: Protocol | None
) -> bool:
    """Judge the tests of a line on each source; the first that cannot be run is reported."""
    for test in _tests(comparison):
        for metric in comparison.metrics:
            if (problem := region_mismatch(test, metric)) is not None:
                scope.report(
                    codes.MISSING_OPTION,
                    problem.reason,
                    comparison.span,
                    help=problem.instead.words,
                )
                return False
    if comparison.across:
        return True
    for source in _sources(study, comparison):
        if isinstance(source, DataSpec) is not (protocol is not None):
            continue
        for test in _tests(comparison):
            own = own_metric(source)
            for metric in comparison.metrics if own is None else (own,):
                if not _can_run(scope, study, test, metric, source, protocol, comparison.span):
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
    yields = yields_of(source, protocol)
    grouped = is_grouped(source, study.group)
    found = refusal(test, metric, yields, grouped)
    if isinstance(source, ScoresSpec):
        return can_be_tested(scope, test, source, found.mismatch if found else None, span)
    if found is None:
        return True
    reason, suggestion = found.mismatch.reason, found.mismatch.instead.words
    if found.need == "evidence":
        if found.mismatch.kind.lacking:
            reason += lacking(source, protocol)
        over_data = HYPOTHESIS_TESTS[test.name].declaration.evidence == {Evidence.DATASET_SCORES}
        if over_data and (len(study.sources) > 1 or _holds_several(source)):
            suggestion = "write `across data` in this line"
    scope.report(REFUSALS[found.need], reason, span, help=suggestion)
    return False


# --- tables of scores --------------------------------------------------------------------------


def can_be_tested(
    scope: Scope, test: Method, source: ScoresSpec, problem: Mismatch | None, span: Span | None
) -> bool:
    """Return whether a table gives a test what it needs; reports what it lacks, in its words.

    `problem` is what the declarations say.
    """
    declared = HYPOTHESIS_TESTS[test.name].declaration
    folds = source.fold is not None
    if source.over_seeds and problem is not None and Evidence.FOLD_SCORES in declared.evidence:
        scope.report(
            codes.TEST_NEEDS_OTHER_EVIDENCE,
            f"`{test.name}` needs scores of several splits, and all seeds of `{source.name}` share "
            "their data: their spread shows how training varies, not how other data would differ",
            span,
            help=NO_TEST_OF_SEEDS,
        )
        return False
    if folds and source.repeat is not None and declared.designs == {Design.FIVE_BY_TWO}:
        return True  # five repeats of two folds are seen once the table is read
    if problem is None:
        ratio = "test_train_ratio" in {o.name for o in HYPOTHESIS_TESTS[test.name].options}
        stated = source.shared_training is not None or "test_train_ratio" in test.keywords()
        if not folds and ratio and not stated:
            scope.report(
                codes.TEST_NEEDS_OTHER_EVIDENCE,
                f"`{test.name}` needs to know how large the test parts are, and `{source.name}` "
                "has repeats without folds",
                span,
                help=f"write `folds of holdout(test=1/3)` for random splits of one third under "
                f"`scores {source.name}`, `{test.name}(test_train_ratio=1/2)` here, or name the "
                "folds: `fold COLUMN`; runs with other seeds are named by `seed COLUMN`",
            )
            return False
        return True
    if Evidence.DATASET_SCORES in declared.evidence and source.dataset is not None:
        suggestion = "write `across data` in this line"
    elif source.over_seeds:
        suggestion = NO_TEST_OF_SEEDS
    elif folds and source.shared_training is None and Design.KFOLD in declared.designs:
        suggestion = (
            f"write `folds of cv` under `scores {source.name}` if `{source.fold}` numbers the "
            f"folds of one cross-validation, or {problem.instead.words}"
        )
    elif folds:
        suggestion = problem.instead.words
    elif source.dataset is not None:
        suggestion = (
            "write `across data with wilcoxon`, or for more models `across data with friedman "
            "then nemenyi`; within a data set, tests need `fold COLUMN`"
        )
    else:
        suggestion = (
            "name the column of the folds by `fold COLUMN`, or of the data sets by "
            "`dataset COLUMN`; for seeds, whose mean and spread are reported without a test, "
            "write `seed COLUMN`"
        )
    scope.report(
        codes.TEST_NEEDS_OTHER_EVIDENCE,
        f"{problem.reason}, which `{source.name}` does not give",
        span,
        help=suggestion,
    )
    return False
