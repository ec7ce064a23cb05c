"""What every interval promises, whoever wrote it."""

import itertools
import warnings
from functools import partial

import numpy as np
import pytest
from many_cases import for_each
from validity import assert_shortfalls_are_stated, assert_validity
from worked_examples import assert_documented, assert_example, entries_of, examples_of

from evallang.metrics.metric import METRICS
from evallang.results.codec import to_plain
from evallang.results.records import Interval
from evallang.stats.battles import Strengths
from evallang.stats.intervals.cross_validation import ALONE, HeldOutLosses
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.intervals.readers import score_areas, score_means
from evallang.stats.intervals.resampling import (
    CountSample,
    DifferenceSample,
    LossSample,
    PairedCountSample,
    ScoreSample,
    WeightSample,
)
from evallang.stats.strata import Strata

RANDOM = np.random.default_rng(11)


def accuracy(matrix):
    right, n = np.trace(matrix, axis1=-2, axis2=-1), matrix.sum((-1, -2))
    return np.divide(right, n, out=np.full(np.shape(n), np.nan), where=n > 0)


def precision(matrix):
    named = matrix[..., :, 1].sum(-1)
    return np.divide(
        matrix[..., 1, 1], named, out=np.full(np.shape(named), np.nan), where=named > 0
    )


TRUTH = RANDOM.random(60) < 0.4
SCORES = TRUTH + RANDOM.normal(size=60)
FOLDS = np.arange(60) % 5
UNIT = (0.0, 1.0)

EVIDENCE = {
    "proportion": [(0, 0), (0, 1), (1, 1), (0, 30), (30, 30), (13, 16), (1, 10_000_000)],
    "paired": [
        (((0, 0), (0, 0)),),
        (((0, 1), (0, 0)),),
        (((10, 0), (0, 10)),),
        (((0, 8), (0, 0)),),
        (((0, 0), (8, 0)),),
        (((59, 6), (16, 80)),),
        (((9_999_000, 600), (300, 100)),),
    ],
    "independent": [
        (((0, 0), (0, 0)),),
        (((0, 0), (1, 2)),),
        (((0, 1), (1, 1)),),
        (((30, 30), (30, 30)),),
        (((0, 30), (8, 8)),),
        (((7, 34), (1, 34)),),
        (((9_999_000, 10_000_000), (1, 3)),),
    ],
    "fold_values": [
        (RANDOM.random(10),),
        (np.full(5, 0.1),),
        (np.array([0.3, 0.1 + 0.2, 0.3]),),
        (np.array([0.5]),),
        (np.array([]),),
        (np.array([np.nan, 0.5, 0.6]),),
    ],
    "losses": [
        (RANDOM.random(60), FOLDS),
        (np.full(6, 0.1), np.arange(6) % 2),
        (np.array([0.5]), np.array([0])),
        (np.array([]), np.array([])),
        (RANDOM.random(4), np.arange(4)),
        (np.array([np.inf, 1.0]), np.array([0, 1])),
    ],
    "auc": [
        (TRUTH, SCORES, FOLDS),
        (TRUTH, np.round(SCORES), FOLDS),
        (TRUTH, TRUTH.astype(float), FOLDS),  # one model perfect
        (~TRUTH, TRUTH.astype(float), FOLDS),  # always the wrong way round
        (TRUTH, np.zeros(60), FOLDS),  # all tied
        (np.zeros(60), SCORES, FOLDS),  # one class only
        (np.arange(60) == 3, SCORES, FOLDS),  # one positive
        (TRUTH, SCORES, TRUTH.astype(int)),  # one class in each fold
    ],
    "sample": [
        (CountSample([[50, 10], [5, 35]], accuracy, UNIT),),
        (CountSample([[50, 0], [0, 35]], accuracy, UNIT),),
        (CountSample([[5, 1], [1, 0]], precision, UNIT),),
        (CountSample([[5, 0], [1, 0]], precision, UNIT),),
        (CountSample([[0, 0], [0, 0]], accuracy, UNIT),),
        (PairedCountSample(RANDOM.integers(0, 9, (2, 2, 2)), accuracy, (-1.0, 1.0)),),
        (LossSample(RANDOM.random(40)),),
        (LossSample(RANDOM.random(40), "sqrt", RANDOM.integers(0, 8, 40)),),
        (LossSample(np.full(9, 0.1)),),
        (LossSample([0.4]),),
        (ScoreSample(TRUTH, SCORES),),
        (ScoreSample(TRUTH, np.round(SCORES), FOLDS),),
        (ScoreSample(TRUTH, TRUTH),),
        (ScoreSample(np.arange(60) == 3, SCORES),),
        (WeightSample(30, lambda w: w @ np.arange(30.0) / w.sum(-1)),),
        (DifferenceSample(ScoreSample(TRUTH, SCORES), ScoreSample(TRUTH, -SCORES), (-1.0, 1.0)),),
    ],
}
GROUPS = np.arange(60) % 20  # each in one fold
CLASSES = np.arange(60) % 3
OF_CLASSES = RANDOM.normal(size=(60, 3)) + np.eye(3)[CLASSES]
EVIDENCE["areas"] = [
    (codes, scores, by_pairs, FOLDS, groups)
    for codes, scores in (
        (CLASSES, OF_CLASSES),
        (CLASSES, np.round(OF_CLASSES)),
        (CLASSES, np.eye(3)[CLASSES]),  # perfect
        (CLASSES, -np.eye(3)[CLASSES]),  # always the wrong way round
        (CLASSES, np.zeros((60, 3))),  # all tied
        (np.zeros(60, dtype=int), OF_CLASSES),  # one class only
        (np.where(np.arange(60) == 3, 2, np.arange(60) % 2), OF_CLASSES),  # one of a class
    )
    for by_pairs in (False, True)
    for groups in (None, GROUPS)
]
EVIDENCE["auc"] = [(*arrays, groups) for arrays in EVIDENCE["auc"] for groups in (None, GROUPS)]
MATRICES = [
    [[50, 10], [5, 35]],
    [[30, 4, 2], [5, 20, 6], [1, 3, 9]],
    [[50, 0], [0, 35]],  # perfect
    [[0, 5], [7, 0]],  # always wrong
    [[0, 0], [0, 0]],  # no examples
    [[9, 0], [0, 0]],  # one class only
    [[1, 0], [1, 0]],
    [[1, 10_000_000], [0, 10_000_000]],
]
EVIDENCE["one_metric"] = [
    (matrix, average) for matrix in MATRICES for average in ("binary", "macro", "micro", "weighted")
]
OF_COUNTS = (
    (METRICS["mcc"].function, None, (-1.0, 1.0)),
    (METRICS["balanced_accuracy"].function, None, (0.0, 1.0)),
    (METRICS["recall"].function, 1, (0.0, 1.0)),
)
EVIDENCE["cells"] = [
    (matrix, partial(function, positive=positive), limits)
    for matrix in MATRICES
    for function, positive, limits in OF_COUNTS
]


