"""The scores and predictions of one model for every split and seed, and figures of models."""

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.engine.evaluation import means_of
from evallang.engine.outcomes import Outcomes
from evallang.metrics.metric import Better, is_mean_metric
from evallang.models.abilities import abilities
from evallang.reporting.analyses import Part, not_drawn
from evallang.reporting.document import Figure, Panel, runs
from evallang.reporting.wording import sentence

MOST_ROWS = 12  # models that a figure draws; the table has all


class Runs(Struct, frozen=True):
    """The scores and predictions of one model for S seeds and J splits.

    Attributes
    ----------
    draws : False where the model takes no seed, so that all seeds are one
    values : the metric over all splits by seed (S,), NaN where undefined
    splits : the metric of each split by seed (S, J), NaN where undefined
    repeats : the repeat of each split (J,)
    labels : the predictions by seed (S, n)
    losses : what the metric is the mean of by seed (S, n), or None for another kind of metric
    split_of : the split of each prediction (n,), as a place in `splits`
    units : what is drawn together (n,) as int codes, or None where each prediction is one
    categories : True where predictions are classes
    """

    metric: str
    better: Better
    draws: bool
    values: NDArray[np.float64]
    splits: NDArray[np.float64]
    repeats: NDArray[np.int64]
    labels: NDArray[Any]
    losses: NDArray[np.float64] | None
    split_of: NDArray[np.int64]
    units: NDArray[np.int64] | None
    categories: bool


def variances_over_seeds(splits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance over seeds of each column, zero where its scores are equal.

    The mean of equal scores may differ from them in the last digit; that of their zeros does not.
    """
    return np.asarray(np.var(splits - splits[0], axis=0, ddof=1))


def runs_of(outcomes: Outcomes) -> Runs:
    """Return the scores and predictions of a model for every split and seed."""
    name, evaluation, metric = outcomes.models[0], outcomes.evaluation, outcomes.metric
    able = abilities(outcomes.model.pipeline)
    found = outcomes.aggregates(name)
    if not found:
        raise ValueError(f"the model lacks what `{metric.written}` needs")
    nan = float("nan")
    by_seed = [one.models[name] for one in evaluation.by_seed]
    entry = evaluation.entry(metric)
    losses = None
    if is_mean_metric(entry.declaration) and evaluation.weights is None:
        losses = np.array([means_of(metric, one) for one in evaluation.outcomes(name, metric)])
    return Runs(
        metric=metric.written,
        better=entry.declaration.better,
        draws=bool(able.seeded) or not able.known,
        values=np.array([nan if one.value is None else one.value for one in found]),
        splits=np.array([[nan if v is None else v for v in one.fold_values] for one in found]),
        repeats=np.array([repeat for repeat, _ in found[0].folds]),
        labels=np.array([one.labels for one in by_seed]),
        losses=losses,
        split_of=evaluation.partition(name).fold,
        units=None if evaluation.group_codes is None else evaluation.group_codes[by_seed[0].rows],
        categories=evaluation.task == "classification",
    )


def figure_of_models(drawn: tuple[Any, str], words: str, part: Part, name: str) -> Figure:
    """Return a figure of the models of a part, of which many are not drawn."""
    n = len(part.items)
    rest = not_drawn(n, MOST_ROWS, f"table-{name}-{part.number}", which=part.which)
    panel = Panel(*drawn, ())
    return Figure(f"figure-{name}-{part.number}", runs(sentence(words), rest), (panel,))
