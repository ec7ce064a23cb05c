"""Estimates: every metric of every model with its interval, as tables and a forest."""

from collections.abc import Sequence
from math import isinf

from evallang.reporting.best_of_many import best_of_many
from evallang.reporting.context import Context, Setting
from evallang.reporting.decisions import bayesian
from evallang.reporting.document import (
    Block,
    Figure,
    Heading,
    Panel,
    Runs,
    Strong,
    runs,
)
from evallang.reporting.estimate_tables import (
    METRICS_PER_TABLE,
    bootstrap_parts,
    fold_values,
    setting_words,
    subgroups,
    table,
    tables_across_data,
)
from evallang.reporting.figures.forest import (
    depth_of_differences,
    forest_of_differences,
    forest_of_estimates,
)
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import (
    level_of_alpha,
    percent,
)
from evallang.reporting.one_model import singly
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.topics import Topic
from evallang.reporting.wording import adjusted_words, family_words, p_letter
from evallang.results.records import Comparison

MOST_DATA_APART = 3  # more data sets share one table
MOST_IN_A_PANEL = 16  # models
LETTERS = "abcdef"  # of the panels of a figure; more are not drawn
MOST_PAIRS_DRAWN = 15  # six models; more lines than that are read from the table


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
            blocks.append(table(context, setting, chosen, f"table-estimates-{number}{part}"))
        blocks += best_of_many(context, setting)
        blocks += _figure(context, setting, metrics, f"figure-estimates-{number}")
        blocks += bootstrap_parts(context, setting, f"table-parts-{number}")
        blocks += fold_values(context, setting, f"table-folds-{number}")
        blocks += subgroups(context, setting, f"table-subgroups-{number}")
    return blocks


def _figure(
    context: Context, setting: Setting, metrics: Sequence[str], identifier: str
) -> list[Block]:
    """Draw the estimates of every metric, and the differences that a comparison tested."""
    if not context.draws:
        return []
    panels: list[Panel] = []
    caption: Runs = ()
    alone: Runs = ()
    for name in metrics:
        comparison = _compared(context, setting, name)
        drawn, words = _estimates_drawn(context, setting, name, comparison)
        differences = forest_of_differences(context, comparison) if comparison is not None else None
        if not drawn or len(panels) + len(drawn) + (differences is not None) > len(LETTERS):
            continue
        metric = context.metric(name)
        alone = runs(f"{metric.title}{words}.")
        letters = LETTERS[len(panels) : len(panels) + len(drawn)]
        caption += runs(" " if caption else "", Strong(runs(f"{', '.join(letters)},")),
                        f" {metric.noun}{words}.")  # fmt: skip
        panels += drawn
        if comparison is not None and differences is not None:
            caption += runs(" ", Strong(runs(f"{LETTERS[len(panels)]},")), " ",
                            differences_caption(context, comparison))  # fmt: skip
            title = "Pairwise differences" if len(metrics) == 1 else f"Differences in {metric.noun}"
            panels.append(Panel(*differences, runs(title)))
    if not panels:
        return []
    return [Figure(identifier, caption if len(panels) > 1 else alone, tuple(panels))]


def _estimates_drawn(
    context: Context, setting: Setting, metric_name: str, comparison: Comparison | None
) -> tuple[list[Panel], str]:
    """Draw the estimates of one metric, many models in two panels; state what the lines are."""
    metric = context.metric(metric_name)
    models = context.models_best_first(setting, metric_name)
    found = [context.estimate(setting, model, metric_name) for model in models]
    known = [e for e in found if e is not None and e.value is not None]
    if len(known) < 2 or all(isinf(e.value) for e in known if e.value is not None):
        return [], ""
    depth = depth_of_differences(context, comparison) if comparison is not None else 0.0
    scale = context.scale(setting, metric_name)
    size = len(known) if len(known) <= MOST_IN_A_PANEL else (len(known) + 1) // 2
    panels = []
    for start in range(0, len(known), size):
        part = known[start : start + size]
        labels = [context.model(e.model) for e in part]
        svg, alt = forest_of_estimates(labels, part, metric, scale, depth, known)
        title = metric.title if size == len(known) else f"{metric.title}: models {start + 1} to "
        title += "" if size == len(known) else str(start + len(part))
        panels.append(Panel(svg, alt, runs(title)))
    with_interval = [e.interval for e in known if e.interval is not None]
    if not with_interval:
        return panels, ""
    levels = " / ".join(dict.fromkeys(percent(i.level) for i in with_interval))
    methods = dict.fromkeys(
        context.interval_title(i.method, over_groups=i.clusters is not None) for i in with_interval
    )
    return panels, (
        f", point and {levels} interval ({', '.join(mid_sentence(m) for m in methods)})"
    )


def _compared(context: Context, setting: Setting, metric_name: str) -> Comparison | None:
    """Find the first comparison of more than one pair by a metric, small enough to be drawn."""
    for comparison in context.results.comparisons:
        if comparison.metric != metric_name or comparison.data is None:
            continue
        if comparison.family.exploratory or singly(comparison):
            continue
        few = 1 < len(comparison.pairwise) <= MOST_PAIRS_DRAWN
        if few and Setting(comparison.data, comparison.protocol) == setting:
            return comparison
    return None


def differences_caption(context: Context, comparison: Comparison) -> Runs:
    """State what lines and points of a forest of differences mean."""
    metric = context.compared_words(comparison)
    pairs = [p.estimate for p in comparison.pairwise if p.estimate is not None]
    made = runs(f"difference in {metric.noun} (first minus second)")
    levels = dict.fromkeys(percent(e.level) for e in pairs if e.low is not None)
    if levels:
        made += runs(f". Thick line, {' / '.join(levels)} interval of the pair")
    wide = [
        wide
        for p in comparison.pairwise
        if (wide := p.simultaneous) is not None and wide.low is not None
    ]
    if wide:
        size = comparison.family.size
        made += runs(
            f"; thin line, {family_words(wide[0])} {percent(wide[0].level)} interval over "
            f"{size} tests"
        )
    if any(bayesian(p) for p in comparison.pairwise):
        level = percent(context.results.study.confidence)
        made += runs(f"; filled point, a posterior probability above {level}")
    elif any(p.reject for p in comparison.pairwise):
        made += runs(
            f"; filled point, {adjusted_words(comparison)}", p_letter(context),
            f" at or below {level_of_alpha(comparison.alpha)}",
        )  # fmt: skip
    elif not comparison.performed:
        made += runs("; open points, the pairs were not tested")
    else:
        made += runs("; open points, no pair was decided")
    return made + runs(".")
