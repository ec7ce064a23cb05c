"""Calibration slope and intercept: against statsmodels, and as a study measures them."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import evallang as ev
from evallang.metrics.metric import METRICS, Outcome, evaluate
from evallang.stats.logistic import weighted_intercepts, weighted_slopes


def drawn(seed, n=150):
    rng = np.random.default_rng(seed)
    logit = rng.normal(size=n)
    truth = (rng.random(n) < 1 / (1 + np.exp(0.3 - 0.8 * logit))).astype(int)
    return truth, 1 / (1 + np.exp(-logit)), rng


def fitted(truth, probability, weights=None, cov_type="nonrobust"):
    logit = np.log(probability) - np.log1p(-probability)
    more = {} if weights is None else {"freq_weights": weights}
    family = sm.families.Binomial()
    tight = {"tol": 1e-14, "maxiter": 200, "cov_type": cov_type}
    slope = sm.GLM(truth, sm.add_constant(logit), family=family, **more).fit(**tight)
    ones = np.ones(len(truth))
    level = sm.GLM(truth, ones, family=family, offset=logit, **more).fit(**tight)
    return {"calibration_slope": (slope, 1), "calibration_intercept": (level, 0)}


@pytest.mark.parametrize("name", ["calibration_slope", "calibration_intercept"])
@pytest.mark.parametrize("seed", range(5))
def test_values_and_influences_equal_statsmodels(name, seed):
    truth, probability, rng = drawn(seed)
    entry = METRICS[name]
    weights = rng.integers(0, 4, len(truth)).astype(float)
    for given in (None, weights):
        model, place = fitted(truth, probability, given)[name]
        found = evaluate(entry, {}, truth, probability, 1, 2, given)
        assert found == pytest.approx(model.params[place], abs=1e-9)
    robust, place = fitted(truth, probability, cov_type="HC0")[name]
    influences = entry.declaration.influences(Outcome(truth, probability, 2, 1))
    assert np.sqrt((influences**2).sum()) == pytest.approx(robust.bse[place], rel=1e-7)


@pytest.mark.parametrize(
    ("truth", "probability"),
    [
        ((1, 1, 1), (0.2, 0.3, 0.4)),
        ((0, 1, 0, 1), (0.3, 0.3, 0.3, 0.3)),
        ((0, 0, 1, 1), (0.1, 0.2, 0.8, 0.9)),
    ],
    ids=["one class", "constant", "separated"],
)
def test_a_slope_that_no_regression_has_is_undefined(truth, probability):
    found = evaluate(METRICS["calibration_slope"], {}, np.array(truth), np.array(probability), 1, 2)
    assert np.isnan(found)


def test_probabilities_of_0_and_1_are_kept_away_from_the_ends():
    truth = np.array([0, 1, 1, 0, 1, 0])
    given = np.array([0.0, 1.0, 0.7, 0.4, 0.3, 0.9])
    kept = np.clip(given, 1e-6, 1 - 1e-6)
    for name, (model, place) in fitted(truth, kept).items():
        found = evaluate(METRICS[name], {}, truth, given, 1, 2)
        assert found == pytest.approx(model.params[place], rel=1e-8)


def test_many_weightings_at_once_give_the_same():
    truth, probability, rng = drawn(9, 40)
    logit = np.log(probability) - np.log1p(-probability)
    weights = rng.integers(0, 3, (6, 40)).astype(float)
    y = truth.astype(float)
    slopes, levels = weighted_slopes(logit, y, weights), weighted_intercepts(logit, y, weights)
    for row, slope, level in zip(weights, slopes, levels, strict=True):
        models = fitted(truth, probability, row)
        assert slope == pytest.approx(models["calibration_slope"][0].params[1], abs=1e-9)
        assert level == pytest.approx(models["calibration_intercept"][0].params[0], abs=1e-9)


def test_a_study_gates_the_slope_by_its_interval(tmp_path):
    truth, probability, _ = drawn(4)
    rows = [f"{i},{t},{p:.9f}" for i, (t, p) in enumerate(zip(truth, probability, strict=True))]
    (tmp_path / "p.csv").write_text("id,y,s\n" + "\n".join(rows) + "\n")
    (tmp_path / "s.eval").write_text(
        'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  id id\n  truth y\n'
        '  positive 1\n  score a = "s"\nmeasure brier, calibration_slope\n'
        "require calibration_slope of a >= 0.1\nrequire calibration_slope of a <= 0.2\n"
        "report html\n"
    )
    record = ev.run(tmp_path / "s.eval", store="off").record
    found = next(e for e in record.estimates if e.metric == "calibration_slope")
    model, _ = fitted(truth, probability.round(9), cov_type="HC0")["calibration_slope"]
    half = stats.t.ppf(0.975, 149) * model.bse[1] * np.sqrt(150 / 149)
    assert found.interval.method == "jackknife"
    assert found.interval.low == pytest.approx(model.params[1] - half, abs=1e-6)
    assert [r.met for r in record.requirements] == [True, False]
