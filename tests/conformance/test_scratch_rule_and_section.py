"""A rule with a later stage and a section of the report are one module each."""

import re
from contextlib import ExitStack
from html import unescape

import pytest
from click.testing import CliRunner
from scratch_members import files_that_name, registered, registered_rule
from studies import checked, codes, study

from docs.generator import diagnostics, marked
from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.checking.rules.rule import RULES
from evallang.cli.main import root
from evallang.reporting.section import SECTIONS

WINE = """\
evallang 1
study "Wine"
  seed 7
data wine from sklearn wine
model tree = DecisionTreeClassifier(max_depth=2)
protocol holdout test=1/3
measure accuracy
report html
"""
TENTH = WINE.replace("1/3", "1/10")


@pytest.fixture(autouse=True)
def _scratch():
    with ExitStack() as stack:
        stack.enter_context(registered_rule("tiny_holdout"))
        stack.enter_context(registered("ledger", SECTIONS))
        yield


def test_the_rule_objects_to_the_study_that_it_shows():
    shown = RULES["tiny_holdout"].code
    assert "W389" in codes(f"evallang 1\n{shown.words.wrong}\n")
    assert "W389" not in codes(f"evallang 1\n{shown.words.right}\n")


def test_the_rule_objects_to_the_options_and_can_be_waived():
    text = WINE.replace("1/3", "5%")
    (finding,) = [d for d in checked(text).diagnostics if d.code == "W389"]
    assert finding.severity == "warning"
    assert finding.help == "write `test=1/3`"
    waived = text.replace("test=5%", "test=5% # evallang: allow tiny_holdout because a demo")
    (allowed,) = [d for d in checked(waived).diagnostics if d.code == "W389"]
    assert allowed.allowed_because == "a demo"


def test_the_rule_objects_once_the_splits_are_drawn(tmp_path):
    assert "W389" not in codes(TENTH)
    found = [d for d in read_and_plan(study(TENTH, tmp_path)).diagnostics if d.code == "W389"]
    assert [d.message for d in found] == ["`holdout` tests on 18 rows"]
    assert "W389" not in [d.code for d in read_and_plan(study(WINE, tmp_path)).diagnostics]


def test_the_report_prints_the_section_and_the_objection(tmp_path):
    results = run(study(TENTH, tmp_path))
    results.save(tmp_path / "found")
    page = (tmp_path / "found" / "report.html").read_text(encoding="utf-8")
    text = re.sub(r"(?s)<(style|script|svg).*?</\1>", "", page)
    words = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", text)))
    assert "Ledger of rows" in words
    assert "Rows of each data set." in words
    assert "tests on 18 rows" in words
    assert "W389" in words


def test_the_rule_is_listed_explained_and_documented():
    listed = CliRunner().invoke(root, ["list", "rules"]).output
    assert "W389 tiny_holdout" in listed
    for asked in ("W389", "tiny_holdout"):
        explained = CliRunner().invoke(root, ["explain", asked])
        assert explained.exit_code == 0
        assert "twenty points wide" in explained.output
    made = dict(diagnostics.pages())
    assert "W389" in made["rules"]
    assert "W389" not in made["errors"]


def test_the_section_is_documented():
    assert "| `ledger` | Ledger of rows | yes |" in marked._sections("")


def test_nothing_else_names_them():
    assert files_that_name("tiny_holdout", "W389", "ledger", "Ledger") == []
