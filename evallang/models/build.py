"""Specs become scikit-learn objects; used inside workers only, where scikit-learn is loaded.

Every class gets a seed for its `random_state` unless the study fixes one, nothing runs in
parallel and nothing prints: `n_jobs` and `verbose` are left at their silent defaults.
What the checker refuses is refused here once more.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from msgspec import Struct

from evallang.models.abilities import classes_of, fact_of, steps_of_new_rows
from evallang.models.catalogue import CATALOGUE, ClassEntry, ParameterEntry
from evallang.models.columns import ColumnLike, branch_columns, position
from evallang.models.model import (
    Candidates,
    ColumnsSpec,
    EstimatorSpec,
    ListSpec,
    MapSpec,
    ModelSpec,
    NamedSpec,
    ParameterValue,
    PipelineSpec,
    StepSpec,
    scale_of,
)
from evallang.models.packages import PACKAGES
from evallang.models.thresholds import FIXED, OF_THE_POSITIVE_CLASS, TUNED
from evallang.user_code import seed_shared_draws

LABEL_PARAMETERS = frozenset({"class_weight", "constant", "pos_label"})
"""Parameters that hold labels of the target, which models see as codes."""

LABEL_COLLECTIONS = frozenset({"sampling_strategy", "shrinkage"})
"""Parameters whose lists and maps hold labels of the target, and whose words and numbers do not."""

SILENT_PARAMETERS = frozenset({"n_jobs", "thread_count", "verbose", "verbosity"})
"""Parameters that never reach a class: where and how loudly it runs is the engine's choice."""


class BuildContext(Struct, frozen=True):
    """What building needs besides the spec.

    Attributes
    ----------
    columns : the features of the data, in any order
    seed : gives the 32-bit seed for a class's name and its position in the pipeline
    classes : labels of the target as text; empty for regression
    targets : the label of each class in the y that models are fitted on; the codes
        0, 1, ... when empty
    positive : the code of the positive of two classes, None where there are more
    own_class : gives the author's own class for a dotted name; None where none is loaded
    """

    columns: Sequence[ColumnLike]
    seed: Callable[[str, str], int]
    classes: Sequence[str] = ()
    targets: Sequence[bool | int | float | str] = ()
    own_class: Callable[[str], Any] | None = None
    positive: int | None = None


def build(pipeline: PipelineSpec, context: BuildContext) -> Any:
    """Build the estimator, unfitted; one step gives itself, several a `Pipeline`.

    Raises `ValueError` for what the catalogue has not or refuses, for candidates that are
    not chosen, and for `columns(...)` that is not the first step.
    """
    return assemble(_steps(pipeline, context, "", named=True))


def build_step(pipeline: PipelineSpec, index: int, context: BuildContext) -> Any:
    """Build one step of a pipeline, as `build` would; the others are not looked at."""
    return _step(pipeline, index, context, "", named=True)


def modules_of(models: Iterable[ModelSpec]) -> tuple[str, ...]:
    """Return the modules that fits of models import, without those of the author's own code."""
    found = [
        CATALOGUE[spec.name].module
        for model in models
        for spec in classes_of(model.pipeline)
        if not spec.code and spec.name in CATALOGUE
    ]
    return tuple(dict.fromkeys(["sklearn.pipeline", "sklearn.compose", *found]))


def assemble(steps: list[tuple[str, Any]]) -> Any:
    """Join named steps by scikit-learn, or by imbalanced-learn if one of them resamples."""
    if len(steps) == 1:
        return steps[0][1]
    resampled = any(hasattr(step, "fit_resample") for _, step in steps)
    module = import_module("imblearn.pipeline" if resampled else "sklearn.pipeline")
    return module.Pipeline(steps)


def step_names(pipeline: PipelineSpec) -> tuple[str, ...]:
    """Return the names that the steps of a built pipeline have."""
    taken: set[str] = set()
    return tuple(_unique_name(_model_name(spec), taken) for spec in pipeline.steps)


