"""What tests of means, areas and counts can show, for normal scores and correlated labels.

Metrics of counts: each sample is the table of truth and both labels of n examples, whose chances
follow from what is assumed. A test that resamples every sample would take hours: a sample is
rejected where the difference of the metric is large for its standard error, that of the bootstrap
by the delta method, or that of swapped outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
import scipy
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.basics import LARGEST, MOST_COUNTED, SMALLEST, normal_quantile, t_quantile, word
from evallang.stats.clusters import degrees_of_sizes
from evallang.stats.power import (
    GROUPS,
    MOST_GROUPS,
    ROUNDS,
    SD,
    Answer,
    Assumed,
    PlannedGroups,
    PowerAnalysis,
    PowerDeclaration,
    Question,
    Relation,
    Sizes,
    Stated,
    analysed,
    answered,
    check_level,
    effective_answer,
    examples_of,
    group_notes,
    in_unit,
    number_of_groups,
    planned_groups,
    simulated,
)

INDEPENDENT_IN_TIME = (
    "for differences that are independent in time; positive dependence takes more of them"
)
INDEPENDENT = "as the test does, this takes the differences for independent"
NONE_ENOUGH = "no number of splits is enough: the parts that a model is trained on overlap"
UNSOUND = (
    "a t test takes two differences or more with a standard deviation above 0, and a level "
    "between 0 and 1"
)


def t_power(
    difference: float | Literal["observed"] | None,
    sd: float,
    n: int | None,
    alpha: float = 0.05,
    target: float | None = None,
    *,
    test_train_ratio: float = 0.0,
    one_sided: bool = False,
    groups: Sizes = (),
    icc: float = 0.0,
) -> PowerAnalysis:
    """Return the power of a paired t test of n differences with standard deviation `sd`.

    One of the difference, n and the power aimed at (`target`) is None, and is found. `sd` is that
    of the differences of one study, as the test sees it. The noncentral t distribution with n - 1
    degrees of freedom and noncentrality difference / (sd sqrt(1/n + ratio)); `test_train_ratio`
    makes it that of `corrected_t`, where it is exact if folds correlate as that test assumes; no
    number of splits may then be enough. With `one_sided` the difference has the sign of the
    alternative. Where the differences come in `groups`, sizes with the number of groups of each,
    1/n is multiplied by the design effect 1 + (Σ s² / n - 1) `icc`, and the degrees of freedom are
    those of the clustered test; of another n the proportions of the sizes are kept. Raises
    `ValueError` where `sd` is not positive, n below 2, the observed difference is asked for, or
    more than about 17 million would be needed.
    """
    relation = means(sd, alpha, test_train_ratio, one_sided=one_sided)
    if groups:
        relation = grouped_means(sd, alpha, PlannedGroups(groups, icc), one_sided=one_sided)
    relation = replace(relation, assumed={"sd": sd, "test_train_ratio": test_train_ratio})
    name = "corrected_t" if test_train_ratio else "t"
    return analysed(name, relation, alpha, difference, n, target)


def means(sd: float, alpha: float, ratio: float = 0.0, *, one_sided: bool = False) -> Relation:
    """Relate difference, number of differences and power of a t test; see `t_power`."""
    _check_spread(sd, alpha, one_sided, ratio)
    return Relation(
        lambda gap, n: _noncentral(gap, sd, n, n - 1, ratio, alpha, one_sided),
        "noncentral t",
        start=lambda n: sd * math.sqrt(1 / n + ratio),
        fewest=2,
        width=lambda gap, n: t_width(n, sd, 1 - alpha, ratio=ratio),
    )


def grouped_means(
    sd: float, alpha: float, groups: PlannedGroups, *, one_sided: bool = False
) -> Relation:
    """Relate difference, number of groups and power of the clustered t test; see `t_power`."""
    _check_spread(sd, alpha, one_sided)

    def chance(gap: float, count: int) -> float:
        sizes = groups.sizes(count)
        n = examples_of(sizes)
        effect, df = _effect_and_degrees(n, sizes, groups.icc)
        return _noncentral(gap, sd * math.sqrt(effect), n, df, 0.0, alpha, one_sided)

    return Relation(
        chance,
        "noncentral t with the design effect of the groups",
        start=lambda count: sd / math.sqrt(examples_of(groups.sizes(count))),
        fewest=2,
        most=MOST_GROUPS,
        counted=" groups",
        width=lambda gap, count: t_width(
            examples_of(groups.sizes(count)),
            sd,
            1 - alpha,
            groups=groups.sizes(count),
            icc=groups.icc,
        ),
        size_of=groups.count_near,
        examples_of=groups.examples,
    )


def t_width(
    n: int,
    sd: float,
    level: float = 0.95,
    *,
    ratio: float = 0.0,
    groups: Sizes = (),
    icc: float = 0.0,
) -> float:
    """Return the width of the t interval of a mean of n differences with standard deviation `sd`.

    About half of all studies have a wider one, because theirs is estimated.
    """
    if n < 2 or (groups and number_of_groups(groups) < 2):
        return math.inf
    effect, df = _effect_and_degrees(n, groups, icc)
    return 2 * t_quantile(level, df) * sd * math.sqrt(effect / n + ratio)


def means_within(sd: float, gap: float, alpha: float, *, equivalence: bool = False) -> Relation:
    """Relate margin, examples and power of t tests within a margin of two mean losses.

    `sd` is that of the differences of the examples, and the first model is worse by `gap`; with
    `equivalence` both sides must be shown. Raises `ValueError` where `sd` is not positive.
    """
    check_margin(gap, alpha)
    if not 0 < sd < math.inf:
        raise ValueError(UNSOUND)

    def chance(margin: float, n: int) -> float:
        check_margin(gap, alpha, margin)
        if n < 2:
            return 0.0
        root, bound = math.sqrt(n) / sd, t_quantile(1 - 2 * alpha, n - 1)
        near, far = (margin - gap) * root, (margin + gap) * root

        def shown(s: NDArray[np.float64]) -> NDArray[np.float64]:
            tails = scipy.special.ndtr(near - bound * s)
            if equivalence:
                tails = np.maximum(tails - scipy.special.ndtr(bound * s - far), 0.0)
            return np.asarray(tails)

        # Where the bounds of both sides meet, no difference is left to be shown
        meet = (near + far) / (2 * bound)
        return _mean_over_spread(n - 1, shown, [near / bound, far / bound, meet])

    return Relation(
        chance, "noncentral t", {"sd": sd}, least=gap, start=lambda n: max(2 * gap, 1e-9)
    )


def check_margin(gap: float, alpha: float, margin: float = math.inf) -> None:
    """Raise `ValueError` where a margin cannot be shown: models that differ by it, or no level."""
    if not 0 < alpha < 0.5:
        raise ValueError("the level of a margin lies between 0 and 0.5")
    if not 0 <= gap < margin:
        raise ValueError("the models differ by less than the margin, which is above 0")


def _check_spread(sd: float, alpha: float, one_sided: bool, ratio: float = 0.0) -> None:
    check_level(alpha, one_sided)
    if not SMALLEST < sd < LARGEST or not 0 <= ratio < math.inf:
        raise ValueError(UNSOUND)


def _effect_and_degrees(n: int, groups: Sizes, icc: float) -> tuple[float, float]:
    """Return the design effect and the degrees of freedom of the variance of a mean."""
    if not groups:
        return 1.0, n - 1
    sizes, counts = (np.array(column, dtype=np.float64) for column in zip(*groups, strict=True))
    if counts.sum() < 2:
        raise ValueError("a clustered test takes two groups or more")
    effect = 1 + (float((sizes**2 * counts).sum()) / n - 1) * icc
    return effect, degrees_of_sizes(np.repeat(sizes, counts.astype(np.int64)))


def _noncentral(
    gap: float, sd: float, n: int, df: float, ratio: float, alpha: float, one_sided: bool
) -> float:
    """Return P(|T| > bound), or P(T > bound), for a noncentral t, T = (Z + shift) / S.

    scipy.special.nctdtr has no value for the far tail of many a large shift.
    """
    if not gap < LARGEST or not 2 <= n <= MOST_COUNTED:
        raise ValueError(UNSOUND)
    shift = gap / (sd * math.sqrt(1 / n + ratio))
    bound = t_quantile(1 - (2 * alpha if one_sided else alpha), df)

    def tails(s: NDArray[np.float64]) -> NDArray[np.float64]:
        upper = scipy.special.ndtr(shift - bound * s)
        return np.asarray(upper if one_sided else upper + scipy.special.ndtr(-shift - bound * s))

    bends = [(shift + z) / bound for z in (-8, -4, -2, 0, 2, 4, 8)]
    return _mean_over_spread(df, tails, [*bends, *(z / bound for z in (2, 5, 10))])


@cache
def _legendre_nodes(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights, whose eigenvalues take longer than the integral itself."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights


def _mean_over_spread(
    df: float,
    given: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    bends: Sequence[float],
) -> float:
    """Return the mean of what is rejected given S = sqrt(chi2 / df), over its density.

    By Gauss and Legendre on pieces that part where the integrand bends.
    """
    reach = 14 / math.sqrt(2 * df)  # fourteen standard deviations of S about 1
    low, high = max(0.0, 1 - reach), 1 + reach
    ends = np.unique(np.clip([*np.linspace(low, high, 13), *bends], low, high))
    nodes, weights = _legendre_nodes(40)
    half = np.diff(ends)[:, None] / 2
    s = (ends[:-1, None] + half * (1 + nodes)).ravel()
    constant = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
    density = np.exp(constant + scipy.special.xlogy(df - 1, s) - df * s * s / 2)
    return min(float(((half * weights).ravel() * density * given(s)).sum()), 1.0)


def _declared(
    *, examples: bool = False, ratio: bool = False, notes: tuple[str, ...] = ()
) -> PowerDeclaration:
    """Return the power of a t test: of examples in groups, of splits by their ratio, with notes."""

    def one(
        question: Question, stated: Stated, by: PlannedGroups | None, spread: Assumed
    ) -> Answer:
        sd, written = 1.0 if stated.sd is None else stated.sd, question.options.get(RATIO_NAME)
        assumed = dict(spread)
        asked, before = in_unit(stated)
        overlap, after = 0.0, notes
        if ratio:
            found = question.test_train_ratio if written is None else float(written)
            if found is None:
                why = "the size of the parts is unknown"
                return Answer("noncentral t", assumed, notes=(why,))
            overlap = assumed[RATIO_NAME] = found
        relation = means(sd, question.alpha, overlap, one_sided=question.one_sided)
        if by is not None:
            relation = grouped_means(sd, question.alpha, by, one_sided=question.one_sided)
            assumed |= by.assumed
            after = group_notes(question)
        largest = question.largest if stated.sd is not None or not question.largest else math.inf
        return answered(
            question,
            stated,
            replace(relation, assumed=assumed, largest=largest),
            asked=asked,
            in_sd=stated.sd is None,
            before=before,
            after=after,
            none_enough=NONE_ENOUGH if overlap else "",
        )

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        planned = planned_groups(question, stated, several=True) if examples else [None]
        return tuple(
            one(question, replace(stated, sd=sd), by, spread)
            for by in planned
            for sd, spread in _spreads(question, stated)
        )

    words = {**SD, **({**GROUPS, **SAMPLES} if examples else {}), **(RATIO if ratio else {})}
    return PowerDeclaration(answers, words, of_width=True)


def _spreads(question: Question, stated: Stated) -> list[tuple[float | None, Assumed]]:
    """Return the standard deviation of the differences by how many samples an example has.

    With K samples of each model it is sqrt(between² + 2 within² / K) (Miller 2024, with the same
    spread within the examples for both models). Raises `ValueError` where one part is not stated.
    """
    between, within = stated.sd_between, stated.sd_within
    if between is None and within is None:
        if stated.samples:
            raise ValueError(f"`samples` matters where the spread has parts: {PARTS}")
        return [(stated.sd, {} if stated.sd is None else {"sd": stated.sd})]
    if between is None or within is None or stated.sd is not None:
        raise ValueError(f"a spread has two parts: {PARTS}")
    parts = {"sd_between": between, "sd_within": within}
    looked_at = stated.samples or sorted({question.samples, *LOOKED_AT})
    seen = question.observed if within == question.observed.get("sd_within") else {}
    found: list[tuple[float | None, Assumed]] = []
    for k in looked_at:
        sd = seen.get("sd") if k == question.samples else None
        sd = math.sqrt(between**2 + 2 * within**2 / k) if sd is None else sd
        found.append((sd, {**parts, "samples": k}))
    if not stated.samples and between > 0:
        found.append((between, {**parts, "samples": "any number"}))
    return found


LOOKED_AT = (1, 2, 5, 10)  # samples of an example, if no number is stated
PARTS = "state `sd_between` and `sd_within`, and not `sd`"
SAMPLES = {
    "sd_between": AssumptionWords("sd {} between examples", "sd between"),
    "sd_within": AssumptionWords("sd {} within", "sd within"),
    "samples": AssumptionWords("{} samples each", "samples"),
}
RATIO_NAME = "test_train_ratio"
RATIO = {RATIO_NAME: AssumptionWords("test train ratio {}", "test/train")}
POWER_OF_T = _declared(examples=True)
POWER_OF_SERIES = _declared(notes=(INDEPENDENT_IN_TIME,))
POWER_OF_OVERLAPPING_T = _declared(notes=(INDEPENDENT,))
"""That of tests which take overlapping splits as independent."""
POWER_OF_CORRECTED_T = _declared(ratio=True)


AREAS = (0.7, 0.8, 0.9)  # of the weaker model, that are looked at if none is stated
HALF = 0.5
"""The share of positives where neither the study nor its data tell, and the correlation of the
scores of two models within a class if none is stated."""
LARGEST_AREA = 0.999  # area that is looked at
FEWEST = 2  # examples of a class with which placements have a variance
MANY = 50
"""Examples of the rarer class from which on the normal approximation is good.

