"""Seeds: 32 bits of a hash over what a draw is for, so that nothing depends on order or place.

A seed comes from the study's seed, a role, and what is divided or drawn: numbers of rows,
strata, groups, protocol and method. Nothing that only describes or reports is a part: features,
roles, names, labels, classes, models, metrics, comparisons and the number of cores change none.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.protocols.protocol import Split


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: keys sorted, no spaces, fractions as text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=_plain
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no canonical JSON")


def seed(study_seed: int, role: str, *parts: Any) -> int:
    """Return the first 32 bits of SHA-256 over study seed, role and parts."""
    text = canonical_json([study_seed, role, *parts])
    return int.from_bytes(sha256(text.encode("ascii")).digest()[:4], "big")


def folds_hash(splits: Mapping[str, Sequence[Split]]) -> str:
    """Hash the rows of the splits of one protocol on each data set, in this order."""
    parts = [
        [data, [[rows_hash(rows) for rows in _parts(split)] for split in made]]
        for data, made in splits.items()
    ]
    return sha256(canonical_json(parts).encode()).hexdigest()


def _parts(split: Split) -> "tuple[NDArray[np.int64], ...]":
    return tuple(rows for rows in (split.train, split.validation, split.test) if rows is not None)


def rows_hash(rows: "NDArray[np.int64]") -> str:
    """Return the SHA-256 of row numbers, as little-endian 64-bit integers."""
    return sha256(rows.astype("<i8", order="C", copy=False).data).hexdigest()


def split_seeds(
    study_seed: int,
    kind: str,
    options: Mapping[str, Any],
    n: int,
    *used: "NDArray[np.int64] | None",
) -> Callable[[int], int]:
    """Return the seed of each repeat of a protocol on n rows.

    `used` are the codes of the strata and of the groups of the rows, where the protocol divides
    the rows by them: which rows are alike, whatever the columns and their values are called.
    """
    parts = [kind, written_options(options), n]
    parts += [None if codes is None else rows_hash(codes) for codes in used]
    return lambda repeat: seed(study_seed, "split", *parts, repeat)


def written_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a protocol that have a value."""
    return {name: value for name, value in options.items() if value is not None}


def step_seeds(study_seed: int, train_hash: str, repetition: int = 0) -> Callable[[str, str], int]:
    """Return the `random_state` of each step of a pipeline fitted on these training rows.

    Neither names nor candidates nor the data are parts: candidates, and equal fits met in two
    protocols, share their seeds. `repetition` counts the seeds of `seeds=N`; the first is
    that of a study without.
    """
    further = [repetition] if repetition else []

    def of(class_name: str, position: str) -> int:
        return seed(study_seed, "step", train_hash, class_name, position, *further)

    return of


def analysis_seed(
    study_seed: int,
    protocol: tuple[str, Mapping[str, Any]] | None,
    unit: str,
    n: int | None,
    method: str,
) -> int:
    """Return the seed of an interval or test that draws n units: rows, groups or data sets.

    `protocol` is its kind with its options. Neither data nor models nor metrics are parts: all
    rest on the same resamples, those of pairs too.
    """
    design = None if protocol is None else [protocol[0], written_options(protocol[1])]
    return seed(study_seed, "analysis", design, unit, n, method)
