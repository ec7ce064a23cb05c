"""Stability: which hyper-parameters the searches of the outer folds chose, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from msgspec import Struct

from evallang.bibliography import cite
from evallang.results.settings import Value
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.analyses.tuning import SearchedParameter, Searches, identity, is_number


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


ABOUT = (
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
        about=ABOUT,
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
    known = {identity(value): value for value in parameter.values or _sorted(chosen)}
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


def _sorted(values: Sequence[Value]) -> list[Value]:
    return sorted(values) if all(map(is_number, values)) else list(values)


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
