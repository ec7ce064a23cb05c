"""Requirements in words and in their forest, where each line is at its margin or threshold."""

import re

import fixture
import pytest
from drawings import ungrouped
from msgspec.structs import replace
from studies import study

from evallang.api import run
from evallang.reporting import document
from evallang.reporting.context import Context
from evallang.reporting.findings import findings
from evallang.reporting.requirements import requirements

TEXT = """evallang 1
study
  seed 1
predictions p from "p.csv"
  truth t
  models a "New model", b "Old <b>model</b>"
measure {metrics}
{lines}
"""
ROWS = [
    f"{i % 2},{i % 2 if i % 9 else 1 - i % 2},{i % 2 if i % 4 else 1 - i % 2}" for i in range(90)
]
NUMBERS = [f"{i},{i + (i % 3) / 4},{i - (i % 4) / 3}" for i in range(60)]
NUMBER = r"(-?[\d.]+)"


def drawn(folder, lines, metrics="accuracy", rows=ROWS):
    (folder / "p.csv").write_text("\n".join(["t,a,b", *rows]))
    text = TEXT.format(metrics=metrics, lines="\n".join(f"require {line}" for line in lines))
    return run(study(text, folder), jobs=1).record


def told(record):
    """Return the requirements as the key findings and the table state them."""
    context = Context(record)
    (items,) = [b.items for b in findings(context) if isinstance(b, document.NumberedFindings)]
    table, *_ = requirements(context)
    stubs = [words(row.cells[0].runs) for row in table.rows]
    return [words(item) for item in items], stubs


def words(row):
    parts = [words(r.runs) if hasattr(r, "runs") else getattr(r, "text", "") for r in row]
    return "".join(parts).replace("\u00a0", " ")


def panels(record):
    found = [b for b in requirements(Context(record)) if isinstance(b, document.Figure)]
    return [panel for figure in found for panel in figure.panels]


def lines_on_scale(svg):
    """Read the dashed lines of a drawing in the unit of its ticks, from the places of the ticks."""
    ticks = []
    for x, text in re.findall(rf'<text x="{NUMBER}"[^>]*text-anchor:middle">([^<]*)</text>', svg):
        if re.fullmatch(r"\u2212?[\d.]+", text):
            ticks.append((float(x), float(text.replace("\u2212", "-"))))
    (x0, v0), (x1, v1) = ticks[0], ticks[-2]
    found = re.findall(rf'<path d="M{NUMBER} {NUMBER}L[^"]*" style="[^"]*dasharray', svg)
    return [round(v0 + (float(x) - x0) * (v1 - v0) / (x1 - x0), 2) for x, _ in found]


@pytest.mark.parametrize(
    ("line", "said", "lines"),
    [
        ("a not worse than b by 2.75%",
         "New model not worse than {} by more than 2.75 points in accuracy", [-2.75]),
        ("a better than b by 1%",
         "New model better than {} by more than 1 point in accuracy", [1.0]),
        ("b equivalent to a within 5% at 90%",
         "{} equivalent to New model within 5 points in accuracy", [-5.0, 5.0]),
        ("a better than b", "New model better than {} in accuracy", [0.0]),
        ("accuracy of a >= 83.33%", "Accuracy of New model at least 83.33%", [83.33]),
        ("error_rate of b <= 20%", "Error rate of {} at most 20%", [20.0]),
    ],
)  # fmt: skip
def test_a_requirement_is_in_words_and_its_line_where_they_say(line, said, lines, tmp_path):
    record = drawn(tmp_path, [line], "accuracy, error_rate")
    said = said.format("Old <b>model</b>")
    (_, finding, *_), stubs = told(record)
    assert stubs == [said] and f"et. {said}: " in finding
    (panel,) = panels(record)
    assert lines_on_scale(ungrouped(panel.svg)) == lines
    assert said in panel.alt.replace("\u00a0", " ") and "<b>" not in panel.svg
    assert finding.startswith("Met. ") == record.requirements[0].met
    fills = re.findall(r"fill:(#\w+);stroke:#\w+;stroke-width:1.1", panel.svg)
    assert (fills[0] != "#ffffff") == record.requirements[0].met


def test_a_margin_of_a_loss_is_on_its_own_side(tmp_path):
    record = drawn(tmp_path, ["a not worse than b by 0.25", "a better than b by 0.01"], "mae",
                   NUMBERS)  # fmt: skip
    (panel,) = panels(record)
    assert lines_on_scale(ungrouped(panel.svg)) == [0.25, -0.01]
    assert told(record)[1][0].endswith("by more than 0.25 in mean absolute error")


def test_requirements_that_read_alike_are_numbered_and_undecided_ones_keep_their_margin(tmp_path):
    record = drawn(tmp_path, ["a better than b with mcnemar", "a better than b at 99%"])
    assert [stub[-9:] for stub in told(record)[1]] == [" (1 of 2)", " (2 of 2)"]
    text = """evallang 1
study
  seed 1
data iris from sklearn iris
model a = GaussianNB
model b = PCA(n_components=60) | GaussianNB
protocol holdout test=1/3
measure accuracy
require a not worse than b by 2%
require accuracy of b >= 50%
"""
    from evallang.api import RunFailed

    with pytest.raises(RunFailed) as failed:
        run(study(text, tmp_path), jobs=1)
    record = failed.value.results.record
    assert told(record)[1] == ["a not worse than b by more than 2 points in accuracy",
                               "Accuracy of b at least 50%"]  # fmt: skip
    assert panels(record) == []


def test_results_of_older_versions_state_the_threshold(tmp_path):
    record = fixture.holdout()
    older = tuple(replace(item, operator=None) for item in record.requirements)
    stubs = told(replace(record, requirements=older))[1]
    assert "Recall of SVM (RBF), threshold 95% for site = north" in stubs
