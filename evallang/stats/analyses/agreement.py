"""Where models differ: how often two models give the same prediction."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from msgspec import Struct

from evallang.bibliography import cite
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.resampled_shares import SharesOfRows
from evallang.stats.score_curves import Predicted


class Pair(Struct, frozen=True):
    """Two models: how often they predict the same, and how often which one is right.

    `same` is the share of equal predictions with its interval, `kappa` Cohen's kappa of the two
    predictions, `both`, `first`, `second` and `neither` the weight of the examples on which
    these models are right.
    """

    models: tuple[str, str]
    same: Number
    low: Number
    high: Number
    kappa: Number
    both: float
    first: float
    second: float
    neither: float


class Agreement(Struct, frozen=True):
    """All pairs of models, and the examples on which all models are right or wrong."""

    pairs: tuple[Pair, ...]
    all_right: float
    all_wrong: float
    method: str
    n: int


class ShownAgreement(Agreement, frozen=True, kw_only=True):
    """The values of an analysis of agreement; `unit`, `about` and `level` are the run's."""

    unit: str
    about: str
    level: float


@ANALYSES.register(
    AnalysisDeclaration(
        about="models",
        task="classification",
        needs="labels",
        shown=ShownAgreement,
        when="models of the same accuracy may be right on different examples",
        when_not="one of two models should be chosen: compare with mcnemar",
        formula=(
            "the share of examples for which two models give the same label, with Wilson's "
            "interval (the percentile bootstrap for groups, weights and repeats); Cohen's kappa "
            "of the two labels; on how many examples both, one or neither is right"
        ),
        example="data wine from sklearn wine\n"
        "model linear = StandardScaler | LogisticRegression\n"
        "model bayes = GaussianNB\n"
        "model tree = DecisionTreeClassifier(max_depth=3)\n"
        "model baseline = DummyClassifier\n"
        "protocol cv folds=5\n"
        "measure accuracy\n"
        "analyze agreement\n",
    ),
    title="Agreement of models",
    references=(cite("cohen1960"), cite("kuncheva2003")),
)
def agreement(together: Mapping[str, Predicted]) -> Agreement:
    """How often each two of the models predict the same, and are right on the same examples.

    Raises `ValueError` for fewer than two models.
    """
    if len(together) < 2:
        raise ValueError("agreement is about two models or more")
    given = next(iter(together.values()))
    right = {name: one.labels == one.truth for name, one in together.items()}
    shares, pairs, method = given.shares, [], ""
    for first, second in combinations(together, 2):
        a, b = together[first].labels, together[second].labels
        same = (a == b).astype(np.int64)
        table = SharesOfRows(given, np.zeros(given.n, dtype=np.int64), same, 1, 2)
        method, found = table.method, table.cell(0, 1)
        x, y = right[first], right[second]
        weights = [float(shares[m].sum()) for m in (x & y, x & ~y, ~x & y, ~x & ~y)]
        kappa = None if found.share is None else _kappa(given, a, b, found.share)
        pairs.append(Pair((first, second), found.share, found.low, found.high, kappa, *weights))
    every = np.stack(list(right.values()))
    return Agreement(
        pairs=tuple(pairs),
        all_right=float(shares[every.all(axis=0)].sum()),
        all_wrong=float(shares[~every.any(axis=0)].sum()),
        method=method,
        n=given.n,
    )


def _kappa(given: Predicted, a: object, b: object, same: float) -> Number:
    """Return Cohen's kappa of two rows of labels, None where each names one class only."""
    k, total = len(given.classes) + 1, given.shares.sum()
    first, second = (
        np.bincount(np.asarray(labels) + 1, given.shares, minlength=k) / total for labels in (a, b)
    )
    chance = float((first * second).sum())
    return None if chance >= 1 else (same - chance) / (1 - chance)
