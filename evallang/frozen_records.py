"""A decorator for records: frozen dataclasses with slots that are created quickly.

`dataclass(frozen=True, slots=True)` compiles six methods for each class, which for the
hundred and eighty records of this package would take a third of a cold start. This decorator
compiles only `__init__`, when the first record of a class is created, and shares the other
methods. `dataclasses.fields`, `replace` and
`asdict`, `match`, copy and pickle work as usual.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...


@overload
def frozen(*, slots: bool) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, slots: bool = True) -> Any:
    """Make a class a frozen dataclass with slots; fields with `compare=False` take no part
    in equality and hash.

    A class with a `cached_property` needs `slots=False`. Raises `TypeError` for a class with
    `__post_init__`, which the shared methods would not call.
    """
    return _record(cls, slots) if cls is not None else lambda made: _record(made, slots)


def _record(cls: type[T], slots: bool) -> type[T]:
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__} has `__post_init__`, which a record does not call")
    made = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    known = fields(made)  # type: ignore[arg-type]  # the line above made it a dataclass
    compared = tuple(f.name for f in known if f.compare)

    def equal(self: object, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in compared)

    def digest(self: object) -> int:
        return hash((type(self), *(getattr(self, name) for name in compared)))

    methods: dict[str, Any] = {
        "__init__": _compiled_when_called(made, known),
        "__eq__": equal,
        "__hash__": digest,
        "__repr__": _repr,
        "__setattr__": _set,
        "__delattr__": _delete,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    if "__repr__" in cls.__dict__:
        del methods["__repr__"]  # a record may be a table of its own
    for name, method in methods.items():
        type.__setattr__(made, name, method)
    return made


def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
    return f"{type(self).__name__}({shown})"


def _set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for f, value in zip(fields(self), state, strict=True):  # when copied or unpickled
        object.__setattr__(self, f.name, value)


def _compiled_when_called(cls: type, known: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Return an `__init__` that compiles the one of the class and puts it in its own place."""

    def compile_and_call(self: object, *values: Any, **named: Any) -> None:
        compiled = _initializer(known)
        type.__setattr__(cls, "__init__", compiled)
        compiled(self, *values, **named)

    return compile_and_call


def _initializer(known: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Compile `__init__` with the fields in order and keyword-only fields last."""
    scope: dict[str, Any] = {"put": object.__setattr__, "MISSING": MISSING}
    parameters: dict[bool, list[str]] = {False: ["self"], True: ["*"]}
    body = []
    for item in known:
        name, default, value = item.name, "", item.name
        if item.default is not MISSING:
            scope[f"default_{name}"] = item.default
            default = f"=default_{name}"
        elif item.default_factory is not MISSING:
            scope[f"make_{name}"] = item.default_factory
            default, value = "=MISSING", f"{name} if {name} is not MISSING else make_{name}()"
        parameters[bool(item.kw_only)].append(name + default)
        body.append(f"put(self, {name!r}, {value})")
    by_keyword = parameters[True] if len(parameters[True]) > 1 else []
    signature = ", ".join(parameters[False] + by_keyword)
    exec(f"def __init__({signature}):\n " + "\n ".join(body or ["pass"]), scope)
    made: Callable[..., None] = scope["__init__"]
    return made
