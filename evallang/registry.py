"""Registries of members, each a function whose signature states its inputs and options.

A package of members (metrics, tests, intervals, corrections, protocols ...) creates one
`Registry` in its singular module. A member is a function that a decorator registers. Its
**positional** parameters name its inputs, and its **keyword-only** parameters, annotated with
`Literal`, `int`, `float`, `bool` or `str`, are its options in the language. No list of members is
needed: the registry imports every module of its package at the first access.
"""

import functools
import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct, field

from evallang.bibliography import Reference
from evallang.records import Placed
from evallang.spelling import closest

Declaration = TypeVar("Declaration")
Function = TypeVar("Function", bound=Callable[..., Any])


class Design(StrEnum):
    """The design of the folds of `fold_scores`."""

    KFOLD = "kfold"
    REPEATED = "repeated"
    RESAMPLED = "resampled"
    FIVE_BY_TWO = "5x2"


class Situation(StrEnum):
    """What a first study has: decides which measures and tests it uses (`Guidance.first_for`)."""

    NUMBERS = "numbers"
    TWO_CLASSES = "two_classes"
    RARE_CLASS = "rare_class"
    SEVERAL_CLASSES = "several_classes"
    OVERLAPPING_FOLDS = "overlapping_folds"
    SAME_ROWS_RIGHT = "same_rows_right"
    SAME_ROWS = "same_rows"
    NETWORKS = "networks"
    TIME = "time"


