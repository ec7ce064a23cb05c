"""Degenerate evidence where no other suite brings it: groups, two models, effects, one class."""

import itertools
import math
import warnings

import numpy as np
import pytest
from many_cases import for_each

from evallang import stats
from evallang.results.codec import to_plain
from evallang.stats.corrections.correction import CORRECTIONS

RANDOM = np.random.default_rng(17)
CORRECT = {
    "no rows": np.zeros((0, 2), dtype=bool),
    "one row": np.array([[True, False]]),
    "all right": np.ones((12, 2), dtype=bool),
    "all wrong": np.zeros((12, 2), dtype=bool),
    "equal models": np.repeat(RANDOM.random((12, 1)) < 0.5, 2, axis=1),
    "one model perfect": np.column_stack([np.ones(12, dtype=bool), np.arange(12) % 3 > 0]),
    "as many on either side": np.array([[True, False], [False, True]] * 6),
    "at random": RANDOM.random((12, 2)) < 0.6,
}
GROUPS = {
    "one group": lambda n: np.zeros(n, dtype=int),
    "a group for each row": np.arange,
    "pairs": lambda n: np.arange(n) // 2,
    "named": lambda n: np.array([f"site {i % 3}" for i in range(n)]),
}
SCORES = {
    "no data sets": ((), ()),
    "one data set": ((0.9,), (0.8,)),
    "equal": ((0.5,) * 6, (0.5,) * 6),
    "equal in decimals": ((0.3, 0.6, 0.3, 0.6, 0.3), (0.1 + 0.2, 0.2 + 0.4, 0.3, 0.6, 0.3)),
    "a constant gap": ((0.3, 0.6, 1.1, 0.7, 0.8), (0.2, 0.5, 1.0, 0.6, 0.7)),
    "a missing one": ((0.9, None, 0.7, 0.8, 0.6, 0.5), (0.8, 0.7, 0.6, 0.9, 0.4, 0.3)),
    "infinite ones": ((math.inf, 0.5, -math.inf, 0.4, 0.3), (0.1, math.inf, -math.inf, 0.4, 0.2)),
    "of very unlike size": ((1e-100, 1e100, 1.0, 2.0, 3.0), (2e-100, 1e99, 1.0, 0.5, 4.0)),
}


