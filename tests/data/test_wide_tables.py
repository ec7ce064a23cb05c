"""Tables of many columns: gene expression has tens of thousands of them and few rows."""

import json
from functools import cache

import polars as pl
import pytest

COLUMNS = 2_000  # their names alone fill 88,000 bytes, and the form of a file shows in 65,536
NAME = "expression_of_the_gene_in_whole_blood_{:05d}".format
ROWS = 6


@cache
def cells(columns=COLUMNS):
    """A table whose column i holds i + row / 8, and a target of two classes."""
    table = {NAME(i): [i + row / 8 for row in range(ROWS)] for i in range(columns)}
    return pl.DataFrame({**table, "y": ["no", "yes"] * (ROWS // 2)})


def json_lines(table):
    return "".join(json.dumps(row) + "\n" for row in table.to_dicts())


def arff(table):
    head = "".join(f"@attribute {name} numeric\n" for name in table.columns[:-1])
    rows = table.write_csv(include_header=False)
    return f"@relation genes\n{head}@attribute y {{no, yes}}\n@data\n{rows}"


def quoted(table):
    """CSV with line breaks inside quotes, which is read record by record."""
    return table.with_columns(y=pl.col("y") + "\n").write_csv(quote_style="always")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("wide.csv", pl.DataFrame.write_csv),
        ("wide.csv", quoted),
        ("wide.tsv", lambda table: table.write_csv(separator="\t")),
        ("wide.jsonl", json_lines),
        ("wide.arff", arff),
    ],
    ids=["comma", "record by record", "tab", "JSON Lines", "ARFF"],
)
def test_a_header_of_any_length_is_read(source, name, written):
    table = source.table(written(cells()), name)
    assert table.numeric.shape == (ROWS, COLUMNS)
    assert table.numeric[3, 1_700] == 1_700 + 3 / 8
    assert table.classes == ("no", "yes")


def test_wide_parquet_files_are_read(source):
    cells().write_parquet(source.folder / "wide.parquet")
    table = source.table(None, "wide.parquet")
    assert table.numeric[3, 1_700] == 1_700 + 3 / 8


def test_a_name_that_stands_twice_among_thousands_is_found(source):
    text = cells().write_csv().replace(NAME(1_700), NAME(1), 1)
    assert f"`{NAME(1)}`" in source.error(text).message


def test_infinite_values_are_named_in_whichever_column_they_are(source):
    text = cells().write_csv().replace("1700.375", "inf").replace("12.25", "-inf", 1)
    _, found = source.read(text)
    assert [d.message for d in found if d.code == "E433" or "infinite" in d.message] == [
        f"`{NAME(12)}` is infinite in row 3 (line 4)",
        f"`{NAME(1_700)}` is infinite in row 4 (line 5)",
    ]
