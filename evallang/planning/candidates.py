"""Which candidates a search tries: the grid, or a seeded sample of the space."""

import random
from collections.abc import Mapping
from itertools import product
from math import prod

from evallang.models.domains import draw
from evallang.models.model import Candidates, ParameterValue, PipelineSpec, grid, search_space
from evallang.planning.seeds import seed
from evallang.study import Tuning

Choice = Mapping[str, ParameterValue]
MOST_TRIES = 50  # for each candidate wanted, before a small space counts as exhausted


def candidates(
    pipeline: PipelineSpec, tuning: Tuning | None, study_seed: int
) -> tuple[Choice, ...]:
    """Return the candidates of one pipeline, the same for every fold; one empty choice for none.

    A random search draws without repeats, each listed domain evenly and each distribution
    by its law; where the grid is no larger than the sample, it is the grid. None are given
    where a model-based search is to find them (`asks`).
    """
    space = search_space(pipeline)
    if not space:
        return ({},)
    if tuning is None or tuning.n is None or _is_small(pipeline, tuning.n):
        return grid(pipeline)
    if tuning.strategy == "bayes":
        return ()
    domains = [parameter.candidates for parameter in space]
    listed = all(domain.distribution is None for domain in domains)
    names = [parameter.name for parameter in space]
    chance = random.Random(seed(study_seed, "search", written_space(pipeline), tuning.n))
    if listed:
        every = list(product(*(range(len(domain.values)) for domain in domains)))
        picked = chance.sample(every, tuning.n)
        return tuple(
            {name: d.values[i] for name, d, i in zip(names, domains, place, strict=True)}
            for place in picked
        )
    return _drawn(names, domains, tuning.n, chance)


def written_space(pipeline: PipelineSpec) -> list[list[str]]:
    """Return what a search draws from: classes, parameters and candidates as written."""
    return [[p.owner, p.parameter, p.candidates.written] for p in search_space(pipeline)]


def asks(pipeline: PipelineSpec, tuning: Tuning | None) -> int | None:
    """Return the number of candidates a model-based search asks for, None for other searches."""
    if tuning is None or tuning.strategy != "bayes" or tuning.n is None:
        return None
    if not search_space(pipeline) or _is_small(pipeline, tuning.n):
        return None
    return tuning.n


def tried(pipeline: PipelineSpec, tuning: Tuning | None) -> int:
    """Count the candidates of one search."""
    return asks(pipeline, tuning) or len(candidates(pipeline, tuning, 0))


def _is_small(pipeline: PipelineSpec, n: int) -> bool:
    """Return whether a grid has no more candidates than a sample of n."""
    domains = [parameter.candidates for parameter in search_space(pipeline)]
    listed = all(domain.distribution is None for domain in domains)
    return listed and prod(len(domain.values) for domain in domains) <= n


def _drawn(
    names: list[str], domains: list[Candidates], n: int, chance: random.Random
) -> tuple[Choice, ...]:
    found: dict[tuple[str, ...], Choice] = {}
    for _ in range(n * MOST_TRIES):
        values = [_one(domain, chance) for domain in domains]
        found.setdefault(tuple(map(repr, values)), dict(zip(names, values, strict=True)))
        if len(found) == n:
            break
    return tuple(found.values())


def _one(domain: Candidates, chance: random.Random) -> ParameterValue:
    share = chance.random()
    if domain.distribution is not None:
        return draw(domain, share)
    return domain.values[min(int(share * len(domain.values)), len(domain.values) - 1)]
