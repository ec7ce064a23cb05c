"""Agreement of judges, and the rate that humans would find, from a judge who errs."""

import krippendorff
import numpy as np
import pytest
import scipy
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa as peer_fleiss
from studies import study, write_rows

from evallang.api import run
from evallang.metrics.judges import corrected_rate, fleiss_kappa, krippendorff_alpha

RNG = np.random.default_rng(8)
N = 80
SEEN = RNG.integers(1, 4, N)[:, None] + RNG.integers(0, 3, (N, 3))
RATINGS = np.where(RNG.random((N, 3)) < 0.15, np.nan, SEEN)
COMPLETE = ~np.isnan(RATINGS).any(axis=1)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("scale", [1, 10])
def test_alpha_is_that_of_krippendorff(level, scale):
    ratings = RATINGS**2 * scale
    expected = krippendorff.alpha(ratings.T, level_of_measurement=level)
    assert krippendorff_alpha(None, ratings, None, level=level) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_a_weight_of_two_is_an_example_that_occurs_twice(level):
    weights = RNG.integers(0, 3, N)
    drawn = np.repeat(RATINGS, weights, axis=0)
    expected = krippendorff.alpha(drawn.T, level_of_measurement=level)
    found = krippendorff_alpha(None, RATINGS, None, weights, level=level)
    assert found == pytest.approx(expected, abs=1e-12)


def test_fleiss_kappa_is_that_of_statsmodels_on_complete_examples():
    expected = peer_fleiss(aggregate_raters(RATINGS[COMPLETE].astype(int))[0])
    assert fleiss_kappa(None, RATINGS, None) == pytest.approx(expected, abs=1e-12)


def test_equal_ratings_have_no_agreement_beyond_chance():
    same = np.full((10, 2), 3.0)
    assert np.isnan(krippendorff_alpha(None, same, None))
    assert np.isnan(fleiss_kappa(None, same, None))


def table(folder):
    """Write the ratings of three judges, as numbers and as words, with gaps."""
    words = np.array(["bad", "poor", "fair", "good", "best", ""])
    places = np.where(np.isnan(RATINGS), 6, RATINGS).astype(int) - 1
    shown = np.where(np.isnan(RATINGS), "", np.nan_to_num(RATINGS).astype(int).astype(str))
    rows = [(i, i % 20, *shown[i], *words[places[i]]) for i in range(N)]
    write_rows(folder, "r.csv", "item,prompt,a,b,c,wa,wb,wc", rows)
    long = [(i, "abc"[j], shown[i, j]) for i in range(N) for j in range(3) if shown[i, j]]
    write_rows(folder, "long.csv", "item,judge,rating", long)


def measured(folder, text):
    table(folder)
    return {e.metric: e for e in run(study(f"evallang 1\n{text}", folder)).estimates}


@pytest.mark.parametrize(
    "source",
    [
        'predictions p from "r.csv"\n  id item\n  judges a, b, c',
        'predictions p from "r.csv"\n  id item\n  judges a as wa, b as wb, c as wc',
        'predictions p from "long.csv"\n  id item\n  model judge\n  judges rating',
    ],
    ids=["numbers", "words", "long"],
)
def test_a_study_measures_a_panel(tmp_path, source):
    found = measured(tmp_path, f"{source}\nmeasure krippendorff_alpha, fleiss_kappa\n")
    alpha, kappa = found["krippendorff_alpha"], found["fleiss_kappa"]
    expected = krippendorff.alpha(RATINGS.T, level_of_measurement="nominal")
    assert alpha.value == pytest.approx(expected, abs=1e-9)
    assert kappa.value == pytest.approx(fleiss_kappa(None, RATINGS, None), abs=1e-12)
    assert alpha.interval.low < alpha.value < alpha.interval.high
    assert any(f"{N - COMPLETE.sum()} of {N} examples" in note for note in kappa.notes)


def test_two_judges_have_cohens_kappa_on_the_examples_that_both_rated(tmp_path):
    text = 'predictions p from "r.csv"\n  id item\n  judges a, b\nmeasure cohen_kappa\n'
    (found,) = measured(tmp_path, text).values()
    both = ~np.isnan(RATINGS[:, :2]).any(axis=1)
    expected = cohen_kappa_score(*RATINGS[both, :2].T.astype(int))
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.n == both.sum()


