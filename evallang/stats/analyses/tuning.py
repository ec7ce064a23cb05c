"""What a search chose, how its choices spread, and how stable they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.results.settings import Value
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration

Rule = Literal["best", "one_standard_error"]
DIGITS = 12  # significant digits to which equal scores tie


class SearchedParameter(Struct, frozen=True):
    """One searched parameter and its candidates in the order written.

    `values` is empty where candidates are drawn from a distribution; `written` is the domain as
    the author wrote it.
    """

    name: str
    values: tuple[Value, ...]
    written: str


class FoldSearch(Struct, frozen=True):
    """The search inside one training part, and the score of the chosen candidate on its test part.

    All scores are by the metric of the search. `inner_score` and `test_score` are None where they
    are undefined; `scores` are those of all `candidates` in the inner folds (folds, candidates),
    NaN where undefined, and `steps` count how far each candidate is from the simplest.
    """

    repeat: int
    fold: int
    chosen: Mapping[str, Value]
    inner_score: float | None
    test_score: float | None
    candidates: tuple[Mapping[str, Value], ...]
    scores: NDArray[np.float64]
    steps: tuple[int, ...]


class Searches(Struct, frozen=True):
    """All searches of one model: one inside each training part of a protocol.

    `better` is the better direction of the metric, and `rule` what chose among the candidates.
    """

    parameters: tuple[SearchedParameter, ...]
    n_candidates: int
    metric: str
    better: Literal["higher", "lower"]
    rule: Rule
    folds: tuple[FoldSearch, ...]


def identity(value: Value) -> str:
    """Return a text that differs for values that differ, as 1, 1.0 and True do."""
    return f"{type(value).__name__} {value!r}"


def is_number(value: Value) -> bool:
    """Return whether a value is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def choose(
    scores: NDArray[np.float64],
    usable: Sequence[int],
    rule: Rule,
    better: Literal["higher", "lower"],
    steps: Sequence[int],
) -> int:
    """Choose a candidate from its scores in the inner folds (folds, candidates).

    `best`: the best mean, ties to the first written. `one_standard_error`: the simplest
    whose mean is within one standard error (sd over folds / sqrt(k)) of the best (Breiman
    et al. 1984; Raschka 2018, 3.10); `steps` counts how far each is from the simplest, and
    ties go to the better mean, then to the first written.
    """
    means = scores.mean(axis=0)
    sign = -1.0 if better == "higher" else 1.0
    losses = {i: _rounded(sign * float(means[i])) for i in usable}
    best = min(usable, key=lambda i: (losses[i], i))
    if rule == "best" or len(scores) < 2:
        return best
    error = float(np.std(scores[:, best], ddof=1)) / len(scores) ** 0.5
    within = [i for i in usable if losses[i] <= _rounded(losses[best] + error)]
    return min(within, key=lambda i: (steps[i], losses[i], i))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


class TriedCandidate(Struct, frozen=True):
    """One candidate: its mean inner score, and how many searches choose it by each rule.

    `mean` and `standard_error` are means over the `n` searches in which every inner score of
    the candidate is defined; both are None where there is none.
    """

    params: Mapping[str, Value]
    mean: Number
    standard_error: Number
    n: int
    best: int
    one_standard_error: int


class TuningPoint(Struct, frozen=True):
    """One value of a parameter: in each search the best candidate that has this value."""

    value: Value
    mean: Number
    standard_error: Number
    n: int
    best: int
    one_standard_error: int


class TuningCurve(Struct, frozen=True):
    """The mean inner score along one parameter, its values in the order written or ascending."""

    parameter: str
    written: str
    points: tuple[TuningPoint, ...]


class SearchScores(Struct, frozen=True):
    """The scores of one search: for each candidate those in its inner folds, None if undefined.

    `candidates` are indices of `Tuning.candidates`, as are `best`, `one_standard_error`, which
    are what the two rules choose, and `chosen`.
    """

    repeat: int
    fold: int
    candidates: tuple[int, ...]
    scores: tuple[tuple[Number, ...], ...]
    best: int
    one_standard_error: int
    chosen: int


