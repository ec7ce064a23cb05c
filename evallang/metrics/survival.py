"""Metrics of risks for times that may be censored.

`truth` (n, 2) is the time of each example and whether it is that of the event (1) or of the end of
the observation (0); `output` (n,) is the risk, higher for an earlier event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration, Outcome, Statistic, value_under
from evallang.registry import Example

SUMS = Callable[["NDArray[np.float64]"], "tuple[NDArray[np.float64], NDArray[np.float64]]"]


def _concordance(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    pairs_of = _pairs(o.truth, o.output)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        drawn = weights.astype(np.float64, copy=False)
        right, pairs = ((drawn * part).sum(axis=1) for part in pairs_of(drawn))
        values = np.full(len(drawn), np.nan)
        # Each pair is counted from both of its examples
        np.divide(right, pairs, out=values, where=pairs > 0)
        return values

    return statistic


def _influences(o: Outcome) -> NDArray[np.float64]:
    """Return the derivative of the index by the weight of each example."""
    right, pairs = (part[0] for part in _pairs(o.truth, o.output)(np.ones((1, o.n))))
    total = pairs.sum() / 2
    value = right.sum() / 2 / total
    return np.asarray((right - value * pairs) / total)


@METRICS.register(
    MetricDeclaration(
        "regression",
        "scores",
        "risks",
        "higher",
        0,
        1,
        known_without_skill=True,
        chance=0.5,
        ranks="other",
        default=True,
        under_weights=_concordance,
        influences=_influences,
        when="models predict who has an event earlier, and some times are censored",
        when_not=(
            "probabilities of survival are to be judged, because only the order of the risks "
            "counts; with heavy censoring, because the index depends on its pattern"
        ),
        formula=(
            "over all pairs of examples whose earlier time is that of an event (of equal times, "
            "one an event and one censored), the share in which the earlier has the higher risk, "
            "pairs with equal risks counting half; two events at the same time are not a pair; "
            "over folds, the mean of the folds' values"
        ),
        equation=(
            r"\frac{\sum_{i \prec j} \left([r_i > r_j] + \frac{1}{2} [r_i = "
            r"r_j]\right)}{\sum_{i \prec j} 1}"
        ),
        differs={
            "lifelines": "concordance_index takes predicted times: hand it the negative risk",
        },
        example=(
            'predictions trial "Lung cancer trial" from "data/survival.csv"\n'
            "  id patient\n"
            "  truth months\n"
            "  event died\n"
            '  score cox = "cox_risk"\n'
            '  score stage = "stage_risk"\n'
            '  unit "patients"\n'
            "\n"
            "measure concordance\n"
        ),
    ),
    title="Concordance index",
    references=(cite("harrell1996"),),
    examples=(
        Example(
            (((1, 1), (2, 0), (3, 1), (4, 1)), (4.0, 3.0, 1.0, 2.0), None),
            {"value": 3 / 4},
            "by hand: the first is before three others; of the last two the order is wrong",
        ),
    ),
)
def concordance(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    weights: ArrayLike | None = None,
) -> float:
    """The chance that the earlier event of two comparable examples has the higher risk.

    Harrell's index for censored times, computed in O(n log n). Undefined (NaN) where no two
    examples can be compared.
    """
    risk = np.asarray(output, dtype=np.float64)
    return value_under(_concordance, np.asarray(truth, dtype=np.float64), risk, None, weights)


def _pairs(truth: NDArray[np.float64], risk: NDArray[np.float64]) -> SUMS:
    """Prepare, from weights (B, n), the weight of each example's pairs: those right, and all.

    Pairs with equal risks are right by half. Times are replaced by their places, an event before a
    censoring at the same time: an example with an event is compared with all of later places.
    Pairs are told apart by the highest bit in which the places of their risks differ.
    """
    time, event = truth[:, 0], (truth[:, 1] > 0).astype(np.float64)
    unknown = np.isnan(time).any() or np.isnan(risk).any() or not len(time)
    later = np.unique(np.column_stack([time, -event]), axis=0, return_inverse=True)[1].reshape(-1)
    place = np.unique(risk, return_inverse=True)[1].reshape(-1)
    everyone = np.ones(len(time))
    whole = _Stretches(np.zeros_like(later), later)
    tied = _Stretches(place, later)
    levels = [
        (((place >> bit) & 1).astype(np.float64), _Stretches(place >> (bit + 1), later))
        for bit in range(int(place.max(initial=0)).bit_length())
    ]

    def sums(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if unknown:
            return np.zeros(weights.shape), np.full(weights.shape, np.nan)
        pairs = whole.pairs(weights, event, everyone)
        right = tied.pairs(weights, event, everyone) / 2
        for high, layout in levels:
            right += layout.pairs(weights, event * high, 1 - high)
        return right, pairs

    return sums


class _Stretches:
    """Rows with the same key together, within them by time."""

    def __init__(self, key: NDArray[np.int64], later: NDArray[np.int64]) -> None:
        self.rows = np.lexsort((later, key))
        key, later = key[self.rows], later[self.rows]
        # In sums with a zero before them: where the stretch and the run of equal times of each row
        # begin and end
        self.begin, self.end = _runs(np.diff(key, prepend=-1) != 0)
        new = (np.diff(key, prepend=-1) != 0) | (np.diff(later, prepend=-1) != 0)
        self.first, self.last = _runs(new)

    def pairs(
        self,
        weights: NDArray[np.float64],
        early: NDArray[np.float64],
        late: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Sum, for each example, the weights of those it forms a pair with in its stretch (B, n).

        A pair is one of `early` (n,) and one of `late` (n,) at a later time.
        """
        before, after = _sums(weights * early, self.rows), _sums(weights * late, self.rows)
        found = early[self.rows] * (after[:, self.end] - after[:, self.last])
        found += late[self.rows] * (before[:, self.first] - before[:, self.begin])
        each = np.empty_like(found)
        each[:, self.rows] = found
        return each


def _runs(new: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where the run of each row begins and ends, from where a new one begins."""
    starts, run = np.flatnonzero(new), np.cumsum(new) - 1
    return starts[run], np.append(starts[1:], len(new))[run]


def _sums(values: NDArray[np.float64], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sum values (B, n) in the order of rows: column i is the sum of the first i (B, n + 1)."""
    return np.concatenate([np.zeros((len(values), 1)), np.cumsum(values[:, rows], axis=1)], axis=1)
