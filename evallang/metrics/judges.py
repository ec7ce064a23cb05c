"""Metrics of ratings of the same examples: how far judges agree, and what a judge's errors hide."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import (
    METRICS,
    MetricDeclaration,
    Moments,
    Outcome,
    Statistic,
    value_under,
)
from evallang.registry import Example

OF_JUDGES = (
    'predictions panel "Panel" from "data/ratings.csv"\n'
    "  id answer\n"
    "  judges gpt as gpt_rating, claude as claude_rating, human as human_rating\n"
    "\n"
    "measure {}\n"
)

# Twelve units, of which the last has one rating, by four observers
KRIPPENDORFF = (
    (1, 1, None, 1),
    (2, 2, 3, 2),
    (3, 3, 3, 3),
    (3, 3, 3, 3),
    (2, 2, 2, 2),
    (1, 2, 3, 4),
    (4, 4, 4, 4),
    (1, 1, 2, 1),
    (2, 2, 2, 2),
    (None, 5, 5, 5),
    (None, None, 1, 1),
    (None, None, 3, None),
)


def _counts(ratings: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct ratings (c,), ascending, and how often each example has each (n, c)."""
    values = np.unique(ratings[~np.isnan(ratings)])
    return values, (ratings[:, :, None] == values).sum(axis=1).astype(np.float64)


def _complete(outcome: Outcome) -> str | None:
    """State how many examples lack a rating, which Fleiss' kappa skips."""
    lacking = int(np.isnan(outcome.output).any(axis=1).sum())
    return (
        f"{lacking:,} of {outcome.n:,} examples lack a rating and are skipped" if lacking else None
    )


def _pairable(outcome: Outcome) -> str | None:
    """State how many examples have a single rating or none, which show no agreement."""
    alone = int(((~np.isnan(outcome.output)).sum(axis=1) < 2).sum())
    skipped = f"{alone:,} of {outcome.n:,} examples have fewer than two ratings and are skipped"
    return skipped if alone else None


def _alpha(outcome: Outcome, options: Mapping[str, Any]) -> Statistic:
    """Prepare Krippendorff's alpha under weights of the examples.

    With the squared distance of ranks or of numbers, the disagreement within an example of m
    ratings is 2 (m sum x^2 - (sum x)^2) / (m - 1), and the expected one the same of all ratings.
    """
    level = options.get("level", "nominal")
    values, counts = _counts(np.asarray(outcome.output, dtype=np.float64))
    m = counts.sum(axis=1)
    kept = m > 1
    counts, m = counts[kept], m[kept]

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        drawn = weights[:, kept].astype(np.float64)
        margins = drawn @ counts
        n = margins.sum(axis=1)
        if level == "nominal":
            within = np.broadcast_to((m**2 - (counts**2).sum(axis=1)) / (m - 1), drawn.shape)
            expected = n**2 - (margins**2).sum(axis=1)
        else:
            ranks = np.cumsum(margins, axis=1) - margins / 2
            at = np.broadcast_to(values, margins.shape) if level == "interval" else ranks
            at = at - at.mean(axis=1, keepdims=True)
            squares, sums = at**2 @ counts.T, at @ counts.T
            within = 2 * (m * squares - sums**2) / (m - 1)
            expected = 2 * (n * (margins * at**2).sum(axis=1) - (margins * at).sum(axis=1) ** 2)
        found = np.full(len(drawn), np.nan)
        observed = (drawn * within).sum(axis=1) * (n - 1)
        np.divide(observed, expected, out=found, where=expected > 0)
        return np.asarray(1 - found)

    return statistic


