"""What was chosen: hyper-parameters and thresholds by searches, and which models are exported."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from statistics import median
from typing import Any

from msgspec import Struct

from evallang.diagnostics import codes
from evallang.reporting.analyses import told
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    Block,
    Caution,
    Code,
    Interval,
    Listing,
    Paragraph,
    Runs,
    listed,
    runs,
)
from evallang.reporting.numbers import (
    MINUS,
    fixed,
    interval,
    is_number,
    parameter_value,
    scale_of,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.sentences import caution, linked, notes, write
from evallang.reporting.tables import counted, left, number, right, row, share, table, wide
from evallang.reporting.wording import sentence, value_text
from evallang.results.records import (
    VALIDATION_PART,
    BestOfMany,
    CorrectedEstimate,
    Export,
    FoldThreshold,
    ModelRecord,
    Selection,
    ThresholdRecord,
)

TOPIC, SELECTIONS = "searches", "table-selections"


def uses_validation_part(context: Context) -> bool:
    """Return whether every search compared its candidates on one validation part."""
    places = {p.tuned_on for p in context.results.protocols if p.tuned_on is not None}
    return places == {VALIDATION_PART}


def inner_words(context: Context) -> Runs:
    """Format the splits that compared candidates: "in 3-fold inner cross-validation"."""
    search = context.results.search
    stages: dict[tuple[str, int | None], list[str]] = {}
    for protocol in context.results.protocols:
        if protocol.implied_by is None and protocol.tuned_on is not None:
            folds = protocol.inner_folds or (search.folds if search is not None else None)
            stages.setdefault((protocol.tuned_on, folds), []).append(protocol.name)
    return write(context, TOPIC, "inner_splits", stages=stages)


def candidates(model: ModelRecord) -> int:
    """Count the candidates of one search of a model."""
    if model.n_candidates is not None:
        return model.n_candidates
    return prod(len(values) for values in model.tuned.values())


def parameter_words(params: Mapping[str, Any]) -> str:
    """Write chosen parameters for readers, as they are printed."""
    return ", ".join(f"{key}={parameter_value(value)}" for key, value in params.items())


def selection_findings(context: Context) -> list[Runs]:
    """State what the searches of each data set and protocol chose most often, and how often."""
    places: dict[Setting, dict[str, list[Selection]]] = {}
    for one in context.results.selections:
        models = places.setdefault(Setting(one.data, one.protocol), {})
        models.setdefault(one.model, []).append(one)
    said: list[Runs] = []
    for place, models in places.items():
        rows = []
        for model, found in models.items():
            counts = Counter(parameter_words(one.params) for one in found if one.params)
            rows += [
                {"model": model, "candidate": words, "times": times, "searches": len(found)}
                for words, times in counts.most_common(1)
            ]
        said += linked(context, told(context, "chosen", rows, item=place), ("selections", place))
    return said


@SECTIONS.register(
    SectionDeclaration(order=52, supplement=True, topics=(Topic.TUNING, Topic.SELECTION)),
    title="Hyper-parameters chosen",
)
def selections(context: Context) -> Sequence[Block]:
    """Return the choices per model, folded: how often each was made.

    Those that another table has in full are not repeated.
    """
    found = [
        one
        for one in context.results.selections
        if (one.data, one.protocol, one.model) not in context.shown_in
    ]
    if not found:
        return []
    by_model: dict[tuple[str, str, str], Counter[str]] = {}
    for item in found:
        key = (item.data, item.protocol, item.model)
        words = parameter_words(item.params) or "as written"
        by_model.setdefault(key, Counter())[words] += 1
    every = {(one.data, one.protocol, one.model) for one in context.results.selections}
    partly = {(data, protocol) for data, protocol, _ in every.difference(by_model)}
    context.shown_in |= {
        ("selections", Setting(*place)): SELECTIONS
        for place in {key[:2]: None for key in by_model}
        if place not in partly
    }
    validated = uses_validation_part(context)
    rules = list(dict.fromkeys(item.rule for item in found if item.rule))
    say = partial(write, context, TOPIC, validated=validated)
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
            SELECTIONS,
            say("caption_of_choices"),
            [left("Model"), wide("Parameters"), right("Searches")],
            rows,
            say("note_of_choices", rules=rules, several=len(found) > len(by_model)),
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


class _Edge(Struct, frozen=True):
    """A parameter whose search mostly ended at one end of its candidates."""

    parameter: str
    model: str
    largest: bool
    end: float
    times: int
    searches: int


def search_at_the_edge(context: Context) -> Caution | None:
    """Warn of searches of which at least half chose an end of a numeric range."""
    edges = list(_edges(context))
    return caution(context, TOPIC, codes.search_at_the_edge, edges=edges) if edges else None


def _edges(context: Context) -> Iterator[_Edge]:
    for model in context.results.models:
        for parameter, values in model.tuned.items():
            numbers = sorted({float(value) for value in values if is_number(value)})
            if len(numbers) < LEAST_CANDIDATES:
                continue
            chosen = [
                item.params[parameter]
                for item in context.results.selections
                if item.model == model.name and parameter in item.params
            ]
            whole = all(isinstance(value, int) for value in values if is_number(value))
            # nothing lies beyond an end that is a bound, zero, or has one neighbour or no limit
            closed = {
                False: numbers[0] == 0 or (whole and numbers[0] == 1),
                True: None in values,
            }
            bounds = model.bounds.get(parameter, (None, None))
            for end, largest in ((numbers[0], False), (numbers[-1], True)):
                times, n = sum(is_number(v) and float(v) == end for v in chosen), len(chosen)
                if times >= SHARE * n > 0 and end != bounds[largest] and not closed[largest]:
                    yield _Edge(parameter, model.name, largest, end, times, n)


# --- thresholds ------------------------------------------------------------------------------

FINDING = "threshold_beside_the_reported_scores"
USUAL = (0.0, 0.5)  # of margins and probabilities: nobody chose them on the rows


class _Choice(Struct, frozen=True):
    """How a threshold came about; `because` is the author's reason for a stated one.

    `unexplained` is True for a stated one that may have been chosen on the rows of the report.
    """

    origin: str
    value: str = ""
    data: str | None = None
    metric: str = ""
    folds: int | None = None
    part: float | None = None
    because: str = ""
    unexplained: bool = False


def thresholds(context: Context) -> Runs:
    """State the threshold of each model that has one, and what it was chosen on."""
    choices: dict[_Choice, list[str]] = {}
    for model in context.results.models:
        for record in model.thresholds:
            label = context.model(model.name) + (f" ({record.member})" if record.member else "")
            choices.setdefault(_choice(context, model, record), []).append(label)
    return write(context, TOPIC, "thresholds", choices=choices) if choices else ()


def _choice(context: Context, model: ModelRecord, record: ThresholdRecord) -> _Choice:
    if record.origin in ("search", "default"):
        return _Choice(record.origin)
    if record.origin == "training_part":
        by = (record.metric or "").replace("_", " ")
        return _Choice(record.origin, metric=by, folds=record.folds, part=record.part)
    value = "" if record.value is None else f"{record.value:g}".replace("-", MINUS)
    if record.value in USUAL:
        return _Choice("stated", value, record.data)
    because = next(
        (
            str(found["allowed_because"]).rstrip(".")
            for found in context.results.diagnostics
            if found.get("name") == FINDING
            and f"`{model.name}`" in str(found.get("message"))
            and found.get("allowed_because")
        ),
        "",
    )
    return _Choice("stated", value, record.data, because=because, unexplained=True)


# --- the thresholds that fits chose -------------------------------------------------------------


MOST_LISTED = 10
"""Fits of a model whose thresholds a row lists; of more it has the median and the range."""


@SECTIONS.register(
    SectionDeclaration(order=51, supplement=True, topics=(Topic.TUNING,)),
    title="Decision thresholds chosen",
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
    return [
        table(
            "table-thresholds",
            write(context, TOPIC, "caption_of_thresholds"),
            [
                left("Model"),
                *map(right, ("Fits", "Median", "Smallest", "Largest")),
                wide("In the order of the folds") if listing else None,
            ],
            rows,
            *notes(
                context,
                TOPIC,
                "notes_of_thresholds",
                kinds=list(kinds),
                of_members=any(member for *_, member in by_model),
            ),
        )
    ]


# --- exported models, and the best of many ---------------------------------------------------


@SECTIONS.register(
    SectionDeclaration(order=55, supplement=True, topics=(Topic.EXPORTED,)), title="Exported models"
)
def exports(context: Context) -> Sequence[Block]:
    """Return each saved model with its hyper-parameters, and how to read it."""
    found = context.results.exports
    if not found:
        return []
    said = {item.model: "; ".join(item.notes) for item in found if item.notes}
    several = len({item.model for item in found}) > 1
    context.shown_in["exports"] = "table-exports"
    made = table(
        "table-exports",
        write(context, TOPIC, "caption_of_exports", data=context.results.data[0]),
        [left("Model"), wide("File"), wide("Hyper-parameters"), wide("Types to trust", muted=True)],
        [
            row(
                context.model(item.model),
                Code(item.path),
                Code(parameter_words(item.params)) if item.params else "as written",
                listed([(Code(name),) for name in item.trusted_types], last=", ") or "none",
            )
            for item in found
        ],
        *(
            runs(sentence(f"{context.model(m)}: {note}" if several else note, context.own_names))
            for m, note in said.items()
        ),
    )
    cautions = [
        Paragraph(words)
        for item in found
        if item.best and (words := _of_best(context, "exported_as_best", item))
    ]
    path, trusted = (
        json.dumps(value, ensure_ascii=False)
        for value in (found[0].path, list(found[0].trusted_types))
    )
    argument = f", trusted={trusted}" if found[0].trusted_types else ""
    python = f"import skops.io\n\nmodel = skops.io.load({path}{argument})\nmodel.predict(rows)"
    return [
        *cautions,
        made,
        Paragraph(write(context, TOPIC, "how_to_read")),
        Listing(python, "Python"),
    ]


def fitted_on_all(context: Context) -> Runs:
    """State for the methods paragraph what was exported; nothing without an export."""
    found = context.results.exports
    models = list(dict.fromkeys(item.model for item in found))
    if not models:
        return ()
    searched = any(item.params for item in found)
    data = context.results.data[0]
    return write(context, TOPIC, "fitted_on_all", models=models, data=data, searched=searched)


def export_findings(context: Context) -> list[Runs]:
    """State which model was exported as the best, and its estimate corrected for the choice."""
    chosen = [item for item in context.results.exports if item.best]
    said = [_of_best(context, "exported", item) for item in chosen]
    return linked(context, filter(None, said), "exports")


def _of_best(context: Context, name: str, item: Export) -> Runs:
    """Write a sentence about a model that was chosen on the folds that measure it."""
    data = context.results.data[0]
    protocol = next((p.name for p in context.results.protocols if p.implied_by is None), None)
    setting = Setting(data.name, protocol)
    metrics = context.metrics(setting)
    if not metrics or len(models := context.models_best_first(setting, metrics[0])) < 2:
        return ()
    metric, scale = context.metric(metrics[0]), context.scale(setting, metrics[0])
    estimate = context.estimate(setting, item.model, metrics[0])
    tests = [t for c in context.results.comparisons for t in (c.omnibus, *c.pairwise) if t]
    return write(
        context,
        TOPIC,
        name,
        item=item,
        models=len(models),
        noun=metric.noun,
        protocol=protocol,
        data=data.name,
        value=value_text(metric, None if estimate is None else estimate.value, scale),
        tested=bool(tests),
        different=any(test.reject in (True, None) for test in tests),
        correction=None if item.corrected is None else _corrected(context, setting, item.corrected),
    )


def best_of_many(context: Context, setting: Setting) -> Iterator[Paragraph]:
    """Iterate over what a setting with many models on one test set makes of the best."""
    for found in context.results.best_of_many:
        if Setting(found.data, found.protocol) == setting:
            scale = context.scale(setting, found.metric)
            value = value_text(context.metric(found.metric), found.naive, scale)
            facts = {"value": value, "correction": _corrected(context, setting, found)}
            yield Paragraph(write(context, TOPIC, "best_of_many", **facts))


def _corrected(
    context: Context, setting: Setting, found: BestOfMany | CorrectedEstimate
) -> Mapping[str, Any]:
    """Return how an estimate was corrected for the choice of the best, and the corrected value."""
    scale = context.scale(setting, found.metric)
    return {
        "found": found,
        "data": setting.data,
        "value": value_text(context.metric(found.metric), found.value, scale),
        "interval": Interval(interval(found.low, found.high, scale), found.low, found.high),
    }
