"""What can be judged once the data are read: the design, the classes, the scores, the folds.

The same questions as in `validity`, asked again with the facts of the data.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.checking.given_models import judge_given_models, judge_scores_below_chance
from evallang.checking.metrics_fit import without_outputs
from evallang.checking.rare_classes import (
    judge_few_examples,
    judge_given_areas,
    judge_planned_areas,
)
from evallang.checking.resolve_thresholds import judge_read_thresholds
from evallang.checking.rules.equivalence_margins import judge_margins
from evallang.checking.rules.examples import Examples, count_examples, uncounted
from evallang.checking.rules.rule import Known, Stage, advise_later
from evallang.checking.rules.study_facts import (
    depends_on_positive,
    metrics_of,
    own_protocols,
    protocol_prefix,
    repeated_design,
    test_of,
    tested_lines,
    tests_of,
)
from evallang.checking.validate_analyze import judge_read_analyses
from evallang.checking.validity import interval_misfits, metrics_on
from evallang.compatibility import (
    is_auc,
    is_grouped,
    metric_entry,
    own_metric,
    spoken,
    yields_of,
    yields_over_seeds,
)
from evallang.compatibility.hypothesis_tests import difference_test, test_mismatch
from evallang.data.column_roles import MISSING_LEVEL
from evallang.data.dataset import (
    GivenOutcomes,
    PredictionsSpec,
    ScoresSpec,
    ScoreTable,
    Table,
)
from evallang.data.design_rules import (
    LEAST_IN_FOLD,
    BySize,
    Questions,
    check_design,
    check_given_design,
    check_given_split,
    check_one_class_folds,
    check_test_sizes,
)
from evallang.data.equal_rows import check_equal_scores, check_related
from evallang.data.findings import name_data_set
from evallang.data.labels import as_number
from evallang.data.prediction_columns import suggest_probabilities
from evallang.data.read_sources import ReadSources
from evallang.data.row_rules.row_rule import DrawnSplits, RowDesign, check_drawn
from evallang.data.table_rules import (
    check_copies,
    check_outcomes,
    check_replicates,
    check_table,
    check_tasks,
)
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.limits import CLASSES_APART, MEMORY, OverLimit
from evallang.metrics.metric import MetricEntry, weighs_by_size
from evallang.models.abilities import document_columns, steps_of_new_rows
from evallang.models.columns import branch_columns
from evallang.models.model import ColumnsSpec, is_baseline
from evallang.protocols.protocol import PROTOCOLS, Split, Yields
from evallang.registry import Design, Entry
from evallang.results.records import FEWEST
from evallang.results.written import statement_of
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS, default_of
from evallang.study import ComparisonSpec, Method, Protocol, Study, asked_metrics

MOST_LEVELS = 20  # of a column after `within`, which any column may have


def judge_read(
    study: Study,
    read: Study,
    sources: ReadSources,
) -> list[Diagnostic]:
    """Ask everything that needs the data: what they make impossible, and advice on them.

    `read` is the study with the data sets that were found as its sources.
    """
    tables, given = sources.tables, sources.imported
    asked = questions(study)
    used = _used(study)
    strata = study.stratification
    stratified = strata is not None and "target" in strata.columns
    drawn = any(PROTOCOLS[p.kind].declaration.division != "in_place" for p in study.protocols)
    replicates = check_replicates(given)
    found = [*check_tasks(tuple(tables.values())), *replicates]
    across = next((line for line in study.comparisons if line.across), None)
    if across is not None:
        found += check_related((*tables.values(), *(() if replicates else given)), span=across.span)
        for scores in sources.score_tables:
            found += check_equal_scores(scores, span=across.span)
    for table in tables.values():
        checked = check_table(
            table,
            folds=asked.folds,
            span=asked.fold_span,
            resampled=drawn,
            stratified=stratified,
            design=row_design(study, used(table)),
            documents=_documents(study, table),
        )
        checked = (*checked, *check_design(table, asked))
        found += name_data_set(checked, table.spec.name, table.spec.places, several=len(tables) > 1)
    examples = [count_examples(source) for source in given if source.examples is None]
    classes = {table.spec.name: len(table.classes) for table in tables.values()}
    classes |= {outcomes.spec.name: len(outcomes.classes) for outcomes in given}
    sizes = {name: n for name, n in classes.items() if n}
    known = Known(read, uncounted(read, examples), sizes, _assigned(study, tables), sources=sources)
    found += advise_later(Stage.DATA, study, known)
    for table in tables.values():
        for protocol in study.protocols:
            if table.split is not None:
                found += _split(study, protocol, table)
        found += judge_classes(study, len(table.classes), table.task)
        found += judge_options(study, len(table.classes), table.positive)
        found += judge_read_thresholds(study, table)
        margins = tuple(judge_margins(study, table))
        found += name_data_set(margins, table.spec.name, table.spec.places, several=len(tables) > 1)
        found += judge_read_analyses(study, table)
    for scores in sources.score_tables:
        found += judge_scores(study, scores)
        found += judge_scores_below_chance(scores)
    of_scores = {(t.spec.statement, name) for t in sources.score_tables for name in t.datasets}
    n = len(tables) + len(given) + len(of_scores)
    found += judge_number_of_data_sets(study, n)
    for every in sources.with_examples:
        found += judge_levels(every)
    for source in given:
        found += check_outcomes(source)
        found += judge_given_models(study, source)
        yields, grouped = yields_of(source.spec, None), source.group_codes is not None
        found += judge_few_examples(study, source.spec.name, source.n, yields, grouped)
        if isinstance(source.spec, PredictionsSpec):
            found += judge_percents(study, source.spec)
        if source.correct is None and source.values is None:
            found += judge_classes(study, len(source.classes), source.task)
            found += judge_options(study, len(source.classes), source.positive)
            found += judge_read_analyses(study, source)
            found += _judge_outputs(study, source)
            found += judge_given_areas(study, source)
            found += check_given_design(source, asked)
            found += _unequal_folds(study, source)
        margins = tuple(judge_margins(study, source))
        name, own = source.spec.name, source.spec.places
        found += name_data_set(margins, name, own, several=len(given) > 1)
    return list({(d.code, d.span, d.message): d for d in found}.values())


def row_design(study: Study, features: Collection[str] | None) -> RowDesign:
    """Gather what the rules about rows must know of a study, whose models get `features`."""
    own = own_protocols(study)
    mixed = next((protocol for protocol in own if _mixes(protocol)), None)
    return RowDesign(
        features,
        None if mixed is None else spoken(mixed),
        None if mixed is None else mixed.span,
        any(PROTOCOLS[p.kind].declaration.neighbours for p in own),
        "" if mixed is None else protocol_prefix(study, mixed),
    )


def _mixes(protocol: Protocol) -> bool:
    """Return whether training parts hold rows on both sides of a test row."""
    declared = PROTOCOLS[protocol.kind].declaration
    honest = not declared.tests_on_training_rows(protocol.options)
    return declared.division != "in_place" and honest


def _used(study: Study) -> Callable[[Table], Collection[str] | None]:
    """Return which features of a table models get; a baseline looks at none."""
    models = [model for model in study.fitted if not is_baseline(model)]

    def features(table: Table) -> Collection[str] | None:
        found: set[str] = set()
        for model in models:
            first = steps_of_new_rows(model.pipeline)[0]
            if not isinstance(first, ColumnsSpec):
                return None
            branches = branch_columns(first, table.columns)
            found |= {column.name for branch in branches for column in branch}
        return found if models else None

    return features


def _documents(study: Study, table: Table) -> Collection[str]:
    """Return the features of text that every model that gets features reads word by word."""
    models = [model for model in study.fitted if not is_baseline(model)]
    found = [document_columns(model.pipeline, table.columns) for model in models]
    return frozenset.intersection(*found) if found else frozenset()


def judge_planned(
    study: Study,
    read: Study,
    tables: Mapping[str, Table],
    layout: Mapping[tuple[str, str], Sequence[Split]],
) -> list[Diagnostic]:
    """Ask what needs the splits: test sets of a fold test, and how many examples are tested."""
    found: list[Diagnostic] = []
    for protocol in study.protocols:
        words, alone = spoken(protocol), protocol.implied_by is None
        declared = PROTOCOLS[protocol.kind].declaration
        given = declared.of_assignment is not None
        folds = _fold_method(study, protocol)
        for name, table in tables.items():
            splits = layout.get((name, protocol.name), ())
            if folds is not None:
                sizes = [len(split.test) for split in splits if split.fold >= 0]
                found += check_test_sizes(sizes, words, protocol.span, folds, given=given)
            if not alone or not splits:
                continue
            tested = np.zeros(table.n, dtype=bool)
            for split in splits:
                tested[split.test] = True
            n_tested = int(np.count_nonzero(tested))
            examples = uncounted(read, [Examples(name, n_tested, {})])
            known = Known(read, examples, protocol=protocol, splits=splits)
            found += advise_later(Stage.PLAN, study, known)
            found += _one_class(study, protocol, table, splits)
            found += judge_planned_areas(study, protocol, table, splits)
            examined = sum(len(split.test) for split in splits if split.fold >= 0)
            found += judge_few_examples(
                study,
                table.spec.name,
                examined,
                yields_of(table.spec, protocol),
                table.group_codes is not None,
                protocol.name,
            )
            honest = not declared.tests_on_training_rows(protocol.options)
            if declared.division == "in_place" and honest:  # which copies are cut is known
                found += check_copies(table, splits, words, protocol.span)
            if declared.division == "in_place" and honest:
                drawn = DrawnSplits(words, protocol.span, splits, declared.training)
                found += check_drawn(table, drawn)
            if given and len(splits) == 1:
                named = protocol_prefix(study, protocol)
                found += check_given_split(table, n_tested, words, protocol.span, named)
    return found


def _fold_method(study: Study, protocol: Protocol) -> str | None:
    """Return what takes the folds of a protocol for equally exact, None where nothing does."""
    for line in tested_lines(study):
        named = [test.name for test in tests_of(line) if test_of(test).t_over_splits]
        if named and line.protocol == protocol.name:
            return named[0]
    yields = PROTOCOLS[protocol.kind].declaration.yields(protocol.options)
    by_default = yields.design in (Design.REPEATED, Design.RESAMPLED)
    return default_of("splits") if by_default and protocol.implied_by is None else None


def _unequal_folds(study: Study, source: GivenOutcomes) -> tuple[Diagnostic, ...]:
    """Check the sizes of given folds that a test takes for equally exact."""
    if source.folds is None or not isinstance(source.spec, PredictionsSpec):
        return ()
    named = [
        test.name
        for line in tested_lines(study)
        for test in tests_of(line)
        if line.protocol is None and test_of(test).t_over_splits
    ]
    if not named:
        return ()
    sizes = np.bincount(source.folds).tolist()
    place = source.spec.places.get("fold")
    return check_test_sizes(sizes, f"fold {source.spec.fold}", place, named[0], given=True)


def _one_class(
    study: Study, protocol: Protocol, table: Table, splits: Sequence[Split]
) -> Iterable[Diagnostic]:
    """Report ranking metrics where no fold has two classes."""
    if table.task != "classification":
        return
    alone = sum(_are_equal(table.y[split.test]) for split in splits)
    if not alone or (alone < len(splits) and _said_of_folds(study, protocol, table)):
        return
    for metric, span in dict.fromkeys(metrics_on(study, protocol)):
        if metric_entry(metric).declaration.form != "scores" or metric.code:
            continue
        if alone == len(splits):
            yield diagnose(
                codes.metric_under_protocol,
                f"`{metric.name}` is undefined where a test part holds one class, as each of "
                f"`{spoken(protocol)}` does",
                span,
                help="write `protocol cv folds=10`, or measure another metric",
            )
        else:
            yield from check_one_class_folds(
                metric.name, alone, len(splits), spoken(protocol), protocol.span
            )


def _are_equal(labels: "NDArray[Any]") -> bool:
    """Return whether there is one class, and not none."""
    return bool(len(labels) and (labels == labels[0]).all())


def _said_of_folds(study: Study, protocol: Protocol, table: Table) -> bool:
    """Return whether the number of folds alone has shown that a class is rare in them."""
    asked = questions(study)
    if PROTOCOLS[protocol.kind].declaration.division == "resampled":
        return True  # what its rounds leave out is counted in its estimates
    rarest = int(np.bincount(table.y, minlength=len(table.classes)).min())
    return (
        asked.folds is not None
        and protocol.span == asked.fold_span
        and rarest < LEAST_IN_FOLD * asked.folds
    )


def _assigned(study: Study, tables: Mapping[str, Table]) -> dict[str, Yields]:
    """Return what the given folds of each table yield, by the names of the data."""
    found = {}
    for protocol in study.protocols:
        for name, table in tables.items():
            yields = _yields_of_split(protocol, table)
            if yields is not None:
                found[name] = yields
    return found


def _yields_of_split(protocol: Protocol, table: Table) -> Yields | None:
    """Return what a given split of a table yields; None where the planner refuses it."""
    declared = PROTOCOLS[protocol.kind].declaration
    if declared.of_assignment is None or table.split is None:
        return None
    try:
        yields = declared.of_assignment(table.split, 1 + len(table.further_splits))
    except ValueError:
        return None
    weighted = table.weights is not None
    given = replace(yields, weighted=weighted, neighbours=declared.neighbours)
    return yields_over_seeds(given, protocol)


def _split(study: Study, protocol: Protocol, table: Table) -> Iterable[Diagnostic]:
    """Find intervals and tests that do not go with a split, whose kind shows when it is read."""
    yields = _yields_of_split(protocol, table)
    if yields is None:
        return
    yield from interval_misfits(study, table.spec, protocol, yields)
    what = "the split, as it is given," if yields.once else "the split with repeats"
    for line in study.comparisons:
        for test in tests_of(line) if line.protocol == protocol.name and not line.across else ():
            grouped = is_grouped(table.spec, study.group)
            problem = test_mismatch(test, line.metrics[0], yields, grouped)
            if problem is not None:
                yield diagnose(
                    codes.test_needs_other_evidence,
                    f"{problem.reason}, which {what} does not give",
                    line.span,
                    help=problem.instead,
                )


def _judge_outputs(study: Study, source: GivenOutcomes) -> Iterator[Diagnostic]:
    """Find models that lack the scores of a metric, each metric once with all such models."""
    name = statement_of(source.spec.name)  # of its statement, for one of several data sets
    everyone = dict.fromkeys(model.name for model in source.models)
    given = {
        "scores": source.scored, "ranges": source.scored, "probabilities": source.probabilities
    }  # fmt: skip
    seen: set[Method] = set()
    for asked in asked_metrics(study):
        metric = asked.metric
        lacking = without_outputs(name, everyone, given, asked, len(source.classes))
        if lacking is None or metric in seen:
            continue
        seen.add(metric)
        model, message, help_ = lacking
        if metric_entry(metric).declaration.needs == "probabilities" and model in source.scores:
            what, fix = suggest_probabilities(source.scores[model])
            message = f"needs probabilities, and `{model}` has other scores: {what}"
            help_ = f"{fix}, or measure another metric"
        yield diagnose(
            codes.metric_needs_scores, f"`{metric.name}` {message}", asked.span, help=help_
        )


# --- classes, once their number is known -----------------------------------------------------


COUNTS_BYTES = 24
"""Memory of one pair of a true and a predicted class, counted in up to three matrices at once."""


def judge_classes(study: Study, classes: int, task: str) -> Iterable[Diagnostic]:
    """Refuse what is for two classes: a recall of three is an average, a curve has no area.

    `classes` is the number of classes of one data set, too many of which no analysis shows.
    """
    for analysis in study.analyses if task == "classification" else ():
        try:
            CLASSES_APART.check(f"`{analysis.method.name}`", classes)
        except OverLimit as error:
            yield diagnose(codes.file_too_large, str(error), analysis.span, help=error.help)
    if task != "classification" or classes <= 2:
        return
    for line in tested_lines(study):
        for test in tests_of(line):
            about = test_of(test).tests
            averages = {"correctness": _is_average, "scores": is_auc}.get(about)
            wrong = next(filter(averages, line.metrics), None) if averages else None
            if wrong is not None:
                yield diagnose(
                    codes.test_of_another_metric,
                    f"`{test.name}` is for two classes, and `{wrong.written}` of {classes} classes "
                    "is an average",
                    line.span,
                    help="write `with permutation`",
                )
                break
    for measure in study.measures:
        if measure.interval is None:
            continue
        form = INTERVALS[measure.interval.name].declaration.form
        averaged = form == "proportion" and _is_average(measure.metric)
        if averaged or (form == "auc" and is_auc(measure.metric)):
            what = "is for proportions" if averaged else "is for the curve of two classes"
            yield diagnose(
                codes.interval_needs_other_evidence,
                f"`{measure.interval.name}` {what}, and `{measure.metric.written}` of {classes} "
                "classes is an average",
                measure.interval_span or measure.span,
                help="remove the interval, for the default of such a metric",
            )


def _is_average(metric: Method) -> bool:
    return metric.better is None and metric_entry(metric).declaration.proportion not in (
        None,
        "all",
    )


def judge_options(study: Study, classes: int, positive: int | None) -> Iterable[Diagnostic]:
    """Report metrics of two classes where there are more, and options that do not fit the classes.

    A metric of counts is tried on as many classes as there are.
    """
    seen: set[Method] = set()
    for metric, span in ((asked.metric, asked.span) for asked in asked_metrics(study)):
        if metric.better is not None or metric in seen:
            continue
        seen.add(metric)
        entry = metric_entry(metric)
        if entry.declaration.binary_only and classes > 2:
            yield diagnose(
                codes.wrong_task,
                f"`{metric.written}` is for two classes, and there are {classes}",
                span,
                help="measure `roc_auc` or `log_loss`, which have a form for several classes",
            )
            continue
        if entry.declaration.several_only and classes == 2:
            yield diagnose(
                codes.wrong_task,
                f"`{metric.written}` is for three classes or more, and there are two",
                span,
                help="measure `accuracy`",
            )
            continue
        declared = entry.declaration
        of_counts = declared.form == "counts"
        if not classes or not (of_counts or declared.several_only or declared.binary_only):
            continue
        try:
            counted = f"the {classes:,} classes that `{metric.written}` counts"
            MEMORY.check(counted, COUNTS_BYTES * classes**2, "name the right answers by `correct`")
        except OverLimit as error:
            yield diagnose(codes.file_too_large, str(error), span, help=error.help)
            continue

        def tried(options: Mapping[str, Any], entry: MetricEntry = entry) -> None:
            if entry.declaration.form == "counts":
                entry.function(np.eye(classes), positive, **options)
                return
            scores = np.eye(classes) if entry.declaration.several_only else np.arange(2.0)
            entry.function(np.arange(classes), scores, positive, **options)

        try:
            tried(metric.keywords())
        except ValueError as error:
            if not metric.options:  # a fault of the metric, not of the author
                raise RuntimeError(f"{entry.name} fails on {classes} classes") from error
            yield diagnose(
                codes.option_value, f"`{metric.written}` does not fit the classes: {error}", span
            )


# --- levels of subgroups ---------------------------------------------------------------------


def judge_levels(source: Table | GivenOutcomes) -> Iterator[Diagnostic]:
    """Refuse columns after `within` that are numbers, or of which most rows are in small levels.

    A column of up to 20 levels is taken as it is; its small levels are listed in the results.
    """
    for column, texts in source.subgroups.items():
        named, coded = np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)
        if len(named) <= MOST_LEVELS:
            continue
        times = source.times if isinstance(source, GivenOutcomes) else None
        sizes = np.bincount(coded, times)
        numbers = [as_number(name) for name in named if name != MISSING_LEVEL]
        known = [number for number in numbers if number is not None]
        small = float(sizes[sizes < FEWEST].sum())
        if len(known) == len(numbers):
            what = f"has {len(named):,} different numbers, each of which would be a level"
            fix = "write a column of ranges into the file, and name it after `within`; numbers "
            fix += "that are names, such as those of hospitals, need a letter before them"
        elif 2 * small > sizes.sum():
            what = (
                f"has {len(named):,} levels, and {small:,.0f} of {sizes.sum():,.0f} rows are in "
                f"levels with fewer than {FEWEST}"
            )
            fix = "name a column with fewer levels, such as regions in place of towns"
        else:
            continue
        place = source.spec.places.get(f"within {column}", source.spec.places.get("within"))
        yield diagnose(codes.too_many_levels, f"`{column}` {what}", place, help=fix)


# --- tables of scores ------------------------------------------------------------------------


def judge_scores(study: Study, table: ScoreTable) -> Iterator[Diagnostic]:
    """Ask of a table what each line takes for granted."""
    yield from judge_percents(study, table.spec)
    for comparison in study.comparisons:
        yield from _region(table, comparison)
        if not comparison.across:
            yield from _five_by_two(table, comparison)
    if table.test_train_ratio is None and (table.folds is not None or table.repeats is not None):
        yield from _ratio(study, table)


def judge_percents(study: Study, spec: ScoresSpec | PredictionsSpec) -> Iterator[Diagnostic]:
    """Refuse margins that are written in points where percents were read as shares."""
    own = own_metric(spec)
    if not spec.percents or own is None:
        return
    margins = [
        (line.value, line.span) for line in study.requirements if line.metric == own and line.value
    ]
    margins += [
        (value, line.span)
        for line in study.comparisons
        if own in line.metrics
        for test in filter(None, (line.test, line.post_hoc))
        for name in ("rope", "margin", "threshold")
        if isinstance(value := test.keywords().get(name), int | float)
    ]
    for value, span in margins:
        if value >= 1:
            yield diagnose(
                codes.off_the_scale_of_its_metric,
                f"`{own.name}` of `{statement_of(spec.name)}` is in percent, and {value:g} without "
                f"`%` is {100 * value:g} points",
                span,
                help=f"write `{value:g}%` for {value:g} of its points",
            )


def _ratio(study: Study, table: ScoreTable) -> Iterator[Diagnostic]:
    """Refuse what depends on the share of tested rows where nothing states it."""
    spec, own = table.spec, own_metric(table.spec)
    assert own is not None, "scores have a metric of their own"
    asked: list[tuple[Entry[Any], Method, Span | None]] = []
    for line in tested_lines(study):
        if not line.across and own in line.metrics:
            asked += [(HYPOTHESIS_TESTS[test.name], test, line.span) for test in tests_of(line)]
    for measure in study.measures:
        if (chosen := measure.interval) is not None and measure.metric == own:
            place = measure.interval_span or measure.span
            asked.append((INTERVALS[chosen.name], chosen, place))
    for claim in study.requirements:
        if claim.metric == own and claim.test is None:
            test = difference_test(own, yields_of(spec, None))
            asked.append((HYPOTHESIS_TESTS[test.name], test, claim.span))
    for entry, method, span in asked:
        if "n_train" not in entry.inputs or "test_train_ratio" in method.keywords():
            continue
        of = spec.fold or spec.repeat or ""
        yield diagnose(
            codes.test_train_ratio_unknown,
            f"`{method.name}` depends on the ratio of test to training rows, and no line states "
            f"what `{of}` of `{spec.name}` numbers: folds, random splits or runs",
            span,
            help="write `folds of cv` for the folds of one cross-validation, or `folds of "
            "holdout(test=1/3)` for random splits with the share that each one tests, under "
            f"`scores {spec.declared_name}`; name repeats of cross-validation by `repeat COLUMN`",
        )


def _region(table: ScoreTable, comparison: ComparisonSpec) -> Iterator[Diagnostic]:
    """A region of equivalence has a default for scores between 0 and 1, and for no others."""
    read = table.values[~np.isnan(table.values)]
    if own_metric(table.spec) not in comparison.metrics or not len(read):
        return
    if read.min() >= 0 and read.max() <= 1:
        return
    for test in tests_of(comparison):
        entry = HYPOTHESIS_TESTS[test.name]
        asked = entry.declaration.bayesian and entry.option("rope") is not None
        if asked and test.keywords().get("rope") is None:
            name = table.spec.metric or "score"
            yield diagnose(
                codes.missing_option,
                f"`{test.name}` has no region of practical equivalence for `{name}`, which goes "
                f"from {read.min():g} to {read.max():g} in `{table.spec.name}`",
                comparison.span,
                help=f"write `{test.name}(rope=...)` in the unit of `{name}`",
            )


def judge_number_of_data_sets(study: Study, n: int) -> Iterator[Diagnostic]:
    """Refuse comparisons across data where what was read is one data set."""
    for comparison in study.comparisons if n == 1 else ():
        if comparison.across:
            yield diagnose(
                codes.test_needs_other_evidence,
                f"`{comparison.test.name}` needs scores of several data sets, and one was read",
                comparison.span,
                help="remove `across data`, or add data sets",
            )


def _five_by_two(table: ScoreTable, comparison: ComparisonSpec) -> Iterator[Diagnostic]:
    if table.fold_labels is None or table.repeat_labels is None:
        return
    folds, repeats = len(table.fold_labels), len(table.repeat_labels)
    if (repeats, folds) == (5, 2):
        return
    for test in tests_of(comparison):
        if HYPOTHESIS_TESTS[test.name].declaration.designs == {Design.FIVE_BY_TWO}:
            yield diagnose(
                codes.test_needs_other_evidence,
                f"`{test.name}` needs five repeats of two folds, and `{table.spec.name}` has "
                f"{repeats} repeats of {folds}",
                comparison.span,
                help="write `with corrected_t`",
            )


# --- questions of the data rules -------------------------------------------------------------


def questions(study: Study) -> Questions:
    """Gather what the data rules must know of a study."""
    protocols = own_protocols(study)
    folded = [(folds, p.span) for p in protocols if (folds := _folds(p)) is not None]
    most, span = max(folded, key=lambda found: found[0], default=(None, None))
    held = [(share, p) for p in protocols if (share := _held_out(p)) is not None]
    share, once = held[0] if held else (None, None)
    share_span = None if once is None else once.span
    share_name = "" if once is None else protocol_prefix(study, once)
    return Questions(
        by_size=_metrics_by_size(study),
        by_positive=tuple(m.written for m in metrics_of(study) if depends_on_positive(m)),
        per_fold=tuple(metric.written for metric in _metrics_per_fold(study)),
        folds=most,
        test_share=share,
        test_span=share_span,
        fold_span=span,
        instead=repeated_design(study),
        test_name=share_name,
        baseline=any(is_baseline(model) for model in study.models),
        squared=tuple(
            (m.metric.written, m.span)
            for m in study.measures
            if metric_entry(m.metric).declaration.squares
        ),
    )


def _metrics_by_size(study: Study) -> tuple[BySize, ...]:
    """List the metrics that weigh classes by their size; none where another sees each class.

    A mean of losses is of neither kind: a model that looks at no feature has a value of its own.
    """
    found: list[BySize] = []
    for metric in metrics_of(study):
        entry = metric_entry(metric)
        if metric.code or metric.better is not None:
            return ()
        if weighs_by_size(entry, metric.keywords()):
            value = partial(_value_of_counts, entry, metric)
            found.append(BySize(metric.written, value, entry.declaration.proportion == "all"))
        elif entry.declaration.form != "losses":
            return ()
    return tuple(found)


def _value_of_counts(
    entry: MetricEntry, metric: Method, counts: Any, positive: int | None
) -> float:
    """Compute a metric of counts of true by predicted classes."""
    return float(entry.function(counts, positive, **metric.keywords()))


def _metrics_per_fold(study: Study) -> tuple[Method, ...]:
    """List the metrics by class whose values in single folds are used."""
    found: list[Method] = []
    for measure in study.measures:
        if metric_entry(measure.metric).declaration.form == "scores":
            found.append(measure.metric)
    for comparison in study.comparisons:
        over_folds = any(test_of(t).rests_only_on("fold") for t in tests_of(comparison))
        found += [m for m in comparison.metrics if over_folds and _needs_each_class(m)]
    return tuple(dict.fromkeys(m for m in found if _needs_each_class(m)))


def _needs_each_class(metric: Method) -> bool:
    """Return whether a metric is known to need members of each class."""
    return metric_entry(metric).declaration.by_class and not metric.code


def _folds(protocol: Protocol) -> int | None:
    """Return the number of folds that the author can change and strata are spread over."""
    declared = PROTOCOLS[protocol.kind].declaration
    chosen = declared.keeps_strata and isinstance(declared.folds, str)
    return declared.number_of_folds(protocol.options) if chosen else None


def _held_out(protocol: Protocol) -> float | None:
    """Return the share of rows that a single split tests, None of other protocols."""
    declared = PROTOCOLS[protocol.kind].declaration
    single = declared.n_splits(protocol.options) == 1
    return declared.test_share(protocol.options) if single else None
