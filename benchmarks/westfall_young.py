"""Step-down resampling of 45 McNemar pairs on a million examples, beside resampled rows.

Ours draws how often each distinct pattern of right and wrong comes, a multinomial, which
is the resample in distribution. The peer draws rows and adds them up with numpy; it does
fewer rounds and is scaled by their number.

    python -m benchmarks.westfall_young
"""

from itertools import combinations

from benchmarks._timing import compare, seconds  # isort: skip  # before numpy starts its threads

import numpy as np

from evallang.stats.corrections.multiple_mcnemar import westfall

N, MODELS, ROUNDS, FEWER = 1_000_000, 10, 10_000, 3
GOAL, PROTOTYPE, HELD = 2_500, 760, 760
PAIRS = tuple(combinations(range(MODELS), 2))


def resampled_rows(right: np.ndarray, rounds: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    first, second = np.array(PAIRS).T
    numbers = right.astype(np.float32)
    gram = numbers.T @ numbers
    found = np.diag(gram)[first] - np.diag(gram)[second]
    largest = np.empty((rounds, len(PAIRS)))
    for b in range(rounds):
        drawn = numbers[rng.integers(N, size=N)]
        both = drawn.T @ drawn
        right_of = np.diag(both)
        difference = right_of[first] - right_of[second] - found
        discordant = right_of[first] + right_of[second] - 2 * both[first, second]
        largest[b] = np.abs(difference) / np.sqrt(discordant)
    return np.maximum.accumulate(largest, axis=1)


def main() -> None:
    rng = np.random.default_rng(20181113)
    difficulty = rng.normal(1.3, 1.0, (N, 1))
    right = rng.standard_normal((N, MODELS)) < difficulty
    p = [0.01] * len(PAIRS)
    mine = seconds(lambda: westfall(p, right, PAIRS, method="bootstrap", rounds=ROUNDS), runs=3)
    theirs = seconds(lambda: resampled_rows(right, FEWER), runs=1) * ROUNDS / FEWER
    work = f"{len(PAIRS)} pairs, n = {N:,}, {ROUNDS:,} rounds"
    beside = {"goal": GOAL, "prototype": PROTOTYPE, "held": HELD}
    scaled = f"{FEWER} rounds"
    compare(work, mine, "rows drawn with numpy", theirs, scaled=scaled, **beside)


if __name__ == "__main__":
    main()
