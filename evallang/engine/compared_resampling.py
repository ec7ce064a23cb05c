"""How two models are swapped and drawn anew: the form of their outcomes decides."""

from typing import Any

from evallang.engine.compared_models import ComparedModels
from evallang.engine.weighted import sample_of
from evallang.stats.hypothesis_tests.swapped_outputs import CountSwapper, OutputSwapper
from evallang.stats.hypothesis_tests.swapping import (
    LossSwapper,
    ScoreSwapper,
    SignSwapper,
    Swapper,
)
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.resampled_counts import PairedCountSample
from evallang.stats.intervals.resampled_scores import ScoreSample
from evallang.stats.intervals.resampling import DifferenceSample, LossSample, mean_sample

RANKING = frozenset({"roc_auc", "average_precision"})


def swapper(models: ComparedModels, groups: Any, *, blocked: bool) -> Swapper:
    """Swap what two models gave, by the quickest way that fits the metric.

    `groups` are codes of rows that are swapped together, None where each row is alone; with
    `blocked` rows their order counts.
    """
    form = models.entry.declaration.form
    several = bool(models.setting.further_seeds)
    unweighted = models.outcomes[0].weights is None and not several
    plain = groups is None and not blocked and unweighted
    if form == "losses":
        return LossSwapper(
            models.shares(0), models.shares(1), models.entry.declaration.transform, groups
        )
    if models.entry.declaration.proportion == "all" and not plain:
        n = max(models.outcomes[0].n, 1)
        return SignSwapper((models.shares(0) - models.shares(1)) / n, groups)
    if form == "counts" and plain:
        return CountSwapper(*models.joint())
    ranked = models.metric.name == "roc_auc" and unweighted
    if ranked and models.folds() is None and models.two_classes():
        first, second = (models.scores(model) for model in models.models)
        return ScoreSwapper(models.binary_truth(), first, second, groups)
    a, b = (models.outputs(which) for which in (0, 1))
    return OutputSwapper(a, b, models.value, groups, by_ranks=models.metric.name in RANKING)


def resampler(models: ComparedModels, groups: Any) -> Resampler:
    """Draw differences of two models, by the quickest way that fits the metric.

    `groups` are codes of rows that are drawn together, None where each row is alone.
    """
    form = models.entry.declaration.form
    declared = models.entry.declaration
    ends = (declared.low, declared.high)
    width = None if None in ends else float(ends[1]) - float(ends[0])  # type: ignore[arg-type]  # neither is None
    limits = (None, None) if width is None else (-width, width)
    summed = form != "scores" or (models.metric.name == "roc_auc" and models.two_classes())
    several = bool(models.setting.further_seeds)
    in_repeats = models.setting.yields.averaged and not models.setting.means
    weighted = models.outcomes[0].weights is not None or several
    if weighted and summed and not in_repeats:
        a, b = (
            mean_sample(
                [
                    sample_of(models.entry, models.metric.keywords(), o, models.folds(), groups)
                    for o in outcomes
                ]
            )
            for outcomes in models.by_seed
        )
        return DifferenceSample(a, b, limits)
    if form == "losses":
        first, second = (LossSample(models.losses(i), declared.transform, groups) for i in (0, 1))
        return DifferenceSample(first, second, limits)
    if form == "counts" and groups is None:
        return PairedCountSample(*models.joint(), limits)
    if summed and form == "scores" and models.folds() is None:
        truth = models.binary_truth()
        a, b = (ScoreSample(truth, models.scores(m), groups) for m in models.models)
        return DifferenceSample(a, b, limits)
    parts = [models.weighted(i, groups) for i in (0, 1)]
    return DifferenceSample(parts[0], parts[1], limits)
