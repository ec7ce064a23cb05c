"""Warnings and limits, and what failed: every one named on page 1 and explained here."""

from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.codes import (
    CONSERVATIVE,
    DISAGREEMENT,
    FITS_FAILED,
    FITS_WARNED,
    UNTUNED,
)
from evallang.reporting.context import Context, base
from evallang.reporting.document import (
    Block,
    Caution,
    Cell,
    Code,
    Column,
    Emphasis,
    Ref,
    Row,
    Runs,
    Table,
    listed,
    runs,
)
from evallang.reporting.numbers import count
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import plural, sentence, with_code
from evallang.results.records import Comparison, FitWarning, HypothesisTestResult

LEADS = {
    DISAGREEMENT.name: "Quote the simultaneous interval for close pairs",
    CONSERVATIVE.name: "A simultaneous interval is wider than the decision",
    FITS_WARNED.name: "Some fits warned",
    FITS_FAILED.name: "Some fits failed",
    UNTUNED.name: "No model was tuned",
}
MOST_NAMED = 3  # pairs named in a warning; the rest are counted


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
                Cell(runs(f"{context.data_label(item.data)}, {item.protocol}")),
                Cell(runs(f"{item.stage}, repeat {item.repeat}, fold {item.fold}")),
                Cell(runs(Code(_parameters(item.params)) if item.params else "as written")),
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
    notes = (
        runs(
            "Outer: the fit that is tested; what needs it was not computed. Inner: a candidate "
            "in tuning, left out of the choice. Repeats and folds count from 0."
        ),
    )
    return [Table("table-failures", runs("Fits that failed."), columns, rows, notes=notes)]


def cautions(context: Context) -> list[Caution]:
    """Give every warning of the check, of the fits and of the numbers, in this order."""
    found = [
        _of_record(record, i)
        for i, record in enumerate(context.results.diagnostics)
        if record.get("severity") != "error"
    ]
    found += [_of_fits(context, warning, i) for i, warning in enumerate(context.results.warnings)]
    if context.results.failures:
        failed = context.results.failures
        models = listed(
            [runs(name) for name in dict.fromkeys(context.model(f.model) for f in failed)]
        )
        body = runs(
            f"{plural(len(failed), 'fit').capitalize()} of ", models,
            " raised an error (", Ref("table-failures"), ").",
        )  # fmt: skip
        found.append(_computed("warning-failed", FITS_FAILED.code, FITS_FAILED.name, body))
    for comparison in context.results.comparisons:
        found += _disagreements(context, comparison)
    estimators = [model for model in context.results.models if model.kind == "estimator"]
    if len(estimators) > 1 and not any(model.tuned for model in estimators):
        body = runs(
            "The comparison is between these settings (", Ref("table-protocol"),
            "), not between the best that each family of models can do.",
        )  # fmt: skip
        found.append(_computed("warning-untuned", UNTUNED.code, UNTUNED.name, body))
    return found


def _of_record(record: Mapping[str, Any], number: int) -> Caution:
    body = with_code(sentence(str(record.get("message", ""))))
    for note in record.get("notes") or ():
        body += runs(" ", with_code(sentence(str(note))))
    if record.get("help"):
        body += runs(" ", with_code(sentence(str(record["help"]))))
    name = str(record.get("name", ""))
    lead = name.replace("_", " ")
    return Caution(
        f"warning-{number + 1}",
        lead[:1].upper() + lead[1:],
        body,
        str(record.get("code", "")),
        name,
        str(record.get("severity", "warning")),
        record.get("allowed_because"),
    )


def _computed(identifier: str, code: str, name: str, body: Runs) -> Caution:
    return Caution(identifier, LEADS[name], body, code, name, "warning")


def _of_fits(context: Context, warning: FitWarning, number: int) -> Caution:
    body = runs(
        f"{plural(warning.n, 'fit').capitalize()} of {context.model(warning.model)} gave ",
        Code(warning.category),
        f": {warning.message.strip().rstrip('.')}. Fits that warn count like the others.",
    )
    return _computed(f"warning-fit-{number + 1}", FITS_WARNED.code, FITS_WARNED.name, body)


def _disagreements(context: Context, comparison: Comparison) -> list[Caution]:
    """Name the pairs whose interval and decision do not say the same."""
    if not comparison.performed or comparison.family.size < 2:
        return []
    outside = [
        pair
        for pair in comparison.pairwise
        if pair.reject is False and pair.p is not None and _excludes_zero(pair.estimate)
    ]
    inside = [
        pair
        for pair in comparison.pairwise
        if pair.reject and pair.simultaneous is not None and not _excludes_zero(pair.simultaneous)
    ]
    letter = Emphasis(runs("p"))
    place = f"{comparison.index + 1}-{base(comparison.metric)}-{comparison.data or 'all'}"
    made = []
    if outside:
        body = runs(
            "For ", _pairs(context, outside),
            " the plain interval excludes zero but the adjusted ", letter,
            " does not reject. The decision follows the adjusted ", letter, ".",
        )  # fmt: skip
        made.append(
            _computed(f"warning-outside-{_slug(place)}", DISAGREEMENT.code, DISAGREEMENT.name, body)
        )
    if inside:
        body = runs(
            "For ", _pairs(context, inside), " the adjusted ", letter,
            " rejects although the simultaneous interval, which is conservative beside a "
            "step-down correction, holds zero. The decision follows the adjusted ", letter, ".",
        )  # fmt: skip
        made.append(
            _computed(f"warning-inside-{_slug(place)}", CONSERVATIVE.code, CONSERVATIVE.name, body)
        )
    return made


def _excludes_zero(found: Any) -> bool:
    if found is None or found.low is None or found.high is None:
        return False
    return bool(found.low > 0 or found.high < 0)


def _pairs(context: Context, pairs: Sequence[HypothesisTestResult]) -> Runs:
    names = [
        runs(" − ".join(context.model(model) for model in pair.models))
        for pair in pairs[:MOST_NAMED]
    ]
    lead = f"{plural(len(pairs), 'pair')} ("
    more = len(pairs) - len(names)
    if more:
        names.append(runs(f"{count(more)} more"))
    return runs(lead, listed(names), ")")


def _parameters(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in params.items())


def _slug(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in text.lower())
