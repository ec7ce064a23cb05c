"""Corrections of families of p-values: what each declares, and those that control its error."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import field

from evallang.bibliography import cite
from evallang.registry import Example, Guidance, Registry
from evallang.stats.basics import checked_level, word

P = Sequence[float | None]
Adjusted = tuple[float | None, ...]
DIGITS = 12  # decimals that are left of a level after it was taken from 1


class CorrectionDeclaration(Guidance, frozen=True):
    """What a correction promises.

    Attributes
    ----------
    controls : the family-wise error rate whichever hypotheses are true, the false discovery
        rate, or nothing
    assumes : the dependence between the p-values under which it does
    simultaneous : how intervals can hold for the whole family: `matching` (they exclude no
        difference just where p is rejected), `conservative` (Bonferroni's, which may include 0
        where the adjusted p rejects), `fcr` (false coverage rate over those selected), `resampled`
        (their level comes from the resamples that adjust p, so that they match too)
    adjective : what a report writes before "-adjusted p", such as `Holm`
    adjusts : False where the p-values stay as they are
    single_step : True where every hypothesis is decided at the same level
    strictest : the level of one of m hypotheses at the strictest step: alpha / m (`share`),
        1 - (1 - alpha)^(1/m) (`product`), alpha / m over 1 + 1/2 + ... + 1/m (`harmonic`)
    drawn_by : the option and its value by which it adjusts by rounds drawn by chance
    of_test : the only test whose p-values it adjusts, or empty
    most_models : of how many models it adjusts the pairs at most, None without a limit
    default : True for the correction of a family without a stated correction
    """

    controls: Literal["fwer", "fdr"] | None
    assumes: Literal["any", "independence", "positive"]
    simultaneous: Literal["matching", "conservative", "fcr", "resampled"] | None
    adjective: str = ""
    adjusts: bool = True
    single_step: bool = False
    strictest: Literal["share", "product", "harmonic"] = "share"
    drawn_by: Mapping[str, str] = field(default_factory=dict)
    of_test: str = ""
    most_models: int | None = None
    default: bool = False


CORRECTIONS: Registry[CorrectionDeclaration] = Registry("correction", "evallang.stats.corrections")
"""All corrections for multiple hypotheses, by canonical name."""


def joint_default() -> str:
    """Return the correction by joint resamples."""
    return next(e.name for e in CORRECTIONS if e.declaration.simultaneous == "resampled")


def default_correction() -> str:
    """Return the name of the correction of a family without a stated correction."""
    return next(entry.name for entry in CORRECTIONS if entry.declaration.default)


def simultaneous_level(
    correction: str, level: float, m: int, rejected: int | None = None
) -> float | None:
    """Return the level of single intervals that hold together at `level` over m hypotheses.

    `rejected` is the number R that `fdr_bh` and `fdr_by` selected: intervals for those at
    1 - R q/m have the false coverage rate q = 1 - level (Benjamini & Yekutieli 2005). None
    where there is no such level: no correction, nothing selected, or one that is found from
    resamples (`joint_corrections.single_level`). Raises `ValueError` for an unknown correction,
    where m < 1, or `rejected` is missing.
    """
    word(correction, CORRECTIONS.names(), "correction")
    declared = CORRECTIONS[correction].declaration
    kind = declared.simultaneous
    alpha = 1 - checked_level(level)
    if not 1 <= m < math.inf or not 0 <= (rejected or 0) <= m:
        raise ValueError("a family holds at least one hypothesis, and no more are rejected")
    if kind is None or kind == "resampled":
        return None
    if kind == "fcr":
        if rejected is None:
            raise ValueError(f"{correction} needs the number of rejected hypotheses")
        share = alpha / (m * (harmonic(m) if declared.strictest == "harmonic" else 1.0))
        return 1 - rejected * share if rejected else None
    if kind == "matching" and declared.strictest == "product":
        return float(level ** (1 / m))
    return 1 - alpha / m


# Ten p-values with their adjusted values, out of R's multtest and p.adjust
TEN_P = (
    0.838541367553,
    0.642193923795,
    0.680845947633,
    0.967833824309,
    0.71626938238,
    0.177096952723,
    5.23656777208e-005,
    0.0202732688798,
    0.00028140506198,
    0.0149877310796,
)
MULTTEST = (
    "pval0 in statsmodels 0.15.0, stats/tests/test_multi.py, computed with R packages multtest "
    "and stats"
)


NO_P_VALUES = "p-values lie between 0 and 1, or are None where undefined"


def published_by_r(at_6: float, at_7: float, at_8: float, at_9: float) -> tuple[Example, ...]:
    """Expect the adjusted values of the four smallest p, at their places."""
    return (Example((TEN_P,), {"6": at_6, "7": at_7, "8": at_8, "9": at_9}, MULTTEST, 5e-9),)


def apply_in_order(p: P, rule: Callable[[list[float]], list[float]]) -> Adjusted:
    """Apply a rule on ascending p-values, cap at 1, and hand them back in their own order.

    Raises `ValueError` where a p-value is not between 0 and 1.
    """
    given = p_values(p)
    values = [1.0 if x is None else x for x in given]
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted: list[float | None] = [None] * len(values)
    for place, value in zip(order, rule([values[i] for i in order]), strict=True):
        adjusted[place] = None if given[place] is None else min(max(value, values[place]), 1.0)
    return tuple(adjusted)


def p_values(p: P) -> list[float | None]:
    """Read p-values by their places, whatever index a column of a frame has.

    Raises `ValueError` where one is not between 0 and 1.
    """
    try:
        given = p.tolist() if hasattr(p, "tolist") else p  # None for what is masked
        found = [None if x is None else float(x) for x in given]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(NO_P_VALUES) from None
    if not all(x is None or 0.0 <= x <= 1.0 for x in found):
        raise ValueError(NO_P_VALUES)
    return found


def step_down(values: list[float]) -> list[float]:
    """Raise each value to at least the one before it, from the smallest p up."""
    for i in range(1, len(values)):
        values[i] = max(values[i], values[i - 1])
    return values


def step_up(values: list[float]) -> list[float]:
    """Lower each value to at most the one after it, from the largest p down."""
    for i in range(len(values) - 2, -1, -1):
        values[i] = min(values[i], values[i + 1])
    return values


def harmonic(m: int) -> float:
    """Return 1 + 1/2 + ... + 1/m."""
    return sum(1 / i for i in range(1, m + 1))


# fmt: off
FORTY_P = (
    0.00116, 0.00924, 0.01075, 0.01437, 0.01784, 0.01918, 0.02751, 0.02871, 0.03054, 0.03246,
    0.04259, 0.06879, 0.0691, 0.08081, 0.08593, 0.08993, 0.09386, 0.09412, 0.09718, 0.09758,
    0.09781, 0.09788, 0.13282, 0.20191, 0.21757, 0.24031, 0.26061, 0.26762, 0.29474, 0.32901,
    0.41386, 0.51479, 0.52461, 0.53389, 0.56276, 0.62967, 0.72178, 0.73403, 0.87182, 0.95384,
)
# fmt: on


@CORRECTIONS.register(
    CorrectionDeclaration(
        None,
        "any",
        None,
        adjusts=False,
        when="there is a single hypothesis, or the comparison is exploratory",
        when_not="any of several hypotheses may be claimed: holm, the default",
        formula="p as it is",
    ),
    title="No correction",
    name="uncorrected",
    references=(),
    examples=(Example((TEN_P,), {"6": TEN_P[6]}, "own derivation: p itself"),),
)
def uncorrected(p: P) -> Adjusted:
    """Leave the p-values as they are."""
    return apply_in_order(p, lambda sorted_p: sorted_p)


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "any",
        "matching",
        adjective="Bonferroni",
        single_step=True,
        when="intervals must agree with the decisions",
        when_not="in all other cases: holm",
        formula="each p times the number of hypotheses, at most 1",
        differs={
            "deep-significance": (
                "bonferroni_correction hands p-values back to other hypotheses; here each "
                "keeps its place"
            ),
        },
    ),
    title="Bonferroni correction",
    references=(cite("dunn1961"),),
    examples=published_by_r(
        5.236567772e-04,
        2.027326887e-01,
        2.814050619e-03,
        1.498773107e-01,
    ),
)
def bonferroni(p: P) -> Adjusted:
    """Multiply every p-value by the size of the family."""
    return apply_in_order(p, lambda ps: [len(ps) * x for x in ps])


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "any",
        "conservative",
        adjective="Holm",
        default=True,
        when="always: it is the default for every family",
        when_not=(
            "all pairs of models are compared: shaffer, which is never less powerful because "
            "it uses the logical relations among the pairs"
        ),
        formula=(
            "from the smallest p up: p times the number of hypotheses not yet treated, never "
            "below the value before"
        ),
        differs={
            "aeon": (
                "its `holm` compares one-sided p-values with alpha / (models - 1), and its "
                "multi-comparison matrix does not stop at the first failure; both reject "
                "more than Holm's procedure"
            ),
            "critdd": "its adjusted p-values are not stopped at 1",
        },
    ),
    title="Holm's step-down correction",
    references=(cite("holm1979"),),
    examples=published_by_r(
        5.236567772e-04,
        1.419128821e-01,
        2.532645557e-03,
        1.199018486e-01,
    ),
)
def holm(p: P) -> Adjusted:
    """Bonferroni step by step from the smallest p: uniformly more powerful, no assumption."""
    return apply_in_order(p, lambda ps: step_down([(len(ps) - i) * x for i, x in enumerate(ps)]))


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "independence",
        "matching",
        adjective="Šidák",
        single_step=True,
        strictest="product",
        when="tests are independent, and intervals must agree with the decisions",
        when_not="tests are dependent, as are pairs that share a model: bonferroni, holm",
        formula="1 - (1 - p) to the power of the number of hypotheses",
    ),
    title="Šidák correction",
    references=(cite("sidak1967"),),
    examples=published_by_r(
        5.235333970e-04,
        1.852027094e-01,
        2.810489796e-03,
        1.401624658e-01,
    ),
)
def sidak(p: P) -> Adjusted:
    """Return 1 - (1 - p)^m, exact for m independent tests."""
    return apply_in_order(p, lambda ps: [_complement_of_power(x, len(ps)) for x in ps])


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "independence",
        "conservative",
        adjective="Holm–Šidák",
        strictest="product",
        when="tests are independent",
        when_not="in all other cases: holm",
        formula=(
            "from the smallest p up: 1 - (1 - p) to the power of the number of hypotheses "
            "not yet treated, never below the value before"
        ),
    ),
    title="Holm–Šidák step-down correction",
    references=(cite("holland1987"),),
    examples=published_by_r(
        5.235333970e-04,
        1.335675619e-01,
        2.529796631e-03,
        1.137971967e-01,
    ),
)
def holm_sidak(p: P) -> Adjusted:
    """Šidák's correction step by step from the smallest p."""
    return apply_in_order(
        p, lambda ps: step_down([_complement_of_power(x, len(ps) - i) for i, x in enumerate(ps)])
    )


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "positive",
        "conservative",
        adjective="Hochberg",
        when="tests are independent or positively dependent",
        when_not=(
            "all pairs of models are compared, because their tests depend on each other: holm"
        ),
        formula=(
            "from the largest p down: p times the number of hypotheses not below it, never "
            "above the value before"
        ),
    ),
    title="Hochberg's step-up correction",
    references=(cite("hochberg1988"),),
    examples=published_by_r(
        5.236567772e-04,
        1.419128821e-01,
        2.532645557e-03,
        1.199018486e-01,
    ),
)
def hochberg(p: P) -> Adjusted:
    """Holm's steps taken from the largest p down, valid under positive dependence."""
    return apply_in_order(p, lambda ps: step_up([(len(ps) - i) * x for i, x in enumerate(ps)]))


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "positive",
        "conservative",
        adjective="Hommel",
        when=("tests are independent or positively dependent, and the power should be the largest"),
        when_not=(
            "all pairs of models are compared, because their tests depend on each other: holm"
        ),
        formula=(
            "the smallest level at which every set of hypotheses that holds this one is "
            "rejected by Simes' inequality"
        ),
    ),
    title="Hommel's correction",
    references=(cite("hommel1988"),),
    examples=(
        Example(
            (FORTY_P,),
            {"0": 0.0464, "1": 0.25872, "3": 0.3495714285714286, "9": 0.6492, "39": 0.95384},
            "statsmodels 0.15.0, stats/tests/test_multi.py, test_hommel, computed with R p.adjust",
            1e-15,
        ),
    ),
)
def hommel(p: P) -> Adjusted:
    """The closed test of all intersections by Simes' inequality, valid as Hochberg's is."""
    return apply_in_order(p, _hommel)


