"""Evidence of every shape for hypothesis tests, degenerate shapes included, by input name."""

import numpy as np

from evallang.stats.battles import Strengths
from evallang.stats.correctness import Shares
from evallang.stats.hypothesis_tests.equivalence import over_folds, paired_proportions
from evallang.stats.hypothesis_tests.swapping import (
    CountSwapper,
    LossSwapper,
    OutputSwapper,
    ScoreSwapper,
)
from evallang.stats.inputs import DESIGN_SHAPES
from evallang.stats.intervals.readers import score_areas, score_means
from evallang.stats.intervals.resampling import (
    DifferenceSample,
    LossSample,
    PairedCountSample,
    ScoreSample,
)
from evallang.stats.strata import Strata

RANDOM = np.random.default_rng(7)
REST = {
    "level": 0.95,
    "seed": 5,
    "better": "higher",
    "bounded": True,
    "groups": None,
    "folds": None,
    "strata": None,
    "sample": None,
    "correct": None,
}
"""What an input holds where a case says nothing."""
REQUIRED = {"threshold": 0.3, "margin": 0.1}
"""Values of options that have no default."""

TABLES = [
    ((0, 0), (0, 0)),  # no examples
    ((1, 0), (0, 0)),  # one example
    ((0, 1), (0, 0)),
    ((0, 0), (0, 1)),
    ((10, 0), (0, 10)),  # b + c = 0
    ((10, 0), (0, 0)),  # both perfect
    ((0, 0), (0, 10)),  # both always wrong
    ((7, 3), (0, 0)),  # the first perfect
    ((0, 0), (5, 0)),  # the second perfect, the first always wrong
    ((10, 5), (5, 10)),  # b = c
    ((80, 9), (3, 8)),
    ((9_999_000, 600), (300, 100)),
]
MATRICES = [
    np.ones((1, 3), dtype=bool),  # one example
    np.zeros((5, 3), dtype=bool),  # all wrong
    np.ones((5, 4), dtype=bool),  # all right
    np.tile([True, False, True], (6, 1)),  # no variation within a model
    np.repeat([[True], [False]], [4, 5], axis=0).repeat(3, axis=1),  # identical models
    RANDOM.random((12, 3)) < 0.7,
    RANDOM.random((400, 6)) < 0.9,
    np.zeros((0, 3), dtype=bool),  # no examples
]
# Third: equal in decimals, not in binary; fourth: constant difference up to rounding
FOLD_SCORES = [
    (np.array([0.9, 0.8, 0.7, 0.85]), np.array([0.8, 0.85, 0.6, 0.7])),
    (np.full(4, 0.5), np.full(4, 0.5)),
    (np.array([0.3, 0.6, 0.7]), np.array([0.1 + 0.2, 0.2 + 0.4, 0.7])),
    (np.array([0.3, 0.6, 1.1]), np.array([0.2, 0.5, 1.0])),
    (np.array([0.9, np.nan, 0.7, 0.8]), np.array([0.8, 0.85, 0.6, np.nan])),
    (np.array([0.9]), np.array([0.8])),
    (np.array([]), np.array([])),
    (np.array([np.inf, 1.0, 2.0]), np.array([1.0, 1.0, 1.0])),
]
TENS = [
    (RANDOM.random((5, 2)), RANDOM.random((5, 2))),
    (np.full((5, 2), 0.5), np.full((5, 2), 0.5)),
    (np.full((5, 2), 0.3), np.full((5, 2), 0.1 + 0.2)),
    (np.full((5, 2), 0.6), np.full((5, 2), 0.1)),
    (np.where(np.eye(5, 2) > 0, np.nan, 0.5), np.full((5, 2), 0.1)),
]
TRUTH = np.arange(40) % 3 == 0
RANKED = TRUTH + RANDOM.normal(size=40)
AREAS = [
    (TRUTH, np.column_stack([RANKED, RANDOM.normal(size=40)])),
    (TRUTH, np.column_stack([np.round(RANKED), RANKED, -RANKED])),
    (TRUTH, np.column_stack([RANKED, RANKED])),  # identical models
    (TRUTH, np.column_stack([RANKED, RANKED, RANKED])),
    (TRUTH, np.column_stack([TRUTH, RANKED])),  # one model perfect
    (TRUTH, np.column_stack([TRUTH, 1 - TRUTH])),  # and the other always the wrong way round
    (TRUTH, np.zeros((40, 2))),  # all tied
    (np.ones(40), np.column_stack([RANKED, -RANKED])),  # one class only
    (np.arange(40) == 3, np.column_stack([RANKED, -RANKED])),  # one positive
    (np.zeros(0), np.zeros((0, 2))),  # no examples
    (TRUTH, np.where(RANDOM.random((40, 2)) < 0.1, np.inf, RANDOM.random((40, 2)))),
]
GROUPS = [None, np.arange(40) // 4, np.zeros(40, dtype=int)]
STRATA = [
    Strata(np.repeat([0, 1, 2], sizes), np.array(shares))
    for sizes, shares in (
        ((4, 6, 30), (1 / 3, 1 / 3, 1 / 3)),
        ((2, 2, 36), (0.05, 0.05, 0.9)),
        ((20, 10, 10), (0.5, 0.25, 0.25)),
    )
]
LABELS = RANDOM.integers(0, 3, (3, 60))
LOSSES = [
    RANDOM.exponential(size=(2, 30)),
    np.full((2, 9), 0.1),  # equal models
    np.array([[0.4], [0.1]]),  # one example
    np.array([[0.3, 0.6, 1.1], [0.2, 0.5, 1.0]]),  # constant up to rounding
    np.array([[np.inf, 0.5], [0.2, 0.5]]),
    np.zeros((2, 0)),  # no examples
]


def accuracy(matrix):
    """Share of the main diagonal, NaN without examples."""
    right, n = np.trace(matrix, axis1=-2, axis2=-1), matrix.sum((-1, -2))
    return np.divide(right, n, out=np.full(np.shape(n), np.nan), where=n > 0)


def recall(matrix):
    """Share of the second class that is found, NaN where it does not occur."""
    hits, n = matrix[..., 1, 1], matrix[..., 1, :].sum(-1)
    return np.divide(hits, n, out=np.full(np.shape(n), np.nan), where=n > 0)


def joint_counts(truth, first, second, classes=3):
    """Count truth by first by second label."""
    counts = np.zeros((classes, classes, classes), dtype=int)
    np.add.at(counts, (truth, first, second), 1)
    return counts


def _swappers(name):
    """Give pairs of evidence for a difference, as it is and with the models swapped."""
    truth, one, other = LABELS
    pairs = [(joint_counts(truth, one, other), joint_counts(truth, other, one))]
    pairs += [(np.zeros((2, 2, 2)), np.zeros((2, 2, 2)))]  # no examples
    pairs += [(joint_counts(truth, one, one), joint_counts(truth, one, one))]
    found = []
    for joint, turned in pairs:
        for metric in (accuracy, recall):
            if name == "swapper":
                found.append((CountSwapper(joint, metric), CountSwapper(turned, metric)))
            else:
                limits = (-1.0, 1.0)
                found.append(
                    (
                        PairedCountSample(joint, metric, limits),
                        PairedCountSample(turned, metric, limits),
                    )
                )
    for x, y in LOSSES:
        found.append(
            (LossSwapper(x, y), LossSwapper(y, x))
            if name == "swapper"
            else tuple(DifferenceSample(LossSample(a), LossSample(b)) for a, b in ((x, y), (y, x)))
        )
    found.append(
        (ScoreSwapper(TRUTH, RANKED, -RANKED), ScoreSwapper(TRUTH, -RANKED, RANKED))
        if name == "swapper"
        else tuple(
            DifferenceSample(ScoreSample(TRUTH, a), ScoreSample(TRUTH, b), (-1.0, 1.0))
            for a, b in ((RANKED, -RANKED), (-RANKED, RANKED))
        )
    )
    if name == "swapper":
        found.append(
            tuple(
                OutputSwapper(a, b, lambda x: float(np.mean(x == truth)))
                for a, b in ((one, other), (other, one))
            )
        )
    return found


SAMPLES = [((0, 0), (0, 0)), ((0, 5), (0, 9)), ((5, 5), (9, 9)), ((0, 5), (9, 9)),
           ((7, 34), (1, 34)), ((870, 1000), (455, 500)), ((1, 1), (0, 1))]  # fmt: skip


def _differences():
    pairs = [
        (paired_proportions(table), paired_proportions(((table[0][0], c), (b, table[1][1]))))
        for table in TABLES
        for b, c in [(table[0][1], table[1][0])]
    ]
    sizes = [(np.full(len(x), 70), np.full(len(x), 10)) for x, _ in FOLD_SCORES]
    pairs += [
        (over_folds(x, y, *n), over_folds(y, x, *n))
        for (x, y), n in zip(FOLD_SCORES, sizes, strict=True)
    ]
    return pairs


def _tables(entry):
    return [({"table": ((a, b), (c, d))}, {"table": ((a, c), (b, d))})
            for (a, b), (c, d) in TABLES]  # fmt: skip


def _shares(entry):
    paired = [({"shares": ((a, b), (c, d))}, {"shares": ((a, c), (b, d))})
              for (a, b), (c, d) in TABLES]  # fmt: skip
    apart = [({"shares": Shares(x, y)}, {"shares": Shares(y, x)}) for x, y in SAMPLES]
    return paired + apart


def _correct(entry):
    if entry.declaration.models == (1, 1):
        return [({"correct": x[:, :1]},) * 2 for x in MATRICES]
    return [({"correct": x}, {"correct": x[:, ::-1]}) for x in MATRICES]


def _row_scores(entry):
    return [
        tuple(
            {"truth": truth, "row_scores": rows, "groups": groups, "folds": folds}
            for rows in (scores, scores[:, ::-1])
        )
        for truth, scores in AREAS
        for groups in GROUPS
        for folds in (None, np.arange(40) % 5)
        if len(truth) == 40 or groups is folds is None
    ]


def _two_models(entry):
    pairs = TENS if entry.declaration.designs & DESIGN_SHAPES.keys() else FOLD_SCORES
    if not entry.declaration.rests_on("fold") and "groups" in entry.inputs:
        grouped = [np.arange(len(x)) // 2 for x, _ in pairs]
        sizes = [{"groups": None}] * len(pairs) + [{"groups": g} for g in grouped]
        pairs = pairs * 2
    else:
        sizes = [{"n_train": np.full(len(x), 70), "n_test": np.full(len(x), 10)} for x, _ in pairs]
    if "strata" in entry.inputs:
        sizes = [*sizes, *({"strata": one} for one in STRATA)]
        pairs = [*pairs, (RANKED, -RANKED), (RANKED, RANKED), (TRUTH + 0.0, 1.0 - TRUTH)]
        more = np.arange(40) // 2
        pairs, sizes = [*pairs, (RANKED, -RANKED)], [*sizes, {"strata": STRATA[0], "groups": more}]
    return [
        ({"first": x, "second": y, **more}, {"first": y, "second": x, **more})
        for (x, y), more in zip(pairs, sizes, strict=True)
    ]


def _readers(entry):
    rng = np.random.default_rng(6)
    truth = rng.random(40) < 0.4
    scores = rng.normal(size=(40, 2, 4)) + truth[:, None, None] + rng.normal(size=(40, 1, 1))
    groups = np.arange(40) // 4
    found = []
    for make, values in (
        (lambda x: score_areas(truth, x), scores),
        (lambda x: score_areas(truth, x, groups), scores),
        (score_means, (scores > 1).astype(float)),
        (lambda x: score_areas(np.zeros(40), x), scores),  # one class
        (score_means, np.ones((40, 2, 3))),  # always right
        (score_means, scores[:, [0, 0]]),  # the same model twice
        (lambda x: score_means(x, nested=True), scores),  # networks
        (lambda x: score_means(x, nested=True), scores[:, :, :1]),  # one network
    ):
        found.append(({"readers": make(values)}, {"readers": make(values[:, ::-1])}))
    return found


def _strengths(entry):
    found = []
    for covariance, clusters in (
        (((1.0, 0.5), (0.5, 2.0)), {}),
        (((1.0, 0.5), (0.5, 2.0)), {"prompts": 40}),
        (((1.0, 0.5), (0.5, 2.0)), {"prompts": 40, "judges": 4}),  # too few
        (((1.0, 1.0), (1.0, 1.0)), {}),  # no variance of the difference
    ):
        one = Strengths(np.array([3.0, 1.0]), np.array(covariance), 60, clusters)
        found.append(({"strengths": one}, {"strengths": one.take([1, 0])}))
    return found


PAIRED_TERMS = [
    ((0.5, 0, 0, 0), (0.5, 0, 0, 0)),  # no examples
    ((0.5, 0, 0, 5), (0.5, 0, 0, 95)),  # no pair differs
    ((0.5, 1, 0, 1), (0.5, 0, 1, 1)),
    ((0.5, 0, 5, 5), (0.5, 0, 95, 95)),  # the second always right, the first never
    ((0.5, 3, 1, 5), (0.5, 2, 9, 95)),
    ((0.25, 3, 1, 9), (0.25, 0, 0, 0), (0.5, 700, 500, 10_000_000)),
]


def _paired_terms(entry):
    return [
        ({"paired_terms": terms}, {"paired_terms": tuple((c, q, p, n) for c, p, q, n in terms)})
        for terms in PAIRED_TERMS
    ]


CASES = {
    "table": _tables,
    "paired_terms": _paired_terms,
    "readers": _readers,
    "strengths": _strengths,
    "shares": _shares,
    "correct": _correct,
    "row_scores": _row_scores,
    "swapper": lambda entry: _by_name("swapper", _swappers("swapper")),
    "sample": lambda entry: _by_name("sample", _swappers("sample")),
    "difference": lambda entry: _by_name("difference", _differences()),
    "first": _two_models,
}
"""The cases of an input, and of what a test is given beside it; the first that a test names."""


def _by_name(name, made):
    return [({name: one}, {name: other}) for one, other in made]


def cases_of(entry):
    """Give for each case the inputs by name, and the same with the two models swapped."""
    return next(cases for name, cases in CASES.items() if name in entry.inputs)(entry)


def arguments(entry, given, **changes):
    """Put the inputs of a case in order."""
    known = {**REST, **given, **changes}
    return [known[name] for name in entry.inputs]
