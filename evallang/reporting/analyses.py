"""How a section shows an analysis, and what those sections share."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from msgspec import Struct

from evallang.registry import Entry
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    Block,
    Code,
    Figure,
    Number,
    Panel,
    Paragraph,
    Ref,
    Runs,
    Table,
    runs,
)
from evallang.reporting.numbers import Scale, fixed
from evallang.reporting.panels import drawn_words, in_parts
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.sentences import linked, write
from evallang.reporting.wording import scope_words, sentence, with_level
from evallang.results.records import Analysis


class Part(Struct, frozen=True):
    """The analyses of one place that have values, and notes on the others.

    `which` says what the first ones are, where there are too many to be drawn: "best" or "first".
    """

    number: int
    items: list[Analysis]
    which: str
    problems: list[Block]


Draw = Callable[[Context, Part], Iterable[Block]]
"""Draws the analyses of one place."""
Say = Callable[[Context, Sequence[Analysis]], Iterable[Runs]]
"""States the key findings of the analyses of one place, the best models first."""
Key = Callable[[Analysis], object]
"""Returns what analyses have in common that are shown, or stated, together."""
MOST_TOLD = 2  # models of a key finding; it states the range of the others


def by_metric(item: Analysis) -> tuple[str | None, ...]:
    """Return the place and the metric of an analysis."""
    return item.data, item.protocol, item.metric


def by_place(item: Analysis) -> tuple[str | None, ...]:
    """Return the place of an analysis."""
    return item.data, item.protocol


FINDINGS: dict[str, tuple[Say, Key]] = {}
"""What states the key findings of the analyses of one kind that have the same key."""


def states(kind: str, *, key: Key = by_place) -> Callable[[Say], Say]:
    """Register the decorated function as what states the key findings of one analysis."""

    def decorate(say: Say) -> Say:
        FINDINGS[kind] = say, key
        return say

    return decorate


def analysis_findings(context: Context, *, rankings: bool) -> list[Runs]:
    """Return the key findings of analyses, or of rankings of models, in the order of the study."""
    said: list[Runs] = []
    kinds = dict.fromkeys(item.kind for item in context.results.analyses)
    asked = [kind for kind in kinds if (kind in _rankings(SECTIONS)) is rankings]
    for kind in (kind for kind in asked if kind in FINDINGS):
        say, key = FINDINGS[kind]
        groups: dict[object, list[Analysis]] = {}
        for item in filter(computed, of_kind(context, kind)):
            groups.setdefault(key(item), []).append(item)
        for items in groups.values():
            found = say(context, in_order_of_models(context, items))
            said += linked(context, found, id(items[0]))
    return said


def parts(
    context: Context,
    found: Iterable[Analysis],
    key: Key,
) -> Iterator[Part]:
    """Iterate over analyses by their places, those of the best models first."""
    for number, (_, group) in enumerate(groupby(found, key), start=1):
        items = list(group)
        known = in_order_of_models(context, [item for item in items if computed(item)])
        place = Setting(items[0].data, items[0].protocol)
        which = "best" if context.metrics(place) else "first"
        yield Part(number, known, which, problems(context, items))


def drawn_parts(context: Context, found: Iterable[Analysis], key: Key, draw: Draw) -> list[Block]:
    """Draw the analyses of each place, and note which figure or table shows them first."""
    blocks: list[Block] = []
    for part in parts(context, found, key):
        made = list(draw(context, part)) if part.items else []
        exhibits = (one.id for kind in (Figure, Table) for one in made if isinstance(one, kind))
        for first in islice(exhibits, 1):
            context.shown_in |= dict.fromkeys(map(id, part.items), first)
        blocks += [*made, *part.problems]
    return blocks


def shows(
    kind: str,
    *,
    order: int,
    title: str,
    methods: str | Callable[[Context, Sequence[Analysis]], str | Runs] = "",
    key: Key = by_metric,
    topics: tuple[Topic, ...] = (),
    name: str | None = None,
    supplement: bool = False,
    ranking: bool = False,
) -> Callable[[Draw], Draw]:
    """Register the decorated function as the section of the report that shows one analysis.

    It draws the analyses of one place, given by `key`; what could not be computed is told
    after it. `methods` is the sentence of the methods text about those with
    values, without its references, or a function that returns it.
    """

    def sentence_of(context: Context) -> Runs:
        found = list(filter(computed, of_kind(context, kind)))
        if not found:
            return ()
        words = methods if isinstance(methods, str) else methods(context, found)
        return runs(words, context.cite("analysis", kind), ".") if words else ()

    def decorate(draw: Draw) -> Draw:
        def section(context: Context) -> Sequence[Block]:
            return drawn_parts(context, of_kind(context, kind), key, draw)

        section.__doc__ = draw.__doc__
        declared = SectionDeclaration(
            order,
            methods=sentence_of if methods else None,
            topics=topics,
            supplement=supplement,
            ranking=ranking,
            analyses=True,
            kinds=(kind,),
        )
        SECTIONS.register(declared, title=title, name=name or draw.__name__)(section)
        return draw

    return decorate


def of_kind(context: Context, kind: str) -> list[Analysis]:
    """Return the analyses of one kind."""
    return [item for item in context.results.analyses if item.kind == kind]


def computed(item: Analysis) -> bool:
    """Return whether an analysis has values."""
    return item.values.get("problem") is None


def ranks_models(context: Context, setting: Setting, metric: str) -> bool:
    """Return whether an analysis has all models of a setting in order, with their groups."""
    known = {e.model for e in context.estimates(setting, metric) if e.value is not None}
    kinds = _rankings(entry for entry in SECTIONS if context.shows(entry.name))
    return any(
        {one["model"] for one in item.values["models"]} == known
        for item in context.results.analyses
        if (item.data, item.protocol, item.metric) == (setting.data, setting.protocol, metric)
        and item.kind in kinds
        and computed(item)
    )


def _rankings(sections: Iterable[Entry[SectionDeclaration]]) -> set[str]:
    """Return the kinds of analyses that rank models, of some sections."""
    return {kind for e in sections if e.declaration.ranking for kind in e.declaration.kinds}


def in_order_of_models(context: Context, items: Sequence[Analysis]) -> list[Analysis]:
    """Return analyses of one place, those of the best models first."""
    order = context.order(Setting(items[0].data, items[0].protocol)) if items else {}
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


def figures_of_models(
    part: Part, name: str, panels: Sequence[Panel], words: str, subject: str, most: int
) -> list[Figure]:
    """Return the figures with a panel for each model, of which `most` are drawn."""
    rest = not_drawn(len(part.items), most, f"table-{name}-{part.number}", which=part.which)
    caption = runs(sentence(words)) + rest
    return in_parts(f"figure-{name}-{part.number}", caption, panels, subject)


def about(context: Context, items: Sequence[Analysis]) -> Runs:
    """State what the numbers of some analyses apply to; one without a model is of several."""
    models = {item.model for item in items}
    several, first = None in models or len(models) > 1, items[0]
    words = scope_words(context, first.values["about"], first.data, several=several)
    return runs(f"The numbers apply to {words}.")


def further_notes(context: Context, items: Iterable[Analysis]) -> list[Runs]:
    """Return the notes of some analyses, with the models that they are about."""
    models: dict[str, list[str]] = {}
    every = list(items)
    for item in every:
        for note in item.values["notes"]:
            models.setdefault(note, []).extend([context.model(item.model)] if item.model else [])
    return [
        runs(
            sentence(
                f"{', '.join(names)}: {note}" if len(names) < len(every) and names else note,
                context.own_names,
            )
        )
        for note, names in models.items()
    ]


def told(context: Context, name: str, found: Sequence[Any], /, **facts: Any) -> list[Runs]:
    """Return the sentence of a key finding: the best models, and what it says of the others."""
    n = MOST_TOLD if len(found) > MOST_TOLD + 1 else len(found)  # one more is told, not counted
    parts = {"shown": found[:n], "further": found[n:]}
    return [write(context, "analyses", name, **parts, **facts)] if found else []


def with_interval(
    value: float, scale: Scale, sign: str, low: float | None, high: float | None, level: float
) -> Runs:
    """Print a number with its sign, and its interval where it has one."""
    made = runs(Number(fixed(value, scale) + sign, value))
    if low is None or high is None:
        return made
    return made + runs(" (", with_level(low, high, scale, level), ")")


def notes(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """Return what the numbers of analyses apply to, and their further notes."""
    said = [about(context, items)] if "about" in items[0].values else []
    return [*said, *further_notes(context, items)]


def problems(context: Context, items: Iterable[Analysis]) -> list[Block]:
    """Write which analyses could not be computed, and why."""
    made: list[Block] = []
    for item in items:
        if computed(item):
            continue
        if "source" in item.values:
            line, problem = Code(item.values["source"]), item.values["problem"]
            made.append(Paragraph(runs("For ", line, f", {problem}."), "note"))
        else:
            of = f" of {context.model(item.model)}" if item.model else ""
            text = f"{context.method_title('analysis', item.kind)}{of}{place_after(context, item)}"
            text += f" could not be computed: {item.values['problem']}"
            made.append(Paragraph(runs(sentence(text)), "note"))
    return made
