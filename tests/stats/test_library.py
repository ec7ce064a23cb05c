"""The numeric core as a library: its names, its documentation, and how it refuses."""

import inspect
import warnings

import numpy as np
import pytest
from many_cases import for_each

from evallang import stats
from evallang.results.statistics import Effect, HypothesisTestResult, Interval
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

PUBLIC = [name for name in dir(stats) if name not in stats.ROOMS]


def test_the_call_of_the_manual_works():
    # b = 11, c = 1: (|11 - 1| - 1)² / 12 = 6.75
    assert stats.mcnemar([[9959, 11], [1, 29]], method="corrected").statistic.value == 6.75


@pytest.mark.parametrize("registry", [HYPOTHESIS_TESTS, INTERVALS, CORRECTIONS, EFFECT_SIZES],
                         ids=lambda registry: registry.kind)  # fmt: skip
def test_every_method_can_be_called_by_a_name_that_python_spells(registry):
    for entry in registry:
        name = entry.name if entry.name.isidentifier() else entry.function.__name__
        assert name in PUBLIC
        room = getattr(stats, "intervals", stats) if registry is INTERVALS else stats
        if registry is INTERVALS:
            assert getattr(room, name) is entry.function
        else:
            assert getattr(stats, name).__name__ == entry.function.__name__


def test_of_a_test_and_an_interval_the_test_has_the_name():
    assert stats.corrected_t is HYPOTHESIS_TESTS["corrected_t"].function
    assert stats.intervals.corrected_t is INTERVALS["corrected_t"].function


@for_each("name", PUBLIC)
def test_every_public_name_is_documented(name):
    found = getattr(stats, name)
    text = inspect.getdoc(found) or ""
    assert text.split("\n\n")[0].endswith(".")


@for_each("entry", [pytest.param(e, id=e.name) for e in (*HYPOTHESIS_TESTS, *INTERVALS)])
def test_documentation_says_what_is_raised(entry):
    assert "Raises" in inspect.getdoc(entry.function)


def test_the_examples_of_the_module_run():
    import doctest

    failed, tried = doctest.testmod(stats)
    assert (failed, tried > 4) == (0, True)


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(AttributeError, match="perhaps `mcnemar`"):
        stats.mcnemer  # noqa: B018 - the attribute is what is asked for
    with pytest.raises(AttributeError, match="dir"):
        stats.xyz  # noqa: B018 - the attribute is what is asked for


