"""Exact bootstrap of an AUC, beside scipy.stats.bootstrap with roc_auc_score.

The design's prototype was compiled (numba); this is numpy alone. The peer does fewer rounds
and is scaled by their number.

    python -m benchmarks.bootstrap_auc
"""

from benchmarks._timing import clock, compare, seconds  # isort: skip  # before numpy starts its threads

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from evallang.stats.intervals.bootstrap_bounds import bootstrap
from evallang.stats.intervals.resampling import ScoreSample

GOAL, PROTOTYPE, HELD = 300, 195, 60  # at a million examples
SMALL_HELD = 100


def main() -> None:
    for n, rounds, fewer in ((1_000, 10_000, 200), (1_000_000, 1_000, 3)):
        rng = np.random.default_rng(20181113)
        truth = rng.integers(0, 2, n)
        scores = truth + rng.standard_normal(n)
        sample = ScoreSample(truth, scores)

        def theirs(truth=truth, scores=scores, fewer=fewer):
            stats.bootstrap(
                (truth, scores),
                roc_auc_score,
                n_resamples=fewer,
                paired=True,
                vectorized=False,
                method="percentile",
                rng=np.random.default_rng(1),
            )

        mine, note = clock(lambda s=sample, r=rounds: bootstrap(s, 0.95, 1, rounds=r))
        scipy_took = seconds(theirs, runs=1) * rounds / fewer
        work = f"AUC, bca, n = {n:,}, {rounds:,} rounds"
        beside = (
            {"goal": GOAL, "prototype": PROTOTYPE, "held": HELD}
            if n > 1e5
            else {"held": SMALL_HELD}
        )
        scaled = f"{fewer} rounds"
        compare(
            work, mine, "scipy with roc_auc_score", scipy_took, scaled=scaled, note=note, **beside
        )


if __name__ == "__main__":
    main()
