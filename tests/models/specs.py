"""Short ways to write pipelines in the tests of this room."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evallang.models.build import BuildContext
from evallang.models.model import EstimatorSpec, ListSpec, PipelineSpec, StepSpec


@dataclass(frozen=True)
class Column:
    """A feature, as data/dataset.py has it."""

    name: str
    numeric: bool
    index: int


def call(name: str, **parameters: Any) -> EstimatorSpec:
    return EstimatorSpec(name, tuple(parameters.items()))


def steps(*specs: StepSpec) -> PipelineSpec:
    return PipelineSpec(tuple(specs))


def items(*values: Any) -> ListSpec:
    return ListSpec(values)


def numeric_columns(n: int) -> tuple[Column, ...]:
    return tuple(Column(f"x{i}", True, i) for i in range(n))


def seed(class_name: str, place: str) -> int:
    """Differs between classes and places, as the engine's seeds do."""
    return (len(class_name) * 1009 + sum(map(ord, place)) * 9176) % 2**32


def context(n: int = 4, classes: tuple[str, ...] = ("no", "yes"), **more: Any) -> BuildContext:
    return BuildContext(more.pop("columns", numeric_columns(n)), seed, classes, **more)


def two_classes(n: int = 90, seed_: int = 0) -> tuple[Any, Any]:
    """Positive numbers, so that every class can be fitted, and two overlapping classes."""
    rng = np.random.default_rng(seed_)
    rows = np.abs(rng.normal(size=(n, 4)))
    return rows, (rows[:, 0] + 0.4 * rng.normal(size=n) > 0.7).astype(np.int64)
