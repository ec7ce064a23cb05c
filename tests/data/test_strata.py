"""`strata_codes`: combinations of levels, bins of a numeric target, rare combinations."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from evallang.data.strata import quantile_bins, strata_codes
from evallang.source import Span


def table(source, rows, **clauses):
    text = "x,ward,site,y\n" + "".join(
        f"{i},{ward},{site},{y}\n" for i, (ward, site, y) in enumerate(rows)
    )
    return source.table(text, **{"strata": ("ward", "site"), **clauses})


def crossed(times):
    """Give `times` rows of each combination of two wards, two sites and two labels."""
    return [(w, s, y) for w in "AB" for s in "uv" for y in ("no", "yes")] * times


def shares(codes, rows):
    """Give the combinations of each stratum, with their counts."""
    found = {}
    for code, row in zip(codes.tolist(), rows, strict=True):
        found.setdefault(code, Counter())[row] += 1
    return list(found.values())


def test_one_column_is_its_levels(source):
    rows = crossed(2)
    strata, found = strata_codes(table(source, rows), ["target"], least=5)
    assert found == ()
    assert strata.codes.tolist() == [0, 1] * 8
    assert strata.notes == ()


def test_several_columns_are_their_combinations(source):
    rows = crossed(3)
    strata, found = strata_codes(table(source, rows), ["target", "ward", "site"], least=3)
    assert found == ()
    assert strata.n == 8
    assert all(len(kinds) == 1 and sum(kinds.values()) == 3 for kinds in shares(strata.codes, rows))


def test_the_target_may_be_called_by_its_name_and_twice(source):
    data = table(source, crossed(2))
    one, _ = strata_codes(data, ["target", "ward"])
    other, _ = strata_codes(data, ["y", "ward", "target"])
    assert one.codes.tolist() == other.codes.tolist()


def test_a_missing_level_is_a_level(source):
    rows = [("", "u", y) for y in ("no", "yes")] * 3 + [("A", "u", y) for y in ("no", "yes")] * 3
    strata, _ = strata_codes(table(source, rows), ["target", "ward"], least=3)
    assert sorted(np.bincount(strata.codes).tolist()) == [3, 3, 3, 3]


def test_no_columns_are_no_strata(source):
    assert strata_codes(table(source, crossed(1)), []) == (None, ())


# --- rare combinations ---------------------------------------------------------------------


def test_rare_combinations_give_up_their_last_levels_and_keep_their_class(source):
    rows = [*crossed(5), *[(ward, site, "no") for ward in "CD" for site in "uv"]]
    strata, found = strata_codes(table(source, rows), ["target", "ward", "site"], least=4)
    assert [d.code for d in found] == ["W422"]
    assert found[0].message == (
        "4 combinations of `target`, `ward`, `site` have fewer than 4 rows, 4 of 44 rows in all, "
        "and are merged"
    )
    kinds = shares(strata.codes, rows)
    assert all(len({y for _, _, y in kind}) == 1 for kind in kinds)
    assert sorted(sum(kind.values()) for kind in kinds) == [4, *[5] * 8]
    pooled = next(kind for kind in kinds if ("C", "u", "no") in kind)
    assert {ward for ward, _, _ in pooled} == {"C", "D"}


def test_a_level_in_the_middle_is_kept_where_it_is_large_enough(source):
    rows = [*crossed(5), *[("C", site, "no") for site in "uuvv"]]
    strata, _ = strata_codes(table(source, rows), ["target", "ward", "site"], least=4)
    pooled = next(kind for kind in shares(strata.codes, rows) if ("C", "u", "no") in kind)
    assert pooled == Counter({("C", "u", "no"): 2, ("C", "v", "no"): 2})


def test_what_is_too_small_for_a_pool_joins_the_largest_stratum_of_its_class(source):
    rows = [*crossed(5), ("A", "u", "yes"), ("C", "u", "yes")]
    strata, _ = strata_codes(table(source, rows), ["target", "ward", "site"], least=4)
    kind = next(kind for kind in shares(strata.codes, rows) if ("C", "u", "yes") in kind)
    assert kind == Counter({("A", "u", "yes"): 6, ("C", "u", "yes"): 1})


def test_a_class_that_is_too_small_itself_stays_as_it_is(source):
    rows = [*crossed(5), ("A", "u", "odd"), ("A", "v", "odd")]
    strata, _ = strata_codes(table(source, rows), ["target", "ward"], least=4)
    assert Counter({("A", "u", "odd"): 1, ("A", "v", "odd"): 1}) in shares(strata.codes, rows)


def test_a_column_with_a_level_a_row_is_refused(source):
    rows = [(f"w{i}", "u", "no" if i % 2 else "yes") for i in range(40)]
    strata, found = strata_codes(table(source, rows), ["target", "ward"], least=5)
    assert strata is None
    assert [d.code for d in found] == ["E491"]
    assert "40 of 40 rows" in found[0].message


ROW = st.tuples(*map(st.sampled_from, ("ABCD", "uvw", ["no", "yes"])))


@settings(
    deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(ROW, min_size=60, max_size=90), st.integers(2, 6))
def test_merging_never_mixes_classes_and_leaves_no_small_stratum(source, rows, least):
    rows = [*rows, *[("A", "u", y) for y in ("no", "yes") for _ in range(least)]]
    data = table(source, rows)
    strata, found = strata_codes(data, ["target", "ward", "site"], least=least)
    if strata is None:
        assert [d.code for d in found] == ["E491"]
        return
    kinds = shares(strata.codes, rows)
    assert all(len({y for _, _, y in kind}) == 1 for kind in kinds)
    assert min(sum(kind.values()) for kind in kinds) >= least
    assert sorted(set(strata.codes.tolist())) == list(range(strata.n))


# --- bins ----------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.integers(-999, 999), min_size=9, max_size=60, unique=True), st.integers(2, 8))
def test_bins_are_those_of_pandas(numbers, bins):
    # where n - 1 and the bins share a factor, rounding decides in pandas where a cut falls
    assume(math.gcd(len(numbers) - 1, bins) == 1)
    codes, _ = quantile_bins(np.array(numbers, dtype=float), bins)
    expected = pd.qcut(numbers, bins, labels=False, duplicates="drop")
    assert codes.tolist() == expected.tolist()


@given(st.lists(st.integers(-5, 5), min_size=5, max_size=60), st.integers(2, 8))
def test_bins_follow_the_order_and_keep_equal_numbers_together(numbers, bins):
    codes, edges = quantile_bins(np.array(numbers, dtype=float), bins)
    pairs = sorted(zip(numbers, codes.tolist(), strict=True))
    assert [code for _, code in pairs] == sorted(code for _, code in pairs)
    assert len(set(pairs)) == len(set(numbers))
    assert set(codes.tolist()) == set(range(len(edges) + 1))


def test_a_value_that_most_rows_have_is_a_bin_of_its_own():
    codes, edges = quantile_bins(np.array([0.0] * 12 + [1.5, 2.5, 3.5, 4.5]), 4)
    assert codes.tolist() == [0] * 12 + [1] * 4
    assert edges.tolist() == [0.0]


def test_a_numeric_target_is_cut_at_its_quantiles_and_the_cuts_are_stated(source):
    rows = [("A", "u", y / 2) for y in range(20)]
    strata, found = strata_codes(table(source, rows, task="regression"), ["target"], 4, least=5)
    assert found == ()
    assert np.bincount(strata.codes).tolist() == [5, 5, 5, 5]
    # quartiles of 0, .5 ... 9.5 by linear interpolation: 2.375, 4.75 and 7.125
    assert strata.notes == ("y in 4 bins, cut after 2, 4.5, 7",)


def test_equal_values_make_fewer_bins_and_it_is_said(source):
    rows = [("A", "u", y) for y in [0.5] * 12 + [1.5, 2.5, 3.5, 4.5]]
    strata, _ = strata_codes(table(source, rows, task="regression"), ["target"], 4, least=2)
    assert strata.notes[0].endswith("fewer than 4 because of equal values")
    assert len({strata.codes[i] for i in range(12)}) == 1


def test_bins_and_other_columns_are_combined(source):
    rows = [(ward, "u", y / 2) for y in range(20) for ward in "AB"]
    strata, _ = strata_codes(table(source, rows, task="regression"), ["target", "ward"], 2, least=5)
    assert np.bincount(strata.codes).tolist() == [10] * 4


@pytest.mark.parametrize(
    ("task", "columns", "bins", "code", "words"),
    [
        ("regression", ["target"], None, "E490", "only in bins"),
        ("regression", ["target"], 1, "E490", "divides nothing"),
        ("regression", ["target"], 9, "E490", "fewer than 5 rows each: there are 40"),
        ("classification", ["target"], 2, "E490", "classes"),
        ("classification", ["target", "wards"], None, "E420", "no column `wards`"),
    ],
)
def test_what_cannot_be_strata(source, task, columns, bins, code, words):
    rows = [("A", "u", i % 7) for i in range(40)]
    span = Span("study.eval", 5, 6)
    strata, found = strata_codes(table(source, rows, task=task), columns, bins, least=5, span=span)
    assert strata is None
    assert [(d.code, d.span) for d in found] == [(code, span)]
    assert words in found[0].message
