"""Reporting checklists: where this report answers their items, and which are for the authors.

The items are short forms of the published ones; each list names where they were published.
"""

from collections.abc import Iterable, Sequence

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
    source: Runs
    compared: str
    items: tuple[Item, ...]


REFORMS = Checklist(
    "REFORMS",
    runs("Kapoor et al. 2024, ",
         Link("https://doi.org/10.1126/sciadv.adk3452", "doi:10.1126/sciadv.adk3452")),
    "table 1 of the paper",
    (
        Item("1a", "population or distribution that the claim is about"),
        Item("1b", "why this population or distribution was chosen"),
        Item("1c", "why machine learning was used"),
        Item("2a", "data set, with a link or DOI that identifies it", Topic.DATA_IDENTITY, True),
        Item("2b", "code, with a link or DOI that identifies its version", Topic.CODE, True),
        Item("2c", "computing infrastructure", Topic.ENVIRONMENT),
        Item("2d", "README with instructions"),
        Item("2e", "script that reproduces all results", Topic.COMMANDS),
        Item("3a", "sources of the data, time of collection, process of annotation"),
        Item("3b", "sampling frame"),
        Item("3c", "why the data suit the task"),
        Item("3d", "outcome, with descriptive statistics", Topic.OUTCOME, True),
        Item("3e", "number of samples", Topic.SAMPLES),
        Item("3f", "share of missing data, by class", Topic.MISSING, True),
        Item("3g", "why the data represent the population of the claim"),
        Item("4a", "excluded samples, and why", Topic.EXCLUSIONS, True),
        Item("4b", "treatment of impossible or corrupt samples"),
        Item("4c", "all transformations of the data", Topic.TRANSFORMATIONS),
        Item("5a", "all models with their features and loss functions", Topic.MODELS, True),
        Item("5b", "why these types of models were chosen"),
        Item("5c", "splits or folds of the evaluation", Topic.SPLITS),
        Item("5d", "method of selecting the reported models", Topic.SELECTION),
        Item("5e", "tuning of hyper-parameters", Topic.TUNING),
        Item("5f", "why the baselines are appropriate"),
        Item("6a", "preprocessing and modelling use training data only", Topic.TRAINING_ONLY),
        Item("6b", "dependent or duplicate samples in training and test data", Topic.GROUPS, True),
        Item("6c", "why each feature is legitimate"),
        Item("7a", "all metrics, and why they suit the task", Topic.METRICS, True),
        Item("7b", "estimates of uncertainty, and their methods", Topic.INTERVALS),
        Item("7c", "why the tests were chosen, and their assumptions", Topic.TESTS, True),
        Item("8a", "evidence of external validity"),
        Item("8b", "contexts in which the findings are not expected to hold"),
    ),
)  # fmt: skip

NEURIPS = Checklist(
    "NeurIPS",
    runs("the paper template of 2025 and 2026, neurips.cc/public/guides/PaperChecklist"),
    "the questions of all items in a copy of the template for Typst, bloated-neurips 0.8.0",
    (
        Item("1", "claims that match the contributions and scope"),
        Item("2", "limitations", Topic.LIMITS, True),
        Item("3", "assumptions and proofs of theory"),
        Item("4", "all information needed to reproduce the main results", Topic.COMMANDS),
        Item("5", "open access to data and code, with instructions", Topic.CODE, True),
        Item("6", "settings of training and test, and how they were chosen", Topic.SPLITS, True),
        Item("7", "error bars or tests, with their method and assumptions", Topic.INTERVALS),
        Item("8", "type of machines, memory and time of execution", Topic.ENVIRONMENT, True),
        Item("9", "code of ethics"),
        Item("10", "positive and negative societal impacts"),
        Item("11", "safeguards for data or models that can be misused"),
        Item("12", "credit, licences and terms of use of existing assets"),
        Item("13", "documentation of new assets"),
        Item("14", "instructions and compensation of human subjects and crowd workers"),
        Item("15", "risks to human subjects, their disclosure, approval by a review board"),
        Item("16", "large language models in the core methods"),
    ),
)  # fmt: skip

TRIPOD_AI = Checklist(
    "TRIPOD+AI",
    runs("for clinical prediction models, Collins et al. 2024, ",
         Link("https://doi.org/10.1136/bmj-2023-078378", "doi:10.1136/bmj-2023-078378")),
    "table 2 of the statement, as an open-access article reproduces it",
    (
        Item("1", "title that identifies the study, population and outcome"),
        Item("2", "abstract"),
        Item("3a", "healthcare context and rationale"),
        Item("3b", "target population, purpose and intended users"),
        Item("3c", "known health inequalities"),
        Item("4", "objectives: development, validation or both"),
        Item("5a", "sources of the data, and why they were used"),
        Item("5b", "dates of the data"),
        Item("6a", "setting, number and place of centres"),
        Item("6b", "eligibility criteria"),
        Item("6c", "treatments received"),
        Item("7", "preprocessing and quality checks", Topic.TRANSFORMATIONS, True),
        Item("8a", "definition, time horizon and assessment of the outcome", Topic.OUTCOME, True),
        Item("8b", "assessors of the outcome"),
        Item("8c", "blinding of the assessment of the outcome"),
        Item("9a", "choice of the initial predictors"),
        Item("9b", "definition of all predictors", Topic.FEATURES, True),
        Item("9c", "assessors of the predictors"),
        Item("10", "study size, and why it was sufficient", Topic.SAMPLE_SIZE, True),
        Item("11", "handling of missing data, reasons for omitted data", Topic.MISSING, True),
        Item("12a", "use, partition and required size of the data", Topic.SPLITS, True),
        Item("12b", "handling of predictors in the analyses", Topic.TRANSFORMATIONS),
        Item("12c", "type of model, tuning, internal validation", Topic.MODELS, True),
        Item("12d", "heterogeneity across clusters", Topic.GROUPS, True),
        Item("12e", "measures and plots of performance", Topic.METRICS, True),
        Item("12f", "updating of the model"),
        Item("12g", "how predictions were calculated", Topic.MODELS),
        Item("13", "methods against class imbalance", Topic.CLASS_BALANCE, True),
        Item("14", "approaches to fairness"),
        Item("15", "output of the model, and thresholds"),
        Item("16", "differences between development and evaluation data"),
        Item("17", "ethical approval and consent"),
        Item("18a", "funding"),
        Item("18b", "conflicts of interest"),
        Item("18c", "access to the protocol", Topic.STUDY_FILE),
        Item("18d", "registration"),
        Item("18e", "availability of the data"),
        Item("18f", "availability of the analysis code", Topic.CODE, True),
        Item("19", "involvement of patients and the public"),
        Item("20a", "flow of participants"),
        Item("20b", "characteristics of the participants"),
        Item("20c", "distributions of predictors compared with the development data"),
        Item("21", "participants and events in each analysis", Topic.SAMPLES, True),
        Item("22", "the full model, for predictions in new individuals", Topic.EXPORTED, True),
        Item("23a", "performance with intervals, also in subgroups", Topic.INTERVALS, True),
        Item("23b", "heterogeneity of performance across clusters, if examined"),
        Item("24", "results of updating"),
        Item("25", "interpretation of the main results"),
        Item("26", "limitations", Topic.LIMITS, True),
        Item("27a", "handling of poor or missing input data in use"),
        Item("27b", "interaction with users, and their expertise"),
        Item("27c", "next steps of research"),
    ),
)  # fmt: skip

CHECKLISTS = (REFORMS, NEURIPS, TRIPOD_AI)
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
             listed([runs(f"{c.name}: ", c.source) for c in CHECKLISTS], comma="; ", last="; "),
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
