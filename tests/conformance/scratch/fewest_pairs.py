"""An analysis and its section: how many discordant pairs an exact test needs to reject at all."""

import math

from msgspec import Struct

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.reporting.analyses import Part, shows
from evallang.reporting.context import Context
from evallang.reporting.document import Table
from evallang.reporting.tables import counted, left, right, row, table
from evallang.stats.power import Question

EXACT = frozenset({"mcnemar", "sign"})


class Fewest(Struct, frozen=True):
    """The number of pairs, and whether as many can occur."""

    pairs: int
    possible: bool | None


@ANALYSES.register(
    AnalysisDeclaration(
        about="lines",
        recorded=("sided",),
        when="before the data are collected: whether an exact test could reject at all",
        when_not="the difference that a test finds: power",
        formula="the smallest k with 2 times 0.5 to the power of k at or below the level",
        example="counts pair\n  models a, b\n  table [[90, 6], [2, 2]]\n"
        "compare a, b with mcnemar\nanalyze fewest_pairs\n",
    ),
    title="Fewest discordant pairs",
)
def fewest_pairs(question: Question, *, sided: int = 2) -> tuple[Fewest, ...]:
    """Fewest discordant pairs with which the exact test can reject, all in one direction.

    Raises `ValueError` for tests that are not exact binomial tests.
    """
    if question.test not in EXACT:
        raise ValueError(f"`{question.test}` is not an exact test of pairs")
    pairs = math.ceil(math.log2(sided / question.alpha))
    return (Fewest(pairs, None if question.n is None else pairs <= question.n),)


@shows(
    "fewest_pairs",
    order=47,
    title="Fewest pairs",
    methods=lambda context, found: "We counted the fewest pairs beforehand",
    key=lambda item: None,
)
def pairs_needed(context: Context, part: Part) -> list[Table]:
    """Return one table with a row for each test."""
    rows = [
        row(item.values["source"], counted(answer["pairs"]))
        for item in part.items
        for answer in item.values["answers"]
    ]
    columns = [left("Test"), right("Discordant pairs")]
    caption = "Discordant pairs without which no p is below the level"
    return [table("table-pairs", caption, columns, rows)] if rows else []
