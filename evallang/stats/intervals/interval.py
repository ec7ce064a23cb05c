"""What an interval is: a pure function of evidence and level, and what evidence it needs.

As with tests, **positional** parameters name the evidence out of `INPUTS`, keyword-only
parameters are the author's options.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

from evallang.frozen import frozen
from evallang.registry import Design, Evidence, Guidance, Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INPUTS: Mapping[str, str] = {
    "successes": "number of successes",
    "n": "number of trials",
    "level": "confidence level, in (0, 1)",
    "losses": "loss of each example (n,)",
    "folds": "fold of each example (n,) as int codes",
    "values": "value of each fold or round (J,)",
    "n_train": "training rows of each fold (J,)",
    "n_test": "test rows of each fold (J,)",
    "truth": "1 for the positive class, 0 for the negative (n,)",
    "scores": "score of each example (n,), higher for the positive class",
    "groups": "group of each example (n,) as int codes, or None",
    "sample": "a `Resampler`: the statistic over the test examples",
    "seed": "32-bit seed of resampling",
    "matrix": "counts (k, k), true by predicted class",
    "average": "how the metric is averaged over classes: binary, macro, micro or weighted",
    "positive": "index of the positive class, or None",
    "shares": "right answers and examples of two models, ((right, n), (right, n))",
    "table": "2 x 2 counts [[both right, only first right], [only second right, both wrong]]",
}
"""Every name that a positional parameter of an interval may have, with what it holds."""


class Resampler(Protocol):
    """A statistic that can be recomputed on resamples of its examples.

    `limits` are the smallest and largest value that the statistic can take, None where it has
    none; `unit` says what is drawn ("examples", "groups").
    """

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The range of the statistic."""

    @property
    def unit(self) -> str:
        """What is drawn with replacement, as a plural."""

    @property
    def n_groups(self) -> int | None:
        """How many groups are drawn, None where examples are."""

    def estimate(self) -> float:
        """Give the statistic on the sample as it is."""

    def replicates(self, rng: "np.random.Generator", rounds: int) -> "NDArray[np.float64]":
        """Give the statistic on `rounds` resamples with replacement; NaN where undefined."""

    def jackknife(self) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Give leave-one-out values of the distinct examples, and how often each occurs."""


@frozen
class IntervalDeclaration(Guidance):
    """What an interval needs.

    Attributes
    ----------
    evidence : it can be computed from any of these
    designs : for fold scores, the designs it is valid for (empty: any)
    form : `proportion` (successes of n), `losses`, `auc`, `fold_values`, `sample` (any
        metric over examples), `paired` (difference of two proportions on the same examples),
        `independent` (the same on examples of their own), `f1`
    clustered, weights : True where it has such a form
    advised_against : why not to use it, or empty
    """

    evidence: frozenset[Evidence]
    form: Literal[
        "proportion", "losses", "auc", "fold_values", "sample", "paired", "independent", "f1"
    ]
    designs: frozenset[Design] = frozenset()
    clustered: bool = False
    weights: bool = False
    advised_against: str = ""


INTERVALS: Registry[IntervalDeclaration] = Registry("interval", "evallang.stats.intervals")
"""All intervals, by canonical name."""

IntervalFunction = Callable[..., Any]
