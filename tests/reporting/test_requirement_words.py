"""Requirements that could not be decided say why, where they are read first."""

import re

import pytest
from studies import study
from test_careful_words import Page

from evallang.api import run

TEXT = """evallang 1
predictions p from "p.csv"
  truth t
  models a
  positive 1
measure accuracy within site
require accuracy of a >= 50% within site
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate")
    rows = [f"{i % 2},{i % 2 if i % 5 else 1 - i % 2},{'B' if i < 8 else 'A'}" for i in range(60)]
    (folder / "p.csv").write_text("\n".join(["t,a,site", *rows]))
    return Page(run(study(TEXT, folder)).record)


def test_a_level_too_small_to_decide_is_a_failure_with_its_reason(page):
    (failed,) = [line for line in page.findings() if line.startswith("Not met.")]
    assert "site = B" in failed
    assert re.search(r"cannot be decided: .* fewer than 30", failed)


def test_intervals_that_were_not_made_are_not_listed(page):
    notes = page.notes("table-requirements")
    assert "Wilson score interval" in notes
    assert "None" not in notes
