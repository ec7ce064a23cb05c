"""One study, one result: whatever the number of processes, the folder or the hash seed."""

import json
import os
import subprocess
import sys

import pytest

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
    two = run(tmp_path / "a", tmp_path / "out-2", "-j", "2", hash_seed="1")
    again = run(tmp_path / "b/deeper", tmp_path / "out-3", "-j", "1", hash_seed="2")
    assert one == two
    assert one == again


def test_the_path_on_the_command_line_stays_out_of_the_results(tmp_path):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "study.eval").write_text(STUDY.replace("n_estimators=4", "n_estimators=2"))
    out = tmp_path / "out"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "evallang",
            "run",
            "deep/study.eval",
            "-o",
            str(out),
            "-j",
            "1",
            "--format",
            "csv",
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    results = json.loads((out / "results.json").read_text())
    assert results["spec"]["path"] == "study.eval"
    assert {d["path"] for d in results["diagnostics"]} <= {"study.eval"}
