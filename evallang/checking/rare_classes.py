"""What an area under the ROC curve can show where a class has few members, or one in a fold.

Its variance comes from the spread of the members of each class in each fold: of one member there
is none, and of few it is too small where the area is near 1.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.checking.rules.study_facts import tests_of
from evallang.compatibility import is_auc, is_grouped, yields_of
from evallang.compatibility.hypothesis_tests import (
    difference_test,
    test_of_any_metric,
)
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import GivenOutcomes, Table
from evallang.data.findings import counted
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.protocols.protocol import Split, Yields
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.intervals.ranking import ENOUGH_MEMBERS
from evallang.stats.validity import Counted, Holds
from evallang.study import ComparisonSpec, Method, Protocol, RequirementSpec, Study

Rows = NDArray[Any] | slice

LEAST_MEMBERS = 2  # of each class in each fold; one has no spread
COVERED = "in simulations, coverage of 95% intervals was 80-94%, lowest for AUCs near 1"
REJECTED = "at 5% the test rejected up to 8% of true hypotheses in simulations"


class Tested(Struct, frozen=True):
    """The tested rows of one source: its name, the rarer class, its members in each fold.

    A member is a row, or a group with a row of the class where rows are `grouped`.
    """

    source: str
    label: str
    members: tuple[int, ...]
    yields: Yields
    grouped: bool

    @property
    def unit(self) -> str:
        """What a member is called."""
        return "group" if self.grouped else "row"

    @property
    def alone(self) -> bool:
        """Whether a fold has one member of a class, and so no spread."""
        return 0 < min(self.members) < LEAST_MEMBERS

    @property
    def few(self) -> bool:
        """Whether the rarer class has too few members for the interval to keep its level."""
        return sum(self.members) < ENOUGH_MEMBERS

    @property
    def few_for_z(self) -> bool:
        """Whether a test refers a difference to the normal distribution all the same.

        Over folds and over groups it is referred to t.
        """
        return self.few and self.yields.single_fit and not self.grouped


def judge_few_examples(
    study: Study, source: str, n: int, yields: Yields, grouped: bool, protocol: str | None = None
) -> Iterator[Diagnostic]:
    """Report tests that are not computed on so few examples, each of which is a unit."""
    if grouped or not yields.once or not n:
        return
    for line in study.comparisons:
        if line.across or (protocol is not None and line.protocol not in (None, protocol)):
            continue
        for test in tests_of(line):
            least = _refused_below(test)
            if least is None or n >= least.least:
                continue
            yield diagnose(
                codes.few_examples_for_a_test,
                f"`{test.name}` gives no p on the {counted(n, 'example')} of `{source}`: with "
                f"fewer than {least.least}, {least.found}",
                line.span,
                help=f"write `with {test_of_any_metric()}`",
            )


def _refused_below(test: Method) -> Holds | None:
    """Return the number of examples below which a test has no p, None without one."""
    declared = HYPOTHESIS_TESTS[test.name].declaration.holds
    every = () if isinstance(declared, str) else declared
    return next((h for h in every if h.refused and h.count is Counted.EXAMPLES), None)


def judge_given_areas(study: Study, source: GivenOutcomes) -> list[Diagnostic]:
    """Check areas of predictions computed elsewhere against the members of their classes."""
    if source.truth is None or source.task != "classification" or len(source.classes) != 2:
        return []
    if source.times is not None:  # counted for metrics of labels, which have no area
        return []
    folds = source.folds
    parts: list[Rows] = [slice(None)]
    if folds is not None:
        parts = [np.flatnonzero(folds == fold) for fold in np.unique(folds)]
    tested = _tested(source, source.truth, parts, yields_of(source.spec, None), study)
    if tested is None:
        return []
    return list(_judged(study, None, tested))


def judge_planned_areas(
    study: Study, protocol: Protocol, table: Table, splits: Sequence[Split]
) -> list[Diagnostic]:
    """Check areas under a protocol against the members of the classes in its test parts."""
    if table.task != "classification" or len(table.classes) != 2:
        return []
    parts: list[Rows] = [split.test for split in splits if split.fold >= 0]
    tested = _tested(table, table.y, parts, yields_of(table.spec, protocol), study)
    if tested is None:
        return []
    return list(_judged(study, protocol, tested))


def _tested(
    source: "Table | GivenOutcomes",
    truth: "NDArray[Any]",
    parts: "Sequence[Rows]",
    yields: Yields,
    study: Study,
) -> Tested | None:
    """Count the members of both classes in each part; None where groups lie in several parts.

    The variance of such groups comes from their sums over all folds, and takes two of them.
    """
    grouped = is_grouped(source.spec, study.group)
    groups = source.group_codes if grouped else None
    if groups is not None and len(parts) > 1 and yields.once:
        present = [np.unique(groups[part]) for part in parts]
        if sum(map(len, present)) > len(np.unique(np.concatenate(present))):
            return None
    counts = np.array([[_members(truth, groups, part, c) for c in (0, 1)] for part in parts])
    name, classes = source.spec.name, source.classes
    both = counts[counts.min(axis=1) > 0]  # folds of one class have no area, and are excluded
    if not len(both):
        return Tested(name, classes[0], (0,), yields, grouped)
    rarer = int(both.sum(axis=0).argmin())
    return Tested(name, classes[rarer], tuple(both.min(axis=1).tolist()), yields, grouped)


def _members(truth: "NDArray[Any]", groups: "NDArray[Any] | None", part: "Rows", code: int) -> int:
    members = truth[part] == code
    return int(members.sum()) if groups is None else len(np.unique(groups[part][members]))


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

    A requirement within levels is about fewer rows in other folds, and is decided there.
    """
    rejected = REJECTED if tested.few_for_z else ""
    stated = {m.metric: m.interval for m in study.measures if m.interval is not None}
    for measure in study.measures:
        name = _interval(measure.metric, measure.interval, tested)
        if name is not None:
            place = measure.interval_span if measure.interval else measure.span
            what = f"the interval of `{measure.metric.written}`"
            yield Reading(what, name if measure.interval else None, place, COVERED)
    lines = [line for line in study.comparisons if not line.across and _is_on(line, protocol)]
    for line in lines:
        for test in tests_of(line):
            if _reads_scores(test.name) and any(map(is_auc, line.metrics)):
                instead = f"write `with {test_of_any_metric()}`, or "
                yield Reading(f"`{test.name}`", test.name, line.span, rejected, instead)
    for claim in study.requirements:
        if not _is_on(claim, protocol) or claim.within is not None or not is_auc(claim.metric):
            continue
        name, rate = _interval(claim.metric, stated.get(claim.metric), tested), COVERED
        if claim.kind != "level":
            test = claim.test or difference_test(claim.metric, tested.yields, 2, tested.grouped)
            name, rate = test.name if _reads_scores(test.name) else None, rejected
        if name is not None:
            said = any(measure.metric == claim.metric for measure in study.measures)
            yield Reading("the requirement", name, claim.span, "" if said else rate)


