"""Scores that a metric rounds, as `roc_auc(distinct=N)` does, and the error that this can make."""

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from evallang.compatibility import metric_entry, most_distinct
from evallang.metrics.metric import Outcome
from evallang.stats.score_counts import coarse_scores, coarsened, count_scores
from evallang.study import Method

if TYPE_CHECKING:
    from evallang.engine.evaluation import Evaluation


def round_scores(outcome: Outcome, metric: Method) -> Outcome:
    """Return an outcome with its scores as the metric rounds them."""
    most = most_distinct(metric)
    if most is None:
        return outcome
    if outcome.ranked is not None:
        return replace(outcome, ranked=coarsened(outcome.ranked, most))
    output = outcome.output
    if output.ndim == 1:
        return replace(outcome, output=coarse_scores(output, most))
    columns = [coarse_scores(output[:, c], most) for c in range(output.shape[1])]
    return replace(outcome, output=np.stack(columns, axis=1))


def rounding_error(evaluation: "Evaluation", model: str, metric: Method) -> float | None:
    """Return by how much a value is off at most because of rounding; None where nothing was."""
    most = most_distinct(metric)
    if most is None:
        return None
    outcome = evaluation.as_given(model, metric)
    if outcome is None:
        return None
    if outcome.ranked is not None:
        counts = coarsened(outcome.ranked, most)
        return counts.area_error if counts.digits is not None else None
    sides = metric_entry(metric).declaration.sides
    parts, errors = evaluation.partition(model), []
    assert sides is not None, "a metric that rounds declares its areas"
    coarse = round_scores(outcome, metric)
    if np.array_equal(coarse.output, outcome.output, equal_nan=True):
        return None
    for part in range(len(parts.pairs)):
        of_part = coarse.take(parts.fold == part)
        for scores, positive in sides(of_part, metric.keywords()):
            if not np.isfinite(scores).all():
                return None
            errors.append(replace(count_scores(scores, positive), digits=0).area_error)
    return float(np.mean(errors))


def note_of_rounding(metric: Method, error: float) -> str:
    """State what the rounding of one model's scores can change."""
    most = most_distinct(metric)
    return (
        f"scores rounded to at most {most:,} distinct ones: the value is off by at most "
        f"{error:.2g}, which its interval does not cover"
    )


def note_of_rounded_pair(metric: Method, errors: list[float]) -> str:
    """State what the rounding of two models' scores can change in their difference."""
    most = most_distinct(metric)
    return (
        f"scores rounded to at most {most:,} distinct ones: the difference is off by at most "
        f"{sum(errors):.2g}, which its interval and p do not cover"
    )
