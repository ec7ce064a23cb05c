"""Metrics of pairwise judgements: strengths of models, and the shares of battles that they win."""

from typing import Annotated, Literal

import numpy as np

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Example, Requires
from evallang.stats.battles import ELO, Battles, Strengths, Ties, fit_strengths, win_rates

OF_BATTLES = 'battles votes "Votes" from "data/battles.jsonl"\n\nmeasure {}\n'
# The first model won 3 of 4 battles with the second
THREE_OF_FOUR = Battles(
    np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64), np.array([1.0, 1, 1, 0]), 2
)


@METRICS.register(
    MetricDeclaration(
        "games",
        "higher",
        form="scores",
        default=True,
        abbreviation="Strength",
        when="models met in pairs, each on prompts of its own, and one scale orders them all",
        when_not="all models met the same opponents and only shares are wanted: win_rate",
        formula=(
            "maximum likelihood of log odds that are the difference of two strengths, and of the "
            "advantage of the answer that is shown first; a tie has odds of its own (Davidson "
            "1970), counts as half a win of both, or is dropped. The log odds are multiplied by "
            "400/log 10, the scale of Elo, on which the strengths add up to 0, unless one model is "
            "the anchor. Differences with ties=davidson are larger than with ties=half, which is "
            "what the Chatbot Arena reports"
        ),
        equation=r"P(i > j) = 1 / (1 + 10^{(s_j - s_i) / 400})",
        example=OF_BATTLES.format("bradley_terry"),
        differs={
            "choix, evalica": (
                "they estimate no advantage of the first place: `order=none`; evalica counts ties "
                "as half: `ties=half`"
            ),
        },
    ),
    title="Bradley–Terry strength",
    references=(cite("bradley1952"), cite("davidson1970")),
    examples=(
        Example(
            (THREE_OF_FOUR, None, None),
            {"values": (200 * np.log10(3), -200 * np.log10(3))},
            "own derivation, by hand: odds of 3 are 400 log10(3) points of Elo, around 0",
            tolerance=1e-8,
            options={"order": "none", "ties": "drop"},
        ),
    ),
)
def bradley_terry(
    truth: Battles,
    output: None,
    positive: None,
    *,
    ties: Ties = "davidson",
    order: Literal["estimated", "none"] = "estimated",
    anchor: str | None = None,
    at: Annotated[float | None, Requires("anchor")] = None,
) -> Strengths:
    """The strength of each model in pairwise judgements, on the scale of Elo.

    `truth` are the battles; nothing else is read. With `anchor` that model has the strength `at`
    (1000), else the strengths add up to 0. Raises `ValueError` where a strength is not finite, or
    no model is called as the anchor.
    """
    if anchor is not None and anchor not in truth.names:
        raise ValueError(f"no model is called {anchor}")
    fitted = fit_strengths(truth, ties, order=order == "estimated")
    place = None if anchor is None else truth.names.index(anchor)
    return fitted.scaled(ELO, place, 1000 if at is None else at)


@METRICS.register(
    MetricDeclaration(
        "games",
        "higher",
        0,
        1,
        form="scores",
        unit="percent",
        when="all models met the same opponents, such as one baseline",
        when_not="opponents differ: bradley_terry",
        formula="the battles that a model won and half of those that it tied, over all its battles",
        equation=r"(w_i + t_i / 2) / n_i",
        example=OF_BATTLES.format("win_rate"),
        differs={
            "FastChat": (
                "two games of MT-bench with unlike verdicts are one tie there; here each game "
                "counts by itself"
            ),
        },
    ),
    title="Win rate",
    references=(cite("zheng2023"),),
    examples=(
        Example(
            (THREE_OF_FOUR, None, None),
            {"values": (0.75, 0.25)},
            "own derivation, by hand: three of four, and one of four",
        ),
    ),
)
def win_rate(truth: Battles, output: None, positive: None) -> Strengths:
    """The share of its battles that a model won, a tie counting as half."""
    return win_rates(truth)
