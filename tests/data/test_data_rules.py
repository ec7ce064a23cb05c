"""What is looked for in a table once it is read."""

import random

import numpy as np
import pytest

from evallang.data.table_rules import check_table
from evallang.source import Span


def codes(found):
    return [d.code for d in found]


def rows(*columns):
    """A CSV file of columns given as (name, values); y alternates between two labels."""
    names = [name for name, _ in columns]
    lines = zip(*(values for _, values in columns), strict=True)
    body = "".join(",".join(map(str, line)) + f",{'ab'[i % 2]}\n" for i, line in enumerate(lines))
    return ",".join([*names, "y"]) + "\n" + body


RNG = np.random.default_rng(3)
NOISE = [f"{value:.4f}" for value in RNG.normal(size=40)]


def test_a_clean_table_has_no_findings(source):
    table = source.table(rows(("x", NOISE), ("w", ["u", "v", "u", "w"] * 10)))
    assert check_table(table, folds=10) == ()


def test_different_measurements_are_not_id_like(source):
    assert check_table(source.table(rows(("x", NOISE)))) == ()  # fractions, all different
    short = source.table(rows(("x", range(8)), ("z", [1, 1, 2, 2] * 2)))
    assert check_table(short) == ()  # too few rows to tell


def test_a_feature_that_only_agrees_mostly_is_none(source):
    values = ["a", "b"] * 20
    values[5] = "a"
    assert check_table(source.table(rows(("x", NOISE), ("copy", values)))) == ()


@pytest.mark.parametrize("ddof", [0, 1])
def test_standardised_features_are_noticed(source, ddof):
    block = RNG.normal(size=(40, 2))
    block = (block - block.mean(axis=0)) / block.std(axis=0, ddof=ddof)
    text = rows(("a", map(repr, block[:, 0].tolist())), ("b", map(repr, block[:, 1].tolist())))
    assert codes(check_table(source.table(text))) == ["W414"]
    text = rows(
        ("a", map(repr, block[:, 0].tolist())), ("b", map(repr, (block[:, 1] + 0.1).tolist()))
    )
    assert check_table(source.table(text)) == ()


def copied(k):
    """40 rows of which the last k repeat the first k, features and target."""
    return NOISE[: 40 - k] + NOISE[:k]


def test_copies_of_rows_are_counted(source):
    table = source.table(rows(("x", copied(4)), ("w", ["u", "v", "u", "w"] * 10)))
    found = check_table(table)
    assert codes(found) == ["W412"]
    assert found[0].message.startswith("4 rows of 40 repeat an earlier one")
    (found_one,) = check_table(source.table(rows(("x", NOISE[:38] + NOISE[:1] + NOISE[39:40]))))
    assert found_one.message.startswith("1 row of 40 repeats an earlier one")
    assert check_table(table, resampled=False) == ()


def test_copies_inside_one_group_are_fine(source):
    groups = [f"g{i % 36}" for i in range(40)]
    text = rows(("x", copied(4)), ("w", ["u", "v", "u", "w"] * 10), ("g", groups))
    assert check_table(source.table(text, group="g")) == ()
    apart = rows(("x", copied(4)), ("w", ["u", "v", "u", "w"] * 10), ("g", range(40)))
    assert codes(check_table(source.table(apart, group="g"))) == ["W412"]


def test_equal_features_with_another_target_are_no_copies(source):
    text = "x,w,y\n" + "".join(f"{NOISE[i // 2]},u{i // 20},{'ab'[i % 2]}\n" for i in range(40))
    assert check_table(source.table(text)) == ()


def test_missing_values_are_copies_of_missing_values(source):
    values = ["", "", "", "", *NOISE[4:]]
    table = source.table(rows(("x", values), ("w", ["u"] * 4 + ["v", "w"] * 18)))
    found = check_table(table)
    assert codes(found) == ["W412"]
    assert found[0].message.startswith("2 rows of 40")  # rows 1 and 3, 2 and 4


def test_few_groups_are_a_warning(source):
    table = source.table(rows(("x", NOISE), ("g", [f"g{i % 9}" for i in range(40)])), group="g")
    found = check_table(table)
    assert codes(found) == ["W413"]
    assert "only 9 groups" in found[0].message
    table = source.table(rows(("x", NOISE), ("g", [f"g{i % 10}" for i in range(40)])), group="g")
    assert check_table(table) == ()


def test_a_class_smaller_than_the_folds_is_named_at_the_protocol(source):
    text = "x,y\n" + "".join(f"{NOISE[i]},{'rare' if i < 4 else 'common'}\n" for i in range(40))
    table = source.table(text)
    span = Span("study.eval", 700, 710)
    assert check_table(table, folds=4) == ()
    (found,) = check_table(table, folds=5, span=span)
    assert (found.code, found.span) == ("E470", span)
    assert "5 folds: rare (4)" in found.message
    assert found.help == "write at most 4 folds"


def test_fewer_groups_than_folds_are_an_error(source):
    table = source.table(rows(("x", NOISE), ("g", [f"g{i % 12}" for i in range(40)])), group="g")
    assert check_table(table, folds=12) == ()
    assert codes(check_table(table, folds=13)) == ["E471"]


def test_different_examples_that_agree_in_coarse_columns_are_no_copies(source):
    chance = random.Random(3)
    cells = {f"q{i}": [chance.randint(1, 3) for _ in range(200)] for i in range(4)}
    y = [chance.choice("ab") for _ in range(200)]
    lines = zip(*cells.values(), y, strict=True)
    text = ",".join([*cells, "y"]) + "\n" + "".join(f"{','.join(map(str, r))}\n" for r in lines)
    assert "W412" not in codes(check_table(source.table(text)))
    measured = "x,z,y\n" + "".join(f"{i / 7:.4f},{i * i / 11:.4f},a\n" for i in range(100))
    twice = measured + "0.0,0.0,b\n" + "".join(measured.splitlines(True)[1:6])
    assert "W412" in codes(check_table(source.table(twice)))
