"""What the name of a metric says of numbers that were measured elsewhere."""

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from evallang.metrics.metric import METRICS, Direction
from evallang.spelling import synonyms

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
        if declared.better == "nearest":
            continue
        share = (declared.low, declared.high) == (0, 1)
        high = declared.high if declared.high == 1 else None  # others differ by a factor
        found[_squashed(metric.name)] = NamedMetric(
            declared.better, metric.name, share, declared.low, high
        )
    for other, own in (*elsewhere.names["metric"].items(), *elsewhere.numbers.items()):
        found.setdefault(_squashed(other), found[own.partition("(")[0].replace("_", "")])
    return found


def _squashed(name: str) -> str:
    return name.replace("_", "")


def _reversed(found: NamedMetric) -> NamedMetric:
    """Return what the negative of a metric says, or one minus the metric."""
    return NamedMetric("lower" if found.better == "higher" else "higher")
