"""No cell of a CSV file begins a formula, whatever its text passes on the way."""

import csv
import io

import pytest
from calling import call

from evallang.printable import ISOLATES, inert

STUDY = """\
evallang 1
study "Cells"
  seed 1
predictions p from "p.csv"
  truth y
  models a as "{label}", b as "b"
measure accuracy, recall
analyze confusion
compare a vs b with mcnemar
report csv
"""
STARTS = ("=", "+", "@", "-", "＝", "＋", "－", "＠")


def cells(text):
    for row in csv.reader(io.StringIO(text)):
        yield from row
        for cell in row:  # as a program reads it that divides rows at semicolons
            yield from cell.replace("\t", ";").split(";")


@pytest.mark.parametrize("formula", ["=1+1", "@SUM(A1)", "+1+cmd", "x;=1+1", "＝1+1"])
@pytest.mark.parametrize("letter", ["\u05d0", "\u0627", ""])
def test_labels_and_classes_of_any_script_begin_no_formula(tmp_path, formula, letter):
    label = formula + letter
    rows = "".join(f'"{label}","{label}",no\nno,"{label}",no\n' for _ in range(10))
    (tmp_path / "p.csv").write_text(f'y,"{label}",b\n{rows}', encoding="utf-8")
    (tmp_path / "study.eval").write_text(STUDY.format(label=label), encoding="utf-8")
    done = call("run", "study.eval", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = call("show", "study-results", "--format", "csv", folder=tmp_path).stdout
    files = list((tmp_path / "study-results").rglob("*.csv"))
    assert len(files) > 2
    named = 0
    for text in (shown, *(file.read_text(encoding="utf-8") for file in files)):
        for cell in cells(text):
            named += formula[-3:] in cell
            number = cell.replace(".", "", 1).lstrip("-").replace("e-", "", 1).isdigit()
            assert number or not cell.lstrip().startswith(STARTS), cell
    assert named


def test_what_is_removed_later_hides_no_formula():
    assert inert(f"{ISOLATES[0]}=1\u05d0{ISOLATES[1]}") == "'=1\u05d0"
    assert inert(" =1") == "' =1" and inert("a;=1") == "a;'=1" and inert("a; b, c") == "a; b, c"
