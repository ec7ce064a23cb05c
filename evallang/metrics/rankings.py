"""Metrics of order: of ranked items, of rank correlation, and of the order of survival times."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration, Outcome, Statistic, value_under
from evallang.registry import Bounds, Example
from evallang.stats.score_counts import undefined

NO_SPREAD = 1e-12  # share of a sum of squares below which a difference of sums is rounding


def _spearman(o: Outcome, options: Mapping[str, Any]) -> Statistic:
    """Prepare Spearman's correlation for many weightings."""
    sides = [np.asarray(side, dtype=np.float64) for side in (o.truth, o.output)]
    if not len(sides[0]) or any(np.isnan(side).any() for side in sides):
        return undefined
    codes = [_codes(side) for side in sides]

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        weight = weights.astype(np.float64, copy=False)
        total = weight.sum(axis=1)
        first, second = (_centred_ranks(code, weight, total) for code in codes)
        joint = (weight * first * second).sum(axis=1)
        # A constant side has ranks of 0, up to rounding
        spreads = [(weight * ranks**2).sum(axis=1) for ranks in (first, second)]
        spread = spreads[0] * spreads[1]
        least = NO_SPREAD * total**3
        sound = (spreads[0] > least) & (spreads[1] > least)
        values = np.full(len(weight), np.nan)
        np.divide(joint, np.sqrt(spread), out=values, where=sound)
        inside: NDArray[np.float64] = np.clip(values, -1, 1)
        return inside

    return statistic


