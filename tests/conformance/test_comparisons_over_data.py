"""What every test over data sets promises, whoever wrote it."""

import itertools
import math
import warnings

import numpy as np
import pytest
from many_cases import for_each
from worked_examples import entries_of

from evallang.evidence import DATASET_SCORES
from evallang.results.codec import from_plain, to_plain
from evallang.results.records import HypothesisTestResult
from evallang.stats.basics import OPPOSITE
from evallang.stats.effect_sizes import effect_size
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS


@pytest.fixture(scope="module", autouse=True)
def few_rounds():
    """Draw the intervals of effect sizes, most of a test's time, with few resamples."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(effect_size, "ROUNDS", 200)
        yield


RANDOM = np.random.default_rng(13)
ENTRIES = [entry for entry in HYPOTHESIS_TESTS if DATASET_SCORES in entry.declaration.evidence]
ONLY_OVER_DATA = [entry for entry in ENTRIES if entry.declaration.across_data]
TABLES = [
    np.zeros((0, 3)),  # no data set
    np.array([[0.5, 0.6, 0.7]]),  # one data set
    np.full((4, 3), 0.5),  # equal everywhere
    np.array([[0.3, 0.1 + 0.2, 0.3], [0.6, 0.2 + 0.4, 0.6]]),  # equal in decimals
    np.tile([0.9, 0.8, 0.7], (6, 1)),  # complete agreement, no variance
    np.array([[0.9, 0.8, 0.7], [0.5, 0.4, 0.1], [0.3, 0.2, 0.0]]),
    np.array([[0.9, np.nan, 0.7], [0.5, 0.4, 0.1], [0.3, 0.2, np.nan]]),
    np.full((3, 4), np.nan),
    np.array([[np.inf, 1.0, 2.0], [-np.inf, 5.0, 1.0], [3.0, 2.0, np.inf]]),
    np.array([[1e-12, 2e-12, 3e-12], [1e12, 2e12, 2e12]]),
    np.round(RANDOM.random((12, 5)), 1),  # ties everywhere
    RANDOM.random((20, 10)),
    RANDOM.random((9, 2)),  # two models
    np.column_stack([np.ones(8), RANDOM.random((8, 2))]),  # one model perfect
]


def arguments_of(entry, scores, level=0.95):
    """Give what a test of some data sets is handed, up to the level."""
    given = {
        "scores": scores,
        "first": scores[:, 0],
        "second": scores[:, 1],
        "better": "higher",
        "bounded": True,
        "pair": (0, 1),
        "level": level,
    }
    assert set(entry.inputs) <= {*given, "seed"}
    return {name: given[name] for name in entry.inputs if name in given}


def settings_of(entry):
    """Give every word an author may choose, one at a time."""
    words = [(o.name, word) for o in entry.options for word in o.words if word != o.default]
    return [{}, *({name: word} for name, word in words)]


def other_side(settings):
    """Turn a named side round."""
    if "alternative" not in settings:
        return settings
    return settings | {"alternative": OPPOSITE[settings["alternative"]]}


CASES = [
    pytest.param(entry, scores, settings, id=f"{entry.name}-{settings}-{number}")
    for entry in ENTRIES
    for settings in settings_of(entry)
    for number, scores in enumerate(TABLES)
]
PAIRS = [case for case in CASES if case.values[0].declaration.models == (2, 2)]
OMNIBUS = [case for case in CASES if case.values[0].declaration.omnibus]


@pytest.mark.parametrize("entry", entries_of(ONLY_OVER_DATA))
def test_a_test_over_data_sets_says_so(entry):
    assert entry.declaration.evidence == {DATASET_SCORES}
    assert entry.declaration.omnibus == (entry.declaration.models == (3, None))


@for_each("entry, scores, settings", CASES)
def test_any_data_sets_give_a_result_without_warning_or_nan(entry, scores, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = entry.function(**arguments_of(entry, scores), **settings)
    assert isinstance(result, HypothesisTestResult)
    assert result.test == entry.name
    assert result.variant
    assert result.null
    plain = to_plain(result)  # refuses NaN
    assert to_plain(from_plain(HypothesisTestResult, plain)) == plain
    if entry.declaration.bayesian:
        shares = [result.extra[name] for name in ("p_first", "p_rope", "p_second")]
        assert result.p is None
        assert result.notes if shares[0] is None else sum(shares) == pytest.approx(1, rel=1e-12)
    elif result.p is None:
        assert result.notes, "an undefined p says why"
    else:
        assert 0.0 < result.p <= 1.0
        assert isinstance(result.p, float)
    for effect in result.effects:
        assert effect.name in EFFECT_SIZES
        if effect.low is not None and effect.high is not None:
            assert effect.low <= effect.value <= effect.high


@for_each("entry, scores, settings", CASES)
def test_the_order_of_the_data_sets_does_not_matter(entry, scores, settings):
    one = entry.function(**arguments_of(entry, scores), **settings)
    other = entry.function(**arguments_of(entry, scores[::-1]), **settings)
    assert other.p == (pytest.approx(one.p, rel=1e-10) if one.p is not None else None)
    assert other.variant == one.variant
    if one.extra.get("p_first") is not None:
        # Simulated ones to five Monte Carlo errors
        error = 5 * one.extra.get("mc_se", 0.0) + 1e-9
        assert other.extra["p_first"] == pytest.approx(one.extra["p_first"], abs=2 * error)


@for_each("entry, scores, settings", OMNIBUS)
def test_the_order_of_the_models_does_not_matter_to_an_omnibus(entry, scores, settings):
    one = entry.function(**arguments_of(entry, scores), **settings)
    other = entry.function(**arguments_of(entry, scores[:, ::-1]), **settings)
    assert other.p == (pytest.approx(one.p, rel=1e-10) if one.p is not None else None)
    assert other.variant == one.variant
    assert other.notes == one.notes


@for_each("entry, scores, settings", CASES)
def test_turning_scores_and_direction_changes_no_p(entry, scores, settings):
    given = arguments_of(entry, scores)
    one = entry.function(**given, **settings)
    turned = arguments_of(entry, -scores) | {"better": "lower"}
    other = entry.function(**turned, **other_side(settings))
    assert other.p == (pytest.approx(one.p, rel=1e-10) if one.p is not None else None)
    for name in ("p_first", "p_second", "wins", "losses", "rank_first", "critical_difference"):
        if name in one.extra and one.extra[name] is not None:
            assert other.extra[name] == pytest.approx(one.extra[name], rel=1e-9)


def mirrored(one, other):
    """Tell whether two numbers are each other's negative, or both undefined."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, -other, rel_tol=1e-9, abs_tol=1e-14)


