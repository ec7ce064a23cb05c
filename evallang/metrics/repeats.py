"""Metrics of several answers to one example: whether one, or all, of k of them are right."""

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Bounds, Example

OF_REPEATS = (
    'predictions agents "Agents (synthetic)" from "data/attempts.csv"\n'
    "  id task\n"
    "  repeat attempt\n"
    "  correct planner, reactive\n"
    "\n"
    "measure {}(k=2)\n"
)


@METRICS.register(
    MetricDeclaration(
        "repeats",
        "higher",
        0,
        1,
        unit="percent",
        form="losses",
        of_examples="probabilities that one of k answers is right",
        title_with_options="pass@{k}",
        when="several answers are drawn for each example and one right answer is enough",
        when_not="every answer must be right: pass_all; a single answer is given: accuracy",
        formula=(
            "for each example with c right of n answers, the share of the choices of k answers of "
            "which at least one is right; the mean over the examples"
        ),
        equation=r"\frac{1}{Q} \sum_q 1 - \binom{n_q - c_q}{k} / \binom{n_q}{k}",
        example=OF_REPEATS.format("pass_at"),
    ),
    title="pass@k",
    references=(cite("chen2021"),),
    examples=(
        Example(
            (None, ((2, 5), (0, 5), (4, 5)), None),
            {"value": (0.7 + 0 + 1) / 3},
            "by hand: 1 - 3/10 for two of five, and no two of five are wrong where four are right",
            options={"k": 2},
        ),
    ),
)
def pass_at(
    truth: None, output: ArrayLike, positive: None, *, k: Annotated[int, Bounds(least=1)]
) -> NDArray[np.float64]:
    """The probability that at least one of k answers drawn from those of an example is right.

    One less the choices of k wrong answers over all choices of k answers, without bias (Chen et
    al. 2021). `output` (q, 2) are the numbers of right and of all answers. Raises `ValueError`
    where an example has fewer than k answers.
    """
    right, answers = np.asarray(output, dtype=np.float64).T
    return 1 - _all_of(answers - right, answers, k)


@METRICS.register(
    MetricDeclaration(
        "repeats",
        "higher",
        0,
        1,
        unit="percent",
        form="losses",
        of_examples="probabilities that all of k answers are right",
        title_with_options="pass^{k}",
        when="a system must be right every time, such as an agent with many users",
        when_not="one right answer of several is enough: pass_at; a single answer: accuracy",
        formula=(
            "for each example with c right of n answers, the share of the choices of k answers of "
            "which all are right; the mean over the examples"
        ),
        equation=r"\frac{1}{Q} \sum_q \binom{c_q}{k} / \binom{n_q}{k}",
        example=OF_REPEATS.format("pass_all"),
    ),
    title="pass^k",
    references=(cite("yao2024"),),
    examples=(
        Example(
            (None, ((2, 5), (0, 5), (4, 5)), None),
            {"value": (0.1 + 0 + 0.6) / 3},
            "by hand: of ten pairs of answers one is right where two are, and six where four are",
            options={"k": 2},
        ),
    ),
)
def pass_all(
    truth: None, output: ArrayLike, positive: None, *, k: Annotated[int, Bounds(least=1)]
) -> NDArray[np.float64]:
    """The probability that all of k answers drawn from those of an example are right.

    The choices of k right answers over all choices of k answers, without bias (Yao et al. 2024).
    `output` (q, 2) are the numbers of right and of all answers. Raises `ValueError` where an
    example has fewer than k answers.
    """
    right, answers = np.asarray(output, dtype=np.float64).T
    return _all_of(right, answers, k)


def _all_of(some: NDArray[np.float64], answers: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the share of the choices of k answers that are all among some of them (q,)."""
    if answers.min(initial=k) < k:
        raise ValueError(f"an example has {answers.min():.0f} answers, and k is {k}")
    share = np.ones(len(some))
    for drawn in range(k):
        share *= np.maximum(some - drawn, 0) / (answers - drawn)
    return share
