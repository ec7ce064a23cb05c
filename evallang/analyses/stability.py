"""Stability of searches: how often each value was chosen, and how what was chosen scored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from msgspec import Struct

from evallang.analyses.searches import SearchedParameter, Searches, identity, searches_of
from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite
from evallang.engine.outcomes import Outcomes
from evallang.reporting.analyses import (
    Part,
    by_place,
    model_of,
    not_drawn,
    notes,
    place_before,
    shows,
    states,
)
from evallang.reporting.context import Context
from evallang.reporting.document import Code, Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.stacks import bars_of_counts
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    count,
    fixed,
    is_number,
    parameter_value,
    scale_of,
)
from evallang.reporting.panels import in_parts
from evallang.reporting.searches import selection_findings
from evallang.reporting.sentences import write
from evallang.reporting.tables import left, number, printed, right, row, share, table, wide
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis
from evallang.results.settings import Value
from evallang.results.shown import Number


class ChoiceCount(Struct, frozen=True):
    """One candidate value: how many searches chose it, and their share of all searches."""

    value: Value
    count: int
    share: float


class ParameterStability(Struct, frozen=True):
    """The choices of one parameter.

    `choices` are its candidates in the order written, or the values that were chosen where the
    candidates are drawn from a distribution. `modal_share` is the share of the value that was
    chosen most often, and `alike` the share of all pairs of searches that chose the same
    value; `by_chance` is that share if every candidate were equally likely, None for a
    distribution. `at_smallest` and `at_largest` count the searches that chose an end of the
    numbers that were tried, None where there are fewer than three numbers.
    """

    name: str
    written: str
    choices: tuple[ChoiceCount, ...]
    modal_share: float
    alike: float
    by_chance: Number
    at_smallest: int | None
    at_largest: int | None


class CombinationCount(Struct, frozen=True):
    """One chosen combination of values, how many searches chose it, and their share."""

    params: Mapping[str, Value]
    count: int
    share: float


class Spread(Struct, frozen=True):
    """Mean, standard deviation (n - 1), smallest and largest of the scores of the folds."""

    mean: float
    sd: Number
    lowest: float
    highest: float
    n: int


class Stability(Struct, frozen=True):
    """The choices of all searches of a model, and the scores of what they chose.

    `inner` are the scores by which the candidates were chosen, `test` those of the chosen
    candidates on the test parts, both by the metric of the search.
    """

    unit: str
    about: str
    n: int
    n_candidates: int
    metric: str
    parameters: tuple[ParameterStability, ...]
    combinations: tuple[CombinationCount, ...]
    modal_share: float
    alike: float
    inner: Spread | None
    test: Spread | None


ABOUT_CHOICES = (
    "the searches of these training parts, which share rows: searches on independent samples "
    "would agree less"
)
FEWEST_NUMBERS = 3  # candidates from which on an end is more than one of two


@ANALYSES.register(
    AnalysisDeclaration(
        needs="searches",
        fewest_folds=2,
        shown=Stability,
        when="a search runs in every outer fold, and readers ask which model they would get",
        when_not=(
            "the scores of all candidates are of interest: tuning; the hyper-parameters of the "
            "final model: export"
        ),
        formula=(
            "for each candidate value the number of outer folds whose search chose it; the share "
            "of the value chosen most often; the share of all pairs of outer folds that chose "
            "the same value, and that share if every candidate were equally likely; mean, "
            "standard deviation and range of the inner scores and of the test scores of what "
            "was chosen. No interval is computed, because the training parts share rows"
        ),
    ),
    title="Stability of hyper-parameters",
    references=(cite("cawley2010"), cite("raschka2018")),
)
def stability(outcomes: Outcomes) -> Stability:
    """How often the searches of the outer folds chose each value, and how often two agree.

    Raises `ValueError` for fewer than two searches.
    """
    return stability_of(searches_of(outcomes))


def stability_of(searches: Searches) -> Stability:
    """Count the choices of all searches."""
    n = len(searches.folds)
    if n < 2:
        raise ValueError("fewer than two searches gave a choice")
    names = [parameter.name for parameter in searches.parameters]
    whole = ["\n".join(identity(fold.chosen[name]) for name in names) for fold in searches.folds]
    counts = Counter(whole)
    first: dict[str, Mapping[str, Value]] = {}
    for key, fold in zip(whole, searches.folds, strict=True):
        first.setdefault(key, fold.chosen)
    return Stability(
        unit="outer folds",
        about=ABOUT_CHOICES,
        n=n,
        n_candidates=searches.n_candidates,
        metric=searches.metric,
        parameters=tuple(_parameter(p, searches) for p in searches.parameters),
        combinations=tuple(
            CombinationCount(dict(first[key]), count, count / n)
            for key, count in counts.most_common()
        ),
        modal_share=max(counts.values()) / n,
        alike=_agreement(counts),
        inner=_spread([fold.inner_score for fold in searches.folds]),
        test=_spread([fold.test_score for fold in searches.folds]),
    )


def _parameter(parameter: SearchedParameter, searches: Searches) -> ParameterStability:
    chosen = [fold.chosen[parameter.name] for fold in searches.folds]
    counts = Counter(map(identity, chosen))
    in_order = sorted(chosen) if all(map(is_number, chosen)) else chosen
    known = {identity(value): value for value in parameter.values or in_order}
    n, numbers = len(chosen), [value for value in parameter.values if is_number(value)]
    ends = len(numbers) >= FEWEST_NUMBERS
    return ParameterStability(
        name=parameter.name,
        written=parameter.written,
        choices=tuple(ChoiceCount(v, counts[key], counts[key] / n) for key, v in known.items()),
        modal_share=max(counts.values()) / n,
        alike=_agreement(counts),
        by_chance=1 / len(parameter.values) if parameter.values else None,
        at_smallest=counts[identity(min(numbers))] if ends else None,
        at_largest=counts[identity(max(numbers))] if ends else None,
    )


def _agreement(counts: Counter[str]) -> float:
    """Return the share of all pairs that are equal."""
    n = sum(counts.values())
    return sum(count * (count - 1) for count in counts.values()) / (n * (n - 1))


def _spread(scores: Sequence[float | None]) -> Spread | None:
    known = [score for score in scores if score is not None]
    if not known:
        return None
    sd = stdev(known) if len(known) > 1 else None
    return Spread(fmean(known), sd, min(known), max(known), len(known))


# --- the section ---------------------------------------------------------------------------------

PERCENT = Scale(0, 2)
MOST_TOLD = 3  # parameters of a key finding
MOST_PANELS = 12  # parameters that are drawn; the table has all
MOST_VALUES = 12  # candidates of a parameter that are listed; above, only those that were chosen
PARTS = {"inner": "inside the training parts", "test": "on the test parts"}
SUMMED = ("mean", "sd", "lowest", "highest")


@states("stability", key=lambda item: None)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State what the searches chose most often, and how often two of them agreed."""
    made = selection_findings(context)
    for place in dict.fromkeys(map(by_place, items)):
        own = [item for item in items if by_place(item) == place]
        rows = [
            {"model": item.model, "values": parameter}
            for item in own
            for parameter in item.values["parameters"]
        ]
        facts = {"item": own[0], "rows": rows[:MOST_TOLD], "further": rows[MOST_TOLD:]}
        made.append(write(context, "analyses", "stability", **facts, scale=PERCENT))
    return made


