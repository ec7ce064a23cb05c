"""Confusion matrices that are wider than a page are lists of mistakes; the file has all counts."""

import csv
from collections import Counter

import pytest

import evallang as ev
from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Table
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.section import build

STUDY = """evallang 1
study "Letters"
  seed 1
predictions letters from "p.csv"
  id id
  truth truth
  models net "Net"
measure accuracy
analyze confusion
report csv
"""


def rows_of(classes):
    """Return classes, and predictions of which the first of every ten is the next class."""
    names = [f"{chr(97 + i)}{i}" for i in range(classes)]
    truth = [names[i % classes] for i in range(20 * classes)]
    wrong = [names[(i + 1) % classes] for i in range(20 * classes)]
    # every class is wrong in its first and its eleventh example
    return truth, [
        w if i // classes % 10 == 0 else t
        for i, (t, w) in enumerate(zip(truth, wrong, strict=True))
    ]


@pytest.mark.parametrize("classes", [3, 26])
def test_the_table_fits_a_page_and_the_file_has_every_count(classes, tmp_path):
    truth, predicted = rows_of(classes)
    lines = [
        "id,truth,net",
        *(f"{i},{t},{p}" for i, (t, p) in enumerate(zip(truth, predicted, strict=True))),
    ]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "s.eval").write_text(STUDY, encoding="utf-8")
    results = ev.run(tmp_path / "s.eval", out=tmp_path / "out", look=False)
    found = [s for s in build(Context(results.record)).sections if s.name == "confusion_matrices"]
    blocks = [block for section in found for block in section.blocks]
    table = next(block for block in blocks if isinstance(block, Table))
    assert fits_on_a_page(table) and len(table.rows) == classes
    assert any(isinstance(block, Figure) and not block.further for block in blocks)
    with (tmp_path / "out/tables/confusion-1.csv").open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    counted = {(r["True class"], r["Predicted class"]): int(r["Count"]) for r in found}
    assert {key: n for key, n in counted.items() if n} == Counter(
        zip(truth, predicted, strict=True)
    )
    assert len(found) == classes**2
    right = next(r for r in found if r["True class"] == r["Predicted class"] == truth[0])
    assert float(right["Share of the true class"]) == 18 / 20
    assert float(right["Share low"]) < 0.9 < float(right["Share high"])
    listed = "".join(getattr(run, "text", "") for run in table.rows[0].cells[2].runs)
    if classes == 26:
        assert listed.startswith("b1 2 (10.0%)")
        assert table.spanners == ()
    else:
        assert table.spanners
