"""Agreement: how often two models predict the same, and are right on the same examples."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite
from evallang.reporting.analyses import (
    Part,
    not_drawn,
    notes,
    place_after,
    shows,
    states,
    with_interval,
)
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.stacks import LABEL_OF_PAIR, name_of_pair, stacked_bars
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, fixed, interval, percent
from evallang.reporting.sentences import write
from evallang.reporting.tables import amount_of, number, printed, row, sortable, table, wide
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis
from evallang.results.shown import Number
from evallang.stats.row_shares import SharesOfRows
from evallang.stats.score_curves import Predicted


class Pair(Struct, frozen=True):
    """Two models: how often they predict the same, and how often which one is right.

    `same` is the share of equal predictions with its interval, `kappa` Cohen's kappa of the two
    predictions, `both`, `first`, `second` and `neither` the weight of the examples on which
    these models are right.
    """

    models: tuple[str, str]
    same: Number
    low: Number
    high: Number
    kappa: Number
    both: float
    first: float
    second: float
    neither: float


class Agreement(Struct, frozen=True):
    """All pairs of models, and the examples on which all models are right or wrong."""

    pairs: tuple[Pair, ...]
    all_right: float
    all_wrong: float
    method: str
    n: int


class ShownAgreement(Agreement, frozen=True, kw_only=True):
    """The values of an analysis of agreement; `unit`, `about` and `level` are the run's."""

    unit: str
    about: str
    level: float


@ANALYSES.register(
    AnalysisDeclaration(
        about="models",
        task="classification",
        needs="labels",
        shown=ShownAgreement,
        when="models of the same accuracy may be right on different examples",
        when_not="one of two models should be chosen: compare with mcnemar",
        formula=(
            "the share of examples for which two models give the same label, with Wilson's "
            "interval (the percentile bootstrap for groups, weights and repeats); Cohen's kappa "
            "of the two labels; on how many examples both, one or neither is right"
        ),
    ),
    title="Agreement of models",
    references=(cite("cohen1960"), cite("kuncheva2003")),
)
def agreement(together: Mapping[str, Predicted]) -> Agreement:
    """How often each two of the models predict the same, and are right on the same examples.

    Raises `ValueError` for fewer than two models.
    """
    if len(together) < 2:
        raise ValueError("agreement is about two models or more")
    given = next(iter(together.values()))
    right = {name: one.labels == one.truth for name, one in together.items()}
    shares, pairs, method = given.shares, [], ""
    for first, second in combinations(together, 2):
        a, b = together[first].labels, together[second].labels
        same = (a == b).astype(np.int64)
        table = SharesOfRows(given, np.zeros(given.n, dtype=np.int64), same, 1, 2)
        method, found = table.method, table.cell(0, 1)
        x, y = right[first], right[second]
        weights = [float(shares[m].sum()) for m in (x & y, x & ~y, ~x & y, ~x & ~y)]
        kappa = None if found.share is None else _kappa(given, a, b, found.share)
        pairs.append(Pair((first, second), found.share, found.low, found.high, kappa, *weights))
    every = np.stack(list(right.values()))
    return Agreement(
        pairs=tuple(pairs),
        all_right=float(shares[every.all(axis=0)].sum()),
        all_wrong=float(shares[~every.any(axis=0)].sum()),
        method=method,
        n=given.n,
    )


def _kappa(given: Predicted, a: object, b: object, same: float) -> Number:
    """Return Cohen's kappa of two rows of labels, None where each names one class only."""
    k, total = len(given.classes) + 1, given.shares.sum()
    first, second = (
        np.bincount(np.asarray(labels) + 1, given.shares, minlength=k) / total for labels in (a, b)
    )
    chance = float((first * second).sum())
    return None if chance >= 1 else (same - chance) / (1 - chance)


# --- the section ---------------------------------------------------------------------------------

PERCENT, RATIO = Scale(1, 2), Scale(2)
RIGHT = ("both", "first", "second", "neither")
MOST_DRAWN = 15  # pairs; the table has all


