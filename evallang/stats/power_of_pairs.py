"""What tests of right and wrong, of signs and of ranks can show, within a margin too.

McNemar's test, the binomial and the sign test are summed over all tables. With groups tables are
drawn: the outcomes of a group (only the first model right, only the second, neither alone) are
those of a Dirichlet-multinomial distribution, in which any two examples of a group have the stated
correlation, and the clustered test is run on the sums of b - c of the groups. Wilcoxon's and
Friedman's tests are run on drawn differences; of many differences the sum of signed ranks is
normal."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, cast, get_args

import numpy as np
import scipy
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.basics import (
    LARGEST,
    MOST_COUNTED,
    SMALLEST,
    binomial_tail,
    least_rejected,
    normal_quantile,
    word,
)
from evallang.stats.clusters import refers_to_chi2
from evallang.stats.correctness import p_of_pairs
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.hypothesis_tests.swapping import flip_groups
from evallang.stats.intervals.differences import PAIRED_INTERVALS, tango_distance
from evallang.stats.power import (
    DISCORDANT,
    GROUPS,
    MOST_GROUPS,
    ROUNDS,
    SD,
    Answer,
    PlannedGroups,
    PowerAnalysis,
    PowerDeclaration,
    Question,
    Relation,
    Stated,
    analysed,
    answered,
    check_level,
    examples_of,
    group_notes,
    in_unit,
    planned_groups,
    power_by_form,
    simulated,
)
from evallang.stats.power_of_metrics import (
    ASSUMPTIONS_ABOUT_AREAS,
    areas_within,
    assumed_areas,
    check_margin,
    means_within,
    t_width,
)

Variant = Literal["midp", "exact", "chi2", "corrected", "textbook"]
Side = Literal["two_sided", "greater", "less"]
BLOCK = 256  # numbers of discordant pairs whose critical counts are found together
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3)  # discordant examples that are looked at if none is stated
LEAST_SHARE = 1e-15  # of an outcome in a group; SciPy takes none that is 0
LEFT_OUT = 1e-12  # probability of numbers of discordant pairs that are not looked at
GROUP_ROUNDS = 4_000  # of the clustered test, whose p takes a while where groups are few
MOST_SIZE = 2_000  # examples of a group, whose sums are enumerated
MOST_SIZES = 24  # of groups that are told apart
FLIPPED_UP_TO = 200  # groups that tell the models apart; with more, swaps agree with chi-squared
CONTRADICTED = (
    "the difference of two accuracies is at most the share of discordant examples, which lies "
    "between 0 and 1"
)


def mcnemar_power(
    difference: float | Literal["observed"] | None,
    discordant: float,
    n: int | None,
    alpha: float = 0.05,
    target: float | None = None,
    *,
    variant: Variant = "midp",
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the power of McNemar's test for a difference of two accuracies on n examples.

    One of the difference, n and the power aimed at (`target`) is None, and is found: the smallest
    difference with that power, None with a note where even the largest is not found; or the number
    of examples from which on the power stays at `target` for 5 % more, because exact power does
    not grow steadily with n. The probabilities of all tables that `variant` rejects are added up.
    `discordant` is the share of examples on which just one of the two models is right. With
    `one_sided` the difference has the sign of the alternative. Raises `ValueError` where the
    assumptions contradict each other, the observed difference is asked for, or more than about 17
    million examples would be needed.
    """
    relation = pairs(discordant, alpha, variant=variant, one_sided=one_sided)
    return analysed("mcnemar", relation, alpha, difference, n, target)


def pairs(
    discordant: float,
    alpha: float,
    *,
    variant: Variant = "midp",
    one_sided: bool = False,
    interval: str = "tango",
) -> Relation:
    """Relate difference, examples and power of McNemar's test; see `mcnemar_power`."""
    word(variant, get_args(Variant), "variant")
    check_level(alpha, one_sided)
    _check_discordant(discordant)

    def chance(gap: float, n: int) -> float:
        if gap > discordant:
            raise ValueError(CONTRADICTED)
        if not 0 <= n <= MOST_COUNTED:
            raise ValueError("a sample has 0 examples or more")
        return _enumerated(gap, discordant, n, alpha, variant, one_sided)

    return Relation(
        chance,
        f"exact enumeration, {'mid-p' if variant == 'midp' else variant}",
        {"discordant": discordant},
        largest=discordant,
        none_found=lambda n, target: (
            f"no difference is found with power {target:g}: {discordant:g} of the examples are "
            "discordant"
        ),
        saw_toothed=True,
        width=lambda gap, n: paired_width(n, discordant, gap, 1 - alpha, interval),
    )


