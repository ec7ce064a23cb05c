"""Open sets that grow by one function: a decorator registers it, its signature is its options.

A room of plurals (metrics, tests, intervals, corrections, protocols ...) makes one
`Registry` in its singular module. A member is a function whose **positional** parameters
name the evidence it is given and whose **keyword-only** parameters, annotated with
`Literal`, `int`, `float`, `bool` or `str`, are its options in the language. The folder is
the list: the registry imports every module of its package when it is first asked.
"""

import functools
import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from evallang.bibliography import Reference
from evallang.frozen import frozen
from evallang.spelling import closest
from evallang.working_folder import away_from_working_folder, safe_path

Declaration = TypeVar("Declaration")
Function = TypeVar("Function", bound=Callable[..., Any])


class Evidence(StrEnum):
    """What a protocol or a source yields and what a test, interval or analysis needs."""

    ONE_PREDICTION_PER_ROW = "one_prediction_per_row"
    LOSSES_PER_ROW = "losses_per_row"
    SCORES_PER_ROW = "scores_per_row"
    FOLD_SCORES = "fold_scores"
    DATASET_SCORES = "dataset_scores"
    COUNTS = "counts"
    SHARES = "shares"


class Design(StrEnum):
    """How the folds behind `fold_scores` were made."""

    KFOLD = "kfold"
    REPEATED = "repeated"
    RESAMPLED = "resampled"
    FIVE_BY_TWO = "5x2"


class _Required:
    """The default of an option that has none."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@frozen
class Option:
    """One option of a registered function, read from its signature.

    `words` are the allowed words of a `Literal`; `types` the names of the other types it
    takes (`int`, `float`, `bool`, `str`, `list`, `None`).
    """

    name: str
    default: Any
    words: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """Tell whether the author must give it."""
        return self.default is REQUIRED


@frozen
class Example:
    """A worked example with its published figure; the conformance suite runs it.

    `arguments` go to the positional parameters, `expected` maps attribute paths of the
    result ("p", "statistic.value", "extra.p_exact") to numbers, each met within
    `tolerance` (absolute). `source` says where the figure is printed.
    """

    arguments: tuple[Any, ...]
    expected: Mapping[str, Any]
    source: str
    tolerance: float = 1e-10
    options: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Guidance:
    """What an author is told of a member, beside summary and sources; declarations inherit it.

    The conformance suite asks for it, `explain` and the reference print it.

    Attributes
    ----------
    when, when_not : the questions it answers, and those it does not, with what does instead
        ("two models: mcnemar"); several are parted by semicolons
    formula : how it is computed, in words
    example : lines of a study that use it, where those made from its declaration
        (`manual.illustrations`) would not show it well
    differs : why its number differs from that of another package or text, by its name
    """

    when: str = field(default="", kw_only=True)
    when_not: str = field(default="", kw_only=True)
    formula: str = field(default="", kw_only=True)
    example: str = field(default="", kw_only=True)
    differs: Mapping[str, str] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True)
class Entry(Generic[Declaration]):
    """One member of an open set: the function, its declaration and what its manual needs."""

    kind: str
    name: str
    title: str
    function: Callable[..., Any]
    declaration: Declaration
    inputs: tuple[str, ...]
    options: tuple[Option, ...]
    references: tuple[Reference, ...]
    examples: tuple[Example, ...]

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
        """Find an option by its name."""
        return next((option for option in self.options if option.name == name), None)

    def defaults(self) -> dict[str, Any]:
        """Give the options that have a default, with it."""
        return {option.name: option.default for option in self.options if not option.required}


class Registry(Generic[Declaration]):
    """The members of one open set, found in the modules of one package."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._entries: dict[str, Entry[Declaration]] = {}
        self._loaded = False

    def register(
        self,
        declaration: Declaration,
        *,
        title: str,
        name: str | None = None,
        references: tuple[Reference, ...] = (),
        examples: tuple[Example, ...] = (),
    ) -> Callable[[Function], Function]:
        """Register the decorated function under its own name, or `name`.

        `name` is for names that Python cannot spell (`5x2cv_t`, `.632+`). Raises
        `ValueError` when the name is taken or the function has no docstring.
        """

        def decorate(function: Function) -> Function:
            key = name or function.__name__
            if key in self._entries:
                raise ValueError(f"{self.kind} {key} is registered twice")
            if not inspect.getdoc(function):
                raise ValueError(f"{self.kind} {key} has no docstring")
            inputs, options = _signature(function)
            checked = _checking_words(function, options)
            self._entries[key] = Entry(
                self.kind, key, title, checked, declaration, inputs, options, references, examples
            )
            return checked

        return decorate

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self._package)
        for module in sorted(m.name for m in pkgutil.iter_modules(package.__path__)):
            importlib.import_module(f"{self._package}.{module}")

    def __getitem__(self, name: str) -> Entry[Declaration]:
        """Find a member; raises `KeyError` when there is none of that name."""
        self._load()
        return self._entries[name]

    def get(self, name: str) -> Entry[Declaration] | None:
        """Find a member, or None."""
        self._load()
        return self._entries.get(name)

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._entries

    def __iter__(self) -> Iterator[Entry[Declaration]]:
        """Go through the members, sorted by name."""
        self._load()
        return iter([self._entries[name] for name in sorted(self._entries)])

    def names(self) -> tuple[str, ...]:
        """Give all names, sorted."""
        return tuple(entry.name for entry in self)


def _signature(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[Option, ...]]:
    """Read inputs and options; only keyword-only annotations are evaluated."""
    inputs: list[str] = []
    options: list[Option] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            inputs.append(parameter.name)
            continue
        annotation = parameter.annotation
        if isinstance(annotation, str):
            annotation = eval(annotation, function.__globals__)  # our own source, not a user's
        words, names = _kinds(annotation)
        default = REQUIRED if parameter.default is inspect.Parameter.empty else parameter.default
        options.append(Option(parameter.name, default, words, names))
    return tuple(inputs), tuple(options)


def wrong_word(given: object, words: tuple[str, ...], what: str) -> str:
    """Say which words an option takes, the nearest to what was given first."""
    nearest = closest(given, words) if isinstance(given, str) else None
    hint = f", perhaps `{nearest}`" if nearest else ""
    return f"{what} is one of {', '.join(words)}, not {given!r}{hint}"


def _checking_words(function: Function, options: tuple[Option, ...]) -> Function:
    """Let a function refuse a word that its option does not have.

    From Python, `alternative="both"` would otherwise be the other branch of an `if`. Words may
    have hyphens there: `alternative="two-sided"` is scipy's spelling.
    """
    words = {option.name: option.words for option in options if option.words and not option.types}
    if not words:
        return function

    @functools.wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        for name, allowed in words.items():
            if name not in given or given[name] in allowed:
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


class _Lazy:
    """Stands for a module and imports it when an attribute is first asked for."""

    def __init__(self, name: str, *, away: bool) -> None:
        self.__dict__["_name"] = name
        self.__dict__["_away"] = away

    def __getattr__(self, attribute: str) -> Any:
        away = away_from_working_folder() if self.__dict__["_away"] else nullcontext()
        with safe_path(), away:
            module = importlib.import_module(self.__dict__["_name"])
        value = getattr(module, attribute)
        self.__dict__[attribute] = value
        return value


def lazy(name: str, *, away: bool = False) -> Any:
    """Give a proxy for a module that is heavy to import; used at the top of numeric modules.

    With `away` the module is imported away from the current folder, where it would look for
    settings.
    """
    return _Lazy(name, away=away)
