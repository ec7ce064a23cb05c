"""What can only be judged once the data are read: the author's own split, the classes, scores.

The same questions as in `validity`, asked again with the facts of the data.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evallang.checking import codes, validity_codes
from evallang.checking.questions import questions
from evallang.checking.read_scores import judge_number_of_data_sets, judge_scores
from evallang.checking.rules.examples import Examples, advise_on_examples, of_outcomes
from evallang.checking.rules.lines import listed
from evallang.checking.rules.whole_families import advise_on_families, as_read
from evallang.compatibility import Mismatch, is_grouped, metric_entry, over_seeds
from evallang.compatibility.hypothesis_tests import TESTABLE_COUNTS, test_mismatch
from evallang.compatibility.intervals import interval_mismatch
from evallang.data.dataset import GivenOutcomes, ScoreTable, Table
from evallang.data.design_rules import check_design, check_test_sizes
from evallang.data.related import check_related
from evallang.data.rules import check_outcomes, check_table, check_tasks
from evallang.diagnostics import Code, Diagnostic, diagnose, noted
from evallang.protocols.given import yields_of_assignment
from evallang.protocols.protocol import Split
from evallang.registry import lazy
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Method, Protocol, Study, models_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


def judge_read(
    study: Study,
    tables: Mapping[str, Table],
    given: Sequence[GivenOutcomes],
    scored: Sequence[ScoreTable] = (),
) -> list[Diagnostic]:
    """Ask everything that needs the data: what they make impossible, and advice on them."""
    asked = questions(study)
    drawn = any(p.kind not in ("split", "resubstitution", "time_series") for p in study.protocols)
    found = list(check_tasks(tuple(tables.values())))
    across = next((line for line in study.comparisons if line.across), None)
    if across is not None:
        found += check_related(tuple(tables.values()), span=across.span)
    for table in tables.values():
        note = f"in `{table.spec.name}`" if len(tables) > 1 else None
        found += noted(
            check_table(table, folds=asked.folds, span=asked.span, resampled=drawn), note
        )
        found += noted(check_design(table, asked), note)
    read = as_read(study, tables, given, scored)
    found += advise_on_examples(read, [of_outcomes(g) for g in given if g.examples is None])
    found += advise_on_families(study, read)
    for table in tables.values():
        for protocol in study.protocols:
            if protocol.kind == "split" and table.split is not None:
                found += _split(study, protocol, table)
        found += _classes(study, len(table.classes), table.task)
        found += _options(study, len(table.classes), table.positive)
    for scores in scored:
        found += judge_scores(study, scores)
    n = len(tables) + len(given) + sum(scores.n for scores in scored)
    found += judge_number_of_data_sets(study, n)
    for source in given:
        found += check_outcomes(source)
        if source.correct is None and source.values is None:
            found += _classes(study, len(source.classes), source.task)
            found += _options(study, len(source.classes), source.positive)
            found += _scores(study, source)
    return list({(d.code, d.span, d.message): d for d in found}.values())


def judge_planned(
    study: Study, tables: Mapping[str, Table], layout: Mapping[tuple[str, str], Sequence[Split]]
) -> list[Diagnostic]:
    """Ask what needs the splits: test sets of a fold test, and how many examples are tested."""
    found: list[Diagnostic] = []
    read = as_read(study, tables, (), ())
    for protocol in study.protocols:
        folds = any(
            test.name == "corrected_t"
            for comparison in study.comparisons
            if comparison.protocol == protocol.name
            for test in _tests(comparison)
        )
        for name in tables:
            splits = layout.get((name, protocol.name), ())
            if folds:
                sizes = [len(split.test) for split in splits]
                found += check_test_sizes(sizes, protocol.name, protocol.span)
            if protocol.implied_by is None and splits:
                tested = {int(row) for split in splits for row in split.test}
                found += advise_on_examples(read, [Examples(name, len(tested), {})])
    return found


def _split(study: Study, protocol: Protocol, table: Table) -> Iterable[Diagnostic]:
    try:
        yields = yields_of_assignment(table.split or (), 1 + len(table.further_splits))
    except ValueError:
        return  # the planner words it
    yields = over_seeds(replace(yields, weighted=table.weights is not None), protocol)
    grouped = is_grouped(table.spec, study.group)
    what = "the split, as it is given," if yields.once else "the split with repeats"
    for measure in study.measures:
        if measure.interval is not None:
            problem = interval_mismatch(measure.interval, measure.metric, yields, grouped)
            if problem is not None:
                yield _mismatch(
                    validity_codes.INTERVAL_NEEDS_OTHER_EVIDENCE, problem, "", measure.interval_span
                )
    for comparison in study.comparisons:
        if comparison.protocol != protocol.name or comparison.across:
            continue
        for test in _tests(comparison):
            problem = test_mismatch(test, comparison.metrics[0], yields, grouped)
            if problem is not None:
                yield _mismatch(
                    validity_codes.TEST_NEEDS_OTHER_EVIDENCE,
                    problem,
                    f", which {what} does not give",
                    comparison.span,
                )


def _tests(comparison: ComparisonSpec) -> tuple[Method, ...]:
    return (comparison.test, *((comparison.post_hoc,) if comparison.post_hoc else ()))


def _mismatch(code: Code, problem: Mismatch, ending: str, span: Span | None) -> Diagnostic:
    return diagnose(code, problem.reason + ending, span, help=problem.instead)


def _classes(study: Study, classes: int, task: str) -> Iterable[Diagnostic]:
    """A recall of three classes is an average, and no share of rows that a test could count."""
    if task != "classification" or classes <= 2:
        return
    for comparison in study.comparisons:
        counted = [
            test
            for test in _tests(comparison)
            if HYPOTHESIS_TESTS[test.name].declaration.tests == "accuracy"
        ]
        for metric in comparison.metrics:
            averaged = metric.name in TESTABLE_COUNTS and (
                metric_entry(metric).declaration.proportion != "all"
            )
            if counted and averaged:
                yield diagnose(
                    validity_codes.TEST_OF_ANOTHER_METRIC,
                    f"`{counted[0].name}` counts right and wrong, and `{metric.written}` of "
                    f"{classes} classes is an average",
                    comparison.span,
                    help="write `with permutation`",
                )


def _options(study: Study, classes: int, positive: int | None) -> Iterable[Diagnostic]:
    """Try each metric of counts on as many classes as there are, for options that do not fit."""
    metrics = [(m.metric, m.span) for m in study.measures]
    metrics += [(m, c.span) for c in study.comparisons for m in c.metrics]
    for metric, span in dict.fromkeys(metrics):
        if metric.better is not None:
            continue
        entry = metric_entry(metric)
        if entry.declaration.form != "counts" or not classes:
            continue
        try:
            entry.function(np.eye(classes), positive, **metric.keywords())
        except ValueError as error:
            yield diagnose(
                codes.OPTION_VALUE, f"`{metric.written}` does not fit the classes: {error}", span
            )


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
            validity_codes.METRIC_NEEDS_SCORES,
            f"`{metric.name}` needs {needs}, and `{name}` has none of {listed(lacking)}",
            span,
            help=f"write `{line}` below `predictions {name}`, or measure another metric",
        )
