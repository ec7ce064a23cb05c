"""Numbers that double precision cannot square, sum or tell apart are refused when read."""

import numpy as np
import polars as pl
import pytest

from evallang.data.dataset import GivenModel
from evallang.limits import LARGEST_NUMBER, SMALLEST_NUMBER

A = GivenModel("a", "a", column="a")


def column(name, values):
    rows = zip((1.5, 2.5, 4), values, strict=True)
    return f"truth,{name}\n" + "".join(f"{t},{v}\n" for t, v in rows)


def test_the_limits_are_where_moments_of_squared_errors_stay_finite():
    # (2 x)^6 is the cube of a squared error of two numbers of opposite sign, summed over 1e15 rows
    assert np.isfinite((2 * LARGEST_NUMBER) ** 6 * 1e15)
    assert SMALLEST_NUMBER**6 > 0


@pytest.mark.parametrize("values", [(0, 0, 0), (1e45, -1e45, 0), (1e-300, 1, 0), (1e-45, 0, 0)])
def test_what_can_be_squared_is_read(source, values):
    source.write("p.csv", column("a", values))
    (made,), _ = source.predictions("p.csv", models=(A,), task="regression")
    assert made.predictions["a"].tolist() == list(values)


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([2**62 + 3, 2**62 + 7, 2**62 + 20], False),
        ([2**62 + 1, 2**62 + 1, 2**62 + 1], False),
        ([2**62, 2**62 + 1024, 2**62 + 2048], True),  # doubles themselves
        ([-(2**62) - 1, 5, 2**62 + 1], True),  # a rounding of 1e-16 of their range
        ([2**53 - 1, 2**53, 3], True),
    ],
)
def test_whole_numbers_keep_their_differences_or_are_refused(source, values, read):
    frame = pl.DataFrame({"truth": [1.5, 2.5, 4.0], "a": values})
    frame.write_parquet(source.folder / "p.parquet")
    made, found = source.predictions("p.parquet", models=(A,), task="regression")
    assert bool(made) == read
    assert read or [d.code for d in found if d.severity == "error"] == ["E499"]


def test_scores_that_are_only_ordered_may_be_huge(source):
    source.write("p.csv", "truth,s\nno,1e-300\nyes,1e300\nno,3\n")
    model = GivenModel("m", "m", score="s")
    (made,), _ = source.predictions("p.csv", models=(model,))
    assert made.scores["m"].tolist() == [1e-300, 1e300, 3]


def test_float32_columns_are_read_as_they_are(source):
    values = np.array([0.1, 3e38, 1e-40], dtype=np.float32)
    pl.DataFrame({"truth": values, "a": values}).write_parquet(source.folder / "p.parquet")
    (made,), _ = source.predictions("p.parquet", models=(A,), task="regression")
    assert made.predictions["a"].tolist() == values.astype(float).tolist()


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ((1.00000000000001, 1.00000000000002, 1.00000000000003), False),
        ((1e9 + 1e-6, 1e9 + 2e-6, 1e9), False),
        ((1e9 + 1, 1e9 + 2, 1e9), True),  # rounding costs 1e-7 of their range
        ((0.1 + 0.2, 0.3, 0.1), True),
        ((3.5, 3.5, 3.5), True),
    ],
)
def test_a_truth_that_differs_by_rounding_alone_is_refused(source, values, read):
    rows = zip(values, (1, 2, 3), strict=True)
    source.write("p.csv", "truth,a\n" + "".join(f"{t!r},{p}\n" for t, p in rows))
    made, found = source.predictions("p.csv", models=(A,), task="regression")
    assert bool(made) == read
    assert [d.code for d in found if d.severity == "error"] == ([] if read else ["E499"])
