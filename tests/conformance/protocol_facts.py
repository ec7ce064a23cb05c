"""What the splits of a protocol show of its declaration, and what it must declare."""

from typing import Any

import numpy as np
from msgspec.structs import replace

from evallang.compatibility.hypothesis_tests import reads_order, unmet_by_test
from evallang.compatibility.intervals import default_interval
from evallang.metrics.metric import METRICS
from evallang.protocols.protocol import ProtocolDeclaration, Rows, Split, Yields
from evallang.protocols.splitting import part
from evallang.registry import Entry
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Method

INNER = 3


def lacking(entry: Entry[ProtocolDeclaration], options: dict[str, Any], rows: Rows) -> list[str]:
    """Say what a protocol must declare that its splits show."""
    declared, name = entry.declaration, entry.name
    splits = [s for s in entry.function(rows, **options) if s.fold >= 0]
    in_order = not declared.draws_at_random() and _read_the_order(entry, options, rows)
    if in_order != declared.neighbours:
        words = "neighbours" if in_order else "independent"
        how = f"training={_direction(splits)!r}" if in_order else "training='other'"
        reads = "reads the order of rows" if in_order else "does not read the order of rows"
        return [
            f"`{name}` {reads}: declare dependence={words!r}, {how}, and as `inner` a function "
            "that divides a training part in the same way"
        ]
    if not in_order:
        return []
    found = []
    if _direction(splits) != declared.training:
        found.append(f"`{name}` trains on rows {_where(splits)}")
    for split in splits:
        inside = part(rows, split.train)
        if inside.n < 4 * INNER:
            continue
        pairs = [Split(0, i, *p) for i, p in enumerate(declared.inner(inside, options, INNER, 1))]
        if any((np.diff(one.test) != 1).any() for one in pairs):
            found.append(f"`inner` of `{name}` shuffles neighbours: it must test consecutive rows")
        elif _direction(pairs) != declared.training:
            found.append(f"`inner` of `{name}` trains on rows {_where(pairs)}")
        elif declared.training == "around" and _gap(pairs) < _gap(splits):
            found.append(
                f"`inner` of `{name}` trains {_gap(pairs)} rows from those it tests, and "
                f"`{name}` {_gap(splits)}: keep the gap, which `options` has"
            )
    return list(dict.fromkeys(found))


def taken_as_independent(yields: Yields) -> list[str]:
    """Return intervals, of differences too, and tests that would take neighbours as independent."""
    found = []
    for metric in (Method(entry.name) for entry in METRICS):
        interval = default_interval(metric, yields)
        if interval is not None and INTERVALS[interval].declaration.form != "series":
            found.append(f"interval {interval} of {metric.name}")
        for entry in HYPOTHESIS_TESTS:
            test = Method(entry.name)
            if entry.declaration.rests_only_on("data set") or reads_order(test):
                continue
            if unmet_by_test(test, metric, yields, grouped=False) is None:
                found.append(f"{test.name} by {metric.name}")
    return found


def _read_the_order(entry: Entry[ProtocolDeclaration], options: dict[str, Any], rows: Rows) -> bool:
    """Return whether the same rows in another order are divided otherwise."""
    order = np.random.default_rng(5).permutation(rows.n)

    def moved(codes: Any) -> Any:
        return None if codes is None else codes[order]

    other = replace(
        rows,
        strata=moved(rows.strata),
        groups=moved(rows.groups),
        assignment=None if rows.assignment is None else tuple(rows.assignment[i] for i in order),
    )
    as_written = {_sides(s.train, s.test) for s in entry.function(rows, **options)}
    as_moved = {_sides(order[s.train], order[s.test]) for s in entry.function(other, **options)}
    return as_written != as_moved


def _sides(train: Any, test: Any) -> tuple[frozenset[int], frozenset[int]]:
    return frozenset(train.tolist()), frozenset(test.tolist())


def _direction(splits: list[Split]) -> str:
    return "past" if all(s.train.max() < s.test.min() for s in splits) else "around"


def _where(splits: list[Split]) -> str:
    found = _direction(splits)
    side = "before" if found == "past" else "before and after"
    return f"{side} those it tests: declare training={found!r}"


def _gap(splits: list[Split]) -> int:
    """Return the least distance of a row that is trained on to one that is tested."""
    return min(int(np.abs(s.train[:, None] - s.test).min()) for s in splits)
