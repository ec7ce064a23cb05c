"""What an area under the ROC curve can show where a class has few members, or one in a fold.

Its variance comes from the spread of the members of each class in each fold: of one member there
is none, and of few it is too small where the area is near 1.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evallang.checking.validity import metrics_on
from evallang.compatibility import is_auc, is_grouped, yields_of
from evallang.compatibility.hypothesis_tests import test_mismatch
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import GivenOutcomes, Table
from evallang.data.design_codes import (
    AREA_WITHOUT_SPREAD,
    FEW_OF_THE_RARER_CLASS,
    NO_SPREAD_IN_A_FOLD,
)
from evallang.data.findings import counted
from evallang.diagnostics import Diagnostic, diagnose
from evallang.frozen import frozen
from evallang.protocols.protocol import Split, Yields
from evallang.registry import Evidence, lazy
from evallang.source import Span
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.intervals.ranking import ENOUGH_MEMBERS
from evallang.study import Method, Protocol, Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

LEAST_MEMBERS = 2  # of each class in each fold; one has no spread
COVERED = "95% intervals covered 80 to 94% in simulations, least where the area is near 1"
REJECTED = "at 5% the test rejected up to 8% of true hypotheses in simulations"


@frozen
class Tested:
    """The tested rows of one source: its name, the rarer class, its members in each fold.

    `elsewhere` tells that the predictions were made elsewhere.
    """

    source: str
    label: str
    members: tuple[int, ...]
    yields: Yields
    grouped: bool
    elsewhere: bool = False

    @property
    def alone(self) -> bool:
        """Whether a fold has one member of a class, and so no spread."""
        return 0 < min(self.members) < LEAST_MEMBERS

    @property
    def few(self) -> bool:
        """Whether the rarer class has too few members for the interval to keep its level."""
        return sum(self.members) < ENOUGH_MEMBERS


def judge_given_areas(study: Study, source: GivenOutcomes) -> list[Diagnostic]:
    """Check areas of predictions made elsewhere against the members of their classes."""
    if source.truth is None or source.task != "classification" or len(source.classes) != 2:
        return []
    folds = np.zeros(source.n, dtype=np.int64) if source.folds is None else source.folds
    parts = [source.truth[folds == fold] for fold in np.unique(folds)]
    yields = yields_of(source.spec, None)
    grouped = is_grouped(source.spec, study.group)
    tested = _tested(source.spec.name, source.classes, parts, yields, grouped)
    tested = replace(tested, elsewhere=True)
    measured = [(m.metric, m.span) for m in study.measures]
    named = [(metric, line.span) for line in study.comparisons for metric in line.metrics]
    return list(_judged(study, None, tested, [*measured, *named]))


def judge_planned_areas(
    study: Study, protocol: Protocol, table: Table, splits: Sequence[Split]
) -> list[Diagnostic]:
    """Check areas under a protocol against the members of the classes in its test parts."""
    if table.task != "classification" or len(table.classes) != 2:
        return []
    parts = [table.y[split.test] for split in splits if split.fold >= 0]
    yields = yields_of(table.spec, protocol)
    tested = _tested(
        table.spec.name, table.classes, parts, yields, is_grouped(table.spec, study.group)
    )
    return list(_judged(study, protocol, tested, list(metrics_on(study, protocol))))


def _tested(
    name: str, classes: Sequence[str], parts: Iterable[object], yields: Yields, grouped: bool
) -> Tested:
    counts = np.array([np.bincount(np.asarray(part), minlength=2)[:2] for part in parts])
    both = counts[counts.min(axis=1) > 0]  # folds of one class have no area, and are left out
    if not len(both):
        return Tested(name, classes[0], (0,), yields, grouped)
    rarer = int(both.sum(axis=0).argmin())
    return Tested(name, classes[rarer], tuple(both.min(axis=1).tolist()), yields, grouped)


def _judged(
    study: Study,
    protocol: Protocol | None,
    tested: Tested,
    metrics: Sequence[tuple[Method, Span | None]],
) -> Iterator[Diagnostic]:
    areas = any(is_auc(metric) for metric, _ in metrics)
    if not areas or tested.grouped or not tested.yields.once or not (tested.alone or tested.few):
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
                NO_SPREAD_IN_A_FOLD, _one_in_a_fold(tested, name), place, help=_fewer(tested)
            )
        elif tested.alone:
            yield diagnose(
                AREA_WITHOUT_SPREAD,
                f"`{measure.metric.written}` has no interval: {_one_in_a_fold(tested, None)}",
                place,
                help=_fewer(tested),
            )
        else:
            yield diagnose(
                FEW_OF_THE_RARER_CLASS,
                f"the interval of `{measure.metric.written}` rests on "
                f"{counted(sum(tested.members), 'row')} of `{tested.label}`: {COVERED}",
                place,
                help=f"gather {ENOUGH_MEMBERS} rows of `{tested.label}` or more, or report the "
                "interval as a rough guide",
            )
    for line in study.comparisons:
        if line.across or (protocol is not None and line.protocol not in (None, protocol.name)):
            continue
        for test in (line.test, *((line.post_hoc,) if line.post_hoc else ())):
            if HYPOTHESIS_TESTS[test.name].declaration.evidence != {Evidence.SCORES_PER_ROW}:
                continue
            if not any(is_auc(metric) for metric in line.metrics):
                continue
            instead = Method("permutation")
            two = test_mismatch(instead, line.metrics[0], tested.yields, tested.grouped) is None
            help_ = f"write `with {instead.name}`" if two else _fewer(tested)
            if tested.alone:
                message = _one_in_a_fold(tested, test.name)
                yield diagnose(NO_SPREAD_IN_A_FOLD, message, line.span, help=help_)
            elif tested.yields.single_fit:
                yield diagnose(
                    FEW_OF_THE_RARER_CLASS,
                    f"`{test.name}` rests on {counted(sum(tested.members), 'row')} of "
                    f"`{tested.label}`: {REJECTED}",
                    line.span,
                    help=help_,
                )


def _default(metric: Method, tested: Tested) -> str | None:
    return default_interval(metric, tested.yields, 2, tested.grouped)


def _one_in_a_fold(tested: Tested, method: str | None) -> str:
    """Return why there is no variance."""
    lone = sum(members < LEAST_MEMBERS for members in tested.members)
    folds = "a fold has" if lone == 1 else f"{lone:,} folds have"
    found = f"{folds} one row of a class, which shows no spread"
    return found if method is None else f"`{method}` is undefined where {found}"


def _fewer(tested: Tested) -> str:
    """Return how many folds have two members of each class or more."""
    most = sum(tested.members) // LEAST_MEMBERS
    if most < LEAST_MEMBERS or len(tested.members) <= LEAST_MEMBERS:
        return f"gather more rows of `{tested.label}`"
    folds = min(most, len(tested.members) - 1)
    verb = "give predictions of" if tested.elsewhere else "write"
    return f"{verb} at most {folds} folds, so that each has {LEAST_MEMBERS} rows of each class"
