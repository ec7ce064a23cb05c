"""Corrections that control the expected share of false rejections among all rejections."""

from __future__ import annotations

from evallang.bibliography import cite
from evallang.stats.corrections.correction import (
    CORRECTIONS,
    Adjusted,
    CorrectionDeclaration,
    P,
    apply_in_order,
    harmonic,
    published_by_r,
    step_up,
)


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
