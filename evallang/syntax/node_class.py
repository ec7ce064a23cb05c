"""What makes a class of nodes: frozen dataclasses, made quickly.

`dataclass(frozen=True, slots=True)` compiles six methods for each class, which for the
fifty classes of the tree would be a third of a cold start. Here only `__init__` is
compiled; the rest is inherited. `dataclasses.fields` and `replace` work as ever.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

T = TypeVar("T")


class NodeClass:
    """Equality, hash, spelling and freezing for all nodes; places take no part in equality."""

    __slots__ = ()
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    compared: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.compared)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self.compared)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        return f"{type(self).__name__}({shown})"

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        for name, value in state[1].items():  # when copied or unpickled
            object.__setattr__(self, name, value)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass with slots."""
    made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    known = fields(made)  # type: ignore[arg-type]  # the line above made it a dataclass
    type.__setattr__(made, "compared", tuple(f.name for f in known if f.compare))
    type.__setattr__(made, "__init__", _initializer(known))
    return made


def _initializer(known: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Compile `__init__`: fields in order, those by keyword last."""
    scope: dict[str, Any] = {"put": object.__setattr__}
    parameters = {False: ["self"], True: ["*"]}
    body = []
    for item in known:
        default = ""
        if item.default is not MISSING:
            scope[f"default_{item.name}"] = item.default
            default = f"=default_{item.name}"
        parameters[bool(item.kw_only)].append(item.name + default)
        body.append(f"put(self, {item.name!r}, {item.name})")
    signature = ", ".join(parameters[False] + parameters[True])
    exec(f"def __init__({signature}):\n " + "\n ".join(body), scope)
    made: Callable[..., None] = scope["__init__"]
    return made