class _Required:
    """The type of `REQUIRED`, which marks an option without a default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


class Bounds(Struct, frozen=True):
    """The least and the greatest number of an option: `Annotated[float, Bounds(least=0, most=1)]`.

    `above` and `below` are ends that the number cannot have.
    """

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    @property
    def words(self) -> str:
        """What a number must be."""
        if (self.least, self.most) == (0, 1):
            return "lie between 0 and 1"
        ends = {"at least": self.least, "above": self.above, "at most": self.most}
        ends["below"] = self.below
        said = [f"{word} {end:g}" for word, end in ends.items() if end is not None]
        return f"be {' and '.join(said)}"

    @property
    def of_share(self) -> bool:
        """Whether a number above 1 may be meant as a percentage."""
        return 1 in (self.most, self.below)

    def __contains__(self, value: float) -> bool:
        """Return whether a number keeps within them."""
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


class Requires(Struct, frozen=True):
    """The option without which another has no meaning: `Annotated[float, Requires("anchor")]`."""

    option: str


class Option(Struct, frozen=True):
    """One option of a registered function, read from its signature.

    `words` are the allowed words of a `Literal`; `types` the names of the other types that
    it accepts (`int`, `float`, `bool`, `str`, `list`, `None`); `bounds` those of a number;
    `requires` is the option without which it has no meaning.
    """

    name: str
    default: Any = REQUIRED
    words: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    bounds: Bounds | None = None
    requires: str | None = None

    @property
    def required(self) -> bool:
        """Whether the author must write the option."""
        return self.default is REQUIRED


def no_options() -> tuple[Option, ...]:
    """Return the options of a member without any."""
    return ()


class Example(Struct, frozen=True):
    """A worked example with its published result; the conformance suite runs it.

    `arguments` go to the positional parameters, `expected` maps attribute paths of the
    result ("p", "statistic.value", "extra.p_exact") to numbers, each met within
    `tolerance` (absolute). `source` says where the result is printed.
    """

    arguments: tuple[Any, ...]
    expected: Mapping[str, Any]
    source: str
    tolerance: float = 1e-10
    options: Mapping[str, Any] = field(default_factory=dict)


Examples = tuple[Example, ...] | Callable[[], tuple[Example, ...]]
"""Worked examples, or a function that makes those on arrays, which no check of a study needs."""


class Guidance(Struct, frozen=True, kw_only=True):
    """Guidance for authors on a member, in addition to summary and sources.

    Declarations inherit it, the conformance suite requires it, and `explain` and the reference
    print it.

    Attributes
    ----------
    when, when_not : the questions that it answers and those that it does not, with the member that
        does ("two models: mcnemar"), separated by semicolons
    formula : the computation in words
    equation : the computation in the LaTeX that both code hosts and matplotlib set
    example : lines of a study that use it, or the member as one line of the study that is
        generated from its declaration has it (`manual.explanations`), if its name is not enough
    differs : by the name of another package or text, why its result differs there
    first_for : the situations in which a first study uses it, with its place among the others
    """

    when: str = ""
    when_not: str = ""
    formula: str = ""
    equation: str = ""
    example: str = ""
    differs: Mapping[str, str] = field(default_factory=dict)
    first_for: Mapping[Situation, int] = field(default_factory=dict)


class Entry(Placed, Generic[Declaration], frozen=True):
    """A member of a registry: the function, its declaration and the content of its manual."""

    APART: ClassVar[tuple[str, ...]] = ("read_options",)

    kind: str
    name: str
    title: str
    function: Callable[..., Any]
    declaration: Declaration
    inputs: tuple[str, ...]
    read_options: Callable[[], tuple[Option, ...]]
    references: tuple[Reference, ...]
    worked: Examples

    @property
    def examples(self) -> tuple[Example, ...]:
        """The worked examples."""
        return self.worked() if callable(self.worked) else self.worked

    @property
    def options(self) -> tuple[Option, ...]:
        """The options, which are read from the signature when they are first asked for."""
        return self.read_options()

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        text = inspect.getdoc(self.function) or ""
        return " ".join(text.split("\n\n")[0].split())

    @property
    def manual(self) -> str:
        """The docstring after its first paragraph."""
        text = inspect.getdoc(self.function) or ""
        return text.partition("\n\n")[2]

    def option(self, name: str) -> Option | None:
        """Return an option by its name."""
        return next((option for option in self.options if option.name == name), None)

    def defaults(self) -> dict[str, Any]:
        """Return the options that have a default, with their defaults."""
        return {option.name: option.default for option in self.options if not option.required}


class Registry(Generic[Declaration]):
    """The members that the modules of one package register."""

    def __init__(
        self,
        kind: str,
        *packages: str,
        guard: Callable[[Any, Declaration, tuple[str, ...]], Any] | None = None,
    ) -> None:
        """Make a registry; `guard` wraps each function, with its declaration and its inputs."""
        self.kind = kind
        self._packages = packages
        self._guard = guard
        self._entries: dict[str, Entry[Declaration]] = {}
        self._unlisted: set[str] = set()
        self._complete = False

    def register(
        self,
        declaration: Declaration,
        *,
        title: str,
        name: str | None = None,
        references: tuple[Reference, ...] = (),
        examples: Examples = (),
        listed: bool = True,
    ) -> Callable[[Function], Function]:
        """Register the decorated function under its own name, or `name`.

        `name` is for names that Python cannot spell (`5x2cv_t`, `.632+`). A member that is not
        `listed` is found by its name alone: other members use it, and authors cannot write it.
        Raises `ValueError` if the name is taken or the function has no docstring.
        """

        def decorate(function: Function) -> Function:
            key = name or function.__name__
            if key in self._entries:
                raise ValueError(f"{self.kind} {key} is registered twice")
            if not function.__doc__:
                raise ValueError(f"{self.kind} {key} has no docstring")
            if not listed:
                self._unlisted.add(key)
            inputs, guarded = _names(function)[0], function
            if self._guard is not None:
                guarded = self._guard(function, declaration, inputs)
            checked = _checking_options(guarded)
            self._entries[key] = Entry(
                self.kind,
                key,
                title,
                checked,
                declaration,
                inputs,
                functools.partial(_options, checked),
                references,
                examples,
            )
            return checked

        return decorate

    def _load(self) -> None:
        """Import all modules of the packages, which register the members."""
        if self._complete:
            return
        self._complete = True
        for package in self._packages:
            path = importlib.import_module(package).__path__
            for module in sorted(m.name for m in pkgutil.iter_modules(path)):
                importlib.import_module(f"{package}.{module}")

    def __getitem__(self, name: str) -> Entry[Declaration]:
        """Return a member by its name; raise `KeyError` if the name is unknown."""
        self._load()
        return self._entries[name]

    def get(self, name: str) -> Entry[Declaration] | None:
        """Return a member by its name, or None."""
        self._load()
        return self._entries.get(name)

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[Declaration]]:
        """Iterate over the listed members, sorted by name."""
        self._load()
        return iter([self._entries[name] for name in sorted(self._entries.keys() - self._unlisted)])

    def names(self) -> tuple[str, ...]:
        """Return the names of all listed members, sorted."""
        return tuple(entry.name for entry in self)


def _names(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the inputs and of the options."""
    code = inspect.unwrap(function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names[: code.co_argcount], names[code.co_argcount :]


@functools.cache
def _options(function: Callable[..., Any]) -> tuple[Option, ...]:
    """Read the options from the signature of a function, or of the one that it wraps."""
    function = inspect.unwrap(function)
    defaults = function.__kwdefaults__ or {}
    options = []
    for name in _names(function)[1]:
        annotation = function.__annotations__[name]
        if isinstance(annotation, str):
            annotation = eval(_parsed(annotation), function.__globals__)  # our own source
        if further := getattr(annotation, "__metadata__", ()):
            annotation = typing.get_args(annotation)[0]
        bounds = next((one for one in further if isinstance(one, Bounds)), None)
        requires = next((one.option for one in further if isinstance(one, Requires)), None)
        words, types_ = _kinds(annotation)
        default = defaults.get(name, REQUIRED)
        options.append(Option(name, default, words, types_, bounds, requires))
    return tuple(options)


@functools.cache
def _parsed(annotation: str) -> types.CodeType:
    """Compile an annotation once: many options have the same."""
    return compile(annotation, "<annotation>", "eval")


def wrong_word(given: object, words: tuple[str, ...], what: str) -> str:
    """Return a sentence with the words that an option accepts, the closest one first."""
    nearest = closest(given, words) if isinstance(given, str) else None
    hint = f", perhaps `{nearest}`" if nearest else ""
    return f"{what} is one of {', '.join(words)}, not {given!r}{hint}"


def _checking_options(function: Function) -> Function:
    """Wrap a function so that it refuses words and numbers that its options do not accept.

    From Python, `alternative="both"` would otherwise be the other branch of an `if`. Words may
    have hyphens there: `alternative="two-sided"` is scipy's spelling.
    """
    if not _names(function)[1]:
        return function

    @functools.wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        for option in _options(checked) if given else ():
            name, allowed, bounds = option.name, option.words, option.bounds
            if bounds is not None and given.get(name) is not None and given[name] not in bounds:
                raise ValueError(f"{name} must {bounds.words}, not {given[name]!r}")
            if not allowed or option.types or name not in given or given[name] in allowed:
                continue
            spelled = str(given[name]).replace("-", "_")
            if spelled not in allowed:
                raise ValueError(wrong_word(given[name], allowed, name))
            given[name] = spelled
        return function(*args, **given)

    return typing.cast(Function, checked)


def _kinds(annotation: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return tuple(str(word) for word in typing.get_args(annotation)), ()
    if origin in (typing.Union, types.UnionType):
        words: tuple[str, ...] = ()
        names: tuple[str, ...] = ()
        for part in typing.get_args(annotation):
            more_words, more_names = _kinds(part)
            words, names = words + more_words, names + more_names
        return words, names
    if annotation is type(None):
        return (), ("None",)
    base = origin or annotation
    return (), (base.__name__,)
