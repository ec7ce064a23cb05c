"""Constraints on fields of the records beyond their Python types, checked on reading."""

from typing import Annotated, Any

from msgspec import Struct

ROUNDING = 1e-9
"""The largest excess of a computed number over a bound."""


class Between(Struct, frozen=True):
    """A number between two bounds; whether None is allowed follows from the type of the field."""

    low: float
    high: float
    inside: bool = False

    def check(self, value: Any, where: str) -> None:
        """Raise `ValueError` for a number outside the bounds."""
        slack = 0.0 if self.inside else ROUNDING
        beyond = not self.low - slack <= value <= self.high + slack
        if beyond or (self.inside and value in (self.low, self.high)):
            raise ValueError(f"{where} is {value:g}, not between {self.low:g} and {self.high:g}")


class Among(Struct, frozen=True):
    """One of some words."""

    words: tuple[str, ...]

    def check(self, value: Any, where: str) -> None:
        """Raise `ValueError` for any other word."""
        if value not in self.words:
            raise ValueError(f"{where} is {value!r}, not one of {', '.join(self.words)}")


class Reads(Struct, frozen=True):
    """The record with the fields of a JSON value that a report reads."""

    kind: Any


Share = Annotated[float, Between(0.0, 1.0)]
Level = Annotated[float, Between(0.0, 1.0, inside=True)]
Duration = Annotated[float, Between(0.0, 1e12)]
"""Seconds; more than thirty thousand years is not the duration of a run."""