def _steps(
    pipeline: PipelineSpec, context: BuildContext, place: str, *, named: bool
) -> list[tuple[str, Any]]:
    """Build named steps; `named` is whether the columns of the data come in."""
    return [
        (name, _step(pipeline, i, context, place, named=named))
        for i, name in enumerate(step_names(pipeline))
    ]


def _step(
    pipeline: PipelineSpec, index: int, context: BuildContext, place: str, *, named: bool
) -> Any:
    spec, here = pipeline.steps[index], f"{place}{index}"
    first = named and not steps_of_new_rows(PipelineSpec(pipeline.steps[:index]))
    following = pipeline.steps[index + 1 :]
    if isinstance(spec, ColumnsSpec):
        if not first:
            raise ValueError("columns(...) must be the first step, where columns have names")
        return _columns(spec, context, here, following)
    step = _estimator(spec, context, here, named=first)
    return _one_per_column(step, context, following) if first and _reads_documents(spec) else step


def _estimator(spec: EstimatorSpec, context: BuildContext, place: str, *, named: bool) -> Any:
    if spec.code:
        return _own(spec, context, place)
    entry = CATALOGUE.get(spec.name)
    if entry is None:
        raise ValueError(f"{spec.name} is not a class of the catalogue")
    if entry.refused:
        raise ValueError(f"{spec.name} {entry.refused}")
    values: dict[str, Any] = {}
    scale = scale_of(spec)
    if scale is not None:
        function, inverse = scale.functions()
        values = {"func": function, "inverse_func": inverse, "check_inverse": False}
    for name, value in spec.parameters:
        if name in values:
            continue
        parameter = entry.parameter(name)
        if parameter is None:
            raise ValueError(f"{spec.name} has no parameter {name}")
        if parameter.refused:
            raise ValueError(f"{name} of {spec.name} {parameter.refused}")
        if name not in SILENT_PARAMETERS:
            inside = f"{place}.{name}"
            values[name] = _value(value, parameter, context, inside, named=named)
    seeded = entry.parameter("random_state") is not None or _draws_noise(spec)
    seed = context.seed(spec.name, place) if seeded else None
    if entry.parameter("random_state") is not None and values.get("random_state") is None:
        values["random_state"] = seed
    if _draws_noise(spec):
        values["score_func"] = functools.partial(values["score_func"], random_state=seed)
    values |= _labels_of_threshold(spec, values, context)
    made = _import(entry)(**values, **(PACKAGES[entry.package].fixed if entry.package else {}))
    return (
        _wrap_for_codes(made)
        if context.targets
        and (entry.package is not None and entry.name in PACKAGES[entry.package].codes)
        else made
    )


def _own(spec: EstimatorSpec, context: BuildContext, place: str) -> Any:
    """Make an instance of the author's own class, with a seed and one process if it takes them.

    The generators that all code shares get the same seed.
    """
    if context.own_class is None:
        raise ValueError(f"{spec.name} is the author's own code, which was not loaded")
    found = context.own_class(spec.name)
    values = {
        name: _value(value, None, context, f"{place}.{name}", named=False)
        for name, value in spec.parameters
    }
    taken = _parameters_of(found)
    seed = context.seed(spec.name, place)
    seed_shared_draws(seed)
    if "random_state" in taken and values.get("random_state") is None:
        values["random_state"] = seed
    if "n_jobs" in taken:
        values["n_jobs"] = 1
    return found(**values)


@functools.lru_cache(maxsize=32)  # a study makes a class once for every fit
def _parameters_of(found: Callable[..., Any]) -> frozenset[str]:
    import inspect

    try:
        return frozenset(inspect.signature(found).parameters)
    except ValueError:  # a class written in C, without a signature
        return frozenset()


def _wrap_for_codes(model: Any) -> Any:
    """Wrap a class that takes only the codes 0, 1, ... so that it can be fitted on labels.

    A vote of one numbers the labels and turns the predictions back, and its probabilities are
    the model's own; it is scikit-learn's, so that an exported model needs nothing of ours.
    """
    from sklearn.ensemble import VotingClassifier

    return VotingClassifier([(type(model).__name__.lower(), model)], voting="soft")


