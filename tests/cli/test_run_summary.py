"""The summary that ends `evallang run`: what it states, and that it fits 80 columns."""

import csv
import io
import re
from unicodedata import category, east_asian_width

import pytest
from click.testing import CliRunner
from studies import study

from evallang.api import run
from evallang.cli.main import root
from evallang.cli.summary_text import MOST_ROWS, WIDTH, text_lines
from evallang.printable import wrapped
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
    (compared,) = (table for table in made.tables if table.id == "comparison-1")
    assert len(compared.rows) == pairs
    assert not any("\u00a0" in line or line != line.rstrip() for line in lines)


def test_numbers_end_below_each_other_and_shared_heads_are_above_their_columns(tmp_path):
    lines = list(text_lines(summary(of_shares(tmp_path, ("短い名前", "b")))))
    start = next(i for i, line in enumerate(lines) if "Accuracy, %" in line)
    rule, heads, *_ = lines[start + 1 :]
    rows = lines[start + 4 : start + 6]
    ends = {columns_of(row[: row.index("[")].rstrip()) for row in rows}
    assert len(ends) == 1 and heads[: heads.index("Est.") + 4].strip()
    assert ends == {heads.index("Est.") + 4}
    assert rule.strip("- ") == "" and rule.index("-") == heads.index("Est.")


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


def test_csv_names_the_model_above_its_levels(tmp_path):
    rows = "".join(f"{i % 2},{i % 2},{int(i % 5 > 0)},{'uv'[i % 40 < 20]}\n" for i in range(80))
    (tmp_path / "p.csv").write_text(f"y,a,b,part\n{rows}")
    text = (
        'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  truth y\n'
        "  models a, b\nmeasure accuracy within part\n"
    )
    run(study(text, tmp_path), out=tmp_path / "out", jobs=1)
    shown = call("show", str(tmp_path / "out"), "--format", "csv").stdout
    found = csv.DictReader(io.StringIO(shown))
    rows = [row for row in found if row["table"].startswith("subgroups-1")]
    assert {(row["group"], row["stub"]) for row in rows} == {(m, v) for m in "ab" for v in "uv"}
    lines = call("show", str(tmp_path / "out")).stdout.splitlines()
    assert "  a" in lines and any(line.startswith("    u ") for line in lines)


def test_a_first_column_shrinks_to_keep_the_p_of_a_pair_in_its_row(tmp_path):
    (tmp_path / "p.csv").write_text("y,a,b\n" + "1,1,0\n0,0,0\n0,0,1\n1,0,1\n" * 30)
    text = (
        'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  truth y\n'
        '  models a "Quite a long name" as a, b "Another long name" as b\n'
        "measure accuracy\ncompare a vs b with mcnemar\n"
    )
    lines = list(text_lines(summary(run(study(text, tmp_path), jobs=1).record)))
    lines = lines[next(i for i, line in enumerate(lines) if line.startswith("Table 2.")) :]
    (first,) = (line for line in lines if line.startswith("  Quite a ") and "[" in line)
    assert re.search(r"\] +(< )?\.\d{3}$|> \.999$|1\.000$", first), first
    assert max(map(columns_of, lines)) <= 80


def visible_order(line):
    """Return the parts of a line with the signs around names, each complete on its line."""
    assert line.count("\u2068") == line.count("\u2069")
    depth = 0
    for sign in line:
        depth += {"\u2068": 1, "\u2069": -1}.get(sign, 0)
        assert depth in (0, 1)
    assert depth == 0


def test_a_name_read_from_the_right_that_is_broken_is_closed_on_each_line():
    name = "\u2068" + " ".join(["\u0627\u0644\u063a\u0627\u0628\u0629"] * 12) + "\u2069"
    lines = wrapped(f"The best was {name} (95% CI [1.5, 2.5]).", WIDTH, "  - ", "    ")
    assert len(lines) > 1
    for line in lines:
        visible_order(line)
    assert lines[-1].startswith("    \u2068") and lines[-1].endswith("\u2069 (95% CI [1.5, 2.5]).")
    assert wrapped("no such name", 6) == ["no", "such", "name"]


def test_a_long_word_is_broken_only_on_request_and_spaces_between_words_stay():
    assert wrapped("  at /a/long/path  now", 8, later="    ") == [
        "  at",
        "    /a/long/path",
        "    now",
    ]
    assert wrapped("at abcdefgh", 6, later="  ", broken=True) == ["at", "  abcd", "  efgh"]
    assert wrapped("a  b", 4) == ["a  b"]
    assert wrapped("one a  b three", 8) == ["one a  b", "three"]
    assert wrapped("短い 名前", 6) == ["短い", "名前"]
