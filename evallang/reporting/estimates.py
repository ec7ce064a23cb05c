"""Estimates: every metric of every model with its interval, as tables and figures."""

from collections.abc import Sequence

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Heading
from evallang.reporting.estimate_figures import MOST_DATA_APART, figures, figures_as_files
from evallang.reporting.estimate_tables import (
    METRICS_PER_TABLE,
    bootstrap_parts,
    estimates_table,
    fold_values,
    setting_words,
    subgroups,
    tables_across_data,
)
from evallang.reporting.exports import best_of_many
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic


def _topics(context: Context) -> list[Topic]:
    made = [Topic.METRICS]
    if any(estimate.interval is not None for estimate in context.results.estimates):
        made.append(Topic.INTERVALS)
    return made


@SECTIONS.register(SectionDeclaration(order=20, topics=_topics), title="Estimates")
def estimates(context: Context) -> Sequence[Block]:
    """Return one table, or more for many metrics, and one figure per data set and protocol."""
    blocks: list[Block] = []
    if len({setting.data for setting in context.settings}) > MOST_DATA_APART:
        blocks += tables_across_data(context)
        blocks += figures_as_files(context)
        for number, setting in enumerate(context.settings, start=1):
            blocks += subgroups(context, setting, f"table-subgroups-{number}")
        return blocks
    several = len(context.settings) > 1
    for number, setting in enumerate(context.settings, start=1):
        if several:
            blocks.append(Heading(setting_words(context, setting), f"estimates-{number}"))
        metrics = context.metrics(setting)
        for start in range(0, len(metrics), METRICS_PER_TABLE):
            chosen = metrics[start : start + METRICS_PER_TABLE]
            part = "" if start == 0 else f"-{start // METRICS_PER_TABLE + 1}"
            blocks.append(
                estimates_table(context, setting, chosen, f"table-estimates-{number}{part}")
            )
        blocks += best_of_many(context, setting)
        blocks += figures(context, setting, metrics, number)
        blocks += bootstrap_parts(context, setting, f"table-parts-{number}")
        blocks += fold_values(context, setting, f"table-folds-{number}")
        blocks += subgroups(context, setting, f"table-subgroups-{number}")
    return blocks
