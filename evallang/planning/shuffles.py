"""The fits of analyses that shuffle the target: every split of the protocol for each shuffle.

The splits of a shuffled target are drawn as those of the target as it is, with the same seeds, so
that the strata of the target are kept in both, and the score is the same function of the data.
"""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import exp, inf, lgamma, log
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.data.strata import TARGET
from evallang.planning.seeds import seed
from evallang.planning.stratifying import strata_of
from evallang.planning.subsets import Subset, options_of
from evallang.protocols.protocol import PROTOCOLS, CannotSplit, Rows
from evallang.stats.analyses.analysis import ANALYSES
from evallang.study import AnalysisSpec, Protocol, Study

COUNTED = 1e6  # ways above which their number does not matter


def asks_for_shuffles(spec: AnalysisSpec) -> bool:
    """Return whether an analysis fits models on shuffled targets."""
    return ANALYSES[spec.method.name].declaration.fits == "shuffled"


def shuffled_within(study: Study) -> tuple[str, ...]:
    """Return the columns within whose levels targets are shuffled: the strata but the target."""
    if study.stratification is None:
        return ()
    return tuple(column for column in study.stratification.columns if column != TARGET)


def shuffles_of(
    study: Study, table: Table, protocol: Protocol, rows: Rows, spec: AnalysisSpec
) -> list[Subset]:
    """Draw shuffled targets, and the splits of each.

    Raises `CannotSplit` where no two units can exchange their targets.
    """
    units = _units_of(table, shuffled_within(study))
    if ways_to_shuffle(table.y, units) < 2:
        raise CannotSplit(
            "the target cannot be shuffled: no two "
            f"{table.spec.unit if table.group_codes is None else 'groups'} can exchange it",
            f"remove `analyze {spec.method.name}`",
        )
    drawn = np.random.default_rng(seed(study.seed, "shuffle", table.n))
    made = list[Subset]()
    for number in range(options_of(spec)["rounds"]):
        order = shuffled_rows(table.n, units, drawn)
        strata, _ = strata_of(study, replace(table, y=table.y[order]), protocol)
        outside, inside = (s if s is None else s.codes for s in (strata.outside, strata.inside))
        own = replace(rows, strata=outside, inner_strata=inside)
        splits = PROTOCOLS[protocol.kind].function(own, **protocol.options)
        made += [Subset(number, 0, split, order, own) for split in splits]
    return made


def exchange(table: Table, within: tuple[str, ...]) -> float:
    """Return in how many ways the target of a table can be shuffled, infinite for very many."""
    return ways_to_shuffle(table.y, _units_of(table, within))


def _units_of(table: Table, within: tuple[str, ...]) -> "list[list[NDArray[np.int64]]]":
    columns = [table.strata[column] for column in within]
    levels = list(zip(*columns, strict=True)) if within else [()] * table.n
    return exchangeable(table.y, table.group_codes, levels)


def exchangeable(
    y: "NDArray[Any]", groups: "NDArray[np.int64] | None", levels: Sequence[Hashable]
) -> "list[list[NDArray[np.int64]]]":
    """Return the rows of units, those together that can exchange their targets.

    A unit is a row, or a whole group; `levels` are the strata of the rows. Where every group has
    one target, groups with rows of the same strata exchange it. Where one has several, groups
    exchange their targets row by row, with groups of the same strata and as many rows.
    """
    if groups is None:
        single: dict[Hashable, list[NDArray[np.int64]]] = {}
        for row, level in enumerate(levels):
            single.setdefault(level, []).append(np.array([row]))
        return list(single.values())
    order = np.argsort(groups, kind="stable")
    whole = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    one_target = _one_target(y, whole)
    alike: dict[Hashable, list[NDArray[np.int64]]] = {}
    for unit in whole:
        own = [levels[row] for row in unit]
        alike.setdefault(frozenset(own) if one_target else tuple(own), []).append(unit)
    return list(alike.values())


def _one_target(y: "NDArray[Any]", units: "Iterable[NDArray[np.int64]]") -> bool:
    return all((y[unit] == y[unit[0]]).all() for unit in units)


def shuffled_rows(
    n: int, units: "list[list[NDArray[np.int64]]]", drawn: "np.random.Generator"
) -> "NDArray[np.int64]":
    """Return for each row the row whose target it gets."""
    order = np.arange(n)
    for alike in units:
        if all(len(unit) == 1 for unit in alike):
            rows = np.concatenate(alike)
            order[rows] = drawn.permutation(rows)
            continue
        for unit, other in zip(alike, drawn.permutation(len(alike)), strict=True):
            donor = alike[other]
            # Groups of other sizes have one target, which every row of the unit gets
            order[unit] = donor if len(donor) == len(unit) else donor[0]
    return order


def ways_to_shuffle(y: "NDArray[Any]", units: "list[list[NDArray[np.int64]]]") -> float:
    """Count the different targets that shuffling gives; infinite where they are very many."""
    logs = 0.0
    one_target = _one_target(y, itertools.chain.from_iterable(units))
    for alike in units:
        same = Counter((y[unit[:1]] if one_target else y[unit]).tobytes() for unit in alike)
        logs += lgamma(len(alike) + 1) - sum(lgamma(times + 1) for times in same.values())
    return inf if logs > log(COUNTED) else float(round(exp(logs)))
