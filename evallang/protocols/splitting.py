"""Row numbers of folds, groups and strata, and subsets of training parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.protocols.protocol import CannotSplit, Rows

Numbers = NDArray[np.int64]

FINEST = 20  # folds out of which a stratified draw of groups is built
TIE = 1e-8, 1e-5  # absolute and relative; the defaults of numpy.isclose, as scikit-learn has them


def k_folds(rows: Rows, folds: int, seed: int) -> Iterator[tuple[Numbers, Numbers]]:
    """Divide the rows into folds of nearly equal size; yields (train, test).

    KFold, StratifiedKFold, GroupKFold or StratifiedGroupKFold with `shuffle=True` and
    `random_state=seed`. Raises `ValueError` where rows, members of a stratum or groups are
    fewer than the folds.
    """
    if folds < 2:
        raise CannotSplit(f"cross-validation needs at least 2 folds, and folds is {folds}")
    if rows.n < folds:
        raise CannotSplit(f"{_count(rows.n)} cannot make {folds} folds", _at_most(rows.n))
    groups = folds if rows.groups is None else _distinct(rows.groups)
    if groups < folds:
        raise CannotSplit(
            f"{_count(groups, 'group')} cannot make {folds} folds that keep groups whole",
            _at_most(groups),
        )
    if rows.strata is not None and _smallest(rows.strata) < folds:
        raise CannotSplit(
            f"the smallest stratum has {_count(_smallest(rows.strata))}, fewer than the {folds} "
            "folds it should be spread over",
            "write fewer folds, or `stratify none`",
            of_strata=True,
        )
    fold_of = _folds_of_rows(rows, folds, seed)
    for fold in range(folds):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def shuffled_folds(
    rows: Rows, options: Mapping[str, Any], folds: int, seed: int
) -> Iterator[tuple[Numbers, Numbers]]:
    """Divide a training part of independent rows: strata kept, groups whole (`k_folds`)."""
    return k_folds(rows, folds, seed)


def _folds_of_rows(rows: Rows, folds: int, seed: int) -> Numbers:
    """Return the fold in which each row is tested: those of the splitter of scikit-learn."""
    draws = np.random.RandomState(seed)
    if rows.groups is not None and rows.strata is not None:  # StratifiedGroupKFold
        return _folds_of_stratified_groups(rows.strata, rows.groups, folds, draws)
    found = np.empty(rows.n, dtype=np.int64)
    if rows.groups is not None:  # GroupKFold
        groups, group_of = np.unique(rows.groups, return_inverse=True)
        fold_of_group = np.empty(len(groups), dtype=np.int64)
        for fold, members in enumerate(np.array_split(draws.permutation(len(groups)), folds)):
            fold_of_group[members] = fold
        return fold_of_group[group_of]
    if rows.strata is None:  # KFold
        order = np.arange(rows.n)
        draws.shuffle(order)
        for fold, members in enumerate(np.array_split(order, folds)):
            found[members] = fold
        return found
    # StratifiedKFold: strata in the order of their first rows, and of all rows sorted by
    # stratum every `folds`-th counts for one fold
    _, first, codes = np.unique(rows.strata, return_index=True, return_inverse=True)
    strata = np.argsort(np.argsort(first))[codes]
    ordered = np.sort(strata)
    sizes = [np.bincount(ordered[fold::folds], minlength=len(first)) for fold in range(folds)]
    for stratum in range(len(first)):
        of_stratum = np.arange(folds).repeat([size[stratum] for size in sizes])
        draws.shuffle(of_stratum)
        found[strata == stratum] = of_stratum
    return found


def _folds_of_stratified_groups(
    stratum_of_row: Numbers, group_of_row: Numbers, folds: int, draws: np.random.RandomState
) -> Numbers:
    """Return the fold of each row, groups whole and strata spread as evenly as they allow.

    The most uneven groups first, each goes to the fold that leaves the shares of the strata
    most even; of folds that tie, to the one with fewer rows. scikit-learn divides so since
    its pull request 32540; older versions shuffle the counts without the groups, and so spread
    other groups than those that they count.
    """
    strata, stratum_of, members = np.unique(stratum_of_row, return_inverse=True, return_counts=True)
    groups, group_of = np.unique(group_of_row, return_inverse=True)
    counts = np.zeros((len(groups), len(strata)))
    np.add.at(counts, (group_of, stratum_of), 1)
    order = np.arange(len(groups))
    draws.shuffle(order)
    order = order[np.argsort(-np.std(counts[order], axis=1), kind="stable")]
    filled = np.zeros((folds, len(strata)))
    with_group = np.arange(folds)
    fold_of_group = np.empty(len(groups), dtype=np.int64)
    for group in order:
        proposed = np.tile(filled, (folds, 1, 1))
        proposed[with_group, with_group] += counts[group]
        uneven = np.std(proposed / members, axis=1).mean(axis=1).tolist()
        sizes = filled.sum(axis=1).tolist()
        best = 0
        for fold in range(1, folds):
            tied = abs(uneven[fold] - uneven[best]) <= TIE[0] + TIE[1] * abs(uneven[best])
            if uneven[fold] < uneven[best] or (tied and sizes[fold] < sizes[best]):
                best = fold
        filled[best] += counts[group]
        fold_of_group[group] = best
    found: Numbers = fold_of_group[group_of]
    return found


def draw(rows: Rows, share: Fraction, seed: int, of: int | None = None) -> tuple[Numbers, Numbers]:
    """Draw a share of the rows, or of the groups where there are any; gives (rest, drawn).

    The number drawn is rounded up, from the share as written: `share` of `of` units, by
    default of all that are here. ShuffleSplit, StratifiedShuffleSplit or GroupShuffleSplit
    with `random_state=seed`. For groups and strata together the draw is p of q folds of
    StratifiedGroupKFold, p/q the nearest fraction to the share with q at most 20. Raises
    `ValueError` where a part would be empty or a stratum be missing from one.
    """
    grouped = rows.groups is not None
    here = units(rows)
    total = here if of is None else of
    number = math.ceil(share * total)
    unit = "groups" if grouped else "rows"
    if not 0 < number < here:
        raise CannotSplit(
            f"a part of {number} out of {here} {unit} leaves nothing for the other part",
            "write another share",
        )
    if rows.strata is not None and grouped:
        return _stratified_groups(rows, share * Fraction(total, here), seed)
    if rows.strata is not None:
        _check_strata(rows, number)
        from sklearn import model_selection

        splitter: Any = model_selection.StratifiedShuffleSplit(
            1, test_size=number, random_state=seed
        )
    elif grouped:
        from sklearn import model_selection

        splitter = model_selection.GroupShuffleSplit(1, test_size=number, random_state=seed)
    else:  # ShuffleSplit
        order = np.random.RandomState(seed).permutation(rows.n)
        return np.sort(order[number:]), np.sort(order[:number])
    rest, drawn = next(splitter.split(np.zeros(rows.n), rows.strata, rows.groups))
    return np.sort(rest).astype(np.int64), np.sort(drawn).astype(np.int64)


def units(rows: Rows) -> int:
    """Count what a share is a share of: groups where there are any, else rows."""
    return rows.n if rows.groups is None else _distinct(rows.groups)


def exact(share: float | Fraction) -> Fraction:
    """Read a share as the fraction that was written: 0.1 is one tenth, 1/3 one third."""
    return Fraction(share).limit_denominator(1_000_000)


def part(rows: Rows, positions: Numbers) -> Rows:
    """Keep the rows at these positions, with their strata and groups."""
    return Rows(
        len(positions),
        None if rows.strata is None else rows.strata[positions],
        None if rows.groups is None else rows.groups[positions],
        None,
        rows.seed,
        moments=None
        if rows.moments is None
        else np.unique(rows.moments[positions], return_inverse=True)[1],
    )


def keep_groups_whole(rows: Rows, train: Numbers, test: Numbers) -> None:
    """Check a division that was not made by groups; raises `ValueError` where it cuts one."""
    if rows.groups is None:
        return
    cut = np.intersect1d(rows.groups[train], rows.groups[test])
    if len(cut):
        raise CannotSplit(
            f"{'1 group has' if len(cut) == 1 else f'{len(cut)} groups have'} rows on both "
            "sides of a split",
            "assign whole groups, or remove `group by`",
        )


def _stratified_groups(rows: Rows, share: Fraction, seed: int) -> tuple[Numbers, Numbers]:
    finest = min(FINEST, units(rows), _smallest(rows.strata))
    if finest < 2:
        raise CannotSplit(
            "a stratum with one row cannot be in both parts",
            "merge it with another, or write `stratify none`",
            of_strata=True,
        )
    nearest = share.limit_denominator(finest)
    folds = nearest.denominator if 0 < nearest < 1 else finest
    number = nearest.numerator if 0 < nearest < 1 else (1 if nearest == 0 else finest - 1)
    pieces = [test for _, test in k_folds(rows, folds, seed)]
    # The largest groups always go to the first folds, so which ones are drawn is random.
    chosen = np.random.default_rng(seed).permutation(folds)[:number]
    drawn = np.sort(np.concatenate([pieces[i] for i in chosen]))
    return np.setdiff1d(np.arange(rows.n), drawn), drawn


def _check_strata(rows: Rows, number: int) -> None:
    strata = _distinct(rows.strata)
    if _smallest(rows.strata) < 2:
        raise CannotSplit(
            "a stratum with one row cannot be in both parts",
            "merge it with another, or write `stratify none`",
            of_strata=True,
        )
    if min(number, rows.n - number) < strata:
        raise CannotSplit(
            f"a part of {_count(min(number, rows.n - number))} cannot hold all {strata} strata",
            "write another share, or `stratify none`",
            of_strata=True,
        )


def _distinct(codes: Any) -> int:
    return len(np.unique(codes))


def _smallest(codes: Any) -> int:
    return int(np.unique(codes, return_counts=True)[1].min())


def _count(n: int, one: str = "row") -> str:
    return f"1 {one}" if n == 1 else f"{n} {one}s"


def _at_most(folds: int) -> str | None:
    return f"write folds={folds} or fewer" if folds > 1 else None


def nested_subsets(
    rows: Rows, training: Numbers, sizes: Sequence[int], seed: int, *, near: Numbers | None = None
) -> Iterator[Numbers]:
    """Draw subsets of a training part without replacement, one for each of ascending sizes.

    `training` are sorted row numbers of `rows`, and so are the subsets, each of which contains
    the one before. In every subset each stratum has its share, to one row. Groups stay whole: of
    the groups in random order those whose number of rows is nearest to the size, at least one.
    Where neighbours are alike, the rows nearest in time to `near`, those tested, are taken,
    which nothing draws: the last ones of a past.
    """
    if near is not None:
        places, tested = (
            at if rows.moments is None else rows.moments[at] for at in (training, near)
        )
        away = np.maximum(tested.min() - places, places - tested.max())
        for size in sizes:  # whole moments, so that the order of the file decides nothing
            yield training[away <= np.sort(away)[min(size, len(training)) - 1]]
        return
    draws = np.random.default_rng(seed)
    strata = None if rows.strata is None else rows.strata[training]
    if rows.groups is None:
        order = _in_shares(strata, len(training), draws)
        for size in sizes:
            yield np.sort(training[order[:size]])
        return
    names, group_of = np.unique(rows.groups[training], return_inverse=True)
    of_group = None if strata is None else _most_frequent(strata, group_of, len(names))
    order = _in_shares(of_group, len(names), draws)
    reached = np.cumsum(np.bincount(group_of, minlength=len(names))[order])
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    for size in sizes:
        last = int(np.argmin(np.abs(reached - size)))
        yield training[place[group_of] <= last]


def _in_shares(strata: Numbers | None, n: int, draws: np.random.Generator) -> Numbers:
    """Return a random order of n units in which every beginning has its share of each stratum."""
    chance = draws.random(n)
    if strata is None:
        return np.argsort(chance)
    at = np.empty(n)
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        rank = np.empty(len(members))
        rank[np.argsort(chance[members])] = np.arange(len(members))
        at[members] = (rank + 0.5) / len(members)
    return np.lexsort((chance, at))


def _most_frequent(strata: Numbers, group_of: Numbers, n: int) -> Numbers:
    """Return the stratum of most rows of each group, of equally frequent ones the first."""
    _, codes = np.unique(strata, return_inverse=True)
    counts = np.zeros((n, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (group_of, codes), 1)
    return np.asarray(counts.argmax(axis=1), dtype=np.int64)