@CORRECTIONS.register(
    CorrectionDeclaration(
        None,
        "independence",
        "conservative",
        adjective="Finner",
        strictest="product",
        when="you reproduce a published analysis",
        when_not=(
            "every single claim must hold: holm; it controls the family-wise error only if all "
            "hypotheses are true, and exceeds it if some are false (docs/validation.md)"
        ),
        formula=(
            "from the smallest p up: 1 - (1 - p) to the power of m over its rank, never "
            "below the value before"
        ),
    ),
    title="Finner's step-down correction",
    references=(cite("finner1993"),),
    examples=(
        Example(
            ((0.01, 0.04, 0.5),),
            {"0": 1 - 0.99**3, "1": 1 - 0.96**1.5, "2": 0.5},
            "own derivation: 1 - (1 - p)^(m/rank) by hand",
        ),
    ),
)
def finner(p: P) -> Adjusted:
    """Return 1 - (1 - p)^(m/rank) step by step from the smallest p.

    The chance of a false rejection is at most alpha where all hypotheses are true and the
    tests independent. It is not when others are false: with half of ten hypotheses false and
    found, the smallest p of the others is held against 1 - (1 - alpha)^.6.
    """
    return apply_in_order(
        p,
        lambda ps: step_down(
            [_complement_of_power(x, len(ps) / (i + 1)) for i, x in enumerate(ps)]
        ),
    )


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "independence",
        "conservative",
        adjective="Li",
        when="the largest p-value is below one half",
        when_not="the largest p-value is near 1, where it has no power: holm",
        formula="p divided by p + 1 less the largest p of the family",
    ),
    title="Li's two-step correction",
    references=(cite("li2008"),),
    examples=(
        Example(
            ((0.01, 0.04, 0.5),),
            {"0": 0.01 / 0.51, "1": 0.04 / 0.54, "2": 0.5},
            "own derivation: p / (p + 1 - largest p) by hand",
        ),
    ),
)
def li(p: P) -> Adjusted:
    """Return p / (p + 1 - largest p)."""
    return apply_in_order(p, lambda ps: [x / (x + (1 - ps[-1])) if x > 0 else 0.0 for x in ps])