def paired_width(
    n: int,
    discordant: float,
    difference: float = 0.0,
    level: float = 0.95,
    interval: str = "tango",
) -> float:
    """Return the width of the paired interval that is expected of n examples, Tango's by default.

    It is that of the table of the expected counts, between whole numbers the mean of the
    neighbouring tables by their distance. Raises `ValueError` where the difference is larger
    than the share of discordant examples.
    """
    if not 0 <= abs(difference) <= discordant <= 1 or n < 1:
        raise ValueError("two accuracies differ by no more than the share of discordant examples")
    width = 0.0
    for b, near in _whole_counts(n * (discordant + difference) / 2):
        for c, too in _whole_counts(n * (discordant - difference) / 2):
            found = PAIRED_INTERVALS[interval](((max(n - b - c, 0), b), (c, 0)), level)
            if found.low is None or found.high is None:
                return math.inf
            width += near * too * (found.high - found.low)
    return width


def grouped_pairs(
    discordant: float,
    groups: PlannedGroups,
    alpha: float,
    *,
    method: str = "midp",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = GROUP_ROUNDS,
) -> Relation:
    """Relate difference, number of groups and power of McNemar's test on examples in groups.

    The proportions of the groups' sizes are kept. `method` is that of the test: `exact` or `chi2`
    for one of its forms however many groups there are; beyond 200 groups `exact` is referred to
    chi-squared too. Raises `ValueError` where the assumptions contradict each other, or a group is
    too large.
    """
    check_level(alpha, one_sided)
    _check_discordant(discordant)
    if not 0 <= groups.icc <= 1:
        raise ValueError("an intra-class correlation lies between 0 and 1")
    if not groups.mix or any(not 1 <= s <= MOST_SIZE or k < 1 for s, k in groups.mix):
        raise ValueError(f"a group has 1 to {MOST_SIZE:,} examples in a power analysis")

    def rejected(rng: np.random.Generator, gap: float, count: int, times: int) -> NDArray[np.bool_]:
        if gap > discordant:
            raise ValueError(CONTRADICTED)
        ups, downs = (discordant + gap) / 2, (discordant - gap) / 2
        drawn, steps = [], []
        for size, k in groups.sizes(count):
            chances = _sum_chances(size, ups, downs, groups.icc)
            drawn.append(rng.multinomial(k, chances, size=times))
            steps.append(np.arange(-size, size + 1))
        p = _clustered_p(np.hstack(drawn), np.concatenate(steps), method, one_sided, flipped)
        return np.asarray(p <= alpha * (1 + 1e-12))

    flipped: dict[tuple[int, ...], float] = {}
    sizes = sum(2 * size + 1 for size, _ in groups.mix)
    return Relation(
        simulated(rejected, seed, rounds, lambda count: sizes),
        f"simulation of groups, {rounds:,} rounds, seed {seed}",
        {"discordant": discordant, "icc": groups.icc},
        largest=discordant,
        none_found=lambda count, target: (
            f"no difference is found with power {target:g}: {discordant:g} of the examples are "
            f"discordant, in {count:,} groups"
        ),
        rounds=rounds,
        most=MOST_GROUPS,
        counted=" groups",
        width=lambda gap, count: clustered_width(groups, count, discordant, gap, 1 - alpha),
        size_of=groups.count_near,
        examples_of=groups.examples,
    )


def clustered_width(
    groups: PlannedGroups, count: int, discordant: float, difference: float, level: float
) -> float:
    """Return the width of the cluster-robust interval that is expected of a number of groups."""
    if not 0 <= abs(difference) <= discordant <= 1:
        raise ValueError("two accuracies differ by no more than the share of discordant examples")
    sizes, sd = groups.sizes(count), math.sqrt(discordant - difference**2)
    return t_width(examples_of(sizes), sd, level, groups=sizes, icc=groups.icc)


