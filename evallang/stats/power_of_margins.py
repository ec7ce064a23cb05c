"""What tests of non-inferiority and of equivalence can show: their power within a margin.

The models are taken as equally good, or as differing by a stated difference to the disadvantage
of the first. What is detected is the smallest margin that is shown.
"""

from __future__ import annotations

from msgspec.structs import replace

from evallang.stats.power import (
    DISCORDANT,
    SD,
    Answer,
    PowerDeclaration,
    Question,
    Relation,
    Stated,
    answered,
    power_by_form,
)
from evallang.stats.power_of_means import (
    ASSUMPTIONS_ABOUT_AREAS,
    areas_within,
    assumed_areas,
    means_within,
)
from evallang.stats.power_of_pairs import assumed_shares, shares_within


def _answer(question: Question, stated: Stated, relation: Relation) -> Answer:
    """Answer with the smallest margin that is shown, and with the stated margin's power and n."""
    margin, gap = float(question.options["margin"]), abs(stated.difference or 0.0)
    in_sd = "sd" in relation.assumed and stated.sd is None
    before: tuple[str, ...] = ("power at the margin needs `sd`, and none is stated",) * in_sd
    if gap >= margin:
        before = (*before, "the models differ by the margin or more, so it cannot be shown")
    apart = f"differ by {gap:g}" if gap else "are equally good"
    after = (
        f"if the models {apart}: what is found is the smallest margin that is shown, and the power "
        f"is that at the margin of {margin:g}"
    )
    asked = None if in_sd or gap >= margin else margin
    relation = replace(relation, assumed={} if in_sd else relation.assumed)
    return answered(
        question, stated, relation, asked=asked, in_sd=in_sd, before=before, after=(after,)
    )


def _power(*, equivalence: bool) -> PowerDeclaration:
    """Return the power of a test within a margin, by the form of the difference."""

    def of_shares(question: Question, stated: Stated) -> tuple[Answer, ...]:
        gap, alpha, seed = abs(stated.difference or 0.0), question.alpha, question.seed
        return tuple(
            _answer(
                question,
                stated,
                shares_within(share, gap, alpha, equivalence=equivalence, seed=seed),
            )
            for share in assumed_shares(stated)
        )

    def of_means(question: Question, stated: Stated) -> tuple[Answer, ...]:
        gap, sd = abs(stated.difference or 0.0), stated.sd
        if sd is None and gap:
            return (Answer("noncentral t", {}, notes=("a difference needs `sd`",)),)
        relation = means_within(sd or 1.0, gap, question.alpha, equivalence=equivalence)
        return (_answer(question, stated, relation),)

    def of_areas(question: Question, stated: Stated) -> tuple[Answer, ...]:
        gap = abs(stated.difference or 0.0)
        return tuple(
            _answer(
                question, stated, areas_within(pair, gap, question.alpha, equivalence=equivalence)
            )
            for pair in assumed_areas(question, stated)
        )

    return power_by_form(
        {
            "proportion": PowerDeclaration(of_shares, DISCORDANT),
            "losses": PowerDeclaration(of_means, SD),
            "auc": PowerDeclaration(of_areas, ASSUMPTIONS_ABOUT_AREAS),
        }
    )


POWER_OF_NONINFERIORITY = _power(equivalence=False)
POWER_OF_EQUIVALENCE = _power(equivalence=True)
