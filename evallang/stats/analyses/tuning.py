"""What a search chose, and how its choices spread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


ABOUT = "candidates inside these training parts: the best of many inner scores is optimistic"
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
        example="data wine from sklearn wine\n"
        "model near = StandardScaler | KNeighborsClassifier(n_neighbors in 21..1 step -4)\n"
        "model tree = DecisionTreeClassifier(max_depth in [1, 2, 3])\n"
        "model baseline = DummyClassifier\n"
        "protocol nested cv outer=5 inner=5\n"
        "measure accuracy\n"
        "analyze tuning\n",
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
        about=ABOUT,
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
