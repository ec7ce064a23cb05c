"""Power and widths that `analyze power` computes, next to those of the tests on drawn samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.drawn_examples import f1
from benchmarks.validation.simulation import (
    ALPHA,
    LEVEL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    computed,
    new_seed,
    tally,
)
from evallang.results.statistics import Difference, HypothesisTestResult
from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.hypothesis_tests.datasets import friedman, sign
from evallang.stats.hypothesis_tests.equivalence import noninferiority, paired_proportions, tost
from evallang.stats.hypothesis_tests.folds import corrected_t
from evallang.stats.hypothesis_tests.losses import t, wilcoxon
from evallang.stats.hypothesis_tests.ranking_curves import delong
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import CountSwapper
from evallang.stats.intervals.resampling import PairedCountSample
from evallang.stats.power import PlannedGroups, Relation, Sizes, examples_of, number_of_groups
from evallang.stats.power_of_metrics import (
    Areas,
    Labels,
    areas,
    counts,
    means_within,
    t_power,
    t_width,
)
from evallang.stats.power_of_pairs import (
    clustered_width,
    grouped_pairs,
    mcnemar_power,
    paired_width,
    rank_power,
    shares_within,
)
from evallang.stats.strata import Strata

Draw = Callable[[np.random.Generator], HypothesisTestResult]

POWER = Section(
    "planned_power",
    "Power: computed and simulated",
    "The table gives the share of drawn samples in which p is at most 5 %, the power that "
    "`analyze power` computes for the same assumptions, and the difference of both. In a group an "
    "example copies the group's outcome with probability √icc, so that two examples have the "
    "stated intra-class correlation; the power of McNemar's test is computed for another "
    "distribution with the same correlation. F1 is compared on labels from bivariate normal "
    "scores of a class, by models that predict as many positives as there are. Bootstrap and "
    "permutation tests have 999 rounds.",
    ("test", "design"),
    ("difference", "simulated power", "computed power"),
    of_errors=False,
)
WIDTH = Section(
    "planned_width",
    "Width of intervals: computed and simulated",
    "The mean width of 95 % intervals of the difference of drawn samples, in percent of the width "
    "that `analyze power(width=...)` expects for the same assumptions and number of examples; that "
    "of DeLong's interval is in the table of its power.",
    ("test", "design"),
    ("mean width",),
    of_errors=False,
)
ROUNDS = 999
GROUPED = 40_000  # rounds of the power for examples in groups
TARGET = 0.8
NEAR = 0.02  # distance of simulated and computed power
ROUGHLY = 0.04  # the same of resampling tests, whose level is not exactly 5 %
NARROW = 0.03  # relative distance of widths
MIXED: Sizes = ((2, 30), (5, 20), (12, 10))


def _power(
    test: str,
    design: str,
    draw: Draw,
    expected: Callable[[], float | None],
    times: int,
    near: float = NEAR,
) -> Simulation:
    def drawn(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        power = expected()
        assert power is not None, "the assumptions are possible"
        p = [draw(rng).p for _ in range(count)]
        rejected = np.array([one is not None and one <= ALPHA * (1 + 1e-12) for one in p])
        return {
            "difference": tally(rejected - power),
            "power": tally(rejected),
            "computed": computed(power),
        }

    claim = Claim(f"0, within {100 * near:g}", -near, near)
    line = Line((f"`{test}`", design), ("difference", "power", "computed"), (claim,))
    return Simulation(f"{POWER.key}: {test}, {design}", POWER.key, times, drawn, (line,), times)


def _width(test: str, design: str, draw: Draw, width: float, times: int) -> Simulation:
    def drawn(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        widths = []
        for _ in range(count):
            found = draw(rng).estimate
            if found is not None and found.low is not None and found.high is not None:
                widths.append((found.high - found.low) / width)
        return {"width": tally(widths)}

    claim = Claim("100 %, within 3", 1 - NARROW, 1 + NARROW)
    line = Line((f"`{test}`", design), ("width",), (claim,))
    return Simulation(f"{WIDTH.key}: {test}, {design}", WIDTH.key, times, drawn, (line,), times)


def _pair(n: int, discordant: float, gap: float, **options: str) -> Draw:
    """Draw a table of right and wrong."""
    shares = [(discordant + gap) / 2, (discordant - gap) / 2, 1 - discordant]

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        b, c, rest = rng.multinomial(n, shares).tolist()
        return mcnemar(((rest, b), (c, 0)), LEVEL, **options)  # type: ignore[arg-type]  # words

    return draw


def _copied(
    rng: np.random.Generator,
    rows: NDArray[np.float64],
    shared: NDArray[np.float64],
    icc: float,
    codes: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Put the row of its group in the place of an example's own with probability √icc."""
    copies = rng.random(len(codes)) < math.sqrt(icc)
    return np.where(copies[:, None], shared[codes], rows)


