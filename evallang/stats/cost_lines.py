"""The lowest of the cost lines of thresholds: the area under their envelope (Zhou 2021, 2.3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import optimize
else:
    np = lazy("numpy")
    optimize = lazy("scipy.optimize")


def area_of_lowest_costs(positives: NDArray[Any], negatives: NDArray[Any]) -> float:
    """Return the area under the lowest cost lines; NaN where a class has no example.

    `positives` and `negatives` are the weights of the classes at each distinct score, rising.
    """
    if not positives.sum() > 0 or not negatives.sum() > 0:
        return float("nan")
    # The lowest lines belong to the convex hull of the ROC curve
    points = _hull(positives[::-1] / positives.sum(), negatives[::-1] / negatives.sum())
    missed, alarms = 1 - points[0], points[1]
    # Neighbours on the hull have the same cost where one takes over from the other
    lower, higher = np.diff(alarms), -np.diff(missed)
    bounds = np.concatenate([[0.0], (lower / (lower + higher)), [1.0]])
    cost = missed[:, None] * np.stack([bounds[:-1], bounds[1:]], 1)
    cost += alarms[:, None] * (1 - np.stack([bounds[:-1], bounds[1:]], 1))
    return float((cost.mean(axis=1) * np.diff(bounds)).sum())


def _hull(
    rises: NDArray[np.float64], runs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return true and false positive rates at the corners of the ROC curve's upper hull.

    `rises` and `runs` are the steps of the two rates at each distinct score, falling. Steps are
    pooled until their slopes fall, as isotonic regression pools them.
    """
    kept = rises + runs > 0
    steps = rises[kept] + runs[kept]
    found = optimize.isotonic_regression(rises[kept] / steps, weights=steps, increasing=False)
    corners = found.blocks
    tpr = np.append(0.0, np.cumsum(rises[kept]))[corners]
    fpr = np.append(0.0, np.cumsum(runs[kept]))[corners]
    return tpr, fpr
