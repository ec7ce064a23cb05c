"""Permutation and bootstrap tests of the difference of any metric of two models."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.evidence import COUNTS, LOSSES_PER_ROW, ONE_PREDICTION_PER_ROW, SCORES_PER_ROW
from evallang.registry import Bounds, Example, Situation
from evallang.results.statistics import Difference, HypothesisTestResult, Summary
from evallang.stats.basics import (
    Alternative,
    checked_level,
    halved,
    one_sided,
    p_of_equal_signs,
)
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.swapping import LossSwapper, Swapper
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.resampling import (
    PairedCountSample,
    ResampledBounds,
    share_right,
    what_rounds_are_for,
)
from evallang.stats.intervals.series import dependence_beyond
from evallang.stats.power import power_by_form
from evallang.stats.power_of_metrics import (
    POWER_OF_DELONG,
    POWER_OF_DRAWN_COUNTS,
    POWER_OF_SWAPPED_COUNTS,
    POWER_OF_T,
)
from evallang.stats.power_of_pairs import (
    POWER_OF_DRAWN_CORRECTNESS,
    POWER_OF_SWAPPED_CORRECTNESS,
)
from evallang.stats.validity import ENOUGH_GROUPS, OF_SKEWED_LOSSES, OF_TRUE, Counted, Holds

PER_EXAMPLE = frozenset(
    {
        ONE_PREDICTION_PER_ROW,
        LOSSES_PER_ROW,
        SCORES_PER_ROW,
        COUNTS,
    }
)
EXCHANGEABLE = "the outputs of the two {models} are exchangeable for each {example}"
EXCHANGEABLE_UNDER_CV = (
    "the outputs of the fitted models of the folds are exchangeable for each {example}; the "
    "conclusion does not extend to new training sets"
)
EQUAL = "the {metric} has the same value for both {models}"
EQUAL_UNDER_CV = (
    "the average value of the {metric} over these folds is the same for both learning algorithms; "
    "the conclusion does not extend to new training sets"
)
EXACT_UP_TO = 1 << 20  # arrangements enumerated instead of drawn
TIE = 1e-12  # relative; the same difference reached by another order of sums
INVERSION = "inverted_swaps"
SHIFTED = "shifted_swaps"
NO_INVERSION = (
    "the interval shifts the permutation distribution to the observed difference, because the test "
    "cannot be inverted for a metric that is not a mean over the examples"
)
SMALLEST_ALPHA = 1e-9  # beyond what any number of rounds resolves


BOOTSTRAP_VARIANTS = {
    f"{method}, {unit}": f"{words} bootstrap of {unit}"
    for method, words in (("bca", "bias-corrected accelerated"), ("percentile", "percentile"))
    for unit in ("examples", "groups")
}
"""Printed words of the forms of the bootstrap test."""


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        PER_EXAMPLE,
        EXCHANGEABLE,
        intervals={
            INVERSION: "interval of the inverted permutation test",
            SHIFTED: "interval of the shifted permutation test",
        },
        series=(("block", 5),),
        longer="write longer blocks, or `diebold_mariano(newey_west)`",
        drawn=True,
        jointly="swapped",
        power=power_by_form(
            {
                "proportion": POWER_OF_SWAPPED_CORRECTNESS,
                "auc": POWER_OF_DELONG,
                "losses": POWER_OF_T,
                "drawn": POWER_OF_SWAPPED_COUNTS,
            }
        ),
        least_p=p_of_equal_signs,
        proposed=5,
        null_under_cv=EXCHANGEABLE_UNDER_CV,
        clustered=True,
        averaged=1,
        weights=True,
        holds=OF_SKEWED_LOSSES,
        when=(
            "two models are compared on the same examples by any metric, with few examples or "
            "heavy tails"
        ),
        when_not=(
            "the metric is accuracy: mcnemar; the models differ in more than the metric, such "
            "as in the spread of their errors: bootstrap"
        ),
        differs={
            "mlxtend": "its permutation_test gives no Monte Carlo error, and is one-sided "
            "where it is told so by a function of signed differences",
            "MLstatkit": "its p-value can be 0; here it is at least 1/(1 + rounds)",
        },
        formula=(
            "swap the two models' outputs within examples by fair coin flips, and take the "
            "difference of the metric each time; p is the share of permutations with a difference "
            "at least as large as the observed one, which is counted among them, on either side"
        ),
        first_for={Situation.SAME_ROWS: 1},
    ),
    title="Paired permutation test",
    references=(
        cite("edgington2007"),
        cite("bandos2005", "roc_auc"),
        cite("phipson2010", "rounds"),
    ),
    examples=lambda: (
        Example(
            (
                LossSwapper((1.0, 2.0, 3.0, 4.0), (0.0, 0.0, 0.0, 0.0), shares=(0.25,) * 4),
                0.95,
                1,
            ),
            {"p": 2 / 16, "estimate.value": 2.5, "extra.mc_se": 0.0},
            "own derivation: of the 16 signs of 1, 2, 3, 4 two give a sum of 10 or -10",
        ),
    ),
)
def permutation(
    swapper: Swapper,
    level: float = 0.95,
    seed: int = 0,
    *,
    rounds: Annotated[int, Bounds(least=2)] = 10_000,
    block: Annotated[int | None, Bounds(least=1)] = None,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Test a difference by swapping the outputs of the two models within examples.

    With `alternative=greater` (`less`) only larger (smaller) values of the first count. Where
    there are at most about a million distinct outcomes they are all counted, each with its
    probability, else p = (1 + count)/(1 + rounds) (Phipson & Smyth 2010), with its Monte
    Carlo error in `extra.mc_se`. Scores of ranking metrics are replaced by ranks before
    (Bandos, Rockette & Gur 2005). `swapper` does both. `block` swaps that many
    consecutive examples as a whole, for series. Swaps under which the metric is undefined
    count as at least as large. The interval of a difference of means is the inversion of the
    test, from the same swaps: the differences that, taken from every example, are not
    rejected. For other metrics the test cannot be inverted: the interval shifts the permutation
    distribution to the observed difference, with a note. Raises `ValueError` where `rounds`
    or `block` is below 1, or the swapper has no order to make blocks of.
    """
    checked_level(level)
    if not hasattr(swapper, "arrangements"):
        raise ValueError(
            "a permutation test takes a swapper of the two models' outputs, such as "
            "`LossSwapper(first, second)` or `ScoreSwapper(truth, first, second)`"
        )
    if block is not None:
        swapper = swapper.in_blocks(block)
    observed = swapper.estimate()
    variant = f"swapped {swapper.unit}"
    null = EXCHANGEABLE.replace("{example}", swapper.unit.removesuffix("s"))
    if not math.isfinite(observed):
        return HypothesisTestResult(
            test="permutation",
            variant=variant,
            null=null,
            estimate=Difference(Summary.DIFFERENCE, None, None, None, level, "none"),
            notes=("undefined: a model has no finite value of the metric on the sample itself",),
        )
    every = swapper.arrangements(EXACT_UP_TO)
    extra: dict[str, float | int]
    if every is None:
        drawn = swapper.replicates(np.random.default_rng(seed), rounds)
        undefined = int((~np.isfinite(drawn)).sum())
        count = int(_as_large(drawn, observed, alternative).sum())
        p = (1 + count) / (1 + rounds)
        extra = {"mc_se": math.sqrt(p * (1 - p) / (1 + rounds)), "rounds": rounds}
        notes: tuple[str, ...] = (
            (f"undefined in {undefined} of {rounds} permutations, counted as at least as large",)
            if undefined
            else ()
        )
    else:
        values, chances = every
        variant += ", exact"
        p = min(float(chances[_as_large(values, observed, alternative)].sum()), 1.0)
        extra = {"mc_se": 0.0, "arrangements": len(values)}
        notes = (
            ("undefined in some permutations, which count as at least as large",)
            if not np.isfinite(values).all()
            else ()
        )
        if len(values) == 1:
            notes = (*notes, "the outputs of the two models do not differ")
    beyond = None if swapper.series is None else dependence_beyond(swapper.series, 1)
    if beyond is not None:
        notes = (*notes, f"between blocks: {beyond.note}")
        extra |= beyond.facts
    low, high, draws, more = _not_rejected(swapper, observed, level, seed, rounds)
    notes = (*notes, *more)
    method = SHIFTED if swapper.shift is None else INVERSION
    result = HypothesisTestResult(
        test="permutation",
        variant=variant,
        null=null,
        p=p,
        estimate=Difference(Summary.DIFFERENCE, observed, low, high, level, method, draws=draws),
        extra=extra,
        notes=notes,
    )
    return one_sided(result, alternative)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        PER_EXAMPLE,
        EQUAL,
        default_for=frozenset({"drawn"}),
        rounds_for=what_rounds_are_for,
        jointly="drawn",
        power=power_by_form(
            {
                "proportion": POWER_OF_DRAWN_CORRECTNESS,
                "auc": POWER_OF_DELONG,
                "losses": POWER_OF_T,
                "drawn": POWER_OF_DRAWN_COUNTS,
            }
        ),
        variants=BOOTSTRAP_VARIANTS,
        null_under_cv=EQUAL_UNDER_CV,
        clustered=True,
        weights=True,
        holds=(
            Holds(
                Counted.EXAMPLES,
                20,
                f"the test rejected 12 to 28% {OF_TRUE}; `permutation` is exact",
                refused=True,
            ),
            Holds(Counted.EXAMPLES, 100, f"the test rejected up to 10% {OF_TRUE}"),
            Holds(Counted.RAREST, 100, f"the test rejected 8 to 17% {OF_TRUE}"),
            Holds(Counted.OUTSIDE, 20, f"the test rejected 7 to 66% {OF_TRUE}"),
            Holds(
                Counted.WEIGHTED,
                200,
                "coverage of 95% intervals of weighted means was 91 to 93% in simulations",
            ),
            Holds(Counted.TAIL, 20, f"the test rejected 9 to 25% {OF_TRUE}"),
            Holds(Counted.GROUPS, ENOUGH_GROUPS, f"the test rejected 7 to 12% {OF_TRUE}"),
        ),
        when=(
            "two models are compared on the same examples by any metric, and the test should "
            "agree with its interval"
        ),
        when_not=(
            "there are fewer than about 50 examples, or the metric is at the end of its range: "
            "permutation"
        ),
        differs={
            "deep-significance": "its p is a count over rounds and can be 0; here it comes from "
            "the interval and is at least 2/(rounds + 1)",
            "rliable": "it takes no notice of its seed; here the same seed gives the same p",
        },
        formula=(
            "draw the examples with replacement, with both models' outputs, and take the "
            "difference of the metric each time; p is the smallest alpha at which the "
            "bootstrap interval of level 1 - alpha leaves 0 out"
        ),
    ),
    title="Paired bootstrap test",
    references=(cite("efron1994"), cite("efron1987", "bca")),
    examples=lambda: (
        Example(
            (
                PairedCountSample(
                    (((20, 10), (10, 0)), ((0, 10), (10, 40))), share_right, (-1.0, 1.0)
                ),
                0.95,
                1,
            ),
            {"estimate.value": 0.0, "p": 1.0},
            "own derivation: 10 + 10 discordant examples on either side, so that half of all "
            "resamples lie below 0",
            options={"method": "percentile"},
        ),
    ),
)
def bootstrap(
    sample: Resampler,
    level: float = 0.95,
    seed: int = 0,
    *,
    method: Literal["bca", "percentile"] = "bca",
    rounds: Annotated[int, Bounds(least=2)] = 10_000,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Test a difference by the level of the bootstrap interval that just excludes 0.

    p and interval agree (Efron & Tibshirani 1994, chapter 15); p is never below 2/(rounds + 1).
    With `alternative=greater` (`less`) it is half of that, or 1 less half of it where the
    difference lies on the other side. Examples, or groups, are drawn with both models' outputs,
    which keeps them paired. `sample` is the difference, first minus second. Raises `ValueError`
    where `rounds` is below 2.
    """
    checked_level(level)
    if not hasattr(sample, "replicates"):
        raise ValueError(
            "a bootstrap test takes a sample of the difference, such as "
            "`DifferenceSample(LossSample(first), LossSample(second))`"
        )
    drawn = ResampledBounds(sample, seed, method, rounds)
    interval, observed = drawn.interval(level), drawn.estimate
    defined = math.isfinite(observed)
    p = _p_of_intervals(drawn) if interval.low is not None else None
    extra: dict[str, float | int] = {"rounds": rounds}
    if p is not None:
        p = max(p, 2 / (rounds + 1))
        both = 2 if alternative == "two_sided" else 1
        extra["mc_se"] = both * math.sqrt(p / 2 * (1 - p / 2) / rounds)
        p = halved(p, observed, alternative)
    result = HypothesisTestResult(
        test="bootstrap",
        variant=f"{method}, {sample.unit}",
        null=EQUAL,
        p=p,
        estimate=Difference(
            Summary.DIFFERENCE,
            observed if defined else None,
            interval.low,
            interval.high,
            level,
            interval.method,
            interval.resamples,
            interval.draws,
        ),
        extra=extra,
        notes=interval.notes,
    )
    return one_sided(result, alternative)


def _not_rejected(
    swapper: Swapper, observed: float, level: float, seed: int, rounds: int
) -> tuple[float | None, float | None, int | None, tuple[str, ...]]:
    """Return the bounds of the differences that a two-sided test does not reject, and notes.

    The third is the number of swaps that were drawn, None where all are counted.

    With d subtracted from the difference of every example, swaps give A - d M in place of
    `observed` - d, where A is the difference after the swaps and M that of a difference of 1.
    They are at least as far from 0 for every d up to a bound on either side, in closed form,
    so that p falls towards both sides and the interval is exact for these swaps. Without a
    shift, A is taken for the difference after the swaps whatever d is.
    """
    own, shift = 0.0, swapper.shift
    every = (swapper.arrangements if shift is None else swapper.shifted)(EXACT_UP_TO)
    if every is not None:
        sides, chances = list(every[0].T) if shift is not None else [every[0]], every[1]
    else:
        takers = (swapper,) if shift is None else (swapper, shift)
        sides = [one.replicates(np.random.default_rng(seed), rounds) for one in takers]
        own, chances = 1 / (1 + rounds), np.full(rounds, 1 / (1 + rounds))
    # Largest |d - observed| on either side at which each swap is at least as far from 0
    alike = np.abs(sides[0])
    reached = (alike, alike) if shift is None else _reached(sides[0], sides[1], observed)
    bounds = []
    for side, far in zip((-1.0, 1.0), reached, strict=True):
        far[~np.isfinite(far)] = math.inf
        found = _upper_quantile(far, chances, (1 - level) * (1 + TIE) - own)
        bound = observed + side * (math.inf if own > 1 - level else found)
        same = math.isfinite(bound) and abs(bound) <= TIE * max(abs(observed), found)
        bounds.append(0.0 if same else bound)
    low, high = bounds
    notes = (NO_INVERSION,) if shift is None else ()
    if not (math.isfinite(low) and math.isfinite(high)):
        few = "no interval: there are too few permutations to exclude any difference"
        return None, None, None, (few,)
    return low, high, rounds if every is None else None, notes


def _upper_quantile(
    values: NDArray[np.float64], chances: NDArray[np.float64], limit: float
) -> float:
    """Return the largest value that is reached with a chance above `limit`, 0 without one.

    It is narrowed down between quantiles of some of the values, of which there may be a million.
    """
    while len(values):
        step = max(len(values) // 1000, 1)
        some = values[::step]
        order = np.argsort(-some)
        place = np.searchsorted(step * np.cumsum(chances[::step][order]), limit, "right")
        pivot = some[order[min(int(place), len(order) - 1)]]
        above, below = values > pivot, values < pivot
        beyond = float(chances[above].sum())
        reached = beyond + float(chances[~(above | below)].sum())
        if beyond <= limit < reached:
            return float(pivot)
        kept = below if reached <= limit else above
        limit -= reached if reached <= limit else 0.0
        values, chances = values[kept], chances[kept]
    return 0.0


def _reached(
    drawn: NDArray[np.float64], moved: NDArray[np.float64], observed: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far below and above `observed` d may be for a swap to be at least as far from 0.

    That is infinite where a swap moves all examples.
    """
    rest = drawn - observed * moved
    with np.errstate(divide="ignore", invalid="ignore"):
        less, more = rest / (1 - moved), rest / (1 + moved)
    found = np.maximum(less, -more), np.maximum(-less, more)
    for one in found:
        one[np.abs(moved) >= 1 - TIE] = math.inf
    return found


def _as_large(
    values: NDArray[np.float64], observed: float, alternative: Alternative
) -> NDArray[np.bool_]:
    """Return which differences are at least as large as the observed one; undefined ones are."""
    defined = np.isfinite(values)
    scale = max(abs(observed), float(np.abs(values[defined]).max(initial=0.0)))
    known = np.where(defined, values, 0.0)
    if alternative == "two_sided":
        return ~defined | (np.abs(known) >= abs(observed) - TIE * scale)
    side = 1.0 if alternative == "greater" else -1.0
    return ~defined | (side * known >= side * observed - TIE * scale)


def _p_of_intervals(drawn: ResampledBounds) -> float:
    """Find by bisection the smallest alpha at which the interval excludes 0."""

    def leaves_out_zero(alpha: float) -> bool:
        found = drawn.bounds(1 - alpha)
        return found.low is not None and found.high is not None and not found.low <= 0 <= found.high

    inside, outside = SMALLEST_ALPHA, 1 - SMALLEST_ALPHA
    if leaves_out_zero(inside):
        return inside
    if not leaves_out_zero(outside):
        return 1.0
    while outside - inside > 1e-9 * outside:
        middle = (inside + outside) / 2
        if leaves_out_zero(middle):
            outside = middle
        else:
            inside = middle
    return outside
