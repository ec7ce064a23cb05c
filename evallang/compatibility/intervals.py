"""Which interval goes with a metric and what a protocol yields, and the default one."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from evallang.compatibility import (
    has_influences,
    is_auc,
    is_mean_of_losses,
    is_mean_of_rows,
    is_mean_or_root,
    is_proportion,
    is_share_of_union,
    is_smooth,
    metric_entry,
    sums_shares,
)
from evallang.diagnostics import Code, codes
from evallang.evidence import Evidence
from evallang.metrics.metric import MetricEntry
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design
from evallang.stats.intervals.interval import INTERVALS, default_of
from evallang.study import Method, OptionValue

FEW_EXAMPLES = 20
"""Examples below which a mean has Student's interval: the bootstrap's is narrower than it there."""


DESIGN_NOUNS: Mapping[Design, str] = {
    Design.KFOLD: "the folds of one cross-validation",
    Design.REPEATED: "repeated cross-validation",
    Design.RESAMPLED: "repeated holdouts",
    Design.FIVE_BY_TWO: "five repeats of two folds",
}
FORM_NOUNS: Mapping[str, str] = {
    "proportion": "proportions",
    "losses": "losses that each example has of its own",
    "auc": "`roc_auc`",
    "areas": "`roc_auc`",
    "paired": "the difference of two proportions",
    "independent": "the difference of two proportions",
    "cells": "metrics of the confusion matrix",
    "sums": "ratios of sums",
    "influences": "metrics of which the influence of each example is known, such as `concordance` "
    "and `average_precision`",
    "strengths": "metrics of pairwise judgements",
    "verdicts": "`corrected_rate`",
    "readers": "metrics of which the jackknife gives the variance",
    "shares": "weighted sums of shares, such as balanced accuracy",
    "series": "mean losses, their roots, and accuracy",
    "means": "means over examples, such as accuracy and losses",
    "strata": "averages of several data sets (`averaged over data`)",
}
"""What the intervals of each form are for."""


class Unmet(Struct, frozen=True):
    """A requirement of a test or an interval that a metric or the evidence does not meet.

    `lacking` tells that the reason is something that a protocol or source does not give.
    """

    code: Code
    reason: str
    instead: str
    lacking: bool = False


def needed_words(needed: frozenset[Evidence] | frozenset[Design]) -> str:
    """Return the words for what is needed: `one loss or one score for each example`."""
    kinds = sorted((one for one in needed if isinstance(one, Evidence)), key=lambda one: one.name)
    singly = {one.value for one in kinds if not one.totals}  # of which totals may be counted
    inputs = [one.noun for one in kinds if not (one.totals and one.value in singly)]
    designs = {one for one in needed if isinstance(one, Design)}
    named = [*inputs, *(DESIGN_NOUNS[d] for d in sorted(designs))]
    return alternatives(named) if named else "these folds"


def alternatives(words: Iterable[str]) -> str:
    """Join words as in `a, b or c`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


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
    if yields.crossed:
        return default_of("readers") if is_smooth(metric) and not yields.weighted else None
    if yields.rests_on("game"):
        return default_of("strengths")
    if declaration.no_interval:
        return None
    if yields.averaged:
        few = not grouped and n is not None and n < FEW_EXAMPLES
        return default_of((few and _few(entry)) or "drawn")
    if yields.neighbours:
        plain = yields.once and not (grouped or yields.weighted or yields.seeds)
        return default_of("series") if plain and is_mean_or_root(entry) else None
    unusable = not yields.once or not yields.evidence
    if unusable or yields.design is Design.FIVE_BY_TWO:
        return None
    if dict(metric.options).get("pool") and not yields.single_fit:
        return None
    plain = yields.single_fit and not (yields.seeds or yields.weighted)
    if declaration.needs == "verdicts" and plain:
        return default_of("verdicts")
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


def _few(entry: MetricEntry) -> Literal["proportion", "sums"] | None:
    """Return the form of the interval of a mean over few examples with repeats."""
    if not is_mean_of_rows(entry):
        return None
    return "proportion" if (entry.declaration.low, entry.declaration.high) == (0, 1) else "sums"


