"""Exported models: fitted on all rows, chosen as stated, read in a fresh process."""

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from studies import run_into, study

from evallang.api.folder import FolderRefused
from evallang.api.preparing import read_and_plan
from evallang.api.running import RunFailed, run

CANCER = """\
evallang 1
study "Export"
  seed 3
data cancer from sklearn breast_cancer
  positive malignant
model logistic = StandardScaler | LogisticRegression(C in [0.001, 0.1, 10], max_iter=2000)
model bayes = GaussianNB
report html
"""
READER = """\
import json, sys
import skops.io
rows = json.load(sys.stdin)
trusted = json.loads(sys.argv[2])
model = skops.io.load(sys.argv[1], trusted=trusted)
print(json.dumps(model.predict(rows).tolist()))
assert not [name for name in sys.modules if name.startswith("evallang")]
"""


def in_a_fresh_process(path, trusted, rows):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READER, str(path), json.dumps(list(trusted))],
        input=json.dumps(rows.tolist()),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def best_c(table, stages, candidates) -> float:
    """Search as a plain loop over the inner folds that the plan drew."""
    means = []
    for c in candidates:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=2000))
        scores = []
        for train, validation in stages:
            model.fit(table.numeric[train], table.y[train])
            predicted = model.predict(table.numeric[validation])
            scores.append(accuracy_score(table.y[validation], predicted))
        means.append(np.mean(scores))
    return candidates[int(np.argmax(means))]


def test_an_exported_model_is_that_of_scikit_learn_on_all_rows_and_survives_its_process(tmp_path):
    made = study(
        CANCER + 'protocol nested cv outer=3 inner=3\nexport logistic to "m/l.skops"\n', tmp_path
    )
    export = run_into(tmp_path / "out", made).record.exports[0]
    task = read_and_plan(made).planned.layout.exports["logistic"]
    data = load_breast_cancer()
    assert task.task.refit.tolist() == list(range(569))
    prepared = read_and_plan(made)
    chosen = best_c(prepared.read.tables["cancer"], task.task.inner, [0.001, 0.1, 10])
    assert export.params == {"C": chosen}
    names = np.array(["malignant", "benign"])[data.target]
    plain = make_pipeline(StandardScaler(), LogisticRegression(C=chosen, max_iter=2000))
    expected = plain.fit(data.data, names).predict(data.data).tolist()
    found = in_a_fresh_process(tmp_path / "m" / "l.skops", export.trusted_types, data.data)
    assert found == expected


def test_an_export_holds_no_pickle_and_carries_the_columns_in_their_order(tmp_path):
    import pandas as pd

    made = study(CANCER + "protocol cv folds=3\ntune grid cv=2\nexport logistic\n", tmp_path)
    run_into(tmp_path / "out", made)
    file = tmp_path / "logistic.skops"
    with zipfile.ZipFile(file) as archive:
        assert not [name for name in archive.namelist() if "pkl" in name or "pickle" in name]
        assert all(item.date_time[0] == 1980 for item in archive.infolist())
    model = skops.io.load(file)
    data = load_breast_cancer()
    assert model.feature_names_in_.tolist() == list(data.feature_names)
    frame = pd.DataFrame(data.data, columns=data.feature_names)
    assert set(model.predict(frame)) == {"malignant", "benign"}
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])


def test_one_selection_is_taken_over_and_several_are_made_anew(tmp_path):
    once = study(CANCER + "protocol holdout test=1/3\ntune grid cv=3\nexport logistic\n", tmp_path)
    record = run(once).record
    assert record.exports[0].params == record.selections[0].params
    planned = read_and_plan(once).planned
    assert planned.layout.exports["logistic"].scheme == "chosen"
    assert planned.layout.exports["logistic"].task.n_fits == 1
    three_way = study(CANCER + "protocol holdout test=20% validation=20%\nexport logistic\n")
    assert read_and_plan(three_way).planned.layout.exports["logistic"].scheme == "chosen"
    full_sample = study(CANCER + "protocol bootstrap rounds=50\ntune grid cv=2\nexport logistic\n")
    assert read_and_plan(full_sample).planned.layout.exports["logistic"].scheme == "chosen"
    several = study(CANCER + "protocol cv folds=3\ntune grid cv=2\nexport logistic\n")
    export = read_and_plan(several).planned.layout.exports["logistic"]
    assert (export.scheme, len(export.task.inner), export.task.n_fits) == ("searched", 2, 7)


def test_the_best_is_that_of_the_first_measure_and_its_estimate_is_corrected(tmp_path):
    made = study(
        CANCER + "protocol cv folds=3\ntune grid cv=2\nmeasure roc_auc, accuracy\nexport best\n",
        tmp_path,
    )
    record = run(made).record
    aucs = {e.model: e.value for e in record.estimates if e.metric == "roc_auc"}
    export = record.exports[0]
    assert export.best
    assert export.model == max(aucs, key=aucs.__getitem__)
    assert export.corrected.naive == max(aucs.values())
    assert export.corrected.low <= export.corrected.value <= export.corrected.high
    assert export.corrected.models == ("logistic", "bayes")
    assert "tsamardinos2018" in {r.key for r in record.references}


