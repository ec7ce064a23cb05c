"""What a resolved model is and can do, worded for messages."""

from collections.abc import Iterable

from evallang.data.dataset import Task
from evallang.models.abilities import abilities
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import EstimatorSpec, ModelSpec, search_space


def is_tuned(model: ModelSpec) -> bool:
    """Return whether any parameter of a model is searched."""
    return bool(search_space(model.pipeline))


def kind_of(model: ModelSpec) -> str | None:
    """Return `classifier` or `regressor`; None where the catalogue cannot tell."""
    return abilities(model.pipeline).kind


def task_of(models: Iterable[ModelSpec]) -> Task | None:
    """Return the task that all models are for, which defaults follow until the data are read."""
    kinds = {kind_of(model) for model in models if model.stored is None}
    if kinds == {"classifier"}:
        return "classification"
    return "regression" if kinds == {"regressor"} else None


def counterpart(model: ModelSpec) -> str | None:
    """Return the class for the other task: `SVR` for `SVC`."""
    last = model.pipeline.steps[-1]
    if not isinstance(last, EstimatorSpec):
        return None
    pairs = (("Classifier", "Regressor"), ("SVC", "SVR"), ("NB", ""))
    for one, other in pairs:
        for old, new in ((one, other), (other, one)):
            if old and old in last.name and last.name.replace(old, new) in CATALOGUE:
                return last.name.replace(old, new)
    return None


def lacks(model: ModelSpec, needs: str) -> str | None:
    """Return what to write where a model does not give scores or probabilities, else None."""
    if needs == "ranges":
        return "write `range` below a `predictions` statement: no model that is fitted gives ranges"
    able, last = abilities(model.pipeline), model.pipeline.steps[-1]
    given = {"probabilities": able.probabilities, "scores": able.scores or able.probabilities}
    if given.get(needs, True):
        return None
    name = last.name if isinstance(last, EstimatorSpec) else ""
    entry = CATALOGUE.get(name)
    if (
        needs == "probabilities"
        and entry is not None
        and "classifier" in entry.kinds
        and able.scores
    ):
        return f"write `CalibratedClassifierCV(estimator={name})`"
    return f"choose a model that gives {needs}"
