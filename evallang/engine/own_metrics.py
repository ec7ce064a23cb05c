"""The author's own metrics: loaded in a run with consent, and guarded from what they raise."""

import inspect
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from evallang.metrics.metric import MetricEntry
from evallang.metrics.own_code import (
    DECLARED,
    OwnMetric,
    OwnMetricFailed,
    entry_of,
    wrap_labels,
)
from evallang.models.foreign_errors import error_text, is_interruption
from evallang.models.own_code import OwnCode
from evallang.registry import REQUIRED, Option
from evallang.spelling import closest
from evallang.study import Method
from evallang.user_code import seed_shared_draws, speaking


class NotUsable(Exception):
    """The function does not exist, is not callable, or declares an unknown metric type.

    `suggestion` is what to write instead, where that is known.
    """

    def __init__(self, words: str, suggestion: str | None = None) -> None:
        super().__init__(words)
        self.suggestion = suggestion


def load(name: str, code: OwnCode) -> OwnMetric:
    """Import a function by its dotted name and read what it says of itself.

    Raises `NotUsable`; whatever the author's module raises when imported is told in it.
    """
    try:
        with speaking(name):
            function = code.functions.get(name) or code.resolve(name)
    # A module is anyone's code: whatever it raises is told to its author.
    except BaseException as error:
        if is_interruption(error):
            raise
        raise _not_loaded(name, error) from error
    if not callable(function):
        raise NotUsable(f"it is of the type {type(function).__name__}, not a function")
    options, any_option = _options(function)
    said: dict[str, Any] = {
        key: getattr(function, key) for key in DECLARED if hasattr(function, key)
    }
    for key, value in said.items():
        if value not in DECLARED[key]:
            words = " or ".join(f'"{word}"' for word in DECLARED[key])
            raise NotUsable(f"its `{key}` is {value!r}, and can be {words}")
    entry = entry_of(
        name,
        _guarded(name, function),
        options=options,
        summary=_first_sentence(function),
        **said,
    )
    return OwnMetric(entry, frozenset(said), any_option)


def _not_loaded(name: str, error: BaseException) -> NotUsable:
    """Phrase why nothing of this name was imported; a slip gets the name that is there."""
    module, _, last = name.rpartition(".")
    there = getattr(error, "obj", None)
    if isinstance(error, AttributeError) and getattr(there, "__name__", None) == module:
        near = closest(last, [own for own in vars(there) if not own.startswith("_")])
        suggestion = None if near is None else f"did you mean `{module}.{near}`?"
        return NotUsable(f"`{module}` has no `{last}`", suggestion)
    return NotUsable(f"{type(error).__name__}: {error_text(error)}")


def _first_sentence(function: Callable[..., Any]) -> str:
    text = inspect.getdoc(function) or "" if inspect.isroutine(function) else ""
    return " ".join(text.split("\n\n")[0].split())


def _options(function: Callable[..., Any]) -> tuple[tuple[Option, ...], bool]:
    """Read the options of `f(truth, prediction, ...)`, and whether it takes any other."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of C, which tells nothing
        return (), True
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(positional) < 2 and not starred:
        raise NotUsable("it is not a function of truth and prediction")
    named = [*positional[2:], *(p for p in parameters if p.kind is p.KEYWORD_ONLY)]
    options = tuple(
        Option(p.name, REQUIRED if p.default is p.empty else _plain(p.default))
        for p in named
        if p.kind is not p.POSITIONAL_ONLY
    )
    return options, any(p.kind is p.VAR_KEYWORD for p in parameters)


def _plain(default: Any) -> Any:
    """Keep a default that can be stated; another is not stated."""
    return default if isinstance(default, bool | int | float | str) else None


def _guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function raise nothing but `OwnMetricFailed`, and take plain values for options."""

    def called(truth: Any, prediction: Any, **options: Any) -> Any:
        given = {key: _python_value(value) for key, value in options.items()}
        try:
            with speaking(name):
                seed_shared_draws(0)  # its value depends on its arguments alone
                return _number(function(truth, prediction, **given))
        # A metric is anyone's code: whatever it raises is a result of the study.
        except BaseException as error:
            if is_interruption(error):
                raise
            message = error_text(error)
            text = f"`{name}` failed: it raised {type(error).__name__}: {message}"
            raise OwnMetricFailed(text, type(error).__name__, message) from error

    return called


def _number(value: Any) -> Any:
    """Return a number as a float, which the class of the author's own value may refuse."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and not np.ma.is_masked(value):
        value = value.item()
    return float(value) if isinstance(value, Real) else value


def _python_value(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    return [_python_value(item) for item in value] if isinstance(value, tuple) else value


def worker_metric(metric: Method, code: OwnCode | None, values: Sequence[Any]) -> MetricEntry:
    """Return an own metric in whatever process a fit runs, in the labels of its data."""
    return wrap_labels(load(metric.name, code or OwnCode()).entry, values)


def objection(metric: Method, found: OwnMetric) -> str | None:
    """Return which option a function does not take, or needs and is not given."""
    taken = {option.name: option for option in found.entry.options}
    written = metric.keywords()
    unknown = [name for name in written if name not in taken]
    if unknown and not found.any_option:
        are = ", ".join(f"`{name}`" for name in taken)
        others = f"; those of the function are {are}" if are else ""
        return f"it takes no option `{unknown[0]}`{others}"
    missing = [name for name, option in taken.items() if option.required and name not in written]
    return f"it needs the option `{missing[0]}`" if missing else None
