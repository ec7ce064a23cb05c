"""Reporting checklists: where this report answers their items, and which are for the authors.

The items are short forms of the published ones; each list names where they were published.
"""

from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby

import msgspec
from msgspec import Struct

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Link, Ref, Row, Runs, listed, runs
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import heading, left, row, table, wide


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


@SECTIONS.register(
    SectionDeclaration(order=97, supplement=True, comes_last=True, tables=False), title="Checklists"
)
def checklists(context: Context) -> Sequence[Block]:
    """Return one table: for each section, the items of each checklist that it answers."""
    places = item_places(context)
    rows: list[Row] = []
    shown: set[bool] = set()
    parts = {section.supplement for section in context.sections if section.heading}
    for section in context.sections:
        here = [
            ", ".join(
                item.number + (PARTLY if item.partly else "")
                for item in checklist.items
                if places[checklist.name, item.number] == section.id
            )
            for checklist in CHECKLISTS
        ]
        if any(here) and len(parts) > 1 and (section.supplement not in shown):
            shown.add(section.supplement)
            rows.append(heading("Supplement" if section.supplement else "Main part"))
        if any(here):
            rows.append(row(Ref(section.id, section.heading), *here))
    if not rows:
        return []
    without = [_for_the_authors(checklist, places) for checklist in CHECKLISTS]
    sources = [runs(f"{c.name}: ", c.published) for c in CHECKLISTS]
    return [
        table(
            "table-checklists",
            "Items of three reporting checklists, and where this report answers them.",
            [left("Section"), *(wide(checklist.name) for checklist in CHECKLISTS)],
            rows,
            f"{PARTLY} In part: the report has the facts, the authors complete the item.",
            f"For the authors: {'; '.join(filter(None, without))}.",
            runs("Sources: ", listed(sources, comma="; ", last="; "), "."),
            whole=True,
        )
    ]


def item_places(context: Context) -> dict[tuple[str, str], str | None]:
    """Return the section that answers each item, by checklist and number; None is the authors."""
    first: dict[Topic, str] = {}
    for section in context.sections:
        topics = SECTIONS[section.name].declaration.topics
        for topic in topics if isinstance(topics, tuple) else topics(context):
            first.setdefault(topic, section.id)
    return {
        (checklist.name, item.number): first.get(item.topic) if item.topic is not None else None
        for checklist in CHECKLISTS
        for item in checklist.items
    }


def _for_the_authors(checklist: Checklist, places: dict[tuple[str, str], str | None]) -> str:
    """List the items without a section: "REFORMS 1a to 1c, 3a"."""
    missing = [places[checklist.name, item.number] is None for item in checklist.items]
    every = [item.number for item in checklist.items]
    ranges = (
        [every[k] for k in group]
        for lost, part in groupby(range(len(every)), missing.__getitem__)
        for group in ([*part],)
        if lost
    )
    words = [f"{g[0]} to {g[-1]}" if len(g) > 2 else ", ".join(g) for g in ranges]
    return f"{checklist.name} {', '.join(words)}" if words else ""
