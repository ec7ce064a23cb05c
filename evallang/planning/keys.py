"""Task keys: what a fit depends on, hashed, so that equal fits are one."""

import platform
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from evallang.models.abilities import classes_of
from evallang.models.catalogue import CATALOGUE
from evallang.models.defaults import without_defaults
from evallang.models.model import PipelineSpec, identity
from evallang.models.own_code import registered
from evallang.models.packages import PACKAGES, installed_version
from evallang.planning.seeds import canonical_json, rows_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENGINE = 1
"""Raised whenever the engine fits or predicts otherwise than before, so that no stored
outcome outlives a bug fix."""


def task_key(
    data_hash: str,
    pipeline: PipelineSpec,
    study_seed: int,
    refit: "NDArray[np.int64]",
    test: "NDArray[np.int64]",
    inner: "tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]",
    tuning: Any,
    own: Mapping[str, str] | None = None,
    repetition: int = 0,
) -> str:
    """Hash everything that the outcome of one split of one pipeline depends on.

    `tuning` are metric, strategy and rule, or None where nothing is searched; `own` the
    hashes of the author's packages and of objects given in Python, by their names;
    `repetition` counts the seeds of `seeds=N` from 0.
    """
    parts: dict[str, Any] = {
        "data": data_hash,
        "train": rows_hash(refit),
        "test": rows_hash(test),
        "inner": [[rows_hash(a), rows_hash(b)] for a, b in inner],
        "pipeline": identity(without_defaults(pipeline)),
        "seed": study_seed,
        "tuning": tuning,
        "versions": environment() | package_versions(pipeline),
    }
    code = _own_code(pipeline, own or {})
    if code:
        parts["code"] = code
    if repetition:
        parts["repetition"] = repetition
    return sha256(canonical_json(parts).encode("ascii")).hexdigest()


def _own_code(pipeline: PipelineSpec, own: Mapping[str, str]) -> dict[str, str]:
    """Return the hash of what stands behind each class that no catalogue has."""
    found = {}
    for spec in classes_of(pipeline):
        if spec.code:
            top = spec.name.partition(".")[0]
            found[spec.name] = own.get(spec.name) or own.get(top) or registered().get(spec.name, "")
    return found


def package_versions(pipeline: PipelineSpec) -> dict[str, str]:
    """Return the versions of the packages beside scikit-learn that a pipeline's classes are of."""
    entries = (CATALOGUE.get(spec.name) for spec in classes_of(pipeline) if not spec.code)
    names = {entry.package for entry in entries if entry is not None and entry.package}
    found = {name: installed_version(PACKAGES[name]) or "none" for name in sorted(names)}
    for spec in classes_of(pipeline):
        if spec.code and "." not in spec.name and spec.name in registered():
            package, _, number = registered()[spec.name].partition(" ")
            found[package] = number
    return found


@cache
def environment() -> dict[str, str]:
    """Return the versions and the processor kind that a fit may depend on."""
    return {
        "engine": str(ENGINE),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "processor": platform.machine(),
        **{name: installed(name) for name in ("numpy", "scipy", "scikit-learn")},
    }


def installed(package: str) -> str:
    """Return the version of an installed package, or `none`."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