With 40 positives and areas of .95 and .98 simulated power was 4 points above the computed one.
"""
NODES = 64  # of the quadrature in each of two dimensions
METHOD = "the normal distribution, with the variance of DeLong's test for normal scores"
ONE_TEST_SET = (
    "the power is that on one test set of all these examples; over folds it is lower, by up to "
    "ten points where a fold has ten examples of a class"
)
"""Simulated power of 65 % on 200 examples of two classes was 61 % over 5 folds, 55 % over 10."""
APPROXIMATE = (
    f"with fewer than {MANY} examples of a class the power is approximate, by several points "
    "where an area is near 1"
)
OF_A_PAIR = "the power is that of a comparison of two models"


class Areas(Struct, frozen=True):
    """Normal scores of two models, with the same spread in both classes.

    Attributes
    ----------
    weaker : the area of the weaker model
    positives : the share of positive examples
    correlation : that of the scores of the models within a class
    """

    weaker: float
    positives: float = HALF
    correlation: float = HALF

    def error(self, gap: float, n: float) -> float:
        """Return that of the difference of two areas; infinite where a class has too few examples.

        n may be an effective number of examples. Raises `ValueError` where what is assumed cannot
        be true.
        """
        check_areas(self.weaker, self.positives, self.correlation, gap)
        if n < 0:
            raise ValueError("a sample has 0 examples or more")
        ups = n * self.positives
        if min(ups, n - ups) < FEWEST:
            return math.inf
        variance = placement_variance(gap, self.weaker, self.correlation)
        return math.sqrt(variance * (1 / ups + 1 / (n - ups)))

    @property
    def assumed(self) -> Assumed:
        """What an answer repeats."""
        return {
            "area": self.weaker, "positives": self.positives, "correlation": self.correlation,
        }  # fmt: skip


def areas(stated: Areas, alpha: float, *, one_sided: bool = False) -> Relation:
    """Relate difference, examples and power of DeLong's test.

    The difference of the estimated areas is taken as normal with the variance that DeLong's test
    estimates. With `one_sided` the difference has the sign of the alternative. Raises `ValueError`
    where an area is not between 0.5 and 1, or a share or a correlation is out of range.
    """
    check_areas(stated.weaker, stated.positives, stated.correlation)
    critical = -float(scipy.special.ndtri(check_level(alpha, one_sided)))

    def chance(gap: float, n: float) -> float:
        error = stated.error(gap, n)
        if error == math.inf:
            return 0.0  # without a variance nothing is rejected
        reach = gap / error
        power = float(scipy.special.ndtr(reach - critical))
        return power if one_sided else power + float(scipy.special.ndtr(-reach - critical))

    return Relation(
        chance,
        METHOD,
        stated.assumed,
        largest=LARGEST_AREA - stated.weaker,
        none_found=lambda n, target: (
            f"no difference is found with power {target:g}: the larger area is at most "
            f"{LARGEST_AREA:g}"
        ),
        width=lambda gap, n: 2 * normal_quantile(1 - alpha) * stated.error(abs(gap), n),
    )


def areas_within(stated: Areas, gap: float, alpha: float, *, equivalence: bool = False) -> Relation:
    """Relate margin, examples and power of the tests within a margin of two areas.

    The first model is worse by `gap`; with `equivalence` both sides must be shown. Raises
    `ValueError` as `areas` does.
    """
    check_margin(gap, alpha)

    def chance(margin: float, n: int) -> float:
        check_margin(gap, alpha, margin)
        error = stated.error(gap, n)
        if error == math.inf:
            return 0.0
        bound = normal_quantile(1 - 2 * alpha)
        near, far = (margin - gap) / error - bound, (margin + gap) / error - bound
        power = float(scipy.special.ndtr(near))
        return max(power - float(scipy.special.ndtr(-far)), 0.0) if equivalence else power

    return Relation(chance, METHOD, stated.assumed, least=gap, largest=1.0)


def check_areas(
    area: float | None,
    positives: float | None = None,
    correlation: float | None = None,
    gap: float | None = None,
) -> None:
    """Raise `ValueError` where what is stated of two areas cannot be true; None is not stated."""
    if area is not None and not 0.5 <= area < LARGEST_AREA:
        raise ValueError(f"the area of the weaker model lies between 0.5 and {LARGEST_AREA:g}")
    if area is not None and gap is not None and area + abs(gap) >= 1:
        raise ValueError("the larger of the two areas must be below 1")
    if positives is not None and not 0 < positives < 1:
        raise ValueError("the share of positives lies between 0 and 1, both excluded")
    if correlation is not None and not 0 <= correlation < 1:
        raise ValueError("the correlation of the scores is at least 0 and below 1")


@lru_cache(maxsize=256)
def placement_variance(gap: float, area: float, correlation: float) -> float:
    """Return the variance over examples of the difference of the placements under two models.

    The placement of a positive is Phi(mu + x), that of a negative Phi(mu - y), where x and y are
    standard normal and Phi(mu / sqrt(2)) is the area: by symmetry both classes have the same
    variance.
    """
    points, weights = normal_nodes(NODES)
    first = points[:, None]
    second = correlation * first + math.sqrt(1 - correlation**2) * points[None, :]
    weaker, better = (math.sqrt(2) * float(scipy.special.ndtri(one)) for one in (area, area + gap))
    difference = scipy.special.ndtr(better + first) - scipy.special.ndtr(weaker + second)
    return float(weights @ (difference - gap) ** 2 @ weights)


@cache
def normal_nodes(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights for the expectation over a standard normal."""
    points, weights = np.polynomial.hermite_e.hermegauss(n)
    return points, weights / weights.sum()


