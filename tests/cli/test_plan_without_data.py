"""A plan without the data gives what does not depend on them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evallang.cli.main import root

STUDY = """\
evallang 1

study "P"
  seed 1

data d from "gone.csv"
  target y

model a = LogisticRegression(C in [1, 10])
model b = DummyClassifier
model c = LogisticRegression(C in [1, 10])

protocol nested cv outer=5 inner=3
compare a, b with 5x2cv_f
"""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def planned(text: str) -> dict:
        Path("study.eval").write_text(text)
        done = CliRunner().invoke(root, ["plan", "study.eval", "--format", "json"])
        assert done.exit_code == 0, done.output
        assert "[E401]" in done.stderr and "`gone.csv`" in done.stderr
        return json.loads(done.stdout)

    return planned


def test_fits_that_the_text_settles_are_counted(plan):
    document = plan(STUDY)
    # a model with 2 candidates is fitted 3 * 2 + 1 = 7 times a split; `a` and `c` are one
    # model written twice: 5 * (7 + 1) and, for the 5x2cv F test, 10 * (7 + 1)
    assert [p["n_fits"] for p in document["protocols"]] == [40, 80]
    assert document["n_fits"] == 120
    # without sharing: 5 * (7 + 1 + 7) and 10 * (7 + 1)
    assert document["n_fits_naive"] == 155


@pytest.mark.parametrize(
    "protocol", ["leave_one_out", "leave_p_out p=2", "leave_one_group_out", "split by part"]
)
def test_fits_that_the_data_settle_are_null(plan, protocol):
    grouped = STUDY.replace("target y", "target y\n  group g") if "group" in protocol else STUDY
    text = grouped.replace("nested cv outer=5 inner=3", protocol)
    document = plan(text.replace("C in [1, 10]", "C=1").replace("compare a, b with 5x2cv_f\n", ""))
    assert document["n_fits"] is None
    assert [p["n_fits"] for p in document["protocols"]] == [None]
