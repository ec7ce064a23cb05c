"""Look at the installed scikit-learn and the packages around it: what their classes take and do.

Run only by `write_catalogue.py` and by the tests of the tables it writes. Parameters of
scikit-learn are read from signatures and `_parameter_constraints`, and so are those of packages
that declare them; what classes of other packages take is hand-kept in `packages.py`. Abilities are
found by trying: classes are made, fitted on forty rows with and without missing values or text, and
looked at.
"""

import importlib
import inspect
import math
import shlex
import warnings
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np

from evallang.models.catalogue import REFUSED_CLASSES
from evallang.models.packages import Package

NEEDED_PARAMETERS = frozenset({"SelfTrainingClassifier.estimator"})
"""Parameters whose default scikit-learn itself refuses."""

NOT_CHECKED = "cannot be checked before a run"
REQUIRED = {"is": "required"}
ROWS = 40
NESTED = ("estimator", "estimators", "final_estimator", "transformer_list", "regressor")
"""Parameters whose models decide what the class around them can do."""

UNUSED_WORDS = frozenset({"deprecated", "file", "filename", "prefit", "pyfunc", "warn"})
"""Words that name files, models fitted elsewhere or functions, or mean not given."""

REFUSALS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What scikit-learn raises on rows or parameters that a class does not take."""

DTYPES = "words float32 float64 int32 int64"


def scan() -> dict[str, Any]:
    """Describe every class of `all_estimators` as plain data, see `write_catalogue.py`."""
    import sklearn

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classes = {name: describe(name, found) for name, found in _classes()}
    return {"version": sklearn.__version__, "classes": classes}


def describe(name: str, found: type) -> dict[str, Any]:
    """Describe one class: where it is, its parameters, and what it can do."""
    if name in REFUSED_CLASSES:
        return {"module": _public_module(found), "parameters": {}}
    return {
        "module": _public_module(found),
        "parameters": parameters(found),
        **_abilities(found),
    }


def parameters(found: type) -> dict[str, list[Any]]:
    """Return each parameter with what it allows, as text, and its default."""
    allowed = getattr(found, "_parameter_constraints", None) or {}
    described = {}
    for name, parameter in inspect.signature(found).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        constraint = "any" if name not in allowed else _constraint(allowed[name])
        if name == "dtype":
            constraint = DTYPES
        if name in ("estimators", "transformer_list"):
            constraint = "models"
        elif name in NESTED and constraint == "any":
            constraint = "model"
        needed = f"{found.__name__}.{name}" in NEEDED_PARAMETERS
        parts = set(constraint.split("; "))
        if parameter.default is None and not needed and not {"any", "none"} & parts:
            constraint = "; ".join(sorted({*parts, "none"}))  # scikit-learn hides this default
        described[name] = [constraint, REQUIRED if needed else default_of(parameter.default)]
    return described


# --- constraints -----------------------------------------------------------------------


def _constraint(constraints: Any) -> str:
    """Write constraints as `none; bool; int [1, inf); words a b`, in a fixed order."""
    if isinstance(constraints, str):
        return "any"
    parts: set[str] = set()
    words: set[str] = set()
    for constraint in constraints:
        found, more = _kinds(constraint)
        parts.update(found)
        words.update(more)
    if words - UNUSED_WORDS:
        parts.add("words " + shlex.join(sorted(words - UNUSED_WORDS)))
    if parts <= {"none"} and callable in constraints:
        parts.add("callable")
    return "; ".join(sorted(parts))


def _kinds(constraint: Any) -> tuple[list[str], set[str]]:
    from sklearn.utils import _param_validation as validation

    if isinstance(constraint, validation.Interval):
        kind = {Integral: "int", Real: "real"}.get(constraint.type, "float")
        opening = "[" if constraint.closed in ("left", "both") else "("
        closing = "]" if constraint.closed in ("right", "both") else ")"
        low, high = _bound(constraint.left, "-inf"), _bound(constraint.right, "inf")
        return [f"{kind} {opening}{low}, {high}{closing}"], set()
    if isinstance(constraint, validation.StrOptions):
        return [], set(constraint.options) - set(constraint.deprecated)
    if isinstance(constraint, validation.Options):
        if constraint.type is bool:
            return [str(option).lower() for option in constraint.options], set()
        return [], set()
    if isinstance(constraint, validation.MissingValues):
        return ["int [-inf, inf]", "nan", "none", "real [-inf, inf]", "text"], set()
    if isinstance(constraint, validation.HasMethods):
        methods = (
            {constraint.methods} if isinstance(constraint.methods, str) else constraint.methods
        )
        return (["model"] if {"fit", "transform"} & set(methods) else []), set()
    if constraint is None:
        return ["none"], set()
    if isinstance(constraint, str):
        return {
            "array-like": ["list"],
            "boolean": ["bool"],
            "verbose": ["bool", "int [0, inf)"],
            "random_state": ["int [0, 4294967295]", "none"],
            "cv_object": ["int [2, inf)", "none"],
            "nan": ["nan"],
        }.get(constraint, []), set()
    if isinstance(constraint, type):
        return {
            "bool": ["bool"],
            "dict": ["map"],
            "float": ["real [-inf, inf]"],
            "Integral": ["int [-inf, inf]"],
            "Kernel": ["kernel"],
            "list": ["list"],
            "Mapping": ["map"],
            "MutableMapping": ["map"],
            "ndarray": ["array"],
            "Real": ["real [-inf, inf]"],
            "str": ["text"],
            "tuple": ["tuple"],
        }.get(constraint.__name__, []), set()
    return [], set()


def _bound(value: float | None, infinite: str) -> str:
    if value is None or math.isinf(value):
        return infinite
    return repr(int(value) if float(value).is_integer() else float(value))


def default_of(value: Any) -> Any:
    """Return a default as plain data."""
    if value is inspect.Parameter.empty:
        return REQUIRED
    if isinstance(value, float) and math.isnan(value):
        return {"is": "nan"}
    if isinstance(value, float) and math.isinf(value):
        return {"is": "inf"}
    if isinstance(value, tuple):
        return {"tuple": [default_of(item) for item in value]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return {"is": getattr(value, "__name__", type(value).__name__)}


# --- abilities -------------------------------------------------------------------------


def _abilities(found: type) -> dict[str, Any]:
    """Return what a class can do, found by trying, with the parameter values that decide."""
    if _reads_documents(found):
        return {"kinds": ["transformer"], "documents": True, "text": True}
    model = _make(found)
    kinds = _role(found, model)
    if not {"classifier", "regressor", "transformer", "nested"} & set(kinds):
        return {"kinds": kinds} if kinds else {}
    missing, text = missing_rows(), _text()
    facts: dict[str, Any] = {
        "kinds": kinds,
        "probabilities": _rule(found, lambda made: answers(made, "predict_proba")),
        "scores": _rule(found, lambda made: answers(made, "decision_function")),
        "missing": _rule(found, lambda made: output(made, missing) is not None),
        "text": _rule(found, lambda made: output(made, text) is not None),
        "sparse": not _nested(found) and output(model, sparse_rows()) is not None,
        "weights": takes_weights(model),
        "nested": _nested(found),
    }
    if "transformer" in kinds:
        facts["keeps_missing"] = _keeps(output(model, missing, "transform"))
        made = [_make(found, **{p: v}) for p, values in _choices(found) for v in values]
        facts["keeps_text"] = any(_keeps(output(m, text, "transform")) for m in [model, *made])
    return {fact: value for fact, value in facts.items() if value}


def _rule(found: type, able: Callable[[Any], bool]) -> Any:
    """Return True, False, or the parameters on which it depends: `{"voting": ["soft"]}`.

    `"nested": [...]` names the parameters whose models must be able too, `"without": true`
    means that the class is able while no model is given.
    """
    usual = able(_make(found))
    values: dict[str, list[Any]] = {}
    for name, options in _choices(found):
        working = [v for v in options if output(_make(found, **{name: v}), _plain()) is not None]
        able_for = [value for value in working if able(_make(found, **{name: value}))]
        if able_for != (working if usual else []):
            values[name] = able_for
    rule: dict[str, Any] = dict(values)
    chosen = {} if usual else {name: able_for[0] for name, able_for in values.items()}
    for nested in _nested(found):
        outcomes = {able(_make(found, {nested: m}, **chosen)) for m in _models_to_nest(found)}
        if len(outcomes) > 1:
            rule.setdefault("nested", []).append(nested)
            if parameters(found)[nested][1] is None and usual:
                rule["without"] = True
    return rule or usual


def _nested(found: type) -> list[str]:
    """Return the parameters whose models decide what the class around them can do."""
    taken = parameters(found)
    return [name for name in NESTED if name in taken and taken[name][1] != "deprecated"]


def _choices(found: type) -> Iterator[tuple[str, list[Any]]]:
    """Return the parameters with a few words or a switch that an ability may depend on."""
    for name, (constraint, default) in parameters(found).items():
        parts = constraint.split("; ")
        words = [word for part in parts if part.startswith("words ") for word in part.split()[1:]]
        if name in ("verbose", "scoring", "dtype", "copy", "warm_start", "stack_method"):
            continue
        if isinstance(default, bool) or (default == "deprecated" and "bool" in parts):
            yield name, [True, False]
        elif 1 < len(words) < 12 or "nan_euclidean" in words:
            yield name, [w for w in words if w != "precomputed" and not w.startswith("predict")]


def _make(found: type, nested: dict[str, Any] | None = None, **values: Any) -> Any:
    """Make an instance, with small models where one is needed."""
    taken = parameters(found)
    inside = {name: _models_to_nest(found)[0] for name in _nested(found)}
    inside = {name: model for name, model in inside.items() if taken[name][1] == REQUIRED}
    for name, model in {**inside, **(nested or {})}.items():
        values[name] = [("one", model), ("two", model)] if taken[name][0] == "models" else model
    if found.__name__ == "SparseCoder":
        values["dictionary"] = np.eye(4)
    if "n_components" in taken and taken["n_components"][1] is not None:
        values.setdefault("n_components", 2)
    if "random_state" in taken and taken["random_state"][1] is None:
        values["random_state"] = 0
    return found(**values)


def _models_to_nest(found: type) -> list[Any]:
    """Return models that differ in what they can do: probabilities, scores, missing values."""
    from sklearn import ensemble, linear_model, naive_bayes, preprocessing, svm

    if found.__name__ == "FeatureUnion":
        return [preprocessing.StandardScaler(), preprocessing.Normalizer()]
    if found.__name__.endswith("Regressor") or found.__name__ == "IterativeImputer":
        return [
            linear_model.LinearRegression(),
            ensemble.RandomForestRegressor(n_estimators=3, random_state=0),
        ]
    return [
        linear_model.LogisticRegression(),
        svm.LinearSVC(),
        naive_bayes.GaussianNB(),
        ensemble.RandomForestClassifier(n_estimators=3, random_state=0),
    ]


def _role(found: type, model: Any) -> list[str]:
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils import get_tags

    kinds = []
    if _follows_nested(found):
        kinds.append("nested")
    elif is_classifier(model):
        kinds.append("classifier")
    elif is_regressor(model):
        kinds.append("regressor")
    elif get_tags(model).estimator_type:
        kinds.append(get_tags(model).estimator_type)
    if hasattr(found, "transform") and output(model, _plain(), "transform") is not None:
        kinds.append("transformer")
    return kinds


def _follows_nested(found: type) -> bool:
    """Return whether a class is a classifier or a regressor as the model inside it is."""
    from sklearn.base import is_classifier, is_regressor
    from sklearn.linear_model import LinearRegression, LogisticRegression

    if _nested(found) != ["estimator"]:
        return False
    classifier, regressor = (
        _make(found, {"estimator": m}) for m in (LogisticRegression(), LinearRegression())
    )
    return bool(is_classifier(classifier) and is_regressor(regressor))


def answers(model: Any, method: str) -> bool:
    """Return whether a method of a fitted model works."""
    return output(model, _plain(), method) is not None


def output(model: Any, rows: Any, method: str | None = None) -> Any:
    """Return what a model makes of rows after a fit on them, None where it refuses them."""
    from sklearn.base import clone

    method = method or ("predict" if hasattr(model, "predict") else "transform")
    try:
        fresh = clone(model).fit(rows, _target(model))
        return getattr(fresh, method)(rows)
    except REFUSALS:
        return None


def _keeps(output: Any) -> bool:
    """Return whether something transformed still holds missing values or text."""
    if output is None:
        return False
    array = output.toarray() if hasattr(output, "toarray") else np.asarray(output)
    if array.dtype.kind in "OUS":
        return True
    return bool(array.dtype.kind == "f" and np.isnan(array).any())


def _reads_documents(found: type) -> bool:
    return "ngram_range" in parameters(found)


def takes_weights(model: Any) -> bool:
    """Return whether a model can be fitted with a weight for each row."""
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(model, "sample_weight"))


def _plain() -> Any:
    return np.abs(np.random.default_rng(0).normal(size=(ROWS, 4)))


def missing_rows() -> Any:
    """Return forty rows of four columns, some values missing."""
    rows = _plain()
    rows[::7, 1] = np.nan
    return rows


def _text() -> Any:
    return np.array([["a", "b"], ["b", "b"], ["a", "c"], ["c", "a"]] * (ROWS // 4), dtype=object)


def sparse_rows() -> Any:
    """Return forty rows of four columns as a sparse matrix."""
    from scipy.sparse import csr_matrix

    return csr_matrix(_plain() * (_plain() > 0.5))


def _target(model: Any) -> Any:
    from sklearn.base import is_regressor

    y = np.arange(ROWS) % 2
    return y + 1.0 + np.arange(ROWS) / ROWS if is_regressor(model) else y


# --- classes ---------------------------------------------------------------------------


def _classes() -> list[tuple[str, type]]:
    from sklearn.experimental import (  # noqa: F401  (importing them is what enables them)
        enable_halving_search_cv,
        enable_iterative_imputer,
    )
    from sklearn.utils import all_estimators

    return list(all_estimators())


def _public_module(found: type) -> str:
    """Return the shortest module that shows the class, without the package's name."""
    parts = found.__module__.split(".")
    for i in range(2, len(parts) + 1):
        shown = getattr(importlib.import_module(".".join(parts[:i])), found.__name__, None)
        if shown is found:
            return ".".join(parts[1:i])
    return ".".join(parts[1:])


