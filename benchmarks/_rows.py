"""What a benchmark measured: typed rows, printed for people and handed to `make bench`.

Two bounds are next to a figure. A *goal* is the design's and may be far; its distance is shown and
decides nothing. A *limit* decides whether the row is met: one that an issue promises, or one
that is held: about half of what was reached last, or of what the prototype reached where that is
less, since a machine under load may halve a ratio.
"""

import json
import os
import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

ROWS = "EVALLANG_BENCHMARK_ROWS"
"""The variable with the file to which rows are added, one JSON object a line."""


class Kind(StrEnum):
    """What a bound is about, and on which side of it a figure must be."""

    RATIO = "ratio"  # the peer's figure is at least so many times ours
    TIMES = "times"  # ours is at most so many times the peer's
    MOST = "most"
    LEAST = "least"


@dataclass(frozen=True)
class Bound:
    """A limit or a goal."""

    kind: Kind
    value: float


@dataclass(frozen=True)
class Row:
    """One measurement: our figure, the peer's, and the bounds of either."""

    work: str
    ours: float | None
    unit: str = "s"
    peer: str = ""
    theirs: float | None = None
    limit: Bound | None = None
    goal: Bound | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Return how many times our figure the peer's is."""
        return self.theirs / self.ours if self.theirs is not None and self.ours else None

    @property
    def met(self) -> bool | None:
        """Tell whether the limit is met; None without a limit, or where nothing was measured."""
        share = self.share(self.limit)
        return None if share is None else share >= 1

    def share(self, bound: Bound | None) -> float | None:
        """Return how far the figure is on the way to a bound: 1 and more meet it."""
        if bound is None or self.ours is None:
            return None
        if bound.kind is Kind.LEAST:
            return self.ours / bound.value
        if bound.kind is Kind.MOST:
            return bound.value / self.ours if self.ours else float("inf")
        if self.ratio is None:
            return None
        return self.ratio / bound.value if bound.kind is Kind.RATIO else self.ratio * bound.value

    def bound(self, bound: Bound | None) -> str:
        """Write a bound and the distance from it."""
        share = self.share(bound)
        if bound is None:
            return ""
        text = {
            Kind.RATIO: f"{bound.value:,g}x",
            Kind.TIMES: f"at most {bound.value:g} times the peer",
            Kind.MOST: f"at most {figure(bound.value, self.unit)}",
            Kind.LEAST: f"at least {figure(bound.value, self.unit)}",
        }[bound.kind]
        return text if share is None else f"{text}: {share:.2f} of the way"


def figure(value: float, unit: str) -> str:
    """Write a figure; seconds with the unit that suits them."""
    if unit != "s":
        return f"{value:,.3f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
    if value < 1e-3:
        return f"{value * 1e6:.0f} us"
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:,.1f} s"


def cells(row: Row) -> tuple[str, ...]:
    """Return the texts of a row: work, our figure, the peer's, ratio, limit, goal, note."""
    ours = "not measured" if row.ours is None else figure(row.ours, row.unit)
    peer = row.peer if row.theirs is None else f"{row.peer} {figure(row.theirs, row.unit)}"
    limit = row.bound(row.limit)
    if row.met is not None:
        limit += ", met" if row.met else ", MISSED"
    ratio = "" if row.ratio is None else f"{row.ratio:,.3g}x"
    return row.work, ours, peer, ratio, limit, row.bound(row.goal), row.note


def report(row: Row) -> None:
    """Print a row, and add it to the file of rows."""
    names = ("", "", "peer: ", "ratio: ", "limit: ", "goal: ", "")
    texts = [name + text for name, text in zip(names, cells(row), strict=True) if text]
    print(f"  {texts[0]}\n    {'   '.join(texts[1:])}", flush=True)
    if path := os.environ.get(ROWS):
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(json.dumps(asdict(row)) + "\n")


def read(record: dict[str, Any]) -> Row:
    """Return the row that `report` wrote."""
    bounds = {
        name: record[name] and Bound(Kind(record[name]["kind"]), record[name]["value"])
        for name in ("limit", "goal")
    }
    return Row(**{**record, **bounds})


def peers(*packages: str) -> None:
    """End the benchmark with a row that says so where a peer's package is not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        note = f"not installed: {', '.join(missing)}"
        report(Row(f"beside {', '.join(packages)}", None, note=note))
        sys.exit(0)


def peer(package: str, module: str | None = None) -> ModuleType:
    """Return a module of a peer, or end the benchmark as `peers` does."""
    peers(package)
    return import_module(module or package)
