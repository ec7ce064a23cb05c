"""What a section of a report is: a function from a `Context` to blocks, registered once.

The families of sections are the modules of this room; `order` is the place on the page.
A section without anything to say gives no blocks and is excluded.
"""

from collections.abc import Callable

from evallang.frozen_records import frozen
from evallang.registry import Registry
from evallang.reporting.context import Context
from evallang.reporting.document import Document, Runs, Section


@frozen
class SectionDeclaration:
    """Where a section stands, and what it adds to the methods text.

    Attributes
    ----------
    order : the place on the page
    hideable : True where an author may hide it
    methods : the sentence of the methods text about what the section is about; empty where the
        results have nothing of it
    """

    order: int
    hideable: bool = True
    methods: Callable[[Context], Runs] | None = None


SECTIONS: Registry[SectionDeclaration] = Registry("section", "evallang.reporting")
"""All sections, by the name that `show` and `hide` take."""


def methods_sentences(context: Context) -> list[Runs]:
    """Return the sentences that sections add to the methods text, in the order of the page."""
    ordered = sorted(SECTIONS, key=lambda entry: entry.declaration.order)
    declared = [entry.declaration.methods for entry in ordered]
    return [sentence(context) for sentence in declared if sentence is not None]


def build(context: Context) -> Document:
    """Build the document: every section that is shown and has something to say, in order."""
    settings = context.results.report
    sections = []
    for entry in sorted(SECTIONS, key=lambda entry: entry.declaration.order):
        if entry.declaration.hideable:
            if settings.show is not None and entry.name not in settings.show:
                continue
            if entry.name in settings.hide:
                continue
        blocks = tuple(entry.function(context))
        if blocks:
            sections.append(Section(entry.name, entry.title, blocks))
    return Document(
        context.title,
        context.report_id,
        context.created,
        context.footer,
        settings.page,
        tuple(sections),
    )
