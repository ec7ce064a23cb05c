"""Signs of numbers: each expectation is what a reader of the whole file means by it.

Those of a German file are what `pandas.read_csv(decimal=",", thousands=".")` gives.
"""

import io

import pandas as pd
import pytest
from many_cases import for_each

from evallang.data.delimited import read_delimited
from evallang.data.findings import Findings

GERMAN = "id;price;share\n1;7.685;0,86\n2;862;0,18\n3;12.500,25;1\n4;-1.234;-0,5\n"


def read(text, name="d.csv", **settings):
    findings = Findings({})
    frame = findings.tried(read_delimited, text.encode(), name, **settings)
    return frame, [d.code for d in findings.diagnostics]


def values(text):
    frame, found = read(text)
    assert found == [], found
    return {name: frame.values(name).to_list() for name in frame.columns}


@pytest.mark.parametrize("separator", ["\t", "|", ";"])
def test_a_file_of_decimal_commas_is_read_as_pandas_reads_it(separator):
    text = GERMAN.replace(";", separator)
    expected = pd.read_csv(io.StringIO(text), sep=separator, decimal=",", thousands=".")
    assert values(text) == {name: expected[name].tolist() for name in expected}


@for_each(
    ("text", "expected"),
    [
        ('x,y\n"7,685",1\n"560",2\n', [7685, 560]),  # comma between commas, mixed: thousands
        ('x,y\n"0,945",1\n"0,5",2\n', [0.945, 0.5]),  # no group of three begins with 0
        ('x,y\n"1,234.5",1\n"7",2\n', [1234.5, 7]),
        ('x,y\n"7,685",0.5\n"5,805",0.25\n', [7685, 5805]),  # the other column has points
        ("x;y\n7,685;1\n5,805;2\n", [7.685, 5.805]),  # semicolons come with decimal commas
        ("x;y\n7.685;0.25\n5.805;0.5\n", [7.685, 5.805]),
        ("x;y\n1.234.567;1\n2;2\n", [1234567, 2]),
        ("x;y\n1 234,5;1\n2;2\n", [1234.5, 2]),
        ("x;y\n1\u00a0234;1\n2;2\n", [1234, 2]),
        ("x,y\n1'234.50,1\n2,2\n", [1234.5, 2]),
        ("x,y\n5.123,1\n6.456,2\n", [5.123, 6.456]),
        ("x,y\n1.125,1\n3,2\n", [1.125, 3]),  # few: three decimals whose zeros are not written
        ("x;y\n0,5;1\nNA;2\n", ["0.5", "NA"]),  # words are left to the statement
        ("x,y\n1.10,1\n1.1,2\n", [1.1, 1.1]),
        ('x,y\n"1,2,3",1\n"4,5",2\n', ["1,2,3", "4,5"]),  # lists
        ("x;y\n1.2.3;1\n1.2.4;2\n", ["1.2.3", "1.2.4"]),  # versions
        ("x;y\n25.08.2021;1\n26.08.2021;2\n", ["25.08.2021", "26.08.2021"]),
        ("x;y\n12,5 mg;1\n3 mg;2\n", ["12,5 mg", "3 mg"]),
    ],
)
def test_one_convention_a_column(text, expected):
    assert values(text)["x"] == expected


@for_each(
    "text",
    [
        "x;y\n7.685;1\n862;2\n",
        "x;y\n7,685;1\n862;2\n",
        "x\ty\n7,685\t1\n5,805\t2\n",
        'x,y\n"7,685",1\n"5,805",2\n',
        "x;y\n1,5;1\n1.5;2\n",
        "x;y;z\n1.234;0,5;0.5\n5;0,1;0.25\n",
        "x;y\n1.234;1\n1,234;2\n",
        '"x","y"\n' + "".join(f'"{i}.123","1"\n' for i in range(1, 13)) + '"862","1"\n',
    ],
)
def test_what_nobody_can_know_is_refused(text):
    assert set(read(text)[1]) == {"E411"}


def test_unclear_numbers_of_columns_without_use_are_no_matter():
    findings = Findings({})
    text = "x;y\n7.685;1\n862;2\n"
    findings.tried(read_delimited, text.encode(), "d.csv", needed=lambda _: {"y"})
    assert findings.diagnostics == ()


# --- lines above and beside the data ---------------------------------------------------------


def test_the_separator_that_excel_states_is_taken():
    frame, found = read("sep=;\r\na;b\r\n1,5;2\r\n")
    assert found == []
    assert (frame.columns, frame.values("a").to_list(), frame.place(0)) == (
        ["a", "b"],
        [1.5],
        "row 1 (line 3)",
    )


@for_each(
    ("text", "names", "line"),
    [
        ("# made 2026\n# by x, y\nid,a\n1,2\n3,4\n", ["id", "a"], 4),
        ("# x, y\n1,2\n3,4\n", ["# x", "y"], 2),  # numpy.savetxt writes a header so
        ("#id,a\n1,2\n3,4\n", ["#id", "a"], 2),
        ("# one\nid\n1\n2\n", ["id"], 3),
    ],
)
def test_comments_above_the_header_are_skipped(text, names, line):
    frame, found = read(text)
    assert (found, frame.columns, frame.lines[0]) == ([], names, line)


def test_comments_among_the_rows_are_named():
    findings = Findings({})
    text = "a,b\n1,2\n# a pause\n3,4\n"
    assert findings.tried(read_delimited, text.encode(), "d.csv") is None
    (found,) = findings.diagnostics
    assert (found.code, found.help) == ("E408", "remove the comments, which begin with `#`")


def test_names_of_rows_are_a_column_as_r_writes_them():
    """`write.table(d, sep = ",")` of R 4 writes a header without a name for the first column."""
    frame, found = read('"y","s"\n"1",0,0.5\n"2",1,0.25\n')
    assert found == []
    assert frame.columns == ["column_1", "y", "s"]
    assert frame.values("s").to_list() == [0.5, 0.25]


@for_each("beside", ["", ",0.25"])
def test_floats_without_quotes_are_refused_too_where_862_is_among_12_340(beside):
    # with three decimals 862 would be 862.000; 12.340 is no decimal without its zeros either
    head = f"x,y{',z' * bool(beside)}\n"
    text = head + "".join(f"{i}.{10 * i},1{beside}\n" for i in range(10, 25)) + f"862,1{beside}\n"
    assert set(read(text, spelled=frozenset())[1]) == {"E411"}
    plain = text.replace("862,", "862.5,")
    assert read(plain, spelled=frozenset())[1] == []
