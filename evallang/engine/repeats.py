"""Predictions with repeats: the example is the unit, and its mean over repeats its outcome."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evallang.compatibility import metric_entry
from evallang.engine.evaluation import Evaluation, ModelOutcome
from evallang.metrics.metric import Outcome
from evallang.registry import lazy
from evallang.results.records import Estimate, FoldValue
from evallang.study import Method

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


def as_read_by(evaluation: Evaluation, metric: Method) -> Evaluation:
    """Return the outcomes as a metric reads them: with repeats, one mean for each example.

    A metric that is no mean of examples (F1, AUC) is computed in each repeat, and its examples
    are resampled and swapped with all their repeats.
    """
    if not evaluation.yields.averaged or evaluation.means:
        return evaluation
    return evaluation.once(("read by", metric), lambda: _read_by(evaluation, metric))


def _read_by(evaluation: Evaluation, metric: Method) -> Evaluation:
    if not _is_mean(metric):
        if evaluation.group_codes is not None:
            return evaluation
        codes = np.arange(1 + max(int(m.rows.max()) for m in evaluation.models.values()))
        return replace(evaluation, group_codes=codes, each="examples")
    means = {name: _means(evaluation, name, metric) for name in evaluation.models}
    return replace(
        evaluation,
        models={name: _averaged(found, means[name]) for name, found in evaluation.models.items()},
        classes=(),
        positive=None,
        judged=False,
        means=True,
    )


@dataclass(frozen=True)
class _Means:
    """The examples of a model, and of each the mean and the variance over its repeats."""

    rows: "NDArray[np.int64]"
    mean: "NDArray[np.float64]"
    variance: "NDArray[np.float64]"


def _is_mean(metric: Method) -> bool:
    declared = metric_entry(metric).declaration
    return declared.form == "losses" or declared.proportion == "all"


def _means(evaluation: Evaluation, model: str, metric: Method) -> _Means | None:
    """Average over repeats; the variance (n - 1) is NaN where an example has one repeat."""
    outcome = evaluation.outcome(model, metric)
    if outcome is None:
        return None
    values = _of_examples(metric, outcome)
    rows, code, times = np.unique(
        evaluation.models[model].rows, return_inverse=True, return_counts=True
    )
    mean = np.bincount(code, weights=values) / times
    squares = np.bincount(code, weights=(values - mean[code]) ** 2)
    variance = np.where(times > 1, squares / np.maximum(times - 1, 1), np.nan)
    return _Means(rows, mean, variance)


def _of_examples(metric: Method, outcome: Outcome) -> "NDArray[np.float64]":
    """Return what a metric is the mean of: one number for each prediction."""
    entry = metric_entry(metric)
    if entry.declaration.form == "losses":
        losses = entry.function(
            outcome.truth, outcome.output, outcome.positive, **dict(metric.options)
        )
        return np.asarray(losses, dtype=np.float64)
    right = np.asarray(outcome.truth == outcome.output, dtype=np.float64)
    return 1.0 - right if entry.declaration.complement else right


def _averaged(found: ModelOutcome, means: _Means | None) -> ModelOutcome:
    if means is None:
        return replace(found, scores=None)
    zeros = np.zeros(len(means.rows), dtype=np.int64)
    return replace(
        found,
        rows=means.rows,
        repeat=zeros,
        fold=zeros,
        truth=zeros,
        labels=means.mean,
        scores=means.mean,
        probabilities=True,
    )


def with_repeats(found: Estimate, evaluation: Evaluation, model: str, metric: Method) -> Estimate:
    """Add to an estimate what the repeats gave each, and how much an example varies in them."""
    outcome = evaluation.outcome(model, metric)
    if outcome is None:
        return found
    own = evaluation.models[model]
    each = evaluation.aggregates(model, metric)[0]
    labels = {fold.repeat: fold for fold in evaluation.folds}
    folds = tuple(
        FoldValue(r, f, labels[r].label, value, None, labels[r].n_test)
        for (r, f), value in zip(each.folds, each.fold_values, strict=True)
    )
    n = len(np.unique(own.rows))
    extra = {**found.extra, "n_examples": n, "n_repeats": len(each.folds)}
    notes = found.notes
    means = _means(evaluation, model, metric) if _is_mean(metric) else None
    if means is not None and not np.isnan(means.variance).all():
        within = float(np.sqrt(np.nanmean(means.variance)))
        extra["sd_within"] = within
        notes = (
            *notes,
            f"{len(each.folds)} repeats; between the repeats of one example the standard "
            f"deviation is {within:.3g}",
        )
    return replace(
        found,
        aggregation="mean_of_repeats",
        fold_mean=each.fold_mean,
        sd=each.sd,
        n=n,
        folds=folds,
        extra=extra,
        notes=notes,
    )
