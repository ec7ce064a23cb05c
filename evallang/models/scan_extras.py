"""Look at the installed packages beside scikit-learn; run only by `generate.py --extras`.

Parameters and defaults are read from instances, abilities are found by fitting forty rows.
What a parameter takes is hand-kept in `packages.py`: the packages declare nothing.
"""

import importlib
import warnings
from typing import Any

from evallang.models import scan
from evallang.models.packages import NOT_CHECKED, Package


def scan_package(package: Package) -> dict[str, Any]:
    """Describe every class of one installed package as plain data."""
    module = importlib.import_module(package.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classes = {name: describe(package, name, getattr(module, name)) for name in package.classes}
    return {"package": package.name, "version": module.__version__, "classes": classes}


def describe(package: Package, name: str, found: Any) -> dict[str, Any]:
    """Describe one class: its parameters, and what it can do."""
    kind = "classifier" if name.endswith("Classifier") else "regressor"
    model = found(**package.fixed)
    facts: dict[str, Any] = {
        "kinds": [kind],
        "probabilities": scan.answers(model, "predict_proba"),
        "missing": scan.output(model, scan.missing_rows()) is not None,
        "sparse": scan.output(model, scan.sparse_rows()) is not None,
        "weights": scan.takes_weights(model),
    }
    return {
        "package": package.name,
        "parameters": parameters(package, name, found),
        "refused_parameters": refused(package, found),
        **{fact: value for fact, value in facts.items() if value},
    }


def parameters(package: Package, name: str, found: Any) -> dict[str, list[Any]]:
    """Return each parameter that a study may write with what it takes and its default."""
    defaults = found().get_params()
    if package.name == "catboost":  # knows its parameters by its signature alone
        import inspect

        signature = inspect.signature(found).parameters.values()
        defaults = {p.name: p.default for p in signature} | defaults
    taken = {**package.taken, **package.taken_by.get(name, {})}
    return {p: [taken[p], scan.default_of(defaults[p])] for p in sorted(taken) if p in defaults}


def refused(package: Package, found: Any) -> dict[str, str]:
    """Return every other parameter of a class with the reason why no study may write it."""
    import inspect

    names = {*found().get_params(), *inspect.signature(found).parameters} - {"kwargs", "self"}
    known = {*package.taken, *(p for by in package.taken_by.values() for p in by)}
    return {p: package.refused.get(p, NOT_CHECKED) for p in sorted(names - known)}
