"""The appendix on decisions: what other valid tests and corrections decide on the same data."""

from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.analyses import computed, not_drawn, notes, shown_in
from evallang.reporting.context import Context
from evallang.reporting.document import Block, Code, Figure, Panel, Paragraph, Table, runs
from evallang.reporting.figures.stacks import LABEL_OF_PAIR, stacked_bars
from evallang.reporting.letter_case import printed, written_options
from evallang.reporting.numbers import Scale, count, level_of_alpha
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import counted, left, right, row, table, wide
from evallang.reporting.wording import VARIANTS, number_word, plural, variant_words
from evallang.results.records import Analysis
from evallang.results.written import method_of

SECTION = "sensitivity_of_decisions"
DECIDED = {True: "rejected", False: "not rejected", None: "undecided"}
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
        blocks += _hypotheses(context, item, number)
    return blocks


def _settings(context: Context, item: Analysis, identifier: str) -> Table:
    values = item.values
    reported = next(one for one in values["settings"] if one["reported"])
    lines = [c for c in context.results.comparisons if c.index == values["line"]]
    forms = {variant_words(context, pair) for line in lines for pair in line.pairwise}
    own = forms.pop() if len(forms) == 1 else ""  # how p was computed, alike for all pairs
    rows = []
    for setting in values["settings"]:
        test = _test(setting)
        form = own if setting["test"] == reported["test"] and own not in test else ""
        words = ", ".join(filter(None, (form, "reported" if setting["reported"] else "")))
        rows.append(
            row(
                f"{test} ({words})" if words else test,
                _correction(setting) or "–",
                *(counted(setting[name]) for name in ("rejected", "kept", "undecided")),
            )
        )
    n = values["n"]
    how = (
        f"{plural(n, 'hypothesis', 'hypotheses')} at level "
        f"{level_of_alpha(values['alpha'], context.style)}; the corrections control the same error "
        "as the reported one, whatever the dependence, and the tests have the same null hypothesis"
    )
    sizes = {line.family.size for line in lines}
    if context.results.study.families == "together" and any(size > n for size in sizes):
        how += (
            f". The reported decisions are those of one family of {number_word(max(sizes))} "
            "hypotheses; the other settings are computed within this line"
        )
    return table(
        identifier,
        runs("Decisions of ", Code(values["source"]), " with every setting computed."),
        [
            wide("Test"),
            left("Correction"),
            right("Rejected"),
            right("Not rejected"),
            right("Undecided"),
        ],
        rows,
        how,
        *notes(context, [item]),
        *dict.fromkeys(
            f"{_setting(s)}: {s['problem']}" for s in values["settings"] if s["problem"]
        ),
    )


def _hypotheses(context: Context, item: Analysis, number: int) -> list[Table | Figure]:
    """Return how many settings are for and against each reported decision, as table and figure."""
    every = sorted(item.values["hypotheses"], key=lambda h: -h["against"])
    several = len({(h["data"], h["metric"]) for h in every}) > 1
    names = [_named(context, hypothesis, several=several) for hypothesis in every]
    titles = {
        " ".join(filter(None, (s["test"], s["correction"]))): _setting(s)
        for s in item.values["settings"]
    }
    decided = [h for h in every if h["reported"] is not None]
    left_ = plural(len(every) - len(decided), "hypothesis", "hypotheses")
    caption = runs("Settings for and against each decision of ", Code(item.values["source"]), ".")
    made = table(
        f"table-sensitivity-{number}",
        caption,
        [
            wide("Hypothesis"),
            left("Reported"),
            right("For"),
            right("Against"),
            wide("Decided otherwise by"),
        ],
        [
            row(
                name,
                DECIDED[h["reported"]],
                counted(h["same"]),
                counted(h["against"]),
                "; ".join(titles.get(s, s) for s in h["against_by"]) or "–",
            )
            for name, h in zip(names[:MOST_ROWS], every, strict=False)
        ],
        _dependent(sum(1 for h in decided if h["against"]), len(decided)),
        f"the comparison did not decide {left_}, which no setting can turn"
        if len(decided) < len(every)
        else None,
        f"the {count(MOST_ROWS)} with the most against are listed"
        if len(every) > MOST_ROWS
        else None,
    )
    rows = [(name, [h["same"], h["against"]]) for name, h in zip(names, every, strict=True)]
    rows = rows[:MOST_DRAWN]
    most = max((sum(numbers) for _, numbers in rows), default=1.0)
    drawing = stacked_bars(
        rows, ("for the reported decision", "against it"), "Settings", Scale(0), "Decisions",
        LABEL_OF_PAIR, (0.0, most),
    )  # fmt: skip
    caption += not_drawn(len(every), MOST_DRAWN, made.id, "hypotheses")
    return [made, Figure(f"figure-sensitivity-{number}", caption, (Panel(*drawing, ()),))]


def _dependent(turned: int, n: int) -> str | None:
    if n < 2:
        verb = "depends" if turned else "does not depend"
        return f"the decision {verb} on the setting" if n else None
    some = "none" if turned == 0 else "all" if turned == n else number_word(turned)
    verb = "depend" if turned > 1 else "depends"
    return f"{some} of the {number_word(n)} decisions {verb} on the setting"


def _setting(setting: Any) -> str:
    return ", ".join(filter(None, (_test(setting), _correction(setting))))


def _test(setting: Any) -> str:
    """Return the title of a test with its form, as a file before titles has it: by its name."""
    written, title = setting["test"], setting.get("test_title")
    if title is None:
        return str(written)
    options = written_options(written.removeprefix(method_of(written)))
    words = ", ".join(VARIANTS.get(word) or word for word in options.split(", "))
    return printed(title) + (f" ({words})" if words else "")


def _correction(setting: Any) -> str:
    title = setting.get("correction_title") or setting["correction"] or ""
    return printed(title.removesuffix(" correction"))


def _named(context: Context, hypothesis: Mapping[str, Any], *, several: bool) -> str:
    models = " – ".join(context.model(name) for name in hypothesis["models"])
    if not several:
        return models
    data = "" if hypothesis["data"] is None else f", {context.data_label(hypothesis['data'])}"
    return f"{models}, {context.metric(hypothesis['metric']).noun}{data}"
