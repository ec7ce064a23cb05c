"""The numeric core as Python users import it: real names, types, arrays, scipy's spelling."""

import ast
import importlib
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.weightstats import ttost_paired

from evallang import stats

ROOT = Path(__file__).parents[2]
ROOM = ROOT / "evallang" / "stats"
RNG = np.random.default_rng(3)
FIRST = RNG.normal(0.3, 1, 40)
SECOND = FIRST + RNG.normal(0.2, 0.6, 40)


def imported(stub):
    """Give the objects that a stub imports, by name."""
    found = {}
    for line in ast.parse(stub.read_text(encoding="utf-8")).body:
        assert isinstance(line, ast.ImportFrom)
        (alias,) = line.names
        module = importlib.import_module(line.module)
        found[alias.asname] = getattr(module, alias.name)
    return found


def test_type_checkers_see_every_public_name_as_what_it_is():
    found = imported(ROOM / "__init__.pyi")
    assert sorted(found) == dir(stats)
    assert all(getattr(stats, name) is member for name, member in found.items())


@pytest.mark.parametrize("room", ["hypothesis_tests", "intervals"])
def test_the_rooms_have_real_names_too(room):
    found = imported(ROOM / room / "__init__.pyi")
    assert found
    assert all(getattr(getattr(stats, room), name) is member for name, member in found.items())


def test_a_permutation_test_takes_two_arrays():
    expected = scipy.stats.permutation_test(
        (FIRST[:12], SECOND[:12]),
        lambda x, y: x.mean() - y.mean(),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    found = stats.permutation(FIRST[:12], list(SECOND[:12]))
    assert found.pvalue == pytest.approx(expected.pvalue)
    low, high = found.confidence_interval
    assert low < (FIRST[:12] - SECOND[:12]).mean() < high
    assert stats.permutation(stats.LossSwapper(FIRST[:12], SECOND[:12])).p == found.p


def test_groups_are_swapped_as_a_whole():
    codes = np.arange(12) // 3
    sums = [d.sum() for d in np.split(FIRST[:12] - SECOND[:12], 4)]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    swapped = np.abs(signs.T @ sums)
    share = (swapped >= abs(sum(sums)) * (1 - 1e-9)).mean()
    assert stats.permutation(FIRST[:12], SECOND[:12], groups=codes).p == pytest.approx(share)


def test_a_bootstrap_test_takes_two_arrays():
    found = stats.bootstrap(FIRST, SECOND, seed=5)
    expected = scipy.stats.bootstrap(
        (FIRST - SECOND,), np.mean, rng=np.random.default_rng(1)
    ).confidence_interval
    width = expected.high - expected.low
    assert found.confidence_interval.low == pytest.approx(expected.low, abs=0.1 * width)
    assert found.confidence_interval.high == pytest.approx(expected.high, abs=0.1 * width)


def test_equivalence_takes_two_arrays():
    p, (_, lower, _), _ = ttost_paired(FIRST, SECOND, -0.5, 0.5)
    assert stats.tost(FIRST, SECOND, margin=0.5).p == pytest.approx(p, rel=1e-6)
    found = stats.noninferiority(FIRST, SECOND, margin=0.5, better="higher")
    assert found.p == pytest.approx(lower, rel=1e-6)


@pytest.mark.parametrize("call", [
    lambda side: stats.mcnemar([[50, 9], [3, 20]], alternative=side),
    lambda side: stats.wilcoxon(FIRST, SECOND, alternative=side),
    lambda side: stats.permutation(FIRST, SECOND, alternative=side),
])  # fmt: skip
def test_the_spelling_of_scipy_is_understood(call):
    assert call("two-sided") == call("two_sided")
    with pytest.raises(ValueError, match="alternative is one of two_sided"):
        call("both")
