"""Strata for one protocol on one table: fine enough to say something, large enough to be spread."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.data.strata import TARGET, Strata, strata_codes
from evallang.diagnostics import Diagnostic
from evallang.models.model import search_space
from evallang.planning.defaults import inner_folds
from evallang.protocols.protocol import PROTOCOLS, Rows, Split
from evallang.study import Protocol, Stratification, Study


class RowStrata(Struct, frozen=True):
    """The strata of a table's rows under a protocol, and those by which a search divides them.

    Without a model that is searched, `inside` is None. It needs more members in each stratum; a
    model that is added to a study does not change `outside`.
    """

    outside: Strata | None
    inside: Strata | None = None


def strata_of(
    study: Study, table: Table, protocol: Protocol
) -> tuple[RowStrata, tuple[Diagnostic, ...]]:
    """Return the strata of a table's rows under a protocol, numbered by their first rows."""
    outside, said = _strata(study, table, protocol, 1)
    if not any(search_space(model.pipeline) for model in study.models):
        return RowStrata(outside), said
    inside, said = _strata(study, table, protocol, inner_folds(study, protocol))
    return RowStrata(outside, inside), said


def _strata(
    study: Study, table: Table, protocol: Protocol, inner: int
) -> tuple[Strata | None, tuple[Diagnostic, ...]]:
    """Return the strata that are to be spread over `inner` folds of each training part."""
    stratify = study.stratification
    if stratify is None or not stratify.columns:
        return None, ()
    if not PROTOCOLS[protocol.kind].declaration.keeps_strata and inner == 1:
        return None, ()
    if table.task == "regression" and stratify.bins is None and stratify.columns == (TARGET,):
        return None, ()  # the default of a study whose task the data told
    if table.task == "classification" and stratify.columns == (TARGET,) and stratify.bins is None:
        return Strata(_by_first_row(table.y)), ()
    strata, said = strata_codes(
        table,
        stratify.columns,
        stratify.bins,
        least=least_members(protocol, inner),
        span=study.places.get("stratify"),
    )
    return (strata and replace(strata, codes=_by_first_row(strata.codes))), said


def _by_first_row(codes: "NDArray[Any]") -> "NDArray[np.int64]":
    """Number codes in the order of their first rows, so that splits do not follow their names."""
    _, first, numbered = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[numbered], dtype=np.int64)


def least_members(protocol: Protocol, inner: int) -> int:
    """Return how many members a stratum needs to be in every part, inner folds included."""
    declared = PROTOCOLS[protocol.kind].declaration
    k = declared.number_of_folds(protocol.options)
    if k is not None:
        members = k
        while members - ceil(members / k) < inner:
            members += 1
        return members
    share = declared.train_share(protocol.options)
    kept = 1.0 if share is None else share
    return max(2, ceil((inner + 1) / kept)) if inner > 1 else 2


def described(stratify: Stratification | None) -> str | None:
    """Phrase the strata for results: `target, ward`, `target in 5 bins`."""
    if stratify is None or not stratify.columns:
        return None
    names = [
        f"{column} in {stratify.bins} bins"
        if column == TARGET and stratify.bins is not None
        else column
        for column in stratify.columns
    ]
    return ", ".join(names)


def shares_kept(rows: Rows, splits: Sequence[Split]) -> str | None:
    """State how well parts of whole groups keep the shares of the strata; None without both."""
    if rows.strata is None or rows.groups is None or not splits:
        return None
    shares = np.bincount(rows.strata) / rows.n
    worst = max(float(np.abs(_shares(rows, split) - shares).max()) for split in splits)
    return (
        "groups stay whole, strata as far as they allow: the share of a stratum in a test part "
        f"differs from its share in all rows by at most {100 * worst:.1f} points"
    )


def _shares(rows: Rows, split: Split) -> Any:
    assert rows.strata is not None, "asked for strata only"
    counts = np.bincount(rows.strata[split.test], minlength=int(rows.strata.max()) + 1)
    return counts / max(len(split.test), 1)
