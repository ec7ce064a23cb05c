"""The design's samples on given outcomes run on files of their form."""

import json
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
    assert {e.about for e in results.estimates} == {"new groups"}
