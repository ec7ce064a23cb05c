"""`read_counts`: tables and patterns become right and wrong per example."""

import numpy as np
import pytest

from evallang.data.counts import read_counts
from evallang.data.dataset import CountsSpec, GivenModel
from evallang.source import Span

A, B, C = (GivenModel(name, name) for name in "abc")


def spec(*patterns, models=(A, B), **clauses):
    places = {"pattern": Span("study.eval", 5, 9)}
    return CountsSpec("t", "t", "counts t", models, patterns, places=places, **clauses)


RASCHKA_20A = (((1, 1), 9959), ((1, 0), 11), ((0, 1), 1), ((0, 0), 29))
"""Raschka 2018, figure 20, subpanel A: both right, only the first, only the second, none."""


def test_a_published_table_is_expanded_to_its_examples(tmp_path):
    made, found = read_counts(spec(*RASCHKA_20A), tmp_path)
    assert found == ()
    a, b = made.correct["a"], made.correct["b"]
    assert made.n == len(a) == len(b) == 10_000
    assert a.sum() / made.n == pytest.approx(0.9970)  # printed there: 99.7 % and 99.6 %
    assert b.sum() / made.n == pytest.approx(0.9960)
    assert [(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()] == [9959, 11, 1, 29]
    assert (made.kind, made.truth, made.classes, made.predictions) == ("counts", None, (), {})


def test_the_order_of_the_lines_changes_nothing(tmp_path):
    one, _ = read_counts(spec(*RASCHKA_20A), tmp_path)
    two, _ = read_counts(spec(*RASCHKA_20A[::-1]), tmp_path)
    assert one.sha256 == two.sha256
    np.testing.assert_array_equal(one.correct["a"], two.correct["a"])
    assert one.correct["b"][:9959].all()  # all right first, then as the docstring says
    assert not one.correct["b"][9959:9970].any()
    assert not one.correct["a"][-29:].any()


def test_a_file_of_patterns_gives_what_written_patterns_give(tmp_path):
    (tmp_path / "p.csv").write_text("a,second,c,n\n1,1,0,12\n0,1,1,3\n0,0,0,0\n")
    models = (A, GivenModel("b", "b", column="second"), C)
    read, found = read_counts(spec(models=models, path="p.csv", count="n"), tmp_path)
    assert found == ()
    written, _ = read_counts(spec(((1, 1, 0), 12), ((0, 1, 1), 3), models=(A, B, C)), tmp_path)
    assert read.n == written.n == 15
    assert read.sha256 == written.sha256
    assert read.source == "p.csv"


def test_without_a_count_column_every_row_is_one_example(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\n1,0\n1,1\n1,0\n")
    made, _ = read_counts(spec(path="p.csv"), tmp_path)
    assert (made.n, made.correct["a"].sum(), made.correct["b"].sum()) == (3, 3, 1)
