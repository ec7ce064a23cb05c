"""Decorators for records: dataclasses that are created quickly, frozen or not.

`dataclass(frozen=True, slots=True)` compiles six methods for each class, which for the two
hundred records of this package would take a third of a cold start. These decorators compile only
`__init__`, when more than a few records of a class are created, share the other methods, and
make the fields when they are first read.
`dataclasses.fields`, `replace` and `asdict`, `match`, copy and pickle work as usual.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, TypeVar, dataclass_transform, overload

T = TypeVar("T")
FEW = 60  # records; to fill them without a compiled `__init__` takes as long as to compile it


@overload
def frozen(cls: type[T], /) -> type[T]: ...


@overload
def frozen(*, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True) -> Any:
    """Make a class a frozen dataclass; fields with `compare=False` are not part of equality.

    A class whose fields are arrays needs `eq=False`, with which a record is equal to itself
    alone. Raises `TypeError` for a class with `__post_init__`, which the shared methods would not
    call.
    """
    refusing = {"__setattr__": _set, "__delattr__": _delete}
    if cls is None:
        return lambda made: _record(made, refusing, eq=eq)
    return _record(cls, refusing, eq=eq)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """Make a class a dataclass whose records change; each is equal to itself alone.

    Raises `TypeError` for a class with `__post_init__`, which the shared methods would not call.
    """
    made: type[T] = _record(cls, {})
    return made


def _record(cls: Any, more: dict[str, Any], *, eq: bool = False) -> Any:
    declared = _Fields(cls)
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__} has `__post_init__`, which a record does not call")
    methods = more | {
        "__init__": _compiled_when_called_often(declared),
        "__getstate__": _state,
        "__setstate__": _restore,
        "__record__": declared,
        "__dataclass_fields__": declared,
        "__dataclass_params__": _PLAIN.__dataclass_params__,
        "__match_args__": _Positional(declared),
    }
    if cls.__repr__ is object.__repr__:  # a record may be a table of its own
        methods["__repr__"] = _repr
    if eq:
        methods |= _compared(declared)
    for name, value in (declared.defaults() | methods).items():
        if value is MISSING:
            type.__delattr__(cls, name)
        else:
            type.__setattr__(cls, name, value)
    return cls


class _Fields:
    """The fields of a class, for `dataclasses` made when they are first read.

    Most commands create records of a part of the classes that they import, and few are asked for
    their fields.
    """

    def __init__(self, cls: Any) -> None:
        self.owner = cls
        own, content = cls.__annotations__, cls.__dict__
        self.own = {name: kind for name, kind in own.items() if not _of_class(kind)}
        self.given = {name: content[name] for name in self.own if name in content}
        self._after: dict[int, list[tuple[str, Any, Any]]] = {}

    def __get__(self, record: object, cls: type | None = None) -> dict[str, Field[Any]]:
        content = {"__annotations__": self.own, "__doc__": self.owner.__name__, **self.given}
        alone: Any = type(self.owner.__name__, (), content | {"__module__": self.owner.__module__})
        dataclass(init=False, repr=False, eq=False)(alone)
        made: dict[str, Field[Any]] = {}
        for base in self._bases():
            made |= base.owner.__dataclass_fields__
        made |= alone.__dataclass_fields__
        type.__setattr__(self.owner, "__dataclass_fields__", made)
        return made

    @cached_property
    def members(self) -> dict[str, Field[Any]]:
        """The fields with those of the bases, which come first."""
        known = {name: item for base in self._bases() for name, item in base.members.items()}
        for name in self.own:
            value = self.given.get(name, MISSING)
            known[name] = value if isinstance(value, Field) else field(default=value)
        return known

    @cached_property
    def positional(self) -> tuple[str, ...]:
        return tuple(name for name, item in self.members.items() if item.kw_only is not True)

    def after(self, given: int) -> list[tuple[str, Any, Any]]:
        """Return name, default and factory of the members after those given by their place."""
        found = self._after.get(given)
        if found is None:
            before = set(self.positional[:given])
            found = self._after[given] = [
                (name, item.default, item.default_factory)
                for name, item in self.members.items()
                if name not in before
            ]
        return found

    @cached_property
    def compared(self) -> tuple[str, ...]:
        return tuple(name for name, item in self.members.items() if item.compare)

    def defaults(self) -> dict[str, Any]:
        """Return the defaults of the fields made by `field`, or MISSING."""
        return {
            name: value.default for name, value in self.given.items() if isinstance(value, Field)
        }

    def _bases(self) -> list["_Fields"]:
        known = [base.__dict__.get("__record__") for base in self.owner.__mro__[:0:-1]]
        return [declared for declared in known if declared is not None]


class _Positional:
    """The names that patterns of `match` may give by their place."""

    def __init__(self, declared: _Fields) -> None:
        self._declared = declared

    def __get__(self, record: object, cls: type | None = None) -> tuple[str, ...]:
        return self._declared.positional


def _of_class(kind: Any) -> bool:
    if isinstance(kind, str):  # `ClassVar[int]`, `typing.ClassVar`
        return kind.partition("[")[0].rpartition(".")[2].strip() == "ClassVar"
    return getattr(kind, "__origin__", kind) is ClassVar


_PLAIN: Any = dataclass(init=False, repr=False, eq=False)(type("Record", (), {"__doc__": "None"}))


def _compared(declared: _Fields) -> dict[str, Any]:
    def equal(self: object, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in declared.compared)

    def digest(self: object) -> int:
        return hash((type(self), *(getattr(self, name) for name in declared.compared)))

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


def _compiled_when_called_often(declared: _Fields) -> Callable[..., None]:
    """Return an `__init__` that after a few calls compiles the one that takes its place."""
    created = 0

    def fill_or_compile(self: object, *values: Any, **named: Any) -> None:
        nonlocal created
        created += 1
        if created <= FEW and _fill(self, declared, values, named):
            return
        compiled = _initializer(declared.members)  # also of wrong arguments, for its message
        type.__setattr__(declared.owner, "__init__", compiled)
        compiled(self, *values, **named)

    return fill_or_compile


def _fill(
    record: object, declared: _Fields, values: tuple[Any, ...], named: dict[str, Any]
) -> bool:
    """Set all fields; return False if one has no value or two, or a value has no field."""
    put = object.__setattr__
    places = declared.positional
    if len(values) > len(places):
        return False
    for name, value in zip(places, values, strict=False):
        put(record, name, value)
    taken = 0
    for name, default, factory in declared.after(len(values)):
        if name in named:
            put(record, name, named[name])
            taken += 1
        elif default is not MISSING:
            put(record, name, default)
        elif factory is not MISSING:
            put(record, name, factory())
        else:
            return False
    return taken == len(named)


def _initializer(known: dict[str, Field[Any]]) -> Callable[..., None]:
    """Compile `__init__` with the fields in order and keyword-only fields last."""
    scope: dict[str, Any] = {"put": object.__setattr__, "MISSING": MISSING}
    parameters: dict[bool, list[str]] = {False: ["self"], True: ["*"]}
    body = []
    for name, item in known.items():
        default, value = "", name
        if item.default is not MISSING:
            scope[f"default_{name}"] = item.default
            default = f"=default_{name}"
        elif item.default_factory is not MISSING:
            scope[f"make_{name}"] = item.default_factory
            default, value = "=MISSING", f"{name} if {name} is not MISSING else make_{name}()"
        parameters[item.kw_only is True].append(name + default)
        body.append(f"put(self, {name!r}, {value})")
    by_keyword = parameters[True] if len(parameters[True]) > 1 else []
    signature = ", ".join(parameters[False] + by_keyword)
    exec(f"def __init__({signature}):\n " + "\n ".join(body or ["pass"]), scope)
    made: Callable[..., None] = scope["__init__"]
    return made