def assumed_areas(question: Question, stated: Stated) -> tuple[Areas, ...]:
    """Return what is stated of two areas, or several that leave room for the difference."""
    positives, correlation = _of_classes(question, stated)
    gap = abs(stated.difference or 0.0)
    weaker: tuple[float, ...] = AREAS if stated.area is None else (stated.area,)
    possible = tuple(area for area in weaker if area + gap < 1) or weaker[:1]
    return tuple(Areas(area, positives, correlation) for area in possible)


def _of_classes(question: Question, stated: Stated) -> tuple[float, float]:
    """Return the share of positives, that of the data where none is stated, and the correlation."""
    of_data = HALF if question.positives is None else question.positives
    positives = of_data if stated.positives is None else stated.positives
    return positives, HALF if stated.correlation is None else stated.correlation


def _of_areas(question: Question, stated: Stated) -> tuple[Answer, ...]:
    """Answer for the stated area of the weaker model, or for several areas."""
    folds = (ONE_TEST_SET,) if question.folds > 1 else ()
    of_pair = (OF_A_PAIR,) if question.models > 2 else ()
    pairs = assumed_areas(question, stated)
    rarer = min(pairs[0].positives, 1 - pairs[0].positives)
    return tuple(
        effective_answer(
            question,
            stated,
            areas(pair, question.alpha, one_sided=question.one_sided),
            groups,
            whole=False,
            rough=lambda n: n * rarer < MANY,
            note=APPROXIMATE,
            after=(*folds, *of_pair),
        )
        for pair in pairs
        for groups in planned_groups(question, stated, several=stated.area is not None)
    )


