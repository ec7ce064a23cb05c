"""What can be judged once the data are read: the design, the classes, the scores, the folds.

The same questions as in `validity`, asked again with the facts of the data.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from evallang.checking.given_models import (
    judge_given_models,
    judge_scores_below_chance,
    judge_strengths,
)
from evallang.checking.metrics_fit import without_outputs
from evallang.checking.rare_classes import (
    judge_few_examples,
    judge_given_areas,
    judge_planned_areas,
)
from evallang.checking.resolve_thresholds import judge_read_thresholds
from evallang.checking.rules.equivalence_margins import judge_margins
from evallang.checking.rules.examples import Examples, count_examples
from evallang.checking.rules.rule import Known, Stage, advise_later
from evallang.checking.rules.study_facts import (
    depends_on_positive,
    metrics_of,
    own_protocols,
    protocol_prefix,
    repeated_design,
    test_of,
    tested_lines,
)
from evallang.checking.scope import refusal
from evallang.checking.validate_analyze import judge_read_analyses
from evallang.checking.validity import (
    metrics_on,
    regions,
    unmet_averages,
    unmet_intervals,
    unmet_tests,
)
from evallang.compatibility import (
    has_repeats,
    metric_entry,
    own_metric,
    spoken,
    yields_of,
)
from evallang.compatibility.hypothesis_tests import difference_test, tests_of
from evallang.data.column_roles import MISSING_LEVEL
from evallang.data.dataset import (
    DataSpec,
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
from evallang.limits import CLASSES_APART, MEMORY, Limit, OverLimit
from evallang.metrics.metric import MetricEntry, weighs_by_size
from evallang.models.abilities import document_columns, steps_of_new_rows
from evallang.models.columns import branch_columns
from evallang.models.model import ColumnsSpec, is_baseline
from evallang.protocols.protocol import PROTOCOLS, Split, Yields
from evallang.registry import Design, Entry
from evallang.results.records import FEWEST
from evallang.results.written import statement_of
from evallang.source import Span
from evallang.spelling import Words, closest, listed, written_name
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS, default_of
from evallang.study import (
    AnalysisSpec,
    ComparisonSpec,
    Measure,
    Method,
    Protocol,
    RequirementSpec,
    Study,
    asked_metrics,
    averaged_lines,
    models_of,
)

FIVE_BY_TWO = 5, 2  # repeats and folds of a test that counts on no others
MOST_LEVELS = 20  # of a column after `within`, which any column may have
OF_JUDGES = "measure `cohen_kappa`, which takes several classes"
COUNTS_BYTES = 24
"""Memory of one pair of a true and a predicted class, counted in up to three matrices at once."""


def judge_read(study: Study, read: Study, sources: ReadSources) -> list[Diagnostic]:
    """Ask everything that needs the data: what they make impossible, and advice on them.

    `read` is the study with the data sets that were found as its sources.
    """
    tables, given = sources.tables, sources.imported
    asked = questions(study)
    replicates = check_replicates(given)
    found = [*check_tasks(tuple(tables.values())), *replicates]
    across = next((line for line in study.comparisons if line.across), None)
    if across is not None:
        found += check_related((*tables.values(), *(() if replicates else given)), span=across.span)
        for scores in sources.score_tables:
            found += check_equal_scores(scores, span=across.span)
    for table in tables.values():
        checked = (*_check_table(study, table, asked), *check_design(table, asked))
        found += name_data_set(checked, table.spec.name, table.spec.places, several=len(tables) > 1)
    found += _judge_names(study, read)
    examples = tuple(count_examples(source) for source in given if source.examples is None)
    sizes = {one.spec.name: n for one in sources.with_examples if (n := len(one.classes))}
    yields = _found_yields(study, sources)
    known = Known(read, examples, sizes, yields, imported=given, score_tables=sources.score_tables)
    found += advise_later(Stage.DATA, study, known)
    found += unmet_intervals(read, yields, sizes)
    for line in tested_lines(read):
        found += unmet_tests(read, line, yields, sizes)
    for averaged in averaged_lines(read):
        found += list(unmet_averages(read, averaged, yields))[:1]
    found += _judge_averages(study, given)
    for one in sources.with_examples:
        of_labels = isinstance(one, Table) or bool(one.predictions)
        if of_labels:
            found += _judge_classes(study, one)
            found += judge_read_analyses(study, one)
        margins = tuple(judge_margins(study, one))
        several = len(tables if isinstance(one, Table) else given) > 1
        found += name_data_set(margins, one.spec.name, one.spec.places, several=several)
        found += _judge_levels(one)
        if isinstance(one, Table):
            found += judge_read_thresholds(study, one)
            continue
        found += check_outcomes(one)
        found += _judge_answers(study, one)
        found += judge_given_models(study, one)
        found += judge_strengths(study, one)
        yielded, grouped = yields_of(one.spec, None), one.group_codes is not None
        found += judge_few_examples(study, one.spec, one.n_examples, yielded, grouped)
        if isinstance(one.spec, PredictionsSpec):
            found += _judge_percents(study, one.spec)
        if of_labels:
            found += _judge_outputs(study, one)
            found += judge_given_areas(study, one)
            found += check_given_design(one, asked)
        method = _fold_method(study, None)
        if of_labels and method and one.folds is not None:
            assert isinstance(one.spec, PredictionsSpec), "what has folds are predictions"
            folds, place = np.bincount(one.folds).tolist(), one.spec.places.get("fold")
            found += check_test_sizes(folds, f"fold {one.spec.fold}", place, method, given=True)
    for scores in sources.score_tables:
        found += _judge_percents(study, scores.spec)
        found += regions(study, scores)
        splits = scores.folds is not None or scores.repeats is not None
        if scores.test_train_ratio is None and splits:
            found += _judge_ratio(study, scores)
        found += judge_scores_below_chance(scores)
    of_scores = {(t.spec.statement, name) for t in sources.score_tables for name in t.datasets}
    if across is not None and len(tables) + len(given) + len(of_scores) == 1:
        found.append(refusal("one_data_set_read", across.span, across=across))
    return list({(d.code, d.span, d.message): d for d in found}.values())


def _judge_names(study: Study, read: Study) -> Iterator[Diagnostic]:
    """Report lines about models of a file that names its models itself, and does not have them."""
    given = [s.models for s in read.sources if not isinstance(s, DataSpec)]
    unread = {s.statement for s in study.sources} - {s.statement for s in read.sources}
    if unread or not all(given):
        return  # the models of a file that could not be read may be any
    names = (model.name for models in given for model in models)
    known = Words(dict.fromkeys((*study.model_names, *names)))
    lines: list[ComparisonSpec | RequirementSpec | AnalysisSpec]
    lines = [*study.comparisons, *study.requirements, *study.analyses]
    for line in lines:
        against = line.against if isinstance(line, ComparisonSpec) else None
        for name in line.models if against is None else (*line.models, against):
            if name not in known:
                near = closest(name, known)
                words = f"the models are {listed(map(written_name, known), 'and')}"
                help_ = f"did you mean `{written_name(near)}`?" if near else words
                yield refusal("no_model_in_data", line.span, help=help_, name=name)


def _judge_averages(study: Study, given: Sequence[GivenOutcomes]) -> Iterator[Diagnostic]:
    """Report once each model of an average that has no example of one of its data sets."""
    reported: set[str] = set()
    for line in averaged_lines(study):
        metrics = line.metrics if isinstance(line, ComparisonSpec) else (line.metric,)
        own = {one.spec.name: own_metric(one.spec) for one in given}
        about = [one for one in given if own[one.spec.name] in (None, *metrics)]
        every = tuple(dict.fromkeys(model.name for one in about for model in one.models))
        named = every if isinstance(line, Measure) else line.models
        if isinstance(line, ComparisonSpec):
            named = models_of(line, every)
        for model in dict.fromkeys(named):
            lacking = [one.spec.name for one in about if not _has_examples(one, model)]
            if lacking and model not in reported and model in every:
                reported.add(model)
                named_sets, over = listed(lacking, "and"), line.averaged
                yield refusal(
                    "average_without_data_set",
                    line.span,
                    model=model,
                    lacking=named_sets,
                    over=over,
                )


def _has_examples(given: GivenOutcomes, model: str) -> bool:
    answered = given.answered.get(model)
    known = any(one.name == model for one in given.models)
    return known and (answered is None or bool(answered.any()))


def _check_table(study: Study, table: Table, asked: Questions) -> Iterable[Diagnostic]:
    """Check a table by the features that models get, of which a baseline looks at none."""
    models = [model for model in study.fitted if not is_baseline(model)]
    features: set[str] | None = set() if models else None
    for model in models:
        first = steps_of_new_rows(model.pipeline)[0]
        if not isinstance(first, ColumnsSpec):
            features = None
            break
        branches = branch_columns(first, table.columns)
        features = (features or set()) | {c.name for branch in branches for c in branch}
    documents = [document_columns(model.pipeline, table.columns) for model in models]
    own, strata = own_protocols(study), study.stratification
    declared = {p.name: PROTOCOLS[p.kind].declaration for p in study.protocols}
    resampled = [p for p in study.protocols if declared[p.name].division != "in_place"]
    honest = [p for p in resampled if not declared[p.name].tests_on_training_rows(p.options)]
    mixed = next((protocol for protocol in honest if protocol in own), None)
    return check_table(
        table,
        folds=asked.folds,
        span=asked.fold_span,
        resampled=bool(resampled),
        stratified=strata is not None and "target" in strata.columns,
        design=RowDesign(
            features,
            None if mixed is None else spoken(mixed),
            None if mixed is None else mixed.span,
            any(declared[p.name].neighbours for p in own),
            "" if mixed is None else protocol_prefix(study, mixed),
        ),
        documents=frozenset.intersection(*documents) if documents else frozenset(),
    )


def _found_yields(study: Study, sources: ReadSources) -> dict[str, Yields]:
    """Return what given folds yield, by data set, as far as only the data show it."""
    found: dict[str, Yields] = {}
    for protocol in study.protocols:
        declared = PROTOCOLS[protocol.kind].declaration
        for name, table in sources.tables.items():
            if declared.of_assignment is None or table.split is None:
                continue
            try:
                yields = declared.of_assignment(table.split, 1 + len(table.further_splits))
            except ValueError:
                continue  # the planner refuses it
            found[name] = replace(
                yields,
                weighted=table.weights is not None,
                neighbours=declared.neighbours,
                seeds=protocol.seeds > 1,
            )
    for given in sources.imported:
        if isinstance(given.spec, PredictionsSpec) and given.spec.log is not None:
            found[given.spec.name] = yields_of(given.spec, None)
    for scores in sources.score_tables:
        shape = len(scores.repeat_labels or ()), len(scores.fold_labels or ())
        if 0 not in shape and shape != FIVE_BY_TWO:
            found |= dict.fromkeys(scores.names, yields_of(scores.spec, None))
    return found


def judge_planned(
    study: Study,
    read: Study,
    tables: Mapping[str, Table],
    layout: Mapping[tuple[str, str], Sequence[Split]],
) -> list[Diagnostic]:
    """Ask what needs the splits: test sets of a fold test, and how many examples are tested."""
    found: list[Diagnostic] = []
    for protocol in study.protocols:
        words, declared = spoken(protocol), PROTOCOLS[protocol.kind].declaration
        given = declared.of_assignment is not None
        in_place = declared.division == "in_place"
        in_place = in_place and not declared.tests_on_training_rows(protocol.options)
        folds = _fold_method(study, protocol)
        for name, table in tables.items():
            splits = layout.get((name, protocol.name), ())
            sizes = [len(split.test) for split in splits if split.fold >= 0]
            if folds is not None:
                found += check_test_sizes(sizes, words, protocol.span, folds, given=given)
            if protocol.implied_by is not None or not splits:
                continue
            mask = np.zeros(table.n, dtype=bool)
            for split in splits:
                mask[split.test] = True
            tested = int(np.count_nonzero(mask))
            examples = (Examples(name, tested, {}),)
            known = Known(read, examples, protocol=protocol, splits=splits)
            found += advise_later(Stage.PLAN, study, known)
            found += _one_class(study, protocol, table, splits)
            found += judge_planned_areas(study, protocol, table, splits)
            yielded, grouped = yields_of(table.spec, protocol), table.group_codes is not None
            found += judge_few_examples(study, table.spec, tested, yielded, grouped, protocol.name)
            if in_place:  # which copies are cut is known
                found += check_copies(table, splits, words, protocol.span)
                drawn = DrawnSplits(words, protocol.span, splits, declared.training)
                found += check_drawn(table, drawn)
            if given and len(splits) == 1:
                named = protocol_prefix(study, protocol)
                found += check_given_split(table, tested, words, protocol.span, named)
    return found


def _fold_method(study: Study, protocol: Protocol | None) -> str | None:
    """Return what takes folds for equally exact, None where nothing does."""
    name = None if protocol is None else protocol.name
    for line in tested_lines(study):
        named = [test.name for test in tests_of(line) if test_of(test).t_over_splits]
        if named and line.protocol == name:
            return named[0]
    if protocol is None or protocol.implied_by is not None:
        return None
    yields = PROTOCOLS[protocol.kind].declaration.yields(protocol.options)
    by_default = yields.design in (Design.REPEATED, Design.RESAMPLED)
    return default_of("splits") if by_default else None


def _one_class(
    study: Study, protocol: Protocol, table: Table, splits: Sequence[Split]
) -> Iterable[Diagnostic]:
    """Report ranking metrics where folds hold one class."""
    if table.task != "classification":
        return
    labels = [table.y[split.test] for split in splits]
    alone = sum(bool(len(one) and (one == one[0]).all()) for one in labels)
    if PROTOCOLS[protocol.kind].declaration.division == "resampled" and alone < len(splits):
        return  # what its rounds leave out is counted in its estimates
    asked, words = questions(study), spoken(protocol)
    rarest = int(np.bincount(table.y, minlength=len(table.classes)).min())
    by_number = asked.folds is not None and protocol.span == asked.fold_span
    if by_number and rarest < LEAST_IN_FOLD * (asked.folds or 0) and alone < len(splits):
        return  # the number of folds alone has shown that a class is rare in them
    for metric, span in dict.fromkeys(metrics_on(study, protocol)) if alone else ():
        if metric_entry(metric).declaration.form != "scores" or metric.code:
            continue
        if alone == len(splits):
            yield refusal("one_class_folds", span, metric=metric, spoken=words)
        else:
            found = check_one_class_folds(metric.name, alone, len(splits), words, protocol.span)
            yield from found


def _judge_outputs(study: Study, source: GivenOutcomes) -> Iterator[Diagnostic]:
    """Find models that lack the scores of a metric, each metric once with all such models."""
    name = statement_of(source.spec.name)  # of its statement, for one of several data sets
    everyone = dict.fromkeys(model.name for model in source.models)
    scored, probabilities = source.scored, source.probabilities
    given = {"scores": scored, "ranges": scored, "probabilities": probabilities}
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
        yield refusal("outputs", asked.span, help=help_, name=metric.name, message=message)


def _judge_classes(study: Study, source: Table | GivenOutcomes) -> Iterator[Diagnostic]:
    """Refuse what does not fit the number of classes: analyses, metrics and their options.

    A metric of counts is tried on as many classes as there are.
    """
    classes, positive = len(source.classes), source.positive
    for analysis in study.analyses if source.task == "classification" else ():
        yield from _over(CLASSES_APART, f"`{analysis.method.name}`", classes, analysis.span)
    seen: set[Method] = set()
    for metric, span in ((asked.metric, asked.span) for asked in asked_metrics(study)):
        if metric.better is not None or metric in seen:
            continue
        seen.add(metric)
        entry = metric_entry(metric)
        declared = entry.declaration
        ranked = declared.needs_numbers is not None and declared.needs_numbers(metric.keywords())
        if ranked and any(as_number(label) is None for label in source.classes):
            yield refusal(
                "ratings_as_numbers",
                span,
                metric=metric,
                source=source.spec.name,
                labels=listed(source.classes, "and"),
            )
            continue
        if declared.binary_only and classes > 2:
            several = OF_JUDGES if declared.orders == "judges" else None
            yield refusal(
                "metric_of_two_classes", span, help=several, metric=metric, classes=classes
            )
            continue
        if declared.several_only and classes == 2:
            yield refusal("metric_of_several_classes", span, metric=metric)
            continue
        of_counts = declared.form == "counts"
        if not classes or not (of_counts or declared.several_only or declared.binary_only):
            continue
        counted = f"the {classes:,} classes that `{metric.written}` counts"
        fix, size = "name the right answers by `correct`", COUNTS_BYTES * classes**2
        over = list(_over(MEMORY, counted, size, span, fix))
        yield from over
        if over:
            continue
        scores = np.eye(classes) if of_counts or declared.several_only else np.arange(2.0)
        inputs = (scores,) if of_counts else (np.arange(classes), scores)
        try:
            entry.function(*inputs, positive, **metric.keywords())
        except ValueError as error:
            if not metric.options:  # a fault of the metric, not of the author
                raise RuntimeError(f"{entry.name} fails on {classes} classes") from error
            yield refusal("options_of_classes", span, metric=metric, error=error)


def _over(
    limit: Limit, what: str, number: int, span: Span | None, *fix: str
) -> Iterator[Diagnostic]:
    """Report what is beyond a limit."""
    try:
        limit.check(what, number, *fix)
    except OverLimit as error:
        yield diagnose(codes.file_too_large, str(error), span, help=error.help)


def _judge_answers(study: Study, source: GivenOutcomes) -> Iterator[Diagnostic]:
    """Refuse metrics that draw more answers of each example than one has."""
    if not has_repeats(source.spec):
        return
    least = 1 if source.examples is None else int(np.bincount(source.examples).min())
    for asked in asked_metrics(study):
        k = asked.metric.keywords().get("k")
        drawn = metric_entry(asked.metric).declaration.needs == "repeats"
        if drawn and isinstance(k, int) and k > least:
            yield refusal(
                "answers_of_examples",
                asked.span,
                metric=asked.metric,
                k=k,
                source=statement_of(source.spec.name),
                least=least,
            )


def _judge_levels(source: Table | GivenOutcomes) -> Iterator[Diagnostic]:
    """Refuse columns after `within` that are numbers, or of which most rows are in small levels.

    A column of up to 20 levels is taken as it is; its small levels are listed in the results.
    """
    for column, texts in source.subgroups.items():
        named, coded = np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)
        times = source.times if isinstance(source, GivenOutcomes) else None
        sizes = np.bincount(coded, times)
        small = float(sizes[sizes < FEWEST].sum())
        numbers = all(as_number(name) is not None for name in named if name != MISSING_LEVEL)
        if len(named) > MOST_LEVELS and (numbers or 2 * small > sizes.sum()):
            yield refusal(
                "levels_of_numbers" if numbers else "small_levels",
                source.spec.places.get(f"within {column}", source.spec.places.get("within")),
                column=column,
                levels=len(named),
                small=small,
                rows=sizes.sum(),
                fewest=FEWEST,
            )


def _judge_percents(study: Study, spec: ScoresSpec | PredictionsSpec) -> Iterator[Diagnostic]:
    """Refuse margins that are written in points where percents were read as shares."""
    own = own_metric(spec)
    margins: list[tuple[object, Span | None]] = [
        (line.value, line.span) for line in study.requirements if line.metric == own
    ]
    margins += [
        (test.keywords().get(name), line.span)
        for line in study.comparisons
        if own in line.metrics
        for test in tests_of(line)
        for name in ("rope", "margin", "threshold")
    ]
    for value, span in margins if spec.percents and own is not None else ():
        if isinstance(value, int | float) and value >= 1:
            of, points = statement_of(spec.name), 100 * value
            yield refusal(
                "points_of_percents", span, own=own, source=of, value=value, points=points
            )


def _judge_ratio(study: Study, table: ScoreTable) -> Iterator[Diagnostic]:
    """Refuse what depends on the share of tested rows where nothing states it."""
    spec, own = table.spec, own_metric(table.spec)
    assert own is not None, "scores have a metric of their own"
    asked: list[tuple[Entry[Any], Method, Span | None]] = []
    for line in tested_lines(study):
        if not line.over_data and own in line.metrics:
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
        if "n_train" in entry.inputs and "test_train_ratio" not in method.keywords():
            of = spec.fold or spec.repeat or ""
            yield refusal("unknown_ratio", span, method=method, column=of, spec=spec)


def questions(study: Study) -> Questions:
    """Gather what the data rules must know of a study."""
    folded: list[tuple[int, Span | None]] = []
    held: list[tuple[float, Protocol]] = []
    for protocol in own_protocols(study):
        declared = PROTOCOLS[protocol.kind].declaration
        folds = declared.number_of_folds(protocol.options)
        # those that the author can change and strata are spread over
        if folds is not None and declared.keeps_strata and isinstance(declared.folds, str):
            folded.append((folds, protocol.span))
        share = declared.test_share(protocol.options)
        if share is not None and declared.n_splits(protocol.options) == 1:
            held.append((share, protocol))
    most, span = max(folded, key=lambda found: found[0], default=(None, None))
    share, once = held[0] if held else (None, None)
    of_folds = [
        m.metric for m in study.measures if metric_entry(m.metric).declaration.form == "scores"
    ]
    for comparison in study.comparisons:
        if any(test_of(t).rests_only_on("fold") for t in tests_of(comparison)):
            of_folds += comparison.metrics
    by_class = [m for m in of_folds if metric_entry(m).declaration.by_class and not m.code]
    return Questions(
        by_size=_metrics_by_size(study),
        by_positive=tuple(m.written for m in metrics_of(study) if depends_on_positive(m)),
        per_fold=tuple(dict.fromkeys(metric.written for metric in by_class)),
        folds=most,
        test_share=share,
        test_span=None if once is None else once.span,
        fold_span=span,
        instead=repeated_design(study),
        test_name="" if once is None else protocol_prefix(study, once),
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
        entry, options = metric_entry(metric), metric.keywords()
        if metric.code or metric.better is not None:
            return ()
        if weighs_by_size(entry, options):

            def value(
                counts: Any,
                positive: int | None,
                entry: MetricEntry = entry,
                options: Mapping[str, Any] = options,
            ) -> float:
                return float(entry.function(counts, positive, **options))

            found.append(BySize(metric.written, value, entry.declaration.proportion == "all"))
        elif entry.declaration.form != "losses":
            return ()
    return tuple(found)
