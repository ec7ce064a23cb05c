"""What statistics rest on: kinds of evidence, each a record of what one value of it is.

A protocol or a source gives some kinds, a test or an interval needs some. What goes with what, and
what groups, weights and seeds do, is asked of the records and never of their names, so that a new
kind is one more record, next to the member that needs it.
"""

from typing import Literal

from msgspec import Struct

Unit = Literal["row", "group", "query", "fold", "seed", "reader", "network", "data set", "game"]
"""What one value is of."""


class Evidence(Struct, frozen=True):
    """A kind of input that protocols and sources give, and tests, intervals and analyses need.

    Attributes
    ----------
    name : its name in errors
    unit : what one value is of; `units` is its plural for readers
    noun : what is known ("one loss for each example")
    value : what a value is: the `label` that was predicted, right or wrong; a `loss`; a `score` to
        rank by; or the `metric` over the examples of its unit
    overlap : what values have in common although their units differ ("their training rows"), so
        that only a test for their design is sound; empty where units are independent
    groups : what groups of rows do: values of one group are alike (`tied`), or each value has
        whole groups (`within`)
    weights : what weights of rows do: `each` value has one, or they are inside the values
        (`within`)
    scope : what conclusions are about, where no protocol decides it
    write : what an author writes to get it
    axis : the symbol of the axis of an array with one value of a model for each unit; empty without
        such an array
    totals : whether only totals over the examples are known, not which example has what
    paired : whether the values of two models are known to be of the same units
    crossed : whether units are sampled like examples, and each has a value of every example
    """

    name: str
    unit: Unit
    units: str
    noun: str
    value: Literal["label", "loss", "score", "metric"]
    overlap: str
    groups: Literal["tied", "within"]
    weights: Literal["each", "within"]
    scope: str
    write: str
    axis: str = ""
    totals: bool = False
    paired: bool = True
    crossed: bool = False

    @property
    def over_seeds(self) -> bool:
        """Whether the mean over the seeds of a fit is of this kind too, as no label is."""
        return self.value in ("loss", "metric")


def of_rows(
    name: str,
    noun: str,
    value: Literal["label", "loss", "score"],
    write: str,
    *,
    axis: str = "",
    totals: bool = False,
    paired: bool = True,
) -> Evidence:
    """Return a kind that has something of each example, or totals of it."""
    return Evidence(
        name=name,
        unit="row",
        units="examples",
        noun=noun,
        value=value,
        overlap="",
        groups="tied",
        weights="each",
        scope="",
        write=write,
        axis=axis,
        totals=totals,
        paired=paired,
    )


ONE_PREDICTION_PER_ROW = of_rows(
    "one_prediction_per_row",
    "one prediction for each example",
    "label",
    "write `protocol cv folds=10`",
)
LOSSES_PER_ROW = of_rows(
    "losses_per_row",
    "one loss for each example",
    "loss",
    "write `protocol cv folds=10`",
    axis="n",
)
SCORES_PER_ROW = of_rows(
    "scores_per_row", "one score for each example", "score", "write `protocol cv folds=10`"
)
COUNTS = of_rows(
    "counts",
    "counts of right and wrong",
    "label",
    "write `counts` with the number of examples that each model has right",
    totals=True,
)
SHARES = of_rows(
    "shares",
    "how many examples each model has right, and of how many",
    "label",
    "write `counts` with `right MODEL = RIGHT of TOTAL` for each model",
    totals=True,
    paired=False,
)
FOLD_SCORES = Evidence(
    name="fold_scores",
    unit="fold",
    units="splits",
    noun="scores of folds",
    value="metric",
    overlap="their training rows",
    groups="within",
    weights="within",
    scope="",
    write="write `protocol repeated cv folds=10 times=10`",
    axis="j",
)
READER_SCORES = Evidence(
    name="reader_scores",
    unit="reader",
    units="readers",
    noun="a sample of readers of the same examples (`reader COLUMN random`)",
    value="metric",
    overlap="",
    groups="within",
    weights="within",
    scope="readers and examples like these",
    write="write `reader COLUMN random`",
    crossed=True,
)
NETWORK_SCORES = Evidence(
    name="network_scores",
    unit="network",
    units="trained networks",
    noun="several trained networks of each model on the same examples (`seed COLUMN`)",
    value="metric",
    overlap="",
    groups="within",
    weights="within",
    scope="networks trained this way and examples like these",
    write="write `seed COLUMN`",
    crossed=True,
)
GAMES = Evidence(
    name="games",
    unit="game",
    units="games",
    noun="pairwise judgements (`battles`)",
    value="metric",
    overlap="",
    groups="within",
    weights="within",
    scope="judgements like these",
    write='write `battles NAME from "battles.jsonl"`',
)
DATASET_SCORES = Evidence(
    name="dataset_scores",
    unit="data set",
    units="data sets",
    noun="scores of several data sets",
    value="metric",
    overlap="",
    groups="within",
    weights="within",
    scope="data sets like these",
    write="add data sets, by `data` statements or `dataset COLUMN`",
    axis="s",
)

PER_ROW = frozenset({ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW, SCORES_PER_ROW})
"""What predictions are good for where no example is predicted more than once."""

SERIES = frozenset({ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW})
"""What they are good for where neighbours are alike."""


class RestsOnEvidence:
    """What has kinds of evidence, and is asked about them."""

    __slots__ = ()
    evidence: frozenset[Evidence]

    def rests_on(self, unit: Unit) -> bool:
        """Return whether one of its kinds has values of this unit."""
        return any(one.unit == unit for one in self.evidence)

    def rests_only_on(self, unit: Unit) -> bool:
        """Return whether all of its kinds, one or more, have values of this unit."""
        return bool(self.evidence) and all(one.unit == unit for one in self.evidence)

    @property
    def crossed(self) -> bool:
        """Whether readers or networks are a sample as well as the examples."""
        return any(one.crossed for one in self.evidence)

    @property
    def of_folds_alone(self) -> bool:
        """Whether nothing is known but scores of folds, or not even those."""
        return all(one.unit == "fold" for one in self.evidence)

    @property
    def reads_single_rows(self) -> bool:
        """Whether one of its kinds has something of each example, not totals alone."""
        return any(one.unit == "row" and not one.totals for one in self.evidence)
