"""What a resolved model is and can do, worded for messages."""

from collections.abc import Iterable

from evallang.data.dataset import Task
from evallang.models.abilities import abilities
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import EstimatorSpec, ModelSpec, PipelineSpec, search_space


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
    if needs in ("risks", "rankings"):
        return None  # reported as such
    if needs == "ranges":
        return "write `range` below a `predictions` statement: no model that is fitted gives ranges"
    able = abilities(model.pipeline)
    last = model.pipeline.steps[-1]
    lacking = (needs == "probabilities" and not able.probabilities) or (
        needs == "scores" and not (able.scores or able.probabilities)
    )
    if lacking and isinstance(last, EstimatorSpec):
        wanted = _setting_that_gives_it(last)
        if wanted is not None and _gives_it(model, last, *wanted):
            written = "=".join(wanted)
            return f"write `{written}` in `{last.name}`"
    name = last.name if isinstance(last, EstimatorSpec) else "the model"
    if needs == "probabilities" and not able.probabilities:
        entry = CATALOGUE.get(name)
        if entry is not None and "classifier" in entry.kinds and able.scores:
            return f"write `CalibratedClassifierCV(estimator={name})`"
        return "choose a model that gives probabilities"
    if needs == "scores" and not (able.scores or able.probabilities):
        return "choose a model that gives scores"
    return None


def _gives_it(model: ModelSpec, last: EstimatorSpec, name: str, word: str) -> bool:
    """Return whether a model gives probabilities once a parameter of its last step is a word."""
    others = tuple(given for given in last.parameters if given[0] != name)
    changed = EstimatorSpec(last.name, (*others, (name, word)), last.code)
    return abilities(PipelineSpec((*model.pipeline.steps[:-1], changed))).probabilities


def _setting_that_gives_it(spec: EstimatorSpec) -> tuple[str, str] | None:
    """Return the word that makes a class give probabilities (`voting=soft`), if one does.

    A flag is excluded: that of `SVC` is deprecated in scikit-learn 1.9, which advises
    `CalibratedClassifierCV` in its place.
    """
    entry = CATALOGUE.get(spec.name)
    rule = entry.rule("probabilities") if entry is not None else False
    if isinstance(rule, bool):
        return None
    for name, allowed in rule.items():
        if name not in ("nested", "without") and isinstance(allowed[0], str):
            return name, allowed[0]
    return None
