"""The list of references: every work that a sentence of the report cites."""

from collections.abc import Container, Sequence

from msgspec.structs import replace

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Emphasis, Link, References, Runs, Work, runs
from evallang.reporting.numbers import NBSP
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.results.bibtex_entries import OWN
from evallang.results.records import DataRecord, ReferenceRecord

MOST_AUTHORS = 6  # more are "et al."


@SECTIONS.register(SectionDeclaration(order=100), title="References")
def references(context: Context) -> Sequence[Block]:
    """List every work that can be cited; the layout prints those that a part is first to cite."""
    works = [Work(record.key, work_runs(record)) for record in context.results.references]
    known = {work.key for work in works}
    for data in context.results.data:
        key = data_key(data, known)
        if key is not None and key not in known:
            works.append(Work(key, data_work(data)))
            known.add(key)
    made = References(tuple(works))
    return [made, replace(made, further=True)] if works else []


def work_runs(record: ReferenceRecord) -> Runs:
    """Format a published work as an entry of the list."""
    authors = _authors(record.authors)
    title = record.title.rstrip(".")
    end = "" if title.endswith(("?", "!")) else "."
    made = runs(f"{authors} ({record.year}). {title}{end} ")
    made += runs(Emphasis(runs(record.venue))) if record.venue else ()
    if record.volume:
        number, _, issue = record.volume.partition("(")
        made += runs(", ", Emphasis(runs(number)), f"({issue}" if issue else "")
    if record.pages:
        made += runs(", " + record.pages.replace("--", "–").replace("-", "–"))
    made += runs(".")
    if record.doi:
        made += runs(" ", Link(f"https://doi.org/{record.doi}", f"doi:{record.doi}"))
    return made


def _authors(names: Sequence[str]) -> str:
    names = [_unbroken(name) for name in names]
    if len(names) > MOST_AUTHORS:
        return f"{names[0]} et al."
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} & {names[-1]}"


def _unbroken(name: str) -> str:
    """Keep the name of a person on one line: its particle and its initials are short."""
    return name.replace(" ", NBSP) if name.rpartition(" ")[2].isupper() else name


def data_key(data: DataRecord, known: Container[str]) -> str | None:
    """Return the key of the work that a data set cites; the authors' own entry has its own."""
    if not data.cite:
        return None
    own = OWN + data.cite.strip().removeprefix("@")
    return own if own in known else f"data:{_source(data)}"


def _source(data: DataRecord) -> str:
    """Return the name of a data set, or of the source that it is one of several of."""
    return data.name.partition("/")[0]


def source_label(data: DataRecord) -> str:
    """Return the label of a source of one data set; one of several is cited by its source alone."""
    return (data.label or data.name) if _source(data) == data.name else ""


def data_work(data: DataRecord) -> Runs:
    """Format the source of a data set as an entry of the list."""
    lead = f"{label}. " if (label := source_label(data)) else ""
    cite = (data.cite or "").strip()
    doi = cite.removeprefix("https://doi.org/").removeprefix("doi:")
    if doi.startswith("10.") and " " not in doi:
        return runs(lead, Link(f"https://doi.org/{doi}", f"doi:{doi}"))
    return runs(f"{lead}{cite}")
