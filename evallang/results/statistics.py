"""The records that tests and intervals return."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from evallang.results import printed
from evallang.results.ranges import Share, one_of
from evallang.results.settings import Value


class Clusters(Struct, frozen=True):
    """The number of groups behind a clustered test or interval, and its design effect."""

    n: int
    design_effect: float | None


class Resamples(Struct, frozen=True):
    """The values of resamples as a histogram: `counts` are of equal bins from `low` to `high`.

    `n` counts the resamples on which the value is defined.
    """

    n: int
    low: float
    high: float
    counts: tuple[int, ...]

    def reversed_sign(self) -> "Resamples":
        """Return the histogram of the same values with the other sign."""
        return Resamples(self.n, 0.0 - self.high, 0.0 - self.low, self.counts[::-1])


class Interval(Struct, frozen=True):
    """An interval with its method and level; an undefined bound is None.

    `clusters` describes the groups that are its units; it is None if the units are examples.
    `resamples` are those that a bootstrap interval is made from. `draws` is the number of random
    draws that the bounds rest on, None where they are exact; older files lack it.
    """

    method: str
    level: Share
    low: float | None
    high: float | None
    notes: tuple[str, ...] = ()
    clusters: Clusters | None = None
    resamples: Resamples | None = None
    draws: int | None = None

    @property
    def has_bounds(self) -> bool:
        """Whether it was computed: at least one bound is known."""
        return self.low is not None or self.high is not None


class Statistic(Struct, frozen=True):
    """A test statistic; `name` is printed (`chi2`, `Q`, `F`, `t`, `z`)."""

    name: str
    value: float | None


class Summary(StrEnum):
    """What a test estimates of the differences of two models, before it names the metric."""

    DIFFERENCE = "difference"
    OF_ACCURACIES = "difference in accuracy"
    OF_AREAS = "difference in AUC"
    MEDIAN = "median difference"
    PSEUDO_MEDIAN = "pseudo-median difference"

    def by(self, metric: str) -> str:
        """Return its name by a metric: `median difference in mse`."""
        location = self in (Summary.MEDIAN, Summary.PSEUDO_MEDIAN)
        return f"{self if location else Summary.DIFFERENCE} in {metric}"


class Difference(Struct, frozen=True):
    """A difference between two models (first minus second) in the unit of the metric.

    A test gives a `Summary` as its name, to which the engine adds the metric; a difference that
    has a unit of its own, such as one of ranks, is named in full. `resamples` are those that a
    bootstrap interval is made from, `draws` as for an `Interval`. `df` are the degrees of freedom
    of Student's t behind its bounds, None for bounds of another distribution.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    level: Share
    method: str
    resamples: Resamples | None = None
    draws: int | None = None
    df: float | None = None


class SimultaneousInterval(Struct, frozen=True):
    """An interval that holds for a whole family of comparisons at once.

    If `selected` is set, it does not: the false coverage rate then holds on average over the
    rejected comparisons (Benjamini & Yekutieli 2005). `draws` as for an `Interval`.
    """

    low: float | None
    high: float | None
    level: Share
    method: str
    selected: bool = False
    draws: int | None = None


