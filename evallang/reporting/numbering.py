"""What a document becomes before it is laid out: numbered, capped, its references resolved."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

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
    Strong,
    Table,
    Text,
    Title,
)
from evallang.reporting.long_tables import capped

AFTER_PUNCTUATION = ".,;"
RAISED = tuple("⁰¹²³⁴⁵⁶⁷⁸⁹")


class Numbering(Struct, frozen=True):
    """The labels of tables and figures ("Table 1"), and the number of each cited work.

    `elsewhere` are the identifiers in a part that is not shown.
    """

    labels: Mapping[str, str]
    elsewhere: Set[str]
    citations: Mapping[str, int]

    def cited(self, keys: Iterable[str], *, ranges: bool = True) -> list[tuple[str, int]]:
        """Return the numbers of cited works, each after what separates it: "1,4–6".

        Without `ranges` every number is there.
        """
        made: list[tuple[str, int]] = []
        start = 0
        for n in (self.citations[key] for key in keys):
            start = start if made and made[-1][1] == n - 1 else n
            if ranges and n - start > 1:
                made[-1] = ("–", n)
            else:
                made.append(("," if made else "", n))
        return made


def number(document: Document, rows: int) -> tuple[Document, Numbering]:
    """Number tables, figures and citations in their order; cut tables to so many rows.

    Works that are not cited are excluded, and citations of works that are not known. Where one
    part alone is shown, references to the other are words without a link.
    """
    labels = {section.id: section.heading for section in document.sections}
    numbers = Counter[str]()
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table | Figure):
                word = f"{block.kind.capitalize()}\u00a0{'S' if section.supplement else ''}"
                numbers[word] += 1
                labels[block.id] = f"{word}{numbers[word]}"
    labels |= {caution.id: caution.lead for caution in document.every(Caution)}
    known = {work.key for block in document.every(References) for work in block.works}
    document, whole = document.shown(), document
    elsewhere = _identifiers(whole) - _identifiers(document)
    first: dict[str, bool] = {}  # whether a work is cited in the supplement only
    for section in document.sections:
        for block in section.blocks:
            for run in runs_of_block(block):
                for key in run.keys if isinstance(run, Cite) else ():
                    if key in known:
                        first.setdefault(key, section.supplement)
    numbering = Numbering(labels, elsewhere, {key: n for n, key in enumerate(first, start=1)})
    sections = []
    for section in document.sections:
        here = [key for key, supplement in first.items() if supplement == section.supplement]
        blocks = [_settled(block, numbering, here, rows) for block in section.blocks]
        kept = tuple(block for block in blocks if block is not None)
        if kept:
            sections.append(replace(section, blocks=kept))
    return replace(document, sections=tuple(sections)), numbering


def _identifiers(document: Document) -> set[str]:
    """Return what references can link to."""
    blocks = (block for section in document.sections for block in section.blocks)
    found = {block.id for block in blocks if isinstance(block, Table | Figure | Caution)}
    return found | {section.id for section in document.sections}


def runs_of_block(block: Block) -> list[Run]:
    """Return the runs of a block that may cite works."""
    found: list[Run] = []

    def collect(row: Runs) -> Runs:
        found.extend(flat(row))
        return row

    changed(block, collect)
    return found


def changed(block: Block, change: Callable[[Runs], Runs]) -> Block:
    """Return a block with its runs changed."""
    match block:
        case Title():
            return replace(block, question=change(block.question))
        case Paragraph():
            return replace(block, runs=change(block.runs))
        case NumberedFindings():
            return NumberedFindings(tuple(map(change, block.items)))
        case Caution():
            return replace(block, body=change(block.body))
        case Figure():
            return replace(block, caption=change(block.caption))
        case Table():
            caption, notes = change(block.caption), tuple(map(change, block.notes))
            rows = tuple(
                replace(row, cells=tuple(replace(c, runs=change(c.runs)) for c in row.cells))
                for row in block.rows
            )
            return replace(block, caption=caption, notes=notes, rows=rows)
    return block


def flat(row: Runs) -> Iterator[Run]:
    """Iterate over runs and those inside of them."""
    for run in row:
        yield run
        if isinstance(run, Strong | Emphasis):
            yield from flat(run.runs)


def _settled(block: Block, numbering: Numbering, cited: Sequence[str], rows: int) -> Block | None:
    """Return a block as it is laid out; of references those that its part is first to cite."""
    if isinstance(block, References):
        works = [work for work in block.works if work.key in cited]
        works.sort(key=lambda work: numbering.citations[work.key])
        return replace(block, works=tuple(works)) if works else None
    made = changed(block, lambda row: _cited(row, numbering))
    return capped(made, rows) if isinstance(made, Table) else made


def _cited(row: Runs, numbering: Numbering) -> Runs:
    """Move citations behind the punctuation, where superscripts stand; drop dead references."""
    made: list[Run] = []
    for run in row:
        if isinstance(run, Cite):
            keys = tuple(key for key in run.keys if key in numbering.citations)
            # a raised figure would run into the number
            raised = bool(made) and isinstance(made[-1], Text) and made[-1].text.endswith(RAISED)
            if keys:
                made.append(Cite(keys, spelled=raised))
        elif isinstance(run, Ref) and run.aside:
            linked = run.target in numbering.labels and run.target not in numbering.elsewhere
            made += [run] if linked else []
        elif isinstance(run, Ref) and not run.words and run.target not in numbering.labels:
            made.append(Text("see the results"))
        elif isinstance(run, Ref) and run.target in numbering.elsewhere:
            made.append(Text(run.words or numbering.labels[run.target]))
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
