"""What a run tells to `logging`, and that it prints nothing by itself."""

import logging
import subprocess
import sys

import evallang as ev

STUDY = """evallang 1
study "Two models"
  seed 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=2)
model bayes = GaussianNB
protocol cv folds=3
measure accuracy
compare with mcnemar
"""


def test_phases_and_counts_are_logged(caplog, tmp_path):
    with caplog.at_level(logging.DEBUG, logger="evallang"):
        ev.run(ev.parse(STUDY), out=tmp_path / "out")
    assert {record.name for record in caplog.records} == {"evallang"}
    info = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
    assert info[0].startswith("checked study.eval: findings ")
    assert info[1] == "read the data and planned the fits: sources 1, fits 6"
    assert info[2].startswith("ran the study: fits 6, failed 0, seconds ")
    assert info[3] == f"wrote the results to {tmp_path / 'out'}"
    debug = [record.getMessage() for record in caplog.records if record.levelname == "DEBUG"]
    assert "begin the fits: tasks 6, jobs 1" in debug
    (computed,) = [line for line in debug if line.startswith("computed the nodes: ")]
    assert {"fit 6", "evidence 1", "estimate 2", "results 1"} <= set(
        computed.removeprefix("computed the nodes: ").split(", ")
    )


def test_nothing_is_printed_unless_asked_for(tmp_path):
    script = f"import evallang as ev\nev.run(ev.parse({STUDY!r}))\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
