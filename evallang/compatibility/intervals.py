"""Which interval goes with a metric and what a protocol yields, and the default one."""

from collections.abc import Mapping

from evallang.compatibility import (
    has_influences,
    is_auc,
    is_in_series,
    is_mean_of_losses,
    is_mean_of_rows,
    is_of_readers,
    is_proportion,
    is_share_of_union,
    metric_entry,
    sums_shares,
)
from evallang.compatibility.mismatches import Mismatch, form_noun, needed_words
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, default_of
from evallang.study import Method, OptionValue

FEW_EXAMPLES = 20
"""Examples below which a mean has Student's interval: the bootstrap's is narrower than it there."""


def default_interval(
    metric: Method,
    yields: Yields,
    classes: int | None = None,
    grouped: bool = False,
    n: int | None = None,
) -> str | None:
    """Return the default interval of a metric on the inputs that a protocol yields.

    `classes` is the number of classes once data are read: a recall over three classes is an
    average, not a proportion; `n` is that of the examples of one fitted model. With `grouped`
    rows the interval is over groups. The result is None if no interval is sound.
    """
    entry = metric_entry(metric)
    declaration = entry.declaration
    if metric.better is not None and yields.rests_only_on("fold"):
        usable = yields.sizes_known and yields.design is not Design.FIVE_BY_TWO
        return default_of("splits") if usable else None
    if yields.design in (Design.REPEATED, Design.RESAMPLED):
        return default_of("splits")
    if yields.rests_on("reader"):
        fits = is_of_readers(metric) and classes in (None, 2) and not yields.weighted
        return default_of("readers") if fits else None
    if declaration.no_interval:
        return None
    if yields.averaged:
        return default_of("drawn")
    if yields.neighbours:
        plain = yields.once and not (grouped or yields.weighted or yields.seeds)
        return default_of("series") if plain and is_in_series(entry) else None
    unusable = not yields.once or not yields.evidence
    if unusable or yields.design is Design.FIVE_BY_TWO:
        return None
    if dict(metric.options).get("pool") and not yields.single_fit:
        return None
    plain = yields.single_fit and not (yields.seeds or yields.weighted)
    if has_influences(metric) and not declaration.resampled and plain:
        return default_of("influences")
    two_classes = is_auc(metric) and (classes is None or classes == 2)
    averaged_areas = is_auc(metric) and not two_classes and not yields.one_group_a_fold
    if metric.ratio and yields.single_fit:
        return default_of("sums")
    alone = not (grouped or yields.weighted or yields.seeds)
    if alone and sums_shares(entry, metric.options, classes):
        return default_of("shares")
    if alone and is_share_of_union(entry, metric.options, classes):
        return default_of("proportion")
    if yields.seeds:
        pools = declaration.form != "scores" or yields.single_fit
        return default_of("drawn") if pools or (two_classes and not grouped) else None
    counted = any(one.totals for one in yields.evidence)
    if counted or is_proportion(entry, metric.options):
        averaged = not declaration.of_all_examples and classes is not None and classes > 2
        of_all = declaration.of_all_examples or not grouped
        has_form = of_all and not (grouped and yields.weighted)
        return default_of("proportion") if has_form and not averaged else default_of("drawn")
    one = yields.weighted or yields.single_fit or yields.one_group_a_fold
    if grouped and two_classes and not one:
        return default_of("auc_over_folds")
    if averaged_areas and not (yields.weighted or yields.single_fit):
        return default_of("areas")
    if grouped or yields.weighted:
        pools = declaration.form != "scores" or yields.single_fit
        return default_of("drawn") if pools or (two_classes and not grouped) else None
    if yields.single_fit and n is not None and n < FEW_EXAMPLES and is_mean_of_losses(entry):
        return default_of("few")
    if yields.single_fit:
        return default_of("auc") if two_classes else default_of("drawn")
    if declaration.form == "losses":
        return default_of("losses_over_folds")
    if two_classes:
        return default_of("auc_over_folds")
    return default_of("drawn") if declaration.form == "counts" else None


