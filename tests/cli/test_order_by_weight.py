"""What changes the conclusion first is shown first, and the last sentence says what it changes."""

import random

import pytest
from calling import call

from evallang.checking.rules.rule import load_codes
from evallang.cli.terminal import conclusion
from evallang.diagnostics import CODES, diagnose, sorted_by_weight
from evallang.source import Span

load_codes()


UNREAD = "; the data were not read: `--data` looks for leakage, copies and groups in their rows"


def findings(*codes):
    return [diagnose(CODES[c], "m", Span("s", i, i + 1)) for i, c in enumerate(codes)]


@pytest.mark.parametrize(("codes", "words"), [
    (["W102", "W313"], "2 warnings: the first changes what the p-value is about" + UNREAD),
    (["W313"], "1 warning: it changes what the p-value is about" + UNREAD),
    (["W301", "W412"], "2 warnings: the first changes whether the scores hold on new data, the "
     "second changes how often a difference is claimed where none exists" + UNREAD),
    (["W412", "W330"], "2 warnings: both warnings change whether the scores hold on new data"
     + UNREAD),
    (["W102"], "1 warning" + UNREAD),
    (["E101", "W412"], "1 error and 1 warning"),
    (["W353"], "1 hint" + UNREAD),
    ([], "no findings" + UNREAD),
])  # fmt: skip
def test_a_check_ends_with_what_its_warnings_change(codes, words):
    assert conclusion(findings(*codes), read=False) == words


LEAK = """evallang 1
study
  seed 1
data ward from "ward.csv"
{waiver}  target died
  positive yes
model nb = GaussianNB
protocol cv folds=5
measure roc_auc
"""


def leaking(folder, waiver=""):
    """Write a study whose column `unit` follows from the outcome."""
    draw = random.Random(5)
    died = [draw.random() < 0.4 for _ in range(200)]
    rows = "".join(
        f"{draw.gauss(60 + 4 * d, 10):.2f},{draw.gauss(80, 9):.1f},{draw.gauss(5 * d, 1):.3f},"
        f"{'yes' if d else 'no'}\n"
        for d in died
    )
    (folder / "ward.csv").write_text("age,pulse,unit,died\n" + rows, encoding="utf-8")
    (folder / "s.eval").write_text(LEAK.format(waiver=waiver), encoding="utf-8")
    return str(folder / "s.eval")


def test_a_leaking_study_whose_data_were_not_read_is_told_so(tmp_path):
    path = leaking(tmp_path)
    assert "the data were not read" in call("check", path).stderr
    read = call("check", "--data", path)
    assert "[W446]" in read.stderr and "not read" not in read.stderr


def test_a_check_lists_what_the_author_accepted(tmp_path):
    reason = "# evallang: allow feature_gives_the_target_away because the unit is known before\n"
    done = call("check", "--data", leaking(tmp_path, "  " + reason))
    *_, accepted, last = done.stderr.strip().splitlines()
    assert accepted.endswith(
        "s.eval:6: feature_gives_the_target_away, because the unit is known before"
    )
    assert accepted.startswith("accepted in ") and last.endswith(", 1 accepted by the study file")


def test_errors_come_first_then_weights_then_places():
    order = [d.code for d in sorted_by_weight(findings("W353", "W313", "W412", "W330", "E101"))]
    assert order == ["E101", "W412", "W330", "W313", "W353"]
