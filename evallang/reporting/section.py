"""What a section of a report is: a function from a `Context` to blocks, registered once.

The families of sections are the modules of this room; `order` is the place on the page.
A section without anything to say gives no blocks and is excluded.
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from evallang.registry import Entry, Registry
from evallang.reporting.context import Context
from evallang.reporting.document import (
    CONTINUED,
    Block,
    Document,
    Emphasis,
    Figure,
    Heading,
    Run,
    Runs,
    Section,
    Strong,
    Table,
    Text,
)
from evallang.reporting.letter_case import capitalised, with_noun
from evallang.reporting.numbering import changed
from evallang.reporting.run_writer import plain

EXHIBIT = re.compile("(figure|table)-[a-z0-9_-]+")
"""The name of a single figure or table, which `show` and `hide` take in quotes."""


class Topic(StrEnum):
    """A fact that a section states; its declaration lists those it states for given results."""

    DATA_IDENTITY = "data_identity"
    CODE = "code"
    ENVIRONMENT = "environment"
    COMMANDS = "commands"
    STUDY_FILE = "study_file"
    OUTCOME = "outcome"
    SAMPLES = "samples"
    SAMPLE_SIZE = "sample_size"
    MISSING = "missing"
    EXCLUSIONS = "exclusions"
    FLOW = "flow"
    CHARACTERISTICS = "characteristics"
    FEATURES = "features"
    TRANSFORMATIONS = "transformations"
    CLASS_BALANCE = "class_balance"
    MODELS = "models"
    SPLITS = "splits"
    SELECTION = "selection"
    TUNING = "tuning"
    TRAINING_ONLY = "training_only"
    GROUPS = "groups"
    METRICS = "metrics"
    INTERVALS = "intervals"
    TESTS = "tests"
    LIMITS = "limits"
    EXPORTED = "exported"


class SectionDeclaration(Struct, frozen=True):
    """Where a section stands, and what it adds to the methods text.

    Attributes
    ----------
    order : the place on the page
    hideable : True where an author may hide it
    methods : the sentence of the methods text about what the section is about; empty where the
        results have nothing of it
    topics : what the section states, or a function of the results that returns it
    supplement : True where all of it belongs to the supplement; else the blocks that say so
    ranking : True where it shows the models of a place in order, which is in the main part with
        comparisons too
    comes_last : True where it refers to other sections, which are then built before it
    tables : True where its tables are written as files too
    analyses : True where it shows what `analyze` lines ask for
    kinds : the analyses that it shows, where they are certain ones
    """

    order: int
    hideable: bool = True
    methods: Callable[[Context], Runs] | None = None
    topics: tuple[Topic, ...] | Callable[[Context], Iterable[Topic]] = ()
    supplement: bool = False
    ranking: bool = False
    comes_last: bool = False
    tables: bool = True
    analyses: bool = False
    kinds: tuple[str, ...] = ()


SECTIONS: Registry[SectionDeclaration] = Registry(
    "section", "evallang.reporting", "evallang.analyses"
)
"""All sections, by the name that `show` and `hide` take."""


def methods_sentences(context: Context, *, analyses: bool, ranking: bool = False) -> list[Runs]:
    """Return the sentences that sections add to the methods text, in the order of the page."""
    kind = analyses, ranking
    every = (entry.declaration for entry in _ordered())
    declared = [one for one in every if (one.analyses, one.ranking) == kind]
    return [one.methods(context) for one in declared if one.methods is not None]


def compares(context: Context) -> bool:
    """Return whether a study decides by comparisons: its analyses then are in the supplement."""
    return any(not c.family.exploratory for c in context.results.comparisons)


def _ordered() -> list[Entry[SectionDeclaration]]:
    return sorted(SECTIONS, key=lambda entry: entry.declaration.order)


def shown_sections(context: Context) -> list[str]:
    """Return the names of the sections that `show` and `hide` leave, in the order of the page."""
    return [
        entry.name
        for entry in _ordered()
        if not entry.declaration.hideable or context.shows(entry.name)
    ]


def blocks_of(context: Context, name: str) -> list[Block]:
    """Return the blocks of a section; its sentences do not begin with a name in small letters."""
    names = [context.model(model.name) for model in context.results.models]
    noun = capitalised(context.subject(None))

    def named(row: Runs) -> Runs:
        made: list[Run] = []
        begins = True
        for run in row:
            if isinstance(run, Text):
                run = Text(with_noun(run.text, names, noun, begins=begins))
            elif isinstance(run, Strong | Emphasis) and begins:
                run = replace(run, runs=named(run.runs))
            made.append(run)
            if words := plain((run,)).strip():
                begins = words.endswith((".", "?", "!"))
        return tuple(made)

    blocks = SECTIONS[name].function(context)
    return [
        replace(changed(block, named), rows=block.rows)
        if isinstance(block, Table)
        else changed(block, named)
        for block in blocks
    ]


def build(context: Context) -> Document:
    """Build the document: every section that is shown and has something to say, in order.

    The main part comes first, then the supplement.
    """
    made: list[tuple[bool, int, Section]] = []
    shown = shown_sections(context)
    single = any(EXHIBIT.fullmatch(name) for name in context.results.report.show or ())
    entries = [entry for entry in _ordered() if single or entry.name in shown]
    for entry in sorted(entries, key=lambda entry: entry.declaration.comes_last):
        declared = entry.declaration
        blocks: Iterable[Block] = blocks_of(context, entry.name)
        if declared.hideable:
            blocks = _left(context, blocks, whole=entry.name in shown)
        beside = declared.analyses and not declared.ranking and compares(context)
        supplement = declared.supplement or beside
        if declared.analyses and not supplement:
            blocks = _first_exhibits(blocks)
        main, further = _in_parts(blocks, supplement)
        if main:
            made.append((False, declared.order, Section(entry.name, entry.title, main)))
        if further:
            identifier = f"{entry.name}{CONTINUED}" if main else entry.name
            section = Section(identifier, entry.title, further, supplement=True)
            made.append((True, declared.order, section))
        made.sort(key=lambda item: item[:2])
        context.sections = tuple(section for *_, section in made)
    return Document(
        context.title,
        context.report_id,
        context.created,
        context.footer,
        context.results.report.page,
        context.sections,
        context.style_sheet,
        context.results.report.part,
        widths=context.results.report.figures,
        files=tuple(context.files),
    )


def _left(context: Context, blocks: Iterable[Block], *, whole: bool) -> list[Block]:
    """Return the blocks of a section that `show` and `hide` leave, and note what they may name.

    Of a section that is not shown as a `whole`, these are the figures and tables that `show` names.
    """
    settings = context.results.report
    made: list[Block] = []
    for block in blocks:
        name = block.id if isinstance(block, Figure | Table) else ""
        context.exhibits |= {name: None} if name else {}
        named = name in (settings.show or ()) or isinstance(block, Heading)
        if name not in settings.hide and (whole or named):
            made.append(block)
    return made


def _first_exhibits(blocks: Iterable[Block]) -> list[Block]:
    """Leave the first figure below each heading in the main part, else the first table."""
    made: list[Block] = []
    for heading, group in groupby(blocks, lambda block: isinstance(block, Heading)):
        some = list(group)
        kinds: tuple[type[Block], ...] = (Figure, Table)
        exhibits = (b for kind in kinds for b in some if isinstance(b, kind))
        first = None if heading else next(exhibits, None)
        made += [
            replace(b, further=True) if isinstance(b, kinds) and b is not first else b for b in some
        ]
    return made


def _in_parts(
    blocks: Iterable[Block], supplement: bool
) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Divide the blocks of a section into those of the main part and those of the supplement.

    A heading is in each part that has a block under it.
    """
    made: dict[bool, list[Block]] = {False: [], True: []}
    heads: dict[bool, list[Block]] = {False: [], True: []}
    for block in blocks:
        if isinstance(block, Heading):
            heads = {False: [block], True: [block]}
        else:
            part = supplement or block.further
            made[part] += [*heads[part], block]
            heads[part] = []
    main = tuple(made[False])
    return main, tuple(
        replace(block, id=f"{block.id}{CONTINUED}")
        if isinstance(block, Heading) and block in main
        else block
        for block in made[True]
    )
