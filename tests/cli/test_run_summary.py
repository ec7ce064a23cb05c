"""The summary that ends `evallang run`: what it states, and that it fits 80 columns."""

import re
from unicodedata import category, east_asian_width

import pytest
from click.testing import CliRunner
from studies import study

from evallang.api import run
from evallang.cli.main import root
from evallang.cli.summary_text import MOST_ROWS, text_lines
from evallang.reporting.figures import figure
from evallang.reporting.summary import summary

GATE = """\
evallang 1
study "PASS of a gate"
  seed 1
counts trial
  right old = 60 of 100
  right new = 87 of 100
compare new vs old with proportions_z
require accuracy of new >= 75%
require accuracy of old >= 75%
"""

LONG = ("x" * 90, "word " * 18, "短い名前のモデル" * 6, "نموذج عربي", "e\u0301" * 60, "a")


def call(*words):
    done = CliRunner().invoke(root, words, standalone_mode=False)
    assert done.exception is None, done.output
    return done


def columns_of(line):
    return sum(
        0 if category(c) in ("Mn", "Cf") else 1 + (east_asian_width(c) in "WF") for c in line
    )


def of_shares(folder, labels, more=""):
    lines = "".join(f'  right m{i} "{label}" = {50 + i} of 100\n' for i, label in enumerate(labels))
    text = f'evallang 1\nstudy "Shares"\n  seed 1\ncounts c\n{lines}{more}'
    return run(study(text, folder), jobs=1).record


def test_a_run_ends_with_the_text_of_show_then_the_verdicts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.eval").write_text(GATE)
    done = call("run", "gate.eval", "-j", "1", "--format", "html", "--no-look")
    shown = call("show", "gate-results").stdout
    assert done.return_value == 4
    verdicts = [line for line in done.stdout.splitlines() if line.startswith(("PASS", "FAIL"))]
    assert [line.split(" (")[0] for line in verdicts] == [
        "PASS accuracy of new >= 75%: 87.0% [79.0, 92.2]",
        "FAIL accuracy of old >= 75%: 60.0% [50.2, 69.1]",
    ]
    ending = "".join(f"{line}\n" for line in (*verdicts, "report: gate-results/report.html"))
    assert done.stdout == f"{shown}\n{ending}"
    assert "Results: PASS of a gate\n" in shown
    quiet = call("run", "gate.eval", "-j", "1", "--format", "html", "--no-look", "--quiet")
    assert quiet.stdout.splitlines() == verdicts


@pytest.mark.parametrize("labels", [LONG, [f"Model {i}" for i in range(30)]], ids=("long", "many"))
def test_every_line_fits_80_columns_and_long_tables_are_cut(labels, tmp_path):
    record = of_shares(tmp_path, labels, "compare all with proportions_z holm\n")
    made = summary(record)
    lines = list(text_lines(made))
    assert max(map(columns_of, lines)) <= 80
    text = "\n".join(lines)
    pairs = len(labels) * (len(labels) - 1) // 2
    left_out = max(0, pairs - MOST_ROWS)
    assert (f"{left_out:,} more rows" in text) == (left_out > 0)
    (compared,) = (table for table in made.tables if table.id.startswith("comparison-1"))
    assert len(compared.rows) == pairs
    assert not any("\u00a0" in line or line != line.rstrip() for line in lines)


def test_a_summary_draws_no_figure_and_cites_what_it_lists(tmp_path, monkeypatch):
    rows = "".join(f"{i % 2},{','.join(str(int(i % (7 + k) != 0)) for k in range(5))}\n"
                   for i in range(60))  # fmt: skip
    (tmp_path / "p.csv").write_text(f"y,a,b,c,d,e\n{rows}")
    text = 'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  truth y\nmeasure accuracy\n'
    record = run(study(text + "compare all with mcnemar holm\n", tmp_path), jobs=1).record
    monkeypatch.setattr(figure.Canvas, "__init__", None)  # any drawing would fail
    text = "\n".join(text_lines(summary(record)))
    cited = set(re.findall(r"(?<=BBC-CV) \[(\d+)\]", text))
    assert cited == set(re.findall(r"^\[(\d+)\] ", text, re.M)) == {"1"}
