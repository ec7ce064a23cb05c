"""Formats: what is sniffed, what is refused, and that a format leaves no trace in the hash."""

import codecs
import gzip
import json

import numpy as np
import polars as pl
import pytest

from evallang.data.delimited import read_delimited

PLAIN = "x,ward,y\n1.5,A,no\n2,B,yes\n,A,no\n"


def as_json_lines(frame):
    return "".join(
        json.dumps({k: v for k, v in row.items() if v is not None}) + "\n"
        for row in frame.to_dicts()
    )


# --- the same content in every format ----------------------------------------------------


def test_the_hash_does_not_depend_on_the_format(source):
    frame = pl.DataFrame(
        {
            "x": [1.5, 2.0, None],
            "k": [3, 1, 2],
            "flag": [True, None, False],
            "ward": ["A", "B, c", None],
            "y": ["no", "yes", "no"],
        }
    )
    text = frame.write_csv()
    names = {
        "a.csv": text,
        "b.tsv": frame.write_csv(separator="\t"),
        "c.csv": frame.write_csv(separator=";", line_terminator="\r\n"),
        "d.csv.gz": gzip.compress(text.encode(), mtime=0),
        "e.jsonl": as_json_lines(frame),
        "f.jsonl.gz": gzip.compress(as_json_lines(frame).encode()),
        "g.csv": codecs.BOM_UTF8 + text.encode(),
        "h.csv": frame.write_csv(separator="|", quote_style="always"),
    }
    for name, content in names.items():
        source.write(name, content)
    frame.write_parquet(source.folder / "i.parquet")
    hashes = {
        name: source.table(None, name, subgroups=("ward",)).sha256 for name in [*names, "i.parquet"]
    }
    assert len(set(hashes.values())) == 1, hashes


def test_integer_labels_have_one_hash_in_csv_and_parquet(source):
    frame = pl.DataFrame({"x": [1.0, 2.0], "g": [10, 11], "y": [-1, 1]})
    frame.write_csv(source.folder / "a.csv")
    frame.write_parquet(source.folder / "b.parquet")
    one = source.table(None, "a.csv", group="g")
    two = source.table(None, "b.parquet", group="g")
    assert one.sha256 == two.sha256
    assert one.groups == two.groups == ("10", "11")


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        (PLAIN.replace("1.5", "1.25"), {}),
        (PLAIN.replace("A,no\n2", "C,no\n2"), {}),
        (PLAIN.replace("x,", "z,"), {}),
        (PLAIN.replace("no", "never"), {}),
        ("x,ward,y\n2,B,yes\n1.5,A,no\n,A,no\n", {}),
        (PLAIN, {"group": "ward", "features": ("x",)}),
        (PLAIN, {"subgroups": ("ward",)}),
        (PLAIN, {"strata": ("ward",)}),
        (PLAIN, {"positive": "no"}),
        (PLAIN, {"features": ("x",)}),
        (PLAIN, {"features": ("ward", "x")}),
        (PLAIN, {"categorical": ("x",)}),
        (PLAIN, {"split": "ward"}),
    ],
)
def test_whatever_can_change_a_result_changes_the_hash(source, text, clauses):
    assert source.table(text, **clauses).sha256 != source.table(PLAIN).sha256


@pytest.mark.parametrize("clauses", [{"unit": "visits"}, {"about": "words"}, {"cite": "10.0/x"}])
def test_words_for_readers_do_not_change_the_hash(source, clauses):
    assert source.table(PLAIN, **clauses).sha256 == source.table(PLAIN).sha256


def test_labels_of_another_type_have_another_hash(source):
    frame = pl.DataFrame({"x": [1.0, 2.0], "y": [0, 1]})
    frame.write_parquet(source.folder / "a.parquet")
    frame.with_columns(pl.col("y").cast(pl.String)).write_parquet(source.folder / "b.parquet")
    one, two = source.table(None, "a.parquet"), source.table(None, "b.parquet")
    assert (one.class_values, two.class_values) == ((0, 1), ("0", "1"))
    assert one.sha256 != two.sha256


