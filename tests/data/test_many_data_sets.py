"""Globs: one table a file, each with its own hash; data sets that are copies of one another."""

import gzip
import random

import pytest

from evallang.data.data_tables import read_table
from evallang.data.equal_rows import check_related
from evallang.source import Span


def text(seed, n=40, *, columns="ab"):
    rng = random.Random(seed)
    rows = [[f"{rng.random():.6f}" for _ in columns] + ["no" if i % 2 else "yes"] for i in range(n)]
    return ",".join([*columns, "y"]) + "\n" + "".join(",".join(row) + "\n" for row in rows)


@pytest.fixture
def suite(source):
    """Write files into a folder `suite`, and read them by a glob."""
    (source.folder / "suite").mkdir()

    def suite(pattern="suite/*", /, clauses=None, **files):
        for name, content in files.items():
            source.write(f"suite/{name.replace('__', '.')}", content)
        spec = source.spec(pattern, kind="glob", **(clauses or {}))
        return read_table(spec, source.folder)

    return suite


def test_each_file_is_a_data_set_whatever_its_format(suite):
    head = "@relation r\n@attribute a real\n@attribute y {no,yes}\n@data\n"
    tables, found = suite(
        iris__csv=text(1), wine__csv__gz=gzip.compress(text(2).encode()),
        vote__arff=head + "1,no\n2,yes\n3,no\n",
    )  # fmt: skip
    assert found == ()
    assert [(t.spec.name, t.spec.label, t.n) for t in tables] == [
        ("d/iris", "d/iris", 40),
        ("d/vote", "d/vote", 3),
        ("d/wine", "d/wine", 40),
    ]
    assert len({t.sha256 for t in tables}) == 3


def test_a_finding_says_which_file_it_is_about(suite):
    tables, found = suite(iris__csv=text(1), wine__csv=text(2).replace(",no\n", ",\n", 1))
    assert tables == ()
    assert [(d.code, d.notes) for d in found] == [("E423", ("in suite/wine.csv",))]


def test_all_files_are_checked_and_not_only_the_first(suite):
    bad = text(1).replace(",no\n", ",\n", 1)
    _, found = suite(iris__csv=bad, wine__csv=bad, zoo__csv=text(3))
    assert [d.notes for d in found] == [("in suite/iris.csv",), ("in suite/wine.csv",)]


def test_data_sets_may_have_columns_and_classes_of_their_own(suite):
    tables, found = suite(
        iris__csv=text(1), wine__csv=text(2, columns="cde").replace("no", "maybe")
    )
    assert found == ()
    assert [len(t.columns) for t in tables] == [2, 3]
    assert [t.classes for t in tables] == [("no", "yes"), ("maybe", "yes")]


def test_a_file_of_another_kind_in_the_folder_is_named(suite):
    _, found = suite(iris__csv=text(1), README__txt="about")
    assert [(d.code, d.notes) for d in found] == [("E403", ("in suite/README.txt",))]


# --- related data sets ---------------------------------------------------------------------


def pairs(found):
    assert {d.code for d in found} <= {"W423"}
    return [d.message for d in found]


def test_independent_data_sets_are_not_related(suite):
    tables, _ = suite(a__csv=text(1), b__csv=text(2), c__csv=text(3, columns="abc"))
    assert check_related(tables) == ()


def test_copies_are_related_whatever_the_order_of_rows_and_columns(suite):
    _, *rows = text(1).strip().split("\n")
    turned = [",".join((row.split(",")[1], row.split(",")[0], row.split(",")[2])) for row in rows]
    tables, _ = suite(a__csv=text(1), b__csv="b,a,y\n" + "\n".join(reversed(turned)) + "\n")
    assert pairs(check_related(tables)) == [
        "`d/a` and `d/b` hold the same rows, but count as two data sets"
    ]


def test_a_part_of_another_data_set_is_related(suite):
    head, *rows = text(1).strip().split("\n")
    _, *others = text(2).strip().split("\n")
    tables, _ = suite(a__csv=text(1), b__csv="\n".join([head, *rows[:10], *others[:30]]) + "\n")
    span = Span("study.eval", 3, 4)
    (warning,) = check_related(tables, span=span)
    assert all(fact in warning.message for fact in ("`d/a`", "`d/b`", "10 rows", "25%"))
    assert warning.span == span


def test_coarse_tables_have_equal_rows_by_chance(suite):
    def coarse(seed):
        rng = random.Random(seed)
        rows = (f"{rng.randrange(2)},{rng.randrange(2)},{rng.choice('uv')}\n" for _ in range(40))
        return "a,b,y\n" + "".join(rows) + f"{seed},0,u\n"

    tables, _ = suite(a__csv=coarse(7), b__csv=coarse(8))
    assert check_related(tables) == ()


def test_missing_values_are_equal_to_each_other(suite):
    tables, _ = suite(a__csv=text(1).replace("0.1", ""), b__csv=text(1).replace("0.1", ""))
    assert len(check_related(tables)) == 1
