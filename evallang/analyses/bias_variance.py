"""Bias and variance: what part of the error comes of the training sample."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.analysis import ANALYSES, AnalysisDeclaration, Fits, Subset, options_of
from evallang.bibliography import cite
from evallang.data import dataset
from evallang.engine.outcomes import Outcomes
from evallang.protocols.protocol import PROTOCOLS, Rows, Split
from evallang.registry import Bounds
from evallang.reporting.analyses import (
    Part,
    model_of,
    not_drawn,
    notes,
    shows,
    states,
    told,
)
from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.figure import UNBOUNDED
from evallang.reporting.figures.stacks import stacked_bars
from evallang.reporting.numbers import Scale, count, scale_of
from evallang.reporting.sentences import write
from evallang.reporting.tables import wide
from evallang.reporting.wide_tables import Quantities, Quantity, tables_of_quantities
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis
from evallang.study import AnalysisSpec, Protocol, Study


class Rounds(Struct, frozen=True):
    """The predictions of one model for the rows that each round did not draw.

    Attributes
    ----------
    truth : class code or number of each row of the data (n,)
    row, label : row and prediction of each out-of-bag prediction (p,)
    n_classes : None in a regression
    weights : weight of each row (n,), or None
    rounds, failed : the number of rounds, and of those whose fit failed
    """

    truth: NDArray[Any]
    row: NDArray[np.int64]
    label: NDArray[Any]
    n_classes: int | None
    weights: NDArray[np.float64] | None
    rounds: int
    failed: int


class ErrorPart(Struct, frozen=True):
    """One part of the expected loss, with its sign: the parts add up to the loss."""

    name: str
    value: float


class Decomposition(Struct, frozen=True):
    """The parts of the expected loss as one text defines them, and their sum."""

    name: str
    source: str
    parts: tuple[ErrorPart, ...]
    total: float


class BiasVariance(Struct, frozen=True):
    """The expected loss over training samples and its decompositions.

    `of_classes` states that the loss is a share of examples. `n` counts the rows with two
    out-of-bag predictions or more, `left_out` the others; `fewest` and `mean` are the numbers of
    predictions of a row.
    """

    unit: str
    about: str
    n: int
    left_out: int
    rounds: int
    failed: int
    fewest: int
    mean: float
    of_classes: bool
    loss: str
    value: float
    decompositions: tuple[Decomposition, ...]
    notes: tuple[str, ...]


ABOUT = (
    "the algorithm trained on bootstrap samples of these data, which have about 63% of the "
    "distinct rows: its bias is that of smaller training sets"
)
NOISE = "noise cannot be told from bias with one outcome of each row, and counts as bias"
ZERO_ONE, SQUARED = "zero-one loss", "squared loss"
BIAS, VARIANCE = "bias", "variance"


# --- the fits ------------------------------------------------------------------------------------

OUT_OF_BAG = "bootstrap"


def _protocol(study: Study, spec: AnalysisSpec) -> Protocol:
    """Return the design of the rounds: the author's own if it has as many, to share its fits."""
    rounds = options_of(spec)["rounds"]
    for own in study.protocols:
        alike = own.kind == OUT_OF_BAG and own.options.get("rounds") == rounds
        if alike and own.implied_by is None:
            return own
    options = {**PROTOCOLS[OUT_OF_BAG].defaults(), "rounds": rounds}
    return Protocol(OUT_OF_BAG, OUT_OF_BAG, options)


def _drawn(
    study: Study,
    table: dataset.Table,
    protocol: Protocol,
    rows: Rows,
    splits: Sequence[Split],
    spec: AnalysisSpec,
) -> list[Subset]:
    """Draw the rounds; the fit on all rows is not one of them."""
    made = PROTOCOLS[protocol.kind].function(rows, **protocol.options)
    return [Subset(0, 0, split) for split in made if split.fold >= 0]


# --- the numbers ---------------------------------------------------------------------------------


def _out_of_bag(outcomes: Outcomes) -> Rounds:
    """Join what the rounds predict for the rows that they did not draw."""
    places, table = outcomes.places_of(outcomes.models[0]), outcomes.table
    good = [place for place in places if outcomes.is_good(place)]
    empty = np.zeros(0, dtype=np.int64)
    return Rounds(
        truth=table.y,
        row=np.concatenate([empty, *(outcomes.tasks[place.key].test for place in good)]),
        label=np.concatenate([empty, *(outcomes.fits[place.key].labels for place in good)]),
        n_classes=len(table.classes) if table.task == "classification" else None,
        weights=table.weights,
        rounds=len(places),
        failed=len(places) - len(good),
    )