TABLE = ((5, 2), (1, 4))
FIVE, FOUR = (0.9, 0.8, 0.7, 0.8, 0.9), (0.5, 0.6, 0.7, 0.4)
TEXT = ("0.9", "high", "0.7", "0.8")
REFUSED = {
    "unequal lengths": [
        lambda: stats.corrected_t(FIVE, FOUR),
        lambda: stats.kfold_t(FIVE, FOUR),
        lambda: stats.bayes_t(FIVE, FOUR, rope=0.01, better="higher"),
        lambda: stats.t(FIVE, FOUR),
        lambda: stats.wilcoxon(FIVE, FOUR),
        lambda: stats.sign(FIVE, FOUR),
        lambda: stats.bayes_sign(FIVE, FOUR, better="higher"),
        lambda: stats.diebold_mariano(FIVE, FOUR),
        lambda: stats.permutation(stats.LossSwapper(FIVE, FOUR)),
        lambda: stats.delong([1, 0, 1], np.zeros((4, 2))),
        lambda: stats.intervals.delong([1, 0, 1], FOUR, 0.95),
        lambda: stats.ScoreSample([1, 0, 1], FOUR),
        lambda: stats.corrected_t(FOUR, FOUR, [10] * 3, [5] * 3),
        lambda: stats.intervals.corrected_t(FOUR, [10] * 3, [5] * 3, 0.95),
        lambda: stats.intervals.cv_clt(FOUR, [0, 1], 0.95),
        lambda: stats.t(FOUR, FOUR, [0, 0, 1]),
        lambda: stats.mcnemar(TABLE, 0.95, [[1, 0]] * 3, [0, 1]),
        lambda: stats.shaffer([0.1, 0.2]),
        lambda: stats.westfall([0.1], [[1, 0]], [(0, 1), (0, 1)]),
        lambda: stats.cliffs_delta(FIVE, FOUR),
    ],
    "another shape": [
        lambda: stats.mcnemar([1, 2, 3, 4]),
        lambda: stats.mcnemar([[1, 2, 3]] * 3),
        lambda: stats.mcnemar(7),
        lambda: stats.cochran([1, 0, 1]),
        lambda: stats.cochran([[1, 0], [1]]),
        lambda: stats.friedman(FIVE),
        lambda: stats.friedman([[0.1, 0.2], [0.3]]),
        lambda: stats.five_by_two_f(FIVE, FIVE),
        lambda: stats.corrected_t([[0.1, 0.2]], [[0.1, 0.2]]),
        lambda: stats.takahashi([[1, 2, 3], [4, 5, 6]], "macro", None, 0.95),
        lambda: stats.nemenyi([[0.1, 0.2, 0.3]] * 3, pair=(0, 7), better="higher"),
        lambda: stats.westfall([0.1], [[1, 0]], [(0, 5)]),
        lambda: stats.single_t([[0.1, 0.2]], threshold=0.5),
        lambda: stats.intervals.t([[0.1, 0.2]], 0.95),
        lambda: stats.permutation([0.1, 0.2]),
        lambda: stats.bootstrap([0.1, 0.2]),
        lambda: stats.intervals.bootstrap([0.1, 0.2], 0.95, 1),
        lambda: stats.tost(0.02, margin=0.1),
        lambda: stats.noninferiority(0.02, margin=0.1, better="higher"),
    ],
    "text for numbers": [
        lambda: stats.corrected_t(TEXT, FOUR),
        lambda: stats.wilcoxon(TEXT, FOUR),
        lambda: stats.sign(TEXT, FOUR),
        lambda: stats.friedman([TEXT, TEXT]),
        lambda: stats.single_t(TEXT, threshold=0.5),
        lambda: stats.intervals.corrected_t(TEXT, None, None, 0.95),
        lambda: stats.intervals.cv_clt(TEXT, [0, 1, 0, 1], 0.95),
        lambda: stats.LossSample(TEXT),
        lambda: stats.delong([1, 0, 1, 0], [[a, a] for a in TEXT]),
        lambda: stats.mcnemar([["a", "b"], ["c", "d"]]),
        lambda: stats.cochran([["right", "wrong"]]),
        lambda: stats.wilson("many", 9, 0.95),
        lambda: stats.holm(["small", 0.2]),
        lambda: stats.mcnemar(TABLE, "95%"),
    ],
    "labels for truth": [
        lambda: stats.delong(["yes", "no", "yes"], np.zeros((3, 2))),
        lambda: stats.intervals.delong(["yes", "no", "yes"], [0.1, 0.2, 0.3], 0.95),
        lambda: stats.intervals.delong([1, 2, 1], [0.1, 0.2, 0.3], 0.95),
        lambda: stats.ScoreSwapper(["yes", "no"], [1, 2], [1, 2]),
        lambda: stats.ScoreSample(["yes", "no"], [1, 2]),
    ],
    "numbers that cannot be": [
        lambda: stats.mcnemar([[5, -1], [2, 3]]),
        lambda: stats.mcnemar([[5, 1.5], [2, 3]]),
        lambda: stats.mcnemar([[5, float("nan")], [2, 3]]),
        lambda: stats.mcnemar([[5, float("inf")], [2, 3]]),
        lambda: stats.wilson(9, 5, 0.95),
        lambda: stats.binomial([[True]], threshold=2),
        lambda: stats.single_t(FOUR, threshold=float("nan")),
        lambda: stats.diebold_mariano(FOUR, FOUR, horizon=0),
        lambda: stats.tost(stats.paired_proportions(TABLE), margin=0),
        lambda: stats.holm([0.2, float("nan")]),
        lambda: stats.critical_difference(1, 5),
        lambda: stats.delong([1, 0, 1], [[float("nan"), 1], [1, 2], [2, 3]]),
    ],
}


@for_each(
    "call",
    [
        pytest.param(call, id=f"{why}-{number}")
        for why, calls in REFUSED.items()
        for number, call in enumerate(calls)
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence_of_ours(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"^[a-z`0-9'].*[^.]$") as refused:
            call()
    text = str(refused.value)
    for foreign in ("operands could not", "invalid literal", "array(", "unpack", "convert string"):
        assert foreign not in text


def test_missing_values_are_none_or_nan():
    one = stats.corrected_t([0.9, None, 0.7], [0.8, 0.7, 0.6], [9] * 3, [3] * 3)
    other = stats.corrected_t([0.9, float("nan"), 0.7], [0.8, 0.7, 0.6], [9] * 3, [3] * 3)
    assert one == other
    assert "excluded" in one.notes[0]


def test_results_do_not_change():
    found = stats.mcnemar(TABLE)
    assert isinstance(found, HypothesisTestResult)
    assert isinstance(stats.wilson(3, 9, 0.95), Interval)
    assert isinstance(stats.cliffs_delta(FOUR, FOUR), Effect)
    with pytest.raises(AttributeError):
        found.p = 0.5
