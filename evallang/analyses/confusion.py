"""Confusion matrices: the counts of true by predicted classes, and the shares of their rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite
from evallang.reporting.analyses import (
    Part,
    about,
    figures_of_models,
    further_notes,
    model_of,
    place_after,
    shows,
)
from evallang.reporting.context import Context
from evallang.reporting.document import (
    Cell,
    Code,
    Figure,
    Number,
    Panel,
    Row,
    Runs,
    Table,
    listed,
    runs,
)
from evallang.reporting.figures.class_matrix import MOST_CLASSES, matrix_of_classes
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import NBSP, Scale, between, fixed, interval, percent
from evallang.reporting.tables import (
    amount_of,
    counted,
    heading,
    left,
    right,
    row,
    sortable,
    table,
    wide,
)
from evallang.reporting.wording import sentence
from evallang.results import shown
from evallang.results.records import Analysis
from evallang.stats.row_shares import SharesOfRows
from evallang.stats.score_curves import Predicted


class ConfusionCell(Struct, frozen=True):
    """How many examples of one class were predicted to be of another, and their share."""

    truth: str
    predicted: str
    count: float
    share: shown.Number
    low: shown.Number
    high: shown.Number


class Confusion(Struct, frozen=True):
    """The cells, row by row; `predicted` is empty for labels that are none of the classes."""

    classes: tuple[str, ...]
    cells: tuple[ConfusionCell, ...]
    method: str
    n: int


class ShownConfusion(Confusion, frozen=True, kw_only=True):
    """The values of a confusion matrix that a report reads; `unit`, `about` are the run's."""

    unit: str
    about: str
    level: float


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="labels",
        shown=ShownConfusion,
        when="readers need to see which mistakes a model makes",
        when_not="two models are compared: compare; one rate is of interest: recall, precision",
        formula=(
            "the number of predictions for each true and predicted class; the share of each row "
            "with Wilson's interval, with the percentile bootstrap where rows are drawn in "
            "groups, have weights, or are predicted several times"
        ),
        equation=r"\frac{C_{ij}}{\sum_j C_{ij}}",
    ),
    title="Confusion matrix",
    references=(cite("zhou2021"),),
)
def confusion(predicted: Predicted) -> Confusion:
    """The counts of true by predicted classes, and the share of each row with its interval."""
    k = len(predicted.classes)
    strange = bool((predicted.labels < 0).any())
    column = np.where(predicted.labels < 0, k, predicted.labels).astype(np.int64)
    shares = SharesOfRows(predicted, predicted.truth.astype(np.int64), column, k, k + strange)
    names = (*predicted.classes, "")
    cells = []
    for truth in range(k):
        for place in range(k + strange):
            found = shares.cell(truth, place)
            cells.append(
                ConfusionCell(
                    names[truth], names[place], found.count, found.share, found.low, found.high
                )
            )
    return Confusion(predicted.classes, tuple(cells), shares.method, predicted.n)


# --- the section ---------------------------------------------------------------------------------

PERCENT = Scale(1, 2)
MOST_PANELS = 12  # models that are drawn; the table has all
MOST_WITH_INTERVALS = 4  # classes whose shares are printed with intervals
MOST_MISTAKES = 3  # of a class that are listed

Counts = Mapping[tuple[str, str], Mapping[str, Any]]


@shows(
    "confusion",
    order=47,
    title="Confusion matrices",
    key=lambda item: (item.data, item.protocol, item.values.get("classes")),
)
def confusion_matrices(context: Context, part: Part) -> list[Table | Figure]:
    """Return a table and figures for each data set and protocol, with all of its models."""
    made = _table(context, part.items, f"table-confusion-{part.number}")
    drawn = len(part.items[0].values["classes"]) <= MOST_CLASSES
    return [made, *(_figures(context, part) if drawn else ())]


def _cells(item: Analysis) -> Counts:
    return {(cell["truth"], cell["predicted"]): cell for cell in item.values["cells"]}


def _figures(context: Context, part: Part) -> Sequence[Figure]:
    panels = []
    for item in part.items[:MOST_PANELS]:
        name = model_of(context, item)
        drawing = matrix_of_classes(name, list(item.values["classes"]), _cells(item))
        panels.append(Panel(*drawing, runs(name)))
    subject = f"Predictions by true class{place_after(context, part.items[0])}"
    words = f"{subject}: counts, and shares of the true class (colour)"
    return figures_of_models(part, "confusion", panels, words, subject, MOST_PANELS)


