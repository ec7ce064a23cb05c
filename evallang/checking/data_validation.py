"""What can only be judged once the data are read: the author's own split, the classes, scores.

The same questions as in `validity`, asked again with the facts of the data.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evallang.checking import codes
from evallang.checking.of_classes import judge_classes, judge_options
from evallang.checking.questions import questions
from evallang.checking.rare_classes import judge_given_areas, judge_planned_areas
from evallang.checking.read_scores import judge_number_of_data_sets, judge_scores
from evallang.checking.rules.examples import Examples, of_outcomes, uncounted
from evallang.checking.rules.resampling import spoken
from evallang.checking.rules.rule import Known, Stage, advise_later
from evallang.checking.rules.study_facts import listed, test_of, tested_lines, tests_of
from evallang.checking.validity import for_the_line, metrics_on
from evallang.compatibility import Mismatch, is_grouped, metric_entry, over_seeds
from evallang.compatibility.hypothesis_tests import test_mismatch
from evallang.compatibility.intervals import interval_mismatch
from evallang.data.dataset import GivenOutcomes, Table
from evallang.data.design_rules import (
    LEAST_IN_FOLD,
    check_design,
    check_given_design,
    check_given_split,
    check_one_class_folds,
    check_test_sizes,
)
from evallang.data.findings import of_one
from evallang.data.overlapping_data import check_related
from evallang.data.read_sources import ReadSources
from evallang.data.table_rules import check_copies, check_outcomes, check_table, check_tasks
from evallang.diagnostics import Code, Diagnostic, diagnose
from evallang.models.column_treatments import document_columns
from evallang.models.columns import branch_columns
from evallang.models.model import ColumnsSpec, is_baseline
from evallang.protocols.protocol import PROTOCOLS, Split, Yields
from evallang.registry import Design, lazy
from evallang.source import Span
from evallang.stats.intervals.interval import default_of
from evallang.study import ComparisonSpec, Method, Protocol, Study, models_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


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
    found = list(check_tasks(tuple(tables.values())))
    across = next((line for line in study.comparisons if line.across), None)
    if across is not None:
        found += check_related(tuple(tables.values()), span=across.span)
    for table in tables.values():
        checked = check_table(
            table,
            folds=asked.folds,
            span=asked.fold_span,
            resampled=drawn,
            stratified=stratified,
            used=used(table),
            documents=_documents(study, table),
        )
        checked = (*checked, *check_design(table, asked))
        found += of_one(checked, table.spec.name, table.spec.places, several=len(tables) > 1)
    examples = [of_outcomes(source) for source in given if source.examples is None]
    classes = {table.spec.name: len(table.classes) for table in tables.values()}
    classes |= {outcomes.spec.name: len(outcomes.classes) for outcomes in given}
    sizes = {name: n for name, n in classes.items() if n}
    known = Known(read, uncounted(read, examples), sizes, _assigned(study, tables))
    found += advise_later(Stage.DATA, study, known)
    for table in tables.values():
        for protocol in study.protocols:
            if table.split is not None:
                found += _split(study, protocol, table)
        found += judge_classes(study, len(table.classes), table.task)
        found += judge_options(study, len(table.classes), table.positive)
    for scores in sources.score_tables:
        found += judge_scores(study, scores)
    n = len(tables) + len(given) + sum(scores.n for scores in sources.score_tables)
    found += judge_number_of_data_sets(study, n)
    for source in given:
        found += check_outcomes(source)
        if source.correct is None and source.values is None:
            found += judge_classes(study, len(source.classes), source.task)
            found += judge_options(study, len(source.classes), source.positive)
            found += _scores(study, source)
            found += judge_given_areas(study, source)
            found += check_given_design(source, asked)
    return list({(d.code, d.span, d.message): d for d in found}.values())


def _used(study: Study) -> Callable[[Table], Collection[str] | None]:
    """Return which features of a table models get; a baseline looks at none."""
    models = [model for model in study.models if not is_baseline(model)]

    def features(table: Table) -> Collection[str] | None:
        found: set[str] = set()
        for model in models:
            first = model.pipeline.steps[0]
            if not isinstance(first, ColumnsSpec):
                return None
            branches = branch_columns(first, table.columns)
            found |= {column.name for branch in branches for column in branch}
        return found if models else None

    return features


def _documents(study: Study, table: Table) -> Collection[str]:
    """Return the features of text that every model that gets features reads word by word."""
    models = [model for model in study.models if not is_baseline(model)]
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
            tested = {int(row) for split in splits for row in split.test}
            examples = uncounted(read, [Examples(name, len(tested), {})])
            known = Known(read, examples, protocol=protocol, splits=splits)
            found += advise_later(Stage.PLAN, study, known)
            found += _one_class(study, protocol, table, splits)
            found += judge_planned_areas(study, protocol, table, splits)
            honest = not declared.tests_on_training_rows(protocol.options)
            if declared.division == "in_place" and honest:  # which copies are cut is known
                found += check_copies(table, splits, words, protocol.span)
            if given and len(splits) == 1:
                found += check_given_split(len(tested), name, words, protocol.span)
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


def _one_class(
    study: Study, protocol: Protocol, table: Table, splits: Sequence[Split]
) -> Iterable[Diagnostic]:
    """A ranking of one class is undefined; refused where no fold has two."""
    if table.task != "classification":
        return
    alone = sum(len(np.unique(table.y[split.test])) == 1 for split in splits)
    if not alone or (alone < len(splits) and _said_of_folds(study, protocol, table)):
        return
    for metric, span in dict.fromkeys(metrics_on(study, protocol)):
        if metric_entry(metric).declaration.form != "scores" or metric.code:
            continue
        if alone == len(splits):
            yield diagnose(
                codes.METRIC_UNDER_PROTOCOL,
                f"`{metric.name}` is undefined where a test part holds one class, as each of "
                f"`{spoken(protocol)}` does",
                span,
                help="write `protocol cv folds=10`, or measure another metric",
            )
        else:
            yield from check_one_class_folds(
                metric.name, alone, len(splits), spoken(protocol), protocol.span
            )


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
    of_assignment = PROTOCOLS[protocol.kind].declaration.of_assignment
    if of_assignment is None or table.split is None:
        return None
    try:
        yields = of_assignment(table.split, 1 + len(table.further_splits))
    except ValueError:
        return None
    return over_seeds(replace(yields, weighted=table.weights is not None), protocol)


def _split(study: Study, protocol: Protocol, table: Table) -> Iterable[Diagnostic]:
    yields = _yields_of_split(protocol, table)
    if yields is None:
        return
    grouped = is_grouped(table.spec, study.group)
    what = "the split, as it is given," if yields.once else "the split with repeats"
    for measure in study.measures:
        if measure.interval is not None:
            problem = interval_mismatch(measure.interval, measure.metric, yields, grouped)
            if problem is not None:
                instead = for_the_line(problem.instead, measure, study, yields, grouped)
                yield _mismatch(
                    codes.INTERVAL_NEEDS_OTHER_EVIDENCE,
                    replace(problem, instead=instead),
                    "",
                    measure.interval_span,
                )
    for comparison in study.comparisons:
        if comparison.protocol != protocol.name or comparison.across:
            continue
        for test in _tests(comparison):
            problem = test_mismatch(test, comparison.metrics[0], yields, grouped)
            if problem is not None:
                yield _mismatch(
                    codes.TEST_NEEDS_OTHER_EVIDENCE,
                    problem,
                    f", which {what} does not give",
                    comparison.span,
                )


def _tests(comparison: ComparisonSpec) -> tuple[Method, ...]:
    return (comparison.test, *((comparison.post_hoc,) if comparison.post_hoc else ()))


def _mismatch(code: Code, problem: Mismatch, ending: str, span: Span | None) -> Diagnostic:
    return diagnose(code, problem.reason + ending, span, help=problem.instead)


def _scores(study: Study, source: GivenOutcomes) -> Iterable[Diagnostic]:
    """Find models that lack the scores of a metric, each metric once with all such models."""
    name = source.spec.name.partition("/")[0]  # of its statement, for one of several data sets
    everyone = [model.name for model in source.models]
    asked: list[tuple[Method, Span | None, Sequence[str]]] = [
        (measure.metric, measure.span, everyone) for measure in study.measures
    ]
    asked += [
        (metric, c.span, models_of(c, everyone)) for c in study.comparisons for metric in c.metrics
    ]
    asked += [(r.metric, r.span, r.models) for r in study.requirements]
    seen: set[Method] = set()
    for metric, span, models in asked:
        needs = metric_entry(metric).declaration.needs
        if needs not in ("scores", "probabilities") or metric in seen:
            continue
        found = source.scores if needs == "scores" else source.probabilities
        lacking = [model for model in models if model in everyone and model not in found]
        if not lacking:
            continue
        seen.add(metric)
        binary = len(source.classes) == 2
        line = f'score {lacking[0]} = "COLUMN"' if binary else f'scores {lacking[0]} = "p_*"'
        yield diagnose(
            codes.METRIC_NEEDS_SCORES,
            f"`{metric.name}` needs {needs}, and `{name}` has none of {listed(lacking)}",
            span,
            help=f"write `{line}` below `predictions {name}`, or measure another metric",
        )