ASSUMPTIONS_ABOUT_AREAS = {
    "area": AssumptionWords("area {} of the weaker model", "area"),
    "positives": AssumptionWords("{} positive", "positives", percent=True),
    "correlation": AssumptionWords("correlation {} of scores within a class", "correlation"),
}
POWER_OF_DELONG = PowerDeclaration(_of_areas, {**ASSUMPTIONS_ABOUT_AREAS, **GROUPS}, of_width=True)


Metric = Callable[[Any], Any]
"""From counts (..., 2, 2), true by predicted class with the positive one last, to values (...)."""
Resampled = Literal["drawn", "swapped"]
"""How the test resamples two models: examples with both outputs, or outputs within examples."""

WEAKER = (0.5, 0.7, 0.9)  # values of the weaker model that are looked at if none is stated
NODES_OF_LABELS = 80  # of the quadrature of correlated labels
LARGEST_RECALL = 0.999  # recall that is looked at
FEW = 20
"""Positives below which the normal theory of the difference is rough; see docs/validation.md."""
AS_MANY = "each model predicts as many positives as there are"
ROUGH = f"with fewer than {FEW} positives the power is approximate, by several points"
UNKNOWN_METRIC = (
    "the power of `{}` is computed for proportions, means over examples, areas under ROC curves, "
    "and metrics of the confusion matrix of two classes"
)


