"""The design's samples on given outcomes, and that of own code, run on files of their form."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from studies import study

from evallang.api import run

SAMPLES = Path(__file__).parents[1] / "samples"
RNG = np.random.default_rng(5)


def sample(name):
    """Give the text of a sample without its `analyze` lines, which these tests are not about."""
    lines = (SAMPLES / f"{name}.eval").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("analyze")) + "\n"


def table(path, header, rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")


def test_05_predictions_of_two_files_go_through_every_kind_of_test(tmp_path):
    n = 120
    truth = RNG.integers(0, 2, n)
    margins = (truth - 0.5)[:, None] * np.array([3.0, 2.0, 1.0]) + RNG.normal(0, 1, (n, 3))
    shares = 1 / (1 + np.exp(-margins))
    labels = (margins > 0).astype(int)
    rows = zip(range(n), truth, labels[:, 0], shares[:, 0].round(4), strict=True)
    table(tmp_path / "preds" / "bert.csv", "sample_id,y_true,yhat,p_bert", rows)
    rows = zip(
        range(n), labels[:, 1], labels[:, 2], shares[:, 1].round(4), margins[:, 2].round(3),
        strict=True,
    )  # fmt: skip
    table(tmp_path / "preds" / "others.csv", "sample_id,yhat_gpt,yhat_svm,p_gpt,margin_svm", rows)
    results = run(study(sample("05_predictions"), tmp_path))
    count, curves, swapped = results.comparisons
    assert (count.omnibus.test, count.family.correction) == ("cochran", "westfall")
    assert [t.models for t in curves.pairwise] == [("bert", "gpt"), ("gpt", "svm")]
    assert [t.models for t in swapped.pairwise] == [("bert", "svm"), ("gpt", "svm")]
    assert {e.metric for e in results.estimates} == {
        "accuracy", "mcc", "roc_auc", "cost(matrix=[[0, 50], [10, 0]])",
    }  # fmt: skip
    assert all(e.value is not None for e in results.estimates)
    assert results.record.data[0].unit == "comments"


def test_06_a_table_of_scores_is_ranked_over_its_data_sets(tmp_path):
    base = RNG.uniform(0.6, 0.9, (20, 1))
    scores = (base + np.array([0, 0.01, 0.02, 0.05, 0.06]) + RNG.normal(0, 0.01, (20, 5))).round(3)
    table(
        tmp_path / "scores" / "auc.csv",
        "name,nb,c45,C4.5+m,rf,xgb",
        [(f"set {i}", *row) for i, row in enumerate(scores)],
    )
    results = run(study(sample("06_scores"), tmp_path))
    shaffer, nemenyi, bayes = results.comparisons
    assert shaffer.family.correction == "shaffer"
    assert (len(shaffer.pairwise), len(nemenyi.pairwise), len(bayes.pairwise)) == (10, 10, 1)
    assert shaffer.ranks.average["xgb"] < shaffer.ranks.average["nb"]
    posterior = bayes.pairwise[0].extra
    assert sum(posterior[k] for k in ("p_first", "p_rope", "p_second")) == pytest.approx(1)


def test_12_logs_are_joined_by_question_and_their_passages_are_the_unit(tmp_path):
    for model, share in (("a", 0.6), ("b", 0.8), ("c", 0.4)):
        lines = [
            json.dumps({"doc_id": i, "passage": f"p{i // 5}", "exact_match": float(right)})
            for i, right in enumerate(RNG.random(100) < share)
        ]
        (tmp_path / f"samples_{model}.jsonl").write_text("\n".join(lines) + "\n")
    results = run(study(sample("12_llm_logs"), tmp_path))
    (line,) = results.comparisons
    assert (line.family.size, {t.clusters.n for t in line.pairwise}) == (3, {20})
    (gate,) = results.requirements
    assert (gate.models, gate.met) == (("b", "a"), gate.interval[0] > -0.01)
    assert {e.about for e in results.estimates} == {"new groups from the same population"}


NET = """\
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Net(ClassifierMixin, BaseEstimator):
    def __init__(self, width=8, dropout=0.0):
        self.width, self.dropout = width, dropout
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        side = np.where(y == self.classes_[1], 1.0, -1.0)
        self.weights_ = np.linalg.lstsq(X, side, rcond=None)[0]
        return self
    def predict_proba(self, X):
        share = 1 / (1 + np.exp(-(1 - self.dropout) * (X @ self.weights_)))
        return np.column_stack([1 - share, share])
    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]
"""
UTILITY = """\
def utility(truth, prediction):
    return float(3 * (prediction[truth == ">50K"] == ">50K").mean() - (prediction != truth).mean())
"""


def test_09_own_models_and_an_own_metric_go_all_the_way(tmp_path):
    n, k = 90, 21
    rows = RNG.normal(0, 1, (n, k)).round(3)
    income = np.where(rows[:, :3].sum(axis=1) + RNG.normal(0, 0.5, n) > 0, ">50K", "<=50K")
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "adult.db")) as base, base:
        names = [f"x{i}" for i in range(k)]
        base.execute(f"create table adult (age integer, {' real, '.join(names)} real, income text)")
        filled = [(18 + i % 40, *map(float, row), str(y)) for i, (row, y) in
                  enumerate(zip(rows, income, strict=True))]  # fmt: skip
        base.executemany(f"insert into adult values ({','.join('?' * (k + 2))})", filled)
    table(tmp_path / "folds.csv", "fold", [(i % 2,) for i in range(n)])
    table(tmp_path / "mypkg" / "__init__.py", "", [])
    (tmp_path / "mypkg" / "models.py").write_text(NET)
    (tmp_path / "mypkg" / "metrics.py").write_text(UTILITY)
    text = sample("09_own_code").replace("bayes 50 cv=3", "random 2 cv=2")  # fewer fits
    results = run(study(text.replace("seeds=5", "seeds=2"), tmp_path), trust=True)
    own = [e for e in results.estimates if e.metric == "mypkg.metrics.utility"]
    assert [e.model for e in own] == ["net", "vote", "linear"]
    assert all(-1 <= e.value <= 3 and len(e.folds) == 2 for e in own)
    assert [f.path for f in results.record.spec.own_code] == ["mypkg.models", "mypkg.metrics"]
    assert results.record.exports[0].path == "models/adult.skops"