def _table(context: Context, items: Sequence[Analysis], identifier: str) -> Table:
    """Return the counts of some models, each below its name where there are several."""
    first = items[0].values
    strange = any(cell["predicted"] == "" for item in items for cell in item.values["cells"])
    heads = [*first["classes"], *([""] if strange else [])]
    short = len(heads) > MOST_WITH_INTERVALS
    place, several = place_after(context, items[0]), len(items) > 1
    words = f"predictions by true class{place}"
    if not several:
        words = f"{model_of(context, items[0])}{place}: predictions by true class"
    shares = "percentages are shares of a row"
    methods = " or ".join(dict.fromkeys(item.values["method"] for item in items))
    note = shares
    if not short:
        note += f", with {percent(first['level'])} intervals ({methods})"
    whole = table(
        identifier,
        runs(sentence(words, context.own_names)),
        [left("True class"), ("Predicted class", [sortable(head or "no class") for head in heads])],
        _below_names(context, items, lambda item: _rows(item, heads, short=short)),
        whole=not several,
    )
    whole = replace(whole, one_number_a_column=_list_of_counts(context, items, whole))
    pointer: list[Runs] = []
    made = whole
    if not fits_on_a_page(whole):
        rows = tuple(_below_names(context, items, _mistakes))
        columns = (
            left("True class"),
            sortable("Right"),
            wide("Most frequent mistakes: predicted class and count"),
        )
        made = replace(
            whole, columns=columns, rows=rows, spanners=(), left_out=len(rows), gap_after=len(rows)
        )
        note = shares
        file = Code(f"tables/{identifier.removeprefix('table-')}.csv")
        pointer = [runs(file, " has the counts of all predicted classes.")]
    sizes = between([item.values["n"] for item in items])
    of_each = " of each model" if several else ""
    weighted = context.weights_words(items[0].data)
    size = runs(sentence(f"{sizes}{NBSP}predictions{of_each}{weighted}; {note}"))
    return replace(
        made, notes=(size, *pointer, about(context, items), *further_notes(context, items))
    )


def _below_names(
    context: Context, items: Sequence[Analysis], rows: Callable[[Analysis], Iterable[Row]]
) -> Iterator[Row]:
    """Iterate over the rows of models, below their names where there are several."""
    for item in items:
        if len(items) > 1:
            yield heading(model_of(context, item))
        yield from rows(item)


def _mistakes(item: Analysis) -> Iterator[Row]:
    """Iterate over classes with their most frequent mistakes, where a matrix is too wide."""
    cells = _cells(item)
    for truth in item.values["classes"]:
        own = [c for (of, _), c in cells.items() if of == truth and c["count"]]
        wrong = sorted((c for c in own if c["predicted"] != truth), key=lambda c: -c["count"])
        mistakes = [
            runs(f"{cell['predicted'] or 'no class'} ", *_words(cell, short=True))
            for cell in wrong[:MOST_MISTAKES]
        ]
        right_ = cells[truth, truth]
        yield row(
            truth,
            Cell(_words(right_, short=True), right_["count"]),
            listed(mistakes, last=", ") or "–",
        )


def _list_of_counts(context: Context, items: Sequence[Analysis], whole: Table) -> Table:
    """Return a row for each count of each model, for a file."""
    heads = ("Model", "True class", "Predicted class", "Count", "Share of the true class", "Share")
    rows = [
        row(
            model_of(context, item),
            cell["truth"],
            cell["predicted"],
            Cell((), cell["count"]),
            Cell((), cell["share"]),
            Cell((), None, cell["low"], cell["high"]),
        )
        for item in items
        for cell in item.values["cells"]
    ]
    return replace(whole, columns=tuple(map(right, heads)), rows=tuple(rows), spanners=())


def _rows(item: Analysis, heads: Sequence[str], *, short: bool) -> Iterator[Row]:
    cells = _cells(item)
    for truth in item.values["classes"]:
        found = [cells.get((truth, head)) for head in heads]
        yield row(
            truth,
            *(
                counted(0)  # only another model predicts labels of no class
                if cell is None
                else Cell(_words(cell, short=short), cell["count"], cell["low"], cell["high"])
                for cell in found
            ),
        )


def _words(cell: Mapping[str, Any], *, short: bool) -> Runs:
    made = runs(Number(amount_of(cell["count"]), cell["count"]))
    if cell["share"] is None:
        return made
    made += runs(f" ({fixed(cell['share'], PERCENT)}%)")
    low, high = cell["low"], cell["high"]
    return made if short or low is None else made + runs(" ", interval(low, high, PERCENT))
