"""Reporting checklists: where this report answers their items, and which are for the authors.

The items are short forms of the published ones; each list names where they were published.
"""

from collections.abc import Iterable, Sequence
from importlib.resources import files

import msgspec
from msgspec import Struct

from evallang.reporting.context import Context
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Link,
    Ref,
    Row,
    Runs,
    Section,
    Table,
    listed,
    runs,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.topics import Topic


class Item(Struct, frozen=True):
    """One item of a checklist: its number, what it asks for, and the topic that answers it.

    Without a topic it is for the authors. `partly` says that the report has the facts, and that
    the authors add the reasons or what only they can know.
    """

    number: str
    asks: str
    topic: Topic | None = None
    partly: bool = False


class Checklist(Struct, frozen=True):
    """A published checklist: its short name, its source, and its items in their order.

    `compared` says with which published text the items were compared.
    """

    name: str
    source: str
    compared: str
    items: tuple[Item, ...]
    doi: str = ""

    @property
    def published(self) -> Runs:
        """The source, with a link to it."""
        link = [Link(f"https://doi.org/{self.doi}", f"doi:{self.doi}")] if self.doi else []
        return runs(self.source, *link)


_TEXT = (files("evallang.reporting") / "checklists.toml").read_bytes()
CHECKLISTS = msgspec.toml.decode(_TEXT, type=dict[str, tuple[Checklist, ...]])["checklists"]
PARTLY = "*"
"""The sign of an item that the report answers in part."""


@SECTIONS.register(SectionDeclaration(order=97, comes_last=True, tables=False), title="Checklists")
def checklists(context: Context) -> Sequence[Block]:
    """Return one table: for each section, the items of each checklist that it answers."""
    places = item_places(context)
    rows = []
    for section in context.sections:
        cells = []
        for checklist in CHECKLISTS:
            here = [
                item.number + (PARTLY if item.partly else "")
                for item in checklist.items
                if places[checklist.name, item.number] == section.id
            ]
            cells.append(Cell(runs(", ".join(here))))
        if any(cell.runs for cell in cells):
            rows.append(Row((Cell(runs(Ref(section.id, section.heading))), *cells)))
    if not rows:
        return []
    columns = (
        Column(runs("Section"), "left"),
        *(Column(runs(checklist.name), "left", wide=True) for checklist in CHECKLISTS),
    )
    left = [_for_the_authors(checklist, places) for checklist in CHECKLISTS]
    notes = (
        runs(f"{PARTLY} In part: the report has the facts, the authors add the reasons."),
        runs("For the authors: ", listed([r for r in left if r], comma="; ", last="; "), "."),
        runs("Sources: ",
             listed([runs(f"{c.name}: ", c.published) for c in CHECKLISTS], comma="; ", last="; "),
             "."),
    )  # fmt: skip
    caption = runs("Items of three reporting checklists, and where this report answers them.")
    return [Table("table-checklists", caption, columns, tuple(rows), notes=notes, whole=True)]


def item_places(context: Context) -> dict[tuple[str, str], str | None]:
    """Return the section that answers each item, by checklist and number; None is the authors."""
    first: dict[Topic, str] = {}
    for section in context.sections:
        for topic in _topics(context, section):
            first.setdefault(topic, section.id)
    return {
        (checklist.name, item.number): first.get(item.topic) if item.topic is not None else None
        for checklist in CHECKLISTS
        for item in checklist.items
    }


def _topics(context: Context, section: Section) -> Iterable[Topic]:
    topics = SECTIONS[section.id].declaration.topics
    return topics if isinstance(topics, tuple) else topics(context)


def _for_the_authors(checklist: Checklist, places: dict[tuple[str, str], str | None]) -> Runs:
    """List the items without a section: "REFORMS 1a to 1c, 3a"."""
    groups: list[list[str]] = []
    before = False
    for item in checklist.items:
        missing = places[checklist.name, item.number] is None
        if missing and before:
            groups[-1].append(item.number)
        elif missing:
            groups.append([item.number])
        before = missing
    words = [
        f"{group[0]} to {group[-1]}" if len(group) > 2 else ", ".join(group) for group in groups
    ]
    return runs(f"{checklist.name} {', '.join(words)}") if words else ()
