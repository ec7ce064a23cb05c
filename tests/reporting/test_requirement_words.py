"""Requirements in words: those not decided say why, and lines and margins are as written."""

import re

import fixture
import pytest
from msgspec.structs import replace
from studies import study
from test_careful_words import Page

from evallang.api import RunFailed, run

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
    hidden = replace(page.results.report, hide=("findings",))
    notes = Page(replace(page.results, report=hidden)).notes("table-requirements")
    assert "Wilson score interval" in notes
    assert "None" not in notes


PAIRS = """evallang 1
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


def decided(folder, lines, metrics="accuracy", rows=ROWS):
    (folder / "p.csv").write_text("\n".join(["t,a,b", *rows]))
    text = PAIRS.format(metrics=metrics, lines="\n".join(f"require {line}" for line in lines))
    return run(study(text, folder), jobs=1).record


def told(record):
    """Return the key findings, and the requirements as a table states them without findings."""
    hidden = replace(record, report=replace(record.report, hide=("findings",)))
    return Page(record).findings(), [row[0] for row in Page(hidden).table("table-requirements")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a not worse than b by 2.75%",
         "New model not worse than {} by more than 2.75 points in accuracy"),
        ("a better than b by 1%", "New model better than {} by more than 1 point in accuracy"),
        ("b equivalent to a within 5% at 90%",
         "{} equivalent to New model within 5 points in accuracy"),
        ("a better than b", "New model better than {} in accuracy"),
        ("accuracy of a >= 83.33%", "Accuracy of New model at least 83.33%"),
        ("error_rate of b <= 20%", "Error rate of {} at most 20%"),
    ],
)  # fmt: skip
def test_a_requirement_is_in_words_with_its_line_as_it_was_written(line, said, tmp_path):
    record = decided(tmp_path, [line], "accuracy, error_rate")
    said = said.format("Old <b>model</b>")
    (finding, *_), stubs = told(record)
    verdict = "met" if record.requirements[0].met else "not met"
    assert stubs == [said] and finding.startswith(f"The requirement was {verdict}. {said}: ")


def test_a_margin_of_a_loss_is_in_its_unit(tmp_path):
    lines = ["a not worse than b by 0.25", "a better than b by 0.01"]
    assert told(decided(tmp_path, lines, "mae", NUMBERS))[1][0].endswith(
        "by more than 0.25 t units in mean absolute error"
    )


def test_requirements_that_read_alike_are_numbered_and_undecided_ones_keep_their_margin(tmp_path):
    record = decided(tmp_path, ["a better than b with mcnemar", "a better than b at 99%"])
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
    with pytest.raises(RunFailed) as failed:
        run(study(text, tmp_path), jobs=1)
    record = failed.value.results.record
    assert told(record)[1] == ["a not worse than b by more than 2 points in accuracy",
                               "Accuracy of b at least 50%"]  # fmt: skip


def test_results_of_older_versions_state_the_threshold():
    record = fixture.holdout()
    older = tuple(replace(item, operator=None) for item in record.requirements)
    stubs = told(replace(record, requirements=older))[1]
    assert "Recall of SVM (RBF), threshold 95% for site = north" in stubs
