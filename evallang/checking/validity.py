"""What cannot be computed, or means nothing (E2xx): requirements of tests, intervals and searches.

Members declare what they require. One evaluator asks a study as it is written and once more
when its data are read, with the classes and the assigned folds that were found.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from evallang.checking.rules.study_facts import (
    NONE_FOUND,
    evidence_of,
    is_tuned,
    protocol_prefix,
    settings,
)
from evallang.checking.scope import Scope, refusal
from evallang.compatibility import (
    are_paired,
    is_assigned,
    is_grouped,
    is_mean_of_rows,
    is_smooth,
    is_weighted,
    metric_entry,
    own_metric,
    spoken,
    with_fixed_runs,
    yields_of,
)
from evallang.compatibility.hypothesis_tests import (
    reads_order,
    tests_of,
    tests_of_averages,
    unmet_by_test,
)
from evallang.compatibility.intervals import (
    Unmet,
    alternatives,
    default_interval,
    implied_options,
    unmet_by_interval,
)
from evallang.data.dataset import EPOCH, DataSpec, PredictionsSpec, ScoresSpec, ScoreTable
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.evidence import DATASET_SCORES, LOSSES_PER_ROW
from evallang.protocols.protocol import PROTOCOLS, Yields, written
from evallang.registry import Design
from evallang.results.written import statement_of
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS, default_test
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import (
    ComparisonSpec,
    Measure,
    Method,
    Protocol,
    RequirementSpec,
    SourceSpec,
    Study,
    Tuning,
    own_metrics_of,
)
from evallang.syntax import nodes as n

NOT_READ: Mapping[str, int] = {}


def unmet_intervals(
    study: Study,
    found: Mapping[str, Yields] = NONE_FOUND,
    classes: Mapping[str, int] = NOT_READ,
) -> Iterator[Diagnostic]:
    """Find the written intervals that do not go with their metric, the evidence or the groups."""
    for source, protocol, yields in settings(study, found):
        grouped, own = is_grouped(source, study.group), own_metric(source)
        for measure in study.measures:
            about = measure.metric == own if own is not None else measure.metric.better is None
            if measure.interval is None or not about:
                continue
            k = classes.get(source.name)
            unmet, *others = (
                unmet_by_interval(measure.interval, measure.metric, one, grouped, k)
                for one in (yields, *_with_epochs(source, found))
            )
            if unmet is not None and None not in others:
                reason = unmet.reason + (lacking(source, protocol) if unmet.lacking else "")
                place = measure.interval_span or measure.span
                yield diagnose(unmet.code, reason, place, help=unmet.instead)


def unmet_tests(
    study: Study,
    line: ComparisonSpec,
    found: Mapping[str, Yields] = NONE_FOUND,
    classes: Mapping[str, int] = NOT_READ,
) -> Iterator[Diagnostic]:
    """Find the tests of a line that need another metric, other evidence or fewer classes."""
    for source, protocol, yields in () if line.over_data else evidence_of(study, line):
        own, of_scores = own_metric(source), isinstance(source, ScoresSpec)
        if protocol is None or is_assigned(protocol):
            yields = found.get(source.name, yields)
        for test in tests_of(line):
            declared = HYPOTHESIS_TESTS[test.name].declaration
            five_by_two = of_scores and declared.designs == {Design.FIVE_BY_TWO}
            if five_by_two and yields.design is Design.REPEATED and source.name not in found:
                continue  # five repeats of two folds are seen once the table is read
            for metric in line.metrics if own is None else (own,):
                grouped, k = is_grouped(source, study.group), classes.get(source.name)
                unmet, *others = (
                    unmet_by_test(test, metric, one, grouped, k) or _unknown_sizes(test, source)
                    for one in (yields, *_with_epochs(source, found))
                )
                if unmet is None or None in others:
                    continue
                code, reason, suggestion = unmet.code, unmet.reason, unmet.instead
                if code is codes.test_needs_other_evidence:
                    if unmet.lacking or of_scores:
                        reason += lacking(source, protocol)
                    if isinstance(source, ScoresSpec):
                        suggestion = _other_scores(source) or suggestion
                    over_data = declared.rests_only_on("data set") or (
                        of_scores and declared.rests_on("data set")
                    )
                    if over_data and (len(study.sources) > 1 or holds_several(source)):
                        suggestion = "write `across data` in this line"
                if protocol is None and line.protocol is not None:  # it compares fitted models too
                    suggestion = f"rename the models of `{source.name}`, or {suggestion}"
                code = codes.test_needs_other_evidence if of_scores else code
                yield diagnose(code, reason, line.span, help=suggestion)


def _with_epochs(source: SourceSpec, found: Mapping[str, Yields]) -> Iterator[Yields]:
    """Yield what logs that were not read yet give where a sample has several epochs."""
    if isinstance(source, PredictionsSpec) and source.epochs_open and source.name not in found:
        yield yields_of(replace(source, repeat=EPOCH), None)


def unmet_averages(
    study: Study,
    line: Measure | ComparisonSpec | RequirementSpec,
    found: Mapping[str, Yields] = NONE_FOUND,
) -> Iterator[Diagnostic]:
    """Find what keeps a line from averaging over data sets."""
    within = None if isinstance(line, ComparisonSpec) else line.within
    metrics = line.metrics if isinstance(line, ComparisonSpec) else (line.metric,)
    tests = tests_of(line) if isinstance(line, ComparisonSpec) else ()
    if isinstance(line, RequirementSpec) and line.test is not None:
        tests = (line.test,)
    over = line.averaged
    if within:
        yield refusal("average_of_levels", line.span, over=over)
    for test in tests:
        if not HYPOTHESIS_TESTS[test.name].declaration.averaged or reads_order(test):
            usual = [f"`with {name}`" for name in tests_of_averages()[:2]]
            yield refusal(
                "test_of_no_average", line.span, test=test, usual=alternatives(usual), over=over
            )
    protocols = None if isinstance(line, Measure) else line.protocol
    for metric in metrics:
        here = []
        for source, protocol, yields in settings(study, found):
            own = own_metric(source)
            about = metric == own if own is not None else metric.better is None
            if about and (protocol is None or protocols in (None, protocol.name)):
                here.append((source, protocol, yields))
        if not here:
            yield refusal("average_of_nothing", line.span, metric=metric)
        names = {source.name for source, _, _ in here}
        several = len(names) > 1 or (here and _may_hold_several(here[0][0]))
        if here and not several:
            yield refusal("average_of_one", line.span, write=DATASET_SCORES.write, over=over)
        if here and not is_mean_of_rows(metric_entry(metric)):
            swapped = [one for one in tests if "swapper" in HYPOTHESIS_TESTS[one.name].inputs]
            if not is_smooth(metric):
                yield refusal("average_of_rough", line.span, metric=metric, over=over)
            elif over == "rows":
                yield refusal("average_of_no_mean", line.span, metric=metric)
            elif swapped:
                yield refusal(
                    "swapped_average",
                    line.span,
                    test=swapped[0],
                    metric=metric,
                    instead=default_test("losses"),
                    over=over,
                )
        for source, protocol, yields in here:
            name = source.name
            if LOSSES_PER_ROW not in yields.evidence or not are_paired(yields):
                if yields.crossed:
                    instead = with_fixed_runs(yields)
                    yield refusal("average_of_runs", line.span, name=name, instead=instead)
                    continue
                end = lacking(source, protocol)
                yield refusal("average_without_rows", line.span, lacking=end, over=over)
            elif yields.weighted:
                yield refusal("average_of_weighted", line.span, name=name, over=over)
            elif yields.neighbours:
                yield refusal("average_of_series", line.span, name=name, over=over)


def _may_hold_several(source: SourceSpec) -> bool:
    """Return whether a source is a statement of several data sets that are not read yet."""
    return holds_several(source) and statement_of(source.name) == source.name


def lacking(source: SourceSpec, protocol: Protocol | None) -> str:
    """End the sentence that something needs what a protocol or source does not give."""
    if protocol is None:
        return f", which `{source.name}` does not give"
    if PROTOCOLS[protocol.kind].declaration.tests_on_training_rows(protocol.options):
        return f", and `protocol {spoken(protocol)}` predicts rows that the models were fitted on"
    seeds = f" seeds={protocol.seeds}" if protocol.seeds > 1 else ""
    return f", which `protocol {spoken(protocol)}{seeds}` does not give"


def holds_several(source: SourceSpec) -> bool:
    """Return whether one statement may give several data sets."""
    if isinstance(source, DataSpec):
        return source.kind == "glob"
    return isinstance(source, PredictionsSpec | ScoresSpec) and source.dataset is not None


def _unknown_sizes(test: Method, source: SourceSpec) -> Unmet | None:
    """Refuse a test that needs the share of tested rows on repeats without folds."""
    needed = HYPOTHESIS_TESTS[test.name].option("test_train_ratio") is not None
    if not isinstance(source, ScoresSpec) or source.fold is not None or not needed:
        return None
    if source.shared_training is not None or "test_train_ratio" in test.keywords():
        return None
    return Unmet(
        codes.test_train_ratio_unknown,
        f"`{test.name}` needs to know how large the test parts are, and `{source.name}` has "
        "repeats without folds",
        f"write `folds of holdout(test=1/3)` for random splits of one third under `scores "
        f"{source.name}`, or name the folds: `fold COLUMN`; runs with other seeds are named by "
        "`seed COLUMN`",
    )


def _other_scores(source: ScoresSpec) -> str | None:
    """Return which columns of scores a test needs, None where the folds are named."""
    if source.over_seeds:
        return (
            "remove this line: means and the spread over seeds are reported; a test needs scores "
            "of folds (`fold COLUMN`) or data sets (`dataset COLUMN`)"
        )
    if source.fold is None:
        of_sets = "write `across data` and a test over data sets"
        if source.dataset is None:
            of_sets = "that of the data sets by `dataset COLUMN` for a test `across data`"
        folds = f"name the column of the folds by `fold COLUMN`, or {of_sets}"
        return f"{folds}; runs with other seeds are named by `seed COLUMN`"
    if source.shared_training is None:
        return (
            f"write `folds of cv` under `scores {source.name}` if `{source.fold}` numbers the "
            "folds of one cross-validation"
        )
    return None


def regions(study: Study, table: ScoreTable | None = None) -> Iterator[Diagnostic]:
    """Find tests without a region of equivalence that has no default.

    It is for values from 0 to 1; the range of values measured elsewhere is seen in their table.
    """
    for line in study.comparisons:
        for metric in line.metrics:
            if table is None and metric.better is None:
                declared = metric_entry(metric).declaration
                ends = [declared.low, declared.high]
            elif table is not None and metric == own_metric(table.spec):
                read = table.values[table.values == table.values]
                ends = [float(read.min()), float(read.max())] if len(read) else [0.0, 1.0]
            else:
                continue
            for test in () if all(e is not None and 0 <= e <= 1 for e in ends) else tests_of(line):
                entry = HYPOTHESIS_TESTS[test.name]
                asked = entry.declaration.bayesian and entry.option("rope") is not None
                if asked and test.keywords().get("rope") is None:
                    yield refusal("no_region", line.span, test=test, metric=metric)


def judge_weights(scope: Scope, study: Study) -> None:
    """Report own metrics of examples with weights, which a function of two arrays cannot heed."""
    weighted = [source.name for source in study.sources if is_weighted(source)]
    spans: dict[str, Span | None] = {}
    for metric, span in own_metrics_of(study) if weighted else ():
        spans.setdefault(metric.name, span)
    for name, span in spans.items():
        scope.refuse("own_metric_of_weighted", span, name=name, weighted=weighted)


def judge_folds(scope: Scope, study: Study) -> None:
    """Report rankings on folds of one row, and protocols over groups without groups."""
    for protocol in study.protocols:
        declared = PROTOCOLS[protocol.kind].declaration
        tables = [s for s in study.sources if isinstance(s, DataSpec)]
        ungrouped = [source for source in tables if not is_grouped(source, study.group)]
        grouped = len(ungrouped) < len(tables)
        if declared.yields(protocol.options).grouped and ungrouped:
            scope.refuse(
                "ungrouped_protocol", protocol.span, protocol=protocol, ungrouped=ungrouped
            )
        if grouped and declared.cuts_groups(protocol.options):
            scope.refuse(
                "cuts_groups",
                protocol.span,
                protocol=protocol,
                prefix=protocol_prefix(study, protocol),
            )
        if declared.test_rows(protocol.options) != 1:
            continue
        said: set[Method] = set()
        for metric, span in metrics_on(study, protocol):
            ranks = metric_entry(metric).declaration.form == "scores" and not metric.code
            if ranks and metric not in said:
                said.add(metric)
                scope.refuse(
                    "one_row_folds",
                    span,
                    metric=metric,
                    written=written(protocol.kind, protocol.options),
                    prefix=protocol_prefix(study, protocol),
                )


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


def implied_by_intervals(scope: Scope, study: Study) -> Iterator[Protocol]:
    """Plan the fits that intervals need in addition to those of the study's own protocols."""
    made: dict[tuple[str, str, str], Protocol] = {}
    for source, protocol, yields in settings(study):
        for measure in study.measures if protocol is not None and yields.redrawn else ():
            interval = measure.interval
            if protocol is None or interval is None:
                continue
            kind = INTERVALS[interval.name].declaration.implied
            grouped = is_grouped(source, study.group)
            if not kind or unmet_by_interval(interval, measure.metric, yields, grouped):
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
    tuned = next((model for model in study.models if is_tuned(model)), None)
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


def judge_search(scope: Scope, study: Study) -> None:
    """A search space needs a stage to choose in, and a stage a search space."""
    tuned = [model for model in study.models if is_tuned(model)]
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
        scope.refuse("nothing_to_search", tuning.span)


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
