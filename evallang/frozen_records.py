"""Decorators for records: dataclasses that are created quickly, frozen or not.

`dataclass(frozen=True, slots=True)` compiles six methods for each class, which for the two
hundred records of this package would take a third of a cold start. These decorators compile only
`__init__`, when more than a few records of a class are created, and share the other methods.
`dataclasses.fields`, `replace` and `asdict`, `match`, copy and pickle work as usual.
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
FEW = 15  # records; to fill them without a compiled `__init__` takes as long as to compile it


@overload
def frozen(cls: type[T], /) -> type[T]: ...


@overload
def frozen(*, slots: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, slots: bool = True, eq: bool = True) -> Any:
    """Make a class a frozen dataclass with slots; fields with `compare=False` take no part
    in equality and hash.

    A class with a `cached_property` needs `slots=False`, and one whose fields are arrays
    `eq=False`, with which a record is equal to itself alone. Raises `TypeError` for a class with
    `__post_init__`, which the shared methods would not call.
    """
    methods = {"__setattr__": _set, "__delattr__": _delete}
    if cls is not None:
        return _record(cls, slots, eq, methods)
    return lambda made: _record(made, slots, eq, methods)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """Make a class a dataclass with slots whose records change; each is equal to itself alone.

    Raises `TypeError` for a class with `__post_init__`, which the shared methods would not call.
    """
    return _record(cls, True, False, {})


def _record(cls: type[T], slots: bool, eq: bool, more: dict[str, Any]) -> type[T]:
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__} has `__post_init__`, which a record does not call")
    made = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    known = fields(made)  # type: ignore[arg-type]  # the line above made it a dataclass
    methods: dict[str, Any] = {
        "__init__": _compiled_when_called_often(made, known),
        "__getstate__": _state,
        "__setstate__": _restore,
        **more,
    }
    if cls.__repr__ is object.__repr__:  # a record may be a table of its own
        methods["__repr__"] = _repr
    if eq:
        methods |= _compared(tuple(f.name for f in known if f.compare))
    for name, method in methods.items():
        type.__setattr__(made, name, method)
    return made


def _compared(names: Sequence[str]) -> dict[str, Any]:
    def equal(self: object, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def digest(self: object) -> int:
        return hash((type(self), *(getattr(self, name) for name in names)))

    return {"__eq__": equal, "__hash__": digest}


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


def _compiled_when_called_often(cls: type, known: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Return an `__init__` that after a few calls compiles the one that takes its place."""
    positional = tuple(item.name for item in known if not item.kw_only)
    created = 0

    def fill_or_compile(self: object, *values: Any, **named: Any) -> None:
        nonlocal created
        created += 1
        if created <= FEW and len(values) <= len(positional):
            given = dict(zip(positional, values, strict=False))
            if given.keys().isdisjoint(named) and _fill(self, known, given | named):
                return
        compiled = _initializer(known)  # also of wrong arguments, for its message
        type.__setattr__(cls, "__init__", compiled)
        compiled(self, *values, **named)

    return fill_or_compile


def _fill(record: object, known: tuple[Field[Any], ...], given: dict[str, Any]) -> bool:
    """Set all fields; return False if one has no value, or a value has no field."""
    for item in known:
        if item.name in given:
            value = given.pop(item.name)
        elif item.default is not MISSING:
            value = item.default
        elif item.default_factory is not MISSING:
            value = item.default_factory()
        else:
            return False
        object.__setattr__(record, item.name, value)
    return not given


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
