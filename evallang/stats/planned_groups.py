"""Examples in groups as a power analysis sees them: their sizes and the design effect."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from evallang.stats.power import (
    MOST_N,
    Answer,
    Question,
    Relation,
    Sizes,
    Stated,
    answered,
)

ICCS = (0.0, 0.1, 0.3)  # that are looked at if none is stated
ICC = 0.1  # where another assumption is already looked at in several values
WITHOUT_GROUPS = (
    "the data have no groups, so the test takes the examples for independent; this is the power "
    "with groups and a `group` column"
)
WITHOUT_SIZES = "an intra-class correlation says nothing without groups: state `group_size`"

MOST_GROUPS = 1 << 20  # that are searched for


def examples_of(sizes: Sizes) -> int:
    """Return how many examples there are in groups of these sizes."""
    return sum(size * count for size, count in sizes)


def number_of_groups(sizes: Sizes) -> int:
    """Return how many groups of these sizes there are."""
    return sum(count for _, count in sizes)


class PlannedGroups(Struct, frozen=True):
    """The groups that a power analysis assumes.

    Attributes
    ----------
    mix : the sizes whose proportions any number of groups has
    icc : the correlation of what two examples of a group add to the difference
    """

    mix: Sizes
    icc: float

    @property
    def mean_size(self) -> float:
        """The mean number of examples of a group."""
        return examples_of(self.mix) / number_of_groups(self.mix)

    @property
    def effect(self) -> float:
        """The variance of a mean over the examples, as a multiple of that of independent ones.

        1 + (Σ s² / Σ s - 1) icc for groups of s examples (Kish 1965); 1 + (s - 1) icc for groups
        of one size.
        """
        squares = sum(size * size * count for size, count in self.mix)
        return 1 + (squares / examples_of(self.mix) - 1) * self.icc

    def sizes(self, groups: int) -> Sizes:
        """Return the sizes of a number of groups in the proportions of the mix."""
        total = number_of_groups(self.mix)
        if total == groups:
            return self.mix
        exact = [(size, k * groups / total) for size, k in self.mix]
        whole = {size: math.floor(share) for size, share in exact}
        missing = groups - sum(whole.values())
        by_rest = sorted(exact, key=lambda one: one[1] - math.floor(one[1]), reverse=True)
        for size, _ in by_rest[:missing]:
            whole[size] += 1
        return tuple((size, k) for size, k in whole.items() if k)

    def count_near(self, n: int) -> int:
        """Return how many groups come nearest to about n examples."""
        if examples_of(self.mix) == n:
            return number_of_groups(self.mix)
        return max(1, round(n / self.mean_size))

    def examples(self, groups: int) -> int:
        """Return how many examples so many groups have."""
        return examples_of(self.sizes(groups))

    def coarse(self, most: int) -> PlannedGroups:
        """Return as many groups of at most so many sizes: of neighbouring sizes their mean."""
        if len(self.mix) <= most:
            return self
        each = [size for size, count in self.mix for _ in range(count)]
        made: dict[int, int] = {}
        for part in range(most):
            own = each[part * len(each) // most : (part + 1) * len(each) // most]
            size = round(sum(own) / len(own))
            made[size] = made.get(size, 0) + len(own)
        return replace(self, mix=tuple(sorted(made.items())))

    @property
    def assumed(self) -> dict[str, float | int | str]:
        """What an answer repeats."""
        mean = self.mean_size
        return {"icc": self.icc, "group_size": int(mean) if mean == int(mean) else mean}


def planned_groups(question: Question, stated: Stated, *, several: bool) -> list[PlannedGroups]:
    """Return the groups that are assumed, by each correlation looked at; none without groups.

    `several` correlations are looked at where none is stated. Raises `ValueError` where an
    intra-class correlation is stated and nothing says how large the groups are.
    """
    mix = question.group_sizes
    if stated.group_size is not None:
        mix = ((stated.group_size, 1),)
    if not mix:
        if stated.icc is not None:
            raise ValueError(WITHOUT_SIZES)
        return []
    iccs = ICCS if several else (ICC,)
    return [PlannedGroups(mix, icc) for icc in (iccs if stated.icc is None else (stated.icc,))]


def by_groups(question: Question, stated: Stated, *, several: bool) -> list[PlannedGroups | None]:
    """Return the groups that are assumed as `planned_groups` does, and None without groups."""
    return [*planned_groups(question, stated, several=several)] or [None]


def group_notes(question: Question) -> tuple[str, ...]:
    """Return the note on groups that are stated of data without any."""
    return (WITHOUT_GROUPS,) if question.read and not question.group_sizes else ()


def effective_answer(
    question: Question,
    stated: Stated,
    relation: Relation,
    groups: PlannedGroups | None,
    *,
    whole: bool,
    rough: Callable[[float], bool],
    note: str,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
) -> Answer:
    """Answer for the effective number of examples, and state the numbers of examples themselves.

    `whole` is True where the relation takes whole numbers; `note` is added where one of them is
    `rough`, between the notes `before` and `after`.
    """
    effect = 1.0 if groups is None else groups.effect

    def size_of(n: int) -> float:
        return max(round(n / effect), 1) if whole else n / effect

    if groups is not None:
        relation = replace(
            relation,
            assumed={**relation.assumed, **groups.assumed},
            most=int(MOST_N / effect),
            examples_of=lambda size: math.ceil(size * effect),
        )
        design = f"the design effect of the groups is {effect:.3g}"
        after = (*after, design, *group_notes(question))
    relation = replace(relation, size_of=size_of)
    found = answered(question, stated, relation, asked=stated.difference)
    sizes = [n / effect for n in (question.n, found.required_n) if n is not None]
    few = (note,) if any(map(rough, sizes)) else ()
    return replace(found, notes=(*found.notes, *before, *few, *after))
