"""Steps that change how many training rows of each class there are: those of imbalanced-learn.

A resampler sees the rows on which a pipeline is fitted, and no others. Rows to predict go through
the other steps alone.
"""

from typing import Any

from numpy.typing import NDArray

from evallang.models.catalogue import CATALOGUE
from evallang.models.model import ColumnsSpec, EstimatorSpec, PipelineSpec, StepSpec

KIND = "resampler"
NEIGHBOURS = ("k_neighbors", "n_neighbors")
"""Parameters that count the neighbours of a row, in its own class, from which a row is made."""


def is_resampler(step: StepSpec) -> bool:
    """Return whether a step is a resampler of the catalogue."""
    if isinstance(step, ColumnsSpec) or step.code:
        return False
    entry = CATALOGUE.get(step.name)
    return entry is not None and KIND in entry.kinds


def resamplers(pipeline: PipelineSpec) -> tuple[EstimatorSpec, ...]:
    """Return the steps of a pipeline that are resamplers."""
    return tuple(
        step for step in pipeline.steps if isinstance(step, EstimatorSpec) and is_resampler(step)
    )


def steps_of_new_rows(pipeline: PipelineSpec) -> tuple[StepSpec, ...]:
    """Return the steps that rows to predict go through."""
    return tuple(step for step in pipeline.steps if not is_resampler(step))


def too_few_rows(resampler: Any, y: "NDArray[Any]") -> str | None:
    """Return why a resampler failed if a class that it enlarges has too few rows for neighbours.

    A resampler that joins two has its neighbours in a part that the author cannot set.
    """
    name, own = type(resampler).__name__, resampler.get_params(deep=False)
    inner = getattr(resampler, "smote_", resampler)
    settings = inner.get_params(deep=False)
    parameter = next((p for p in NEIGHBOURS if isinstance(settings.get(p), int)), None)
    enlarged = [label for label, n in getattr(inner, "sampling_strategy_", {}).items() if n]
    if parameter is None or not enlarged:
        return None
    asked, fewest = settings[parameter], min(int((y == label).sum()) for label in enlarged)
    if fewest > asked:
        return None
    rows = "1 training row" if fewest == 1 else f"{fewest} training rows"
    if fewest > 1 and parameter in own:
        instead = f"write `{name}({parameter}={fewest - 1})`"
    else:
        instead = "write `RandomOverSampler`"
    return (
        f"`{name}` needs {asked} neighbours of a row in its class, and the smallest class has "
        f"{rows}; {instead}"
    )
