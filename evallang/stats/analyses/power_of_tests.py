"""Power of the tests of a study, for stated differences and at their corrected level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from evallang.bibliography import cite
from evallang.registry import Bounds
from evallang.results.ranges import Share
from evallang.results.shown import Amount, Count, Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.power import Answer, Question, Stated, stated
from evallang.stats.power_of_metrics import check_areas


class ShownAnswer(Struct, frozen=True):
    """The power of a test under one set of assumptions."""

    method: str
    assumptions: Mapping[str, Amount]
    detectable: Number
    power: Number
    required_n: Count
    in_sd: bool
    notes: tuple[str, ...]
    n_for_width: Count = None


class ShownPower(Struct, frozen=True):
    """The values of an analysis of power."""

    source: str
    test: str
    n: Count
    unit: str
    level: Share
    family_size: int
    correction: str | None
    target: Share
    difference: Number
    answers: tuple[ShownAnswer, ...]
    notes: tuple[str, ...]
    width: Number = None


def _objection(options: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return what is wrong with stated areas, and what to write instead."""
    area, gap = _number(options.get("area")), _number(options.get("difference"))
    positives, correlation = (_number(options.get(name)) for name in ("positives", "correlation"))
    try:
        check_areas(area, positives, correlation, gap)
    except ValueError as error:
        return str(error), "for example, `power(difference=2%, area=80%, positives=30%)`"
    return None


def _number(value: Any) -> float | None:
    return None if value is None or isinstance(value, str) else float(value)


@ANALYSES.register(
    AnalysisDeclaration(
        section="power",
        about="lines",
        command=True,
        shown=ShownPower,
        recorded=("target", "difference", "width"),
        objection=_objection,
        when=(
            "before the data are collected, to see how large a difference the tests can detect, or "
            "how many examples an interval of a wanted width takes"
        ),
        when_not="afterwards, at the observed difference: read its interval instead",
        formula="the probability of p at or below the level of one comparison: for McNemar's test "
        "summed over all tables of n examples, of which a stated share is discordant; for t tests "
        "by the noncentral t; for DeLong's test by the normal distribution, with the variance of "
        "the areas of normal scores; for metrics of counts by simulating tables of truth and both "
        "labels; for the sign test summed over the signs of normal differences, and for tests on "
        "ranks by running them on simulated ones. With groups McNemar's test is run on simulated "
        "outcomes that are correlated within a group, and others have the design effect 1 + "
        "(Σ s² / Σ s - 1) icc for groups of s examples. The "
        "number for a width is the least with which the interval of the expected table, of the "
        "stated sd, or of the areas is at most so wide",
        example="counts pair\n  models a, b\n  table [[90, 6], [2, 2]]\n"
        "compare a, b with mcnemar\nanalyze power(difference=5%)\n",
    ),
    title="Power",
    references=(
        cite("connor1987", "mcnemar"),
        cite("delong1988", "delong"),
        cite("hoenig2001"),
    ),
)
def power(
    question: Question,
    *,
    difference: Annotated[float | Literal["observed"] | None, Bounds(above=0)] = None,
    discordant: Annotated[float | None, Bounds(above=0, most=1)] = None,
    sd: Annotated[float | None, Bounds(above=0)] = None,
    n: Annotated[int | None, Bounds(least=2)] = None,
    target: Annotated[float, Bounds(above=0, below=1)] = 0.8,
    width: Annotated[float | None, Bounds(above=0)] = None,
    area: Annotated[float | None, Bounds(least=0, most=1)] = None,
    positives: Annotated[float | None, Bounds(least=0, most=1)] = None,
    correlation: Annotated[float | None, Bounds(least=0, most=1)] = None,
    weaker: float | None = None,
    icc: Annotated[float | None, Bounds(least=0, most=1)] = None,
    group_size: Annotated[int | None, Bounds(least=2)] = None,
) -> tuple[Answer, ...]:
    """Power for a stated difference, the smallest difference that is found, and the n it takes.

    `difference` is in the metric's unit. `discordant` is the share of examples on which just
    one of the two models is right (McNemar's test; several are looked at where none is
    stated); `sd` the standard deviation of the differences over examples, folds or data sets
    (t tests and tests on ranks; without it differences are in its unit); `n` stands for the
    number that the data would give; `target` is the power aimed at. `width` is that wanted of the
    interval of the difference at the level of one comparison: the answer is the number of
    examples with which it is expected. DeLong's test compares areas under the ROC curve of normal
    scores: `area` is that of the weaker model (several are looked at where none is stated),
    `positives` the share of positive examples (that of the data where none is stated, one half
    without data) and `correlation` that of the scores of two models within a class (0.5 where
    none is stated). Bootstrap and permutation tests of a metric of the confusion matrix, as F1,
    compare models that predict as many positives as there are: `weaker` is the metric of the
    weaker one (several are looked at where none is stated). Where examples come in groups `icc` is
    the intra-class correlation of what two examples of a group add to the difference (several are
    looked at where none is stated), and `group_size` the number of examples of a group, in place
    of the groups of the data. A one-sided test has the power for a difference on its side.
    Tests within a margin take the models as equally good, or the first as worse by `difference`,
    and what is found is the smallest margin that is shown.
    Raises `ValueError` for the observed difference, assumptions that contradict each other, and
    for tests whose power is not computed.
    """
    gap = None if difference is None else stated(difference)
    declared = HYPOTHESIS_TESTS[question.test].declaration.power
    if declared is None:
        test = HYPOTHESIS_TESTS[question.test].declaration
        why = f": {test.without_power}" if test.without_power else ""
        other = f"; `{test.power_as}` is the nearest test with power" if test.power_as else ""
        raise ValueError(f"the power of `{question.test}` is not computed{why}{other}")
    asked = question if n is None else replace(question, n=n)
    assumed = Stated(
        target, gap, discordant, sd, width, area, positives, correlation, weaker, icc, group_size
    )
    found = declared.answers(asked, assumed)
    if width is None or "width" in declared.options(question.form):
        return found
    note = "the number for a wanted width is not computed for this test"
    return tuple(replace(answer, notes=(*answer.notes, note)) for answer in found)
