"""Sheets of Excel workbooks mean what the same cells mean in a text file.

The workbooks are written by XlsxWriter, another program than the one that reads them.
"""

import datetime
from importlib import util

import pytest
import xlsxwriter

from evallang.data import excel
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings

DAY = datetime.datetime(2024, 1, 2)
TESTED = [
    ["id", "truth", "cnn", "p", "day"],
    [1, "cat", "cat", 1 / 3, DAY],
    [2, "dog", "NA", 1e-12, DAY],
    [],
    [3, "cat", "dog", 0.25, None],
]


@pytest.fixture
def book(tmp_path):
    """Write a workbook of sheets, and read one of them."""

    def write(**sheets):
        with xlsxwriter.Workbook(tmp_path / "book.xlsx") as workbook:
            dates = workbook.add_format({"num_format": "yyyy-mm-dd"})
            for name, rows in sheets.items():
                sheet = workbook.add_worksheet(name)
                for row, cells in enumerate(rows):
                    for column, cell in enumerate(cells):
                        if isinstance(cell, datetime.datetime):
                            sheet.write_datetime(row, column, cell, dates)
                        elif cell is not None:
                            sheet.write(row, column, cell)

    def read(location="book.xlsx", **sheets):
        if sheets:
            write(**sheets)
        findings = Findings({})
        return findings.tried(read_file, location, tmp_path), findings.diagnostics

    return read


def test_a_sheet_is_read_to_the_last_digit_with_its_own_rows(book):
    frame, found = book(tested=TESTED)
    assert found == ()
    frame = frame.mark_missing()
    assert [frame.values(name).to_list() for name in ("id", "truth", "cnn")] == [
        [1, 2, 3],
        ["cat", "dog", "cat"],
        ["cat", None, "dog"],
    ]
    assert frame.values("p").to_list() == [1 / 3, 1e-12, 0.25]
    assert frame.values("day").to_list() == [DAY.date(), DAY.date(), None]
    assert [frame.place(row) for row in range(3)] == [
        "row 1 (line 2)",
        "row 2 (line 3)",
        "row 3 (line 5)",
    ]


def test_the_first_sheet_is_read_and_stated_unless_another_is_named(book):
    first, _ = book(tested=TESTED, other=[["a"], [True], [False]])
    assert first.columns[0] == "id"
    assert "book.xlsx#tested: one of 2 sheets, `tested`, `other`" in first.notes
    other, _ = book("book.xlsx#other")
    assert other.values("a").to_list() == [True, False]
    _, (wrong,) = book("book.xlsx#othr")
    assert (wrong.code, wrong.help) == ("E405", "did you mean `other`?")


def test_a_word_among_numbers_is_never_dropped(book):
    frame, _ = book(tested=[["x"], [1.5], ["lost"], [2]])
    assert frame.values("x").to_list() == ["1.5", "lost", "2"]


@pytest.mark.parametrize(
    ("rows", "code"),
    [([], "E407"), ([["a", "b"]], "E407"), ([["a", "a"], [1, 2]], "E409")],
)
def test_sheets_without_rows_or_with_equal_names_are_refused(book, rows, code):
    assert [d.code for d in book(sheet=rows)[1]] == [code]


def test_what_is_no_workbook_is_refused(tmp_path):
    (tmp_path / "book.xlsx").write_text("a,b\n1,2\n")
    findings = Findings({})
    assert findings.tried(read_file, "book.xlsx", tmp_path) is None
    assert [d.code for d in findings.diagnostics] == ["E405"]


def test_the_extra_is_named_where_it_is_missing(book, monkeypatch, here):
    monkeypatch.setattr(excel, "find_spec", lambda name: None)
    _, (found,) = book(tested=TESTED)
    assert found.code == "E405"
    assert found.help == "run `pip install 'evallang[excel]'`, or save the sheet as CSV"
    assert util.find_spec("fastexcel") is not None
