"""Warnings and limits, and what failed: every one named on page 1 and explained here.

A rule gives one warning, however many fits, pairs or data sets it is about.
"""

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any

from evallang.reporting.codes import (
    CLASS_NEVER_PREDICTED,
    FITS_FAILED,
    FITS_WARNED,
    METRIC_FAILED,
    OVERLAP,
    UNTUNED,
)
from evallang.reporting.context import Context
from evallang.reporting.document import (
    Block,
    Caution,
    Cell,
    Code,
    Column,
    Ref,
    Row,
    Runs,
    Table,
    listed,
    runs,
)
from evallang.reporting.edges import search_at_the_edge
from evallang.reporting.limits_of_numbers import computed_caution, limits_of_numbers
from evallang.reporting.never_predicted import never_predicted_caution
from evallang.reporting.numbers import count
from evallang.reporting.searches import parameter_words
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import plural, sentence, with_code
from evallang.results.records import Failure, FitWarning

MEASURE = "measure"  # the stage of a failure in the author's own metric
BASELINE = re.compile(r"(.*\| *)?Dummy(Classifier|Regressor)\b[^|]*$", re.DOTALL)
"""Pipelines that look at no feature, and have nothing to be tuned."""
INNER = "inner"  # the stage of a failure of a candidate
MOST_LINES = 6  # of one rule that are printed; the rest are counted
SAID_BY = {
    "pooled_predictions_of_several_models": OVERLAP.name,
    CLASS_NEVER_PREDICTED.name: CLASS_NEVER_PREDICTED.name,
}
"""Warnings of the check that the results say again with their numbers, by the rules' names."""


@SECTIONS.register(SectionDeclaration(order=60, hideable=False), title="Warnings and limits")
def limits(context: Context) -> Sequence[Block]:
    """Explain what a reader must know before quoting a number."""
    return cautions(context)


@SECTIONS.register(SectionDeclaration(order=70), title="Failures")
def failures(context: Context) -> Sequence[Block]:
    """List the fits that raised, with their parameters and message."""
    found = context.results.failures
    if not found:
        return []
    rows = tuple(
        Row(
            (
                Cell(runs(context.model(item.model))),
                Cell(runs(f"{context.data_label(item.data)}, {context.protocol(item.protocol)}")),
                Cell(runs(_place(item))),
                Cell(runs(Code(parameter_words(item.params)) if item.params else "as written")),
                Cell(runs(f"{item.error}: {item.message}")),
            )
        )
        for item in found
    )
    columns = (
        Column(runs("Model"), "left"),
        Column(runs("Data, protocol"), "left", muted=True),
        Column(runs("Fit"), "left", muted=True),
        Column(runs("Parameters"), "left", wide=True),
        Column(runs("Message"), "left", wide=True),
    )
    stages = {
        "fits": "Outer: the fit that is tested; what needs it was not computed. Inner: a candidate "
        "in tuning, left out of the choice. Repeats and folds count from 0.",
        "metric": "A measure is the author’s own metric; where it failed, what needs it was not "
        "computed.",
    }
    present = {"metric" if item.stage == MEASURE else "fits" for item in found}
    notes = (runs(" ".join(text for stage, text in stages.items() if stage in present)),)
    title = " and ".join(
        [*(["fits"] if "fits" in present else []), *(["measures"] if "metric" in present else [])]
    )
    caption = runs(f"{title.capitalize()} that failed.")
    return [Table("table-failures", caption, columns, rows, notes=notes)]


def _place(item: Failure) -> str:
    if item.stage == MEASURE:
        return f"measure {item.metric}"
    if item.fold < 0:
        return f"{item.stage}, all rows"
    return f"{item.stage}, repeat {item.repeat}, fold {item.fold}"


