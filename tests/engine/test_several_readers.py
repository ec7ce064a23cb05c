"""Predictions of several readers: as a sample of readers, or as the only ones that are meant."""

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from studies import codes, study, write_rows

from evallang.api import run
from evallang.stats.hypothesis_tests.readers import obuchowski_rockette
from evallang.stats.intervals.readers import score_areas, score_means

N, READERS = 40, 4
RNG = np.random.default_rng(21)
TRUTH = np.arange(N) % 2
SCORES = (
    RNG.normal(size=(N, 2, READERS))
    + RNG.normal(size=(N, 1, 1))
    + TRUTH[:, None, None] * np.array([1.2, 2.0])[:, None]
)
STUDY = """evallang 1
predictions reading from "p.csv"
  id image
  reader radiologist{random}
  {more}
  truth y
  positive 1
  models a as la, b as lb
  score a = a
  score b = b
  unit "images"
{rest}
"""
MARK = SCORES > 0.8


@pytest.fixture
def table(tmp_path):
    rows = [
        (f"i{i:02}", f"r{j}", TRUTH[i], *SCORES[i, :, j], *MARK[i, :, j].astype(int), i % 8, 1 + j)
        for j in range(READERS)
        for i in range(N)
    ]
    RNG.shuffle(rows)
    write_rows(tmp_path, "p.csv", "image,radiologist,y,a,b,la,lb,patient,weight", rows)
    return tmp_path


def text(rest, more='about "x"', random=" random"):
    return STUDY.format(rest=rest, more=more, random=random)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy", "error_rate"])
def test_a_sample_of_readers_is_compared_by_obuchowski_and_rockette(table, metric):
    rest = f"measure {metric}\ncompare a vs b with obuchowski_rockette by {metric}"
    results = run(study(text(rest), table))
    (pair,) = results.comparisons[0].pairwise
    right = TRUTH[:, None, None].astype(bool) == MARK
    scores = {
        "roc_auc": score_areas(TRUTH, SCORES),
        "accuracy": score_means(right),
        "error_rate": score_means(~right),
    }[metric]
    known = obuchowski_rockette(scores, 0.95)
    assert (pair.p, pair.estimate.value) == pytest.approx((known.p, known.estimate.value))
    assert pair.estimate.low == pytest.approx(known.estimate.low)
    for estimate, values in zip(results.estimates, scores.of_models, strict=True):
        assert estimate.value == pytest.approx(values.mean())
        assert [fold.value for fold in estimate.folds] == pytest.approx(values)
        assert [fold.fold_label for fold in estimate.folds] == ["r0", "r1", "r2", "r3"]
        assert estimate.interval.method == "obuchowski_rockette"
        assert (estimate.n, estimate.aggregation) == (N, "mean_of_repeats")
        assert (estimate.extra["n_readers"], estimate.extra["readers_sampled"]) == (4, True)
        assert estimate.about == "readers and examples like these"


def test_images_of_one_patient_are_drawn_together(table):
    rest = "measure roc_auc\ncompare a vs b with obuchowski_rockette"
    (pair,) = run(study(text(rest, "group patient"), table)).comparisons[0].pairwise
    known = obuchowski_rockette(score_areas(TRUTH, SCORES, np.arange(N) % 8), 0.95)
    assert pair.p == pytest.approx(known.p)
    assert pair.clusters.n == 8


def test_these_readers_alone_are_averaged_and_their_images_are_the_sample(table):
    rest = "measure accuracy\ncompare a vs b with permutation by accuracy"
    results = run(study(text(rest, random=""), table))
    a, b = results.estimates
    right = (TRUTH[:, None, None].astype(bool) == MARK).mean(axis=2)
    assert (a.value, b.value) == pytest.approx(tuple(right.mean(axis=0)))
    assert a.about == "the average of these 4 readers"
    assert (a.extra["n_readers"], a.extra["readers_sampled"]) == (4, False)
    assert a.interval.method == "bootstrap(bca)"
    (pair,) = results.comparisons[0].pairwise
    d = right[:, 0] - right[:, 1]
    known = stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=20000, rng=4
    )
    assert pair.p == pytest.approx(known.pvalue, abs=0.02)


def test_a_requirement_is_about_readers_like_these(table):
    rest = "require b not worse than a by 0.1 in roc_auc\nrequire roc_auc of b >= 0.6"
    results = run(study(text(f"measure roc_auc\n{rest}"), table))
    known = obuchowski_rockette(score_areas(TRUTH, SCORES[:, ::-1]), 0.95)
    first, second = results.requirements
    assert first.interval[0] == pytest.approx(known.estimate.low)
    assert first.met == (known.estimate.low > -0.1)
    assert second.met == (results.estimates[1].interval.low >= 0.6)


@for_each(
    ("rest", "more", "random", "expected"),
    [
        ("compare a vs b with mcnemar", 'about "x"', " random", ["E201"]),
        ("compare a vs b with permutation", 'about "x"', " random", ["E201"]),
        ("compare a vs b with obuchowski_rockette", 'about "x"', "", ["E201"]),
        (
            "compare a vs b with obuchowski_rockette by break_even_point",
            'about "x"',
            " random",
            ["E207"],
        ),
        ("measure roc_auc\n  interval bootstrap", 'about "x"', " random", ["E202"]),
        (
            "measure break_even_point\n  interval obuchowski_rockette",
            'about "x"',
            " random",
            ["E202"],
        ),
        ("", "weight weight", " random", ["E144"]),
        ("", "repeat run", "", ["E144"]),
        ("", "fold part", " random", ["E144"]),
    ],
)
def test_what_readers_do_not_go_with_is_refused(rest, more, random, expected):
    assert codes(text(rest, more, random)) == expected


def test_three_models_are_compared_at_once_and_then_in_pairs(table):
    rest = "measure roc_auc\ncompare a, b, c with obuchowski_rockette then obuchowski_rockette holm"
    more = "score c = weight"
    results = run(study(text(rest, more).replace("models a as la, b as lb\n  ", ""), table))
    found = results.comparisons[0]
    assert found.omnibus.statistic.name == "F"
    assert len(found.pairwise) in (0, 3)
