"""Scales of a target: the functions, their inverses, and the values that they take."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from evallang.frozen_records import frozen
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


@frozen
class TargetScale:
    """A function of the target, its inverse, and the smallest value that it takes.

    `above` states that this value itself is not taken.
    """

    function: Callable[["NDArray[Any]"], "NDArray[Any]"]
    inverse: Callable[["NDArray[Any]"], "NDArray[Any]"]
    least: float
    above: bool


def log(values: "NDArray[Any]") -> "NDArray[Any]":
    """Return natural logarithms."""
    found: NDArray[Any] = np.log(values)
    return found


def exp(values: "NDArray[Any]") -> "NDArray[Any]":
    """Return the inverse of logarithms."""
    found: NDArray[Any] = np.exp(values)
    return found


def sqrt(values: "NDArray[Any]") -> "NDArray[Any]":
    """Return square roots."""
    found: NDArray[Any] = np.sqrt(values)
    return found


def square(values: "NDArray[Any]") -> "NDArray[Any]":
    """Return the inverse of square roots; a negative root, which no target has, is zero."""
    found: NDArray[Any] = np.square(np.maximum(values, 0.0))
    return found


SCALES: Mapping[str, TargetScale] = {
    "log": TargetScale(log, exp, 0.0, above=True),
    "sqrt": TargetScale(sqrt, square, 0.0, above=False),
}
