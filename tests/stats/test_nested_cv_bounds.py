"""The interval of nested cross-validation against a transcription of the published algorithm."""

import math
import statistics
from itertools import combinations

import numpy as np
import pytest

from evallang import stats
from evallang.stats.intervals.cross_validation import ALONE, HeldOutLosses

Z = 1.959963984540054  # 97.5% point of the normal distribution: scipy 1.17.1, stats.norm.ppf


def table(rng, folds, each, repeats, loss):
    """Draw the losses of all models: outer[r][i], and inner[r][i][j] on i without i and j."""
    shifts = rng.normal(size=(repeats, folds, folds)) * 0.3
    outer = [[loss(each, shifts[r, i, i]) for i in range(folds)] for r in range(repeats)]
    inner = [
        [[None if i == j else loss(each, shifts[r, i, j]) for j in range(folds)]
         for i in range(folds)]
        for r in range(repeats)
    ]  # fmt: skip
    return outer, inner


def flat(outer, inner):
    """Put the losses into one list, in the order of neither the folds nor the repeats."""
    rows = [(x, r, i, ALONE) for r, one in enumerate(outer) for i, xs in enumerate(one) for x in xs]
    for r, one in enumerate(inner):
        for i, j in combinations(range(len(one)), 2):
            rows += [(x, r, i, j) for x in one[i][j]]
            rows += [(x, r, j, i) for x in one[j][i]]
    mixed = [rows[k] for k in np.random.default_rng(1).permutation(len(rows))]
    return HeldOutLosses(*(list(column) for column in zip(*mixed, strict=True)))


def transcribed(outer, inner):
    """Algorithm 1 of Bates, Hastie & Tibshirani, with their bounds and their centre.

    The pivots a and b and the bounds on the inflation as in `nested_cv_helper` and `nested_cv`
    of R/core.R (github.com/stephenbates19/nestedcv, 7f9d5ae); the factor 1 + (K - 2)/K of the
    bias as in MeasureCiNestedCV.R of mlr3inferr and `nestedCV` of the R package cv.
    """
    k, es, a_list, b_list, plain = len(outer[0]), [], [], [], []
    for e_outer, ho_errors in zip(outer, inner, strict=True):
        for k1 in range(k):
            e_in = [x for k2 in range(k) if k2 != k1 for x in ho_errors[k2][k1]]
            e_out = list(e_outer[k1])
            a_list.append((statistics.fmean(e_in) - statistics.fmean(e_out)) ** 2)
            b_list.append(statistics.variance(e_out) / len(e_out))
            es += e_in
            plain += e_out
    n = len(plain) / len(outer)
    n_sub = n * (k - 1) / k
    sd = statistics.stdev(es)
    mse = statistics.fmean(a_list) - statistics.fmean(b_list)
    inflation = math.sqrt(max(0, mse)) / (sd / math.sqrt(n_sub))
    inflation = max(1, min(inflation, math.sqrt(k)))
    err_ncv, err_cv = statistics.fmean(es), statistics.fmean(plain)
    centre = err_ncv - (1 + (k - 2) / k) * (err_ncv - err_cv)
    half = Z * sd / math.sqrt(n) * inflation
    return centre - half, centre + half, inflation


@pytest.mark.parametrize(
    ("folds", "each", "repeats", "spread"),
    [(3, 2, 1, 1.0), (5, 4, 3, 1.0), (10, 6, 4, 1.0), (5, 40, 3, 0.3), (4, 9, 2, 0.05)],
)
def test_bounds_are_those_of_the_published_algorithm(folds, each, repeats, spread):
    rng = np.random.default_rng(folds)
    drawn = table(rng, folds, each, repeats, lambda n, at: at + spread * rng.normal(size=n))
    low, high, _ = transcribed(*drawn)
    found = stats.intervals.nested_cv(flat(*drawn), 0.95, repeats=repeats)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_the_cases_reach_both_bounds_of_the_error_and_the_inside():
    seen = set()
    for spread in (0.05, 1.5, 2.0, 10.0):
        rng = np.random.default_rng(2)
        drawn = table(rng, 5, 20, 4, lambda n, at, s=spread, g=rng: at + s * g.normal(size=n))
        low, high, inflation = transcribed(*drawn)
        found = stats.intervals.nested_cv(flat(*drawn), 0.95, repeats=4)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
        seen.add("least" if inflation == 1 else "most" if inflation == math.sqrt(5) else "inside")
    assert seen == {"least", "most", "inside"}


def test_right_and_wrong_answers_give_intervals_that_mirror_each_other():
    rng = np.random.default_rng(5)
    drawn = table(rng, 5, 8, 3, lambda n, at: (rng.random(n) < 0.7).astype(float))
    right = flat(*drawn)
    wrong = HeldOutLosses(1 - np.array(right.losses), right.repeats, right.folds, right.partner)
    one, other = (stats.intervals.nested_cv(x, 0.9, repeats=3) for x in (right, wrong))
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


def test_folds_of_unequal_size_count_by_their_rows():
    # three folds of 3, 2 and 2 rows; by hand: means of outer losses 3, 1, 4, of all 7 it is 19/7
    losses = [2, 3, 4, 0, 2, 3, 5, *(1, 1, 4), *(2, 2), *(0, 3, 3), *(6, 6), *(1, 3), *(1, 3)]
    folds = [0] * 3 + [1] * 2 + [2] * 2 + [0] * 3 + [1] * 2 + [0] * 3 + [2] * 2 + [1] * 2 + [2] * 2
    partner = [-1] * 7 + [1] * 3 + [0] * 2 + [2] * 3 + [0] * 2 + [2] * 2 + [1] * 2
    found = stats.intervals.nested_cv(HeldOutLosses(losses, [0] * 21, folds, partner), 0.95,
                                      repeats=1)  # fmt: skip
    # inner means: without 0 (2 + 2 + 6 + 6)/4 = 4, without 1 (6 + 4)/5, without 2 (6 + 4)/5
    squares = [(4 - 3) ** 2, (2 - 1) ** 2, (2 - 4) ** 2]
    variances = [1 / 3, 2 / 2, 2 / 2]
    inner = losses[7:]
    naive = statistics.stdev(inner) / math.sqrt(7)
    error = math.sqrt(2 / 3 * (sum(squares) - sum(variances)) / 3)
    assert naive < error < math.sqrt(3) * naive
    centre = sum(inner) / 14 - 4 / 3 * (sum(inner) / 14 - 19 / 7)
    assert (found.low, found.high) == pytest.approx((centre - Z * error, centre + Z * error))


def test_losses_that_lack_a_repeat_a_fold_or_a_model_are_refused():
    rng = np.random.default_rng(8)
    whole = flat(*table(rng, 4, 3, 2, lambda n, at: rng.random(n)))
    arrays = [np.array(part) for part in (whole.losses, whole.repeats, whole.folds, whole.partner)]

    def without(mask):
        return HeldOutLosses(*(part[~mask] for part in arrays))

    _, repeat, fold, partner = arrays
    for kept, asked, words in (
        (whole, 200, "200 repeats are asked for, and the losses have 2"),
        (without((repeat == 1) & (fold == 2) & (partner == ALONE)), 2, "lacks the losses"),
        (without((repeat == 1) & (partner == 2)), 2, "lacks the losses"),
        (without((fold > 1) | (partner > 1)), 2, "at least 3 folds, and there are 2"),
        (HeldOutLosses(arrays[0][1:], repeat, fold, partner), 2, "every loss needs its repeat"),
    ):
        with pytest.raises(ValueError, match=words):
            stats.intervals.nested_cv(kept, 0.95, repeats=asked)
