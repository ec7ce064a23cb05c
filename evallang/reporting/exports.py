"""Exported models: what was saved, how it was chosen, what to make of its estimate."""

import json
from collections.abc import Iterator, Sequence

from evallang.reporting.best_of_many import corrected_words
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Listing,
    Paragraph,
    Row,
    Runs,
    Strong,
    Table,
    runs,
)
from evallang.reporting.numbers import count
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.topics import Topic
from evallang.reporting.wording import sentence, value_text
from evallang.results.records import Export


@SECTIONS.register(SectionDeclaration(order=55, topics=(Topic.EXPORTED,)), title="Exported models")
def exports(context: Context) -> Sequence[Block]:
    """Return each saved model with its hyper-parameters, and how to read it."""
    found = context.results.exports
    if not found:
        return []
    rows = [
        Row(
            (
                Cell(runs(context.model(item.model))),
                Cell(runs(Code(item.path))),
                Cell(runs(Code(_parameters(item)) if item.params else "as written")),
                Cell(runs(*_types(item))),
            )
        )
        for item in found
    ]
    columns = (
        Column(runs("Model"), "left"),
        Column(runs("File"), "left", wide=True),
        Column(runs("Hyper-parameters"), "left", wide=True),
        Column(runs("Types to trust"), "left", muted=True, wide=True),
    )
    said = {item.model: "; ".join(item.notes) for item in found if item.notes}
    several = len({item.model for item in found}) > 1
    notes = [
        runs(sentence(f"{context.model(model)}: {note}" if several else note, context.own_names))
        for model, note in said.items()
    ]
    caption = runs(f"Models fitted on all {_cases(context)} and saved.")
    blocks: list[Block] = [
        Paragraph(row) for item in found if item.best for row in _caution_of_best(context, item)
    ]
    blocks.append(Table("table-exports", caption, columns, tuple(rows), notes=tuple(notes)))
    blocks.append(Paragraph(runs("To read a model and predict new rows:")))
    blocks.append(Listing(_python(found[0]), "Python"))
    return blocks


def fitted_on_all(context: Context) -> Runs:
    """State for the methods paragraph what was exported; nothing without an export."""
    names = dict.fromkeys(item.model for item in context.results.exports)
    if not names:
        return ()
    listed = " and ".join(context.model(name) for name in names)
    verb = "was" if len(names) == 1 else "were"
    made = f"After the evaluation, {listed} {verb} fitted on all {_cases(context)}"
    searched = [item for item in context.results.exports if item.params]
    return runs(made, ", with hyper-parameters selected as before." if searched else ".")


def _cases(context: Context) -> str:
    data = context.results.data[0]
    return f"{count(data.n)} {context.cases(data.name)}"


def _parameters(item: Export) -> str:
    return ", ".join(f"{name}={value}" for name, value in item.params.items())


def _types(item: Export) -> Iterator[Code | str]:
    if not item.trusted_types:
        yield "none"
    for i, name in enumerate(item.trusted_types):
        if i:
            yield ", "
        yield Code(name)


def _caution_of_best(context: Context, item: Export) -> Iterator[Runs]:
    """Format the caution of a model that was chosen on the folds that measure it."""
    protocol = next((p.name for p in context.results.protocols if p.implied_by is None), None)
    setting = Setting(context.results.data[0].name, protocol)
    metrics = context.metrics(setting)
    models = context.models_best_first(setting, metrics[0]) if metrics else ()
    if not metrics or len(models) < 2:
        return
    metric = context.metric(metrics[0])
    estimate = context.estimate(setting, item.model, metrics[0])
    value = value_text(
        metric, None if estimate is None else estimate.value, context.scale(setting, metrics[0])
    )
    lead = f"{context.model(item.model)} was exported as the best model"
    made = runs(
        Strong(runs(lead)),
        f", by {metric.noun} under {context.protocol(protocol)} (", value, "). ",
        _no_difference(context),
        "The estimate of a model that was chosen on the folds that measure it is optimistic. ",
    )  # fmt: skip
    yield made + _corrected(context, setting, item)


def _no_difference(context: Context) -> str:
    comparisons = context.results.comparisons
    if not comparisons:
        return "No comparison tests whether it differs from the others. "
    tests = [t for c in comparisons for t in (c.omnibus, *c.pairwise) if t is not None]
    if any(test.reject or test.reject is None for test in tests):
        return ""
    return (
        "No comparison of this study found a difference between the models, so that another "
        "may be as good or better. "
    )


def _corrected(context: Context, setting: Setting, item: Export) -> Runs:
    found = item.corrected
    if found is None:
        return runs(
            "No corrected figure is given: the predictions of ",
            context.protocol(setting.protocol),
            " cannot be drawn again as independent examples, or some are missing.",
        )
    return corrected_words(context, setting, found, _cases(context))


def _python(item: Export) -> str:
    trusted = json.dumps(list(item.trusted_types), ensure_ascii=False)
    argument = f", trusted={trusted}" if item.trusted_types else ""
    path = json.dumps(item.path, ensure_ascii=False)
    return f"import skops.io\n\nmodel = skops.io.load({path}{argument})\nmodel.predict(rows)"