def _codes(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place of each value among the distinct ones, rising (n,)."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _centred_ranks(
    code: NDArray[np.int64], weight: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return mean ranks less the mean of all ranks, for each row of weights (B, n)."""
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    of_value = np.add.reduceat(weight[:, order], starts, axis=1)
    upto = np.cumsum(of_value, axis=1)
    middle: NDArray[np.float64] = upto - (of_value + total[:, None]) / 2
    return middle[:, code]


def _kendall(o: Outcome, options: Mapping[str, Any]) -> Statistic:
    """Prepare tau-b for many weightings: pairs are counted bit by bit of the second rank.

    Two examples are told apart by the highest bit in which the places of their predictions
    differ. For each bit, examples that agree in all higher ones stand together, in the order of
    the truth; the sums of weights before each example then count its pairs.
    """
    sides = [np.asarray(side, dtype=np.float64) for side in (o.truth, o.output)]
    if not len(sides[0]) or any(np.isnan(side).any() for side in sides):
        return undefined
    x, y = (_codes(side) for side in sides)
    order = np.lexsort((y, x))
    place = y[order]
    bits = range(int(y.max()).bit_length() - 1, -1, -1)
    levels = []
    for bit in bits:
        together = np.argsort(place >> (bit + 1), kind="stable")
        here = place[together]
        starts = np.flatnonzero(np.diff(here >> (bit + 1), prepend=-1))
        levels.append((order[together], (here >> bit) & 1, starts))
    both = x.astype(np.int64) * (int(y.max()) + 1) + y

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        weight = weights.astype(np.float64, copy=False)
        agreeing = np.zeros(len(weight))
        for rows, high, starts in levels:
            drawn = weight[:, rows]
            upper, lower = drawn * high, drawn * (1 - high)
            agreeing += (upper * _sums_before(lower, starts)).sum(axis=1)
            agreeing -= (lower * _sums_before(upper, starts)).sum(axis=1)
        tied = [_tied_pairs(code, weight) for code in (x, y, _codes(both.astype(np.float64)))]
        total = weight.sum(axis=1)
        pairs = (total**2 - (weight**2).sum(axis=1)) / 2
        # Pairs tied in the truth are in the order of the prediction, and were counted as right
        agreeing -= tied[0] - tied[2]
        free = [pairs - ties for ties in tied[:2]]
        sound = (free[0] > NO_SPREAD * total**2) & (free[1] > NO_SPREAD * total**2)
        values = np.full(len(weight), np.nan)
        product = np.sqrt(np.maximum(free[0], 0)) * np.sqrt(np.maximum(free[1], 0))
        np.divide(agreeing, product, out=values, where=sound)
        inside: NDArray[np.float64] = np.clip(values, -1, 1)
        return inside

    return statistic


def _sums_before(values: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sums before each place within its stretch; stretches begin at `starts` (B, n)."""
    sums = np.cumsum(values, axis=1) - values
    lengths = np.diff(np.append(starts, values.shape[1]))
    within: NDArray[np.float64] = sums - np.repeat(sums[:, starts], lengths, axis=1)
    return within


def _tied_pairs(code: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum the products of weights over pairs of examples with the same value (B,)."""
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    of_value = np.add.reduceat(weight[:, order], starts, axis=1)
    same: NDArray[np.float64] = ((of_value**2).sum(axis=1) - (weight**2).sum(axis=1)) / 2
    return same


@METRICS.register(
    MetricDeclaration(
        "values",
        "higher",
        -1,
        1,
        under_weights=_spearman,
        chance=0,
        when="predictions rank examples, and their scale has no meaning",
        when_not=(
            "the size of an error matters: mae, rmse; the question is how probably a pair is "
            "ordered correctly: kendall"
        ),
        formula=(
            "rank the true values and the predictions, equal values by their mean rank; the "
            "Pearson correlation of the ranks; over folds, the mean of the folds' values"
        ),
        equation=r"\mathrm{cor}\left(\mathrm{rank}(y), \mathrm{rank}(\hat{y})\right)",
        differs={
            "scipy": (
                "over the predictions of all folds, spearmanr ranks what different models "
                "predict together; here each fold is ranked alone"
            ),
        },
    ),
    title="Spearman's rank correlation",
    references=(cite("spearman1904"),),
    examples=(
        Example(
            ((1, 2, 3, 4, 5), (5, 6, 7, 8, 7), None),
            {"value": 0.8207826816681233},
            "scipy 1.17, docstring of spearmanr",
        ),
    ),
)
def spearman(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    weights: ArrayLike | None = None,
) -> float:
    """The correlation of the ranks of truth and prediction, equal values sharing a mean rank.

    Undefined (NaN) where either is constant.
    """
    return value_under(_spearman, truth, output, None, weights)


@METRICS.register(
    MetricDeclaration(
        "values",
        "higher",
        -1,
        1,
        under_weights=_kendall,
        chance=0,
        when="the question is how many pairs of examples are ordered correctly",
        when_not="the size of an error matters: mae, rmse",
        formula=(
            "over all pairs of examples, those in the same order by truth and prediction less "
            "those in the opposite order, divided by the root of the number of pairs that "
            "differ in the truth times the number of pairs that differ in the prediction "
            "(tau-b); over folds, the mean of the folds' values"
        ),
        equation=r"\frac{C - D}{\sqrt{n_y n_{\hat{y}}}}",
    ),
    title="Kendall's tau-b",
    references=(cite("kendall1945"),),
    examples=(
        Example(
            ((12, 2, 1, 12, 2), (1, 4, 7, 1, 0), None),
            {"value": -0.47140452079103173},
            "scipy 1.17, docstring of kendalltau",
        ),
    ),
)
def kendall(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    weights: ArrayLike | None = None,
) -> float:
    """Concordant pairs less discordant pairs, as a share of those without ties.

    Undefined (NaN) where truth or prediction is constant. Takes O(n log n).
    """
    return value_under(_kendall, truth, output, None, weights)


LARGEST_POWER = 500  # of two; the sum of many such gains stays finite
OF_RANKINGS = (
    'predictions search "Search results (synthetic)" from "data/search.csv"\n'
    "  query question\n"
    "  truth relevance\n"
    '  score words = "words_score"\n'
    '  score vectors = "vectors_score"\n'
    '  unit "questions"\n'
    "\n"
    "measure {}\n"
)
ONE_QUERY = (((3.0, 0.9), (0.0, 0.8), (2.0, 0.7), (0.0, 0.6)),)
TWO_QUERIES = (
    ((1.0, 0.9), (0.0, 0.8), (1.0, 0.7)),
    ((0.0, 0.9), (1.0, 0.5), (0.0, 0.4)),
)


def _declaration(metric: str, **more: Any) -> MetricDeclaration:
    return MetricDeclaration(
        "rankings",
        "higher",
        0,
        1,
        example=OF_RANKINGS.format(metric),
        **more,
    )


@METRICS.register(
    _declaration(
        "ndcg(at=10)",
        default=True,
        of_examples="discounted gains",
        abbreviation="nDCG",
        when="rows have several degrees of relevance, or the whole order of a ranking counts",
        when_not="only the first relevant row is read: mean_reciprocal_rank",
        formula=(
            "the relevance of each row (with `gain=exponential` 2 to its power, less 1) divided "
            "by log2(place + 1), summed over the first `at` places, as a share of the sum in the "
            "best order; rows with equal scores share the mean discount of their places; the mean "
            "over the queries"
        ),
        equation=(
            r"\frac{1}{Q} \sum_q \frac{DCG_q}{\max DCG_q}, \quad DCG_q = \sum_{r = "
            r"1}^{\mathrm{at}} \frac{g_{(r)}}{\log_2 (r + 1)}"
        ),
        differs={
            "scikit-learn": (
                "ndcg_score takes the same number of rows for every query, and counts a query "
                "without a relevant row as 0; here such queries are skipped"
            ),
        },
    ),
    title="Normalized discounted cumulative gain",
    references=(cite("jarvelin2002"),),
    examples=(
        Example(
            (None, ONE_QUERY, None),
            {"value": (3 + 2 / 2) / (3 + 2 / math.log2(3))},
            "by hand: places 1 and 3 of relevance 3 and 2",
        ),
    ),
)
def ndcg(
    truth: ArrayLike | None,
    output: Sequence[ArrayLike],
    positive: None,
    *,
    at: Annotated[int | None, Bounds(least=1)] = None,
    gain: Literal["linear", "exponential"] = "linear",
) -> NDArray[np.float64]:
    """The relevance at the top of each ranking, discounted by place, as a share of the best order.

    Returns one value for each query (n,). Raises `ValueError` for `at` below 1.
    """

    def value(relevance: NDArray[np.float64], score: NDArray[np.float64]) -> float:
        gains = _exponential(relevance) if gain == "exponential" else relevance
        discount = 1 / np.log2(np.arange(len(gains)) + 2)
        if at is not None:
            discount[at:] = 0
        best = float((np.sort(gains)[::-1] * discount).sum())
        order = np.argsort(-score, kind="stable")
        run = np.unique(-score[order], return_inverse=True)[1].reshape(-1)
        shared = np.bincount(run, discount) / np.bincount(run)
        return float((gains[order] * shared[run]).sum()) / best

    return _by_query(output, value)


@METRICS.register(
    _declaration(
        "mean_average_precision",
        of_examples="average precisions",
        abbreviation="MAP",
        when="a row is relevant or not, and all relevant rows should come early",
        when_not=(
            "rows have several degrees of relevance: ndcg; only the first relevant row is read: "
            "mean_reciprocal_rank; rows belong to no query: average_precision"
        ),
        formula=(
            "the mean, over the relevant rows of a query, of the share of relevant rows among all "
            "that have at least its score; rows with a relevance above 0 are relevant; the mean "
            "over the queries"
        ),
        equation=r"\frac{1}{Q} \sum_q \frac{1}{n_q} \sum_{i \in q: g_i > 0} P_q(s_i)",
    ),
    title="Mean average precision",
    references=(cite("manning2008"),),
    examples=(
        Example(
            (None, TWO_QUERIES, None),
            {"value": ((1 + 2 / 3) / 2 + 1 / 2) / 2},
            "by hand: relevant rows at places 1 and 3, and at place 2",
        ),
    ),
)
def mean_average_precision(
    truth: ArrayLike | None, output: Sequence[ArrayLike], positive: None
) -> NDArray[np.float64]:
    """The average precision of each query: the mean precision at its relevant rows.

    Returns one value for each query (n,).
    """

    def value(relevance: NDArray[np.float64], score: NDArray[np.float64]) -> float:
        run = np.unique(-score, return_inverse=True)[1].reshape(-1)
        relevant = np.bincount(run, relevance > 0)
        reached = np.cumsum(relevant) / np.cumsum(np.bincount(run))
        return float((relevant * reached).sum() / relevant.sum())

    return _by_query(output, value)


@METRICS.register(
    _declaration(
        "mean_reciprocal_rank(at=10)",
        of_examples="reciprocal ranks",
        abbreviation="MRR",
        when="one relevant row is enough, as for the answer to a question",
        when_not="further relevant rows count: mean_average_precision or ndcg",
        formula=(
            "1 divided by the place of the first relevant row, 0 where it comes after the first "
            "`at`; among rows with equal scores, the mean over their orders; the mean over the "
            "queries"
        ),
        equation=(
            r"\frac{1}{Q} \sum_q \frac{1}{r_q}, \quad r_q = \min_{i \in q: g_i > 0} "
            r"\mathrm{place}(i)"
        ),
    ),
    title="Mean reciprocal rank",
    references=(cite("voorhees1999"),),
    examples=(
        Example(
            (None, TWO_QUERIES, None),
            {"value": (1 + 1 / 2) / 2},
            "by hand: the first relevant rows are at places 1 and 2",
        ),
    ),
)
def mean_reciprocal_rank(
    truth: ArrayLike | None,
    output: Sequence[ArrayLike],
    positive: None,
    *,
    at: Annotated[int | None, Bounds(least=1)] = None,
) -> NDArray[np.float64]:
    """The reciprocal of the place of the first relevant row of each query.

    Returns one value for each query (n,). Raises `ValueError` for `at` below 1.
    """

    def value(relevance: NDArray[np.float64], score: NDArray[np.float64]) -> float:
        first = score[relevance > 0].max()
        before = int((score > first).sum())
        tied = score == first
        rows, relevant = int(tied.sum()), int((relevance[tied] > 0).sum())
        found, chance = 0.0, 1.0  # that no relevant row has come yet
        for place in range(rows - relevant + 1):
            here = chance * relevant / (rows - place)
            if at is None or before + place < at:
                found += here / (before + place + 1)
            chance -= here
        return found

    return _by_query(output, value)


def _exponential(relevance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 2^relevance - 1, as a share of the largest power where that would overflow."""
    top = float(relevance.max())
    if top < LARGEST_POWER:
        return np.asarray(np.exp2(relevance) - 1)
    return np.asarray(np.exp2(relevance - top) - np.exp2(-top))


def _by_query(
    output: Sequence[ArrayLike],
    value: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
) -> NDArray[np.float64]:
    """Compute the value of each query; NaN without a relevant row or with a missing number."""
    found = np.full(len(output), np.nan)
    for place, one in enumerate(output):
        rows = np.asarray(one, dtype=np.float64)
        if not np.isnan(rows).any() and (rows[:, 0] > 0).any():
            found[place] = value(rows[:, 0], rows[:, 1])
    return found


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
            'predictions trial "Lung cancer trial (synthetic)" from "data/survival.csv"\n'
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
