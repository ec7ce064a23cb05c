"""From which score on labels are positive, and what that number was chosen on."""

from evallang.reporting.context import Context
from evallang.reporting.document import Runs, listed, runs
from evallang.reporting.numbers import percent
from evallang.reporting.wording import plural
from evallang.results.records import ModelRecord, ThresholdRecord

FINDING = "threshold_beside_the_reported_scores"
USUAL = (0.0, 0.5)  # of margins and probabilities: nobody chose them on the rows


def thresholds(context: Context) -> Runs:
    """State the threshold of each model that has one, and what it was chosen on."""
    found: dict[tuple[str, ...], list[Runs]] = {}
    for model in context.results.models:
        for record in model.thresholds:
            found.setdefault(_words(context, model, record), []).append(
                runs(context.model(model.name))
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
