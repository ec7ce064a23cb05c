"""Estimates: every metric of every model with its interval, as tables and a forest."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, isinf

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
    Text,
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
    far_estimates,
    far_pairs,
    forest_of_differences,
    forest_of_estimates,
    margins_of,
)
from evallang.reporting.figures.spread import MOST_POINTS, Spread, spread
from evallang.reporting.letter_case import capitalised, mid_sentence
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
        blocks += _figures(context, setting, metrics, number)
        blocks += bootstrap_parts(context, setting, f"table-parts-{number}")
        blocks += fold_values(context, setting, f"table-folds-{number}")
        blocks += subgroups(context, setting, f"table-subgroups-{number}")
    return blocks


def _figures(
    context: Context, setting: Setting, metrics: Sequence[str], number: int
) -> list[Block]:
    """Draw the estimates of every metric with the differences, and the spread over the folds.

    The spread of the first metric is on the page where it fills the last row of panels.
    """
    if not context.draws:
        return []
    drawn = _estimates_and_differences(context, setting, metrics)
    spreads = _spreads(context, setting, metrics)
    if drawn and spreads and len(drawn) % 2:
        panel, words = spreads[0]
        drawn.append((replace(panel, title=runs("Spread: ", panel.title)), words))
    made: list[Block] = []
    if drawn:
        made.append(_joined(f"figure-estimates-{number}", drawn))
    if spreads:
        made.append(replace(_joined(f"figure-folds-{number}", spreads), placed=False))
    return made


Drawn = tuple[Panel, Runs]
"""A panel, and what the caption says of it; without words it continues the panel before."""


def _joined(identifier: str, drawn: Sequence[Drawn]) -> Figure:
    """Join panels under one caption, which states what several have in common once."""
    caption: Runs = ()
    letters: list[str] = []
    for i, ((_, words), letter) in enumerate(zip(drawn, LETTERS, strict=False)):
        letters.append(letter)
        after = drawn[i + 1][1] if i + 1 < len(drawn) else None
        if after is not None and (not after or after == words):
            continue
        lead = runs(Strong(runs(f"{', '.join(letters)},")), " ") if len(drawn) > 1 else ()
        shown = next(d[1] for d in reversed(drawn[: i + 1]) if d[1])
        caption += runs(" " if caption else "", lead, shown if lead else _capital(shown), ".")
        letters = []
    return Figure(identifier, caption, tuple(panel for panel, _ in drawn))


def _capital(words: Runs) -> Runs:
    first, *rest = words
    return (Text(capitalised(first.text)), *rest) if isinstance(first, Text) else words


def _estimates_and_differences(
    context: Context, setting: Setting, metrics: Sequence[str]
) -> list[Drawn]:
    """Draw the panels of every metric, as many as have letters."""
    made: list[Drawn] = []
    for name in metrics:
        comparison = _compared(context, setting, name)
        drawn, words = _estimates_drawn(context, setting, name, comparison)
        differences = forest_of_differences(context, comparison) if comparison is not None else None
        if not drawn or len(made) + len(drawn) + (differences is not None) > len(LETTERS):
            continue
        metric = context.metric(name)
        made.append((drawn[0], runs(f"{metric.noun}{words}")))
        made += [(panel, ()) for panel in drawn[1:]]
        if comparison is not None and differences is not None:
            title = f"Compatible differences{'' if len(metrics) == 1 else f' in {metric.noun}'}"
            made.append((Panel(*differences, runs(title)),
                         differences_caption(context, comparison)))  # fmt: skip
    return made


MOST_SPREADS = 4  # metrics


def _spreads(context: Context, setting: Setting, metrics: Sequence[str]) -> list[Drawn]:
    """Draw the values of folds or rounds, where models have several."""
    made: list[Drawn] = []
    for name in metrics[:MOST_SPREADS]:
        models = context.models_best_first(setting, name)
        if not 1 < len(models) <= MOST_IN_A_PANEL:
            continue
        metric, scale = context.metric(name), context.scale(setting, name)
        rows = []
        for model in models:
            found = context.estimate(setting, model, name)
            values = tuple(
                fold.value
                for fold in (found.folds if found is not None else ())
                if fold.value is not None and isfinite(fold.value)
            )
            if found is not None and len(values) > 1:
                rows.append(Spread(context.model(model), values, found.value))
        if len(rows) < 2:
            continue
        rounds = max(len(row.values) for row in rows) > MOST_POINTS
        title = f"{metric.title} (%)" if metric.percent else metric.title
        panel = Panel(*spread(rows, title, "splits" if rounds else "folds", scale),
                      runs(metric.title))  # fmt: skip
        what = "histogram of the values of all splits" if rounds else "values of the folds (open)"
        made.append((panel, runs(f"{what} and the estimate (line). {NOT_AN_ERROR}")))
    return made


NOT_AN_ERROR = "Training sets overlap: this spread is not a standard error"


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
    far = "; arrow, off the scale" if far_estimates(known) else ""
    levels = " / ".join(dict.fromkeys(percent(i.level) for i in with_interval))
    methods = dict.fromkeys(
        context.interval_title(i.method, over_groups=i.clusters is not None) for i in with_interval
    )
    return panels, (
        f", point and {levels} interval ({', '.join(mid_sentence(m) for m in methods)}){far}"
    )


def _compared(context: Context, setting: Setting, metric_name: str) -> Comparison | None:
    """Find the first comparison by a metric that is small enough to be drawn."""
    for comparison in context.results.comparisons:
        if comparison.metric != metric_name or comparison.data is None:
            continue
        if comparison.family.exploratory or singly(comparison):
            continue
        few = 0 < len(comparison.pairwise) <= MOST_PAIRS_DRAWN
        if few and Setting(comparison.data, comparison.protocol) == setting:
            return comparison
    return None


def differences_caption(context: Context, comparison: Comparison) -> Runs:
    """State what lines and points of a forest of differences mean."""
    metric = context.compared_words(comparison)
    pairs = [p.estimate for p in comparison.pairwise if p.estimate is not None]
    made = runs(f"difference in {metric.noun} (first minus second)")
    levels = dict.fromkeys(percent(e.level) for e in pairs if e.low is not None)
    wide = [
        wide
        for p in comparison.pairwise
        if (wide := p.simultaneous) is not None and wide.low is not None
    ]
    if levels:
        made += runs(f". Thick line, {' / '.join(levels)} interval of the pair")
    if wide:
        size = comparison.family.size
        made += runs(
            f"; thin line, {family_words(wide[0])} {percent(wide[0].level)} interval over "
            f"{size} test{'' if size == 1 else 's'}"
        )
    if levels or wide:
        made += runs("; shaded, differences that the interval at the right excludes")
    known = [p for p in comparison.pairwise if p.estimate is not None]
    if any(margins_of(context, comparison, p) for p in known):
        region = any(p.extra.get("rope") is not None for p in known)
        made += runs(
            f"; dashed, {'the region of practical equivalence' if region else 'the margin'}"
        )
    made += runs(_meaning_of_points(context, comparison))
    far = far_pairs([p for p in known if p.estimate is not None and p.estimate.value is not None])
    return made + runs("; arrow, off the scale" if far else "")


def _meaning_of_points(context: Context, comparison: Comparison) -> Runs:
    """State what filled and open points of a forest of differences are."""
    if any(bayesian(p) for p in comparison.pairwise):
        level = percent(context.results.study.confidence)
        return runs(f"; filled point, a posterior probability above {level}")
    if any(p.reject for p in comparison.pairwise):
        return runs(
            f"; filled point, {adjusted_words(comparison)}", p_letter(context),
            f" at or below {level_of_alpha(comparison.alpha)}",
        )  # fmt: skip
    if not comparison.performed:
        return runs("; open points, the pairs were not tested")
    words = "the pair was not decided" if len(comparison.pairwise) == 1 else "no pair was decided"
    return runs(f"; open point{'' if len(comparison.pairwise) == 1 else 's'}, {words}")
