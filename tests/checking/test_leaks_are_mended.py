"""Following the advice about a leak in the rows mends it, whatever the study compares with."""

import random
import re
from pathlib import Path

import pytest
from applied_help import applied
from studies import checked

from evallang.api.preparing import check_data
from evallang.api.study_file import check_text

HEAD = "evallang 1\nstudy\n  seed 3\n"
VISITS = """\
data visits from "visits.csv"
  target {kind}
  features crp, age
model mean = {baseline}
model a = StandardScaler | {linear}
model b = {near}(n_neighbors=15)
protocol {protocol}
measure {metric}
compare a vs b with {test}
"""
CLASSES = {
    "kind": "ill\n  positive yes",
    "baseline": "DummyClassifier",
    "linear": "LogisticRegression",
    "near": "KNeighborsClassifier",
}
NUMBERS = {
    "kind": "load",
    "baseline": "DummyRegressor",
    "linear": "Ridge",
    "near": "KNeighborsRegressor",
}
OF_CLASSES = [
    ("accuracy", "mcnemar"),
    ("accuracy", "bootstrap"),
    ("accuracy", "permutation"),
    ("accuracy", "corrected_t"),
    ("roc_auc", "delong"),
    ("brier", "t"),
]
OF_NUMBERS = [
    ("mae", test) for test in ("t", "wilcoxon", "permutation", "bootstrap", "corrected_t")
]
PROTOCOLS = [
    "cv folds=5",
    "repeated cv folds=5 times=10",
    "holdout test=30%",
    "leave_one_out",
    "nested cv outer=5 inner=3",
    "mine = cv folds=5",
]


def without_error(words, tests):
    """Return the studies whose tests go with their protocol before any advice."""
    made = [
        HEAD + VISITS.format(**words, protocol=protocol, metric=metric, test=test)
        for protocol in PROTOCOLS
        for metric, test in tests
    ]
    return [text for text in made if not any(d.is_error for d in checked(text).diagnostics)]


def lines(text):
    return "-".join(re.findall(r"protocol (.*)|with (.*)", text)[0][:1]) + text.split("with")[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three visits of each of 120 patients, and a load that depends on that of the day before."""
    made = tmp_path_factory.mktemp("leaks")
    draw = random.Random(12)
    rows = ["patient,crp,age,ill"]
    for patient in range(120):
        own = draw.gauss(0, 1)
        for _ in range(3):
            crp = draw.gauss(own, 0.5)
            ill = "yes" if own + draw.gauss(0, 0.4) > 0 else "no"
            rows.append(f"p{patient},{crp:.3f},{draw.gauss(60 + 5 * own, 9):.2f},{ill}")
    (made / "visits.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows, load = ["day,crp,age,load"], 0.0
    for day in range(360):
        load = 0.9 * load + draw.gauss(0, 1)
        date = f"{2020 + day // 336}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}"
        rows.append(f"{date},{draw.gauss(0, 1):.3f},{draw.gauss(5, 2):.2f},{load + 50:.3f}")
    (made / "load.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return made


def found(text: str, folder: Path):
    return check_data(check_text(text, "study.eval", folder))


def mended(text, folder, code):
    """Return the codes of errors and warnings before and after following one finding's help."""
    (leak,) = (d for d in found(text, folder) if d.code == code)
    after = found(applied(text, leak), folder)
    return [d.code for d in after if d.severity != "hint"], leak.help


def left_after_help(texts, folder, code):
    """Return, by study, whether a finding is left after its help is followed, and that help."""
    found = {}
    for text in texts:
        again, told = mended(text, folder, code)
        if left := [c for c in again if c == code]:
            found[lines(text)] = left, told
    return found


def test_naming_the_unit_mends_the_leak(folder):
    texts = without_error(CLASSES, OF_CLASSES)
    assert len(texts) == 28  # most designs
    assert left_after_help(texts[::3], folder, "W417") == {}


def test_testing_forward_in_time_mends_the_leak(folder):
    texts = [text.replace("visits", "load") for text in without_error(NUMBERS, OF_NUMBERS)]
    assert len(texts) == 24
    assert left_after_help(texts[::3], folder, "W444") == {}
