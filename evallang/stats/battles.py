"""Strengths of models from pairwise judgements, with errors robust over prompts and judges.

A battle has a first and a second model and an outcome for the first: 1 won, 0 lost, 0.5 tie. With
eta = s_first - s_second + order on the scale of log odds:

- `half`, `drop` (Bradley & Terry 1952): P(first wins) = 1 / (1 + exp(-eta)); a tie counts as half
  a win of both, or is excluded.
- `davidson` (Davidson 1970, with the order effect of Davidson & Beaver 1977): the odds of first,
  second and tie are exp(eta / 2) : exp(-eta / 2) : nu.

Strengths add up to 0. Their scale is that of Elo where they are multiplied by `ELO`; under
`davidson` a difference is the log odds of a win over a loss, ties apart.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import scipy
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

ELO = 400 / math.log(10)
"""Points of Elo for one unit of log odds."""

Ties = Literal["davidson", "half", "drop"]
STEPS, CLOSE = 100, 1e-11  # of Newton's method; largest change of a parameter at the end
ROUNDING = 1e-6  # of a linear program whose optimum is 0 or at least about 1


class Battles(Struct, frozen=True, eq=False):
    """n battles between models 0 to m - 1.

    Attributes
    ----------
    first, second : the models of each battle, as codes (n,)
    outcome : of the first model: 1, 0 or 0.5 (n,)
    models : how many models there are
    weights : of each battle (n,), None for 1
    clusters : codes (n,) of what judgements share, by its plural: prompts, judges
    names : of the models, where they have some
    ordered : whether the first model is known to be that whose answer was shown first
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    outcome: NDArray[np.float64]
    models: int
    weights: NDArray[np.float64] | None = None
    clusters: Mapping[str, NDArray[np.int64]] = {}
    names: tuple[str, ...] = ()
    ordered: bool = True

    @property
    def tells_order(self) -> bool:
        """Whether the advantage of the first place can be told apart from the strengths."""
        signs = _signs(np.unique(self.first * self.models + self.second), self.models).toarray()
        strengths = np.linalg.lstsq(signs.T @ signs, signs.sum(axis=0))[0]
        return self.ordered and not np.allclose(signs @ strengths, 1)

    @property
    def sizes(self) -> dict[str, int]:
        """How many prompts, judges and so on there are."""
        return {name: len(np.unique(codes)) for name, codes in self.clusters.items()}

    def take(self, kept: NDArray[np.bool_]) -> "Battles":
        """Keep some of the battles."""
        return replace(
            self,
            first=self.first[kept],
            second=self.second[kept],
            outcome=self.outcome[kept],
            weights=None if self.weights is None else self.weights[kept],
            clusters={name: codes[kept] for name, codes in self.clusters.items()},
        )


class Strengths(Struct, frozen=True, eq=False):
    """A value of each model from their battles, such as its strength.

    Attributes
    ----------
    values : of each model (m,); log strengths add up to 0
    covariance : of these (m, m), robust over whatever clusters were stated
    battles : how many battles were counted
    clusters : how many prompts, judges and so on were counted
    ties : how ties were counted, None for shares
    order : log odds of the first place and their variance, None where it was not estimated
    tie : the log of nu, None where ties have no odds of their own or there are none
    """

    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    battles: int
    clusters: Mapping[str, int] = {}
    ties: Ties | None = None
    order: tuple[float, float] | None = None
    tie: float | None = None

    @property
    def n_groups(self) -> int | None:
        """The number of clusters, of several kinds the least; None without any."""
        return min(self.clusters.values(), default=None)

    @property
    def each(self) -> str:
        """The plural of these clusters, empty without any."""
        return min(self.clusters, key=lambda kind: self.clusters[kind], default="")

    def take(self, models: Sequence[int]) -> "Strengths":
        """Keep some of the models."""
        some = list(models)
        return replace(
            self, values=self.values[some], covariance=self.covariance[np.ix_(some, some)]
        )

    def scaled(self, scale: float, anchor: int | None = None, at: float = 0.0) -> "Strengths":
        """Return the values on another scale, on which the model `anchor` has the value `at`."""
        around = np.eye(len(self.values))
        if anchor is not None:
            around[:, anchor] -= 1
        made = scale * around
        return replace(
            self,
            values=made @ self.values + (0.0 if anchor is None else at),
            covariance=made @ self.covariance @ made.T,
        )


