"""From which score on labels are positive, and what that number was chosen on."""

from collections.abc import Sequence
from statistics import median

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Runs, listed, runs
from evallang.reporting.numbers import fixed, percent, scale_of
from evallang.reporting.searches import named
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import counted, left, number, right, row, table, wide
from evallang.reporting.wording import plural
from evallang.results.records import FoldThreshold, ModelRecord, ThresholdRecord

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
