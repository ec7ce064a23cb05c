"""Task keys: what a fit depends on, hashed, so that equal fits are one."""

import os
import platform
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.models.abilities import classes_of
from evallang.models.catalogue import CATALOGUE, drop_defaults
from evallang.models.model import PipelineSpec, identity
from evallang.models.own_code import registered
from evallang.models.packages import PACKAGES, installed_version
from evallang.planning.seeds import canonical_json, rows_hash

ENGINE = 5
"""Raised whenever the engine fits or predicts otherwise than before, so that no stored
outcome outlives a bug fix."""


class TaskKey(Struct, frozen=True):
    """The key of a task, and what it is a hash of.

    `source_known` is False where the source of some code is not known, so that equal keys need
    not mean equal outcomes; `facts` are those of `KeyFacts`.
    """

    key: str
    facts: "KeyFacts"
    source_known: bool


class KeyFacts(Struct, frozen=True):
    """The parts of a key, each short, so that two keys can be compared part by part.

    `data`, `rows`, `pipeline` and `tuning` are hashes; `code` has that of each own class. `rows`
    covers training, test and inner rows, `splits` the training and test rows alone.
    """

    data: str
    rows: str
    splits: str
    pipeline: str
    threshold: float | None
    tuning: str
    seed: int
    repetition: int
    versions: Mapping[str, str]
    code: Mapping[str, str]


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
    metric_code: str | None = None,
    threshold: float | None = None,
) -> TaskKey:
    """Hash everything that the outcome of one split of one pipeline depends on.

    `tuning` are metric, strategy and rule, or None where nothing is searched; `own` the
    hashes of the author's packages and of objects given in Python, by their names, and
    `metric_code` that of the metric that a search maximizes; `repetition` counts the seeds of
    `seeds=N` from 0; from the score `threshold` on a label is the positive class, None for the
    model's own rule.
    """
    code = _own_code(pipeline, own or {})
    if metric_code is not None:
        code[METRIC] = metric_code
    splits = [rows_hash(refit), rows_hash(test)]
    facts = KeyFacts(
        data=data_hash,
        rows=_hash(splits + [list(map(rows_hash, f)) for f in inner]),
        splits=_hash(splits),
        pipeline=_hash(identity(drop_defaults(pipeline))),
        threshold=threshold,
        tuning=_hash(tuning),
        seed=study_seed,
        repetition=repetition,
        versions=environment() | package_versions(pipeline),
        code=code,
    )
    named = {name: getattr(facts, name) for name in facts.__struct_fields__}
    del named["splits"], named["threshold"]  # `rows` covers the splits, `pipeline` the threshold
    if threshold is not None:
        named["pipeline"] = _hash([facts.pipeline, threshold])
    return TaskKey(_hash(named), facts, all(code.values()))


def shuffled_hash(data_hash: str, target_of: "NDArray[np.int64]") -> str:
    """Return the hash of a table in which the target of each row is that of another row."""
    return _hash([data_hash, rows_hash(target_of)])


METRIC = "the metric of the search"


def searches(facts: KeyFacts) -> bool:
    """Return whether the fit of these facts searches for parameters."""
    return facts.tuning != _hash(None)


def _hash(value: Any) -> str:
    return sha256(canonical_json(value).encode("ascii")).hexdigest()


def _own_code(pipeline: PipelineSpec, own: Mapping[str, str]) -> dict[str, str]:
    """Return the hash of the source of each class that no catalogue has, empty where unknown."""
    found = {}
    for spec in classes_of(pipeline):
        if spec.code:
            top = spec.name.partition(".")[0]
            found[spec.name] = own.get(spec.name) or own.get(top) or registered().get(spec.name, "")
    return found


def package_versions(pipeline: PipelineSpec) -> dict[str, str]:
    """Return the versions of packages other than scikit-learn that define classes of a pipeline."""
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
        "processor": processor_kind(),
        "linear algebra": _linear_algebra(),
        **{name: installed(name) for name in ("numpy", "scipy", "scikit-learn")},
    }


def versions_here(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of packages in this process, with all that every fit depends on."""
    known = environment()
    found = {
        name: installed_version(PACKAGES[name]) or "none" if name in PACKAGES else installed(name)
        for name in packages
        if name not in known
    }
    return {**known, **found}


KERNELS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "MKL_CBWR")
"""Variables by which a user chooses the code that numbers are computed with."""
PROCESSOR_FACTS = ("vendor_id", "cpu family", "model", "CPU implementer", "CPU part")


def processor_kind() -> str:
    """Return the kind of processor, which decides the order of floating-point operations.

    numpy and OpenBLAS choose their code by model and instructions, not by the architecture.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").split("\n\n")[0].splitlines()
    except OSError:  # not Linux
        lines = []
    parts = [line.partition(":") for line in lines]
    facts = {name.strip(): value.strip() for name, _, value in parts}
    vector = {f for f in facts.get("flags", "").split() if f.startswith(("avx", "sse", "fma"))}
    found = [facts.get(name, "") for name in PROCESSOR_FACTS]
    found += [" ".join(sorted(vector)), *(os.environ.get(name, "") for name in KERNELS)]
    return f"{platform.machine()} {_hash(found)[:12]}"


def _linear_algebra() -> str:
    """Return the library that numpy was built with, which its version alone does not tell."""
    built: Any = np.show_config(mode="dicts")
    blas = built.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def installed(package: str) -> str:
    """Return the version of an installed package, or `none`."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
