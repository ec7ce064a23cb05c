"""Records whose places in a file do not decide whether they are equal."""

from functools import cache
from typing import ClassVar

from msgspec import Struct


class Placed(Struct, frozen=True):
    """A record that is equal to another with the same fields but those named in `APART`."""

    APART: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in compared(type(self)))

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in compared(type(self)))))


@cache
def compared(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of the fields that decide whether two records are equal."""
    apart = {name for base in kind.__mro__ for name in vars(base).get("APART", ())}
    return tuple(name for name in kind.__struct_fields__ if name not in apart)
