"""What differences the data are compatible with: a forest of pairs for each comparison.

Few pairs are all drawn, of many those of the best model.
"""

from collections.abc import Sequence

from evallang.reporting.context import Context
from evallang.reporting.decisions import bayesian, is_simultaneous, joined
from evallang.reporting.document import Panel, Ref, Runs, runs
from evallang.reporting.figures.figure import PAIR
from evallang.reporting.figures.forest import (
    MOST_IN_A_PANEL,
    far_pairs,
    forest_of_differences,
    margins_of,
    pair_lines,
)
from evallang.reporting.figures.resamples import Distribution, distributions
from evallang.reporting.orientation import order_words
from evallang.reporting.pair_findings import singly
from evallang.reporting.panels import Drawn, divided
from evallang.reporting.sentences import write
from evallang.results.records import Comparison, HypothesisTestResult

TOPIC = "comparisons"
MOST_PAIRS_DRAWN = 15  # six models


def rows_of(context: Context, comparison: Comparison) -> tuple[HypothesisTestResult, ...]:
    """Return the pairs that are drawn on the page; of many those with the best of the models."""
    known = _known(comparison)
    if singly(comparison):
        return ()
    if len(known) <= MOST_PAIRS_DRAWN:
        return known
    best = context.best_model(comparison)
    rows = tuple(pair for pair in known if best in pair.models)
    return rows or known[:MOST_PAIRS_DRAWN]


def differences_drawn(context: Context, comparison: Comparison, of: str = "") -> list[Drawn]:
    """Draw the pairs of a comparison, many in panels on one scale; the first has the words.

    `of` names the metric in the title where there are several.
    """
    rows = rows_of(context, comparison)
    found = [f for pair in rows for f in (pair.estimate, pair.simultaneous) if f is not None]
    bounded = any(f.low is not None or f.high is not None for f in found)
    title = f"{'Compatible differences' if bounded else 'Differences'}{of}"
    made: list[Drawn] = []
    for start, part in divided(rows, MOST_IN_A_PANEL):
        some = f": pairs {start + 1} to {start + len(part)}" if len(part) < len(rows) else ""
        drawn = forest_of_differences(context, comparison, part, rows)
        words = () if made else _caption(context, comparison, rows)
        made.append((Panel(*drawn, runs(title + some)), words))
    return made


def resamples_drawn(context: Context, comparison: Comparison) -> list[Drawn]:
    """Draw the resamples of the differences of pairs, where their intervals are made from any."""
    rows = [
        Distribution(pair_lines(context, pair), one.resamples, one.value, one.low, one.high, PAIR)
        for pair in rows_of(context, comparison)
        if (one := pair.estimate) is not None and one.resamples is not None
    ]
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    order = order_words(comparison.pairwise)
    words = write(context, TOPIC, "resampled_differences", order=order)
    made: list[Drawn] = []
    for _, part in divided(rows, MOST_IN_A_PANEL):
        drawn = distributions(
            part, f"Difference in {metric.noun}{metric.points}", scale, signed=True, among=rows,
            possible=metric.range_of_differences,
        )  # fmt: skip
        made.append((Panel(*drawn, runs("Resampled differences")), words))
    return made


def _known(comparison: Comparison) -> tuple[HypothesisTestResult, ...]:
    return tuple(
        pair
        for pair in comparison.pairwise
        if pair.estimate is not None and pair.estimate.value is not None
    )


def _caption(
    context: Context, comparison: Comparison, rows: Sequence[HypothesisTestResult]
) -> Runs:
    """State what is drawn, what lines and points mean, and where the other pairs are."""
    return write(
        context,
        TOPIC,
        "differences_drawn",
        meaning=_meaning(context, comparison, rows),
        rest=len(_known(comparison)) - len(rows),
        where=where_pairs_are(context, comparison),
    )


def where_pairs_are(context: Context, comparison: Comparison) -> Runs:
    """Return the place that has the numbers of all pairs of a comparison."""
    if not context.shows("comparisons"):
        return runs("results.json")
    groups = joined(context.results.comparisons)
    (number, _), *_ = next(g for g in groups if any(c is comparison for _, c in g))
    return runs(Ref(f"table-comparison-{number}", "the table of pairs"))


def _meaning(
    context: Context, comparison: Comparison, known: Sequence[HypothesisTestResult]
) -> Runs:
    """State what lines and points of a forest of differences mean."""
    pairs = [p.estimate for p in known if p.estimate is not None]
    wide = [
        wide for p in known if (wide := p.simultaneous) is not None and wide.low is not None
    ]  # fmt: skip
    dashed = ""
    if any(margins_of(context, comparison, p) for p in known):
        dashed = "region" if any(p.extra.get("rope") is not None for p in known) else "margin"
    return write(
        context,
        TOPIC,
        "meaning_of_differences",
        comparison=comparison,
        noun=context.difference_words(comparison).noun,
        order=order_words(known),
        pairs=known,
        levels=list(dict.fromkeys(e.level for e in pairs if e.low is not None)),
        wide=wide[0] if wide else None,
        jointly=bool(wide) and all(is_simultaneous(p) for p in known if p.estimate is not None),
        dashed=dashed,
        posterior=any(bayesian(pair) for pair in known),
        far=bool(far_pairs(known)),
    )