@METRICS.register(
    MetricDeclaration(
        "ratings",
        "higher",
        None,
        1,
        default=True,
        under_weights=_alpha,
        remark=_pairable,
        needs_numbers=lambda options: options.get("level", "nominal") != "nominal",
        title_with_options="Krippendorff's alpha ({level})",
        when=(
            "two or more judges rate the same examples and some ratings are missing; `ordinal` "
            "where ratings are ranks, such as 1 to 5, `interval` where their differences count"
        ),
        when_not=(
            "a judge is compared with a truth: recall, specificity and cohen_kappa with `truth`"
        ),
        formula=(
            "1 less the ratio of the observed to the expected disagreement, from all pairs of "
            "ratings of the same example and from all pairs of ratings; an example with m ratings "
            "is weighted by 1/(m - 1) for each pair, and one with a single rating is skipped; the "
            "disagreement of a pair is 1 (nominal), the squared number of ratings between them "
            "(ordinal), or their squared difference (interval)"
        ),
        equation=(
            r"1 - \frac{D_o}{D_e}, \quad D_o = \frac{1}{n} \sum_u \frac{1}{m_u - 1} \sum_{i \ne "
            r"j} \delta^2(x_{ui}, x_{uj}), \quad D_e = \frac{1}{n (n - 1)} \sum_{c, k} n_c n_k "
            r"\delta^2(c, k)"
        ),
        example=OF_JUDGES.format("krippendorff_alpha(level=ordinal)"),
    ),
    title="Krippendorff's alpha",
    references=(cite("hayes2007"),),
    examples=tuple(
        Example(
            (None, KRIPPENDORFF, None),
            {"value": value},
            "krippendorff 0.9.0, docstring of alpha, to three digits",
            tolerance=5e-4,
            options={"level": level},
        )
        for level, value in (("nominal", 0.743), ("ordinal", 0.815))
    ),
)
def krippendorff_alpha(
    truth: None,
    output: ArrayLike,
    positive: None,
    weights: ArrayLike | None = None,
    *,
    level: Literal["nominal", "ordinal", "interval"] = "nominal",
) -> float:
    """Agreement of judges beyond that of chance, whatever ratings are missing.

    1 less observed over expected disagreement. `output` (n, J) are ratings, NaN where one is
    missing. Undefined (NaN) where all ratings of examples with two or more are the same.
    """
    ratings = np.asarray(output, dtype=np.float64)
    return value_under(_alpha, np.zeros(len(ratings)), ratings, None, weights, level=level)


def _fleiss(outcome: Outcome, options: Mapping[str, Any]) -> Statistic:
    """Prepare Fleiss' kappa under weights of the examples, over complete ones."""
    ratings = np.asarray(outcome.output, dtype=np.float64)
    kept = ~np.isnan(ratings).any(axis=1)
    counts, m = _counts(ratings)[1][kept], ratings.shape[1]
    pairs = (counts * (counts - 1)).sum(axis=1) / (m * (m - 1))

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        drawn = weights[:, kept].astype(np.float64)
        n, found = drawn.sum(axis=1), np.full(len(drawn), np.nan)
        by_chance = ((drawn @ counts) ** 2).sum(axis=1) / m**2
        np.divide(n * (drawn @ pairs) - by_chance, n**2 - by_chance, out=found,
                  where=n**2 > by_chance)  # fmt: skip
        return found

    return statistic


@METRICS.register(
    MetricDeclaration(
        "ratings",
        "higher",
        None,
        1,
        under_weights=_fleiss,
        remark=_complete,
        when="the same number of judges rate every example into unordered classes",
        when_not=(
            "ratings are missing, because only complete examples count, or are ordered: "
            "krippendorff_alpha; two judges: cohen_kappa"
        ),
        formula=(
            "the mean share of agreeing pairs of judges per example, less the share expected by "
            "chance, divided by 1 less that expected share; by chance, the ratings of a pair are "
            "drawn independently from those of all judges and examples"
        ),
        equation=(
            r"\frac{\bar{P} - \bar{P}_e}{1 - \bar{P}_e}, \quad \bar{P} = \frac{1}{N} \sum_i \sum_c "
            r"\frac{n_{ic} (n_{ic} - 1)}{m (m - 1)}, \quad \bar{P}_e = \sum_c \left(\frac{1}{N m} "
            r"\sum_i n_{ic}\right)^2"
        ),
        example=OF_JUDGES.format("fleiss_kappa"),
    ),
    title="Fleiss' kappa",
    references=(cite("fleiss1971"),),
    examples=(
        Example(
            (None, ((1,) * 7 + (2,), (1,) * 3 + (2,) * 5), None),
            {"value": 0.161905},
            "statsmodels 0.15, test_inter_rater.py: an online calculator",
            tolerance=6e-6,
        ),
    ),
)
def fleiss_kappa(
    truth: None,
    output: ArrayLike,
    positive: None,
    weights: ArrayLike | None = None,
) -> float:
    """Agreement of several judges beyond that of chance, as a share of the largest possible.

    `output` (n, J) are ratings, NaN where one is missing: such examples are skipped. Undefined
    (NaN) where all ratings are the same.
    """
    ratings = np.asarray(output, dtype=np.float64)
    return value_under(_fleiss, np.zeros(len(ratings)), ratings, None, weights)


