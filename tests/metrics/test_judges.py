"""Agreement of judges, and the rate that humans would find, from a judge who errs."""

import krippendorff
import numpy as np
import pytest
import scipy
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa as peer_fleiss
from statsmodels.stats.proportion import proportion_confint
from studies import study, write_rows

from evallang.api import run
from evallang.metrics.judges import corrected_rate, fleiss_kappa, krippendorff_alpha
from evallang.stats.intervals.proportions import lang_reiczigel

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


def by_counts(called, sensitivity, specificity, *, apart, level=0.95):
    """Return bounds from successes and trials: Lang & Reiczigel 2014, equations 4 to 7, 16, 17.

    In the paper the three samples are `apart`; else the labelled rows are among all.
    """
    z = scipy.stats.norm.ppf(0.5 + level / 2)
    (x, n), (hits, there), (rejected, absent) = called, sensitivity, specificity
    p, se, sp = (x + z**2 / 2) / (n + z**2), (hits + 1) / (there + 2), (rejected + 1) / (absent + 2)
    skill = se + sp - 1
    rate = (p + sp - 1) / skill
    of_se, of_sp = se * (1 - se) / (there + 2), sp * (1 - sp) / (absent + 2)
    variance = p * (1 - p) / (n + z**2) + rate**2 * of_se + (1 - rate) ** 2 * of_sp
    positive, negative = rate, 1 - rate
    if not apart:
        positive, negative = positive - there / n, negative - absent / n
        with_se = hits * (1 - p) * (1 - se) + (there - hits) * p * se
        with_sp = -rejected * p * (1 - sp) - (absent - rejected) * (1 - p) * sp
        variance -= 2 * rate * with_se / (n + z**2) / (there + 2)
        variance += 2 * (1 - rate) * with_sp / (n + z**2) / (absent + 2)
    middle = rate + 2 * z**2 * (positive * of_se - negative * of_sp)
    half = z * variance**0.5 / skill
    return max(middle - half, 0), min(middle + half, 1)


def verdicts(called, sensitivity, specificity):
    """Return rows with these successes and trials, the labelled ones among all."""
    (x, n), (hits, there), (rejected, absent) = called, sensitivity, specificity
    rest = x - hits - (absent - rejected)
    kinds = [(1, 1), (0, 1), (0, 0), (1, 0), (1, -1), (0, -1)]
    times = [hits, there - hits, rejected, absent - rejected, rest, n - there - absent - rest]
    return np.repeat(kinds, times, axis=0)


PAPER = (
    ((4060, 11284), (178, 179), (358, 359), (0.349, 0.372)),
    ((51, 2971), (32, 33), (20, 20), (0, 0.053)),
    ((712, 11862), (8, 10), (12, 12), (0, 0.147)),
    ((259, 509), (84, 127), (96, 109), (0.58, 0.87)),
    ((51, 509), (23, 41), (187, 195), (0.037, 0.195)),
)
"""The examples of the paper with its bounds, by the help page of `prevSeSp` in R package asht."""


@pytest.mark.parametrize(("called", "sensitivity", "specificity", "bounds"), PAPER)
def test_its_interval_is_that_of_the_paper_where_few_of_many_are_labelled(
    called, sensitivity, specificity, bounds
):
    decimals = 2 if bounds[1] == 0.87 else 3
    found = by_counts(called, sensitivity, specificity, apart=True)
    assert np.round(found, decimals) == pytest.approx(bounds, abs=1e-12)
    many = tuple(1000 * count for count in called)
    interval = lang_reiczigel(verdicts(many, sensitivity, specificity), None, 0.95)
    expected = by_counts(many, sensitivity, specificity, apart=True)
    assert (interval.low, interval.high) == pytest.approx(expected, abs=2e-3)


def test_its_interval_allows_for_the_labelled_being_some_of_all(tmp_path):
    truth, said = labels(np.random.default_rng(5), 900, 300, 0.4, 0.9, 0.85)
    rows = [(i, s, t if t >= 0 else "") for i, (s, t) in enumerate(zip(said, truth, strict=True))]
    write_rows(tmp_path, "v.csv", "item,judge,human", rows)
    text = 'predictions p from "v.csv"\n  judges judge truth human\nmeasure corrected_rate\n'
    (found,) = run(study(f"evallang 1\n{text}", tmp_path)).estimates
    there, absent = said[truth == 1], said[truth == 0]
    counts = (
        (said.sum(), len(said)),
        (there.sum(), len(there)),
        (len(absent) - absent.sum(), len(absent)),
    )
    bounds = found.interval.low, found.interval.high
    assert found.interval.method == "lang_reiczigel"
    assert bounds == pytest.approx(by_counts(*counts, apart=False), abs=1e-12)
    # where all are labelled, its width is about that of the share of their labels
    known = truth >= 0
    every = lang_reiczigel(np.column_stack([said, truth])[known], None, 0.95)
    plain = proportion_confint(truth[known].sum(), known.sum(), method="agresti_coull")
    assert every.high - every.low == pytest.approx(plain[1] - plain[0], rel=0.05)


def test_examples_that_repeat_in_groups_make_the_interval_wider():
    rows = verdicts((330, 1000), (31, 31), (60, 69))
    alone = lang_reiczigel(rows, np.arange(1000), 0.95)
    plain = lang_reiczigel(rows, None, 0.95)
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high), abs=1e-3)
    four = lang_reiczigel(np.repeat(rows, 4, axis=0), np.repeat(np.arange(1000), 4), 0.95)
    ignoring = lang_reiczigel(np.repeat(rows, 4, axis=0), None, 0.95)
    assert four.high - four.low > 1.7 * (ignoring.high - ignoring.low)
    assert lang_reiczigel(rows, np.zeros(1000), 0.95).low is None


def test_a_judge_that_is_hardly_better_than_chance_has_no_interval():
    # 2 of 2 positives are found, and 55 of 1,000 negatives
    found = lang_reiczigel(verdicts((1500, 2000), (2, 2), (55, 1000)), None, 0.95)
    assert (found.low, found.high) == (None, None)
    assert found.notes == ("undefined: the judge is not shown to be better than chance",)
