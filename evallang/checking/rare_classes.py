"""What an area under the ROC curve can show where a class has few members, or one in a fold.

Its variance comes from the spread of the members of each class in each fold: of one member there
is none, and of few it is too small where the area is near 1.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.checking.scope import refusal
from evallang.compatibility import is_auc, is_grouped, yields_of
from evallang.compatibility.hypothesis_tests import (
    difference_test,
    test_of_any_metric,
    tests_of,
)
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    DataSpec,
    GivenOutcomes,
    PredictionsSpec,
    Table,
)
from evallang.data.findings import counted
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.protocols.protocol import Split, Yields
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.intervals.ranking import ENOUGH_MEMBERS
from evallang.stats.validity import FEW_FOR_LARGE_SAMPLES, Counted, Holds, Validity
from evallang.study import ComparisonSpec, Method, Protocol, RequirementSpec, Study

Rows = NDArray[Any] | slice

LEAST_MEMBERS = 2  # of each class in each fold; one has no spread
COVERED = "in simulations, coverage of 95% intervals was 80-94%, lowest for AUCs near 1"
REJECTED = "at 5% the test rejected up to 8% of true hypotheses in simulations"


class Tested(Struct, frozen=True):
    """The tested rows of one source: the rarer class, and its members in each fold.

    A member is a row, or a group with a row of the class where rows are `grouped`.
    """

    label: str
    members: tuple[int, ...]
    yields: Yields
    grouped: bool


def judge_few_examples(
    study: Study,
    spec: DataSpec | PredictionsSpec | CountsSpec | BattlesSpec,
    n: int,
    yields: Yields,
    grouped: bool,
    protocol: str | None = None,
) -> Iterator[Diagnostic]:
    """Report tests and written intervals that do not hold on so few examples, each a unit."""
    source, unit = spec.name, spec.unit or "examples"
    units = f"{n:,} {unit.removesuffix('s') if n == 1 else unit}"
    if grouped or yields.run_word != "repeat" or not (yields.once or yields.averaged) or not n:
        return
    for line in study.comparisons:
        if line.over_data or (protocol is not None and line.protocol not in (None, protocol)):
            continue
        for test in tests_of(line):
            entry = HYPOTHESIS_TESTS[test.name]
            lacking = _of_examples(entry.declaration.holds, n)
            form = test.keywords().get(entry.declaration.p_by)
            other = entry.declaration.large_samples.get(str(form))
            known: dict[str, Any] = {"source": source, "test": test}
            known |= {"counted": units, "metric": test_of_any_metric()}
            if lacking is not None and lacking.refused:
                yield refusal("no_p_of_few", line.span, **known, least=lacking)
            elif lacking is not None:
                yield refusal("few_for_test", line.span, **known, least=lacking)
            elif other is not None and n < FEW_FOR_LARGE_SAMPLES:
                yield refusal("few_for_form", line.span, **known, form=form, exact=other)
    for measure in study.measures:
        written = measure.interval
        if written is None or measure.within:
            continue
        lacking = _of_examples(INTERVALS[written.name].declaration.holds, n)
        usual = default_interval(measure.metric, yields, n=n)
        if lacking is not None and usual not in (None, written.name):
            yield refusal(
                "few_for_interval",
                measure.interval_span or measure.span,
                interval=written,
                counted=units,
                source=source,
                least=lacking,
                usual=usual,
            )


def _of_examples(validity: Validity, n: int) -> Holds | None:
    """Return the least number of examples that is declared and not met, refusals first."""
    every = () if isinstance(validity, str) else validity
    unmet = [one for one in every if one.count is Counted.EXAMPLES and n < one.least]
    return min(unmet, key=lambda one: not one.refused, default=None)


def judge_given_areas(study: Study, source: GivenOutcomes) -> Iterator[Diagnostic]:
    """Check areas of predictions computed elsewhere against the members of their classes."""
    counted_labels = source.times is not None  # for metrics of labels, which have no area
    if source.truth is None or source.task != "classification" or counted_labels:
        return
    folds = source.folds
    parts: list[Rows] = [slice(None)]
    if folds is not None:
        parts = [np.flatnonzero(folds == fold) for fold in np.unique(folds)]
    yield from _judge(study, None, source, source.truth, parts, yields_of(source.spec, None))


def judge_planned_areas(
    study: Study, protocol: Protocol, table: Table, splits: Sequence[Split]
) -> Iterator[Diagnostic]:
    """Check areas under a protocol against the members of the classes in its test parts."""
    parts: list[Rows] = [split.test for split in splits if split.fold >= 0]
    if table.task == "classification":
        yields = yields_of(table.spec, protocol)
        yield from _judge(study, protocol, table, table.y, parts, yields)


def _judge(
    study: Study,
    protocol: Protocol | None,
    source: Table | GivenOutcomes,
    truth: NDArray[Any],
    parts: Sequence[Rows],
    yields: Yields,
) -> Iterator[Diagnostic]:
    """Report what reads the spread of an area in folds with one, or few, members of a class.

    Nothing is reported where groups lie in several parts: the variance of such groups comes from
    their sums over all folds, and takes two of them.
    """
    grouped = is_grouped(source.spec, study.group)
    groups = source.group_codes if grouped else None
    if len(source.classes) != 2 or not yields.once:
        return
    if groups is not None and len(parts) > 1:
        present = [np.unique(groups[part]) for part in parts]
        if sum(map(len, present)) > len(np.unique(np.concatenate(present))):
            return
    counts = np.array(
        [
            [
                int(m.sum()) if groups is None else len(np.unique(groups[part][m]))
                for m in (truth[part] == 0, truth[part] == 1)
            ]
            for part in parts
        ]
    )
    both = counts[counts.min(axis=1) > 0]  # folds of one class have no area, and are excluded
    if not len(both):
        return
    rarer = int(both.sum(axis=0).argmin())
    members = tuple(both.min(axis=1).tolist())
    tested = Tested(source.classes[rarer], members, yields, grouped)
    unit = "group" if grouped else "row"
    rows = f"{'with rows ' if grouped else ''}of `{tested.label}`"
    gather = f"gather {ENOUGH_MEMBERS} {unit}s {rows} or more"
    for one in _readings(study, protocol, tested):
        lone = sum(number < LEAST_MEMBERS for number in members)
        if lone:
            key = "area_without_spread" if one.method is None else "no_spread_in_a_fold"
            folds, n = counted(lone, "fold"), len(members)
            gather_or = f"{one.instead}use fewer folds, or {gather}"
            yield refusal(key, one.span, help=gather_or, what=one.what, folds=folds, n=n, unit=unit)
        elif sum(members) < ENOUGH_MEMBERS and one.rate:
            message = f"{one.what} rests on {counted(sum(members), unit)} {rows}: {one.rate}"
            code = codes.few_of_the_rarer_class
            yield diagnose(code, message, one.span, help=f"{one.instead}{gather}")


class Reading(Struct, frozen=True):
    """An interval, a test or a requirement that reads the spread of an area in each fold.

    `method` is None for a default interval; `rate` is what simulations show where members are few,
    empty where nothing does.
    """

    what: str
    method: str | None
    span: Span | None
    rate: str
    instead: str = ""


def _readings(study: Study, protocol: Protocol | None, tested: Tested) -> Iterator[Reading]:
    """Iterate over what reads the spread of an area.

    A requirement within levels is about fewer rows in other folds, and is decided there. Over
    folds and over groups a difference is referred to t, else to the normal distribution.
    """
    by_z = tested.yields.single_fit and not tested.grouped
    rejected = REJECTED if by_z and sum(tested.members) < ENOUGH_MEMBERS else ""
    stated = {m.metric: m.interval for m in study.measures if m.interval is not None}

    def interval(metric: Method, stated: Method | None) -> str | None:
        default = default_interval(metric, tested.yields, 2, tested.grouped)
        name = stated.name if stated else default
        of_area = name is not None and INTERVALS[name].declaration.form == "auc"
        return name if of_area and is_auc(metric) else None

    def reads_scores(test: Method) -> bool:
        evidence = HYPOTHESIS_TESTS[test.name].declaration.evidence
        return all(one.value == "score" for one in evidence)

    def is_here(line: ComparisonSpec | RequirementSpec) -> bool:
        return protocol is None or line.protocol in (None, protocol.name)

    for measure in study.measures:
        name = interval(measure.metric, measure.interval)
        if name is not None:
            place = measure.interval_span if measure.interval else measure.span
            what = f"the interval of `{measure.metric.written}`"
            yield Reading(what, name if measure.interval else None, place, COVERED)
    for line in study.comparisons:
        for test in () if line.over_data or not is_here(line) else tests_of(line):
            if reads_scores(test) and any(map(is_auc, line.metrics)):
                instead = f"write `with {test_of_any_metric()}`, or "
                yield Reading(f"`{test.name}`", test.name, line.span, rejected, instead)
    for claim in study.requirements:
        if not is_here(claim) or claim.within or claim.averaged or not is_auc(claim.metric):
            continue
        name, rate = interval(claim.metric, stated.get(claim.metric)), COVERED
        if claim.kind != "level":
            test = claim.test or difference_test(claim.metric, tested.yields, 2, tested.grouped)
            name, rate = test.name if reads_scores(test) else None, rejected
        if name is not None:
            said = any(measure.metric == claim.metric for measure in study.measures)
            yield Reading("the requirement", name, claim.span, "" if said else rate)
