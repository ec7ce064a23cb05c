"""After a run: folds whose scores differ by more than the sampling of their rows explains."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.engine.evaluation import Evaluation, is_mean, means_of
from evallang.metrics.metric import default_metric
from evallang.models.model import is_baseline
from evallang.reporting.numbers import Scale, fixed
from evallang.source import Span
from evallang.study import Method, Study

RARE = 1e-4
"""The chance of such a spread if all folds were alike; one model in 10,000 is reported wrongly."""
FEWEST_FOLDS, FEWEST_UNITS = 3, 10
"""What a comparison of folds rests on: with fewer units in a fold its mean is far from normal."""


def folds_that_disagree(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[Diagnostic]:
    """Report, for each data set and protocol, the model whose folds differ the most.

    The metric is the first one that is a mean over examples; of models that are fitted here it is
    the default one of the task where no measure is. Where examples are grouped, the groups are the
    units of a fold.
    """
    baselines = {model.name for model in study.models if is_baseline(model)}
    for evaluation in evaluations:
        if evaluation.design is None or not evaluation.yields.once or evaluation.judged:
            continue
        found_metric = _mean_metric(study, evaluation)
        if found_metric is None:
            continue
        metric, span = found_metric
        spreads = [
            (found[0], model, found[1])
            for model in evaluation.models
            if model not in baselines and (found := _spread(evaluation, model, metric)) is not None
        ]
        if not spreads:
            continue
        p, model, means = min(spreads, key=lambda spread: spread[0])
        if p >= RARE:
            continue
        percent = evaluation.entry(metric).declaration.unit == "percent"
        scale, unit = (Scale(0, 2), "%") if percent else (Scale(3), "")
        low, high = int(np.argmin(means)), int(np.argmax(means))
        yield diagnose(
            codes.folds_disagree,
            f"the folds of `{model}` differ by more than the sampling of their rows explains: "
            f"`{metric.written}` is {fixed(float(means[low]), scale)}{unit} in fold {low + 1} and "
            f"{fixed(float(means[high]), scale)}{unit} in fold {high + 1}",
            span,
            path=study.path,
            help="look for what separates these rows: a group that no `group by` names, an order "
            "of the rows, a change over time",
            notes=(f"on `{evaluation.source}`",) if len(study.sources) > 1 else (),
        )


def _mean_metric(study: Study, evaluation: Evaluation) -> tuple[Method, Span | None] | None:
    """Return the mean over examples that folds are compared by, and where the study measures."""
    for measure in study.measures:
        if is_mean(measure.metric):
            return measure.metric, measure.span
    fitted = all(model.fitted for model in evaluation.models.values())
    if not study.measures or not fitted:
        return None
    task: Literal["classification", "regression"] = (
        "regression" if evaluation.task == "regression" else "classification"
    )
    metric = Method(default_metric(task))
    return (metric, study.measures[0].span) if is_mean(metric) else None


def _spread(
    evaluation: Evaluation, model: str, metric: Method
) -> "tuple[float, NDArray[np.float64]] | None":
    """Return the p-value of the spread between folds and the metric of the folds (j,).

    None where the folds are too few or too small. The statistic is that of Cochran's test of
    heterogeneity with the variance within folds, chi-squared with j - 1 degrees of freedom.
    """
    outcome = evaluation.outcome(model, metric)
    if outcome is None or evaluation.models[model].failed:
        return None
    values = means_of(metric, outcome)
    fold = evaluation.partition(model).fold
    j = int(fold.max()) + 1
    if evaluation.group_codes is not None:
        rows = evaluation.models[model].rows
        groups, unit = np.unique(evaluation.group_codes[rows], return_inverse=True)
        unit = unit.reshape(-1)
        size = np.bincount(unit)
        first = np.zeros(len(groups), dtype=np.int64)
        first[unit] = fold
        values, fold = np.bincount(unit, values) / size, first
    n = np.bincount(fold, minlength=j)
    if j < FEWEST_FOLDS or n.min() < FEWEST_UNITS:
        return None
    means = np.bincount(fold, values, j) / n
    within = float(((values - means[fold]) ** 2).sum() / (len(values) - j))
    if not within > 0:
        return None
    q = float((n * (means - values.mean()) ** 2).sum() / within)
    if evaluation.entry(metric).declaration.transform == "sqrt":
        means = np.sqrt(means)
    return float(scipy.special.chdtrc(j - 1, q)), means
