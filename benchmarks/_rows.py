"""What a benchmark measured: typed rows, printed for people and handed to `make bench`."""

import json
import os
import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

ROWS = "EVALLANG_BENCHMARK_ROWS"
"""The variable with the file to which rows are added, one JSON object a line."""


class Kind(StrEnum):
    """What a limit is about, and on which side of it a figure must be."""

    RATIO = "ratio"  # the peer's figure is at least so many times ours
    TIMES = "times"  # ours is at most so many times the peer's
    MOST = "most"
    LEAST = "least"


@dataclass(frozen=True)
class Row:
    """One measurement: our figure, the peer's, and the limit of our figure or of the ratio."""

    work: str
    ours: float | None
    unit: str = "s"
    peer: str = ""
    theirs: float | None = None
    kind: Kind | None = None
    limit: float = 0.0
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Return how many times our figure the peer's is."""
        return self.theirs / self.ours if self.theirs is not None and self.ours else None

    @property
    def met(self) -> bool | None:
        """Tell whether the limit is met; None without a limit, or where nothing was measured."""
        if self.kind is None or self.ours is None:
            return None
        if self.kind is Kind.LEAST:
            return self.ours >= self.limit
        if self.kind is Kind.MOST:
            return self.ours <= self.limit
        if self.ratio is None:
            return None
        return self.ratio >= (self.limit if self.kind is Kind.RATIO else 1 / self.limit)


def figure(value: float, unit: str) -> str:
    """Write a figure; seconds with the unit that suits them."""
    if unit != "s":
        return f"{value:,.3f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
    return f"{value * 1e3:.0f} ms" if value < 1 else f"{value:,.1f} s"


def cells(row: Row) -> tuple[str, ...]:
    """Return the texts of a row: work, our figure, the peer's, ratio, limit, note."""
    ours = "not measured" if row.ours is None else figure(row.ours, row.unit)
    peer = row.peer if row.theirs is None else f"{row.peer} {figure(row.theirs, row.unit)}"
    limit = ""
    if row.kind is not None:
        limit = {
            Kind.RATIO: f"{row.limit:g}x",
            Kind.TIMES: f"at most {row.limit:g} times the peer",
            Kind.MOST: f"at most {figure(row.limit, row.unit)}",
            Kind.LEAST: f"at least {figure(row.limit, row.unit)}",
        }[row.kind]
    if row.met is not None:
        limit += ", met" if row.met else ", MISSED"
    ratio = "" if row.ratio is None else f"{row.ratio:,.3g}x"
    return row.work, ours, peer, ratio, limit, row.note


def report(row: Row) -> None:
    """Print a row, and add it to the file of rows."""
    names = ("", "", "peer: ", "ratio: ", "limit: ", "")
    texts = [name + text for name, text in zip(names, cells(row), strict=True) if text]
    print(f"  {texts[0]}\n    {'   '.join(texts[1:])}", flush=True)
    if path := os.environ.get(ROWS):
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(json.dumps(asdict(row)) + "\n")


def read(record: dict[str, Any]) -> Row:
    """Return the row that `report` wrote."""
    return Row(**{**record, "kind": record["kind"] and Kind(record["kind"])})


def peers(*packages: str) -> None:
    """End the benchmark with a row that says so where a peer's package is not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        note = f"not installed: {', '.join(missing)}"
        report(Row(f"beside {', '.join(packages)}", None, note=note))
        sys.exit(0)