def _is_on(line: ComparisonSpec | RequirementSpec, protocol: Protocol | None) -> bool:
    return protocol is None or line.protocol in (None, protocol.name)


def _reads_scores(test: str) -> bool:
    return all(one.value == "score" for one in HYPOTHESIS_TESTS[test].declaration.evidence)


def _interval(metric: Method, stated: Method | None, tested: Tested) -> str | None:
    """Return the interval of an area, None of other metrics and by other means."""
    if not is_auc(metric):
        return None
    name = stated.name if stated else default_interval(metric, tested.yields, 2, tested.grouped)
    return name if name is not None and INTERVALS[name].declaration.form == "auc" else None


def _judged(study: Study, protocol: Protocol | None, tested: Tested) -> Iterator[Diagnostic]:
    rows = f"{'with rows ' if tested.grouped else ''}of `{tested.label}`"
    gather = f"gather {ENOUGH_MEMBERS} {tested.unit}s {rows} or more"
    for one in _readings(study, protocol, tested) if tested.yields.once else ():
        if tested.alone:
            lone = sum(members < LEAST_MEMBERS for members in tested.members)
            yield diagnose(
                codes.area_without_spread if one.method is None else codes.no_spread_in_a_fold,
                f"{one.what} is undefined where {counted(lone, 'fold')} of "
                f"{len(tested.members):,} with one {tested.unit} of a class shows no spread",
                one.span,
                help=f"{one.instead}use fewer folds, or {gather}",
            )
        elif tested.few and one.rate:
            number = counted(sum(tested.members), tested.unit)
            message = f"{one.what} rests on {number} {rows}: {one.rate}"
            code = codes.few_of_the_rarer_class
            yield diagnose(code, message, one.span, help=f"{one.instead}{gather}")