def _import(entry: ClassEntry) -> Any:
    if entry.name == "IterativeImputer":
        import_module("sklearn.experimental.enable_iterative_imputer")
    return getattr(import_module(entry.module), entry.name)


# --- values ----------------------------------------------------------------------------


def _value(
    value: ParameterValue,
    parameter: ParameterEntry | None,
    context: BuildContext,
    place: str,
    *,
    named: bool,
) -> Any:
    """Return the Python value of a written one, in the container the parameter wants."""
    if isinstance(value, Candidates):
        raise ValueError(f"{value.written} has candidates that are not chosen yet")
    if isinstance(value, EstimatorSpec):
        return _estimator(value, context, place, named=named)
    if isinstance(value, NamedSpec):
        return assemble(_steps(value.pipeline, context, f"{place}.", named=named))
    if isinstance(value, PipelineSpec):
        return assemble(_steps(value, context, f"{place}.", named=named))
    labels = parameter is not None and parameter.name in LABEL_PARAMETERS
    labelled = labels or (parameter is not None and parameter.name in LABEL_COLLECTIONS)
    if isinstance(value, MapSpec):
        return {
            (_target(key, parameter, context) if labelled else key): _value(
                item, None, context, f"{place}.{key}", named=named
            )
            for key, item in value.entries
        }
    if isinstance(value, ListSpec):
        return _list(value, parameter, context, place, named=named)
    if parameter is not None and isinstance(value, str):
        if value == "nan" and "nan" in parameter.constraint.kinds:
            return np.nan
        if parameter.name == "dtype":
            return getattr(np, value)
        if parameter.name == "score_func":
            return getattr(import_module("sklearn.feature_selection"), value)
    if labels and value is not None and value not in (parameter.words if parameter else ()):
        return _target(value, parameter, context)
    return value


def _list(
    value: ListSpec,
    parameter: ParameterEntry | None,
    context: BuildContext,
    place: str,
    *,
    named: bool,
) -> Any:
    items = [
        _value(item, None, context, f"{place}.{i}", named=named)
        for i, item in enumerate(value.items)
    ]
    if parameter is not None and parameter.name in LABEL_COLLECTIONS:
        return [_target(item, parameter, context) for item in items]
    kinds = parameter.constraint.kinds if parameter else frozenset[str]()
    if "models" in kinds:
        taken = {"estimators", "final_estimator", "transformer_list", "voting", "weights", "cv"}
        names = [_unique_name(_model_name(item), taken) for item in value.items]
        return list(zip(names, items, strict=True))
    if parameter is not None and isinstance(parameter.default, ListSpec):
        return tuple(items)
    if "list" in kinds or parameter is None:
        return items
    return np.array(items) if "array" in kinds else tuple(items)


def _target(value: Any, parameter: ParameterEntry | None, context: BuildContext) -> Any:
    """Return the value in y of a label that was written, compared as text."""
    if not context.classes:
        return value
    texts = [str(value), str(value).lower(), f"{value:g}" if isinstance(value, float) else ""]
    code = next((i for i, name in enumerate(context.classes) if name in texts), None)
    if code is None:
        name = parameter.name if parameter else "a parameter"
        raise ValueError(f"{name} has {value}, which is not a class of the target")
    return context.targets[code] if context.targets else code


def _labels_of_threshold(
    spec: EstimatorSpec, values: Mapping[str, Any], context: BuildContext
) -> dict[str, Any]:
    """Return what makes a threshold divide the scores of the study's positive class.

    scikit-learn's own default is the last class.
    """
    if context.positive is None:
        return {}
    label = context.targets[context.positive] if context.targets else context.positive
    if spec.name == FIXED and values.get("pos_label") is None:
        return {"pos_label": label}
    scoring = values.get("scoring")
    if spec.name == TUNED and scoring in OF_THE_POSITIVE_CLASS:
        from sklearn import metrics

        score = getattr(metrics, OF_THE_POSITIVE_CLASS[scoring])
        return {"scoring": metrics.make_scorer(score, pos_label=label, zero_division=0.0)}
    return {}