class Tuning(Struct, frozen=True):
    """The inner scores of all searches of a model."""

    unit: str
    about: str
    n: int
    n_inner: int
    metric: str
    better: str
    rule: str
    curves: tuple[TuningCurve, ...]
    candidates: tuple[TriedCandidate, ...]
    searches: tuple[SearchScores, ...]
    notes: tuple[str, ...]


ABOUT_CANDIDATES = (
    "candidates inside these training parts: the best of many inner scores is optimistic"
)
DEPENDENT = "standard errors treat inner folds as independent, although they share training rows"
ONE_PART = "one validation part has no standard error, so both rules choose the best score"


class _Judged(Struct, frozen=True):
    """A search with the mean and standard error of each candidate, and what the rules choose."""

    search: FoldSearch
    keys: tuple[str, ...]
    means: NDArray[np.float64]
    errors: NDArray[np.float64] | None
    best: int
    one_standard_error: int

    def with_key(self, key: str) -> _Among:
        """Return the candidate with a key, if it was tried."""
        return _Among(self, tuple(i for i, known in enumerate(self.keys) if known == key))

    def with_value(self, parameter: str, value: str) -> _Among:
        """Return the candidates with a value of a parameter, by its identity."""
        tried = enumerate(self.search.candidates)
        return _Among(self, tuple(i for i, c in tried if identity(c[parameter]) == value))


class _Among(Struct, frozen=True):
    """Some candidates of a search, by their places."""

    judged: _Judged
    places: tuple[int, ...]

    def best(self, better: str) -> int | None:
        """Return the place of the best of them, None where none has a score."""
        means = self.judged.means
        known = [i for i in self.places if not np.isnan(means[i])]
        sign = -1.0 if better == "higher" else 1.0
        return min(known, key=lambda i: sign * means[i]) if known else None


@ANALYSES.register(
    AnalysisDeclaration(
        needs="searches",
        section="tuning_curves",
        shown=Tuning,
        when="a search is to be judged: a flat optimum, an end of the range, a simpler candidate",
        when_not=(
            "the chosen values of the outer folds are of interest: stability; the performance of "
            "a tuned model: measure"
        ),
        formula=(
            "for each candidate the mean of its scores in the inner folds, with the standard "
            "error sd / sqrt(inner folds), both averaged over the searches of the outer folds; "
            "along a parameter, in each search the best candidate with that value; how many "
            "searches choose it by the best mean, and by the one-standard-error rule: the "
            "simplest candidate within one standard error of the best"
        ),
    ),
    title="Tuning curves",
    references=(cite("raschka2018"), cite("breiman1984")),
)
def tuning(searches: Searches) -> Tuning:
    """The mean inner score of every candidate, with what two rules would choose.

    Raises `ValueError` where no search gave a choice.
    """
    if not searches.folds:
        raise ValueError("no search gave a choice")
    better = searches.better
    judged = [_judge(search, searches) for search in searches.folds]
    params = {
        key: candidate
        for one in reversed(judged)
        for key, candidate in zip(one.keys, one.search.candidates, strict=True)
    }
    order = {key: i for i, key in enumerate(dict.fromkeys(k for one in judged for k in one.keys))}
    n_inner = max(len(search.scores) for search in searches.folds)
    return Tuning(
        unit="searches",
        about=ABOUT_CANDIDATES,
        n=len(judged),
        n_inner=n_inner,
        metric=searches.metric,
        better=better,
        rule=searches.rule,
        curves=tuple(
            TuningCurve(p.name, p.written, tuple(_points(p.name, p.values, judged, better)))
            for p in searches.parameters
        ),
        candidates=tuple(
            TriedCandidate(
                dict(params[key]), *_summed([one.with_key(key) for one in judged], better)
            )
            for key in order
        ),
        searches=tuple(_scores(one, order) for one in judged),
        notes=(DEPENDENT if n_inner > 1 else ONE_PART,),
    )


