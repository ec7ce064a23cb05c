"""What changing a setting of a study changes; fields of its records say which by annotation."""

from enum import StrEnum


class Effect(StrEnum):
    """The consequence of a changed setting, the least one first.

    `Annotated[str, Effect.WORDS]` marks a field. A field without a mark changes numbers, and one
    marked `DERIVED` repeats other settings or says where they come from.
    """

    DERIVED = "repeats other settings"
    WORDS = "words only"
    NUMBERS = "changes numbers"
    CLAIMS = "changes what is claimed"


def worst(effects: "list[Effect]") -> Effect:
    """Return the gravest of several consequences."""
    order = list(Effect)
    return max(effects, key=order.index, default=Effect.DERIVED)