def cautions(context: Context) -> list[Caution]:
    """Give every warning of the check, of the fits and of the numbers, in this order."""
    of_numbers = limits_of_numbers(context)
    never = never_predicted_caution(context)
    of_numbers += [never] if never is not None else []
    said = {caution.name for caution in of_numbers}
    found = _of_records([r for r in context.results.diagnostics if not _said_by_numbers(r, said)])
    if context.results.warnings:
        found.append(_of_fits(context, context.results.warnings))
    if context.results.failures:
        of_fits = [f for f in context.results.failures if f.stage != MEASURE]
        of_metrics = [f for f in context.results.failures if f.stage == MEASURE]
        if of_fits:
            body = runs(
                f"{plural(len(of_fits), 'fit').capitalize()} of ", _models(context, of_fits),
                f"{_on_data(context, of_fits)} raised an error (", Ref("table-failures"), "). ",
                _left_out(of_fits),
            )  # fmt: skip
            found.append(computed_caution(FITS_FAILED, "Some fits failed", body))
        if of_metrics:
            names = dict.fromkeys(f.metric or "" for f in of_metrics)
            whose = "its" if len(names) == 1 else "their"
            body = runs(
                listed([runs(Code(name)) for name in names]), " could not measure ",
                _models(context, of_metrics), " (", Ref("table-failures"),
                f"). What needs {whose} values was not computed.",
            )  # fmt: skip
            found.append(computed_caution(METRIC_FAILED, "The author’s own metric failed", body))
    found += of_numbers
    edge = search_at_the_edge(context)
    found += [edge] if edge is not None else []
    estimators = [
        model
        for model in context.results.models
        if model.kind == "estimator" and not BASELINE.match(model.pipeline or "")
    ]
    if len(estimators) > 1 and not any(model.tuned for model in estimators):
        body = runs(
            "The comparison is between these settings (", Ref("table-protocol"),
            "), not between the best that each family of models can do.",
        )  # fmt: skip
        found.append(computed_caution(UNTUNED, "No model was tuned", body))
    return found


def _models(context: Context, failed: Sequence[Failure]) -> Runs:
    return listed([runs(name) for name in dict.fromkeys(context.model(f.model) for f in failed)])


def _on_data(context: Context, failed: Sequence[Failure]) -> str:
    """Name the data sets on which fits failed, where others are among the results."""
    names = dict.fromkeys(context.data_label(f.data) for f in failed)
    return f" on {', '.join(names)}" if len(names) < len(context.results.data) else ""


def _left_out(failed: Sequence[Failure]) -> str:
    """Say what follows: a candidate is left out, what needs a tested fit is not computed."""
    inner = [f for f in failed if f.stage == INNER]
    if len(inner) == len(failed):
        return "Candidates that failed were left out of the choice."
    return f"What needs {'it' if len(failed) == 1 else 'them'} was not computed."


def _said_by_numbers(record: Mapping[str, Any], said: Set[str]) -> bool:
    """Tell whether a warning of the check is said again, with its numbers, by the results."""
    return record.get("allowed_because") is None and SAID_BY.get(str(record.get("name"))) in said


def _of_records(records: Sequence[Mapping[str, Any]]) -> list[Caution]:
    """Word the warnings of the check; those of one rule and one reason stand together."""
    groups: dict[tuple[str, str, str | None], list[Mapping[str, Any]]] = {}
    for record in records:
        if record.get("severity") != "error":
            key = (str(record.get("code", "")), str(record.get("name", "")),
                   record.get("allowed_because"))  # fmt: skip
            groups.setdefault(key, []).append(record)
    made = []
    for number, ((code, name, accepted), members) in enumerate(groups.items(), start=1):
        lead = name.replace("_", " ")
        said = dict.fromkeys(
            text
            for record in members
            for text in (record.get("message", ""), *(record.get("notes") or ()))
        )
        helps = dict.fromkeys(record["help"] for record in members if record.get("help"))
        texts = [sentence(str(text)) for text in (*said, *helps) if text]
        body: Runs = ()
        for text in texts:
            body += runs(" " if body else "", with_code(text))
        severity = str(members[0].get("severity", "warning"))
        made.append(
            Caution(f"warning-{number}", lead[:1].upper() + lead[1:] + _times(len(members)), body,
                    code, name, severity, accepted)
        )  # fmt: skip
    return made


def _times(n: int) -> str:
    return f" ({count(n)} times)" if n > 1 else ""


def _of_fits(context: Context, warnings: Sequence[FitWarning]) -> Caution:
    lines = []
    for warning in warnings[:MOST_LINES]:
        words = f"{plural(warning.n, 'fit').capitalize()} of {context.model(warning.model)}"
        if len(context.settings) > 1:
            words += f" on {context.data_label(warning.data)}"
        lines.append(
            runs(words, " gave ", Code(warning.category), f": {_first_sentence(warning.message)}.")
        )
    if len(warnings) > MOST_LINES:
        lines.append(runs(f"{count(len(warnings) - MOST_LINES)} more stand in results.json."))
    body: Runs = ()
    for line in lines:
        body += runs(" " if body else "", line)
    body += runs(" Fits that warn count like the others.")
    return computed_caution(FITS_WARNED, "Some fits warned", body)


def _first_sentence(message: str) -> str:
    """Give a library's message up to its first full stop; advice and addresses follow it.

    What a solver in Fortran adds in capitals, `STOP: TOTAL NO. OF ITERATIONS`, is left out.
    """
    line = re.split(r"\n|\. |: (?=[A-Z]{4,}\b)", message.strip())[0]
    return line.strip().rstrip(".:")
