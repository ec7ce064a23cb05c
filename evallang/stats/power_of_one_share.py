"""What the binomial test of one error rate can show, by its exact distribution."""

from __future__ import annotations

from typing import Literal

import scipy

from evallang.stats.planned_power import Answer, PowerDeclaration, Question, Stated
from evallang.stats.power import (
    PowerAnalysis,
    checked_target,
    least_size,
    required_size,
    smallest_difference,
    stated,
)
from evallang.stats.validation import MOST_COUNTED, word

Side = Literal["two_sided", "greater", "less"]
METHOD = "exact binomial"


def binomial_power(
    difference: float | Literal["observed"],
    threshold: float,
    n: int,
    alpha: float = 0.05,
    *,
    alternative: Side = "greater",
) -> PowerAnalysis:
    """Return the power of the binomial test for an error rate beyond the threshold.

    The error rate is `difference` above the threshold, with `alternative=less` below it. Raises
    `ValueError` where that is not a rate, the threshold or the level is out of range, or the
    observed difference is asked for.
    """
    gap = abs(stated(difference))
    word(alternative, ("two_sided", "greater", "less"), "alternative")
    if not 0 < threshold < 1 or not 0 < alpha < 1 or not 0 <= n <= MOST_COUNTED:
        raise ValueError("a threshold and a level lie between 0 and 1, and n is 0 or more")
    rate = threshold - gap if alternative == "less" else threshold + gap
    if not 0 <= rate <= 1:
        raise ValueError("the threshold and the difference give an error rate from 0 to 1")
    level = alpha / 2 if alternative == "two_sided" else alpha
    power = 0.0
    if alternative != "less":
        power += _upper(_least_rejected(n, threshold, level), n, rate)
    if alternative != "greater":  # few errors are many right answers
        power += _upper(_least_rejected(n, 1 - threshold, level), n, 1 - rate)
    assumed: dict[str, float | int | str] = {"threshold": threshold}
    return PowerAnalysis("binomial", METHOD, n, gap, power, alpha, assumed)


def binomial_detectable(
    threshold: float,
    n: int,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    alternative: Side = "greater",
) -> PowerAnalysis:
    """Return the smallest difference from the threshold that is found with power `target`.

    None, with a note, where none is. Raises `ValueError` as `binomial_power` does.
    """

    def at(gap: float) -> PowerAnalysis:
        return binomial_power(gap, threshold, n, alpha, alternative=alternative)

    most = threshold if alternative == "less" else 1 - threshold
    return smallest_difference(at, most, target, f"{n} examples are too few")


def binomial_size(
    difference: float | Literal["observed"],
    threshold: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    alternative: Side = "greater",
) -> PowerAnalysis:
    """Return the number of examples from which on the power stays at `target` for 5 % more.

    Raises `ValueError` as `binomial_power` does, or where too many would be needed.
    """
    checked_target(target)

    def at(n: int) -> PowerAnalysis:
        return binomial_power(difference, threshold, n, alpha, alternative=alternative)

    return at(least_size(lambda n: (at(n).power or 0.0) >= target, saw_toothed=True))


def _upper(least: int, n: int, rate: float) -> float:
    """Return P(X >= least) for X binomial."""
    if least > n:
        return 0.0
    return 1.0 if least <= 0 else float(scipy.special.betainc(least, n - least + 1, rate))


def _least_rejected(n: int, rate: float, alpha: float) -> int:
    """Return the least number of successes whose upper tail is at most alpha; n + 1 for none."""
    low, high = 0, n + 1  # no tail starts at 0 or less, and none is left above n
    while high - low > 1:
        middle = (low + high) // 2
        if _upper(middle, n, rate) <= alpha:
            high = middle
        else:
            low = middle
    return high


def _answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
    n, alpha, target, gap = question.n, question.alpha, stated.target, stated.difference
    threshold = float(question.options["threshold"])
    given = str(question.options["alternative"]).replace("-", "_")
    side: Side = "less" if given == "less" else "greater" if given == "greater" else "two_sided"
    found = at = None
    notes: tuple[str, ...] = ()
    if n is not None:
        found = binomial_detectable(threshold, n, alpha, target, alternative=side)
        notes = found.notes
        if gap is not None:
            at = binomial_power(gap, threshold, n, alpha, alternative=side)
    needed, more = required_size(
        gap, lambda d: binomial_size(d, threshold, alpha, target, alternative=side)
    )
    direction = "below" if side == "less" else "above"
    answer = Answer(
        METHOD,
        {},
        None if found is None else found.difference,
        power=None if at is None else at.power,
        required_n=needed,
        notes=(
            *notes,
            *more,
            f"the difference is that of the error rate, {direction} the threshold of {threshold:g}",
        ),
    )
    return (answer,)


POWER_OF_ONE_SHARE = PowerDeclaration(_answers)
