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
        if not self.ordered:
            return False
        pairs = np.unique(np.column_stack([self.first, self.second]), axis=0)
        signs = np.zeros((len(pairs), self.models))
        rows = np.arange(len(pairs))
        signs[rows, pairs[:, 0]], signs[rows, pairs[:, 1]] = 1, -1
        strengths = np.linalg.lstsq(signs, np.ones(len(pairs)))[0]
        return not np.allclose(signs @ strengths, 1)

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
    tie : the log of nu, None without ties of their own
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
    small-sample factor. Raises `ValueError` where a model has no battle, or some models won or lost
    all battles with the others, so that no estimate is finite.
    """
    kept = battles.outcome != 0.5 if ties == "drop" else np.ones(len(battles.outcome), dtype=bool)
    some = battles.take(kept)
    separated = separated_models(some)
    if separated:
        raise ValueError(f"{len(separated)} of {battles.models} models cannot be placed")
    model = _Model(some, ties, order)
    parameters = np.zeros(model.size)
    for _ in range(STEPS):
        step = np.linalg.solve(model.information(parameters), model.scores(parameters).sum(axis=0))
        parameters = parameters + step
        if np.abs(step).max() < CLOSE:
            break
    else:
        raise ValueError("the likelihood has no maximum that Newton's method finds")
    inverse = np.linalg.inv(model.information(parameters))
    meat = _meat(model.scores(parameters), some)
    whole = inverse @ meat @ inverse
    # From strengths relative to the first model to strengths around their mean
    centre = (np.eye(battles.models) - 1 / battles.models)[:, 1:]
    k = battles.models - 1
    return Strengths(
        values=centre @ parameters[:k],
        covariance=centre @ whole[:k, :k] @ centre.T,
        order=(float(parameters[k]), float(whole[k, k])) if order else None,
        tie=float(parameters[-1]) if ties == "davidson" else None,
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


class _Model:
    """Scores and information of the battles; strengths are relative to the first model."""

    def __init__(self, battles: Battles, ties: Ties, order: bool) -> None:
        n, self.ties = len(battles.outcome), ties
        rows = np.arange(n)
        signs = np.concatenate([np.ones(n), -np.ones(n)])
        places = (np.tile(rows, 2), np.concatenate([battles.first, battles.second]))
        shape = (n, battles.models)
        design = scipy.sparse.coo_array((signs, places), shape=shape).tocsc()[:, 1:]
        if order:
            design = scipy.sparse.hstack([design, np.ones((n, 1))])
        self.design = scipy.sparse.csr_array(design)
        self.outcome = battles.outcome
        self.weights = np.ones(n) if battles.weights is None else battles.weights
        self.size = self.design.shape[1] + (ties == "davidson")

    def _chances(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities that the first wins, that it loses, and of a tie (n, 3)."""
        if self.ties != "davidson":
            won = scipy.special.expit(self.design @ parameters)
            return np.column_stack([won, 1 - won, np.zeros(len(won))])
        half = self.design @ parameters[:-1] / 2
        logs = np.column_stack([half, -half, np.full(len(half), parameters[-1])])
        return np.asarray(scipy.special.softmax(logs, axis=1))

    def scores(self, parameters: NDArray[np.float64]) -> "scipy.sparse.csr_array":
        """Return the derivatives of each battle's log likelihood (n, size)."""
        chances, y = self._chances(parameters), self.outcome
        if self.ties != "davidson":
            return self.design.multiply((self.weights * (y - chances[:, 0]))[:, None]).tocsr()
        by_eta = ((y == 1) - chances[:, 0] - (y == 0) + chances[:, 1]) / 2
        by_tie = (y == 0.5) - chances[:, 2]
        scaled = self.design.multiply((self.weights * by_eta)[:, None])
        return scipy.sparse.hstack([scaled, (self.weights * by_tie)[:, None]]).tocsr()

    def information(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the second derivatives (size, size)."""
        won, lost, tied = self._chances(parameters).T
        if self.ties != "davidson":
            return self._products(won * lost)
        by_eta = (won + lost) / 4 - ((won - lost) / 2) ** 2
        across = self.design.T @ (self.weights * tied * (lost - won) / 2)
        corner = (self.weights * tied * (1 - tied)).sum()
        return np.block([[self._products(by_eta), across[:, None]], [across[None], corner]])

    def _products(self, of_battle: NDArray[np.float64]) -> NDArray[np.float64]:
        weighted = self.design.multiply((self.weights * of_battle)[:, None])
        return np.asarray((self.design.T @ weighted).toarray())


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
