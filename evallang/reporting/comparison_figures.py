"""Figures of a comparison of all pairs: the groups on a scale, and the matrix of decisions."""

from collections.abc import Mapping, Sequence

from evallang.frozen import frozen
from evallang.reporting.context import Context
from evallang.reporting.contrasts import contrast
from evallang.reporting.document import Figure, Panel, Runs, Strong, listed, runs
from evallang.reporting.figures.grouping import decision_matrix, grouping_diagram
from evallang.reporting.groups import are_stretches, groups
from evallang.reporting.numbers import Scale, count, fixed, level_of_alpha
from evallang.reporting.wording import adjusted_words, p_letter
from evallang.results.records import Comparison

MOST_MODELS_IN_MATRIX = 10


@frozen
class Positions:
    """Where models stand on the scale of a grouping diagram, best first."""

    values: Mapping[str, float]
    scale: Scale
    name: str
    words: str
    reverse: bool


def decision_figure(context: Context, comparison: Comparison, identifier: str) -> Figure | None:
    """Draw the groups and the matrix, where every pair was decided."""
    if comparison.data is None:
        return _rank_figure(context, comparison, identifier)
    places = _positions(context, comparison)
    if places is None:
        return None
    ordered = tuple(places.values)
    found = groups(ordered, comparison)
    if not found:
        return None
    labels = {name: context.model(name) for name in ordered}
    svg, alt = grouping_diagram(
        labels, places.values, found, places.scale, places.name, reverse=places.reverse
    )
    panels = [Panel(svg, alt, runs("Models that were not separated"))]
    caption = runs(
        Strong(runs("a,")), f" models on the scale of {places.words}, best at the right; a bar "
        "joins models of which no pair was separated (open points mark its members). ",
        _overlap(context, ordered, found),
    )  # fmt: skip
    if len(ordered) <= MOST_MODELS_IN_MATRIX:
        svg, alt = decision_matrix(context, comparison, ordered)
        words = adjusted_words(comparison)
        title = runs(words[:1].upper() + words[1:], p_letter(context), " and differences")
        panels.append(Panel(svg, alt, title))
        points = " in points" if context.metric(comparison.metric).percent else ""
        caption += runs(
            Strong(runs("b,")), " below the diagonal, ", words, p_letter(context),
            f" (filled: at or below {level_of_alpha(comparison.alpha)}); above, difference"
            f"{points} (row minus column).",
        )  # fmt: skip
    return Figure(identifier, caption, tuple(panels))


def _positions(context: Context, comparison: Comparison) -> Positions | None:
    """Place models by their estimates, or by their differences to the best of them.

    A test under a protocol of its own (5x2cv) has no estimates here, only differences; the
    estimates of another protocol would contradict its decisions.
    """
    setting = context.comparison_setting(comparison)
    if setting is None:
        return None
    metric = context.metric(comparison.metric)
    names = dict.fromkeys(name for pair in comparison.pairwise for name in pair.models)
    unit = f"{metric.title} (%)" if metric.percent else metric.title
    if context.compared_on_estimates(comparison):
        ordered = [n for n in context.models_best_first(setting, comparison.metric) if n in names]
        found = {n: context.estimate(setting, n, comparison.metric) for n in ordered}
        values = {n: e.value for n, e in found.items() if e is not None and e.value is not None}
        if len(values) < len(names):
            return None
        scale = context.scale(setting, comparison.metric)
        return Positions(values, scale, unit, metric.noun, not metric.higher_is_better)
    first, *others = names
    lead: dict[str, float] = {first: 0.0}
    for pair in comparison.pairwise:
        if first in pair.models:
            found_ = contrast(pair, first)
            if found_.value is not None:
                lead[found_.other] = -found_.value
    if len(lead) <= len(others):
        return None
    sign = -1 if metric.higher_is_better else 1
    ordered = sorted(lead, key=lambda name: sign * lead[name])
    best = lead[ordered[0]]
    values = {name: lead[name] - best for name in ordered}
    scale = context.difference_scale(comparison)
    name = f"Difference to the best{' (points)' if metric.percent else ''}"
    words = f"the difference in {metric.noun} to the best, in the splits of this test"
    return Positions(values, scale, name, words, not metric.higher_is_better)


def _overlap(context: Context, ordered: Sequence[str], found: Sequence[Sequence[str]]) -> Runs:
    shared = [name for name in ordered if sum(name in members for members in found) > 1]
    made: Runs = ()
    if shared:
        names = listed([runs(context.model(name)) for name in shared])
        verb = "is" if len(shared) == 1 else "are"
        made += runs("Groups overlap: ", names, f" {verb} in several. ")
    if not are_stretches(ordered, found):
        made += runs("A bar may pass over a model that does not belong to it. ")
    return made


def _rank_figure(context: Context, comparison: Comparison, identifier: str) -> Figure | None:
    """Draw average ranks with the critical difference and the groups, as Demšar (2006) does."""
    ranks = comparison.ranks
    if ranks is None:
        return None
    ordered = sorted(ranks.average, key=ranks.average.__getitem__)
    found = groups(ordered, comparison)
    if not found:
        return None
    labels = {name: context.model(name) for name in ordered}
    reach = ranks.critical_difference if context.about_ranks(comparison) else None
    svg, alt = grouping_diagram(
        labels, {name: ranks.average[name] for name in ordered}, found, Scale(2), "Average rank",
        reverse=True, reach=reach,
    )  # fmt: skip
    caption = runs(
        f"Average ranks over {count(ranks.n)} data sets, best at the right; a bar joins models "
        "of which no pair was separated (open points mark its members). ",
        _overlap(context, ordered, found),
    )
    if reach is not None:
        size = fixed(reach, Scale(2))
        caption += runs(f"CD: critical difference, {size}.")
    return Figure(identifier, caption, (Panel(svg, alt, runs("Average ranks")),))