def _sums(outcome: Outcome) -> Moments:
    """Write the corrected rate as a function of sums over the examples."""
    truth, said = np.asarray(outcome.truth), np.asarray(outcome.output) == outcome.positive
    there, absent = truth == outcome.positive, (truth >= 0) & (truth != outcome.positive)
    columns = np.array([np.ones(len(said)), said, there, there & said, absent, absent & ~said],
                       dtype=np.float64)  # fmt: skip
    return Moments(columns, _rate)


def _rate(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return corrected rates (B,), from 0 to 1, of the sums of six columns (6, B)."""
    n, said, there, hits, absent, rejected = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity, specificity = hits / there, rejected / absent
        skill = sensitivity + specificity - 1
        found = np.where(skill > 0, (said / n + specificity - 1) / skill, np.nan)
    return np.clip(found, 0, 1)


def _as_judged(outcome: Outcome) -> str | None:
    """State the rate that the judge gives, and its errors against the labels of humans."""
    n, said, there, hits, absent, rejected = (int(s) for s in _sums(outcome).columns.sum(axis=1))
    if not (there and absent):
        return "the labels by humans are of one class, so that the judge's errors are unknown"
    text = (
        f"the judge calls {said:,} of {n:,} positive; its sensitivity is {hits:,} of {there:,} and "
        f"its specificity {rejected:,} of {absent:,}"
    )
    skill = hits / there + rejected / absent - 1
    return text if skill > 0 else f"{text}, no better than chance, so that no rate follows"


@METRICS.register(
    MetricDeclaration(
        "verdicts",
        "neither",
        0,
        1,
        unit="percent",
        binary_only=True,
        of_positive=True,
        of_examples="verdicts",
        form="scores",
        caution=(
            "the interval includes the uncertainty of sensitivity and specificity, which are "
            "taken to be the same in examples with and without a label by humans"
        ),
        moments=_sums,
        remark=_as_judged,
        when=(
            "a judge labels all examples and humans label some: the share that humans would call "
            "positive; the labelled examples may have another share of positives than the others, "
            "but the judge must err on both alike"
        ),
        when_not=(
            "the judge is to be assessed: recall, specificity and cohen_kappa; humans labelled "
            "every example: the share of their labels itself"
        ),
        formula=(
            "the share that the judge calls positive, plus its specificity less 1, divided by its "
            "sensitivity plus specificity less 1, and cut at 0 and 1; sensitivity and specificity "
            "are those in the examples with a label by humans"
        ),
        equation=(
            r"\frac{\hat{p} + \mathrm{Sp} - 1}{\mathrm{Se} + \mathrm{Sp} - 1}, \quad \hat{p} = "
            r"\frac{1}{n} \sum_i [\hat{y}_i = 1]"
        ),
        example=(
            'predictions answers "Answers" from "data/ratings.csv"\n'
            "  id answer\n"
            "  judges gpt, claude truth human\n"
            "  positive acceptable\n"
            "\n"
            "measure corrected_rate, recall, specificity\n"
        ),
    ),
    title="Corrected rate",
    references=(cite("rogan1978"), cite("lang2014")),
    examples=(
        Example(
            ((1, 1, 1, 1, 0, 0, 0, 0, 0, -1), (1, 1, 1, 0, 1, 0, 0, 0, 0, 1), 1),
            {"value": (0.5 + 0.8 - 1) / (0.75 + 0.8 - 1)},
            "by hand: 5 of 10 called positive, sensitivity 3/4, specificity 4/5",
        ),
    ),
)
def corrected_rate(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
) -> float:
    """The share of positives that humans would find, from a judge whose errors are estimated.

    `truth` (n,) is -1 where humans gave no label, `output` (n,) what the judge says. Undefined
    (NaN) where a class has no label, or sensitivity and specificity do not add up to more than 1.
    """
    columns = _sums(Outcome(np.asarray(truth), np.asarray(output), 2, positive)).columns
    given = np.ones(columns.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    return float(_rate((columns @ given)[:, None])[0])
