"""A results.json that was changed is read as far as its types allow, or refused with the place."""

import json
import subprocess
import sys

import pytest
from studies import study

from evallang.api import run
from evallang.results import codec

TEXT = (
    'evallang 1\nstudy "s"\n  seed 1\ndata iris from sklearn iris\nmodel bayes = GaussianNB\n'
    "model tree = DecisionTreeClassifier\nprotocol holdout\nmeasure accuracy\n"
    "compare with mcnemar\nreport html\n"
)


@pytest.fixture(scope="module")
def text():
    return codec.dumps(run(study(TEXT)).record)


def changed(text, place, value):
    document = json.loads(text)
    inside = document
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("diagnostics",), [{"notes": 3}], r"diagnostics\[0\].notes is not a list"),
        (("diagnostics",), [{"message": {}}], r"diagnostics\[0\].message is not of type str"),
        (("models", 1, "label"), None, r"models\[1\].label is not of type str"),
        (("data", 0, "n"), True, r"data\[0\].n is not of type int"),
        (("estimates", 0, "value"), float("nan"), "NaN is not a number of JSON"),
        (("schema",), "evallang/results/9", "results of schema"),
    ],
)
def test_the_place_of_what_is_wrong_is_named(text, place, value, told):
    with pytest.raises(ValueError, match=told):
        codec.loads(changed(text, place, value))


def test_unknown_fields_are_passed_over(text):
    assert codec.loads(changed(text, ("models", 0, "later"), 1)) == codec.loads(text)


@pytest.mark.parametrize(
    "content",
    [b"[" * 200_000, b"{", b"", b"\xff\xfe{}", b"3", b'{"schema": []}', b" " * 1_000_000],
)
def test_the_shell_answers_2_in_one_line(tmp_path, content):
    (tmp_path / "results.json").write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-m", "evallang", "report", "."],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("Error: cannot read `.`: ")
    assert done.stderr.count("\n") == 1
