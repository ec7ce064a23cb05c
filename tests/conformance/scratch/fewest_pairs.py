"""An analysis and its section: how many discordant pairs an exact test needs to reject at all."""

import math
from collections.abc import Sequence

from msgspec import Struct

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Cell, Column, Number, Row, Runs, Table, runs
from evallang.reporting.numbers import count
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
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


def _methods(context: Context) -> Runs:
    asked = any(item.kind == "fewest_pairs" for item in context.results.analyses)
    return runs("We counted the fewest pairs beforehand.") if asked else ()


@SECTIONS.register(SectionDeclaration(order=47, methods=_methods), title="Fewest pairs")
def pairs_needed(context: Context) -> Sequence[Block]:
    """Return one table with a row for each test."""
    rows = tuple(
        Row((Cell(runs(item.values["source"])), Cell(runs(Number(count(answer["pairs"]))))))
        for item in context.results.analyses
        if item.kind == "fewest_pairs"
        for answer in item.values["answers"]
    )
    columns = (Column(runs("Test"), "left"), Column(runs("Discordant pairs")))
    caption = runs("Discordant pairs without which no p is below the level.")
    return [Table("table-pairs", caption, columns, rows)] if rows else []
