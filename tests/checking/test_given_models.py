"""What outputs computed elsewhere show before a run, against scikit-learn and scipy."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import accuracy_score, mean_absolute_error, roc_auc_score
from studies import write_rows

from evallang.api.preparing import check_data
from evallang.api.study_file import open_study
from evallang.reporting.numbers import bounded

N = 120
DRAW = np.random.default_rng(20261128)
TRUTH = (DRAW.random(N) < 0.3).astype(int)
SCORE = TRUTH + DRAW.normal(0, 1.1, N)
NUMBERS = DRAW.gamma(2, 10, N)
FORECAST = NUMBERS + DRAW.normal(0, 6, N)


def found(folder, code, clauses, columns):
    names, values = zip(*columns.items(), strict=True)
    write_rows(folder, "p.csv", ",".join(names), zip(*values, strict=True))
    ids = "  id id\n" if "id" in columns else ""
    text = f'evallang 1\npredictions p from "p.csv"\n{ids}{clauses}\n'
    (folder / "study.eval").write_text(text)
    told = check_data(open_study(folder / "study.eval"))
    return [d for d in told if d.code == code]


def test_scores_below_chance_are_told_with_the_area_of_scikit_learn(tmp_path):
    columns = {"id": range(N), "y": TRUTH, "p": -SCORE}
    clauses = "  truth y\n  positive 1\n  score a = p\nmeasure roc_auc"
    (one,) = found(tmp_path, "W485", clauses, columns)
    assert f"of {bounded(roc_auc_score(TRUTH, -SCORE), 2)}, where chance gives .5" in one.message
    assert found(tmp_path, "W485", clauses, columns | {"p": SCORE}) == []


def test_scores_of_counted_parts_are_told_as_those_of_one_file(tmp_path):
    rows = list(zip(TRUTH, -SCORE, np.full(N, 0.4), strict=True))
    for part in range(3):
        write_rows(tmp_path, f"p-{part}.csv", "y,p,same", rows[40 * part : 40 * part + 40])
    text = (
        'evallang 1\npredictions p from "p-{part}.csv"\n  truth y\n  positive 1\n'
        "  score a = p\n  score b = same\nmeasure roc_auc\n"
    )
    (tmp_path / "study.eval").write_text(text)
    told = {d.code: d.message for d in check_data(open_study(tmp_path / "study.eval"))}
    assert f"of {bounded(roc_auc_score(TRUTH, -SCORE), 2)}, where" in told["W485"]
    assert "gives all 120 examples the same number, 0.4" in told["W490"]


def test_predictions_in_the_unit_of_the_truth_are_not_of_another_scale(tmp_path):
    clauses = "  truth y\n  models a\nmeasure mae"
    for numbers in (FORECAST, NUMBERS.mean() + 0.1 * (FORECAST - NUMBERS.mean()), FORECAST + 15):
        columns = {"id": range(N), "y": NUMBERS, "a": numbers}
        assert found(tmp_path, "W462", clauses, columns) == []
    (one,) = found(tmp_path, "W462", clauses, columns | {"a": np.log1p(np.abs(FORECAST))})
    rank = spearmanr(NUMBERS, np.log1p(np.abs(FORECAST))).statistic
    assert f"rank correlation of {bounded(rank, 2)}" in one.message


def test_scores_with_few_decimals_agree_by_chance_and_are_no_copies(tmp_path):
    clauses = "  truth y\n  positive 1\n  score a = p\nmeasure roc_auc"
    for decimals, twice, copies in ((2, 1, 0), (3, 1, 0), (9, 1, 0), (9, 2, 1)):
        columns = {"y": np.tile(TRUTH, twice), "p": np.tile(SCORE.round(decimals), twice)}
        assert len(found(tmp_path, "W412", clauses, columns)) == copies


def test_scores_without_skill_are_rarely_below_chance(tmp_path):
    # An interval at 95% lies below chance for one in 40 models without skill
    clauses = "  truth y\n  positive 1\n  " + "\n  ".join(f"score m{i} = s{i}" for i in range(200))
    columns = {f"s{i}": DRAW.random(N).round(6) for i in range(200)}
    told = found(tmp_path, "W485", clauses, {"id": range(N), "y": TRUTH} | columns)
    assert len(told) <= 12  # binomial of 200 and .025: 5 expected, more than 12 in 1 of 1,000


def test_predictions_that_fall_as_the_truth_rises_are_told_with_their_rank_correlation(tmp_path):
    clauses = "  truth y\n  models a\nmeasure mae"
    (one,) = found(tmp_path, "W485", clauses, {"id": range(N), "y": NUMBERS, "a": -FORECAST})
    assert bounded(spearmanr(NUMBERS, -FORECAST).statistic, 2) in one.message


@pytest.mark.parametrize("above", [0.002, -0.002])
def test_a_margin_is_compared_with_the_lead_over_a_constant_model(tmp_path, above):
    labels = np.where(DRAW.random(N) < 0.1, 1 - TRUTH, TRUTH)
    columns = {"id": range(N), "y": TRUTH, "a": labels, "b": labels}
    dummy = DummyClassifier().fit(TRUTH[:, None], TRUTH).predict(TRUTH[:, None])
    lead = accuracy_score(TRUTH, labels) - accuracy_score(TRUTH, dummy)
    assert lead > 0.01
    clauses = (
        "  truth y\n  positive 1\n  models a, b\nmeasure accuracy, balanced_accuracy\n"
        f"require a not worse than b by {lead + above:.6f}"
    )
    assert len(found(tmp_path, "W435", clauses, columns)) == (above > 0)


@pytest.mark.parametrize("above", [0.1, -0.1])
def test_a_margin_of_an_error_is_compared_with_the_better_constant(tmp_path, above):
    columns = {"id": range(N), "y": NUMBERS, "a": FORECAST, "b": FORECAST}
    dummy = DummyRegressor(strategy="median").fit(NUMBERS[:, None], NUMBERS)
    constant = mean_absolute_error(NUMBERS, dummy.predict(NUMBERS[:, None]))
    lead = constant - mean_absolute_error(NUMBERS, FORECAST)
    clauses = (
        f"  truth y\n  models a, b\nmeasure mae\nrequire a not worse than b by {lead + above:.6f}"
    )
    assert len(found(tmp_path, "W435", clauses, columns)) == (above > 0)
