"""Searches: model-based candidates, and how far each candidate is from the simplest."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evallang.models.catalogue import simplicity
from evallang.models.model import (
    Candidates,
    ParameterValue,
    PipelineSpec,
    SearchParameter,
    identity,
    search_space,
)
from evallang.planning.plan import BayesSearch

Rule = Literal["best", "one_standard_error"]
DIGITS = 12  # significant digits to which equal scores tie


def steps_from_simple(
    pipeline: PipelineSpec, candidates: Sequence[Mapping[str, ParameterValue]]
) -> list[int]:
    """Count each candidate's steps from simple, over all its parameters.

    A parameter whose direction is in the catalogue counts by it, any other by the order in
    which its values were written, the first being the simplest.
    """
    steps = [0] * len(candidates)
    for parameter in search_space(pipeline):
        values: list[ParameterValue] = list(parameter.candidates.values)
        for candidate in candidates:
            value = candidate[parameter.name]
            if all(identity(value) != identity(known) for known in values):
                values.append(value)
        ranks = simplicity(parameter.owner, parameter.parameter, tuple(values))
        order: Sequence[Any] = ranks if ranks is not None else range(len(values))
        rank = {identity(v): int(r) for v, r in zip(values, order, strict=True)}
        for i, candidate in enumerate(candidates):
            steps[i] += rank[identity(candidate[parameter.name])]
    return steps


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


# --- model-based search ----------------------------------------------------------------------


Choice = Mapping[str, ParameterValue]
Score = Callable[[Choice], "NDArray[np.float64] | tuple[str, str]"]
"""Scores of a candidate in the inner folds, or the error and message of its failure."""


def bayes_search(
    space: Sequence[SearchParameter],
    search: BayesSearch,
    better: Literal["higher", "lower"],
    score: Score,
) -> "tuple[list[Choice], NDArray[np.float64], dict[int, tuple[str, str]]]":
    """Ask for `search.n` candidates by tree-structured Parzen estimators (Bergstra et al. 2011).

    Gives the distinct candidates in the order they were first asked for, their scores
    (folds, candidates), NaN where undefined, and the failures by candidate. A candidate asked
    for again is not fitted again. Every draw comes from the search's seed.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize" if better == "higher" else "minimize",
        sampler=optuna.samplers.TPESampler(seed=search.seed),
    )
    tried: dict[str, int] = {}
    choices: list[Choice] = []
    columns: list[NDArray[np.float64]] = []
    failures: dict[int, tuple[str, str]] = {}
    for _ in range(search.n):
        trial = study.ask()
        choice = {p.name: _suggested(trial, p.name, p.candidates) for p in space}
        key = "\n".join(identity(value) for value in choice.values())
        if key not in tried:
            tried[key] = len(choices)
            choices.append(choice)
            found = score(choice)
            if isinstance(found, tuple):
                failures[tried[key]] = found
                found = np.full(1, np.nan)
            columns.append(found)
        mean = float(columns[tried[key]].mean())
        if tried[key] in failures or np.isnan(mean):
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, mean)
    folds = max(len(column) for column in columns)
    whole = [c if len(c) == folds else np.full(folds, np.nan) for c in columns]
    return choices, np.column_stack(whole), failures


def _suggested(trial: Any, name: str, candidates: Candidates) -> ParameterValue:
    """Ask for one value; sorted numbers keep their order, other lists are unordered."""
    if candidates.distribution is not None:
        low, high = candidates.low, candidates.high
        assert low is not None and high is not None, "a distribution has its ends"
        log = candidates.distribution == "loguniform"
        if candidates.integer:
            return int(trial.suggest_int(name, int(low), int(high), log=log))
        return float(trial.suggest_float(name, low, high, log=log))
    values = candidates.values
    if _is_ordered(values):
        return values[int(trial.suggest_int(name, 0, len(values) - 1))]
    return values[int(trial.suggest_categorical(name, list(range(len(values)))))]


def _is_ordered(values: Sequence[ParameterValue]) -> bool:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) < len(values):
        return False
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))
