"""One data set under several protocols: every number is under the one it was made by."""

import re

import numpy as np
import pytest
from conftest import folded
from studies import study
from test_careful_words import Page

from evallang.api import run

HEAD = """evallang 1
data d from "d.csv"
  target y
  positive yes
model near = KNeighborsClassifier(n_neighbors=3)
model tree = DecisionTreeClassifier(max_depth=2)
"""
PROTOCOLS = """protocol once = cv folds=3
protocol often = repeated cv folds=3 times=2
protocol same = resubstitution
protocol part = holdout test=1/2
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    y = np.where(x + rng.normal(size=60) > 0, "yes", "no")
    lines = [f"{a},{b}" for a, b in zip(x.tolist(), y, strict=True)]
    (folder / "d.csv").write_text("\n".join(["x,y", *lines]))
    text = HEAD + PROTOCOLS + "measure accuracy\ncompare with corrected_t on often\n"
    return Page(run(study(text, folder)).record)


def test_each_protocol_has_a_table_of_its_own_with_its_interval(page):
    headings = [page.figure(f"table-estimates-{k}") for k in (1, 2, 3, 4)]
    assert None not in headings
    assert "data sets" not in page.words("estimates")
    assert "Wilson" in page.notes("table-estimates-1")
    assert "corrected resampled t" in page.notes("table-estimates-2")


def test_a_protocol_without_an_interval_says_so_once(page):
    said = page.notes("table-estimates-3")
    assert said.count("no interval") == 1


def test_findings_name_the_protocol_they_are_about(page):
    lead, pair = page.findings()[:2]
    assert lead.startswith("Under often, ")
    assert pair.startswith("Under often, ")


def test_the_head_names_every_protocol_or_counts_them(page):
    head = folded(page.root.find(".//header[@class='title']"))
    assert "and three further protocols" in head
    assert re.search(r"Protocols\s*4", head)