@shows(
    "stability",
    order=51,
    title="Stability of hyper-parameters",
    methods="We counted how often the searches of the outer folds chose each candidate",
    key=by_place,
)
def stability_of_searches(context: Context, part: Part) -> list[Table | Figure]:
    """Return tables and a figure for each data set and protocol."""
    for item in part.items:
        if len(item.values["parameters"]) == 1:  # its combinations are those of the selections
            key = item.data, item.protocol, item.model
            context.shown_in[key] = f"table-stability-{part.number}"
    return [_choices(context, part), *_figures(context, part), _scores(context, part)]


def _listed(parameter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    choices = list(parameter["choices"])
    return choices if len(choices) <= MOST_VALUES else [c for c in choices if c["count"]]


def _choices(context: Context, part: Part) -> Table:
    rows = []
    every = [parameter for item in part.items for parameter in item.values["parameters"]]
    for item in part.items:
        name, n = model_of(context, item), item.values["n"]
        for parameter in item.values["parameters"]:
            chance = parameter["by_chance"]
            by_chance = "" if chance is None else f" ({fixed(chance, PERCENT)} by chance)"
            alike = printed(fixed(parameter["alike"], PERCENT), parameter["alike"], by_chance)
            for k, choice in enumerate(_listed(parameter)):
                rows.append(
                    row(
                        name,
                        "" if k else Code(parameter["name"]),
                        Code(parameter_value(choice["value"])),
                        share(choice["count"], n),
                        "" if k else alike,
                    )
                )
                name = ""
    n = part.items[0].values["n"]
    note = (
        f"agreement is the share of the {count(n * (n - 1) // 2)}{NBSP}pairs of outer folds that "
        "chose the same value"
    )
    if any(parameter["by_chance"] is not None for parameter in every):
        note += "; by chance, the share if every candidate were equally likely"
    hidden = any(len(_listed(parameter)) < len(parameter["choices"]) for parameter in every)
    return table(
        f"table-stability-{part.number}",
        f"{place_before(context, part.items)}values that the searches of the outer folds chose",
        [
            wide("Model"),
            left("Parameter"),
            left("Candidate"),
            right("Outer folds"),
            right("Pairs that agree (%)"),
        ],
        rows,
        "Where there are many candidates, those never chosen are not listed." if hidden else None,
        note,
        *notes(context, part.items),
    )


def _figures(context: Context, part: Part) -> list[Figure]:
    every = [(item, parameter) for item in part.items for parameter in item.values["parameters"]]
    panels: list[Panel] = []
    for item, parameter in every[:MOST_PANELS]:
        model = model_of(context, item)
        rows = [(parameter_value(c["value"]), c["count"]) for c in _listed(parameter)]
        subject = f"{model}, {parameter['name']}"
        look = context.look(item.model or "")
        drawing = bars_of_counts(rows, item.values["n"], "Outer folds", subject, look)
        panels.append(Panel(*drawing, runs(f"{model}: ", Code(parameter["name"]))))
    place, number_ = place_before(context, part.items), part.number
    caption = runs(sentence(f"{place}number of outer folds whose search chose each candidate"))
    caption += not_drawn(len(every), MOST_PANELS, f"table-stability-{number_}", "parameters")
    subject = capitalised(f"{place}choices of the searches")
    return in_parts(f"figure-stability-{number_}", caption, panels, subject)


def _scores(context: Context, part: Part) -> Table:
    """Return the scores of what was chosen, inside the training parts and on the test parts."""
    metric = context.metric(part.items[0].values["metric"])
    known = [item.values[one] for item in part.items for one in PARTS if item.values[one]]
    widths, means = ([spread[key] for spread in known] for key in ("sd", "mean"))
    scale = scale_of(widths, means, percent=metric.percent)
    return table(
        f"table-stability-scores-{part.number}",
        f"{place_before(context, part.items)}{metric.noun} of the chosen candidates over "
        "outer folds",
        [
            wide("Model"),
            left("Scores of the chosen candidates"),
            *(right(f"{head}{metric.sign}") for head in ("Mean", "SD", "Lowest", "Highest")),
        ],
        [
            row(
                "" if k else model_of(context, item),
                words,
                *(number((item.values[one] or {}).get(key), scale) for key in SUMMED),
            )
            for item in part.items
            for k, (one, words) in enumerate(PARTS.items())
        ],
        "inner scores decided the choice and are optimistic; the test data were not used for it",
    )