def _codes(groups: Sizes) -> NDArray[np.intp]:
    sizes = np.repeat([size for size, _ in groups], [count for _, count in groups])
    return np.repeat(np.arange(len(sizes)), sizes)


def _within(
    test: Callable[..., HypothesisTestResult],
    n: int,
    discordant: float,
    gap: float,
    margin: float,
) -> Draw:
    """Draw a table in which the first model is worse by a gap below the margin."""
    shares = [(discordant - gap) / 2, (discordant + gap) / 2, 1 - discordant]

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        b, c, rest = rng.multinomial(n, shares).tolist()
        return test(paired_proportions(((rest, b), (c, 0))), margin=margin)

    return draw


def _losses_within(n: int, gap: float, margin: float) -> Draw:
    """Draw normal differences of losses whose mean is within the margin."""

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        drawn = rng.normal(-gap, 1, n)

        def at(level: float) -> Difference:
            found = t(drawn, np.zeros(n), None, level).estimate
            assert found is not None, "the t test estimates the difference"
            return found

        return tost(at, margin=margin)

    return draw


def _groups(groups: Sizes, discordant: float, gap: float, icc: float, **options: str) -> Draw:
    """Draw right and wrong of examples in groups."""
    codes = _codes(groups)
    shares = [(discordant + gap) / 2, (discordant - gap) / 2, 1 - discordant]

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        own = rng.choice(3, (len(codes), 1), p=shares)
        shared = rng.choice(3, (int(codes.max()) + 1, 1), p=shares)
        outcomes = _copied(rng, own, shared, icc, codes)[:, 0]
        first, second = outcomes != 1, outcomes != 0
        b, c = int((first & ~second).sum()), int((second & ~first).sum())
        table = ((len(codes) - b - c, b), (c, 0))
        correct = np.column_stack([first, second])
        return mcnemar(table, LEVEL, correct, codes, **options)  # type: ignore[arg-type]  # words

    return draw


def _differences(n: int, gap: float) -> Draw:
    """Draw normal differences of losses."""
    return lambda rng: t(rng.normal(gap, 1, n), np.zeros(n))


def _grouped_differences(groups: Sizes, gap: float, icc: float) -> Draw:
    """Draw normal differences of losses that share a part within a group."""
    codes = _codes(groups)

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        shared = rng.standard_normal(int(codes.max()) + 1)[codes]
        own = rng.standard_normal(len(codes))
        d = gap + math.sqrt(icc) * shared + math.sqrt(1 - icc) * own
        return t(d, np.zeros(len(d)), codes)

    return draw


def _folds(gap: float, sd: float, ratio: float) -> Draw:
    """Draw ten differences of folds that correlate as `corrected_t` assumes."""
    rho = ratio / (1 + ratio)
    whole = sd / math.sqrt(1 - rho)

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        own = math.sqrt(1 - rho) * rng.standard_normal(10)
        d = gap + whole * (math.sqrt(rho) * rng.standard_normal() + own)
        return corrected_t(d, np.zeros(10), test_train_ratio=ratio)

    return draw


def _labels(
    n: int, weaker: float, gap: float, positives: float, correlation: float
) -> Callable[[np.random.Generator], NDArray[np.int64]]:
    """Draw the table of truth and both labels, of scores with a cut for each class."""

    def draw(rng: np.random.Generator) -> NDArray[np.int64]:
        truth = rng.random(n) < positives
        scores = rng.standard_normal((n, 2))
        scores[:, 1] *= math.sqrt(1 - correlation**2)
        scores[:, 1] += correlation * scores[:, 0]
        cells = truth.astype(np.int64)
        for recall, column in zip((weaker + gap, weaker), scores.T, strict=True):
            alarms = positives * (1 - recall) / (1 - positives)
            cut = np.where(truth, special.ndtri(recall), special.ndtri(alarms))
            cells = 2 * cells + (column < cut)
        return np.bincount(cells, minlength=8).reshape(2, 2, 2)

    return draw


