"""What a fitted model says of rows: labels, and scores in the study's order of classes.

A training part may lack a class; the model then never predicts it, and its column of
probabilities is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

ScoreKind = Literal["probabilities", "margins"]


@dataclass(frozen=True)
class Outputs:
    """Predictions for n rows.

    Attributes
    ----------
    predictions : class codes (n,) of int64, or predicted values (n,) of float64
    scores : None where the model has none or none were asked for; probabilities (n, K);
        margins (n,) of the second of two classes, or (n, K)
    kind : what the scores are, None without scores
    """

    predictions: "NDArray[Any]"
    scores: "NDArray[np.float64] | None" = None
    kind: ScoreKind | None = None


def predict_outputs(
    estimator: Any,
    X: Any,  # noqa: N803  (scikit-learn's name for rows)
    n_classes: int | None,
    *,
    scores: bool,
    targets: Sequence[bool | int | float | str] = (),
) -> Outputs:
    """Predict rows; `n_classes` is None for regression, `scores` asks for scores too.

    `targets` are the labels the model was fitted on, in the study's order; the codes
    0, 1, ... when empty. Raises `ValueError` for a predicted label or number that is none
    of them or not finite.
    """
    predicted = np.asarray(estimator.predict(X))
    if n_classes is None:
        values = predicted.astype(np.float64).reshape(len(predicted), -1)
        if values.shape[1] != 1:
            raise ValueError(f"the model predicts {values.shape[1]} values for each row, not one")
        if not np.isfinite(values).all():
            raise ValueError("the model predicts values that are not finite")
        return Outputs(values[:, 0])
    codes = _codes(predicted.ravel(), n_classes, targets)
    if not scores:
        return Outputs(codes)
    own_classes = getattr(estimator, "classes_", None)  # a class of the author's may have none
    found = list(range(n_classes))
    if own_classes is not None:
        found = _codes(np.asarray(own_classes), n_classes, targets).tolist()
    if hasattr(estimator, "predict_proba"):
        table = np.zeros((len(codes), n_classes))
        table[:, found] = estimator.predict_proba(X)
        return Outputs(codes, _finite(table), "probabilities")
    if hasattr(estimator, "decision_function"):
        margins = _in_order(np.asarray(estimator.decision_function(X)), found, n_classes)
        return Outputs(codes, None if margins is None else _finite(margins), _kind_of(margins))
    return Outputs(codes)


def _codes(
    labels: "NDArray[Any]", n_classes: int, targets: Sequence[bool | int | float | str]
) -> "NDArray[np.int64]":
    """Give the place of each label in the study's order of classes."""
    if targets:
        place = {target: i for i, target in enumerate(targets)}
        codes = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    else:
        codes = labels.astype(np.int64)
    strange = labels[(codes < 0) | (codes >= n_classes)]
    if len(strange):
        raise ValueError(f"the model predicts {strange[0]}, which is no class of the target")
    return codes


def _in_order(margins: "NDArray[Any]", found: list[int], n_classes: int) -> Any:
    """Put margins in the study's order of classes; a class never seen gets the lowest.

    One against one (a column for each pair of classes) is no score for a class: None.
    """
    margins = margins.astype(np.float64)
    if margins.ndim == 2 and margins.shape[1] == 1:
        margins = margins[:, 0]
    if margins.ndim == 1:
        if len(found) == 2 == n_classes:
            return margins
        margins = np.column_stack([-margins, margins])
    if margins.shape[1] != len(found):
        return None
    table = np.full((len(margins), n_classes), margins.min(initial=0.0) - 1.0)
    table[:, found] = margins
    return table


def _kind_of(margins: Any) -> ScoreKind | None:
    return None if margins is None else "margins"


def _finite(scores: "NDArray[Any]") -> "NDArray[np.float64]":
    if not np.isfinite(scores).all():
        raise ValueError("the model gives scores that are not finite")
    return scores
