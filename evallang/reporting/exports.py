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
    Strong,
    listed,
    runs,
)
from evallang.reporting.numbers import count, interval, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import left, row, table, wide
from evallang.reporting.wording import number_word, sentence, value_text
from evallang.results.records import BestOfMany, CorrectedEstimate, Export

NO_TEST = "No comparison tests whether it differs from the others. "
NONE_FOUND = (
    "No comparison of this study found a difference between the models, so that another may be as "
    "good or better. "
)


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
        f"Models fitted on all {_cases(context)} and saved.",
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
        Paragraph(words) for item in found if item.best for words in _caution(context, item)
    ]
    load = runs("To read a model and predict new rows:")
    path, trusted = (
        json.dumps(value, ensure_ascii=False)
        for value in (found[0].path, list(found[0].trusted_types))
    )
    argument = f", trusted={trusted}" if found[0].trusted_types else ""
    python = f"import skops.io\n\nmodel = skops.io.load({path}{argument})\nmodel.predict(rows)"
    return [*cautions, made, Paragraph(load), Listing(python, "Python")]


def fitted_on_all(context: Context) -> Runs:
    """State for the methods paragraph what was exported; nothing without an export."""
    names = dict.fromkeys(item.model for item in context.results.exports)
    if not names:
        return ()
    models = " and ".join(context.model(name) for name in names)
    verb = "was" if len(names) == 1 else "were"
    made = f"After the evaluation, {models} {verb} fitted on all {_cases(context)}"
    searched = [item for item in context.results.exports if item.params]
    return runs(made, ", with hyper-parameters selected as before." if searched else ".")


def _cases(context: Context) -> str:
    data = context.results.data[0]
    return f"{count(data.n)} {context.cases(data.name)}"


def _caution(context: Context, item: Export) -> Iterator[Runs]:
    """Format the caution of a model that was chosen on the folds that measure it."""
    protocol = next((p.name for p in context.results.protocols if p.implied_by is None), None)
    setting = Setting(context.results.data[0].name, protocol)
    metrics = context.metrics(setting)
    models = context.models_best_first(setting, metrics[0]) if metrics else ()
    if not metrics or len(models) < 2:
        return
    metric = context.metric(metrics[0])
    estimate = context.estimate(setting, item.model, metrics[0])
    known = None if estimate is None else estimate.value
    found, cases, compared = item.corrected, _cases(context), context.results.comparisons
    tests = [t for c in compared for t in (c.omnibus, *c.pairwise) if t is not None]
    no_difference = NONE_FOUND if tests else NO_TEST
    if any(test.reject in (True, None) for test in tests):
        no_difference = ""
    yield runs(
        Strong(runs(f"{context.model(item.model)} was exported as the best model")),
        f", by {metric.noun} under {context.protocol(protocol)} (",
        value_text(metric, known, context.scale(setting, metrics[0])),
        "). ",
        no_difference,
        "The estimate of a model that was chosen on the folds that measure it is optimistic. ",
        runs(
            f"No corrected figure is given: the predictions of {context.protocol(protocol)} cannot "
            "be drawn again as independent examples, or some are missing."
        )
        if found is None
        else corrected_words(context, setting, found, cases),
    )


def best_of_many(context: Context, setting: Setting) -> Iterator[Paragraph]:
    """Iterate over what a setting with many models on one test set makes of the best."""
    for found in context.results.best_of_many:
        if Setting(found.data, found.protocol) != setting:
            continue
        metric = context.metric(found.metric)
        scale = context.scale(setting, found.metric)
        number = number_word(len(found.models))
        made = runs(
            Strong(runs(f"The best of {number} models")),
            f" by {metric.noun} was {context.model(found.model)} (",
            value_text(metric, found.naive, scale),
            "). It was chosen on the rows that measure it, so this estimate is optimistic. ",
            corrected_words(context, setting, found, f"the {context.cases(found.data)}"),
        )
        yield Paragraph(made)


def corrected_words(
    context: Context, setting: Setting, found: BestOfMany | CorrectedEstimate, cases: str
) -> Runs:
    """State how an estimate was corrected for the choice of the best, and the corrected value."""
    metric = context.metric(found.metric)
    scale = context.scale(setting, found.metric)
    shown = interval(found.low, found.high, scale)
    return runs(
        f"To correct for that, {cases} were drawn with replacement "
        f"{count(found.rounds)} times, the best of the {number_word(len(found.models))} models was "
        f"chosen on each draw, and measured on the {context.cases(setting.data)} not "
        "drawn: ",
        value_text(metric, found.value, scale),
        f" on average ({percent(found.level)} of the draws in ",
        Interval(shown, found.low, found.high),
        "; BBC-CV",
        context.cite("estimate", found.method),
        ").",
    )
