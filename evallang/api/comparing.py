"""Outcomes of models in arrays, compared: the study is written here and takes the usual way."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from evallang.api.results import Results
from evallang.api.running import run
from evallang.api.study_file import parse
from evallang.spelling import RESERVED
from evallang.syntax.literals import quoted

SOURCE = "examples"
FILE = f"{SOURCE}.csv"
"""The file that the arrays take the place of; it is never read."""


def compare(
    truth: Any,
    predictions: Mapping[str, Any],
    *,
    with_: str,
    metric: str | Sequence[str] | None = None,
    scores: Mapping[str, Any] | None = None,
    against: str | None = None,
    groups: Any = None,
    positive: str | float | bool | None = None,
    task: Literal["classification", "regression"] | None = None,
    title: str = "Comparison of predictions",
    seed: int = 0,
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> Results:
    """Compare predictions of models on the same examples, as a study of them would.

    Parameters
    ----------
    truth : the true label or number of each example: an array, a list or a series
    predictions : what each model predicted, by the model's name, in the order of `truth`; an
        index is ignored
    with_ : test and correction as a `compare` line has them, such as `"mcnemar"` or
        `"cochran then mcnemar holm"`
    metric : one metric or several as a `measure` line has them; the first is compared
    scores : scores or probabilities of the positive class, by the model's name
    against : the model that all others are compared with
    groups : the group of each example, where examples belong together
    positive : the label of the positive class
    task : by default regression where `truth` holds numbers with decimals

    The study that was run is `results.record.spec.canonical`. Raises `ValueError` for arrays
    of different lengths or unknown models, and `StudyError` where the comparison makes no sense.
    """
    _check_names(predictions, scores or {}, against)
    columns = {"truth": truth} | ({} if groups is None else {"group": groups})
    columns |= {f"output_{i}": values for i, values in enumerate(predictions.values(), 1)}
    places = {name: i for i, name in enumerate(predictions, 1)}
    columns |= {f"score_{places[name]}": values for name, values in (scores or {}).items()}
    told = {"truth": "truth", "group": "groups"}
    told |= {f"output_{i}": f"predictions of {name!r}" for name, i in places.items()}
    told |= {f"score_{i}": f"scores of {name!r}" for name, i in places.items()}
    lengths = {told[column]: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name} {n:,}" for name, n in lengths.items())
        raise ValueError(f"the arrays differ in length: {words}")
    names = _names(predictions)
    lines = [
        "evallang 1",
        f"study {quoted(title)}",
        f"  seed {seed:d}",
        f"  alpha {alpha!r}",
        f"  confidence {confidence * 100:.10g}%",
        f"predictions {SOURCE} from {quoted(FILE)}",
        "  truth truth",
        f"  task {task or ('regression' if _has_decimals(truth) else 'classification')}",
        *(f"  models {_model(names[name], name)} as output_{i}" for name, i in places.items()),
        *(f"  score {names[name]} = score_{places[name]}" for name in scores or {}),
        *(["  group group"] if groups is not None else []),
        *([f"  positive {_literal(positive)}"] if positive is not None else []),
    ]
    if metric is not None:
        lines.append(f"measure {metric if isinstance(metric, str) else ', '.join(metric)}")
    lines.append(_compare_line(names, with_, against))
    given = {SOURCE: columns}
    study = parse("\n".join([*lines, ""]), data=given)
    return run(study, command=f"ev.compare(..., with_={with_!r})")


def _compare_line(names: Mapping[str, str], with_: str, against: str | None) -> str:
    if against is not None:
        others = ", ".join(name for known, name in names.items() if known != against)
        models = f"{others} against {names[against]}"
    else:
        models = (" vs " if len(names) == 2 else ", ").join(names.values())
    return f"compare {models} with {with_}"


def _check_names(
    predictions: Mapping[str, Any], scores: Mapping[str, Any], against: str | None
) -> None:
    if len(predictions) < 2:
        raise ValueError(f"at least two models are needed, not {len(predictions)}")
    for name in (*scores, *([against] if against is not None else [])):
        if name not in predictions:
            known = ", ".join(map(repr, predictions))
            raise ValueError(f"no predictions of a model called {name!r}; there are {known}")


def _names(models: Iterable[str]) -> dict[str, str]:
    """Return a name of the language for each model, as like its own as can be."""
    found: dict[str, str] = {}
    for model in models:
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", str(model)).strip("_-")
        if not name[:1].isalpha() or name in RESERVED or name in ("vs", "as", "in"):
            name = f"model_{name}".rstrip("_")
        taken, plain, further = set(found.values()), name, 2
        while name in taken:
            name, further = f"{plain}_{further}", further + 1
        found[model] = name
    return found


def _model(name: str, model: str) -> str:
    return name if name == model else f"{name} {quoted(str(model))}"


def _has_decimals(values: Any) -> bool:
    numbers = (value for value in _plain(values) if isinstance(value, float))
    return any(math.isfinite(value) and not value.is_integer() for value in numbers)


def _plain(values: Any) -> list[Any]:
    """Return the values of an array, a series or a list as objects of Python."""
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _literal(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    plain = value.item() if hasattr(value, "item") else value
    return quoted(plain) if isinstance(plain, str) else repr(plain)