def _drawn_f1(*design: float) -> Draw:
    labels = _labels(int(design[0]), *design[1:])

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        sample = PairedCountSample(labels(rng), f1, (-1.0, 1.0))
        return bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS)

    return draw


def _swapped_f1(*design: float) -> Draw:
    labels = _labels(int(design[0]), *design[1:])
    return lambda rng: permutation(
        CountSwapper(labels(rng), f1), LEVEL, new_seed(rng), rounds=ROUNDS
    )


def _areas(groups: Sizes, weaker: float, better: float, icc: float) -> Draw:
    """Draw scores of examples that copy the class and the scores of their group."""
    codes = _codes(groups)
    shift = math.sqrt(2) * special.ndtri([better, weaker])

    def rows(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
        truth = rng.random((n, 1)) < 0.5
        scores = rng.standard_normal((n, 2))
        scores[:, 1] = 0.5 * scores[:, 0] + math.sqrt(0.75) * scores[:, 1]
        return np.hstack([truth, scores + truth * shift])

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        drawn = _copied(rng, rows(rng, len(codes)), rows(rng, int(codes.max()) + 1), icc, codes)
        return delong(drawn[:, 0] > 0, drawn[:, 1:], groups=codes)

    return draw


def _ranks(test: Callable[..., HypothesisTestResult], n: int, gap: float) -> Draw:
    return lambda rng: test(rng.normal(gap, 1, n), np.zeros(n))


def _friedman(n: int, models: int, gap: float) -> Draw:
    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        scores = rng.normal(0, math.sqrt(0.5), (n, models))
        scores[:, 0] += gap
        return friedman(scores)

    return draw


def _at(relation: Relation, gap: float, size: int) -> float:
    return float(relation.solve(difference=gap, size=size))


def _clustered(groups: Sizes, discordant: float, gap: float, icc: float, **options: str) -> float:
    relation = grouped_pairs(
        discordant,
        PlannedGroups(groups, icc),
        ALPHA,
        method=options.get("method", "midp"),
        one_sided="alternative" in options,
        rounds=GROUPED,
    )
    return _at(relation, gap, number_of_groups(groups))


def _clustered_width(groups: Sizes, icc: float, discordant: float, gap: float) -> float:
    planned = PlannedGroups(groups, icc)
    return clustered_width(planned, number_of_groups(groups), discordant, gap, LEVEL)


def _area_power(groups: Sizes, weaker: float, better: float, icc: float) -> float | None:
    n = examples_of(groups) / PlannedGroups(groups, icc).effect
    return areas(Areas(weaker), ALPHA).chance(better - weaker, n)  # type: ignore[arg-type]  # whole


def _of_counts(design: tuple[float, ...], **options: Any) -> Relation:
    return counts(Labels(f1, design[1], design[3], design[4]), ALPHA, rounds=100_000, **options)


def _f1_width(design: tuple[float, ...]) -> float:
    width = _of_counts(design).width
    assert width is not None, "a relation of counts has a width"
    return width(design[2], int(design[0]))


OF_PAIR = mcnemar_power(None, 0.2, 400, target=TARGET).difference or 0.0
TASKS = np.array([30, 60, 150])
CODES = np.repeat(np.arange(3), TASKS)
STRATA = Strata(CODES, np.full(3, 1 / 3))


def _of_answers(answers: int, questions: int) -> tuple[float, float]:
    """Return the smallest difference for answers whose chances are drawn as `_answers` does.

    With it comes the standard deviation of the differences of the means of questions.
    """
    mean, spread, gap, sd = 0.4, 0.4**2 / 12, 0.0, 0.0
    for _ in range(20):  # the spread of the better model's answers depends on the difference
        within = sum(m * (1 - m) - v for m, v in
                     ((mean, spread), (mean + gap, spread + 0.2**2 / 12)))  # fmt: skip
        sd = math.sqrt(0.2**2 / 12 + within / answers)
        gap = t_power(None, sd, questions, target=TARGET).difference or 0.0
    return gap, sd


def _answers(answers: int, questions: int) -> Draw:
    """Draw several answers of two models to each question, whose chances differ by question."""
    gap, _ = _of_answers(answers, questions)

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        second = rng.uniform(0.2, 0.6, questions)
        first = second + gap + rng.uniform(-0.1, 0.1, questions)
        return t(*(rng.binomial(answers, chance) / answers for chance in (first, second)))

    return draw


def _of_tasks(discordant: float) -> float:
    """Return the smallest difference of an average over tasks with these shares of examples."""
    gap = 0.0
    for _ in range(20):
        error = math.sqrt(float(((discordant - gap**2) / TASKS).sum()) / 9)
        n = int(TASKS.sum())
        gap = t_power(None, error * math.sqrt(n), n, target=TARGET).difference or 0.0
    return gap


def _tasks(discordant: float) -> Draw:
    """Draw which of two models is right alone, alike in all tasks."""
    gap = _of_tasks(discordant)
    shares = [(discordant + gap) / 2, (discordant - gap) / 2, 1 - discordant]

    def draw(rng: np.random.Generator) -> HypothesisTestResult:
        d = rng.choice([1.0, -1.0, 0.0], len(CODES), p=shares)
        return t(d, np.zeros(len(d)), None, LEVEL, STRATA)

    return draw


EIGHT: Sizes = ((8, 100),)
TWENTY: Sizes = ((10, 20),)
FORTY: Sizes = ((4, 60),)
OF_F1 = (
    (200, 0.7, 0.1, 0.5, 0.5),
    (500, 0.6, 0.1, 0.15, 0.3),
    (1000, 0.8, 0.04, 0.3, 0.7),
)


def _f1_words(n: float, weaker: float, gap: float, positives: float, correlation: float) -> str:
    return (
        f"F1, n = {n:,}, {weaker:g} and {weaker + gap:g}, {100 * positives:g} % positive, "
        f"correlation {correlation:g}"
    )


SIMULATIONS: tuple[Simulation, ...] = (
    _power(
        "mcnemar", "n = 200, 20 % discordant, 8 points", _pair(200, 0.2, 0.08),
        lambda: mcnemar_power(0.08, 0.2, 200).power, 10_000,
    ),
    _power(
        "mcnemar(alternative=greater)", "n = 400, 10 % discordant, 4 points",
        _pair(400, 0.1, 0.04, alternative="greater"),
        lambda: mcnemar_power(0.04, 0.1, 400, one_sided=True).power, 10_000,
    ),
    _power(
        "mcnemar", "100 groups of 8, icc 0.1, 15 % discordant, 6 points",
        _groups(EIGHT, 0.15, 0.06, 0.1), lambda: _clustered(EIGHT, 0.15, 0.06, 0.1), 4_000,
    ),
    _power(
        "mcnemar", "20 groups of 10, icc 0.2, 30 % discordant, 15 points",
        _groups(TWENTY, 0.3, 0.15, 0.2), lambda: _clustered(TWENTY, 0.3, 0.15, 0.2), 4_000,
    ),
    _power(
        "mcnemar(alternative=greater)",
        "60 groups of 2, 5 or 12, icc 0.3, 20 % discordant, 10 points",
        _groups(MIXED, 0.2, 0.1, 0.3, alternative="greater"),
        lambda: _clustered(MIXED, 0.2, 0.1, 0.3, alternative="greater"), 4_000,
    ),
    _power(
        "mcnemar(exact)", "60 groups of 4, icc 0.1, 15 % discordant, 8 points",
        _groups(FORTY, 0.15, 0.08, 0.1, method="exact"),
        lambda: _clustered(FORTY, 0.15, 0.08, 0.1, method="exact"), 4_000,
    ),
    _power(
        "t", "n = 50, 0.4 sd", _differences(50, 0.4), lambda: t_power(0.4, 1.0, 50).power, 10_000,
    ),
    _power(
        "t", "20 groups of 10, icc 0.2, 0.3 sd", _grouped_differences(TWENTY, 0.3, 0.2),
        lambda: t_power(0.3, 1.0, 200, groups=TWENTY, icc=0.2).power, 10_000,
    ),
    _power(
        "t", "60 groups of 2, 5 or 12, icc 0.1, 0.25 sd", _grouped_differences(MIXED, 0.25, 0.1),
        lambda: t_power(0.25, 1.0, 280, groups=MIXED, icc=0.1).power, 10_000,
    ),
    _power(
        "corrected_t", "10 folds, correlation as it assumes, 0.83 sd", _folds(0.025, 0.03, 1 / 9),
        lambda: t_power(0.025, 0.03, 10, test_train_ratio=1 / 9).power, 10_000,
    ),
    _power(
        "wilcoxon", "18 data sets, 0.6 sd", _ranks(wilcoxon, 18, 0.6),
        lambda: rank_power("wilcoxon", 0.6, 1.0, 18, rounds=100_000).power, 2_000,
    ),
    _power(
        "wilcoxon", "150 examples, 0.25 sd", _ranks(wilcoxon, 150, 0.25),
        lambda: rank_power("wilcoxon", 0.25, 1.0, 150).power, 600,
    ),
    _power(
        "sign", "18 data sets, 0.6 sd", _ranks(sign, 18, 0.6),
        lambda: rank_power("sign", 0.6, 1.0, 18).power, 2_000,
    ),
    _power(
        "friedman", "20 data sets, 5 models, one better by 0.8 sd", _friedman(20, 5, 0.8),
        lambda: rank_power("friedman", 0.8, 1.0, 20, models=5, rounds=40_000).power, 2_000,
    ),
    _power(
        "delong", "80 groups of 6, icc 0.3, areas 0.8 and 0.87", _areas(((6, 80),), 0.8, 0.87, 0.3),
        lambda: _area_power(((6, 80),), 0.8, 0.87, 0.3), 4_000,
    ),
    _power(
        "noninferiority(margin=0.08)", "n = 300, 20 % discordant, equally good",
        _within(partial(noninferiority, better="higher"), 300, 0.2, 0.0, 0.08),
        lambda: _at(shares_within(0.2, 0.0, ALPHA, rounds=200_000), 0.08, 300), 1_000,
    ),
    _power(
        "tost(margin=0.07)", "n = 150, 10 % discordant, 2 points apart",
        _within(tost, 150, 0.1, 0.02, 0.07),
        lambda: _at(
            shares_within(0.1, 0.02, ALPHA, equivalence=True, rounds=200_000), 0.07, 150
        ), 1_000,
    ),
    _power(
        "tost(margin=0.4)", "losses of n = 60, 0.1 sd apart", _losses_within(60, 0.1, 0.4),
        lambda: _at(means_within(1.0, 0.1, ALPHA, equivalence=True), 0.4, 60), 2_000,
    ),
    *(
        _power(
            "bootstrap", _f1_words(*design), _drawn_f1(*design),
            lambda design=design: _at(_of_counts(design), design[2], int(design[0])),
            2_000, ROUGHLY,
        )
        for design in OF_F1
    ),
    *(
        _power(
            "permutation", _f1_words(*design), _swapped_f1(*design),
            lambda design=design: _at(
                _of_counts(design, resampled="swapped"), design[2], int(design[0])
            ), 2_000, ROUGHLY,
        )
        for design in OF_F1
    ),
    _power(
        "mcnemar", "n = 400, 20 % discordant, the smallest difference", _pair(400, 0.2, OF_PAIR),
        lambda: TARGET, 10_000,
    ),
    _power(
        "t", "5 answers to each of 100 questions, the smallest difference", _answers(5, 100),
        lambda: TARGET, 10_000,
    ),
    _power(
        "t", "5 answers to each of 30 questions, the smallest difference", _answers(5, 30),
        lambda: TARGET, 10_000,
    ),
    _power(
        "t", "average of 3 tasks of 30, 60 and 150 questions, 20 % discordant, the smallest "
        "difference", _tasks(0.2), lambda: TARGET, 10_000,
    ),
    _width(
        "mcnemar", "n = 300, 20 % discordant, 5 points", _pair(300, 0.2, 0.05),
        paired_width(300, 0.2, 0.05), 4_000,
    ),
    _width(
        "mcnemar(interval=wald)", "n = 300, 20 % discordant, 5 points",
        _pair(300, 0.2, 0.05, interval="wald"), paired_width(300, 0.2, 0.05, interval="wald"),
        4_000,
    ),
    _width(
        "mcnemar", "100 groups of 8, icc 0.1, 15 % discordant, 6 points",
        _groups(EIGHT, 0.15, 0.06, 0.1), _clustered_width(EIGHT, 0.1, 0.15, 0.06), 4_000,
    ),
    _width("t", "n = 50", _differences(50, 0.4), t_width(50, 1.0), 4_000),
    _width(
        "t", "60 groups of 2, 5 or 12, icc 0.1", _grouped_differences(MIXED, 0.25, 0.1),
        t_width(280, 1.0, groups=MIXED, icc=0.1), 4_000,
    ),
    _width(
        "corrected_t", "10 folds, correlation as it assumes", _folds(0.025, 0.03, 1 / 9),
        t_width(10, 0.03, ratio=1 / 9), 4_000,
    ),
    *(
        _width(
            "bootstrap", _f1_words(*design), _drawn_f1(*design),
            _f1_width(design),
            1_000,
        )
        for design in OF_F1[:2]
    ),
)  # fmt: skip
