"""The page that compares the checks of skore with ours: codes exist, its figure is simulated."""

import re
from pathlib import Path

import numpy as np
import pytest

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES

PAGE = Path(__file__).parents[2] / "docs" / "checks-of-skore.md"


def test_each_check_of_skore_is_beside_a_code_or_the_reason_that_there_is_none():
    lines = re.findall(r"^\| SKD0(\d\d) .*\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number in lines] == list(range(1, 17))
    rows = [line for line in PAGE.read_text(encoding="utf-8").split("\n") if "| SKD" in line]
    assert all("not found by evallang, because" in row or "codes/W" in row for row in rows)


def test_each_link_of_the_page_names_the_code_that_it_leads_to():
    load_codes()
    linked = re.findall(r"\[(\w+)\]\(reference/codes/(\w+)\.md\)", PAGE.read_text(encoding="utf-8"))
    assert len(linked) > 10
    assert all(code == place and code in CODES for code, place in linked)


def test_folds_that_differ_by_chance_meet_the_rule_of_skore_as_often_as_the_page_says():
    """`0.6745 * abs(score - median) / MAD > 3` of skore 0.28.0, for one metric of five folds."""
    scores = np.random.default_rng(7).normal(size=(40_000, 5))
    distance = np.abs(scores - np.median(scores, axis=1, keepdims=True))
    outliers = 0.6745 * distance / np.median(distance, axis=1, keepdims=True) > 3
    percent = re.search(r"in (\d+)% of cases", PAGE.read_text(encoding="utf-8"))[1]
    assert 100 * outliers.any(axis=1).mean() == pytest.approx(float(percent), abs=0.8)
    assert round(3 / 0.6745, 2) == 4.45