# --- separator and header ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("a,b\n1,2\n", "comma"),
        ("a;b\n1;2\n", "semicolon"),
        ("a\tb\n1\t2\n", "tab"),
        ("a|b\n1|2\n", "bar"),
        ("a;b\n1,5;2,5\n1,7;3,5\n", "semicolon"),
        ('"a;x";b\n"1,1,1";2\n', "semicolon"),
        ("a,b\n1 | 2,3\n", "comma"),
    ],
)
def test_the_separator_is_sniffed_and_stated(text, stated):
    frame = read_delimited(text.encode(), "d.csv")
    assert f"d.csv: fields separated by {stated}" in frame.notes
    assert len(frame.columns) == 2


def test_decimal_commas_in_quotes_are_numbers_between_commas(source):
    table = source.table('x,y\n"1,5",a\n"2,5",b\n')
    assert table.numeric.tolist() == [[1.5], [2.5]]


def test_a_file_without_header_gets_numbered_columns_and_says_so(source):
    table = source.table("5.1,3.5,A\n4.9,3,B\n", target="column_3")
    assert [c.name for c in table.columns] == ["column_1", "column_2"]
    assert "data.csv: no header, columns called column_1 to column_3" in table.notes


def test_numbers_as_column_names_are_a_header_when_the_study_names_one(source):
    table = source.table("2019,2020,y\n1,2,a\n3,4,b\n")
    assert [c.name for c in table.columns] == ["2019", "2020"]


def test_blanks_around_names_and_cells_do_not_count(source):
    table = source.table("x , ward ,y\n 1 , A , no\n2,A,yes \n")
    assert table.numeric.tolist() == [[1], [2]]
    assert table.objects[:, 0].tolist() == ["A", "A"]
    assert table.classes == ("no", "yes")


def test_columns_of_trailing_separators_are_left_out(source):
    table = source.table("x,y,\n1,a,\n2,b,\n")
    assert [c.name for c in table.columns] == ["x"]
    assert "column_3 has no name and no values: skipped" in table.notes


# --- JSON Lines and Parquet --------------------------------------------------------------


def test_json_values_keep_their_types(source):
    text = (
        '{"x": 1, "f": true, "t": "a", "mixed": 1, "y": 1}\n'
        '{"x": 2.5, "f": false, "t": null, "mixed": "one", "y": 0}\n\n'
        '{"f": null, "t": "b", "mixed": true, "y": 1}\n'
    )
    table = source.table(text, "d.jsonl")
    np.testing.assert_array_equal(table.numeric, [[1, 1], [2.5, 0], [np.nan, np.nan]])
    assert table.objects[:, 1].tolist() == ["1", "one", "true"]
    assert table.class_values == (0, 1)


def test_nested_json_is_fine_where_no_clause_needs_it(source):
    text = '{"doc": {"q": 1}, "x": 1, "y": "a"}\n{"doc": {"q": 2}, "x": 2, "y": "b"}\n'
    assert source.error(text, "d.jsonl").code == "E429"
    assert source.table(text, "d.jsonl", features=("x",)).numeric.tolist() == [[1], [2]]


def test_integers_beyond_64_bits_are_numbers_still(source):
    table = source.table(f'{{"x": {10**30}, "y": "a"}}\n{{"x": 1, "y": "b"}}\n', "d.jsonl")
    assert table.numeric.tolist() == [[1e30], [1]]


def test_categories_decimals_and_unsigned_integers_of_parquet_are_read(source):
    frame = pl.DataFrame(
        {
            "c": pl.Series(["u", "v"], dtype=pl.Categorical),
            "d": pl.Series(["1.50", "2.25"]).cast(pl.Decimal(10, 2)),
            "u": pl.Series([1, 2], dtype=pl.UInt8),
            "y": pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])),
        }
    )
    frame.write_parquet(source.folder / "d.parquet")
    table = source.table(None, "d.parquet")
    assert table.objects[:, 0].tolist() == ["u", "v"]
    assert table.numeric.tolist() == [[1.5, 1], [2.25, 2]]
    assert table.classes == ("a", "b")


def test_an_index_of_pandas_is_no_feature(source):
    frame = pl.DataFrame({"x": [1, 2], "y": ["a", "b"], "__index_level_0__": [5, 6]})
    frame.write_parquet(source.folder / "d.parquet")
    table = source.table(None, "d.parquet")
    assert [c.name for c in table.columns] == ["x"]
    assert "d.parquet: __index_level_0__ is an index of pandas: skipped" in table.notes