def test_judges_are_compared_on_the_examples_that_humans_labelled(tmp_path):
    text = 'predictions p from "r.csv"\n  id item\n  judges a, b truth c\n'
    table(tmp_path)
    results = run(study(f"evallang 1\n{text}measure accuracy\ncompare with mcnemar\n", tmp_path))
    (pair,) = results.comparisons[0].pairwise
    a, b, c = RATINGS[COMPLETE].T
    expected = scipy.stats.binomtest(
        int(((a == c) & (b != c)).sum()), int(((a == c) != (b == c)).sum())
    ).pvalue
    assert pair.extra["p_exact"] == pytest.approx(expected, abs=1e-12)


# --- the corrected rate -------------------------------------------------------------------


def labels(rng, n, labelled, rate, sensitivity, specificity):
    """Draw the labels of humans (-1 where there is none) and those of a judge."""
    truth = (rng.random(n) < rate).astype(int)
    right = rng.random(n) < np.where(truth == 1, sensitivity, specificity)
    return np.where(np.arange(n) < labelled, truth, -1), np.where(right, truth, 1 - truth)


def test_it_is_the_estimate_of_rogan_and_gladen():
    truth, said = labels(np.random.default_rng(3), 500, 150, 0.3, 0.9, 0.8)
    known = truth >= 0
    sensitivity = said[truth == 1].mean()
    specificity = 1 - said[truth == 0].mean()
    expected = (said.mean() + specificity - 1) / (sensitivity + specificity - 1)
    assert corrected_rate(truth, said, 1) == pytest.approx(expected, abs=1e-12)
    # where humans labelled everything, their own rate comes out
    assert corrected_rate(truth[known], said[known], 1) == pytest.approx(truth[known].mean())


def test_a_judge_no_better_than_chance_gives_no_rate(tmp_path):
    rows = [(i, i % 2, (i // 2) % 2 if i < 80 else "") for i in range(200)]
    write_rows(tmp_path, "v.csv", "item,judge,human", rows)
    text = 'predictions p from "v.csv"\n  judges judge truth human\nmeasure corrected_rate\n'
    (found,) = run(study(f"evallang 1\n{text}", tmp_path)).estimates
    assert found.value is None
    assert found.interval is None
    assert any("no better than chance" in note for note in found.notes)


def test_its_variance_is_that_of_the_three_shares(tmp_path):
    truth, said = labels(np.random.default_rng(5), 900, 300, 0.4, 0.9, 0.85)
    rows = [(i, s, t if t >= 0 else "") for i, (s, t) in enumerate(zip(said, truth, strict=True))]
    write_rows(tmp_path, "v.csv", "item,judge,human", rows)
    text = 'predictions p from "v.csv"\n  judges judge truth human\nmeasure corrected_rate\n'
    (found,) = run(study(f"evallang 1\n{text}", tmp_path)).estimates
    # Delta method on the multinomial of the six kinds of examples, with numeric derivatives
    kinds, counts = np.unique(np.column_stack([truth, said]), axis=0, return_counts=True)
    shares, step = counts / counts.sum(), 1e-6

    def rate(weights):
        return corrected_rate(kinds[:, 0], kinds[:, 1], 1, weights)

    slopes = np.array([(rate(shares + h) - rate(shares - h)) / (2 * step)
                       for h in np.eye(len(shares)) * step])  # fmt: skip
    variance = ((slopes**2 * shares).sum() - (slopes * shares).sum() ** 2) / (len(truth) - 1)
    half = scipy.stats.t.ppf(0.975, len(truth) - 1) * variance**0.5
    bounds = found.interval.low, found.interval.high
    assert bounds == pytest.approx((found.value - half, found.value + half), abs=1e-6)


@pytest.mark.parametrize(
    ("rate", "sensitivity", "specificity"), [(0.5, 0.9, 0.85), (0.2, 0.97, 0.97), (0.8, 0.75, 0.8)]
)
def test_its_interval_covers_the_rate_although_few_are_labelled(rate, sensitivity, specificity):
    from evallang.metrics.metric import METRICS, Outcome
    from evallang.stats.intervals.ratio_of_sums import jackknife

    rng, covered, ignoring, rounds = np.random.default_rng(11), 0, 0, 800
    influences = METRICS["corrected_rate"].declaration.influences
    for _ in range(rounds):
        truth, said = labels(rng, 1000, 100, rate, sensitivity, specificity)
        value = corrected_rate(truth, said, 1)
        found = jackknife(value, influences(Outcome(truth, said, 2, 1)), None, (None, None), 0.95)
        covered += found.low <= rate <= found.high
        skill = said[truth == 1].mean() - said[truth == 0].mean()
        half = 1.96 * (said.var() / 1000) ** 0.5 / skill  # as if the judge's errors were known
        ignoring += abs(value - rate) <= half
    assert 0.935 <= covered / rounds <= 0.985
    assert ignoring / rounds < 0.85