class Labels(Struct, frozen=True):
    """Labels of two models, each of which predicts as many positives as there are.

    Attributes
    ----------
    measure : the metric
    weaker : its value for the weaker model
    positives : the share of positive examples
    correlation : that of normal scores of the two models within a class, from which labels come
    """

    measure: Metric
    weaker: float
    positives: float = HALF
    correlation: float = HALF

    @property
    def assumed(self) -> Assumed:
        """What an answer repeats."""
        return {
            "weaker": self.weaker, "positives": self.positives, "correlation": self.correlation,
        }  # fmt: skip

    def chances(self, gap: float) -> NDArray[np.float64]:
        """Return the chances (2, 2, 2) of truth, the label of the better and that of the weaker.

        Raises `ValueError` where no model has such a value, or a share or a correlation is out of
        range.
        """
        check_areas(None, self.positives, self.correlation)
        recalls = [self.recall(self.weaker + self.sign * gap), self.recall(self.weaker)]
        made = np.empty((2, 2, 2))
        alarms = [self.positives * (1 - r) / (1 - self.positives) for r in recalls]
        for truth, share, rates in ((1, self.positives, recalls), (0, 1 - self.positives, alarms)):
            made[truth] = share * _joint(rates[0], rates[1], self.correlation)
        return np.asarray(made / made.sum())

    @property
    def sign(self) -> int:
        """1 where the metric grows with the recall, -1 where it falls."""
        low, high = (self.value(recall) for recall in (max(self.positives, 0.01), LARGEST_RECALL))
        return 1 if high >= low else -1

    @property
    def room(self) -> float:
        """The largest difference: that of a model that makes next to no errors."""
        return abs(self.value(LARGEST_RECALL) - self.weaker) * (1 - 1e-9)

    def value(self, recall: float) -> float:
        """Return the metric of a model with as many predicted as true positives."""
        missed = self.positives * (1 - recall)
        matrix = [[1 - self.positives - missed, missed], [missed, self.positives - missed]]
        return float(self.measure(np.array(matrix) * 1e6))

    def recall(self, value: float) -> float:
        """Return the recall at which the metric has a value; raises `ValueError` for none."""
        # Below, with most examples positive, there are not enough negatives for as many errors
        low, high = max(0.0, 2 - 1 / self.positives) + 1e-9, 1.0
        ends = [self.value(one) for one in (low, high)]
        if not min(ends) - 1e-9 <= value <= max(ends) + 1e-9:
            raise ValueError(
                f"with {100 * self.positives:.3g}% positives no model that predicts as many has "
                f"the value {value:g}"
            )
        sign = self.sign
        for _ in range(60):
            middle = (low + high) / 2
            if sign * self.value(middle) >= sign * value:
                high = middle
            else:
                low = middle
        return high


