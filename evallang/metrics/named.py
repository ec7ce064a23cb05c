"""Metrics by name: a study's own words for them, and functions of packages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.metrics.metric import (
    METRICS,
    Direction,
    MetricDeclaration,
    MetricEntry,
    Moments,
)
from evallang.registry import Entry, no_options
from evallang.spelling import synonyms
from evallang.stats.score_counts import ratio
from evallang.stats.validity import Tail

_REVERSING = frozenset({"minus", "neg", "negated", "negative"})
_MINUS = re.compile(r"\s*(?:1\s*)?[-\u2013\u2212]\s*[^\W\d]")
_UNCLEAR = frozenset(
    {
        *("at", "attack", "delta", "difference", "drop", "for", "gain", "gap", "improvement"),
        *("inverse", "log", "of", "per", "rank", "reciprocal", "reduction", "to", "until", "vs"),
        "\u03b4",
    }
)
"""Words before a known name that leave open which direction is better."""
_COUNTS = frozenset({"count", "n", "no", "num", "number", "total"})
"""Words before the name of a share that make it a count: `number of errors`."""
_AFTER = frozenset(
    {
        *("at", "average", "avg", "coefficient", "cv", "in", "macro", "mean", "micro", "none"),
        *("norm", "ovo", "ovr", "pct", "percent", "percentage", "rate", "score", "statistic"),
        *("test", "val", "valid", "validation", "value", "weighted"),
    }
)
"""Words behind a known name that change nothing."""
_BRACKETS = re.compile(r"[(\[{][^()\[\]{}]{0,200}[)\]}]")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")


class NamedMetric(Struct, frozen=True):
    """What a name says: the better direction, and the metric of the catalogue that it means.

    `name` is the canonical name of a metric of the catalogue, else None. `share` states that its
    values lie between 0 and 1; `low` and `high` bound them, None where they are unbounded or
    conventions differ.
    """

    better: Direction
    name: str | None = None
    share: bool = False
    low: float | None = None
    high: float | None = None


@cache
def named_metric(name: str) -> NamedMetric | None:
    """Return what the name of a metric says, None if it is unknown.

    Case and punctuation are ignored, and so are words around a known name: `CIFAR-10 test
    accuracy`, `Mean absolute error (mm)`, `NDCG@10`.
    """
    text = _BRACKETS.sub(" ", name.partition("@")[0]).replace("\u00b2", "2").replace("^", "")
    words = [word.casefold() for word in _WORDS.findall(text)]
    if not _REVERSING.isdisjoint(map(str.casefold, _WORDS.findall(name))) and _REVERSING.isdisjoint(
        words
    ):  # such as `log-likelihood (negative)`
        return None
    while words:
        for start in range(len(words)):
            found = _known().get("".join(words[start:]))
            before = set(words[:start])
            if found is None:
                continue
            if before & _UNCLEAR or "/" in name[:2]:  # 1/RMSE
                return None
            nearest = name.lstrip()[1:2] == "-" and start > 1  # 1-NN error
            if before & _REVERSING or (_MINUS.match(name) and not nearest):
                return _reversed(found)
            return NamedMetric(found.better) if before & _COUNTS else found
        if not (words[-1] in _AFTER or words[-1].isdigit()):
            return None
        words.pop()
    return None


@cache
def _known() -> Mapping[str, NamedMetric]:
    found: dict[str, NamedMetric] = {}
    elsewhere = synonyms()
    for shares, listed in ((True, elsewhere.shares), (False, elsewhere.others)):
        for better, names in listed.items():
            bounds = (0.0, 1.0) if shares else (None, None)
            entry = NamedMetric(better, None, shares, *bounds)
            found |= {_squashed(name): entry for name in names}
    for metric in METRICS:
        declared = metric.declaration
        if not declared.directed:
            continue
        share = (declared.low, declared.high) == (0, 1)
        high = declared.high if declared.high == 1 else None  # others differ by a factor
        found[_squashed(metric.name)] = NamedMetric(
            declared.direction, metric.name, share, declared.low, high
        )
    for other, own in (*elsewhere.names["metric"].items(), *elsewhere.numbers.items()):
        found.setdefault(_squashed(other), found[own.partition("(")[0].replace("_", "")])
    return found


def _squashed(name: str) -> str:
    return name.replace("_", "")


def _reversed(found: NamedMetric) -> NamedMetric:
    """Return what the negative of a metric says, or one minus the metric."""
    return NamedMetric("lower" if found.better == "higher" else "higher")


def mean_of_values(
    truth: NDArray[Any], output: NDArray[np.float64], positive: int | None, **options: object
) -> NDArray[np.float64]:
    """Return the imported values, one for each example or fold; their mean is the measure.

    `options` are those with which they were measured, and change nothing any more.
    """
    return output


def imported_metric(name: str, better: Direction) -> MetricEntry:
    """Make the metric of imported values, under the name that their statement gives."""
    named = named_metric(name)
    share, known = (False, None) if named is None else (named.share, named.name)
    declaration = MetricDeclaration(
        form="losses",
        needs="values",
        better=better,
        low=0 if share else None,
        high=1 if share else None,
        unit=METRICS[known].declaration.unit if share and known else "number",
        tail=lambda options: Tail(
            0.1,
            "coverage of 95% intervals can be low: 85 to 88% in simulations of 15 or 25 log-normal "
            "values",
        ),
    )
    return Entry("metric", name, name, mean_of_values, declaration, _INPUTS, no_options, (), ())


def ratio_of_sums(
    truth: NDArray[Any],
    output: NDArray[np.float64],
    positive: int | None,
    weights: NDArray[np.float64] | None = None,
    **options: object,
) -> float:
    """Divide the sum of the numerators by that of the denominators (n, 2).

    NaN where the denominators add up to nothing.
    """
    numerator, denominator = output.T @ weights if weights is not None else output.sum(axis=0)
    return float(numerator / denominator) if denominator else float("nan")


def imported_ratio(name: str, better: Direction) -> MetricEntry:
    """Make the metric of imported numerators and denominators, whose sums are divided."""
    declaration = MetricDeclaration(
        needs="sums",
        better=better,
        moments=lambda outcome: Moments(outcome.output.T, lambda sums: ratio(sums[0], sums[1])),
    )
    parts = name.split(" / ")  # a sum whose own name has a slash keeps the short form
    title = f"Ratio of {parts[0]} to {parts[1]}" if len(parts) == 2 else name
    return Entry(
        "metric", name, title, ratio_of_sums, declaration, (*_INPUTS, "weights"), no_options, (), ()
    )


def mean_over_repeats(entry: MetricEntry) -> MetricEntry:
    """Make the metric of an example's mean over repeats out of one that is a mean of examples.

    Of an accuracy it is the mean share of repeats in which an example is right: a number, and
    no count of successes. A root stays the root of the mean. Nothing is remarked of the examples.
    """
    return replace(
        entry,
        function=mean_of_values,
        inputs=_INPUTS,
        read_options=no_options,
        declaration=replace(
            entry.declaration, form="losses", proportion=None, complement=False, remark=None
        ),
    )


_INPUTS = ("truth", "output", "positive")
