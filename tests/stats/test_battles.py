"""Strengths from pairwise judgements, against statsmodels and a likelihood of their own."""

import numpy as np
import pandas as pd
import pytest
import scipy
import statsmodels.api as sm

from evallang.stats.battles import Battles, Strengths, fit_strengths, is_bounded, separated_models
from evallang.stats.hypothesis_tests.strengths import bradley_terry
from evallang.stats.intervals.strengths import sandwich

MODELS, N = 5, 400
RNG = np.random.default_rng(3)
FIRST = RNG.integers(0, MODELS, N)
SECOND = (FIRST + RNG.integers(1, MODELS, N)) % MODELS
ETA = np.array([0.8, 0.3, 0.0, -0.4, -0.7])
WON = RNG.random(N) < scipy.special.expit(ETA[FIRST] - ETA[SECOND] + 0.3)
OUTCOME = np.where(RNG.random(N) < 0.2, 0.5, WON.astype(float))
PROMPT, JUDGE = RNG.integers(0, 60, N), RNG.integers(0, 25, N)


def clustered(*codes):
    """Return the battles with these clusters."""
    return Battles(FIRST, SECOND, OUTCOME, MODELS, clusters=dict(zip("ab", codes, strict=False)))


CENTRE = (np.eye(MODELS) - 1 / MODELS)[:, 1:]


def design(order, kept=slice(None)):
    """Return signs of the models of each battle but the first, and a column for the order."""
    signs = np.eye(MODELS)[FIRST[kept]] - np.eye(MODELS)[SECOND[kept]]
    return np.column_stack([signs[:, 1:], np.ones(len(signs))]) if order else signs[:, 1:]


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("ties", ["half", "drop"])
@pytest.mark.parametrize("cluster", [None, PROMPT])
def test_half_and_dropped_ties_are_a_binomial_regression(ties, order, cluster):
    kept = OUTCOME != 0.5 if ties == "drop" else np.ones(N, dtype=bool)
    model = sm.GLM(OUTCOME[kept], design(order, kept), family=sm.families.Binomial())
    robust = {"cov_type": "HC0"}
    if cluster is not None:
        groups = {"groups": cluster[kept], "use_correction": False}
        robust = {"cov_type": "cluster", "cov_kwds": groups}
    fit = model.fit(tol=1e-13, maxiter=200, **robust)
    k = MODELS - 1
    found = fit_strengths(clustered(*(() if cluster is None else (cluster,))), ties, order=order)
    assert found.values == pytest.approx(CENTRE @ fit.params[:k], abs=1e-9)
    expected = CENTRE @ fit.cov_params()[:k, :k] @ CENTRE.T
    assert found.covariance == pytest.approx(expected, abs=1e-9)
    assert found.values.sum() == pytest.approx(0, abs=1e-12)
    assert found.battles == kept.sum()
    if order:
        assert found.order == pytest.approx((fit.params[k], fit.cov_params()[k, k]), abs=1e-9)
    else:
        assert found.order is None


@pytest.mark.parametrize("cluster", [None, PROMPT])
def test_a_test_and_an_interval_are_those_of_a_robust_binomial_regression(cluster):
    robust = {"cov_type": "HC0"}
    if cluster is not None:
        groups = {"groups": cluster, "use_correction": False}
        robust = {"cov_type": "cluster", "cov_kwds": groups}
    fit = sm.GLM(OUTCOME, design(False), family=sm.families.Binomial()).fit(tol=1e-13, **robust)
    error = scipy.stats.norm() if cluster is None else scipy.stats.t(len(np.unique(cluster)) - 1)
    found = fit_strengths(clustered(*(() if cluster is None else (cluster,))), "half", order=False)
    for one, other in ((1, 3), (4, 2)):
        wald = fit.t_test(CENTRE[one] - CENTRE[other])
        test = bradley_terry(found.take([one, other]), 0.9)
        assert test.statistic.value == pytest.approx(wald.statistic.item(), rel=1e-8)
        assert test.estimate.value == pytest.approx(wald.effect.item(), abs=1e-9)
        assert test.p == pytest.approx(2 * error.sf(abs(wald.statistic.item())), rel=1e-7)
        reach = error.ppf(0.95) * wald.sd.item()
        assert test.estimate.high - test.estimate.value == pytest.approx(reach, rel=1e-7)
    for one in range(MODELS):
        own = fit.t_test(CENTRE[one])
        reach = error.ppf(0.95) * own.sd.item()
        bounds = sandwich(found.take([one]), (None, None), 0.9)
        assert (bounds.low, bounds.high) == pytest.approx(
            (own.effect.item() - reach, own.effect.item() + reach), abs=1e-9
        )


def log_chances(parameters):
    """Return the log probability of each battle's outcome by Davidson's model, with an order."""
    half = design(True) @ parameters[:-1] / 2
    logs = np.column_stack([half, -half, np.full(N, parameters[-1])])
    logs -= scipy.special.logsumexp(logs, axis=1)[:, None]
    return logs[np.arange(N), np.select([OUTCOME == 1, OUTCOME == 0], [0, 1], 2)]


