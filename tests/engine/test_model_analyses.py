"""`analyze` about models: which models, data sets and protocols, and what a report prints."""

import json

import numpy as np
import pytest
import studies
from sklearn import metrics as peers
from studies import study, write_rows

from evallang.api import run

CANCER = """\
evallang 1
study "Curves"
  seed 1
data cancer from sklearn breast_cancer
  positive malignant
model near "Nearest" = StandardScaler | KNeighborsClassifier
model bayes "Bayes" = GaussianNB
model prior "Prior" = DummyClassifier
"""
GIVEN = """\
evallang 1
study "Given"
  seed 1
predictions test_set from "preds.csv"
  truth label
  models cnn as cnn, base as base
  score cnn = "p_cnn"
  score base = "p_base"
"""


def words_of(results, folder):
    results.save(folder / "out", ("html",))
    return studies.words_of(folder / "out" / "report.html")


def given(folder, repeats=1, groups=None, weights=False, n=120):
    """Write predictions of two models, some of which are repeated, grouped or weighted."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, n)
    rows = []
    for repeat in range(repeats):
        scores = [
            np.clip(0.5 + 0.25 * (truth - 0.5) + rng.normal(0, s, n), 0.01, 0.99)
            for s in (0.2, 0.4)
        ]
        for i in range(n):
            p, q = (float(s[i]) for s in scores)
            group = i if groups is None else i % groups
            weight = 1 + i % 3 if weights else 1
            rows.append((i, repeat, group, weight, f"c{truth[i]}", f"c{int(p > 0.5)}",
                         f"c{int(q > 0.5)}", f"{p:.3f}", f"{q:.3f}"))  # fmt: skip
    write_rows(folder, "preds.csv", "id,run,who,w,label,cnn,base,p_cnn,p_base", rows)


def analyses(text, folder):
    return run(study(text, folder)).record.analyses


def test_all_models_but_the_baseline_are_analyzed_on_each_protocol(tmp_path):
    text = CANCER + (
        "protocol deep = cv folds=5\nprotocol once = holdout test=1/3\nmeasure accuracy\n"
        "analyze confusion\nanalyze roc of prior on once\nanalyze agreement on deep\nreport html\n"
    )
    results = run(study(text, tmp_path))
    found = [(a.kind, a.protocol, a.model) for a in results.record.analyses]
    assert found == [
        ("confusion", "deep", "near"), ("confusion", "deep", "bayes"),
        ("confusion", "once", "near"), ("confusion", "once", "bayes"),
        ("roc", "once", "prior"), ("agreement", "deep", None),
    ]  # fmt: skip
    roc = results.record.analyses[4].values
    assert roc["about"] == "this fitted model"
    assert roc["summaries"] == ({"name": "area", "value": 0.5, "low": None, "high": None},)
    words = words_of(results, tmp_path)
    assert "Pairwise agreement of models" in words
    assert "We further analysed the held-out predictions (ROC curve" in words


def test_values_are_those_of_the_predictions(tmp_path):
    given(tmp_path)
    text = GIVEN + "measure accuracy\nanalyze roc, confusion, calibration(bins=5), agreement\n"
    results = run(study(text, tmp_path))
    found = {(a.kind, a.model): a.values for a in results.record.analyses}
    import polars as pl

    table = pl.read_csv(tmp_path / "preds.csv")
    truth = (table["label"] == "c1").to_numpy().astype(int)
    area = peers.roc_auc_score(truth, table["p_cnn"].to_numpy())
    assert found["roc", "cnn"]["summaries"][0]["value"] == pytest.approx(area, abs=1e-12)
    cells = [cell["count"] for cell in found["confusion", "base"]["cells"]]
    matrix = peers.confusion_matrix(table["label"], table["base"])
    assert cells == matrix.ravel().tolist()
    kappa = peers.cohen_kappa_score(table["cnn"], table["base"])
    assert found["agreement", None]["pairs"][0]["kappa"] == pytest.approx(kappa, abs=1e-12)
    assert len(found["calibration", "cnn"]["points"]) <= 5


@pytest.mark.parametrize(
    ("clauses", "made", "unit"),
    [
        ("  id id\n  repeat run\n", {"repeats": 3}, "percentile bootstrap"),
        ("  group who\n", {"groups": 40}, "percentile bootstrap"),
        ("  weight w\n", {"weights": True}, "percentile bootstrap"),
        ("", {}, "Wilson"),
    ],
)
def test_shares_have_the_interval_of_the_design(clauses, made, unit, tmp_path):
    given(tmp_path, **made)
    text = GIVEN + clauses + "measure accuracy\nanalyze confusion, roc\nreport html\n"
    results = run(study(text, tmp_path))
    first = results.record.analyses[0]
    assert first.values["method"] == unit
    for cell in first.values["cells"]:
        assert cell["low"] < cell["share"] < cell["high"]
    assert f"({unit})" in words_of(results, tmp_path)


def test_what_cannot_be_computed_is_printed_with_its_reason(tmp_path):
    # each fold has one class
    rows = [(f"c{i % 2}", i % 2, "c0", f"{i / 100:.2f}") for i in range(60)]
    write_rows(tmp_path, "preds.csv", "label,fold,cnn,p_cnn", rows)
    text = GIVEN.replace("cnn as cnn, base as base", "cnn as cnn").replace(
        '  score base = "p_base"\n', "  fold fold\n"
    )
    results = run(study(text + "measure accuracy\nanalyze roc\nreport html\n", tmp_path))
    (found,) = results.record.analyses
    assert found.values["problem"] == "no fold has examples of both classes"
    words = words_of(results, tmp_path)
    assert "ROC curve of cnn could not be computed: no fold has examples of both classes" in words
    plain = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert "points" not in plain["analyses"][0]["values"]