def omitted(losses, folds=4, each=3):
    """Give losses of two repeats without each fold, and without each pair of folds."""
    fold = np.repeat(np.arange(folds), each)
    places = [(r, f, ALONE) for r in (0, 1) for f in fold]
    places += [(r, f, b) for r in (0, 1) for f in fold for b in range(folds) if b != f]
    return HeldOutLosses(losses(len(places)), *np.transpose(places))


EVIDENCE["series"] = [
    (RANDOM.random(40),),
    (RANDOM.random(40).cumsum(),),  # a trend
    (np.ones(20),),
    (np.where(np.arange(12) == 3, np.inf, 0.5),),
    ((0.0, 1.0),),
]
EVIDENCE["means"] = [
    (omitted(RANDOM.random),),
    (omitted(lambda n: (RANDOM.random(n) < 0.3).astype(float)),),
    (omitted(np.ones),),  # all wrong
    (omitted(lambda n: np.where(np.arange(n) == 3, np.inf, 0.5)),),
    (omitted(RANDOM.random, each=1),),  # no variance in a fold
    (HeldOutLosses((), (), (), ()),),
]
WORDS = RANDOM.integers(0, 20, 60)
EVIDENCE["sums"] = [
    (sums, groups)
    for sums in (
        np.column_stack((RANDOM.binomial(WORDS, 0.2), WORDS)),
        np.column_stack((np.full(60, 3.0), np.full(60, 12.0))),  # one ratio
        np.column_stack((np.zeros(60), WORDS)),
        np.column_stack((np.ones(60), np.arange(60) == 3)),  # one denominator
        np.column_stack((np.ones(60), np.zeros(60))),
    )
    for groups in (None, GROUPS)
]
EVIDENCE["readers"] = [
    (score_areas(TRUTH, SCORES[:, None, None] + RANDOM.normal(size=(60, 1, 4))),),
    (score_means(RANDOM.random((60, 1, 3)) < 0.7, GROUPS),),
    (score_means(np.ones((60, 1, 3))),),  # always right
    (score_means(RANDOM.random((60, 1, 1))),),  # one reader
    (score_means(RANDOM.random((60, 1, 3)), nested=True),),
    (score_areas(np.zeros(60), RANDOM.normal(size=(60, 1, 2))),),  # one class
]
THREE = Strata(np.arange(60) % 3, np.full(3, 1 / 3))
EVIDENCE["strata"] = [
    (RANDOM.random(60), None, THREE),
    (RANDOM.random(60) < 0.7, np.arange(60) // 12 * 3 + np.arange(60) % 3, THREE),
    (np.ones(60), None, THREE),  # always right
    (RANDOM.random(60), None, Strata(np.arange(60) % 2, np.array([0.9, 0.1]))),
    (np.array([0.2, 0.4, 0.5]), None, Strata(np.array([0, 0, 1]), np.full(2, 0.5))),  # one example
]
EVIDENCE["strengths"] = [
    (Strengths(np.array([value]), np.array([[variance]]), 60, clusters),)
    for value, variance, clusters in (
        (30.0, 400.0, {}),
        (0.6, 0.01, {"prompts": 40}),
        (0.6, 0.01, {"prompts": 40, "judges": 3}),  # too few
        (1000.0, 0.0, {}),  # the anchor
    )
]
EVIDENCE["influences"] = [
    (estimate, influences, groups, limits)
    for estimate, influences, limits in (
        (0.7, RANDOM.normal(size=60) / 300, UNIT),
        (1.4, RANDOM.normal(size=60) / 100, (None, None)),
        (1.0, RANDOM.normal(size=60) / 300, UNIT),  # at a bound
        (0.7, np.zeros(60), UNIT),  # nothing moves it
        (-2.0, np.zeros(60), (None, None)),
    )
    for groups in (None, GROUPS)
]
SAID = RANDOM.integers(0, 2, 60)
EVIDENCE["verdicts"] = [
    (np.column_stack([said, truth]), groups)
    for said, truth in (
        (SAID, np.where(np.arange(60) < 20, SAID ^ (np.arange(60) % 9 == 0), -1)),
        (SAID, SAID),  # always right
        (SAID, np.full(60, -1)),  # no labels
        (SAID, 1 - SAID),  # always wrong
        (np.ones(60), np.where(np.arange(60) < 20, SAID, -1)),
    )
    for groups in (None, GROUPS, np.zeros(60))
]
EVIDENCE["shares"] = [
    (terms, limits)
    for terms, limits in (
        (((0.5, 4, 5, 0), (0.5, 90, 95, 1)), UNIT),
        (((0.5, 5, 5, 0), (0.5, 95, 95, 1)), UNIT),  # always right
        (((0.5, 0, 5, 0), (0.5, 0, 0, 1)), UNIT),  # a class without examples
        (((1.0, 4, 100, 0), (-4.0, 2, 100, 0)), (None, 1.0)),
        (((1.0, 100, 100, 0), (-4.0, 0, 100, 0)), (None, 1.0)),  # every example an alarm
        (((1.0, 0, 100, 0), (-4.0, 0, 100, 0)), (None, 1.0)),  # none
        (((0.5, 0, 0, 0), (0.5, 0, 0, 1)), UNIT),  # no examples
    )
]
RANGES = {
    "readers": (0, 1),
    "proportion": (0, 1),
    "paired": (-1, 1),
    "independent": (-1, 1),
    "auc": (0, 1),
    "areas": (0, 1),
    "one_metric": (0, 1),
    "verdicts": (0, 1),
    "cells": (-1, 1),
}


def arguments_of(entry, evidence, level):
    """Complete the evidence with what else the interval takes."""
    known = {"level": level, "seed": 5}
    if entry.declaration.form == "proportion":
        known |= {"successes": evidence[0], "n": evidence[1]}
    elif entry.declaration.form == "paired":
        known["table"] = evidence[0]
    elif entry.declaration.form == "independent":
        known["shares"] = evidence[0]
    elif entry.declaration.form == "fold_values":
        known["values"] = evidence[0]
        known |= {"n_train": np.full(len(evidence[0]), 90), "n_test": np.full(len(evidence[0]), 10)}
    elif entry.declaration.form == "losses":
        known |= {"losses": evidence[0], "folds": evidence[1], "groups": evidence[1]}
    elif entry.declaration.form == "series":
        known["series"] = evidence[0]
    elif entry.declaration.form == "means":
        known["held_out"] = evidence[0]
    elif entry.declaration.form == "readers":
        known |= {"readers": evidence[0], "limits": UNIT}
    elif entry.declaration.form == "strengths":
        known |= {"strengths": evidence[0], "limits": (None, None)}
    elif entry.declaration.form == "verdicts":
        known |= {"verdicts": evidence[0], "groups": evidence[1]}
    elif entry.declaration.form == "influences":
        named = ("estimate", "influences", "groups", "limits")
        known |= dict(zip(named, evidence, strict=True))
    elif entry.declaration.form == "strata":
        known |= dict(zip(("losses", "groups", "strata"), evidence, strict=True))
        known["limits"] = (None, None)
    elif entry.declaration.form == "sums":
        known |= {"sums": evidence[0], "groups": evidence[1]}
    elif entry.declaration.form == "auc":
        known |= {"truth": evidence[0], "scores": evidence[1], "folds": evidence[2]}
        known["groups"] = evidence[3]
    elif entry.declaration.form == "areas":
        named = ("classes", "class_scores", "by_pairs", "parts", "groups")
        known |= dict(zip(named, evidence, strict=True))
    elif entry.declaration.form == "shares":
        known |= {"terms": evidence[0], "limits": evidence[1]}
    elif entry.declaration.form == "one_metric":
        known |= {"matrix": evidence[0], "average": evidence[1], "positive": 1}
    elif entry.declaration.form == "cells":
        known |= {"matrix": evidence[0], "of_counts": evidence[1], "limits": evidence[2]}
    else:
        known["sample"] = evidence[0]
    return [known[name] for name in entry.inputs]


def settings_of(entry):
    """Give every combination of words, with few rounds."""
    words = [[(o.name, word) for word in o.words] for o in entry.options if o.words]
    few = {"rounds": 200} if entry.option("rounds") else {}
    few |= {"repeats": 2} if entry.option("repeats") else {}
    return [dict(choice) | few for choice in itertools.product(*words)]


CASES = [
    pytest.param(entry, evidence, settings, id=f"{entry.name}-{settings}-{number}")
    for entry in INTERVALS
    for settings in settings_of(entry)
    for number, evidence in enumerate(EVIDENCE[entry.declaration.form])
]
DRAWN = [case for case in CASES if "seed" in case.values[0].inputs]


@for_each(("entry", "example"), examples_of(INTERVALS))
def test_a_worked_example_comes_out_as_published(entry, example):
    assert_example(entry, example)


@for_each("entry", entries_of(INTERVALS))
def test_an_interval_is_documented_and_takes_known_evidence(entry):
    assert_documented(entry)
    assert entry.references
    assert entry.declaration.when
    assert "level" in entry.inputs


@for_each("entry, evidence, settings", CASES)
def test_any_evidence_gives_an_interval_without_warning_or_nan(entry, evidence, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval = entry.function(*arguments_of(entry, evidence, 0.95), **settings)
    assert isinstance(interval, Interval)
    assert interval.method.partition("(")[0] == entry.name
    assert interval.level == 0.95
    to_plain(interval)  # refuses NaN
    if interval.low is None or interval.high is None:
        assert interval.low is interval.high, "both bounds or none"
        assert interval.notes, "an undefined interval says why"
    else:
        assert interval.low <= interval.high
        assert interval.low < interval.high or interval.notes, "no width needs a note"
        low, high = RANGES.get(entry.declaration.form, (None, None))
        if entry.declaration.form == "sample":
            low, high = evidence[0].limits
        assert low is None or low <= interval.low
        assert high is None or interval.high <= high


@for_each("entry, evidence, settings", CASES)
def test_a_higher_level_gives_a_wider_interval(entry, evidence, settings):
    found = [
        entry.function(*arguments_of(entry, evidence, level), **settings)
        for level in (0.5, 0.9, 0.95, 0.99)
    ]
    for narrow, wide in itertools.pairwise(found):
        if narrow.low is not None and wide.low is not None:
            assert wide.low <= narrow.low <= narrow.high <= wide.high


@for_each("entry", entries_of(INTERVALS))
def test_a_level_outside_0_and_1_is_refused(entry):
    for level in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="between 0 and 1"):
            entry.function(*arguments_of(entry, EVIDENCE[entry.declaration.form][0], level))


@for_each("entry, evidence, settings", DRAWN)
def test_the_same_seed_gives_the_same_interval(entry, evidence, settings):
    arguments = arguments_of(entry, evidence, 0.95)
    assert entry.function(*arguments, **settings) == entry.function(*arguments, **settings)


@for_each("entry", entries_of(INTERVALS))
def test_an_interval_declares_from_which_number_on_it_holds(entry):
    assert_validity(entry)


@for_each("entry, evidence, settings", CASES)
def test_fewer_than_an_interval_declares_leave_the_note(entry, evidence, settings):
    arguments = arguments_of(entry, evidence, 0.95)
    assert_shortfalls_are_stated(entry, arguments, entry.function(*arguments, **settings))
