"""The confusion matrix with the shares of its rows."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from evallang.bibliography import cite
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.resampled_shares import SharesOfRows
from evallang.stats.score_curves import Predicted


class ConfusionCell(Struct, frozen=True):
    """How many examples of one class were predicted to be of another, and their share."""

    truth: str
    predicted: str
    count: float
    share: Number
    low: Number
    high: Number


class Confusion(Struct, frozen=True):
    """The cells, row by row; `predicted` is empty for labels that are none of the classes."""

    classes: tuple[str, ...]
    cells: tuple[ConfusionCell, ...]
    method: str
    n: int


class ShownConfusion(Confusion, frozen=True, kw_only=True):
    """The values of a confusion matrix that a report reads; `unit`, `about` are the run's."""

    unit: str
    about: str
    level: float


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="labels",
        shown=ShownConfusion,
        when="readers need to see which mistakes a model makes",
        when_not="two models are compared: compare; one rate is of interest: recall, precision",
        formula=(
            "the number of predictions for each true and predicted class; the share of each row "
            "with Wilson's interval, with the percentile bootstrap where rows are drawn in "
            "groups, have weights, or are predicted several times"
        ),
        equation=r"\frac{C_{ij}}{\sum_j C_{ij}}",
        example="data wine from sklearn wine\n"
        "model linear = StandardScaler | LogisticRegression\n"
        "model bayes = GaussianNB\n"
        "model baseline = DummyClassifier\n"
        "protocol cv folds=5\n"
        "measure accuracy\n"
        "analyze confusion\n",
    ),
    title="Confusion matrix",
    references=(cite("zhou2021"),),
)
def confusion(predicted: Predicted) -> Confusion:
    """The counts of true by predicted classes, and the share of each row with its interval."""
    k = len(predicted.classes)
    strange = bool((predicted.labels < 0).any())
    column = np.where(predicted.labels < 0, k, predicted.labels).astype(np.int64)
    shares = SharesOfRows(predicted, predicted.truth.astype(np.int64), column, k, k + strange)
    names = (*predicted.classes, "")
    cells = []
    for row in range(k):
        for place in range(k + strange):
            found = shares.cell(row, place)
            cells.append(
                ConfusionCell(
                    names[row], names[place], found.count, found.share, found.low, found.high
                )
            )
    return Confusion(predicted.classes, tuple(cells), shares.method, predicted.n)