@ANALYSES.register(
    AnalysisDeclaration(
        fits=Fits(
            _drawn,
            "on rows drawn with replacement",
            part="a bootstrap sample of the rows",
            protocol=_protocol,
        ),
        shown=BiasVariance,
        when=(
            "the error is to be lowered: bias asks for a richer model, variance for more data, "
            "stronger regularisation or averaging"
        ),
        when_not=(
            "the error is to be estimated: measure; more data are to be bought: learning_curve"
        ),
        formula=(
            "every round trains on as many rows as there are, drawn with replacement, and predicts "
            "the rows that were not drawn; a row has the mean of its losses over these rounds. "
            "Squared loss: squared bias (outcome less mean prediction) and variance of the "
            "predictions, both unbiased for finitely many rounds, which add up to the loss. "
            "Zero-one loss after Domingos: the bias is 1 where the most frequent prediction is "
            "wrong; predictions that differ from it raise the loss where it is right (variance of "
            "unbiased rows) and lower it where they are the true class and it is wrong (variance "
            "of biased rows, with a minus sign). Zero-one loss after Kohavi and Wolpert: half the "
            "squared distance between the outcome and the shares of the predictions, and half of 1 "
            "less the sum of their squares, with the authors' correction for finitely many rounds"
        ),
        differs={
            "mlxtend": (
                "`bias_variance_decomp` keeps one test set, takes the share of predictions that "
                "differ from the most frequent one as the variance of 0-1 loss, which does not add "
                "up to the loss, and does not correct squared loss for the number of rounds"
            ),
        },
        example="bias_variance(rounds=30)",
    ),
    title="Bias and variance",
    references=(cite("zhou2021"), cite("domingos2000"), cite("kohavi1996")),
)
def bias_variance(
    outcomes: Outcomes, *, rounds: Annotated[int, Bounds(least=2)] = 200
) -> BiasVariance:
    """The parts of the expected loss that come of bias and of the training sample.

    The plan fits the models in as many `rounds`. Raises `ValueError` where no row has two
    out-of-bag predictions.
    """
    return decomposed(_out_of_bag(outcomes))


def decomposed(out_of_bag: Rounds) -> BiasVariance:
    """Split the expected loss into its parts."""
    times = np.bincount(out_of_bag.row, minlength=len(out_of_bag.truth))
    rows = np.flatnonzero(times >= 2)
    if not len(rows):
        raise ValueError(f"no row was held out in two of {out_of_bag.rounds} rounds")
    weights = np.ones(len(rows)) if out_of_bag.weights is None else out_of_bag.weights[rows]
    shares = weights / weights.sum()
    zero_one = out_of_bag.n_classes is not None
    found = (_zero_one if zero_one else _squared)(out_of_bag, rows, times[rows], shares)
    return BiasVariance(
        unit="examples",
        about=ABOUT,
        n=len(rows),
        left_out=len(times) - len(rows),
        rounds=out_of_bag.rounds,
        failed=out_of_bag.failed,
        fewest=int(times[rows].min()),
        mean=float(times[rows].mean()),
        of_classes=zero_one,
        loss=ZERO_ONE if zero_one else SQUARED,
        value=found[0].total,
        decompositions=found,
        notes=(NOISE,),
    )


