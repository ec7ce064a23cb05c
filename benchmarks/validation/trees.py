"""Unpruned trees, fitted thousands of times."""

import numpy as np
from numpy.typing import NDArray


def tree_labels(
    x: NDArray[np.float32], y: NDArray[np.bool_], new: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Fit an unpruned tree and predict; checks of so small inputs would take half of the time."""
    from sklearn import config_context
    from sklearn.tree import DecisionTreeClassifier

    with config_context(assume_finite=True, skip_parameter_validation=True):
        found = DecisionTreeClassifier(random_state=0).fit(x, y, check_input=False)
        return np.asarray(found.predict(new, check_input=False), dtype=np.bool_)