def _hommel(p: list[float]) -> list[float]:
    """Largest Simes p over the sizes of intersections, as R's p.adjust computes it."""
    m = len(p)
    adjusted = list(p)
    for size in range(2, m + 1):
        top = m - size + 1  # with the size - 1 largest, each of the first `top` makes a set
        simes = min(size * p[top + i] / (i + 2) for i in range(size - 1))
        for i in range(m):
            value = min(size * p[i], simes) if i < top else min(size * p[top - 1], simes)
            adjusted[i] = max(adjusted[i], value)
    return adjusted


def _complement_of_power(p: float, power: float) -> float:
    """1 - (1 - p)^power without cancellation."""
    return 1.0 if p >= 1 else -math.expm1(power * math.log1p(-p))


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fdr",
        "positive",
        "fcr",
        adjective="Benjamini–Hochberg",
        when=("there are many hypotheses, and a share of false discoveries is acceptable"),
        when_not="every single claim must hold: holm",
        formula=(
            "from the largest p down: p times the number of hypotheses over its rank, never "
            "above the value before"
        ),
    ),
    title="Benjamini–Hochberg correction",
    references=(cite("benjamini1995"),),
    examples=published_by_r(
        5.236567772e-04,
        5.068317219e-02,
        1.407025309e-03,
        4.995910359e-02,
    ),
)
def fdr_bh(p: P) -> Adjusted:
    """Control the expected share of false discoveries, m p / rank from the largest down."""
    return apply_in_order(p, lambda ps: step_up([len(ps) * x / (i + 1) for i, x in enumerate(ps)]))


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fdr",
        "any",
        "fcr",
        adjective="Benjamini–Yekutieli",
        strictest="harmonic",
        when="as for fdr_bh, under any dependence",
        when_not="there are few hypotheses: holm",
        formula="as fdr_bh, times 1 + 1/2 + ... + 1/m",
    ),
    title="Benjamini–Yekutieli correction",
    references=(cite("benjamini2001"),),
    examples=published_by_r(
        1.533774076e-03,
        1.484494023e-01,
        4.121132465e-03,
        1.463286284e-01,
    ),
)
def fdr_by(p: P) -> Adjusted:
    """Benjamini and Hochberg's correction times 1 + 1/2 + ... + 1/m, under any dependence."""
    return apply_in_order(
        p,
        lambda ps: step_up([len(ps) * harmonic(len(ps)) * x / (i + 1) for i, x in enumerate(ps)]),
    )
