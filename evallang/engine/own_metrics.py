"""The author's own metrics, loaded in a run with consent, and what went wrong in them."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from evallang.engine.settings import Setting
from evallang.metrics.aggregation import aggregate
from evallang.metrics.metric import MetricEntry
from evallang.metrics.own_code import (
    DECLARED,
    OwnMetric,
    OwnMetricFailed,
    entry_of,
)
from evallang.models.fitting import clean_message
from evallang.models.own_code import OwnCode
from evallang.registry import REQUIRED, Option
from evallang.results.records import Failure
from evallang.study import Method, Study

MEASURING = "measure"
"""The stage of a failure in the author's own metric."""
EVERY_ROW = -1


class NotUsable(Exception):
    """A function that is not there, is none, or says of itself what no metric is; says which."""


def load(name: str, code: OwnCode) -> OwnMetric:
    """Import a function by its dotted name and read what it says of itself.

    Raises `NotUsable`; whatever the author's module raises when imported is told in it.
    """
    try:
        function = code.resolve(name)
    # A module is anyone's code: whatever it raises is told to its author.
    except Exception as error:
        raise NotUsable(f"{type(error).__name__}: {clean_message(str(error))}") from error
    if not callable(function):
        raise NotUsable(f"it is a {type(function).__name__}, and no function")
    options, closed = _options(name, function)
    said: dict[str, Any] = {
        key: getattr(function, key) for key in DECLARED if hasattr(function, key)
    }
    for key, value in said.items():
        if value not in DECLARED[key]:
            words = " or ".join(f'"{word}"' for word in DECLARED[key])
            raise NotUsable(f"its `{key}` is {value!r}, and is {words}")
    entry = entry_of(
        name,
        _guarded(name, function),
        options=options,
        open_options=not closed,
        summary=_first_sentence(function),
        **said,
    )
    return OwnMetric(entry, frozenset(said))


def _first_sentence(function: Callable[..., Any]) -> str:
    text = inspect.getdoc(function) or "" if inspect.isroutine(function) else ""
    return " ".join(text.split("\n\n")[0].split())


def _options(name: str, function: Callable[..., Any]) -> tuple[tuple[Option, ...], bool]:
    """Read the options of `f(truth, prediction, ...)`, and whether it takes no others."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of C, which tells nothing
        return (), False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    needed = [p for p in positional if p.default is p.empty]
    if (len(positional) < 2 and not starred) or any(p not in positional[:2] for p in needed):
        raise NotUsable("it is no function of truth and prediction")
    named = [*positional[2:], *(p for p in parameters if p.kind is p.KEYWORD_ONLY)]
    options = tuple(
        Option(p.name, REQUIRED if p.default is p.empty else _plain(p.default))
        for p in named
        if p.kind is not p.POSITIONAL_ONLY
    )
    return options, not any(p.kind is p.VAR_KEYWORD for p in parameters)


def _plain(default: Any) -> Any:
    """Keep a default that can be stated; another is not stated."""
    return default if isinstance(default, bool | int | float | str) else None


def _guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function raise nothing but `OwnMetricFailed`, and take plain values for options."""

    def called(truth: Any, prediction: Any, **options: Any) -> Any:
        given = {key: _of_python(value) for key, value in options.items()}
        try:
            return function(truth, prediction, **given)
        # A metric is anyone's code: whatever it raises is a result of the study.
        except Exception as error:
            message = clean_message(str(error))
            text = f"`{name}` failed: it raised {type(error).__name__}: {message}"
            raise OwnMetricFailed(text, type(error).__name__, message) from error
        except SystemExit as error:  # the author's code may not end the run
            message = clean_message(f"it ended the process: {error}")
            raise OwnMetricFailed(f"`{name}` failed: {message}", "SystemExit", message) from error

    return called


def _of_python(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    return [_of_python(item) for item in value] if isinstance(value, tuple) else value


# --- which, and what went wrong ------------------------------------------------------------


def own_metrics_of(study: Study) -> tuple[Method, ...]:
    """List the author's own metrics of a study, each once with its options."""
    found = [measure.metric for measure in study.measures]
    found += [metric for comparison in study.comparisons for metric in comparison.metrics]
    found += [requirement.metric for requirement in study.requirements]
    if study.tuning is not None:
        found.append(study.tuning.metric)
    return tuple(dict.fromkeys(metric for metric in found if metric.code))


def failures_of_metrics(study: Study, settings: Sequence[Setting]) -> Iterator[Failure]:
    """Tell every model that an own metric could not measure: the metric, and what it raised."""
    metrics = [metric for metric in own_metrics_of(study) if _is_measured(study, metric)]
    for setting in settings:
        for metric in metrics:
            for model in setting.models if setting.measures(metric) else ():
                error = _failure(setting, model, metric)
                if error is not None:
                    yield Failure(
                        MEASURING,
                        setting.source,
                        setting.protocol,
                        model,
                        0,
                        EVERY_ROW,
                        {"metric": metric.written},
                        error.error,
                        error.message,
                    )


def _is_measured(study: Study, metric: Method) -> bool:
    """Tell whether a metric is read outside of the choice of candidates."""
    used = [m.metric for m in study.measures] + [r.metric for r in study.requirements]
    used += [m for c in study.comparisons for m in c.metrics]
    return metric in used


def _failure(setting: Setting, model: str, metric: Method) -> OwnMetricFailed | None:
    found, outcome = setting.models[model], setting.outcome(model, metric)
    if found.failed or outcome is None:
        return None
    try:
        aggregate(setting.entry(metric), metric.keywords(), outcome, found.fold, found.repeat)
    except OwnMetricFailed as error:
        return error
    return None


def entry_in_worker(metric: Method, code: OwnCode | None, values: Sequence[Any]) -> MetricEntry:
    """Give an own metric in whatever process a fit runs in; raises `NotUsable`."""
    from evallang.metrics.own_code import in_labels

    return in_labels(load(metric.name, code or OwnCode()).entry, values)


def unknown_options(metric: Method, found: OwnMetric) -> Mapping[str, str]:
    """Tell which options a function does not take, and which needed ones are missing."""
    taken = {option.name: option for option in found.entry.options}
    written = metric.keywords()
    return {
        "unknown": ", ".join(f"`{n}`" for n in written if n not in taken)
        if not found.open_options
        else "",
        "missing": ", ".join(f"`{n}`" for n, o in taken.items() if o.required and n not in written),
    }
