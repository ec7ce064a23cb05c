"""What a report draws of predictions: numbers next to what was observed, and groups by risk."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evallang.engine.evaluation import Evaluation
from evallang.engine.metric_samples import resampling_seed
from evallang.engine.walk import computes
from evallang.planning import nodes
from evallang.results.records import PredictedValues, RiskGroup, RiskGroups
from evallang.stats.kaplan_meier import kaplan_meier
from evallang.stats.local_lines import local_line
from evallang.study import Method, Study

MOST = 500  # points of a model, and times of a group
PLACES = 41  # of the smooth curve
QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@computes(nodes.DRAWN)
def drawn_outcomes(
    study: Study, evaluation: Evaluation
) -> tuple[PredictedValues | RiskGroups, ...]:
    """Return the points of each model that predicts numbers, or the curves of its risk groups."""
    predicts = evaluation.task == "regression" and evaluation.own is None
    predicts = predicts and evaluation.battles is None
    if not predicts or evaluation.counted is not None or evaluation.judged:
        return ()
    seed = resampling_seed(study, evaluation, Method("drawn_predictions"))
    return tuple(_drawn(evaluation, seed, study.confidence))


def _drawn(
    evaluation: Evaluation, seed: int, level: float
) -> Iterator[PredictedValues | RiskGroups]:
    for model, found in evaluation.models.items():
        if found.scores is not None and found.scores.dtype == object:
            continue  # rankings of queries
        tested = np.flatnonzero(found.fold >= 0)
        tested = tested[np.unique(found.rows[tested], return_index=True)[1]]
        truth = np.asarray(found.truth[tested], dtype=np.float64)
        output = np.asarray(found.labels[tested], dtype=np.float64)
        known = np.isfinite(output) & np.isfinite(truth if truth.ndim == 1 else truth[:, 0])
        tested, truth, output = tested[known], truth[known], output[known]
        if not len(tested):
            continue
        if truth.ndim == 1:
            yield _predicted(evaluation, model, tested, truth, output, seed)
        elif len(groups := _risk_groups(truth, output, level)) > 1:
            yield RiskGroups(evaluation.source, evaluation.protocol, model, groups, level)


def _predicted(
    evaluation: Evaluation,
    model: str,
    tested: "NDArray[np.int64]",
    truth: "NDArray[np.float64]",
    output: "NDArray[np.float64]",
    seed: int,
) -> PredictedValues:
    """Return the points of one model, those of a series in the order of time."""
    found = evaluation.models[model]
    times = found.rows if evaluation.moments is None else evaluation.moments[found.rows]
    moments = times[tested]
    series = evaluation.yields.neighbours or evaluation.moments is not None
    series = series and len(np.unique(moments)) == len(moments)
    if series:
        kept = np.argsort(moments)[-MOST:]
    else:
        order = np.random.default_rng(seed).permutation(evaluation.n)
        kept = np.sort(np.argsort(order[found.rows[tested]])[:MOST])
    design = evaluation.design
    fits: set[int] = set()
    if series and design is not None and design.training == "past":
        fits = {int(times[found.fold == fold].min()) for fold in np.unique(found.fold)}
    residuals, x = truth - output, output[kept]
    smooth: tuple[tuple[float, float], ...] = ()
    if x.min() < x.max():
        shares = np.full(len(x), 1 / len(x))
        smooth = tuple(
            (place, float(local_line(x, place, shares) @ residuals[kept]))
            for place in np.linspace(x.min(), x.max(), PLACES).tolist()
        )
    low, lower, middle, upper, high = np.quantile(residuals, QUARTILES).tolist()
    return PredictedValues(
        evaluation.source,
        evaluation.protocol,
        model,
        len(tested),
        tuple(truth[kept].tolist()),
        tuple(x.tolist()),
        (low, lower, middle, upper, high),
        smooth,
        tuple(moments[kept].tolist()) if series else (),
        tuple(sorted(fits)),
    )


def _risk_groups(
    truth: "NDArray[np.float64]", risk: "NDArray[np.float64]", level: float
) -> tuple[RiskGroup, ...]:
    """Divide examples by the thirds of their risks; equal risks are in one group."""
    third = np.searchsorted(np.quantile(risk, (1 / 3, 2 / 3)), risk)
    made = []
    for part in np.unique(third):
        here = third == part
        found = kaplan_meier(truth[here, 0], truth[here, 1], level)
        kept = np.unique(np.linspace(0, len(found.times) - 1, MOST).astype(np.int64))
        made.append(
            RiskGroup(
                float(risk[here].min()),
                float(risk[here].max()),
                int(here.sum()),
                tuple(found.times[kept].tolist()),
                tuple(found.at_risk[kept].tolist()),
                tuple(np.diff(found.events.cumsum()[kept], prepend=0).tolist()),
                tuple(found.share[kept].tolist()),
                *(
                    tuple(None if np.isnan(bound) else bound for bound in bounds[kept].tolist())
                    for bounds in (found.low, found.high)
                ),
            )
        )
    return tuple(made)
