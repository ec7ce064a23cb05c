"""Small files that would be large once they are read: each meets a limit that can be raised."""

import gzip
import json
import os
import signal
import sqlite3
import threading

import duckdb
import polars as pl
import pytest

from evallang.data.path_patterns import matching
from evallang.limits import LIMITS, OverLimit, limits

PLAIN = "x,z,y\n1,2,a\n3,4,b\n5,6,a\n"


def refused(source, name, content, limit, **numbers):
    """The message of the one error, which names the limit by which it is raised."""
    with limits(**{limit: 100, **numbers}):
        found = source.error(content, name)
    assert found.code == "E404"
    assert f"`--limit {limit}=" in found.help
    return found.message


def test_a_packed_file_is_read_no_further_than_the_limit(source, monkeypatch, here):
    sizes = []
    read = gzip.GzipFile.read

    def counting(self, size=-1):
        sizes.append(size)
        return read(self, size)

    monkeypatch.setattr(gzip.GzipFile, "read", counting)
    bomb = gzip.compress(PLAIN.encode() + b"1,2,a\n" * 2_000_000)  # 12 MB in 12 KB
    refused(source, "d.csv.gz", bomb, "bytes", bytes=3_000_000)
    assert 0 < sum(sizes) <= 5_000_000
    assert min(sizes) > 0  # never the whole at once


def test_a_text_that_a_dictionary_holds_once_counts_for_every_row(source, here):
    table = pl.DataFrame({"x": ["long " * 200] * 1000, "y": ["a", "b"] * 500})
    table.write_parquet(source.folder / "d.parquet")
    assert "the texts of" in refused(source, "d.parquet", None, "memory", memory=100_000)
    assert "1,000 characters" in refused(source, "d.parquet", None, "cell", cell=999)


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.jsonl", "d.arff"])
def test_columns_and_rows_of_every_format_are_counted(source, name):
    table = pl.DataFrame({**{f"x{i}": [1.5, 2.5, 3.5] for i in range(120)}, "y": ["a", "b", "a"]})
    content = {
        "d.csv": table.write_csv(),
        "d.tsv": table.write_csv(separator="\t"),
        "d.jsonl": "".join(json.dumps(row) + "\n" for row in table.to_dicts()),
        "d.arff": "@relation r\n"
        + "".join(f"@attribute {c} numeric\n" for c in table.columns[:-1])
        + "@attribute y {a, b}\n@data\n"
        + table.write_csv(include_header=False),
    }[name]
    assert "121 columns are more" in refused(source, name, content, "columns")
    assert "bytes are more" in refused(source, name, content, "memory", memory=900)


def test_lines_of_json_have_a_length_and_a_depth(source):
    deep = json.dumps({"x": json.loads("[" * 150 + "]" * 150), "y": "a"})
    assert refused(source, "d.jsonl", deep, "nesting") == (
        "line 1 of `d.jsonl`: 151 levels are more than the limit of 100"
    )
    brackets = json.dumps({"x": "[{" * 500, "y": "a"}) + "\n" + json.dumps({"x": "b", "y": "b"})
    with limits(nesting=100):
        assert source.table(brackets, "d.jsonl").classes == ("a", "b")
    long = json.dumps({"x": "w" * 200, "y": "a"})
    assert "bytes are more than the limit of 100" in refused(source, "d.jsonl", long, "line")


def test_a_cell_may_be_longer_than_python_thinks(source):
    """The csv module refuses cells of more than 131,072 characters unless it is told."""
    long = "word\n" * 40_000
    text = f'x,t,y\n1,"{long}",a\n2,"b",b\n'
    assert source.table(text).objects[0, 0] == long.strip()


def test_classes_are_counted(source):
    text = "x,y\n" + "".join(f"1,label{i}\n" for i in range(101))
    assert refused(source, "d.csv", text, "classes_apart") == (
        "`y`: 101 classes are more than the limit of 100"
    )


def test_a_pattern_looks_at_so_much_and_no_more(tmp_path):
    for folder in ("a", "b/c", ".hidden"):
        (tmp_path / folder).mkdir(parents=True)
        for i in range(20):
            (tmp_path / folder / f"{i}.csv").touch()
    (tmp_path / "circle").symlink_to(tmp_path)
    assert len(matching("**/*.csv", tmp_path)) == 40
    assert matching("b/*/1.csv", tmp_path) == ["b/c/1.csv"]
    assert matching("circle/a/7.c?v", tmp_path) == ["circle/a/7.csv"]
    with limits(entries=30), pytest.raises(OverLimit, match="more files and folders than"):
        matching("**/*.txt", tmp_path)
    with limits(files=30), pytest.raises(OverLimit, match="more files than the limit of 30"):
        matching("**/*.csv", tmp_path)
    assert matching("a/1*.csv", tmp_path) == sorted(f"a/{i}.csv" for i in (1, *range(10, 20)))


ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) "


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
@pytest.mark.parametrize("limit", ["query_seconds", "memory"])
def test_a_query_without_an_end_meets_a_limit(source, kind, limit):
    driver = sqlite3 if kind == "sqlite" else duckdb
    driver.connect(str(source.folder / "d.db")).close()
    query = f"{ENDLESS}select x, 'a' as y from n where x < 0"
    if limit == "memory":
        query = f"{ENDLESS}select x, 'a' as y from n order by -x"
    with limits(**{limit: 1 if limit == "query_seconds" else 80_000_000}):
        found = source.error(None, query, kind="sql", connection=f"{kind}:///d.db", target="y")
    assert found.code == "E404"
    assert found.help.startswith(f"raise it by `--limit {limit}=")


@pytest.fixture
def interruptible_process():
    """Let Ctrl-C raise here, whatever a command that ran in this process has left."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_an_interruption_ends_a_query_without_an_end(source, kind, interruptible_process):
    driver = sqlite3 if kind == "sqlite" else duckdb
    driver.connect(str(source.folder / "d.db")).close()
    query = f"{ENDLESS}select x, 'a' as y from n where x < 0"
    signals = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    signals.start()
    with pytest.raises(KeyboardInterrupt):
        source.read(None, query, kind="sql", connection=f"{kind}:///d.db", target="y")
    signals.join()


def test_every_limit_says_what_it_bounds_and_why():
    for limit in LIMITS.values():
        assert limit.default >= 1 and limit.bounds and limit.reason and limit.unit
        assert limit.most == limit.default
        with limits(**{limit.name: 7}), pytest.raises(OverLimit, match="limit of 7"):
            limit.check("it", 8)
