"""The appendix on decisions: what other valid tests and corrections decide on the same data."""

from collections.abc import Sequence
from typing import Any

from evallang.reporting.context import Context
from evallang.reporting.curves import about, computed, further_notes, shown_in
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Number,
    Paragraph,
    Row,
    Runs,
    Table,
    runs,
)
from evallang.reporting.numbers import NBSP, count
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

SECTION = "sensitivity_of_decisions"
DECIDED = {True: "rejected", False: "not rejected", None: "undecided"}
MOST_ROWS = 40  # hypotheses of a table, those with the most decisions against first


@SECTIONS.register(
    SectionDeclaration(order=98, analyses=True), title="Appendix: sensitivity of the decisions"
)
def sensitivity_of_decisions(context: Context) -> Sequence[Block]:
    """Return two tables for each line: the settings, and the hypotheses."""
    blocks: list[Block] = []
    for number, item in enumerate(shown_in(context, SECTION), start=1):
        source = runs("The line ", Code(item.values["source"]))
        if not computed(item):
            blocks.append(Paragraph(runs(*source, f": {item.values['problem']}."), "note"))
            continue
        blocks.append(_settings(context, item, f"table-settings-{number}"))
        blocks.append(_hypotheses(context, item, f"table-sensitivity-{number}"))
    return blocks


def _settings(context: Context, item: Analysis, identifier: str) -> Table:
    columns = (
        Column(runs("Test"), "left", wide=True),
        Column(runs("Correction"), "left"),
        Column(runs("Rejected")),
        Column(runs("Not rejected")),
        Column(runs("Undecided")),
    )
    rows = []
    for setting in item.values["settings"]:
        test = runs(Code(setting["test"]), " (reported)" if setting["reported"] else "")
        cells = [Cell(test), Cell(runs(Code(setting["correction"] or "–")))]
        cells += [_count(setting[name]) for name in ("rejected", "kept", "undecided")]
        rows.append(Row(tuple(cells)))
    caption = runs("Decisions of ", Code(item.values["source"]), " with every setting computed.")
    problems = dict.fromkeys(
        f"{s['test']} {s['correction'] or ''}".strip() + f": {s['problem']}"
        for s in item.values["settings"]
        if s["problem"]
    )
    notes = [_how(item), about([item]), *further_notes(context, [item])]
    notes += [runs(sentence(words)) for words in problems]
    return Table(identifier, caption, columns, tuple(rows), notes=tuple(notes))


def _how(item: Analysis) -> Runs:
    n, alpha = item.values["n"], item.values["alpha"]
    noun = "hypothesis" if n == 1 else "hypotheses"
    words = (
        f"{count(n)}{NBSP}{noun} at level {alpha:g}; the corrections control the same error as "
        "the reported one, whatever the dependence, and the tests have the same null hypothesis"
    )
    return runs(sentence(words))


def _count(n: int) -> Cell:
    return Cell(runs(Number(count(n), float(n))), n)


def _hypotheses(context: Context, item: Analysis, identifier: str) -> Table:
    every = sorted(item.values["hypotheses"], key=lambda h: -h["against"])
    shown = every[:MOST_ROWS]
    several = len({(h["data"], h["metric"]) for h in every}) > 1
    columns = (
        Column(runs("Hypothesis"), "left", wide=True),
        Column(runs("Reported"), "left"),
        Column(runs("For")),
        Column(runs("Against")),
        Column(runs("Decided otherwise by"), "left", wide=True),
    )
    rows = []
    for hypothesis in shown:
        cells = [
            Cell(runs(_named(context, hypothesis, several=several))),
            Cell(runs(DECIDED[hypothesis["reported"]])),
            _count(hypothesis["same"]),
            _count(hypothesis["against"]),
            Cell(runs(", ".join(hypothesis["against_by"]) or "–")),
        ]
        rows.append(Row(tuple(cells)))
    caption = runs("Settings for and against each decision of ", Code(item.values["source"]), ".")
    turned = sum(1 for h in every if h["against"])
    words = f"{count(turned)} of {count(len(every))} decisions depend on the setting"
    notes = [runs(sentence(words))]
    if len(shown) < len(every):
        notes.append(runs(sentence(f"the {count(len(shown))} with the most against are listed")))
    return Table(identifier, caption, columns, tuple(rows), notes=tuple(notes))


def _named(context: Context, hypothesis: Any, *, several: bool) -> str:
    models = " – ".join(context.model(name) for name in hypothesis["models"])
    if not several:
        return models
    data = "" if hypothesis["data"] is None else f", {context.data_label(hypothesis['data'])}"
    return f"{models}, {context.metric(hypothesis['metric']).noun}{data}"