def _model_name(item: ParameterValue | ColumnsSpec) -> str:
    if isinstance(item, ColumnsSpec):
        return "columns"
    if isinstance(item, NamedSpec):
        return item.name.replace("__", "_")
    if isinstance(item, EstimatorSpec):
        return item.name.rpartition(".")[2].lower()
    if isinstance(item, PipelineSpec):
        return _model_name(item.steps[-1])
    return "model"


def _unique_name(name: str, taken: set[str]) -> str:
    """Return a name that was not taken yet: `pca`, then `pca-2`, as scikit-learn does."""
    number = 1
    chosen = name
    while chosen in taken:
        number += 1
        chosen = f"{name}-{number}"
    taken.add(chosen)
    return chosen


def _draws_noise(spec: EstimatorSpec) -> bool:
    """Return whether columns are scored by mutual information, which adds random noise."""
    return str(dict(spec.parameters).get("score_func", "")).startswith("mutual_info")


# --- columns ---------------------------------------------------------------------------

_TAKEN_BY_COLUMN_TRANSFORMER = frozenset({"n_jobs", "remainder", "transformers", "verbose"})
"""Names of its own parameters, which no branch may have."""


def _columns(
    spec: ColumnsSpec, context: BuildContext, place: str, following: Sequence[StepSpec]
) -> Any:
    """Build a `ColumnTransformer` over positions of the design matrix."""
    branches: list[tuple[str, Any, Any]] = []
    mixed = any(not column.numeric for column in context.columns)
    taken = set(_TAKEN_BY_COLUMN_TRANSFORMER)
    chosen = branch_columns(spec, context.columns)
    for i, (branch, columns) in enumerate(zip(spec.branches, chosen, strict=True)):
        places = [position(column, context.columns) for column in columns]
        name = branch.key if isinstance(branch.key, str) else "_".join(branch.key)
        name = _unique_name(name.replace("__", "_"), taken)
        if not columns:
            continue
        numeric = mixed and all(column.numeric for column in columns)
        if branch.pipeline is None:
            branches.append((name, _as_floats() if numeric else "passthrough", places))
            continue
        if _reads_documents(branch.pipeline.steps[0]):
            for column, at in zip(columns, places, strict=True):
                steps = _steps(branch.pipeline, context, f"{place}.{i}.", named=False)
                branches.append((_unique_name(f"{name}_{column.name}", taken), assemble(steps), at))
            continue
        steps = _steps(branch.pipeline, context, f"{place}.{i}.", named=False)
        if numeric:
            steps.insert(0, ("as_floats", _as_floats()))
        branches.append((name, assemble(steps), places))
    if not branches:
        raise ValueError("columns(...) selects none of the columns of the data")
    return _column_transformer(branches, following)


def _one_per_column(step: Any, context: BuildContext, following: Sequence[StepSpec]) -> Any:
    """Build one copy per column of a class that reads one column of texts."""
    from sklearn.base import clone

    taken = set(_TAKEN_BY_COLUMN_TRANSFORMER)
    branches = [
        (
            _unique_name(column.name.replace("__", "_"), taken),
            clone(step),
            position(column, context.columns),
        )
        for column in context.columns
    ]
    return _column_transformer(branches, following)


def _column_transformer(branches: list[tuple[str, Any, Any]], following: Sequence[StepSpec]) -> Any:
    from sklearn.compose import ColumnTransformer

    sparse = bool(following) and all(fact_of(spec, "sparse") for spec in following)
    options: Mapping[str, Any] = {} if sparse else {"sparse_threshold": 0.0}
    return ColumnTransformer(branches, **options)


def _as_floats() -> Any:
    """Return a step that turns objects into floats and keeps missing values.

    A scaler that neither centres nor scales converts and checks, and changes no value; it
    is scikit-learn's own, so that an exported model needs nothing of ours.
    """
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=False, with_std=False)


def _reads_documents(spec: StepSpec) -> bool:
    return bool(fact_of(spec, "documents"))
