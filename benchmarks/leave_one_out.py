"""Leave-one-out of ridge, least squares and nearest neighbours, beside a fit for each row.

Ours is the computation that a study takes, without reading and reporting; the peer is
`cross_val_predict(LeaveOneOut())`. Predictions are compared too: the benchmark fails where linear
models differ by more than 1e-10, or neighbours in one label.

    python -m benchmarks.leave_one_out
"""

from benchmarks._timing import compare, seconds  # isort: skip  # before numpy starts its threads

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from evallang.models.build import BuildContext
from evallang.models.leave_one_out import leave_one_out
from evallang.models.model import EstimatorSpec, PipelineSpec

N, P = 500, 20
CONTEXT = BuildContext((), seed=lambda name, place: 1)


def main() -> None:
    chance = np.random.default_rng(20181113)
    X = chance.normal(size=(N, P))  # noqa: N806
    y = X[:, 0] + chance.normal(size=N)
    for estimator, target, n_classes, goal, held in (
        (Ridge(), y, None, 750, 300),
        (LinearRegression(), y, None, 750, 300),
        (KNeighborsClassifier(), (y > 0).astype(np.int64), 2, 57, 30),
    ):
        pipeline = PipelineSpec((EstimatorSpec(type(estimator).__name__),))
        found = leave_one_out(pipeline, X, target, n_classes, CONTEXT)
        expected = cross_val_predict(estimator, X, target, cv=LeaveOneOut())
        assert found is not None
        assert found.usable.all()
        assert np.abs(found.outputs.predictions - expected).max() <= (0 if n_classes else 1e-10)
        compare(
            f"leave-one-out of {type(estimator).__name__}, n = {N}",
            seconds(lambda: leave_one_out(pipeline, X, target, n_classes, CONTEXT)),  # noqa: B023
            "cross_val_predict",
            seconds(lambda: cross_val_predict(estimator, X, target, cv=LeaveOneOut()), runs=1),  # noqa: B023
            goal=goal,
            held=held,
        )


if __name__ == "__main__":
    main()