# --- packages other than scikit-learn ---------------------------------------------------------


def scan_package(package: Package) -> dict[str, Any]:
    """Describe every class of one installed package as plain data."""
    module = importlib.import_module(package.imported)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classes = {
            name: describe_extra(package, name, find_class(package, name))
            for name in package.classes
        }
    return {"package": package.name, "version": module.__version__, "classes": classes}


def find_class(package: Package, name: str) -> Any:
    """Import one class of an installed package, wherever in the package it is."""
    module = importlib.import_module(package.imported)
    if hasattr(module, name):
        return getattr(module, name)
    inside = (importlib.import_module(f"{package.imported}.{part}") for part in module.__all__)
    return next(getattr(part, name) for part in inside if hasattr(part, name))


def describe_extra(package: Package, name: str, found: Any) -> dict[str, Any]:
    """Describe one class: its parameters, and what it can do."""
    if package.declares:
        return _describe_resampler(package, name, found)
    kind = "classifier" if name.endswith("Classifier") else "regressor"
    model = found(**package.fixed)
    facts: dict[str, Any] = {
        "kinds": [kind],
        "probabilities": answers(model, "predict_proba"),
        "missing": output(model, missing_rows()) is not None,
        "sparse": output(model, sparse_rows()) is not None,
        "weights": takes_weights(model),
    }
    return {
        "package": package.name,
        "parameters": extra_parameters(package, name, found),
        "refused_parameters": refused_parameters(package, found),
        **{fact: value for fact, value in facts.items() if value},
    }


