"""A question about the power of a test, its answer, and how a test declares that it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from evallang.results.provenance import AssumptionWords

DISCORDANT = {"discordant": AssumptionWords("{} discordant", "discordant", percent=True)}
SD = {"sd": AssumptionWords("sd {}", "sd")}
DISTRIBUTION = {"distribution": AssumptionWords("{} differences")}
GROUPS = {
    "icc": AssumptionWords("intra-class correlation {}", "icc"),
    "group_size": AssumptionWords("groups of {}", "group size"),
}
"""The words of assumptions that several tests share."""

Sizes = tuple[tuple[int, int], ...]
"""The sizes of groups, ascending, each with the number of groups of that size."""


class Question(Struct, frozen=True):
    """One test of a study as a power analysis sees it.

    Attributes
    ----------
    test : its name
    alpha : level of one comparison, after the correction
    n : examples, folds or data sets; None where only the data tell
    options : the options of the test, with its defaults
    test_train_ratio : test rows over training rows of the splits; None where unknown
    models : how many one test compares
    seed : of a simulation
    positives : the share of positives among the examples; None where unknown, or without a
        positive class
    folds : of the examples; 1 where they are one test set or nothing is known of folds
    form : what the interval of the difference is made from, where a test answers by that
    measure : from counts (..., 2, 2), true by predicted class with the positive one last, to
        values of the metric (...), NaN where undefined; None where it is not one of counts of
        two classes
    group_sizes : those of the groups of the examples; empty where there are none, or unknown
    read : True where examples were read, so that no `group_sizes` means no groups
    """

    test: str
    alpha: float
    n: int | None
    options: Mapping[str, Any] = field(default_factory=dict)
    test_train_ratio: float | None = None
    models: int = 2
    seed: int = 0
    positives: float | None = None
    folds: int = 1
    form: str | None = None
    measure: Callable[[Any], Any] | None = None
    group_sizes: Sizes = ()
    read: bool = False

    @property
    def one_sided(self) -> bool:
        """Whether the test asks for a difference in one direction."""
        return str(self.options.get("alternative", "two_sided")) != "two_sided"


class Stated(Struct, frozen=True):
    """What an author states before the data are seen; None is not stated.

    Attributes
    ----------
    target : the power aimed at
    difference : the smallest difference that would matter, in the unit of the metric
    discordant : the share of examples on which exactly one of two models is right
    sd : standard deviation of the differences over examples, folds or data sets
    width : the width wanted of the interval of the difference
    area : the area under the ROC curve of the weaker of two models
    positives : the share of positive examples
    correlation : that of the scores of two models within a class
    weaker : the metric of the weaker of two models
    icc : the intra-class correlation, of what two examples of a group add to the difference
    group_size : examples of a group
    """

    target: float
    difference: float | None = None
    discordant: float | None = None
    sd: float | None = None
    width: float | None = None
    area: float | None = None
    positives: float | None = None
    correlation: float | None = None
    weaker: float | None = None
    icc: float | None = None
    group_size: int | None = None


class Answer(Struct, frozen=True):
    """What a test can show under one set of assumptions; None is out of reach or not asked.

    Attributes
    ----------
    method : how power was computed
    assumptions : what is assumed besides the difference
    detectable : smallest difference that is found with the power aimed at
    in_sd : True where differences are in standard deviations, because none is stated
    power : that at the stated difference, with its Monte Carlo error where it is simulated
    required_n : examples, folds or data sets for the power aimed at, at the stated difference
    n_for_width : the same for an interval of the wanted width
    """

    method: str
    assumptions: Mapping[str, float | int | str]
    detectable: float | None = None
    in_sd: bool = False
    power: float | None = None
    mc_se: float | None = None
    required_n: int | None = None
    notes: tuple[str, ...] = ()
    n_for_width: int | None = None


class PowerDeclaration(Struct, frozen=True):
    """How the power of a test is computed.

    Attributes
    ----------
    answers : a function of the question and of what the author states
    assumptions : the words of the assumptions in its answers, by name; others are printed by
        their names
    form : the option of the test that names the form whose power is computed, or empty
    of_width : True where it answers for a wanted width of the interval
    by_form : where the test computes any metric, the declaration for each form of the difference
    """

    answers: Callable[[Question, Stated], tuple[Answer, ...]]
    assumptions: Mapping[str, AssumptionWords] = field(default_factory=dict)
    form: str = ""
    of_width: bool = False
    by_form: Mapping[str, PowerDeclaration] = field(default_factory=dict)

    def options(self, form: str | None) -> frozenset[str]:
        """Return the options of `analyze power` that not every test has, and this one has.

        `form` is that of the difference, where the test computes any metric.
        """
        declared = self if form is None else self.by_form.get(form, self)
        return frozenset(declared.assumptions) | ({"width"} if declared.of_width else frozenset())


def power_by_form(declared: Mapping[str, PowerDeclaration]) -> PowerDeclaration:
    """Return the power of a test of any metric, from that of each form of the difference."""

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        if question.form is None or question.form not in declared:
            raise ValueError(
                f"the power of `{question.test}` is not computed for this metric under this "
                "protocol"
            )
        return declared[question.form].answers(question, stated)

    words = {name: words for one in declared.values() for name, words in one.assumptions.items()}
    wide = any(one.of_width for one in declared.values())
    return PowerDeclaration(answers, words, of_width=wide, by_form=declared)
