"""The appendix on decisions: what other valid tests and corrections decide on the same data."""

from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.context import Context
from evallang.reporting.curves import about, computed, further_notes, shown_in
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Figure,
    Number,
    Panel,
    Paragraph,
    Ref,
    Row,
    Runs,
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words
from evallang.reporting.figures.stacks import LABEL_OF_PAIR, stacked_bars
from evallang.reporting.letter_case import printed, written_options
from evallang.reporting.numbers import Scale, count, level_of_alpha
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import VARIANTS, number_word, plural, sentence, variant_words
from evallang.results.records import Analysis
from evallang.results.written import method_of

SECTION = "sensitivity_of_decisions"
DECIDED = {True: "rejected", False: "not rejected", None: "undecided"}
PARTS = ("for the reported decision", "against it")
MOST_DRAWN = 20  # hypotheses; the table has more
MOST_ROWS = 40  # hypotheses of a table, those with the most decisions against first


@SECTIONS.register(
    SectionDeclaration(order=98, analyses=True), title="Appendix: sensitivity of the decisions"
)
def sensitivity_of_decisions(context: Context) -> Sequence[Block]:
    """Return two tables for each line, the settings and the hypotheses, and a figure."""
    blocks: list[Block] = []
    for number, item in enumerate(shown_in(context, SECTION), start=1):
        if not computed(item):
            source = Code(item.values["source"])
            blocks.append(Paragraph(runs("For ", source, f", {item.values['problem']}."), "note"))
            continue
        blocks.append(_settings(context, item, f"table-settings-{number}"))
        table = f"table-sensitivity-{number}"
        blocks += [_hypotheses(context, item, table), _figure(context, item, number, table)]
    return blocks


def _settings(context: Context, item: Analysis, identifier: str) -> Table:
    columns = (
        Column(runs("Test"), "left", wide=True),
        Column(runs("Correction"), "left"),
        Column(runs("Rejected")),
        Column(runs("Not rejected")),
        Column(runs("Undecided")),
    )
    reported = next(one for one in item.values["settings"] if one["reported"])
    own = _form(context, item)
    rows = []
    for setting in item.values["settings"]:
        form = own if setting["test"] == reported["test"] and own not in _test(setting) else ""
        words = ", ".join(
            part for part in (form, "reported" if setting["reported"] else "") if part
        )
        test = runs(_test(setting), f" ({words})" if words else "")
        cells = [Cell(test), Cell(runs(_correction(setting) or "–"))]
        cells += [_count(setting[name]) for name in ("rejected", "kept", "undecided")]
        rows.append(Row(tuple(cells)))
    caption = runs("Decisions of ", Code(item.values["source"]), " with every setting computed.")
    problems = dict.fromkeys(
        f"{_setting(s)}: {s['problem']}" for s in item.values["settings"] if s["problem"]
    )
    notes = [_how(context, item), about([item]), *further_notes(context, [item])]
    notes += [runs(sentence(words)) for words in problems]
    return Table(identifier, caption, columns, tuple(rows), notes=tuple(notes))


def _figure(context: Context, item: Analysis, number: int, table: str) -> Figure:
    """Draw how many settings are for and against each reported decision."""
    every = _ordered(item)
    shown, several = every[:MOST_DRAWN], _over_several(every)
    rows = [
        (_named(context, hypothesis, several=several), [hypothesis["same"], hypothesis["against"]])
        for hypothesis in shown
    ]
    drawing, alt = stacked_bars(
        rows,
        PARTS,
        "Settings",
        Scale(0),
        "Decisions",
        LABEL_OF_PAIR,
        (0.0, max((sum(numbers) for _, numbers in rows), default=1.0)),
    )
    caption = runs("Settings for and against each decision of ", Code(item.values["source"]), ".")
    where = runs(Ref(table, "the table"))
    caption += drawn_words(len(shown), len(every), "hypotheses", where)
    return Figure(f"figure-sensitivity-{number}", caption, (Panel(drawing, alt, ()),))


