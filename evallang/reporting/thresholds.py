"""From which score on labels are positive, and what that number was chosen on."""

from collections.abc import Sequence
from statistics import median

from evallang.reporting.context import Context
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Number,
    Row,
    Runs,
    Table,
    listed,
    runs,
)
from evallang.reporting.numbers import count, fixed, percent, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.topics import Topic
from evallang.reporting.wording import plural
from evallang.results.records import FoldThreshold, ModelRecord, ThresholdRecord

FINDING = "threshold_beside_the_reported_scores"
USUAL = (0.0, 0.5)  # of margins and probabilities: nobody chose them on the rows


def thresholds(context: Context) -> Runs:
    """State the threshold of each model that has one, and what it was chosen on."""
    found: dict[tuple[str, ...], list[Runs]] = {}
    for model in context.results.models:
        for record in model.thresholds:
            found.setdefault(_words(context, model, record), []).append(
                runs(_named(context, model.name, record.member))
            )
    made: Runs = ()
    for (lead, number, rest), models in found.items():
        several = len(models) > 1
        verb = "were" if several else "was"
        noun = "thresholds" if several else "threshold"
        stated = runs(f" ({number})") if number else ()
        made += runs(" " if made else "", f"The {noun} of ", listed(models), stated)
        made += runs(f" {verb} {lead}{rest}.")
    return made


def _named(context: Context, model: str, member: str) -> str:
    """Return the title of a model, or of a model inside it."""
    return f"{context.model(model)} ({member})" if member else context.model(model)


def _words(context: Context, model: ModelRecord, record: ThresholdRecord) -> tuple[str, str, str]:
    """Return how a threshold came about, its number, and what is known of its choice."""
    number = "" if record.value is None else f"{record.value:g}".replace("-", "−")
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
    on = f" for {context.data_label(record.data)}" if _several_sources(context, record) else ""
    because = _waiver(context, model.name)
    if record.value in USUAL:
        return "stated in the study file", number, on
    if because is not None:
        return "stated in the study file", number, f"{on}: {because}"
    return (
        "stated in the study file",
        number,
        f"{on}, which does not say on which rows it was chosen",
    )


def _several_sources(context: Context, record: ThresholdRecord) -> bool:
    return record.data is not None and len(context.results.data) > 1


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
    sets, protocols = ({key[i] for key in by_model} for i in (0, 1))
    kinds = dict.fromkeys(item.scores for found in by_model.values() for item in found)
    listing = any(len(found) <= MOST_LISTED for found in by_model.values())
    rows = []
    for (data, protocol, model, member), found in by_model.items():
        places = [context.data_label(data)] if len(sets) > 1 else []
        places += [context.protocol(protocol)] if len(protocols) > 1 else []
        places += [found[0].scores] if len(kinds) > 1 else []
        label = _named(context, model, member) + (f" ({', '.join(places)})" if places else "")
        values = [item.value for item in found]
        scale = scale_of((), (median(values),), percent=False)
        cells = [
            Cell(runs(label)),
            Cell(runs(count(len(values))), float(len(values))),
            *(
                Cell(runs(Number(fixed(value, scale), value)), value)
                for value in (median(values), min(values), max(values))
            ),
        ]
        if listing:
            few = len(values) <= MOST_LISTED
            cells.append(Cell(runs(", ".join(fixed(v, scale) for v in values) if few else "")))
        rows.append(Row(tuple(cells)))
    columns = [
        Column(runs("Model"), "left"),
        *(Column(runs(head)) for head in ("Fits", "Median", "Smallest", "Largest")),
    ]
    if listing:
        columns.append(Column(runs("In the order of the folds"), "left", wide=True))
    noun = " or ".join("probability" if kind == "probabilities" else "margin" for kind in kinds)
    whole = (
        f"A label is positive if the {noun} of the positive class reaches the threshold. The "
        "test rows of a fold were not used to choose it."
    )
    inside = "In parentheses, models of an ensemble: the threshold makes the labels that it uses."
    any_inside = any(member for *_, member in by_model)
    notes = tuple(map(runs, (whole, inside) if any_inside else (whole,)))
    caption = runs("Decision thresholds chosen inside the training parts.")
    return [Table("table-thresholds", caption, tuple(columns), tuple(rows), notes=notes)]
