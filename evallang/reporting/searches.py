"""How hyper-parameters and thresholds were searched, and what was chosen."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from statistics import median
from typing import Any

from evallang.diagnostics import codes
from evallang.reporting.context import Context
from evallang.reporting.document import Block, Caution, Code, Runs, Text, listed, runs
from evallang.reporting.numbers import fixed, percent, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import counted, left, number, right, row, share, table, wide
from evallang.reporting.wording import number_word, plural
from evallang.results.records import (
    INNER_BLOCKS,
    INNER_PERIODS,
    VALIDATION_PART,
    FoldThreshold,
    ModelRecord,
    ThresholdRecord,
)
from evallang.results.settings import Value

RULES = {
    "best": "the candidate with the best mean inner score",
    "one_standard_error": "the simplest candidate within one standard error of the best "
    "(Breiman et al. 1984)",
}
RULES_OF_ONE_PART = {**RULES, "best": "the candidate with the best score there"}


def uses_validation_part(context: Context) -> bool:
    """Return whether every search compared its candidates on one validation part."""
    places = {p.tuned_on for p in context.results.protocols if p.tuned_on is not None}
    return places == {VALIDATION_PART}


def inner_words(context: Context) -> Runs:
    """Format the splits that compared candidates: "in 3-fold inner cross-validation"."""
    search = context.results.search
    by_words: dict[str, list[str]] = {}
    for protocol in context.results.protocols:
        if protocol.implied_by is None and protocol.tuned_on is not None:
            folds = protocol.inner_folds or (search.folds if search is not None else None)
            by_words.setdefault(_stage(protocol.tuned_on, folds), []).append(protocol.name)
    if len(by_words) == 1:
        (words,) = by_words
        return runs(words) if words else ()
    return listed(
        runs(
            words or "on the validation part",
            " under ",
            listed(runs(context.protocol(name)) for name in names),
        )
        for words, names in by_words.items()
    )


def _stage(tuned_on: str, folds: int | None) -> str:
    """Format the inner splits of one protocol; empty for a validation part."""
    if tuned_on == VALIDATION_PART or folds is None:
        return ""
    if tuned_on == INNER_PERIODS:
        return f"with {number_word(folds)} later periods of that part as validation data"
    if tuned_on == INNER_BLOCKS:
        return f"with {number_word(folds)} consecutive blocks of that part as validation data"
    return f"in {folds}-fold inner cross-validation"


def candidates(model: ModelRecord) -> int:
    """Count the candidates of one search of a model."""
    if model.n_candidates is not None:
        return model.n_candidates
    return prod(len(values) for values in model.tuned.values())


def parameter_words(params: Mapping[str, Any]) -> str:
    """Write chosen parameters for readers, numbers to six digits."""
    return ", ".join(
        f"{key}={value:.6g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in params.items()
    )


@SECTIONS.register(
    SectionDeclaration(order=50, topics=(Topic.TUNING, Topic.SELECTION)),
    title="Hyper-parameters chosen",
)
def selections(context: Context) -> Sequence[Block]:
    """Return the choices per model, folded: how often each was made."""
    found = context.results.selections
    if not found:
        return []
    by_model: dict[tuple[str, str, str], Counter[str]] = {}
    for item in found:
        key = (item.data, item.protocol, item.model)
        words = parameter_words(item.params) or "as written"
        by_model.setdefault(key, Counter())[words] += 1
    validated = uses_validation_part(context)
    said = RULES_OF_ONE_PART if validated else RULES
    rules = dict.fromkeys(item.rule for item in found if item.rule)
    words = " or ".join(said.get(rule, rule.replace("_", " ")) for rule in rules)
    each = "" if validated else " in each outer fold"
    place = "on a validation part" if validated else "inside the training parts"
    rows = [
        row(
            "" if i else named(context, key, by_model),
            Code(words),
            share(n, choices.total()),
        )
        for key, choices in by_model.items()
        for i, (words, n) in enumerate(choices.most_common())
    ]
    return [
        table(
            "table-selections",
            f"Hyper-parameters chosen {place}.",
            [left("Model"), wide("Parameters"), right("Outer folds")],
            rows,
            runs(f"The choice{each} was {words}.") if words else None,
        )
    ]


def named(
    context: Context,
    key: tuple[str, str, str],
    every: Iterable[tuple[str, ...]],
    *more: str,
    member: str = "",
) -> str:
    """Return a model with its data set and protocol, each where `every` key does not share it."""
    data, protocol, model = key
    places = [context.data_label(data)] if len({key[0] for key in every}) > 1 else []
    places += [context.protocol(protocol)] if len({key[1] for key in every}) > 1 else []
    places += more
    label = context.model(model) + (f" ({member})" if member else "")
    return label + (f" ({', '.join(places)})" if places else "")


# --- searches that kept choosing the last candidate --------------------------------------


LEAST_CANDIDATES = 3  # numbers; of two, each is an end
SHARE = 0.5  # of the searches, from which on an end is more than chance
MOST_LINES = 6


def search_at_the_edge(context: Context) -> Caution | None:
    """Warn of searches of which at least half chose an end of a numeric range."""
    lines = list(_edges(context))
    if not lines:
        return None
    said = sum(((Text(" "), *line) for line in lines[:MOST_LINES]), ())[1:]
    body = runs(said, " Better values may lie beyond these candidates.")
    return Caution.from_code(codes.search_at_the_edge, "A search ended at the edge", body)


def _edges(context: Context) -> Iterator[Runs]:
    """Iterate over parameters whose search mostly ended at one end of their candidates."""
    for model in context.results.models:
        for parameter, candidates in model.tuned.items():
            numbers = sorted({float(value) for value in candidates if _is_number(value)})
            if len(numbers) < LEAST_CANDIDATES:
                continue
            chosen = [
                item.params[parameter]
                for item in context.results.selections
                if item.model == model.name and parameter in item.params
            ]
            for end, largest in ((numbers[0], False), (numbers[-1], True)):
                times, n = sum(_is_number(v) and float(v) == end for v in chosen), len(chosen)
                bounds = model.bounds.get(parameter, (None, None))
                if not times >= SHARE * n > 0 or _closed(end, candidates, bounds, largest=largest):
                    continue
                yield runs(
                    Code(parameter), f" of {context.model(model.name)} was the "
                    f"{'largest' if largest else 'smallest'} of its candidates, {end:g}, in "
                    f"{times} of {n} {'search' if n == 1 else 'searches'}.",
                )  # fmt: skip


def _closed(
    end: float,
    candidates: Sequence[Value],
    bounds: tuple[float | None, float | None],
    *,
    largest: bool,
) -> bool:
    """Return whether nothing lies beyond an end: a bound, zero, one neighbour, no limit."""
    if end == bounds[largest]:
        return True
    if largest:
        return None in candidates
    whole = all(isinstance(value, int) for value in candidates if _is_number(value))
    return end == 0 or (whole and end == 1)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# --- thresholds ------------------------------------------------------------------------------

FINDING = "threshold_beside_the_reported_scores"
USUAL = (0.0, 0.5)  # of margins and probabilities: nobody chose them on the rows


def thresholds(context: Context) -> Runs:
    """State the threshold of each model that has one, and what it was chosen on."""
    found: dict[tuple[str, ...], list[Runs]] = {}
    for model in context.results.models:
        for record in model.thresholds:
            label = context.model(model.name) + (f" ({record.member})" if record.member else "")
            found.setdefault(_words(context, model, record), []).append(runs(label))
    made: Runs = ()
    for (lead, number_, rest), models in found.items():
        noun, verb = ("thresholds", "were") if len(models) > 1 else ("threshold", "was")
        stated = f" ({number_})" if number_ else ""
        made += runs(" " if made else "", f"The {noun} of ", listed(models), stated)
        made += runs(f" {verb} {lead}{rest}.")
    return made


def _words(context: Context, model: ModelRecord, record: ThresholdRecord) -> tuple[str, str, str]:
    """Return how a threshold came about, its number, and what is known of its choice."""
    number_ = "" if record.value is None else f"{record.value:g}".replace("-", "−")
    if record.origin == "training_part":
        by = (record.metric or "").replace("_", " ")
        where = f"in {plural(record.folds, 'inner fold')}" if record.folds else ""
        if record.part is not None:
            where = f"on {percent(record.part)} of its rows"
        return "chosen", "", f" inside each training part, by {by} {where}"
    if record.origin == "search":
        return "chosen", "", " by the search, with the hyper-parameters"
    if record.origin == "default":
        return "not chosen", "", ": it is the default of its class"
    several = record.data is not None and len(context.results.data) > 1
    on = f" for {context.data_label(record.data)}" if several else ""
    because = _waiver(context, model.name)
    if record.value not in USUAL:
        on += ", which does not say on which rows it was chosen" if because is None else (
            f": {because}")  # fmt: skip
    return "stated in the study file", number_, on


def _waiver(context: Context, model: str) -> str | None:
    """Return why the author allowed a threshold of a model, None without a reason."""
    for found in context.results.diagnostics:
        if found.get("name") == FINDING and f"`{model}`" in str(found.get("message")):
            because = found.get("allowed_because")
            if because:
                return str(because).rstrip(".")
    return None


# --- the thresholds that fits chose -------------------------------------------------------------


MOST_LISTED = 10
"""Fits of a model whose thresholds a row lists; of more it has the median and the range."""


@SECTIONS.register(
    SectionDeclaration(order=51, topics=(Topic.TUNING,)), title="Decision thresholds chosen"
)
def chosen_thresholds(context: Context) -> Sequence[Block]:
    """Return the thresholds that the fits of each model chose: median, range, and each of few."""
    by_model: dict[tuple[str, str, str, str], list[FoldThreshold]] = {}
    for item in context.results.thresholds:
        if item.fold >= 0:  # not the fit on all rows that precedes a bootstrap
            key = item.data, item.protocol, item.model, item.member
            by_model.setdefault(key, []).append(item)
    if not by_model:
        return []
    kinds = dict.fromkeys(item.scores for found in by_model.values() for item in found)
    listing = any(len(found) <= MOST_LISTED for found in by_model.values())
    rows = []
    for (data, protocol, model, member), found in by_model.items():
        values = [item.value for item in found]
        scale = scale_of((), (median(values),), percent=False)
        more = [found[0].scores] if len(kinds) > 1 else []
        few = ", ".join(fixed(v, scale) for v in values) if len(values) <= MOST_LISTED else ""
        rows.append(
            row(
                named(context, (data, protocol, model), by_model, *more, member=member),
                counted(len(values)),
                *(number(v, scale) for v in (median(values), min(values), max(values))),
                few if listing else None,
            )
        )
    noun = " or ".join("probability" if kind == "probabilities" else "margin" for kind in kinds)
    return [
        table(
            "table-thresholds",
            "Decision thresholds chosen inside the training parts.",
            [
                left("Model"),
                *map(right, ("Fits", "Median", "Smallest", "Largest")),
                wide("In the order of the folds") if listing else None,
            ],
            rows,
            f"A label is positive if the {noun} of the positive class reaches the threshold. The "
            "test rows of a fold were not used to choose it.",
            "In parentheses, models of an ensemble: the threshold makes the labels that it uses."
            if any(member for *_, member in by_model)
            else None,
        )
    ]
