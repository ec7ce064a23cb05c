"""Features that were picked from many by how well they separate the rows to be tested."""

import numpy as np
from numpy.typing import NDArray

from evallang.data.column_types import Kind, kind_of
from evallang.data.dataset import Table
from evallang.data.findings import Findings
from evallang.data.row_rules.row_rule import RowDesign, once_read
from evallang.data.row_rules.strengths import ranks, target_columns
from evallang.diagnostics import Code

FEWEST_CHOSEN = 3
FEWEST_COLUMNS = 20  # numeric ones; of fewer the strongest three are a choice by chance too often
MOST_ROWS = 10_000  # beyond, the best of 1,000 columns of noise correlates with less than .04
AMONG_BEST = {1: 0.6, 2: 0.8, 6: 1.0}
"""Share of the features that must be among so many times as many of the strongest.

A criterion other than the rank correlation puts some of its choice further down.
"""
ORDINARY = 1e-6  # chance that features chosen blindly are so
PERMUTATIONS = 40
ROUNDS_BEYOND = 38  # of them; a strength above 95% is beyond chance
LIKE_CHANCE = 1.6  # times the best of chance; stronger features would be chosen on any rows
SEED = 20020430


@once_read("W443", source="Ambroise & McLachlan 2002; Kapoor & Narayanan 2023")
def features_chosen_by_the_target(
    table: Table, design: RowDesign, findings: Findings, code: Code
) -> None:
    """The listed features are those of many columns that separate the target best.

    Features that were chosen on all rows are chosen on the test rows as well, and even columns of
    noise then seem to predict. The rule compares the features with the numeric columns that the
    study does not use, by their rank correlation with the target. Of at least 20 columns, six of
    ten features must be among the strongest (as many as there are features), eight of ten among
    twice as many, or all among six times as many, and this must happen to features chosen without
    the target less than once in a million times. Since the best features
    may be known from elsewhere, one of two further signs is needed, both from 40 permutations of
    the target with a fixed seed: on average the features are at most 1.6 times as strong as the
    best columns of a permuted target; or at least as many unused columns are stronger than chance
    allows, although all were passed over for the few strongest. More than 10,000 rows are not
    looked at, because the choice then hardly matters. Features that were chosen by another
    criterion, such as mutual information, are mostly not found.

    Objects to:

        data tissue from "expression.csv"
          target outcome
          features g96, g190, g193, g7, g121, g169, g100, g174
        model logistic = StandardScaler | LogisticRegression

    Accepts:

        data tissue from "expression.csv"
          target outcome
        model logistic = StandardScaler | SelectKBest(k=8) | LogisticRegression
    """
    if table.spec.features is None or table.n > MOST_ROWS:
        return
    from scipy.stats import hypergeom

    names, numbers = design.numbers(table)
    spare = _numeric_columns(table)
    chosen, n_columns = len(names), len(names) + len(spare)
    if chosen < FEWEST_CHOSEN or n_columns < FEWEST_COLUMNS or len(spare) < chosen:
        return
    if np.isnan(numbers).any():
        return
    target = target_columns(table)
    target = ranks(target[:, 0])[:, None] if table.task == "regression" else target
    found = _strengths(np.column_stack([numbers, *spare]), target)
    observed, by_chance = found[0], found[1:]
    order = np.argsort(-observed, kind="stable")
    for times, share in AMONG_BEST.items():
        looked_at = times * chosen
        among = int((order[:looked_at] < chosen).sum())
        # the chance of so many of features that are chosen blindly
        chance = hypergeom.sf(among - 1, n_columns, looked_at, chosen)
        if among >= share * chosen and chance <= ORDINARY:
            break
    else:
        return
    best_of_chance = np.sort(np.sort(by_chance, axis=1)[:, -chosen:].mean(axis=1))
    limit = float(best_of_chance[ROUNDS_BEYOND - 1])
    beyond = float(np.sort(by_chance.max(axis=1))[ROUNDS_BEYOND - 1])
    mean = float(observed[:chosen].mean())
    passed_over = int((observed[chosen:] > beyond).sum())
    if mean > LIKE_CHANCE * limit and passed_over < chosen:
        return
    place = f"{among} of the strongest {looked_at}"
    if among == chosen:
        place = "the strongest" if chosen == looked_at else f"among the strongest {looked_at}"
    findings.add(
        code,
        f"the {chosen} features are {place} of {n_columns:,} numeric columns by correlation with "
        f"`{table.target}` (mean {mean:.2f}; the best {chosen} of a permuted target reach "
        f"{limit:.2f}), as if chosen on all rows",
        "features",
        help=f"give all columns, and write `SelectKBest(k={chosen})` as a step of the model",
    )


def _numeric_columns(table: Table) -> "list[NDArray[np.float64]]":
    """Return the unused columns of numbers without missing values that are not constant."""
    found = []
    for column in table.unused.values():
        if kind_of(column) is Kind.NUMBER and not column.null_count():
            values = np.asarray(column.to_numpy(), dtype=float)
            if np.isfinite(values).all() and values.min() < values.max():
                found.append(values)
    return found


def _strengths(
    columns: "NDArray[np.float64]", target: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """Return rank correlations (1 + rounds, p) of columns, the first with the target as it is.

    The others are with permutations of it.
    Of several classes the greatest of those with each class.
    """
    ranked = np.column_stack([ranks(columns[:, i]) for i in range(columns.shape[1])])
    ranked -= ranked.mean(axis=0)
    spread = np.sqrt((ranked * ranked).sum(axis=0))
    ranked /= np.where(spread > 0, spread, 1)
    centred = target - target.mean(axis=0)
    length = np.sqrt((centred * centred).sum(axis=0))
    centred /= np.where(length > 0, length, 1)
    draw = np.random.default_rng(SEED)
    rounds = [np.arange(len(target)), *(draw.permutation(len(target)) for _ in range(PERMUTATIONS))]
    return np.array([np.abs(ranked.T @ centred[rows]).max(axis=1) for rows in rounds])