def _how(context: Context, item: Analysis) -> Runs:
    n, alpha = item.values["n"], item.values["alpha"]
    level = level_of_alpha(alpha, context.style)
    words = (
        f"{plural(n, 'hypothesis', 'hypotheses')} at level {level}; the corrections control the "
        "same error as the reported one, whatever the dependence, and the tests have the same null "
        "hypothesis"
    )
    sizes = {c.family.size for c in context.results.comparisons if c.index == item.values["line"]}
    if context.results.study.families == "together" and any(size > n for size in sizes):
        words += (
            f". The reported decisions are those of one family of {number_word(max(sizes))} "
            "hypotheses; the other settings are computed within this line"
        )
    return runs(sentence(words))


def _count(n: int) -> Cell:
    return Cell(runs(Number(count(n), float(n))), n)


def _hypotheses(context: Context, item: Analysis, identifier: str) -> Table:
    every = _ordered(item)
    shown, several = every[:MOST_ROWS], _over_several(every)
    columns = (
        Column(runs("Hypothesis"), "left", wide=True),
        Column(runs("Reported"), "left"),
        Column(runs("For")),
        Column(runs("Against")),
        Column(runs("Decided otherwise by"), "left", wide=True),
    )
    titles = {_written(setting): _setting(setting) for setting in item.values["settings"]}
    rows = []
    for hypothesis in shown:
        cells = [
            Cell(runs(_named(context, hypothesis, several=several))),
            Cell(runs(DECIDED[hypothesis["reported"]])),
            _count(hypothesis["same"]),
            _count(hypothesis["against"]),
            Cell(runs("; ".join(titles.get(s, s) for s in hypothesis["against_by"]) or "–")),
        ]
        rows.append(Row(tuple(cells)))
    caption = runs("Settings for and against each decision of ", Code(item.values["source"]), ".")
    decided = [h for h in every if h["reported"] is not None]
    turned = sum(1 for h in decided if h["against"])
    notes = [runs(sentence(_dependent(turned, len(decided))))] if decided else []
    if len(decided) < len(every):
        left = plural(len(every) - len(decided), "hypothesis", "hypotheses")
        notes.append(
            runs(sentence(f"the comparison did not decide {left}, which no setting can turn"))
        )
    if len(shown) < len(every):
        notes.append(runs(sentence(f"the {count(len(shown))} with the most against are listed")))
    return Table(identifier, caption, columns, tuple(rows), notes=tuple(notes))


def _ordered(item: Analysis) -> list[Mapping[str, Any]]:
    """Return the hypotheses, those with the most decisions against first."""
    return sorted(item.values["hypotheses"], key=lambda h: -h["against"])


def _over_several(hypotheses: Sequence[Mapping[str, Any]]) -> bool:
    return len({(h["data"], h["metric"]) for h in hypotheses}) > 1


def _dependent(turned: int, n: int) -> str:
    if n == 1:
        return f"the decision {'depends' if turned else 'does not depend'} on the setting"
    some = "none" if turned == 0 else "all" if turned == n else number_word(turned)
    verb = "depend" if turned > 1 else "depends"
    return f"{some} of the {number_word(n)} decisions {verb} on the setting"


def _written(setting: Any) -> str:
    """Write a setting as the decisions against a hypothesis name it."""
    return " ".join(part for part in (setting["test"], setting["correction"]) if part)


def _setting(setting: Any) -> str:
    return ", ".join(part for part in (_test(setting), _correction(setting)) if part)


def _test(setting: Any) -> str:
    """Return the title of a test with its form, as a file before titles has it: by its name."""
    written, title = setting["test"], setting.get("test_title")
    if title is None:
        return str(written)
    options = written_options(written.removeprefix(method_of(written)))
    words = ", ".join(VARIANTS.get(word) or word for word in options.split(", "))
    return printed(title) + (f" ({words})" if words else "")


def _form(context: Context, item: Analysis) -> str:
    """State how the p of the line was computed where that is alike for all pairs."""
    lines = [c for c in context.results.comparisons if c.index == item.values["line"]]
    found = {variant_words(context, pair) for line in lines for pair in line.pairwise}
    return found.pop() if len(found) == 1 else ""


def _correction(setting: Any) -> str:
    title = setting.get("correction_title") or setting["correction"] or ""
    return printed(title.removesuffix(" correction"))


def _named(context: Context, hypothesis: Any, *, several: bool) -> str:
    models = " – ".join(context.model(name) for name in hypothesis["models"])
    if not several:
        return models
    data = "" if hypothesis["data"] is None else f", {context.data_label(hypothesis['data'])}"
    return f"{models}, {context.metric(hypothesis['metric']).noun}{data}"
