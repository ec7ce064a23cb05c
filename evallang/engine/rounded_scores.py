"""Scores that a metric rounds, as `roc_auc(bins=N)` does, and the error that this can make."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evallang.compatibility import most_distinct
from evallang.metrics.metric import Outcome
from evallang.registry import lazy
from evallang.stats.score_counts import ScoreCounts, coarse_scores, coarsened, count_scores
from evallang.study import Method

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evallang.engine.evaluation import Evaluation
else:
    np = lazy("numpy")


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
    parts = evaluation.partition(model)
    errors: list[float] = []
    any_rounded = False
    for scores, positive in _against_the_rest(outcome):
        if not np.isfinite(scores).all():
            return None
        coarse = coarse_scores(scores, most)
        any_rounded = any_rounded or coarse is not scores
        for part in range(len(parts.pairs)):
            rows = parts.fold == part
            counts = count_scores(coarse[rows], positive[rows])
            errors.append(_marked(counts).area_error if coarse is not scores else 0.0)
    return float(np.mean(errors)) if any_rounded else None


def _against_the_rest(outcome: Outcome) -> "Iterator[tuple[NDArray[Any], NDArray[Any]]]":
    """Iterate over the scores of the positive class, or of each class against the rest."""
    output = outcome.output
    if output.ndim == 1:
        yield output, np.asarray(outcome.truth == outcome.positive)
        return
    classes = [outcome.positive] if output.shape[1] == 2 else range(output.shape[1])
    for c in classes:
        yield np.ascontiguousarray(output[:, c]), np.asarray(outcome.truth == c)


def _marked(counts: ScoreCounts) -> ScoreCounts:
    """Return counts that know that their scores were rounded."""
    return replace(counts, digits=0)


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
