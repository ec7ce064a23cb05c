"""What an area under the ROC curve can show where a class has few members, or one in a fold.

Its variance comes from the spread of the members of each class in each fold: of one member there
is none, and of few it is too small where the area is near 1.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.checking.validity import metrics_on
from evallang.compatibility import is_auc, is_grouped, yields_of
from evallang.compatibility.hypothesis_tests import (
    difference_test,
    test_mismatch,
    test_of_any_metric,
)
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import GivenOutcomes, Table
from evallang.data.findings import counted
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.protocols.protocol import Split, Yields
from evallang.registry import Evidence
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.intervals.ranking import ENOUGH_MEMBERS
from evallang.stats.validity import Counted, Holds
from evallang.study import Method, Protocol, Study

Rows = NDArray[Any] | slice

LEAST_MEMBERS = 2  # of each class in each fold; one has no spread
COVERED = "in simulations, coverage of 95% intervals was 80-94%, lowest for AUCs near 1"
REJECTED = "at 5% the test rejected up to 8% of true hypotheses in simulations"


class Tested(Struct, frozen=True):
    """The tested rows of one source: its name, the rarer class, its members in each fold.

    A member is a row, or a group with a row of the class where rows are `grouped`. `elsewhere`
    tells that the predictions were computed elsewhere.
    """

    source: str
    label: str
    members: tuple[int, ...]
    yields: Yields
    grouped: bool
    elsewhere: bool = False

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
        for test in (line.test, *((line.post_hoc,) if line.post_hoc else ())):
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
    tested = replace(tested, elsewhere=True)
    measured = [(m.metric, m.span) for m in study.measures]
    named = [(metric, line.span) for line in study.comparisons for metric in line.metrics]
    required = [(line.metric, line.span) for line in study.requirements]
    return list(_judged(study, None, tested, [*measured, *named, *required]))


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
    return list(_judged(study, protocol, tested, list(metrics_on(study, protocol))))


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


def _judged(
    study: Study,
    protocol: Protocol | None,
    tested: Tested,
    metrics: Sequence[tuple[Method, Span | None]],
) -> Iterator[Diagnostic]:
    areas = any(is_auc(metric) for metric, _ in metrics)
    if not areas or not tested.yields.once or not (tested.alone or tested.few):
        return
    for measure in study.measures:
        if not is_auc(measure.metric):
            continue
        name = measure.interval.name if measure.interval else _default(measure.metric, tested)
        if name is None or INTERVALS[name].declaration.form != "auc":
            continue
        place = measure.interval_span if measure.interval else measure.span
        if tested.alone and measure.interval:
            yield diagnose(
                codes.no_spread_in_a_fold, _one_in_a_fold(tested, name), place, help=_fewer(tested)
            )
        elif tested.alone:
            yield diagnose(
                codes.area_without_spread,
                f"`{measure.metric.written}` has no interval: {_one_in_a_fold(tested, None)}",
                place,
                help=_fewer(tested),
            )
        else:
            yield diagnose(
                codes.few_of_the_rarer_class,
                f"the interval of `{measure.metric.written}` {_rests_on(tested)}: {COVERED}",
                place,
                help=f"gather {ENOUGH_MEMBERS} {tested.unit}s {_rows_words(tested)} or more, or "
                "report the interval as a rough guide",
            )
    for line in study.comparisons:
        if line.across or (protocol is not None and line.protocol not in (None, protocol.name)):
            continue
        for test in (line.test, *((line.post_hoc,) if line.post_hoc else ())):
            if HYPOTHESIS_TESTS[test.name].declaration.evidence != {Evidence.SCORES_PER_ROW}:
                continue
            if not any(is_auc(metric) for metric in line.metrics):
                continue
            instead = Method(test_of_any_metric())
            two = test_mismatch(instead, line.metrics[0], tested.yields, tested.grouped) is None
            help_ = f"write `with {instead.name}`" if two else _fewer(tested)
            if tested.alone:
                message = _one_in_a_fold(tested, test.name)
                yield diagnose(codes.no_spread_in_a_fold, message, line.span, help=help_)
            elif tested.few_for_z:
                yield diagnose(
                    codes.few_of_the_rarer_class,
                    f"`{test.name}` {_rests_on(tested)}: {REJECTED}",
                    line.span,
                    help=help_,
                )
    yield from _judged_requirements(study, protocol, tested)


def _judged_requirements(
    study: Study, protocol: Protocol | None, tested: Tested
) -> Iterator[Diagnostic]:
    """Check the intervals and tests that decide `require` lines on areas.

    A line within levels is about fewer rows in other folds, and is decided there.
    """
    for line in study.requirements:
        elsewhere = protocol is not None and line.protocol not in (None, protocol.name)
        if elsewhere or line.within is not None or not is_auc(line.metric):
            continue
        stated = [m.interval for m in study.measures if m.metric == line.metric]
        if line.kind == "level":
            name = stated[0].name if stated and stated[0] else _default(line.metric, tested)
            by_area = name is not None and INTERVALS[name].declaration.form == "auc"
        else:
            name = (
                line.test.name
                if line.test
                else difference_test(line.metric, tested.yields, 2, tested.grouped).name
            )
            by_area = HYPOTHESIS_TESTS[name].declaration.evidence == {Evidence.SCORES_PER_ROW}
        if not by_area:
            continue
        if tested.alone:
            found = f"the requirement cannot be decided: {_one_in_a_fold(tested, name)}"
            yield diagnose(codes.no_spread_in_a_fold, found, line.span, help=_fewer(tested))
        elif not stated and (line.kind == "level" or tested.few_for_z):
            how = COVERED if line.kind == "level" else REJECTED
            yield diagnose(
                codes.few_of_the_rarer_class,
                f"the requirement {_rests_on(tested)}: {how}",
                line.span,
                help=f"gather {ENOUGH_MEMBERS} {tested.unit}s {_rows_words(tested)} or more",
            )


def _default(metric: Method, tested: Tested) -> str | None:
    return default_interval(metric, tested.yields, 2, tested.grouped)


def _one_in_a_fold(tested: Tested, method: str | None) -> str:
    """Return why there is no variance."""
    lone = sum(members < LEAST_MEMBERS for members in tested.members)
    folds = "a fold has" if lone == 1 else f"{lone:,} folds have"
    one = "one group with rows" if tested.grouped else "one row"
    found = f"{folds} {one} of a class, which shows no spread"
    return found if method is None else f"`{method}` is undefined where {found}"


def _rests_on(tested: Tested) -> str:
    return f"rests on {counted(sum(tested.members), tested.unit)} {_rows_words(tested)}"


def _rows_words(tested: Tested) -> str:
    return f"{'with rows ' if tested.grouped else ''}of `{tested.label}`"


def _fewer(tested: Tested) -> str:
    """Return how many folds have two members of each class or more."""
    most = sum(tested.members) // LEAST_MEMBERS
    if most < LEAST_MEMBERS or len(tested.members) <= LEAST_MEMBERS:
        return f"gather more {tested.unit}s {_rows_words(tested)}"
    folds = min(most, len(tested.members) - 1)
    verb = "give predictions of" if tested.elsewhere else "write"
    return (
        f"{verb} at most {folds} folds, so that each has {LEAST_MEMBERS} "
        f"{'groups with ' if tested.grouped else ''}rows of each class"
    )
