"""The relations of power under the names and in the order in which tests ask them."""

from evallang.stats.power import PlannedGroups, Relation, analysed, number_of_groups
from evallang.stats.power_of_metrics import (
    Areas,
    Labels,
    areas,
    areas_within,
    counts,
    means_within,
    t_power,
    t_width,
)
from evallang.stats.power_of_pairs import (
    clustered_width,
    grouped_pairs,
    mcnemar_power,
    one_share,
    paired_width,
    rank_power,
    shares_within,
)

__all__ = ["mcnemar_power", "paired_width", "rank_power", "t_power", "t_width"]


def mcnemar_detectable(discordant, n, alpha=0.05, target=0.8, **options):
    return mcnemar_power(None, discordant, n, alpha, target, **options)


def mcnemar_size(difference, discordant, alpha=0.05, target=0.8, **options):
    return mcnemar_power(difference, discordant, None, alpha, target, **options)


def t_detectable(sd, n, alpha=0.05, target=0.8, **options):
    return t_power(None, sd, n, alpha, target, **options)


def t_size(difference, sd, alpha=0.05, target=0.8, **options):
    return t_power(difference, sd, None, alpha, target, **options)


def rank_detectable(test, sd, n, alpha=0.05, target=0.8, **options):
    return rank_power(test, None, sd, n, alpha, target, **options)


def rank_size(test, difference, sd, alpha=0.05, target=0.8, **options):
    return rank_power(test, difference, sd, None, alpha, target, **options)


def grouped_power(gap, discordant, groups, icc, alpha=0.05, target=None, **options):
    """Solve for power in these groups, for a difference with `gap` None, or for a number."""
    planned = PlannedGroups(groups, icc)
    relation = grouped_pairs(discordant, planned, alpha, **options)
    n = planned.examples(number_of_groups(groups)) if None in (gap, target) else None
    return analysed("mcnemar", relation, alpha, gap, n, target)


def grouped_width(groups, icc, discordant, difference=0.0, level=0.95):
    planned = PlannedGroups(groups, icc)
    return clustered_width(planned, number_of_groups(groups), discordant, difference, level)


def delong(area, alpha=0.05, positives=0.5, correlation=0.5, **options) -> Relation:
    return areas(Areas(area, positives, correlation), alpha, **options)


def delong_power(gap, area, n, alpha=0.05, target=None, one_sided=False, **assumed):
    relation = delong(area, alpha, one_sided=one_sided, **assumed)
    return analysed("delong", relation, alpha, gap, n, target)


def delong_width(n, area, gap=0.0, level=0.95, **assumed):
    return delong(area, 1 - level, **assumed).width(gap, n)


def counts_power(gap, weaker, n, alpha=0.05, target=None, *, measure, **options):
    assumed = {k: options.pop(k) for k in ("positives", "correlation") if k in options}
    relation = counts(Labels(measure, weaker, **assumed), alpha, **options)
    return analysed("bootstrap", relation, alpha, gap, n, target)


def counts_width(n, weaker, gap=0.0, level=0.95, *, measure, **assumed):
    return counts(Labels(measure, weaker, **assumed), 1 - level).width(gap, n)


def binomial_power(gap, threshold, n, alpha=0.05, target=None, alternative="greater"):
    relation = one_share(threshold, alpha, alternative)
    return analysed("binomial", relation, alpha, gap, n, target)


def margin_power_of_shares(margin, discordant, n, alpha=0.05, difference=0.0, **options):
    relation = shares_within(discordant, difference, alpha, **options)
    return relation.solve(difference=margin, size=n)


def margin_power_of_means(margin, sd, n, alpha=0.05, difference=0.0, **options):
    return means_within(sd, difference, alpha, **options).solve(difference=margin, size=n)


def margin_power_of_areas(
    margin, area, n, alpha=0.05, difference=0.0, *, equivalence=False, **assumed
):
    relation = areas_within(Areas(area, **assumed), difference, alpha, equivalence=equivalence)
    return relation.solve(difference=margin, size=n)


def size_for_width(width, wide, most=1 << 24):
    """Return the least size whose interval is as narrow, with `wide` from a size to a width."""
    relation = Relation(lambda gap, n: 0.0, "", most=most, width=lambda gap, n: wide(n))
    return relation.size_for_width(width)