class Effect(Struct, frozen=True):
    """An effect size, with its interval if it has one.

    `scale` decides its format: a `share` cannot exceed 1 in size, `odds` are A : B of the
    discordant pairs. `signed` states whether its sign depends on the order of the models; it is
    None in older files, whose effects are shown only in the order of the file. `symbol` is its
    letter if the name does not contain one. `draws` as for an `Interval`.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    scale: Literal["number", "share", "odds"] = "number"
    signed: bool | None = None
    symbol: str | None = None
    draws: int | None = None


STATUSES: Mapping[str, str] = {
    "computed": "the test was run",
    "undefined": "the test was run, and neither a p-value nor a posterior is defined",
    "not_computed": "the test could not be run; `lacking` says why",
    "not_performed": "the omnibus test before it did not reject or is undefined",
}
"""The possible statuses of a test."""
LACKING = {
    "fit": "a fit of `model` failed",
    "scores": "`model` gives no scores",
    "refused": "the test refuses the evidence, for the reason given",
}
"""The reasons why a test could not be run."""


class Lacking(Struct, frozen=True):
    """Why a test could not be run: the kind, the reason in words, and its model, if any."""

    kind: Annotated[str, one_of(LACKING)]
    reason: str
    model: str | None = None


DISAGREEMENTS: Mapping[str, str] = {
    "method": "they come from different methods",
    "side": "p is one-sided, the interval two-sided",
    "family": "it covers this difference alone",
    "conservative": "it is conservative",
}
"""The reasons why an interval and a decision at the same level may say different things."""


class Disagreement(Struct, frozen=True):
    """An interval that contradicts the decision at its level.

    It is that of the difference of the `pair`, of the whole `family`, or of the effect size that is
    shown. `excludes` states whether it excludes the null hypothesis, so the test did not reject it.
    """

    interval: Annotated[str, one_of(("pair", "family", "effect"))]
    excludes: bool
    cause: Annotated[str, one_of(DISAGREEMENTS)]


def shown_effect(effects: Sequence[Effect]) -> Effect | None:
    """Return the effect size that is shown: odds of discordant pairs, else the first one."""
    return next((e for e in effects if e.scale == "odds"), effects[0] if effects else None)


class ConfidenceInterval(NamedTuple):
    """The two bounds of an interval; an undefined bound is None."""

    low: float | None
    high: float | None


def filled(null: str, nouns: Mapping[str, str] = {}) -> str:
    """Fill each noun in braces into a null hypothesis, or the one that takes its place."""
    return re.sub(r"\{([^{}]+)\}", lambda found: nouns.get(found[1], found[1]), null)


class HypothesisTestResult(Struct, frozen=True):
    """The result of a hypothesis test, which the comparison uses to decide.

    `test` is the registered name, `variant` the computed variant ("exact"), `null`
    the null hypothesis in words. `models`, `p_adjusted`, `reject` and `simultaneous` are
    filled in by the comparison that ran the test. `status` is one of `STATUSES`; for a
    file without it `results.codec` derives it from other fields. `side` is the side of a one-sided
    test: `greater` or `less`, if a larger or a smaller value of the first model is evidence
    against the null hypothesis. `disagreements` are found by the comparison, and stated in `notes`.
    `n_common` is the number of examples that all its models have, where some lack others.
    `null_form` is the null hypothesis with its nouns in braces, which it may be given by as well.
    """

    test: str
    variant: str
    null: str
    statistic: Statistic | None = None
    df: tuple[float, ...] | None = None
    p: Share | None = None
    models: tuple[str, ...] = ()
    p_adjusted: Share | None = None
    reject: bool | None = None
    estimate: Difference | None = None
    simultaneous: SimultaneousInterval | None = None
    effects: tuple[Effect, ...] = ()
    table: tuple[tuple[int, int], tuple[int, int]] | None = None
    clusters: Clusters | None = None
    side: Annotated[str, one_of(("greater", "less"))] | None = None
    extra: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    status: Annotated[str, one_of(STATUSES)] = "computed"
    lacking: Lacking | None = None
    disagreements: tuple[Disagreement, ...] = ()
    n_common: int | None = None
    null_form: str = ""

    def __post_init__(self) -> None:
        if "{" in self.null:
            force_setattr(self, "null_form", self.null)
            force_setattr(self, "null", filled(self.null))

    @property
    def pvalue(self) -> float | None:
        """The p-value, under its name in scipy."""
        return self.p

    @property
    def confidence_interval(self) -> ConfidenceInterval | None:
        """The interval of the difference; None if the test does not estimate a difference."""
        found = self.estimate
        return None if found is None else ConfidenceInterval(found.low, found.high)

    @property
    def mc_se(self) -> float | None:
        """The Monte Carlo error of a p from random draws; None or 0 if it is exact."""
        found = self.extra.get("mc_se")
        return found if isinstance(found, float | int) else None

    def __repr__(self) -> str:
        return printed.facts_of_test(self).text()

    def _repr_html_(self) -> str:
        return printed.facts_of_test(self).html()


NOT_RUN = "not computed"
"""The variant of a test that could not be run, and the beginning of its note."""
POSTERIOR = ("p_first", "p_rope", "p_second")
OF_P = frozenset(
    {"p_chi2", "p_corrected", "p_exact", "p_midp", "p_sign_flip", "p_smallest", "mc_se"}
) | {*POSTERIOR}
"""The further values that tell the p of a test or the probabilities of a posterior."""


def not_computed(
    test: str, null: str, lacking: Lacking, models: tuple[str, ...] = ()
) -> HypothesisTestResult:
    """Return the result of a test that could not be run."""
    return HypothesisTestResult(
        test,
        NOT_RUN,
        null,
        models=models,
        notes=(f"{NOT_RUN}: {lacking.reason}",),
        status="not_computed",
        lacking=lacking,
    )


def with_status(result: HypothesisTestResult) -> HypothesisTestResult:
    """Set the status of a test that was run: computed or undefined."""
    decided = result.p is not None or any(result.extra.get(k) is not None for k in POSTERIOR)
    return result if decided else replace(result, status="undefined")


NOTE = "p is one-sided, the interval two-sided"


def with_side(result: HypothesisTestResult, side: str) -> HypothesisTestResult:
    """Set the side of a one-sided test, and state it in its variant and null hypothesis."""
    of_variant, of_null = _words_of_side(side)
    null = result.null_form or result.null
    if result.side is not None:
        null = null.removesuffix(_words_of_side(result.side)[1])
    notes = result.notes if NOTE in result.notes else (*result.notes, NOTE)
    return replace(
        result,
        side=side,
        variant=variant_without_side(result) + of_variant,
        null=null + of_null,
        notes=notes,
    )


def variant_without_side(result: HypothesisTestResult) -> str:
    """Return the variant of a test as it is without its side."""
    of_side = "" if result.side is None else _words_of_side(result.side)[0]
    return result.variant.removesuffix(of_side)


def _words_of_side(side: str) -> tuple[str, str]:
    """Return how the variant and the null hypothesis of a one-sided test end."""
    word = "larger" if side == "greater" else "smaller"
    against = f"; only a {word} value of the first model speaks against it"
    return f", one-sided: {side}", against


class Ranks(Struct, frozen=True):
    """Average ranks over data sets, the critical difference, wins, ties and losses.

    `intervals` are those of the average ranks over resampled data sets; it is empty if there are
    too few data sets.
    """

    average: Mapping[str, float]
    n: int
    critical_difference: float | None
    win_tie_loss: tuple[tuple[str, str, int, int, int], ...]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
