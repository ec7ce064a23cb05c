"""Tests over data sets: one score of each model on each, the same as of a plain loop."""

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from studies import study

from evallang.api import run

MODELS = {"bayes": GaussianNB(), "near": KNeighborsClassifier(), "ridge": RidgeClassifier()}
LOADERS = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """Three files, the rows of each in an order of their own, and a column of folds."""
    folder = tmp_path_factory.mktemp("suite")
    tables = {}
    for name, load in LOADERS.items():
        x, y = load(return_X_y=True)
        order = np.random.default_rng(7).permutation(len(y))
        x, y, fold = x[order], y[order], np.arange(len(y)) % 3
        columns = [*(f"x{i}" for i in range(x.shape[1])), "y", "fold"]
        rows = [
            ",".join([*(repr(float(v)) for v in line), f"c{label}", str(f + 1)])
            for line, label, f in zip(x, y, fold, strict=True)
        ]
        (folder / f"{name}.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
        tables[name] = x, y, fold
    return folder, tables


TEXT = """evallang 1
study "Suite"
  seed 1
data suite from "*.csv"
  target y
  features all except fold
model bayes = GaussianNB
model near = KNeighborsClassifier
model ridge = RidgeClassifier
protocol split by fold
measure accuracy
compare across data with friedman then wilcoxon holm by balanced_accuracy
compare bayes, near across data with wilcoxon
"""


def scores(tables, score):
    found = np.zeros((len(tables), len(MODELS)))
    for row, name in enumerate(sorted(tables)):
        x, y, fold = tables[name]
        for column, model in enumerate(MODELS.values()):
            guessed = np.empty_like(y)
            for f in range(3):
                guessed[fold == f] = model.fit(x[fold != f], y[fold != f]).predict(x[fold == f])
            found[row, column] = score(y, guessed)
    return found


def recalls(y, guessed):
    return np.mean([np.mean(guessed[y == label] == label) for label in np.unique(y)])


def test_files_of_a_pattern_are_data_sets_and_ranks_are_over_them(suite):
    folder, tables = suite
    results = run(study(TEXT, folder))
    expected = scores(tables, lambda y, guessed: np.mean(y == guessed))
    assert [e.value for e in results.estimates] == pytest.approx(list(expected.ravel()))
    by_recall, by_accuracy = results.comparisons
    ranks = np.mean([rankdata(-row) for row in scores(tables, recalls)], axis=0)
    assert list(by_recall.ranks.average.values()) == pytest.approx(list(ranks))
    assert by_recall.ranks.n == by_accuracy.ranks.n == 3
    (pair,) = by_accuracy.pairwise
    assert pair.p == wilcoxon(expected[:, 0], expected[:, 1], method="exact").pvalue
