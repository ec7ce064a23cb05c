"""Against chance: the score of a model and its scores where the target is shuffled."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.registry import Bounds
from evallang.results.shown import Count, Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration

LEVELS = (0.05, 0.5, 0.95)
"""The quantiles of the scores on shuffled targets."""


class Shuffled(Struct, frozen=True):
    """The score of one model on the target as it is, and on shuffled ones.

    Attributes
    ----------
    observed : the estimate of the protocol on the target as it is
    scores : the same for each shuffled target (rounds,), NaN where it is undefined or a fit failed
    ways : in how many ways the target can be shuffled, infinite where they are too many to count
    within : the columns within whose levels it was shuffled
    groups : how many groups were shuffled whole; None where single examples were
    others : `observed` and `scores` of the other models that the line is about, on the same
        shuffled targets
    """

    metric: str
    better: Literal["higher", "lower", "nearest"]
    n: int
    observed: float
    scores: NDArray[np.float64]
    ways: float
    within: tuple[str, ...]
    groups: int | None
    others: tuple[tuple[float, NDArray[np.float64]], ...] = ()


class ChanceQuantile(Struct, frozen=True):
    """A quantile of the scores on shuffled targets."""

    level: float
    value: float


class AgainstChance(Struct, frozen=True):
    """The score on the target as it is, and what shuffled targets gave.

    `as_good` counts the rounds whose score is at least as good as `value`, and `p` is
    (1 + as_good) / (1 + rounds), with its Monte Carlo error `mc_se`. `difference` is the value
    less the mean over the shuffled targets. A round without a score counts as one as good, and
    `failed` counts them. `ways` is the number of different shuffles, None where they are too many
    to matter; `groups` how many groups are shuffled whole. Of several `models` that are tested on
    the same shuffled targets, `p_adjusted` is the share of targets, the one as it is included, on
    which any of them has as small a p; None for one model.
    """

    unit: str
    about: str
    n: int
    metric: str
    better: str
    value: float
    mean: Number
    sd: Number
    difference: Number
    quantiles: tuple[ChanceQuantile, ...]
    p: float
    mc_se: float
    rounds: int
    as_good: int
    failed: int
    ways: Count
    groups: Count
    within: tuple[str, ...]
    notes: tuple[str, ...]
    p_adjusted: Number = None
    models: int = 1


ABOUT = (
    "whether the algorithm, trained and tested by this protocol, learns anything from the features "
    "about the target; they show neither how much, nor whether it is better than another"
)


@ANALYSES.register(
    AnalysisDeclaration(
        by_metric=True,
        directed=True,
        fits="shuffled",
        section="against_chance",
        shown=AgainstChance,
        when=(
            "a score is low, the sample small or the features many, and the question is whether "
            "the model learns anything at all"
        ),
        when_not=(
            "models are compared, or the score is clearly above that of a baseline: compare "
            "against it"
        ),
        formula=(
            "the target is shuffled among the rows (within the strata of `stratify by` other than "
            "the target; between whole groups where rows have groups), split again, and the model "
            "is fitted and measured under the protocol as before, with its search. p is the share "
            "of targets whose score is at least as good as the score observed, where the observed "
            "target counts as one of them: (1 + as good) / (1 + rounds). A group whose rows have "
            "one target exchanges it with any other; groups with several targets exchange them "
            "with groups of as many rows. Several models of a line are tested on the same shuffled "
            "targets, and the adjusted p is the share of targets on which any model has as small a "
            "p (single-step minP)"
        ),
        differs={
            "scikit-learn": (
                "`permutation_test_score` shuffles within the groups that it is given, and "
                "averages the scores of folds; here whole groups exchange their targets, since "
                "rows of a group are alike, and the score is the estimate of the protocol"
            ),
        },
        example="target_permutation(rounds=99)",
    ),
    title="Shuffled target",
    references=(
        cite("ojala2010"),
        cite("phipson2010"),
        cite("westfall1993", "p_adjusted"),
    ),
)
def target_permutation(
    shuffled: Shuffled, *, rounds: Annotated[int, Bounds(least=2)] = 200
) -> AgainstChance:
    """Whether a model scores better than it does where the target is shuffled.

    The plan fits the models on as many shuffled targets as there are `rounds`. Raises `ValueError`
    where no shuffled target gave a score.
    """
    sign = -1.0 if shuffled.better == "lower" else 1.0
    known = shuffled.scores[~np.isnan(shuffled.scores)]
    if not len(known):
        raise ValueError(f"none of {rounds} shuffled targets gave a score")
    gains = np.array([_rounded(sign * score) for score in known])
    failed = len(shuffled.scores) - len(known)
    as_good = int((gains >= _rounded(sign * shuffled.observed)).sum()) + failed
    done = len(shuffled.scores)
    p = (1 + as_good) / (1 + done)
    mean = float(known.mean())
    return AgainstChance(
        unit="examples" if shuffled.groups is None else "groups",
        about=ABOUT,
        n=shuffled.n,
        metric=shuffled.metric,
        better=shuffled.better,
        value=shuffled.observed,
        mean=mean,
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        difference=shuffled.observed - mean,
        quantiles=tuple(
            ChanceQuantile(level, float(value))
            for level, value in zip(LEVELS, np.quantile(known, LEVELS), strict=True)
        ),
        p=p,
        mc_se=math.sqrt(p * (1 - p) / (1 + done)),
        rounds=done,
        as_good=as_good,
        failed=failed,
        ways=int(shuffled.ways) if math.isfinite(shuffled.ways) else None,
        groups=shuffled.groups,
        within=shuffled.within,
        notes=_notes(shuffled, failed),
        p_adjusted=_adjusted(shuffled, sign) if shuffled.others else None,
        models=1 + len(shuffled.others),
    )


def _adjusted(shuffled: Shuffled, sign: float) -> float:
    """Return the single-step minP adjusted p of the first of several models.

    Westfall & Young 1993: the share of all targets, the one as it is included, on which the
    smallest p of the models is at most that of this model on the target as it is.
    """
    models = ((shuffled.observed, shuffled.scores), *shuffled.others)
    each = np.array([_p_of_targets(observed, scores, sign) for observed, scores in models])
    return float((each.min(axis=0) <= each[0, 0]).mean())


def _p_of_targets(observed: float, scores: NDArray[np.float64], sign: float) -> NDArray[np.float64]:
    """Return the p that each target has among all of them, the one as it is first."""
    gains = [_rounded(sign * score) for score in (observed, *scores.tolist())]
    ordered = np.where(np.isnan(gains), np.inf, gains)  # without a score: as good as any
    as_good = len(ordered) - np.searchsorted(np.sort(ordered), ordered, side="left")
    return np.asarray(as_good / len(ordered))


def _rounded(value: float) -> float:
    """Round to 12 significant digits, so that equal decimals tie."""
    return float(f"{value:.12g}")


def _notes(shuffled: Shuffled, failed: int) -> tuple[str, ...]:
    made = []
    if shuffled.ways < len(shuffled.scores):
        made.append(
            f"the target can be shuffled in {int(shuffled.ways)} ways only, so p is hardly ever "
            f"below {1 / shuffled.ways:.2g}"
        )
    if failed:
        verb = "round without a score counts" if failed == 1 else "rounds without a score count"
        made.append(f"{failed} {verb} as being as good")
    return tuple(made)