def counts(
    stated: Labels,
    alpha: float,
    *,
    resampled: Resampled = "drawn",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> Relation:
    """Relate difference, examples and power of a resampling test of a metric of counts.

    `resampled` is `drawn` for the bootstrap and `swapped` for the permutation test. Raises
    `ValueError` where no model has such a value, or a share or a correlation is out of range.
    """
    word(resampled, ("drawn", "swapped"), "resampled")
    bound = -float(scipy.special.ndtri(check_level(alpha, one_sided)))
    # The better model comes first, whatever direction of the metric is better
    side = stated.sign

    def rejected(rng: np.random.Generator, gap: float, n: int, times: int) -> NDArray[np.bool_]:
        if n < 1:
            raise ValueError("a sample has an example or more")
        tables = rng.multinomial(n, stated.chances(gap).ravel(), size=times).reshape(-1, 2, 2, 2)
        found, error = _difference(stated.measure, tables.astype(np.float64), resampled)
        reach = side * found if one_sided else np.abs(found)
        return np.asarray(np.isfinite(found) & (error > 0) & (reach > bound * error))

    def width(gap: float, n: int) -> float:
        # The derivatives are those of a table that is large enough for a step of half an example
        large = 1e6
        chances = stated.chances(abs(gap))[None]
        _, error = _difference(stated.measure, chances * large, "drawn")
        return 2 * normal_quantile(1 - alpha) * float(error[0]) * math.sqrt(large / n)

    return Relation(
        simulated(rejected, seed, rounds, lambda n: 8),
        f"simulation of tables, {rounds:,} rounds, seed {seed}",
        stated.assumed,
        largest=stated.room,
        none_found=lambda n, target: (
            f"no difference is found with power {target:g}: the better model has few errors"
        ),
        rounds=rounds,
        width=width,
    )


def _joint(first: float, second: float, correlation: float) -> NDArray[np.float64]:
    """Return the chances (2, 2) of two labels with these rates, from correlated normal scores."""
    a, b = (
        float(scipy.special.ndtri(min(max(rate, 1e-15), 1 - 1e-15))) for rate in (first, second)
    )
    nodes, weights = normal_nodes(NODES_OF_LABELS)
    # A factor that both scores have in common makes their correlation
    root, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    up, down = (scipy.special.ndtr((cut + root * nodes) / own) for cut in (a, b))
    both = float(weights @ (up * down))
    both = min(max(both, first + second - 1, 0.0), first, second)
    return np.array([[1 - first - second + both, second - both], [first - both, both]])


def _difference(
    measure: Metric, tables: NDArray[np.float64], resampled: Resampled
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the difference of the metric of each table (B, 2, 2, 2), and its standard error."""
    matrices = tables.sum(axis=3), tables.sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = measure(matrices[0]) - measure(matrices[1])
        if resampled == "swapped":
            matrices = ((matrices[0] + matrices[1]) / 2,) * 2
        # How one more example in each cell moves the metric
        steps = np.eye(4).reshape(2, 2, 2, 2) / 2
        first, second = (
            np.array([[measure(m + one) - measure(m - one) for one in row] for row in steps])
            for m in matrices
        )
        moved = np.moveaxis(first[:, :, None] - second[:, None], -1, 0)
        moved = np.where(tables > 0, moved, 0.0)
        variance = (tables * moved**2).sum(axis=(1, 2, 3))
        if resampled == "drawn":
            n = tables.sum(axis=(1, 2, 3))
            variance = variance - (tables * moved).sum(axis=(1, 2, 3)) ** 2 / n
        error = np.sqrt(np.maximum(variance, 0.0))
    return np.asarray(found), np.asarray(error)


def _power_of(resampled: Resampled) -> PowerDeclaration:
    """Return the power for the stated value of the weaker model, or for several values."""

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        measure, gap = question.measure, abs(stated.difference or 0.0)
        if measure is None:
            raise ValueError(UNKNOWN_METRIC.format(question.test))
        positives, correlation = _of_classes(question, stated)
        values: tuple[float, ...] = WEAKER if stated.weaker is None else (stated.weaker,)
        assumed = [Labels(measure, value, positives, correlation) for value in values]
        possible = [one for one in assumed if _exists(one, gap)]
        if not possible and stated.weaker is None:
            several = ", ".join(f"{value:g}" for value in values)
            raise ValueError(f"no value of {several} can be {gap:g} better")
        return tuple(
            effective_answer(
                question,
                stated,
                counts(
                    one,
                    question.alpha,
                    resampled=resampled,
                    one_sided=question.one_sided,
                    seed=question.seed,
                    rounds=ROUNDS,
                ),
                groups,
                whole=True,
                rough=lambda n: n * positives < FEW,
                note=ROUGH,
                before=(AS_MANY,),
            )
            for one in possible or assumed
            for groups in planned_groups(question, stated, several=stated.weaker is not None)
        )

    words = {"weaker": AssumptionWords("{} for the weaker model", "weaker")}
    about = {name: ASSUMPTIONS_ABOUT_AREAS[name] for name in ("positives", "correlation")}
    return PowerDeclaration(answers, {**words, **about, **GROUPS}, of_width=True)


def _exists(assumed: Labels, gap: float) -> bool:
    try:
        assumed.chances(gap)
    except ValueError:
        return False
    return True


POWER_OF_DRAWN_COUNTS = _power_of("drawn")
POWER_OF_SWAPPED_COUNTS = _power_of("swapped")