@states("agreement", key=id)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State how often the two models agree, of several pairs those that agree most and least."""
    (item,) = items
    level = item.values["level"]
    pairs = [pair for pair in item.values["pairs"] if pair["same"] is not None]
    pairs.sort(key=lambda pair: -pair["same"])
    if not pairs:
        return []
    words = write(
        context,
        "analyses",
        "agreement",
        shown=[
            {
                "pair": [context.model(name) for name in pair["models"]],
                "same": with_interval(pair["same"], PERCENT, "%", pair["low"], pair["high"], level),
                "kappa": None if pair["kappa"] is None else fixed(pair["kappa"], RATIO),
            }
            for pair in (pairs if len(pairs) < 2 else [pairs[0], pairs[-1]])
        ],
        item=item,
        cases=context.cases(item.data),
        pairs=len(pairs),
    )
    return [words]


@shows("agreement", order=48, title="Agreement of models", key=id)
def agreement_of_models(context: Context, part: Part) -> tuple[Table, Figure]:
    """Return a table and a figure for each data set and protocol."""
    (item,) = part.items
    pairs, which = _ordered(context, item)
    made = _table(context, item, pairs, f"table-agreement-{part.number}")
    return made, _figure(context, item, pairs, which, part.number)


def _ordered(context: Context, item: Analysis) -> tuple[list[Mapping[str, Any]], str]:
    """Return the pairs, of many those of the best models first, and which the first ones are."""
    pairs = list(item.values["pairs"])
    order = context.order(Setting(item.data, item.protocol))
    if len(pairs) <= MOST_DRAWN or not order:
        return pairs, "first"
    pairs.sort(key=lambda pair: sorted(order.get(name, len(order)) for name in pair["models"]))
    return pairs, "best"


def _figure(
    context: Context, item: Analysis, pairs: Sequence[Mapping[str, Any]], which: str, number_: int
) -> Figure:
    """Draw on how many examples both, one or neither of two models is right."""
    rows = [
        (
            name_of_pair([context.model(m) for m in p["models"]], "and"),
            [p[right] for right in RIGHT],
        )
        for p in pairs[:MOST_DRAWN]
    ]
    first, second = (
        map(context.model, pairs[0]["models"]) if len(pairs) == 1 else ("the first", "the second")
    )
    parts = ("both are right", f"only {first}", f"only {second}", "neither")
    whole = all(float(n).is_integer() for _, values in rows for n in values)
    most = max((sum(values) for _, values in rows), default=1.0)
    unit = item.values["unit"]
    drawing = stacked_bars(
        rows, parts, capitalised(unit), Scale(0 if whole else 1), "Agreement", LABEL_OF_PAIR,
        (0.0, most),
    )  # fmt: skip
    words = (
        f"{unit} on which both, one or neither of two models is right{place_after(context, item)}"
    )
    caption = runs(sentence(words + context.weights_words(item.data)))
    caption += not_drawn(len(pairs), MOST_DRAWN, f"table-agreement-{number_}", "pairs", which)
    return Figure(f"figure-agreement-{number_}", caption, (Panel(*drawing, ()),))


def _table(
    context: Context, item: Analysis, pairs: Sequence[Mapping[str, Any]], identifier: str
) -> Table:
    values, weighted = item.values, context.weights_words(item.data)
    all_right, all_wrong = (count(round(values[key])) for key in ("all_right", "all_wrong"))
    every = f"all models are right on {all_right} and wrong on {all_wrong} of them"
    if weighted:
        every = f"all models are right on examples with a total weight of {all_right}, "
        every += f"wrong on {all_wrong}"
    rows = []
    for pair in pairs:
        same, low, high = pair["same"], pair["low"], pair["high"]
        words = printed(
            fixed(same, PERCENT), same, "" if low is None else f" {interval(low, high, PERCENT)}"
        )
        rows.append(
            row(
                " and ".join(context.model(name) for name in pair["models"]),
                replace(words, low=low, high=high),
                number(pair["kappa"], RATIO),
                *(printed(amount_of(pair[key]), pair[key]) for key in RIGHT),
            )
        )
    return table(
        identifier,
        f"Pairwise agreement of models{place_after(context, item)}",
        [
            wide("Models"),
            sortable("Same prediction (%)"),
            sortable("Kappa"),
            ("Right", [*map(sortable, ("both", "only the first", "only the second", "neither"))]),
        ],
        rows,
        f"{count(values['n'])}{NBSP}{values['unit']}{weighted}; brackets: "
        f"{percent(values['level'])} intervals ({values['method']})",
        *([every] if len(pairs) > 1 else []),
        *notes(context, [item]),
    )
