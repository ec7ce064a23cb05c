"""Constraints on fields of the records beyond their types, checked when results are read."""

import re
from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

ROUNDING = 1e-9
"""The largest excess of a computed number over a bound."""

Share = Annotated[float, Meta(ge=-ROUNDING, le=1 + ROUNDING)]
Level = Annotated[float, Meta(gt=0, lt=1)]
Duration = Annotated[float, Meta(ge=-ROUNDING, le=1e12)]
"""Seconds; more than thirty thousand years is not the duration of a run."""


def one_of(words: Iterable[str]) -> Meta:
    """Return the constraint that a text is one of some words."""
    return Meta(pattern=f"^(?:{'|'.join(map(re.escape, words))})$")
