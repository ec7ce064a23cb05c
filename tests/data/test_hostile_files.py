"""Files that are not what they seem: odd text, wrong bytes, paths that lead elsewhere."""

import csv
import gzip
import io
import os

import polars as pl
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from evallang.data.delimited import read_delimited
from evallang.data.findings import Findings
from evallang.limits import limits

PLAIN = "x,ward,y\n1.5,A,no\n2,B,yes\n,A,no\n"

# --- hostile text ------------------------------------------------------------------------


def test_line_ends_bom_and_blank_lines_change_nothing(source):
    expected = source.table(PLAIN).sha256
    for data in (
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        "\ufeff" + PLAIN,
        "\n\n" + PLAIN.replace("\n", "\n\n"),
        PLAIN.rstrip("\n"),
        PLAIN + "\n\n\r\n",
        PLAIN.replace("A", '"A"').replace("1.5", '"1.5"'),
    ):
        assert source.table(data).sha256 == expected, data


def test_quotes_hold_separators_quotes_and_line_ends(source):
    text = 'x,t,y\n1,"a, b",n\n2,"say ""hi""",p\n3,"two\nlines",n\n4,5" pipe,p\n'
    table = source.table(text)
    assert table.objects[:, 0].tolist() == ["a, b", 'say "hi"', "two\nlines", '5" pipe']


def test_rows_are_named_by_their_lines_behind_blank_and_long_ones(source):
    text = 'x,t,y\n\n1,"two\nlines",n\n\n2,b,\n3,c,p\n'
    found = source.error(text)
    assert "row 2 (line 6)" in found.message


LIKE_TABLES = st.text("xy1.-,;\t\"'\r\n {}[]:", max_size=60).map(
    lambda text: ("x,y\n1,a\n" + text).encode()
)


@given(st.one_of(st.binary(max_size=300), LIKE_TABLES))
def test_no_bytes_make_a_reader_raise(tmp_path_factory, data):
    from evallang.data.data_tables import read_table
    from evallang.data.dataset import DataSpec

    folder = tmp_path_factory.mktemp("bytes")
    for name in ("a.csv", "a.tsv", "a.jsonl", "a.arff", "a.parquet", "a.csv.gz"):
        (folder / name).write_bytes(data)
        tables, found = read_table(DataSpec("d", "d", "path", name, "data d", target="y"), folder)
        assert tables or found


# U+001C to U+001F are blanks for Python and not for Unicode, which polars follows.
FIELDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\x1c\x1d\x1e\x1f"), max_size=6)


@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=6), st.sampled_from(",;\t|"))
@example([("", "FALSE")], ",")
@settings(deadline=None)
def test_whatever_pythons_csv_writes_is_read_back(rows, separator):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([("first", "second"), *rows])
    named = frozenset({"first"})
    frame = read_delimited(stream.getvalue().encode(), "d.csv", named=named)
    expected = [[row[place].strip() or None for row in rows] for place in (0, 1)]
    for column in expected:
        if {(cell or "true").lower() for cell in column} <= {"true", "false"}:
            column[:] = [cell and cell.lower() for cell in column]  # a column of Booleans
    assert [frame.texts(name).to_list() for name in frame.columns] == expected


WRITTEN = (
    "0 1 -1 007 +5 -0 -0.0 -0e1 1.50 1.5 .5 1. 1e3 nan NaN inf -inf true False x 0x1 2024-03-01 "
    "1,5 é 9223372036854775807 9223372036854775808"
)
CELLS = st.sampled_from([*WRITTEN.split(), "", " 2", "3 "])
COLUMNS = st.one_of(
    st.lists(CELLS, min_size=5, max_size=5),
    st.lists(st.sampled_from(["0", "1", "2", ""]), min_size=5, max_size=5),
    st.lists(st.sampled_from(["0.5", "1", "-0.25", ""]), min_size=5, max_size=5),
)


@settings(deadline=None)
@given(st.lists(COLUMNS, min_size=2, max_size=4), st.sampled_from("\t;|"), st.booleans())
def test_the_fast_way_and_the_careful_way_give_the_same_columns(columns, separator, spelled):
    names = [f"c{i}" for i in range(len(columns))]
    lines = [separator.join(row) for row in [names, *zip(*columns, strict=True)]]
    assume(all(line.strip() for line in lines))
    keep = None if spelled else frozenset()
    fast, careful = (
        Findings({}).tried(read_delimited, text.encode(), "d.tsv", spelled=keep)
        for text in ("\n".join(lines), "\n".join([*lines[:2], "", *lines[2:]]))
    )
    assert (fast is None) == (careful is None)  # numbers that may mean two things
    for name in names if fast is not None else ():
        assert fast.values(name).dtype == careful.values(name).dtype
        assert fast.values(name).to_list() == careful.values(name).to_list()
        if spelled or fast.values(name).dtype != pl.Float64:
            assert fast.texts(name).to_list() == careful.texts(name).to_list()


def test_a_column_that_only_begins_with_numbers_is_text_and_a_long_file_is_read_whole(source):
    rows = "".join(f"{i},{i / 8},{'x' if i == 39_999 else i},{'yes' if i % 2 else 'no'}\n"
                   for i in range(40_000))  # fmt: skip
    table = source.table("a,b,c,y\n" + rows)
    assert [column.numeric for column in table.columns] == [True, True, False]
    assert table.numeric[-1].tolist() == [39_999, 39_999 / 8]
    assert table.objects[-2:, 0].tolist() == ["39998", "x"]


def test_a_short_and_a_long_line_do_not_make_up_for_each_other(source):
    found = source.error("a,b,y\n1,2,no\n1,yes\n1,2,3,no\n")
    assert found.code == "E408"
    assert "line 3 has 2, line 4 has 4" in found.message


def test_versions_that_are_one_number_stay_two_groups(source):
    table = source.table("v,x,y\n1.1,1.10,no\n1.10,2,yes\n1.1,3,no\n", group="v")
    assert table.groups == ("1.1", "1.10", "1.1")
    assert table.numeric[:, 0].tolist() == [1.1, 2, 3]


# --- paths -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\0b.csv", "x" * 5000 + ".csv"])
def test_names_that_no_file_can_have_are_refused(source, name):
    assert source.error(None, name).code in ("E401", "E405")


def test_folders_and_pipes_are_not_read(source):
    (source.folder / "d.csv").mkdir()
    os.mkfifo(source.folder / "p.csv")
    assert source.error(None, "d.csv").code == "E405"
    assert source.error(None, "p.csv").code == "E405"


def test_files_beside_the_folder_of_the_study_may_be_read(source):
    source.write("a.csv", PLAIN)
    (source.folder / "studies").mkdir()
    source.folder = source.folder / "studies"
    assert source.table(None, "../a.csv").source == "../a.csv"


def test_files_over_the_limit_are_refused_packed_or_not(source):
    rows = PLAIN + "3,A,no\n" * 100
    packed = gzip.compress(rows.encode(), mtime=0)
    assert len(packed) < 100
    with limits(bytes=100):
        for data, name in ((rows, "a.csv"), (packed, "a.csv.gz")):
            found = source.error(data, name)
            assert found.code == "E404"
            assert found.message.endswith("more than the limit of 100") or (
                found.message == "`a.csv.gz`: more bytes than the limit of 100"
            )
            assert "`--limit bytes=" in found.help
