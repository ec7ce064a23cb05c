"""ARFF: declared columns, quotes, missing values, and what is refused."""

import gzip
import io

import numpy as np
from hypothesis import given, settings, strategies as st
from many_cases import for_each
from scipy.io import arff

from evallang.data.arff import read_arff
from evallang.data.findings import Findings

HEADER = """% made for the test
@relation visits

@attribute age numeric
@ATTRIBUTE 'length of stay' INTEGER
@attribute ward {A, 'B 2', "C, D"}
@attribute note string
@attribute y {no,yes}

@data
"""
ROWS = """34.5,3,A,?,no
?,4,'B 2','it\\'s, fine',yes
% a comment among the rows

51,5,"C, D","50% \\\\ more",yes
20, 6 , A , plain ,no
"""


def frame(text):
    found = Findings({})
    read = found.tried(read_arff, text.encode(), "d.arff")
    return read, found.diagnostics


def error(text):
    read, found = frame(text)
    assert read is None
    (only,) = found
    return only


def test_columns_have_the_types_that_are_declared():
    read, found = frame(HEADER + ROWS)
    assert found == ()
    assert read.columns == ["age", "length of stay", "ward", "note", "y"]
    assert read.values("age").to_list() == [34.5, None, 51, 20]
    assert read.values("length of stay").to_list() == [3, 4, 5, 6]
    assert read.values("ward").to_list() == ["A", "B 2", "C, D", "A"]
    assert read.values("note").to_list() == [None, "it's, fine", "50% \\ more", "plain"]
    assert read.place(2) == "row 3 (line 15)"


def test_numbers_agree_with_scipy():
    text = "@relation r\n@attribute a real\n@attribute b numeric\n@attribute c {u,v}\n@data\n"
    text += "".join(f"{i / 7:.4f},{'?' if i % 3 == 0 else i},{'uv'[i % 2]}\n" for i in range(20))
    expected, _ = arff.loadarff(io.StringIO(text))
    read, _ = frame(text)
    for name in "ab":
        given_here = read.values(name).cast(float).fill_null(float("nan")).to_numpy()
        np.testing.assert_array_equal(given_here, expected[name])
    assert read.values("c").to_list() == [value.decode() for value in expected["c"]]


def test_a_table_says_the_same_as_csv_and_packed(source):
    head = "@relation r\n@attribute x numeric\n@attribute w string\n@attribute y {no,yes}\n@data\n"
    rows = "1,a,no\n2.5,?,yes\n?,b,yes\n"
    one = source.table(head + rows, "d.arff")
    csv = source.table("x,w,y\n" + rows.replace("?", ""), "d.csv")
    packed = source.table(gzip.compress((head + rows).encode()), "d.arff.gz")
    assert one.sha256 == csv.sha256 == packed.sha256


def test_nominal_numbers_are_names(source):
    head = "@relation r\n@attribute code {1,2}\n@attribute y {0,1}\n@data\n"
    table = source.table(head + "1,0\n2,1\n1,1\n", "d.arff", positive=1)
    assert [column.numeric for column in table.columns] == [False]
    assert (table.classes, table.positive) == (("0", "1"), 1)


def test_line_ends_and_blanks_change_nothing():
    plain, _ = frame(HEADER + ROWS)
    for end in ("\r\n", "\r"):
        read, found = frame((HEADER + ROWS).replace("\n", end))
        assert found == ()
        assert read.cells.equals(plain.cells)


def test_tabs_may_separate_values():
    read, _ = frame(HEADER + "34\t3\tA\t?\tno\n")
    assert read.cells.row(0) == (34, 3, "A", None, "no")


def test_dates_are_iso():
    head = "@relation r\n@attribute d date\n@attribute y {no,yes}\n@data\n"
    read, _ = frame(head + '"2024-03-01T10:00:00",no\n?,yes\n')
    assert str(read.kind("d")) == "dates"
    assert "'1.3.2024' in `d`" in error(head + "2024-03-01,no\n1.3.2024,yes\n").message


@for_each(
    ("text", "words"),
    [
        (HEADER + "{0 34, 4 no}\n", "line 11 of `d.arff` is a sparse row"),
        (HEADER + "34,3,A,?,no,{5}\n", "weight in braces"),
        (HEADER + "34,3,A,?\n", "line 11 of `d.arff` has 4 values for 5 attributes"),
        (HEADER + "34,3,A,?,no,1\n", "has 6 values for 5"),
        (HEADER + "34,3,A,?,no,\n", "has 6 values for 5"),
        (
            HEADER + "34,3,E,?,no\n",
            "line 11 of `d.arff` contains 'E' in `ward`, which is not one of `A`, `B 2`, `C, D`",
        ),
        (
            HEADER + "old,3,A,?,no\n",
            "line 11 of `d.arff` contains 'old' in `age`, which is not numeric",
        ),
        (HEADER + "34,3,'A,?,no\n", "unclosed quote"),
        (HEADER + "34,3,'A'x,?,no\n", "text after a closing quote"),
        (HEADER.replace("@data", "@dta"), "line 10 of `d.arff` contains '@dta' above `@data`"),
        (
            HEADER.replace("@data", ""),
            "line 11 of `d.arff` is the last line, and no line is `@data`",
        ),
        ("@relation r\n@data\n1\n", "no attribute is declared above it"),
        (
            "@relation r\n@attribute x\n@data\n1\n",
            "line 2 of `d.arff` declares an attribute without a name or a type",
        ),
        ("@relation r\n@attribute x {a,b\n@data\na\n", "list of values that is not closed"),
        (
            "@relation r\n@attribute x numerc\n@data\n1\n",
            "line 2 of `d.arff` declares `x` as `numerc`, which",
        ),
        ("@relation r\n@attribute x relational\n@data\n1\n", "relational, which is not read"),
        ("x,y\n1,2\n", "line 1 of `d.arff` contains 'x,y' above `@data`"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text, words):
    found = error(text)
    assert found.code == "E412"
    assert words in found.message


LETTERS = st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"))
TEXTS = st.text(LETTERS, min_size=1, max_size=8)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6), st.sampled_from("'\""))
def test_any_text_in_quotes_is_read_back(rows, quote):
    def quoted(text):
        return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote

    head = "@relation r\n@attribute a string\n@attribute b string\n@data\n"
    body = "".join(f"{quoted(a)},{quoted(b)}\n" for a, b in rows)
    read, found = frame(head + body)
    assert found == ()
    assert read.cells.rows() == [tuple(cell.strip() or None for cell in row) for row in rows]
