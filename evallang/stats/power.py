"""What a test can show: one relation between difference, size and power, and its solver.

Everything is computed from assumptions that are stated before the data are seen, at the level that
one comparison of a family gets. Power at the observed difference is refused: it is a function of p
and says nothing more (Hoenig & Heisey 2001).

A test declares a `PowerDeclaration` with its assumptions. For each set of them it makes a
`Relation`, whose chance of rejection is a formula or a simulation of the test; all that is asked
follows from that by `Relation.solve` and `answered`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.basics import word
from evallang.stats.corrections.correction import CORRECTIONS, harmonic

MOST_N = 1 << 24  # largest sample that is searched for
BEYOND = 0.05  # share of n by which power must stay at its target
LOOKED_AT = 200  # sizes at which that is looked up
ACCURATE = 2.0**-40  # relative distance at which a search for a difference ends
CLOSE = 2.0**-11  # relative distance at which a search over simulations ends
FINE = 256  # the same for a size: to a share of one in so many
AT_ONCE = 1 << 20  # numbers held at once
ROUNDS = 10_000  # of a simulation

DISCORDANT = {"discordant": AssumptionWords("{} discordant", "discordant", percent=True)}
SD = {"sd": AssumptionWords("sd {}", "sd")}
GROUPS = {
    "icc": AssumptionWords("intra-class correlation {}", "icc"),
    "group_size": AssumptionWords("groups of {}", "group size"),
}
"""The words of assumptions that several tests share."""

Assumed = Mapping[str, float | int | str]
Sizes = tuple[tuple[int, int], ...]
"""The sizes of groups, ascending, each with the number of groups of that size."""


class Question(Struct, frozen=True):
    """One test of a study as a power analysis sees it.

    Attributes
    ----------
    test : its name
    alpha : level of one comparison, after the correction
    n : examples, folds or data sets; None where only the data tell
    options : the options of the test, with its defaults
    test_train_ratio : test rows over training rows of the splits; None where unknown
    models : how many one test compares
    seed : of a simulation
    positives : the share of positives among the examples; None where unknown, or without a
        positive class
    folds : of the examples; 1 where they are one test set or nothing is known of folds
    form : what the interval of the difference is made from, where a test answers by that
    measure : from counts (..., 2, 2), true by predicted class with the positive one last, to
        values of the metric (...), NaN where undefined; None where it is not one of counts of
        two classes
    group_sizes : those of the groups of the examples; empty where there are none, or unknown
    read : True where examples were read, so that no `group_sizes` means no groups
    observed : assumptions that the data tell where none is stated, by the names that `Stated` has;
        `sd` is that with the `samples` of the data
    samples : how many samples of each example the data have
    largest : the largest difference of the metric; 0 where the test never rejects with n
    """

    test: str
    alpha: float
    n: int | None
    options: Mapping[str, Any] = field(default_factory=dict)
    test_train_ratio: float | None = None
    models: int = 2
    seed: int = 0
    positives: float | None = None
    folds: int = 1
    form: str | None = None
    measure: Callable[[Any], Any] | None = None
    group_sizes: Sizes = ()
    read: bool = False
    observed: Mapping[str, float] = field(default_factory=dict)
    samples: int = 1
    largest: float = math.inf

    @property
    def one_sided(self) -> bool:
        """Whether the test asks for a difference in one direction."""
        return str(self.options.get("alternative", "two_sided")) != "two_sided"


class Stated(Struct, frozen=True):
    """What an author states before the data are seen; None is not stated.

    Attributes
    ----------
    target : the power aimed at
    difference : the smallest difference that would matter, in the unit of the metric
    discordant : the share of examples on which exactly one of two models is right
    sd : standard deviation of the differences over examples, folds or data sets
    width : the width wanted of the interval of the difference
    area : the area under the ROC curve of the weaker of two models
    positives : the share of positive examples
    correlation : that of the scores of two models within a class
    weaker : the metric of the weaker of two models
    icc : the intra-class correlation, of what two examples of a group add to the difference
    group_size : examples of a group
    sd_between : standard deviation over examples of what the difference is on average over samples
    sd_within : standard deviation of one sample of an example around its mean
    samples : how many samples of each example are looked at
    """

    target: float
    difference: float | None = None
    discordant: float | None = None
    sd: float | None = None
    width: float | None = None
    area: float | None = None
    positives: float | None = None
    correlation: float | None = None
    weaker: float | None = None
    icc: float | None = None
    group_size: int | None = None
    sd_between: float | None = None
    sd_within: float | None = None
    samples: tuple[int, ...] = ()

    def with_observed(self, question: Question) -> Stated:
        """Return the same with what the data tell of what is not stated and can be true.

        A stated difference is never larger than the share of discordant examples, and a stated
        spread stands for all parts of it.
        """
        found = {k: v for k, v in question.observed.items() if getattr(self, k) is None}
        if found.get("discordant", 1.0) < abs(self.difference or 0.0):
            del found["discordant"]
        if (self.sd, self.sd_between, self.sd_within) != (None, None, None):
            found = {k: v for k, v in found.items() if k not in ("sd", "sd_within")}
        elif "sd_within" in found:
            of_samples = 2 * found["sd_within"] ** 2 / question.samples
            found["sd_between"] = math.sqrt(max(found.pop("sd") ** 2 - of_samples, 0.0))
        return replace(self, **found)


class Answer(Struct, frozen=True):
    """What a test can show under one set of assumptions; None is out of reach or not asked.

    Attributes
    ----------
    method : how power was computed
    assumptions : what is assumed besides the difference
    detectable : smallest difference that is found with the power aimed at
    in_sd : True where differences are in standard deviations, because none is stated
    power : that at the stated difference, with its Monte Carlo error where it is simulated
    required_n : examples, folds or data sets for the power aimed at, at the stated difference
    n_for_width : the same for an interval of the wanted width
    """

    method: str
    assumptions: Assumed
    detectable: float | None = None
    in_sd: bool = False
    power: float | None = None
    mc_se: float | None = None
    required_n: int | None = None
    notes: tuple[str, ...] = ()
    n_for_width: int | None = None


class PowerDeclaration(Struct, frozen=True):
    """How the power of a test is computed.

    Attributes
    ----------
    answers : a function of the question and of what the author states
    assumptions : the words of the assumptions in its answers, by name; others are printed by
        their names
    form : the option of the test that names the form whose power is computed, or empty
    of_width : True where it answers for a wanted width of the interval
    by_form : where the test computes any metric, the declaration for each form of the difference
    over_data : of a test over data sets, its relation for normal differences
    """

    answers: Callable[[Question, Stated], tuple[Answer, ...]]
    assumptions: Mapping[str, AssumptionWords] = field(default_factory=dict)
    form: str = ""
    of_width: bool = False
    by_form: Mapping[str, PowerDeclaration] = field(default_factory=dict)
    over_data: Callable[..., Relation] | None = None

    def options(self, form: str | None) -> frozenset[str]:
        """Return the options of `analyze power` that not every test has, and this one has.

        `form` is that of the difference, where the test computes any metric.
        """
        declared = self if form is None else self.by_form.get(form, self)
        return frozenset(declared.assumptions) | ({"width"} if declared.of_width else frozenset())


def power_by_form(declared: Mapping[str, PowerDeclaration]) -> PowerDeclaration:
    """Return the power of a test of any metric, from that of each form of the difference."""

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        if question.form is None or question.form not in declared:
            raise ValueError(
                f"the power of `{question.test}` is not computed for this metric under this "
                "protocol"
            )
        return declared[question.form].answers(question, stated)

    words = {name: words for one in declared.values() for name, words in one.assumptions.items()}
    wide = any(one.of_width for one in declared.values())
    return PowerDeclaration(answers, words, of_width=wide, by_form=declared)


class Relation(Struct, frozen=True):
    """What ties difference, size and power of one test together, at one level.

    The size is a number of examples, folds, data sets or, where examples come in groups, of
    groups; the difference is above 0.

    Attributes
    ----------
    chance : the probability of rejecting at a difference and a size; raises `ValueError` where
        these contradict the assumptions
    method : how that is computed
    assumed : the assumptions
    least : the difference above which one is searched for
    largest : the largest difference there is; infinite where they have no end
    start : of a size, a difference from which on one is searched for where they have no end
    none_found : of a size and a power, why no difference is found
    saw_toothed : True where power does not grow steadily with the size
    rounds : of a simulation; 0 where the chance is computed
    computed_from : the size from which on it is computed although that of others is simulated
    fewest : the smallest size of which anything can be asked
    most : the largest that is searched for
    counted : what a size counts, where that is not what is reported
    width : the expected width of the interval at a difference and a size, or None
    size_of : of a number of examples, what size they are
    examples_of : of a size, how many examples it is
    """

    chance: Callable[[float, int], float]
    method: str
    assumed: Assumed = field(default_factory=dict)
    least: float = 0.0
    largest: float = math.inf
    start: Callable[[int], float] = lambda n: 1.0
    none_found: Callable[[int, float], str] = lambda n, target: ""
    saw_toothed: bool = False
    rounds: int = 0
    computed_from: float = math.inf
    fewest: int = 0
    most: int = MOST_N
    counted: str = ""
    width: Callable[[float, int], float] | None = None
    size_of: Callable[[int], Any] = lambda n: n
    examples_of: Callable[[int], int] = lambda size: size

    def solve(
        self,
        *,
        difference: float | None = None,
        size: int | None = None,
        power: float | None = None,
    ) -> Any:
        """Return the one of difference, size and power that is None.

        The difference and the size are the smallest with that power. A difference is None where
        the largest is not found. Raises `ValueError` where not exactly one is None, one is out
        of range, or no size is enough.
        """
        if (difference, size, power).count(None) != 1:
            raise ValueError("two of difference, size and power are given, and the third is found")
        if power is not None and not 0 < power < 1:
            raise ValueError("a power lies between 0 and 1")
        gap = None if difference is None else abs(stated(difference))
        if power is None:
            assert gap is not None and size is not None
            return self.chance(gap, size)
        if gap is None:
            assert size is not None
            return self._difference(size, power)
        return self.least_size(lambda n: self.chance(gap, n) >= power)

    def simulates(self, size: float) -> bool:
        """Return whether the chance at a size is the share of drawn samples."""
        return self.rounds > 0 and size < self.computed_from

    def error(self, power: float, size: float) -> float | None:
        """Return the Monte Carlo error of a power; None where it is computed."""
        return math.sqrt(power * (1 - power) / self.rounds) if self.simulates(size) else None

    def _difference(self, n: int, target: float) -> float | None:
        high = self.largest
        if high < math.inf:
            if not self.chance(high, n) >= target:
                return None
        else:
            high = self.start(n)
            while not self.chance(high, n) >= target:
                high *= 2
        low = self.least
        if not self.simulates(n):
            from scipy.optimize import brentq  # not imported where no power is asked for

            def beyond(gap: float) -> float:
                return (self.chance(gap, n) if gap > low else 0.0) - target

            return float(brentq(beyond, low, high, xtol=ACCURATE * high))
        while high - low > CLOSE * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.chance(middle, n) >= target else (middle, high)
        return high

    def least_size(self, enough: Callable[[int], bool]) -> int:
        """Find the smallest size that is enough; with a saw-toothed power, and stays so for 5 %.

        Of a simulation to within its error. Raises `ValueError` where more than `most` would be
        needed.
        """
        high = 2
        while not enough(high):
            high *= 2
            if high > self.most:
                raise ValueError(f"more than {self.most:,}{self.counted} would be needed")
        low = high // 2
        while high - low > (high // FINE if self.simulates(high) else 0) + 1:
            middle = (low + high) // 2
            if enough(middle):
                high = middle
            else:
                low = middle
        if not self.saw_toothed:
            return high
        # A tooth is as wide as it takes the number of discordant pairs to grow by two or so
        size, step = high, max(1, round(high * BEYOND / LOOKED_AT))
        while size <= high * (1 + BEYOND) + 4:
            if not enough(size):
                high = size + 1
            size += step
        return high

    def size_for_width(self, width: float, difference: float = 0.0) -> int:
        """Return the least size with which an interval is at most as wide.

        Raises `ValueError` where the width is not above 0, or none is enough.
        """
        if not 0 < width < math.inf:
            raise ValueError("an interval has a width above 0")
        wide = self.width
        assert wide is not None, "the test declares that it answers for a width"
        exact = replace(self, saw_toothed=False, rounds=0)
        try:
            return exact.least_size(lambda n: wide(difference, n) <= width)
        except ValueError as error:
            raise ValueError(f"an interval {width:g} wide: {error}") from None


class PowerAnalysis(Struct, frozen=True):
    """Power for one set of assumptions; what is undefined or out of reach is None.

    Attributes
    ----------
    test : name of the test
    method : how power was computed
    n : examples, folds or data sets
    difference : true difference that is assumed, or the smallest that can be detected
    power : probability of rejecting at `alpha`
    alpha : level of one comparison, after the correction
    assumptions : what else is assumed
    mc_se : Monte Carlo error of the power where it is simulated
    notes : what a reader must know
    """

    test: str
    method: str
    n: int | None
    difference: float | None
    power: float | None
    alpha: float
    assumptions: Assumed = field(default_factory=dict)
    mc_se: float | None = None
    notes: tuple[str, ...] = ()


def analysed(
    test: str,
    relation: Relation,
    alpha: float,
    difference: float | str | None,
    n: int | None,
    target: float | None,
) -> PowerAnalysis:
    """Solve a relation for the one of difference, n and target that is None."""
    gap = None if difference is None else stated(difference)
    size = None if n is None else relation.size_of(n)
    found = relation.solve(difference=gap, size=size, power=target)
    if size is None:
        size, n = found, relation.examples_of(found)
    elif gap is None:
        gap = found
    notes: tuple[str, ...] = ()
    if gap is None:
        assert target is not None, "a difference was searched for"
        notes = (relation.none_found(size, target),)
    power = None if gap is None else relation.solve(difference=gap, size=size)
    error = None if power is None else relation.error(power, size)
    return PowerAnalysis(
        test, relation.method, n, gap, power, alpha, relation.assumed, error, notes
    )


def answered(
    question: Question,
    stated: Stated,
    relation: Relation,
    *,
    asked: float | None,
    in_sd: bool = False,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    none_enough: str = "",
) -> Answer:
    """Answer what is asked of one relation: difference, power and size, and the size for a width.

    `asked` is the difference whose power and size are asked, None for none; `before` and `after`
    are notes, and `none_enough` says why no size is enough, instead of the number searched.
    """
    size = None if question.n is None else relation.size_of(question.n)
    target, notes = stated.target, [*before]
    found = power = needed = narrow = None
    if asked:
        try:
            needed = relation.examples_of(relation.solve(difference=asked, power=target))
        except ValueError as error:
            notes.append(none_enough or str(error))
    if size is not None and size >= relation.fewest:
        found = relation.solve(size=size, power=target)
        if found is None and (why := relation.none_found(size, target)):
            notes.append(why)
        if asked is not None:
            power = relation.solve(difference=asked, size=size)
    if stated.width is not None and relation.width is not None:
        try:
            narrow = relation.examples_of(relation.size_for_width(stated.width, asked or 0.0))
        except ValueError as error:
            notes.append(str(error))
    return Answer(
        relation.method,
        relation.assumed,
        found,
        in_sd,
        power,
        None if power is None or size is None else relation.error(power, size),
        needed,
        (*notes, *after),
        narrow,
    )


def in_unit(stated: Stated) -> tuple[float | None, tuple[str, ...]]:
    """Return the difference that can be asked about, and a note where that needs `sd`."""
    if stated.difference is None or stated.sd is not None:
        return stated.difference, ()
    return None, (f"power at a difference of {stated.difference:g} needs `sd`, and none is stated",)


def stated(difference: float | str) -> float:
    """Refuse what is not a stated difference, the observed one by name."""
    if isinstance(difference, str):
        raise ValueError(
            "power at the observed difference adds nothing to the p-value (Hoenig & Heisey "
            "2001): state "
            "the smallest difference that would matter"
        )
    if not math.isfinite(difference):
        raise ValueError("the difference is a finite number")
    return float(difference)


def simulated(
    rejected: Callable[[np.random.Generator, float, int, int], NDArray[np.bool_]],
    seed: int,
    rounds: int,
    held: Callable[[int], int],
) -> Callable[[float, int], float]:
    """Return the chance of rejection as the share of drawn samples that a test rejects.

    `rejected` draws samples (of a generator, a difference, a size and their number) and runs the
    test on them; one sample of a size takes `held` numbers. All differences and sizes are tried
    on the draws of one seed, so that power grows with the difference.
    """
    if not 1 <= rounds <= MOST_N:
        raise ValueError("a simulation has a round or more")

    def chance(difference: float, size: int) -> float:
        rng, hits = np.random.default_rng(seed), 0
        batch = max(1, AT_ONCE // max(held(size), 1))
        for start in range(0, rounds, batch):
            hits += int(rejected(rng, difference, size, min(batch, rounds - start)).sum())
        return hits / rounds

    return chance


def by_value(statistic: NDArray[np.int64], p_value: Callable[[int], float]) -> NDArray[np.float64]:
    """Return p of each of many samples whose statistic takes few values."""
    values, places = np.unique(statistic, return_inverse=True)
    return np.array([p_value(value) for value in values.tolist()])[places]


def check_level(alpha: float, one_sided: bool = False) -> float:
    """Return the level of each side that is tested; raise `ValueError` where there is none."""
    if not 0 < alpha < 1:
        raise ValueError("a level lies between 0 and 1")
    if one_sided and not alpha < 0.5:
        raise ValueError("the level of a one-sided test lies below 0.5")
    return alpha if one_sided else alpha / 2


def corrected_alpha(alpha: float, comparisons: int, correction: str = "holm") -> float:
    """Return the level of the strictest step, at which a comparison is sure to be decided.

    alpha / m for Bonferroni and, as its strictest step, Holm; 1 - (1 - alpha)^(1/m) for
    Šidák; alpha / m over 1 + 1/2 + ... + 1/m for Benjamini and Yekutieli. Raises `ValueError`
    where there is no comparison, `alpha` is not a probability, or the correction is unknown.
    """
    word(correction, CORRECTIONS.names(), "correction")
    declared = CORRECTIONS[correction].declaration
    if not 1 <= comparisons < math.inf or not 0 < alpha < 1:
        raise ValueError("a level lies between 0 and 1, and a family has one comparison or more")
    if not declared.adjusts:
        return alpha
    if declared.strictest == "product":
        return -math.expm1(math.log1p(-alpha) / comparisons)
    steps = harmonic(comparisons) if declared.strictest == "harmonic" else 1.0
    return alpha / comparisons / steps


ICCS = (0.0, 0.1, 0.3)  # that are looked at if none is stated
ICC = 0.1  # where another assumption is already looked at in several values
WITHOUT_GROUPS = (
    "the data have no groups, so the test takes the examples for independent; this is the power "
    "with groups and a `group` column"
)
WITHOUT_SIZES = "an intra-class correlation says nothing without groups: state `group_size`"

MOST_GROUPS = 1 << 20  # that are searched for


def sizes_of(codes: NDArray[np.int64]) -> Sizes:
    """Return the sizes of groups with the number of groups of each, from the group of each row."""
    members = np.unique(codes, return_counts=True)[1]
    sizes, groups = np.unique(members, return_counts=True)
    return tuple(zip(sizes.tolist(), groups.tolist(), strict=True))


def examples_of(sizes: Sizes) -> int:
    """Return how many examples there are in groups of these sizes."""
    return sum(size * count for size, count in sizes)


def number_of_groups(sizes: Sizes) -> int:
    """Return how many groups of these sizes there are."""
    return sum(count for _, count in sizes)


class PlannedGroups(Struct, frozen=True):
    """The groups that a power analysis assumes.

    Attributes
    ----------
    mix : the sizes whose proportions any number of groups has
    icc : the correlation of what two examples of a group add to the difference
    """

    mix: Sizes
    icc: float

    @property
    def mean_size(self) -> float:
        """The mean number of examples of a group."""
        return examples_of(self.mix) / number_of_groups(self.mix)

    @property
    def effect(self) -> float:
        """The variance of a mean over the examples, as a multiple of that of independent ones.

        1 + (Σ s² / Σ s - 1) icc for groups of s examples (Kish 1965); 1 + (s - 1) icc for groups
        of one size.
        """
        squares = sum(size * size * count for size, count in self.mix)
        return 1 + (squares / examples_of(self.mix) - 1) * self.icc

    def sizes(self, groups: int) -> Sizes:
        """Return the sizes of a number of groups in the proportions of the mix."""
        total = number_of_groups(self.mix)
        if total == groups:
            return self.mix
        exact = [(size, k * groups / total) for size, k in self.mix]
        whole = {size: math.floor(share) for size, share in exact}
        missing = groups - sum(whole.values())
        by_rest = sorted(exact, key=lambda one: one[1] - math.floor(one[1]), reverse=True)
        for size, _ in by_rest[:missing]:
            whole[size] += 1
        return tuple((size, k) for size, k in whole.items() if k)

    def count_near(self, n: int) -> int:
        """Return how many groups come nearest to about n examples."""
        if examples_of(self.mix) == n:
            return number_of_groups(self.mix)
        return max(1, round(n / self.mean_size))

    def examples(self, groups: int) -> int:
        """Return how many examples so many groups have."""
        return examples_of(self.sizes(groups))

    def coarse(self, most: int) -> PlannedGroups:
        """Return as many groups of at most so many sizes: of neighbouring sizes their mean."""
        if len(self.mix) <= most:
            return self
        each = [size for size, count in self.mix for _ in range(count)]
        made: dict[int, int] = {}
        for part in range(most):
            own = each[part * len(each) // most : (part + 1) * len(each) // most]
            size = round(sum(own) / len(own))
            made[size] = made.get(size, 0) + len(own)
        return replace(self, mix=tuple(sorted(made.items())))

    @property
    def assumed(self) -> dict[str, float | int | str]:
        """What an answer repeats."""
        mean = self.mean_size
        return {"icc": self.icc, "group_size": int(mean) if mean == int(mean) else mean}


def planned_groups(
    question: Question, stated: Stated, *, several: bool
) -> list[PlannedGroups | None]:
    """Return the groups that are assumed, by each correlation looked at; None without groups.

    `several` correlations are looked at where none is stated. Raises `ValueError` where an
    intra-class correlation is stated and nothing says how large the groups are.
    """
    mix = question.group_sizes
    if stated.group_size is not None:
        mix = ((stated.group_size, 1),)
    if not mix:
        if stated.icc is not None:
            raise ValueError(WITHOUT_SIZES)
        return [None]
    iccs = ICCS if several else (ICC,)
    return [PlannedGroups(mix, icc) for icc in (iccs if stated.icc is None else (stated.icc,))]


def group_notes(question: Question) -> tuple[str, ...]:
    """Return the note on groups that are stated of data without any."""
    return (WITHOUT_GROUPS,) if question.read and not question.group_sizes else ()


def effective_answer(
    question: Question,
    stated: Stated,
    relation: Relation,
    groups: PlannedGroups | None,
    *,
    whole: bool,
    rough: Callable[[float], bool],
    note: str,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
) -> Answer:
    """Answer for the effective number of examples, and state the numbers of examples themselves.

    `whole` is True where the relation takes whole numbers; `note` is added where one of them is
    `rough`, between the notes `before` and `after`.
    """
    effect = 1.0 if groups is None else groups.effect

    def size_of(n: int) -> float:
        return max(round(n / effect), 1) if whole else n / effect

    if groups is not None:
        relation = replace(
            relation,
            assumed={**relation.assumed, **groups.assumed},
            most=int(MOST_N / effect),
            examples_of=lambda size: math.ceil(size * effect),
        )
        design = f"the design effect of the groups is {effect:.3g}"
        after = (*after, design, *group_notes(question))
    relation = replace(relation, size_of=size_of)
    found = answered(question, stated, relation, asked=stated.difference)
    sizes = [n / effect for n in (question.n, found.required_n) if n is not None]
    few = (note,) if any(map(rough, sizes)) else ()
    return replace(found, notes=(*found.notes, *before, *few, *after))
