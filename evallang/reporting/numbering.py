"""What a document becomes before it is laid out: numbered, capped, its references resolved."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting.document import (
    Block,
    Caution,
    Cite,
    Document,
    Emphasis,
    Figure,
    NumberedFindings,
    Paragraph,
    Ref,
    References,
    Run,
    Runs,
    Section,
    Strong,
    Table,
    Text,
    Title,
)
from evallang.reporting.long_tables import Room, capped

AFTER_PUNCTUATION = ".,;"
RAISED = tuple("⁰¹²³⁴⁵⁶⁷⁸⁹")


class Numbering(Struct, frozen=True):
    """The labels of tables and figures ("Table 1"), and the number of each cited work."""

    labels: Mapping[str, str]
    citations: Mapping[str, int]


def number(document: Document, room: Room) -> tuple[Document, Numbering]:
    """Number tables, figures and citations in their order; cut tables to the room of a medium.

    Works that are not cited are excluded, and citations of works that are not known.
    """
    labels: dict[str, str] = {}
    citations: dict[str, int] = {}
    known = {
        work.key
        for section in document.sections
        for block in section.blocks
        if isinstance(block, References)
        for work in block.works
    }
    tables = figures = 0
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                tables += 1
                labels[block.id] = f"Table\u00a0{tables}"
            elif isinstance(block, Figure) and block.placed:
                figures += 1
                labels[block.id] = f"Figure\u00a0{figures}"
            elif isinstance(block, Caution):
                labels[block.id] = block.lead
            for run in runs_of_block(block):
                if isinstance(run, Cite):
                    for key in run.keys:
                        if key in known:
                            citations.setdefault(key, len(citations) + 1)
        labels[section.id] = section.heading
    numbering = Numbering(labels, citations)
    sections = []
    for section in document.sections:
        blocks = [_settled(block, numbering, room) for block in section.blocks]
        kept = tuple(block for block in blocks if block is not None)
        if kept:
            sections.append(Section(section.id, section.heading, kept))
    return replace(document, sections=tuple(sections)), numbering


def runs_of_block(block: Block) -> Iterator[Run]:
    """Iterate over the runs of a block that may cite works."""
    rows: list[Runs] = []
    if isinstance(block, Title):
        rows = [block.question]
    elif isinstance(block, Paragraph):
        rows = [block.runs]
    elif isinstance(block, NumberedFindings):
        rows = list(block.items)
    elif isinstance(block, Caution):
        rows = [block.body]
    elif isinstance(block, Table):
        rows = [block.caption, *block.notes]
        rows += [cell.runs for row in block.rows for cell in row.cells]
    elif isinstance(block, Figure) and block.placed:
        rows = [block.caption]
    for row in rows:
        yield from flat(row)


def flat(row: Runs) -> Iterator[Run]:
    """Iterate over runs and those inside of them."""
    for run in row:
        yield run
        if isinstance(run, Strong | Emphasis):
            yield from flat(run.runs)


def _settled(block: Block, numbering: Numbering, room: Room) -> Block | None:
    if isinstance(block, Figure) and not block.placed:
        return None
    if isinstance(block, References):
        works = [work for work in block.works if work.key in numbering.citations]
        works.sort(key=lambda work: numbering.citations[work.key])
        return References(tuple(works)) if works else None
    if isinstance(block, Title):
        return replace(block, question=_cited(block.question, numbering))
    if isinstance(block, Paragraph):
        return replace(block, runs=_cited(block.runs, numbering))
    if isinstance(block, NumberedFindings):
        return NumberedFindings(tuple(_cited(item, numbering) for item in block.items))
    if isinstance(block, Caution):
        return replace(block, body=_cited(block.body, numbering))
    if isinstance(block, Figure):
        return replace(block, caption=_cited(block.caption, numbering))
    if isinstance(block, Table):
        notes = tuple(_cited(note, numbering) for note in block.notes)
        return capped(replace(block, notes=notes), room)
    return block


def _cited(row: Runs, numbering: Numbering) -> Runs:
    """Move citations behind the punctuation, where superscripts stand; drop dead references."""
    made: list[Run] = []
    for run in row:
        if isinstance(run, Cite):
            keys = tuple(key for key in run.keys if key in numbering.citations)
            if keys:
                made.append(Cite(keys, spelled=_ends_raised(made)))
        elif isinstance(run, Ref) and not run.words and run.target not in numbering.labels:
            made.append(Text("see the results"))
        elif (
            isinstance(run, Text)
            and made
            and isinstance(made[-1], Cite)
            and not made[-1].spelled
            and run.text[:1] in AFTER_PUNCTUATION
            and run.text
        ):
            cite = made.pop()
            made += [Text(run.text[0]), cite]
            if run.text[1:]:
                made.append(Text(run.text[1:]))
        else:
            made.append(run)
    return tuple(made)


def _ends_raised(row: list[Run]) -> bool:
    """Return whether a row ends in a raised figure, which a citation would run into."""
    return bool(row) and isinstance(row[-1], Text) and row[-1].text.endswith(RAISED)