def quietly(call):
    """Call with every warning an error, and give the plain form, which holds no NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = call()
    return found, to_plain(found)


@for_each("rows", CORRECT)
@for_each("kind", GROUPS)
@for_each("method", ["midp", "exact", "chi2"])
def test_groups_of_any_kind_give_a_clustered_test_or_a_note(rows, kind, method):
    correct = CORRECT[rows]
    groups = GROUPS[kind](len(correct))
    table = stats.count_correct(correct).pair(0, 1)
    found, _ = quietly(lambda: stats.mcnemar(table, 0.95, correct, groups, method=method))
    assert 0 <= found.p <= 1
    assert found.clusters.n == len(set(groups.tolist()))
    if found.estimate.low is not None:
        assert found.estimate.low <= found.estimate.value <= found.estimate.high
    other = {"midp": "auto"}.get(method, method)
    q, _ = quietly(lambda: stats.cochran(correct, groups, method=other))
    assert 0 <= q.p <= 1


def halves_t(first, second, alternative):
    """Test the scores of splits of which half was tested."""
    return stats.corrected_t(first, second, alternative=alternative, test_train_ratio=1.0)


@pytest.mark.parametrize("name", SCORES)
def test_pairs_of_scores_of_any_kind_give_p_or_a_note(name):
    first, second = SCORES[name]
    for test in (stats.wilcoxon, stats.sign, stats.t, stats.diebold_mariano, halves_t,
                 stats.kfold_t, stats.resampled_t):  # fmt: skip
        for alternative in ("two_sided", "greater", "less"):
            found, _ = quietly(
                lambda test=test, alternative=alternative: test(
                    first, second, alternative=alternative
                )
            )
            assert (found.p is not None and 0 <= found.p <= 1) or found.notes
    given = {"rope": 0.01, "better": "higher"}
    halves = {**given, "test_train_ratio": 1.0}
    for test, options in ((stats.bayes_t, halves), (stats.bayes_sign, given)):
        found, _ = quietly(lambda test=test, options=options: test(first, second, **options))
        assert found.extra["p_first"] is not None or found.notes
    found, _ = quietly(
        lambda: stats.bayes_signed_rank(first, second, rope=0.01, samples=200, better="higher")
    )
    assert found.extra["p_first"] is not None or found.notes


@pytest.mark.parametrize("name", SCORES)
def test_effect_sizes_of_any_scores_are_numbers_or_none(name):
    first, second = SCORES[name]
    for effect in (stats.rank_biserial, stats.cliffs_delta, stats.akinshins_gamma):
        found, _ = quietly(lambda effect=effect: effect(first, second))
        if found.low is not None:
            assert found.low <= found.value <= found.high
    table = np.array(SCORES[name], dtype=float).T.reshape(-1, 2)
    w, _ = quietly(lambda: stats.kendalls_w(table))
    assert w.value is None or 0 <= w.value <= 1


@for_each(
    "call",
    [
        lambda: stats.odds_ratio(0, 0, 0.95),
        lambda: stats.odds_ratio(5, 0, 0.95),
        lambda: stats.odds_ratio(0, 5, 0.95),
        lambda: stats.cohen_g(0, 5, 0.95),
        lambda: stats.cohen_dz(0.0, 0.0),
        lambda: stats.cohen_dz(0.1, 0.0),
        lambda: stats.hedges_g(0.1, 0.2, 1),
        lambda: stats.eta_squared_q(0.0, 5, 3),
        lambda: stats.chance_corrected_r((0, 0, 0), (4, 0, 0, 0)),
        lambda: stats.chance_corrected_r((1, 0), (0, 1, 0)),
    ],
)
def test_effects_of_counts_at_their_ends_are_numbers_or_none(call):
    quietly(call)


@for_each("entry", [pytest.param(e, id=e.name) for e in CORRECTIONS])
def test_every_correction_takes_unsorted_tied_extreme_and_undefined_p(entry):
    families = [
        (), (0.04,), (None,), (0.0, 1.0, 0.0), (0.3, 0.001, None), (0.05, 0.05, 0.05),
        (1.0, 1.0, 1.0),
    ]  # fmt: skip
    for p in families:
        more = []
        if "pairs" in entry.inputs:
            pairs = list(itertools.combinations(range(3), 2))[: len(p)]
            more = [CORRECT["at random"].repeat(2, axis=1), pairs] if "correct" in entry.inputs \
                else [pairs]  # fmt: skip
        if "resampled" in entry.inputs:
            more = [[[0.0, 0.03, 1.0][: len(p)], [0.2] * len(p)]]
        found, _ = quietly(lambda p=p, more=more: entry.function(p, *more))
        assert len(found) == len(p)
        for raw, value in zip(p, found, strict=True):
            assert (raw is None) == (value is None)
            assert value is None or raw <= value <= 1


def test_one_class_and_constant_scores_give_notes_everywhere():
    truth, constant = np.ones(6), np.zeros((6, 3))
    for y in (truth, np.arange(6) % 2):
        quietly(lambda y=y: stats.delong(y, constant))
        quietly(lambda y=y: stats.delong(y, constant[:, :2], folds=np.arange(6) // 2))
        quietly(lambda y=y: stats.intervals.cv_auc(y, constant[:, 0], np.arange(6) // 3, 0.95))
        swapper = stats.ScoreSwapper(y, constant[:, 0], constant[:, 1])
        found, _ = quietly(lambda swapper=swapper: stats.permutation(swapper))
        assert found.p == 1.0 or found.notes
