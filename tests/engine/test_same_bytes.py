"""One study, one result: whatever the number of processes, the folder or the hash seed."""

import json
import os
import subprocess
import sys

import pytest
from calling import call
from msgspec.structs import replace
from studies import study

import evallang as ev
from evallang.results import codec

STUDY = """evallang 1
study "Same bytes"
  seed 5
data wine from sklearn wine
let prep = StandardScaler
model forest = RandomForestClassifier(n_estimators=4)
model knn = prep | KNeighborsClassifier(n_neighbors in 1..9 step 4)
model logistic = prep | LogisticRegression(C in [0.1, 1])
protocol nested cv outer=3 inner=2
measure accuracy, log_loss
compare with cochran then mcnemar holm
compare forest, knn with 5x2cv_f by accuracy
"""


def run(folder, out, *options, hash_seed="0"):
    subprocess.run(
        [
            sys.executable,
            "-m",
            "evallang",
            "run",
            "study.eval",
            "-o",
            str(out),
            *options,
            "--format",
            "csv",
        ],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    results = json.loads((out / "results.json").read_text())
    del results["provenance"]
    return json.dumps(results), (out / "predictions.parquet").read_bytes()


@pytest.mark.slow
def test_processes_folder_and_hash_seed_change_no_byte(tmp_path):
    for name in ("a", "b/deeper"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "study.eval").write_text(STUDY)
    one = run(tmp_path / "a", tmp_path / "out-1", "-j", "1")
    other = run(tmp_path / "b/deeper", tmp_path / "out-2", "-j", "2", hash_seed="1")
    assert one == other


def test_the_path_on_the_command_line_stays_out_of_the_results(tmp_path):
    folder = tmp_path / "deep"
    folder.mkdir()
    text = STUDY.partition("let prep")[0] + "model bayes = GaussianNB\nprotocol cv folds=2\n"
    (folder / "study.eval").write_text(f"{text}measure accuracy\n")
    done = call("run", "deep/study.eval", "-o", "out", "-j", "1", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["spec"]["path"] == "study.eval"
    assert {d["path"] for d in results["diagnostics"]} <= {"study.eval"}


SEARCH = """evallang 1
study
  seed 1
data wine from sklearn wine
model line = StandardScaler | PCA(n_components in [2, 60, 5]) \
| LogisticRegression(C in [0.1, 1, 10], max_iter in [1, 100])
model wide = PCA(n_components in [60, 70]) | GaussianNB
model svm = StandardScaler | SVC(C in [0.1, 1, 10], gamma in [0.01, 0.1])
model near = StandardScaler | KNeighborsClassifier(n_neighbors in [1, 3, 5], p in [1, 2])
protocol holdout test=30%
tune cv=3
measure accuracy
"""


def searched(jobs):
    try:
        found = ev.run(study(SEARCH), jobs=jobs, store="off").record
    except ev.api.RunFailed as failed:
        found = failed.results.record
    made = replace(found.provenance, started="", seconds=0.0)
    return replace(found, provenance=made)


def test_results_do_not_depend_on_how_many_share_a_search():
    one, several = searched(1), searched(3)
    assert codec.dumps(one) == codec.dumps(several)
    # candidates warn, some of them fail, and of one model all
    assert {warning.category for warning in one.warnings} == {"ConvergenceWarning"}
    assert {(f.model, f.stage) for f in one.failures} == {
        ("line", "inner"), ("wide", "inner"), ("wide", "outer")
    }  # fmt: skip
    assert {s.model for s in one.selections} == {"line", "svm", "near"}