def shares_within(
    discordant: float,
    gap: float,
    alpha: float,
    *,
    equivalence: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> Relation:
    """Relate margin, examples and power of the tests within a margin of two accuracies.

    Tables are drawn, of which a share `discordant` is right for one model alone; the first model is
    worse by `gap`. With `equivalence` both sides must be shown. The test inverts Tango's interval,
    so that p is at most alpha where his score is at least z. Raises `ValueError` where the
    assumptions contradict each other.
    """
    check_margin(gap, alpha)
    _check_discordant(discordant)
    if gap > discordant:
        raise ValueError(CONTRADICTED)
    shares = [(discordant - gap) / 2, (discordant + gap) / 2, 1 - discordant]
    bound = normal_quantile(1 - 2 * alpha)

    def rejected(rng: np.random.Generator, margin: float, n: int, times: int) -> NDArray[np.bool_]:
        check_margin(gap, alpha, margin)
        if margin >= 1 or n < 1:
            raise ValueError(
                "a margin of accuracies lies below 1, and a sample has an example or more"
            )
        first, second = rng.multinomial(n, shares, size=times).astype(np.float64).T[:2]
        shown = np.ones(times, dtype=np.bool_)
        for b, c in ((first, second), (second, first))[: 1 + equivalence]:
            distance, variance = tango_distance(b, c, n, -margin)
            shown &= -distance >= bound * np.sqrt(variance)
        return shown

    return Relation(
        simulated(rejected, seed, rounds, lambda n: 3),
        f"simulation of Tango's score test, {rounds:,} rounds, seed {seed}",
        {"discordant": discordant},
        least=gap,
        largest=0.999,
        rounds=rounds,
    )


def one_share(threshold: float, alpha: float, side: Side = "greater") -> Relation:
    """Relate difference, examples and power of the binomial test of an error rate.

    The error rate is that far above the threshold, with `side=less` below it. Raises `ValueError`
    where that is not a rate, or the threshold or the level is out of range.
    """
    word(side, get_args(Side), "alternative")
    if not 0 < threshold < 1:
        raise ValueError("a threshold lies between 0 and 1")
    check_level(alpha)

    def chance(gap: float, n: int) -> float:
        rate = threshold - gap if side == "less" else threshold + gap
        if not 0 <= rate <= 1:
            raise ValueError("the threshold and the difference give an error rate from 0 to 1")
        return binomial_power(n, threshold, rate, alpha, side)

    return Relation(
        chance,
        "exact binomial",
        largest=threshold if side == "less" else 1 - threshold,
        none_found=lambda n, target: (
            f"no difference is found with power {target:g}: {n} examples are too few"
        ),
        saw_toothed=True,
    )


def binomial_power(n: int, threshold: float, rate: float, alpha: float, side: Side) -> float:
    """Return the power of the exact test that n trials succeed with the chance `threshold`.

    They do with the chance `rate`; two-sided p doubles the smaller tail. Raises `ValueError` where
    n is out of range.
    """
    if not 0 <= n <= MOST_COUNTED:
        raise ValueError("n is 0 or more")
    level, power = alpha / 2 if side == "two_sided" else alpha, 0.0
    if side != "less":
        power += float(binomial_tail(least_rejected(n, threshold, level), n, rate))
    if side != "greater":  # few successes are many failures
        power += float(binomial_tail(least_rejected(n, 1 - threshold, level), n, 1 - rate))
    return power


def _check_discordant(discordant: float) -> None:
    if not 0 < discordant <= 1:
        raise ValueError(CONTRADICTED)


def _whole_counts(expected: float) -> tuple[tuple[int, float], ...]:
    """Return the whole numbers around an expected count with their shares of it."""
    below = math.floor(expected)
    share = expected - below
    return ((below, 1 - share), (below + 1, share)) if share > 0 else ((below, 1.0),)


def _enumerated(
    gap: float, discordant: float, n: int, alpha: float, variant: Variant, one_sided: bool
) -> float:
    """Add up the probabilities of all tables that are rejected, by numbers of discordant pairs."""
    reach = math.sqrt(n * discordant * (1 - discordant)) * normal_quantile(1 - LEFT_OUT) + 20
    low = max(math.floor(n * discordant - reach), 0)
    both = np.arange(low, min(math.ceil(n * discordant + reach), n) + 1)
    logs = (
        scipy.special.gammaln(n + 1)
        - scipy.special.gammaln(both + 1)
        - scipy.special.gammaln(n - both + 1)
        + scipy.special.xlogy(both, discordant)
        + scipy.special.xlog1py(n - both, -discordant)
    )
    blocks = range(low // BLOCK, int(both[-1]) // BLOCK + 1)
    found = [_critical_counts(block, alpha, variant, one_sided) for block in blocks]
    critical = np.concatenate(found)[both - blocks[0] * BLOCK]
    share = (discordant + gap) / (2 * discordant)
    rejected = binomial_tail(critical, both, share)
    if not one_sided:
        rejected = rejected + binomial_tail(critical, both, 1 - share)
    return float((np.exp(logs) * rejected).sum())


@lru_cache(maxsize=1024)
def _critical_counts(
    block: int, alpha: float, variant: Variant, one_sided: bool
) -> NDArray[np.int64]:
    """Return the smallest count rejected of each number of pairs of a block; above it for none."""
    both = np.arange(block * BLOCK, (block + 1) * BLOCK)
    low, high = both // 2, both + 1  # a table with b = c is never rejected
    side: Side = "greater" if one_sided else "two_sided"
    while (high - low > 1).any():
        middle = (low + high) // 2
        rejected = p_of_pairs(middle, both - middle, variant, side) <= alpha
        high = np.where(rejected, middle, high)
        low = np.where(rejected, low, middle)
    return high


def _clustered_p(
    drawn: NDArray[np.int64],
    steps: NDArray[np.int64],
    method: str,
    one_sided: bool,
    flipped: dict[tuple[int, ...], float],
) -> NDArray[np.float64]:
    """Return p of the clustered test of samples that have so many groups of each sum of b - c.

    `flipped` keeps p of swaps of whole groups by the sizes of their sums and the total.
    """
    squares, telling = drawn @ steps**2, drawn[:, steps != 0].sum(axis=1)
    total = drawn @ steps if one_sided else abs(drawn @ steps)
    z = total / np.sqrt(np.maximum(squares, 1))
    p = np.where(squares > 0, scipy.special.ndtr(-z) * (1 if one_sided else 2), 1.0)
    side: Side = "greater" if one_sided else "two_sided"
    for i in range(len(drawn)):
        count = int(telling[i])
        if count and count <= FLIPPED_UP_TO and not refers_to_chi2(method, count):
            sums = np.repeat(steps, drawn[i])
            key = (int(total[i]), *sorted(abs(sums[sums != 0]).tolist()))
            if key not in flipped:
                flipped[key] = flip_groups(sums, alternative=side).p
            p[i] = flipped[key]
    return np.asarray(p)


@lru_cache(maxsize=256)
def _sum_chances(size: int, ups: float, downs: float, icc: float) -> NDArray[np.float64]:
    """Return the probabilities of the sums -size ... size of b - c in one group."""
    shares = np.maximum([ups, downs, 1 - ups - downs], LEAST_SHARE)
    if icc == 1:
        together = np.zeros(2 * size + 1)
        together[[-1, 0, size]] = shares
        return np.asarray(together / shares.sum())
    b, c = (side.ravel() for side in np.indices((size + 1, size + 1)))
    counts = np.column_stack([b, c, size - b - c])[b + c <= size]
    if icc == 0 or size == 1:
        weights = scipy.stats.multinomial.pmf(counts, size, shares / shares.sum())
    else:
        weights = scipy.stats.dirichlet_multinomial.pmf(counts, shares * (1 / icc - 1), size)
    sums = counts[:, 0] - counts[:, 1] + size
    chances = np.bincount(sums, weights, minlength=2 * size + 1)
    return np.asarray(chances / chances.sum())


def assumed_shares(stated: Stated) -> tuple[float, ...]:
    """Return the stated share of discordant examples, or several that allow the difference."""
    if stated.discordant is not None:
        return (stated.discordant,)
    gap = abs(stated.difference or 0.0)
    return tuple(share for share in SHARES if share >= gap) or (gap,)


def _of_pairs(variant: Variant | None = None) -> PowerDeclaration:
    """Return the power of McNemar's test, of the variant that it is asked about or of this one."""

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        groups = planned_groups(question, stated, several=stated.discordant is not None)
        shares = assumed_shares(stated)
        if groups != [None]:
            return tuple(_with_groups(question, stated, s, g) for s in shares for g in groups if g)
        of = variant or cast(Variant, question.options["method"])
        interval = str(question.options.get("interval", "wald"))
        relations = (
            pairs(s, question.alpha, variant=of, one_sided=question.one_sided, interval=interval)
            for s in shares
        )
        return tuple(answered(question, stated, r, asked=stated.difference) for r in relations)

    form = "" if variant else "method"
    return PowerDeclaration(answers, {**DISCORDANT, **GROUPS}, form=form, of_width=True)


def _with_groups(question: Question, stated: Stated, share: float, groups: PlannedGroups) -> Answer:
    """Answer for one share of discordant examples and one correlation."""
    coarse = groups.coarse(MOST_SIZES)
    relation = grouped_pairs(
        share,
        coarse,
        question.alpha,
        method=str(question.options.get("method", "")),
        one_sided=question.one_sided,
        seed=question.seed,
        rounds=GROUP_ROUNDS,
    )
    return answered(
        question,
        stated,
        replace(relation, assumed={"discordant": share, **groups.assumed}),
        asked=stated.difference,
        after=group_notes(question),
    )


def _of_one_share(question: Question, stated: Stated) -> tuple[Answer, ...]:
    threshold = float(question.options["threshold"])
    side = cast(Side, str(question.options["alternative"]).replace("-", "_"))
    note = (
        f"the difference is that of the error rate, {'below' if side == 'less' else 'above'} the "
        f"threshold of {threshold:g}"
    )
    relation = one_share(threshold, question.alpha, side)
    return (answered(question, stated, relation, asked=stated.difference, after=(note,)),)


POWER_OF_MCNEMAR = _of_pairs()
POWER_OF_SWAPPED_CORRECTNESS = _of_pairs("exact")
POWER_OF_DRAWN_CORRECTNESS = _of_pairs("chi2")
"""Those of tests of any metric: swaps of right and wrong are the exact test; the bootstrap comes
close to chi-squared."""
POWER_OF_ONE_SHARE = PowerDeclaration(_of_one_share)


def _answer(question: Question, stated: Stated, relation: Relation) -> Answer:
    """Answer with the smallest margin that is shown, and with the stated margin's power and n."""
    margin, gap = float(question.options["margin"]), abs(stated.difference or 0.0)
    in_sd = "sd" in relation.assumed and stated.sd is None
    before: tuple[str, ...] = ("power at the margin needs `sd`, and none is stated",) * in_sd
    if gap >= margin:
        before = (*before, "the models differ by the margin or more, so it cannot be shown")
    apart = f"differ by {gap:g}" if gap else "are equally good"
    after = (
        f"if the models {apart}: what is found is the smallest margin that is shown, and the power "
        f"is that at the margin of {margin:g}"
    )
    asked = None if in_sd or gap >= margin else margin
    relation = replace(relation, assumed={} if in_sd else relation.assumed)
    return answered(
        question, stated, relation, asked=asked, in_sd=in_sd, before=before, after=(after,)
    )


def _power(*, equivalence: bool) -> PowerDeclaration:
    """Return the power of a test within a margin, by the form of the difference."""

    def of_shares(question: Question, stated: Stated) -> tuple[Answer, ...]:
        gap, alpha, seed = abs(stated.difference or 0.0), question.alpha, question.seed
        return tuple(
            _answer(
                question,
                stated,
                shares_within(share, gap, alpha, equivalence=equivalence, seed=seed),
            )
            for share in assumed_shares(stated)
        )

    def of_means(question: Question, stated: Stated) -> tuple[Answer, ...]:
        gap, sd = abs(stated.difference or 0.0), stated.sd
        if sd is None and gap:
            return (Answer("noncentral t", {}, notes=("a difference needs `sd`",)),)
        relation = means_within(sd or 1.0, gap, question.alpha, equivalence=equivalence)
        return (_answer(question, stated, relation),)

    def of_areas(question: Question, stated: Stated) -> tuple[Answer, ...]:
        gap = abs(stated.difference or 0.0)
        return tuple(
            _answer(
                question, stated, areas_within(pair, gap, question.alpha, equivalence=equivalence)
            )
            for pair in assumed_areas(question, stated)
        )

    return power_by_form(
        {
            "proportion": PowerDeclaration(of_shares, DISCORDANT),
            "losses": PowerDeclaration(of_means, SD),
            "auc": PowerDeclaration(of_areas, ASSUMPTIONS_ABOUT_AREAS),
        }
    )


POWER_OF_NONINFERIORITY = _power(equivalence=False)
POWER_OF_EQUIVALENCE = _power(equivalence=True)


MOST_DATA_SETS = 1024  # that are searched for by simulation
SIMULATED_UP_TO = 100  # differences of the signed ranks, whose sum is close to normal beyond
MOST = 1 << 24  # data sets or models

TestOfDraws = Callable[[NDArray[np.float64], Literal["two_sided", "greater"]], NDArray[np.float64]]
"""From samples without ties, (rounds, n) or (rounds, n, models), to the test's p of each."""


class OverData(Struct, frozen=True):
    """What is assumed of the differences over n data sets: normal, with this standard deviation."""

    test: str
    sd: float
    alpha: float
    n: int | None = None
    models: int = 2
    one_sided: bool = False
    seed: int = 0
    rounds: int = ROUNDS

    def relation(self, chance: Callable[[float, int], float], method: str, **more: Any) -> Relation:
        """Return the relation of a test: where no data set is against a model, it rejects."""
        check_level(self.alpha, self.one_sided)
        if not SMALLEST < self.sd < LARGEST:
            raise ValueError("power takes a standard deviation above 0")

        def checked(gap: float, n: int) -> float:
            if not gap < LARGEST or not 1 <= n <= MOST:
                raise ValueError("power takes one data set or more")
            return chance(gap, n)

        return Relation(
            checked,
            method,
            {"sd": self.sd, "models": self.models, "distribution": "normal"},
            largest=100 * self.sd,
            none_found=lambda n, target: (
                f"{n} are too few: {self.test} cannot reach p <= {self.alpha:g} with them"
            ),
            fewest=1,
            **more,
        )

    def drawn(
        self,
        draw: Callable[[np.random.Generator, float, int, int], NDArray[np.float64]],
        p_of: TestOfDraws,
    ) -> Callable[[float, int], float]:
        """Return the chance that the test rejects samples that are drawn."""
        side: Literal["two_sided", "greater"] = "greater" if self.one_sided else "two_sided"

        def rejected(rng: np.random.Generator, gap: float, n: int, times: int) -> NDArray[np.bool_]:
            return p_of(draw(rng, gap, n, times), side) <= self.alpha * (1 + 1e-12)

        return simulated(rejected, self.seed, self.rounds, lambda n: n * self.models)

    @property
    def simulation(self) -> str:
        """How power is computed by `drawn`."""
        return f"simulation, {self.rounds} rounds, seed {self.seed}"


def rank_power(
    test: str,
    difference: float | Literal["observed"] | None,
    sd: float,
    n: int | None,
    alpha: float = 0.05,
    target: float | None = None,
    *,
    models: int = 2,
    seed: int = 0,
    rounds: int = ROUNDS,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the power of a test on ranks over n data sets, with normal differences.

    One of the difference, n and the power aimed at (`target`) is None, and is found; None with a
    note where n data sets are too few to reject at all. The difference of two models over data
    sets is taken as normal with mean `difference` and standard deviation `sd`. The power of `sign`
    is binomial; `wilcoxon` up to 100 differences, and `friedman`, are run on drawn ones, and of
    more differences the statistic of `wilcoxon` is taken as normal. `friedman` compares `models`
    models, one of which is better than all others. All differences are tried on the same draws, so
    that power grows with them. With `one_sided` the difference has the sign of the alternative.
    Raises `ValueError` where `sd` is not positive, n or `rounds` below 1, `friedman` has fewer than
    three models, the observed difference is asked for, or too many data sets would be needed.
    """
    tests = {e.name: p.over_data for e in HYPOTHESIS_TESTS if (p := e.declaration.power)}
    known = {name: relation for name, relation in tests.items() if relation is not None}
    word(test, tuple(known), "test")
    several = HYPOTHESIS_TESTS[test].declaration.models != (2, 2)
    stated = OverData(test, sd, alpha, n, models if several else 2, one_sided, seed, rounds)
    return analysed(test, known[test](stated), alpha, difference, n, target)


def signs(stated: OverData) -> Relation:
    """Relate difference, data sets and power of the sign test, which is binomial."""

    def chance(gap: float, n: int) -> float:
        wins = float(scipy.special.ndtr(gap / stated.sd))
        side: Literal["two_sided", "greater"] = "greater" if stated.one_sided else "two_sided"
        return binomial_power(n, 0.5, wins, stated.alpha, side)

    return stated.relation(chance, "exact binomial, of normal differences", saw_toothed=True)


def signed_ranks(p_of: TestOfDraws) -> Callable[[OverData], Relation]:
    """Return the relation of a test of the ranks of differences, run on up to 100 of them."""

    def relation(stated: OverData) -> Relation:
        drawn = stated.drawn(
            lambda rng, gap, n, times: rng.normal(gap, stated.sd, (times, n)), p_of
        )

        def chance(gap: float, n: int) -> float:
            if n <= SIMULATED_UP_TO:
                return drawn(gap, n)
            return _normal_signed_ranks(gap / stated.sd, n, stated.alpha, stated.one_sided)

        many = stated.n is not None and stated.n > SIMULATED_UP_TO
        method = "the normal distribution of the rank sum of normal differences"
        return stated.relation(
            chance,
            method if many else stated.simulation,
            rounds=stated.rounds,
            computed_from=SIMULATED_UP_TO + 1,
        )

    return relation


def ranked_models(p_of: TestOfDraws) -> Callable[[OverData], Relation]:
    """Return the relation of a test that ranks all models, one of which is better than the rest."""

    def relation(stated: OverData) -> Relation:
        if not 3 <= stated.models <= MOST:
            raise ValueError(f"`{stated.test}` is for three models or more")

        def draw(rng: np.random.Generator, gap: float, n: int, times: int) -> NDArray[np.float64]:
            scores = rng.normal(0.0, stated.sd / math.sqrt(2), (times, n, stated.models))
            scores[:, :, 0] += gap
            return scores

        return stated.relation(
            stated.drawn(draw, p_of), stated.simulation, rounds=stated.rounds, most=MOST_DATA_SETS
        )

    return relation


def over_data(relation: Callable[[OverData], Relation]) -> PowerDeclaration:
    """Return the power of a test over data sets, or over losses, from its relation."""

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        asked, notes = in_unit(stated)
        made = relation(
            OverData(
                question.test,
                1.0 if stated.sd is None else stated.sd,
                question.alpha,
                question.n,
                question.models,
                question.one_sided,
                question.seed,
            )
        )
        assumed = {**({} if stated.sd is None else {"sd": stated.sd}), "distribution": "normal"}
        in_sd = stated.sd is None
        made = replace(made, assumed=assumed)
        return (answered(question, stated, made, asked=asked, in_sd=in_sd, before=notes),)

    words = {**SD, "distribution": AssumptionWords("{} differences")}
    return PowerDeclaration(answers, words, over_data=relation)


def _normal_signed_ranks(shift: float, n: int, alpha: float, one_sided: bool) -> float:
    """Return the power for n normal differences of mean `shift` in their standard deviation.

    The sum of the positive ranks counts the pairs i <= j with D_i + D_j > 0, of which its mean and
    variance follow; both are those of a normal statistic.
    """
    up, pair = (float(scipy.special.ndtr(x)) for x in (shift, math.sqrt(2) * shift))
    # Two sums with one difference in common have the correlation 1/2
    both = pair - 2 * float(scipy.special.owens_t(math.sqrt(2) * shift, 1 / math.sqrt(3)))
    pairs = n * (n - 1) / 2
    mean = n * up + pairs * pair
    variance = (
        n * up * (1 - up)
        + pairs * pair * (1 - pair)
        + 2 * pairs * (n - 2) * (both - pair**2)
        + 2 * 2 * pairs * (_with_own(shift) - up * pair)
    )
    centre, spread = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    bound = normal_quantile(1 - (2 * alpha if one_sided else alpha)) * spread
    error = math.sqrt(max(variance, 1e-300))
    power = float(scipy.special.ndtr((mean - centre - bound) / error))
    if not one_sided:
        power += float(scipy.special.ndtr((centre - bound - mean) / error))
    return power


def _with_own(shift: float) -> float:
    """Return the probability that a normal difference and its sum with another are above 0."""
    # Given D_1 = x > 0 the other one is above -x
    nodes, weights = np.polynomial.legendre.leggauss(64)
    reach = max(shift, 0.0) + 10
    x = (nodes + 1) * reach / 2
    density = np.exp(-((x - shift) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float((weights * reach / 2) @ (density * scipy.special.ndtr(x + shift)))
