"""Shares of the fits: a simulated SLURM array, and shares that cannot be meant."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from calling import call

STUDY = """\
evallang 1
study "Shares"
  seed 1
data iris from sklearn iris
model bayes = GaussianNB
model tree = DecisionTreeClassifier(max_depth in 1..3)
model rows = KNeighborsClassifier
protocol nested cv outer=4 inner=2
measure accuracy
report html
"""
PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "study.eval").write_text(STUDY)
    return tmp_path


def test_the_array_of_the_manual_makes_all_fits_of_the_last_run(folder):
    script = re.search(r"<<'END'\n(#!/bin/sh\n.*?)END\n", PAGE.read_text("utf-8"), re.DOTALL)[1]
    shares = [
        subprocess.Popen(
            ["sh", "-c", script],
            cwd=folder,
            env={
                **os.environ,
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "SLURM_ARRAY_TASK_ID": str(number),
                "SLURM_ARRAY_TASK_COUNT": "2",
                "SLURM_CPUS_PER_TASK": "1",
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (1, 2)
    ]
    printed = [share.communicate(timeout=120)[0] for share in shares]
    assert [share.returncode for share in shares] == [0, 0]
    assert printed == ["share 1 of 2: 6 tasks\n", "share 2 of 2: 6 tasks\n"]
    assert not (folder / "study-results").exists()
    words = "run", "study.eval", "--no-look", "-j", "1", "--format", "html", "--store"
    last = call(*words, "store", folder=folder)
    assert last.returncode == 0 and "36 of 36 fits from the store" in last.stderr
    predictions = folder / "study-results" / "predictions.parquet"
    merged = predictions.read_bytes()
    assert call(*words, "off", folder=folder).returncode == 0
    assert predictions.read_bytes() == merged


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--shard", "0/3"), "the shares of 3 are 1/3 to 3/3"),
        (("--shard", "3"), "write it as K/N"),
        (("--shard", "1/0"), "must be from 1 to 10,000"),
        (("--shard", "1/2", "-o", "out"), "`-o` and `--shard`"),
        (("--shard", "1/2", "--store", "off"), "needs a store"),
    ],
)
def test_a_share_that_cannot_be_meant_is_refused(folder, words, told):
    done = call("run", "study.eval", "-j", "1", *words, folder=folder)
    assert done.returncode in (1, 2) and told in done.stderr


def test_a_share_needs_a_study_without_errors_and_a_store_that_can_be_used(folder):
    (folder / "file").write_text("")
    words = "run", "study.eval", "-j", "1", "--shard", "1/2", "--store"
    done = call(*words, "file", folder=folder)
    assert done.returncode == 2 and "no fit could be kept" in done.stderr
    (folder / "study.eval").write_text(STUDY.replace("accuracy", "acuracy"))
    done = call(*words, "s", folder=folder)
    assert done.returncode == 1 and "did you mean `accuracy`" in done.stderr
    assert not (folder / "s").exists()