def _describe_resampler(package: Package, name: str, found: Any) -> dict[str, Any]:
    """Describe a class that changes how many rows of each class there are."""
    described = {"package": package.name, "module": _public_module(found), "kinds": ["resampler"]}
    if name in REFUSED_CLASSES:
        return {**described, "parameters": {}, "refused_parameters": {}}
    taken = parameters(found)
    refused = {p: package.refused[p] for p in sorted(taken) if p in package.refused}
    missing, text = _resamples(found, missing_rows()), _resamples(found, _text())
    facts = {
        "missing": missing,
        "keeps_missing": missing,
        "text": text,
        "keeps_text": text,
        "sparse": _resamples(found, sparse_rows()),
    }
    return {
        **described,
        "parameters": {p: taken[p] for p in sorted(taken) if p not in refused},
        "refused_parameters": refused,
        **{fact: value for fact, value in facts.items() if value},
    }


def _resamples(found: type, rows: Any) -> bool:
    """Return whether a class resamples rows of which a quarter are in the smaller class."""
    try:
        _make(found).fit_resample(rows, (np.arange(ROWS) % 4 == 0).astype(int))
    except REFUSALS:
        return False
    return True


def extra_parameters(package: Package, name: str, found: Any) -> dict[str, list[Any]]:
    """Return each parameter that a study may write with what it takes and its default."""
    defaults = found().get_params()
    if package.name == "catboost":  # declares parameters in its signature alone
        signature = inspect.signature(found).parameters.values()
        defaults = {p.name: p.default for p in signature} | defaults
    taken = {**package.taken, **package.taken_by.get(name, {})}
    return {p: [taken[p], default_of(defaults[p])] for p in sorted(taken) if p in defaults}


def refused_parameters(package: Package, found: Any) -> dict[str, str]:
    """Return every other parameter of a class with the reason why no study may write it."""
    names = {*found().get_params(), *inspect.signature(found).parameters} - {"kwargs", "self"}
    known = {*package.taken, *(p for by in package.taken_by.values() for p in by)}
    return {p: package.refused.get(p, NOT_CHECKED) for p in sorted(names - known)}
