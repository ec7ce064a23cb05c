"""The head of the report: title, subtitle and the facts that place a study at a glance."""

from collections.abc import Sequence

from evallang.reporting.context import Context, protocol_words
from evallang.reporting.document import (
    Block,
    Cite,
    Fact,
    Paragraph,
    Runs,
    Title,
    runs,
)
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import count, level_of_alpha
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.sentences import write
from evallang.reporting.wording import plural
from evallang.results.bibtex_entries import CITATION, OWN, cited_keys
from evallang.results.records import ReferenceRecord

MOST_NAMED = 3  # protocols in the facts of the head; more are counted


@SECTIONS.register(SectionDeclaration(order=0, hideable=False), title="")
def title(context: Context) -> Sequence[Block]:
    """Return title, subtitle and the facts that place a study at a glance."""
    results = context.results
    facts: list[Fact] = []
    if len(context.data_sets) > 1:
        facts.append(Fact(capitalised(context.sets), count(len(context.data_sets))))
    sizes = {data.n for data in results.data}
    single = all(data.kind == "scores" and data.n == 1 for data in results.data)
    if len(sizes) == 1 and not single:
        unit = context.cases(results.data[0].name)
        each = " each" if len(results.data) > 1 else ""
        size = count(sizes.pop())
        if len(results.data) == 1 and context.samples(results.data[0].name):
            size, each = context.sample_range(results.data[0].name), " of each model"
        facts.append(Fact(f"{capitalised(unit)}{each}", size))
    features = {data.n_features for data in results.data}
    if len(features) == 1 and (number := features.pop()) is not None:
        facts.append(Fact("Features", count(number)))
    subjects = f"{capitalised(context.subject(None))}s"
    facts.append(Fact(subjects, count(len(results.models))))
    own = [protocol for protocol in results.protocols if protocol.implied_by is None]
    if own:
        names = list(dict.fromkeys(p.short or p.kind.replace("_", " ") for p in own))
        word = "Protocol" if len(own) == 1 else "Protocols"
        facts.append(Fact(word, ", ".join(names) if len(names) <= MOST_NAMED else count(len(own))))
    if context.tests:
        facts.append(Fact("Alpha", level_of_alpha(results.study.alpha, context.style)))
    facts.append(Fact("Report", context.report_id))
    question = " ".join(text for text in (results.study.question, results.study.about) if text)
    authors = ", ".join(results.study.authors)
    row = with_citations(question, results.references)
    labels = [context.data_label(data.name) for data in context.data_sets]
    sets = f"{len(labels)} {context.sets}"
    sets = f"{context.collection}, {sets}" if context.collection else sets
    parts = [", ".join(labels) if len(labels) <= 3 else sets]
    if own:
        first = protocol_words(own[0])
        rest = plural(len(own) - 1, "further protocol")
        parts.append(first if len(own) == 1 else f"{first} and {rest}")
    subtitle = ", ".join(filter(None, parts))
    head = Title(context.title, subtitle, authors, tuple(facts), row)
    history = write(
        context,
        "title",
        "history",
        lock=results.provenance.lock,
        looks=results.provenance.looks or 0,
        allowed=results.study.looks if results.requirements else None,
    )
    return [head, Paragraph(history)] if history else [head]


def with_citations(text: str, works: Sequence[ReferenceRecord]) -> Runs:
    """Return the authors' words with citations in place of `[@key]`.

    A key that the works of the results do not have stays as it is written.
    """
    known = {work.key for work in works}
    made: list[str | Cite] = []
    at = 0
    for found in CITATION.finditer(text):
        keys = tuple(OWN + key for key in cited_keys(found[0]))
        if not known.issuperset(keys):
            continue
        made += [text[at : found.start()].rstrip(), Cite(keys)]
        at = found.end()
    return runs(*made, text[at:])