@for_each("entry, scores, settings", PAIRS)
def test_swapping_the_models_swaps_the_difference_and_nothing_else(entry, scores, settings):
    given = arguments_of(entry, scores)
    one = entry.function(**given, **settings)
    if "pair" in given:
        swapped = given | {"pair": (1, 0)}
    else:
        swapped = given | {"first": given["second"], "second": given["first"]}
    other = entry.function(**swapped, **other_side(settings))
    assert other.p == (pytest.approx(one.p, rel=1e-12) if one.p is not None else None)
    assert mirrored(one.estimate.value, other.estimate.value)
    assert mirrored(one.estimate.low, other.estimate.high)
    assert mirrored(one.estimate.high, other.estimate.low)
    for mine, theirs in zip(one.effects, other.effects, strict=True):
        assert mirrored(mine.value, theirs.value)


@for_each("entry, scores, settings", PAIRS)
def test_a_higher_level_widens_the_interval_of_the_difference(entry, scores, settings):
    found = [
        entry.function(**arguments_of(entry, scores, level), **settings).estimate
        for level in (0.5, 0.9, 0.95, 0.999)
    ]
    for narrow, wide in itertools.pairwise(found):
        assert narrow.level < wide.level
        if narrow.low is not None and wide.low is not None:
            assert wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high


@for_each("entry", entries_of(ENTRIES))
def test_a_level_outside_0_and_1_is_refused(entry):
    for level in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="between 0 and 1"):
            entry.function(**arguments_of(entry, TABLES[-1], level))


@for_each("entry", entries_of(ENTRIES))
def test_what_is_no_direction_is_refused(entry):
    with pytest.raises(ValueError, match="higher or lower"):
        entry.function(**arguments_of(entry, TABLES[-1]) | {"better": "up"})


@pytest.mark.parametrize("entry", entries_of(ENTRIES))
def test_scores_alone_are_enough_in_python(entry):
    given = arguments_of(entry, TABLES[-1])
    evidence = {k: v for k, v in given.items() if k in ("scores", "first", "second", "better")}
    assert entry.function(**evidence).test == entry.name
