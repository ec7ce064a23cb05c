"""A model-based search: each candidate is asked for from the scores of those before it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from evallang.models.model import Candidates, ParameterValue, SearchParameter, identity
from evallang.planning.plan import BayesSearch
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    import optuna
    from numpy.typing import NDArray
else:
    np, optuna = lazy("numpy"), lazy("optuna")

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
    """Ask for one value; numbers in order keep their order, other lists have none."""
    if candidates.distribution is not None:
        low, high = candidates.low, candidates.high
        assert low is not None and high is not None, "a distribution has its ends"
        log = candidates.distribution == "loguniform"
        if candidates.integer:
            return int(trial.suggest_int(name, int(low), int(high), log=log))
        return float(trial.suggest_float(name, low, high, log=log))
    values = candidates.values
    if _in_order(values):
        return values[int(trial.suggest_int(name, 0, len(values) - 1))]
    return values[int(trial.suggest_categorical(name, list(range(len(values)))))]


def _in_order(values: Sequence[ParameterValue]) -> bool:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) < len(values):
        return False
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))
