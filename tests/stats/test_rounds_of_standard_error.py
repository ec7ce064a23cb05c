"""How much the standard error under the bootstrap owes to the rounds that were drawn.

The figures that W321 and the page on choices give: the nearest mean of two classes, 100 rows,
the same rows each time and other rounds.
"""

import numpy as np
import pytest

from evallang.stats.learning_bootstrap import influences, standard_error

N, DRAWS = 100, 60


def rounds_of(x, y, number, rng):
    """Fit the nearest mean in every round; give the losses out of the bag and the draws."""
    losses, times = np.full((number, N), np.nan), np.zeros((number, N))
    for b in range(number):
        rows = rng.integers(0, N, N)
        times[b] = np.bincount(rows, minlength=N)
        means = [x[rows][y[rows] == k].mean(axis=0) for k in (0, 1)]
        out = times[b] == 0
        near = [((x[out] - mean) ** 2).sum(axis=1) for mean in means]
        losses[b, out] = (near[1] < near[0]) != y[out]
    return losses, times


@pytest.mark.parametrize(
    ("number", "own", "share", "published"),
    # the share of 500 rounds over 260 draws; 60 of them gave .083, two times 100 .067 and .066
    [(50, 0.051, 0.21, 0.114), (200, 0.047, 0.12, 0.070), (500, 0.046, 0.070, 0.0565)],
)
def test_the_figures_of_the_rule_on_rounds_come_out(number, own, share, published):
    drawn = np.random.default_rng(1)
    y = np.arange(N) % 2
    x = drawn.normal(size=(N, 2)) + 0.5 * y[:, None]
    rng = np.random.default_rng(2)
    found, plain = [], []
    for _ in range(DRAWS):
        losses, times = rounds_of(x, y, number, rng)
        error = standard_error(losses, times)
        if error is not None:
            found.append(error)
            plain.append(float(np.sqrt((influences(losses, times) ** 2).sum())))
    # a mean over 60 draws has a standard error of a sixtieth of itself at most, a spread of 9%
    assert len(found) >= DRAWS - 5
    assert np.mean(found) == pytest.approx(own, rel=0.1)
    assert np.std(found, ddof=1) / np.mean(found) == pytest.approx(share, rel=0.3)
    assert np.mean(plain) == pytest.approx(published, rel=0.1)
