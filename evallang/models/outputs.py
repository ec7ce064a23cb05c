"""What a fitted model says of rows: labels, and scores in the study's order of classes.

A training part may lack a class; the model then never predicts it, and its column of
probabilities is 0. What a model returns is anyone's: shapes and values are checked here, so
that nothing is broadcast, rounded or measured that is not what its method promises.
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

SUM_TOLERANCE = 1e-3  # float16 holds three decimals; sums of probabilities in it differ so from 1


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
    n: int | None = None,
) -> Outputs:
    """Predict `n` rows; `n_classes` is None for regression, `scores` asks for scores too.

    `targets` are the labels the model was fitted on, in the study's order; the codes
    0, 1, ... when empty. Raises `ValueError` where a method of the model returns another shape
    than (n,), or (n, K) for scores, a label that is not a class, a number that is not finite,
    or probabilities outside 0 to 1 or with another sum than 1.
    """
    n = len(X) if n is None else n
    predicted = np.asarray(estimator.predict(X))
    if predicted.shape != (n,):
        raise ValueError(
            f"`predict` returned {_shaped(predicted)} for {_rows(n)}; it must return one "
            f"{'label' if n_classes else 'number'} per row, the shape ({n},)"
        )
    if n_classes is None:
        values = predicted.astype(np.float64)
        return Outputs(_finite(values, "predict"))
    codes = _codes(predicted, n_classes, targets, "`predict` returned")
    if not scores:
        return Outputs(codes)
    own_classes = getattr(estimator, "classes_", None)  # a class of the author's may have none
    found = list(range(n_classes))
    if own_classes is not None:
        own = np.asarray(own_classes).ravel()
        found = _codes(own, n_classes, targets, "`classes_` holds").tolist()
    if hasattr(estimator, "predict_proba"):
        returned = np.asarray(estimator.predict_proba(X))
        table = np.zeros((n, n_classes))
        table[:, found] = _probabilities(returned, n, len(found))
        return Outputs(codes, table, "probabilities")
    if hasattr(estimator, "decision_function"):
        returned = np.asarray(estimator.decision_function(X))
        margins = _in_order(_margins(returned, n, len(found)), found, n_classes)
        return Outputs(codes, margins, None if margins is None else "margins")
    return Outputs(codes)


def _codes(
    labels: "NDArray[Any]",
    n_classes: int,
    targets: Sequence[bool | int | float | str],
    source: str,
) -> "NDArray[np.int64]":
    """Return the place of each label in the study's order of classes."""
    if not targets and labels.dtype.kind in "iu":
        codes = np.where((labels >= 0) & (labels < n_classes), labels, -1).astype(np.int64)
    else:
        place = {target: i for i, target in enumerate(targets or range(n_classes))}
        codes = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    strange = labels[codes < 0]
    if len(strange):
        raise ValueError(f"{source} {strange.tolist()[0]!r}, which is not a class of the target")
    return codes


def _probabilities(returned: "NDArray[Any]", n: int, n_classes: int) -> "NDArray[np.float64]":
    """Check probabilities (n, K): finite, between 0 and 1, each row with the sum 1."""
    if returned.shape != (n, n_classes):
        raise ValueError(
            f"`predict_proba` returned {_shaped(returned)} for {_rows(n)} and {n_classes} classes; "
            f"it must return one probability per row and class, the shape ({n}, {n_classes})"
        )
    table = _finite(returned.astype(np.float64), "predict_proba")
    outside = np.flatnonzero(((table < -SUM_TOLERANCE) | (table > 1 + SUM_TOLERANCE)).any(axis=1))
    if len(outside):
        raise ValueError(
            f"`predict_proba` returned {_row(table, outside[0])}; a probability is between 0 and 1"
        )
    wrong = np.flatnonzero(np.abs(table.sum(axis=1) - 1) > SUM_TOLERANCE)
    if len(wrong):
        total = f"{table[wrong[0]].sum():.4g}"
        raise ValueError(
            f"`predict_proba` returned {_row(table, wrong[0])}, whose sum is {total}; the "
            "probabilities of a row must sum to 1"
        )
    return table


def _margins(returned: "NDArray[Any]", n: int, n_classes: int) -> "NDArray[np.float64]":
    """Check margins: (n,) of two classes, (n, K), or (n, K (K - 1) / 2) of pairs of classes."""
    allowed = [(n,)] if n_classes == 2 else [(n, n_classes), (n, n_classes * (n_classes - 1) // 2)]
    if returned.shape not in (*allowed, (n, n_classes)):
        raise ValueError(
            f"`decision_function` returned {_shaped(returned)} for {_rows(n)} and {n_classes} "
            f"classes; it must return the shape {allowed[0]}"
        )
    return _finite(returned.astype(np.float64), "decision_function")


def _in_order(margins: "NDArray[np.float64]", found: list[int], n_classes: int) -> Any:
    """Put margins in the study's order of classes; a class never seen gets the lowest.

    One against one (a column for each pair of classes) is no score for a class: None.
    """
    if margins.ndim == 1:
        if len(found) == 2 == n_classes:
            return margins
        margins = np.column_stack([-margins, margins])
    if margins.shape[1] != len(found):
        return None
    table = np.full((len(margins), n_classes), margins.min(initial=0.0) - 1.0)
    table[:, found] = margins
    return table


def _finite(values: "NDArray[np.float64]", method: str) -> "NDArray[np.float64]":
    odd = values[~np.isfinite(values)]
    if len(odd):
        raise ValueError(f"`{method}` returned {odd[0]}; every number must be finite")
    return values


def _shaped(returned: "NDArray[Any]") -> str:
    return f"an array of the shape {returned.shape}"


def _rows(n: int) -> str:
    return f"{n} row{'s' * (n != 1)}"


SHOWN = 4  # numbers of a row that a message shows


def _row(table: "NDArray[np.float64]", number: int) -> str:
    """Show the numbers of one row: `[0.5, 14.5] in row 3`."""
    shown = [f"{value:.4g}" for value in table[number, :SHOWN].tolist()]
    more = ", ..." if table.shape[1] > SHOWN else ""
    return f"[{', '.join(shown)}{more}] in row {number} of its input"
