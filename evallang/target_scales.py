"""Scales of a target: the values that they take, the functions, and their inverses."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Function = Callable[["NDArray[Any]"], "NDArray[Any]"]


class TargetScale(Struct, frozen=True):
    """A scale: its function and inverse are numpy's, so that saved models need nothing else.

    `inverse` is empty where numpy lacks one that fits; the scale takes numbers from `least`, and
    if it is `above` not that number itself. `noun` completes "fitted to the ... of cost", and
    `back` "transformed back by ...".
    """

    function: str
    inverse: str
    least: float
    above: bool
    noun: str
    back: str

    def functions(self) -> tuple[Function, Function]:
        """Return the function and its inverse."""
        return getattr(np, self.function), getattr(np, self.inverse) if self.inverse else square


def square(values: "NDArray[Any]") -> "NDArray[Any]":
    """Return the inverse of square roots; a negative root, which no target has, is zero."""
    found: NDArray[Any] = np.square(np.maximum(values, 0.0))
    return found


SCALES: Mapping[str, TargetScale] = {
    "log": TargetScale(
        "log", "exp", 0.0, above=True, noun="natural logarithm", back="exponentiation"
    ),
    "sqrt": TargetScale("sqrt", "", 0.0, above=False, noun="square root", back="squaring"),
}