def test_a_regression_is_exported_with_its_numbers(tmp_path):
    text = "data d from sklearn diabetes\nmodel r = Ridge(alpha=2)\nprotocol cv folds=3\n"
    made = study(text + "export r\n", tmp_path)
    export = run_into(tmp_path / "out", made).record.exports[0]
    rows, y = load_diabetes(return_X_y=True)
    model = skops.io.load(tmp_path / "r.skops", trusted=list(export.trusted_types))
    found = model.predict(rows[:20])
    np.testing.assert_allclose(found, Ridge(alpha=2).fit(rows, y).predict(rows[:20]), rtol=1e-12)


def test_mixed_columns_and_numeric_labels_come_back_as_they_were(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(
        {"age": [20, 30, None, 50, 60, 70] * 5, "town": ["a", "b", "a", "c", "b", "c"] * 5,
         "ill": [0, 0, 0, 1, 1, 1] * 5}
    )  # fmt: skip
    frame.to_csv(tmp_path / "visits.csv", index=False)
    text = (
        'report html\ndata visits from "visits.csv"\n  target ill\n'
        "model m = columns(numeric: SimpleImputer, categorical: OneHotEncoder("
        "handle_unknown=ignore)) | LogisticRegression\nprotocol cv folds=3\nexport m\n"
    )
    export = run_into(tmp_path / "out", study(text, tmp_path)).record.exports[0]
    model = skops.io.load(tmp_path / "m.skops", trusted=list(export.trusted_types))
    shuffled = frame[["town", "ill", "age"]]
    assert model.predict(shuffled[["age", "town"]]).tolist() == frame["ill"].tolist()
    assert model.predict(shuffled[["town", "age"]]).tolist() == frame["ill"].tolist()


def test_the_same_model_is_the_same_file_whatever_the_number_of_processes(tmp_path):
    text = CANCER.replace("GaussianNB", "RandomForestClassifier(n_estimators=5)")
    made = study(text + "protocol holdout\ntune grid cv=2\nexport bayes\n", tmp_path)
    one, two = (run(made, jobs=jobs).record.exports[0] for jobs in (1, 2))
    assert one == two


def test_an_export_that_fails_ends_the_run_as_failed_and_keeps_the_rest(tmp_path):
    text = (
        "report html\ndata d from sklearn iris\nmodel n = SVC\nmodel bayes = GaussianNB\n"
        "protocol cv folds=3\nexport n\nexport bayes\n"
    )
    made = study(text, tmp_path)
    from evallang.models import saving

    def refuse(model, rows):
        if type(model).__name__ == "SVC":
            raise saving.NotSaved("skops cannot save it: for the test")
        return plain(model, rows)

    plain, saving.save = saving.save, refuse
    try:
        with pytest.raises(RunFailed) as failed:
            run(made, out=tmp_path / "out")
    finally:
        saving.save = plain
    record = failed.value.results.record
    assert [(f.stage, f.model, f.error) for f in record.failures] == [("export", "n", "NotSaved")]
    assert [e.model for e in record.exports] == ["bayes"]
    assert (tmp_path / "bayes.skops").exists()


def test_a_link_that_leads_out_of_the_folder_is_refused_before_anything_is_fitted(tmp_path):
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    (home / "models").symlink_to(outside)
    made = study(
        CANCER + 'protocol holdout\ntune grid cv=2\nexport best to "models/b.skops"\n', home
    )
    with pytest.raises(FolderRefused, match="through a link"):
        run(made, out=home / "out")
    assert not list(outside.iterdir())


def test_the_plan_counts_the_fits_of_exports_and_the_run_makes_as_many():
    made = study(CANCER + "protocol nested cv outer=2 inner=2\nexport logistic\nexport bayes\n")
    plan = made.plan()
    # outer 2 x (2 x 3 + 1) and 2, exports 2 x 3 + 1 and 1
    assert plan.n_fits == 14 + 2 + 7 + 1
    assert [t.model for t in plan.tasks if t.kind == "export"] == ["logistic", "bayes"]
    counts = run(made).record.provenance.fits
    assert (counts.planned, counts.run) == (24, 24)


def test_what_skops_cannot_write_or_gives_back_as_another_is_not_saved(monkeypatch):
    from evallang.models.saving import NotSaved, save

    rows, labels = load_breast_cancer(return_X_y=True)
    model = GaussianNB().fit(rows, labels)
    broken = GaussianNB().fit(rows, labels)
    broken.generator_ = (i for i in range(3))
    with pytest.raises(NotSaved, match="skops cannot save it"):
        save(broken, rows)
    other = GaussianNB().fit(rows, 1 - labels)
    monkeypatch.setattr(skops.io, "loads", lambda data, trusted: other)
    with pytest.raises(NotSaved, match="predicts other values"):
        save(model, rows)