def test_davidsons_ties_maximise_their_likelihood_with_a_sandwich_of_numerical_derivatives():
    start = np.zeros(MODELS + 1)
    found = fit_strengths(clustered(PROMPT))
    best = scipy.optimize.minimize(
        lambda p: -log_chances(p).sum(), start, method="BFGS", options={"gtol": 1e-8}
    ).x
    assert found.values == pytest.approx(CENTRE @ best[: MODELS - 1], abs=1e-6)
    assert found.order[0] == pytest.approx(best[MODELS - 1], abs=1e-6)
    assert found.tie == pytest.approx(best[-1], abs=1e-6)
    steps = np.eye(len(start)) * 1e-4
    scores = np.column_stack(
        [(log_chances(best + s) - log_chances(best - s)) / 2e-4 for s in steps]
    )
    second = np.array(
        [
            [
                (log_chances(best + s + t) - log_chances(best + s - t)).sum()
                - (log_chances(best - s + t) - log_chances(best - s - t)).sum()
                for t in steps
            ]
            for s in steps
        ]
    ) / (4 * 1e-8)
    bread = np.linalg.inv(-second)
    sums = pd.DataFrame(scores).groupby(PROMPT).sum().to_numpy()
    whole = bread @ sums.T @ sums @ bread
    k = MODELS - 1
    expected = CENTRE @ whole[:k, :k] @ CENTRE.T
    assert found.covariance == pytest.approx(expected, abs=1e-6)


def test_two_ways_of_clusters_add_up_less_their_overlap():
    both = np.unique(np.column_stack([PROMPT, JUDGE]), axis=0, return_inverse=True)[1].reshape(-1)
    one, other, overlap = (
        fit_strengths(clustered(codes)).covariance for codes in (PROMPT, JUDGE, both)
    )
    found = fit_strengths(clustered(PROMPT, JUDGE))
    expected = one + other - overlap
    values = np.linalg.eigvalsh(expected)
    assert values.min() > -1e-12  # else negative eigenvalues are set to 0 before
    assert found.covariance == pytest.approx(expected, abs=1e-9)
    assert found.n_groups == len(np.unique(JUDGE))


def test_a_weight_of_two_is_a_battle_twice():
    twice = np.concatenate([np.arange(N), np.arange(0, N, 2)])
    weights = 1.0 + (np.arange(N) % 2 == 0)
    repeated = fit_strengths(
        Battles(FIRST[twice], SECOND[twice], OUTCOME[twice], MODELS, clusters={"a": PROMPT[twice]})
    )
    weighted = fit_strengths(Battles(FIRST, SECOND, OUTCOME, MODELS, weights, {"a": PROMPT}))
    assert weighted.values == pytest.approx(repeated.values, abs=1e-9)
    assert weighted.covariance == pytest.approx(repeated.covariance, abs=1e-9)


def test_a_model_that_lost_all_battles_has_no_strength():
    first, second = np.array([0, 1, 0, 1]), np.array([1, 0, 2, 2])
    battles = Battles(first, second, np.array([1.0, 1, 1, 1]), 3)
    assert separated_models(battles) == (2,)
    with pytest.raises(ValueError, match="1 of 3 models cannot be placed"):
        fit_strengths(battles)
    tied = Battles(first, second, np.array([1.0, 1, 1, 0.5]), 3)
    assert separated_models(tied) == ()


def test_without_ties_davidsons_strengths_are_those_of_a_binomial_regression():
    kept = OUTCOME != 0.5
    battles = clustered(PROMPT).take(kept)
    found, expected = fit_strengths(battles), fit_strengths(battles, "drop")
    model = sm.GLM(OUTCOME[kept], design(True, kept), family=sm.families.Binomial())
    assert found.values == pytest.approx(CENTRE @ model.fit(tol=1e-13).params[:-1], abs=1e-9)
    assert found.covariance == pytest.approx(expected.covariance, abs=1e-12)
    assert found.tie is None


@pytest.mark.parametrize(
    ("outcome", "davidson", "half", "unordered"),
    [
        ([0.5, 0.5, 0.5, 0.5], False, True, False),  # a tie is certain
        ([1, 1, 1, 1], False, False, True),  # the first always wins
        ([1, 0.5, 1, 0.5], False, True, True),  # it wins or ties
        ([1, 0.5, 0.5, 0.5], False, True, False),  # nobody lost to the loser
        ([1, 0, 0.5, 0.5], True, True, True),
    ],
)
def test_a_likelihood_that_grows_without_end_is_recognised(outcome, davidson, half, unordered):
    first = np.array([0, 0, 1, 1])
    battles = Battles(first, 1 - first, np.array(outcome, dtype=float), 2)
    assert separated_models(battles) == ()
    for ties, order, expected in (
        ("davidson", True, davidson), ("half", True, half), ("davidson", False, unordered)
    ):  # fmt: skip
        assert is_bounded(battles, ties, order=order) == expected
        if expected:
            fit_strengths(battles, ties, order=order)
        else:
            with pytest.raises(ValueError, match="no maximum"):
                fit_strengths(battles, ties, order=order)


def test_few_clusters_are_called_what_they_are():
    sizes = {"judges": 300, "prompts": 40}
    found = sandwich(Strengths(np.ones(1), np.ones((1, 1)), 900, sizes), (None, None), 0.95)
    assert found.notes == (
        "with fewer than 50 prompts, the interval tends to be too narrow (Cameron & Miller 2015)",
    )
