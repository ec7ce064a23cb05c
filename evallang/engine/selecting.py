"""From the inner scores of all candidates to the one that is chosen, by a stated rule."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from evallang.models.catalogue import simplicity
from evallang.models.model import ParameterValue, PipelineSpec, identity, search_space
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Rule = Literal["best", "one_standard_error"]
DIGITS = 12  # significant digits to which equal scores tie


def choose(
    scores: "NDArray[np.float64]",
    usable: Sequence[int],
    rule: Rule,
    better: Literal["higher", "lower"],
    steps: Sequence[int],
) -> int:
    """Choose a candidate from its scores in the inner folds (folds, candidates).

    `best`: the best mean, ties to the first written. `one_standard_error`: the simplest
    whose mean is within one standard error (sd over folds / sqrt(k)) of the best (Breiman
    et al. 1984; Raschka 2018, 3.10); `steps` counts how far each is from the simplest, and
    ties go to the better mean, then to the first written.
    """
    means = scores.mean(axis=0)
    sign = -1.0 if better == "higher" else 1.0
    losses = {i: _rounded(sign * float(means[i])) for i in usable}
    best = min(usable, key=lambda i: (losses[i], i))
    if rule == "best" or len(scores) < 2:
        return best
    error = float(np.std(scores[:, best], ddof=1)) / len(scores) ** 0.5
    within = [i for i in usable if losses[i] <= _rounded(losses[best] + error)]
    return min(within, key=lambda i: (steps[i], losses[i], i))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def steps_from_simple(
    pipeline: PipelineSpec, candidates: Sequence[Mapping[str, ParameterValue]]
) -> list[int]:
    """Count each candidate's steps from simple, over all its parameters.

    A parameter whose direction is in the catalogue counts by it, any other by the order in
    which its values were written, the first being the simplest.
    """
    steps = [0] * len(candidates)
    for parameter in search_space(pipeline):
        values: list[ParameterValue] = list(parameter.candidates.values)
        for candidate in candidates:
            value = candidate[parameter.name]
            if all(identity(value) != identity(known) for known in values):
                values.append(value)
        ranks = simplicity(parameter.owner, parameter.parameter, tuple(values))
        order: Sequence[Any] = ranks if ranks is not None else range(len(values))
        rank = {identity(v): int(r) for v, r in zip(values, order, strict=True)}
        for i, candidate in enumerate(candidates):
            steps[i] += rank[identity(candidate[parameter.name])]
    return steps