def _judge(search: FoldSearch, searches: Searches) -> _Judged:
    scores = search.scores
    means = scores.mean(axis=0)
    usable = [i for i, mean in enumerate(means) if not np.isnan(mean)]
    k = len(scores)
    errors = np.std(scores, axis=0, ddof=1) / k**0.5 if k > 1 else None
    keys = tuple("\n".join(map(identity, c.values())) for c in search.candidates)
    best = choose(scores, usable, "best", searches.better, search.steps)
    simple = choose(scores, usable, "one_standard_error", searches.better, search.steps)
    return _Judged(search, keys, means, errors, best, simple)


def _summed(among: Sequence[_Among], better: str) -> tuple[Number, Number, int, int, int]:
    """Return mean, standard error, number of searches, and the counts of both rules."""
    found = [(one.judged, one.best(better)) for one in among]
    tried = [(judged, place) for judged, place in found if place is not None]
    means = [float(judged.means[place]) for judged, place in tried]
    errors = [float(j.errors[place]) for j, place in tried if j.errors is not None]
    return (
        sum(means) / len(means) if means else None,
        sum(errors) / len(errors) if errors else None,
        len(tried),
        sum(one.judged.best in one.places for one in among),
        sum(one.judged.one_standard_error in one.places for one in among),
    )


def _points(
    parameter: str, written: Iterable[Value], judged: Sequence[_Judged], better: str
) -> Iterable[TuningPoint]:
    """Iterate over the values of a parameter; of a distribution those tried, ascending."""
    every = [c[parameter] for one in judged for c in one.search.candidates]
    values = {identity(value): value for value in (tuple(written) or sorted(every))}
    tried = set(map(identity, every))
    for key, value in values.items():
        if key in tried:
            among = [one.with_value(parameter, key) for one in judged]
            yield TuningPoint(value, *_summed(among, better))


def _scores(one: _Judged, order: Mapping[str, int]) -> SearchScores:
    columns = one.search.scores.T.tolist()
    places = tuple(order[key] for key in one.keys)
    chosen = "\n".join(identity(value) for value in one.search.chosen.values())
    return SearchScores(
        one.search.repeat,
        one.search.fold,
        places,
        tuple(tuple(None if v != v else v for v in column) for column in columns),
        places[one.best],
        places[one.one_standard_error],
        order[chosen],
    )


class ChoiceCount(Struct, frozen=True):
    """One candidate value: how many searches chose it, and their share of all searches."""

    value: Value
    count: int
    share: float


class ParameterStability(Struct, frozen=True):
    """The choices of one parameter.

    `choices` are its candidates in the order written, or the values that were chosen where the
    candidates are drawn from a distribution. `modal_share` is the share of the value that was
    chosen most often, and `alike` the share of all pairs of searches that chose the same
    value; `by_chance` is that share if every candidate were equally likely, None for a
    distribution. `at_smallest` and `at_largest` count the searches that chose an end of the
    numbers that were tried, None where there are fewer than three numbers.
    """

    name: str
    written: str
    choices: tuple[ChoiceCount, ...]
    modal_share: float
    alike: float
    by_chance: Number
    at_smallest: int | None
    at_largest: int | None


class CombinationCount(Struct, frozen=True):
    """One chosen combination of values, how many searches chose it, and their share."""

    params: Mapping[str, Value]
    count: int
    share: float


class Spread(Struct, frozen=True):
    """Mean, standard deviation (n - 1), smallest and largest of the scores of the folds."""

    mean: float
    sd: Number
    lowest: float
    highest: float
    n: int


