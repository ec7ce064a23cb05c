"""After a run: a feature that predicts as well by itself as the best model."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evallang.data.dataset import Table
from evallang.data.row_rules.revealing_features import (
    GIVES_AWAY,
    scale_of,
    strengths,
    written_strength,
)
from evallang.data.row_rules.strengths import area
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.engine.evaluation import Evaluation, ModelOutcome
from evallang.spelling import written_name
from evallang.study import Study

STRONG = {"classification": 0.95, "regression": 0.9}
"""Area under the curve (balanced accuracy of several classes) and R2 of a target with noise."""
FAR_BELOW = {"classification": 0.9, "regression": 0.8}
"""What all other features stay below; sound data sets have several strong features."""
NO_BETTER = 0.01  # of the same scale; what all other features add is less
LEAST_ROWS = 50
FEWEST_FEATURES = 2


def features_as_good_as_models(
    study: Study, tables: Mapping[str, Table], evaluations: Sequence[Evaluation]
) -> Iterator[Diagnostic]:
    """Report features that predict as well as the best model of their data, once for each table.

    The features that give the target away are reported before a run, and time series have
    features such as the last value, which may well be as good.
    """
    for name, table in tables.items():
        about = [e for e in evaluations if e.source == name and not e.yields.ordered]
        if not about or table.n < LEAST_ROWS or len(table.columns) < FEWEST_FEATURES:
            continue
        (best, feature), (second, _) = strengths(table, table.columns)[:2]
        strong = STRONG[table.task] <= best < GIVES_AWAY[table.task]
        if not strong or second >= FAR_BELOW[table.task]:
            continue
        reached = {
            model: value
            for evaluation in about[:1]
            for model, outcome in evaluation.models.items()
            if (value := _reached(table, outcome)) is not None
        }
        if not reached:
            continue
        model = max(reached, key=lambda one: reached[one])
        if reached[model] > best + NO_BETTER:
            continue
        yield diagnose(
            codes.feature_as_good_as_models,
            f"`{feature}` alone predicts `{table.target}` with {scale_of(table)} of "
            f"{written_strength(best)}, and the best model, `{model}`, has "
            f"{written_strength(reached[model])}",
            table.spec.places.get("features", table.spec.places.get("target")),
            path=study.path,
            help=f"write `features all except {written_name(feature)}` if it is known only after "
            "the outcome",
            notes=(f"on `{name}`",) if len(tables) > 1 else (),
        )


def _reached(table: Table, outcome: ModelOutcome) -> float | None:
    """Return what a model reached on the scale of single features, None where it is unknown.

    The area under the curve is the mean over folds, because scores of different fits need not
    be comparable.
    """
    truth = outcome.truth
    if not len(truth):
        return None
    if table.task == "regression":
        error, spread = outcome.labels - truth, truth - truth.mean()
        return float(1 - (error @ error) / (spread @ spread)) if spread.any() else None
    if len(table.classes) > 2:
        recalls = [(outcome.labels[truth == c] == c).mean() for c in np.unique(truth)]
        return float(np.mean(recalls))
    if outcome.scores is None:
        return None
    scores = outcome.scores if outcome.scores.ndim == 1 else outcome.scores[:, 1]
    parts = outcome.repeat * (int(outcome.fold.max()) + 2) + outcome.fold
    found = [
        (int(rows.sum()), area(scores[rows], truth[rows] == 1))
        for part in np.unique(parts)
        if 0 < (truth[rows := parts == part] == 1).sum() < rows.sum()
    ]
    n = sum(size for size, _ in found)
    return sum(size * value for size, value in found) / n if n else None
