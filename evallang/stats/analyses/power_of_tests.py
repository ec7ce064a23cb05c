"""Power of the tests of a study, for stated differences and at their corrected level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Literal, cast

from evallang.frozen_records import frozen
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.power import HOENIG_HEISEY_2001, PowerAnalysis, stated
from evallang.stats.power_of_mcnemar import (
    CONNOR_1987,
    Variant,
    mcnemar_detectable,
    mcnemar_power,
    mcnemar_size,
)
from evallang.stats.power_of_t import t_detectable, t_power, t_size
from evallang.stats.simulated_power import RankTest, rank_detectable, rank_power, rank_size

OF_SHARES = frozenset({"mcnemar"})
OF_MEANS = frozenset({"t", "corrected_t", "kfold_t", "resampled_t"})
OF_RANKS = frozenset({"wilcoxon", "sign", "friedman"})
"""Over several data sets: of `wilcoxon` on examples nothing is computed."""
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3)
"""Shares of discordant examples that are looked at where the author states none."""


@frozen
class Question:
    """One test of a study as a power analysis sees it.

    Attributes
    ----------
    test, variant : its name, and the form that is computed
    alpha : level of one comparison, after the correction
    n : examples, folds or data sets; None where only the data tell
    test_train_ratio : of `corrected_t`; None where unknown
    models : how many one test compares
    seed : of a simulation
    """

    test: str
    variant: str
    alpha: float
    n: int | None
    test_train_ratio: float | None = None
    models: int = 2
    seed: int = 0


@frozen
class Answer:
    """What a test can show under one set of assumptions; None is out of reach or not asked.

    Attributes
    ----------
    assumptions : what is assumed besides the difference
    detectable : smallest difference that is found with the power aimed at
    power : that at the stated difference, with its Monte Carlo error where it is simulated
    required_n : examples, folds or data sets for the power aimed at, at the stated difference
    in_sd : True where differences are in standard deviations, because none is stated
    """

    method: str
    assumptions: Mapping[str, float | int | str]
    detectable: float | None = None
    in_sd: bool = False
    power: float | None = None
    mc_se: float | None = None
    required_n: int | None = None
    notes: tuple[str, ...] = field(default=())


@ANALYSES.register(
    AnalysisDeclaration(
        by_lines=True,
        recorded=("target", "difference"),
        when="before the data are collected: how large a difference the tests of a study can find",
        when_not="afterwards, at the difference that was found: read its interval",
        formula="the probability of p at or below the level of one comparison: for McNemar's test "
        "summed over all tables of n examples, of which a stated share is discordant; for t tests "
        "by the noncentral t; for tests on ranks by simulating normal differences",
        example="counts pair\n  models a, b\n  table [[90, 6], [2, 2]]\n"
        "compare a, b with mcnemar\nanalyze power(difference=5%, discordant=10%)\n",
    ),
    title="Power",
    references=(CONNOR_1987, HOENIG_HEISEY_2001),
)
def power(
    question: Question,
    *,
    difference: float | Literal["observed"] | None = None,
    discordant: float | None = None,
    sd: float | None = None,
    n: int | None = None,
    target: float = 0.8,
) -> tuple[Answer, ...]:
    """Power for a stated difference, the smallest difference that is found, and the n it takes.

    `difference` is in the metric's unit. `discordant` is the share of examples on which just
    one of the two models is right (McNemar's test; several are looked at where none is
    stated); `sd` the standard deviation of the differences over examples, folds or data sets
    (t tests and tests on ranks; without it differences are in its unit); `n` stands for the
    number that the data would give; `target` is the power aimed at. Raises `ValueError` for
    the observed difference, assumptions that contradict each other, and for tests whose power
    is not computed.
    """
    gap = None if difference is None else stated(difference)
    size = n if n is not None else question.n
    if question.test in OF_SHARES:
        shares: tuple[float, ...] = SHARES if discordant is None else (discordant,)
        if gap is not None and discordant is None:
            shares = tuple(share for share in shares if share >= abs(gap)) or (abs(gap),)
        return tuple(_of_shares(question, gap, share, size, target) for share in shares)
    if question.test in OF_MEANS:
        return (_of_means(question, gap, sd, size, target),)
    if question.test in OF_RANKS:
        return (_of_ranks(question, gap, sd, size, target),)
    raise ValueError(f"the power of `{question.test}` is not computed")


def _of_shares(
    question: Question, gap: float | None, share: float, n: int | None, target: float
) -> Answer:
    alpha, variant = question.alpha, cast(Variant, question.variant)
    found = None if n is None else mcnemar_detectable(share, n, alpha, target, variant=variant)
    at = None
    if n is not None and gap is not None:
        at = mcnemar_power(gap, share, n, alpha, variant=variant)
    needed, notes = _size(gap, lambda d: mcnemar_size(d, share, alpha, target, variant=variant))
    if found is not None:
        notes = (*notes, *found.notes)
    return Answer(
        f"exact enumeration, {variant}",
        {"discordant": share},
        None if found is None else found.difference,
        power=None if at is None else at.power,
        required_n=needed,
        notes=notes,
    )


def _of_means(
    question: Question, gap: float | None, sd: float | None, n: int | None, target: float
) -> Answer:
    alpha, ratio = question.alpha, 0.0
    assumptions: dict[str, float | int | str] = {} if sd is None else {"sd": sd}
    if question.test == "corrected_t":
        if question.test_train_ratio is None:
            return Answer("noncentral t", assumptions, notes=("the size of the parts is unknown",))
        ratio = question.test_train_ratio
        assumptions["test_train_ratio"] = ratio
    unit = 1.0 if sd is None else sd
    usable = n is not None and n >= 2
    found = (
        t_detectable(unit, cast(int, n), alpha, target, test_train_ratio=ratio) if usable else None
    )
    asked, notes = _in_unit(gap, sd)
    at = None
    if usable and asked is not None:
        at = t_power(asked, unit, cast(int, n), alpha, test_train_ratio=ratio)
    needed, more = _size(asked, lambda d: t_size(d, unit, alpha, target, test_train_ratio=ratio))
    if more and ratio:
        more = ("no number of splits is enough: the parts that a model is trained on overlap",)
    if question.test in ("kfold_t", "resampled_t"):
        more = (*more, "as the test does, this takes the differences for independent")
    return Answer(
        "noncentral t",
        assumptions,
        None if found is None else found.difference,
        power=None if at is None else at.power,
        required_n=needed,
        in_sd=sd is None,
        notes=(*notes, *more),
    )


def _of_ranks(
    question: Question, gap: float | None, sd: float | None, n: int | None, target: float
) -> Answer:
    alpha, seed, models = question.alpha, question.seed, question.models
    test = cast(RankTest, question.test)
    unit = 1.0 if sd is None else sd
    found = at = None
    asked, notes = _in_unit(gap, sd)
    if n is not None:
        found = rank_detectable(test, unit, n, alpha, target, models=models, seed=seed)
        notes = (*notes, *found.notes)
        if asked is not None:
            at = rank_power(test, asked, unit, n, alpha, models=models, seed=seed)
    needed, more = _size(
        asked, lambda d: rank_size(test, d, unit, alpha, target, models=models, seed=seed)
    )
    assumptions: dict[str, float | int | str] = {} if sd is None else {"sd": sd}
    return Answer(
        "simulation of normal differences" if found is None else found.method,
        {**assumptions, "distribution": "normal"},
        None if found is None else found.difference,
        power=None if at is None else at.power,
        mc_se=None if at is None else at.mc_se,
        required_n=needed,
        in_sd=sd is None,
        notes=(*notes, *more),
    )


def _in_unit(gap: float | None, sd: float | None) -> tuple[float | None, tuple[str, ...]]:
    """Return the difference that can be asked about, and what is missing for it."""
    if gap is None or sd is not None:
        return gap, ()
    return None, (f"power at a difference of {gap:g} needs `sd`, and none is stated",)


def _size(
    gap: float | None, find: Callable[[float], PowerAnalysis]
) -> tuple[int | None, tuple[str, ...]]:
    """Return the number that a stated difference takes, and what is missing for it."""
    if not gap:
        return None, ()
    try:
        return find(gap).n, ()
    except ValueError as error:
        return None, (str(error),)
