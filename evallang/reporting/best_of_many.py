"""The estimate of the best of many models, corrected for having been chosen."""

from collections.abc import Iterator

from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Interval, Paragraph, Runs, Strong, runs
from evallang.reporting.numbers import count, interval, percent
from evallang.reporting.wording import number_word, value_text
from evallang.results.records import BestOfMany, CorrectedEstimate


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