def fit_strengths(
    battles: Battles,
    ties: Ties = "davidson",
    *,
    order: bool = True,
) -> Strengths:
    """Estimate strengths by maximum likelihood (for `half` by its score equations).

    With several ways of clusters the covariance is that of Cameron, Gelbach & Miller 2011. Without
    small-sample factor. Raises `ValueError` where no estimate is finite: a model has no battle, or
    some models won or lost all battles with the others, or too few outcomes contradict the rest.
    """
    kept = battles.outcome != 0.5 if ties == "drop" else np.ones(len(battles.outcome), dtype=bool)
    some = battles.take(kept)
    separated = separated_models(some)
    if separated:
        raise ValueError(f"{len(separated)} of {battles.models} models cannot be placed")
    if not is_bounded(some, ties, order=order):
        raise ValueError("the likelihood has no maximum")
    tied = ties == "davidson" and bool((some.outcome == 0.5).any())
    design = _design(some.first * battles.models + some.second, battles.models, order)
    parameters = np.zeros(design.shape[1] + tied)
    for _ in range(STEPS):
        scores, information = _derivatives(parameters, design, some, tied)
        step = np.linalg.solve(information, scores.sum(axis=0))
        parameters = parameters + step
        if np.abs(step).max() < CLOSE:
            break
    else:
        raise ValueError("Newton's method did not find the maximum of the likelihood")
    scores, information = _derivatives(parameters, design, some, tied)
    inverse = np.linalg.inv(information)
    whole = inverse @ _meat(scores, some) @ inverse
    # From strengths relative to the first model to strengths around their mean
    centre = (np.eye(battles.models) - 1 / battles.models)[:, 1:]
    k = battles.models - 1
    return Strengths(
        values=centre @ parameters[:k],
        covariance=centre @ whole[:k, :k] @ centre.T,
        order=(float(parameters[k]), float(whole[k, k])) if order else None,
        tie=float(parameters[-1]) if tied else None,
        battles=len(some.outcome),
        clusters=some.sizes,
        ties=ties,
    )


def win_rates(battles: Battles) -> Strengths:
    """Compute the share of its battles that each model won, a tie counting as half."""
    n, m = len(battles.outcome), battles.models
    weights = np.ones(n) if battles.weights is None else battles.weights
    models = np.concatenate([battles.first, battles.second])
    won = np.concatenate([battles.outcome, 1 - battles.outcome])
    twice = np.tile(weights, 2)
    total = np.bincount(models, twice, m)
    values = np.bincount(models, twice * won, m) / total
    influences = twice * (won - values[models]) / total[models]
    places = (np.tile(np.arange(n), 2), models)
    scores = scipy.sparse.coo_array((influences, places), shape=(n, m)).tocsr()
    return Strengths(values, _meat(scores, battles), n, battles.sizes)


def separated_models(battles: Battles) -> tuple[int, ...]:
    """Return the models outside the largest set in which each beat each by a chain of battles.

    A tie counts as a win of both. Empty where strengths are finite for all (Ford 1957).
    """
    won, lost = battles.outcome > 0, battles.outcome < 1
    winner = np.concatenate([battles.first[won], battles.second[lost]])
    loser = np.concatenate([battles.second[won], battles.first[lost]])
    graph = scipy.sparse.coo_array(
        (np.ones(len(winner)), (winner, loser)), shape=(battles.models, battles.models)
    )
    _, part = scipy.sparse.csgraph.connected_components(graph, connection="strong")
    return tuple(np.flatnonzero(part != np.bincount(part).argmax()).tolist())


