"""`read_table`: which columns are features, and as what they reach a model."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from many_cases import for_each

from evallang.data.data_tables import read_table
from evallang.data.dataset import DataSpec


def test_numbers_and_booleans_are_numeric_and_text_is_object(source):
    table = source.table("a,b,c,y\n1,true,u,n\n,false,,p\n2.5,,w,n\n")
    assert [(c.name, c.numeric, c.index) for c in table.columns] == [
        ("a", True, 0),
        ("b", True, 1),
        ("c", False, 0),
    ]
    np.testing.assert_array_equal(table.numeric, [[1, 1], [np.nan, 0], [2.5, np.nan]])
    assert table.numeric.dtype == np.float64
    assert table.objects[0, 0] == "u"
    assert isinstance(table.objects[1, 0], float)
    assert math.isnan(table.objects[1, 0])


def test_categorical_codes_become_text(source):
    table = source.table("ward,x,y\n01,1,n\n2,2,p\n,3,n\n", categorical=("ward",))
    assert table.objects[:2, 0].tolist() == ["01", "2"]
    assert table.objects[2, 0] is np.nan
    assert [c.numeric for c in table.columns] == [False, True]


def test_columns_with_a_role_are_never_features(source):
    text = "i,g,w,s,x,y\n" + "".join(f"i{k},g{k % 2},1,train,{k},{k % 2}\n" for k in range(6))
    table = source.table(text, id="i", group="g", weight="w", split="s")
    assert [c.name for c in table.columns] == ["x"]
    assert table.ids == tuple(f"i{k}" for k in range(6))
    assert table.group_codes.tolist() == [0, 1, 0, 1, 0, 1]
    assert table.weights.tolist() == [1.0] * 6
    assert table.split == ("train",) * 6


def test_subgroups_and_strata_stay_features(source):
    text = "site,x,y\na,1,n\n,2,p\nb,3,n\n"
    table = source.table(text, subgroups=("site",), strata=("site",))
    assert [c.name for c in table.columns] == ["site", "x"]
    assert table.subgroups == {"site": ("a", "(missing)", "b")}
    assert table.strata == {"site": ("a", "(missing)", "b")}


def test_features_are_those_written_in_the_order_written(source):
    table = source.table("a,b,c,y\n1,2,3,n\n4,5,6,p\n", features=("c", "a"))
    assert table.numeric.tolist() == [[3, 1], [6, 4]]
    table = source.table("a,b,c,y\n1,2,3,n\n4,5,6,p\n", features_except=("b",))
    assert table.numeric.tolist() == [[1, 3], [4, 6]]


def test_several_errors_are_reported_together(source):
    _, found = source.read("a,d,y\n1,inf,\n2,1,p\n", group="nowhere")
    assert [d.code for d in found] == ["E423", "E430", "E420"]  # by the place of the clause


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-01-31", "2024-02-01"],
        ["2024-01-31 10:00", "2024-02-01 11:30"],
        ["31.01.2024", "01.02.2024"],
    ],
)
def test_dates_are_text_to_a_model_in_every_form(source, cells):
    text = f"d,x,y\n{cells[0]},1,n\n{cells[1]},2,p\n"
    assert source.table(text).objects[0, 0].startswith(cells[0][:10])
    assert source.table(text, features_except=("d",)).numeric.tolist() == [[1], [2]]


def test_lists_and_times_cannot_be_features(source):
    frame = pl.DataFrame({"l": [[1], [2]], "y": ["a", "b"], "x": [1, 2]})
    frame.write_parquet(source.folder / "d.parquet")
    assert source.error(None, "d.parquet").code == "E429"
    assert source.table(None, "d.parquet", features=("x",)).n == 2


@pytest.mark.parametrize("token", ["-999", -999, -999.0])
def test_missing_tokens_match_as_text_or_number(source, token):
    table = source.table("x,z,y\n1,-999.0,n\n-999,3,p\n", missing=(token,))
    np.testing.assert_array_equal(table.numeric[:, 0], [1, np.nan])
    np.testing.assert_array_equal(table.numeric[:, 1], [np.nan, 3])


def test_missing_tokens_reach_typed_files_too(source):
    frame = pl.DataFrame({"x": [1.0, -999.0], "c": ["NA", "u"], "y": ["a", "b"]})
    frame.write_parquet(source.folder / "d.parquet")
    table = source.table(None, "d.parquet", missing=("NA", -999))
    assert np.isnan(table.numeric[1, 0])
    assert table.objects[0, 0] is np.nan


@for_each("word", ["NA", "n/a", "NaN", "null", "NONE", "?"])
def test_the_usual_words_are_missing_unless_the_study_says_otherwise(source, word):
    text = f"x,y\n1,n\n{word},p\n3,n\n4,p\n"
    table = source.table(text)
    np.testing.assert_array_equal(table.numeric[:, 0], [1, np.nan, 3, 4])
    note = f"data.csv: words read as missing, by default, in x ({word} in 1 row)"
    assert (note in table.notes) == (word != "NaN")  # which is a number to a reader of CSV
    assert table.source_columns[0].missing == 1
    kept, found = source.read(text, missing=())
    assert kept.columns[0].numeric == (word == "NaN")  # which is a number, and missing
    _other, found = source.read(text, missing=("-",))  # replaces the usual words
    assert [d.code for d in found] == ([] if word == "NaN" else ["W402"])


def test_a_category_that_is_read_as_missing_is_named(source):
    text = "x,c,y\n1,none,n\n2,u,p\n3,v,n\n4,None,p\n"
    _table, found = source.read(text)
    assert [d.code for d in found] == ["W458"]
    assert found[0].help == (
        'write `missing "None", "none"` if this is meant, or `missing none` if they are a category'
    )
    assert source.table(text, missing=()).objects[:, 0].tolist() == ["none", "u", "v", "None"]
    assert source.read(text, missing=("None", "none"))[1] == ()


def test_a_word_among_numbers_is_a_warning_that_names_the_mark(source):
    table, found = source.read("x,y\n1,n\n-,p\n3,n\n4,p\n")
    assert not table.columns[0].numeric
    (warning,) = found
    assert (warning.code, warning.name) == ("W402", "numbers_mixed_with_text")
    assert 'missing "-"' in warning.help
    _, found = source.read("x,y\n1,n\n-,p\n3,n\n4,p\n", categorical=("x",))
    assert found == ()


def test_many_words_among_numbers_are_named_too(source):
    rows = [f"{i},{'np'[i % 2]}\n" for i in range(40)]
    words = [f"{word},n\n" for word in ("-", "unknown", "n.d.", "lost")]
    table, (warning,) = source.read("x,y\n" + "".join(rows + words))
    assert not table.columns[0].numeric
    assert (warning.code, "and 1 more in 4 rows of 44" in warning.message) == ("W402", True)
    assert warning.help.startswith('write `missing "-", "lost", "n.d.", "unknown"`')


def test_nan_in_a_column_of_numbers_is_missing(source):
    table = source.table("x,y\n1,n\nnan,p\nNaN,n\n4,p\n")
    np.testing.assert_array_equal(table.numeric[:, 0], [1, np.nan, np.nan, 4])


def test_words_that_look_like_numbers_need_a_number_beside_them(source):
    table = source.table("x,y\nnan,a\ninf,b\nnan,a\n", missing=())
    assert table.objects[:, 0].tolist() == ["nan", "inf", "nan"]


def test_float32_files_stay_float32(source):
    frame = pl.DataFrame({"x": [1.5, 2.5], "y": ["a", "b"]}, schema_overrides={"x": pl.Float32})
    frame.write_parquet(source.folder / "d.parquet")
    assert source.table(None, "d.parquet").numeric.dtype == np.float32


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=8))
def test_numbers_are_read_to_the_last_bit(tmp_path_factory, numbers):
    folder = tmp_path_factory.mktemp("numbers")
    rows = "".join(f"{number!r},{'ab'[i % 2]}\n" for i, number in enumerate(numbers))
    (folder / "d.csv").write_text("x,y\n" + rows)
    spec = DataSpec("d", "d", "path", "d.csv", "data d", target="y")
    (table,), _ = read_table(spec, folder)
    assert table.numeric[:, 0].tolist() == numbers  # Python reads back its own repr exactly
