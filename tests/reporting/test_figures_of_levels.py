"""The forest of estimates within the levels of a column."""

import re

import numpy as np

import evallang as ev
from evallang.reporting.context import Context
from evallang.reporting.document import Figure
from evallang.reporting.report import plain
from evallang.reporting.section import build

STUDY = """
evallang 1
study
  seed 1
predictions exam from "x.csv"
  id id
  truth truth
  models first "First", second "Second"
  task classification
  positive 1
measure accuracy, recall within site
"""


def test_levels_are_drawn_with_their_size_and_the_estimate_of_all_rows():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    site = np.where(rng.random(300) < 0.4, "north", "south")
    table = {"id": np.arange(300), "truth": truth, "site": site}
    for model, wrong in (("first", 0.3), ("second", 0.1)):
        table[model] = np.where(rng.random(300) < wrong, 1 - truth, truth)
    results = ev.run(ev.parse(STUDY), data={"exam": table}, store="off", look=False)
    blocks = [
        block
        for section in build(Context(results.record)).sections
        if section.supplement
        for block in section.blocks
    ]
    (figure,) = (b for b in blocks if isinstance(b, Figure) and b.id.startswith("figure-subgroups"))
    assert [plain(panel.title) for panel in figure.panels] == ["Accuracy", "Recall"]
    assert "each level of site" in plain(figure.caption)
    for panel, rows in zip(figure.panels, (np.full(300, True), truth == 1), strict=True):
        for model in ("first", "second"):
            right = table[model] == truth
            whole = 100 * right[rows].mean()
            for level in ("north", "south"):
                share = 100 * right[rows & (site == level)].mean()
                name = f"{model.capitalize()}, {level} ({(site == level).sum()})"
                said = re.search(rf"{re.escape(name)} (\d+\.\d) \[.*?\], all (\d+\.\d)", panel.alt)
                assert said is not None, panel.alt
                assert abs(float(said[1]) - share) < 0.06 and abs(float(said[2]) - whole) < 0.06
        first, second = (panel.alt.index(name) for name in ("First", "Second"))
        assert second < first  # the best model by accuracy is first, as in the table of estimates
        lines = [m for m in panel.drawing.marks if "stroke-dasharray" in m.style]
        assert len(lines) == 4  # one for each row
