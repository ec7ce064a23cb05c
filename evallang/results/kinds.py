"""What a field of the records may hold beyond its Python type: a reader checks it."""

from typing import Annotated, Any

from evallang.frozen import frozen

ROUNDING = 1e-9
"""How far beyond a bound a computed number may lie."""


@frozen
class Between:
    """A number between two others; None and undefined values are the field's own matter."""

    low: float
    high: float
    inside: bool = False

    def check(self, value: Any, where: str) -> None:
        """Raise `ValueError` for a number that is not between the bounds."""
        slack = 0.0 if self.inside else ROUNDING
        beyond = not self.low - slack <= value <= self.high + slack
        if beyond or (self.inside and value in (self.low, self.high)):
            raise ValueError(f"{where} is {value:g}, not between {self.low:g} and {self.high:g}")


@frozen
class Among:
    """One of some words."""

    words: tuple[str, ...]

    def check(self, value: Any, where: str) -> None:
        """Raise `ValueError` for any other word."""
        if value not in self.words:
            raise ValueError(f"{where} is {value!r}, not one of {', '.join(self.words)}")


@frozen
class Reads:
    """What a report reads of a JSON value: of its known fields, or all of it."""

    kind: Any


Share = Annotated[float, Between(0.0, 1.0)]
Level = Annotated[float, Between(0.0, 1.0, inside=True)]
Duration = Annotated[float, Between(0.0, 1e12)]
"""Seconds: no run takes thirty thousand years."""