def interval_mismatch(
    interval: Method, metric: Method, yields: Yields, grouped: bool = False
) -> Mismatch | None:
    """Return why an interval is not available for a metric under a protocol.

    The one proposed instead is for `grouped` rows where these are.
    """
    declared: IntervalDeclaration = INTERVALS[interval.name].declaration
    entry, name = metric_entry(metric), f"`{interval.name}`"
    instead = _default_or_none(metric, yields, grouped)
    if entry.declaration.no_interval and not declared.rests_only_on("fold"):
        reason = f"no interval of `{metric.written}` from single examples is sound"
        return Mismatch(reason, instead)
    given = {one for one in yields.evidence if one.over_seeds or not yields.seeds}
    only_folds = declared.rests_only_on("fold")
    if not declared.evidence & given:
        by_design = only_folds and declared.designs
        needed = declared.designs if by_design else declared.evidence
        return Mismatch(f"{name} needs {needed_words(needed)}", instead, lacking=True)
    if declared.implied and not yields.redrawn:
        reason = f"{name} divides the rows into folds of its own, which goes with `cv` alone"
        return Mismatch(reason, instead)
    if declared.implied and yields.seeds:
        reason = f"{name} fits each model once on each training part, and here fits are repeated "
        return Mismatch(f"{reason}with several seeds", instead)
    if declared.form in ("auc", "areas") and yields.one_group_a_fold:
        reason = f"{name} needs two groups in each fold, and here a fold is one group"
        return Mismatch(reason, instead, lacking=True)
    whole = yields.once or (yields.averaged and declared.form == "sample")
    if declared.rests_only_on("row") and not whole:
        reason = f"{name} counts each example once, and here it is predicted several times"
        return Mismatch(reason, instead)
    shared = yields.weighted and grouped and declared.form == "proportion"
    if shared:
        reason = f"{name} has a form for groups and one for weights, and none for both"
        return Mismatch(reason, instead)
    if yields.weighted and not declared.weights and not only_folds:
        reason = f"{name} counts every example once, and these examples have weights"
        return Mismatch(reason, instead)
    if only_folds and declared.designs and yields.design not in declared.designs:
        over = frozenset((yields.design,)) if yields.design else frozenset[Design]()
        return Mismatch(f"{name} is not sound over {needed_words(over)}", instead)
    fits = {
        "proportion": is_proportion(entry, metric.options)
        or is_share_of_union(entry, metric.options, None),
        "shares": sums_shares(entry, metric.options, None) or sums_shares(entry, metric.options, 3),
        "losses": entry.declaration.form == "losses",
        "auc": is_auc(metric),
        "areas": is_auc(metric),
        "paired": False,
        "independent": False,
        "one_metric": entry.name == declared.of_metric and metric.better is None,
        "cells": entry.declaration.form == "counts" and metric.better is None,
        "means": is_mean_of_rows(entry),
        "sums": metric.ratio or is_mean_of_losses(entry),
        "influences": has_influences(metric),
        "readers": is_of_readers(metric),
        "series": is_in_series(entry),
    }
    if not fits.get(declared.form, True):
        another = " another metric" if declared.form in ("auc", "areas", "one_metric") else " not"
        reason = f"{name} is for {form_noun(declared)}, and `{metric.written}` is{another}"
        return Mismatch(reason, instead)
    of_folds = bool(declared.designs) and not only_folds
    if declared.form == "series" and not yields.neighbours:
        reason = f"{name} reads examples in the order of time, which nothing here tells"
        return Mismatch(reason, instead)
    if declared.form in ("auc", "sums", "influences") and not of_folds and not yields.single_fit:
        reason = f"{name} takes the scores of one fitted model, and here each fold has its own"
        return Mismatch(reason, instead)
    if of_folds and yields.single_fit:
        reason = f"{name} averages over the folds of one cross-validation, and here one model is "
        return Mismatch(f"{reason}tested", instead)
    return None


def _default_or_none(metric: Method, yields: Yields, grouped: bool) -> str:
    """Propose the default interval, or no interval where there is none."""
    default = default_interval(metric, yields, None, grouped)
    return "remove the interval" if default is None else f"write `interval {default}`"


def implied_options(interval: Method, own: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
    """Return the options of the protocol that an interval implies; `own` are the study's own."""
    entry = INTERVALS[interval.name]
    known = {**own, **entry.defaults(), **interval.keywords()}
    options = PROTOCOLS[entry.declaration.implied].options
    return {option.name: known[option.name] for option in options}


def interval_groups_mismatch(interval: Method, metric: Method, yields: Yields) -> Mismatch | None:
    """Return why an interval is not available for a metric if rows belong to groups."""
    declared = INTERVALS[interval.name].declaration
    if not declared.rests_only_on("row"):
        return None
    instead = _default_or_none(metric, yields, grouped=True)
    if not declared.clustered:
        reason = f"`{interval.name}` treats rows as independent, and those of a group are not"
        return Mismatch(reason, instead)
    of_all = metric_entry(metric).declaration.of_all_examples
    if declared.form == "proportion" and not of_all:
        reason = f"`{interval.name}` has a form for groups of accuracy alone, and not of "
        return Mismatch(f"{reason}`{metric.written}`", instead)
    return None