def _squared(
    out_of_bag: Rounds,
    rows: NDArray[np.int64],
    times: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> tuple[Decomposition, ...]:
    """Split the squared loss of each row; both parts are unbiased, and add up."""
    truth = out_of_bag.truth[rows]
    n = len(out_of_bag.truth)
    sums = np.bincount(out_of_bag.row, weights=out_of_bag.label, minlength=n)[rows]
    means = sums / times
    mean_of = np.zeros(n)
    mean_of[rows] = means
    squares = (out_of_bag.label - mean_of[out_of_bag.row]) ** 2
    spread = np.bincount(out_of_bag.row, weights=squares, minlength=n)[rows]
    variance = spread / (times - 1)
    bias = (truth - means) ** 2 - variance / times
    parts = (ErrorPart("squared bias", float(shares @ bias)),
             ErrorPart(VARIANCE, float(shares @ variance)))  # fmt: skip
    losses = (truth - means) ** 2 + spread / times
    return (Decomposition("Squared loss", cite("zhou2021").key, parts, float(shares @ losses)),)


def _zero_one(
    out_of_bag: Rounds,
    rows: NDArray[np.int64],
    times: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> tuple[Decomposition, ...]:
    """Split the zero-one loss of each row, as two texts do; a label outside the classes is one."""
    assert out_of_bag.n_classes is not None, "classes are counted"
    n, k = len(out_of_bag.truth), out_of_bag.n_classes + 1
    label = np.where(out_of_bag.label < 0, k - 1, out_of_bag.label)
    counts = np.bincount(out_of_bag.row * k + label, minlength=n * k).reshape(n, k)[rows]
    p = counts / times[:, None]
    truth = out_of_bag.truth[rows]
    right = p[np.arange(len(rows)), truth]
    loss = float(shares @ (1 - right))
    main = p.argmax(axis=1)  # the first of several equally frequent
    biased = main != truth
    raised = np.where(biased, 0.0, 1 - p[np.arange(len(rows)), main])
    lowered = np.where(biased, -right, 0.0)
    domingos = (
        ErrorPart(BIAS, float(shares @ biased)),
        ErrorPart("variance of unbiased rows", float(shares @ raised)),
        ErrorPart("variance of biased rows", float(shares @ lowered)),
    )
    spread = 1 - (p**2).sum(axis=1)
    outcome = np.zeros_like(p)
    outcome[np.arange(len(rows)), truth] = 1.0
    corrected = spread / (times - 1) / 2  # the bias of both plug-in terms, with opposite signs
    distance = ((outcome - p) ** 2).sum(axis=1) / 2
    kohavi = (
        ErrorPart("squared bias", float(shares @ (distance - corrected))),
        ErrorPart(VARIANCE, float(shares @ (spread / 2 + corrected))),
    )
    return (
        Decomposition("Domingos", cite("domingos2000").key, domingos, loss),
        Decomposition("Kohavi and Wolpert", cite("kohavi1996").key, kohavi, loss),
    )


# --- the section ---------------------------------------------------------------------------------

MOST_ROWS = 12  # models that a figure draws; the table has all
LETTERS = ("", "b", "c", "d")  # of the tables after the first


def _methods(context: Context, found: Sequence[Analysis]) -> str:
    n = count(found[0].values["rounds"])
    return f"Bias and variance were estimated from out-of-bag predictions of {n} bootstrap samples"


def _by_data(item: Analysis) -> str | None:
    return item.data


@states("bias_variance", key=_by_data)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State the larger part of the loss, by the last decomposition: it has two parts."""
    splits = [item.values["decompositions"][-1]["parts"] for item in items]
    parts = [max(each, key=lambda part: part["value"]) for each in splits]
    return told(context, "bias_variance", items, parts=parts, scale=_scale(items))


def _scale(items: Sequence[Analysis]) -> Scale:
    every = [item.values["value"] for item in items]
    if items[0].values["of_classes"]:
        return Scale(2, 2)
    return scale_of([v / 10 for v in every], every, percent=False)


@shows(
    "bias_variance",
    order=50,
    title="Bias and variance",
    methods=_methods,
    key=_by_data,
)
def bias_and_variance(context: Context, part: Part) -> list[Table | Figure]:
    """Return a table for each decomposition, with a column for each of its parts, and a figure."""
    items, first = part.items, part.items[0].values
    shares, identifier = bool(first["of_classes"]), f"table-bias-{part.number}"
    scale = _scale(items)
    unit = " (%)" if shares else ""
    subject = f"{context.place(items[0].data, None)}parts of the expected {first['loss']}"
    tables: list[Table] = []
    panels = []
    decomposed = [one for item in items for one in item.values["decompositions"]]
    among = [[part["value"] for part in one["parts"]] for one in decomposed]
    for k, (letter, one) in enumerate(zip(LETTERS, first["decompositions"], strict=False)):
        found = []
        for item in items:
            own = item.values["decompositions"][k]
            values = [Quantity(part["name"], part["value"]) for part in own["parts"]]
            values.append(Quantity("sum: the expected loss", own["total"]))
            found.append(Quantities((model_of(context, item),), tuple(values)))
        whole = Table(f"{identifier}{letter}", (), (wide("Model"),), ())
        tables += tables_of_quantities(whole, f"{subject}{unit}, {one['name']}", found, scale, "")
        drawing = stacked_bars(
            [
                (
                    model_of(context, item),
                    [part["value"] for part in item.values["decompositions"][k]["parts"]],
                )
                for item in items[:MOST_ROWS]
            ],
            [part["name"] for part in one["parts"]],
            f"Expected loss{unit}, {one['name']}",
            scale,
            one["name"],
            possible=(None, 1.0) if shares else UNBOUNDED,
            among=among,
        )
        panels.append(Panel(*drawing, runs(one["name"])))
    said = (write(context, "analyses", "sizes_of_rounds", item=items[0]), *notes(context, items))
    tables[-1] = replace(tables[-1], notes=said)
    if any(value < 0 for values in among for value in values):
        subject += "; parts to the left of zero lower the loss"
    caption = runs(sentence(subject))
    caption += not_drawn(len(items), MOST_ROWS, identifier, which=part.which)
    return [*tables, Figure(f"figure-bias-{part.number}", caption, tuple(panels))]