class Stability(Struct, frozen=True):
    """The choices of all searches of a model, and the scores of what they chose.

    `inner` are the scores by which the candidates were chosen, `test` those of the chosen
    candidates on the test parts, both by the metric of the search.
    """

    unit: str
    about: str
    n: int
    n_candidates: int
    metric: str
    parameters: tuple[ParameterStability, ...]
    combinations: tuple[CombinationCount, ...]
    modal_share: float
    alike: float
    inner: Spread | None
    test: Spread | None


ABOUT_CHOICES = (
    "the searches of these training parts, which share rows: searches on independent samples "
    "agree less"
)
FEWEST_NUMBERS = 3  # candidates from which on an end is more than one of two


@ANALYSES.register(
    AnalysisDeclaration(
        needs="searches",
        fewest_folds=2,
        section="stability_of_searches",
        shown=Stability,
        when="a search runs in every outer fold, and readers ask which model they would get",
        when_not=(
            "the scores of all candidates are of interest: tuning; the hyper-parameters of the "
            "final model: export"
        ),
        formula=(
            "for each candidate value the number of outer folds whose search chose it; the share "
            "of the value chosen most often; the share of all pairs of outer folds that chose "
            "the same value, and that share if every candidate were equally likely; mean, "
            "standard deviation and range of the inner scores and of the test scores of what "
            "was chosen. No interval is computed, because the training parts share rows"
        ),
    ),
    title="Stability of hyper-parameters",
    references=(cite("cawley2010"), cite("raschka2018")),
)
def stability(searches: Searches) -> Stability:
    """How often the searches of the outer folds chose each value, and how often two agree.

    Raises `ValueError` for fewer than two searches.
    """
    n = len(searches.folds)
    if n < 2:
        raise ValueError("fewer than two searches gave a choice")
    names = [parameter.name for parameter in searches.parameters]
    whole = ["\n".join(identity(fold.chosen[name]) for name in names) for fold in searches.folds]
    counts = Counter(whole)
    first: dict[str, Mapping[str, Value]] = {}
    for key, fold in zip(whole, searches.folds, strict=True):
        first.setdefault(key, fold.chosen)
    return Stability(
        unit="outer folds",
        about=ABOUT_CHOICES,
        n=n,
        n_candidates=searches.n_candidates,
        metric=searches.metric,
        parameters=tuple(_parameter(p, searches) for p in searches.parameters),
        combinations=tuple(
            CombinationCount(dict(first[key]), count, count / n)
            for key, count in counts.most_common()
        ),
        modal_share=max(counts.values()) / n,
        alike=_agreement(counts),
        inner=_spread([fold.inner_score for fold in searches.folds]),
        test=_spread([fold.test_score for fold in searches.folds]),
    )


def _parameter(parameter: SearchedParameter, searches: Searches) -> ParameterStability:
    chosen = [fold.chosen[parameter.name] for fold in searches.folds]
    counts = Counter(map(identity, chosen))
    in_order = sorted(chosen) if all(map(is_number, chosen)) else chosen
    known = {identity(value): value for value in parameter.values or in_order}
    n, numbers = len(chosen), [value for value in parameter.values if is_number(value)]
    ends = len(numbers) >= FEWEST_NUMBERS
    return ParameterStability(
        name=parameter.name,
        written=parameter.written,
        choices=tuple(ChoiceCount(v, counts[key], counts[key] / n) for key, v in known.items()),
        modal_share=max(counts.values()) / n,
        alike=_agreement(counts),
        by_chance=1 / len(parameter.values) if parameter.values else None,
        at_smallest=counts[identity(min(numbers))] if ends else None,
        at_largest=counts[identity(max(numbers))] if ends else None,
    )


def _agreement(counts: Counter[str]) -> float:
    """Return the share of all pairs that are equal."""
    n = sum(counts.values())
    return sum(count * (count - 1) for count in counts.values()) / (n * (n - 1))


def _spread(scores: Sequence[float | None]) -> Spread | None:
    known = [score for score in scores if score is not None]
    if not known:
        return None
    sd = stdev(known) if len(known) > 1 else None
    return Spread(fmean(known), sd, min(known), max(known), len(known))
