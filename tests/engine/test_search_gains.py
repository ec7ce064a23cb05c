"""Searches that gained nothing: found where candidates are alike, silent where they differ."""

import numpy as np
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from studies import study, write_rows

from evallang.api import run
from evallang.engine.run_diagnostics import variation_between

STUDY = """\
evallang 1
study "Search"
  seed 1
data rows from "rows.csv"
  target y
  positive b
model near{waiver} = KNeighborsClassifier(n_neighbors in [{values}])
protocol nested cv outer=3 inner={inner}
measure accuracy
"""


def rows(folder, noise, n=240, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    y = np.where(x[:, 0] + noise * rng.normal(size=n) > 0, "b", "a")
    write_rows(folder, "rows.csv", "x,z,y", [(f"{a:.3f}", f"{b:.3f}", c) for (a, b), c in
                                             zip(x, y, strict=True)])  # fmt: skip


def told(folder, values, inner=5, waiver=""):
    text = STUDY.format(values=values, inner=inner, waiver=waiver)
    return [d for d in run(study(text, folder)).record.diagnostics if d["code"] == "W515"]


@pytest.mark.parametrize("seed", range(3))
def test_the_ratio_of_one_search_is_the_f_of_an_analysis_of_variance_with_folds_as_blocks(seed):
    import pandas as pd

    scores = np.random.default_rng(seed).normal(size=(5, 4))
    long = pd.DataFrame(
        [(i, j, scores[i, j]) for i in range(5) for j in range(4)], columns=["fold", "c", "y"]
    )
    table = anova_lm(ols("y ~ C(c) + C(fold)", long).fit(), typ=2)
    assert variation_between([scores]) == pytest.approx(table.loc["C(c)", "F"], rel=1e-10)


def test_candidates_with_equal_scores_are_reported_with_their_number(tmp_path):
    rows(tmp_path, noise=0.2)
    [found] = told(tmp_path, "121, 123, 125")  # more than half of the rows: all vote alike
    assert found["severity"] == "warning"
    assert "its 3 candidates" in found["message"]


def test_candidates_that_differ_are_not_reported(tmp_path):
    rows(tmp_path, noise=0.2)
    assert not told(tmp_path, "1, 15, 101, 127")


def test_two_inner_folds_are_not_judged(tmp_path):
    rows(tmp_path, noise=0.2)
    assert not told(tmp_path, "63, 65, 67", inner=2)


def test_all_zero_and_no_variation_within():
    assert variation_between([np.ones((3, 2))]) == 0
    assert variation_between([np.array([[0.1, 0.2]] * 3)]) is None
