"""The works that a report can cite, each with the key and the entry of a bibliography."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from unicodedata import normalize

from msgspec import Struct

from evallang.reporting.document import Runs
from evallang.reporting.references import data_key, data_work, source_label, work_runs
from evallang.results.bibtex_entries import OWN
from evallang.results.records import DataRecord, ReferenceRecord, ResultsRecord


class CitedWork(Struct, frozen=True):
    """A work: the key of its entry, how it is cited in text, and how it is listed."""

    key: str
    short: str
    listed: Runs
    record: ReferenceRecord | None = None
    data: DataRecord | None = None


def works_of(results: ResultsRecord) -> Mapping[str, CitedWork]:
    """Return every work of the results by the key of its citations.

    The authors' own entries keep their keys; others with the same key get an ending. Keys of data
    begin with the name of the study, and a work of methods has the same key in every study.
    """
    own = [r for r in results.references if r.key.startswith(OWN)]
    ours = [r for r in results.references if not r.key.startswith(OWN)]
    taken: dict[str, int] = {}
    made: dict[str, CitedWork] = {}
    for record in (*own, *ours):
        key = _free(slug(record.key.removeprefix(OWN), keep="_:.+/-"), taken)
        made[record.key] = CitedWork(key, short_form(record), work_runs(record), record)
    for data in results.data:
        name = data_key(data, made)
        if name is not None and name not in made:
            key = _free(f"{study_key(results)}-{slug(data.name)}", taken)
            words = source_label(data) or (data.cite or "").strip()
            made[name] = CitedWork(key, words, data_work(data), None, data)
    return made


def study_key(results: ResultsRecord) -> str:
    """Return the name of a study in a paper of several: that of its file."""
    return slug(PurePosixPath(results.spec.path).stem or "study")


def short_form(record: ReferenceRecord) -> str:
    """Return authors and year as cited in running text: "Nadeau & Bengio, 2003"."""
    names = [_family(author) for author in record.authors]
    lead = names[0] if len(names) == 1 else " & ".join(names)
    if len(names) > 2:
        lead = f"{names[0]} et al."
    return f"{lead}, {record.year}" if lead else str(record.year)


def _family(author: str) -> str:
    family, _, initials = author.rpartition(" ")
    return family if family and initials.isupper() else author


def slug(text: str, *, keep: str = "-") -> str:
    """Return a text in letters, digits and hyphens of ASCII, for keys and labels."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode()
    made = re.sub(rf"[^A-Za-z0-9{re.escape(keep)}]+", "-", plain).strip("-")
    return made or "x" + "-".join(f"{ord(c):x}" for c in text[:8])


def _free(key: str, taken: dict[str, int]) -> str:
    """Return a key that is not taken yet, and take it."""
    number, made = taken.get(key.lower(), 1), key
    while made.lower() in taken:
        number += 1
        made = f"{key}-{number}"
    taken[key.lower()] = taken[made.lower()] = number
    return made
