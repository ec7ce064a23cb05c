"""What the sections of `analyze` lines share: which analyses they show, and in which order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Block, Paragraph, Ref, Runs, runs
from evallang.reporting.panels import drawn_words
from evallang.reporting.wording import scope_words, sentence
from evallang.results.records import Analysis


class Part(Struct, frozen=True):
    """The analyses of one place that have values, and notes on the others.

    `which` says what the first ones are, where there are too many to be drawn: "best" or "first".
    """

    number: int
    items: list[Analysis]
    which: str
    problems: list[Block]


def parts(
    context: Context,
    found: Iterable[Analysis],
    most: int,
    key: Callable[[Analysis], object] = lambda item: (item.data, item.protocol, item.metric),
) -> Iterator[Part]:
    """Iterate over analyses by their places; of more than `most` models the best come first."""
    for number, (_, group) in enumerate(groupby(found, key), start=1):
        items = list(group)
        known, which = best_first(context, [item for item in items if computed(item)], most)
        yield Part(number, known, which, problems(context, items))


def of_predictions(context: Context, *, curves: bool) -> list[Analysis]:
    """Return the analyses of predictions, those with a curve or the others."""
    found = []
    for item in context.results.analyses:
        method = context.method("analysis", item.kind)
        if method is None or method.section is not None or "about" not in item.values:
            continue
        if (method.curve is not None) == curves:
            found.append(item)
    return found


def shown_in(context: Context, section: str) -> list[Analysis]:
    """Return the analyses that a section shows, as their declarations name it."""
    methods = ((item, context.method("analysis", item.kind)) for item in context.results.analyses)
    return [item for item, method in methods if method is not None and method.section == section]


def computed(item: Analysis) -> bool:
    """Return whether an analysis has values."""
    return item.values.get("problem") is None


def first_computed(context: Context, section: str) -> Analysis | None:
    """Return the first analysis of a section that has values."""
    return next(filter(computed, shown_in(context, section)), None)


def best_first(
    context: Context, items: Sequence[Analysis], most: int
) -> tuple[list[Analysis], str]:
    """Return analyses of one place, of more than `most` models those of the best models first.

    Also returned is which models the first ones are then: "best" or "first".
    """
    if len({item.model for item in items}) <= most:
        return list(items), "first"
    place = Setting(items[0].data, items[0].protocol)
    return in_order_of_models(context, items), "best" if context.metrics(place) else "first"


def in_order_of_models(context: Context, items: Sequence[Analysis]) -> list[Analysis]:
    """Return analyses of one place, those of the best models first."""
    place = Setting(items[0].data, items[0].protocol)
    metrics = context.metrics(place)
    if not metrics:
        return list(items)
    order = {m: i for i, m in enumerate(context.models_best_first(place, metrics[0]))}
    return sorted(items, key=lambda item: order.get(item.model or "", len(order)))


def model_of(context: Context, item: Analysis) -> str:
    """Return the label of the model that an analysis is about."""
    return context.model(item.model or "")


def place_before(context: Context, items: Sequence[Analysis]) -> str:
    """State the place of analyses at the head of a sentence."""
    return context.place(items[0].data, items[0].protocol)


def place_after(context: Context, item: Analysis) -> str:
    """State the place of an analysis at the end of a sentence, with a space before."""
    place = context.place_words(item.data, item.protocol)
    return f" {place}" if place else ""


def not_drawn(n: int, most: int, table: str, noun: str = "models", which: str = "first") -> Runs:
    """State that a figure has fewer than all `n`, and that the table has them."""
    return drawn_words(min(n, most), n, noun, runs(Ref(table, "the table")), which)


def about(items: Sequence[Analysis]) -> Runs:
    """State what the numbers of some analyses apply to; one without a model is of several."""
    models = {item.model for item in items}
    words = scope_words(items[0].values["about"], several=None in models or len(models) > 1)
    return runs(f"The numbers apply to {words}.")


def further_notes(context: Context, items: Iterable[Analysis]) -> list[Runs]:
    """Return the notes of some analyses, with the models that they are about."""
    models: dict[str, list[str]] = {}
    for item in items:
        for note in item.values["notes"]:
            models.setdefault(note, []).extend([context.model(item.model)] if item.model else [])
    return [
        runs(sentence(f"{', '.join(names)}: {note}" if names else note, context.own_names))
        for note, names in models.items()
    ]


def notes(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """Return what the numbers of analyses apply to, and their further notes."""
    return [about(items), *further_notes(context, items)]


def problems(context: Context, items: Iterable[Analysis]) -> list[Block]:
    """Write which analyses could not be computed, and why."""
    made: list[Block] = []
    for item in items:
        if not computed(item):
            of = f" of {context.model(item.model)}" if item.model else ""
            text = f"{context.method_title('analysis', item.kind)}{of}{place_after(context, item)}"
            text += f" could not be computed: {item.values['problem']}"
            made.append(Paragraph(runs(sentence(text)), "note"))
    return made