def is_bounded(battles: Battles, ties: Ties, *, order: bool) -> bool:
    """Return whether the likelihood has a maximum, if no models are separated.

    There is no maximum where a direction of the parameters makes no outcome less likely and some
    outcome more likely (Albert & Anderson 1984), which a linear program finds.
    """
    codes, m = battles.first * battles.models + battles.second, battles.models
    tied = (battles.outcome > 0) & (battles.outcome < 1)
    rows = []
    for kind, sign, of_tie in (
        (battles.outcome == 1, 1, -2),
        (battles.outcome == 0, -1, -2),
        (tied, 1, 2),
        (tied, -1, 2),
    ):
        design = sign * _design(np.unique(codes[kind]), m, order)
        odds = np.full((design.shape[0], int(ties == "davidson" and tied.any())), of_tie)
        rows.append(scipy.sparse.hstack([design, odds]))
    favours = scipy.sparse.vstack(rows).tocsr()
    found = scipy.optimize.linprog(
        -favours.sum(axis=0), A_ub=-favours, b_ub=np.zeros(favours.shape[0]), bounds=(-1, 1)
    )
    return bool(found.fun > -ROUNDING)


def _signs(codes: NDArray[np.int64], models: int) -> "scipy.sparse.csr_array":
    """Return 1 for the first and -1 for the second model (n, m) of battles coded `f * m + s`."""
    n = len(codes)
    places = (np.tile(np.arange(n), 2), np.concatenate([codes // models, codes % models]))
    signs = np.repeat([1.0, -1.0], n)
    return scipy.sparse.coo_array((signs, places), shape=(n, models)).tocsr()


def _design(codes: NDArray[np.int64], models: int, order: bool) -> "scipy.sparse.csr_array":
    """Return what eta is linear in: all models but the first, and the order (n, size)."""
    signs = _signs(codes, models)[:, 1:]
    return scipy.sparse.hstack([signs, np.ones((len(codes), int(order)))]).tocsr()


def _derivatives(
    parameters: NDArray[np.float64],
    design: "scipy.sparse.csr_array",
    battles: Battles,
    tied: bool,
) -> "tuple[scipy.sparse.csr_array, NDArray[np.float64]]":
    """Return the derivatives of each battle's log likelihood, and minus the second ones of all.

    The last parameter is the log of nu if battles are `tied`, else ties are not modelled.
    """
    n, k = design.shape
    weights = np.ones(n) if battles.weights is None else battles.weights
    half = design @ parameters[:k] / 2
    logs = np.column_stack([half, -half, np.full(n, parameters[k] if tied else -np.inf)])
    won, lost, tie = scipy.special.softmax(logs, axis=1).T
    by_eta = weights * (battles.outcome - 0.5 - (won - lost) / 2)
    scores = design.multiply(by_eta[:, None])
    curved = design.multiply((weights * ((won + lost) - (won - lost) ** 2) / 4)[:, None])
    information = (design.T @ curved).toarray()
    if not tied:
        return scores.tocsr(), information
    across = (design.T @ (weights * tie * (lost - won) / 2))[:, None]
    corner = (weights * tie * (1 - tie)).sum()
    by_tie = weights * ((battles.outcome == 0.5) - tie)
    return (
        scipy.sparse.hstack([scores, by_tie[:, None]]).tocsr(),
        np.block([[information, across], [across.T, corner]]),
    )


def _meat(scores: "scipy.sparse.csr_array", battles: Battles) -> NDArray[np.float64]:
    """Return the sum of products of the scores of clusters, over all ways and their overlaps.

    With two ways that of each less that of their intersection, and so on; negative eigenvalues
    are set to 0 (Cameron, Gelbach & Miller 2011).
    """
    clusters = list(battles.clusters.values())
    n, ways = scores.shape[0], len(clusters)
    if not ways:
        return np.asarray((scores.T @ scores).toarray())
    found = np.zeros((scores.shape[1],) * 2)
    for subset in range(1, 2**ways):
        chosen = [clusters[way] for way in range(ways) if subset >> way & 1]
        codes = np.unique(np.column_stack(chosen), axis=0, return_inverse=True)[1].reshape(-1)
        sums = scipy.sparse.csr_array((np.ones(n), (codes, np.arange(n)))) @ scores
        sign = 1 if len(chosen) % 2 else -1
        found += sign * np.asarray((sums.T @ sums).toarray())
    if ways == 1:
        return found
    values, vectors = np.linalg.eigh(found)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)
