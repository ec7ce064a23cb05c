"""Exported models, and the best of many: how they were chosen, and their corrected estimates."""

import json
from collections.abc import Iterator, Sequence

from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    Block,
    Code,
    Interval,
    Listing,
    Paragraph,
    Runs,
    listed,
    runs,
)
from evallang.reporting.numbers import interval
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.sentences import write
from evallang.reporting.tables import left, row, table, wide
from evallang.reporting.wording import sentence, value_text
from evallang.results.records import BestOfMany, CorrectedEstimate, Export

TOPIC = "searches"


@SECTIONS.register(SectionDeclaration(order=55, topics=(Topic.EXPORTED,)), title="Exported models")
def exports(context: Context) -> Sequence[Block]:
    """Return each saved model with its hyper-parameters, and how to read it."""
    found = context.results.exports
    if not found:
        return []
    said = {item.model: "; ".join(item.notes) for item in found if item.notes}
    several = len({item.model for item in found}) > 1
    made = table(
        "table-exports",
        write(context, TOPIC, "caption_of_exports", data=context.results.data[0]),
        [left("Model"), wide("File"), wide("Hyper-parameters"), wide("Types to trust", muted=True)],
        [
            row(
                context.model(item.model),
                Code(item.path),
                Code(", ".join(f"{k}={v}" for k, v in item.params.items()))
                if item.params
                else "as written",
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
        Paragraph(words) for item in found if item.best and (words := _caution(context, item))
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


def _caution(context: Context, item: Export) -> Runs:
    """Format the caution of a model that was chosen on the folds that measure it."""
    data = context.results.data[0]
    protocol = next((p.name for p in context.results.protocols if p.implied_by is None), None)
    setting = Setting(data.name, protocol)
    metrics = context.metrics(setting)
    if not metrics or len(context.models_best_first(setting, metrics[0])) < 2:
        return ()
    metric, scale = context.metric(metrics[0]), context.scale(setting, metrics[0])
    estimate = context.estimate(setting, item.model, metrics[0])
    compared, found = context.results.comparisons, item.corrected
    tests = [t for c in compared for t in (c.omnibus, *c.pairwise) if t is not None]
    return write(
        context,
        TOPIC,
        "exported_as_best",
        item=item,
        noun=metric.noun,
        protocol=protocol,
        value=value_text(metric, None if estimate is None else estimate.value, scale),
        tested=bool(tests),
        different=any(test.reject in (True, None) for test in tests),
        correction=() if found is None else _corrected(context, setting, found),
    )


def best_of_many(context: Context, setting: Setting) -> Iterator[Paragraph]:
    """Iterate over what a setting with many models on one test set makes of the best."""
    for found in context.results.best_of_many:
        if Setting(found.data, found.protocol) == setting:
            scale = context.scale(setting, found.metric)
            value = value_text(context.metric(found.metric), found.naive, scale)
            correction = _corrected(context, setting, found)
            facts = {"found": found, "value": value, "correction": correction}
            yield Paragraph(write(context, TOPIC, "best_of_many", **facts))


def _corrected(context: Context, setting: Setting, found: BestOfMany | CorrectedEstimate) -> Runs:
    """State how an estimate was corrected for the choice of the best, and the corrected value."""
    scale = context.scale(setting, found.metric)
    return write(
        context,
        TOPIC,
        "corrected",
        found=found,
        data=setting.data,
        value=value_text(context.metric(found.metric), found.value, scale),
        interval=Interval(interval(found.low, found.high, scale), found.low, found.high),
    )