def unmet_by_interval(
    interval: Method,
    metric: Method,
    yields: Yields,
    grouped: bool = False,
    classes: int | None = None,
) -> Unmet | None:
    """Return the first requirement of an interval that a metric under a protocol does not meet.

    The one proposed instead is for `grouped` rows where these are; `classes` is their number once
    data are read.
    """
    declared = INTERVALS[interval.name].declaration
    entry, form, written = metric_entry(metric), declared.form, f"`{metric.written}`"
    over_rows, over_folds = declared.rests_only_on("row"), declared.rests_only_on("fold")
    given = {one for one in yields.evidence if one.over_seeds or not yields.seeds}
    needed = declared.designs if over_folds and declared.designs else declared.evidence
    of_means = yields.averaged and declared.clustered and form == _few(entry)
    whole = yields.once or of_means or (yields.averaged and form == "sample")
    over = frozenset((yields.design,)) if yields.design else frozenset[Design]()
    of_folds = bool(declared.designs) and not over_folds
    proportion = is_proportion(entry, metric.options)
    fits = {
        "proportion": proportion or of_means or is_share_of_union(entry, metric.options, None),
        "shares": any(sums_shares(entry, metric.options, k) for k in (None, 3)),
        "losses": entry.declaration.form == "losses",
        "auc": is_auc(metric),
        "areas": is_auc(metric),
        "paired": False,
        "independent": False,
        "strata": False,
        "one_metric": entry.name == declared.of_metric and metric.better is None,
        "cells": entry.declaration.form == "counts" and metric.better is None,
        "means": is_mean_of_rows(entry),
        "sums": metric.ratio or is_mean_of_losses(entry),
        "influences": has_influences(metric),
        "readers": is_smooth(metric),
        "strengths": entry.declaration.needs == "games",
        "verdicts": entry.declaration.needs == "verdicts",
        "series": is_mean_or_root(entry),
    }
    of_one = form in ("auc", "areas", "one_metric", "verdicts")
    another = "another metric" if of_one else "not"
    noun = f"`{declared.of_metric}`" if declared.of_metric else FORM_NOUNS.get(form)
    of_all = entry.declaration.of_all_examples
    averaged = (form == "proportion" and proportion and not of_all) or form == "auc"
    lacking = {
        f"needs {needed_words(needed)}": not (declared.evidence & given or of_means),
        "needs two groups in each fold, and here a fold is one group": form in ("auc", "areas")
        and yields.one_group_a_fold,
    }
    other = {
        "divides the rows into folds of its own, which goes with `cv` alone": declared.implied
        and not yields.redrawn,
        "fits each model once on each training part, and here fits are repeated with several "
        "seeds": declared.implied and yields.seeds,
        "counts each example once, and here it is predicted several times": over_rows and not whole,
        "has a form for groups and one for weights, and none for both": yields.weighted
        and grouped
        and form == "proportion",
        "counts every example once, and these examples have weights": yields.weighted
        and not declared.weights
        and not over_folds,
        f"is not sound over {needed_words(over)}": over_folds
        and declared.designs
        and yields.design not in declared.designs,
        f"is for {noun}, and {written} is {another}": not fits.get(form, True),
        "reads examples in the order of time, which nothing here tells": form == "series"
        and not yields.neighbours,
        "takes the scores of one fitted model, and here each fold has its own": form
        in ("auc", "sums", "influences")
        and not of_folds
        and not yields.single_fit,
        "averages over the folds of one cross-validation, and here one model is tested": of_folds
        and yields.single_fit,
        f"is for two classes, and {written} of {classes} classes is an average": (classes or 0) > 2
        and averaged,
    }
    of_groups = {
        "treats rows as independent, and those of a group are not": not declared.clustered,
        f"has a form for groups of accuracy alone, and not of {written}": form == "proportion"
        and not of_all,
    }
    default = default_interval(metric, yields, classes, grouped)
    instead = "remove the interval" if default is None else f"write `interval {default}`"
    code = codes.interval_needs_other_evidence
    if entry.declaration.no_interval and not over_folds:
        return Unmet(code, f"no interval of {written} from single examples is sound", instead)
    needs = [(words, bool(unmet), True) for words, unmet in lacking.items()]
    needs += [(words, bool(unmet), False) for words, unmet in other.items()]
    for words, unmet, is_lacking in needs:
        if unmet:
            return Unmet(code, f"`{interval.name}` {words}", instead, is_lacking)
    for reason, unmet in of_groups.items() if grouped and over_rows else ():
        if unmet:
            code = codes.no_form_for_groups
            return Unmet(code, f"`{interval.name}` {reason}", instead)
    return None


def implied_options(interval: Method, own: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
    """Return the options of the protocol that an interval implies; `own` are the study's own."""
    entry = INTERVALS[interval.name]
    known = {**own, **entry.defaults(), **interval.keywords()}
    options = PROTOCOLS[entry.declaration.implied].options
    return {option.name: known[option.name] for option in options}
